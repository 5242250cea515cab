//! Amazon Security Lake: Parquet files of OCSF events in the bucket of the lake, one class a file.
//!
//! The name of a file follows from the sequences in it, so that a batch that is sent again replaces
//! its files instead of doubling them.

use std::collections::BTreeMap;

use async_trait::async_trait;
use jiff::Timestamp;
use reeve_connect_aws::{AwsBucket, BucketError, BucketPlace};
use reeve_connect_outbound::Outbound;
use reeve_lake::write_ocsf_file;
use reeve_streams::{Acked, OcsfClass, SendError, StreamRecord, StreamSink};
use serde_json::Value;

/// A lake.
pub(crate) struct SecurityLakeSink {
    outbound: Outbound,
    place: BucketPlace,
    account_id: String,
    source_name: String,
}

impl SecurityLakeSink {
    pub(crate) fn new(
        outbound: Outbound,
        place: BucketPlace,
        account_id: &str,
        source_name: &str,
    ) -> SecurityLakeSink {
        SecurityLakeSink {
            outbound,
            place,
            account_id: account_id.to_owned(),
            source_name: source_name.to_owned(),
        }
    }

    /// Returns the name of a file: the partitions that Security Lake asks for, the day in UTC.
    fn name(&self, class: OcsfClass, day: &str, records: &[&StreamRecord]) -> String {
        let sequence = |record: Option<&&StreamRecord>| record.map_or(0, |record| record.sequence);
        format!(
            "ext/{}_{}/region={}/accountId={}/eventDay={day}/reeve-{:012}-{:012}.parquet",
            self.source_name,
            class.suffix(),
            self.place.region,
            self.account_id,
            sequence(records.first()),
            sequence(records.last()),
        )
    }

    async fn put(&self, batch: &[StreamRecord]) -> Result<(), SendError> {
        let mut files = LakeFiles::new();
        for record in batch {
            let event: Value = serde_json::from_slice(&record.body).map_err(SendError::refused)?;
            let class = event["class_uid"].as_u64().and_then(OcsfClass::from_uid);
            let class = class.ok_or_else(|| SendError::refused("an event without a class"))?;
            let (records, events) = files.entry((class, day_of(record.timestamp))).or_default();
            records.push(record);
            events.push(event);
        }

        let bucket = AwsBucket::open(&self.place, &self.outbound).await;
        for ((class, day), (records, events)) in files {
            let name = self.name(class, &day, &records);
            let encoded =
                tokio::task::spawn_blocking(move || write_ocsf_file(class.uid(), &events));
            let bytes = encoded.await.map_err(SendError::passing)?;
            let bytes = bytes.map_err(SendError::refused)?;
            bucket.put(&name, bytes).await.map_err(failed)?;
        }
        Ok(())
    }
}

/// Records and their events by class and day, each a file.
type LakeFiles<'a> = BTreeMap<(OcsfClass, String), (Vec<&'a StreamRecord>, Vec<Value>)>;

/// The day of an event as its partition is called.
fn day_of(at: Timestamp) -> String {
    at.strftime("%Y%m%d").to_string()
}

fn failed(error: BucketError) -> SendError {
    if error.is_permanent() {
        SendError::configuration(error)
    } else {
        SendError::passing(error)
    }
}

#[async_trait]
impl StreamSink for SecurityLakeSink {
    async fn send(&self, batch: &[StreamRecord]) -> Result<Acked, SendError> {
        let last = batch
            .last()
            .ok_or_else(|| SendError::refused("the batch is empty"))?;
        self.put(batch).await?;
        Ok(Acked {
            through: last.sequence,
        })
    }
}
