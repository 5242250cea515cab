//! Calls between nodes, and the nodes that one depends on.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// A call: the caller depends on the callee.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CauseEdge {
    /// Node that calls.
    pub caller: String,
    /// Node that is called.
    pub callee: String,
}

/// Way from one node to another.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct CauseReach {
    /// Nodes between the two.
    pub(super) path: Vec<String>,
    /// `true` if a node between does not deviate.
    pub(super) broken: bool,
}

/// Callees and callers of each node.
#[derive(Debug)]
pub(super) struct CauseGraph<'a> {
    callees: BTreeMap<&'a str, BTreeSet<&'a str>>,
    callers: BTreeMap<&'a str, BTreeSet<&'a str>>,
}

impl<'a> CauseGraph<'a> {
    pub(super) fn new(edges: &'a [CauseEdge]) -> Self {
        let mut graph = Self {
            callees: BTreeMap::new(),
            callers: BTreeMap::new(),
        };
        for CauseEdge { caller, callee } in edges.iter().filter(|edge| edge.caller != edge.callee) {
            graph.callees.entry(caller).or_default().insert(callee);
            graph.callers.entry(callee).or_default().insert(caller);
        }
        graph
    }

    pub(super) fn callees(&self, node: &str) -> impl Iterator<Item = &'a str> + use<'a> {
        let callees = self.callees.get(node).cloned().unwrap_or_default();
        callees.into_iter()
    }

    /// Counts the nodes upstream along nodes that follow.
    pub(super) fn upstream(&self, node: &str, follows: impl Fn(&str) -> bool) -> usize {
        let mut seen: BTreeSet<&str> = BTreeSet::new();
        let mut waiting = vec![node];
        while let Some(next) = waiting.pop() {
            for caller in self.callers.get(next).into_iter().flatten().copied() {
                if caller != node && follows(caller) && seen.insert(caller) {
                    waiting.push(caller);
                }
            }
        }
        seen.len()
    }

    /// Share of the callers that follow, of those of which it is known; 1 where there are none.
    pub(super) fn share_of_callers(
        &self,
        node: &str,
        follows: impl Fn(&str) -> Option<bool>,
    ) -> f64 {
        let callers = self.callers.get(node).into_iter().flatten();
        let known: Vec<bool> = callers.filter_map(|caller| follows(caller)).collect();
        if known.is_empty() {
            return 1.0;
        }
        known.iter().filter(|follows| **follows).count() as f64 / known.len() as f64
    }

    /// Shortest ways from a node to all that it depends on: along deviating nodes where there is
    /// such a way, else along any.
    pub(super) fn reach(
        &self,
        from: &str,
        deviates: impl Fn(&str) -> bool,
    ) -> BTreeMap<&'a str, CauseReach> {
        let mut found = BTreeMap::new();
        self.search(from, &deviates, false, &mut found);
        self.search(from, &deviates, true, &mut found);
        found
    }

    fn search(
        &self,
        from: &str,
        deviates: &impl Fn(&str) -> bool,
        broken: bool,
        found: &mut BTreeMap<&'a str, CauseReach>,
    ) {
        let mut seen = BTreeSet::from([from.to_owned()]);
        let mut waiting = VecDeque::from([(from.to_owned(), Vec::<String>::new())]);
        while let Some((node, path)) = waiting.pop_front() {
            for callee in self.callees(&node) {
                if !seen.insert(callee.to_owned()) {
                    continue;
                }
                found.entry(callee).or_insert_with(|| CauseReach {
                    path: path.clone(),
                    broken,
                });
                if broken || deviates(callee) {
                    let mut path = path.clone();
                    path.push(callee.to_owned());
                    waiting.push_back((callee.to_owned(), path));
                }
            }
        }
    }
}
