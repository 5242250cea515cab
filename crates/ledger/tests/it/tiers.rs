//! Moves of segments to other tiers: the manifest always names a tier that has the file, wherever
//! the power went, and the next run ends what was begun.

use std::collections::HashSet;

use reeve_audit::{Tier, events};
use reeve_ledger::{
    Erasure, ExpireError, Ledger, Relocation, SegmentContent, SegmentMeta, SegmentStore as _,
    Tombstone,
};

use crate::faulty_disk::{Faults, FaultyDisk};
use crate::log::{about, drafts, open, open_gated};
use crate::segments::MemorySegments;

pub(crate) fn relocation(path: &str, to: Tier) -> Relocation {
    Relocation {
        path: path.to_owned(),
        to,
        content: SegmentContent::default(),
        entry: about(&events::MOVE, path),
    }
}

/// Moves every segment of the class `view` to a tier as the service does, going on from wherever a
/// run before ended.
pub(crate) async fn run(ledger: &Ledger, to: Tier) -> Result<(), ExpireError> {
    settle(ledger).await?;
    let due = |segment: &&SegmentMeta| segment.class == "view" && segment.tier() < to;
    for segment in ledger.segments().iter().filter(due) {
        ledger.relocate(relocation(&segment.path, to)).await?;
    }
    settle(ledger).await
}

pub(crate) async fn settle(ledger: &Ledger) -> Result<(), ExpireError> {
    for segment in ledger.segments().iter() {
        if segment
            .moved
            .as_ref()
            .is_some_and(|moved| moved.leaving.is_some())
        {
            ledger.settle(&segment.path).await?;
        }
    }
    Ok(())
}

pub(crate) fn views(ledger: &Ledger) -> Vec<SegmentMeta> {
    let all = ledger.segments();
    let views = all.iter().filter(|segment| segment.class == "view");
    views.cloned().collect()
}

#[tokio::test]
async fn entries_are_erased_before_a_move_and_stay_so_after_it() {
    let folder = tempfile::tempdir().unwrap();
    let segments = MemorySegments::new();
    let ledger = open(folder.path(), &segments).await.unwrap();
    ledger.append(drafts("a", 300)).await.unwrap();
    ledger.seal().await.unwrap();
    let path = views(&ledger)[0].path.clone();
    let rows = segments.rows_in(Tier::Hot, &path).unwrap();
    let [first, second] = [rows[0].sequence, rows[1].sequence];

    // A rewriting that a move overtakes leaves no tombstone.
    let overtaken = ledger.rewrite(&path, &[second]).await.unwrap();
    let erasure = |rewritten| Erasure {
        rewritten,
        request: "request-1".to_owned(),
        entry: about(&events::ERASE, &path),
    };
    let rewritten = ledger.rewrite(&path, &[first]).await.unwrap();
    ledger.erase(erasure(rewritten)).await.unwrap();
    ledger.remove_replaced().await.unwrap();
    let size = ledger.size();
    assert!(ledger.erase(erasure(overtaken)).await.is_err());
    assert_eq!(ledger.size(), size);

    let erased = views(&ledger)[0].clone();
    run(&ledger, Tier::Warm).await.unwrap();
    let moved = views(&ledger)[0].clone();
    assert_eq!((&moved.path, &moved.erased), (&erased.path, &erased.erased));
    let kept = segments.rows_in(Tier::Warm, &moved.path).unwrap();
    assert_eq!(kept.len(), rows.len() - 1);

    // What is left of the erasure is looked for where it lay, on the local disk.
    ledger.remove_replaced().await.unwrap();
    assert!(segments.rows_in(Tier::Warm, &moved.path).is_some());
    ledger.close().await;
    let ledger = open(folder.path(), &segments).await.unwrap();
    assert_eq!(views(&ledger)[0], moved);
    ledger.close().await;
}

