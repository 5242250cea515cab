//! Tests of the query language, one example a line.

#![allow(clippy::unwrap_used)]

mod wrong;

use super::*;
use crate::{Draft, Submitter, SubmitterType};

const ENTRY: &str = r#"{
    "event_id": "evt-1",
    "timestamp": "2026-11-20T10:30:05.250Z",
    "event_type": "resource.modify",
    "severity": "medium",
    "actor": {"type": "user", "id": "alice", "email": "Alice@example.com", "ip_address": "10.20.0.7",
              "user_agent": "aws-cli/2.15 Python/3.11", "session_id": "s-9"},
    "resource": {"type": "ec2_instance", "id": "i-0abc", "cloud_provider": "aws", "account_id": "123456789012",
                 "region": "eu-west-1", "tags": {"env": "prod", "aws:createdBy": "bob", "cost": "12.5"}},
    "action": {"operation": "ModifyInstanceAttribute", "status": "success", "method": "api"},
    "changes": {"before": {"size": 8, "type": "m5.large"},
                "after": {"size": 4, "type": "m5.medium", "on": true, "none": null, "until": "2026-12-01T00:00:00Z",
                          "disks": [{"id": "vol-1", "gb": 100}, {"id": "vol-2", "gb": 200}], "a.b": "dotted"}},
    "metadata": {"request_id": "req-7", "tags": ["pci", "weekly run"], "recommendation_id": "rec-42"}
}"#;

fn now() -> Timestamp {
    "2026-11-20T12:00:00Z".parse().unwrap()
}

fn found(query: &str) -> bool {
    let draft =
        Draft::from_bytes(ENTRY.as_bytes(), "2026-11-20T10:31:00Z".parse().unwrap()).unwrap();
    let query = Query::parse(query).unwrap_or_else(|e| panic!("{query}: {e}"));
    let again = Query::parse(&query.to_string()).unwrap_or_else(|e| panic!("{query}: {e}"));
    assert_eq!(query, again, "printing changes the query");

    let resolved = query.resolve(now());
    let [a, b] = [&query, &resolved].map(|q| q.matches(&draft.entry, draft.recorded_at, now()));
    assert_eq!(a, b, "resolving changes the meaning of {query}");

    let words = EntryWords::new(&draft.entry);
    assert_eq!(
        a,
        query.matches_words(&words, draft.recorded_at, now()),
        "collected words change the answer of {query}"
    );
    a
}

