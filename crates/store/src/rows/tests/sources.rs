//! Fixtures of sources of metrics and bills, and of price files.

use reeve_estate::PriceKind;
use reeve_sources::{MetricSource, SourceKind, SyncState};
use reeve_testkit::contract::{bill_sources, metric_sources, price_files};

use super::super::{decode, price_file};
use super::check;

#[test]
fn metric_source_v1() {
    let sample = metric_sources::source("m-1", "push", SourceKind::Query).unwrap();
    check(&sample, fixture!("metric-source-v1"));
    let read: MetricSource = decode(fixture!("metric-source-v1")).unwrap();
    assert_eq!(read, sample);
}

#[test]
fn metric_source_state_v1() {
    let read: SyncState = decode(fixture!("metric-source-state-v1")).unwrap();
    assert_eq!(read, metric_sources::state().unwrap());
    check(&read, fixture!("metric-source-state-v1"));
}

#[test]
fn bill_source_v1() {
    let sample = bill_sources::source("b-1", "one").unwrap();
    check(&sample, fixture!("bill-source-v1"));
    let read: reeve_sources::BillSource = decode(fixture!("bill-source-v1")).unwrap();
    assert_eq!(read, sample);
}

#[test]
fn bill_sync_v1() {
    let read: reeve_sources::BillSync = decode(fixture!("bill-sync-v1")).unwrap();
    assert_eq!(
        (read.bytes, read.problems.as_slice()),
        (1 << 40, ["denied".to_owned()].as_slice())
    );
    check(&read, fixture!("bill-sync-v1"));
}

#[test]
fn price_file_v1() {
    let sample = price_files::file(PriceKind::Units, "text").unwrap();
    check(
        &price_file::PriceFileRow::from(&sample),
        fixture!("price-file-v1"),
    );
    let row: price_file::PriceFileRow = decode(fixture!("price-file-v1")).unwrap();
    assert_eq!(row.into_file("text".to_owned()), sample);
}
