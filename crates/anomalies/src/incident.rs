//! Incidents: security anomalies that are parts of one attack, with one title and one set of
//! numbers.
//!
//! An anomaly joins the incident of an earlier one if they share a public address or network, an
//! account or a resource and are no more than six hours apart. Beginning at the same time is no
//! reason: unrelated events of a busy hour would be one incident. The identifier of an incident is
//! that of the anomaly that it began with, and never changes for that anomaly.

use std::collections::BTreeSet;
use std::net::IpAddr;

use jiff::Timestamp;
use reeve_recommend::recommendation::Priority;
use reeve_recommend::recommendation::origin::AnomalyId;

use super::record::{Anomaly, AnomalyClass, AnomalyStatus, FeedbackKind};
use super::related::ONE_ATTACK;
use super::security_activity::SecurityActivity;

/// Security anomalies of one attack.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Incident {
    /// Identifier of the anomaly that it began with.
    pub id: AnomalyId,
    /// Title of the most severe member, and the number of the others.
    pub title: String,
    /// The worst severity of its members.
    pub severity: Priority,
    /// Open while a member is open, acknowledged while one is acknowledged.
    pub status: AnomalyStatus,
    /// Calls and sign-ins of all members. Entries that two members cite count once.
    pub entries: u64,
    /// Number of distinct resources that the calls named.
    pub resources: u64,
    pub started_at: Timestamp,
    /// Time of the last anomalous point of any member.
    pub last_at: Timestamp,
    /// The anomalies, oldest first.
    pub members: Vec<IncidentMember>,
}

/// An anomaly of an incident.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IncidentMember {
    pub id: AnomalyId,
    pub title: String,
    pub severity: Priority,
    pub status: AnomalyStatus,
    pub started_at: Timestamp,
}

impl Incident {
    /// Returns the incident that these anomalies are; `None` for no anomaly.
    #[must_use]
    pub fn of(members: &[Anomaly]) -> Option<Incident> {
        let members = oldest_first(members);
        // The earliest of the most severe: members are in order of their beginning.
        let lead = members.iter().min_by_key(|member| member.severity)?;

        let status = [AnomalyStatus::Open, AnomalyStatus::Acknowledged]
            .into_iter()
            .find(|status| members.iter().any(|member| member.status == *status))
            .unwrap_or(AnomalyStatus::Resolved);
        let title = match members.len() - 1 {
            0 => lead.title.clone(),
            1 => format!("{}, and 1 related anomaly", lead.title),
            more => format!("{}, and {more} related anomalies", lead.title),
        };

        let activities = || members.iter().filter_map(|member| member.activity.as_ref());
        let resources: BTreeSet<&String> = activities().flat_map(|one| &one.resources).collect();
        let cited = activities().map(|one| one.entries.len()).sum::<usize>();
        let distinct: BTreeSet<&String> = activities().flat_map(|one| &one.entries).collect();
        let attempts: u64 = activities().map(|one| one.attempts()).sum();

        Some(Incident {
            id: lead.incident.clone(),
            title,
            severity: lead.severity,
            status,
            entries: attempts - (cited - distinct.len()) as u64,
            resources: resources.len() as u64,
            started_at: members.iter().map(|member| member.started_at).min()?,
            last_at: members.iter().map(|member| member.last_at).max()?,
            members: members.into_iter().map(IncidentMember::from).collect(),
        })
    }
}

/// Returns anomalies in the order of their beginning; those of one moment by identifier.
fn oldest_first<'a>(anomalies: impl IntoIterator<Item = &'a Anomaly>) -> Vec<&'a Anomaly> {
    let mut sorted: Vec<&Anomaly> = anomalies.into_iter().collect();
    sorted.sort_by_key(|anomaly| (anomaly.started_at, &anomaly.id));
    sorted
}

impl From<&Anomaly> for IncidentMember {
    fn from(anomaly: &Anomaly) -> Self {
        IncidentMember {
            id: anomaly.id.clone(),
            title: anomaly.title.clone(),
            severity: anomaly.severity,
            status: anomaly.status,
            started_at: anomaly.started_at,
        }
    }
}

/// Something that another tool saw, as far as it says where an incident may have it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sighting {
    pub at: Timestamp,
    /// User or program.
    pub principal: Option<String>,
    pub address: Option<IpAddr>,
    pub resource: Option<String>,
}

