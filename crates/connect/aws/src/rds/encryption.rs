//! Calls by which an encrypted instance takes the place of another: marks, security groups, copies of
//! snapshots, restores and names. Each changes one thing; the order is the operation's.

use reeve_connect_aws_ec2::{AwsEc2Fault, Element, FaultKind, Form};
use reeve_estate::MADE_BY;

use super::Rds;

/// Key of the provider under which snapshots are copied.
const KEY: &str = "alias/aws/rds";

impl Rds {
    /// One instance as RDS describes it; `None` where no instance has the name.
    pub(crate) async fn found(&self, name: &str) -> Result<Option<Element>, AwsEc2Fault> {
        match self.instance(name).await {
            Ok((instance, _)) => Ok(Some(instance)),
            Err(fault) if fault.kind == FaultKind::NotFound => Ok(None),
            Err(fault) => Err(fault),
        }
    }

    /// Sets tags of a resource by its ARN.
    pub(crate) async fn tag(&self, arn: &str, tags: &[(&str, &str)]) -> Result<(), AwsEc2Fault> {
        let call = self.place.call("rds:AddTagsToResource");
        let parameters = Form::new()
            .with("ResourceName", arn)
            .with_tags("Tags.Tag", tags);
        self.change(call, parameters).await
    }

    /// Removes tags of a resource by its ARN.
    pub(crate) async fn untag(&self, arn: &str, keys: &[&str]) -> Result<(), AwsEc2Fault> {
        let call = self.place.call("rds:RemoveTagsFromResource");
        let parameters = Form::new()
            .with("ResourceName", arn)
            .with_list("TagKeys.member", keys);
        self.change(call, parameters).await
    }

    /// Gives an instance these security groups and no others.
    pub(crate) async fn set_groups(&self, name: &str, groups: &[&str]) -> Result<(), AwsEc2Fault> {
        let list = "VpcSecurityGroupIds.VpcSecurityGroupId";
        self.set(name, Form::new().with_list(list, groups)).await
    }

    /// Gives an instance another name, and so another endpoint.
    pub(crate) async fn rename(&self, name: &str, to: &str) -> Result<(), AwsEc2Fault> {
        self.modify(name, "NewDBInstanceIdentifier", to).await
    }

    /// Modifies several settings of an instance at once, not in its next maintenance window.
    pub(crate) async fn set(&self, name: &str, settings: Form) -> Result<(), AwsEc2Fault> {
        let call = self.place.call("rds:ModifyDBInstance");
        let parameters = Form::new()
            .with("DBInstanceIdentifier", name)
            .with_all(settings)
            .with("ApplyImmediately", "true");
        self.change(call, parameters).await
    }

    /// Restarts an instance, which ends every connection.
    pub(crate) async fn reboot(&self, name: &str) -> Result<(), AwsEc2Fault> {
        let call = self.place.call("rds:RebootDBInstance");
        self.change(call, Form::new().with("DBInstanceIdentifier", name))
            .await
    }

    /// Manual snapshots of the instance that has the name now, or that had it.
    pub(crate) async fn snapshots_of(&self, name: &str) -> Result<Vec<Element>, AwsEc2Fault> {
        let call = self.place.call("rds:DescribeDBSnapshots");
        let parameters = Form::new()
            .with("DBInstanceIdentifier", name)
            .with("SnapshotType", "manual");
        let page = self.ask(call, parameters).await?;
        Ok(page.items("DBSnapshots", "DBSnapshot").cloned().collect())
    }

    /// Copies a snapshot under the provider's key.
    pub(crate) async fn copy_encrypted(&self, from: &str, to: &str) -> Result<(), AwsEc2Fault> {
        let call = self.place.call("rds:CopyDBSnapshot");
        let parameters = Form::new()
            .with("SourceDBSnapshotIdentifier", from)
            .with("TargetDBSnapshotIdentifier", to)
            .with("KmsKeyId", KEY)
            .with_tags("Tags.Tag", &[MADE_BY]);
        self.change(call, parameters).await
    }

    /// Restores a snapshot as a new instance with these settings.
    pub(crate) async fn restore(&self, snapshot: &str, settings: Form) -> Result<(), AwsEc2Fault> {
        let call = self.place.call("rds:RestoreDBInstanceFromDBSnapshot");
        let parameters = Form::new()
            .with("DBSnapshotIdentifier", snapshot)
            .with_all(settings);
        self.change(call, parameters).await
    }
}
