//! Anomalies of one incident: security anomalies that are parts of one attack, with one set of
//! numbers. The incident itself, with what people do about it, is a record of `reeve-incidents`.
//!
//! An anomaly joins the incident of an earlier one if they share a public address or network, an
//! account or a resource and are no more than six hours apart. Beginning at the same time is no
//! reason: unrelated events of a busy hour would be one incident. The identifier of an incident is
//! that of the anomaly that it began with, and never changes for that anomaly.

use std::collections::BTreeSet;

use jiff::Timestamp;
use reeve_recommend::recommendation::Priority;
use reeve_recommend::recommendation::origin::AnomalyId;

use super::record::{Anomaly, AnomalyClass, AnomalyStatus, FeedbackKind};

/// Security anomalies of one attack.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AnomalyGroup {
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
    pub members: Vec<AnomalyGroupMember>,
}

/// An anomaly of an incident.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AnomalyGroupMember {
    pub id: AnomalyId,
    pub title: String,
    pub severity: Priority,
    pub status: AnomalyStatus,
    pub started_at: Timestamp,
}

impl AnomalyGroup {
    /// Returns the incident that these anomalies are; `None` for no anomaly.
    #[must_use]
    pub fn of(members: &[Anomaly]) -> Option<AnomalyGroup> {
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

        Some(AnomalyGroup {
            id: lead.incident.clone(),
            title,
            severity: lead.severity,
            status,
            entries: attempts - (cited - distinct.len()) as u64,
            resources: resources.len() as u64,
            started_at: members.iter().map(|member| member.started_at).min()?,
            last_at: members.iter().map(|member| member.last_at).max()?,
            members: members.into_iter().map(AnomalyGroupMember::from).collect(),
        })
    }
}

/// Returns anomalies in the order of their beginning; those of one moment by identifier.
fn oldest_first<'a>(anomalies: impl IntoIterator<Item = &'a Anomaly>) -> Vec<&'a Anomaly> {
    let mut sorted: Vec<&Anomaly> = anomalies.into_iter().collect();
    sorted.sort_by_key(|anomaly| (anomaly.started_at, &anomaly.id));
    sorted
}

impl From<&Anomaly> for AnomalyGroupMember {
    fn from(anomaly: &Anomaly) -> Self {
        AnomalyGroupMember {
            id: anomaly.id.clone(),
            title: anomaly.title.clone(),
            severity: anomaly.severity,
            status: anomaly.status,
            started_at: anomaly.started_at,
        }
    }
}

impl Anomaly {
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
        // What people called harmless is no part of an attack.
        let is_harmless = |anomaly: &Anomaly| {
            anomaly.current_feedback().is_some_and(|said| {
                matches!(said.kind, FeedbackKind::False | FeedbackKind::Planned)
            })
        };

        self.class == AnomalyClass::Security
            && self.is_near(other)
            && !is_harmless(self)
            && !is_harmless(other)
            && (self.place.id == other.place.id
                || self
                    .activity
                    .as_ref()
                    .zip(other.activity.as_ref())
                    .is_some_and(|(own, theirs)| own.keys().is_linked_to(&theirs.keys())))
    }
}

#[cfg(test)]
mod tests {
    use jiff::SignedDuration;

    use super::*;
    use crate::remedy::fixtures;
    use crate::security_activity::SecurityActivity;

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

        let incident = AnomalyGroup::of(&[key.clone(), spray.clone()]).unwrap();
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

        assert_eq!(
            AnomalyGroup::of(&[spray.clone()]).unwrap().title,
            spray.title
        );
        assert_eq!(AnomalyGroup::of(&[]), None);
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
