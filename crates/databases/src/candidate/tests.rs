//! Candidates of a workload.

use super::*;
use crate::testing::{index, observation, statement, table, with_statements};

fn columns(text: &str, indexes: &[&[&str]]) -> Vec<Vec<String>> {
    let mut observation = observation(Engine::Postgresql);
    let mut orders = table("orders", &["id", "customer_id", "status", "placed_on"]);
    orders.columns[2].distinct_values = Some(5.0);
    observation.tables = vec![orders];
    observation.indexes = indexes
        .iter()
        .map(|columns| index("existing", columns))
        .collect();
    let observation = with_statements(observation, vec![statement("1", text)]);
    candidates(&observation)
        .into_iter()
        .map(|one| one.columns)
        .collect()
}

#[test]
fn a_conjunction_gives_single_and_joint_columns_with_the_most_selective_first() {
    let found = columns(
        "SELECT id FROM orders WHERE status = $1 AND customer_id = $2 ORDER BY placed_on",
        &[],
    );
    for wanted in [
        vec!["status"],
        vec!["customer_id"],
        vec!["customer_id", "status"],
        vec!["customer_id", "status", "placed_on"],
    ] {
        assert!(
            found.iter().any(|one| *one == wanted),
            "{wanted:?} in {found:?}"
        );
    }
}

#[test]
fn what_an_index_begins_with_is_no_candidate() {
    let text = "SELECT id FROM orders WHERE customer_id = $1";
    assert_eq!(columns(text, &[&["customer_id", "status"]]), [[""; 0]; 0]);
    assert_eq!(
        columns(text, &[&["status", "customer_id"]]),
        [["customer_id"]]
    );
}

#[test]
fn a_long_name_is_cut_and_stays_distinct() {
    let candidate = |column: &str| IndexCandidate {
        schema: "public".to_owned(),
        table: "t".repeat(60),
        columns: vec![column.to_owned()],
        statement_ids: Vec::new(),
    };
    let (one, other) = (candidate("a").name(), candidate("b").name());
    assert!(one.len() <= 63 && one != other, "{one} {other}");
}

#[test]
fn names_are_quoted_in_statements() {
    let candidate = IndexCandidate {
        schema: "public".to_owned(),
        table: "odd\"name".to_owned(),
        columns: vec!["a".to_owned()],
        statement_ids: Vec::new(),
    };
    assert_eq!(
        candidate.create(Engine::Postgresql, true),
        "CREATE INDEX CONCURRENTLY \"reeve_odd\"\"name_a\" ON \"public\".\"odd\"\"name\" (\"a\")"
    );
}