#[tokio::test]
async fn a_segment_goes_from_tier_to_tier_and_expires_in_the_last() {
    let folder = tempfile::tempdir().unwrap();
    let segments = MemorySegments::new();
    let ledger = open(folder.path(), &segments).await.unwrap();
    ledger.append(drafts("a", 300)).await.unwrap();
    ledger.seal().await.unwrap();
    let whole = ledger.view().count();
    let path = views(&ledger)[0].path.clone();

    // No other entry serves for a move, and none goes to where the segment is.
    let wrong = Relocation {
        entry: about(&events::FREE, &path),
        ..relocation(&path, Tier::Warm)
    };
    for refused in [wrong, relocation(&path, Tier::Hot)] {
        let refused = ledger.relocate(refused).await;
        assert!(matches!(refused, Err(ExpireError::Refused { .. })));
    }

    run(&ledger, Tier::Warm).await.unwrap();
    assert!(segments.rows_in(Tier::Hot, &path).is_none());
    assert!(segments.rows_in(Tier::Warm, &path).is_some());
    assert_eq!(ledger.view().count(), whole + 1);
    ledger.close().await;

    // Cold segments are listed apart until they are restored, also after a start.
    let ledger = open(folder.path(), &segments).await.unwrap();
    run(&ledger, Tier::Cold).await.unwrap();
    ledger.close().await;
    let ledger = open(folder.path(), &segments).await.unwrap();
    let cold: u64 = views(&ledger).iter().map(|segment| segment.count).sum();
    let view = ledger.view();
    let archived: u64 = view.archived.iter().map(|segment| segment.count).sum();
    assert!(cold > 0 && archived == cold);
    assert_eq!(view.count() + archived, ledger.size());
    assert!(segments.rows_in(Tier::Warm, &path).is_none());
    ledger.restored(HashSet::from([path.clone()])).await;
    assert!(
        !ledger
            .view()
            .archived
            .iter()
            .any(|segment| segment.path == path)
    );
    assert!(
        ledger
            .view()
            .segments
            .iter()
            .any(|segment| segment.path == path)
    );

    let tombstone = Tombstone {
        path: path.clone(),
        entry: about(&events::EXPIRE, &path),
        policy_version: 0,
    };
    ledger.expire(tombstone).await.unwrap();
    ledger.free(&path).await.unwrap();
    assert!(segments.rows_in(Tier::Cold, &path).is_none());
    assert!(
        ledger
            .relocate(relocation(&path, Tier::Cold))
            .await
            .is_err()
    );
    ledger.close().await;
}

/// Cuts the power before every step of a move, for both moves: the tier that the manifest names has
/// the file, and the next run leaves it in that tier alone.
#[tokio::test]
async fn the_power_goes_before_every_step_of_a_move() {
    for (before, to) in [
        (None, Tier::Warm),
        (None, Tier::Cold),
        (Some(Tier::Warm), Tier::Cold),
    ] {
        let steps = life(before, to, None).await;
        assert!(steps > 8, "only {steps} steps");
        for step in 0..steps {
            life(before, to, Some(step)).await;
        }
    }
}

async fn life(before: Option<Tier>, to: Tier, crash_at: Option<u64>) -> u64 {
    let (disk, segments) = (FaultyDisk::default(), MemorySegments::new());
    let ledger = open_gated(&disk, &segments).await.unwrap();
    ledger.append(drafts("a", 300)).await.unwrap();
    ledger.seal().await.unwrap();
    if let Some(tier) = before {
        run(&ledger, tier).await.unwrap();
    }
    let begun = disk.steps();
    disk.set(Faults {
        crash_at: crash_at.map(|step| begun + step),
        ..Faults::default()
    });
    let outcome = run(&ledger, to).await;
    let steps = disk.steps() - begun;
    drop(ledger);
    let disk = match crash_at {
        None => {
            outcome.unwrap();
            return steps;
        }
        Some(step) => disk.after_power_cut(begun + step),
    };

    let ledger = open_gated(&disk, &segments).await.unwrap();
    for segment in views(&ledger) {
        let rows = segments.read(&segment).await.unwrap();
        assert_eq!(rows.len() as u64, segment.count);
        if let Some(moved) = segment.moved {
            assert!(ledger.size() > moved.entry, "a mark without its entry");
        }
    }
    run(&ledger, to).await.unwrap();
    for segment in views(&ledger) {
        assert_eq!(segment.tier(), to);
        for tier in [Tier::Hot, Tier::Warm, Tier::Cold] {
            let there = segments.rows_in(tier, &segment.path).is_some();
            assert_eq!(there, tier == to, "{tier}");
        }
    }
    ledger.seal().await.unwrap();
    steps
}
