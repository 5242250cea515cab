//! Encryption of a database instance that is not encrypted: RDS encrypts none in place. An encrypted
//! copy of a snapshot is restored as a second instance, and the two exchange their names, so that
//! programs find the encrypted one at the same endpoint.
//!
//! A write between the snapshot and the exchange would be lost. Before the snapshot the instance
//! therefore gets the isolating security group alone and restarts, which ends the connections that
//! a change of groups leaves open; clients get in again with the last call of the exchange. Until
//! then the way back loses nothing, and after it a person alone goes back. The old instance is
//! stopped and kept. Amazon RDS user guide, "Encrypting Amazon RDS resources", "Renaming a DB
//! instance". Tags keep the way back, so that a restart of the service loses nothing.

mod refusal;

use std::sync::Arc;

use reeve_audit::{Json, Obstacle};
use reeve_estate::{
    ActError, ActErrorKind, Operation, PriceCatalogue, Resource, ResourceKind, ResourceState,
};
use serde_json::Value;

use crate::change::task::Call;
use crate::change::{
    COPY_TAG, Change, ChangePermission, ChangeType, ENCRYPTING_TAG, EffectEvidence, Expectation,
    ParameterError, Parameters, Parse, REPLACED_TAG, Reversal, SLOW_ROLLBACK_LIMIT_S, Task, aws,
    aws_own, foreign, precondition, refused, verify,
};
use crate::plan::StepKind;

pub use refusal::replacement_refusal;

/// Tag of an instance that no client reaches any more, with the time since which that is so.
pub const QUIESCED_TAG: &str = "reeve:quiesced";
/// Ending of the name of the old instance once the encrypted one has its name.
pub const UNENCRYPTED_ENDING: &str = "-unencrypted";
/// Ending of the name of the encrypted instance until it has the name of the old one.
pub const ENCRYPTED_ENDING: &str = "-encrypted";

/// Minutes without service whatever the size: a restart, a restore, two renames and a stop.
const FIXED_MINUTES: f64 = 40.0;
/// Rate at which RDS is taken to make a snapshot, and then a copy of it, MiB/s. AWS names none, and
/// the copy under another key is always a full one; the figure is on the slow side of what users
/// report.
const COPY_MIB_S: f64 = 100.0;
/// Shortest limit of the whole change, seconds.
const LEAST_LIMIT_S: i64 = 4 * 3600;

/// Row of the registry.
pub(super) const TYPE: ChangeType = ChangeType {
    name: "encrypt_database",
    permissions: PERMISSIONS,
    parse: Parse::Typed(parse),
};

/// Replacement of a database instance by an encrypted one of the same name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EncryptDatabase {
    /// State the finding saw.
    pub state: ResourceState,
    /// Class the finding saw.
    pub size: Option<String>,
    /// Allocated storage, GiB: how long the change takes is estimated from it.
    pub storage_gib: u32,
}

/// Stages of the replacement. Each is pending until it is done, and may be requested again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DatabaseEncryption {
    /// Takes the clients away: the isolating security group, then a restart.
    Quiesce,
    /// Copies the newest snapshot under a key.
    Copy,
    /// Restores the copy as an instance with the settings of the old one.
    Restore,
    /// Exchanges the names, stops the old instance, and lets the clients in.
    Swap,
    /// Gives the old instance its name and its clients back, however far the replacement is.
    GiveBack,
}

impl Operation for DatabaseEncryption {}

/// Permissions that the steps and the way back need.
const PERMISSIONS: &[ChangePermission] = &[
    aws("ec2:CreateSecurityGroup"),
    aws("ec2:CreateTags"),
    aws("ec2:DescribeSecurityGroups"),
    aws_own("ec2:RevokeSecurityGroupEgress"),
    aws("rds:AddTagsToResource"),
    aws("rds:CopyDBSnapshot"),
    aws("rds:CreateDBSnapshot"),
    aws("rds:DescribeDBSnapshots"),
    aws("rds:ModifyDBInstance"),
    aws("rds:RebootDBInstance"),
    aws("rds:RemoveTagsFromResource"),
    aws("rds:RestoreDBInstanceFromDBSnapshot"),
    aws("rds:StartDBInstance"),
    aws("rds:StopDBInstance"),
];

