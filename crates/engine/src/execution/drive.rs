//! Looking at a resource, checking it, and changing it until the change is seen.
//!
//! Every change is driven by observation: ask, look, ask again only when the look shows that it did
//! not happen. So a lost answer, a retry after a restart and a rollback are all the same walk.

use std::sync::Arc;

use jiff::Timestamp;
use reeve_audit::Obstacle;
use reeve_estate::{
    ActErrorKind, Applied, Observed, PriceCatalogue, Resource, ResourceKind, ResourceState,
};
use reeve_recommend::action::Purpose;
use reeve_recommend::change::{Goal, Task, prior_of_v1};
use reeve_recommend::guardrail::ownership::{is_opted_out, owned_by_code};
use reeve_recommend::guardrail::protection::refusal;
use reeve_recommend::plan::{Loss, LossKind, Plan};

use crate::execution::runner::{Done, ExecutionRunner, STOPPED};

/// Seconds between two looks.
const POLL_S: u64 = 5;
/// Looks after which a change that was accepted counts as not stuck, or is requested again.
const LOOKS: u32 = 12;
/// Times a refusal that may pass (busy, no capacity, lost answer) is tried again.
const TRIES: u32 = 3;

impl ExecutionRunner {
    /// State and size of the resource as last observed, and what else the change is about.
    pub(crate) fn state_of_resource(&self) -> Vec<(String, String)> {
        self.noted(&self.resource)
    }

    fn noted(&self, resource: &Resource) -> Vec<(String, String)> {
        let state = ("state", Some(resource.state.as_str().to_owned()));
        let size = (
            "instance_type",
            resource.specification.instance_type.clone(),
        );
        let notes = self.procedure.change().notes(resource);

        [state, size]
            .into_iter()
            .chain(notes)
            .filter_map(|(name, value)| Some((name.to_owned(), value?)))
            .collect()
    }

    /// The resource before anything was done.
    pub(crate) fn prior(&self) -> Resource {
        match &self.action.prior {
            Some(prior) => (**prior).clone(),
            None => prior_of_v1(&self.action.before, &self.resource),
        }
    }

    /// Returns `true` if the resource is what it was before anything was done.
    pub(crate) fn is_as_before(&self, seen: &Observed) -> bool {
        let prior = self.prior();
        self.noted(&prior) == self.noted(&seen.resource)
            && self
                .procedure
                .change()
                .undo(&prior, &seen.resource)
                .is_none()
    }

    /// Reads the resource anew; what may pass is tried again until a time.
    pub(crate) async fn look(&mut self, until: Timestamp) -> Result<Observed, Obstacle> {
        loop {
            let seen = if self.procedure.change().reads_configuration() {
                self.act.observe_configuration(&self.resource).await
            } else {
                self.act.observe(&self.resource).await
            };
            match seen {
                Ok(mut seen) => {
                    seen.resource.state = seen.state;
                    self.resource = seen.resource.clone();
                    return Ok(seen);
                }
                Err(error) => {
                    let passing =
                        matches!(error.kind, ActErrorKind::Unknown | ActErrorKind::Throttled);
                    if !passing || self.execution.records.clock.now() >= until {
                        return Err(self.refused(error).into());
                    }
                }
            }
            self.wait(POLL_S).await?;
        }
    }

    /// Checks that the resource is still what the finding saw, and keeps the state before.
    pub(crate) async fn precondition(&mut self, task: &Task) -> Result<Done, Obstacle> {
        let seen = self.look(self.deadline()).await?;
        if let Some(difference) = task.difference(&seen.resource) {
            return Err(Obstacle::of(format_args!(
                "the resource has changed since the recommendation: {difference}"
            )));
        }

        if let Some(group) = &seen.resource.group {
            return Err(Obstacle::of(format_args!(
                "it belongs to group {group} now"
            )));
        }
        if is_opted_out(&seen.resource) {
            return Err(Obstacle::of("a tag now excludes the resource from changes"));
        }

        self.nothing_more_is_lost(&seen.resource)?;
        let known = self.recommendation.subject.managed_by_code;
        if !known
            && self.action.purpose == Purpose::Apply
            && owned_by_code(&seen.resource).is_some()
        {
            return Err(Obstacle::of(
                "it is now managed by infrastructure as code; change it there",
            ));
        }

        self.every_volume_kept().await?;
        let state = self.state_of_resource();
        self.action.before = state.clone();
        self.action.prior = Some(Box::new(seen.resource));

        Ok(Done {
            detail: "unchanged since the finding".to_owned(),
            before: state.clone(),
            after: state,
        })
    }

    /// Checks what the cloud says now against the protections and the losses that the plan states:
    /// a tag, a cluster or an address may have come since.
    fn nothing_more_is_lost(&self, seen: &Resource) -> Result<(), Obstacle> {
        let (change, catalogue) = (self.procedure.change(), PriceCatalogue::builtin());
        if let Some(protected) = refusal(seen, change.name(), catalogue) {
            return Err(Obstacle::of(format_args!(
                "the resource is protected from this change: {}",
                protected.reason
            )));
        }

        if self.action.purpose != Purpose::Apply {
            return Ok(());
        }

        let depends = |kind| matches!(kind, LossKind::Address | LossKind::LocalDisks);
        let now = Plan::new(&**change, seen.id.as_str())
            .with_losses(seen, catalogue)
            .losses;
        let stated = &self.procedure.plan().losses;
        let is_new = |loss: &&Loss| {
            depends(loss.kind)
                && loss.lasting
                && !stated.iter().any(|known| known.kind == loss.kind)
        };

        match now
            .iter()
            .find(is_new)
            .filter(|_| change.restarts() || change.name() == "stop_machine")
        {
            Some(loss) => Err(Obstacle::of(format_args!(
                "the plan does not state this loss, so run the agent again: {}",
                loss.detail
            ))),
            None => Ok(()),
        }
    }

