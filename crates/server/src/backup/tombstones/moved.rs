//! Erasures that are made again in a segment that a backup lists in the warm or cold tier.
//!
//! The backup does not have the file of such a segment, and the log deleted it from its tier when it
//! erased the entries. The entries that are left are in the file that replaced it, which the moves
//! brought to a tier since: its path and hash stand in the tombstone, under the log's signature.

use std::collections::HashSet;

use anyhow::{Context as _, Result, anyhow};
use reeve_audit::Tier;
use reeve_ledger::{Erased, Moved, SealedEntry, SegmentContent, SegmentMeta, SegmentStore as _};

use super::{LaterFile, LaterTombstone, erase as erase_again, record};
use crate::service::OpenedLog;

/// Erases again what tombstones took out of a segment of a farther tier. Returns the number of
/// entries; `None` if no file of the segment is there.
pub(super) async fn erase(
    log: &OpenedLog,
    segment: &SegmentMeta,
    later: &[LaterTombstone],
) -> Result<Option<u64>> {
    let of_segment: Vec<&LaterTombstone> = later
        .iter()
        .filter(|one| file_of(one, segment).is_some())
        .collect();
    let Some(newest) = of_segment.last() else {
        return Ok(Some(0));
    };
    let tier = segment.tier();
    let leaving = segment.moved.as_ref().and_then(|moved| moved.leaving);
    if leaving.is_some() {
        log.ledger.settle(&segment.path).await?;
    }
    let shown = HashSet::from([segment.path.clone()]);
    log.ledger.restored(shown).await;

    // The log was interrupted before it deleted the file.
    if size(log, tier, &segment.path).await?.is_some() {
        let mut count = 0;
        for tombstone in of_segment {
            let path = current(log, segment)?.path;
            count += erase_again(log, &path, tombstone).await?;
        }
        return Ok(Some(count));
    }

    let Some(rows) = survivors(log, segment, &of_segment).await? else {
        return Ok(None);
    };
    let sequences = sequences(&of_segment);
    let rewritten = log.ledger.rewrite_from(&segment.path, rows, &sequences);
    let rewritten = rewritten.await?;
    record(log, rewritten, sequences.len(), newest).await?;
    Ok(Some(sequences.len() as u64))
}

/// Returns the file that a segment had after an erasure; `None` if the tombstone is of another one.
fn file_of<'t>(tombstone: &'t LaterTombstone, segment: &SegmentMeta) -> Option<&'t LaterFile> {
    let file = tombstone.file.as_ref()?;
    let is_same = (&file.class, file.first_sequence) == (&segment.class, segment.first_sequence);
    is_same.then_some(file)
}

/// Sequences that tombstones name, ascending.
fn sequences(tombstones: &[&LaterTombstone]) -> Vec<u64> {
    let runs = tombstones.iter().flat_map(|one| &one.sequences);
    let mut all: Vec<u64> = runs.flat_map(|(first, last)| *first..=*last).collect();
    all.sort_unstable();
    all.dedup();
    all
}

/// Rows that are left of a segment after all of these erasures, from the newest file that is there.
async fn survivors(
    log: &OpenedLog,
    segment: &SegmentMeta,
    tombstones: &[&LaterTombstone],
) -> Result<Option<Vec<SealedEntry>>> {
    let gone = sequences(tombstones);
    if gone.len() as u64 == segment.count {
        return Ok(Some(Vec::new()));
    }
    for (at, tombstone) in tombstones.iter().enumerate().rev() {
        let Some(file) = file_of(tombstone, segment) else {
            continue;
        };
        for tier in [Tier::Warm, Tier::Cold] {
            let Some(bytes) = size(log, tier, &file.path_after).await? else {
                continue;
            };
            let before = sequences(tombstones.get(..=at).unwrap_or_default());
            let there = listed(segment, file, tier, bytes, before.len() as u64);
            let rows = log.segments.read(&there).await?;
            log.segments.put_away(&there)?;
            let is_left = |row: &SealedEntry| gone.binary_search(&row.sequence).is_err();
            return Ok(Some(rows.into_iter().filter(is_left).collect()));
        }
    }
    Ok(None)
}

/// A later file of a segment, as the manifest of the log before the restore listed it.
fn listed(
    segment: &SegmentMeta,
    file: &LaterFile,
    tier: Tier,
    bytes: u64,
    erased: u64,
) -> SegmentMeta {
    let mut there = SegmentMeta {
        path: file.path_after.clone(),
        sha256: file.sha256_after.clone(),
        bytes,
        count: segment.count.saturating_sub(erased),
        ..segment.clone()
    };
    there.erased.push(Erased {
        entry: 0,
        request: String::new(),
        sequences: Vec::new(),
        tier: None,
    });
    there.moved = Some(Moved {
        tier,
        entry: 0,
        leaving: None,
        content: SegmentContent::default(),
    });
    there
}

/// Length of a file in a tier; `None` if there is none, or no place for the tier.
async fn size(log: &OpenedLog, tier: Tier, path: &str) -> Result<Option<u64>> {
    let Some(place) = log.segments.places().of(tier) else {
        return Ok(None);
    };
    let found = place.size(path).await;
    found.map_err(|obstacle| anyhow!("the place of the {tier} tier fails: {}", obstacle.as_str()))
}

/// The segment as it is listed now.
fn current(log: &OpenedLog, segment: &SegmentMeta) -> Result<SegmentMeta> {
    let all = log.ledger.segments();
    let of_range = |one: &&SegmentMeta| {
        (&one.class, one.first_sequence) == (&segment.class, segment.first_sequence)
    };
    let found = all.iter().find(of_range).cloned();
    found.context("a segment of the restored log is gone")
}