fn parse(parameters: &mut Parameters<'_>) -> Result<Arc<dyn Change>, ParameterError> {
    Ok(Arc::new(EncryptDatabase {
        state: parameters.state("state")?,
        size: parameters.text_or_null("size")?,
        storage_gib: parameters.number("storage_gib")?,
    }))
}

impl EncryptDatabase {
    /// Returns the change of a database by its description.
    ///
    /// # Errors
    /// The reason why people have to replace it, as a clause about it.
    pub fn on(database: &Resource, document: &Value) -> Result<EncryptDatabase, Obstacle> {
        if database.kind != ResourceKind::Database {
            return Err(Obstacle::of(format_args!("is a {}", database.kind)));
        }
        if database.state != ResourceState::Running {
            let state = database.state;
            return Err(Obstacle::of(format_args!(
                "is {state}, and must be available"
            )));
        }
        if let Some(reason) = replacement_refusal(document) {
            return Err(Obstacle::of(reason));
        }
        let storage_gib = database.specification.storage_gib;
        let storage_gib =
            storage_gib.ok_or_else(|| Obstacle::of("has a size that was not read"))?;
        Ok(EncryptDatabase {
            state: database.state,
            size: database.specification.instance_type.clone(),
            storage_gib: storage_gib.ceil() as u32,
        })
    }

    /// Returns the estimated minutes in which no client reaches the database.
    #[must_use]
    pub fn minutes(&self) -> u32 {
        let copies_s = 2.0 * f64::from(self.storage_gib) * 1024.0 / COPY_MIB_S;
        (FIXED_MINUTES + copies_s / 60.0).ceil() as u32
    }
}

fn is_replaced() -> Expectation {
    Expectation::new("encrypted_copy", true, |database| {
        Some(database.tag(COPY_TAG).is_some())
    })
}

