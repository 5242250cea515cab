//! Incidents: the anomalies of one attack, with one set of numbers.

use reeve_anomalies::{Incident, IncidentMember};
use serde::Serialize;
use utoipa::ToSchema;

use crate::time;
use crate::wire::form::enumeration::{AnomalyStatus, Priority};

/// Security anomalies of one attack: they share an address or network of the internet, an account
/// or a resource, and are no more than six hours apart.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct IncidentBody {
    /// Identifier of the anomaly that it began with.
    pub id: String,
    /// Title of the most severe member, and the number of the others.
    pub title: String,
    /// The worst severity of its members.
    pub severity: Priority,
    /// Open while a member is open, acknowledged while one is acknowledged.
    pub status: AnomalyStatus,
    /// Calls and sign-ins of all members; entries that two members cite count once.
    pub entries: u64,
    /// Number of distinct resources that the calls named.
    pub resources: u64,
    pub started_at: String,
    /// Time of the last anomalous point of any member.
    pub last_at: String,
    /// The anomalies, oldest first.
    pub members: Vec<IncidentMemberBody>,
}

/// An anomaly of an incident.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct IncidentMemberBody {
    pub id: String,
    pub title: String,
    pub severity: Priority,
    pub status: AnomalyStatus,
    pub started_at: String,
}

impl From<&Incident> for IncidentBody {
    fn from(incident: &Incident) -> Self {
        IncidentBody {
            id: incident.id.0.clone(),
            title: incident.title.clone(),
            severity: incident.severity.into(),
            status: incident.status.into(),
            entries: incident.entries,
            resources: incident.resources,
            started_at: time::text(incident.started_at),
            last_at: time::text(incident.last_at),
            members: incident
                .members
                .iter()
                .map(IncidentMemberBody::from)
                .collect(),
        }
    }
}

impl From<&IncidentMember> for IncidentMemberBody {
    fn from(member: &IncidentMember) -> Self {
        IncidentMemberBody {
            id: member.id.0.clone(),
            title: member.title.clone(),
            severity: member.severity.into(),
            status: member.status.into(),
            started_at: time::text(member.started_at),
        }
    }
}
