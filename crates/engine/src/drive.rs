//! Looking at a resource, checking it, and changing it until the change is seen.
//!
//! Every change is driven by observation: ask, look, ask again only when the look shows that it did not happen. So a lost
//! answer, a retry after a restart and a rollback are all the same walk.

use jiff::Timestamp;
use reeve_estate::{ActErrorKind, Mutation, Observed, ResourceKind, ResourceState};

use super::goal::{Goal, difference, fields, found, number, wanted};
use super::runner::{Done, Runner, STOPPED};
use reeve_recommend::action::Purpose;
use reeve_recommend::plan::{Step, StepKind};

/// Seconds between two looks.
const POLL_S: u64 = 5;
/// Looks after which a change that was accepted counts as not stuck, or is asked for again.
const LOOKS: u32 = 12;
/// Times a refusal that may pass (busy, no capacity, lost answer) is tried again.
const TRIES: u32 = 3;

impl Runner {
    /// State and size of the resource as last observed, and what else the plan is about.
    pub(super) fn state_of_resource(&self) -> Vec<(String, String)> {
        fields(&self.resource, &self.plan)
    }

    /// A field of the state before anything was done.
    pub(super) fn before(&self, field: &str) -> Option<&str> {
        self.action.before.iter().find(|(name, _)| name == field).map(|(_, value)| value.as_str())
    }

    /// Whether the resource is what it was before anything was done.
    pub(super) fn is_as_before(&self, seen: &Observed) -> bool {
        let unchanged = |(field, value): &(String, String)| found(&seen.resource, field).as_deref() == Some(value);
        let made = |step: &Step| {
            step.kind == StepKind::Replicate && self.goal(step, false).is_ok_and(|goal| goal.reached(seen))
        };
        self.action.before.iter().all(unchanged) && !self.plan.steps.iter().any(made)
    }

    /// Reads the resource anew; what may pass is tried again until a time.
    pub(super) async fn look(&mut self, until: Timestamp) -> Result<Observed, String> {
        loop {
            match self.act.observe(&self.resource).await {
                Ok(mut seen) => {
                    seen.resource.state = seen.state;
                    self.resource = seen.resource.clone();
                    return Ok(seen);
                }
                Err(error) => {
                    let passing = matches!(error.kind, ActErrorKind::Unknown | ActErrorKind::Throttled);
                    if !passing || self.engine.ports.clock.now() >= until {
                        return Err(error.message);
                    }
                }
            }
            self.wait(POLL_S).await?;
        }
    }

    /// Checks that the resource is still what the finding saw, and keeps the state before.
    pub(super) async fn precondition(&mut self, step: &Step) -> Result<Done, String> {
        let seen = self.look(self.deadline()).await?;
        if let Some(difference) = difference(step, &seen) {
            return Err(format!("the resource is not what it was: {difference}"));
        }
        if let Some(group) = &seen.resource.group {
            return Err(format!("it belongs to group {group} now"));
        }
        if reeve_recommend::left_alone(&seen.resource) {
            return Err("a tag says now that it is to be left alone".to_owned());
        }
        let known = self.of.reason_codes.iter().any(|code| code == "iac_managed");
        if !known && self.action.purpose == Purpose::Apply && reeve_recommend::owned_by_code(&seen.resource).is_some() {
            return Err("infrastructure as code owns it now; change it there".to_owned());
        }
        self.every_volume_kept().await?;
        let state = self.state_of_resource();
        self.action.before = state.clone();
        Ok(Done { detail: "unchanged since the finding".to_owned(), before: state.clone(), after: state })
    }

    /// Reads the resource until it is what the plan wanted, or for long enough to know that it will not be.
    pub(super) async fn verify(&mut self, step: &Step) -> Result<Done, String> {
        let mut looks = 0;
        loop {
            let seen = self.look(self.deadline()).await?;
            let Some(difference) = difference(step, &seen) else {
                let after = self.state_of_resource();
                return Ok(Done { detail: "the change stuck".to_owned(), after, ..Done::default() });
            };
            // What is still on its way (members that start, a replica that is made) has until the deadline.
            looks += u32::from(seen.state != ResourceState::Changing);
            if looks > LOOKS || self.engine.ports.clock.now() >= self.deadline() {
                return Err(format!("the change did not stick: {difference}"));
            }
            self.wait(POLL_S).await?;
        }
    }

    /// A step that changes something, or `back` to what it was.
    pub(super) async fn change(&mut self, step: &Step, back: bool, until: Timestamp) -> Result<Done, String> {
        let goal = self.goal(step, back)?;
        let before = self.state_of_resource();
        self.drive(&goal, until).await?;
        Ok(Done { detail: "done".to_owned(), before, after: self.state_of_resource() })
    }

