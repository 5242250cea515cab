//! Erasure of entries of segments in the warm and the cold tier: the new file is written to the local
//! disk and moves again, the old one goes from the tier that the mark names, and the next run ends what
//! a power cut interrupted.

use std::collections::HashSet;

use reeve_audit::{Tier, events};
use reeve_ledger::{
    Erasure, ExpireError, Ledger, RewrittenSegment, SealedEntry, SegmentMeta, SegmentStore as _,
    Tombstone, root_of,
};

use crate::faulty_disk::{Faults, FaultyDisk};
use crate::log::{about, drafts, open, open_gated};
use crate::segments::MemorySegments;
use crate::tiers::{relocation, run as move_views, settle, views};

const TIERS: [Tier; 3] = [Tier::Hot, Tier::Warm, Tier::Cold];

fn rows(segments: &MemorySegments, segment: &SegmentMeta) -> Vec<SealedEntry> {
    segments.rows_in(segment.tier(), &segment.path).unwrap()
}

/// Every third sequence of a segment.
fn wanted(segments: &MemorySegments, segment: &SegmentMeta) -> Vec<u64> {
    let all = rows(segments, segment).into_iter().map(|row| row.sequence);
    all.filter(|sequence| sequence % 3 == 0).collect()
}

fn erasure(rewritten: RewrittenSegment) -> Erasure {
    Erasure {
        entry: about(&events::ERASE, &rewritten.before.path),
        rewritten,
        request: "request-1".to_owned(),
    }
}

/// Shows every segment of the cold tier, as a restore does.
async fn restore(ledger: &Ledger) {
    let all = ledger.segments();
    let cold = all.iter().filter(|segment| segment.tier() == Tier::Cold);
    let paths: HashSet<String> = cold.map(|segment| segment.path.clone()).collect();
    ledger.restored(paths).await;
}

/// Erases what is wanted of the views as the service does, going on from wherever a run before ended.
async fn run(ledger: &Ledger, segments: &MemorySegments) -> Result<(), ExpireError> {
    ledger.remove_replaced().await?;
    restore(ledger).await;
    settle(ledger).await?;
    for segment in views(ledger) {
        let sequences = wanted(segments, &segment);
        if !sequences.is_empty() {
            let rewritten = ledger.rewrite(&segment.path, &sequences).await?;
            ledger.erase(erasure(rewritten)).await?;
        }
    }
    ledger.remove_replaced().await?;
    Ok(())
}

/// Fails unless a segment has a file in this tier alone, and none from before its erasures anywhere.
fn lies_in(segments: &MemorySegments, segment: &SegmentMeta, tier: Tier) {
    assert_eq!(segment.tier(), tier);
    for other in TIERS {
        let there = segments.rows_in(other, &segment.path);
        assert_eq!(there.is_some(), other == tier, "{other}");
        for erasures in 0..segment.erased.len() {
            let replaced = segment.path_after(erasures);
            assert!(
                segments.rows_in(other, &replaced).is_none(),
                "{replaced} is left in the {other} tier"
            );
        }
    }
}

#[tokio::test]
async fn entries_are_erased_in_each_tier_and_the_segment_moves_again() {
    let folder = tempfile::tempdir().unwrap();
    let segments = MemorySegments::new();
    let ledger = open(folder.path(), &segments).await.unwrap();
    ledger.append(drafts("a", 300)).await.unwrap();
    ledger.seal().await.unwrap();
    let before = rows(&segments, &views(&ledger)[0]);
    move_views(&ledger, Tier::Warm).await.unwrap();

    run(&ledger, &segments).await.unwrap();
    let segment = views(&ledger)[0].clone();
    assert_eq!(segment.erased[0].tier, Some(Tier::Warm));
    lies_in(&segments, &segment, Tier::Hot);
    move_views(&ledger, Tier::Warm).await.unwrap();
    lies_in(&segments, &views(&ledger)[0], Tier::Warm);

    // Erased from again, where it lies by then, and on the local disk.
    move_views(&ledger, Tier::Cold).await.unwrap();
    restore(&ledger).await;
    let segment = views(&ledger)[0].clone();
    let left = rows(&segments, &segment);
    for row in left.iter().take(2) {
        let path = views(&ledger)[0].path.clone();
        let rewritten = ledger.rewrite(&path, &[row.sequence]).await.unwrap();
        ledger.erase(erasure(rewritten)).await.unwrap();
    }
    ledger.remove_replaced().await.unwrap();
    let segment = views(&ledger)[0].clone();
    let tiers: Vec<Option<Tier>> = segment.erased.iter().map(|erased| erased.tier).collect();
    assert_eq!(tiers, [Some(Tier::Warm), Some(Tier::Cold), None]);
    lies_in(&segments, &segment, Tier::Hot);
    ledger.close().await;

    let ledger = open(folder.path(), &segments).await.unwrap();
    assert_eq!(views(&ledger)[0], segment);
    let gone = before.len() as u64 - segment.count;
    assert_eq!(segment.erased_count(), gone);
    ledger.close().await;
}

