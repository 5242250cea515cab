//! The promises of the semantics, one by one.

use std::sync::Arc;

use jiff::Timestamp;
use reeve_alerts::{
    AlertProgress, AlertRule, DegradedBy, Evaluator, EvaluatorLimits, Firing, Observed, RuleState,
};
use reeve_audit::ActionStatus;

use crate::differential::{Kept, distinct_rule, item, rule};
use crate::naive::Item;

fn observe(evaluator: &mut Evaluator, stream: &[Item]) {
    for item in stream {
        let recorded_at = Timestamp::from_millisecond(item.recorded_ms).unwrap();
        evaluator.observe(Observed {
            sequence: item.sequence,
            recorded_at,
            entry: &item.entry,
        });
    }
}

fn fired(rules: &[AlertRule], stream: &[Item]) -> Vec<Firing> {
    let mut evaluator = Kept::default().start(rules, EvaluatorLimits::default());
    observe(&mut evaluator, stream);
    evaluator.take_changes().fired
}

/// Failed sign-ins of one user at these seconds, each recorded at once.
fn failures(seconds: &[i64]) -> Vec<Item> {
    let numbered = (0_u64..).zip(seconds);
    numbered
        .map(|(n, s)| {
            item(
                n,
                &format!("e-{n}"),
                "authentication.login",
                "ann",
                s * 1000,
                s * 1000,
            )
        })
        .collect()
}

fn brute_force() -> [AlertRule; 1] {
    [rule(
        "r",
        "event_type:authentication.login",
        5,
        "5m",
        &["user"],
    )]
}

#[test]
fn five_within_five_minutes_fire_once() {
    let rules = brute_force();
    assert!(fired(&rules, &failures(&[0, 60, 120, 180])).is_empty());
    assert!(
        fired(&rules, &failures(&[0, 100, 200, 300, 401])).is_empty(),
        "never five within 300 s"
    );

    let five = fired(&rules, &failures(&[0, 100, 150, 200, 300]));
    assert_eq!(five.len(), 1, "both ends of the window count");

    let ids: Vec<_> = five[0]
        .entries
        .iter()
        .map(|entry| entry.event_id.as_str())
        .collect();

    assert_eq!(
        (five[0].count, ids),
        (5, vec!["e-0", "e-1", "e-2", "e-3", "e-4"])
    );
    assert_eq!(
        fired(&rules, &failures(&[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 304])).len(),
        1,
        "the same attack"
    );
}

#[test]
fn an_attack_that_lasts_fires_again_after_a_window() {
    let every_second: Vec<i64> = (0..900).collect();
    let found = fired(&brute_force(), &failures(&every_second));
    let at: Vec<_> = found.iter().map(|firing| firing.sequence).collect();
    assert_eq!(at, [4, 309, 614]);
    assert_eq!(
        found.iter().map(|firing| firing.count).collect::<Vec<_>>(),
        [305, 305, 290]
    );
    assert!(found.iter().all(|firing| firing.entries.len() == 100));
}

#[test]
fn a_late_event_completes_its_own_window() {
    let mut stream = failures(&[0, 60, 120, 180, 900]);
    // Happened at second 240, arrives an hour after.
    stream.push(item(
        9,
        "late",
        "authentication.login",
        "ann",
        240_000,
        3_600_000,
    ));

    let found = fired(&brute_force(), &stream);
    assert_eq!(found.len(), 1);
    assert_eq!((found[0].sequence, found[0].count), (9, 5));
    assert_eq!(
        found[0].until.as_millisecond() - found[0].from.as_millisecond(),
        600_000
    );
}

#[test]
fn an_event_beyond_the_lateness_is_counted_as_late() {
    let rules = brute_force();
    let day = 86_400_000;
    let mut stream = failures(&[0, 60, 120, 180]);
    stream.push(item(
        5,
        "now",
        "authentication.login",
        "ann",
        day + 500_000,
        day + 500_000,
    ));

    stream.push(item(
        6,
        "late",
        "authentication.login",
        "ann",
        240_000,
        day + 500_001,
    ));

    let mut kept = Kept::default();
    let mut evaluator = kept.start(&rules, EvaluatorLimits::default());
    observe(&mut evaluator, &stream);
    let changes = evaluator.take_changes();
    kept.keep(evaluator.progress(), changes, evaluator.take_tallies());
    assert!(kept.firings.is_empty());
    assert_eq!(kept.counts(&rules)["r"], (6, 1, 0, 0, 0));
}