    /// What a step is to lead to.
    pub(super) fn goal(&self, step: &Step, back: bool) -> Result<Goal, String> {
        // A database works on a change for minutes and comes back to the state it was in.
        let database = self.resource.kind == ResourceKind::Database;
        let settled = database.then(|| self.before("state").and_then(ResourceState::parse)).flatten();
        let expect = |field: &str| wanted(&step.expect, field).ok_or_else(|| format!("the plan names no {field}"));
        Ok(match step.kind {
            StepKind::Stop => Goal::state(Mutation::Stop, ResourceState::Stopped),
            StepKind::Start => Goal::state(Mutation::Start, ResourceState::Running),
            StepKind::Grow => {
                let storage_gib = number(&step.expect, "storage_gib")?;
                Goal::of(Mutation::Grow { storage_gib }, settled, step)
            }
            StepKind::Scale => {
                let (min, desired) = (number(&step.expect, "min_size")?, number(&step.expect, "desired_capacity")?);
                let first = self.plan.steps.iter().find(|step| step.kind == StepKind::Scale);
                let given = first.map_or(Ok(desired), |first| number(&first.expect, "desired_capacity"))?;
                Goal::scale(min, desired, given)
            }
            StepKind::FailOver => {
                expect("zone")?;
                Goal::of(Mutation::FailOver, settled, step)
            }
            StepKind::Replicate => {
                let name = expect("replica")?.to_owned();
                Goal::replica(name, back)
            }
            StepKind::Isolate => {
                let groups = wanted(&step.expect, "security_groups");
                let groups = groups.map(|ids| ids.split(',').map(str::to_owned).collect());
                Goal::of(groups.map_or(Mutation::Isolate, |groups| Mutation::SetGroups { groups }), None, step)
            }
            _ => {
                let size = step.instance_type.clone().ok_or_else(|| "the plan names no size".to_owned())?;
                let mut goal = Goal::of(Mutation::Resize { instance_type: size.clone() }, settled, step);
                goal.wanted.push(("instance_type".to_owned(), size));
                goal
            }
        })
    }

    /// Leaves what was changed as it is until the time the step names. A test does not wait for it.
    pub(super) async fn hold(&mut self, step: &Step) -> Result<Done, String> {
        let until = wanted(&step.expect, "until").and_then(|text| text.parse::<Timestamp>().ok());
        let Some(until) = until else { return Err("the plan names no time".to_owned()) };
        while self.action.purpose == Purpose::Apply && self.engine.ports.clock.now() < until {
            self.wait(POLL_S).await?;
        }
        self.look(self.deadline()).await?;
        Ok(Done { detail: "its time is over".to_owned(), after: self.state_of_resource(), ..Done::default() })
    }

    async fn drive(&mut self, goal: &Goal, until: Timestamp) -> Result<Observed, String> {
        let (mut accepted, mut looks, mut asked_again, mut refusals) = (false, 0, 0, 0);
        loop {
            let seen = self.look(until).await?;
            if goal.reached(&seen) {
                return Ok(seen);
            }
            if self.engine.ports.clock.now() >= until {
                return Err(format!("{} did not come about in time; it is {}", goal.name(), seen.state));
            }
            let moving = seen.state == ResourceState::Changing;
            if accepted && !moving {
                looks += 1;
                if looks > LOOKS {
                    asked_again += 1;
                    (accepted, looks) = (false, 0);
                }
                if asked_again >= 2 {
                    return Err(format!("{} was accepted and did not stick", goal.name()));
                }
            }
            // Where the switch cannot be asked, nothing is asked of the cloud either.
            let free = !accepted && (!moving || goal.is_of_a_group()) && self.may_ask().await?;
            if free {
                match self.act.apply(&self.resource, &goal.mutation(&seen)).await {
                    Ok(_) => accepted = true,
                    Err(error) => {
                        let passing = matches!(
                            error.kind,
                            ActErrorKind::Unknown | ActErrorKind::WrongState | ActErrorKind::NoCapacity
                        );
                        refusals += u32::from(error.kind != ActErrorKind::Throttled);
                        if !(passing || error.kind == ActErrorKind::Throttled) || refusals > TRIES {
                            return Err(error.message);
                        }
                    }
                }
            }
            self.wait(POLL_S).await?;
        }
    }

    /// Whether a change may be asked for now: `false` while nobody can say.
    pub(super) async fn may_ask(&self) -> Result<bool, String> {
        match self.is_stopped().await {
            Ok(false) => Ok(true),
            Ok(true) => Err(STOPPED.to_owned()),
            Err(_) => Ok(false),
        }
    }
}
