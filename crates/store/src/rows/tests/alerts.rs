//! Fixtures of alert rules and firings.

use reeve_testkit::contract::alerts as samples;

use super::super::{alert, decode, encode};
use super::check;

macro_rules! fixture {
    ($name:literal) => {
        include_str!(concat!("../../../tests/fixtures/", $name, ".json"))
    };
}

#[test]
fn alert_rule_v1() {
    let sample = samples::rule("r-1", "Failures").unwrap();
    check(&alert::RuleRow::from(&sample), fixture!("alert-rule-v1"));

    let row: alert::RuleRow = decode(fixture!("alert-rule-v1")).unwrap();
    assert_eq!(row.into_rule().unwrap(), sample);

    // A condition that this program cannot read is an error, not a rule that never fires.
    let broken = fixture!("alert-rule-v1").replace("status:failed", "stauts:failed");
    assert!(
        decode::<alert::RuleRow>(&broken)
            .unwrap()
            .into_rule()
            .is_err()
    );
}

#[test]
fn alert_firing_v1() {
    let sample = samples::firing("f-1", "r-1", 30).unwrap();
    check(
        &alert::FiringRow::from(&sample),
        fixture!("alert-firing-v1"),
    );

    let row: alert::FiringRow = decode(fixture!("alert-firing-v1")).unwrap();
    let handling: alert::HandlingRow =
        decode(&encode(&alert::HandlingRow::from(&sample)).unwrap()).unwrap();
    let columns = alert::FiringColumns {
        id: "f-1".into(),
        status: "open".into(),
        version: 1,
        first_at_ms: sample.first_at.as_millisecond(),
        last_at_ms: sample.last_at.as_millisecond(),
        count: 1,
        entries: r#"[["e\"1",7,12]]"#.into(),
    };

    assert_eq!(row.into_firing(handling, columns).unwrap(), sample);
}