#[test]
fn queries_that_find_the_entry() {
    for query in [
        "",
        "  ",
        "*",
        "alice",
        "ALICE",
        "alice@example.com",
        "example.com",
        "i-0abc",
        "m5.medium",
        "100",
        "\"weekly run\"",
        "\"aws cli\"",
        "modifyinst*",
        "prod",
        "user:alice",
        "user:alice@EXAMPLE.com",
        "user:ali*",
        "actor.email:*@example.com",
        "actor.id:alice",
        "actor.type:user",
        "ACTOR.ID:alice",
        "actor.email:*",
        "resource:i-0abc",
        "resource:*0ab*",
        "resource.id:i-*",
        "resource_type:ec2_instance",
        "resource.tags.env:PROD",
        "resource.tags.\"aws:createdBy\":bob",
        "tags:pci",
        "tags:\"weekly run\"",
        "tags:env",
        "tags:env=prod",
        "tags:prod",
        "tags.env:prod",
        "metadata.tags:pci",
        "resource.tags:bob",
        "resource.tags.cost:>12",
        "event_type:resource.modify",
        "event_type:resource.*",
        "category:resource",
        "status:success",
        "status:SUCCESS",
        "action:modifyinstanceattribute",
        "severity:medium",
        "severity:>=medium",
        "severity:>low",
        "severity:<high",
        "method:api",
        "request_id:req-7",
        "metadata.request_id:req-7",
        "metadata.api_version:v1",
        "metadata.recommendation_id:rec-42",
        "metadata.Recommendation_Id:rec*",
        "actor.ip_address:10.20.0.7",
        "ip:10.20.*",
        "ip:10.0.0.0/8",
        "ip:10.20.0.7/32",
        "ip:010.020.000.007",
        "changes:*",
        "changes.after:*",
        "changes.after.size:4",
        "changes.after.size:4.0",
        "changes.after.size:<8",
        "changes.after.size:>=4",
        "changes.before.type:m5.large",
        "changes.after.on:true",
        "changes.after.none:null",
        "changes.after.until:>now",
        "changes.after.until:<2027-01-01",
        "changes.after.disks.id:vol-2",
        "changes.after.disks.1.id:vol-2",
        "changes.after.disks.gb:>150",
        "changes.after.\"a.b\":dotted",
        "timestamp:>now-24h",
        "timestamp:>now-2h timestamp:<now-1h",
        "timestamp:2026-11-20",
        "timestamp:2026",
        "timestamp:2026-11*",
        "timestamp:2026-11-20T10*",
        "timestamp:2026-11-20T10:30",
        "timestamp:2026-11-20T10:30:05*",
        "timestamp:2026-11-20T10:30:05.250Z",
        "timestamp:>=2026-11-20",
        "timestamp:<=2026-11-20",
        "timestamp:<2026-11-21",
        "timestamp:>2026-11-19",
        "timestamp:>2026-11-20T10:30:05Z",
        "timestamp:>2026-11-20T11:00:00+01:00",
        "recorded_at:2026-11-20T10:31",
        "user:(bob OR alice)",
        "changes.after.size:(>3 <5)",
        "status:(NOT failed)",
        "user:(-bob)",
        "NOT user:bob",
        "-user:bob",
        "user:bob OR alice",
        "user:bob alice OR prod",
        "(user:bob OR user:alice) AND status:success",
        "NOT (user:bob AND prod)",
        "-(user:bob)",
        "alice AND NOT failed",
        "alice -carol",
        "NOT NOT alice",
        "actor.id:=alice",
        "user:\"alice\"",
        "event_id:evt-1",
        "al?ce",
        "*ice@ex*",
        "user:al?ce",
        "resource.id:i-????",
        "actor.email:/.*@(example|acme)\\.com/",
        "resource.id:/I-[0-9a-f]+/",
        "changes.after.size:/[0-9]/",
        "changes.after.size:[4 TO 8]",
        "changes.after.size:{3 TO 4]",
        "changes.after.disks.gb:[150 TO 250]",
        "resource.tags.cost:[12 TO 13]",
        "changes.after.until:[2026-12-01 TO 2026-12-31]",
        "timestamp:[2026-11-20T10 TO 2026-11-20T11}",
        "timestamp:[now-2h TO *]",
        "severity:[low TO high]",
        "user:[alex TO bob]",
        "user:[ALICE TO alice]",
        "changes.after.type:[m4 TO m6]",
        "ip:[10.20.0.1 TO 10.20.0.9]",
        "ip:@10.0.0.0/8",
        "-user:@unknown",
    ] {
        assert!(found(query), "{query}");
    }
}

#[test]
fn queries_that_do_not() {
    for query in [
        "bob@example.com",
        "ali",
        "alice.com",
        "\"run weekly\"",
        "user:ali",
        "user:bob",
        "actor.id:=Alice",
        "-alice",
        "NOT *",
        "status:failed",
        "severity:>medium",
        "severity:<=low",
        "ip:11.*",
        "ip:192.168.0.0/16",
        "ip:10.20.0.8",
        "changes.after.missing:*",
        "changes.after.none:*",
        "changes.after.size:>4",
        "changes.after.size:40",
        "changes.after.type:>3",
        "changes.after.disks.0.id:vol-2",
        "changes.before.disks:*",
        "resource.tags.team:*",
        "resource.tags.cost:>13",
        "timestamp:>2026-11-20",
        "timestamp:<2026-11-20",
        "timestamp:2026-11-21",
        "timestamp:<now-24h",
        "timestamp:>now",
        "timestamp:2026-11-20T10:30:05Z",
        "recorded_at:<2026-11-20T10:31:00Z",
        "user:\"ali*\"",
        "user:(bob OR carol)",
        "alice AND carol",
        "alice carol",
        "user:alice status:failed OR user:bob",
        "event_type:resource",
        "2026-11-20",
        "size",
        "al?ice",
        "*c.large5",
        "user:al?e",
        "resource.id:/i-/",
        "changes.after.size:{4 TO 8]",
        "changes.after.disks.gb:[110 TO 190]",
        "changes.after.size:[a TO z]",
        "timestamp:{2026-11-20 TO *]",
        "severity:[high TO *]",
        "user:[b TO c]",
        "ip:{10.20.0.7 TO 10.20.0.9]",
        "metadata.recommendation_id:@10.0.0.0/8",
        "user:@unknown",
    ] {
        assert!(!found(query), "{query}");
    }
}

