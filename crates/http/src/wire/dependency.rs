//! Dependency maps and probable causes on the wire.

use reeve_anomalies::{CauseCandidate, CauseChange, ProbableCause, RelatedEntry, RuledOut};
use reeve_dependencies::{DependencyEdge, DependencyMap, DependencyNode, EdgeEvidence};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use crate::time;
use crate::wire::form::enumeration::{
    CauseGrade, DependencyNodeKind, DependencySource, DependencyStanding, DependencyStrength,
};

/// Map to read.
#[derive(Debug, Clone, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub struct DependencyParams {
    /// Identifier of the resource in the middle; required.
    pub resource: Option<String>,
    /// Edges between the middle and the farthest node, 1 to 3; 2 unless given.
    pub hops: Option<u32>,
    /// At most this many nodes, 2 to 200; 60 unless given.
    pub limit: Option<u32>,
    /// Days of flows that are read, 1 to 90; 7 unless given.
    pub days: Option<u32>,
    /// `false` shows every member of a group; groups are one node unless given.
    pub collapse: Option<bool>,
}

/// Resources around one, with their dependencies.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct DependencyMapBody {
    /// Resource in the middle.
    pub center: String,
    /// Nodes, the middle first, then by distance and identifier.
    pub nodes: Vec<DependencyNodeBody>,
    /// Edges, by dependent and dependency.
    pub edges: Vec<DependencyEdgeBody>,
    /// Neighbors that the bounds left out.
    pub left_out: u64,
    pub hops: u32,
    /// Days of flows that were read.
    pub days: u32,
    /// Time of the reading, RFC 3339 UTC with milliseconds.
    pub at: String,
}

/// Node of a dependency map.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct DependencyNodeBody {
    /// Identifier of the resource, or the address.
    pub id: String,
    pub kind: DependencyNodeKind,
    /// Name of the resource; absent if Reeve does not know it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Type of the resource.
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    pub resource_type: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub region: Option<String>,
    /// Edges between it and the middle.
    pub hop: u32,
    /// Members that it stands for, by identifier; empty unless it is a collapsed group.
    pub members: Vec<String>,
    /// `true` if flow logs cover it on at least one of the days.
    pub is_watched: bool,
}

/// Dependency between two nodes.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct DependencyEdgeBody {
    /// Node that needs the other one.
    pub dependent: String,
    /// Node that is needed.
    pub dependency: String,
    pub standing: DependencyStanding,
    /// Sources, the strongest first.
    pub evidence: Vec<DependencyEvidenceBody>,
}

/// Evidence of one source that a dependency exists.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct DependencyEvidenceBody {
    pub source: DependencySource,
    pub strength: DependencyStrength,
    /// Observation in words.
    pub detail: String,
    /// Last observation, RFC 3339 UTC with milliseconds; absent where the configuration was never
    /// read completely.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_at: Option<String>,
}

/// Probable cause of an anomaly, as it was judged while the anomaly was young.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct ProbableCauseBody {
    /// Time of the judgement, RFC 3339 UTC with milliseconds.
    pub at: String,
    pub grade: CauseGrade,
    /// Result as a clause.
    pub statement: String,
    /// Candidates, the best first.
    pub candidates: Vec<CauseCandidateBody>,
    /// Resources that are not the cause; at most twenty.
    pub ruled_out: Vec<RuledOutBody>,
    pub ruled_out_total: u64,
    /// Names of resources whose metrics should exist and were not measured.
    pub unmeasured: Vec<String>,
    /// Resources of the map.
    pub resources: u64,
    /// Dependencies between them.
    pub dependencies: u64,
    /// Resources with measurements.
    pub measured: u64,
    /// Limits of the judgement, each a clause.
    pub limits: Vec<String>,
}

/// A resource that may be the cause of an anomaly.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct CauseCandidateBody {
    pub resource_id: String,
    pub resource_name: String,
    pub kind: String,
    /// Certainty; above `inconclusive` for one candidate at most.
    pub grade: CauseGrade,
    /// Start of its deviation; absent for a resource that was changed and does not deviate itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub onset: Option<String>,
    /// Reasons, each a clause.
    pub reasons: Vec<String>,
    /// Changes shortly before, oldest first.
    pub changes: Vec<CauseChangeBody>,
}

