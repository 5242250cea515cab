//! End of idle members of a scaling group, each by name, with a smaller desired capacity.
//!
//! Auto Scaling ends the named member and lowers the desired capacity in one call
//! (`TerminateInstanceInAutoScalingGroup` with `ShouldDecrementDesiredCapacity`). The other way, a
//! smaller capacity with the busy members protected, leaves the choice to the group's termination
//! policy: a member that starts in between is not protected and may be chosen, and the protection
//! has to be taken off again. Right before each member is ended, the engine asks whether it serves
//! anybody ([`Change::must_be_idle`]).

use std::sync::Arc;

use reeve_audit::Json;
use reeve_estate::{
    ActError, ActErrorKind, Mutation, Operation, PriceCatalogue, Resource, ResourceId,
    ResourceState,
};

use crate::change::task::Call;
use crate::change::{
    Change, ChangePermission, ChangeType, Expectation, Goal, ParameterError, Parameters, Parse,
    Reversal, SLOW_ROLLBACK_LIMIT_S, Task, aws, foreign, precondition, refused, restore, verify,
};
use crate::judgement::sessions::{IdleWatch, SessionSource};
use crate::plan::StepKind;

/// Row of the registry.
pub(super) const TYPE: ChangeType = ChangeType {
    name: "end_members",
    permissions: PERMISSIONS,
    parse: Parse::Typed(parse),
};

/// Permissions that the steps and the way back need.
const PERMISSIONS: &[ChangePermission] = &[
    aws("autoscaling:TerminateInstanceInAutoScalingGroup"),
    aws("autoscaling:UpdateAutoScalingGroup"),
];

/// End of members of a group.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EndMembers {
    /// State the finding saw.
    pub state: ResourceState,
    /// Least number of members, which stays.
    pub min: u32,
    /// Number of members before.
    pub desired: u32,
    /// Members that are ended, in this order.
    pub members: Vec<String>,
    /// Measurement that shows that they serve nobody.
    pub idle_by: SessionSource,
    /// Load balancers before the group, where `idle_by` measures at them.
    pub balancers: Vec<String>,
    /// Minutes without a session, before each end.
    pub quiet_minutes: u32,
}

/// Ends one member. Accepted where it is no member any more.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EndMember {
    pub member: String,
    /// Least number of members that the group must keep.
    pub min: u32,
}

impl Operation for EndMember {}

fn parse(parameters: &mut Parameters<'_>) -> Result<Arc<dyn Change>, ParameterError> {
    let idle_by = parameters.text("idle_by")?;
    let idle_by = SessionSource::parse(&idle_by).ok_or(ParameterError::Wrong {
        name: "idle_by".to_owned(),
        expected: "active_sessions or requests_in_flight",
    })?;
    Ok(Arc::new(EndMembers {
        state: parameters.state("state")?,
        min: parameters.number("min")?,
        desired: parameters.number("desired")?,
        members: parameters.texts("members")?,
        idle_by,
        balancers: parameters.texts("balancers")?,
        quiet_minutes: parameters.number("quiet_minutes")?,
    }))
}

fn desired(members: u32) -> Expectation {
    Expectation::new("desired_capacity", members, |group| {
        let capacity = group.specification.capacity?;
        Some(capacity.desired)
    })
}

fn least(members: u32) -> Expectation {
    Expectation::new("min_size", members, |group| {
        let capacity = group.specification.capacity?;
        Some(capacity.min)
    })
}

/// At least the members of before. More stay: the group's own policies asked for them since.
#[derive(Debug, Clone, Copy)]
struct FormerMembers(u32);

impl Goal for FormerMembers {
    fn name(&self) -> &'static str {
        "the former number of members"
    }

    fn is_reached(&self, seen: &Resource) -> bool {
        let capacity = seen.specification.capacity;
        capacity.is_some_and(|now| now.desired >= self.0)
    }

    fn operation(&self, seen: &Resource) -> Arc<dyn Operation> {
        let min = seen.specification.capacity.map_or(0, |now| now.min);
        Arc::new(Mutation::Scale {
            min,
            desired: self.0,
        })
    }

    fn may_interleave(&self) -> bool {
        true
    }
}

impl EndMembers {
    fn last(&self) -> u32 {
        let ended = u32::try_from(self.members.len()).unwrap_or(u32::MAX);
        self.desired.saturating_sub(ended)
    }
}