#[test]
fn lists_and_networks_in_any_member() {
    let read = |json: &str| Draft::from_bytes(json.as_bytes(), now()).unwrap();
    let draft = read(
        r#"{"event_type": "resource.modify", "actor": {"id": "alice", "ip_address": "10.20.0.7"},
            "resource": {"tags": {"peer": "192.168.1.9"}},
            "changes": {"after": {"rules": [{"from": "203.0.113.4"}, {"from": "0.0.0.0/0"}]}},
            "metadata": {"peer": "2001:db8::7"}}"#,
    );

    let lists = BTreeMap::from([
        (
            "known".to_owned(),
            Arc::new(ValueList::new([
                "10.20.0.0/16",
                "203.0.113.4",
                "2001:db8::/32",
            ])),
        ),
        (
            "vips".to_owned(),
            Arc::new(ValueList::new(["ALICE", "carol"])),
        ),
    ]);

    for (query, expect) in [
        ("ip:@known", true),
        ("NOT ip:@known", false),
        ("user:@vips", true),
        ("user:(bob OR @vips)", true),
        ("metadata.peer:@known", true),
        ("changes.after.rules.from:@known", true),
        ("resource.tags.peer:@known", false),
        ("resource.tags.peer:@192.168.0.0/16", true),
        ("metadata.peer:@2001:db8::/32", true),
        ("metadata.peer:@2001:db8::7", true),
        ("changes.after.rules.from:@203.0.113.0/24", true),
        ("changes.after.rules.from:@10.0.0.0/8", false),
        ("changes.after.rules.from:0.0.0.0/0", true),
        ("changes.after.rules.from:203.0.113.0/24", false),
        ("user:\"@vips\"", false),
    ] {
        let query = Query::parse(query).unwrap();
        let bound = query.with_lists(&lists).unwrap();
        assert_eq!(
            bound.matches(&draft.entry, draft.recorded_at, now()),
            expect,
            "{query}"
        );
        assert_eq!(bound.to_string(), query.to_string());
    }

    let both = Query::parse("user:@vips OR NOT (ip:@known user:@nobody)").unwrap();
    assert_eq!(
        both.expr.lists().into_iter().collect::<Vec<_>>(),
        ["known", "nobody", "vips"]
    );
    assert_eq!(
        both.with_lists(&lists),
        Err(UnknownList("nobody".to_owned()))
    );
}

#[test]
fn precedence_and_juxtaposition() {
    for (query, printed) in [
        ("a OR b AND c", "\"a\" OR (\"b\" AND \"c\")"),
        ("a b OR c", "(\"a\" AND \"b\") OR \"c\""),
        ("NOT a b", "NOT \"a\" AND \"b\""),
        ("-a OR NOT (b c)", "NOT \"a\" OR NOT (\"b\" AND \"c\")"),
        ("((a))", "\"a\""),
        ("a (b c)", "\"a\" AND \"b\" AND \"c\""),
        ("user:(a OR b) c", "(user:a OR user:b) AND \"c\""),
        ("user:\"x y\"*", "user:\"x y\"*"),
        ("user:\"a*b\"", "user:\"a*b\""),
        ("user:a**b", "user:a*b"),
        ("user:a?b*", "user:a?b*"),
        ("user:\"a?b\"", "user:\"a?b\""),
        ("user:\"@x\"", "user:\"@x\""),
        ("user:@\"my list\"", "user:@\"my list\""),
        ("ip:@threat:feed", "actor.ip_address:@threat:feed"),
        ("ip:@10.0.0.0/8", "actor.ip_address:10.0.0.0/8"),
        ("metadata.peer:@10.1.2.3/8", "metadata.peer:@10.0.0.0/8"),
        ("metadata.peer:10.0.0.0/8", "metadata.peer:10.0.0.0/8"),
        ("user:/a b|c\\/d/", "user:/a b|c\\/d/"),
        ("resource.id:/var/log", "resource.id:\"/var/log\""),
        ("resource.id:/a/b/", "resource.id:\"/a/b/\""),
        ("resource.id:{3f25-e1}", "resource.id:\"{3f25-e1}\""),
        ("metadata.rows:[1 TO 5}", "metadata.rows:[1 TO 5}"),
        ("metadata.rows:{5 TO *]", "metadata.rows:>5"),
        ("metadata.rows:[* TO *]", "metadata.rows:*"),
        (
            "metadata.at:[2026-11-01 TO now]",
            "metadata.at:[2026-11-01T00:00:00.000Z TO now]",
        ),
        (
            "metadata.name:[\"1\" TO b]",
            "metadata.name:[\"1\" TO \"b\"]",
        ),
        (
            "severity:[low TO high}",
            "severity:>=low AND severity:<high",
        ),
        (
            "timestamp:{2026 TO now]",
            "timestamp:>=2027-01-01T00:00:00.000Z AND timestamp:<=now",
        ),
        (
            "resource.id:[i-1 TO i-2]",
            "resource.id:[\"i-1\" TO \"i-2\"]",
        ),
        (
            "ip:[10.0.0.1 TO 10.0.0.9]",
            "actor.ip_address:[10.0.0.1 TO 10.0.0.9]",
        ),
        ("al?ce", "\"al\"?\"ce\""),
        ("*prod-*", "*\"prod\"*"),
        ("user:\"c:\\dir\\\"x\"", "user:\"c:\\\\dir\\\"x\""),
        ("ip:10.1.2.3/8", "actor.ip_address:10.0.0.0/8"),
        ("timestamp:>now-48h", "timestamp:>now-2d"),
        ("timestamp:>now-90m", "timestamp:>now-90m"),
        ("tags.a.b:c", "resource.tags.\"a.b\":c"),
        ("changes.after.x:>=1e3", "changes.after.x:>=1000"),
        ("and or not", "\"and\" AND \"or\" AND \"not\""),
    ] {
        assert_eq!(Query::parse(query).unwrap().to_string(), printed, "{query}");
    }
}

