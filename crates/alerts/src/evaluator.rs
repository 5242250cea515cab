//! Evaluates rules over the log, entry by entry. The crate's documentation defines its semantics.

mod changes;
mod distinct;
mod limits;
mod memory;
mod running;

use hashbrown::HashMap;
use std::sync::Arc;

use jiff::Timestamp;
use reeve_audit::query::EntryWords;
use reeve_audit::{Entry, EventType, Json, events};

use crate::firing::FiringEntry;
use crate::index::RuleIndex;
use crate::port::{AlertProgress, StoredState, StoredTally};
use crate::rule::{AlertRule, RuleId, RuleState};
use crate::state::{self, Operation, StateError};
use changes::Gathered;
pub use changes::{ChangeTally, ClockStep, Degradation, DegradedBy, EvaluatorChanges};
pub use limits::EvaluatorLimits;
use memory::Counted;
pub(crate) use memory::{BEGINNING, GroupMemory, OpenFiring, Pending, instant};
pub(crate) use running::{Running, Taken};

/// Type of the entry about a firing. Sources cannot submit it: the category `audit` is Reeve's own.
pub const FIRE: EventType = events::ALERT_FIRE.event_type();
/// Name of the notification of a firing, by which the entry of one that could not be delivered is
/// known.
pub const FIRED_EVENT: &str = "alert_fired";

/// Groups are looked through for forgotten ones when the clock has moved on by this much.
const SWEEP_MS: i64 = 60_000;
/// A snapshot is not worth its writing for fewer bytes of deltas.
const FEWEST_DELTA_BYTES: usize = 256 * 1024;

/// An entry of the log with its place in it.
#[derive(Debug, Clone, Copy)]
pub struct Observed<'e> {
    /// Position in the log.
    pub sequence: u64,
    pub recorded_at: Timestamp,
    pub entry: &'e Entry,
}

/// Evaluates rules over the log.
#[derive(Default)]
pub struct Evaluator {
    limits: EvaluatorLimits,
    rules: Vec<Running>,
    index: RuleIndex,
    position: u64,
    clock_ms: i64,
    swept_ms: i64,
    candidates: Vec<u32>,
    gathered: Gathered,
    delta: state::DeltaWriter,
    /// Bytes of the last snapshot, and of the deltas after it.
    snapshot_bytes: usize,
    delta_bytes: usize,
    is_snapshot_due: bool,
}

/// Returns `true` for entries that Reeve writes because a rule fired: about the firing itself, or
/// about its notification.
#[must_use]
pub fn tells_of_firing(entry: &Entry) -> bool {
    let event = || entry.metadata.extra.get("event").and_then(Json::as_str);
    let follows = entry.event_type == FIRE
        || entry.event_type == events::DELIVERY.event_type() && event() == Some(FIRED_EVENT);
    // Whoever submits such an entry from outside does not hide it from the rules.
    follows && entry.may_be_by_reeve()
}

impl Evaluator {
    /// An evaluator without rules that begins at a position of the log.
    #[must_use]
    pub fn new(limits: EvaluatorLimits, progress: AlertProgress) -> Self {
        let clock_ms = progress.clock.map_or(BEGINNING, Timestamp::as_millisecond);
        Self {
            limits,
            position: progress.position,
            clock_ms,
            swept_ms: clock_ms,
            ..Self::default()
        }
    }

