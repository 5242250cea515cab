//! RDS: database instances, read and changed. Changes are single calls that are not repeated unless
//! refused for the rate.
//!
//! A resource is identified by its ARN, because names are unique within an account and region
//! alone. Bills name the ARN too. Calls and CloudWatch take the name.

mod encryption;
mod further;

use std::collections::BTreeMap;

use aws_config::SdkConfig;
use aws_smithy_types::retry::RetryConfig;
use jiff::Timestamp;
use reeve_connect_aws_ec2::query::{self, QueryService};
use reeve_connect_aws_ec2::xml::Malformed;
use reeve_connect_aws_ec2::{
    AwsEc2Fault, Call, ChangePace, Cursor, Element, FaultKind, Form, Listing, Place, refused_only,
};
use reeve_estate::{MADE_BY, PriceCatalogue, Resource, ResourceKind, ResourceState};

/// Instances in a page, the most there may be.
const PAGE: u32 = 100;
const RDS: QueryService = QueryService {
    name: "rds",
    version: "2014-10-31",
};

/// RDS in one region.
#[derive(Debug, Clone)]
pub(crate) struct Rds {
    reads: SdkConfig,
    /// Without the SDK's retries: it must not repeat what may have happened.
    changes: SdkConfig,
    place: Place,
    pace: ChangePace,
}

impl Rds {
    pub(crate) fn new(config: &SdkConfig, place: Place, pace: ChangePace) -> Self {
        let changes = config
            .clone()
            .into_builder()
            .retry_config(RetryConfig::disabled())
            .build();
        Rds {
            reads: config.clone(),
            changes,
            place,
            pace,
        }
    }

    async fn ask(&self, call: Call<'_>, parameters: Form) -> Result<Element, AwsEc2Fault> {
        query::ask(&self.reads, call, RDS, parameters).await
    }

    /// Makes a change: one call, repeated only where it was refused for the rate.
    async fn change(&self, call: Call<'_>, parameters: Form) -> Result<(), AwsEc2Fault> {
        refused_only(self.pace, || {
            query::ask(&self.changes, call, RDS, parameters.clone())
        })
        .await
        .map(|_| ())
    }

    /// Lists every database instance of the region.
    pub(crate) async fn databases(&self) -> Listing {
        let mut listing = Listing::new(ResourceKind::Database);
        let outcome = self.read(&mut listing.resources).await;
        listing.end(outcome);
        listing
    }

    async fn read(&self, into: &mut Vec<Resource>) -> Result<(), AwsEc2Fault> {
        let call = self.place.call("rds:DescribeDBInstances");
        let mut cursor = Cursor::new();

        loop {
            let parameters = Form::new()
                .with("MaxRecords", PAGE.to_string())
                .with_some("Marker", cursor.token());
            let page = self.ask(call, parameters).await?;
            for instance in page.items("DBInstances", "DBInstance") {
                into.extend(
                    resource(&self.place, instance).map_err(|malformed| malformed.at(call))?,
                );
            }
            if !cursor.advance(call, page.text_of("Marker"))? {
                return Ok(());
            }
        }
    }

    /// One database instance as RDS has it, and as a resource.
    async fn instance(&self, id: &str) -> Result<(Element, Resource), AwsEc2Fault> {
        let call = self.place.call("rds:DescribeDBInstances");
        let page = self
            .ask(call, Form::new().with("DBInstanceIdentifier", id))
            .await?;
        let found = page.items("DBInstances", "DBInstance").next();
        let known = found
            .map(|instance| resource(&self.place, instance))
            .transpose();
        let known = known.map_err(|malformed| malformed.at(call))?.flatten();
        let missing = || {
            call.fault(
                FaultKind::NotFound,
                None,
                &format!("no database instance {id}"),
            )
        };

        found.cloned().zip(known).ok_or_else(missing)
    }

    /// Stops an instance. Members of an Aurora cluster stop with their cluster alone, and are
    /// refused.
    pub(crate) async fn stop(&self, id: &str) -> Result<(), AwsEc2Fault> {
        let call = self.place.call("rds:StopDBInstance");
        let (instance, _) = self.instance(id).await?;

        if let Some(cluster) = instance.text_of("DBClusterIdentifier") {
            return Err(call.fault(
                FaultKind::WrongState,
                None,
                &format!("{id} belongs to the cluster {cluster} and stops with it"),
            ));
        }

        self.change(call, Form::new().with("DBInstanceIdentifier", id))
            .await
    }

    pub(crate) async fn start(&self, id: &str) -> Result<(), AwsEc2Fault> {
        let call = self.place.call("rds:StartDBInstance");
        self.change(call, Form::new().with("DBInstanceIdentifier", id))
            .await
    }

    /// Modifies an instance at once, not in its next maintenance window.
    async fn modify(&self, id: &str, name: &str, value: &str) -> Result<(), AwsEc2Fault> {
        let call = self.place.call("rds:ModifyDBInstance");
        let parameters = Form::new()
            .with("DBInstanceIdentifier", id)
            .with(name, value)
            .with("ApplyImmediately", "true");
        self.change(call, parameters).await
    }

    /// Changes the class at once, which restarts the instance. Unlike a machine, a database must be
    /// running.
    pub(crate) async fn resize(&self, id: &str, class: &str) -> Result<(), AwsEc2Fault> {
        let call = self.place.call("rds:ModifyDBInstance");
        let (instance, resource) = self.instance(id).await?;

        if resource.state != ResourceState::Running {
            let message = format!(
                "{id} is {}; it must be available to be resized",
                status(&instance)
            );
            return Err(call.fault(FaultKind::WrongState, None, &message));
        }

        if PriceCatalogue::builtin().database(class).is_none()
            && !self.orderable(&instance, class).await?
        {
            return Err(call.fault(
                FaultKind::InvalidType,
                None,
                &format!("no database class {class} for {id}"),
            ));
        }

        self.modify(id, "DBInstanceClass", class).await
    }

