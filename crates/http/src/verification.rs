//! Verifying the running log: the port of what does it, and the jobs of late.
//!
//! One verification runs at a time. What it found is kept in memory for a while, and for good as an
//! entry of the log.

use std::collections::VecDeque;

use async_trait::async_trait;
use jiff::Timestamp;
use parking_lot::Mutex;
use reeve_access::UserId;
use reeve_audit::Obstacle;

/// Jobs that are remembered.
const REMEMBERED: usize = 20;

/// Reads the whole log anew and says what holds; the server adapts the auditor to it.
#[async_trait]
pub trait Verifier: Send + Sync {
    /// Verifies what the log holds at the beginning. The message says why nothing could be found
    /// out.
    async fn verify(&self) -> Result<Verified, Obstacle>;
}

/// Result of a verification.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Verified {
    /// Entries in the log when it began.
    pub size: u64,
    /// Root over them as recomputed, hex; `None` when it could not be.
    pub root: Option<String>,
    /// Entries whose payload was checked.
    pub intact: u64,
    /// Entries that a retention policy allowed to go, and whose commitments were checked.
    pub expired: u64,
    /// Entries in a tier that was not read, and whose commitments were checked.
    pub elsewhere: u64,
    /// Entries that are nowhere.
    pub missing: u64,
    /// First and last of each run of missing ones, as far as they are listed.
    pub missing_ranges: Vec<(u64, u64)>,
    /// Segment files that were checked.
    pub segments: u64,
    /// Checkpoints whose signature holds.
    pub checkpoints: u64,
    /// Failed checks, as far as they are listed.
    pub findings: Vec<VerificationFault>,
    pub findings_total: u64,
    /// Remarks that break nothing.
    pub notes: Vec<String>,
    /// Parts that were not looked at.
    pub not_checked: Vec<String>,
}

/// One thing that does not hold.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VerificationFault {
    /// The file it stands in.
    pub file: String,
    /// First and last sequence concerned, where known.
    pub sequences: Option<(u64, u64)>,
    pub what: String,
}

/// State of a job.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum JobState {
    /// The job is under way.
    Running,
    /// Finished, whatever it found.
    Done(Box<Verified>),
    /// Nothing could be found out, and why.
    Failed(String),
}

/// A verification that somebody asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Job {
    pub id: String,
    pub by: UserId,
    pub started_at: Timestamp,
    pub finished_at: Option<Timestamp>,
    pub state: JobState,
}

/// The jobs of late, the newest last.
#[derive(Debug, Default)]
pub struct Jobs(Mutex<VecDeque<Job>>);

impl Jobs {
    /// Begins a job; the one under way instead when there is one.
    ///
    /// # Errors
    /// The job under way.
    pub fn begin(&self, by: &UserId, now: Timestamp) -> Result<Job, Job> {
        let mut jobs = self.0.lock();
        if let Some(running) = jobs.iter().find(|job| job.state == JobState::Running) {
            return Err(running.clone());
        }

        let job = Job {
            id: uuid::Uuid::now_v7().to_string(),
            by: by.clone(),
            started_at: now,
            finished_at: None,
            state: JobState::Running,
        };

        if jobs.len() == REMEMBERED {
            jobs.pop_front();
        }

        jobs.push_back(job.clone());
        Ok(job)
    }

    /// Ends a job with its outcome.
    pub fn end(&self, id: &str, outcome: Result<Verified, Obstacle>, now: Timestamp) {
        if let Some(job) = self.0.lock().iter_mut().find(|job| job.id == id) {
            job.finished_at = Some(now);
            job.state = match outcome {
                Ok(verified) => JobState::Done(Box::new(verified)),
                Err(obstacle) => JobState::Failed(obstacle.into()),
            };
        }
    }

    /// One of the jobs of late.
    #[must_use]
    pub fn get(&self, id: &str) -> Option<Job> {
        self.0.lock().iter().find(|job| job.id == id).cloned()
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn one_at_a_time_and_the_latest_are_remembered() {
        let (jobs, user, now) = (Jobs::default(), UserId("u".into()), Timestamp::UNIX_EPOCH);
        let mut ids = Vec::new();

        for _ in 0..REMEMBERED + 1 {
            let job = jobs.begin(&user, now).unwrap();
            assert_eq!(jobs.begin(&user, now).unwrap_err(), job);
            jobs.end(
                &job.id,
                Ok(Verified {
                    size: 3,
                    ..Verified::default()
                }),
                now,
            );
            assert!(
                matches!(&jobs.get(&job.id).unwrap().state, JobState::Done(found) if found.size == 3)
            );
            ids.push(job.id);
        }

        assert!(jobs.get(&ids[0]).is_none() && ids[1..].iter().all(|id| jobs.get(id).is_some()));
    }
}
