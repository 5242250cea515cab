//! Tests that nothing is lost: every record of every real log can be restored from its entry,
//! member for member.

use std::collections::HashMap;
use std::path::PathBuf;

use jiff::Timestamp;
use reeve_audit::json::{self, Numbers, ParseOptions};
use reeve_audit::query::Query;
use reeve_audit::{Draft, Entry, Json};
use reeve_connect_cloudtrail::{
    CloudtrailRecord, log_files, map_record, open, restore, with_distinct_id,
};

/// The open CloudTrail data, or `None` after saying what is skipped.
pub(crate) fn real_data(skipped: &str) -> Option<PathBuf> {
    let workspace = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../..");
    let root = match std::env::var_os("REEVE_TEST_DATA") {
        Some(root) => workspace.join(root),
        None => workspace.join("../shared/data"),
    };
    let folder = root.join("cloudtrail");
    if folder.is_dir() {
        return Some(folder);
    }

    eprintln!("skipped: {skipped}: no {}", folder.display());
    None
}

/// Through the mapper, the canonical bytes and back.
fn stored(record: CloudtrailRecord) -> Entry {
    let entry = map_record(record);
    let draft =
        Draft::from_entry(entry.clone(), Timestamp::UNIX_EPOCH).unwrap_or_else(|e| panic!("{e:?}"));
    let (read, _) = Entry::from_canonical(&draft.canonical).unwrap();
    assert_eq!(read, entry);

    // The same text is what a remote Reeve is sent, whose door is strict.
    let Json::Object(mut wire) = entry.to_json(Timestamp::UNIX_EPOCH) else {
        panic!("not an object")
    };

    wire.remove("recorded_at");
    wire.remove("category");
    let sent = Draft::from_bytes(&Json::Object(wire).to_canonical(), Timestamp::UNIX_EPOCH)
        .unwrap_or_else(|e| panic!("{e:?}"));
    assert_eq!(sent.claim_digest, draft.claim_digest);

    read
}

/// Every string and number with its place inside the value.
fn leaves(value: &Json, out: &mut Vec<String>) {
    match value {
        Json::Array(items) => items.iter().for_each(|item| leaves(item, out)),
        Json::Object(object) => object.iter().for_each(|(_, item)| leaves(item, out)),
        leaf => out.push(leaf.to_string()),
    }
}

fn comes_back(text: &[u8]) -> Entry {
    let original = json::parse_with(
        text,
        &ParseOptions {
            numbers: Numbers::KeepAsText,
            ..ParseOptions::default()
        },
    )
    .unwrap()
    .value;

    let entry = stored(CloudtrailRecord::parse(text).unwrap());
    assert_eq!(restore(&entry).unwrap().to_string(), original.to_string());

    let distinct = with_distinct_id(entry.clone());
    assert_eq!(
        restore(&distinct).unwrap().to_string(),
        original.to_string()
    );

    let mut held = Vec::new();
    leaves(&entry.to_json(Timestamp::UNIX_EPOCH), &mut held);
    let mut wanted = Vec::new();
    leaves(&original, &mut wanted);

    // Whole seconds are written with milliseconds in the entry.
    let present =
        |leaf: &String| held.contains(leaf) || held.contains(&leaf.replace("Z\"", ".000Z\""));
    let lost: Vec<_> = wanted.iter().filter(|leaf| !present(leaf)).collect();
    assert!(lost.is_empty(), "{lost:?} of {original}");

    entry
}

#[test]
fn every_stratus_record_comes_back() {
    let Some(folder) = real_data("the stratus logs") else {
        return;
    };

    let mut types: HashMap<String, usize> = HashMap::new();
    let (mut failed, mut errors) = (0, 0);

    for file in log_files(&folder.join("stratus")).unwrap() {
        let array = json::parse(&std::fs::read(&file).unwrap()).unwrap();
        for record in array.as_array().unwrap() {
            let entry = comes_back(&record.to_canonical());
            errors += usize::from(record.get("errorCode").is_some());
            failed += usize::from(Query::parse("status:failed").unwrap().matches(
                &entry,
                Timestamp::UNIX_EPOCH,
                Timestamp::UNIX_EPOCH,
            ));
            *types.entry(entry.event_type.to_string()).or_default() += 1;
            assert_eq!(
                entry.action.operation.as_deref(),
                record.get("eventName").and_then(Json::as_str)
            );
            assert!(
                entry.actor.id.is_some()
                    && entry.actor.kind.is_some()
                    && entry.actor.ip_address.is_some(),
                "{record}"
            );
        }
        assert_eq!(
            open(&file).unwrap().entries().map(Result::unwrap).count(),
            array.as_array().unwrap().len()
        );
    }

    assert_eq!(types.values().sum::<usize>(), 310);
    assert_eq!(failed, errors);

    for kind in [
        "authentication.login",
        "authentication.assume_role",
        "resource.view",
        "resource.create",
        "resource.delete",
        "resource.modify",
        "policy.modify",
    ] {
        assert!(types.contains_key(kind), "{kind} of {types:?}");
    }
}

