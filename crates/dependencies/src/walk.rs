//! Nodes and edges as a walk collects them, and the comparison of declared with observed edges.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use jiff::Timestamp;
use reeve_estate::{KnownDescription, RelationKind, ResourceId, ResourceKind};

use crate::declared::{Declared, carries_traffic, declared, is_followed};
use crate::edge::{DependencyEdge, EdgeEvidence, EdgeSource, EdgeStrength, Standing};
use crate::map::{DependencyNode, NodeKind};
use crate::observed::{ObservedDependency, Peer};

/// Steps of a declared way that one flow shows: load balancer, target group, member.
const MOST_STEPS: usize = 3;

/// A node that the walk met.
#[derive(Debug)]
pub(crate) struct Met {
    pub(crate) kind: NodeKind,
    pub(crate) hop: u32,
    /// `true` if its own neighbors are followed.
    pub(crate) is_followed: bool,
    pub(crate) known: Option<KnownDescription>,
    pub(crate) is_watched: bool,
}

/// Nodes and edges collected so far.
#[derive(Debug, Default)]
pub(crate) struct DependencyWalk {
    pub(crate) nodes: BTreeMap<String, Met>,
    declared: BTreeMap<(String, String), Vec<Declared>>,
    observed: BTreeMap<(String, String), Vec<EdgeEvidence>>,
    refused: BTreeSet<String>,
    most: usize,
}

impl DependencyWalk {
    /// A walk that takes so many nodes at most.
    pub(crate) fn new(most: usize) -> Self {
        DependencyWalk {
            most,
            ..DependencyWalk::default()
        }
    }

    /// Neighbors that found no room.
    pub(crate) fn left_out(&self) -> u64 {
        self.refused.len() as u64
    }

    /// Counts a neighbor that found no room.
    pub(crate) fn leave_out(&mut self, id: &str) {
        if !self.nodes.contains_key(id) {
            self.refused.insert(id.to_owned());
        }
    }

    /// Takes a node; `false` where there is no room for it.
    pub(crate) fn take_node(
        &mut self,
        id: &str,
        kind: NodeKind,
        hop: u32,
        is_followed: bool,
    ) -> bool {
        if let Some(known) = self.nodes.get_mut(id) {
            known.is_followed |= is_followed;
            return true;
        }
        if self.nodes.len() >= self.most {
            self.refused.insert(id.to_owned());
            return false;
        }

        let met = Met {
            kind,
            hop,
            is_followed,
            known: None,
            is_watched: false,
        };
        self.nodes.insert(id.to_owned(), met);
        true
    }

    /// Takes a relation, with the node at its other end; `from` is the node that is followed.
    pub(crate) fn relate(
        &mut self,
        (owner, kind): (&ResourceId, Option<ResourceKind>),
        relation: RelationKind,
        target: &ResourceId,
        (from, hop): (&ResourceId, u32),
    ) {
        let Some(edge) = declared((owner, kind), relation, target) else {
            return;
        };
        if edge.dependent == edge.dependency {
            return;
        }
        let other = if from == owner { target } else { owner };
        if self.take_node(&other.0, NodeKind::Resource, hop, is_followed(relation)) {
            let key = (edge.dependent.0.clone(), edge.dependency.0.clone());
            let known = self.declared.entry(key).or_default();
            if !known.contains(&edge) {
                known.push(edge);
            }
        }
    }

    /// Takes traffic, with the nodes at its ends.
    pub(crate) fn observe(&mut self, edge: ObservedDependency, hop: u32) {
        let take = |walk: &mut DependencyWalk, peer: &Peer| {
            walk.take_node(&peer.id, peer.kind, hop, peer.kind == NodeKind::Resource)
        };
        if take(self, &edge.dependent) && take(self, &edge.dependency) {
            let key = (edge.dependent.id, edge.dependency.id);
            let known = self.observed.entry(key).or_default();
            // Both ends may have a flow log: the same traffic twice.
            if known.is_empty() {
                known.push(edge.evidence);
            }
        }
    }

    /// Compares declared with observed edges. `read_at` is the last complete reading of a kind.
    pub(crate) fn edges(&self, read_at: &HashMap<ResourceKind, Timestamp>) -> Vec<DependencyEdge> {
        let mut edges: BTreeMap<(String, String), Vec<EdgeEvidence>> = BTreeMap::new();
        for (key, relations) in &self.declared {
            let evidence = relations.iter().map(|one| self.evidence(one, read_at));
            edges.entry(key.clone()).or_default().extend(evidence);
        }

        for (key, flows) in &self.observed {
            let steps = match edges.contains_key(key) {
                true => vec![key.clone()],
                false => self.way(key).unwrap_or_else(|| vec![key.clone()]),
            };
            for step in steps {
                let known = edges.entry(step).or_default();
                for one in flows {
                    if !known.contains(one) {
                        known.push(one.clone());
                    }
                }
            }
            if let Some(rule) = self.admission(key, read_at)
                && let Some(known) = edges.get_mut(key)
            {
                known.push(rule);
            }
        }

        edges
            .into_iter()
            .map(|(key, mut evidence)| {
                evidence.sort_by_key(|one| (one.strength, one.source));
                let standing = self.standing(&key, &evidence);
                DependencyEdge {
                    dependent: key.0,
                    dependency: key.1,
                    standing,
                    evidence,
                }
            })
            .collect()
    }

