//! A rule with its memory: the groups of step 4 of the crate's semantics, and the bounds that hold
//! for all of them.

use std::sync::Arc;

use hashbrown::HashMap;
use jiff::Timestamp;
use reeve_audit::Entry;

use super::EvaluatorLimits;
use super::changes::{ChangeTally, Degradation, DegradedBy, Gathered};
use super::memory::{BEGINNING, Counted, Counting, GroupMemory, Pending, instant};
use crate::firing::{Firing, FiringEntry, FiringId, FiringStatus};
use crate::group::GroupKey;
use crate::rule::AlertRule;

/// Value of each field for the groups that are counted together.
const FURTHER: &str = "(further groups)";

/// An entry that a rule takes: all that its counts depend on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Taken {
    pub(crate) key: GroupKey,
    /// The group of the entry is one of those that are counted together.
    pub(crate) is_shared: bool,
    pub(crate) entry: FiringEntry,
    /// Digest of the value that a distinct threshold counts; 0 for a threshold that counts entries.
    pub(crate) value: u64,
    pub(crate) recorded_ms: i64,
    /// Latest time of recording so far.
    pub(crate) clock_ms: i64,
}

/// A rule with its memory.
pub(crate) struct Running {
    pub(crate) rule: Arc<AlertRule>,
    pub(crate) groups: HashMap<GroupKey, GroupMemory>,
    pub(crate) tally: ChangeTally,
    /// Pending entries of all groups.
    pub(super) kept: usize,
    /// No group is forgotten while the clock is not after this.
    pub(super) expiry_ms: i64,
    pub(super) is_tally_changed: bool,
}

impl Running {
    pub(super) fn new(rule: Arc<AlertRule>) -> Self {
        Running {
            rule,
            groups: HashMap::new(),
            tally: ChangeTally::default(),
            kept: 0,
            expiry_ms: BEGINNING,
            is_tally_changed: false,
        }
    }

    /// Takes up the memory of a group.
    pub(crate) fn restore(&mut self, key: GroupKey, memory: GroupMemory) {
        self.kept += memory.pending.len();
        if let Some(before) = self.groups.insert(key, memory) {
            self.kept -= before.pending.len();
        }
        self.expiry_ms = BEGINNING;
    }

    /// Returns the group that an entry counts in, and whether it is the one of the groups that are
    /// counted together.
    pub(super) fn place(
        &mut self,
        entry: &Entry,
        clock_ms: i64,
        limits: &EvaluatorLimits,
        most_groups: usize,
    ) -> (GroupKey, bool) {
        let key = self.rule.settings.group_by.key(entry);
        // Groups that are over count as gone, whether they were forgotten already or not: that must
        // not be observable.
        let window_ms = self.rule.settings.threshold.window_ms;
        let is_known = |group: &GroupMemory| group.expiry_ms(window_ms, limits) >= clock_ms;
        if self.groups.len() < most_groups || self.groups.get(&key).is_some_and(is_known) {
            return (key, false);
        }
        if clock_ms > self.expiry_ms {
            self.forget_old(clock_ms, limits);
        }
        if self.groups.len() < most_groups {
            return (key, false);
        }

        (self.rule.settings.group_by.key_of_all(FURTHER), true)
    }

    /// Counts an entry that the condition matches.
    pub(super) fn count(
        &mut self,
        taken: Taken,
        limits: &EvaluatorLimits,
        gathered: &mut Gathered,
    ) -> Counted {
        let Taken {
            key,
            is_shared,
            entry,
            value,
            recorded_ms,
            clock_ms,
        } = taken;

        let (rule, sequence) = (self.rule.clone(), entry.sequence);
        let by = Counting {
            count: usize::try_from(rule.settings.threshold.count).unwrap_or(usize::MAX),
            window_ms: rule.settings.threshold.window_ms,
            is_distinct: rule.settings.distinct.is_some(),
        };

        if !self.groups.contains_key(&key) {
            self.groups.insert(key.clone(), GroupMemory::new());
        }

        let Some(group) = self.groups.get_mut(&key) else {
            return Counted::Late;
        };

        let before = group.pending.len();
        if group.touched_ms != BEGINNING && group.expiry_ms(by.window_ms, limits) < clock_ms {
            *group = GroupMemory::new();
        }

        group.touched_ms = clock_ms;
        let identify = || FiringId::derive(&rule.id, rule.revision, &key, sequence);
        let counted = group.count(
            Pending {
                entry,
                value,
                weight: 1,
            },
            by,
            limits,
            identify,
            gathered,
        );

        if let Counted::Fired(entries) = &counted {
            gathered.fired.extend(firing(
                &rule,
                &key,
                group,
                entries.clone(),
                sequence,
                clock_ms,
            ));
            group.close_earliest(limits.most_open, by.window_ms);
        }

        self.kept = self.kept + group.pending.len() - before;

        self.tally.matched += 1;
        self.tally.late += u64::from(counted == Counted::Late);
        self.tally.fired += u64::from(matches!(counted, Counted::Fired(_)));
        self.tally.last_matched_at = Some(instant(recorded_ms));
        self.is_tally_changed = true;
        if is_shared {
            self.tally.shared += 1;
            self.degrade(DegradedBy::Groups, clock_ms, limits, gathered);
        }
        if self.kept > limits.most_kept {
            self.make_room(clock_ms, limits, gathered);
        }

        counted
    }

