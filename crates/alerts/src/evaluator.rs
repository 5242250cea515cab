//! Evaluates rules over the log, entry by entry. The crate's documentation defines its semantics.

mod limits;
mod memory;

use hashbrown::{HashMap, HashSet};
use std::sync::Arc;

use jiff::Timestamp;
use reeve_audit::query::EntryWords;
use reeve_audit::{Entry, EventType, Json, events};

use crate::firing::{Firing, FiringEntry, FiringGrowth, FiringId, FiringStatus};
use crate::group::GroupKey;
use crate::index::RuleIndex;
use crate::port::{Progress, StoredGroup, StoredTally};
use crate::rule::{Rule, RuleId, RuleState};
use crate::state;
pub use limits::Limits;
pub use memory::GroupMemory;
pub(crate) use memory::OpenFiring;
use memory::{BEGINNING, Counted, instant};

/// Type of the entry about a firing. Sources cannot submit it: the category `audit` is Reeve's own.
pub const FIRE: EventType = events::ALERT_FIRE.event_type();
/// Name of the notification of a firing, by which the entry of one that could not be delivered is known.
pub const FIRED_EVENT: &str = "alert_fired";

/// Groups are looked through for forgotten ones when the clock has moved on by this much.
const SWEEP_MS: i64 = 60_000;

/// An entry of the log with its place in it.
#[derive(Debug, Clone, Copy)]
pub struct Observed<'e> {
    /// Position in the log.
    pub sequence: u64,
    /// Time of recording.
    pub recorded_at: Timestamp,
    /// The entry.
    pub entry: &'e Entry,
}

/// Counts of one revision of a rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Tally {
    /// Entries that its condition matched.
    pub matched: u64,
    /// Matched entries that came too late to count.
    pub late: u64,
    /// Matched entries that had been counted already.
    pub duplicates: u64,
    /// Number of firings.
    pub fired: u64,
    /// Time of recording of the latest entry that matched.
    pub last_matched_at: Option<Timestamp>,
}

/// All that changed since the last time, to be kept in one transaction with the position.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Changes {
    /// Groups with new state; `None` for those that are forgotten.
    pub groups: Vec<StoredGroup>,
    /// Counts of rules.
    pub tallies: Vec<StoredTally>,
    /// New firings.
    pub fired: Vec<Firing>,
    /// Kept firings with more entries.
    pub grown: Vec<FiringGrowth>,
}

/// A rule with its memory.
struct Running {
    rule: Arc<Rule>,
    groups: HashMap<GroupKey, GroupMemory>,
    changed: HashSet<GroupKey>,
    tally: Tally,
    tally_changed: bool,
}

/// Evaluates rules over the log.
#[derive(Default)]
pub struct Evaluator {
    limits: Limits,
    rules: Vec<Running>,
    index: RuleIndex,
    position: u64,
    clock_ms: i64,
    swept_ms: i64,
    candidates: Vec<u32>,
    fired: Vec<Firing>,
    grown: Vec<FiringGrowth>,
}

/// Returns `true` for entries that Reeve writes because a rule fired: about the firing itself, or about its notification.
#[must_use]
pub fn tells_of_firing(entry: &Entry) -> bool {
    let event = || entry.metadata.extra.get("event").and_then(Json::as_str);
    let follows =
        entry.event_type == FIRE || entry.event_type == events::DELIVERY.event_type() && event() == Some(FIRED_EVENT);
    // Whoever submits such an entry from outside does not hide it from the rules.
    follows && entry.may_be_by_reeve()
}

impl Evaluator {
    /// An evaluator without rules that begins at a position of the log.
    #[must_use]
    pub fn new(limits: Limits, progress: Progress) -> Self {
        let clock_ms = progress.clock.map_or(BEGINNING, Timestamp::as_millisecond);
        Self { limits, position: progress.position, clock_ms, swept_ms: clock_ms, ..Self::default() }
    }

