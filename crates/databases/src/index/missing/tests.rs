//! The choice among trials.

use super::*;
use crate::engine::Engine;
use crate::testing::{observation, statement, table, with_statements};
use crate::trial::StatementCost;

fn trial(columns: &[&str], costs: &[(&str, f64, f64)]) -> IndexTrial {
    let cost = |(id, before, after): &(&str, f64, f64)| StatementCost {
        statement_id: (*id).to_owned(),
        before: *before,
        after: *after,
    };
    IndexTrial {
        candidate: IndexCandidate {
            schema: "public".to_owned(),
            table: "orders".to_owned(),
            columns: columns.iter().map(|name| (*name).to_owned()).collect(),
            statement_ids: costs.iter().map(|(id, ..)| (*id).to_owned()).collect(),
        },
        method: TrialMethod::Hypothetical,
        size_bytes: Some(1e6),
        costs: costs.iter().map(cost).collect(),
    }
}

fn judged(trials: &[IndexTrial], inserts: f64) -> (Vec<String>, Vec<Unjudged>) {
    let mut observation = observation(Engine::Postgresql);
    let mut orders = table("orders", &["a", "b", "c"]);
    orders.inserts = Some(inserts);
    observation.tables = vec![orders];
    let observation = with_statements(
        observation,
        vec![statement("1", "SELECT 1"), statement("2", "SELECT 2")],
    );
    let (advice, refused) = judge(&observation, trials, &DatabaseThresholds::default());
    (advice.into_iter().map(|one| one.object).collect(), refused)
}

#[test]
fn a_narrow_index_is_preferred_where_a_wider_one_saves_hardly_more() {
    let trials = [
        trial(&["a"], &[("1", 1_000.0, 20.0)]),
        trial(&["a", "b"], &[("1", 1_000.0, 10.0)]),
    ];
    let (advice, refused) = judged(&trials, 0.0);
    assert_eq!(advice, ["public.orders (a)"]);
    assert_eq!(
        refused.len(),
        1,
        "the rest is named with its reason: {refused:?}"
    );
}

#[test]
fn a_wider_index_makes_its_prefix_superfluous() {
    let trials = [
        trial(&["a"], &[("1", 1_000.0, 500.0)]),
        trial(&["a", "b"], &[("1", 1_000.0, 10.0), ("2", 1_000.0, 10.0)]),
    ];
    assert_eq!(judged(&trials, 0.0).0, ["public.orders (a, b)"]);
}

#[test]
fn writes_are_weighed_against_reads() {
    let trials = [trial(&["a"], &[("1", 1_000.0, 10.0)])];
    assert_eq!(judged(&trials, 1e6).0, ["public.orders (a)"]);
    let (advice, refused) = judged(&trials, 1e7);
    assert_eq!(advice, [""; 0]);
    assert!(
        refused[0].reason.starts_with("writes would cost more"),
        "{refused:?}"
    );
}

#[test]
fn a_small_saving_and_a_full_budget_refuse() {
    let (advice, refused) = judged(&[trial(&["a"], &[("1", 1_000.0, 800.0)])], 0.0);
    assert!(
        advice.is_empty() && refused[0].reason.contains("less than 30 %"),
        "{refused:?}"
    );

    let large = IndexTrial {
        size_bytes: Some(1e12),
        ..trial(&["a"], &[("1", 1_000.0, 8.0)])
    };
    let (advice, refused) = judged(&[large], 0.0);
    assert!(
        advice.is_empty() && refused[0].reason.contains("exceed"),
        "{refused:?}"
    );
}