impl Sighting {
    /// Returns the incident that the sighting is a part of, and what they have in common: the rule by
    /// which anomalies join incidents. Of several incidents the one that began first counts.
    #[must_use]
    pub fn incident(&self, anomalies: &[Anomaly]) -> Option<(AnomalyId, String)> {
        let parts = anomalies.iter().filter(|anomaly| {
            anomaly.class == AnomalyClass::Security
                && !anomaly.is_harmless()
                && self.at.duration_since(anomaly.last_at) <= ONE_ATTACK
                && anomaly.started_at.duration_since(self.at) <= ONE_ATTACK
        });
        let linked = parts.filter_map(|anomaly| Some((anomaly, self.common_with(anomaly)?)));
        let first = linked.min_by_key(|(anomaly, _)| (anomaly.started_at, anomaly.id.clone()));

        first.map(|(anomaly, common)| (anomaly.incident.clone(), common))
    }

    fn common_with(&self, anomaly: &Anomaly) -> Option<String> {
        let address = self.address.map(|address| address.to_string());
        let names = [&self.principal, &address, &self.resource];
        let place = &anomaly.place.id;
        if names.into_iter().flatten().any(|name| name == place) {
            return Some(format!("the same subject {place}"));
        }

        let own = SecurityActivity {
            accounts: self.principal.iter().cloned().collect(),
            addresses: self.address.into_iter().collect(),
            resources: self.resource.iter().cloned().collect(),
            ..SecurityActivity::default()
        };
        let theirs = anomaly.activity.as_ref()?;
        own.is_linked_to(theirs).then(|| {
            let shared = own.shared_with(theirs);
            shared.unwrap_or_else(|| "the same network".to_owned())
        })
    }
}

impl Anomaly {
    /// Returns `true` if people called it a false alarm or planned: it is no part of an attack.
    fn is_harmless(&self) -> bool {
        self.current_feedback()
            .is_some_and(|said| matches!(said.kind, FeedbackKind::False | FeedbackKind::Planned))
    }

    /// Returns the oldest incident that this anomaly belongs to among the others', and the other
    /// incidents that it joins with that one. `None` where it belongs to none.
    pub(crate) fn joined_incidents(
        &self,
        others: &[Anomaly],
    ) -> Option<(AnomalyId, BTreeSet<AnomalyId>)> {
        let parts = others
            .iter()
            .filter(|other| self.is_part_of_one_attack_with(other));
        let joined = oldest_first(parts);

        let oldest = joined.first()?.incident.clone();
        let mut further: BTreeSet<AnomalyId> =
            joined.iter().map(|other| other.incident.clone()).collect();
        further.insert(self.incident.clone());
        further.remove(&oldest);

        Some((oldest, further))
    }

    fn is_part_of_one_attack_with(&self, other: &Anomaly) -> bool {
        self.class == AnomalyClass::Security
            && self.is_near(other)
            && !self.is_harmless()
            && !other.is_harmless()
            && (self.place.id == other.place.id
                || self
                    .activity
                    .as_ref()
                    .zip(other.activity.as_ref())
                    .is_some_and(|(own, theirs)| own.is_linked_to(theirs)))
    }
}

#[cfg(test)]
mod tests {
    use jiff::SignedDuration;

    use super::*;
    use crate::remedy::fixtures;

    fn member(id: &str, minute: i64, address: &str, severity: Priority) -> Anomaly {
        let started_at = Timestamp::UNIX_EPOCH + SignedDuration::from_mins(minute);
        let mut anomaly = fixtures::anomaly(None, 1.0, 1.0);
        anomaly.id = AnomalyId(id.to_owned());
        anomaly.incident = anomaly.id.clone();
        anomaly.class = AnomalyClass::Security;
        anomaly.place.id = id.to_owned();
        anomaly.title = format!("title of {id}");
        anomaly.severity = severity;
        anomaly.started_at = started_at;
        anomaly.last_at = started_at;
        anomaly.activity = Some(SecurityActivity {
            refused: 3,
            addresses: [address.parse().unwrap()].into(),
            resources: [format!("resource of {id}")].into(),
            entries: vec!["shared".to_owned(), format!("entry of {id}")],
            ..SecurityActivity::default()
        });
        anomaly
    }

