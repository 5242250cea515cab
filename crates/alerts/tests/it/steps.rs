//! The promises of the semantics, one by one.

use std::sync::Arc;

use jiff::Timestamp;
use reeve_alerts::{Evaluator, Firing, Limits, Observed, Progress, Rule, RuleState};

use crate::differential::{Kept, item, rule};
use crate::naive::Item;

fn observe(evaluator: &mut Evaluator, stream: &[Item]) {
    for item in stream {
        let recorded_at = Timestamp::from_millisecond(item.recorded_ms).unwrap();
        evaluator.observe(Observed { sequence: item.sequence, recorded_at, entry: &item.entry });
    }
}

fn fired(rules: &[Rule], stream: &[Item]) -> Vec<Firing> {
    let mut evaluator = Kept::default().start(rules, Limits::default());
    observe(&mut evaluator, stream);
    evaluator.take_changes().fired
}

/// Failed sign-ins of one user at these seconds, each recorded at once.
fn failures(seconds: &[i64]) -> Vec<Item> {
    let numbered = (0_u64..).zip(seconds);
    numbered.map(|(n, s)| item(n, &format!("e-{n}"), "authentication.login", "ann", s * 1000, s * 1000)).collect()
}

fn brute_force() -> [Rule; 1] {
    [rule("r", "event_type:authentication.login", 5, "5m", &["user"])]
}

#[test]
fn five_within_five_minutes_fire_once() {
    let rules = brute_force();
    assert!(fired(&rules, &failures(&[0, 60, 120, 180])).is_empty());
    assert!(fired(&rules, &failures(&[0, 100, 200, 300, 401])).is_empty(), "never five within 300 s");
    let five = fired(&rules, &failures(&[0, 100, 150, 200, 300]));
    assert_eq!(five.len(), 1, "both ends of the window count");
    let ids: Vec<_> = five[0].entries.iter().map(|entry| entry.event_id.as_str()).collect();
    assert_eq!((five[0].count, ids), (5, vec!["e-0", "e-1", "e-2", "e-3", "e-4"]));
    assert_eq!(fired(&rules, &failures(&[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 304])).len(), 1, "the same attack");
}

#[test]
fn an_attack_that_lasts_fires_again_after_a_window() {
    let every_second: Vec<i64> = (0..900).collect();
    let found = fired(&brute_force(), &failures(&every_second));
    let at: Vec<_> = found.iter().map(|firing| firing.sequence).collect();
    assert_eq!(at, [4, 309, 614]);
    assert_eq!(found.iter().map(|firing| firing.count).collect::<Vec<_>>(), [305, 305, 290]);
    assert!(found.iter().all(|firing| firing.entries.len() == 100));
}

#[test]
fn a_late_event_completes_its_own_window() {
    let mut stream = failures(&[0, 60, 120, 180, 900]);
    // Happened at second 240, arrives an hour after.
    stream.push(item(9, "late", "authentication.login", "ann", 240_000, 3_600_000));
    let found = fired(&brute_force(), &stream);
    assert_eq!(found.len(), 1);
    assert_eq!((found[0].sequence, found[0].count), (9, 5));
    assert_eq!(found[0].until.as_millisecond() - found[0].from.as_millisecond(), 600_000);
}

#[test]
fn an_event_beyond_the_lateness_is_counted_as_late() {
    let rules = brute_force();
    let day = 86_400_000;
    let mut stream = failures(&[0, 60, 120, 180]);
    stream.push(item(5, "now", "authentication.login", "ann", day + 500_000, day + 500_000));
    stream.push(item(6, "late", "authentication.login", "ann", 240_000, day + 500_001));
    let mut kept = Kept::default();
    let mut evaluator = kept.start(&rules, Limits::default());
    observe(&mut evaluator, &stream);
    let changes = evaluator.take_changes();
    kept.keep(evaluator.progress(), changes);
    assert!(kept.firings.is_empty());
    assert_eq!(kept.counts(&rules)["r"], (6, 1, 0, 0));
}

#[test]
fn a_clock_that_is_ahead_does_not_hide_what_follows() {
    let mut stream = vec![item(0, "ahead", "authentication.login", "ann", 10 * 365 * 86_400_000, 0)];
    stream.extend(failures(&[1, 2, 3, 4]).into_iter().map(|item| Item { sequence: item.sequence + 1, ..item }));
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
    assert_eq!(fired(&all, &[change]).len(), 1, "people's changes of alerts are events like others");
}

#[test]
fn silence_keeps_the_firing_and_says_so() {
    let now = Timestamp::UNIX_EPOCH;
    let [rule] = brute_force();
    let until = Timestamp::from_millisecond(1_800_000_000_000 + 3_000).unwrap();
    let silenced = rule.silenced(Some(until), now);
    let found = |seconds: &[i64]| fired(std::slice::from_ref(&silenced), &failures(seconds));
    assert!(found(&[0, 0, 1, 1, 2])[0].silenced);
    assert!(!found(&[0, 0, 1, 1, 3])[0].silenced, "the silence ends at its time");
}

#[test]
fn only_enabled_rules_count_and_enabling_begins_anew() {
    let now = Timestamp::UNIX_EPOCH;
    let [enabled] = brute_force();
    for state in [RuleState::Draft, RuleState::Disabled] {
        assert!(fired(&[enabled.with_state(state, now)], &failures(&[0, 0, 0, 0, 0])).is_empty());
    }
    let again = enabled.with_state(RuleState::Disabled, now).with_state(RuleState::Enabled, now);
    assert_eq!((again.revision, again.version), (2, 3));
    let stream = failures(&[0, 1, 2, 3, 4]);
    let mut evaluator = Evaluator::new(Limits::default(), Progress::default());
    evaluator.set_rules([Arc::new(enabled)]);
    observe(&mut evaluator, &stream[..4]);
    evaluator.set_rules([Arc::new(again)]);
    observe(&mut evaluator, &stream[4..]);
    assert!(evaluator.take_changes().fired.is_empty(), "four of the five were counted by the revision before");
}

#[test]
fn memory_of_idle_groups_is_forgotten() {
    let rules = [rule("r", "event_type:authentication.login", 5, "5m", &["user"])];
    let mut kept = Kept::default();
    let mut evaluator = kept.start(&rules, Limits::default());
    observe(&mut evaluator, &failures(&[0]));
    let first = evaluator.take_changes();
    assert_eq!(first.groups.iter().filter(|group| group.state.is_some()).count(), 1);
    kept.keep(evaluator.progress(), first);
    observe(&mut evaluator, &[item(7, "other", "a.x", "bob", 90_000_000, 90_000_000)]);
    let later = evaluator.take_changes();
    assert_eq!(later.groups.iter().filter(|group| group.state.is_none()).count(), 1, "a day and five minutes later");
}
