//! Incidents: the anomalies of one attack, with one set of numbers.

use reeve_anomalies::{AnomalyGroup, AnomalyGroupMember};
use serde::Serialize;
use utoipa::ToSchema;

use crate::time;
use crate::wire::form::enumeration::{AnomalyStatus, Priority};

/// Members that an answer lists: each anomaly of a list repeats its incident.
const MEMBERS_SHOWN: usize = 50;

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
    /// The anomalies, oldest first; of more than 50 the most severe. `GET
    /// intelligence/anomalies?incident=` lists all.
    pub members: Vec<IncidentMemberBody>,
    /// Number of all its anomalies.
    pub members_total: u64,
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

/// Returns the most severe members in their order, [`MEMBERS_SHOWN`] at most.
fn shown(members: &[AnomalyGroupMember]) -> Vec<&AnomalyGroupMember> {
    let mut places: Vec<usize> = (0..members.len()).collect();
    places.sort_by_key(|place| members[*place].severity);
    places.truncate(MEMBERS_SHOWN);
    places.sort_unstable();
    places.into_iter().map(|place| &members[place]).collect()
}

impl From<&AnomalyGroup> for IncidentBody {
    fn from(incident: &AnomalyGroup) -> Self {
        IncidentBody {
            id: incident.id.0.clone(),
            title: incident.title.clone(),
            severity: incident.severity.into(),
            status: incident.status.into(),
            entries: incident.entries,
            resources: incident.resources,
            started_at: time::text(incident.started_at),
            last_at: time::text(incident.last_at),
            members: shown(&incident.members)
                .into_iter()
                .map(IncidentMemberBody::from)
                .collect(),
            members_total: incident.members.len() as u64,
        }
    }
}

impl From<&AnomalyGroupMember> for IncidentMemberBody {
    fn from(member: &AnomalyGroupMember) -> Self {
        IncidentMemberBody {
            id: member.id.0.clone(),
            title: member.title.clone(),
            severity: member.severity.into(),
            status: member.status.into(),
            started_at: time::text(member.started_at),
        }
    }
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;
    use reeve_anomalies::AnomalyStatus;
    use reeve_recommend::recommendation::Priority;
    use reeve_recommend::recommendation::origin::AnomalyId;

    use super::*;

    #[test]
    fn the_most_severe_members_are_listed_in_order_and_all_are_counted() {
        let member = |place: usize| AnomalyGroupMember {
            id: AnomalyId(place.to_string()),
            title: "title".to_owned(),
            severity: match place {
                60.. => Priority::High,
                _ => Priority::Low,
            },
            status: AnomalyStatus::Open,
            started_at: Timestamp::UNIX_EPOCH,
        };
        let members: Vec<_> = (0..70).map(member).collect();

        let listed: Vec<usize> = shown(&members)
            .iter()
            .map(|member| member.id.0.parse().unwrap())
            .collect();
        assert_eq!(listed, (0..40).chain(60..70).collect::<Vec<_>>());
        assert_eq!(shown(&members[..2]).len(), 2);
    }
}
