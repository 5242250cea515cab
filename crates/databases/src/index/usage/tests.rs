//! Indexes that may go, and those that must stay.

use super::*;
use crate::testing::{index, observation};

fn judged(indexes: Vec<DatabaseIndex>) -> Vec<(String, String)> {
    let mut observation = observation(Engine::Postgresql);
    observation.indexes = indexes;
    let (advice, _) = judge(&observation, &DatabaseThresholds::default());
    advice
        .into_iter()
        .map(|one| (one.rule, one.object))
        .collect()
}

fn used(name: &str, columns: &[&str]) -> DatabaseIndex {
    DatabaseIndex {
        scans: Some(9.0),
        ..index(name, columns)
    }
}

#[test]
fn of_two_equal_indexes_one_stays() {
    let found = judged(vec![used("one", &["a"]), used("two", &["a"])]);
    assert_eq!(
        found,
        [("duplicate_index".to_owned(), "public.one".to_owned())]
    );
}

#[test]
fn a_prefix_is_redundant_only_with_the_same_order_and_condition() {
    let wide = used("wide", &["a", "b"]);
    let found = judged(vec![used("narrow", &["a"]), wide.clone()]);
    assert_eq!(
        found,
        [("redundant_index".to_owned(), "public.narrow".to_owned())]
    );

    let partial = DatabaseIndex {
        predicate: Some("a > 0".to_owned()),
        ..used("narrow", &["a"])
    };
    let descending = DatabaseIndex {
        key_options: vec!["1:0:3".to_owned()],
        ..used("narrow", &["a"])
    };
    let unique = DatabaseIndex {
        is_unique: true,
        ..used("narrow", &["a"])
    };
    for other in [partial, descending, unique] {
        assert_eq!(judged(vec![other, wide.clone()]), []);
    }
}

#[test]
fn an_index_with_a_rule_is_never_unused() {
    let found = judged(vec![index("idle", &["a"])]);
    assert_eq!(
        found,
        [("unused_index".to_owned(), "public.idle".to_owned())]
    );

    for constraint in [
        Constraint::PrimaryKey,
        Constraint::Exclusion,
        Constraint::ReplicaIdentity,
        Constraint::ForeignKey,
        Constraint::Partition,
    ] {
        let index = DatabaseIndex {
            constraints: vec![constraint],
            ..index("idle", &["a"])
        };
        assert_eq!(judged(vec![index]), [], "{constraint:?}");
    }
}

#[test]
fn an_index_of_a_foreign_key_goes_only_beside_another() {
    let keyed = |name: &str| DatabaseIndex {
        constraints: vec![Constraint::ForeignKey],
        ..used(name, &["a"])
    };
    let found = judged(vec![keyed("one"), keyed("two")]);
    assert_eq!(
        found,
        [("duplicate_index".to_owned(), "public.one".to_owned())]
    );
}

#[test]
fn counters_that_say_too_little_are_not_believed() {
    let blind = |change: &dyn Fn(&mut Observation)| {
        let mut observation = observation(Engine::Postgresql);
        observation.indexes = vec![index("idle", &["a"])];
        change(&mut observation);
        let (advice, unjudged) = judge(&observation, &DatabaseThresholds::default());
        assert!(advice.is_empty(), "{advice:?}");
        unjudged[0].reason.clone()
    };
    let young = blind(&|one| one.server.counted_s = Some(86_400.0));
    assert!(young.contains("1.0 days"), "{young}");
    let standbys = blind(&|one| one.replication.replicas = Some(1));
    assert!(standbys.starts_with("standbys count"), "{standbys}");
    let standby = blind(&|one| one.server.is_standby = true);
    assert!(standby.contains("is a standby"), "{standby}");
}

#[test]
fn dropping_and_making_again_block_no_writes() {
    let advice = removal(
        Engine::Postgresql,
        &index("idle", &["a"]),
        "unused_index",
        String::new(),
    );
    assert_eq!(
        advice.statements,
        ["DROP INDEX CONCURRENTLY \"public\".\"idle\""]
    );
    assert_eq!(
        advice.undo,
        ["CREATE INDEX CONCURRENTLY idle ON public.orders"]
    );
    let advice = removal(
        Engine::Mariadb,
        &index("idle", &["a"]),
        "unused_index",
        String::new(),
    );
    assert!(
        advice.statements[0].ends_with("ALTER INDEX `idle` IGNORED"),
        "{advice:?}"
    );
}
