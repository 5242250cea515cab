//! Graph of an incident: accounts, addresses, resources and findings, and how they hang together.
//! It is drawn of the entries that the reader may see; accounts that the reader may not see are left
//! out.

use std::collections::{BTreeMap, BTreeSet};

use reeve_audit::{ActionStatus, Entry};
use reeve_estate::named;

use crate::incident::Incident;

/// Nodes that are drawn; the first findings come first.
const MOST_NODES: usize = 60;
/// Operations that an edge names.
const MOST_NAMED: usize = 3;

named!(
    /// Kind of a node.
    NodeKind {
        Address => "address",
        /// A user, a role or a key.
        Principal => "principal",
        Resource => "resource",
        Finding => "finding",
    }
);

/// An account, an address, a resource or a finding of an incident.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct IncidentNode {
    pub kind: NodeKind,
    /// Identifier, unique with the kind.
    pub id: String,
    pub label: String,
}

/// A named edge between two nodes, by their places in the list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IncidentEdge {
    pub from: usize,
    pub to: usize,
    /// Operations, or how the two hang together.
    pub label: String,
    /// Number of entries behind it.
    pub entries: u64,
    /// Number of them that were refused or failed.
    pub refused: u64,
}

/// Graph of an incident; nodes come in the order in which they were found.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct IncidentGraph {
    pub nodes: Vec<IncidentNode>,
    pub edges: Vec<IncidentEdge>,
    /// Number of nodes beyond those that are drawn.
    pub left_out: u64,
}

#[derive(Default)]
struct Drawn {
    labels: BTreeSet<String>,
    entries: u64,
    refused: u64,
}

#[derive(Default)]
struct Drawing {
    nodes: Vec<IncidentNode>,
    edges: BTreeMap<(usize, usize), Drawn>,
    left_out: BTreeSet<(NodeKind, String)>,
}

impl Drawing {
    fn node(&mut self, kind: NodeKind, id: &str, label: &str) -> Option<usize> {
        let known = self
            .nodes
            .iter()
            .position(|node| node.kind == kind && node.id == id);
        if known.is_some() {
            return known;
        }
        if self.nodes.len() >= MOST_NODES {
            self.left_out.insert((kind, id.to_owned()));
            return None;
        }
        self.nodes.push(IncidentNode {
            kind,
            id: id.to_owned(),
            label: label.to_owned(),
        });
        Some(self.nodes.len() - 1)
    }

    fn edge(&mut self, from: Option<usize>, to: Option<usize>, label: &str) -> Option<&mut Drawn> {
        let drawn = self.edges.entry((from?, to?)).or_default();
        drawn.labels.insert(label.to_owned());
        Some(drawn)
    }

    fn finished(self) -> IncidentGraph {
        let edges = self.edges.into_iter().map(|((from, to), drawn)| {
            let labels: Vec<&str> = drawn.labels.iter().map(String::as_str).collect();
            let first = labels.iter().take(MOST_NAMED).copied();
            let mut label = first.collect::<Vec<_>>().join(", ");
            if labels.len() > MOST_NAMED {
                label = format!("{label} and {} more", labels.len() - MOST_NAMED);
            }
            IncidentEdge {
                from,
                to,
                label,
                entries: drawn.entries,
                refused: drawn.refused,
            }
        });
        IncidentGraph {
            edges: edges.collect(),
            nodes: self.nodes,
            left_out: self.left_out.len() as u64,
        }
    }
}

impl IncidentGraph {
    /// Draws an incident of the entries behind it. `may_see` says which accounts the reader may
    /// see.
    #[must_use]
    pub fn of(
        incident: &Incident,
        entries: &[Entry],
        may_see: impl Fn(&str) -> bool,
    ) -> IncidentGraph {
        let mut drawing = Drawing::default();
        for member in incident.members.iter().filter(|one| one.is_evidence()) {
            let finding = drawing.node(NodeKind::Finding, &member.id, &member.title);
            let (kind, label) = match member.subject.as_str() {
                "principal" => (NodeKind::Principal, "about"),
                "address" => (NodeKind::Address, "from"),
                _ => (NodeKind::Resource, "about"),
            };
            if kind != NodeKind::Principal || may_see(&member.subject_id) {
                let subject = drawing.node(kind, &member.subject_id, &member.subject_id);
                drawing.edge(finding, subject, label);
            }
            for address in &member.keys.addresses {
                let address = address.to_string();
                let place = drawing.node(NodeKind::Address, &address, &address);
                drawing.edge(finding, place, "from");
            }
        }

        for entry in entries {
            draw_entry(&mut drawing, entry, &may_see);
        }
        drawing.finished()
    }
}

/// Draws an entry: the address uses the account, and the account does something to the resource.
fn draw_entry(drawing: &mut Drawing, entry: &Entry, may_see: &impl Fn(&str) -> bool) {
    let actor = entry.actor.email.as_ref().or(entry.actor.id.as_ref());
    let Some(actor) = actor.filter(|actor| may_see(actor)) else {
        return;
    };
    let account = drawing.node(NodeKind::Principal, actor, actor);
    let is_refused = matches!(
        entry.action.status,
        Some(ActionStatus::Denied | ActionStatus::Failed)
    );
    let count = |drawn: Option<&mut Drawn>| {
        if let Some(drawn) = drawn {
            drawn.entries += 1;
            drawn.refused += u64::from(is_refused);
        }
    };

    if let Some(address) = entry.actor.ip_address {
        let address = address.to_canonical().to_string();
        let address = drawing.node(NodeKind::Address, &address, &address);
        count(drawing.edge(address, account, "acts as"));
    }
    if let Some(resource) = &entry.resource.id {
        let label = entry.resource.kind.as_deref().unwrap_or("resource");
        let label = format!("{} {resource}", label.replace('_', " "));
        let resource = drawing.node(NodeKind::Resource, resource, &label);
        let operation = entry.action.operation.as_deref();
        let operation = operation.unwrap_or_else(|| entry.event_type.as_str());
        count(drawing.edge(account, resource, operation));
    }
}

#[cfg(test)]
mod tests;
