//! Tests of reading entries: accepted input, defaults, refusals and their messages.

use std::sync::Arc;

use jiff::Timestamp;
use reeve_audit::{Draft, Entry, EventType, Json, MAX_ENTRY_BYTES, Submitter, claim_digest};

fn received() -> Timestamp {
    "2026-11-20T10:00:00.1239Z".parse().unwrap()
}

fn draft(text: &str) -> Draft {
    Draft::from_bytes(text.as_bytes(), received()).unwrap_or_else(|e| panic!("{text}: {e:?}"))
}

/// Every error as `path code`, in order.
fn errors(text: impl AsRef<[u8]>) -> Vec<String> {
    let errors = Draft::from_bytes(text.as_ref(), received()).expect_err("refused");
    errors
        .iter()
        .map(|e| format!("{} {}", e.path, e.code))
        .collect()
}

#[test]
fn gaps_are_filled_and_bytes_are_canonical() {
    let text = r#"{"event_type":"resource.modify","event_id":"e1","timestamp":"2026-11-20T11:00:00+01:00",
        "actor":{"type":"user","id":"alice","email":null,"session_id":""},"resource":{"tags":{"b":"2","a":""}},
        "changes":{"before":null,"after":{"b":[1.0,{}],"a":null}},"metadata":{"zeta":1,"tags":["x"]}}"#;
    let expect = concat!(
        r#"{"actor":{"id":"alice","type":"user"},"changes":{"after":{"a":null,"b":[1,{}]},"before":null},"event_id":"e1","#,
        r#""event_type":"resource.modify","metadata":{"api_version":"v1","tags":["x"],"zeta":1},"#,
        r#""recorded_at":"2026-11-20T10:00:00.123Z","resource":{"tags":{"a":"","b":"2"}},"severity":"info","#,
        r#""timestamp":"2026-11-20T10:00:00.000Z"}"#,
    );

    assert_eq!(String::from_utf8(draft(text).canonical).unwrap(), expect);
}

