//! The five requests of Kafka's protocol that a producer needs, in versions that brokers from 1.0 to
//! 4.x take, and Azure Event Hubs too.

use reeve_streams::SendError;

use super::wire::{Decoder, Encoder, Malformed};

/// Time that a broker may take until its replicas have a batch, milliseconds.
const REPLICATION_MS: i32 = 20_000;
/// Every replica in sync confirms.
const ACKS_ALL: i16 = -1;

/// Kind of a request, with the version that is spoken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RequestKind {
    Produce { version: i16 },
    Metadata,
    SaslHandshake,
    ApiVersions,
    SaslAuthenticate,
}

impl RequestKind {
    /// Returns the number and the version of the request.
    pub(super) const fn number(self) -> (i16, i16) {
        match self {
            Self::Produce { version } => (0, version),
            // The first version that keeps a broker from making a topic that is not there.
            Self::Metadata => (3, 4),
            Self::SaslHandshake => (17, 1),
            Self::ApiVersions => (18, 0),
            Self::SaslAuthenticate => (36, 0),
        }
    }
}

/// Returns the version of `Produce` to speak, from the answer to `ApiVersions`.
pub(super) fn produce_version(answer: &[u8]) -> Result<i16, SendError> {
    let mut decoder = Decoder(answer);
    let read = (|| {
        let error = decoder.i16()?;
        let ranges = decoder.list(|item| Ok((item.i16()?, item.i16()?, item.i16()?)))?;
        Ok::<_, Malformed>((error, ranges))
    })();
    let (error, ranges) = read.map_err(SendError::passing)?;
    check(error, "the versions of its protocol")?;
    let range = ranges.iter().find(|(number, ..)| *number == 0);
    // 3 is the first with batches of version 2, 8 the last with lengths of fixed size.
    match range {
        Some((_, least, most)) if *least <= 8 && *most >= 3 => Ok((*most).min(8)),
        _ => Err(SendError::configuration(
            "the broker speaks no version of the protocol that Reeve does (Kafka 1.0 or newer)",
        )),
    }
}

/// Partitions of a topic with their leaders, and the brokers.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct TopicMetadata {
    /// Number, host and port of each broker.
    pub(super) brokers: Vec<(i32, String, u16)>,
    /// Leaders by partition; `None` while a partition has none.
    pub(super) leaders: Vec<Option<i32>>,
}

pub(super) fn metadata_request(topic: &str) -> Vec<u8> {
    let mut encoder = Encoder::default();
    encoder.count(1);
    encoder.text(topic);
    // The topic is not made.
    encoder.i8(0);
    encoder.0
}

impl TopicMetadata {
    /// Reads the answer about one topic.
    pub(super) fn read(answer: &[u8], topic: &str) -> Result<TopicMetadata, SendError> {
        let (error, metadata) = Self::decoded(answer).map_err(SendError::passing)?;
        match error {
            3 => Err(SendError::configuration(format!(
                "the topic {topic} does not exist, or the user may not see it"
            ))),
            error => check(error, &format!("the topic {topic}")),
        }?;
        if metadata.leaders.is_empty() {
            return Err(SendError::passing("the topic has no partition yet"));
        }
        Ok(metadata)
    }

    fn decoded(answer: &[u8]) -> Result<(i16, TopicMetadata), Malformed> {
        let mut decoder = Decoder(answer);
        decoder.i32()?;
        let brokers = decoder.list(|broker| {
            let (id, host) = (broker.i32()?, broker.text()?);
            let port = u16::try_from(broker.i32()?).map_err(|_| Malformed)?;
            broker.text()?;
            Ok((id, host.ok_or(Malformed)?, port))
        })?;
        decoder.text()?;
        decoder.i32()?;
        let topics = decoder.list(|topic| {
            let error = topic.i16()?;
            topic.text()?;
            topic.bool()?;
            let partitions = topic.list(|partition| {
                let _error = partition.i16()?;
                let (index, leader) = (partition.i32()?, partition.i32()?);
                partition.list(Decoder::i32)?;
                partition.list(Decoder::i32)?;
                Ok((index, leader))
            })?;
            Ok((error, partitions))
        })?;

        let (error, mut partitions) = topics.into_iter().next().ok_or(Malformed)?;
        partitions.sort_unstable();
        let is_whole = partitions
            .iter()
            .enumerate()
            .all(|(at, (index, _))| usize::try_from(*index) == Ok(at));
        if !is_whole {
            return Err(Malformed);
        }
        let leaders = partitions.into_iter().map(|(_, leader)| leader);
        let leaders = leaders.map(|leader| (leader >= 0).then_some(leader));
        Ok((
            error,
            TopicMetadata {
                brokers,
                leaders: leaders.collect(),
            },
        ))
    }
}