#[tokio::test]
async fn what_is_being_moved_or_was_not_restored_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let segments = MemorySegments::new();
    let ledger = open(folder.path(), &segments).await.unwrap();
    ledger.append(drafts("a", 300)).await.unwrap();
    ledger.seal().await.unwrap();
    let path = views(&ledger)[0].path.clone();
    let sequence = rows(&segments, &views(&ledger)[0])[0].sequence;
    let refused = async |text: &str| {
        let refused = ledger.rewrite(&path, &[sequence]).await.unwrap_err();
        assert!(refused.to_string().contains(text), "{refused}");
    };

    ledger
        .relocate(relocation(&path, Tier::Cold))
        .await
        .unwrap();
    refused("has not ended").await;
    settle(&ledger).await.unwrap();
    refused("was not restored").await;
    restore(&ledger).await;

    // A rewriting whose segment was read in one state is not recorded in another.
    let rewritten = ledger.rewrite(&path, &[sequence]).await.unwrap();
    let size = ledger.size();
    ledger.erase(erasure(rewritten.clone())).await.unwrap();
    assert!(ledger.erase(erasure(rewritten)).await.is_err());
    assert_eq!(ledger.size(), size + 1);
    ledger.close().await;
}

#[tokio::test]
async fn an_interrupted_move_to_a_farther_tier_leaves_no_copy() {
    let folder = tempfile::tempdir().unwrap();
    let segments = MemorySegments::new();
    let ledger = open(folder.path(), &segments).await.unwrap();
    ledger.append(drafts("a", 300)).await.unwrap();
    ledger.seal().await.unwrap();
    move_views(&ledger, Tier::Warm).await.unwrap();
    let segment = views(&ledger)[0].clone();
    segments.copy(&segment, Tier::Cold).await.unwrap();
    run(&ledger, &segments).await.unwrap();
    lies_in(&segments, &views(&ledger)[0], Tier::Hot);
    for tier in TIERS {
        assert!(segments.rows_in(tier, &segment.path).is_none(), "{tier}");
    }
    ledger.close().await;
}

#[tokio::test]
async fn a_segment_that_expires_takes_the_files_before_with_it() {
    let folder = tempfile::tempdir().unwrap();
    let segments = MemorySegments::new();
    let ledger = open(folder.path(), &segments).await.unwrap();
    ledger.append(drafts("a", 300)).await.unwrap();
    ledger.seal().await.unwrap();
    move_views(&ledger, Tier::Warm).await.unwrap();
    let before = views(&ledger)[0].clone();
    let sequences = wanted(&segments, &before);
    let rewritten = ledger.rewrite(&before.path, &sequences).await.unwrap();
    ledger.erase(erasure(rewritten)).await.unwrap();
    assert!(segments.rows_in(Tier::Warm, &before.path).is_some());

    let segment = views(&ledger)[0].clone();
    let tombstone = Tombstone {
        path: segment.path.clone(),
        entry: about(&events::EXPIRE, &segment.path),
        policy_version: 0,
    };
    ledger.expire(tombstone).await.unwrap();
    let freed = ledger.free(&segment.path).await.unwrap();
    assert_eq!(freed, before.bytes + segment.bytes);
    assert!(segments.rows_in(Tier::Warm, &before.path).is_none());
    ledger.close().await;
}