#[test]
fn only_the_type_is_required() {
    let draft = draft(r#"{"event_type":"authentication.login"}"#);
    assert_eq!(draft.entry.timestamp, draft.recorded_at);
    assert_eq!(draft.entry.event_id.as_str().len(), 36);
    assert!(draft.timestamp_defaulted);
    assert_eq!(errors("{}"), ["event_type missing_field"]);
}

#[test]
fn every_failing_field_is_reported_at_once() {
    let text = r#"{"event_id":7,"event_type":"Login","timestamp":"yesterday","severity":"grave","actor":{"emial":"x","ip_address":"1.2.3",
        "email":"nobody","type":"usr"},"resource":{"tags":{"a":1},"name":"x"},"action":[],"changes":{"before":3,"during":{}},
        "metadata":{"tags":["a",2],"api_version":1},"colour":"red"}"#;
    assert_eq!(
        errors(text),
        [
            "event_id wrong_type",
            "timestamp invalid_value",
            "event_type invalid_value",
            "severity invalid_value",
            "actor.type invalid_value",
            "actor.email invalid_value",
            "actor.ip_address invalid_value",
            "actor.emial unknown_field",
            "resource.tags.a wrong_type",
            "resource.name unknown_field",
            "action wrong_type",
            "changes.before wrong_type",
            "changes.during unknown_field",
            "metadata.api_version wrong_type",
            "metadata.tags[1] wrong_type",
            "colour unknown_field",
        ]
    );

    let errors = Draft::from_bytes(br#"{"event_type":"a.b","actor":{"emial":"x"}}"#, received())
        .unwrap_err();
    assert_eq!(
        errors[0].to_string(),
        "actor.emial: is not a field of an entry; did you mean actor.email?"
    );

    let errors =
        Draft::from_bytes(br#"{"event_type":"a.b","recorded_at":"x"}"#, received()).unwrap_err();
    assert_eq!(
        errors[0].to_string(),
        "recorded_at: is set by Reeve and cannot be sent"
    );

    let forged = br#"{"event_type":"a.b","submitted_by":{"type":"reeve"}}"#;
    let errors = Draft::from_bytes(forged, received()).unwrap_err();
    assert_eq!(
        errors[0].to_string(),
        "submitted_by: is set by Reeve and cannot be sent"
    );
}

#[test]
fn nobody_else_writes_what_only_reeve_does() {
    let by = Arc::new(Submitter::local("uid 7"));
    let open = draft(r#"{"event_type":"policy.modify"}"#);

    for reserved in [
        "intelligence.approval",
        "approval.sign",
        "ledger.key_rotate",
        "audit.view",
        "recommendation.create",
    ] {
        let forged = draft(&format!(
            r#"{{"event_type":"{reserved}","actor":{{"type":"user","id":"boss"}}}}"#
        ));
        let (index, error) = Draft::submitted_by(vec![open.clone(), forged], &by).unwrap_err();
        assert_eq!(
            (index, error.path.as_str(), error.code.as_str()),
            (1, "event_type", "reserved"),
            "{reserved}"
        );
        assert!(
            error.message.contains(reserved.split('.').next().unwrap()),
            "{error}"
        );
    }

    let squatted = draft(r#"{"event_type":"policy.modify","event_id":"reeve:fir_0123"}"#);
    let (index, error) =
        Draft::submitted_by(vec![open.clone(), squatted.clone()], &by).unwrap_err();
    assert_eq!(
        (index, error.path.as_str(), error.code.as_str()),
        (1, "event_id", "reserved")
    );
    assert!(Draft::by_reeve(squatted.entry, received()).is_ok());

    let taken = Draft::submitted_by(vec![open.clone()], &by)
        .unwrap()
        .remove(0);
    assert!(!taken.entry.may_be_by_reeve());

    let own = Draft::by_reeve(open.entry.clone(), received()).unwrap();
    assert!(own.entry.may_be_by_reeve() && open.entry.may_be_by_reeve());

    // What an entry brings along from elsewhere counts for nothing.
    assert_eq!(
        Draft::from_entry(own.entry, received())
            .unwrap()
            .entry
            .submitted_by,
        None
    );
}

#[test]
fn a_stored_submitter_that_is_none_is_refused() {
    let by = Arc::new(Submitter::local("uid 7"));
    let stored = Draft::submitted_by(vec![draft(r#"{"event_type":"a.b"}"#)], &by)
        .unwrap()
        .remove(0)
        .canonical;
    let stored = String::from_utf8(stored).unwrap();
    assert!(
        stored.contains(
            r#""severity":"info","submitted_by":{"id":"uid 7","type":"local"},"timestamp""#
        )
    );

    for (from, to) in [
        ("\"local\"", "\"locl\""),
        ("\"type\"", "\"kind\""),
        (r#"{"id":"uid 7","type":"local"}"#, "7"),
    ] {
        assert!(
            Entry::from_canonical(stored.replace(from, to).as_bytes()).is_err(),
            "{to}"
        );
    }
}

#[test]
fn broken_json_names_field_and_byte() {
    for (text, expect) in [
        (
            r#"{"event_type":"a.b","actor":{"id":"a","id":"b"}}"#,
            "actor.id duplicate_key",
        ),
        (
            r#"{"event_type":"a.b","metadata":{"n":9007199254740993}}"#,
            "metadata.n integer_too_large",
        ),
        (
            r#"{"event_type":"a.b","metadata":{"n":1e400}}"#,
            "metadata.n number_too_large",
        ),
        (
            r#"{"event_type":"a.b","metadata":{"n":NaN}}"#,
            "metadata.n invalid_json",
        ),
        (
            r#"{"event_type":"a.b","actor":{"id":"\ud800"}}"#,
            "actor.id lone_surrogate",
        ),
        (r#"{"event_type":"a.b"} {}"#, " trailing_bytes"),
        (r#"{"event_type":"a.b""#, " invalid_json"),
        (r#"[]"#, " wrong_type"),
    ] {
        assert_eq!(errors(text), [expect], "{text}");
    }

    assert_eq!(
        errors(b"{\"event_type\":\"a.b\",\"actor\":{\"id\":\"\xff\"}}"),
        ["actor.id invalid_utf8"]
    );

    let deep = format!(
        r#"{{"event_type":"a.b","metadata":{{"x":{}{}}}}}"#,
        "[".repeat(63),
        "]".repeat(63)
    );
    assert!(errors(deep)[0].ends_with("too_deep"));
}

#[test]
fn an_entry_beyond_a_mebibyte_is_refused() {
    let sized = |bytes: usize| {
        format!(
            r#"{{"event_type":"a.b","event_id":"e","metadata":{{"x":"{}"}}}}"#,
            "x".repeat(bytes)
        )
    };
    let overhead = draft(&sized(0)).canonical.len();

    assert_eq!(
        draft(&sized(MAX_ENTRY_BYTES - overhead)).canonical.len(),
        MAX_ENTRY_BYTES
    );
    assert_eq!(
        errors(sized(MAX_ENTRY_BYTES - overhead + 1)),
        [" entry_too_large"]
    );
}

#[test]
fn the_same_claim_is_known_again() {
    let text = r#"{"event_type":"a.b","event_id":"e","timestamp":"2026-11-20T10:00:00Z","severity":"low"}"#;
    let later: Timestamp = "2026-11-21T00:00:00Z".parse().unwrap();
    let (first, again) = (
        draft(text),
        Draft::from_bytes(text.as_bytes(), later).unwrap(),
    );
    assert_eq!(first.claim_digest, again.claim_digest);
    assert_ne!(first.canonical, again.canonical);

    let other = Draft::from_bytes(text.replace("low", "high").as_bytes(), later).unwrap();
    assert_ne!(other.claim_digest, first.claim_digest);

    let (stored, _) = Entry::from_canonical(&first.canonical).unwrap();
    assert_eq!(claim_digest(&stored), first.claim_digest);
    assert!(!first.timestamp_defaulted && draft(r#"{"event_type":"a.b"}"#).timestamp_defaulted);
}

#[test]
fn entries_built_here_are_checked_too() {
    let entry = || Entry::new(EventType::from_static("agent.run"));
    let error = |entry: Entry| Draft::from_entry(entry, received()).unwrap_err()[0].to_string();
    assert!(
        Draft::from_entry(
            entry().before(Json::object([("size", 8)])).with_tag("x"),
            received()
        )
        .is_ok()
    );

    assert!(error(entry().after("text")).starts_with("changes.after: must be an object or null"));
    assert!(
        error(entry().with_metadata("tags", 1))
            .starts_with("metadata.tags: has a field of its own")
    );
    assert!(
        error(entry().with_metadata("n", Json::Number(f64::NAN)))
            .starts_with("metadata.n: must be a finite number")
    );

    let deep = (0..64).fold(Json::Null, |inner, _| Json::Array(vec![inner]));
    assert!(error(entry().with_metadata("n", deep)).contains("nested too deep"));
}

#[test]
fn stored_bytes_that_are_no_entry_are_refused() {
    for text in [
        "",
        "[]",
        "{}",
        r#"{"recorded_at":"2026-11-20T10:00:00.000Z"}"#,
        r#"{"event_type":"a.b","recorded_at":"2026-11-20T10:00:00.000Z","event_id":"e"}"#,
    ] {
        assert!(Entry::from_canonical(text.as_bytes()).is_err(), "{text}");
    }
}
