//! Flow logs: reads on in each flow log of a connection, and keeps the sums.
//!
//! Flow logs are found by their descriptions, so that nothing has to be configured. An object is
//! summed whole and stored together with the cursor: after a crash it is read again or not at all.

mod read;

use std::collections::{BTreeSet, HashMap};
use std::net::IpAddr;
use std::path::PathBuf;
use std::sync::Arc;

use jiff::Timestamp;
use reeve_audit::Obstacle;
use reeve_connect_aws::{AwsConnection, SourceBucket};
use reeve_estate::{
    Connection, ConnectionCredentials, ConnectionId, DescriptionStore, Document, Provider,
    ResourceId, ResourceKind, StoreError,
};
use reeve_flows::{
    FlowLog, FlowLogDestination, FlowSource, FlowStore, LogCursor, SourceState, interface_addresses,
};
use serde_json::Value;

use super::clouds::CloudRegistry;
use super::running::Running;

/// Resources whose documents are read at once.
const PAGE: usize = 200;

/// Reader of the flow logs that connections have.
pub(crate) struct FlowReader {
    pub(crate) flows: Arc<dyn FlowStore>,
    pub(crate) descriptions: Arc<dyn DescriptionStore>,
    pub(crate) clouds: Arc<CloudRegistry>,
    /// Folder of objects while they are read.
    pub(crate) folder: PathBuf,
    pub(crate) running: Running<ConnectionId>,
}

/// Own addresses of interfaces, shared with the threads that sum files.
pub(super) type Addresses = Arc<HashMap<String, Vec<IpAddr>>>;

impl FlowReader {
    /// Reads on in the flow logs of a connection, unless that is going on already.
    pub(crate) async fn read_now(&self, connection: &Connection) -> Result<(), Obstacle> {
        let Some(_turn) = self.running.begin(&connection.id) else {
            return Ok(());
        };
        if matches!(connection.credentials, ConnectionCredentials::Simulated) {
            return self.read_simulated(connection).await;
        }
        if connection.provider != Provider::Aws {
            return Ok(());
        }

        let logs = self
            .documents(&connection.id, "flow_log")
            .await
            .map_err(Obstacle::of)?;
        let ids: Vec<String> = logs.iter().map(|log| log.id.0.clone()).collect();
        self.flows
            .flow_sources_keep(&connection.id, &ids)
            .await
            .map_err(Obstacle::of)?;
        if logs.is_empty() {
            return Ok(());
        }

        let own = self.addresses(&connection.id).await.map_err(Obstacle::of)?;
        let account = self
            .clouds
            .aws(connection)
            .await
            .map_err(|error| Obstacle::from(error.message))?;
        let known = self.flows.flow_sources().await.map_err(Obstacle::of)?;
        let mut groups = BTreeSet::new();
        for log in logs {
            let source = known
                .iter()
                .find(|known| known.connection == connection.id && known.id == log.id.0);
            self.read_log(&account, (connection, &own), &log, source, &mut groups)
                .await
                .map_err(Obstacle::of)?;
        }
        Ok(())
    }

    /// Reads one flow log, and keeps the state of it.
    async fn read_log(
        &self,
        account: &AwsConnection,
        (connection, own): (&Connection, &Addresses),
        described: &DescribedPart,
        known: Option<&FlowSource>,
        groups: &mut BTreeSet<(String, String)>,
    ) -> Result<(), StoreError> {
        let json = described.document.json();
        let mut source = source_of(connection, &described.region, json, known);
        let log = match FlowLog::read(json, &described.account, &described.region) {
            Ok(log) => log,
            Err(error) => {
                source.state = SourceState::Unsupported;
                source.detail = error.to_string();
                return self.flows.flow_source_put(&source).await;
            }
        };

        source.destination = words(&log.destination);
        if log.traffic != "ALL" {
            source.state = SourceState::Unsupported;
            source.detail = format!(
                "it delivers {} traffic alone: set its filter to ALL",
                log.traffic
            );
            return self.flows.flow_source_put(&source).await;
        }
        if let FlowLogDestination::Logs { group } = &log.destination
            && !groups.insert((log.region.clone(), group.clone()))
        {
            source.state = SourceState::Reading;
            source.detail =
                "another flow log delivers to the same log group, and is read".to_owned();
            return self.flows.flow_source_put(&source).await;
        }

        let outcome = match &log.destination {
            FlowLogDestination::S3 { bucket, .. } => {
                let region = self.region_of(connection, bucket, &log.region).await?;
                let bucket = SourceBucket::new(account, bucket, &region);
                self.read_bucket(&bucket, &log, own, &mut source).await
            }
            FlowLogDestination::Logs { group } => {
                self.read_group(account, &log, group, own, &mut source)
                    .await
            }
        };
        source.read_at = Timestamp::now();
        (source.state, source.detail) = match outcome {
            Ok(()) if source.records == 0 && source.newest_at.is_none() => (
                SourceState::Empty,
                "no record of traffic was delivered yet".to_owned(),
            ),
            Ok(()) => (SourceState::Reading, String::new()),
            Err(obstacle) => (SourceState::Failed, obstacle.to_string()),
        };
        self.flows.flow_source_put(&source).await
    }

