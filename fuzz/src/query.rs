//! The query language.

use std::sync::LazyLock;

use jiff::Timestamp;
use reeve_audit::query::{MAX_QUERY_BYTES, Query};
use reeve_audit::{Draft, Entry};

use super::moment;

/// Entries of all shapes to ask queries of.
static ENTRIES: LazyLock<Vec<(Entry, Timestamp)>> = LazyLock::new(|| {
    let texts = [
        r#"{"event_type":"user.login","event_id":"a"}"#,
        r#"{"event_type":"resource.delete","event_id":"b","timestamp":"2026-11-20T10:00:00Z","severity":"high",
            "actor":{"type":"user","id":"alice","email":"Alice@Example.com","ip_address":"10.0.0.7","user_agent":"curl/8"},
            "resource":{"type":"vm","id":"i-0abc","cloud_provider":"aws","account_id":"1","region":"eu-west-1",
            "tags":{"env":"prod","a.b":"x y"}},"action":{"operation":"Stop","status":"failure","method":"api"}}"#,
        r#"{"event_type":"policy.modify","event_id":"c","timestamp":"2020-02-29T23:59:59.999Z",
            "changes":{"before":{"n":1.5,"l":[1,"zwei",null]},"after":null},
            "metadata":{"request_id":"r-1","reason":"Straße İstanbul ǅ","deep":{"a":[{"b":true}]},"tags":["x","y"]}}"#,
        r#"{"event_type":"security.alert","event_id":"d","actor":{"ip_address":"2001:db8::1","type":"service","id":"s"}}"#,
    ];
    let read = |text: &str| Draft::from_bytes(text.as_bytes(), moment(1_790_000_000)).ok();
    texts
        .iter()
        .filter_map(|text| read(text))
        .map(|draft| (draft.entry, draft.recorded_at))
        .collect()
});

/// Parsing never panics and reports positions; a parsed query prints as text that parses to the
/// same query, and can be evaluated.
pub fn query(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else {
        return;
    };

    let query = match Query::parse(text) {
        Ok(query) => query,
        Err(error) => {
            assert!(error.position <= text.chars().count(), "{error:?}");
            assert!(!error.message.is_empty());
            let _ = error.to_string();
            return;
        }
    };

    assert!(text.len() <= MAX_QUERY_BYTES);

    let printed = query.to_string();
    // What is printed may be longer than what was written.
    if printed.len() <= MAX_QUERY_BYTES {
        let again = Query::parse(&printed)
            .unwrap_or_else(|error| panic!("{printed:?} is refused: {error:?}"));
        assert_eq!(again, query, "{printed:?} means something else");
        assert_eq!(again.to_string(), printed);
    }

    for now in [Timestamp::MIN, moment(1_790_000_000), Timestamp::MAX] {
        let resolved = query.resolve(now);
        for (entry, recorded_at) in ENTRIES.iter() {
            let found = query.matches(entry, *recorded_at, now);
            assert_eq!(
                resolved.matches(entry, *recorded_at, moment(0)),
                found,
                "{printed:?} resolved at {now}"
            );
        }
    }
}
