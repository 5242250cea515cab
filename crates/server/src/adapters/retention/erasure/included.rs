//! Entries that a request includes: found by a search, and decided entry by entry in the segment that
//! is written anew.

use jiff::Timestamp;
use reeve_audit::{Entry, Obstacle, events};
use reeve_http::erasures::IncludedSegment;
use reeve_ledger::{SegmentMeta, SegmentStore as _};
use reeve_retention::{ErasureScope, HoldCheck, LegalHold, NeededRestore, is_proof_of_deletions};

use super::{HoldCounts, LogRetention};

/// Entries that one request may include: their sequences are held in memory.
const MOST_INCLUDED: usize = 2_000_000;
/// Rows that are restored at a time.
const ROWS_AT_ONCE: usize = 4_096;

/// Entries that a request includes.
pub(super) struct Included {
    /// Sequences that are to be erased, ascending.
    pub(super) sequences: Vec<u64>,
    /// Entries that holds include.
    pub(super) held: HoldCounts,
    /// Entries that prove deletions.
    pub(super) evidence: u64,
}

/// Entries of one segment that a request includes.
pub(super) struct ErasureChoice {
    /// Sequences that are to be erased, ascending.
    pub(super) sequences: Vec<u64>,
    /// `true` if a hold includes an entry of the request.
    pub(super) is_held: bool,
}

/// Decision about an entry of the scope.
enum Decision {
    Erase,
    /// The entry proves deletions.
    Evidence,
    /// A hold includes it.
    Held(String),
}

fn decide(check: &HoldCheck, entry: &Entry, recorded_at: Timestamp) -> Decision {
    // A restore is what proves the deletions that it repeats.
    let is_restore = entry.event_type == events::RESTORE.event_type();
    if is_restore || is_proof_of_deletions(entry.event_type.as_str()) {
        return Decision::Evidence;
    }
    match check.first(entry, recorded_at) {
        Some(hold) => Decision::Held(hold.to_owned()),
        None => Decision::Erase,
    }
}

impl Included {
    /// Finds the entries of a scope in what can be searched of the log.
    pub(super) async fn find(
        log: &LogRetention,
        scope: &ErasureScope,
        holds: &[LegalHold],
    ) -> Result<Included, Obstacle> {
        let check = HoldCheck::new(holds);
        let end = scope.log_size.min(log.trail.end());
        let mut scan = log.trail.scan(scope.condition()?, 0..end, log.clock.now());
        let mut included = Included {
            sequences: Vec::new(),
            held: HoldCounts::new(),
            evidence: 0,
        };
        while let Some(stretch) = scan.next().await.map_err(Obstacle::of)? {
            for stored in &stretch.entries {
                match decide(&check, &stored.entry, stored.recorded_at) {
                    Decision::Erase => included.sequences.push(stored.sequence),
                    Decision::Evidence => included.evidence += 1,
                    Decision::Held(hold) => *included.held.entry(hold).or_default() += 1,
                }
            }
            if included.sequences.len() > MOST_INCLUDED {
                return Err(Obstacle::of(format_args!(
                    "the request includes more than {MOST_INCLUDED} entries; divide its period"
                )));
            }
        }
        Ok(included)
    }

    /// Segments that have the entries, with their numbers.
    pub(super) async fn segments(
        &self,
        log: &LogRetention,
    ) -> Result<Vec<IncludedSegment>, Obstacle> {
        let mut found = Vec::new();
        let archived = log.ledger.view().archived;
        for segment in log.live() {
            // The search has found nothing there, and nothing is fetched for it.
            if archived.iter().any(|one| one.path == segment.path) {
                continue;
            }
            let from = |sequence| self.sequences.partition_point(|one| *one < sequence);
            let range = from(segment.first_sequence)..from(segment.last_sequence + 1);
            if range.is_empty() {
                continue;
            }
            // Segments of several classes may span a sequence.
            let sequences = log
                .segments
                .sequences(&segment)
                .await
                .map_err(Obstacle::of)?;
            let candidates = &self.sequences[range];
            let has = |sequence: &&u64| sequences.binary_search(sequence).is_ok();
            let entries = candidates.iter().filter(has).count() as u64;
            if entries > 0 {
                found.push(IncludedSegment {
                    segment: segment.path,
                    class: segment.class,
                    first_sequence: segment.first_sequence,
                    last_sequence: segment.last_sequence,
                    entries,
                });
            }
        }
        Ok(found)
    }

