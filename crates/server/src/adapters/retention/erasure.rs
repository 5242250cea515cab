//! Erasure of a person's entries from the running log.
//!
//! A request runs once the log itself has it and two approvals by different people. Each segment is
//! read as a whole, wherever it lies, every hold is evaluated on every entry that goes, and the
//! segment is written anew without them. A run that was interrupted goes on from what the manifest
//! says. What lies in the cold tier waits for a restore: nobody but a person decides to fetch years of
//! entries to the local disk.

mod approvals;
mod included;

use std::collections::BTreeMap;

use async_trait::async_trait;
use reeve_audit::{
    ActionMethod, ActionStatus, Actor, Draft, Entry, Json, Obstacle, ResourceRef, events,
};
use reeve_http::erasures::{ErasedEntry, ErasurePreview, Erasures};
use reeve_http::retention::Retention as _;
use reeve_ledger::{Erasure, SegmentMeta};
use reeve_retention::{
    ErasedPart, ErasureOutcome, ErasureRequest, ErasureScope, ErasureStatus, HoldCheck, LegalHold,
};
use serde_json::json;

use super::LogRetention;
use included::Included;

/// Entries that one rewriting of a segment takes out at most: their sequences are in its tombstone.
const MOST_AT_ONCE: usize = 10_000;

impl LogRetention {
    /// Goes on with a request. Returns it as it is to be stored.
    async fn erase(&self, request: &ErasureRequest) -> Result<ErasureRequest, Obstacle> {
        approvals::check(&self.trail, request, self.clock.now()).await?;
        let (_, holds) = self.in_force().await?;
        let included = Included::find(self, &request.scope, &holds).await?;
        let mut after = request.clone();
        after.version += 1;
        after.outcome.held = included.held.clone();
        after.outcome.evidence = included.evidence;
        after.outcome.needed_restore = None;
        if !included.held.is_empty() && !request.scope.keep_held {
            return self.refused(after).await;
        }

        for segment in included.segments(self).await? {
            while self.erase_some(request, &segment.segment).await? {}
        }

        after.outcome = self.outcome(request, after.outcome).await?;
        let holds = self.store.hold_list().await.map_err(Obstacle::of)?;
        let left = Included::find(self, &request.scope, &holds).await?;
        after.outcome.held = left.held.clone();
        after.outcome.evidence = left.evidence;
        after.outcome.unsealed = left.unsealed(self);
        if !left.held.is_empty() && !request.scope.keep_held {
            return self.refused(after).await;
        }
        after.outcome.needed_restore = included::needed_restore(self, &request.scope);
        let is_searched = after.outcome.needed_restore.is_none();
        after.status = match left.sequences.is_empty() && is_searched {
            true => ErasureStatus::Completed,
            false => ErasureStatus::Waiting,
        };
        if after.status == ErasureStatus::Completed {
            self.conclude(&mut after, None).await?;
        }
        Ok(after)
    }

    /// Ends a request that a legal hold refuses.
    async fn refused(&self, mut after: ErasureRequest) -> Result<ErasureRequest, Obstacle> {
        after.status = ErasureStatus::Refused;
        after.outcome = self.outcome(&after.clone(), after.outcome).await?;
        let holds: Vec<&str> = after.outcome.held.keys().map(String::as_str).collect();
        let reason = format!("legal holds include entries: {}", holds.join(", "));
        self.conclude(&mut after, Some(&reason)).await?;
        Ok(after)
    }

