//! Another least number of members of a scaling group, for good.
//!
//! The group's policies keep scaling it meanwhile: it gets members only where it has fewer than the
//! new least, and goes back to the number that it had only where nobody has moved it since.

use std::sync::Arc;

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
    name: "resize_group",
    permissions: PERMISSIONS,
    parse: Parse::Typed(parse),
};

/// Another least number of members.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ResizeGroup {
    /// State the finding saw.
    pub state: ResourceState,
    pub from: u32,
    pub to: u32,
}

/// Permissions that the steps and the way back need.
const PERMISSIONS: &[ChangePermission] = &[aws("autoscaling:UpdateAutoScalingGroup")];

fn parse(parameters: &mut Parameters<'_>) -> Result<Arc<dyn Change>, ParameterError> {
    let state = parameters.state("state")?;
    Ok(Arc::new(ResizeGroup {
        state,
        from: parameters.number("from_min")?,
        to: parameters.number("to_min")?,
    }))
}

fn least(members: u32) -> Expectation {
    Expectation::new("min_size", members, |group| {
        group.specification.capacity.map(|capacity| capacity.min)
    })
}

/// A group of at least `min` members.
#[derive(Debug, Clone, Copy)]
struct Least {
    min: u32,
    /// Number that the change gave it, and the one that it had before: for the way back.
    back: Option<(u32, u32)>,
}

impl Least {
    /// Members the group is to have, as it is now.
    fn wanted(self, now: Capacity) -> u32 {
        match self.back {
            Some((given, before)) if now.desired == given => before,
            _ => now.desired,
        }
        .max(self.min)
    }
}

impl Goal for Least {
    fn name(&self) -> &'static str {
        "the new least number of members"
    }

    fn is_reached(&self, seen: &Resource) -> bool {
        let capacity = seen.specification.capacity;
        capacity.is_some_and(|now| now.min == self.min && now.desired == self.wanted(now))
    }

    fn operation(&self, seen: &Resource) -> Arc<dyn Operation> {
        let desired = seen
            .specification
            .capacity
            .map_or(self.min, |now| self.wanted(now));
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

impl Change for ResizeGroup {
    fn name(&self) -> &'static str {
        TYPE.name
    }

    fn parameters(&self) -> Json {
        Json::object([
            ("state", Json::from(self.state.as_str())),
            ("from_min", Json::from(self.from)),
            ("to_min", Json::from(self.to)),
        ])
    }

    fn tasks(&self, target: &str) -> Vec<Task> {
        let mut check = precondition(target, self.state, None);
        check.expect.push(least(self.from));
        let words = format!(
            "Raise the least number of members of {target} from {} to {}",
            self.from, self.to
        );
        let goal = Least {
            min: self.to,
            back: None,
        };
        let change =
            Task::of_kind(StepKind::Scale, target, words, goal).expecting(vec![least(self.to)]);
        let done = vec![least(self.to), Expectation::state(self.state)];

        vec![
            check,
            change,
            verify(target, &format!("has at least {} members", self.to), done),
        ]
    }

    fn reversal(&self) -> Reversal {
        Reversal::Inverse
    }

    fn undo(&self, prior: &Resource, seen: &Resource) -> Option<Task> {
        let before = prior.specification.capacity?;
        let goal = Least {
            min: before.min,
            back: Some((self.to.max(before.desired), before.desired)),
        };
        if goal.is_reached(seen) {
            return restore(prior, seen);
        }

        let words = format!(
            "Set the least number of members of {} back to {}",
            seen.id, before.min
        );
        Some(
            Task::of_kind(StepKind::Scale, seen.id.as_str(), words, goal)
                .expecting(vec![least(before.min)]),
        )
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
        vec![(
            "min_size",
            seen.specification
                .capacity
                .map(|capacity| capacity.min.to_string()),
        )]
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
