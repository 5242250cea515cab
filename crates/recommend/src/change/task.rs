//! Tasks: the steps of a change as the engine carries them out. A plan shows them as [`PlanStep`]s.

use std::fmt;
use std::sync::Arc;

use jiff::Timestamp;
use reeve_estate::{Operation, Resource, ResourceState};

use crate::change::Expectation;
use crate::plan::{PlanStep, StepKind};

reeve_estate::named!(
    /// Effect of a step on the resource.
    Effect {
        /// It looks, waits or keeps a copy.
        Nothing => "nothing",
        /// It changes the resource, which serves meanwhile.
        Live => "live",
        /// It takes the resource out of service until a later step.
        Stops => "stops",
        /// It takes the resource out of service and brings it back.
        Restarts => "restarts",
        /// It brings the resource back into service.
        Restores => "restores",
    }
);

impl Effect {
    /// Returns `true` if the resource is another one after it.
    #[must_use]
    pub const fn changes(self) -> bool {
        !matches!(self, Effect::Nothing)
    }

    /// Returns `true` if the resource does not serve while it is done.
    #[must_use]
    pub const fn interrupts(self) -> bool {
        matches!(self, Effect::Stops | Effect::Restarts)
    }

    /// Returns `true` if the resource serves again after it.
    #[must_use]
    pub const fn brings_back(self) -> bool {
        matches!(self, Effect::Restores | Effect::Restarts)
    }
}

/// State of a resource that a step leads to, and the operation that leads there. It is requested
/// until it is reached, so that a lost answer, a retry and a restart of the service are all the
/// same walk.
pub trait Goal: fmt::Debug + Send + Sync {
    /// Name in messages: "the stop".
    fn name(&self) -> &str;

    /// Returns `true` if the resource is in that state.
    fn is_reached(&self, seen: &Resource) -> bool;

    /// Operation to request, as the resource is now.
    fn operation(&self, seen: &Resource) -> Arc<dyn Operation>;

    /// Returns `true` if it may be requested while the resource is still on its way to an earlier
    /// state.
    fn may_interleave(&self) -> bool {
        false
    }

    /// Returns `true` if nothing of the resource shows that the goal is reached, so that it is
    /// reached once the provider accepts the operation.
    fn ends_when_accepted(&self) -> bool {
        false
    }
}

/// A goal that nothing of the resource shows: a request to the provider, a command.
#[derive(Debug, Clone)]
pub(super) struct Call {
    name: &'static str,
    operation: Arc<dyn Operation>,
}

impl Call {
    /// A goal of one operation, which the provider must take as often as it is requested.
    pub(super) fn of(name: &'static str, operation: impl Operation) -> Call {
        Call {
            name,
            operation: Arc::new(operation),
        }
    }
}

impl Goal for Call {
    fn name(&self) -> &str {
        self.name
    }

    fn is_reached(&self, _: &Resource) -> bool {
        false
    }

    fn operation(&self, _: &Resource) -> Arc<dyn Operation> {
        Arc::clone(&self.operation)
    }

    fn ends_when_accepted(&self) -> bool {
        true
    }
}

/// The usual goal: one operation, requested until every expectation is met.
#[derive(Debug, Clone)]
pub struct TaskReach {
    name: &'static str,
    operation: Arc<dyn Operation>,
    expect: Vec<Expectation>,
}

impl TaskReach {
    /// A goal of one operation.
    pub fn by(
        name: &'static str,
        operation: impl Operation,
        expect: Vec<Expectation>,
    ) -> TaskReach {
        TaskReach {
            name,
            operation: Arc::new(operation),
            expect,
        }
    }
}

impl Goal for TaskReach {
    fn name(&self) -> &str {
        self.name
    }

    fn is_reached(&self, seen: &Resource) -> bool {
        self.expect
            .iter()
            .all(|expectation| expectation.is_met(seen))
    }

    fn operation(&self, _: &Resource) -> Arc<dyn Operation> {
        Arc::clone(&self.operation)
    }
}

/// Work of a task.
#[derive(Debug, Clone)]
pub enum Work {
    /// Checks that the resource is still what the finding saw, and keeps that state for the way
    /// back.
    Precondition,
    /// Keeps the state of a machine, or a snapshot in the cloud of anything that holds data.
    Snapshot,
    /// Asks for a change until it has come about.
    Change(Arc<dyn Goal>),
    /// Leaves the resource as it is until a time.
    Hold(Timestamp),
    /// Leaves the resource as it is for so many hours, and asks the flow logs for harm meanwhile.
    Observe { hours: u32 },
    /// Reads the resource anew until it is as expected.
    Verify,
}

