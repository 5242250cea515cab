//! Apache Kafka, and what speaks its protocol: Redpanda, Amazon MSK, Azure Event Hubs.
//!
//! A producer of our own, over the guarded way out: a broker names the addresses of the others, and
//! each is judged before it is reached. A batch is confirmed once every replica in sync of every
//! partition has it; otherwise all of it is sent again, so that order and completeness need no
//! state at the broker. Topics are never made.

mod broker;
mod protocol;
mod record_batch;
mod scram;
mod wire;

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use async_trait::async_trait;
use broker::{BrokerConnection, KafkaCredentials};
use protocol::{
    PartitionAnswer, RequestKind, TopicMetadata, check, metadata_request, produce_answers,
    produce_request,
};
use record_batch::{key_of, partition_of, record_batch};
use reeve_connect_outbound::{Outbound, OutboundError};
use reeve_streams::{
    Acked, BrokerAddress, KafkaCompression, KafkaKey, KafkaSasl, SendError, StreamRecord,
    StreamSink,
};
use tokio::sync::Mutex;

use crate::https::all;

/// Time for which the leaders of partitions are not asked for again.
const KNOWN_FOR: Duration = Duration::from_secs(120);
/// Time after which a silent connection is not used any more. Azure drops one after some minutes
/// without a word to either side.
const IDLE: Duration = Duration::from_secs(60);

/// Settings of a topic.
#[derive(Debug, Clone)]
pub struct KafkaTopic {
    /// Brokers that are asked first.
    pub brokers: Vec<BrokerAddress>,
    pub topic: String,
    pub tls: bool,
    pub sasl: KafkaSasl,
    pub username: String,
    pub key: KafkaKey,
    pub compression: KafkaCompression,
}

/// A topic of Kafka.
pub struct KafkaSink {
    outbound: Outbound,
    settings: KafkaTopic,
    credentials: KafkaCredentials,
    cluster: Mutex<Option<Cluster>>,
}

/// The topic as it was learned, with open connections by the number of the broker.
struct Cluster {
    metadata: TopicMetadata,
    learned_at: Instant,
    used_at: Instant,
    connections: BTreeMap<i32, BrokerConnection>,
}

/// Records of each partition, in order, with their places in the batch.
type Parts<'a> = BTreeMap<usize, Vec<(usize, &'a StreamRecord)>>;

impl KafkaSink {
    /// A receiver. `secret` is the password of the user.
    #[must_use]
    pub fn new(outbound: Outbound, settings: KafkaTopic, secret: &str) -> KafkaSink {
        let credentials = KafkaCredentials {
            sasl: settings.sasl,
            username: settings.username.clone(),
            password: secret.trim().to_owned(),
        };
        KafkaSink {
            outbound,
            settings,
            credentials,
            cluster: Mutex::new(None),
        }
    }

    async fn connect(&self, host: &str, port: u16) -> Result<BrokerConnection, SendError> {
        let place = (host, port, self.settings.tls);
        BrokerConnection::open(&self.outbound, place, &self.credentials).await
    }

    /// Learns the partitions from the first broker that answers.
    async fn learn(&self) -> Result<Cluster, SendError> {
        let mut failure = SendError::configuration("no broker is given");
        for BrokerAddress { host, port } in &self.settings.brokers {
            match self.learn_from(host, *port).await {
                Ok(cluster) => return Ok(cluster),
                Err(error) => failure = error,
            }
        }
        Err(failure)
    }

    async fn learn_from(&self, host: &str, port: u16) -> Result<Cluster, SendError> {
        let topic = &self.settings.topic;
        let mut broker = self.connect(host, port).await?;
        let request = metadata_request(topic);
        let answer = broker.ask(RequestKind::Metadata, &request).await?;
        Ok(Cluster {
            metadata: TopicMetadata::read(&answer, topic)?,
            learned_at: Instant::now(),
            used_at: Instant::now(),
            connections: BTreeMap::new(),
        })
    }

