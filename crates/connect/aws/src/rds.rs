//! RDS: database instances, read and changed. Changes are single calls that are not repeated unless refused for the rate.

mod further;

use std::collections::BTreeMap;

use aws_config::SdkConfig;
use aws_sdk_rds::Client;
use aws_sdk_rds::types::{DbInstance, Tag};
use aws_smithy_types::retry::RetryConfig;
use jiff::Timestamp;
use reeve_connect_aws_ec2::place::timestamp;
use reeve_connect_aws_ec2::{At, Cursor, Fault, FaultKind, Listing, Pace, Place, refused_only};
use reeve_estate::{Catalogue, Resource, ResourceKind, ResourceState};

/// Instances in a page, the most there may be.
const PAGE: i32 = 100;

/// RDS in one region.
#[derive(Debug, Clone)]
pub(crate) struct Rds {
    client: Client,
    /// Without the SDK's retries: it must not repeat what may have happened.
    changes: Client,
    place: Place,
    pace: Pace,
}

impl Rds {
    pub(crate) fn new(config: &SdkConfig, place: Place, pace: Pace) -> Self {
        let once = config.clone().into_builder().retry_config(RetryConfig::disabled()).build();
        let own = aws_sdk_rds::config::Builder::from(config).retry_partition(place.retries("rds")).build();
        Rds { client: Client::from_conf(own), changes: Client::new(&once), place, pace }
    }

    /// Every database instance.
    pub(crate) async fn databases(&self) -> Listing {
        let mut listing = Listing::new(ResourceKind::Database);
        let outcome = self.read(&mut listing.resources).await;
        listing.end(outcome);
        listing
    }

    async fn read(&self, into: &mut Vec<Resource>) -> Result<(), Fault> {
        let call = self.place.call("rds:DescribeDBInstances");
        let mut cursor = Cursor::new();
        loop {
            let page = self
                .client
                .describe_db_instances()
                .max_records(PAGE)
                .set_marker(cursor.token())
                .send()
                .await
                .at(call)?;
            into.extend(page.db_instances().iter().filter_map(|i| resource(&self.place, i)));
            if !cursor.advance(call, page.marker())? {
                return Ok(());
            }
        }
    }

    /// One database instance as RDS has it, and as a resource.
    pub(super) async fn instance(&self, id: &str) -> Result<(DbInstance, Resource), Fault> {
        let call = self.place.call("rds:DescribeDBInstances");
        let page = self.client.describe_db_instances().db_instance_identifier(id).send().await.at(call)?;
        let found = page.db_instances().first().and_then(|i| Some((i.clone(), resource(&self.place, i)?)));
        found.ok_or_else(|| call.fault(FaultKind::NotFound, None, &format!("no database instance {id}")))
    }

    /// Stops an instance. Members of an Aurora cluster stop with their cluster alone, and are refused.
    pub(crate) async fn stop(&self, id: &str) -> Result<(), Fault> {
        let call = self.place.call("rds:StopDBInstance");
        let (instance, _) = self.instance(id).await?;
        if let Some(cluster) = instance.db_cluster_identifier() {
            return Err(call.fault(
                FaultKind::WrongState,
                None,
                &format!("{id} belongs to the cluster {cluster} and stops with it"),
            ));
        }
        refused_only(self.pace, || async {
            self.changes.stop_db_instance().db_instance_identifier(id).send().await.at(call)
        })
        .await?;
        Ok(())
    }

    pub(crate) async fn start(&self, id: &str) -> Result<(), Fault> {
        let call = self.place.call("rds:StartDBInstance");
        refused_only(self.pace, || async {
            self.changes.start_db_instance().db_instance_identifier(id).send().await.at(call)
        })
        .await?;
        Ok(())
    }

    /// Changes the class at once, which restarts the instance. Unlike a machine, a database must be running.
    pub(crate) async fn resize(&self, id: &str, class: &str) -> Result<(), Fault> {
        let call = self.place.call("rds:ModifyDBInstance");
        let (instance, resource) = self.instance(id).await?;
        if resource.state != ResourceState::Running {
            let message = format!(
                "{id} is {}; it must be available to be resized",
                instance.db_instance_status().unwrap_or("in no known state")
            );
            return Err(call.fault(FaultKind::WrongState, None, &message));
        }
        if Catalogue::builtin().database(class).is_none() && !self.orderable(&instance, class).await? {
            return Err(call.fault(FaultKind::InvalidType, None, &format!("no database class {class} for {id}")));
        }
        let request = self
            .changes
            .modify_db_instance()
            .db_instance_identifier(id)
            .db_instance_class(class)
            .apply_immediately(true);
        refused_only(self.pace, || async { request.clone().send().await.at(call) }).await?;
        Ok(())
    }