/// A change of a resource shortly before an anomaly.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct CauseChangeBody {
    /// Time of the change, or of the reading that showed it.
    pub at: String,
    /// Description as a clause.
    pub text: String,
    /// Action of Reeve that made it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub action_id: Option<String>,
    /// Entry of the log that tells of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub event_id: Option<String>,
}

/// A resource that is not the cause of an anomaly.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct RuledOutBody {
    pub resource_id: String,
    pub resource_name: String,
    /// Reason as a clause.
    pub reason: String,
}

impl From<&DependencyMap> for DependencyMapBody {
    fn from(map: &DependencyMap) -> Self {
        DependencyMapBody {
            center: map.center.clone(),
            nodes: map.nodes.iter().map(DependencyNodeBody::from).collect(),
            edges: map.edges.iter().map(DependencyEdgeBody::from).collect(),
            left_out: map.left_out,
            hops: map.bounds.hops,
            days: map.bounds.days.unsigned_abs(),
            at: time::text(map.at),
        }
    }
}

impl From<&DependencyNode> for DependencyNodeBody {
    fn from(node: &DependencyNode) -> Self {
        let resource = node.resource.as_ref();
        DependencyNodeBody {
            id: node.id.clone(),
            kind: node.kind.into(),
            name: resource.map(|resource| resource.name.clone()),
            resource_type: resource.map(|resource| resource.kind.as_str().to_owned()),
            region: resource.map(|resource| resource.region.clone()),
            hop: node.hop,
            members: node.members.clone(),
            is_watched: node.is_watched,
        }
    }
}

impl From<&DependencyEdge> for DependencyEdgeBody {
    fn from(edge: &DependencyEdge) -> Self {
        DependencyEdgeBody {
            dependent: edge.dependent.clone(),
            dependency: edge.dependency.clone(),
            standing: edge.standing.into(),
            evidence: edge
                .evidence
                .iter()
                .map(DependencyEvidenceBody::from)
                .collect(),
        }
    }
}

impl From<&EdgeEvidence> for DependencyEvidenceBody {
    fn from(evidence: &EdgeEvidence) -> Self {
        DependencyEvidenceBody {
            source: evidence.source.into(),
            strength: evidence.strength.into(),
            detail: evidence.detail.clone(),
            last_at: evidence.last_at.map(time::text),
        }
    }
}

impl ProbableCauseBody {
    /// The judgement for a reader who may see some entries of the log.
    pub(crate) fn seen_by(cause: &ProbableCause, may_see: impl Fn(&RelatedEntry) -> bool) -> Self {
        let cause = cause.seen_by(may_see);
        ProbableCauseBody {
            at: time::text(cause.at),
            grade: cause.grade.into(),
            statement: cause.statement.clone(),
            candidates: cause
                .candidates
                .iter()
                .map(CauseCandidateBody::from)
                .collect(),
            ruled_out: cause.ruled_out.iter().map(RuledOutBody::from).collect(),
            ruled_out_total: cause.ruled_out_total,
            unmeasured: cause.unmeasured.clone(),
            resources: cause.resources,
            dependencies: cause.dependencies,
            measured: cause.measured,
            limits: cause.limits.clone(),
        }
    }
}

impl From<&CauseCandidate> for CauseCandidateBody {
    fn from(candidate: &CauseCandidate) -> Self {
        CauseCandidateBody {
            resource_id: candidate.resource.clone(),
            resource_name: candidate.name.clone(),
            kind: candidate.kind.clone(),
            grade: candidate.grade.into(),
            onset: candidate.onset.map(time::text),
            reasons: candidate.reasons.clone(),
            changes: candidate
                .changes
                .iter()
                .map(CauseChangeBody::from)
                .collect(),
        }
    }
}

impl From<&CauseChange> for CauseChangeBody {
    fn from(change: &CauseChange) -> Self {
        let action = change.link.as_ref().filter(|link| link.kind() == "action");
        CauseChangeBody {
            at: time::text(change.at),
            text: change.text.clone(),
            action_id: action.map(|link| link.id().to_owned()),
            event_id: change.entry.as_ref().map(|entry| entry.event_id.clone()),
        }
    }
}

impl From<&RuledOut> for RuledOutBody {
    fn from(one: &RuledOut) -> Self {
        RuledOutBody {
            resource_id: one.resource.clone(),
            resource_name: one.name.clone(),
            reason: one.reason.clone(),
        }
    }
}
