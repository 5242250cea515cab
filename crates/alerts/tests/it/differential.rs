//! Random rules over random streams, with late, repeated and reordered events and restarts at
//! random places: both engines must find the same firings with the same entries, and the same
//! counts.

use std::collections::BTreeMap;
use std::sync::Arc;

use jiff::Timestamp;
use proptest::prelude::*;
use proptest::strategy::ValueTree as _;
use reeve_alerts::{
    AlertProgress, AlertRule, ChangeTally, Evaluator, EvaluatorChanges, EvaluatorLimits, Firing,
    FiringId, KEPT_ENTRIES, Observed, RuleDraft, RuleId, RuleSettings, RuleState, StoredState,
    StoredTally,
};
use reeve_audit::{Actor, Entry, EventId, EventType};

use crate::naive::{self, Counts, Fired, Item};

const START: i64 = 1_800_000_000_000;

pub(crate) fn rule(
    id: &str,
    condition: &str,
    count: u64,
    window: &str,
    group_by: &[&str],
) -> AlertRule {
    let draft = RuleDraft {
        name: id.to_owned(),
        condition: condition.to_owned(),
        count,
        window: window.to_owned(),
        group_by: group_by.iter().map(|field| (*field).to_owned()).collect(),
        severity: "high".to_owned(),
        ..RuleDraft::default()
    };
    AlertRule {
        id: RuleId(id.to_owned()),
        settings: RuleSettings::read(draft).unwrap(),
        state: RuleState::Enabled,
        silenced_until: None,
        revision: 1,
        version: 1,
        created_by: "test".to_owned(),
        created_at: Timestamp::UNIX_EPOCH,
        updated_at: Timestamp::UNIX_EPOCH,
    }
}

/// A rule that counts the values of a field.
pub(crate) fn distinct_rule(
    id: &str,
    condition: &str,
    count: u64,
    window: &str,
    group_by: &[&str],
    field: &str,
) -> AlertRule {
    let plain = rule(id, condition, count, window, group_by);
    let draft = RuleDraft {
        distinct: Some(field.to_owned()),
        ..plain.settings.draft()
    };
    AlertRule {
        settings: RuleSettings::read(draft).unwrap(),
        ..plain
    }
}

pub(crate) fn item(
    sequence: u64,
    id: &str,
    event_type: &str,
    user: &str,
    at_ms: i64,
    recorded_ms: i64,
) -> Item {
    let mut entry = Entry::new(EventType::new(event_type).unwrap())
        .with_id(EventId::new(id).unwrap())
        .at(Timestamp::from_millisecond(START + at_ms).unwrap());
    if !user.is_empty() {
        entry = entry.by(Actor::user(user));
    }

    Item {
        sequence,
        recorded_ms: START + recorded_ms,
        entry,
    }
}

/// The store in small: what is kept between two processes.
#[derive(Default)]
pub(crate) struct Kept {
    progress: AlertProgress,
    pub(crate) state: StoredState,
    tallies: BTreeMap<(RuleId, u64), ChangeTally>,
    pub(crate) firings: BTreeMap<FiringId, Firing>,
}

impl Kept {
    pub(crate) fn keep(
        &mut self,
        progress: AlertProgress,
        changes: EvaluatorChanges,
        tallies: Vec<StoredTally>,
    ) {
        self.progress = progress;
        if !changes.delta.is_empty() {
            self.state.deltas.push(changes.delta);
        }

        if let Some(snapshot) = changes.snapshot {
            self.state = StoredState {
                snapshot,
                ..StoredState::default()
            };
        }

        for stored in tallies {
            self.tallies
                .insert((stored.rule, stored.revision), stored.tally);
        }

        for firing in changes.fired {
            assert!(
                self.firings.insert(firing.id.clone(), firing).is_none(),
                "a firing is new once"
            );
        }

        for growth in changes.grown {
            let firing = self.firings.get_mut(&growth.id).unwrap();
            assert!(growth.count > firing.count, "a firing grows");
            firing.count = growth.count;
            firing.entries.extend(growth.entries);
            assert!(firing.entries.len() <= KEPT_ENTRIES);
            (firing.first_at, firing.last_at) = (growth.first_at, growth.last_at);
        }
    }

