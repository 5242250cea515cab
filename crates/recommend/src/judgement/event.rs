//! Events that wake agent types, and the facts that an event brings along.

use jiff::Timestamp;
use reeve_audit::Entry;
use reeve_estate::{ConnectionId, ResourceId, named};

use crate::judgement::open_facts::OpenFacts;
use crate::recommendation::Priority;
use crate::recommendation::origin::{AnomalyId, IncidentId, OriginCause};

/// Source of the observations of security anomalies ([`AnomalyReport`]).
pub const SECURITY_THREAT: &str = "security_threat";
/// Source of the observations of [`ContainmentRequest`]s.
pub const CONTAINMENT: &str = "containment";

/// An event about a resource.
#[derive(Debug)]
pub struct JudgementEvent {
    /// Time of the event.
    pub at: Timestamp,
    /// Resource that it is about.
    pub resource: ResourceId,
    /// Connection of the resource; `None` where the event does not tell.
    pub connection: Option<ConnectionId>,
    /// Cause that findings name.
    pub cause: OriginCause,
    pub content: EventContent,
}

/// Content of an event.
#[derive(Debug)]
pub enum EventContent {
    /// An entry of the log. It is a claim of its source: a judgement confirms it by the resource
    /// where that is possible.
    Entry(Box<Entry>),
    /// An observation of a source, with facts by their type.
    Observation {
        source: &'static str,
        facts: OpenFacts,
    },
}

impl JudgementEvent {
    /// The entry of the event; `None` for an observation.
    #[must_use]
    pub fn entry(&self) -> Option<&Entry> {
        match &self.content {
            EventContent::Entry(entry) => Some(entry),
            EventContent::Observation { .. } => None,
        }
    }

    /// A fact of an observation; `None` where it has none of the type, and for an entry.
    #[must_use]
    pub fn fact<T: std::any::Any>(&self) -> Option<&T> {
        match &self.content {
            EventContent::Entry(_) => None,
            EventContent::Observation { facts, .. } => facts.get(),
        }
    }
}

/// Anomaly of a resource as a rule of an agent type answers it.
#[derive(Debug, Clone, PartialEq)]
pub struct AnomalyReport {
    pub anomaly: AnomalyId,
    pub title: String,
    pub severity: Priority,
    /// Highest anomaly score of its readings, 0 to 1.
    pub score: f64,
    /// Evidence in sentences, the most important first.
    pub evidence: Vec<String>,
    /// Number of readings.
    pub readings: u64,
}

named!(
    /// Measure that contains an attack on one resource. Each leads back.
    Measure {
        /// A machine is cut off from every network.
        QuarantineMachine => "quarantine_machine",
        /// An access key is deactivated.
        DeactivateKey => "deactivate_key",
        /// Temporary credentials that were given until now are refused.
        RevokeSessions => "revoke_sessions",
        /// A user or role is denied everything.
        BlockPrincipal => "block_principal",
        /// A volume of a machine is snapshotted for an investigation.
        Snapshot => "snapshot",
    }
);

/// Request of a playbook to contain an attack on a resource.
#[derive(Debug, Clone, PartialEq)]
pub struct ContainmentRequest {
    pub incident: IncidentId,
    /// Title of the incident.
    pub title: String,
    pub severity: Priority,
    pub measure: Measure,
    /// Findings that name the resource, in sentences.
    pub evidence: Vec<String>,
}