    /// Erases entries of a request from a segment, as many as one tombstone names. Returns `true`
    /// if others may be left in it.
    async fn erase_some(&self, request: &ErasureRequest, path: &str) -> Result<bool, Obstacle> {
        // Holds must not change between their evaluation and the tombstone.
        let changing = self.changes.lock().await;
        let (_, holds) = self.in_force().await?;
        let Some(segment) = self.rewritable(path).await? else {
            return Ok(false);
        };
        let check = HoldCheck::new(&holds);
        let looked_at = check.looked_at();
        let mut chosen = included::of_segment(self, &request.scope, &segment, &check).await?;
        if chosen.is_held && !request.scope.keep_held {
            return Ok(false);
        }
        let more = chosen.sequences.len() > MOST_AT_ONCE;
        chosen.sequences.truncate(MOST_AT_ONCE);
        if chosen.sequences.is_empty() {
            return Ok(false);
        }

        let rewritten = self
            .ledger
            .rewrite(&segment.path, &chosen.sequences)
            .await
            .map_err(Obstacle::of)?;
        let stated = json!({
            "request": request.id,
            "first_sequence": segment.first_sequence,
            "last_sequence": segment.last_sequence,
            "class": segment.class,
            "tier": segment.tier(),
            "entries": chosen.sequences.len(),
            "sequences": rewritten.sequences,
            "commitments_root": rewritten.root.to_string(),
            "sha256": segment.sha256,
            "path_after": rewritten.after.path,
            "sha256_after": rewritten.after.sha256,
            "holds": looked_at,
        });
        let erasure = Erasure {
            rewritten,
            request: request.id.clone(),
            entry: self.entry(&events::ERASE, "erase_entries", &segment.path, stated)?,
        };
        self.ledger.erase(erasure).await.map_err(Obstacle::of)?;
        self.surveys.lock().remove(&segment.path);
        drop(changing);
        self.withdraw_tables().await?;
        Ok(more)
    }

    /// Returns the segment that has this file, or had it before erasures, once the move of it has
    /// ended. `None` if it is gone, or lies in the cold tier and is not restored any longer.
    async fn rewritable(&self, path: &str) -> Result<Option<SegmentMeta>, Obstacle> {
        let Some(segment) = self.listed(path) else {
            return Ok(None);
        };
        let archived = self.ledger.view().archived;
        if archived.iter().any(|other| other.path == segment.path) {
            return Ok(None);
        }
        let leaving = segment.moved.as_ref().and_then(|moved| moved.leaving);
        if leaving.is_some() {
            let settled = self.ledger.settle(&segment.path).await;
            settled.map_err(Obstacle::of)?;
        }
        Ok(self.listed(path))
    }

    /// The segment that has this file, or had it before erasures.
    fn listed(&self, path: &str) -> Option<SegmentMeta> {
        let had = |segment: &&SegmentMeta| {
            (0..=segment.erased.len()).any(|erasures| segment.path_after(erasures) == path)
        };
        self.live().iter().find(had).cloned()
    }

    /// The outcome of a request as the manifest has it, after the replaced files are gone.
    async fn outcome(
        &self,
        request: &ErasureRequest,
        before: ErasureOutcome,
    ) -> Result<ErasureOutcome, Obstacle> {
        let freed = self.ledger.remove_replaced().await.map_err(Obstacle::of)?;
        let mut parts = Vec::new();
        for segment in self.ledger.segments().iter() {
            for (at, erased) in segment.erased.iter().enumerate() {
                if erased.request != request.id {
                    continue;
                }
                let found = self.trail.by_sequence(erased.entry).await;
                let tombstone = found.map_err(Obstacle::of)?;
                let tombstone =
                    tombstone.ok_or_else(|| Obstacle::of("a tombstone is not in the log"))?;
                parts.push(ErasedPart {
                    segment: segment.path_after(at),
                    class: segment.class.clone(),
                    first_sequence: segment.first_sequence,
                    last_sequence: segment.last_sequence,
                    entries: erased.count(),
                    entry: erased.entry,
                    tombstone: tombstone.entry.event_id.as_str().to_owned(),
                    at: tombstone.recorded_at,
                });
            }
        }
        parts.sort_by_key(|part| part.entry);
        Ok(ErasureOutcome {
            parts,
            freed_bytes: before.freed_bytes + freed,
            ..before
        })
    }