    /// Region of a bucket of the account; that of the flow log for a bucket of another account.
    async fn region_of(
        &self,
        connection: &Connection,
        bucket: &str,
        other: &str,
    ) -> Result<String, StoreError> {
        let id = [ResourceId::new(bucket)];
        let known = self
            .descriptions
            .description_known(&connection.id, &id)
            .await?;
        let own = known.into_iter().find_map(|known| known.resource);
        Ok(own.map_or_else(|| other.to_owned(), |bucket| bucket.region))
    }

    async fn read_simulated(&self, connection: &Connection) -> Result<(), Obstacle> {
        let Some(account) = self.clouds.simulated(connection) else {
            return Ok(());
        };
        let known = self.flows.flow_sources().await.map_err(Obstacle::of)?;
        let known = known
            .into_iter()
            .find(|known| known.connection == connection.id);
        let cursor = known.as_ref().and_then(|known| known.cursor.until_ms);
        let Some((log, until_ms, batch)) = account.flows(cursor) else {
            return Ok(());
        };

        let region = connection.regions.first().cloned().unwrap_or_default();
        let mut source = source_of(connection, &region, &log, known.as_ref());
        source.state = SourceState::Reading;
        source.destination = "a simulated log group".to_owned();
        source.cursor.until_ms = Some(until_ms);
        source.count(&batch);
        self.flows
            .flow_put(&batch, &source)
            .await
            .map_err(Obstacle::of)
    }

    /// Own addresses of the interfaces of a connection.
    async fn addresses(&self, connection: &ConnectionId) -> Result<Addresses, StoreError> {
        let mut own = HashMap::new();
        for interface in self.documents(connection, "network_interface").await? {
            let addresses = interface_addresses(interface.document.json());
            own.insert(interface.id.0, addresses);
        }
        Ok(Arc::new(own))
    }

    /// Current documents of a kind.
    async fn documents(
        &self,
        connection: &ConnectionId,
        kind: &str,
    ) -> Result<Vec<DescribedPart>, StoreError> {
        let Some(kind) = ResourceKind::named(kind) else {
            return Ok(Vec::new());
        };
        let (mut found, mut after) = (Vec::new(), None);
        loop {
            let ids = self
                .descriptions
                .description_ids(connection, kind, "", after.as_ref())
                .await?;
            let Some(last) = ids.last() else {
                return Ok(found);
            };
            after = Some(last.clone());

            for ids in ids.chunks(PAGE) {
                let known = self.descriptions.description_known(connection, ids).await?;
                let hashes: Vec<String> = known
                    .iter()
                    .filter_map(|known| known.hash.clone())
                    .collect();
                let documents = self.descriptions.documents(&hashes).await?;
                let documents: HashMap<String, Document> = documents
                    .into_iter()
                    .map(|document| (document.hash(), document))
                    .collect();
                for known in known {
                    let document = known.hash.and_then(|hash| documents.get(&hash).cloned());
                    if let (Some(document), Some(resource)) = (document, known.resource) {
                        found.push(DescribedPart {
                            id: known.id,
                            account: resource.account,
                            region: resource.region,
                            document,
                        });
                    }
                }
            }
        }
    }
}

/// Resource with its document, as flow logs need it.
struct DescribedPart {
    id: ResourceId,
    account: String,
    region: String,
    document: Document,
}

/// Returns a source as its description tells, at the position of the last reading.
fn source_of(
    connection: &Connection,
    region: &str,
    document: &Value,
    known: Option<&FlowSource>,
) -> FlowSource {
    let text = |name: &str| {
        let found = document.get(name).and_then(Value::as_str);
        found.unwrap_or_default().to_owned()
    };
    FlowSource {
        connection: connection.id.clone(),
        id: text("flowLogId"),
        region: region.to_owned(),
        of: text("resourceId"),
        destination: text("logDestination"),
        state: SourceState::Empty,
        detail: String::new(),
        cursor: known.map_or_else(LogCursor::default, |known| known.cursor.clone()),
        records: known.map_or(0, |known| known.records),
        skipped: known.map_or(0, |known| known.skipped),
        unreadable: known.map_or(0, |known| known.unreadable),
        newest_at: known.and_then(|known| known.newest_at),
        read_at: Timestamp::now(),
    }
}

fn words(destination: &FlowLogDestination) -> String {
    match destination {
        FlowLogDestination::S3 { bucket, folder, .. } => format!("s3://{bucket}/{folder}"),
        FlowLogDestination::Logs { group } => group.clone(),
    }
}
