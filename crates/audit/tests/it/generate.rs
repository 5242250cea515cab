//! Random JSON trees and entries.

use proptest::collection::{btree_map, vec};
use proptest::option;
use proptest::prelude::*;
use reeve_audit::entry::Severity;
use reeve_audit::{
    Action, ActionMethod, ActionStatus, Actor, ActorType, Entry, EntryChanges, EventId, EventType,
    Json, Metadata, ResourceRef, Submitter, SubmitterType,
};

/// Any finite double, and the integers people use.
fn number() -> impl Strategy<Value = f64> {
    prop_oneof![
        any::<f64>().prop_filter("finite", |n| n.is_finite()),
        (-1000i32..1000).prop_map(f64::from),
        (-(1i64 << 53)..=(1i64 << 53)).prop_map(|n| n as f64),
    ]
}

pub(crate) fn json() -> impl Strategy<Value = Json> {
    let leaf = prop_oneof![
        Just(Json::Null),
        any::<bool>().prop_map(Json::Bool),
        number().prop_map(Json::Number),
        any::<String>().prop_map(Json::String),
        word().prop_map(Json::String),
    ];
    leaf.prop_recursive(4, 40, 6, |inner| {
        prop_oneof![
            vec(inner.clone(), 0..6).prop_map(Json::Array),
            object_of(inner)
        ]
    })
}

fn object_of(value: impl Strategy<Value = Json>) -> impl Strategy<Value = Json> {
    btree_map(prop_oneof![any::<String>(), word()], value, 0..6).prop_map(Json::object)
}

fn state() -> impl Strategy<Value = Option<Json>> {
    option::of(prop_oneof![Just(Json::Null), object_of(json())])
}

/// Few words, so that queries meet entries.
pub(crate) fn word() -> impl Strategy<Value = String> {
    prop::sample::select(vec![
        "alice", "bob", "i-0abc", "Prod", "m5.large", "10.0.0.1", "a b", "4", "vol-1", "é",
    ])
    .prop_map(str::to_owned)
}

fn text() -> impl Strategy<Value = Option<String>> {
    option::of(prop_oneof![
        word(),
        any::<String>().prop_filter("not empty", |text| !text.is_empty())
    ])
}

fn actor() -> impl Strategy<Value = Actor> {
    let ip = option::of(any::<std::net::IpAddr>());
    let email = option::of(
        prop::sample::select(vec!["alice@example.com", "bob@x.org"]).prop_map(str::to_owned),
    );
    (
        option::of(prop::sample::select(ActorType::ALL)),
        text(),
        email,
        ip,
        text(),
        text(),
    )
        .prop_map(
            |(kind, id, email, ip_address, user_agent, session_id)| Actor {
                kind,
                id,
                email,
                ip_address,
                user_agent,
                session_id,
            },
        )
}

fn resource() -> impl Strategy<Value = ResourceRef> {
    let tags = btree_map(prop_oneof![word(), any::<String>()], any::<String>(), 0..4);
    (text(), text(), text(), text(), text(), tags).prop_map(
        |(kind, id, cloud_provider, account_id, region, tags)| ResourceRef {
            kind,
            id,
            cloud_provider,
            account_id,
            region,
            tags: tags.into_iter().collect(),
        },
    )
}

pub(crate) fn entry() -> impl Strategy<Value = Entry> {
    let action = (
        text(),
        option::of(prop::sample::select(ActionStatus::ALL)),
        option::of(prop::sample::select(ActionMethod::ALL)),
    )
        .prop_map(|(operation, status, method)| Action {
            operation,
            status,
            method,
        });

    let changes = (state(), state()).prop_map(|(before, after)| EntryChanges { before, after });
    let extra = btree_map(prop_oneof![word(), any::<String>()], json(), 0..4)
        .prop_map(|members| members.into_iter().collect());
    let metadata = (text(), vec(word(), 0..3), extra)
        .prop_map(|(request_id, tags, extra)| Metadata {
            request_id,
            tags,
            extra,
            ..Metadata::default()
        })
        .prop_filter("open members only", |metadata| {
            Metadata::NAMED
                .iter()
                .all(|name| !metadata.extra.contains_key(name))
        });

    let kind = prop::sample::select(vec![
        "authentication.login",
        "resource.modify",
        "resource.view",
        "policy.modify",
    ]);

    let millis = 0i64..4_000_000_000_000;
    (
        kind,
        millis,
        prop::sample::select(Severity::ALL),
        actor(),
        resource(),
        action,
        changes,
        metadata,
    )
        .prop_map(
            |(kind, millis, severity, actor, resource, action, changes, metadata)| Entry {
                event_id: EventId::new(format!("evt-{millis}")).unwrap(),
                timestamp: jiff::Timestamp::from_millisecond(millis).unwrap(),
                event_type: EventType::new(kind).unwrap(),
                severity,
                actor,
                resource,
                action,
                changes,
                metadata,
                submitted_by: None,
            },
        )
}

/// Submitters of every way in.
pub(crate) fn submitter() -> impl Strategy<Value = Submitter> {
    let kind = prop::sample::select(vec![
        SubmitterType::Token,
        SubmitterType::Session,
        SubmitterType::Local,
    ]);

    let email = option::of(
        prop::sample::select(vec!["alice@example.com", "bob@x.org"]).prop_map(str::to_owned),
    );
    let ip = option::of(any::<std::net::IpAddr>());
    (kind, text(), email, ip, text(), text(), text()).prop_map(
        |(kind, id, email, ip_address, session_id, token_id, token_name)| Submitter {
            kind,
            id,
            email,
            ip_address,
            session_id,
            token_id,
            token_name,
        },
    )
}