    async fn deliver(
        &self,
        cluster: &mut Cluster,
        batch: &[StreamRecord],
    ) -> Result<(), SendError> {
        let partitions = cluster.metadata.leaders.len();
        let mut parts = Parts::new();
        for (place, record) in batch.iter().enumerate() {
            let partition = partition_of(key_of(record, self.settings.key), partitions);
            parts.entry(partition).or_default().push((place, record));
        }

        let mut requests: BTreeMap<i32, Vec<(i32, Vec<u8>)>> = BTreeMap::new();
        for (partition, records) in &parts {
            let leader = cluster.metadata.leaders.get(*partition).copied().flatten();
            let leader = leader.ok_or_else(|| {
                SendError::passing(format!("partition {partition} has no leader"))
            })?;
            let records: Vec<&StreamRecord> = records.iter().map(|(_, record)| *record).collect();
            let (key, compression) = (self.settings.key, self.settings.compression);
            let batch = record_batch(&records, key, compression).map_err(SendError::passing)?;
            let partition = i32::try_from(*partition).map_err(SendError::passing)?;
            requests.entry(leader).or_default().push((partition, batch));
        }

        // Every leader works on its part while the others do.
        for (leader, batches) in &requests {
            let broker = self.leader(cluster, *leader).await?;
            let version = broker.produce_version;
            let request = produce_request(&self.settings.topic, batches);
            broker
                .send(RequestKind::Produce { version }, &request)
                .await?;
        }
        let mut answers = Vec::new();
        for leader in requests.keys() {
            let broker = self.leader(cluster, *leader).await?;
            let answer = broker.answer().await?;
            let read = produce_answers(&answer, broker.produce_version);
            answers.extend(read.map_err(SendError::passing)?);
        }
        judge(&parts, &answers)
    }

    /// Returns the connection to a leader.
    async fn leader<'a>(
        &self,
        cluster: &'a mut Cluster,
        number: i32,
    ) -> Result<&'a mut BrokerConnection, SendError> {
        let metadata = &cluster.metadata;
        match cluster.connections.entry(number) {
            std::collections::btree_map::Entry::Occupied(known) => Ok(known.into_mut()),
            std::collections::btree_map::Entry::Vacant(free) => {
                let broker = metadata.brokers.iter().find(|(id, ..)| *id == number);
                let (_, host, port) = broker
                    .ok_or_else(|| SendError::passing(format!("broker {number} is not there")))?;
                Ok(free.insert(self.connect(host, *port).await?))
            }
        }
    }
}

/// Judges the answers to all parts. Whatever a part says, the rest of the batch is sent again with
/// it; a refused record is named by its place in the batch.
fn judge(parts: &Parts<'_>, answers: &[PartitionAnswer]) -> Result<(), SendError> {
    for (partition, records) in parts {
        let mut found = answers.iter();
        let found = found.find(|answer| usize::try_from(answer.partition) == Ok(*partition));
        let answer = found.ok_or_else(|| {
            SendError::passing(format!(
                "the broker confirmed nothing of partition {partition}"
            ))
        })?;
        let what = match &answer.message {
            Some(message) => format!("partition {partition}: {message}"),
            None => format!("partition {partition}"),
        };
        check(answer.error, &what).map_err(|error| match error {
            SendError::Refused { message, .. } => SendError::Refused {
                message,
                index: answer
                    .record
                    .and_then(|index| records.get(index))
                    .map(|(place, _)| *place),
            },
            other => other,
        })?;
    }
    Ok(())
}

#[async_trait]
impl StreamSink for KafkaSink {
    async fn send(&self, batch: &[StreamRecord]) -> Result<Acked, SendError> {
        let mut kept = self.cluster.lock().await;
        let known = kept.take().filter(|cluster| {
            cluster.learned_at.elapsed() < KNOWN_FOR && cluster.used_at.elapsed() < IDLE
        });
        let limit = self.outbound.time_limit();
        let delivering = async {
            let mut cluster = match known {
                Some(cluster) => cluster,
                None => self.learn().await?,
            };
            // After a failure everything is learned anew: a leader may have moved.
            self.deliver(&mut cluster, batch).await?;
            cluster.used_at = Instant::now();
            Ok(cluster)
        };
        let cluster = tokio::time::timeout(limit, delivering)
            .await
            .map_err(|_| SendError::passing(OutboundError::Late(limit)))??;
        *kept = Some(cluster);
        all(batch)
    }
}