    /// Records the end of a request.
    async fn conclude(
        &self,
        after: &mut ErasureRequest,
        failure: Option<&str>,
    ) -> Result<(), Obstacle> {
        let now = self.clock.now();
        after.outcome.finished_at = Some(now);
        let status = match failure {
            None => ActionStatus::Success,
            Some(_) => ActionStatus::Failed,
        };
        let mut entry = Entry::for_event(&events::ERASURE_COMPLETE)
            .at(now)
            .by(Actor::system())
            .on(ResourceRef::new("erasure_request", &after.id))
            .with_action("complete_erasure", status, ActionMethod::Scheduled);
        let outcome = &after.outcome;
        let stated = [
            ("digest", json!(after.digest)),
            ("erased", json!(outcome.erased())),
            ("held", json!(outcome.held.values().sum::<u64>())),
            ("evidence", json!(outcome.evidence)),
            ("freed_bytes", json!(outcome.freed_bytes)),
            ("holds", json!(outcome.held.keys().collect::<Vec<_>>())),
        ];
        for (name, value) in stated {
            entry = entry.with_metadata(name, Json::from(value));
        }
        if let Some(failure) = failure {
            entry = entry.with_metadata("error", failure);
        }
        let draft = Draft::by_reeve(entry, now)
            .map_err(|faults| Obstacle::of(format_args!("the entry is refused: {faults:?}")))?;
        self.ledger
            .append(vec![draft])
            .await
            .map_err(Obstacle::of)?;
        Ok(())
    }

    /// Goes on with one request and stores what became of it.
    async fn go_on(&self, request: &ErasureRequest) -> Result<(), Obstacle> {
        let after = self.erase(request).await?;
        let is_changed = ErasureRequest {
            version: request.version,
            ..after.clone()
        } != *request;
        if is_changed {
            let stored = self.store.erasure_update(&after).await;
            stored.map_err(Obstacle::of)?;
        }
        match &after.outcome.needed_restore {
            None => Ok(()),
            Some(needed) => Err(Obstacle::of(format_args!(
                "{} segments of the cold tier may have entries of it and are not searched: restore the entries from {} to {}",
                needed.segments, needed.start_time, needed.end_time
            ))),
        }
    }
}

#[async_trait]
impl Erasures for LogRetention {
    async fn preview(&self, scope: &ErasureScope) -> Result<ErasurePreview, Obstacle> {
        let holds: Vec<LegalHold> = self.store.hold_list().await.map_err(Obstacle::of)?;
        let included = Included::find(self, scope, &holds).await?;
        let segments = included.segments(self).await?;
        Ok(ErasurePreview {
            entries: included.sequences.len() as u64,
            unsealed: included.unsealed(self),
            segments,
            needed_restore: included::needed_restore(self, scope)
                .as_ref()
                .map(Into::into),
            held: included.held,
            evidence: included.evidence,
        })
    }

    async fn run(&self) -> Vec<String> {
        let _one = self.running.lock().await;
        let mut failures = Vec::new();
        // What an interrupted run left goes first.
        if let Err(error) = self.ledger.remove_replaced().await {
            failures.push(error.to_string());
        }
        if let Err(obstacle) = self.withdraw_tables().await {
            failures.push(String::from(obstacle));
        }
        let requests = match self.store.erasure_list().await {
            Ok(requests) => requests,
            Err(error) => {
                failures.push(error.to_string());
                return failures;
            }
        };
        for request in requests.iter().filter(|request| request.status.is_due()) {
            if let Err(obstacle) = self.go_on(request).await {
                failures.push(format!("erasure {}: {}", request.id, obstacle.as_str()));
            }
            // A segment whose period has passed stays invisible under its new path.
            if let Err(obstacle) = self.apply().await {
                failures.push(String::from(obstacle));
            }
        }
        failures
    }

    async fn erased(&self, event_id: &str) -> Result<Option<ErasedEntry>, Obstacle> {
        let (ledger, event_id) = (self.ledger.clone(), event_id.to_owned());
        let found = tokio::task::spawn_blocking(move || {
            let (place, _) = ledger.sealed_place(&event_id)?;
            Ok::<_, std::io::Error>(
                place.and_then(|sequence| Some((sequence, ledger.erased(sequence)?))),
            )
        });
        let found = found.await.map_err(Obstacle::of)?.map_err(Obstacle::of)?;
        Ok(found.map(|(sequence, erased)| ErasedEntry {
            sequence,
            request: erased.request,
            tombstone: erased.entry,
        }))
    }
}

/// Counts by the identifier of a hold.
type HoldCounts = BTreeMap<String, u64>;
