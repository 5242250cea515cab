//! RFC 8785: published pairs, and another implementation as the oracle.

use std::sync::Arc;

use proptest::prelude::*;
use reeve_audit::json::{Numbers, ParseOptions, parse, parse_with, utf16_order};
use reeve_audit::{Draft, Entry, Json, claim_digest};

use crate::{generate, test_data};

#[test]
fn published_pairs_byte_for_byte() {
    let Some(folder) = test_data::folder("vectors/jcs", "RFC 8785 pairs") else {
        return;
    };

    let inputs = test_data::files(&folder.join("input"));
    assert_eq!(inputs.len(), 6);
    for (name, input) in inputs {
        let expect = std::fs::read(folder.join("output").join(&name)).unwrap();
        assert_eq!(parse(&input).unwrap().to_canonical(), expect, "{name}");
    }
}

#[test]
fn a_generated_pair() {
    let text = "{\"\\u20ac\":\"Euro\",\"\\r\":1,\"\\ud83d\\ude00\":2,\"\\ufb33\":3,\"1\":[1E30,4.50,2e-3],\"\u{f6}\":null}";
    let expect = "{\"\\r\":1,\"1\":[1e+30,4.5,0.002],\"\u{f6}\":null,\"\u{20ac}\":\"Euro\",\"\u{1f600}\":2,\"\u{fb33}\":3}";
    assert_eq!(
        String::from_utf8(parse(text.as_bytes()).unwrap().to_canonical()).unwrap(),
        expect
    );
}

proptest! {
    #[test]
    fn the_oracle_agrees(value in generate::json()) {
        let oracle = serde_json_canonicalizer::to_vec(&value).unwrap();
        prop_assert_eq!(String::from_utf8(value.to_canonical()).unwrap(), String::from_utf8(oracle).unwrap());
    }

    #[test]
    fn canonical_text_reads_back(value in generate::json()) {
        let text = value.to_canonical();
        // Beyond 2^53 a double may be spelled as an integer, which the strict reader refuses.
        let options = ParseOptions { numbers: Numbers::Stored, ..ParseOptions::default() };
        prop_assert_eq!(parse_with(&text, &options).unwrap().value, value);
    }

    #[test]
    fn no_bytes_make_the_reader_panic(bytes in proptest::collection::vec(any::<u8>(), 0..200), text in "[\\[\\]{}\",:\\\\u0-9a-f.eE+ -]{0,60}") {
        for input in [bytes.as_slice(), text.as_bytes()] {
            if let Ok(value) = parse(input) {
                let theirs: serde_json::Value = serde_json::from_slice(input).unwrap();
                prop_assert_eq!(Json::from(&theirs), value);
            }
        }
    }

    #[test]
    fn names_stand_in_utf16_order(a in any::<String>(), b in any::<String>()) {
        prop_assert_eq!(utf16_order(&a, &b), a.encode_utf16().cmp(b.encode_utf16()));
    }

    #[test]
    fn an_entry_is_spelled_canonically_and_reads_back(entry in generate::entry(), recorded in 0i64..4_000_000_000_000) {
        let recorded_at = jiff::Timestamp::from_millisecond(recorded).unwrap();
        let draft = Draft::from_entry(entry.clone(), recorded_at).unwrap();
        let Json::Object(mut wire) = entry.to_json(recorded_at) else { panic!("not an object") };
        wire.remove("category");
        prop_assert_eq!(&draft.canonical, &Json::Object(wire.clone()).to_canonical());
        prop_assert_eq!(&draft.canonical, &serde_json_canonicalizer::to_vec(&wire).unwrap());
        prop_assert_eq!(Entry::from_canonical(&draft.canonical).unwrap(), (entry, recorded_at));
    }

    #[test]
    fn a_submitter_is_spelled_canonically_and_reads_back(
        entry in generate::entry(), submitter in generate::submitter(), recorded in 0i64..4_000_000_000_000
    ) {
        let recorded_at = jiff::Timestamp::from_millisecond(recorded).unwrap();
        let draft = Draft::from_entry(entry, recorded_at).unwrap();
        let digest = draft.claim_digest;
        let draft = Draft::submitted_by(vec![draft], &Arc::new(submitter.clone())).unwrap().remove(0);
        prop_assert_eq!(draft.claim_digest, digest);
        prop_assert_eq!(draft.entry.submitted_by.as_deref(), Some(&submitter));
        let Json::Object(mut wire) = draft.entry.to_json(recorded_at) else { panic!("not an object") };
        wire.remove("category");
        prop_assert_eq!(&draft.canonical, &serde_json_canonicalizer::to_vec(&wire).unwrap());
        prop_assert_eq!(&draft.canonical, &draft.entry.to_canonical(recorded_at));
        prop_assert_eq!(claim_digest(&draft.entry), digest);
        prop_assert_eq!(Entry::from_canonical(&draft.canonical).unwrap(), (draft.entry, recorded_at));
    }
}
