//! Fixtures of budgets, their standing and their alerts.

use reeve_anomalies::budget::{Budget, BudgetAlert, BudgetStatus};
use reeve_testkit::contract::budgets as samples;

use super::super::decode;
use super::check;

macro_rules! fixture {
    ($name:literal) => {
        include_str!(concat!("../../../tests/fixtures/", $name, ".json"))
    };
}

#[test]
fn budget_v1() {
    let sample = samples::budget("b-1", "Compute").unwrap();
    check(&sample, fixture!("budget-v1"));

    let read: Budget = decode(fixture!("budget-v1")).unwrap();
    assert_eq!(read, sample);

    for (known, broken) in [("quarter", "fortnight"), ("12345678901234.5678", "much")] {
        let broken = fixture!("budget-v1").replace(known, broken);
        assert!(decode::<Budget>(&broken).is_err(), "{known}");
    }
}

#[test]
fn budget_standing_v1() {
    let sample = samples::standing(Ok("4000.5")).unwrap();
    check(&sample, fixture!("budget-standing-v1"));

    let read: BudgetStatus = decode(fixture!("budget-standing-v1")).unwrap();
    assert_eq!(read, sample);
}

#[test]
fn budget_alert_v1() {
    let compute = samples::budget("b-1", "Compute").unwrap();
    let sample = samples::alert("al-1", &compute, 80, 3).unwrap();
    check(&sample, fixture!("budget-alert-v1"));

    let read: BudgetAlert = decode(fixture!("budget-alert-v1")).unwrap();
    assert_eq!(read, sample);
}
