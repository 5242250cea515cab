//! Health of servers and tables.

use super::*;
use crate::observation::BackendSession;
use crate::testing::{observation, setting, table};

fn check(change: impl Fn(&mut Observation), expected: &[(&str, Severity)]) {
    let mut observation = observation(Engine::Postgresql);
    change(&mut observation);
    let found: Vec<_> = judge(&observation)
        .0
        .into_iter()
        .map(|one| (one.rule, one.severity))
        .collect();
    let expected: Vec<_> = expected
        .iter()
        .map(|(rule, severity)| ((*rule).to_owned(), *severity))
        .collect();
    assert_eq!(found, expected);
}

#[test]
fn what_risks_data_is_critical() {
    check(|_| {}, &[]);
    check(
        |one| one.settings = vec![setting("fsync", "off")],
        &[("unsafe_setting", Severity::Critical)],
    );
    check(|one| one.settings = vec![setting("fsync", "on")], &[]);
    check(
        |one| one.server.transaction_age = Some(1.2e9),
        &[("wraparound", Severity::Critical)],
    );
    check(|one| one.server.transaction_age = Some(2e8), &[]);
    check(
        |one| one.replication.lag_s = Some(40.0),
        &[("replication_lag", Severity::High)],
    );
}

#[test]
fn sequences_and_transactions_are_named_in_time() {
    let sequence = |last_value: f64| Sequence {
        name: "s".to_owned(),
        last_value,
        max_value: 100.0,
    };
    check(|one| one.sequences = vec![sequence(70.0)], &[]);
    check(
        |one| one.sequences = vec![sequence(80.0)],
        &[("sequence_end", Severity::High)],
    );
    check(
        |one| one.sequences = vec![sequence(95.0)],
        &[("sequence_end", Severity::Critical)],
    );
    let session = BackendSession {
        id: "1".to_owned(),
        user: "app".to_owned(),
        state: "idle in transaction".to_owned(),
        age_s: 3_600.0,
        blocked_by: None,
    };
    check(
        |one| one.activity.long_transactions = vec![session.clone()],
        &[("long_transaction", Severity::High)],
    );
}

#[test]
fn tables_are_judged_by_their_rows() {
    let orders = || table("orders", &["id"]);
    check(|one| one.tables = vec![orders()], &[]);
    check(
        |one| {
            one.tables = vec![DatabaseTable {
                dead_rows: Some(60_000.0),
                ..orders()
            }]
        },
        &[("dead_rows", Severity::Medium)],
    );
    check(
        |one| {
            one.tables = vec![DatabaseTable {
                has_primary_key: false,
                ..orders()
            }]
        },
        &[("missing_primary_key", Severity::Medium)],
    );
    check(
        |one| {
            one.tables = vec![DatabaseTable {
                last_analyze: None,
                ..orders()
            }]
        },
        &[("stale_statistics", Severity::Medium)],
    );
}