    /// Number of entries that are not sealed yet.
    pub(super) fn unsealed(&self, log: &LogRetention) -> u64 {
        let sealed = log.ledger.tail().first_sequence();
        let before = self
            .sequences
            .partition_point(|sequence| *sequence < sealed);
        (self.sequences.len() - before) as u64
    }
}

/// Returns the restore that a request with this scope needs: of the segments of the cold tier that may
/// have entries of it and are not searched. `None` if there is no such segment.
pub(super) fn needed_restore(log: &LogRetention, scope: &ErasureScope) -> Option<NeededRestore> {
    let archived = log.ledger.view().archived;
    let unsearched: Vec<&SegmentMeta> = archived
        .iter()
        .filter(|segment| may_include(scope, segment))
        .collect();
    let earliest_ms = unsearched.iter().map(|one| one.min_timestamp_ms).min()?;
    let latest_ms = unsearched.iter().map(|one| one.max_timestamp_ms).max()?;
    let time = |ms| Timestamp::from_millisecond(ms).unwrap_or(Timestamp::UNIX_EPOCH);
    // Each of the segments has times within the period of the scope.
    let within = |at: Timestamp| {
        let at = scope.start_time.map_or(at, |start| at.max(start));
        scope.end_time.map_or(at, |end| at.min(end))
    };
    Some(NeededRestore {
        segments: unsearched.len() as u64,
        entries: unsearched.iter().map(|one| one.count).sum(),
        bytes: unsearched.iter().map(|one| one.bytes).sum(),
        start_time: within(time(earliest_ms)),
        end_time: within(time(latest_ms)),
    })
}

/// Returns `true` unless the manifest alone rules out that a segment has entries of a scope.
fn may_include(scope: &ErasureScope, segment: &SegmentMeta) -> bool {
    let is_within = |from: Option<Timestamp>, to: Option<Timestamp>| {
        from.is_none_or(|at| at.as_millisecond() <= segment.max_timestamp_ms)
            && to.is_none_or(|at| segment.min_timestamp_ms <= at.as_millisecond())
    };
    segment.first_sequence < scope.log_size && is_within(scope.start_time, scope.end_time)
}

/// Decides about every entry of a segment, whose bytes are compared with the log.
pub(super) async fn of_segment(
    log: &LogRetention,
    scope: &ErasureScope,
    segment: &SegmentMeta,
    check: &HoldCheck,
) -> Result<ErasureChoice, Obstacle> {
    let condition = scope.condition()?;
    let mut rows = log.segments.read(segment).await.map_err(Obstacle::of)?;
    let mut chosen = ErasureChoice {
        sequences: Vec::new(),
        is_held: false,
    };
    while !rows.is_empty() {
        let rest = rows.split_off(rows.len().min(ROWS_AT_ONCE));
        let chunk = std::mem::replace(&mut rows, rest);
        for stored in log.ledger.restore(chunk).await.map_err(Obstacle::of)? {
            let is_included = stored.sequence < scope.log_size
                && condition.matches(&stored.entry, stored.recorded_at, Timestamp::UNIX_EPOCH);
            if !is_included {
                continue;
            }
            match decide(check, &stored.entry, stored.recorded_at) {
                Decision::Erase => chosen.sequences.push(stored.sequence),
                Decision::Held(_) => chosen.is_held = true,
                Decision::Evidence => {}
            }
        }
    }
    Ok(chosen)
}
