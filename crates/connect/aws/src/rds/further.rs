//! Changes of databases beside their class: more storage, failover, read replicas. What RDS refuses
//! and emulators take is refused first. RDS user guide: "Increasing DB instance storage capacity",
//! "Failing over a Multi-AZ DB instance", "Working with DB instance read replicas".

use reeve_connect_aws_ec2::{AwsEc2Fault, Call, FaultKind, Form};
use reeve_estate::{MADE_BY, Resource, ResourceState};

use super::{Rds, replicas, status};

/// Storage must grow by at least this, percent.
const LEAST_PERCENT: f64 = 10.0;

impl Rds {
    /// One instance, `Changing` while a replica of it is being made.
    pub(crate) async fn settled_database(&self, id: &str) -> Result<Resource, AwsEc2Fault> {
        let (instance, mut database) = self.instance(id).await?;
        for replica in replicas(&instance) {
            // A replica in another region is named by its ARN and cannot be asked here.
            let (false, ResourceState::Running) = (replica.starts_with("arn:"), database.state)
            else {
                continue;
            };
            match self.instance(replica).await {
                Ok((_, replica)) if replica.state == ResourceState::Changing => {
                    database.state = ResourceState::Changing
                }
                Ok(_) => {}
                Err(fault) if fault.kind == FaultKind::NotFound => {
                    database.state = ResourceState::Changing
                }
                Err(fault) => return Err(fault),
            }
        }

        Ok(database)
    }

    /// Gives an instance more storage, while it serves.
    pub(crate) async fn grow(&self, id: &str, storage_gib: u32) -> Result<(), AwsEc2Fault> {
        let call = self.place.call("rds:ModifyDBInstance");
        let (instance, database) = self.instance(id).await?;
        let status = status(&instance);

        if database.state != ResourceState::Running {
            return Err(call.fault(
                FaultKind::WrongState,
                None,
                &format!("{id} is {status}; it must be available to grow"),
            ));
        }

        if status == "storage-optimization" {
            let message =
                format!("the last growth of {id} is not over; RDS takes the next one after it");
            return Err(call.fault(FaultKind::Other, Some("InvalidDBInstanceState"), &message));
        }

        let least = (database.specification.storage_gib.unwrap_or(0.0)
            * (1.0 + LEAST_PERCENT / 100.0))
            .ceil();
        if f64::from(storage_gib) < least {
            let message = format!(
                "RDS grows storage by at least {LEAST_PERCENT:.0} %, here to {least:.0} GiB, and never shrinks it"
            );
            return Err(call.fault(FaultKind::InvalidType, None, &message));
        }

        let size = i32::try_from(storage_gib).map_err(|_| {
            call.fault(
                FaultKind::InvalidType,
                None,
                &format!("no database has {storage_gib} GiB"),
            )
        })?;

        self.modify(id, "AllocatedStorage", &size.to_string()).await
    }

    /// Restarts an instance in its standby's zone.
    pub(crate) async fn fail_over(&self, id: &str) -> Result<(), AwsEc2Fault> {
        let call = self.place.call("rds:RebootDBInstance");
        let (instance, database) = self.instance(id).await?;
        if database.state != ResourceState::Running {
            let message = format!("{id} is {}; it must be available", status(&instance));
            return Err(call.fault(FaultKind::WrongState, None, &message));
        }

        if database.specification.multi_az != Some(true) {
            return Err(call.fault(
                FaultKind::InvalidType,
                None,
                &format!("{id} has no standby in another zone"),
            ));
        }

        self.change(
            call,
            Form::new()
                .with("DBInstanceIdentifier", id)
                .with("ForceFailover", "true"),
        )
        .await
    }

    /// Makes a read replica of the instance's own class.
    pub(crate) async fn replicate(&self, id: &str, name: &str) -> Result<(), AwsEc2Fault> {
        let call = self.place.call("rds:CreateDBInstanceReadReplica");
        let (instance, _) = self.instance(id).await?;

        if instance.text_of("BackupRetentionPeriod") == Some("0") {
            let message = format!(
                "{id} keeps no automated backups, which RDS makes replicas from: switch them on first"
            );
            return Err(call.fault(FaultKind::InvalidType, None, &message));
        }

        let parameters = Form::new()
            .with("DBInstanceIdentifier", name)
            .with("SourceDBInstanceIdentifier", id)
            .with_tags("Tags.Tag", &[MADE_BY, ("reeve:replica-of", id)]);
        self.change(call, parameters).await
    }

    /// Deletes a replica of the instance; nothing but a replica of it that Reeve made.
    pub(crate) async fn remove_replica(&self, id: &str, name: &str) -> Result<(), AwsEc2Fault> {
        let call = self.place.call("rds:DeleteDBInstance");
        self.may_remove(id, name, call).await?;
        let parameters = Form::new()
            .with("DBInstanceIdentifier", name)
            .with("SkipFinalSnapshot", "true")
            .with("DeleteAutomatedBackups", "true");
        self.change(call, parameters).await
    }

    async fn may_remove(&self, id: &str, name: &str, call: Call<'_>) -> Result<(), AwsEc2Fault> {
        let (replica, resource) = self.instance(name).await?;
        let primary = replica.text_of("ReadReplicaSourceDBInstanceIdentifier");
        if primary == Some(id) && resource.tag(MADE_BY.0) == Some(MADE_BY.1) {
            return Ok(());
        }
        let message = format!("{name} is not a replica of {id} that Reeve made, so it is kept");
        Err(call.fault(FaultKind::Denied, None, &message))
    }
}