    /// Adds or removes the standby in another zone at once; the instance serves meanwhile.
    pub(crate) async fn set_standby(&self, id: &str, standby: bool) -> Result<(), Fault> {
        let call = self.place.call("rds:ModifyDBInstance");
        let request =
            self.changes.modify_db_instance().db_instance_identifier(id).multi_az(standby).apply_immediately(true);
        refused_only(self.pace, || async { request.clone().send().await.at(call) }).await?;
        Ok(())
    }

    /// Returns `true` if RDS offers a class that the catalogue does not know.
    async fn orderable(&self, instance: &DbInstance, class: &str) -> Result<bool, Fault> {
        let call = self.place.call("rds:DescribeOrderableDBInstanceOptions");
        let request = self.client.describe_orderable_db_instance_options().db_instance_class(class).max_records(20);
        match request.engine(instance.engine().unwrap_or_default()).send().await.at(call) {
            Ok(page) => Ok(!page.orderable_db_instance_options().is_empty()),
            Err(fault) if matches!(fault.kind, FaultKind::Denied | FaultKind::Other | FaultKind::InvalidType) => {
                Ok(false)
            }
            Err(fault) => Err(fault),
        }
    }

    /// Begins a snapshot under a name of its own, and returns the name.
    pub(crate) async fn snapshot(&self, id: &str, description: &str, now: Timestamp) -> Result<String, Fault> {
        let call = self.place.call("rds:CreateDBSnapshot");
        let name = format!("reeve-{id}-{}", now.strftime("%Y%m%d%H%M%S"));
        let tag = |key: &str, value: &str| Tag::builder().key(key).value(taggable(value)).build();
        let request = self
            .changes
            .create_db_snapshot()
            .db_instance_identifier(id)
            .db_snapshot_identifier(&name)
            .tags(tag("reeve:created-by", "reeve"))
            .tags(tag("reeve:description", description));
        refused_only(self.pace, || async { request.clone().send().await.at(call) }).await?;
        Ok(name)
    }

    pub(crate) async fn snapshot_complete(&self, name: &str) -> Result<bool, Fault> {
        let call = self.place.call("rds:DescribeDBSnapshots");
        let page = self.client.describe_db_snapshots().db_snapshot_identifier(name).send().await.at(call)?;
        match page.db_snapshots().first().map(|s| s.status().unwrap_or_default()) {
            None => Err(call.fault(FaultKind::NotFound, None, &format!("no database snapshot {name}"))),
            Some("available") => Ok(true),
            Some("failed") => Err(call.fault(FaultKind::Other, None, &format!("database snapshot {name} failed"))),
            Some(_) => Ok(false),
        }
    }
}

/// Replaces characters that RDS refuses in a tag's value, and cuts it to 256.
fn taggable(text: &str) -> String {
    let keep = |c: char| if c.is_alphanumeric() || " _.:/=+-@".contains(c) { c } else { ' ' };
    text.chars().map(keep).take(256).collect()
}

fn resource(place: &Place, instance: &DbInstance) -> Option<Resource> {
    let id = instance.db_instance_identifier()?;
    let tags = instance
        .tag_list()
        .iter()
        .filter_map(|t| Some((t.key()?.to_owned(), t.value().unwrap_or_default().to_owned())));
    let tags: BTreeMap<String, String> = tags.collect();
    let mut resource = place.resource(ResourceKind::Database, "rds", id, tags);
    resource.state = state(instance.db_instance_status().unwrap_or_default());
    resource.created_at = instance.instance_create_time().and_then(timestamp);
    let spec = &mut resource.specification;
    spec.instance_type = instance.db_instance_class().map(str::to_owned);
    spec.platform = instance.engine().map(str::to_owned);
    spec.storage_gib = instance.allocated_storage().map(f64::from);
    spec.storage_type = instance.storage_type().map(str::to_owned);
    spec.iops = instance.iops().and_then(|n| u64::try_from(n).ok()).filter(|n| *n > 0);
    spec.multi_az = instance.multi_az();
    spec.zone = instance.availability_zone().map(str::to_owned);
    spec.standby_zone = instance.secondary_availability_zone().map(str::to_owned);
    spec.replicas = instance.read_replica_db_instance_identifiers().to_vec();
    Some(resource)
}

/// RDS's words for states in which the database serves, is stopped, or is on its way.
fn state(status: &str) -> ResourceState {
    match status {
        "available"
        | "backing-up"
        | "storage-optimization"
        | "storage-full"
        | "storage-config-upgrade"
        | "configuring-enhanced-monitoring"
        | "configuring-log-exports" => ResourceState::Running,
        "stopped" => ResourceState::Stopped,
        _ => ResourceState::Changing,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn states_are_read() {
        for (status, expected) in [
            ("available", ResourceState::Running),
            ("backing-up", ResourceState::Running),
            ("stopped", ResourceState::Stopped),
            ("modifying", ResourceState::Changing),
            ("stopping", ResourceState::Changing),
        ] {
            assert_eq!(state(status), expected, "{status}");
        }
        assert_eq!(taggable("rec #7, m5→m4"), "rec  7  m5 m4");
    }
}
