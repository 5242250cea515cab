//! Retention of the running log: what readers see of it, the deletion of what has expired, moves to
//! farther tiers, and restores.
//!
//! Nothing is deleted that a hold, an unreadable segment or a doubtful policy could cover: each
//! segment is read as a whole before it goes, its rows are compared with the log, every hold is
//! evaluated on every entry, and the policies and holds of the state store are compared with those
//! that the log records.

mod clock;
mod content;
mod erasure;
mod moves;
mod recorded;
mod restores;

use std::collections::HashMap;
use std::sync::Arc;

use async_trait::async_trait;
use jiff::{SignedDuration, Timestamp};
use parking_lot::Mutex;
use reeve_audit::{
    ActionMethod, ActionStatus, Actor, Draft, Entry, EventKind, Json, Obstacle, ResourceRef, events,
};
use reeve_http::retention::{Retention, RetentionRun};
use reeve_lake::{EntrySegments, IcebergTables};
use reeve_ledger::{Ledger, SegmentContent, SegmentMeta, SegmentStore as _, Tombstone};
use reeve_recommend::ports::Clock;
use reeve_retention::{
    Course, HoldAnswer, LegalHold, PolicySet, PolicyVersion, Restore, RestoreProgress,
    RetentionStore, SegmentSurvey, SegmentVerdict, TierContent,
};
use reeve_trail::Trail;
use serde_json::json;

use content::ContentReading;

/// Segments that pass their period within this time are looked at ahead, so that they cease to be
/// shown in time.
pub(crate) const AHEAD: SignedDuration = SignedDuration::from_hours(1);

/// Retention over the open log.
pub(crate) struct LogRetention {
    pub(crate) ledger: Ledger,
    pub(crate) segments: Arc<EntrySegments>,
    pub(crate) tables: Arc<IcebergTables>,
    pub(crate) trail: Trail,
    pub(crate) store: Arc<dyn RetentionStore>,
    pub(crate) clock: Arc<dyn Clock>,
    /// Event types and times of segments, which never change.
    pub(crate) surveys: Mutex<HashMap<String, SegmentSurvey>>,
    pub(crate) changes: Arc<tokio::sync::Mutex<()>>,
    pub(crate) running: tokio::sync::Mutex<()>,
    pub(crate) restoring: tokio::sync::Mutex<()>,
    pub(crate) last: Mutex<Option<RetentionRun>>,
}

impl LogRetention {
    /// Over a log of which nothing is known yet.
    pub(crate) fn new(
        ledger: Ledger,
        (segments, tables): (Arc<EntrySegments>, Arc<IcebergTables>),
        trail: Trail,
        store: Arc<dyn RetentionStore>,
        clock: Arc<dyn Clock>,
    ) -> Self {
        LogRetention {
            ledger,
            segments,
            tables,
            trail,
            store,
            clock,
            surveys: Mutex::default(),
            changes: Arc::default(),
            running: tokio::sync::Mutex::default(),
            restoring: tokio::sync::Mutex::default(),
            last: Mutex::default(),
        }
    }

    /// Segments that have not expired.
    fn live(&self) -> Vec<SegmentMeta> {
        let all = self.ledger.segments();
        let live = all.iter().filter(|segment| segment.expired.is_none());
        live.cloned().collect()
    }

    /// Segments that could have expired at a time, by what the manifest says of them. The others
    /// need not be read. By the presets nothing expires: a log that was kept whole until today is
    /// not shortened before a person has saved the policies.
    fn candidates(&self, policies: &PolicySet, at: Timestamp) -> Vec<SegmentMeta> {
        if policies.version == 0 {
            return Vec::new();
        }
        let mut live = self.live();
        live.retain(|segment| {
            let known = segment.max_recorded_at_ms.unwrap_or(i64::MIN);
            let clock = Timestamp::from_millisecond(segment.max_timestamp_ms.max(known));
            clock.is_ok_and(|clock| policies.may_expire(clock, at))
        });
        live
    }

    async fn survey(&self, segment: &SegmentMeta) -> Result<SegmentSurvey, Obstacle> {
        if let Some(known) = self.surveys.lock().get(&segment.path) {
            return Ok(known.clone());
        }
        let survey = content::survey(self.content(segment).await?)?;
        self.surveys
            .lock()
            .insert(segment.path.clone(), survey.clone());
        Ok(survey)
    }

