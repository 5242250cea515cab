//! Moves of segments to farther tiers: what is due where, and one move after the other.
//!
//! A file that was moved stays in the tier before until the next run, so that searches that began
//! before the move end as they began.

use std::collections::BTreeSet;

use jiff::Timestamp;
use reeve_audit::{Obstacle, Tier, events};
use reeve_http::retention::RetentionRun;
use reeve_ledger::{Relocation, SegmentMeta};
use reeve_retention::{Extent, PolicySet, TierContent};
use serde_json::json;

use super::LogRetention;

/// Segments that one run moves at most; the next goes on.
const MOST_MOVES: u64 = 1_000;

/// Deletes the files that the moves of runs before left behind.
pub(super) async fn settle(retention: &LogRetention, run: &mut RetentionRun) {
    let mut failed: BTreeSet<Tier> = BTreeSet::new();
    for segment in retention.live() {
        let leaving = segment.moved.as_ref().and_then(|moved| moved.leaving);
        let Some(tier) = leaving.filter(|tier| !failed.contains(tier)) else {
            continue;
        };
        if let Err(error) = retention.ledger.settle(&segment.path).await {
            failed.insert(tier);
            run.failures.push(error.to_string());
        }
    }
}

/// Moves what is due in a farther tier. A place that fails is not asked again in this run.
pub(super) async fn run(retention: &LogRetention, policies: &PolicySet, run: &mut RetentionRun) {
    let now = retention.clock.now();
    let mut failed: BTreeSet<Tier> = BTreeSet::new();
    for segment in retention.live() {
        let is_settled = segment
            .moved
            .as_ref()
            .is_none_or(|moved| moved.leaving.is_none());
        if !is_settled || run.moved_segments >= MOST_MOVES {
            continue;
        }
        let outcome = match destination(retention, policies, &segment, now).await {
            Ok(Some(tier)) if !failed.contains(&tier) => {
                let moved = relocate(retention, policies, &segment, tier).await;
                if moved.is_err() {
                    failed.insert(tier);
                }
                moved.map(|()| {
                    run.moved_segments += 1;
                    run.moved_entries += segment.count;
                    run.moved_bytes += segment.bytes;
                })
            }
            Ok(_) => Ok(()),
            Err(obstacle) => Err(obstacle),
        };
        if let Err(obstacle) = outcome {
            run.failures
                .push(format!("{}: {}", segment.path, obstacle.as_str()));
        }
    }
}

/// Returns what lies in each tier, and what is due there.
pub(super) async fn tiers(
    retention: &LogRetention,
    policies: &PolicySet,
) -> Result<Vec<TierContent>, Obstacle> {
    let now = retention.clock.now();
    let places = retention.segments.places();
    let mut tiers = [Tier::Hot, Tier::Warm, Tier::Cold].map(|tier| TierContent {
        tier,
        place: places.of(tier).map(|place| place.address().to_owned()),
        segments: 0,
        extent: Extent::default(),
        due: Extent::default(),
    });
    for segment in retention.live() {
        let due = due(retention, policies, &segment, now).await?;
        for content in &mut tiers {
            if content.tier == segment.tier() {
                content.segments += 1;
                content.extent.add(segment.count, segment.bytes);
            }
            if Some(content.tier) == due {
                content.due.add(segment.count, segment.bytes);
            }
        }
    }
    Ok(tiers.into())
}

/// Returns the tier that a segment is due in, if that is farther than the one that it lies in,
/// whether it has a place or not. By the presets nothing moves, as nothing expires.
async fn due(
    retention: &LogRetention,
    policies: &PolicySet,
    segment: &SegmentMeta,
    now: Timestamp,
) -> Result<Option<Tier>, Obstacle> {
    aim(retention, policies, segment, |_| true, now).await
}

/// Returns the tier that a segment is moved to now.
async fn destination(
    retention: &LogRetention,
    policies: &PolicySet,
    segment: &SegmentMeta,
    now: Timestamp,
) -> Result<Option<Tier>, Obstacle> {
    let places = retention.segments.places();
    let has_place = |tier| places.of(tier).is_some();
    aim(retention, policies, segment, has_place, now).await
}

async fn aim(
    retention: &LogRetention,
    policies: &PolicySet,
    segment: &SegmentMeta,
    has_place: impl Fn(Tier) -> bool,
    now: Timestamp,
) -> Result<Option<Tier>, Obstacle> {
    let known = segment.max_recorded_at_ms.unwrap_or(i64::MIN);
    let clock = Timestamp::from_millisecond(segment.max_timestamp_ms.max(known));
    let may_move = clock.is_ok_and(|clock| policies.may_move(clock, now));
    if policies.version == 0 || !may_move {
        return Ok(None);
    }
    let dates = retention.survey(segment).await?.tiers(policies);
    Ok(dates.and_then(|dates| dates.destination(segment.tier(), has_place, now)))
}

async fn relocate(
    retention: &LogRetention,
    policies: &PolicySet,
    segment: &SegmentMeta,
    to: Tier,
) -> Result<(), Obstacle> {
    let place = retention.segments.places().of(to);
    let stated = json!({
        "from": segment.tier(),
        "to": to,
        "place": place.map(|place| place.address()),
        "first_sequence": segment.first_sequence,
        "last_sequence": segment.last_sequence,
        "entries": segment.count,
        "bytes": segment.bytes,
        "sha256": segment.sha256,
        "policy_version": policies.version,
    });
    let relocation = Relocation {
        path: segment.path.clone(),
        to,
        content: retention.content(segment).await?,
        entry: retention.entry(&events::MOVE, "move_segment", &segment.path, stated)?,
    };
    let moved = retention.ledger.relocate(relocation).await;
    moved.map(|_| ()).map_err(Obstacle::of)
}