    /// Adds or removes the standby in another zone at once; the instance serves meanwhile.
    pub(crate) async fn set_standby(&self, id: &str, standby: bool) -> Result<(), AwsEc2Fault> {
        self.modify(id, "MultiAZ", if standby { "true" } else { "false" })
            .await
    }

    /// Returns `true` if RDS offers a class that the catalogue does not know.
    async fn orderable(&self, instance: &Element, class: &str) -> Result<bool, AwsEc2Fault> {
        let call = self.place.call("rds:DescribeOrderableDBInstanceOptions");
        let parameters = Form::new()
            .with("Engine", instance.text_of("Engine").unwrap_or_default())
            .with("DBInstanceClass", class)
            .with("MaxRecords", "20");

        match self.ask(call, parameters).await {
            Ok(page) => Ok(page
                .items("OrderableDBInstanceOptions", "OrderableDBInstanceOption")
                .next()
                .is_some()),
            Err(fault)
                if matches!(
                    fault.kind,
                    FaultKind::Denied | FaultKind::Other | FaultKind::InvalidType
                ) =>
            {
                Ok(false)
            }
            Err(fault) => Err(fault),
        }
    }

    /// Begins a snapshot under a name of its own, and returns the name.
    pub(crate) async fn snapshot(
        &self,
        id: &str,
        description: &str,
        now: Timestamp,
    ) -> Result<String, AwsEc2Fault> {
        let call = self.place.call("rds:CreateDBSnapshot");
        let name = format!("reeve-{id}-{}", now.strftime("%Y%m%d%H%M%S"));
        let parameters = Form::new()
            .with("DBInstanceIdentifier", id)
            .with("DBSnapshotIdentifier", &name)
            .with_tags(
                "Tags.Tag",
                &[MADE_BY, ("reeve:description", &taggable(description))],
            );
        self.change(call, parameters).await?;

        Ok(name)
    }

    pub(crate) async fn snapshot_complete(&self, name: &str) -> Result<bool, AwsEc2Fault> {
        let call = self.place.call("rds:DescribeDBSnapshots");
        let page = self
            .ask(call, Form::new().with("DBSnapshotIdentifier", name))
            .await?;
        match page
            .items("DBSnapshots", "DBSnapshot")
            .next()
            .map(|found| found.text_of("Status").unwrap_or_default())
        {
            None => Err(call.fault(
                FaultKind::NotFound,
                None,
                &format!("no database snapshot {name}"),
            )),
            Some("available") => Ok(true),
            Some("failed") => Err(call.fault(
                FaultKind::Other,
                None,
                &format!("database snapshot {name} failed"),
            )),
            Some(_) => Ok(false),
        }
    }
}

/// Name of an instance, as calls take it.
pub(crate) fn name_of(database: &Resource) -> &str {
    database
        .id
        .database_name()
        .map_or(database.id.as_str(), |database| database.name)
}

/// RDS's word for the state of an instance.
fn status(instance: &Element) -> &str {
    instance
        .text_of("DBInstanceStatus")
        .unwrap_or("in no known state")
}

/// Replaces characters that RDS refuses in a tag's value, and cuts it to 256.
fn taggable(text: &str) -> String {
    let keep = |c: char| {
        if c.is_alphanumeric() || " _.:/=+-@".contains(c) {
            c
        } else {
            ' '
        }
    };
    text.chars().map(keep).take(256).collect()
}

fn resource(place: &Place, instance: &Element) -> Result<Option<Resource>, Malformed> {
    let (Some(name), Some(id)) = (
        instance.text_of("DBInstanceIdentifier"),
        instance.text_of("DBInstanceArn"),
    ) else {
        return Ok(None);
    };

    let pair = |tag: &Element| {
        Some((
            tag.text_of("Key")?.to_owned(),
            tag.text_of("Value").unwrap_or_default().to_owned(),
        ))
    };

    let tags: BTreeMap<String, String> =
        instance.items("TagList", "Tag").filter_map(pair).collect();
    let mut resource = place.resource(ResourceKind::Database, "rds", id, tags);
    if resource.name == id {
        name.clone_into(&mut resource.name);
    }

    resource.state = state(instance.text_of("DBInstanceStatus").unwrap_or_default());
    resource.created_at = instance.time_of("InstanceCreateTime")?;
    let text = |name| instance.text_of(name).map(str::to_owned);
    let spec = &mut resource.specification;
    spec.instance_type = text("DBInstanceClass");
    spec.platform = text("Engine");
    spec.storage_gib = instance.value_of("AllocatedStorage")?;
    spec.storage_type = text("StorageType");
    spec.iops = instance.count_of("Iops")?.filter(|iops| *iops > 0);
    spec.multi_az = instance.value_of("MultiAZ")?;
    spec.zone = text("AvailabilityZone");
    spec.standby_zone = text("SecondaryAvailabilityZone");
    spec.cluster = text("DBClusterIdentifier");
    spec.replicas = replicas(instance).map(str::to_owned).collect();

    Ok(Some(resource))
}

/// Identifiers of the read replicas of an instance; the ARN of one in another region.
fn replicas(instance: &Element) -> impl Iterator<Item = &str> {
    let replicas = instance.items(
        "ReadReplicaDBInstanceIdentifiers",
        "ReadReplicaDBInstanceIdentifier",
    );
    replicas.map(|replica| replica.text.as_str())
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