#[test]
fn a_clock_that_is_ahead_does_not_hide_what_follows() {
    let mut stream = vec![item(
        0,
        "ahead",
        "authentication.login",
        "ann",
        10 * 365 * 86_400_000,
        0,
    )];

    stream.extend(failures(&[1, 2, 3, 4]).into_iter().map(|item| Item {
        sequence: item.sequence + 1,
        ..item
    }));
    assert_eq!(fired(&brute_force(), &stream).len(), 1);
}

#[test]
fn firings_cause_no_firings() {
    let all = [rule("all", "event_type:*", 1, "1s", &[])];
    assert!(fired(&all, &[item(0, "f", "audit.alert.fire", "", 0, 0)]).is_empty());

    let mut delivery = item(1, "d", "integration.delivery", "", 0, 0);
    assert_eq!(fired(&all, std::slice::from_ref(&delivery)).len(), 1);
    delivery.entry = delivery.entry.with_metadata("event", "alert_fired");
    assert!(fired(&all, &[delivery]).is_empty());

    let change = item(2, "c", "audit.alert.modify", "", 0, 0);
    assert_eq!(
        fired(&all, &[change]).len(),
        1,
        "people's changes of alerts are events like others"
    );
}

#[test]
fn silence_keeps_the_firing_and_says_so() {
    let now = Timestamp::UNIX_EPOCH;
    let [rule] = brute_force();
    let until = Timestamp::from_millisecond(1_800_000_000_000 + 3_000).unwrap();
    let silenced = rule.silenced(Some(until), now);
    let found = |seconds: &[i64]| fired(std::slice::from_ref(&silenced), &failures(seconds));
    assert!(found(&[0, 0, 1, 1, 2])[0].silenced);
    assert!(
        !found(&[0, 0, 1, 1, 3])[0].silenced,
        "the silence ends at its time"
    );
}

#[test]
fn only_enabled_rules_count_and_enabling_begins_anew() {
    let now = Timestamp::UNIX_EPOCH;
    let [enabled] = brute_force();

    for state in [RuleState::Draft, RuleState::Disabled] {
        assert!(
            fired(
                &[enabled.with_state(state, now)],
                &failures(&[0, 0, 0, 0, 0])
            )
            .is_empty()
        );
    }

    let again = enabled
        .with_state(RuleState::Disabled, now)
        .with_state(RuleState::Enabled, now);
    assert_eq!((again.revision, again.version), (2, 3));

    let stream = failures(&[0, 1, 2, 3, 4]);
    let mut evaluator = Evaluator::new(EvaluatorLimits::default(), AlertProgress::default());
    evaluator.set_rules([Arc::new(enabled)]);
    observe(&mut evaluator, &stream[..4]);
    evaluator.set_rules([Arc::new(again)]);
    observe(&mut evaluator, &stream[4..]);
    assert!(
        evaluator.take_changes().fired.is_empty(),
        "four of the five were counted by the revision before"
    );
}

#[test]
fn memory_of_idle_groups_is_forgotten() {
    let rules = [rule(
        "r",
        "event_type:authentication.login",
        5,
        "5m",
        &["user"],
    )];
    let mut evaluator = Kept::default().start(&rules, EvaluatorLimits::default());
    observe(&mut evaluator, &failures(&[0]));
    let _ = evaluator.take_changes();
    assert_eq!(evaluator.groups(), 1);
    observe(
        &mut evaluator,
        &[item(7, "other", "a.x", "bob", 90_000_000, 90_000_000)],
    );
    let _ = evaluator.take_changes();
    assert_eq!(evaluator.groups(), 0, "a day and five minutes later");
}

const DAY: i64 = 86_400_000;