/// Found by fuzzing: of two members whose names differ only by case both come back.
#[test]
fn members_spelled_twice_come_back() {
    let names = [
        "eventID",
        "eventTime",
        "eventName",
        "userAgent",
        "awsRegion",
        "requestID",
        "recipientAccountId",
    ];

    for name in names {
        let twin = name.to_lowercase();
        comes_back(
            format!(r#"{{"eventSource":"x","{name}":"2026-11-20T10:00:00Z","{twin}":"other"}}"#)
                .as_bytes(),
        );
    }

    comes_back(br#"{"eventName":"X","sourceIPAddress":"10.0.0.1","sourceIpAddress":"10.0.0.1"}"#);
    comes_back(
        br#"{"eventName":"CreateTags","requestParameters":{"a":1},"RequestParameters":{"a":2}}"#,
    );
}

#[test]
fn every_labelled_event_comes_back() {
    let Some(folder) = real_data("the labelled events") else {
        return;
    };

    let text = std::fs::read_to_string(folder.join("labelled_events.jsonl")).unwrap();
    let (mut mapped, mut refused) = (0, 0);

    for line in text.lines() {
        let line = json::parse(line.as_bytes()).unwrap();
        match CloudtrailRecord::from_json(line.get("event").unwrap().clone()) {
            Ok(_) => {
                comes_back(&line.get("event").unwrap().to_canonical());
                // The line as it stands is an envelope around the record.
                let entry = stored(CloudtrailRecord::from_json(line.clone()).unwrap());
                assert_eq!(restore(&entry).as_ref(), line.get("event"));
                assert_eq!(
                    entry
                        .metadata
                        .extra
                        .get("cloudtrail_envelope")
                        .unwrap()
                        .get("rule"),
                    line.get("rule")
                );
                mapped += 1;
            }
            Err(_) => refused += 1,
        }
    }

    // Three cases hold no event at all.
    assert_eq!((mapped, refused), (193, 3));
}

const RUN_INSTANCES: &str = r#"{"eventVersion":"1.09","eventID":"e-1","eventTime":"2026-11-20T10:00:00Z","eventName":"RunInstances",
    "eventSource":"ec2.amazonaws.com","awsRegion":"eu-west-1","sourceIPAddress":"203.0.113.7","userAgent":"aws-cli/2.15","eventType":"AwsApiCall",
    "requestID":"r-1","recipientAccountId":"123456789012","readOnly":false,"requestParameters":{"instanceType":"m5.large","max":12345678901234567890},
    "responseElements":{"instancesSet":{"items":[{"instanceId":"i-0abc","launchTime":1666275403000.0}]}},
    "userIdentity":{"type":"IAMUser","userName":"alice","accountId":"123456789012","accessKeyId":"AKIA1"}}"#;

#[test]
fn a_change_reads_as_one() {
    let entry = comes_back(RUN_INSTANCES.as_bytes());
    let finds = |query: &str| {
        Query::parse(query)
            .unwrap()
            .matches(&entry, Timestamp::UNIX_EPOCH, Timestamp::UNIX_EPOCH)
    };

    for query in [
        "event_id:e-1",
        "event_type:resource.create",
        "user:alice",
        "actor.type:user",
        "resource:i-0abc",
        "resource.type:virtual_machine",
        "provider:aws",
        "account:123456789012",
        "region:eu-west-1",
        "operation:RunInstances",
        "status:success",
        "method:cli",
        "ip:203.0.113.0/24",
        "changes.after.instanceType:m5.large",
        "metadata.cloudtrail.eventSource:ec2.amazonaws.com",
        "request_id:r-1",
        "changes.after.max:12345678901234567890",
        "metadata.cloudtrail_numbers_as_text:*max",
        "timestamp:2026-11-20T10:00:00Z",
    ] {
        assert!(finds(query), "{query}");
    }
}

#[test]
fn odd_records_come_back_too() {
    for text in [
        r#"{"eventName":"X"}"#,
        r#"{"eventID":"","eventName":"X","userAgent":"","awsRegion":null,"requestID":7,"sourceIPAddress":"ec2.amazonaws.com"}"#,
        r#"{"eventID":" padded ","eventTime":"yesterday","eventName":"PutX","requestParameters":"HIDDEN","userIdentity":"x"}"#,
        r#"{"eventid":"a","EVENTTIME":"2026-11-20 10:00:00.000000000","eventname":"y","sourceipaddress":"1.2.3.4"}"#,
        r#"{"eventID":"a","eventTime":"2026-11-20T10:00:00.123456Z","eventName":"DeleteX","requestParameters":{"a":null},"errorCode":"AccessDenied"}"#,
        r#"{"eventID":"a","eventTime":"2026-11-20T12:00:00+02:00","eventName":"CreateX","requestParameters":{},"sourceIPAddress":"010.0.0.01"}"#,
        r#"{"eventID":"a","eventName":"CreateX","requestParameters":null,"userIdentity":{"accountId":"1"},"big":1e400,"fine":0.1}"#,
        r#"{"eventID":"a","eventName":"ConsoleLogin","responseElements":{"ConsoleLogin":"Failure"},"sourceIPAddress":"2001:DB8::1"}"#,
    ] {
        comes_back(text.as_bytes());
    }

    let same = |text: &str| map_record(CloudtrailRecord::parse(text.as_bytes()).unwrap()).event_id;
    assert_eq!(
        same(r#"{"eventName":"X","a":1}"#),
        same(r#"{"a":1.0,"eventName":"X"}"#)
    );
    assert_ne!(
        same(r#"{"eventName":"X","a":1}"#),
        same(r#"{"eventName":"X","a":2}"#)
    );

    let login = map_record(
        CloudtrailRecord::parse(
            br#"{"eventName":"ConsoleLogin","responseElements":{"ConsoleLogin":"Failure"}}"#,
        )
        .unwrap(),
    );

    assert_eq!(login.action.status.map(|s| s.as_str()), Some("failed"));
}
