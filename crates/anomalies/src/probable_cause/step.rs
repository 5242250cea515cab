//! Dependencies as the ranking takes them: nodes without metrics are stepped over.

use std::collections::{BTreeMap, BTreeSet};

use reeve_dependencies::{DependencyMap, DependencyNode};
use reeve_learn::causes::CauseEdge;

/// Returns the directed edges of a map between nodes that can deviate or were changed. A target
/// group or subnet has no metrics: its dependent is taken to depend on what it leads to.
pub(super) fn edges(map: &DependencyMap, is_changed: impl Fn(&str) -> bool) -> Vec<CauseEdge> {
    let kept: BTreeSet<&str> = map
        .nodes
        .iter()
        .filter(|node| has_metrics(node) || is_changed(&node.id))
        .map(|node| node.id.as_str())
        .collect();
    let mut after: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for edge in map.edges.iter().filter(|edge| edge.is_directed()) {
        let next = after.entry(edge.dependent.as_str()).or_default();
        next.push(&edge.dependency);
    }

    let mut found = Vec::new();
    for caller in &kept {
        let mut seen = BTreeSet::from([*caller]);
        let mut waiting = vec![*caller];
        while let Some(node) = waiting.pop() {
            for next in after.get(node).into_iter().flatten() {
                if !seen.insert(next) {
                    continue;
                }
                if kept.contains(next) {
                    found.push(CauseEdge {
                        caller: (*caller).to_owned(),
                        callee: (*next).to_owned(),
                    });
                } else {
                    waiting.push(next);
                }
            }
        }
    }
    found
}

/// Returns `true` if resources of the node's kind have metrics.
pub(super) fn has_metrics(node: &DependencyNode) -> bool {
    let resource = node.resource.as_ref();
    resource.is_some_and(|resource| !resource.kind.metrics().is_empty())
}
