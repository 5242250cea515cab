//! The rule on entries and the rule on queries are one rule.

#![allow(clippy::unwrap_used)]

use proptest::prelude::*;
use reeve_audit::query::Query;
use reeve_audit::{Actor, Entry, EventType};

use super::*;
use crate::principal::PrincipalKind;
use crate::role::Role;
use crate::user::UserId;

fn principal(roles: &[Role], team: &[&str]) -> Principal {
    Principal {
        user: UserId("u-1".into()),
        email: "ann@example.com".into(),
        name: "Ann".into(),
        kind: PrincipalKind::Session,
        session: None,
        token: None,
        roles: roles.iter().copied().collect(),
        team_members: team.iter().map(|&name| name.to_owned()).collect(),
        scope: None,
    }
}

fn entry(id: Option<&str>, email: Option<&str>) -> Entry {
    let actor = Actor {
        id: id.map(str::to_owned),
        email: email.map(str::to_owned),
        ..Actor::default()
    };
    Entry::new(EventType::new("resource.modify").unwrap()).by(actor)
}

#[test]
fn what_each_role_sees() {
    let team: &[&str] = &["u-1", "ann@example.com", "u-2", "Bob@Example.com"];
    let entries = [
        ("own by id", entry(Some("u-1"), None)),
        (
            "own by address",
            entry(Some("AIDA123"), Some("Ann@Example.COM")),
        ),
        ("team by id", entry(Some("U-2"), None)),
        ("team by address", entry(None, Some("bob@example.com"))),
        ("stranger", entry(Some("u-3"), Some("eve@example.com"))),
        ("nobody", entry(None, None)),
        ("empty", entry(Some(""), Some(""))),
    ];

    let cases: &[(&[Role], &str)] = &[
        (&[Role::AuditAdministrator], "yyyyyyy"),
        (&[Role::SecurityAnalyst], "yyyyyyy"),
        (&[Role::ComplianceOfficer], "yyyyyyy"),
        (&[Role::Administrator], "yyyyyyy"),
        (&[Role::Manager], "yyyynnn"),
        (&[Role::Director], "yyyynnn"),
        (&[Role::RegularUser], "yynnnnn"),
        (&[Role::Operator], "yynnnnn"),
        (&[Role::RegularUser, Role::Manager], "yyyynnn"),
        (&[Role::RegularUser, Role::ComplianceOfficer], "yyyyyyy"),
        (&[], "nnnnnnn"),
    ];

    for (roles, expected) in cases {
        let filter = RowFilter::for_principal(&principal(roles, team));
        for ((name, entry), expected) in entries.iter().zip(expected.chars()) {
            assert_eq!(filter.allows(entry), expected == 'y', "{roles:?}: {name}");
        }
    }
}

#[test]
fn without_a_team_a_manager_sees_their_own() {
    let filter = RowFilter::for_principal(&principal(&[Role::Manager], &[]));
    assert!(filter.allows(&entry(Some("u-1"), None)));
    assert!(!filter.allows(&entry(Some("u-2"), None)));
}

#[test]
fn a_principal_without_names_sees_nothing() {
    assert_eq!(RowFilter::members(["", ""]), RowFilter::Nobody);
    assert!(!RowFilter::Nobody.allows(&entry(Some(""), None)));
}

/// Names that nearly collide: case, accents, letters whose lower case is another's.
fn name() -> impl Strategy<Value = String> {
    prop_oneof![
        prop::sample::select(vec![
            "u-1",
            "U-1",
            "u-2",
            "ann@example.com",
            "ANN@example.com",
            "émile",
            "ÉMILE",
            "straße",
            "STRASSE",
            "\u{212a}ate",
            "kate",
            "\u{130}x",
            "i\u{307}x",
            "ΑΣ",
            "ας",
            "ασ",
            "a*",
            "",
            "a b",
            "\"quoted\"",
            "back\\slash",
        ])
        .prop_map(str::to_owned),
        "[a-cA-C]{0,2}",
    ]
}

fn filter() -> impl Strategy<Value = RowFilter> {
    prop_oneof![
        Just(RowFilter::All),
        Just(RowFilter::Nobody),
        prop::collection::vec(name(), 0..5).prop_map(RowFilter::members),
    ]
}

/// Times around which entries and scopes lie.
fn moment() -> impl Strategy<Value = Timestamp> {
    (0_i64..4).prop_map(|second| Timestamp::from_second(1_800_000_000 + second).unwrap())
}

fn scope() -> impl Strategy<Value = AuditScope> {
    let accounts = prop::collection::btree_set(name(), 0..3);
    let time = || prop::option::of(moment());
    (accounts, time(), time()).prop_map(|(accounts, log_from, log_until)| AuditScope {
        accounts,
        log_from,
        log_until,
        ..AuditScope::default()
    })
}

#[test]
fn a_scope_hides_other_accounts_and_other_times_and_what_has_no_account() {
    let second = |second: i64| Timestamp::from_second(second).unwrap();
    let auditor = Principal {
        scope: Some(std::sync::Arc::new(AuditScope {
            accounts: BTreeSet::from(["1111".to_owned()]),
            log_from: Some(second(100)),
            log_until: Some(second(200)),
            ..AuditScope::default()
        })),
        ..principal(&[Role::ComplianceOfficer], &[])
    };
    let filter = RowFilter::for_principal(&auditor);
    let check = |account: Option<&str>, at: i64, expected: bool| {
        let mut entry = entry(Some("u-3"), None);
        entry.resource.account_id = account.map(str::to_owned);
        entry.timestamp = second(at);
        assert_eq!(filter.allows(&entry), expected, "{account:?} at {at}");
    };
    check(Some("1111"), 100, true);
    check(Some("1111"), 200, true);
    check(Some("1111"), 201, false);
    check(Some("1111"), 99, false);
    check(Some("2222"), 150, false);
    check(None, 150, false);
    assert!(!auditor.sees_whole_log());
    assert!(
        !filter.allows_actor(Some("u-3"), None),
        "its place is not known"
    );

    // A scope widens nothing.
    let own = Principal {
        roles: [Role::RegularUser].into(),
        ..auditor
    };
    let mut stranger = entry(Some("u-3"), None);
    stranger.resource.account_id = Some("1111".to_owned());
    stranger.timestamp = second(150);
    assert!(!RowFilter::for_principal(&own).allows(&stranger));
}

proptest! {
    #[test]
    fn entries_and_queries_are_cut_alike(
        filter in filter(),
        scope in prop::option::of(scope()),
        account in prop::option::of(name()),
        at in moment(),
        id in prop::option::of(name()),
        email in prop::option::of(name()),
        text in prop::sample::select(vec!["", "event_type:resource.*", "event_type:policy.*", "NOT severity:info", "a OR user:u-1"]),
    ) {
        let mut entry = entry(id.as_deref(), email.as_deref());
        entry.resource.account_id = account;
        entry.timestamp = at;
        let filter = match &scope {
            Some(scope) => RowFilter::Within(Box::new(filter), EntryScope::from(scope)),
            None => filter,
        };
        let query = Query::parse(text).unwrap();
        let found = query.matches(&entry, at, at);
        let narrowed = filter.restrict(query);
        prop_assert_eq!(narrowed.matches(&entry, at, at), found && filter.allows(&entry));
    }
}