impl Change for EncryptDatabase {
    fn name(&self) -> &'static str {
        TYPE.name
    }

    fn parameters(&self) -> Json {
        Json::object([
            ("state", Json::from(self.state.as_str())),
            ("size", Json::from(self.size.clone())),
            ("storage_gib", Json::from(self.storage_gib)),
        ])
    }

    fn tasks(&self, target: &str) -> Vec<Task> {
        let minutes = self.minutes();
        vec![
            precondition(target, self.state, self.size.as_deref()),
            Task::of_kind(
                StepKind::Stop,
                target,
                format!(
                    "Take all clients away from {target} and restart it, for about {minutes} minutes, so that nothing is written to it after the snapshot"
                ),
                Call::of("the end of its connections", DatabaseEncryption::Quiesce),
            ),
            Task::snapshot(target, format!("Snapshot database {target}")),
            Task::change(
                target,
                format!("Copy the snapshot of {target} with encryption"),
                Call::of("the encrypted snapshot", DatabaseEncryption::Copy),
            ),
            Task::change(
                target,
                format!(
                    "Restore the copy as a database beside {target}, and compare the settings of both"
                ),
                Call::of("the encrypted database", DatabaseEncryption::Restore),
            ),
            Task::of_kind(
                StepKind::Start,
                target,
                format!(
                    "Give the encrypted database the name of {target} and its clients; the old one is stopped and kept as {UNENCRYPTED_ENDING}"
                ),
                Call::of("the exchange of names", DatabaseEncryption::Swap),
            ),
            verify(target, "is the encrypted database", vec![is_replaced()]),
        ]
    }

    fn reversal(&self) -> Reversal {
        Reversal::Inverse
    }

    fn undo(&self, _: &Resource, seen: &Resource) -> Option<Task> {
        let is_begun = [ENCRYPTING_TAG, REPLACED_TAG, COPY_TAG]
            .iter()
            .any(|tag| seen.tag(tag).is_some());
        let goal = Call::of("the way back", DatabaseEncryption::GiveBack);
        let words = format!(
            "Give the unencrypted {} its name and its clients back; the encrypted database is stopped and kept",
            seen.id
        );
        is_begun.then(|| Task::of_kind(StepKind::Start, seen.id.as_str(), words, goal))
    }

    fn simulate(
        &self,
        operation: &dyn Operation,
        twin: &mut Resource,
        _: &PriceCatalogue,
    ) -> Result<(), ActError> {
        let Some(operation) = operation.downcast_ref::<DatabaseEncryption>() else {
            return Err(foreign(operation));
        };
        let mark = String::new();
        match operation {
            DatabaseEncryption::Quiesce => {
                twin.tags.insert(ENCRYPTING_TAG.to_owned(), mark);
            }
            DatabaseEncryption::GiveBack => {
                for tag in [ENCRYPTING_TAG, COPY_TAG] {
                    twin.tags.remove(tag);
                }
            }
            _ if twin.tag(ENCRYPTING_TAG).is_none() => {
                return Err(refused(ActErrorKind::Other, "nothing was begun"));
            }
            DatabaseEncryption::Copy | DatabaseEncryption::Restore => {}
            DatabaseEncryption::Swap => {
                twin.tags.remove(ENCRYPTING_TAG);
                twin.tags.insert(COPY_TAG.to_owned(), mark);
            }
        }
        Ok(())
    }

    fn restarts(&self) -> bool {
        true
    }

    fn effect_evidence(&self) -> EffectEvidence {
        EffectEvidence::State
    }

    fn may_take_capacity(&self) -> bool {
        false
    }

    fn changes_load(&self) -> bool {
        false
    }

    /// The old database lacks the writes of clients to the encrypted one: no measurement weighs that.
    fn only_people_undo(&self) -> bool {
        true
    }

    /// Three times the estimate, because RDS promises no rate.
    fn least_limit_s(&self) -> i64 {
        LEAST_LIMIT_S.max(i64::from(self.minutes()) * 60 * 3)
    }

    /// A start and two renames, and a copy that is still being made is waited for.
    fn rollback_limit_s(&self) -> i64 {
        2 * SLOW_ROLLBACK_LIMIT_S
    }

    fn retarget(&self, _: &dyn Fn(&str) -> Option<String>) -> Arc<dyn Change> {
        Arc::new(self.clone())
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn the_time_without_service_grows_with_the_storage() {
        let of = |storage_gib| EncryptDatabase {
            state: ResourceState::Running,
            size: None,
            storage_gib,
        };
        assert_eq!(of(20).minutes(), 47);
        assert_eq!(of(100).minutes(), 75);
        assert_eq!(of(1000).minutes(), 382);
        assert_eq!(of(20).least_limit_s(), 4 * 3600);
        assert_eq!(of(1000).least_limit_s(), 382 * 180);
        assert!(of(100).tasks("db-1")[1].description.contains("75 minutes"));
    }

    #[test]
    fn clients_leave_before_the_snapshot_and_come_back_last() {
        let change = EncryptDatabase {
            state: ResourceState::Running,
            size: None,
            storage_gib: 20,
        };
        let kinds: Vec<StepKind> = change.tasks("db-1").iter().map(|task| task.kind).collect();
        assert_eq!(
            kinds,
            [
                StepKind::Precondition,
                StepKind::Stop,
                StepKind::Snapshot,
                StepKind::Change,
                StepKind::Change,
                StepKind::Start,
                StepKind::Verify,
            ]
        );
        assert!(change.restarts() && change.only_people_undo());
    }
}
