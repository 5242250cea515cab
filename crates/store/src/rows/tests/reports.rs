//! Fixtures of reports and runs.

use reeve_testkit::contract::reports as samples;

use super::super::{decode, report};
use super::check;

macro_rules! fixture {
    ($name:literal) => {
        include_str!(concat!("../../../tests/fixtures/", $name, ".json"))
    };
}

#[test]
fn report_v1() {
    let sample = samples::report("report-1", "Failed sign-ins").unwrap();
    check(&report::ReportRow::from(&sample), fixture!("report-v1"));
    let row: report::ReportRow = decode(fixture!("report-v1")).unwrap();
    assert_eq!(row.into_report().unwrap(), sample);
}

#[test]
fn report_run_v1() {
    let sample = samples::run_of("run-1", "report-1", 30).unwrap();
    check(&report::RunRow::from(&sample), fixture!("report-run-v1"));
    let row: report::RunRow = decode(fixture!("report-run-v1")).unwrap();
    assert_eq!(row.into_run(sample.summary.clone()).unwrap(), sample);
}