/// One step of a change.
#[derive(Debug, Clone)]
pub struct Task {
    /// Kind, as plans and entries name it.
    pub kind: StepKind,
    /// Effect on the resource.
    pub effect: Effect,
    /// Words for the person who approves.
    pub description: String,
    /// Identifier of the resource it touches.
    pub resource: String,
    /// Size that it gives the resource.
    pub size: Option<String>,
    /// Identifier of a further resource that it creates, or removes when undone: a read replica.
    pub made: Option<String>,
    /// Expectations before it (`Precondition`) or after it (every other).
    pub expect: Vec<Expectation>,
    pub work: Work,
}

impl Task {
    fn new(kind: StepKind, resource: &str, description: String, work: Work) -> Task {
        let effect = kind.effect();
        let resource = resource.to_owned();
        Task {
            kind,
            effect,
            description,
            resource,
            size: None,
            made: None,
            expect: Vec::new(),
            work,
        }
    }

    /// Checks the resource before anything is done.
    #[must_use]
    pub fn precondition(resource: &str, description: String, expect: Vec<Expectation>) -> Task {
        Task {
            expect,
            ..Task::new(
                StepKind::Precondition,
                resource,
                description,
                Work::Precondition,
            )
        }
    }

    /// Creates the task that keeps a copy.
    #[must_use]
    pub fn snapshot(resource: &str, description: String) -> Task {
        Task::new(StepKind::Snapshot, resource, description, Work::Snapshot)
    }

    /// Leaves the resource as it is until a time.
    #[must_use]
    pub fn hold(resource: &str, description: String, until: Timestamp) -> Task {
        let over = Expectation::new("until", until, |_| None);
        Task {
            expect: vec![over],
            ..Task::new(StepKind::Hold, resource, description, Work::Hold(until))
        }
    }

    /// Leaves the resource as it is for so many hours, counted from the end of the step before.
    #[must_use]
    pub fn observe(resource: &str, description: String, hours: u32) -> Task {
        let over = Expectation::new("hours", hours, |_| None);
        Task {
            expect: vec![over],
            ..Task::new(
                StepKind::Observe,
                resource,
                description,
                Work::Observe { hours },
            )
        }
    }

    /// Reads the resource anew.
    #[must_use]
    pub fn verify(resource: &str, description: String, expect: Vec<Expectation>) -> Task {
        Task {
            expect,
            ..Task::new(StepKind::Verify, resource, description, Work::Verify)
        }
    }

    /// Changes the resource while it serves. A change of a kind of its own shows as
    /// [`StepKind::Change`].
    pub fn change(resource: &str, description: String, goal: impl Goal + 'static) -> Task {
        Task::of_kind(StepKind::Change, resource, description, goal)
    }

    /// Creates the task that deletes the resource.
    pub fn delete(resource: &str, description: String, goal: impl Goal + 'static) -> Task {
        Task::of_kind(StepKind::Delete, resource, description, goal)
    }

    /// A step that changes the resource under one of the names of plans.
    pub(super) fn of_kind(
        kind: StepKind,
        resource: &str,
        description: String,
        goal: impl Goal + 'static,
    ) -> Task {
        Task::new(kind, resource, description, Work::Change(Arc::new(goal)))
    }

    /// With the further resource that it creates, or removes when undone.
    #[must_use]
    pub fn making(self, made: &str) -> Task {
        Task {
            made: Some(made.to_owned()),
            ..self
        }
    }

    /// With expectations, which are shown beside the step.
    #[must_use]
    pub fn expecting(self, expect: Vec<Expectation>) -> Task {
        Task { expect, ..self }
    }

    /// First difference between the resource and the expectations in words.
    #[must_use]
    pub fn difference(&self, seen: &Resource) -> Option<String> {
        self.expect
            .iter()
            .find_map(|expectation| expectation.difference(seen))
    }

    /// The step as plans show it.
    #[must_use]
    pub fn step(&self) -> PlanStep {
        PlanStep {
            kind: self.kind,
            description: self.description.clone(),
            resource: self.resource.clone(),
            instance_type: self.size.clone(),
            expect: self.expect.iter().map(Expectation::shown).collect(),
        }
    }
}

/// State in which a resource settles after a step: a database works on a change for minutes and
/// comes back to the state it was in.
pub(super) fn settled(state: ResourceState, mut expect: Vec<Expectation>) -> Vec<Expectation> {
    expect.push(Expectation::state(state));
    expect
}