    fn evidence(&self, one: &Declared, read_at: &HashMap<ResourceKind, Timestamp>) -> EdgeEvidence {
        // The relation belongs to one of the two ends; attached and member relations to the needed one.
        let ends = [&one.dependent, &one.dependency];
        let kinds = ends.into_iter().filter_map(|id| self.kind(&id.0));
        EdgeEvidence {
            source: one.source,
            strength: one.strength,
            detail: one.relation.as_str().replace('_', " "),
            last_at: kinds.filter_map(|kind| read_at.get(&kind).copied()).max(),
        }
    }

    fn kind(&self, id: &str) -> Option<ResourceKind> {
        let known = self.nodes.get(id)?.known.as_ref()?;
        known.resource.as_ref().map(|resource| resource.kind)
    }

    /// The declared way that traffic takes between two nodes: through listeners and target groups.
    fn way(&self, (from, to): &(String, String)) -> Option<Vec<(String, String)>> {
        let mut waiting = vec![vec![from.clone()]];
        for _ in 0..MOST_STEPS {
            let mut next = Vec::new();
            for path in waiting {
                let last = path.last()?;
                let after = self
                    .declared
                    .range((last.clone(), String::new())..)
                    .take_while(|((dependent, _), _)| dependent == last)
                    .filter(|(_, relations)| {
                        relations
                            .iter()
                            .any(|one| carries_traffic(one.source, one.relation))
                    });
                for ((_, dependency), _) in after {
                    let mut path = path.clone();
                    path.push(dependency.clone());
                    if dependency == to {
                        return Some(
                            path.windows(2)
                                .map(|step| (step[0].clone(), step[1].clone()))
                                .collect(),
                        );
                    }
                    next.push(path);
                }
            }
            waiting = next;
        }
        None
    }

    /// Rule of a security group that admits the caller's group.
    fn admission(
        &self,
        (from, to): &(String, String),
        read_at: &HashMap<ResourceKind, Timestamp>,
    ) -> Option<EdgeEvidence> {
        let groups = |id: &str| -> BTreeSet<&ResourceId> {
            let known = self.nodes.get(id).and_then(|met| met.known.as_ref());
            let relations = known.into_iter().flat_map(|known| &known.relations);
            relations
                .filter(|one| one.kind == RelationKind::ProtectedBy)
                .map(|one| &one.target)
                .collect()
        };
        let callers = groups(from);
        for group in groups(to) {
            let Some(known) = self.nodes.get(&group.0).and_then(|met| met.known.as_ref()) else {
                continue;
            };
            let admitted = known
                .relations
                .iter()
                .find(|one| one.kind == RelationKind::Admits && callers.contains(&one.target));
            if let Some(admitted) = admitted {
                let kind = known.resource.as_ref().map(|resource| resource.kind);
                return Some(EdgeEvidence {
                    source: EdgeSource::SecurityGroup,
                    strength: EdgeStrength::Moderate,
                    detail: format!("{group} admits {}", admitted.target),
                    last_at: kind.and_then(|kind| read_at.get(&kind).copied()),
                });
            }
        }
        None
    }

    fn standing(&self, (from, to): &(String, String), evidence: &[EdgeEvidence]) -> Standing {
        let is_declared = evidence.iter().any(|one| one.source.is_declared());
        let is_observed = evidence.iter().any(|one| one.source == EdgeSource::Flow);
        match (is_declared, is_observed) {
            (true, true) => Standing::Both,
            (false, _) => Standing::NotDeclared,
            (true, false) => {
                let is_watched = |id: &str| self.nodes.get(id).is_some_and(|met| met.is_watched);
                let carries = self.declared.get(&(from.clone(), to.clone()));
                let carries = carries.is_some_and(|relations| {
                    relations
                        .iter()
                        .any(|one| carries_traffic(one.source, one.relation))
                });
                // A target group has no interface: its members' flow logs show whether it is used.
                let members = self
                    .declared
                    .keys()
                    .filter(|(dependent, _)| dependent == to);
                let is_watched =
                    is_watched(to) || members.into_iter().any(|(_, member)| is_watched(member));
                match carries && is_watched {
                    true => Standing::NotObserved,
                    false => Standing::Declared,
                }
            }
        }
    }

    /// Returns the nodes, the middle first.
    pub(crate) fn into_nodes(self) -> Vec<DependencyNode> {
        let mut nodes: Vec<DependencyNode> = self
            .nodes
            .into_iter()
            .map(|(id, met)| DependencyNode {
                id,
                kind: met.kind,
                configured_at: met.known.as_ref().and_then(|known| known.seen_at),
                resource: met.known.and_then(|known| known.resource),
                hop: met.hop,
                members: Vec::new(),
                is_watched: met.is_watched,
            })
            .collect();
        nodes.sort_by(|a, b| (a.hop, &a.id).cmp(&(b.hop, &b.id)));
        nodes
    }
}
