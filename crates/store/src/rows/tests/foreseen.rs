//! Fixtures of predictive rules, predictions and calendars.

use reeve_testkit::contract::predictive as samples;

use super::super::{decode, predictive};
use super::check;

macro_rules! fixture {
    ($name:literal) => {
        include_str!(concat!("../../../tests/fixtures/", $name, ".json"))
    };
}

#[test]
fn predictive_rule_v1() {
    let sample = samples::rule("r-1", 1_000).unwrap();
    check(
        &predictive::RuleRow::from(&sample),
        fixture!("predictive-rule-v1"),
    );
    let row: predictive::RuleRow = decode(fixture!("predictive-rule-v1")).unwrap();
    assert_eq!(row.into_rule().unwrap(), sample);
}

#[test]
fn prediction_v1() {
    let sample = samples::prediction("p-1", &samples::rule("r-1", 1_000).unwrap(), 0).unwrap();
    check(
        &predictive::PredictionRow::from(&sample),
        fixture!("prediction-v1"),
    );

    let row: predictive::PredictionRow = decode(fixture!("prediction-v1")).unwrap();
    let reasons = sample
        .reasons
        .iter()
        .map(|reason| reeve_predict::PredictiveReason::Other(reason.to_string()))
        .collect();

    let then = reeve_predict::Prediction {
        over_at: None,
        peak: None,
        reasons,
        ..sample.clone()
    };

    assert_eq!(
        row.into_prediction().unwrap(),
        then,
        "written before these were kept"
    );

    let written = super::super::encode(&predictive::PredictionRow::from(&sample)).unwrap();
    let row: predictive::PredictionRow = decode(&written).unwrap();
    assert_eq!(row.into_prediction().unwrap(), sample);
}

#[test]
fn calendar_v1() {
    let sample = samples::calendar("cal-1", 1_000).unwrap();
    check(
        &predictive::CalendarRow::from(&sample),
        fixture!("calendar-v1"),
    );
    let row: predictive::CalendarRow = decode(fixture!("calendar-v1")).unwrap();
    assert_eq!(row.into_calendar(None).unwrap(), sample);
}