    /// The next sequence to look at, and the clock.
    #[must_use]
    pub fn progress(&self) -> AlertProgress {
        let clock = (self.clock_ms != BEGINNING).then(|| instant(self.clock_ms));
        AlertProgress {
            position: self.position,
            clock,
        }
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

    /// Number of groups with memory, of all rules.
    #[must_use]
    pub fn groups(&self) -> usize {
        self.rules.iter().map(|running| running.groups.len()).sum()
    }

    /// Evaluates these rules from now on; those that are not enabled are left out. A rule keeps its
    /// memory while its revision stays.
    pub fn set_rules(&mut self, rules: impl IntoIterator<Item = Arc<AlertRule>>) {
        let mut before: HashMap<(RuleId, u64), Running> = self
            .rules
            .drain(..)
            .map(|running| ((running.rule.id.clone(), running.rule.revision), running))
            .collect();

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

        // Numbers of rules in the delta are positions in the list that has just changed.
        self.delta.forget_rules();
        self.index = RuleIndex::new(
            self.rules
                .iter()
                .map(|running| &running.rule.settings.query),
        );
    }

    /// Takes up what was kept. State of rules that are not evaluated, or of another revision, is
    /// ignored.
    ///
    /// # Errors
    /// A state cannot be read.
    pub fn restore(&mut self, kept: &StoredState) -> Result<(), StateError> {
        let places: HashMap<(RuleId, u64), usize> = self
            .rules
            .iter()
            .enumerate()
            .map(|(at, running)| ((running.rule.id.clone(), running.rule.revision), at))
            .collect();

        for group in &kept.old_groups {
            if let Some(at) = places.get(&(group.rule.clone(), group.revision)) {
                self.rules[*at].restore(group.key.clone(), state::decode_old(&group.state)?);
            }
        }

        for stored in &kept.old_tallies {
            if let Some(at) = places.get(&(stored.rule.clone(), stored.revision)) {
                self.rules[*at].tally = stored.tally;
            }
        }

        for part in &kept.snapshot {
            self.snapshot_bytes += part.len();
            state::read_snapshot(
                part,
                |rule, revision| places.get(&(rule, revision)).copied(),
                &mut self.rules,
            )?;
        }

        for delta in &kept.deltas {
            self.delta_bytes += delta.len();
            self.replay(delta, &places)?;
        }

        self.is_snapshot_due = !kept.old_groups.is_empty() || !kept.old_tallies.is_empty();
        Ok(())
    }

    /// Counts again what was counted before a restart. What followed from it is kept already.
    fn replay(
        &mut self,
        delta: &[u8],
        places: &HashMap<(RuleId, u64), usize>,
    ) -> Result<(), StateError> {
        let mut numbered = Vec::new();
        for operation in state::read_delta(delta)? {
            match operation {
                Operation::Rule(rule, revision) => {
                    numbered.push(places.get(&(rule, revision)).copied())
                }
                Operation::Take(number, taken) => {
                    let Some(place) = numbered.get(number) else {
                        return Err(StateError::Malformed("a rule"));
                    };
                    if let Some(at) = place {
                        let _ = self.rules[*at].count(taken, &self.limits, &mut self.gathered);
                    }
                }
                Operation::Step(clock_ms, recorded_ms) => {
                    self.rules
                        .iter_mut()
                        .for_each(|running| running.step_back(clock_ms, recorded_ms, &self.limits));
                }
                Operation::Sweep(clock_ms) => {
                    self.rules
                        .iter_mut()
                        .for_each(|running| running.forget_old(clock_ms, &self.limits));
                }
            }
        }

        self.gathered = Gathered::default();
        Ok(())
    }

    /// Looks at the next entry.
    pub fn observe(&mut self, observed: Observed<'_>) {
        if observed.sequence < self.position {
            return;
        }

        self.position = observed.sequence + 1;
        self.advance_clock(observed.sequence, observed.recorded_at);
        if tells_of_firing(observed.entry) {
            return;
        }

        let mut candidates = std::mem::take(&mut self.candidates);
        self.index.candidates(observed.entry, &mut candidates);
        let words = EntryWords::new(observed.entry);

        for at in &candidates {
            let query = &self.rules[*at as usize].rule.settings.query;
            if query.matches_words(&words, observed.recorded_at, observed.recorded_at) {
                self.take(*at as usize, observed);
            }
        }

        self.candidates = candidates;
    }

    /// Moves the clock to a time of recording. One that lies far before the clock says that the
    /// clock of the service was ahead: what it made of the memory is corrected, or rules would take
    /// every entry for late until that time has come.
    fn advance_clock(&mut self, sequence: u64, recorded_at: Timestamp) {
        let recorded_ms = recorded_at.as_millisecond();
        if self.clock_ms == BEGINNING
            || recorded_ms >= self.clock_ms.saturating_sub(self.limits.step_ms)
        {
            self.clock_ms = self.clock_ms.max(recorded_ms);
            return;
        }

        let clock_ms = std::mem::replace(&mut self.clock_ms, recorded_ms);
        self.gathered.steps.push(ClockStep {
            sequence,
            from: instant(clock_ms),
            to: recorded_at,
        });
        self.swept_ms = self.swept_ms.min(recorded_ms);
        self.rules
            .iter_mut()
            .for_each(|running| running.step_back(clock_ms, recorded_ms, &self.limits));
        self.delta.step(clock_ms, recorded_ms);
    }

    /// Hands an entry to a rule whose condition it matches.
    fn take(&mut self, at: usize, observed: Observed<'_>) {
        let most_groups = self.limits.groups_of_each(self.rules.len());
        let running = &mut self.rules[at];
        let entry = observed.entry;
        let value = match &running.rule.settings.distinct {
            None => 0,
            Some(field) => match field.digest(entry) {
                Some(value) => value,
                // An entry without the value is no further value.
                None => return,
            },
        };

        let (key, is_shared) = running.place(entry, self.clock_ms, &self.limits, most_groups);
        let recorded_ms = observed.recorded_at.as_millisecond();
        let mut taken = Taken {
            key,
            is_shared,
            entry: FiringEntry {
                event_id: entry.event_id.as_str().to_owned(),
                sequence: observed.sequence,
                at_ms: entry.timestamp.as_millisecond().min(recorded_ms),
            },
            value,
            recorded_ms,
            clock_ms: self.clock_ms,
        };
        let counted = running.count(taken.clone(), &self.limits, &mut self.gathered);

        if counted != Counted::Pending {
            // Only an entry that waits for others is named later.
            taken.entry.event_id.clear();
        }

        self.delta.take(at, &running.rule, &taken);
    }

    /// Returns what changed since the last time.
    pub fn take_changes(&mut self) -> EvaluatorChanges {
        if self.swept_ms.saturating_add(SWEEP_MS) < self.clock_ms {
            self.swept_ms = self.clock_ms;
            self.rules
                .iter_mut()
                .for_each(|running| running.forget_old(self.clock_ms, &self.limits));
            self.delta.sweep(self.clock_ms);
        }

        let mut changes = self.gathered.take();
        changes.delta = self.delta.finish();
        self.delta_bytes += changes.delta.len();

        if self.is_snapshot_due || self.delta_bytes > self.snapshot_bytes.max(FEWEST_DELTA_BYTES) {
            let parts = state::write_snapshot(&self.rules);
            self.snapshot_bytes = parts.iter().map(Vec::len).sum();
            (self.delta_bytes, self.is_snapshot_due) = (0, false);
            changes.snapshot = Some(parts);
        }

        changes
    }

    /// Returns the counts of rules that changed since the last time, for people to see. The state
    /// has its own.
    pub fn take_tallies(&mut self) -> Vec<StoredTally> {
        let changed = |running: &mut Running| {
            std::mem::take(&mut running.is_tally_changed).then(|| StoredTally {
                rule: running.rule.id.clone(),
                revision: running.rule.revision,
                tally: running.tally,
            })
        };
        self.rules.iter_mut().filter_map(changed).collect()
    }
}
