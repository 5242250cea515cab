//! Results of an evaluation since the last time they were taken.

use hashbrown::HashMap;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::firing::{Firing, FiringEntry, FiringGrowth, FiringId};
use crate::rule::{RuleId, names};

names!(
    /// Bound that a rule has met.
    DegradedBy {
        /// More groups than are counted apart.
        Groups => "groups",
        /// More entries wait for a threshold than are kept.
        Entries => "entries",
    }
);

/// Counts of one revision of a rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct ChangeTally {
    /// Entries that its condition matched.
    pub matched: u64,
    /// Matched entries that came too late to count.
    pub late: u64,
    /// Matched entries of groups beyond the most that are counted apart. They were counted
    /// together.
    #[serde(default)]
    pub shared: u64,
    /// Entries that waited for a threshold and were dropped because the rule kept too many.
    #[serde(default)]
    pub dropped: u64,
    pub fired: u64,
    /// Time of recording of the latest entry that matched.
    pub last_matched_at: Option<Timestamp>,
    /// Begin of the latest time in which the rule met a bound.
    #[serde(skip)]
    pub degraded_since: Option<Timestamp>,
    /// Time at which the rule met a bound last.
    #[serde(skip)]
    pub degraded_at: Option<Timestamp>,
}

/// A rule that met a bound. It goes on: groups that it has are counted as before.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Degradation {
    pub rule: RuleId,
    /// Revision of the rule.
    pub revision: u64,
    /// Name of the rule at that time.
    pub rule_name: String,
    /// The bound that was met last.
    pub by: DegradedBy,
    /// First time that it was met.
    pub since: Timestamp,
    /// Last time that it was met.
    pub at: Timestamp,
    /// The rule was not degraded before.
    pub is_new: bool,
}

/// A time of recording that lies before an earlier one: the clock of the service was set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ClockStep {
    /// Position of the entry with the earlier time.
    pub sequence: u64,
    /// Latest time of recording before it.
    pub from: Timestamp,
    /// Its time of recording.
    pub to: Timestamp,
}

/// All that changed since the last time, to be kept in one transaction with the position.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct EvaluatorChanges {
    /// Entries that rules have taken, spelled as `docs/formats/alerts.md` says; empty where none
    /// was taken.
    pub delta: Vec<u8>,
    /// The whole state after the delta, in parts. It takes the place of earlier snapshots and of
    /// all deltas.
    pub snapshot: Option<Vec<Vec<u8>>>,
    /// Firings that are not stored yet.
    pub fired: Vec<Firing>,
    /// Kept firings with more entries.
    pub grown: Vec<FiringGrowth>,
    /// Rules that met a bound.
    pub degraded: Vec<Degradation>,
    /// Steps of the clock.
    pub steps: Vec<ClockStep>,
}

/// Results that are gathered while entries are looked at.
#[derive(Debug, Default)]
pub(super) struct Gathered {
    pub(super) fired: Vec<Firing>,
    pub(super) grown: HashMap<FiringId, FiringGrowth>,
    pub(super) degraded: HashMap<(RuleId, u64), Degradation>,
    pub(super) steps: Vec<ClockStep>,
}

impl Gathered {
    /// Notes that an entry joined a firing: `growth` without entries, and the entry where the
    /// firing lists it.
    pub(super) fn grew(&mut self, mut growth: FiringGrowth, listed: Option<FiringEntry>) {
        if let Some(before) = self.grown.remove(&growth.id) {
            growth.entries = before.entries;
        }
        growth.entries.extend(listed);
        self.grown.insert(growth.id.clone(), growth);
    }

    /// Moves everything into changes. A firing that grew before it was ever kept is kept as it is
    /// now.
    pub(super) fn take(&mut self) -> EvaluatorChanges {
        let mut fired = std::mem::take(&mut self.fired);
        let mut grown = std::mem::take(&mut self.grown);

        for firing in &mut fired {
            if let Some(growth) = grown.remove(&firing.id) {
                firing.grow(growth);
            }
        }

        let mut grown: Vec<_> = grown.into_values().collect();
        grown.sort_unstable_by(|a, b| a.id.cmp(&b.id));
        let mut degraded: Vec<_> = self
            .degraded
            .drain()
            .map(|(_, degradation)| degradation)
            .collect();
        degraded.sort_unstable_by(|a, b| a.rule.cmp(&b.rule));

        EvaluatorChanges {
            fired,
            grown,
            degraded,
            steps: std::mem::take(&mut self.steps),
            ..EvaluatorChanges::default()
        }
    }
}

impl Firing {
    fn grow(&mut self, growth: FiringGrowth) {
        self.first_at = growth.first_at;
        self.last_at = growth.last_at;
        self.count = growth.count;
        self.entries.extend(growth.entries);
    }
}