#[test]
fn names_of_fields_there_and_back() {
    for (name, printed) in [
        ("user", "user"),
        ("Status", "action.status"),
        ("resource_type", "resource.type"),
        ("resource.tags.env", "resource.tags.env"),
        (
            "tags.kubernetes.io/name",
            "resource.tags.\"kubernetes.io/name\"",
        ),
        (
            "resource.tags.\"aws:createdBy\"",
            "resource.tags.\"aws:createdBy\"",
        ),
        ("changes.after.disks.0.size", "changes.after.disks.0.size"),
        ("metadata.\"trace.id\"", "metadata.\"trace.id\""),
    ] {
        let field: FieldPath = name.parse().unwrap();
        assert_eq!(field.to_string(), printed, "{name}");
        assert_eq!(printed.parse::<FieldPath>().as_ref(), Ok(&field));
    }

    for (name, message) in [
        ("actor.emial", "there is no field `actor.emial`"),
        ("", "`` is not the name of a field"),
        (
            "status:failed",
            "`status:failed` is not the name of a field",
        ),
        ("a b", "`a b` is not the name of a field"),
        ("metadata", "there is no field `metadata`"),
    ] {
        assert_eq!(name.parse::<FieldPath>().unwrap_err().message, message);
    }

    assert_eq!(
        "actor.emial"
            .parse::<FieldPath>()
            .unwrap_err()
            .hint
            .as_deref(),
        Some("did you mean actor.email?")
    );
}

