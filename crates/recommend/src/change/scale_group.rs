//! More members of a scaling group until a time, and the members it had after it.
//!
//! A group has policies and people of its own: up to the peak it gets at least the members of the
//! plan, and back only where nobody has moved it since.

use std::sync::Arc;

use jiff::Timestamp;
use reeve_audit::Json;
use reeve_estate::{
    ActError, ActErrorKind, Capacity, Mutation, Operation, PriceCatalogue, Resource, ResourceState,
};

use crate::change::{
    Change, ChangePermission, ChangeType, Expectation, Goal, ParameterError, Parameters, Parse,
    Reversal, SLOW_ROLLBACK_LIMIT_S, Task, aws, foreign, precondition, refused, restore, verify,
};
use crate::plan::StepKind;

/// Row of the registry.
pub(super) const TYPE: ChangeType = ChangeType {
    name: "scale_group",
    permissions: PERMISSIONS,
    parse: Parse::Typed(parse),
};

/// Larger size of a group until a time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScaleGroup {
    /// State the finding saw.
    pub state: ResourceState,
    /// Least number of members before and after.
    pub min: u32,
    /// Number of members before.
    pub desired: u32,
    /// Number of members until the time.
    pub members: u32,
    /// Time until which it keeps them.
    pub until: Timestamp,
}

/// Permissions that the steps and the way back need.
const PERMISSIONS: &[ChangePermission] = &[aws("autoscaling:UpdateAutoScalingGroup")];

fn parse(parameters: &mut Parameters<'_>) -> Result<Arc<dyn Change>, ParameterError> {
    Ok(Arc::new(ScaleGroup {
        state: parameters.state("state")?,
        min: parameters.number("min")?,
        desired: parameters.number("desired")?,
        members: parameters.number("members")?,
        until: parameters.time("until")?,
    }))
}

fn least(members: u32) -> Expectation {
    Expectation::new("min_size", members, |group| {
        group.specification.capacity.map(|capacity| capacity.min)
    })
}

fn desired(members: u32) -> Expectation {
    Expectation::new("desired_capacity", members, |group| {
        group
            .specification
            .capacity
            .map(|capacity| capacity.desired)
    })
}

/// A group of at least `min` members. Up to `given` where that is what the plan gives; back to
/// `desired` where nobody, the group's own policies included, has moved it since.
#[derive(Debug, Clone, Copy)]
struct Members {
    min: u32,
    desired: u32,
    given: u32,
}

impl Members {
    /// Members the group is to have, as it is now.
    fn wanted(self, now: Capacity) -> u32 {
        let wanted = if self.desired >= self.given {
            now.desired.max(self.desired)
        } else if now.desired == self.given {
            self.desired
        } else {
            now.desired
        };
        wanted.max(self.min)
    }
}

impl Goal for Members {
    fn name(&self) -> &'static str {
        "the new number of members"
    }

    fn is_reached(&self, seen: &Resource) -> bool {
        let capacity = seen.specification.capacity;
        capacity.is_some_and(|now| now.min == self.min && now.desired == self.wanted(now))
    }

    fn operation(&self, seen: &Resource) -> Arc<dyn Operation> {
        let desired = seen
            .specification
            .capacity
            .map_or(self.desired, |now| self.wanted(now));
        Arc::new(Mutation::Scale {
            min: self.min,
            desired,
        })
    }

    /// A group takes another number while it is still on its way to the last one.
    fn may_interleave(&self) -> bool {
        true
    }
}

impl ScaleGroup {
    fn scale(&self, target: &str, description: String, min: u32, members: u32) -> Task {
        let goal = Members {
            min,
            desired: members,
            given: self.members,
        };
        let expect = vec![least(min), desired(members)];
        Task::of_kind(StepKind::Scale, target, description, goal).expecting(expect)
    }
}

impl Change for ScaleGroup {
    fn name(&self) -> &'static str {
        TYPE.name
    }

    fn parameters(&self) -> Json {
        Json::object([
            ("state", Json::from(self.state.as_str())),
            ("min", Json::from(self.min)),
            ("desired", Json::from(self.desired)),
            ("members", Json::from(self.members)),
            ("until", Json::from(self.until.to_string())),
        ])
    }

    fn tasks(&self, target: &str) -> Vec<Task> {
        let ScaleGroup {
            min,
            desired,
            members,
            until,
            state,
        } = *self;

        let mut check = precondition(target, state, None);
        check.expect.push(least(min));
        let has = |min: u32| vec![least(min), Expectation::state(state)];

        // The text is part of the hash of stored plans of format 1.
        let back = format!(
            "Scale {target} back to at least {min} members; to {desired} where nobody has moved it"
        );
        vec![
            check,
            self.scale(
                target,
                format!("Scale {target} from {desired} to {members} members"),
                members,
                members,
            ),
            verify(target, "has its members", has(members)),
            Task::hold(target, format!("Leave {target} so until {until}"), until),
            self.scale(target, back, min, desired),
            verify(target, "is back", has(min)),
        ]
    }

    fn reversal(&self) -> Reversal {
        Reversal::Inverse
    }

    fn undo(&self, prior: &Resource, seen: &Resource) -> Option<Task> {
        let now = prior.specification.capacity?;
        let goal = Members {
            min: now.min,
            desired: now.desired,
            given: self.members,
        };

        if goal.is_reached(seen) {
            return restore(prior, seen);
        }

        Some(self.scale(
            seen.id.as_str(),
            format!("Scale {} back", seen.id),
            now.min,
            now.desired,
        ))
    }

    fn simulate(
        &self,
        operation: &dyn Operation,
        twin: &mut Resource,
        _: &PriceCatalogue,
    ) -> Result<(), ActError> {
        let Some(Mutation::Scale { min, desired }) = operation.downcast_ref() else {
            return Err(foreign(operation));
        };

        match &mut twin.specification.capacity {
            Some(now) if min <= desired && *desired <= now.max => {
                (now.min, now.desired) = (*min, *desired)
            }
            Some(now) => {
                let said = format!("{min} to {desired} members, and it has at most {}", now.max);
                return Err(refused(ActErrorKind::InvalidType, said));
            }
            None => return Err(refused(ActErrorKind::InvalidType, "it is no group")),
        }

        Ok(())
    }

    fn notes(&self, seen: &Resource) -> Vec<(&'static str, Option<String>)> {
        let capacity = seen.specification.capacity;
        vec![
            (
                "min_size",
                capacity.map(|capacity| capacity.min.to_string()),
            ),
            (
                "desired_capacity",
                capacity.map(|capacity| capacity.desired.to_string()),
            ),
        ]
    }

    fn rollback_limit_s(&self) -> i64 {
        SLOW_ROLLBACK_LIMIT_S
    }

    fn retarget(&self, _: &dyn Fn(&str) -> Option<String>) -> Arc<dyn Change> {
        Arc::new(self.clone())
    }

    /// A group that never gets its members is on its way for ever, and goes back while it moves.
    fn undoes_while_changing(&self) -> bool {
        true
    }
}
