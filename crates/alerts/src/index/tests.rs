//! The index must find every rule that matches, and few others.

use proptest::prelude::*;
use reeve_audit::query::Query;
use reeve_audit::{Actor, Entry, EventType, ResourceRef};

use super::RuleIndex;

fn queries(texts: &[&str]) -> Vec<Query> {
    texts
        .iter()
        .map(|text| Query::parse(text).unwrap())
        .collect()
}

fn found(texts: &[&str], entry: &Entry) -> Vec<u32> {
    let queries = queries(texts);
    let mut found = Vec::new();
    RuleIndex::new(queries.iter()).candidates(entry, &mut found);
    found
}

fn entry(event_type: &str, user: &str) -> Entry {
    Entry::new(EventType::new(event_type).unwrap())
        .by(Actor::user(user))
        .on(ResourceRef::new("bucket", "B-É"))
}

#[test]
fn only_rules_that_can_match_are_asked() {
    let rules = [
        "event_type:authentication.login status:failed",
        "event_type:authentication.*",
        "user:ann",
        "user:ann OR user:bob",
        "NOT user:ann",
        "user:ann OR NOT status:failed",
        "event_type:*.login",
        "category:resource",
        "anything",
        "resource:b-é",
        "resource:=\"B-É\"",
        "ip:10.0.0.1",
        "ip:10.0.0.0/8",
    ];

    assert_eq!(
        found(&rules, &entry("authentication.login", "ANN")),
        [0, 1, 2, 3, 4, 5, 6, 8, 9, 10, 12]
    );
    assert_eq!(
        found(&rules, &entry("resource.modify", "bob")),
        [3, 4, 5, 7, 8, 9, 10, 12]
    );
}

#[test]
fn rules_are_filed_where_they_differ() {
    let texts: Vec<String> = (0..100)
        .map(|n| format!("event_type:authentication.login account:acc-{n} status:failed"))
        .collect();
    let mut with_account = entry("authentication.login", "ann");
    with_account.resource.account_id = Some("ACC-7".into());
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    assert_eq!(found(&texts, &with_account), [7]);

    let queries = queries(
        &["status:failed account:x", "x", "-a:b"]
            .map(|text| text.replace("a:b", "user:b"))
            .each_ref()
            .map(String::as_str),
    );

    assert_eq!(RuleIndex::new(queries.iter()).residual(), 2);
}

fn term() -> impl Strategy<Value = String> {
    let field = prop::sample::select(vec![
        "event_type",
        "user",
        "resource",
        "actor.id",
        "category",
        "resource.type",
        "operation",
    ]);

    let value = prop::sample::select(vec![
        "a",
        "a.b",
        "A*",
        "*b",
        "a*b",
        "*",
        "\u{e9}",
        "\u{c9}*",
        "*\u{e9}",
        "bucket",
        "a.\u{130}",
        "*.b*",
        "ab",
    ]);

    (field, value).prop_map(|(field, value)| format!("{field}:{value}"))
}

fn condition() -> impl Strategy<Value = String> {
    term().prop_recursive(3, 12, 3, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 1..4)
                .prop_map(|terms| format!("({})", terms.join(" AND "))),
            prop::collection::vec(inner.clone(), 1..4)
                .prop_map(|terms| format!("({})", terms.join(" OR "))),
            inner.prop_map(|term| format!("NOT {term}")),
        ]
    })
}

proptest! {
    #[test]
    fn no_matching_rule_is_missed(
        conditions in prop::collection::vec(condition(), 1..20),
        event_type in prop::sample::select(vec!["a.b", "ab.a", "a.b.b"]),
        user in prop::sample::select(vec!["a", "A", "ab", "\u{c9}", "xA.B", "a.\u{130}", ""]),
        resource in prop::sample::select(vec!["a", "aXb", "b\u{e9}", "\u{e9}", "B"]),
    ) {
        let queries: Vec<_> = conditions.iter().map(|text| Query::parse(text).unwrap()).collect();
        let entry = Entry::new(EventType::new(event_type).unwrap())
            .by(Actor::user(user))
            .on(ResourceRef::new("bucket", resource));
        let mut found = Vec::new();
        RuleIndex::new(queries.iter()).candidates(&entry, &mut found);

        for (number, query) in (0_u32..).zip(&queries) {
            if query.matches(&entry, entry.timestamp, entry.timestamp) {
                prop_assert!(found.contains(&number), "{} was not found", conditions[number as usize]);
            }
        }
    }
}
