//! Snapshot steps: the state of a machine before it changes, and copies of disks and databases in
//! the cloud.

use jiff::SignedDuration;
use reeve_audit::Obstacle;
use reeve_estate::{ActErrorKind, Applied, Mutation, Resource, ResourceKind};
use reeve_recommend::change::Task;

use crate::execution::runner::{Done, ExecutionRunner};

/// Seconds between two looks at a snapshot.
const POLL_S: u64 = 15;
/// A snapshot that takes longer is given up; nothing has been changed by then.
const LIMIT_S: i64 = 3 * 3600;

impl ExecutionRunner {
    /// Keeps the state before: a record of a machine, a snapshot of anything that holds data.
    pub(crate) async fn snapshot(&mut self, task: &Task) -> Result<Done, Obstacle> {
        let own = task.resource == self.resource.id.0;
        if own && self.resource.kind == ResourceKind::VirtualMachine {
            return self.note_machine().await;
        }

        let target = if own {
            self.resource.clone()
        } else {
            self.volume(&task.resource).await?
        };

        let description = format!("reeve {}: {}", self.recommendation.id.0, task.description);
        let mutation = Mutation::Snapshot { description };
        let begun = self.execution.records.clock.now();
        let taken = loop {
            if !self.may_ask().await? {
                self.wait(POLL_S).await?;
                continue;
            }
            match self.act.apply(&target, &mutation).await {
                Ok(Applied::Snapshot(snapshot)) => break snapshot,
                Ok(Applied::Accepted | Applied::Pending) => {
                    return Err(Obstacle::of("the cloud named no snapshot"));
                }
                Err(error) if error.kind == ActErrorKind::Throttled && !self.is_past(begun) => {
                    self.wait(POLL_S).await?;
                }
                Err(error) if error.kind == ActErrorKind::Unknown => {
                    let hint = "a snapshot may have been started; its description contains the recommendation's identifier";
                    return Err(Obstacle::of(format_args!("{} ({hint})", error.message)));
                }
                Err(error) => return Err(self.refused(error).into()),
            }
        };

        loop {
            match self
                .act
                .snapshot_complete(&target.id, &target.region, &taken)
                .await
            {
                Ok(true) => break,
                Ok(false) if self.is_past(begun) => {
                    return Err(Obstacle::of(format_args!(
                        "snapshot {} is not complete after hours",
                        taken.id
                    )));
                }
                Ok(false) => {}
                Err(error)
                    if matches!(error.kind, ActErrorKind::Unknown | ActErrorKind::Throttled)
                        && !self.is_past(begun) => {}
                Err(error) => return Err(self.refused(error).into()),
            }
            self.wait(POLL_S).await?;
        }

        let after = vec![
            ("snapshot".to_owned(), taken.id.clone()),
            ("of".to_owned(), target.id.0.clone()),
        ];
        Ok(Done {
            detail: format!("snapshot {} of {} is complete", taken.id, target.id),
            after,
            ..Done::default()
        })
    }

    fn is_past(&self, begun: jiff::Timestamp) -> bool {
        self.execution.records.clock.now() >= begun + SignedDuration::from_secs(LIMIT_S)
    }

    async fn note_machine(&mut self) -> Result<Done, Obstacle> {
        self.look(self.deadline()).await?;
        let mut state = self.state_of_resource();
        let volumes = self
            .act
            .volumes_of(&self.resource)
            .await
            .map_err(|error| error.message)?;
        let names: Vec<&str> = volumes.iter().map(|volume| volume.id.as_str()).collect();
        if !names.is_empty() {
            state.push(("volumes".to_owned(), names.join(",")));
        }

        Ok(Done {
            detail: "the state before the change is recorded".to_owned(),
            before: state,
            ..Done::default()
        })
    }

    async fn volume(&self, id: &str) -> Result<Resource, Obstacle> {
        let volumes = self
            .act
            .volumes_of(&self.resource)
            .await
            .map_err(|error| error.message)?;
        let found = volumes.into_iter().find(|volume| volume.id.as_str() == id);
        found.ok_or_else(|| {
            Obstacle::of(format_args!(
                "volume {id} is no longer attached to {}",
                self.resource.id
            ))
        })
    }
}
