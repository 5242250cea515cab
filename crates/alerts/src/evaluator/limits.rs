//! Bounds of an evaluation: lateness of entries, steps of the clock, and memory.

/// Bounds of an evaluation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EvaluatorLimits {
    /// Delay, in milliseconds, by which an entry may be older than the latest one of its group and
    /// still count. A day: clouds deliver some of their activity hours later.
    pub lateness_ms: i64,
    /// Milliseconds by which a time of recording may lie before the latest one without being taken
    /// for a step of the clock. Five minutes: a step within them is far below the lateness and
    /// silences nothing.
    pub step_ms: i64,
    /// Most entries of a group that wait for a threshold. At least the largest threshold, or that
    /// rule could never fire.
    pub most_pending: usize,
    /// Most firings of a group that entries can still join.
    pub most_open: usize,
    /// Most groups of a rule. Entries of further groups are counted together.
    pub most_groups: usize,
    /// Most entries that wait for a threshold in all groups of a rule.
    pub most_kept: usize,
}

/// Groups of all rules together that memory is planned for: 300 MB at most.
const MOST_GROUPS_IN_ALL: usize = 1_000_000;
/// Groups that every rule may have, however many rules there are.
const FEWEST_GROUPS: usize = 100;

impl Default for EvaluatorLimits {
    fn default() -> Self {
        EvaluatorLimits {
            lateness_ms: 86_400_000,
            step_ms: 300_000,
            most_pending: 20_000,
            most_open: 64,
            most_groups: 10_000,
            most_kept: 200_000,
        }
    }
}

impl EvaluatorLimits {
    /// Returns the most groups of each of some rules, so that all of them together stay within
    /// memory.
    #[must_use]
    pub fn groups_of_each(&self, rules: usize) -> usize {
        let share = MOST_GROUPS_IN_ALL / rules.max(1);
        self.most_groups.min(share.max(FEWEST_GROUPS))
    }
}
