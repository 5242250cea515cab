//! The short way against the slow reader, which has the rules: what it takes, the slow reader takes
//! and reads the same.

#![allow(clippy::unwrap_used)]

use std::cell::Cell;

use proptest::collection::vec;
use proptest::prelude::*;

use super::{sent, sent_array, stored};
use crate::batch::{BatchContent, parse_batch};
use crate::draft::Draft;
use crate::entry::{Entry, EntryClaim, Submitter, read_claim};
use crate::json::{self, Json};
use jiff::Timestamp;

const FULL: &str = r#" { "event_id" : "e-1","timestamp":"2026-11-20T11:00:00.5Z","event_type":"resource.modify","severity":"low",
    "actor":{"type":"user","id":"a\u00e9\n","email":"a@b.c","ip_address":"2001:db8::7","user_agent":"","session_id":null},
    "resource":{"type":"vm","id":"i","cloud_provider":"aws","account_id":"1","region":"r","tags":{"z":"1","a":"","\u00fc":"\""}},
    "action":{"operation":"Op","status":"success","method":"api"},
    "changes":{"before":{"b":[1,-2.5,1e3,true,false,null,{}],"a":{"\ud83d\ude00":0,"\ufb33":[]}},"after":null},
    "metadata":{"request_id":"r","api_version":"v2","tags":["x","y\t"],"zeta":[[]],"alpha":9007199254740992,"ö":"ß"}} "#;

fn received() -> Timestamp {
    "2026-11-20T10:00:00.123Z".parse().unwrap()
}

/// Returns `true` if the fast reader took the text, after checking that the slow reader gives the
/// same entry. Generated event ids differ between the two and are not compared.
fn agree(text: &str) -> bool {
    let Some(mut quick) = sent(text, received()) else {
        return false;
    };

    let slow = json::parse(text.as_bytes())
        .map_err(|e| vec![e.into()])
        .and_then(|tree| read_claim(tree, received()));
    let EntryClaim {
        entry,
        timestamp_defaulted,
    } = slow.unwrap_or_else(|e| panic!("{text}: {e:?}"));

    if quick.entry.event_id != entry.event_id {
        assert!(
            [&quick.entry, &entry]
                .iter()
                .all(|entry| entry.event_id.as_str().as_bytes()[14] == b'7'),
            "{text}"
        );
        quick.entry.event_id = entry.event_id.clone();
    }

    assert_eq!(
        quick.entry.to_canonical(received()),
        entry.to_canonical(received()),
        "{text}"
    );

    assert_eq!(
        (quick.entry, quick.timestamp_defaulted),
        (entry, timestamp_defaulted),
        "{text}"
    );
    true
}

#[test]
fn usual_entries_take_the_fast_path() {
    for text in [
        FULL,
        r#"{"event_type":"a.b"}"#,
        r#"{"event_type":"a.b","actor":null,"resource":null,"action":{},"changes":{},"metadata":{"tags":[]},"severity":""}"#,
        r#"{"event_type":"a.b","metadata":{"n":[-0,0.1,1E30,-9007199254740992,100000000000000,1000000000000000]}}"#,
    ] {
        assert!(agree(text), "{text}");
        let line = text.replace('\n', " ");
        let several = format!("[{text} , {text}]");
        assert_eq!(sent_array(&several, received(), 2, Some).unwrap().len(), 2);
        assert!(sent_array(&several, received(), 1, Some).is_none());
        assert_eq!(
            parse_batch(several.as_bytes(), BatchContent::Array, received(), 2)
                .unwrap()
                .len(),
            2
        );
        assert_eq!(
            parse_batch(
                format!("{line}\n{line}").as_bytes(),
                BatchContent::Ndjson,
                received(),
                2
            )
            .unwrap()
            .len(),
            2
        );
    }
    for left in [
        "",
        "{}",
        "[]",
        r#"{"event_type":"a.b"} x"#,
        r#"{"event_type":"a.b","recorded_at":"2026-11-20T11:00:00Z"}"#,
    ] {
        assert!(!agree(left), "{left}");
    }
}

