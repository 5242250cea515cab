//! The rate of statements and the share of reads.

#![allow(clippy::unwrap_used)]

use super::*;
use crate::engine::Engine;
use crate::testing::{observation, statement, with_statements};

fn replica(reads: f64, writes: f64) -> Option<DatabaseAdvice> {
    let mut observation = observation(Engine::Mariadb);
    observation.server.counted_s = Some(100.0);
    observation.server.read_statements = Some(reads);
    observation.server.write_statements = Some(writes);
    judge(&observation, &DatabaseThresholds::default()).unwrap()
}

#[test]
fn a_replica_takes_many_reads() {
    let advice = replica(180_000.0, 20_000.0).unwrap();
    assert_eq!(
        advice.title,
        "Add a read replica: 2,000 statements a second"
    );
    assert_eq!(advice.cost.after, Some(1_100.0));
    assert!(replica(80_000.0, 10_000.0).is_none(), "900 a second");
    assert!(
        replica(60_000.0, 140_000.0).is_none(),
        "writes stay on the primary"
    );
}

#[test]
fn postgresql_counts_by_its_statements() {
    let mut read = statement("1", "SELECT 1");
    read.calls = 2e8;
    let observation = with_statements(observation(Engine::Postgresql), vec![read]);
    assert!(
        judge(&observation, &DatabaseThresholds::default())
            .unwrap()
            .is_some()
    );
}