    pub(crate) fn start(&self, rules: &[AlertRule], limits: EvaluatorLimits) -> Evaluator {
        let mut evaluator = Evaluator::new(limits, self.progress);
        evaluator.set_rules(rules.iter().cloned().map(Arc::new));
        evaluator.restore(&self.state).unwrap();
        evaluator
    }

    pub(crate) fn fired(&self) -> Vec<Fired> {
        let mut fired: Vec<_> = self
            .firings
            .values()
            .map(|firing| Fired {
                rule: firing.rule.0.clone(),
                group: firing.group.clone(),
                by: firing.sequence,
                from: firing.from.as_millisecond(),
                until: firing.until.as_millisecond(),
                count: firing.count,
                events: firing
                    .entries
                    .iter()
                    .map(|entry| entry.event_id.clone())
                    .collect(),
            })
            .collect();
        fired.sort();

        fired
    }

    pub(crate) fn counts(&self, rules: &[AlertRule]) -> BTreeMap<String, Counts> {
        let tally = |rule: &AlertRule| {
            self.tallies
                .get(&(rule.id.clone(), rule.revision))
                .copied()
                .unwrap_or_default()
        };

        let counts = |tally: ChangeTally| {
            (
                tally.matched,
                tally.late,
                tally.shared,
                tally.dropped,
                tally.fired,
            )
        };

        rules
            .iter()
            .map(|rule| (rule.id.0.clone(), counts(tally(rule))))
            .collect()
    }
}

/// Steps of a process: entries looked at, then what changed is kept, or the process dies before
/// that.
#[derive(Debug, Clone)]
struct Batch {
    entries: usize,
    end: End,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum End {
    Kept,
    KeptThenRestarted,
    Killed,
}

fn run(rules: &[AlertRule], stream: &[Item], limits: EvaluatorLimits, batches: &[Batch]) -> Kept {
    let mut kept = Kept::default();
    let mut evaluator = kept.start(rules, limits);
    let (mut at, mut plan) = (0, batches.iter());

    while at < stream.len() {
        let batch = plan.next().cloned().unwrap_or(Batch {
            entries: stream.len(),
            end: End::Kept,
        });
        let end = stream.len().min(at + batch.entries);
        for item in &stream[at..end] {
            let recorded_at = Timestamp::from_millisecond(item.recorded_ms).unwrap();
            evaluator.observe(Observed {
                sequence: item.sequence,
                recorded_at,
                entry: &item.entry,
            });
        }
        if batch.end == End::Killed {
            // The entries are read again: nothing of this batch was kept.
            evaluator = kept.start(rules, limits);
            continue;
        }
        at = end;
        let changes = evaluator.take_changes();
        kept.keep(evaluator.progress(), changes, evaluator.take_tallies());
        if batch.end == End::KeptThenRestarted {
            evaluator = kept.start(rules, limits);
        }
    }

    kept
}

fn rules() -> impl Strategy<Value = Vec<AlertRule>> {
    let condition = prop::sample::select(vec![
        "event_type:a.x",
        "event_type:a.*",
        "event_type:*",
        "user:ann",
        "user:ann OR user:bob",
        "NOT event_type:a.x",
        "event_type:a.x AND user:(ann OR bob)",
        "category:b",
        "x",
        "timestamp:>now-20s",
    ]);

    let window = prop::sample::select(vec!["1s", "5s", "30s"]);
    let group_by: Vec<&[&str]> = vec![&[], &["user"], &["user", "event_type"], &["ip"]];
    let distinct = prop::option::weighted(0.3, prop::sample::select(vec!["user", "event_type"]));
    let one = (
        condition,
        1..5_u64,
        window,
        prop::sample::select(group_by),
        distinct,
    );

    prop::collection::vec(one, 1..6).prop_map(|settings| {
        let numbered = settings.into_iter().enumerate();
        numbered
            .map(
                |(n, (condition, count, window, by, distinct))| match distinct {
                    Some(field) => distinct_rule(
                        &format!("r-{n}"),
                        condition,
                        count.max(2),
                        window,
                        by,
                        field,
                    ),
                    None => rule(&format!("r-{n}"), condition, count, window, by),
                },
            )
            .collect()
    })
}

/// Entries whose recording advances by up to 40 s, whose time may be before or after it, some of
/// them sent twice.
fn stream() -> impl Strategy<Value = Vec<Item>> {
    let time =
        prop_oneof![6 => 0..1_500_i64, 2 => 0..12_000_i64, 1 => -3_000..0_i64, 1 => 0..120_000_i64];
    let advance =
        prop_oneof![8 => 0..900_i64, 2 => 0..8_000_i64, 1 => 0..40_000_i64, 1 => -60_000..0_i64];
    let event_type = prop::sample::select(vec!["a.x", "a.x", "a.y", "b.x", "audit.alert.fire"]);
    let user = prop::sample::select(vec!["ann", "bob", "Ann", ""]);
    let repeated = prop::option::weighted(0.15, 1..8_usize);
    let one = (event_type, user, time, advance, repeated, 0..2_u64);

    prop::collection::vec(one, 0..120).prop_map(|drawn| {
        let (mut recorded, mut sequence) = (200_000, 0);
        let mut stream: Vec<Item> = Vec::new();
        for (n, (event_type, user, behind, advance, repeated, gap)) in drawn.into_iter().enumerate()
        {
            recorded += advance;
            sequence += 1 + gap;
            let again = repeated
                .and_then(|back| stream.len().checked_sub(back))
                .map(|at| stream[at].entry.clone());
            let fresh = item(
                sequence,
                &format!("e-{n}"),
                event_type,
                user,
                recorded - behind,
                recorded,
            );
            stream.push(Item {
                entry: again.unwrap_or(fresh.entry),
                ..fresh
            });
        }
        stream
    })
}

fn batches() -> impl Strategy<Value = Vec<Batch>> {
    let end = prop::sample::select(vec![
        End::Kept,
        End::Kept,
        End::KeptThenRestarted,
        End::Killed,
    ]);
    prop::collection::vec(
        (1..25_usize, end).prop_map(|(entries, end)| Batch { entries, end }),
        0..20,
    )
}

fn limits() -> impl Strategy<Value = EvaluatorLimits> {
    let lateness = prop::sample::select(vec![0, 2_000, 10_000, 60_000]);
    let few = |few: Vec<usize>| prop::sample::select(few);
    let bounds = (
        few(vec![4, 6, 20_000]),
        few(vec![1, 2, 64]),
        few(vec![1, 2, 10_000]),
        few(vec![3, 8, 200_000]),
    );

    (lateness, prop::sample::select(vec![1_000, 20_000]), bounds).prop_map(
        |(lateness_ms, step_ms, bounds)| {
            let (most_pending, most_open, most_groups, most_kept) = bounds;
            EvaluatorLimits {
                lateness_ms,
                step_ms,
                most_pending,
                most_open,
                most_groups,
                most_kept,
            }
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2_000, ..ProptestConfig::default() })]

