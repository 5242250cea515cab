//! A read replica of a database. Undoing removes it again.

use std::sync::Arc;

use reeve_audit::Json;
use reeve_estate::{
    ActError, ActErrorKind, Mutation, Operation, PriceCatalogue, Resource, ResourceState,
};

use crate::change::task::settled;
use crate::change::{
    Change, ChangePermission, ChangeType, Expectation, ParameterError, Parameters, Parse, Reversal,
    SLOW_ROLLBACK_LIMIT_S, Task, TaskReach, aws, aws_own, foreign, precondition, refused, restore,
    verify,
};
use crate::plan::StepKind;

/// Row of the registry.
pub(super) const TYPE: ChangeType = ChangeType {
    name: "replicate",
    permissions: PERMISSIONS,
    parse: Parse::Typed(parse),
};

/// New read replica of a database.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Replicate {
    /// State the finding saw.
    pub state: ResourceState,
    /// Class the finding saw.
    pub size: Option<String>,
    /// Identifier of the replica.
    pub replica: String,
}

/// Permissions that the steps and the way back need.
const PERMISSIONS: &[ChangePermission] = &[
    aws("rds:CreateDBInstanceReadReplica"),
    aws("rds:AddTagsToResource"),
    aws_own("rds:DeleteDBInstance"),
];

fn parse(parameters: &mut Parameters<'_>) -> Result<Arc<dyn Change>, ParameterError> {
    let (state, size) = (parameters.state("state")?, parameters.text_or_null("size")?);
    Ok(Arc::new(Replicate {
        state,
        size,
        replica: parameters.text("replica")?,
    }))
}

fn has(database: &Resource, replica: &str) -> bool {
    database
        .specification
        .replicas
        .iter()
        .any(|known| known == replica)
}

fn present(replica: &str) -> Expectation {
    let name = replica.to_owned();
    Expectation::new("replica", replica.to_owned(), move |database| {
        Some(if has(database, &name) {
            name.clone()
        } else {
            "none".to_owned()
        })
    })
}

fn absent(replica: &str) -> Expectation {
    let name = replica.to_owned();
    Expectation::new("replica", "none".to_owned(), move |database| {
        Some(if has(database, &name) {
            name.clone()
        } else {
            "none".to_owned()
        })
    })
}

impl Change for Replicate {
    fn name(&self) -> &'static str {
        TYPE.name
    }

    fn parameters(&self) -> Json {
        Json::object([
            ("state", Json::from(self.state.as_str())),
            ("size", Json::from(self.size.clone())),
            ("replica", Json::from(self.replica.clone())),
        ])
    }

    fn tasks(&self, target: &str) -> Vec<Task> {
        let name = &self.replica;
        let there = vec![present(name)];
        let goal = TaskReach::by(
            "the replica",
            Mutation::Replicate { name: name.clone() },
            there.clone(),
        );
        let words = format!("Make the read replica {name} of {target}");

        vec![
            precondition(target, self.state, self.size.as_deref()),
            Task::of_kind(StepKind::Replicate, target, words, goal)
                .making(name)
                .expecting(there.clone()),
            verify(
                target,
                &format!("has the replica {name}"),
                settled(self.state, there),
            ),
        ]
    }

    fn reversal(&self) -> Reversal {
        Reversal::Inverse
    }

    fn undo(&self, prior: &Resource, seen: &Resource) -> Option<Task> {
        let name = &self.replica;
        if !has(seen, name) {
            return restore(prior, seen);
        }

        let removal = Mutation::RemoveReplica { name: name.clone() };
        let goal = TaskReach::by("the removal of the replica", removal, vec![absent(name)]);
        let words = format!("Remove the replica of {} that was made", seen.id);
        let task = Task::of_kind(StepKind::Replicate, seen.id.as_str(), words, goal);
        Some(task.making(name).expecting(vec![present(name)]))
    }

    fn simulate(
        &self,
        operation: &dyn Operation,
        twin: &mut Resource,
        _: &PriceCatalogue,
    ) -> Result<(), ActError> {
        let replicas = &mut twin.specification.replicas;
        match operation.downcast_ref() {
            Some(Mutation::Replicate { name }) if !replicas.contains(name) => {
                replicas.push(name.clone())
            }
            Some(Mutation::RemoveReplica { name }) if replicas.contains(name) => {
                replicas.retain(|one| one != name)
            }
            Some(Mutation::Replicate { name } | Mutation::RemoveReplica { name }) => {
                let said = format!("{name} already exists, or its source does not exist");
                return Err(refused(ActErrorKind::InvalidType, said));
            }
            _ => return Err(foreign(operation)),
        }

        Ok(())
    }

    fn rollback_limit_s(&self) -> i64 {
        SLOW_ROLLBACK_LIMIT_S
    }

    fn retarget(&self, _: &dyn Fn(&str) -> Option<String>) -> Arc<dyn Change> {
        Arc::new(self.clone())
    }
}
