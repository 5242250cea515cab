//! Fixtures of reports and runs.

use reeve_reports::{ReportDefinition, ReportRun};
use reeve_testkit::contract::reports as samples;

use super::super::decode;
use super::check;

macro_rules! fixture {
    ($name:literal) => {
        include_str!(concat!("../../../tests/fixtures/", $name, ".json"))
    };
}

#[test]
fn report_v1() {
    let sample = samples::report("report-1", "Failed sign-ins").unwrap();
    check(&sample, fixture!("report-v1"));
    let read: ReportDefinition = decode(fixture!("report-v1")).unwrap();
    assert_eq!(read, sample);
}

#[test]
fn report_run_v1() {
    let sample = samples::run_of("run-1", "report-1", 30).unwrap();
    check(&sample, fixture!("report-run-v1"));

    let run: ReportRun = decode(fixture!("report-run-v1")).unwrap();
    let files = &run.files;
    assert!(
        files.manifest_bytes == 0
            && [&files.json, &files.csv, &files.pdf]
                .iter()
                .all(|file| file.sha256.is_empty()),
        "runs of that version had no hashes: {files:?}"
    );

    let bytes =
        |files: &reeve_reports::RunFiles| [files.json.bytes, files.csv.bytes, files.pdf.bytes];
    assert_eq!(bytes(files), bytes(&sample.files));
    assert_eq!(
        ReportRun {
            files: sample.files.clone(),
            summary: sample.summary.clone(),
            ..run
        },
        sample
    );
}
