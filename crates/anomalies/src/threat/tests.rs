//! Lists are read line by line, and what is on one is named with it.
#![allow(clippy::unwrap_used)]

use reeve_audit::{ActionMethod, ActionStatus, Actor, EventType};

use super::*;
use crate::AnomalyClass;

fn entry(address: &str, agent: &str) -> Entry {
    Entry::new(EventType::from_static("api.call"))
        .by(Actor::user("ann")
            .with_email("ann@example.com")
            .with_ip_address(address.parse().unwrap())
            .with_user_agent(agent))
        .with_action("ListBuckets", ActionStatus::Success, ActionMethod::Api)
}

fn threats(text: &str) -> Threats {
    let updated_at = "2026-11-01T00:00:00Z".parse().unwrap();
    let indicators = parse(text).unwrap().len() as u64;
    let list = ThreatList {
        name: "mine".into(),
        from_file: false,
        updated_at,
        by: "x".into(),
        text: text.into(),
        indicators,
    };

    Threats::new(&[list])
}

#[test]
fn what_is_on_a_list_is_named_with_the_list_and_its_date() {
    let text = "# of May\n203.0.113.7, Scanner of May, 2026-05-03\n198.51.100.77/24\n2001:db8::/32 # documentation\n\nuser_agent:SQLmap,injection";
    let threats = threats(text);
    let at = Timestamp::UNIX_EPOCH;
    // The first indicator is used from its date on.
    let at = at.max("2026-05-03T00:00:00Z".parse().unwrap());
    let found = |address: &str, agent: &str| threats.observe(&entry(address, agent), at);
    let one = found("203.0.113.7", "curl").unwrap();
    assert_eq!(
        (one.class, one.severity, one.place.kind.as_str()),
        (AnomalyClass::Security, Priority::High, "address")
    );
    assert_eq!(
        one.evidence[0],
        "address 203.0.113.7 is 203.0.113.7/32 (Scanner of May), dated 2026-05-03 on threat list \"mine\" of 2026-11-01"
    );
    assert!(
        one.evidence[1].starts_with("ATT&CK technique T"),
        "{:?}",
        one.evidence
    );

    assert!(
        found("198.51.100.1", "curl").is_some() && found("::ffff:198.51.100.1", "curl").is_some()
    );
    assert!(found("2001:db8:1::9", "curl").is_some());
    assert!(found("203.0.113.8", "curl").is_none() && found("2001:db9::1", "curl").is_none());

    let agent = found("10.0.0.1", "sqlMAP/1.7").unwrap();
    assert_eq!(
        (agent.place.id.as_str(), agent.place.kind.as_str()),
        ("ann@example.com", "principal")
    );
    assert!(
        agent.title.contains("called ListBuckets with program"),
        "{}",
        agent.title
    );

    let system = Entry::new(EventType::from_static("api.call")).by(Actor::system());
    assert!(threats.observe(&system, at).is_none());
}

#[test]
fn wrong_lines_are_named() {
    let errors =
        parse("203.0.113.7\n203.0.113.0/33\nexample.com\n10.0.0.1,x,May\nuser_agent:a\n0.0.0.0/0")
            .unwrap_err();
    let paths: Vec<&str> = errors.iter().map(|error| error.path.as_str()).collect();
    assert_eq!(
        paths,
        [
            "indicators[2]",
            "indicators[3]",
            "indicators[4]",
            "indicators[5]",
            "indicators[6]"
        ]
    );

    assert!(parse("").unwrap().is_empty());
}

#[test]
fn the_list_that_ships_with_reeve_can_be_read_and_says_its_day() {
    let indicators = parse(BUILT_IN).unwrap();
    assert!(indicators.len() > 20, "{}", indicators.len());
    assert!(
        indicators
            .iter()
            .all(|one| one.date == Some(BUILT_IN_DAY) && !one.name.is_empty())
    );

    let threats = threats(BUILT_IN);
    let on_its_day = "2026-11-24T00:00:00Z".parse().unwrap();
    let kali = "Boto3/1.34.0 Python/3.11.8 Linux/6.6.9-kali1-amd64 Botocore/1.34.0";
    let found = threats
        .observe(&entry("198.51.100.7", kali), on_its_day)
        .unwrap();
    assert!(
        found.evidence[0].contains("(Kali Linux), dated 2026-11-24"),
        "{:?}",
        found.evidence
    );

    // Addresses and programs of everyday work are not on it.
    for (address, agent) in [
        ("10.40.8.33", "aws-cli/2.19.5"),
        ("192.168.1.1", "Boto3/1.35.0"),
        ("203.0.113.7", "python-requests/2.32"),
        ("127.0.0.1", "curl/8.5"),
        ("100.64.3.4", "Terraform/1.9"),
        ("fd00::1", "Mozilla/5.0 (X11; Linux x86_64)"),
    ] {
        assert!(
            threats
                .observe(&entry(address, agent), on_its_day)
                .is_none(),
            "{address} {agent}"
        );
    }
}

#[test]
fn an_indicator_is_used_between_its_times() {
    let threats = threats(
        "203.0.113.7,x,2026-05-03,2026-05-05T12:00:00Z\n198.51.100.0/24,y,,2026-05-04\nuser_agent:evil,z,2026-05-04",
    );
    for (address, agent, at, expected) in [
        ("203.0.113.7", "curl", "2026-05-02T23:59:59Z", false),
        ("203.0.113.7", "curl", "2026-05-05T11:59:59Z", true),
        ("203.0.113.7", "curl", "2026-05-05T12:00:00Z", false),
        ("198.51.100.9", "curl", "2026-05-03T00:00:00Z", true),
        ("198.51.100.9", "curl", "2026-05-04T00:00:00Z", false),
        ("10.0.0.1", "Evil/1", "2026-05-03T00:00:00Z", false),
        ("10.0.0.1", "Evil/1", "2026-05-04T00:00:00Z", true),
    ] {
        let found = threats.observe(&entry(address, agent), at.parse().unwrap());
        assert_eq!(found.is_some(), expected, "{address} {agent} {at}");
    }
    assert!(parse("10.0.0.1,x,2026-05-03,2026-05-03").is_err());
}
