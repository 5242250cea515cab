//! More storage for a volume or a database, while it is in use. No cloud takes storage back, so
//! there is no way back; a database is kept in a snapshot first all the same.

use std::sync::Arc;

use reeve_audit::Json;
use reeve_estate::{
    ActError, ActErrorKind, Mutation, Operation, PriceCatalogue, Resource, ResourceState,
};

use crate::change::task::settled;
use crate::change::{
    Change, ChangePermission, ChangeType, EffectEvidence, Expectation, ParameterError, Parameters,
    Parse, Reversal, Task, TaskReach, aws, foreign, precondition, refused, restore, verify,
};
use crate::plan::StepKind;

/// Row of the registry.
pub(super) const TYPE: ChangeType = ChangeType {
    name: "grow_storage",
    permissions: PERMISSIONS,
    parse: Parse::Typed(parse),
};

/// Growth of a volume's or a database's storage.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GrowStorage {
    /// State the finding saw, and the state it settles in.
    pub state: ResourceState,
    /// Storage before, GiB.
    pub from_gib: u32,
    /// Storage after, GiB.
    pub to_gib: u32,
    /// Kept in a snapshot first, as databases are.
    pub database: bool,
}

/// Permissions that the steps and the way back need.
const PERMISSIONS: &[ChangePermission] = &[
    aws("ec2:ModifyVolume"),
    aws("ec2:DescribeVolumesModifications"),
    aws("rds:CreateDBSnapshot"),
    aws("rds:AddTagsToResource"),
    aws("rds:DescribeDBSnapshots"),
    aws("rds:ModifyDBInstance"),
];

fn parse(parameters: &mut Parameters<'_>) -> Result<Arc<dyn Change>, ParameterError> {
    Ok(Arc::new(GrowStorage {
        state: parameters.state("state")?,
        from_gib: parameters.number("from_gib")?,
        to_gib: parameters.number("to_gib")?,
        database: parameters.boolean("database")?,
    }))
}

fn storage(gib: u32) -> Expectation {
    Expectation::new("storage_gib", f64::from(gib), |resource| {
        resource.specification.storage_gib
    })
}

impl Change for GrowStorage {
    fn name(&self) -> &'static str {
        TYPE.name
    }

    fn parameters(&self) -> Json {
        Json::object([
            ("state", Json::from(self.state.as_str())),
            ("from_gib", Json::from(self.from_gib)),
            ("to_gib", Json::from(self.to_gib)),
            ("database", Json::from(self.database)),
        ])
    }

    fn tasks(&self, target: &str) -> Vec<Task> {
        let (from, to) = (self.from_gib, self.to_gib);
        let mut check = precondition(target, self.state, None);
        check.description = format!("{} and has {from} GiB", check.description);
        check.expect.push(storage(from));
        let larger = vec![storage(to)];
        let reached = if self.database {
            settled(self.state, larger.clone())
        } else {
            larger.clone()
        };
        let goal = TaskReach::by("the growth", Mutation::Grow { storage_gib: to }, reached);

        let words = format!("Grow {target} from {from} to {to} GiB; it cannot shrink");
        let mut tasks = vec![check];

        if self.database {
            tasks.push(Task::snapshot(
                target,
                format!("Snapshot database {target}"),
            ));
        }

        tasks.push(Task::of_kind(StepKind::Grow, target, words, goal).expecting(larger.clone()));
        tasks.push(verify(
            target,
            &format!("has {to} GiB"),
            settled(self.state, larger),
        ));
        tasks
    }

    fn reversal(&self) -> Reversal {
        Reversal::Impossible("storage cannot shrink")
    }

    fn undo(&self, prior: &Resource, seen: &Resource) -> Option<Task> {
        restore(prior, seen)
    }

    fn simulate(
        &self,
        operation: &dyn Operation,
        twin: &mut Resource,
        _: &PriceCatalogue,
    ) -> Result<(), ActError> {
        let Some(Mutation::Grow { storage_gib }) = operation.downcast_ref() else {
            return Err(foreign(operation));
        };

        let wanted = f64::from(*storage_gib);
        match twin.specification.storage_gib {
            Some(now) if wanted > now => twin.specification.storage_gib = Some(wanted),
            Some(now) => {
                return Err(refused(
                    ActErrorKind::InvalidType,
                    format_args!("{wanted} GiB are not more than {now}"),
                ));
            }
            None => {
                return Err(refused(
                    ActErrorKind::InvalidType,
                    "it has no storage of its own",
                ));
            }
        }

        Ok(())
    }

    fn notes(&self, seen: &Resource) -> Vec<(&'static str, Option<String>)> {
        vec![(
            "storage_gib",
            seen.specification.storage_gib.map(|gib| gib.to_string()),
        )]
    }

    fn effect_evidence(&self) -> EffectEvidence {
        EffectEvidence::State
    }

    fn may_take_capacity(&self) -> bool {
        false
    }

    fn retarget(&self, _: &dyn Fn(&str) -> Option<String>) -> Arc<dyn Change> {
        Arc::new(self.clone())
    }
}
