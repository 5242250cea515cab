//! Memory of one group: steps 5 to 11 of the crate's semantics.

use jiff::Timestamp;

use super::Limits;
use crate::firing::{FiringEntry, FiringGrowth, FiringId, KEPT_ENTRIES};
use crate::rule::Threshold;

/// Watermark of a group that no entry has moved yet.
pub(crate) const BEGINNING: i64 = i64::MIN;

/// Memory of one group of one rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GroupMemory {
    pub(crate) watermark_ms: i64,
    /// Clock when the group was last looked at.
    pub(crate) touched_ms: i64,
    /// In order of (`at_ms`, sequence).
    pub(crate) pending: Vec<FiringEntry>,
    /// In order of creation.
    pub(crate) open: Vec<OpenFiring>,
}

/// A firing that entries can still join.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct OpenFiring {
    pub(crate) id: FiringId,
    pub(crate) from_ms: i64,
    pub(crate) until_ms: i64,
    pub(crate) first_ms: i64,
    pub(crate) last_ms: i64,
    pub(crate) count: u64,
    pub(crate) entries: Vec<FiringEntry>,
    /// Entries joined since the last changes were taken. Not part of the kept state.
    pub(crate) grown: bool,
}

/// Result of handing an entry to a group.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Counted {
    Duplicate,
    Late,
    Pending,
    Joined,
    /// A firing began: the last of the open ones.
    Fired,
}

impl GroupMemory {
    pub(super) const fn new() -> Self {
        Self { watermark_ms: BEGINNING, touched_ms: BEGINNING, pending: Vec::new(), open: Vec::new() }
    }

    /// Returns `true` if the group is forgotten at this clock.
    pub(super) const fn is_over(&self, clock_ms: i64, window_ms: i64, limits: &Limits) -> bool {
        self.touched_ms.saturating_add(window_ms).saturating_add(limits.lateness_ms) < clock_ms
    }

    /// Counts an entry. `identify` names a firing if one begins. Firings that are dropped with entries not yet
    /// reported go to `grown`.
    pub(super) fn count(
        &mut self,
        entry: FiringEntry,
        threshold: Threshold,
        limits: &Limits,
        identify: impl FnOnce() -> FiringId,
        grown: &mut Vec<FiringGrowth>,
    ) -> Counted {
        if self.knows(&entry.event_id) {
            return Counted::Duplicate;
        }
        if entry.at_ms < self.watermark_ms {
            return Counted::Late;
        }
        self.raise(entry.at_ms.saturating_sub(limits.lateness_ms), threshold.window_ms, grown);
        if let Some(open) = self.open.iter_mut().find(|open| (open.from_ms..=open.until_ms).contains(&entry.at_ms)) {
            open.join(entry);
            return Counted::Joined;
        }
        let order = (entry.at_ms, entry.sequence);
        let at = self.pending.partition_point(|other| (other.at_ms, other.sequence) < order);
        self.pending.insert(at, entry);
        if let Some(until_ms) = self.completed(at, threshold) {
            self.fire(identify(), until_ms, threshold.window_ms);
            return Counted::Fired;
        }
        while self.pending.len() > limits.most_pending {
            let earliest = self.pending.remove(0);
            self.raise(earliest.at_ms.saturating_add(1), threshold.window_ms, grown);
        }
        Counted::Pending
    }

    fn knows(&self, event_id: &str) -> bool {
        let mut kept = self.pending.iter().chain(self.open.iter().flat_map(|open| &open.entries));
        kept.any(|entry| entry.event_id == event_id)
    }

    /// Moves the watermark on, and drops what no entry can meet any more.
    fn raise(&mut self, watermark_ms: i64, window_ms: i64, grown: &mut Vec<FiringGrowth>) {
        if watermark_ms <= self.watermark_ms {
            return;
        }
        self.watermark_ms = watermark_ms;
        let earliest = watermark_ms.saturating_sub(window_ms);
        let dropped = self.pending.partition_point(|entry| entry.at_ms < earliest);
        self.pending.drain(..dropped);
        self.open.retain(|open| {
            let over = open.until_ms < watermark_ms;
            if over && open.grown {
                grown.push(open.growth());
            }
            !over
        });
    }

    /// Returns the end of the first run of entries around `at` that reaches the threshold.
    fn completed(&self, at: usize, threshold: Threshold) -> Option<i64> {
        let others = usize::try_from(threshold.count).ok()?.checked_sub(1)?;
        let runs = (at.saturating_sub(others)..=at)
            .map_while(|first| Some((self.pending[first].at_ms, self.pending.get(first + others)?.at_ms)));
        runs.into_iter().find(|(first, last)| last.saturating_sub(*first) <= threshold.window_ms).map(|(_, last)| last)
    }

    fn fire(&mut self, id: FiringId, until_ms: i64, window_ms: i64) {
        let span = (until_ms.saturating_sub(window_ms), until_ms.saturating_add(window_ms));
        let begin = self.pending.partition_point(|entry| entry.at_ms < span.0);
        let end = self.pending.partition_point(|entry| entry.at_ms <= span.1);
        let mut entries: Vec<_> = self.pending.drain(begin..end).collect();
        let open = OpenFiring {
            id,
            from_ms: span.0,
            until_ms: span.1,
            first_ms: entries.first().map_or(until_ms, |entry| entry.at_ms),
            last_ms: entries.last().map_or(until_ms, |entry| entry.at_ms),
            count: u64::try_from(entries.len()).unwrap_or(u64::MAX),
            entries: {
                entries.truncate(KEPT_ENTRIES);
                entries
            },
            grown: false,
        };
        self.open.push(open);
    }
}

impl OpenFiring {
    fn join(&mut self, entry: FiringEntry) {
        self.count += 1;
        self.first_ms = self.first_ms.min(entry.at_ms);
        self.last_ms = self.last_ms.max(entry.at_ms);
        if self.entries.len() < KEPT_ENTRIES {
            self.entries.push(entry);
        }
        self.grown = true;
    }

    pub(super) fn growth(&self) -> FiringGrowth {
        FiringGrowth {
            id: self.id.clone(),
            first_at: instant(self.first_ms),
            last_at: instant(self.last_ms),
            count: self.count,
            entries: self.entries.clone(),
        }
    }
}

/// The instant of some milliseconds. All of them come from instants, or are a bounded distance from one.
pub(super) fn instant(ms: i64) -> Timestamp {
    Timestamp::from_millisecond(ms).unwrap_or(if ms < 0 { Timestamp::MIN } else { Timestamp::MAX })
}
