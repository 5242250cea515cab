//! Memory of one group: steps 6 to 10 of the crate's semantics.

use jiff::Timestamp;

use super::changes::Gathered;
use super::{EvaluatorLimits, distinct};
use crate::firing::{FiringEntry, FiringGrowth, FiringId, KEPT_ENTRIES};

/// Watermark of a group that no entry has moved yet.
pub(crate) const BEGINNING: i64 = i64::MIN;

/// An entry that waits for a threshold.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Pending {
    pub(crate) entry: FiringEntry,
    /// Digest of the value that a distinct threshold counts; 0 for a threshold that counts entries.
    pub(crate) value: u64,
    /// Entries that it stands for: itself, and those of the same value that no window needs.
    pub(crate) weight: u32,
}

/// A threshold as a group counts by it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Counting {
    pub(super) count: usize,
    pub(super) window_ms: i64,
    pub(super) is_distinct: bool,
}

/// Memory of one group of one rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct GroupMemory {
    pub(crate) watermark_ms: i64,
    /// Clock when the group was last looked at.
    pub(crate) touched_ms: i64,
    /// In order of (`at_ms`, sequence).
    pub(crate) pending: Vec<Pending>,
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
    /// Entries that the kept firing lists.
    pub(crate) listed: usize,
}

/// Result of handing an entry to a group.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Counted {
    Late,
    Pending,
    /// Counted with a pending entry of the same value; not kept itself.
    Merged,
    Joined,
    /// A firing began: the last of the open ones. It lists these entries.
    Fired(Vec<FiringEntry>),
}

impl GroupMemory {
    pub(crate) const fn new() -> Self {
        Self {
            watermark_ms: BEGINNING,
            touched_ms: BEGINNING,
            pending: Vec::new(),
            open: Vec::new(),
        }
    }

    /// Clock after which the group is forgotten.
    pub(super) const fn expiry_ms(&self, window_ms: i64, limits: &EvaluatorLimits) -> i64 {
        self.touched_ms
            .saturating_add(window_ms)
            .saturating_add(limits.lateness_ms)
    }

    /// Counts an entry. `identify` names a firing if one begins.
    pub(super) fn count(
        &mut self,
        pending: Pending,
        by: Counting,
        limits: &EvaluatorLimits,
        identify: impl FnOnce() -> FiringId,
        gathered: &mut Gathered,
    ) -> Counted {
        let at_ms = pending.entry.at_ms;
        if at_ms < self.watermark_ms {
            return Counted::Late;
        }

        self.raise(at_ms.saturating_sub(limits.lateness_ms), by.window_ms);
        if let Some(open) = self
            .open
            .iter_mut()
            .find(|open| (open.from_ms..=open.until_ms).contains(&at_ms))
        {
            let listed = open.join(pending.entry);
            gathered.grew(open.growth(), listed);
            return Counted::Joined;
        }

        let at = if by.is_distinct {
            match distinct::insert(&mut self.pending, pending, by.window_ms) {
                Some(at) => at,
                None => return Counted::Merged,
            }
        } else {
            let order = (at_ms, pending.entry.sequence);
            let at = self
                .pending
                .partition_point(|other| (other.entry.at_ms, other.entry.sequence) < order);
            self.pending.insert(at, pending);
            at
        };

        let until_ms = if by.is_distinct {
            distinct::completed(&self.pending, at, by)
        } else {
            self.completed(at, by)
        };

        if let Some(until_ms) = until_ms {
            return Counted::Fired(self.fire(identify(), until_ms, by.window_ms));
        }

        self.keep_latest(limits.most_pending, by.window_ms);
        Counted::Pending
    }

    /// Drops the earliest pending entries until so many are left; returns how many were dropped.
    /// What comes before them is late from then on.
    pub(super) fn keep_latest(&mut self, most: usize, window_ms: i64) -> usize {
        let excess = self.pending.len().saturating_sub(most);
        let latest_ms = self
            .pending
            .drain(..excess)
            .next_back()
            .map(|pending| pending.entry.at_ms);

        if let Some(latest_ms) = latest_ms {
            self.raise(latest_ms.saturating_add(1), window_ms);
        }

        excess
    }