    #[test]
    fn an_incident_has_one_title_and_one_set_of_numbers() {
        let mut spray = member("spray", 0, "203.0.113.130", Priority::Medium);
        let mut key = member("key", 5, "203.0.113.33", Priority::High);
        key.incident = spray.id.clone();
        spray.status = AnomalyStatus::Resolved;

        let incident = Incident::of(&[key.clone(), spray.clone()]).unwrap();
        assert_eq!(incident.id, spray.id);
        assert_eq!(incident.title, "title of key, and 1 related anomaly");
        assert_eq!(incident.severity, Priority::High);
        assert_eq!(incident.status, AnomalyStatus::Open);
        assert_eq!(incident.entries, 5, "two of six are one entry");
        assert_eq!(incident.resources, 2);
        assert_eq!(
            (incident.started_at, incident.last_at),
            (spray.started_at, key.last_at)
        );
        assert_eq!(
            incident
                .members
                .iter()
                .map(|one| &*one.id.0)
                .collect::<Vec<_>>(),
            ["spray", "key"]
        );

        assert_eq!(Incident::of(&[spray.clone()]).unwrap().title, spray.title);
        assert_eq!(Incident::of(&[]), None);
    }

    #[test]
    fn anomalies_of_one_network_are_joined_and_private_ones_are_not() {
        let spray = member("spray", 0, "203.0.113.130", Priority::Medium);
        let key = member("key", 5, "203.0.113.33", Priority::High);
        assert_eq!(
            key.joined_incidents(std::slice::from_ref(&spray)),
            Some((spray.id.clone(), [key.id.clone()].into()))
        );

        // Everybody of an office calls from its network, and a busy hour is no common cause.
        let ann = member("ann", 5, "10.40.8.33", Priority::High);
        let ben = member("ben", 6, "10.40.8.34", Priority::High);
        assert_eq!(ann.joined_incidents(&[ben.clone(), spray.clone()]), None);

        let late = member("late", 7 * 60, "203.0.113.33", Priority::High);
        assert_eq!(late.joined_incidents(std::slice::from_ref(&spray)), None);
    }

    #[test]
    fn an_anomaly_joins_two_incidents_to_the_older_one() {
        let first = member("first", 0, "203.0.113.130", Priority::Medium);
        let second = member("second", 5, "198.51.100.7", Priority::High);
        let mut bridge = member("bridge", 9, "198.51.100.7", Priority::High);
        let activity = bridge.activity.as_mut().unwrap();
        activity.addresses.insert("203.0.113.9".parse().unwrap());

        assert_eq!(
            bridge.joined_incidents(&[second.clone(), first.clone()]),
            Some((first.id, [second.id, bridge.id].into()))
        );
    }

    #[test]
    fn what_another_tool_saw_joins_by_the_same_rule() {
        let spray = member("spray", 0, "203.0.113.130", Priority::Medium);
        let mut key = member("key", 5, "198.51.100.7", Priority::High);
        key.incident = spray.id.clone();
        let known = [key, spray.clone()];
        let sighting = |minute: i64, principal: Option<&str>, address: &str| Sighting {
            at: Timestamp::UNIX_EPOCH + SignedDuration::from_mins(minute),
            principal: principal.map(str::to_owned),
            address: address.parse().ok(),
            resource: None,
        };

        for (sighting, common) in [
            (sighting(30, None, "203.0.113.9"), Some("the same network")),
            (sighting(30, Some("key"), "10.0.0.1"), Some("the same subject key")),
            (sighting(30, Some("ann"), "192.0.2.1"), None),
            (sighting(7 * 60, None, "203.0.113.9"), None),
        ] {
            let joined = sighting.incident(&known);
            let expected = common.map(|common| (spray.id.clone(), common.to_owned()));
            assert_eq!(joined, expected, "{sighting:?}");
        }
    }

    #[test]
    fn a_false_alarm_joins_nothing() {
        let mut spray = member("spray", 0, "203.0.113.130", Priority::Medium);
        let key = member("key", 5, "203.0.113.33", Priority::High);
        spray.feedback.push(crate::record::AnomalyFeedback {
            kind: FeedbackKind::False,
            comments: None,
            by: "ann@example.com".to_owned(),
            at: spray.last_at,
            withdrawn: None,
        });
        assert_eq!(key.joined_incidents(&[spray]), None);
    }
}
