//! Fixtures of budgets, their standing and their alerts.

use reeve_testkit::contract::budgets as samples;

use super::super::{budget, decode};
use super::check;

macro_rules! fixture {
    ($name:literal) => {
        include_str!(concat!("../../../tests/fixtures/", $name, ".json"))
    };
}

#[test]
fn budget_v1() {
    let sample = samples::budget("b-1", "Compute").unwrap();
    check(&budget::BudgetRow::from(&sample), fixture!("budget-v1"));

    let row: budget::BudgetRow = decode(fixture!("budget-v1")).unwrap();
    assert_eq!(row.into_budget().unwrap(), sample);

    for (known, broken) in [("quarter", "fortnight"), ("12345678901234.5678", "much")] {
        let broken = fixture!("budget-v1").replace(known, broken);
        assert!(
            decode::<budget::BudgetRow>(&broken)
                .unwrap()
                .into_budget()
                .is_err(),
            "{known}"
        );
    }
}

#[test]
fn budget_standing_v1() {
    let sample = samples::standing(Ok("4000.5")).unwrap();
    check(
        &budget::StandingRow::from(&sample),
        fixture!("budget-standing-v1"),
    );
    let row: budget::StandingRow = decode(fixture!("budget-standing-v1")).unwrap();
    assert_eq!(row.into_status().unwrap(), sample);
}

#[test]
fn budget_alert_v1() {
    let compute = samples::budget("b-1", "Compute").unwrap();
    let sample = samples::alert("al-1", &compute, 80, 3).unwrap();
    check(
        &budget::BudgetAlertRow::from(&sample),
        fixture!("budget-alert-v1"),
    );

    let row: budget::BudgetAlertRow = decode(fixture!("budget-alert-v1")).unwrap();
    assert_eq!(row.into_alert().unwrap(), sample);
}