/// One failed sign-in that was recorded while the clock of the service was ahead, then five of
/// `user` at the right time.
fn after_a_jump(ahead_ms: i64, user: &str) -> Vec<Item> {
    let mut stream = vec![item(
        0,
        "ahead",
        "authentication.login",
        "ann",
        ahead_ms,
        ahead_ms,
    )];

    let login = |n: u64| {
        let at = i64::try_from(n).unwrap() * 1_000;
        item(n, &format!("e-{n}"), "authentication.login", user, at, at)
    };
    stream.extend((1..6).map(login));

    stream
}

#[test]
fn a_clock_that_was_ahead_silences_no_rule_afterwards() {
    let all = rule("all", "event_type:authentication.login", 5, "5m", &[]);
    let by_user = rule(
        "user",
        "event_type:authentication.login",
        5,
        "5m",
        &["user"],
    );

    for ahead_ms in [3 * DAY, 30 * 365 * DAY] {
        for (rule, user) in [
            (&all, "ann"),
            (&all, "bob"),
            (&by_user, "ann"),
            (&by_user, "bob"),
        ] {
            let rules = [rule.clone()];
            let mut kept = Kept::default();
            let mut evaluator = kept.start(&rules, EvaluatorLimits::default());
            let stream = after_a_jump(ahead_ms, user);
            observe(&mut evaluator, &stream[..1]);
            let changes = evaluator.take_changes();
            kept.keep(evaluator.progress(), changes, evaluator.take_tallies());
            // The clock is right again after a restart.
            let mut evaluator = kept.start(&rules, EvaluatorLimits::default());
            observe(&mut evaluator, &stream[1..]);
            let changes = evaluator.take_changes();
            assert_eq!(
                changes.fired.len(),
                1,
                "{} of {user}, {ahead_ms} ms ahead",
                rule.id.0
            );
            assert_eq!(
                changes
                    .steps
                    .iter()
                    .map(|step| step.sequence)
                    .collect::<Vec<_>>(),
                [1],
                "it is told"
            );
        }
    }
}

#[test]
fn steps_of_the_clock_within_minutes_are_no_jump() {
    let mut stream = failures(&[0, 100, 200]);
    stream.extend([
        item(3, "x", "authentication.login", "ann", 0, 0),
        item(4, "y", "authentication.login", "ann", 0, 0),
    ]);
    let mut evaluator = Kept::default().start(&brute_force(), EvaluatorLimits::default());
    observe(&mut evaluator, &stream);
    let changes = evaluator.take_changes();
    assert_eq!((changes.fired.len(), changes.steps.len()), (1, 0));
}

#[test]
fn a_flood_of_groups_is_bounded_and_still_fires() {
    let agents = [rule("agents", "event_type:a.x", 3, "1h", &["user"])];
    let mut kept = Kept::default();
    let mut evaluator = kept.start(&agents, EvaluatorLimits::default());
    let mut degraded = Vec::new();
    let known = item(0, "known", "a.x", "ann", 0, 0);
    observe(&mut evaluator, &[known]);

    for page in 0..100_u64 {
        let numbers = page * 2_000..(page + 1) * 2_000;
        let flood: Vec<_> = numbers
            .map(|n| item(n + 1, &format!("e-{n}"), "a.x", &format!("agent {n}"), 1, 1))
            .collect();
        observe(&mut evaluator, &flood);
        let changes = evaluator.take_changes();
        degraded.extend(
            changes
                .degraded
                .iter()
                .filter(|degraded| degraded.is_new)
                .cloned(),
        );
        kept.keep(evaluator.progress(), changes, evaluator.take_tallies());
    }

    assert!(
        evaluator.groups() <= 10_001,
        "{} groups",
        evaluator.groups()
    );

    assert_eq!(
        degraded
            .iter()
            .map(|degraded| degraded.by)
            .collect::<Vec<_>>(),
        [DegradedBy::Groups],
        "told once"
    );

    let further = kept
        .firings
        .values()
        .any(|firing| firing.group.values() == [Some("(further groups)".to_owned())]);
    assert!(
        further,
        "groups that are not counted apart are counted together"
    );

    let kept_bytes: usize = kept
        .state
        .snapshot
        .iter()
        .chain(&kept.state.deltas)
        .map(Vec::len)
        .sum();

    assert!(
        kept_bytes < 4_000_000,
        "{kept_bytes} bytes of state after 200,000 values"
    );

    // Groups that the rule has go on, over a restart too.
    let mut evaluator = kept.start(&agents, EvaluatorLimits::default());
    let ann = [2, 3].map(|n| item(300_000 + n, &format!("ann-{n}"), "a.x", "ann", 2, 2));
    observe(&mut evaluator, &ann);
    let fired = evaluator.take_changes().fired;
    assert_eq!(
        fired
            .iter()
            .map(|firing| firing.group.values())
            .collect::<Vec<_>>(),
        [[Some("ann".to_owned())]]
    );
}

