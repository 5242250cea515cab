//! Groups whose members are drawn as one node.

use std::collections::{BTreeMap, BTreeSet};

use crate::edge::{DependencyEdge, EdgeEvidence, Standing};
use crate::map::DependencyMap;

/// Members from which on a group is one node.
const LEAST_MEMBERS: usize = 2;
/// Sources that a merged edge names.
const MOST_EVIDENCE: usize = 6;

impl DependencyMap {
    /// Returns the map with the members of each scaling group as one node. The resource in the
    /// middle stays its own.
    #[must_use]
    pub fn collapsed(mut self) -> DependencyMap {
        let groups = self.groups();
        if groups.is_empty() {
            return self;
        }
        let group_of: BTreeMap<&str, &str> = groups
            .iter()
            .flat_map(|(group, members)| {
                members
                    .iter()
                    .map(move |member| (member.as_str(), group.as_str()))
            })
            .collect();
        let shown = |id: &str| group_of.get(id).copied().unwrap_or(id).to_owned();

        let mut merged: BTreeMap<(String, String), DependencyEdge> = BTreeMap::new();
        for edge in std::mem::take(&mut self.edges) {
            let key = (shown(&edge.dependent), shown(&edge.dependency));
            if key.0 == key.1 {
                continue;
            }
            match merged.get_mut(&key) {
                Some(known) => known.merge(edge),
                None => {
                    let (dependent, dependency) = key.clone();
                    let edge = DependencyEdge {
                        dependent,
                        dependency,
                        ..edge
                    };
                    merged.insert(key, edge);
                }
            }
        }

        self.edges = merged.into_values().collect();
        self.nodes
            .retain(|node| !group_of.contains_key(node.id.as_str()));
        for node in &mut self.nodes {
            if let Some(members) = groups.get(&node.id) {
                node.members = members.iter().cloned().collect();
            }
        }
        self
    }

    /// Groups of the map with two members or more, without the middle.
    fn groups(&self) -> BTreeMap<String, BTreeSet<String>> {
        let mut groups: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        for node in self.nodes.iter().filter(|node| node.id != self.center) {
            let group = node.resource.as_ref().and_then(|one| one.group.as_ref());
            if let Some(group) = group.filter(|group| self.node(&group.0).is_some()) {
                groups
                    .entry(group.0.clone())
                    .or_default()
                    .insert(node.id.clone());
            }
        }
        groups.retain(|_, members| members.len() >= LEAST_MEMBERS);
        groups
    }
}

impl DependencyEdge {
    /// Takes the sources of another member's edge.
    fn merge(&mut self, other: DependencyEdge) {
        let same =
            |a: &EdgeEvidence, b: &EdgeEvidence| a.source == b.source && a.detail == b.detail;
        for one in other.evidence {
            if let Some(known) = self.evidence.iter_mut().find(|known| same(known, &one)) {
                known.last_at = known.last_at.max(one.last_at);
            } else if self.evidence.len() < MOST_EVIDENCE {
                self.evidence.push(one);
            }
        }
        self.evidence.sort_by_key(|one| (one.strength, one.source));
        self.standing = match (self.standing, other.standing) {
            (a, b) if a == b => a,
            // Some members are used as declared.
            (Standing::Both, _) | (_, Standing::Both) => Standing::Both,
            (Standing::NotObserved | Standing::Declared, Standing::NotDeclared)
            | (Standing::NotDeclared, Standing::NotObserved | Standing::Declared) => Standing::Both,
            (Standing::Correlated, other) | (other, Standing::Correlated) => other,
            _ => Standing::Declared,
        };
    }
}
