//! Patterns of statements.

use super::*;
use crate::engine::Engine;
use crate::observation::BackendSession;
use crate::testing::{observation, statement, table, with_statements};

fn rules(observation: &Observation) -> Vec<String> {
    judge(observation)
        .0
        .into_iter()
        .map(|one| one.rule)
        .collect()
}

fn with(statements: Vec<DatabaseStatement>) -> Observation {
    let mut observation = observation(Engine::Postgresql);
    observation.tables = vec![table("orders", &["id", "customer_id"])];
    with_statements(observation, statements)
}

const BY_KEY: &str = "SELECT * FROM orders WHERE id = $1";

#[test]
fn a_loop_of_single_rows_is_many_calls_of_one_row() {
    let loops = DatabaseStatement {
        calls: 50_000.0,
        rows: 50_000.0,
        total_ms: 500.0,
        ..statement("1", BY_KEY)
    };
    assert_eq!(rules(&with(vec![loops.clone()])), ["n_plus_one"]);
    let many_rows = DatabaseStatement {
        rows: 500_000.0,
        ..loops.clone()
    };
    assert_eq!(rules(&with(vec![many_rows])), [""; 0]);
    let seldom = DatabaseStatement {
        calls: 500.0,
        rows: 500.0,
        ..loops
    };
    assert_eq!(rules(&with(vec![seldom])), [""; 0]);
}

#[test]
fn the_statements_that_take_the_time_are_named() {
    let mut statements = vec![statement("1", "SELECT 1")];
    statements.extend((2..30).map(|id| DatabaseStatement {
        total_ms: 900.0,
        ..statement(&id.to_string(), "SELECT 2")
    }));
    let (advice, _) = judge(&with(statements));
    assert_eq!(advice.len(), 1);
    assert_eq!(advice[0].object, "1");
}

#[test]
fn scans_spills_and_waits_are_named() {
    let spilling = DatabaseStatement {
        temporary_writes: 90_000.0,
        total_ms: 10.0,
        ..statement("1", "SELECT 1")
    };
    assert_eq!(rules(&with(vec![spilling])), ["spill"]);

    let mut observation = with(Vec::new());
    observation.tables[0].sequential_scans = Some(1_000.0);
    observation.tables[0].sequential_rows = Some(1e8);
    assert_eq!(rules(&observation), ["full_scan"]);
    observation.tables[0].sequential_rows = Some(1e4);
    assert_eq!(
        rules(&observation),
        [""; 0],
        "scans that end early read no whole table"
    );

    observation.activity.waiting = vec![BackendSession {
        id: "7".to_owned(),
        user: "app".to_owned(),
        state: "active".to_owned(),
        age_s: 60.0,
        blocked_by: Some("3".to_owned()),
    }];
    assert_eq!(rules(&observation), ["lock_wait"]);
}
