//! Replacements of database instances by encrypted ones. Every stage begins with a look at the
//! instances under the three names that take part (`orders`, `orders-encrypted`,
//! `orders-unencrypted`), and makes the next call alone: a lost answer, a retry and a restart of the
//! service continue the same walk. Tags of the instances say which is which.

mod instance;
mod settings;

use jiff::Timestamp;
use reeve_connect_aws_ec2::{AwsEc2Fault, Ec2, FaultKind};
use reeve_estate::{
    ActError, ActErrorKind, Applied, Operation, Resource, ResourceKind, ResourceState,
};
use reeve_recommend::change::{
    COPY_TAG, DatabaseEncryption, ENCRYPTED_ENDING, ENCRYPTING_TAG, QUIESCED_TAG, REPLACED_TAG,
    UNENCRYPTED_ENDING, replacement_refusal,
};

use self::instance::DatabaseInstance;
use super::encrypt::ABANDONED_TAG;
use super::{Answer, other};
use crate::rds::{Rds, name_of};
use crate::session::AwsConnection;

/// Takes the stages of a replacement.
pub(super) fn offer<'a>(
    cloud: &'a AwsConnection,
    resource: &'a Resource,
    operation: &'a dyn Operation,
) -> Option<Answer<'a>> {
    let operation = *operation.downcast_ref::<DatabaseEncryption>()?;
    Some(Box::pin(apply(cloud, resource, operation)))
}

async fn apply(
    cloud: &AwsConnection,
    database: &Resource,
    operation: DatabaseEncryption,
) -> Result<Applied, ActError> {
    if database.kind != ResourceKind::Database {
        return Err(other(format!(
            "{} is a {}: only databases are replaced by encrypted ones",
            database.id, database.kind
        )));
    }

    let place = cloud.place(&database.account, &database.region);
    let replacement = DatabaseReplacement {
        rds: cloud.rds(place.clone()),
        ec2: cloud.ec2(place),
        name: name_of(database),
    };
    let is_done = match operation {
        DatabaseEncryption::Quiesce => replacement.quiesce().await?,
        DatabaseEncryption::Copy => replacement.copy().await?.is_some(),
        DatabaseEncryption::Restore => replacement.restore().await?,
        DatabaseEncryption::Swap => replacement.swap().await?,
        DatabaseEncryption::GiveBack => replacement.give_back().await?,
    };
    Ok(match is_done {
        true => Applied::Accepted,
        false => Applied::Pending,
    })
}

/// A database while no instance has its name, between the two renames: the old instance under the
/// name that keeps it, or the encrypted one, on its way; `None` where no replacement is under way.
///
/// # Errors
/// The failure of a look.
pub(crate) async fn between_names(
    rds: &Rds,
    database: &Resource,
) -> Result<Option<Resource>, AwsEc2Fault> {
    let name = name_of(database);
    let under = async |ending: &str| match rds.settled_database(&format!("{name}{ending}")).await {
        Err(fault) if fault.kind == FaultKind::NotFound => Ok(None),
        found => found.map(Some),
    };
    let named = |found: Resource| Resource {
        id: database.id.clone(),
        name: database.name.clone(),
        ..found
    };

    let is_old =
        |found: &Resource| found.tag(ENCRYPTING_TAG).is_some() || found.tag(REPLACED_TAG).is_some();
    if let Some(old) = under(UNENCRYPTED_ENDING).await?.filter(is_old) {
        return Ok(Some(named(old)));
    }
    // RDS may show an instance under neither name for a moment.
    let is_copy = |found: &Resource| found.tag(COPY_TAG) == Some(name);
    let copy = under(ENCRYPTED_ENDING).await?.filter(is_copy);
    Ok(copy.map(|copy| Resource {
        state: ResourceState::Changing,
        ..named(copy)
    }))
}

struct DatabaseReplacement<'a> {
    rds: Rds,
    ec2: Ec2,
    name: &'a str,
}

