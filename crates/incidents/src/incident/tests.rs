//! Tests of the record.
#![allow(clippy::unwrap_used)]

use std::collections::BTreeSet;

use jiff::SignedDuration;

use super::*;

/// A finding that began some minutes after the epoch, seen from an address.
pub(crate) fn finding(id: &str, minute: i64, address: &str, severity: Priority) -> IncidentMember {
    let at = Timestamp::UNIX_EPOCH + SignedDuration::from_mins(minute);
    IncidentMember {
        kind: MemberKind::Anomaly,
        id: id.to_owned(),
        title: format!("title of {id}"),
        severity,
        source: "anomalies".to_owned(),
        subject: "principal".to_owned(),
        subject_id: id.to_owned(),
        account: None,
        started_at: at,
        last_at: at,
        keys: AttackKeys {
            principals: BTreeSet::from([id.to_owned()]),
            addresses: BTreeSet::from([address.parse().unwrap()]),
            resources: BTreeSet::new(),
        },
        techniques: BTreeSet::from(["T1078".to_owned()]),
        entries: vec![format!("entry of {id}")],
        because: None,
    }
}

pub(crate) fn opened(member: IncidentMember) -> Incident {
    let id = IncidentId("i".to_owned());
    Incident::opened_for(id, member, Timestamp::UNIX_EPOCH)
}

#[test]
fn title_severity_and_times_follow_the_members() {
    let mut incident = opened(finding("spray", 0, "203.0.113.130", Priority::Medium));
    assert_eq!(incident.title, "title of spray");

    let key = finding("key", 5, "203.0.113.33", Priority::High);
    assert!(incident.take(key.clone()));
    assert!(!incident.take(key), "the same again changes nothing");
    assert_eq!(incident.title, "title of key, and 1 related finding");
    assert_eq!(incident.severity, Priority::High);
    assert_eq!(incident.members[0].id, "spray", "oldest first");
    assert_eq!(
        incident.last_at,
        Timestamp::UNIX_EPOCH + SignedDuration::from_mins(5)
    );

    incident.is_titled = true;
    incident.is_rated = true;
    incident.title = "Stolen key".to_owned();
    incident.severity = Priority::Low;
    incident.take(finding("third", 6, "203.0.113.33", Priority::Critical));
    assert_eq!(
        (incident.title.as_str(), incident.severity),
        ("Stolen key", Priority::Low),
        "what people wrote stays"
    );
}

#[test]
fn findings_of_one_network_within_six_hours_are_one_attack() {
    let incident = opened(finding("spray", 0, "203.0.113.130", Priority::Medium));
    let shares = |minute: i64, address: &str| {
        incident.shares(&finding("other", minute, address, Priority::Low))
    };
    assert_eq!(
        shares(5, "203.0.113.33").as_deref(),
        Some("the same network 203.0.113.0/24")
    );
    assert_eq!(shares(5, "198.51.100.7"), None);
    assert_eq!(shares(7 * 60, "203.0.113.130"), None, "too late");
    assert_eq!(shares(5, "10.0.0.1"), None);
}

#[test]
fn recommendations_are_no_evidence() {
    let mut incident = opened(finding("spray", 0, "203.0.113.130", Priority::Medium));
    let open = IncidentMember {
        kind: MemberKind::Recommendation,
        keys: AttackKeys {
            resources: BTreeSet::from(["bucket".to_owned()]),
            ..AttackKeys::default()
        },
        ..finding("open", 1, "192.0.2.1", Priority::Critical)
    };
    incident.take(open);
    assert_eq!(incident.severity, Priority::Medium);

    let other = IncidentMember {
        keys: AttackKeys {
            resources: BTreeSet::from(["bucket".to_owned()]),
            ..AttackKeys::default()
        },
        ..finding("other", 2, "192.0.2.2", Priority::Low)
    };
    assert_eq!(incident.shares(&other), None);
}

#[test]
fn an_incident_that_is_over_is_only_reopened() {
    for status in IncidentStatus::ALL {
        assert!(!allowed(*status).contains(status), "{status}");
        if !status.is_active() {
            assert!(allowed(*status).contains(&IncidentStatus::Open), "{status}");
            assert!(!allowed(*status).contains(&IncidentStatus::Contained));
        }
    }
    let mut incident = opened(finding("spray", 0, "203.0.113.130", Priority::Low));
    assert!(incident.is_untouched());
    incident.become_status(
        IncidentStatus::Contained,
        "ann@example.com",
        None,
        Timestamp::UNIX_EPOCH,
    );
    assert_eq!(incident.history.len(), 2);
    assert!(!incident.is_untouched());
}

#[test]
fn accounts_that_were_guessed_at_are_no_suspects() {
    let spray = IncidentMember {
        subject: "address".to_owned(),
        subject_id: "203.0.113.130".to_owned(),
        ..finding("ann", 0, "203.0.113.130", Priority::Medium)
    };
    let machine = IncidentMember {
        subject: "virtual_machine".to_owned(),
        subject_id: "i-1".to_owned(),
        keys: AttackKeys {
            principals: BTreeSet::from(["web/i-1".to_owned()]),
            ..AttackKeys::default()
        },
        ..finding("m", 1, "203.0.113.130", Priority::High)
    };
    let mut incident = opened(spray);
    assert!(incident.suspects().is_empty());
    incident.take(machine);
    incident.take(finding("AKIA1", 2, "203.0.113.130", Priority::High));
    let suspects = incident.suspects();
    let names: Vec<(&str, bool)> = suspects
        .iter()
        .map(|one| (one.id.as_str(), one.is_machine))
        .collect();
    assert_eq!(names, [("AKIA1", false), ("i-1", true), ("web/i-1", false)]);
}