#[tokio::test]
async fn a_segment_whose_file_is_gone_is_written_from_what_is_left_of_it() {
    let folder = tempfile::tempdir().unwrap();
    let segments = MemorySegments::new();
    let ledger = open(folder.path(), &segments).await.unwrap();
    ledger.append(drafts("a", 300)).await.unwrap();
    ledger.seal().await.unwrap();
    move_views(&ledger, Tier::Warm).await.unwrap();
    let segment = views(&ledger)[0].clone();
    let sequences = wanted(&segments, &segment);
    let (gone, left): (Vec<_>, Vec<_>) = rows(&segments, &segment)
        .into_iter()
        .partition(|row| sequences.binary_search(&row.sequence).is_ok());
    let root = root_of(&ledger.restore(gone).await.unwrap());
    segments.leave(&segment, Tier::Warm).await.unwrap();

    // Its identifiers are not in a backup, and the start goes without them.
    ledger.close().await;
    std::fs::remove_dir_all(folder.path().join("ledger/ids")).unwrap();
    let ledger = open(folder.path(), &segments).await.unwrap();

    let path = &segment.path;
    let fewer = left[1..].to_vec();
    assert!(ledger.rewrite_from(path, fewer, &sequences).await.is_err());
    assert!(ledger.rewrite_from(path, left.clone(), &[]).await.is_err());
    let mut changed = left.clone();
    changed[0].canonical = changed[1].canonical.clone();
    assert!(
        ledger
            .rewrite_from(path, changed, &sequences)
            .await
            .is_err()
    );

    let rewritten = ledger.rewrite_from(path, left.clone(), &sequences).await;
    let rewritten = rewritten.unwrap();
    assert_eq!(rewritten.root, root);
    ledger.erase(erasure(rewritten)).await.unwrap();
    ledger.remove_replaced_here().await.unwrap();
    let segment = views(&ledger)[0].clone();
    assert_eq!(rows(&segments, &segment).len(), left.len());
    assert!(ledger.erased(sequences[0]).is_some());
    ledger.close().await;
}

/// Cuts the power before every step of an erasure in a farther tier and of the move back to it: no
/// entry is gone without its tombstone, no other entry is lost, and the next run leaves one file in
/// one tier.
#[tokio::test]
async fn the_power_goes_before_every_step_of_an_erasure_in_a_farther_tier() {
    for tier in [Tier::Warm, Tier::Cold] {
        let steps = life(tier, None).await;
        assert!(steps > 16, "only {steps} steps");
        for step in 0..steps {
            life(tier, Some(step)).await;
        }
    }
}

async fn life(tier: Tier, crash_at: Option<u64>) -> u64 {
    let (disk, segments) = (FaultyDisk::default(), MemorySegments::new());
    let ledger = open_gated(&disk, &segments).await.unwrap();
    ledger.append(drafts("a", 300)).await.unwrap();
    ledger.seal().await.unwrap();
    move_views(&ledger, tier).await.unwrap();
    let sealed = |ledger: &Ledger| -> Vec<u64> {
        let all = views(ledger).into_iter().flat_map(|segment| {
            let rows = rows(&segments, &segment);
            assert_eq!(rows.len() as u64, segment.count);
            rows
        });
        all.map(|row| row.sequence).collect()
    };
    let all = sealed(&ledger);
    let begun = disk.steps();
    disk.set(Faults {
        crash_at: crash_at.map(|step| begun + step),
        ..Faults::default()
    });
    let outcome = async {
        run(&ledger, &segments).await?;
        move_views(&ledger, tier).await
    };
    let outcome = outcome.await;
    let steps = disk.steps() - begun;
    let disk = match crash_at {
        None => {
            outcome.unwrap();
            return steps;
        }
        Some(step) => disk.after_power_cut(begun + step),
    };
    drop(ledger);

    let ledger = open_gated(&disk, &segments).await.unwrap();
    let there = sealed(&ledger);
    for sequence in &all {
        let is_there = there.contains(sequence);
        match ledger.erased(*sequence) {
            None => assert!(is_there, "entry {sequence} is gone without its tombstone"),
            Some(erased) => assert!(!is_there && ledger.size() > erased.entry),
        }
    }
    run(&ledger, &segments).await.unwrap();
    move_views(&ledger, tier).await.unwrap();
    for segment in views(&ledger) {
        assert!(wanted(&segments, &segment).is_empty());
        lies_in(&segments, &segment, tier);
    }
    ledger.seal().await.unwrap();
    steps
}