    /// Forgets the groups that were not looked at for long.
    pub(super) fn forget_old(&mut self, clock_ms: i64, limits: &EvaluatorLimits) {
        let window_ms = self.rule.settings.threshold.window_ms;
        self.groups
            .retain(|_, group| group.expiry_ms(window_ms, limits) >= clock_ms);
        self.recount(limits);
    }

    /// Corrects what was counted while the clock was ahead. Groups that were over by it stay
    /// forgotten.
    pub(super) fn step_back(&mut self, clock_ms: i64, recorded_ms: i64, limits: &EvaluatorLimits) {
        self.forget_old(clock_ms, limits);
        let window_ms = self.rule.settings.threshold.window_ms;
        for group in self.groups.values_mut() {
            group.step_back(recorded_ms, window_ms, limits);
        }

        self.tally.degraded_at = self
            .tally
            .degraded_at
            .map(|at| at.min(instant(recorded_ms)));
        self.expiry_ms = BEGINNING;
    }

    fn recount(&mut self, limits: &EvaluatorLimits) {
        let window_ms = self.rule.settings.threshold.window_ms;
        self.kept = self.groups.values().map(|group| group.pending.len()).sum();
        let expiries = self
            .groups
            .values()
            .map(|group| group.expiry_ms(window_ms, limits));
        self.expiry_ms = expiries.min().unwrap_or(BEGINNING);
    }

    /// Leaves each group an equal share of half the entries that a rule may keep, the latest ones,
    /// so that one flooded rule does not fill the memory of all.
    fn make_room(&mut self, clock_ms: i64, limits: &EvaluatorLimits, gathered: &mut Gathered) {
        self.forget_old(clock_ms, limits);
        if self.kept <= limits.most_kept {
            return;
        }

        let window_ms = self.rule.settings.threshold.window_ms;
        let share = (limits.most_kept / 2 / self.groups.len().max(1)).max(1);
        let dropped: usize = self
            .groups
            .values_mut()
            .map(|group| group.keep_latest(share, window_ms))
            .sum();
        self.recount(limits);
        self.tally.dropped += u64::try_from(dropped).unwrap_or(u64::MAX);
        self.degrade(DegradedBy::Entries, clock_ms, limits, gathered);
    }

    /// Notes that a bound was met. A rule stays degraded until it met none for as long as groups
    /// are remembered.
    fn degrade(
        &mut self,
        by: DegradedBy,
        clock_ms: i64,
        limits: &EvaluatorLimits,
        gathered: &mut Gathered,
    ) {
        let (rule, now) = (&self.rule, instant(clock_ms));
        let memory_ms = rule
            .settings
            .threshold
            .window_ms
            .saturating_add(limits.lateness_ms);
        let lasts = |at: Timestamp| clock_ms.saturating_sub(at.as_millisecond()) <= memory_ms;
        let is_new = !self.tally.degraded_at.is_some_and(lasts);
        if is_new {
            self.tally.degraded_since = Some(now);
        }

        self.tally.degraded_at = Some(now);
        let since = self.tally.degraded_since.unwrap_or(now);
        let known = gathered
            .degraded
            .entry((rule.id.clone(), rule.revision))
            .or_insert_with(|| Degradation {
                rule: rule.id.clone(),
                revision: rule.revision,
                rule_name: rule.settings.name.clone(),
                by,
                since,
                at: now,
                is_new,
            });
        (known.by, known.since, known.at) = (by, since, now);

        known.is_new |= is_new;
    }
}

/// Returns the firing that just began in a group.
fn firing(
    rule: &AlertRule,
    key: &GroupKey,
    group: &GroupMemory,
    entries: Vec<FiringEntry>,
    sequence: u64,
    clock_ms: i64,
) -> Option<Firing> {
    let open = group.open.last()?;
    let detected_at = instant(clock_ms);
    Some(Firing {
        id: open.id.clone(),
        rule: rule.id.clone(),
        revision: rule.revision,
        rule_name: rule.settings.name.clone(),
        severity: rule.severity(),
        group_by: rule.settings.group_by.names().map(str::to_owned).collect(),
        group: key.clone(),
        from: instant(open.from_ms),
        until: instant(open.until_ms),
        first_at: instant(open.first_ms),
        last_at: instant(open.last_ms),
        detected_at,
        sequence,
        count: open.count,
        entries,
        silenced: rule.is_silenced(detected_at),
        status: FiringStatus::Open,
        assignee: None,
        note: None,
        handled_by: None,
        handled_at: None,
        version: 1,
    })
}