#[test]
fn stored_bytes_go_the_short_way() {
    let text = FULL.replace("9007199254740992", "1e17");
    let draft = Draft::from_bytes(text.as_bytes(), received()).unwrap();
    let canonical = std::str::from_utf8(&draft.canonical).unwrap();
    assert!(canonical.contains("100000000000000000"));
    assert_eq!(stored(canonical), Some((draft.entry, received())));
    assert!(sent(canonical, received()).is_none());

    let by = Submitter {
        email: Some("a@b.c".into()),
        token_name: Some("a \"b\"".into()),
        ..Submitter::local("uid 7")
    };
    let draft = Draft::from_bytes(text.as_bytes(), received()).unwrap();
    let draft = Draft::submitted_by(vec![draft], &by.into())
        .unwrap()
        .remove(0);
    let canonical = std::str::from_utf8(&draft.canonical).unwrap();
    assert_eq!(stored(canonical), Some((draft.entry.clone(), received())));
    assert!(sent(canonical, received()).is_none());

    let own = Draft::by_reeve(draft.entry, received()).unwrap();
    let read = stored(std::str::from_utf8(&own.canonical).unwrap())
        .unwrap()
        .0;
    assert!(std::sync::Arc::ptr_eq(
        &read.submitted_by.unwrap(),
        &Submitter::reeve()
    ));

    for missing in ["event_id", "timestamp", "recorded_at"] {
        let Json::Object(mut tree) = json::parse(br#"{"event_id":"e","event_type":"a.b","recorded_at":"2026-11-20T10:00:00.000Z","timestamp":"2026-11-20T10:00:00.000Z"}"#).unwrap() else { panic!() };
        assert!(stored(&Json::Object(tree.clone()).to_string()).is_some());
        tree.remove(missing);
        let text = Json::Object(tree).to_string();
        assert!(
            stored(&text).is_none() && Entry::from_canonical(text.as_bytes()).is_err(),
            "{text}"
        );
    }
}

/// Values, most of them right somewhere.
fn value() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        4 => prop::sample::select(vec![
            r#""x""#, r#""""#, "null", "true", "false", "0", "-0", "12", "-3.25", "1e5", "9007199254740992", "01", "1.", "-", "nul",
            r#""a.b""#, r#""low""#, r#""user""#, r#""success""#, r#""api""#, r#""a@b.c""#, r#""@""#, r#""10.0.0.7""#, r#""::1""#,
            r#""10.0.0.07""#, r#""2026-11-20T10:00:00Z""#, r#""2026-11-20 10:00:00.25+05:30""#, r#""2026-02-30T10:00:00Z""#,
            r#""\u0041\n\/""#, r#""\ud800""#, r#""\ud83d\ude00""#, r#""é😀""#, r#"" x""#, "9007199254740993", "1e400", "\"\u{1}\"",
        ]).prop_map(str::to_owned),
        1 => any::<f64>().prop_map(|n| n.to_string()),
        1 => any::<i64>().prop_map(|n| n.to_string()),
        1 => any::<String>().prop_map(|text| Json::from(text).to_string()),
    ];
    leaf.prop_recursive(3, 12, 4, |inner| {
        prop_oneof![
            vec(inner.clone(), 0..4).prop_map(|items| format!("[{}]", items.join(","))),
            vec((name(), inner), 0..5).prop_map(|members| object(&members)),
        ]
    })
}

fn name() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec![
        "type",
        "id",
        "email",
        "ip_address",
        "user_agent",
        "session_id",
        "cloud_provider",
        "account_id",
        "region",
        "tags",
        "operation",
        "status",
        "method",
        "before",
        "after",
        "request_id",
        "api_version",
        "x",
        "",
        "😀",
        "\u{fb33}",
        r"\u0069d",
    ])
}

fn object(members: &[(&str, String)]) -> String {
    let members: Vec<_> = members
        .iter()
        .map(|(name, value)| format!(r#""{name}" : {value}"#))
        .collect();
    format!("{{{}}}", members.join(" ,"))
}

fn entry_text() -> impl Strategy<Value = String> {
    let inner = || prop_oneof![3 => vec((name(), value()), 0..4).prop_map(|members| object(&members)), 1 => value()];
    let top = prop::sample::select(vec![
        "event_id",
        "timestamp",
        "severity",
        "actor",
        "resource",
        "action",
        "changes",
        "metadata",
        "metadata",
        "changes",
    ]);

    (
        vec((top, inner()), 0..5),
        prop::sample::select(vec![r#""a.b""#, r#""resource.modify""#, r#""\u0061.b""#]),
    )
        .prop_map(|(mut members, kind)| {
            members.push(("event_type", kind.to_owned()));
            object(&members)
        })
}

/// Members in their valid positions, so that most of these entries are accepted.
fn sound_text() -> impl Strategy<Value = String> {
    let inner = |names: &'static [&'static str]| {
        vec(
            (
                prop::sample::select(names),
                prop::sample::select(vec![r#""x""#, r#""a\u00e9""#, "null", r#""""#]),
            ),
            0..4,
        )
        .prop_map(|members| {
            members
                .into_iter()
                .map(|(n, v)| (n, v.to_owned()))
                .collect::<Vec<_>>()
        })
        .prop_map(|members| object(&members))
    };
    let actor = inner(&["id", "user_agent", "session_id"]);

    let resource = inner(&["type", "id", "cloud_provider", "account_id", "region"]);
    (actor, resource, vec((prop::sample::select(vec!["x", "y", "😀", "\u{fb33}"]), value()), 0..3)).prop_map(
        |(actor, resource, open)| {
            format!(
                r#"{{"event_type":"a.b","metadata":{},"resource":{resource},"actor":{actor},"changes":{{"after":{}}}}}"#,
                object(&open),
                object(&open)
            )
        },
    )
}

#[test]
fn the_slow_reader_agrees_about_whatever_is_taken() {
    let (asked, taken) = (Cell::new(0), Cell::new(0));
    let mut runner = proptest::test_runner::TestRunner::new(ProptestConfig::with_cases(4_000));
    runner
        .run(&prop_oneof![entry_text(), sound_text()], |text| {
            asked.set(asked.get() + 1);
            taken.set(taken.get() + usize::from(agree(&text)));
            Ok(())
        })
        .unwrap();

    assert!(
        taken.get() > asked.get() / 10,
        "{} of {}",
        taken.get(),
        asked.get()
    );
}

proptest! {
    /// One byte of a good entry changed, left out or put in.
    #[test]
    fn a_slip_is_seen_the_same_way(at in 0..FULL.len(), with in prop::sample::select(br#" "\{}[],:0-.eEntua1/x"#.to_vec()), how in 0..3) {
        let mut bytes = FULL.as_bytes().to_vec();
        match how {
            0 => bytes[at] = with,
            1 => bytes.insert(at, with),
            _ => drop(bytes.remove(at)),
        }
        if let Ok(text) = std::str::from_utf8(&bytes) {
            agree(text);
        }
    }
}
