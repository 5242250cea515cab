//! Restores: segments of the cold tier on the local disk for some days.
//!
//! The restores in force and the files alone decide which segments are there, so a start takes up
//! what was begun before.

use std::collections::HashSet;

use jiff::Timestamp;
use reeve_audit::{
    ActionMethod, ActionStatus, Actor, Draft, Entry, Json, Obstacle, ResourceRef, Tier, events,
};
use reeve_ledger::SegmentMeta;
use reeve_retention::{Restore, RestoreEnd, RestoreProgress, RetentionStoreError};

use super::LogRetention;

/// Fetches what restores in force ask for, ends those whose days have passed, and shows readers
/// what is there.
pub(super) async fn round(retention: &LogRetention) -> Result<(), Obstacle> {
    let _one = retention.restoring.lock().await;
    let all = retention.store.restore_list().await.map_err(Obstacle::of)?;
    let now = retention.clock.now();
    let mut in_force = Vec::new();
    for restore in all.into_iter().filter(Restore::is_in_force) {
        match restore.ends_at() {
            Some(at) if at <= now => end(retention, restore, now).await?,
            _ => in_force.push(restore),
        }
    }

    let wanted: Vec<SegmentMeta> = cold(retention)
        .filter(|segment| in_force.iter().any(|restore| asks_for(restore, segment)))
        .collect();
    let paths: HashSet<String> = wanted.iter().map(|segment| segment.path.clone()).collect();
    retention.segments.keep_restored(paths.clone());
    for segment in cold(retention) {
        if !paths.contains(&segment.path) {
            retention
                .segments
                .put_away(&segment)
                .map_err(Obstacle::of)?;
        }
    }
    show(retention, &wanted).await;

    let mut obstacle = None;
    for segment in &wanted {
        if retention.segments.is_here(segment) {
            continue;
        }
        match retention.segments.bring(segment).await {
            Ok(()) => show(retention, &wanted).await,
            Err(error) => {
                // The place is not asked for the others of this round.
                obstacle = Some(error.to_string());
                break;
            }
        }
    }
    for restore in in_force {
        note(retention, restore, obstacle.clone()).await?;
    }
    Ok(())
}

/// Returns how far a restore has come.
pub(super) fn progress(retention: &LogRetention, restore: &Restore) -> RestoreProgress {
    if !restore.is_in_force() {
        return RestoreProgress::default();
    }
    let asked = cold(retention).filter(|segment| asks_for(restore, segment));
    asked.fold(RestoreProgress::default(), |sum, segment| RestoreProgress {
        segments: sum.segments + 1,
        entries: sum.entries + segment.count,
        bytes: sum.bytes + segment.bytes,
        restored_segments: sum.restored_segments + u64::from(retention.segments.is_here(&segment)),
    })
}

fn cold(retention: &LogRetention) -> impl Iterator<Item = SegmentMeta> {
    let live = retention.live().into_iter();
    live.filter(|segment| segment.tier() == Tier::Cold)
}

fn asks_for(restore: &Restore, segment: &SegmentMeta) -> bool {
    restore.touches(segment.min_timestamp_ms, segment.max_timestamp_ms)
}

/// Shows readers those of the wanted segments that are there.
async fn show(retention: &LogRetention, wanted: &[SegmentMeta]) {
    let here = wanted
        .iter()
        .filter(|segment| retention.segments.is_here(segment))
        .map(|segment| segment.path.clone());
    retention.ledger.restored(here.collect()).await;
}

/// Notes that a restore is ready, or what keeps it from being so. One that a person ended meanwhile
/// is left alone.
async fn note(
    retention: &LogRetention,
    before: Restore,
    obstacle: Option<String>,
) -> Result<(), Obstacle> {
    let is_complete = progress(retention, &before).is_complete();
    let now = retention.clock.now();
    let after = Restore {
        ready_at: before.ready_at.or(is_complete.then_some(now)),
        obstacle: obstacle.filter(|_| !is_complete),
        ..before.clone()
    };
    if after == before {
        return Ok(());
    }
    match retention.store.restore_note(&after).await {
        Err(RetentionStoreError::Conflict(_)) => Ok(()),
        kept => kept.map_err(Obstacle::of),
    }
}

/// Ends a restore whose days have passed: the entry first, as with every change.
async fn end(retention: &LogRetention, before: Restore, now: Timestamp) -> Result<(), Obstacle> {
    let after = Restore {
        ended: Some(RestoreEnd { by: None, at: now }),
        version: before.version + 1,
        ..before
    };
    let entry = Entry::for_event(&events::RESTORE_END)
        .at(now)
        .by(Actor::system())
        .on(ResourceRef::new("log_restore", &after.id))
        .with_action(
            "end_restore",
            ActionStatus::Success,
            ActionMethod::Scheduled,
        )
        .after(Json::from(serde_json::to_value(&after).unwrap_or_default()));
    let draft = Draft::by_reeve(entry, now)
        .map_err(|faults| Obstacle::of(format_args!("the entry is refused: {faults:?}")))?;
    let appended = retention.ledger.append(vec![draft]).await;
    appended.map_err(Obstacle::of)?;
    let kept = retention.store.restore_update(&after).await;
    kept.map_err(Obstacle::of)
}