    /// The next sequence to look at, and the clock.
    #[must_use]
    pub fn progress(&self) -> Progress {
        let clock = (self.clock_ms != BEGINNING).then(|| instant(self.clock_ms));
        Progress { position: self.position, clock }
    }

    /// Moves on without looking at entries: nothing between is of interest to any rule.
    pub fn skip_to(&mut self, position: u64) {
        self.position = self.position.max(position);
    }

    /// Number of rules that are evaluated, and of those that are asked about every entry.
    #[must_use]
    pub fn rules(&self) -> (usize, usize) {
        (self.rules.len(), self.index.residual())
    }

    /// Evaluates these rules from now on; those that are not enabled are left out. A rule keeps its memory while its revision stays.
    pub fn set_rules(&mut self, rules: impl IntoIterator<Item = Arc<Rule>>) {
        let mut before: HashMap<(RuleId, u64), Running> =
            self.rules.drain(..).map(|running| ((running.rule.id.clone(), running.rule.revision), running)).collect();
        for rule in rules {
            if rule.state != RuleState::Enabled {
                continue;
            }
            let kept = before.remove(&(rule.id.clone(), rule.revision));
            self.rules.push(match kept {
                Some(running) => Running { rule, ..running },
                None => Running::new(rule),
            });
        }
        // What the others grew by is still to be kept; their memory is not.
        for running in before.into_values() {
            self.grown.extend(running.groups.values().flat_map(grown_of));
        }
        self.index = RuleIndex::new(self.rules.iter().map(|running| &running.rule.settings.query));
    }

    /// Takes up what was kept. State of rules that are not evaluated, or of another revision, is ignored.
    ///
    /// # Errors
    /// A state cannot be read.
    pub fn restore(&mut self, groups: Vec<StoredGroup>, tallies: Vec<StoredTally>) -> Result<(), state::StateError> {
        let places: HashMap<(RuleId, u64), usize> = self
            .rules
            .iter()
            .enumerate()
            .map(|(at, running)| ((running.rule.id.clone(), running.rule.revision), at))
            .collect();
        for group in groups {
            let (Some(at), Some(text)) = (places.get(&(group.rule, group.revision)), &group.state) else { continue };
            self.rules[*at].groups.insert(group.key, state::decode(text)?);
        }
        for stored in tallies {
            if let Some(at) = places.get(&(stored.rule, stored.revision)) {
                self.rules[*at].tally = stored.tally;
            }
        }
        Ok(())
    }

    /// Looks at the next entry.
    pub fn observe(&mut self, observed: Observed<'_>) {
        if observed.sequence < self.position {
            return;
        }
        self.position = observed.sequence + 1;
        self.clock_ms = self.clock_ms.max(observed.recorded_at.as_millisecond());
        if tells_of_firing(observed.entry) {
            return;
        }
        let mut candidates = std::mem::take(&mut self.candidates);
        self.index.candidates(observed.entry, &mut candidates);
        let words = EntryWords::new(observed.entry);
        for at in &candidates {
            let running = &mut self.rules[*at as usize];
            let query = &running.rule.settings.query;
            if query.matches_words(&words, observed.recorded_at, observed.recorded_at) {
                running.take(observed, self.clock_ms, &self.limits, &mut self.fired, &mut self.grown);
            }
        }
        self.candidates = candidates;
    }

    /// Returns what changed since the last time.
    pub fn take_changes(&mut self) -> Changes {
        let sweep = self.swept_ms.saturating_add(SWEEP_MS) < self.clock_ms;
        if sweep {
            self.swept_ms = self.clock_ms;
        }
        let mut changes = Changes { fired: std::mem::take(&mut self.fired), ..Changes::default() };
        let mut grown = std::mem::take(&mut self.grown);
        for running in &mut self.rules {
            if sweep {
                running.forget_old(self.clock_ms, &self.limits, &mut grown);
            }
            running.changes(&mut changes, &mut grown);
        }
        // A firing that grew before it was ever kept is kept as it is now.
        let new: HashMap<FiringId, usize> =
            changes.fired.iter().enumerate().map(|(at, firing)| (firing.id.clone(), at)).collect();
        for growth in grown {
            match new.get(&growth.id) {
                Some(at) => changes.fired[*at].grow(growth),
                None => changes.grown.push(growth),
            }
        }
        changes
    }
}