#[test]
fn a_resource_is_found_by_its_identifier_or_name() {
    for (entry, expect) in [
        (r#"{"event_type":"a.b","resource":{"id":"Web-1"}}"#, true),
        (
            r#"{"event_type":"a.b","resource":{"id":"i-1","tags":{"Name":"web-1"}}}"#,
            true,
        ),
        (
            r#"{"event_type":"a.b","resource":{"id":"i-1"},"metadata":{"resource_name":"web-1"}}"#,
            true,
        ),
        (
            r#"{"event_type":"a.b","changes":{"after":{"name":"web-1"}}}"#,
            true,
        ),
        (
            r#"{"event_type":"a.b","changes":{"before":{"name":"web-1"},"after":{"name":"web-2"}}}"#,
            true,
        ),
        (
            r#"{"event_type":"a.b","resource":{"id":"i-1","tags":{"env":"web-1"}}}"#,
            false,
        ),
        (r#"{"event_type":"a.b","actor":{"id":"web-1"}}"#, false),
    ] {
        let draft = Draft::from_bytes(entry.as_bytes(), now()).unwrap();
        for value in ["web-1", "web-1*", "*eb-1"] {
            let found =
                filter("resource", value)
                    .unwrap()
                    .matches(&draft.entry, draft.recorded_at, now());
            assert_eq!(found, expect, "{value} {entry}");
        }
    }
    assert!(
        filter("resource", &"a*".repeat(MAX_WILDCARDS + 1))
            .unwrap_err()
            .message
            .starts_with("filter `resource`")
    );
}

#[test]
fn filters_are_conditions() {
    let draft = Draft::from_bytes(ENTRY.as_bytes(), now()).unwrap();
    let finds = |expr: &Expr| expr.matches(&draft.entry, draft.recorded_at, now());

    for (name, value, expect) in [
        ("user", "alice", true),
        ("user", "alice@example.com", true),
        ("user", "bob", false),
        ("resource_type", "ec2_*", true),
        ("event_type", "resource.*", true),
        ("ip", "10.0.0.0/8", true),
        ("status", "failed", false),
        ("actor.session_id", "s-9", true),
        ("resource_id", "i 0abc", false),
    ] {
        assert_eq!(
            finds(&filter(name, value).unwrap()),
            expect,
            "{name} {value}"
        );
    }

    assert_eq!(
        filter("usr", "x").unwrap_err().hint.as_deref(),
        Some("did you mean user?")
    );
    assert!(
        filter("status", "faild")
            .unwrap_err()
            .message
            .starts_with("filter `status`")
    );

    let at = |text: &str| Some(text.parse::<Timestamp>().unwrap());
    let stamp = "2026-11-20T10:30:05.250Z";
    assert!(finds(&time_range(at(stamp), at(stamp))) && finds(&time_range(None, None)));
    assert!(
        !finds(&time_range(at("2026-11-20T10:30:05.251Z"), None))
            && !finds(&time_range(None, at("2026-11-20T10:30:05.249Z")))
    );
}

#[test]
fn the_submitter_can_be_queried() {
    let draft =
        Draft::from_bytes(ENTRY.as_bytes(), "2026-11-20T10:31:00Z".parse().unwrap()).unwrap();
    let token = Submitter {
        id: Some("u-1".into()),
        email: Some("ci@example.com".into()),
        ip_address: "10.9.0.1".parse().ok(),
        token_id: Some("t-1".into()),
        token_name: Some("ci import".into()),
        ..Submitter::new(SubmitterType::Token)
    };

    let own = Draft::by_reeve(draft.entry.clone(), draft.recorded_at).unwrap();
    let sent = Draft::submitted_by(vec![draft.clone()], &token.into())
        .unwrap()
        .remove(0);

    for (query, expect) in [
        ("submitted_by.type:token", [false, true, false]),
        ("submitted_by:TOKEN", [false, true, false]),
        ("submitted_by.type:reeve", [true, false, false]),
        ("submitted_by:*", [true, true, false]),
        ("NOT submitted_by:*", [false, false, true]),
        ("submitted_by.id:u-1", [false, true, false]),
        ("submitted_by.email:*@example.com", [false, true, false]),
        ("submitted_by.ip_address:10.9.0.0/16", [false, true, false]),
        ("submitted_by.ip_address:10.9.*", [false, true, false]),
        ("submitted_by.ip_address:10.20.0.7", [false, false, false]),
        (
            "submitted_by.token_name:\"ci import\"",
            [false, true, false],
        ),
        // Free text asks the claim alone.
        ("ci@example.com", [false, false, false]),
        ("\"ci import\"", [false, false, false]),
    ] {
        let asked = Query::parse(query).unwrap_or_else(|e| panic!("{query}: {e}"));
        assert_eq!(Query::parse(&asked.to_string()).unwrap(), asked);
        let found = [&own, &sent, &draft]
            .map(|draft| asked.matches(&draft.entry, draft.recorded_at, now()));
        assert_eq!(found, expect, "{query}");
    }

    for draft in [own, sent, draft] {
        let asked = Query::all().and(may_be_by_reeve());
        assert_eq!(
            asked.matches(&draft.entry, draft.recorded_at, now()),
            draft.entry.may_be_by_reeve()
        );
    }

    let refused = Query::parse("submitted_by.type:tokn")
        .unwrap_err()
        .to_string();
    assert!(
        refused.contains("submitted_by.type is never `tokn`"),
        "{refused}"
    );
}

#[test]
fn an_intent_and_its_outcome_count_once() {
    let draft =
        Draft::from_bytes(ENTRY.as_bytes(), "2026-11-20T10:31:00Z".parse().unwrap()).unwrap();
    let intent = draft.entry.intent();
    let outcome = draft.entry.clone().outcome(&intent.event_id, None);
    let failed = draft
        .entry
        .clone()
        .outcome(&intent.event_id, Some("refused"));
    let mut without_status = draft.entry;
    without_status.action.status = None;

    for (query, expect) in [
        ("", [false, true, true, true]),
        ("event_type:resource.modify", [false, true, true, true]),
        (
            "event_type:resource.modify OR user:bob",
            [false, true, true, true],
        ),
        ("status:pending", [true, false, false, false]),
        ("NOT status:failed", [true, true, false, true]),
        ("user:bob OR status:*", [true, true, true, false]),
    ] {
        let asked = Query::parse(query).unwrap().counting_outcomes();
        assert_eq!(
            asked.clone().counting_outcomes(),
            asked,
            "asking twice is asking once"
        );
        let found = [&intent, &outcome, &failed, &without_status]
            .map(|entry| asked.matches(entry, now(), now()));
        assert_eq!(found, expect, "{query}");
    }
}
