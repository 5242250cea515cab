//! Tests of the graph.
#![allow(clippy::unwrap_used)]

use reeve_audit::{ActionMethod, Actor, EventType, ResourceRef};

use super::*;
use crate::incident::tests::{finding, opened};
use reeve_recommend::recommendation::Priority;

fn entry(who: &str, operation: &str, status: ActionStatus) -> Entry {
    Entry::new(EventType::from_static("secret.read"))
        .by(Actor::user(who).with_ip_address("203.0.113.7".parse().unwrap()))
        .on(ResourceRef::new("secret", "prod/db"))
        .with_action(operation, status, ActionMethod::Api)
}

#[test]
fn entries_are_edges_with_their_operations() {
    let incident = opened(finding("ann", 0, "203.0.113.7", Priority::High));
    let entries = [
        entry("ann", "ListSecrets", ActionStatus::Success),
        entry("ann", "GetSecretValue", ActionStatus::Denied),
    ];
    let graph = IncidentGraph::of(&incident, &entries, |_| true);
    let labels: Vec<&str> = graph.nodes.iter().map(|node| node.label.as_str()).collect();
    assert_eq!(
        labels,
        ["title of ann", "ann", "203.0.113.7", "secret prod/db"]
    );

    let to_secret = graph.edges.iter().find(|edge| edge.to == 3).unwrap();
    assert_eq!(to_secret.label, "GetSecretValue, ListSecrets");
    assert_eq!((to_secret.entries, to_secret.refused), (2, 1));
}

#[test]
fn accounts_that_the_reader_may_not_see_are_left_out() {
    let incident = opened(finding("ann", 0, "203.0.113.7", Priority::High));
    let entries = [entry("ann", "ListSecrets", ActionStatus::Success)];
    let graph = IncidentGraph::of(&incident, &entries, |_| false);
    assert!(
        graph
            .nodes
            .iter()
            .all(|node| node.kind != NodeKind::Principal && !node.label.contains("prod/db"))
    );
}
