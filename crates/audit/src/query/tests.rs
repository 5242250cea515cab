//! Tests of the query language, one example a line.

#![allow(clippy::unwrap_used)]

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
    let draft = Draft::from_bytes(ENTRY.as_bytes(), "2026-11-20T10:31:00Z".parse().unwrap()).unwrap();
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
    ] {
        assert!(!found(query), "{query}");
    }
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
fn wrong_queries_say_where_and_why() {
    for (query, position, message, hint) in [
        ("actor.emial:x", 0, "there is no field `actor.emial`", "did you mean actor.email?"),
        ("alice usr:x", 6, "there is no field `usr`", "did you mean user?"),
        ("(alice", 0, "this `(` is never closed", "add a `)`"),
        ("alice)", 5, "this `)` closes nothing", "remove it, or quote the text it belongs to"),
        ("\"alice", 0, "this quote is never closed", "add a closing \", or write \\\" for a quote inside"),
        ("alice AND", 9, "a term is missing at the end", ""),
        ("alice AND )", 10, "a term is missing before `)`", ""),
        ("OR alice", 0, "a term is missing before OR", "to search for the word itself, write \"or\""),
        ("alice OR OR bob", 9, "a term is missing before OR", "to search for the word itself, write \"or\""),
        ("()", 1, "a term is missing before `)`", ""),
        ("user: alice", 5, "a value is missing here", "write it without a space before it, or * for any value"),
        (
            "timestamp:>yesterday",
            11,
            "`yesterday` is not a time",
            "times are written 2026-11-20, 2026-11-20T10:00:00Z, now or now-24h (units s, m, h, d, w)",
        ),
        ("status:faild", 7, "action.status is never `faild`", "did you mean failed?"),
        ("severity:>=grave", 11, "severity is never `grave`", "it is one of info, low, medium, high, critical"),
        (
            "ip:300.1.1.1",
            3,
            "`300.1.1.1` is neither an address nor a network",
            "write 10.0.0.1, 10.0.0.0/8, 10.0.* or 2001:db8::/32",
        ),
        (
            "user:>5",
            6,
            "`>` compares times, numbers and severities, which this field does not hold",
            "write field:value, field:val* or field:*",
        ),
        (
            "changes:x",
            8,
            "a whole state can only be asked for with `*`",
            "name a member, such as changes.after.size, or write changes.after:*",
        ),
        ("actor.id=alice", 0, "`actor.id` is a field and needs a colon", "write actor.id:alice"),
        ("status!=failed", 0, "`status` is a field and needs a colon", "write -status:failed"),
        (
            "*foo*",
            0,
            "in free text a `*` may only stand at the end",
            "name a field to use it elsewhere, such as resource.id:*prod*",
        ),
        ("é @@", 2, "there is no letter or digit to search for", ""),
        ("foo(bar)", 3, "`(` cannot follow a word directly", "put a space before it, or quote the text it belongs to"),
        ("timestamp:>2026*", 11, "a comparison cannot have a wildcard", "quote the value to mean the star itself"),
    ] {
        let error = Query::parse(query).unwrap_err();
        let hint = Some(hint).filter(|hint| !hint.is_empty()).map(str::to_owned);
        assert_eq!((error.position, error.message.as_str(), error.hint), (position, message, hint), "{query}");
    }
}

#[test]
fn names_of_fields_there_and_back() {
    for (name, printed) in [
        ("user", "user"),
        ("Status", "action.status"),
        ("resource_type", "resource.type"),
        ("resource.tags.env", "resource.tags.env"),
        ("tags.kubernetes.io/name", "resource.tags.\"kubernetes.io/name\""),
        ("resource.tags.\"aws:createdBy\"", "resource.tags.\"aws:createdBy\""),
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
        ("status:failed", "`status:failed` is not the name of a field"),
        ("a b", "`a b` is not the name of a field"),
        ("metadata", "there is no field `metadata`"),
    ] {
        assert_eq!(name.parse::<FieldPath>().unwrap_err().message, message);
    }
    assert_eq!("actor.emial".parse::<FieldPath>().unwrap_err().hint.as_deref(), Some("did you mean actor.email?"));
}

