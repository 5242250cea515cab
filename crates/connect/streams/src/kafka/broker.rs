//! A connection to a broker: frames, their answers in order, and authentication.

use reeve_connect_outbound::{Connection, Outbound, OutboundError};
use reeve_streams::{KafkaSasl, SendError};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

use super::protocol::{RequestKind, check, produce_version};
use super::scram::{ScramError, ScramExchange, ScramHash};
use super::wire::{Decoder, Encoder, Malformed};

/// Name by which brokers know this client, in their metrics and quotas.
const CLIENT: &str = "reeve";
/// Longest answer that is read: a topic of some ten thousand partitions.
const LONGEST_ANSWER: usize = 4 << 20;

/// User, password and the way in which they are shown to a broker.
#[derive(Clone)]
pub(super) struct KafkaCredentials {
    pub(super) sasl: KafkaSasl,
    pub(super) username: String,
    pub(super) password: String,
}

/// A connection whose user is known to the broker.
pub(super) struct BrokerConnection {
    connection: Connection,
    /// Number of the next request, and of the next answer.
    next: (i32, i32),
    /// Version of `Produce` that is spoken.
    pub(super) produce_version: i16,
}

impl BrokerConnection {
    /// Connects. The address is judged as every other that people configure, also when a broker
    /// named it.
    pub(super) async fn open(
        outbound: &Outbound,
        (host, port, tls): (&str, u16, bool),
        credentials: &KafkaCredentials,
    ) -> Result<BrokerConnection, SendError> {
        let connected = outbound.connect(host, port, tls).await;
        let connection = connected.map_err(|error| match error {
            OutboundError::Refused(_) => SendError::configuration(error),
            other => SendError::passing(format!("{host}:{port}: {other}")),
        })?;
        let mut broker = BrokerConnection {
            connection,
            next: (0, 0),
            produce_version: 0,
        };
        let versions = broker.ask(RequestKind::ApiVersions, &[]).await?;
        broker.produce_version = produce_version(&versions)?;
        broker.sign_in(credentials).await?;
        Ok(broker)
    }

    /// Sends a request and reads its answer.
    pub(super) async fn ask(
        &mut self,
        kind: RequestKind,
        body: &[u8],
    ) -> Result<Vec<u8>, SendError> {
        self.send(kind, body).await?;
        self.answer().await
    }

    pub(super) async fn send(&mut self, kind: RequestKind, body: &[u8]) -> Result<(), SendError> {
        let (number, version) = kind.number();
        let mut head = Encoder::default();
        // Numbers, correlation, and the name of the client after its length.
        head.count(2 + 2 + 4 + 2 + CLIENT.len() + body.len());
        head.i16(number);
        head.i16(version);
        head.i32(self.next.0);
        head.text(CLIENT);
        self.next.0 = self.next.0.wrapping_add(1);

        let writing = async {
            self.connection.write_all(&head.0).await?;
            self.connection.write_all(body).await?;
            self.connection.flush().await
        };
        writing.await.map_err(SendError::passing)
    }

    /// Reads the answer to the oldest request that has none yet.
    pub(super) async fn answer(&mut self) -> Result<Vec<u8>, SendError> {
        let length = self.connection.read_i32().await.map_err(closed)?;
        let length = usize::try_from(length).unwrap_or(usize::MAX);
        if !(4..=LONGEST_ANSWER).contains(&length) {
            return Err(SendError::configuration(
                "what answers at the address does not speak Kafka's protocol",
            ));
        }
        let correlation = self.connection.read_i32().await.map_err(closed)?;
        if correlation != self.next.1 {
            return Err(SendError::passing("the broker answered another request"));
        }
        self.next.1 = self.next.1.wrapping_add(1);
        let mut answer = vec![0; length - 4];
        let reading = self.connection.read_exact(&mut answer);
        reading.await.map_err(closed)?;
        Ok(answer)
    }

    async fn sign_in(&mut self, credentials: &KafkaCredentials) -> Result<(), SendError> {
        let KafkaCredentials {
            sasl,
            username,
            password,
        } = credentials;
        let (mechanism, hash) = match sasl {
            KafkaSasl::None => return Ok(()),
            KafkaSasl::Plain => ("PLAIN", None),
            KafkaSasl::ScramSha256 => ("SCRAM-SHA-256", Some(ScramHash::Sha256)),
            KafkaSasl::ScramSha512 => ("SCRAM-SHA-512", Some(ScramHash::Sha512)),
        };
        let mut body = Encoder::default();
        body.text(mechanism);
        let answer = self.ask(RequestKind::SaslHandshake, &body.0).await?;
        let error = Decoder(&answer).i16().map_err(SendError::passing)?;
        check(error, mechanism)?;

        let Some(hash) = hash else {
            let plain = format!("\0{username}\0{password}");
            self.authenticate(plain.as_bytes()).await?;
            return Ok(());
        };
        let nonce = uuid::Uuid::new_v4().simple().to_string();
        let exchange = ScramExchange::new(hash, username, nonce);
        let challenge = self.authenticate(exchange.first().as_bytes()).await?;
        let answering = exchange.answer(&challenge, password);
        let proof = answering.map_err(judged)?;
        let last = self.authenticate(proof.message.as_bytes()).await?;
        proof.check(&last).map_err(judged)
    }

    /// Sends bytes of a mechanism, and returns the broker's.
    async fn authenticate(&mut self, bytes: &[u8]) -> Result<String, SendError> {
        let mut body = Encoder::default();
        body.bytes(bytes);
        let answer = self.ask(RequestKind::SaslAuthenticate, &body.0).await?;
        let mut decoder = Decoder(&answer);
        let read = (|| {
            let (error, _message) = (decoder.i16()?, decoder.text()?);
            let bytes = String::from_utf8_lossy(decoder.bytes()?);
            Ok::<_, Malformed>((error, bytes.into_owned()))
        })();
        let (error, text) = read.map_err(SendError::passing)?;
        check(error, "SASL")?;
        Ok(text)
    }
}

/// A broker that closes without an answer often does so because it speaks TLS, or does not.
fn closed(error: std::io::Error) -> SendError {
    if error.kind() == std::io::ErrorKind::UnexpectedEof {
        return SendError::passing(
            "the broker closed the connection without an answer: is TLS set as the broker has it?",
        );
    }
    SendError::passing(error)
}

fn judged(error: ScramError) -> SendError {
    SendError::configuration(error)
}
