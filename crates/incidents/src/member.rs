//! Members of an incident: findings of any source that are parts of one attack.

use std::collections::BTreeSet;
use std::net::IpAddr;

use jiff::Timestamp;
use reeve_anomalies::{Anomaly, AttackKeys};
use reeve_estate::{ResourceKind, named};
use reeve_recommend::recommendation::{Priority, Recommendation};
use serde::{Deserialize, Serialize};

named!(
    /// Kind of a member.
    MemberKind {
        /// A security anomaly.
        Anomaly => "anomaly",
        /// A firing of an alert rule.
        Alert => "alert",
        /// An alert of another tool.
        ExternalAlert => "external_alert",
        /// An open recommendation about a resource of the attack: what made it possible.
        Recommendation => "recommendation",
    }
);

/// A finding that belongs to an incident.
///
/// A source makes one of its record and hands it to
/// [`IncidentService::join`](crate::IncidentService::join).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct IncidentMember {
    pub kind: MemberKind,
    /// Identifier of the record that it stands for.
    pub id: String,
    pub title: String,
    pub severity: Priority,
    /// Tool or part of Reeve that found it (`anomalies`, `guardduty`).
    pub source: String,
    /// Kind of what it is about: `principal`, `address`, or a kind of resources.
    pub subject: String,
    /// Identifier of what it is about.
    pub subject_id: String,
    /// Account of a cloud; `None` where the finding does not tell.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub account: Option<String>,
    pub started_at: Timestamp,
    pub last_at: Timestamp,
    /// Names by which it is recognized as a part of the attack.
    #[serde(default)]
    pub keys: AttackKeys,
    /// Techniques of MITRE ATT&CK, such as `T1110`.
    #[serde(default)]
    pub techniques: BTreeSet<String>,
    /// Entries of the log behind it.
    #[serde(default)]
    pub entries: Vec<String>,
    /// Reason why it joined, in words (`the same address 203.0.113.33`); `None` for the first one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub because: Option<String>,
}

impl IncidentMember {
    /// Returns `true` for a sign of the attack. A recommendation says what was open to it.
    #[must_use]
    pub fn is_evidence(&self) -> bool {
        self.kind != MemberKind::Recommendation
    }

    /// Returns `true` if it opens an incident where it joins none: security anomalies, and alerts
    /// of other tools from severity high. Rules of alerts fire for much that is no attack.
    #[must_use]
    pub fn opens(&self) -> bool {
        match self.kind {
            MemberKind::Anomaly => true,
            MemberKind::ExternalAlert => self.severity <= Priority::High,
            MemberKind::Alert | MemberKind::Recommendation => false,
        }
    }

    /// Returns a security anomaly as a member.
    #[must_use]
    pub fn from_anomaly(anomaly: &Anomaly) -> IncidentMember {
        let activity = anomaly.activity.as_ref();
        let mut keys = activity.map_or_else(AttackKeys::default, |one| one.keys());
        let place = &anomaly.place;
        let subject = place.kind.clone();
        let technique = match subject.as_str() {
            "principal" => {
                keys.principals.insert(place.id.clone());
                "T1078"
            }
            "address" => {
                keys.addresses.extend(place.id.parse::<IpAddr>());
                "T1078"
            }
            kind => {
                keys.resources.insert(place.id.clone());
                if kind == ResourceKind::VirtualMachine.as_str() {
                    "T1552.005"
                } else {
                    "T1078"
                }
            }
        };
        let technique = match activity {
            Some(activity) if activity.sign_ins => "T1110",
            _ => technique,
        };

        IncidentMember {
            kind: MemberKind::Anomaly,
            id: anomaly.id.0.clone(),
            title: anomaly.title.clone(),
            severity: anomaly.severity,
            source: "anomalies".to_owned(),
            subject,
            subject_id: place.id.clone(),
            account: place.account.clone(),
            started_at: anomaly.started_at,
            last_at: anomaly.last_at,
            keys,
            techniques: BTreeSet::from([technique.to_owned()]),
            entries: activity.map_or_else(Vec::new, |one| one.entries.clone()),
            because: None,
        }
    }

    /// Returns an open recommendation about a resource of the attack as a member.
    #[must_use]
    pub fn from_recommendation(recommendation: &Recommendation) -> IncidentMember {
        let subject = &recommendation.subject;
        IncidentMember {
            kind: MemberKind::Recommendation,
            id: recommendation.id.0.clone(),
            title: recommendation.title.clone(),
            severity: recommendation.priority,
            source: recommendation.origin.agent_type.as_str().to_owned(),
            subject: subject.kind.as_str().to_owned(),
            subject_id: subject.id.0.clone(),
            account: Some(subject.account.clone()),
            started_at: recommendation.created_at,
            last_at: recommendation.created_at,
            keys: AttackKeys {
                resources: BTreeSet::from([subject.id.0.clone()]),
                ..AttackKeys::default()
            },
            techniques: BTreeSet::new(),
            entries: Vec::new(),
            because: Some(format!("the same resource {}", subject.id.0)),
        }
    }
}