    /// Content of a segment: from the manifest, where it was moved.
    async fn content(&self, segment: &SegmentMeta) -> Result<SegmentContent, Obstacle> {
        match &segment.moved {
            Some(moved) => Ok(moved.content.clone()),
            None => {
                let content = self.segments.content(segment).await;
                content.map_err(Obstacle::of)
            }
        }
    }

    /// Policies and holds in force, which the log records too.
    async fn in_force(&self) -> Result<(PolicyVersion, Vec<LegalHold>), Obstacle> {
        let saved = self.store.retention_get().await.map_err(Obstacle::of)?;
        saved.set.check().map_err(Obstacle::of)?;
        let holds = self.store.hold_list().await.map_err(Obstacle::of)?;
        let now = self.clock.now();
        recorded::policies(&self.trail, &saved.set, now).await?;
        recorded::holds(&self.trail, &holds, now).await?;
        Ok((saved, holds))
    }

    /// Expires a segment if it may go, and deletes its files. Returns what the run counts.
    async fn expire(&self, segment: &SegmentMeta, run: &mut RetentionRun) -> Result<(), Obstacle> {
        let changing = self.changes.lock().await;
        let (PolicyVersion { set: policies, .. }, holds) = self.in_force().await?;
        let reading = ContentReading::of(&self.ledger, &self.segments, segment, &holds).await?;
        let looked_at = reading.looked_at;
        let verdict = reading
            .survey
            .verdict(&policies, self.clock.now(), || reading.holds);
        let expired_at = match verdict {
            SegmentVerdict::Due(at) => at,
            SegmentVerdict::Held(_) => {
                run.held += 1;
                return Ok(());
            }
            SegmentVerdict::Permanent | SegmentVerdict::Kept(_) => return Ok(()),
        };

        let stated = json!({
            "first_sequence": segment.first_sequence,
            "last_sequence": segment.last_sequence,
            "entries": segment.count,
            "event_types": reading.survey.event_types,
            "sha256": segment.sha256,
            "commitments_root": reading.root.to_string(),
            "class": segment.class,
            "policy_version": policies.version,
            "expired_at": expired_at,
            "newest_timestamp": reading.survey.newest_timestamp,
            "newest_recorded_at": reading.survey.newest_recorded_at,
            "holds": looked_at,
        });
        let tombstone = Tombstone {
            path: segment.path.clone(),
            entry: self.entry(&events::EXPIRE, "expire_segment", &segment.path, stated)?,
            policy_version: policies.version,
        };
        let receipt = self.ledger.expire(tombstone).await.map_err(Obstacle::of)?;
        drop(changing);

        run.segments += 1;
        run.entries += segment.count;
        run.freed_bytes += self.free(&segment.path, &receipt.event_id).await?;
        Ok(())
    }

    /// Deletes the files of an expired segment and records how many bytes went.
    async fn free(&self, path: &str, expiry: &str) -> Result<u64, Obstacle> {
        self.withdraw_tables().await?;
        let bytes = self.ledger.free(path).await.map_err(Obstacle::of)?;
        let stated = json!({ "expiry": expiry, "freed_bytes": bytes });
        let entry = self.entry(&events::FREE, "free_segment", path, stated)?;
        self.ledger.freed(path, entry).await.map_err(Obstacle::of)?;
        self.surveys.lock().remove(path);
        Ok(bytes)
    }

    /// Deletes metadata of tables that names files which readers no longer see.
    async fn withdraw_tables(&self) -> Result<(), Obstacle> {
        self.tables.withdraw(|| self.ledger.view().segments).await
    }

    fn entry(
        &self,
        kind: &EventKind,
        operation: &str,
        path: &str,
        stated: serde_json::Value,
    ) -> Result<Draft, Obstacle> {
        let now = self.clock.now();
        let mut entry = Entry::for_event(kind)
            .at(now)
            .by(Actor::system())
            .on(ResourceRef::new("segment", path))
            .with_action(operation, ActionStatus::Success, ActionMethod::Scheduled);
        for (name, value) in stated.as_object().cloned().unwrap_or_default() {
            entry = entry.with_metadata(&name, Json::from(value));
        }
        Draft::by_reeve(entry, now)
            .map_err(|faults| Obstacle::of(format_args!("the entry is refused: {faults:?}")))
    }