    #[test]
    fn both_engines_agree(rules in rules(), stream in stream(), batches in batches(), limits in limits()) {
        let (fired, counts) = naive::evaluate(&rules, &stream, limits);
        let kept = run(&rules, &stream, limits, &batches);
        prop_assert_eq!(kept.fired(), fired);
        prop_assert_eq!(kept.counts(&rules), counts);
    }
}

#[test]
fn the_streams_reach_every_outcome() {
    // A differential test proves nothing about what its streams never reach.
    let mut runner = proptest::test_runner::TestRunner::deterministic();
    let (mut late, mut shared, mut dropped, mut fired, mut joined) = (0, 0, 0, 0, 0);

    for _ in 0..300 {
        let drawn = (rules(), stream(), limits())
            .new_tree(&mut runner)
            .unwrap()
            .current();
        let (firings, counts) = naive::evaluate(&drawn.0, &drawn.1, drawn.2);
        late += counts.values().map(|counts| counts.1).sum::<u64>();
        shared += counts.values().map(|counts| counts.2).sum::<u64>();
        dropped += counts.values().map(|counts| counts.3).sum::<u64>();
        fired += firings.len();
        joined += firings.iter().filter(|firing| firing.count > 5).count();
    }

    let counted = [late, shared, dropped, fired as u64, joined as u64];
    assert!(
        counted
            .iter()
            .zip([500, 500, 200, 1_000, 100])
            .all(|(found, least)| *found > least),
        "{counted:?}"
    );
}