/// Writes batches of several partitions of a topic.
pub(super) fn produce_request(topic: &str, batches: &[(i32, Vec<u8>)]) -> Vec<u8> {
    let bytes: usize = batches.iter().map(|(_, batch)| batch.len() + 8).sum();
    let mut encoder = Encoder(Vec::with_capacity(bytes + topic.len() + 24));
    encoder.no_text();
    encoder.i16(ACKS_ALL);
    encoder.i32(REPLICATION_MS);
    encoder.count(1);
    encoder.text(topic);
    encoder.count(batches.len());
    for (partition, batch) in batches {
        encoder.i32(*partition);
        encoder.bytes(batch);
    }
    encoder.0
}

/// Answer of a broker about the batch of a partition.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct PartitionAnswer {
    pub(super) partition: i32,
    pub(super) error: i16,
    /// Place of the record that the broker refuses, where it names one.
    pub(super) record: Option<usize>,
    pub(super) message: Option<String>,
}

/// Reads the answer to `Produce`.
pub(super) fn produce_answers(
    answer: &[u8],
    version: i16,
) -> Result<Vec<PartitionAnswer>, Malformed> {
    let topics = Decoder(answer).list(|topic| {
        topic.text()?;
        topic.list(|partition| partition_answer(partition, version))
    })?;
    Ok(topics.into_iter().flatten().collect())
}

fn partition_answer(decoder: &mut Decoder<'_>, version: i16) -> Result<PartitionAnswer, Malformed> {
    let (partition, error) = (decoder.i32()?, decoder.i16()?);
    decoder.i64()?;
    decoder.i64()?;
    if version >= 5 {
        decoder.i64()?;
    }
    let mut answer = PartitionAnswer {
        partition,
        error,
        record: None,
        message: None,
    };
    if version >= 8 {
        let records = decoder.list(|record| Ok((record.i32()?, record.text()?)))?;
        answer.message = decoder.text()?;
        if let Some((index, message)) = records.into_iter().next() {
            answer.record = usize::try_from(index).ok();
            answer.message = message.or(answer.message);
        }
    }
    Ok(answer)
}

/// Judges an error of the protocol (<https://kafka.apache.org/protocol#protocol_error_codes>).
/// Unknown ones may pass.
pub(super) fn check(error: i16, what: &str) -> Result<(), SendError> {
    let name = match error {
        0 => return Ok(()),
        10 => "the batch is too large",
        17 => "the name of the topic is not allowed",
        18 => "the batch is larger than a segment of the log",
        21 => "acknowledgement by all replicas is not allowed",
        29 => "the user may not write to the topic",
        31 => "the user may not use the cluster",
        32 => "the time of a record is not allowed",
        33 => "the mechanism of SASL is not enabled",
        34 => "the broker wants no SASL",
        35 => "the version of the request is not supported",
        42 => "the request is not valid",
        43 => "the topic keeps messages of an old format",
        44 => "a policy of the broker refuses it",
        58 => "the broker refused the user or its password",
        76 => "the compression is not supported",
        87 => "a record is refused",
        5 | 6 => "the partition has no leader, or another",
        7 => "the replicas did not confirm in time",
        19 | 20 => "fewer replicas are in sync than the topic wants",
        89 => "the broker slows its clients",
        _ => "the broker failed",
    };
    let message = format!("{what}: {name} (error {error})");
    Err(match error {
        10 | 18 | 32 | 87 => SendError::refused(message),
        17 | 21 | 29 | 31 | 33..=35 | 42..=44 | 58 | 76 => SendError::configuration(message),
        _ => SendError::passing(message),
    })
}