impl DatabaseReplacement<'_> {
    /// Takes the clients away, and restarts the instance so that open connections end.
    async fn quiesce(&self) -> Result<bool, ActError> {
        let Some(database) = self.at(self.name).await? else {
            return Err(other(format!("no database instance {}", self.name)));
        };
        if !database.is_available() {
            return Ok(false);
        }
        if database.tag(ENCRYPTING_TAG).is_none() {
            self.may_begin(&database).await?;
            let groups = database.groups().join(" ");
            self.rds
                .tag(&database.arn, &[(ENCRYPTING_TAG, &groups)])
                .await?;
        }
        if !self.is_isolated(&database).await? {
            return Ok(false);
        }
        if database.tag(QUIESCED_TAG).is_some() {
            return Ok(true);
        }
        // The mark follows the restart: a restart too many does no harm, and a missing one would
        // leave connections open that write after the snapshot.
        self.rds.reboot(self.name).await?;
        let now = Timestamp::now().strftime("%Y-%m-%dT%H:%M:%SZ").to_string();
        self.rds.tag(&database.arn, &[(QUIESCED_TAG, &now)]).await?;
        Ok(false)
    }

    /// Checks that RDS describes an instance that may be replaced, and that its names are free.
    async fn may_begin(&self, database: &DatabaseInstance) -> Result<(), ActError> {
        if database.text("StorageEncrypted") != Some("false") {
            return Err(other(format!("{} is encrypted already", self.name)));
        }
        if let Some(reason) = replacement_refusal(&database.document()) {
            return Err(other(format!("{} {reason}", self.name)));
        }
        for name in [self.kept_name(), self.copy_name()] {
            if self.at(&name).await?.is_some() {
                return Err(other(format!(
                    "a database instance {name} exists already: delete it or rename it first"
                )));
            }
        }
        Ok(())
    }

    /// Makes the encrypted copy of the snapshot; its name once it is complete.
    async fn copy(&self) -> Result<Option<String>, ActError> {
        let database = self.at(self.name).await?;
        let since = database.as_ref().and_then(DatabaseInstance::quiesced_at);
        let since = since.ok_or_else(|| other(format!("{} has clients", self.name)))?;

        let snapshots = self.rds.snapshots_of(self.name).await?;
        let is_ours = |id: &str| id.starts_with("reeve-") && !id.ends_with(ENCRYPTED_ENDING);
        let made_since = snapshots.iter().filter_map(|snapshot| {
            let id = snapshot.text_of("DBSnapshotIdentifier")?;
            let at = snapshot.time_of("SnapshotCreateTime").ok()??;
            let is_complete = snapshot.text_of("Status") == Some("available");
            (is_ours(id) && is_complete && at >= since).then_some((at, id))
        });
        let Some((_, newest)) = made_since.max() else {
            return Err(other(format!(
                "no complete snapshot of {} since its clients were taken away",
                self.name
            )));
        };

        let encrypted = format!("{newest}{ENCRYPTED_ENDING}");
        match self.rds.snapshot_complete(&encrypted).await {
            Ok(true) => Ok(Some(encrypted)),
            Ok(false) => Ok(None),
            Err(fault) if fault.kind == FaultKind::NotFound => {
                self.rds.copy_encrypted(newest, &encrypted).await?;
                Ok(None)
            }
            Err(fault) => Err(fault.into()),
        }
    }

    /// Restores the encrypted snapshot as an instance with the settings of the old one, which no
    /// client reaches yet.
    async fn restore(&self) -> Result<bool, ActError> {
        let Some(old) = self.at(self.name).await? else {
            return Err(other(format!("no database instance {}", self.name)));
        };
        let Some(copy) = self.own_copy().await? else {
            let Some(snapshot) = self.copy().await? else {
                return Ok(false);
            };
            let groups = [self.isolating_group(&old).await?];
            let form = settings::restored(&old, (self.name, &self.copy_name()), &groups);
            self.rds.restore(&snapshot, form).await?;
            return Ok(false);
        };
        if copy.is_broken() {
            return Err(other(format!("{} is {}", copy.name, copy.status)));
        }
        if !copy.is_available() {
            return Ok(false);
        }
        if let Some(form) = settings::missing(&old, &copy) {
            self.rds.set(&copy.name, form).await?;
            return Ok(false);
        }
        if copy.waits_for_restart() {
            self.rds.reboot(&copy.name).await?;
            return Ok(false);
        }
        self.may_take_over(&old, &copy)?;
        Ok(true)
    }

    /// Checks that the copy is encrypted and has the settings of the old instance.
    fn may_take_over(
        &self,
        old: &DatabaseInstance,
        copy: &DatabaseInstance,
    ) -> Result<(), ActError> {
        if copy.text("StorageEncrypted") != Some("true") {
            return Err(other(format!("{} is not encrypted", copy.name)));
        }
        match settings::difference(old, copy) {
            Some(difference) => Err(other(format!(
                "{} is not like {}: {difference}",
                copy.name, old.name
            ))),
            None => Ok(()),
        }
    }

    /// Exchanges the names, stops the old instance, and lets the clients in.
    async fn swap(&self) -> Result<bool, ActError> {
        let (Some(old), Some(copy)) = (self.old().await?, self.own_copy().await?) else {
            // Between two names, RDS shows an instance under neither.
            return match self.at(self.name).await? {
                Some(found) if found.tag(ENCRYPTING_TAG).is_none() => Err(other(format!(
                    "the replacement of {} was not begun",
                    self.name
                ))),
                _ => Ok(false),
            };
        };
        if old.tag(ENCRYPTING_TAG).is_none() {
            // It was done, and the answer was lost.
            return Ok(true);
        }
        if !copy.is_available() {
            return Ok(false);
        }
        if copy.name != self.name {
            if !old.is_available() {
                return Ok(false);
            }
            if old.name == self.name {
                self.may_take_over(&old, &copy)?;
                self.rds.rename(self.name, &self.kept_name()).await?;
            } else {
                self.rds.rename(&copy.name, self.name).await?;
            }
            return Ok(false);
        }
        // Nothing but the last call lets clients in: what fails before it is taken back without a
        // loss.
        if old.is_available() {
            self.rds.stop(&old.name).await?;
            return Ok(false);
        }
        let groups = old.former_groups();
        if !self.has_groups(&copy, &groups).await? {
            return Ok(false);
        }
        let mark = groups.join(" ");
        self.rds.tag(&old.arn, &[(REPLACED_TAG, &mark)]).await?;
        self.rds
            .untag(&old.arn, &[ENCRYPTING_TAG, QUIESCED_TAG])
            .await?;
        Ok(true)
    }

    /// Gives the old instance its name and its clients back, however far the replacement is.
    async fn give_back(&self) -> Result<bool, ActError> {
        let copy = self.own_copy().await?;
        let Some(old) = self.old().await? else {
            return match (self.at(self.name).await?, copy) {
                (Some(_), None) => Ok(true),
                // Between two names.
                (None, _) => Ok(false),
                _ => Err(ActError {
                    kind: ActErrorKind::NotFound,
                    message: format!(
                        "no database instance {}: nothing can take the place of the encrypted one",
                        self.kept_name()
                    ),
                }),
            };
        };
        // The old one starts while the encrypted one still serves: it takes minutes.
        if old.status == "stopped" {
            self.rds.start(&old.name).await?;
            return Ok(false);
        }
        if !old.is_available() {
            return Ok(false);
        }
        if old.name != self.name {
            self.clear_name(copy.as_ref(), &old).await?;
            return Ok(false);
        }
        let groups = old.former_groups();
        if !self.has_groups(&old, &groups).await? {
            return Ok(false);
        }
        if let Some(copy) = copy
            && !self.is_given_up(&copy).await?
        {
            return Ok(false);
        }
        let marks = [ENCRYPTING_TAG, REPLACED_TAG, QUIESCED_TAG];
        let marks: Vec<&str> = marks
            .into_iter()
            .filter(|tag| old.tag(tag).is_some())
            .collect();
        self.rds.untag(&old.arn, &marks).await?;
        Ok(true)
    }

    /// Makes the next call by which the old instance gets its name back.
    async fn clear_name(
        &self,
        copy: Option<&DatabaseInstance>,
        old: &DatabaseInstance,
    ) -> Result<(), ActError> {
        match copy.filter(|copy| copy.name == self.name) {
            Some(copy) if !copy.is_available() => {}
            // Nothing more is written to it: the clients find the old one next.
            Some(copy) => {
                if self.is_isolated(copy).await? {
                    self.rds.rename(self.name, &self.copy_name()).await?;
                }
            }
            None => self.rds.rename(&old.name, self.name).await?,
        }
        Ok(())
    }

    /// Stops a copy that takes no part any more and marks it; `true` once that is done. The stop
    /// ends connections that a change of groups leaves open.
    async fn is_given_up(&self, copy: &DatabaseInstance) -> Result<bool, ActError> {
        if copy.is_available() {
            self.rds.stop(&copy.name).await?;
            return Ok(false);
        }
        if !copy.is_broken() && !matches!(copy.status.as_str(), "stopping" | "stopped") {
            return Ok(false);
        }
        self.rds
            .tag(&copy.arn, &[(ABANDONED_TAG, self.name)])
            .await?;
        self.rds.untag(&copy.arn, &[COPY_TAG]).await?;
        Ok(true)
    }

    async fn is_isolated(&self, database: &DatabaseInstance) -> Result<bool, ActError> {
        let group = self.isolating_group(database).await?;
        self.has_groups(database, &[&group]).await
    }

    async fn isolating_group(&self, database: &DatabaseInstance) -> Result<String, ActError> {
        let groups = database.groups();
        let known = groups.first().copied().unwrap_or_default();
        Ok(self.ec2.isolating_group_beside(known).await?)
    }

    /// `true` once the instance has these security groups and they are in effect; requests them
    /// otherwise.
    async fn has_groups(
        &self,
        database: &DatabaseInstance,
        wanted: &[&str],
    ) -> Result<bool, ActError> {
        if database.has_groups(wanted) {
            return Ok(database.groups_are_active());
        }
        self.rds.set_groups(&database.name, wanted).await?;
        Ok(false)
    }

    /// The instance that is being replaced, under its name or under the one that keeps it.
    async fn old(&self) -> Result<Option<DatabaseInstance>, ActError> {
        for name in [self.name, &self.kept_name()] {
            let is_old = |found: &DatabaseInstance| {
                found.tag(ENCRYPTING_TAG).is_some() || found.tag(REPLACED_TAG).is_some()
            };
            if let Some(found) = self.at(name).await?.filter(is_old) {
                return Ok(Some(found));
            }
        }
        Ok(None)
    }

    /// The encrypted copy, under either of its names.
    async fn own_copy(&self) -> Result<Option<DatabaseInstance>, ActError> {
        for name in [self.name, &self.copy_name()] {
            let is_copy = |found: &DatabaseInstance| found.tag(COPY_TAG) == Some(self.name);
            if let Some(found) = self.at(name).await?.filter(is_copy) {
                return Ok(Some(found));
            }
        }
        Ok(None)
    }

    async fn at(&self, name: &str) -> Result<Option<DatabaseInstance>, ActError> {
        let found = self.rds.found(name).await?;
        Ok(found.and_then(DatabaseInstance::read))
    }

    fn kept_name(&self) -> String {
        format!("{}{UNENCRYPTED_ENDING}", self.name)
    }

    fn copy_name(&self) -> String {
        format!("{}{ENCRYPTED_ENDING}", self.name)
    }
}
