//! Tests of the activity of people and programs.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Instant;

use jiff::{SignedDuration, Timestamp};
use reeve_audit::{ActionStatus, Draft, Entry, Severity};
use reeve_connect_simulated::{PEOPLE, TEAMS};

use crate::{anchor, days, quiet};

fn hour(at: &str) -> usize {
    let (estate, _) = quiet();
    let from: Timestamp = at.parse().unwrap();
    estate
        .activity(from, from + SignedDuration::from_hours(1))
        .len()
}

#[test]
fn windows_join_and_repeat() {
    let (estate, _) = quiet();
    let (from, to) = (anchor() - days(2), anchor() + days(1));
    let whole = estate.activity(from, to);
    assert_eq!(whole, quiet().0.activity(from, to));

    // Cuts between minutes, within minutes and within stories.
    let mut parts: Vec<Entry> = Vec::new();
    let mut at = from;
    for step in [1, 59, 61, 7_201, 13_333, 90_000, 200, 30, 1_000_000]
        .into_iter()
        .cycle()
    {
        let next = (at + SignedDuration::from_secs(step)).min(to);
        parts.extend(estate.activity(at, next));
        at = next;
        if at >= to {
            break;
        }
    }

    assert_eq!(whole, parts);
    assert!(
        whole
            .windows(2)
            .all(|pair| pair[0].timestamp <= pair[1].timestamp)
    );
    assert!(estate.activity(to, from).is_empty());
}

#[test]
fn a_month_is_sound() {
    let (estate, _) = quiet();
    let begun = Instant::now();
    let month = estate.activity(anchor() - days(30), anchor());
    println!("30 days: {} entries in {:?}", month.len(), begun.elapsed());
    assert!((8_000..40_000).contains(&month.len()), "{}", month.len());

    let ids: BTreeSet<_> = month.iter().map(|entry| &entry.event_id).collect();
    assert_eq!(ids.len(), month.len(), "identifiers repeat");

    let mut kinds: BTreeMap<&str, usize> = BTreeMap::new();
    for entry in &month {
        *kinds.entry(entry.event_type.as_str()).or_default() += 1;
        assert!(
            !entry.actor.is_empty() && !entry.resource.is_empty() && !entry.action.is_empty(),
            "{entry:?}"
        );
        if let Err(errors) = Draft::from_entry(entry.clone(), anchor()) {
            panic!("{errors:?}: {entry:?}");
        }
    }

    println!("{kinds:?}");
    for kind in [
        "authentication.login",
        "resource.modify",
        "resource.delete",
        "resource.view",
        "policy.modify",
        "budget.modify",
    ] {
        assert!(kinds.contains_key(kind), "{kind}");
    }

    let people: BTreeSet<_> = month
        .iter()
        .filter_map(|entry| entry.actor.email.as_deref())
        .collect();
    assert_eq!(people.len(), PEOPLE.len());
    assert!(
        month
            .iter()
            .any(|entry| entry.action.status == Some(ActionStatus::Denied))
    );
}

#[test]
fn days_are_busy_and_nights_are_quiet() {
    // A Thursday afternoon, a night, a Sunday.
    let (day, night, sunday) = (
        hour("2026-11-19T14:00:00Z"),
        hour("2026-11-19T02:00:00Z"),
        hour("2026-11-15T14:00:00Z"),
    );
    println!("an hour by day {day}, by night {night}, on Sunday {sunday}");
    assert!((20..=80).contains(&day), "{day}");
    assert!(night <= 15 && sunday <= 15, "{night} {sunday}");
}

#[test]
fn stories_are_written_before_and_soon_after_the_beginning() {
    let (estate, _) = quiet();
    let suspicious = |from, to| {
        let all = estate.activity(from, to);
        all.into_iter()
            .filter(|entry| entry.metadata.tags.iter().any(|tag| tag == "suspicious"))
            .collect::<Vec<_>>()
    };
    let soon = suspicious(anchor(), anchor() + SignedDuration::from_mins(60));

    let failed = soon
        .iter()
        .filter(|entry| entry.event_type.as_str() == "authentication.login");
    let addresses: BTreeSet<_> = failed
        .clone()
        .filter_map(|entry| entry.actor.ip_address)
        .collect();
    assert_eq!((failed.count(), addresses.len()), (30, 1));
    assert!(soon.iter().any(|entry| entry.severity == Severity::Critical
        && entry.event_type.as_str() == "policy.modify"));
    assert!(
        soon.iter()
            .any(|entry| entry.metadata.tags.iter().any(|tag| tag == "new_country"))
    );
    assert!(suspicious(anchor() - days(30), anchor()).len() > 100);
    assert!(suspicious(anchor() + days(20), anchor() + days(30)).len() > 100);
}

#[test]
fn people_are_of_the_teams() {
    let handles: BTreeSet<_> = PEOPLE.iter().map(|person| person.handle).collect();
    assert_eq!(handles.len(), 40);
    for person in &PEOPLE {
        assert!(TEAMS.contains(&person.team), "{}", person.name);
        assert_eq!(person.email(), format!("{}@acme.example", person.handle));
    }
}
