//! The map around one resource.

use std::collections::BTreeSet;

use jiff::Timestamp;
use reeve_estate::{Resource, named};

use crate::edge::DependencyEdge;

/// Bounds of a map.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DependencyBounds {
    /// Edges between the middle and the farthest node.
    pub hops: u32,
    /// Most nodes.
    pub nodes: usize,
    /// Days of flows that are read.
    pub days: i32,
}

impl DependencyBounds {
    /// Most hops of a map.
    pub const MOST_HOPS: u32 = 3;
    /// Most nodes of a map.
    pub const MOST_NODES: usize = 200;
}

impl Default for DependencyBounds {
    fn default() -> Self {
        DependencyBounds {
            hops: 2,
            nodes: 60,
            days: 7,
        }
    }
}

named!(
    /// Kind of a node.
    NodeKind {
        /// A resource, known to Reeve or only named by another one.
        Resource => "resource",
        /// An address that no interface of the connection has.
        Address => "address",
        /// Callers from the internet, together.
        Internet => "internet",
    }
);

/// Node of a map.
#[derive(Debug, Clone, PartialEq)]
pub struct DependencyNode {
    /// Identifier of the resource, or the address.
    pub id: String,
    pub kind: NodeKind,
    /// The resource, if Reeve knows it.
    pub resource: Option<Resource>,
    /// Edges between it and the middle.
    pub hop: u32,
    /// Members that the node stands for, by identifier; empty unless it is a collapsed group.
    pub members: Vec<String>,
    /// First observation of its present configuration; `None` where it was not read.
    pub configured_at: Option<Timestamp>,
    /// `true` if flow logs cover the node on at least one of the days.
    pub is_watched: bool,
}

/// Resources around one, with their edges.
#[derive(Debug, Clone, PartialEq)]
pub struct DependencyMap {
    /// Resource in the middle.
    pub center: String,
    /// Nodes, the middle first, then by distance and identifier.
    pub nodes: Vec<DependencyNode>,
    /// Edges, by dependent and dependency.
    pub edges: Vec<DependencyEdge>,
    /// Neighbors that the bounds left out.
    pub left_out: u64,
    pub bounds: DependencyBounds,
    /// Time of the reading.
    pub at: Timestamp,
}

impl DependencyMap {
    /// Returns a node by its identifier.
    #[must_use]
    pub fn node(&self, id: &str) -> Option<&DependencyNode> {
        self.nodes.iter().find(|node| node.id == id)
    }

    /// Takes the nodes and edges of another map that this one does not have, the distance of nodes
    /// from its own middle unchanged.
    pub fn extend(&mut self, other: DependencyMap) {
        for node in other.nodes {
            if self.node(&node.id).is_none() {
                self.nodes.push(node);
            }
        }
        for edge in other.edges {
            let is_known = |known: &DependencyEdge| {
                known.dependent == edge.dependent && known.dependency == edge.dependency
            };
            if !self.edges.iter().any(is_known) {
                self.edges.push(edge);
            }
        }
    }

    /// Returns the nodes that need another one, directly or through others.
    #[must_use]
    pub fn dependents(&self, id: &str) -> BTreeSet<&str> {
        let mut found = BTreeSet::new();
        let mut waiting = vec![id];
        while let Some(next) = waiting.pop() {
            let callers = self
                .edges
                .iter()
                .filter(|edge| edge.is_directed() && edge.dependency == next);
            for edge in callers {
                if edge.dependent != id && found.insert(edge.dependent.as_str()) {
                    waiting.push(&edge.dependent);
                }
            }
        }
        found
    }
}