#[test]
fn wrong_queries_show_the_part() {
    for (query, position, part) in [
        ("actor.emial:x", 0, "actor.emial"),
        ("größe user:é usr:x", 13, "usr"),
        ("日本 timestamp:>yesterday 語", 14, "yesterday"),
        ("status:\"né\" x", 7, "\"né\""),
        ("ip:300.1.1.1 a", 3, "300.1.1.1"),
        ("é (alice", 2, "("),
        ("é alice)", 7, ")"),
        ("é \"alice b", 2, "\"alice b"),
        ("alice AND", 9, ""),
        ("a OR OR b", 5, "OR"),
        ("é actor.id=alice", 2, "actor.id=alice"),
        ("a *foo*", 2, "*foo*"),
        ("user: x", 5, ""),
        ("é foo(bar)", 5, "("),
    ] {
        let error = Query::parse(query).unwrap_err();
        assert_eq!((error.position, error.part.as_str()), (position, part), "{query}");
        let found: String = query.chars().skip(position).take(part.chars().count()).collect();
        assert_eq!(found, part, "{query}");
    }
    assert_eq!(filter("status", "faild").unwrap_err().part, "faild");
}

#[test]
fn length_and_depth_are_bounded() {
    let refused = |query: &str| Query::parse(query).unwrap_err();
    assert!(Query::parse(&"a".repeat(MAX_QUERY_BYTES)).is_ok());
    assert_eq!(refused(&"a".repeat(MAX_QUERY_BYTES + 1)).position, 0);
    assert!(Query::parse(&"é ".repeat(MAX_QUERY_TERMS)).is_ok());
    let many = refused(&"é ".repeat(MAX_QUERY_TERMS + 1));
    assert_eq!((many.position, many.message.as_str()), (2 * MAX_QUERY_TERMS, "the query has more than 256 terms"));
    assert!(Query::parse(&format!("user:({})", "a OR ".repeat(MAX_QUERY_TERMS) + "a")).is_err());
    assert!(Query::parse(&format!("user:{}", "a*".repeat(MAX_WILDCARDS))).is_ok());
    let wild = refused(&format!("user:{}", "a*".repeat(MAX_WILDCARDS + 1)));
    assert_eq!((wild.position, wild.message.as_str()), (5, "the value has 17 wildcards; the limit is 16"));
    assert!(filter("user", &"a*".repeat(MAX_WILDCARDS + 1)).is_err());
    assert!(filter("user", &"a".repeat(MAX_QUERY_BYTES + 1)).is_err());
    for open in ["(", "NOT ", "-", "user:("] {
        assert!(Query::parse(&format!("{}a", open.repeat(MAX_QUERY_DEPTH + 1))).is_err(), "{open}");
    }
    let deep = format!("{}a{}", "(".repeat(MAX_QUERY_DEPTH), ")".repeat(MAX_QUERY_DEPTH));
    assert!(Query::parse(&deep).is_ok());
}

