//! Looking at a resource, checking it, and changing it until the change is seen.
//!
//! Every change is driven by observation: ask, look, ask again only when the look shows that it did not happen. So a lost
//! answer, a retry after a restart and a rollback are all the same walk.

use jiff::Timestamp;
use reeve_estate::{ActErrorKind, Mutation, Observed, ResourceKind, ResourceState};

use super::runner::{Done, Runner, STOPPED};
use crate::action::Purpose;
use crate::plan::{Step, StepKind};

/// Seconds between two looks.
const POLL_S: u64 = 5;
/// Looks after which a change that was accepted counts as not stuck, or is asked for again.
const LOOKS: u32 = 12;
/// Times a refusal that may pass (busy, no capacity, lost answer) is tried again.
const TRIES: u32 = 3;

/// What a change is to lead to.
#[derive(Debug, Clone)]
pub(super) struct Goal {
    pub(super) state: Option<ResourceState>,
    pub(super) size: Option<String>,
}

impl Goal {
    fn reached(&self, seen: &Observed) -> bool {
        self.state.is_none_or(|state| seen.state == state)
            && self.size.as_deref().is_none_or(|size| seen.instance_type.as_deref() == Some(size))
    }
}

/// State and size as fields and values.
pub(super) fn fields(seen: &Observed) -> Vec<(String, String)> {
    let mut fields = vec![("state".to_owned(), seen.state.as_str().to_owned())];
    fields.extend(seen.instance_type.clone().map(|size| ("instance_type".to_owned(), size)));
    fields
}

impl Runner {
    /// State and size of the resource as last observed.
    pub(super) fn state_of_resource(&self) -> Vec<(String, String)> {
        let mut fields = vec![("state".to_owned(), self.resource.state.as_str().to_owned())];
        let size = self.resource.specification.instance_type.clone();
        fields.extend(size.map(|size| ("instance_type".to_owned(), size)));
        fields
    }

    /// A field of the state before anything was done.
    pub(super) fn before(&self, field: &str) -> Option<&str> {
        self.action.before.iter().find(|(name, _)| name == field).map(|(_, value)| value.as_str())
    }

    /// Whether the resource is what it was before anything was done.
    pub(super) fn is_as_before(&self, seen: &Observed) -> bool {
        self.before("state").is_none_or(|state| state == seen.state.as_str())
            && self.before("instance_type").is_none_or(|size| seen.instance_type.as_deref() == Some(size))
    }

    /// Reads the resource anew; what may pass is tried again until a time.
    pub(super) async fn look(&mut self, until: Timestamp) -> Result<Observed, String> {
        loop {
            match self.act.observe(&self.resource).await {
                Ok(seen) => {
                    self.resource = seen.resource.clone();
                    self.resource.state = seen.state;
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
        if crate::cost::left_alone(&seen.resource) {
            return Err("a tag says now that it is to be left alone".to_owned());
        }
        let known = self.of.reason_codes.iter().any(|code| code == "iac_managed");
        if !known && self.action.purpose == Purpose::Apply && crate::cost::owned_by_code(&seen.resource).is_some() {
            return Err("infrastructure as code owns it now; change it there".to_owned());
        }
        self.every_volume_kept().await?;
        self.action.before = fields(&seen);
        Ok(Done { detail: "unchanged since the finding".to_owned(), before: fields(&seen), after: fields(&seen) })
    }

    /// Reads the resource until it is what the plan wanted, or for long enough to know that it will not be.
    pub(super) async fn verify(&mut self, step: &Step) -> Result<Done, String> {
        let mut looks = 0;
        loop {
            let seen = self.look(self.deadline()).await?;
            let Some(difference) = difference(step, &seen) else {
                return Ok(Done { detail: "the change stuck".to_owned(), after: fields(&seen), ..Done::default() });
            };
            looks += 1;
            if looks > LOOKS || self.engine.ports.clock.now() >= self.deadline() {
                return Err(format!("the change did not stick: {difference}"));
            }
            self.wait(POLL_S).await?;
        }
    }

    /// A step that changes something.
    pub(super) async fn change(&mut self, step: &Step, until: Timestamp) -> Result<Done, String> {
        let state = |state| Goal { state: Some(state), size: None };
        let (mutation, goal) = match step.kind {
            StepKind::Stop => (Mutation::Stop, state(ResourceState::Stopped)),
            StepKind::Start => (Mutation::Start, state(ResourceState::Running)),
            _ => {
                let Some(size) = step.instance_type.clone() else { return Err("the plan names no size".to_owned()) };
                let database = self.resource.kind == ResourceKind::Database;
                // A database works on its class for minutes and comes back to the state it was in.
                let settled = database.then(|| self.before("state").and_then(ResourceState::parse)).flatten();
                (Mutation::Resize { instance_type: size.clone() }, Goal { state: settled, size: Some(size) })
            }
        };
        let before = self.state_of_resource();
        let seen = self.drive(&mutation, &goal, until).await?;
        Ok(Done { detail: "done".to_owned(), before, after: fields(&seen) })
    }

    async fn drive(&mut self, mutation: &Mutation, goal: &Goal, until: Timestamp) -> Result<Observed, String> {
        let (mut accepted, mut looks, mut asked_again, mut refusals) = (false, 0, 0, 0);
        loop {
            let seen = self.look(until).await?;
            if goal.reached(&seen) {
                return Ok(seen);
            }
            if self.engine.ports.clock.now() >= until {
                return Err(format!("{} did not come about in time; it is {}", name(mutation), seen.state));
            }
            let moving = seen.state == ResourceState::Changing;
            if accepted && !moving {
                looks += 1;
                if looks > LOOKS {
                    asked_again += 1;
                    (accepted, looks) = (false, 0);
                }
                if asked_again >= 2 {
                    return Err(format!("{} was accepted and did not stick", name(mutation)));
                }
            }
            // Where the switch cannot be asked, nothing is asked of the cloud either.
            let free = !accepted && !moving && self.may_ask().await?;
            if free {
                match self.act.apply(&self.resource, mutation).await {
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

const fn name(mutation: &Mutation) -> &'static str {
    match mutation {
        Mutation::Stop => "the stop",
        Mutation::Start => "the start",
        Mutation::Resize { .. } => "the new size",
        Mutation::Snapshot { .. } => "the snapshot",
    }
}

/// The first field that is not as expected, in words.
fn difference(step: &Step, seen: &Observed) -> Option<String> {
    step.expect.iter().find_map(|(field, wanted)| {
        let found = match field.as_str() {
            "state" => seen.state.as_str(),
            "instance_type" => seen.instance_type.as_deref().unwrap_or("unknown"),
            _ => return Some(format!("the plan expects {field}, which cannot be read")),
        };
        (found != wanted).then(|| format!("{field} is {found}, not {wanted}"))
    })
}