impl Change for EndMembers {
    fn name(&self) -> &'static str {
        TYPE.name
    }

    fn parameters(&self) -> Json {
        let texts = |all: &[String]| Json::Array(all.iter().cloned().map(Json::from).collect());
        Json::object([
            ("state", Json::from(self.state.as_str())),
            ("min", Json::from(self.min)),
            ("desired", Json::from(self.desired)),
            ("members", texts(&self.members)),
            ("idle_by", Json::from(self.idle_by.as_str())),
            ("balancers", texts(&self.balancers)),
            ("quiet_minutes", Json::from(self.quiet_minutes)),
        ])
    }

    fn tasks(&self, target: &str) -> Vec<Task> {
        let mut check = precondition(target, self.state, None);
        check
            .expect
            .extend([least(self.min), desired(self.desired)]);
        let mut tasks = vec![check];
        for member in &self.members {
            let operation = EndMember {
                member: member.clone(),
                min: self.min,
            };
            let words = format!(
                "End {member} of {target} once it had no session for {} minutes, with one member less",
                self.quiet_minutes
            );
            let goal = Call::of("the end of a member", operation);
            tasks.push(Task::of_kind(StepKind::Scale, target, words, goal));
        }
        let has = vec![desired(self.last()), Expectation::state(self.state)];
        tasks.push(verify(target, "has its members", has));
        tasks
    }

    fn reversal(&self) -> Reversal {
        Reversal::Inverse
    }

    /// Starts as many new members; those that were ended do not come back.
    fn undo(&self, prior: &Resource, seen: &Resource) -> Option<Task> {
        let former = prior.specification.capacity?.desired;
        let goal = FormerMembers(former);
        if goal.is_reached(seen) {
            return restore(prior, seen);
        }
        let words = format!("Scale {} back to {former} members", seen.id);
        Some(Task::of_kind(
            StepKind::Scale,
            seen.id.as_str(),
            words,
            goal,
        ))
    }

    fn must_be_idle(&self, operation: &dyn Operation) -> Option<IdleWatch> {
        let EndMember { member, .. } = operation.downcast_ref()?;
        let measured_at = match self.idle_by {
            SessionSource::Sessions => vec![ResourceId::new(member.clone())],
            SessionSource::Requests => {
                let balancers = self.balancers.iter().cloned();
                balancers.map(ResourceId::new).collect()
            }
        };
        Some(IdleWatch {
            source: self.idle_by,
            measured_at,
            quiet_minutes: self.quiet_minutes,
        })
    }

    fn simulate(
        &self,
        operation: &dyn Operation,
        twin: &mut Resource,
        _: &PriceCatalogue,
    ) -> Result<(), ActError> {
        let no_group = || refused(ActErrorKind::InvalidType, "it is no group");
        let capacity = twin.specification.capacity.as_mut().ok_or_else(no_group)?;
        if let Some(Mutation::Scale { min, desired }) = operation.downcast_ref() {
            if desired > &capacity.max {
                let said = format!("{desired} members, and it has at most {}", capacity.max);
                return Err(refused(ActErrorKind::InvalidType, said));
            }
            (capacity.min, capacity.desired) = (*min, *desired);
            return Ok(());
        }
        let Some(EndMember { min, .. }) = operation.downcast_ref() else {
            return Err(foreign(operation));
        };
        if capacity.desired <= capacity.min.max(*min) {
            let said = format!("it has no more than its least of {} members", capacity.min);
            return Err(refused(ActErrorKind::Other, said));
        }
        capacity.desired -= 1;
        Ok(())
    }

    fn notes(&self, seen: &Resource) -> Vec<(&'static str, Option<String>)> {
        let capacity = seen.specification.capacity;
        let desired = capacity.map(|capacity| capacity.desired.to_string());
        vec![("desired_capacity", desired)]
    }

    fn rollback_limit_s(&self) -> i64 {
        SLOW_ROLLBACK_LIMIT_S
    }

    fn retarget(&self, rename: &dyn Fn(&str) -> Option<String>) -> Arc<dyn Change> {
        let renamed = |all: &[String]| {
            let each = all
                .iter()
                .map(|id| rename(id).unwrap_or_else(|| id.clone()));
            each.collect()
        };
        Arc::new(EndMembers {
            members: renamed(&self.members),
            balancers: renamed(&self.balancers),
            ..self.clone()
        })
    }

    /// A group whose new members do not start is on its way for ever.
    fn undoes_while_changing(&self) -> bool {
        true
    }
}