#[test]
fn a_resource_is_found_by_its_identifier_or_name() {
    for (entry, expect) in [
        (r#"{"event_type":"a.b","resource":{"id":"Web-1"}}"#, true),
        (r#"{"event_type":"a.b","resource":{"id":"i-1","tags":{"Name":"web-1"}}}"#, true),
        (r#"{"event_type":"a.b","resource":{"id":"i-1"},"metadata":{"resource_name":"web-1"}}"#, true),
        (r#"{"event_type":"a.b","changes":{"after":{"name":"web-1"}}}"#, true),
        (r#"{"event_type":"a.b","changes":{"before":{"name":"web-1"},"after":{"name":"web-2"}}}"#, true),
        (r#"{"event_type":"a.b","resource":{"id":"i-1","tags":{"env":"web-1"}}}"#, false),
        (r#"{"event_type":"a.b","actor":{"id":"web-1"}}"#, false),
    ] {
        let draft = Draft::from_bytes(entry.as_bytes(), now()).unwrap();
        for value in ["web-1", "web-1*", "*eb-1"] {
            let found = filter("resource", value).unwrap().matches(&draft.entry, draft.recorded_at, now());
            assert_eq!(found, expect, "{value} {entry}");
        }
    }
    assert!(filter("resource", &"a*".repeat(MAX_WILDCARDS + 1)).unwrap_err().message.starts_with("filter `resource`"));
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
        assert_eq!(finds(&filter(name, value).unwrap()), expect, "{name} {value}");
    }
    assert_eq!(filter("usr", "x").unwrap_err().hint.as_deref(), Some("did you mean user?"));
    assert!(filter("status", "faild").unwrap_err().message.starts_with("filter `status`"));
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
    let draft = Draft::from_bytes(ENTRY.as_bytes(), "2026-11-20T10:31:00Z".parse().unwrap()).unwrap();
    let token = Submitter {
        id: Some("u-1".into()),
        email: Some("ci@example.com".into()),
        ip_address: "10.9.0.1".parse().ok(),
        token_id: Some("t-1".into()),
        token_name: Some("ci import".into()),
        ..Submitter::new(SubmitterType::Token)
    };
    let own = Draft::by_reeve(draft.entry.clone(), draft.recorded_at).unwrap();
    let sent = Draft::submitted_by(vec![draft.clone()], &token.into()).unwrap().remove(0);
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
        ("submitted_by.token_name:\"ci import\"", [false, true, false]),
        // Free text asks the claim alone.
        ("ci@example.com", [false, false, false]),
        ("\"ci import\"", [false, false, false]),
    ] {
        let asked = Query::parse(query).unwrap_or_else(|e| panic!("{query}: {e}"));
        assert_eq!(Query::parse(&asked.to_string()).unwrap(), asked);
        let found = [&own, &sent, &draft].map(|draft| asked.matches(&draft.entry, draft.recorded_at, now()));
        assert_eq!(found, expect, "{query}");
    }
    for draft in [own, sent, draft] {
        let asked = Query::all().and(may_be_by_reeve());
        assert_eq!(asked.matches(&draft.entry, draft.recorded_at, now()), draft.entry.may_be_by_reeve());
    }
    let refused = Query::parse("submitted_by.type:tokn").unwrap_err().to_string();
    assert!(refused.contains("submitted_by.type is never `tokn`"), "{refused}");
}

#[test]
fn an_intent_and_its_outcome_count_once() {
    let draft = Draft::from_bytes(ENTRY.as_bytes(), "2026-11-20T10:31:00Z".parse().unwrap()).unwrap();
    let intent = draft.entry.intent();
    let outcome = draft.entry.clone().outcome(&intent.event_id, None);
    let failed = draft.entry.clone().outcome(&intent.event_id, Some("refused"));
    let mut without_status = draft.entry;
    without_status.action.status = None;
    for (query, expect) in [
        ("", [false, true, true, true]),
        ("event_type:resource.modify", [false, true, true, true]),
        ("event_type:resource.modify OR user:bob", [false, true, true, true]),
        ("status:pending", [true, false, false, false]),
        ("NOT status:failed", [true, true, false, true]),
        ("user:bob OR status:*", [true, true, true, false]),
    ] {
        let asked = Query::parse(query).unwrap().counting_outcomes();
        assert_eq!(asked.clone().counting_outcomes(), asked, "asking twice is asking once");
        let found = [&intent, &outcome, &failed, &without_status].map(|entry| asked.matches(entry, now(), now()));
        assert_eq!(found, expect, "{query}");
    }
}
