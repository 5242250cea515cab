//! Tests of broken input: each is refused with a code and the field or cause, and nothing is
//! written or half done.

mod cloud;
mod config;

use reeve_testkit::http::{Answer, Api, encoded};
use reeve_testkit::service::Service;
use serde_json::{Value, json};

const JSON: &str = "application/json";
const NDJSON: &str = "application/x-ndjson";

/// One broken submission: what it is, content type, bytes, status, problem code, field, its code,
/// and its entry.
struct Case {
    what: &'static str,
    kind: &'static str,
    body: Vec<u8>,
    status: u16,
    code: &'static str,
    error: Option<(&'static str, &'static str, u64)>,
}

fn case(what: &'static str, body: impl Into<Vec<u8>>, error: (&'static str, &'static str)) -> Case {
    let error = Some((error.0, error.1, 0));
    Case {
        what,
        kind: JSON,
        body: body.into(),
        status: 422,
        code: "invalid_fields",
        error,
    }
}

impl Case {
    fn unreadable(self) -> Case {
        Case {
            status: 400,
            code: "bad_request",
            ..self
        }
    }

    fn at(self, index: u64) -> Case {
        let error = self.error.map(|(field, code, _)| (field, code, index));
        Case { error, ..self }
    }
}

fn entry(extra: &str) -> String {
    format!(r#"{{"event_type":"test.deed"{extra}}}"#)
}

fn cases() -> Vec<Case> {
    let deep = format!("{}1{}", "[".repeat(80), "]".repeat(80));
    let mut utf8 = entry(r#","actor":{"id":"X"}"#).into_bytes();
    let at = utf8.iter().position(|byte| *byte == b'X').unwrap();
    utf8[at] = 0xff;
    let five = |third: &str| {
        let good = entry("");
        format!("[{good},{good},{third},{good},{good}]")
    };

    let lines = |third: &str| {
        let good = entry("");
        format!("{good}\n{good}\n{third}\n{good}\n{good}\n")
    };

    vec![
        case(
            "an unknown field",
            entry(r#","actor":{"emial":"a@b.c"}"#),
            ("actor.emial", "unknown_field"),
        ),
        case(
            "an unknown field on top",
            entry(r#","sevrity":"low""#),
            ("sevrity", "unknown_field"),
        ),
        case(
            "a wrong type",
            entry(r#","actor":{"email":7}"#),
            ("actor.email", "wrong_type"),
        ),
        case(
            "a wrong type inside tags",
            entry(r#","resource":{"tags":{"env":1}}"#),
            ("resource.tags.env", "wrong_type"),
        ),
        case(
            "a value that is none of the names",
            entry(r#","severity":"urgent""#),
            ("severity", "invalid_value"),
        ),
        case(
            "a time that is none",
            entry(r#","timestamp":"yesterday""#),
            ("timestamp", "invalid_value"),
        ),
        case(
            "an address that is none",
            entry(r#","actor":{"ip_address":"1.2.3"}"#),
            ("actor.ip_address", "invalid_value"),
        ),
        case(
            "no event type",
            r#"{"severity":"low"}"#,
            ("event_type", "missing_field"),
        ),
        case(
            "an event type without a dot",
            r#"{"event_type":"login"}"#,
            ("event_type", "invalid_value"),
        ),
        case(
            "a duplicate key",
            entry(r#","severity":"low","severity":"high""#),
            ("severity", "duplicate_key"),
        ),
        case(
            "a duplicate key far down",
            entry(r#","changes":{"after":{"a":{"b":1,"b":1}}}"#),
            ("changes.after.a.b", "duplicate_key"),
        ),
        case(
            "an integer beyond 2^53",
            entry(r#","metadata":{"n":9007199254740993}"#),
            ("metadata.n", "integer_too_large"),
        ),
        case(
            "a number beyond all doubles",
            entry(r#","metadata":{"n":1e999}"#),
            ("metadata.n", "number_too_large"),
        ),
        case(
            "a lone surrogate",
            entry(r#","actor":{"id":"\ud800"}"#),
            ("actor.id", "lone_surrogate"),
        ),
        case(
            "a tree that is too deep",
            entry(&format!(r#","metadata":{{"deep":{deep}}}"#)),
            ("", "too_deep"),
        ),
        case("broken UTF-8", utf8, ("actor.id", "invalid_utf8")).unreadable(),
        case(
            "half an object",
            r#"{"event_type":"test.deed""#,
            ("", "invalid_json"),
        )
        .unreadable(),
        case(
            "something behind the end",
            format!("{} {}", entry(""), entry("")),
            ("", "trailing_bytes"),
        )
        .unreadable(),
        case("nothing", "", ("", "invalid_json")).unreadable(),
        case("an empty array", "[]", ("", "empty_batch")),
        case("no object", "7", ("", "wrong_type")),
        case(
            "the third of five",
            five(&entry(r#","actor":{"emial":""}"#)),
            ("actor.emial", "unknown_field"),
        )
        .at(2),
        case(
            "the third of five, unreadable",
            five(r#"{"event_type":"test.deed","severity":low}"#),
            ("severity", "invalid_json"),
        )
        .at(2)
        .unreadable(),
        Case {
            kind: NDJSON,
            ..case(
                "the third line of five",
                lines(r#"{"event_type":"x"}"#),
                ("event_type", "invalid_value"),
            )
            .at(2)
        },
        Case {
            kind: NDJSON,
            ..case(
                "the third line of five, unreadable",
                lines(r#"{"event_type":"#),
                ("event_type", "invalid_json"),
            )
            .at(2)
            .unreadable()
        },
        Case {
            kind: "text/csv",
            status: 415,
            code: "unsupported_media_type",
            error: None,
            ..case("a wrong content type", entry(""), ("", ""))
        },
        Case {
            kind: "text/plain",
            status: 415,
            code: "unsupported_media_type",
            error: None,
            ..case("plain text", entry(""), ("", ""))
        },
        Case {
            status: 413,
            code: "entry_too_large",
            ..case(
                "an entry of 20 MB",
                entry(&format!(
                    r#","metadata":{{"blob":"{}"}}"#,
                    "x".repeat(20 << 20)
                )),
                ("", "entry_too_large"),
            )
        },
        Case {
            status: 413,
            code: "body_too_large",
            error: None,
            ..case("a body of 33 MiB", vec![b' '; 33 << 20], ("", ""))
        },
    ]
}

async fn submit(api: &Api, kind: &str, body: Vec<u8>) -> Answer {
    api.send("POST", "audit-logs", Some(kind), body).await
}

#[tokio::test]
async fn broken_input_is_refused_by_name_and_nothing_is_written() {
    let home = tempfile::tempdir().unwrap();
    let service = Service::serve(home.path(), &[]).unwrap();
    let admin = service.admin();
    let size = admin.size().await;

    for case in cases() {
        let answer = submit(&admin, case.kind, case.body).await;
        assert_eq!(answer.status, case.status, "{}: {}", case.what, answer.text);
        let answer = answer.problem(case.status, case.code);
        assert_eq!(answer.text_at("/type"), format!("/errors/{}", case.code));
        if let Some((field, code, index)) = case.error {
            let found = &answer.body["errors"][0];
            let field_of = found["field"].as_str().unwrap();
            let right = if field.is_empty() {
                true
            } else {
                field_of == field
            };
            assert!(
                right && found["code"] == code && found["index"] == index,
                "{}: {}",
                case.what,
                answer.text
            );
            assert!(!found["message"].as_str().unwrap().is_empty());
        }
        assert_eq!(admin.size().await, size, "{} wrote something", case.what);
    }

    // The largest batch is taken whole, one more is refused whole.
    let line = format!("{}\n", entry(""));
    let _ = submit(&admin, NDJSON, line.repeat(10_001).into_bytes())
        .await
        .problem(422, "invalid_fields");
    assert_eq!(admin.size().await, size);
    assert_eq!(
        submit(&admin, NDJSON, line.repeat(10_000).into_bytes())
            .await
            .expect(201)
            .body["total"],
        10_000
    );

    assert_eq!(admin.size().await, size + 10_000);
}

#[tokio::test]
async fn an_event_id_stands_for_one_content() {
    let home = tempfile::tempdir().unwrap();
    let service = Service::serve(home.path(), &[]).unwrap();
    let admin = service.admin();
    let one = json!({ "event_id": "evt-1", "timestamp": "2026-01-02T03:04:05Z", "event_type": "test.deed", "severity": "low" });
    let first = admin.post("audit-logs", one.clone()).await.expect(201);
    let size = admin.size().await;

    // The same content, spelled otherwise: the first receipt again.
    let spelled = br#" {"severity":"low","event_type":"test.deed","timestamp":"2026-01-02T04:04:05.000+01:00","event_id":"evt-1"}"#;
    let again = submit(&admin, JSON, spelled.to_vec()).await.expect(201);
    assert_eq!(again.body, first.body);
    assert_eq!(admin.size().await, size);

    // Other content: refused, with the entry's place in the batch, and nothing of the batch is
    // there.
    let mut other = one.clone();
    other["severity"] = json!("high");
    let batch = json!([{ "event_id": "evt-2", "event_type": "test.deed" }, other]);
    let refused = admin
        .post("audit-logs", batch)
        .await
        .problem(409, "event_id_conflict");
    assert_eq!(
        (
            &refused.body["errors"][0]["field"],
            &refused.body["errors"][0]["index"]
        ),
        (&json!("event_id"), &json!(1))
    );

    assert_eq!(admin.size().await, size);

    let _ = admin
        .get("audit-logs/evt-2")
        .await
        .problem(404, "not_found");
    assert_eq!(
        admin.get("audit-logs/evt-1").await.expect(200).body["severity"],
        "low"
    );
}

#[tokio::test]
async fn a_wrong_question_is_answered_with_its_place_and_a_hint() {
    let home = tempfile::tempdir().unwrap();
    let service = Service::serve(home.path(), &[]).unwrap();
    let admin = service.admin();
    let size = admin.size().await;

    for (query, position) in [
        ("severity:low AND", 16),
        ("(severity:low", 0),
        ("severity:low)", 12),
        ("sevrity:low", 0),
        ("actor.emial:a", 0),
        ("severity:", 9),
        ("timestamp:>yesterday", 11),
        ("timestamp:>now-24x", 11),
        ("\"never closed", 0),
        ("status:failed OR OR status:denied", 17),
    ] {
        let search = admin
            .post("audit-logs/search", json!({ "query": query }))
            .await
            .problem(422, "invalid_query");
        let near = search.body["position"].as_u64().unwrap().abs_diff(position);
        assert!(near <= 2, "{query}: near {position}, not {}", search.text);
        let (detail, reason) = (search.text_at("/detail"), search.text_at("/reason"));
        assert_eq!(
            detail,
            format!("At character {}: {reason}", search.body["position"])
        );
        let listed = admin
            .get(&format!("audit-logs?query={}", encoded(query)))
            .await
            .problem(422, "invalid_query");
        assert_eq!(
            (&listed.body["position"], &listed.body["hint"]),
            (&search.body["position"], &search.body["hint"])
        );
    }

    let hinted = admin
        .post("audit-logs/search", json!({ "query": "sevrity:low" }))
        .await;
    assert!(
        hinted.text_at("/hint").contains("severity"),
        "{}",
        hinted.text
    );

    for (parameters, field, code) in [
        ("limit=0", "limit", "out_of_range"),
        ("limit=1001", "limit", "out_of_range"),
        ("limit=ten", "limit", "wrong_type"),
        ("offset=-1", "offset", "wrong_type"),
        ("cursor=nonsense", "cursor", "invalid_value"),
        ("cursor=MTo1&offset=3", "cursor", "conflicting"),
        ("page=2", "page", "unknown_parameter"),
        ("limit=1&limit=2", "limit", "duplicate_parameter"),
        ("start_time=monday", "start_time", "invalid_time"),
        (
            "start_time=2026-02-01T00:00:00Z&end_time=2026-01-01T00:00:00Z",
            "start_time",
            "out_of_range",
        ),
    ] {
        let refused = admin
            .get(&format!("audit-logs?{parameters}"))
            .await
            .problem(422, "invalid_fields");
        let error = &refused.body["errors"][0];
        assert_eq!(
            (&error["field"], &error["code"]),
            (&json!(field), &json!(code)),
            "{parameters}: {}",
            refused.text
        );
    }

    for (body, field) in [
        (json!({ "query": 7 }), "query"),
        (json!({ "filters": { "usr": "a" } }), "filters.usr"),
        (
            json!({ "aggregations": ["no.such.field"] }),
            "aggregations[0]",
        ),
        (
            json!({ "aggregations": ["user"], "aggregation_limit": 0 }),
            "aggregation_limit",
        ),
        (
            json!({ "filters": { "ip_address": "10.0.0.0/99" } }),
            "filters.ip_address",
        ),
        (json!({ "limit": 5000 }), "limit"),
    ] {
        let refused = admin
            .post("audit-logs/search", body.clone())
            .await
            .problem(422, "invalid_fields");
        assert_eq!(
            refused.body["errors"][0]["field"], field,
            "{body}: {}",
            refused.text
        );
    }

    assert_eq!(
        admin.size().await,
        size,
        "what was not answered was not read"
    );
}

/// The first wrong field of a refusal.
fn field(answer: &Answer) -> &Value {
    &answer.body["errors"][0]["field"]
}

#[tokio::test]
async fn content_types_and_encodings_are_honoured() {
    let home = tempfile::tempdir().unwrap();
    let service = Service::serve(home.path(), &[]).unwrap();
    let admin = service.admin();

    // Media types have no case, and their parameters are their own.
    for kind in ["Application/JSON", "application/json; charset=utf-8"] {
        let _ = submit(&admin, kind, entry("").into_bytes())
            .await
            .expect(201);
        let team = json!({ "name": kind }).to_string().into_bytes();
        let _ = admin
            .send("POST", "teams", Some(kind), team)
            .await
            .expect(201);
    }

    let size = admin.size().await;
    let patch = admin
        .send(
            "POST",
            "teams",
            Some("application/json-patch+json"),
            br#"{"name":"x"}"#.to_vec(),
        )
        .await;
    let _ = patch.problem(415, "unsupported_media_type");

    for path in ["audit-logs", "teams"] {
        let zipped = [("content-encoding", "gzip")];
        let zipped = admin
            .send_with("POST", path, &zipped, Some(JSON), vec![0x1f, 0x8b])
            .await;
        assert!(
            zipped
                .problem(415, "unsupported_media_type")
                .text_at("/detail")
                .contains("gzip")
        );
    }

    let _ = admin
        .get("audit-logs/%ff%fe")
        .await
        .problem(400, "bad_request");
    let _ = admin
        .get("resources/%C3%28")
        .await
        .problem(400, "bad_request");
    let _ = service
        .nobody()
        .get("audit-logs/%ff%fe")
        .await
        .problem(401, "unauthenticated");

    let _ = admin
        .get("resources/%E2%82%AC%25")
        .await
        .problem(404, "not_found");
    assert_eq!(admin.size().await, size);
}
