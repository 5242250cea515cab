//! Every format loses nothing, repeats are the same entry, and no input stops the reader.

#![allow(clippy::unwrap_used, clippy::panic)]

use proptest::prelude::*;
use reeve_otlp::{ExportRequest, KeyValue, LogRecord, Message as _, ResourceLogs, ScopeLogs};

use super::*;

const CLOUDTRAIL: &str = r#"{"Records":[{"eventVersion":"1.08","eventID":"e-1","eventTime":"2026-11-28T10:00:00Z","eventName":"RunInstances","eventSource":"ec2.amazonaws.com","awsRegion":"eu-west-1","requestID":"r","userIdentity":{"type":"IAMUser","userName":"ann"}}]}"#;

fn now() -> Timestamp {
    "2026-11-28T12:00:00Z".parse().unwrap()
}

fn all(kind: SourceKind, body: &[u8]) -> Vec<ReadEvent> {
    read("src", (kind, None), (body, Encoding::Text), now()).unwrap()
}

fn one(kind: SourceKind, body: &str) -> Draft {
    let mut events = all(kind, body.as_bytes());
    assert_eq!(events.len(), 1, "{kind}");
    events.remove(0).draft.unwrap()
}

fn samples() -> [(SourceKind, &'static str); 9] {
    [
        (SourceKind::Cloudtrail, CLOUDTRAIL),
        (SourceKind::Kubernetes, kubernetes::SAMPLE),
        (SourceKind::Syslog, syslog::SAMPLE),
        (SourceKind::Otlp, otlp::SAMPLE),
        (SourceKind::Ocsf, ocsf::SAMPLE),
        (SourceKind::Okta, okta::SAMPLE),
        (SourceKind::Github, github::SAMPLE),
        (SourceKind::AzureActivity, azure::SAMPLE),
        (SourceKind::GoogleAudit, google::SAMPLE),
    ]
}

fn leaves(value: &Json, found: &mut Vec<String>) {
    match value {
        Json::Object(members) if !members.is_empty() => {
            members.iter().for_each(|(_, inner)| leaves(inner, found));
        }
        Json::Array(items) if !items.is_empty() => items.iter().for_each(|one| leaves(one, found)),
        other => found.push(other.to_string()),
    }
}

#[test]
fn every_value_of_an_event_is_in_its_entry() {
    for (kind, sample) in samples() {
        let draft = one(kind, sample);
        let entry = draft.entry.to_json(now());
        let mut kept = Vec::new();
        leaves(&entry, &mut kept);
        if kind == SourceKind::Syslog {
            assert!(kept.contains(&Json::from(sample).to_string()));
            continue;
        }

        let mut given = Vec::new();
        leaves(&json::parse(sample.as_bytes()).unwrap(), &mut given);
        for value in given {
            // Names of attributes are members of the entry, and times are spelled in milliseconds.
            let is_name = kind == SourceKind::Otlp && entry.to_string().contains(&value);
            let is_time = value == "\"2026-11-28T10:00:00Z\"";
            assert!(
                is_name || is_time || kept.contains(&value),
                "{kind}: {value} of {entry}"
            );
        }
    }
}

#[test]
fn every_format_names_actor_and_operation_in_the_space_of_its_source() {
    let found: Vec<String> = samples()
        .into_iter()
        .map(|(kind, sample)| {
            let entry = one(kind, sample).entry;
            let text = |value: &Option<String>| value.clone().unwrap_or_default();
            format!(
                "{kind} | {} | {} | {} | {} | {} {} | {}",
                entry.event_id,
                entry.event_type,
                text(&entry.actor.id),
                text(&entry.action.operation),
                text(&entry.resource.kind),
                text(&entry.resource.id),
                entry.action.status.map_or("", |status| status.as_str()),
            )
        })
        .map(|line| match line.contains("| system") || line.len() < 400 {
            true => line.replace(&digest_of(&line), "DIGEST"),
            false => line,
        })
        .collect();
    assert_eq!(
        found,
        [
            "cloudtrail | source/src/e-1 | resource.create | ann | RunInstances |   | success",
            "kubernetes | source/src/9f3e1b0a-6f1f-4d0e-9d2b-0a7c5d3c9f11/ResponseComplete | resource.create | ann@example.com | create | secrets shop/db | success",
            "syslog | source/src/DIGEST | authentication.message | sshd | LOGIN | host gate | ",
            "otlp | source/src/DIGEST | user.login | ann | user.login | service shop | ",
            "ocsf | source/src/8f1 | authentication.login | u-1 | Authentication |   | failed",
            "okta | source/src/c0ffee00-1111 | authentication.login | 00u1 | user.session.start | AppInstance 0oa1 | failed",
            "github | source/src/pQ1 | resource.create | ann | repo.create | repository acme/shop | success",
            "azure_activity | source/src/e-1 | resource.modify | ann@example.com | MICROSOFT.COMPUTE/VIRTUALMACHINES/WRITE | microsoft.compute/virtualmachines /SUBSCRIPTIONS/S-1/RESOURCEGROUPS/SHOP/PROVIDERS/MICROSOFT.COMPUTE/VIRTUALMACHINES/VM1 | success",
            "google_audit | source/src/projects/p/logs/cloudaudit.googleapis.com%2Factivity/2026-11-28T10:00:00.123456Z/-a1 | resource.create | ann@example.com | v1.compute.instances.insert | gce_instance projects/p/zones/z/instances/i | success",
        ]
    );
}

fn digest_of(line: &str) -> String {
    let id = line.split(" | ").nth(1).unwrap_or_default();
    let last = id.rsplit('/').next().unwrap_or_default();
    if last.len() == 64 {
        last.to_owned()
    } else {
        "\u{0}".to_owned()
    }
}

#[test]
fn a_record_of_cloudtrail_can_be_made_from_its_entry_again() {
    let entry = one(SourceKind::Cloudtrail, CLOUDTRAIL).entry;
    let given = json::parse(CLOUDTRAIL.as_bytes()).unwrap();
    let record = &given.get("Records").unwrap().as_array().unwrap()[0];
    assert_eq!(cloudtrail::restore(&entry).as_ref(), Some(record));
}

#[test]
fn envelopes_hold_the_events() {
    let wrapped = format!(
        r#"{{"eventType":"com.okta.event_hook","data":{{"events":[{0},{0}]}}}}"#,
        okta::SAMPLE
    );
    assert_eq!(all(SourceKind::Okta, wrapped.as_bytes()).len(), 2);
    let list = format!(
        r#"{{"kind":"EventList","apiVersion":"audit.k8s.io/v1","items":[{0}]}}"#,
        kubernetes::SAMPLE
    );
    assert_eq!(
        one(SourceKind::Kubernetes, &list).entry.event_id.as_str(),
        "source/src/9f3e1b0a-6f1f-4d0e-9d2b-0a7c5d3c9f11/ResponseComplete"
    );
}

/// A request in protobuf.
fn otlp_sample() -> Vec<u8> {
    let record = LogRecord {
        time_unix_nano: 1_795_860_000_123_456_789,
        severity_number: 17,
        attributes: vec![
            KeyValue::text("event.name", "user.login"),
            KeyValue::int("tries", 3),
        ],
        trace_id: vec![0x5b, 0x8e],
        ..LogRecord::default()
    };
    let logs = ResourceLogs {
        scope_logs: vec![ScopeLogs {
            log_records: vec![record],
            ..ScopeLogs::default()
        }],
        ..ResourceLogs::default()
    };
    ExportRequest {
        resource_logs: vec![logs],
    }
    .encode_to_vec()
}

#[test]
fn protobuf_and_json_of_a_log_record_are_read_alike() {
    let events = read(
        "src",
        (SourceKind::Otlp, None),
        (&otlp_sample(), Encoding::Protobuf),
        now(),
    );
    let entry = events.unwrap().remove(0).draft.unwrap().entry;
    assert_eq!(entry.event_type.as_str(), "user.login");
    assert_eq!(entry.metadata.request_id.as_deref(), Some("5b8e"));
    let wrong = read(
        "src",
        (SourceKind::Otlp, None),
        (b"\x0a\xff", Encoding::Protobuf),
        now(),
    );
    assert!(wrong.is_err());
}

#[test]
fn a_broken_event_does_not_keep_the_others_out() {
    let body = format!("[{0},{{\"stage\":\"Panic\"}},{0},7]", kubernetes::SAMPLE);
    let events = all(SourceKind::Kubernetes, body.as_bytes());
    let is_read: Vec<bool> = events.iter().map(|event| event.draft.is_ok()).collect();
    assert_eq!(is_read, [true, false, true, false]);

    let cut = format!("{}\n{{\"auditID\":", kubernetes::SAMPLE);
    let events = all(SourceKind::Kubernetes, cut.as_bytes());
    assert_eq!(events.len(), 2);
    assert_eq!(events[1].raw, b"{\"auditID\":");
}

#[test]
fn equal_lines_of_a_body_are_events_of_their_own_and_the_body_again_is_not() {
    let body = b"<13>Nov 28 10:00:00 gate app: x\n<13>Nov 28 10:00:00 gate app: x\n";
    let ids = || -> Vec<String> {
        let events = all(SourceKind::Syslog, body);
        events
            .iter()
            .map(|event| event.draft.as_ref().unwrap().entry.event_id.to_string())
            .collect()
    };
    let first = ids();
    assert_ne!(first[0], first[1]);
    assert_eq!(first, ids());
}

#[test]
fn long_and_odd_identifiers_become_digests() {
    let long = "x".repeat(300);
    for native in [long.as_str(), "a\nb", " "] {
        let found = id("src", native);
        assert_eq!(found.as_str().len(), "source/src/".len() + 64, "{native:?}");
    }
}

proptest! {
    #[test]
    fn no_body_stops_the_reader(body in prop::collection::vec(any::<u8>(), 0..400), kind in 0..SourceKind::ALL.len()) {
        let kind = SourceKind::ALL[kind];
        for encoding in [Encoding::Text, Encoding::Protobuf] {
            let _ = read("src", (kind, None), (&body, encoding), now());
        }
    }

    #[test]
    fn no_json_stops_the_reader(text in r#"[\[\]{}",:a-z0-9.\\<> -]{0,200}"#, kind in 0..SourceKind::ALL.len()) {
        let kind = SourceKind::ALL[kind];
        for event in read("src", (kind, None), (text.as_bytes(), Encoding::Text), now()).unwrap_or_default() {
            if let Ok(draft) = event.draft {
                prop_assert!(draft.entry.event_id.as_str().starts_with("source/src/"));
                prop_assert!(!draft.entry.event_type.is_reserved());
            }
        }
    }
}
