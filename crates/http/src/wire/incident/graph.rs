//! Graph of an incident on the wire.

use reeve_incidents::IncidentGraph;
use serde::Serialize;
use utoipa::ToSchema;

use crate::wire::form::enumeration::IncidentNodeKind;

/// A node of the graph of an incident.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct IncidentNodeBody {
    pub kind: IncidentNodeKind,
    /// Identifier, unique with the kind.
    pub id: String,
    pub label: String,
}

/// A named edge of the graph of an incident.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct IncidentEdgeBody {
    /// Place of a node in `nodes`, from 0.
    pub from: u64,
    /// Place of a node in `nodes`, from 0.
    pub to: u64,
    /// Operations, or how the two hang together.
    pub label: String,
    /// Number of entries behind it.
    pub entries: u64,
    /// Number of them that were refused or failed.
    pub refused: u64,
}

/// Accounts, addresses, resources and findings of an incident, and how they hang together.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct IncidentGraphBody {
    pub nodes: Vec<IncidentNodeBody>,
    pub edges: Vec<IncidentEdgeBody>,
    /// Number of nodes beyond those that are drawn.
    pub left_out: u64,
}

impl From<IncidentGraph> for IncidentGraphBody {
    fn from(graph: IncidentGraph) -> Self {
        IncidentGraphBody {
            nodes: graph
                .nodes
                .into_iter()
                .map(|node| IncidentNodeBody {
                    kind: node.kind.into(),
                    id: node.id,
                    label: node.label,
                })
                .collect(),
            edges: graph
                .edges
                .into_iter()
                .map(|edge| IncidentEdgeBody {
                    from: edge.from as u64,
                    to: edge.to as u64,
                    label: edge.label,
                    entries: edge.entries,
                    refused: edge.refused,
                })
                .collect(),
            left_out: graph.left_out,
        }
    }
}