fn grown_of(group: &GroupMemory) -> impl Iterator<Item = FiringGrowth> {
    group.open.iter().filter(|open| open.grown).map(OpenFiring::growth)
}

impl Running {
    fn new(rule: Arc<Rule>) -> Self {
        let (groups, changed) = (HashMap::new(), HashSet::new());
        Running { rule, groups, changed, tally: Tally::default(), tally_changed: false }
    }

    /// Counts an entry that the condition matches.
    fn take(
        &mut self,
        observed: Observed<'_>,
        clock_ms: i64,
        limits: &Limits,
        fired: &mut Vec<Firing>,
        grown: &mut Vec<FiringGrowth>,
    ) {
        let (rule, entry) = (&self.rule, observed.entry);
        let threshold = rule.settings.threshold;
        let key = rule.settings.group_by.key(entry);
        let group = self.groups.entry(key.clone()).or_insert_with(GroupMemory::new);
        if group.is_over(clock_ms, threshold.window_ms, limits) {
            grown.extend(grown_of(group));
            *group = GroupMemory::new();
        }
        group.touched_ms = clock_ms;
        let counting = FiringEntry {
            event_id: entry.event_id.as_str().to_owned(),
            sequence: observed.sequence,
            at_ms: entry.timestamp.min(observed.recorded_at).as_millisecond(),
        };
        let identify = || FiringId::derive(&rule.id, rule.revision, &key, observed.sequence);
        match group.count(counting, threshold, limits, identify, grown) {
            Counted::Duplicate => self.tally.duplicates += 1,
            Counted::Late => self.tally.late += 1,
            Counted::Pending | Counted::Joined => {}
            Counted::Fired => {
                self.tally.fired += 1;
                fired.extend(group.open.last().map(|open| firing(rule, &key, open, observed.sequence, clock_ms)));
            }
        }
        self.tally.matched += 1;
        self.tally.last_matched_at = Some(observed.recorded_at);
        self.tally_changed = true;
        self.changed.insert(key);
    }

    fn forget_old(&mut self, clock_ms: i64, limits: &Limits, grown: &mut Vec<FiringGrowth>) {
        let window_ms = self.rule.settings.threshold.window_ms;
        let changed = &mut self.changed;
        self.groups.retain(|key, group| {
            let over = group.is_over(clock_ms, window_ms, limits);
            if over {
                grown.extend(grown_of(group));
                changed.insert(key.clone());
            }
            !over
        });
    }

    fn changes(&mut self, changes: &mut Changes, grown: &mut Vec<FiringGrowth>) {
        let (rule, revision) = (&self.rule.id, self.rule.revision);
        for key in self.changed.drain() {
            let group = self.groups.get_mut(&key);
            let state = group.map(|group| {
                grown.extend(grown_of(group));
                group.open.iter_mut().for_each(|open| open.grown = false);
                state::encode(group)
            });
            changes.groups.push(StoredGroup { rule: rule.clone(), revision, key, state });
        }
        if std::mem::take(&mut self.tally_changed) {
            changes.tallies.push(StoredTally { rule: rule.clone(), revision, tally: self.tally });
        }
    }
}

fn firing(rule: &Rule, key: &GroupKey, open: &OpenFiring, sequence: u64, clock_ms: i64) -> Firing {
    let detected_at = instant(clock_ms);
    Firing {
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
        entries: open.entries.clone(),
        silenced: rule.is_silenced(detected_at),
        status: FiringStatus::Open,
        assignee: None,
        note: None,
        handled_by: None,
        handled_at: None,
        version: 1,
    }
}

impl Firing {
    fn grow(&mut self, growth: FiringGrowth) {
        self.first_at = growth.first_at;
        self.last_at = growth.last_at;
        self.count = growth.count;
        self.entries = growth.entries;
    }
}