    /// Closes the open firings that end first until so many are left.
    pub(super) fn close_earliest(&mut self, most: usize, window_ms: i64) {
        while self.open.len() > most {
            let ends = self
                .open
                .iter()
                .map(|open| open.until_ms)
                .min()
                .unwrap_or(BEGINNING);
            self.open.retain(|open| open.until_ms > ends);
            self.raise(ends.saturating_add(1), window_ms);
        }
    }

    /// Corrects what was counted while the clock was ahead: nothing happened after an entry that
    /// was recorded later.
    pub(super) fn step_back(&mut self, recorded_ms: i64, window_ms: i64, limits: &EvaluatorLimits) {
        self.watermark_ms = self
            .watermark_ms
            .min(recorded_ms.saturating_sub(limits.lateness_ms));
        self.touched_ms = self.touched_ms.min(recorded_ms);
        self.open
            .retain(|open| open.until_ms <= recorded_ms.saturating_add(window_ms));
        for pending in &mut self.pending {
            pending.entry.at_ms = pending.entry.at_ms.min(recorded_ms);
        }

        self.pending
            .sort_by_key(|pending| (pending.entry.at_ms, pending.entry.sequence));
    }

    /// Moves the watermark on, and drops what no entry can meet any more.
    fn raise(&mut self, watermark_ms: i64, window_ms: i64) {
        if watermark_ms <= self.watermark_ms {
            return;
        }

        self.watermark_ms = watermark_ms;
        let earliest = watermark_ms.saturating_sub(window_ms);
        let dropped = self
            .pending
            .partition_point(|pending| pending.entry.at_ms < earliest);
        self.pending.drain(..dropped);
        self.open.retain(|open| open.until_ms >= watermark_ms);
    }

    /// Returns the end of the first run of entries around `at` that reaches the threshold.
    fn completed(&self, at: usize, by: Counting) -> Option<i64> {
        let others = by.count.checked_sub(1)?;
        let time = |at: usize| self.pending.get(at).map(|pending| pending.entry.at_ms);
        let runs = (at.saturating_sub(others)..=at)
            .map_while(|first| Some((time(first)?, time(first.checked_add(others)?)?)));
        runs.into_iter()
            .find(|(first, last)| last.saturating_sub(*first) <= by.window_ms)
            .map(|(_, last)| last)
    }

    /// Begins a firing, and returns the entries that it lists.
    fn fire(&mut self, id: FiringId, until_ms: i64, window_ms: i64) -> Vec<FiringEntry> {
        let span = (
            until_ms.saturating_sub(window_ms),
            until_ms.saturating_add(window_ms),
        );
        let begin = self
            .pending
            .partition_point(|pending| pending.entry.at_ms < span.0);
        let end = self
            .pending
            .partition_point(|pending| pending.entry.at_ms <= span.1);
        let taken: Vec<_> = self.pending.drain(begin..end).collect();
        self.open.push(OpenFiring {
            id,
            from_ms: span.0,
            until_ms: span.1,
            first_ms: taken
                .first()
                .map_or(until_ms, |pending| pending.entry.at_ms),
            last_ms: taken.last().map_or(until_ms, |pending| pending.entry.at_ms),
            count: taken.iter().map(|pending| u64::from(pending.weight)).sum(),
            listed: taken.len().min(KEPT_ENTRIES),
        });

        taken
            .into_iter()
            .take(KEPT_ENTRIES)
            .map(|pending| pending.entry)
            .collect()
    }
}

impl OpenFiring {
    /// Adds an entry, and returns it where the firing lists it.
    fn join(&mut self, entry: FiringEntry) -> Option<FiringEntry> {
        self.count += 1;
        self.first_ms = self.first_ms.min(entry.at_ms);
        self.last_ms = self.last_ms.max(entry.at_ms);
        let is_listed = self.listed < KEPT_ENTRIES;
        self.listed += usize::from(is_listed);
        is_listed.then_some(entry)
    }

    fn growth(&self) -> FiringGrowth {
        FiringGrowth {
            id: self.id.clone(),
            first_at: instant(self.first_ms),
            last_at: instant(self.last_ms),
            count: self.count,
            entries: Vec::new(),
        }
    }
}

/// The instant of some milliseconds. All of them come from instants, or are a bounded distance from
/// one.
pub(crate) fn instant(ms: i64) -> Timestamp {
    Timestamp::from_millisecond(ms).unwrap_or(if ms < 0 {
        Timestamp::MIN
    } else {
        Timestamp::MAX
    })
}