    /// Reads the resource until it is what the plan wanted, or for long enough to know that it will
    /// not be.
    pub(crate) async fn verify(&mut self, task: &Task) -> Result<Done, Obstacle> {
        let mut looks = 0;
        loop {
            let seen = self.look(self.deadline()).await?;
            let Some(difference) = task.difference(&seen.resource) else {
                let after = self.state_of_resource();
                return Ok(Done {
                    detail: "the change took effect".to_owned(),
                    after,
                    ..Done::default()
                });
            };
            // What is still on its way (members that start, a replica that is made) has until the
            // deadline.
            looks += u32::from(seen.state != ResourceState::Changing);
            if looks > LOOKS || self.execution.records.clock.now() >= self.deadline() {
                return Err(Obstacle::of(format_args!(
                    "the change did not take effect: {difference}"
                )));
            }
            self.wait(POLL_S).await?;
        }
    }

    /// Asks for a change until it has come about.
    pub(crate) async fn change(
        &mut self,
        goal: &Arc<dyn Goal>,
        until: Timestamp,
    ) -> Result<Done, Obstacle> {
        let before = self.state_of_resource();
        self.drive(&**goal, until).await?;
        Ok(Done {
            detail: "done".to_owned(),
            before,
            after: self.state_of_resource(),
        })
    }

    /// Leaves the resource as it is until a time. A test does not wait for it.
    pub(crate) async fn hold(&mut self, until: Timestamp) -> Result<Done, Obstacle> {
        while self.action.purpose == Purpose::Apply && self.execution.records.clock.now() < until {
            self.wait(POLL_S).await?;
        }

        self.look(self.deadline()).await?;
        Ok(Done {
            detail: "its time limit is reached".to_owned(),
            after: self.state_of_resource(),
            ..Done::default()
        })
    }

    /// A change of the plan that keeps snapshots of a machine's volumes keeps one of each: a volume
    /// that was attached since the finding has none.
    async fn every_volume_kept(&self) -> Result<(), Obstacle> {
        let machine = self.resource.kind == ResourceKind::VirtualMachine;
        let Some(kept) = self.procedure.change().volumes_kept().filter(|_| machine) else {
            return Ok(());
        };

        let volumes = self
            .act
            .volumes_of(&self.resource)
            .await
            .map_err(|error| error.message)?;

        match volumes.iter().find(|volume| !kept.contains(&volume.id.0)) {
            Some(volume) => Err(Obstacle::of(format_args!(
                "the plan keeps no snapshot of volume {}; run the agent again",
                volume.id
            ))),
            None => Ok(()),
        }
    }

    async fn drive(&mut self, goal: &dyn Goal, until: Timestamp) -> Result<Observed, Obstacle> {
        let (mut accepted, mut looks, mut asked_again, mut refusals) = (false, 0, 0, 0);
        loop {
            let seen = self.look(until).await?;
            if goal.is_reached(&seen.resource) {
                return Ok(seen);
            }
            if self.execution.records.clock.now() >= until {
                return Err(Obstacle::of(format_args!(
                    "{} was not reached in time; it is {}",
                    goal.name(),
                    seen.state
                )));
            }
            let moving = seen.state == ResourceState::Changing;
            if accepted && !moving {
                looks += 1;
                if looks > LOOKS {
                    asked_again += 1;
                    (accepted, looks) = (false, 0);
                }
                if asked_again >= 2 {
                    return Err(Obstacle::of(format_args!(
                        "{} was accepted but did not take effect",
                        goal.name()
                    )));
                }
            }
            // Where the switch cannot be asked, nothing is asked of the cloud either.
            let free = !accepted && (!moving || goal.may_interleave()) && self.may_ask().await?;
            if free {
                let operation = goal.operation(&seen.resource);
                self.serves_nobody(&*operation).await?;
                match self.act.apply(&self.resource, &*operation).await {
                    // The next request tells how it ends.
                    Ok(Applied::Pending) => {}
                    Ok(_) if goal.ends_when_accepted() => return Ok(seen),
                    Ok(_) => accepted = true,
                    Err(error) => {
                        let passing = matches!(
                            error.kind,
                            ActErrorKind::Unknown
                                | ActErrorKind::WrongState
                                | ActErrorKind::NoCapacity
                        );
                        refusals += u32::from(error.kind != ActErrorKind::Throttled);
                        if !(passing || error.kind == ActErrorKind::Throttled) || refusals > TRIES {
                            return Err(self.refused(error).into());
                        }
                    }
                }
            }
            self.wait(POLL_S).await?;
        }
    }

    /// Returns `true` if a change may be requested now; `false` while that is unknown.
    pub(crate) async fn may_ask(&self) -> Result<bool, Obstacle> {
        match self.is_stopped().await {
            Ok(false) => Ok(true),
            Ok(true) => Err(STOPPED.into()),
            Err(_) => Ok(false),
        }
    }
}