#[test]
fn a_busy_group_costs_bytes_for_what_is_new() {
    let busy = [rule("busy", "event_type:a.x", 10_000, "30d", &[])];
    let mut evaluator = Kept::default().start(&busy, EvaluatorLimits::default());
    let entries: Vec<_> = (0..9_000_u64)
        .map(|n| {
            item(
                n,
                &format!("e-{n}"),
                "a.x",
                "ann",
                n.cast_signed(),
                n.cast_signed(),
            )
        })
        .collect();
    observe(&mut evaluator, &entries[..8_990]);

    let _ = evaluator.take_changes();
    observe(&mut evaluator, &entries[8_990..]);
    let changes = evaluator.take_changes();
    assert!(
        changes.delta.len() < 1_000 && changes.snapshot.is_none(),
        "{} bytes of ten entries",
        changes.delta.len()
    );
}

#[test]
fn five_users_from_one_address_are_not_twenty_attempts_of_one() {
    let spray = [distinct_rule(
        "spray",
        "event_type:authentication.login",
        5,
        "10m",
        &[],
        "user",
    )];

    let attempt = |n: u64, user: &str, second: i64| {
        item(
            n,
            &format!("e-{n}"),
            "authentication.login",
            user,
            second * 1_000,
            second * 1_000,
        )
    };

    let one_user: Vec<_> = (0..20_000_u64)
        .map(|n| attempt(n, "ann", n.cast_signed() / 40))
        .collect();
    assert!(fired(&spray, &one_user).is_empty());

    let mut evaluator = Kept::default().start(&spray, EvaluatorLimits::default());
    observe(&mut evaluator, &one_user);

    // A flood of one value hides no other, whatever its number.
    let others = ["bob", "cleo", "dan", "eve"];
    let rest: Vec<_> = (20_000..)
        .zip(others)
        .map(|(n, user)| attempt(n, user, 510))
        .collect();
    observe(&mut evaluator, &rest);
    let found = evaluator.take_changes().fired;
    assert_eq!(found.len(), 1);
    assert_eq!(
        (found[0].sequence, found[0].count),
        (20_003, 20_004),
        "every entry is counted"
    );

    let slow: Vec<_> = (0_u64..)
        .zip(["ann", "bob", "cleo", "dan"])
        .map(|(n, user)| attempt(n, user, 0))
        .collect();
    assert!(
        fired(&spray, &[slow, vec![attempt(9, "eve", 601)]].concat()).is_empty(),
        "never five within ten minutes"
    );

    let nameless: Vec<_> = (0..9).map(|n| attempt(n, "", 0)).collect();
    assert!(
        fired(&spray, &nameless).is_empty(),
        "no name is no further user"
    );
}

#[test]
fn an_intent_and_its_outcome_are_one_act() {
    let deeds = rule("deeds", "event_type:team.create", 2, "5m", &[]);
    let named = rule(
        "pending",
        "event_type:team.create AND status:pending",
        1,
        "5m",
        &[],
    );

    let change = |n: u64, status| {
        let mut item = item(n, &format!("e-{n}"), "team.create", "ann", 0, 0);
        item.entry.action.status = Some(status);
        item
    };

    let one = [
        change(0, ActionStatus::Pending),
        change(1, ActionStatus::Success),
    ];
    let two = [
        change(2, ActionStatus::Pending),
        change(3, ActionStatus::Failed),
    ];
    assert!(fired(std::slice::from_ref(&deeds), &one).is_empty());
    assert_eq!(fired(&[deeds], &[one.clone(), two].concat()).len(), 1);
    assert_eq!(
        fired(&[named], &one).len(),
        1,
        "a condition that names the status says what it means"
    );
}
