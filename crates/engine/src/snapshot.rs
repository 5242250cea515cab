//! Snapshot steps: the state of a machine before it changes, and copies of disks and databases in the cloud.

use jiff::SignedDuration;
use reeve_estate::{ActErrorKind, Applied, Mutation, Resource, ResourceKind};

use super::runner::{Done, Runner};
use reeve_recommend::plan::{Step, StepKind};

/// Seconds between two looks at a snapshot.
const POLL_S: u64 = 15;
/// A snapshot that takes longer is given up; nothing has been changed by then.
const LIMIT_S: i64 = 3 * 3600;

impl Runner {
    /// Keeps the state before: a record of a machine, a snapshot of anything that holds data.
    pub(super) async fn snapshot(&mut self, step: &Step) -> Result<Done, String> {
        let own = step.resource == self.resource.id.0;
        if own && self.resource.kind == ResourceKind::VirtualMachine {
            return self.note_machine().await;
        }
        let target = if own { self.resource.clone() } else { self.volume(&step.resource).await? };
        let description = format!("reeve {}: {}", self.of.id.0, step.description);
        let mutation = Mutation::Snapshot { description };
        let begun = self.engine.ports.clock.now();
        let taken = loop {
            if !self.may_ask().await? {
                self.wait(POLL_S).await?;
                continue;
            }
            match self.act.apply(&target, &mutation).await {
                Ok(Applied::Snapshot(snapshot)) => break snapshot,
                Ok(Applied::Accepted) => return Err("the cloud named no snapshot".to_owned()),
                Err(error) if error.kind == ActErrorKind::Throttled && !self.is_past(begun) => {
                    self.wait(POLL_S).await?;
                }
                Err(error) if error.kind == ActErrorKind::Unknown => {
                    let hint = "a snapshot may have been begun; its description carries the recommendation's id";
                    return Err(format!("{} ({hint})", error.message));
                }
                Err(error) => return Err(error.message),
            }
        };
        loop {
            match self.act.snapshot_complete(&target.id, &target.region, &taken).await {
                Ok(true) => break,
                Ok(false) if self.is_past(begun) => {
                    return Err(format!("snapshot {} is not complete after hours", taken.id));
                }
                Ok(false) => {}
                Err(error)
                    if matches!(error.kind, ActErrorKind::Unknown | ActErrorKind::Throttled)
                        && !self.is_past(begun) => {}
                Err(error) => return Err(error.message),
            }
            self.wait(POLL_S).await?;
        }
        let after = vec![("snapshot".to_owned(), taken.id.clone()), ("of".to_owned(), target.id.0.clone())];
        Ok(Done { detail: format!("snapshot {} of {} is complete", taken.id, target.id), after, ..Done::default() })
    }

    fn is_past(&self, begun: jiff::Timestamp) -> bool {
        self.engine.ports.clock.now() >= begun + SignedDuration::from_secs(LIMIT_S)
    }

    async fn note_machine(&mut self) -> Result<Done, String> {
        self.look(self.deadline()).await?;
        let mut state = self.state_of_resource();
        let volumes = self.act.volumes_of(&self.resource).await.map_err(|error| error.message)?;
        let names: Vec<&str> = volumes.iter().map(|volume| volume.id.as_str()).collect();
        if !names.is_empty() {
            state.push(("volumes".to_owned(), names.join(",")));
        }
        Ok(Done { detail: "the state before the change is recorded".to_owned(), before: state, ..Done::default() })
    }

    async fn volume(&self, id: &str) -> Result<Resource, String> {
        let volumes = self.act.volumes_of(&self.resource).await.map_err(|error| error.message)?;
        let found = volumes.into_iter().find(|volume| volume.id.as_str() == id);
        found.ok_or_else(|| format!("volume {id} is no longer attached to {}", self.resource.id))
    }

    /// Where a plan stops a machine for good, each of its volumes must have a snapshot step: one attached since the
    /// finding has none.
    pub(super) async fn every_volume_kept(&self) -> Result<(), String> {
        let has = |kind| self.plan.steps.iter().any(|step| step.kind == kind);
        let stays_off = has(StepKind::Stop) && !has(StepKind::Start);
        if !stays_off || self.resource.kind != ResourceKind::VirtualMachine {
            return Ok(());
        }
        let kept = |id: &str| self.plan.steps.iter().any(|s| s.kind == StepKind::Snapshot && s.resource == id);
        let volumes = self.act.volumes_of(&self.resource).await.map_err(|error| error.message)?;
        match volumes.iter().find(|volume| !kept(volume.id.as_str())) {
            Some(volume) => Err(format!("the plan keeps no snapshot of volume {}; run the agent again", volume.id)),
            None => Ok(()),
        }
    }
}