    /// Ends what a run before began: files of segments that are marked as expired.
    async fn finish(&self, run: &mut RetentionRun) {
        for segment in self.ledger.segments().iter() {
            let Some(mark) = segment.expired.filter(|mark| mark.freed.is_none()) else {
                continue;
            };
            let found = self.trail.by_sequence(mark.entry).await;
            let expiry = match &found {
                Ok(Some(stored)) => stored.entry.event_id.as_str().to_owned(),
                _ => format!("entry {}", mark.entry),
            };
            match self.free(&segment.path, &expiry).await {
                Ok(bytes) => run.freed_bytes += bytes,
                Err(obstacle) => run.failures.push(String::from(obstacle)),
            }
        }
    }
}

#[async_trait]
impl Retention for LogRetention {
    async fn course(&self, policies: &PolicySet) -> Result<Course, Obstacle> {
        let mut surveyed = Vec::new();
        for segment in self.live() {
            let survey = self.survey(&segment).await?;
            surveyed.push((survey, segment.count, segment.bytes));
        }
        let segments = surveyed
            .iter()
            .map(|(survey, count, bytes)| (survey, *count, *bytes));
        Ok(reeve_retention::course(
            policies,
            segments,
            self.clock.now(),
        ))
    }

    async fn tiers(&self, policies: &PolicySet) -> Result<Vec<TierContent>, Obstacle> {
        moves::tiers(self, policies).await
    }

    async fn restore(&self) -> Result<(), Obstacle> {
        restores::round(self).await
    }

    fn progress(&self, restore: &Restore) -> RestoreProgress {
        restores::progress(self, restore)
    }

    async fn run(&self) -> Result<RetentionRun, Obstacle> {
        let _one = self.running.lock().await;
        let started_at = self.clock.now();
        let mut run = RetentionRun {
            started_at,
            finished_at: started_at,
            segments: 0,
            entries: 0,
            freed_bytes: 0,
            held: 0,
            moved_segments: 0,
            moved_entries: 0,
            moved_bytes: 0,
            failures: Vec::new(),
        };
        self.finish(&mut run).await;
        moves::settle(self, &mut run).await;
        let (saved, _) = self.in_force().await?;
        let candidates = self.candidates(&saved.set, started_at);
        if !candidates.is_empty() {
            clock::believed(&self.trail, &saved, started_at).await?;
        }

        for segment in candidates {
            let outcome = match self.survey(&segment).await {
                Ok(survey) if is_due(&survey, &saved.set, started_at) => {
                    self.expire(&segment, &mut run).await
                }
                Ok(_) => Ok(()),
                Err(obstacle) => Err(obstacle),
            };
            if let Err(obstacle) = outcome {
                run.failures
                    .push(format!("{}: {}", segment.path, obstacle.as_str()));
            }
        }

        moves::run(self, &saved.set, &mut run).await;

        run.finished_at = self.clock.now();
        *self.last.lock() = Some(run.clone());
        Ok(run)
    }

    async fn apply(&self) -> Result<(), Obstacle> {
        let (PolicyVersion { set: policies, .. }, holds) = self.in_force().await?;
        let classes = policies.clone();
        self.ledger.classify(Arc::new(move |event_type| {
            classes.class_of(event_type.as_str()).to_owned()
        }));

        let soon = self.clock.now() + AHEAD;
        let any_hold = holds.iter().any(LegalHold::is_in_force);
        let mut deadlines: HashMap<String, Timestamp> = HashMap::new();
        for segment in self.candidates(&policies, soon) {
            let survey = self.survey(&segment).await?;
            let Some(dates) = survey
                .tiers(&policies)
                .filter(|dates| dates.delete_at <= soon)
            else {
                continue;
            };
            // What a hold keeps stays visible, and so does what cannot be read.
            let is_held = any_hold
                && ContentReading::of(&self.ledger, &self.segments, &segment, &holds)
                    .await
                    .map_or(true, |reading| reading.holds != HoldAnswer::Clear);
            if !is_held {
                deadlines.insert(segment.path, dates.delete_at);
            }
        }
        self.ledger.conceal(deadlines).await;
        Ok(())
    }

    fn last_run(&self) -> Option<RetentionRun> {
        self.last.lock().clone()
    }

    fn changes(&self) -> Arc<tokio::sync::Mutex<()>> {
        self.changes.clone()
    }
}

/// Returns `true` if the period of a segment has passed.
fn is_due(survey: &SegmentSurvey, policies: &PolicySet, now: Timestamp) -> bool {
    survey
        .tiers(policies)
        .is_some_and(|dates| dates.delete_at <= now)
}
