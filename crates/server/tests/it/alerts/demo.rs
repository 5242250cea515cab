//! The attacks of the demonstration fire the ready rules that are meant for them.

use std::collections::BTreeMap;
use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};
use reeve_alerts::{
    AlertProgress, AlertRule, Evaluator, EvaluatorLimits, Observed, RuleId, RuleState, ready_rules,
};
use reeve_connect_simulated::SimulatedEstate;

#[test]
fn the_attacks_of_the_demonstration_fire_the_rules_meant_for_them() {
    let start = Timestamp::from_second(1_800_000_000).unwrap();
    let estate = SimulatedEstate::new(7, start);
    let mut evaluator = Evaluator::new(EvaluatorLimits::default(), AlertProgress::default());
    evaluator.set_rules(ready_rules().into_iter().map(|ready| {
        Arc::new(AlertRule {
            id: RuleId(ready.key),
            settings: ready.settings,
            state: RuleState::Enabled,
            silenced_until: None,
            revision: 1,
            version: 1,
            created_by: "test".to_owned(),
            created_at: start,
            updated_at: start,
        })
    }));

    // All attacks are told within the first hour.
    let entries = estate.activity(start, start + SignedDuration::from_mins(60));
    for (sequence, entry) in (0_u64..).zip(&entries) {
        evaluator.observe(Observed {
            sequence,
            recorded_at: entry.timestamp,
            entry,
        });
    }

    let mut fired: BTreeMap<String, Vec<u64>> = BTreeMap::new();
    for firing in evaluator.take_changes().fired {
        fired.entry(firing.rule.0).or_default().push(firing.count);
    }

    let meant = [
        "failed-sign-ins",
        "failed-sign-ins-from-address",
        "refused-credentials",
        "port-opened-to-the-internet",
    ];

    for key in meant {
        assert!(fired.contains_key(key), "{key}: {fired:?}");
    }

    // Rules name operations as the cloud does; the demonstration records them in the other
    // spelling.
    let opened = entries
        .iter()
        .filter_map(|entry| entry.action.operation.as_deref());
    assert!(
        opened
            .clone()
            .any(|operation| operation == "authorize_security_group_ingress")
    );

    let ready = ready_rules();
    let port = ready
        .iter()
        .find(|rule| rule.key == "port-opened-to-the-internet")
        .unwrap();
    assert!(
        !port
            .settings
            .condition
            .contains("authorize_security_group_ingress"),
        "{}",
        port.settings.condition
    );

    // One spray is one firing of one address, and it has every attempt.
    assert_eq!(fired["failed-sign-ins-from-address"], [30], "{fired:?}");
}
