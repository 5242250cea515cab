//! The door: single entries and submissions.

use reeve_audit::json::{Numbers, ParseOptions, parse_with};
use reeve_audit::{BatchContent, Draft, Entry, MAX_ENTRY_BYTES, claim_digest, parse_batch};

use super::moment;

/// An accepted entry is valid JSON for other parsers, has canonical bytes that read back as the
/// same entry, and is recognised when it is submitted again.
pub fn entry(data: &[u8]) {
    let at = moment(1_790_000_000);
    let draft = match Draft::from_bytes(data, at) {
        Ok(draft) => draft,
        Err(errors) => {
            assert!(!errors.is_empty(), "refused without a reason");
            assert!(
                errors
                    .iter()
                    .all(|error| error.offset.is_none_or(|offset| offset <= data.len()))
            );
            let _ = errors.iter().map(ToString::to_string).collect::<String>();
            return;
        }
    };

    assert!(serde_json::from_slice::<serde_json::Value>(data).is_ok_and(|value| value.is_object()));
    check(&draft);

    let later = Draft::from_bytes(data, moment(1_790_000_009)).expect("taken a moment ago");
    check(&later);

    // Without an id or a time of its own, each sending is another claim.
    let sent = parse_with(data, &ParseOptions::default())
        .expect("taken a moment ago")
        .value;
    if sent
        .get("event_id")
        .is_some_and(|id| id.as_str().is_some_and(|id| !id.is_empty()))
        && !draft.timestamp_defaulted
    {
        assert_eq!(
            later.claim_digest, draft.claim_digest,
            "the same claim is not recognised"
        );
    }
}

/// The laws of a draft.
fn check(draft: &Draft) {
    assert!(draft.canonical.len() <= MAX_ENTRY_BYTES);

    let (entry, recorded_at) =
        Entry::from_canonical(&draft.canonical).expect("what is stored reads back");
    assert_eq!(
        (&entry, recorded_at),
        (&draft.entry, draft.recorded_at),
        "what is stored means something else"
    );

    assert_eq!(
        entry.to_canonical(recorded_at),
        draft.canonical,
        "canonical bytes of canonical bytes differ"
    );
    assert_eq!(claim_digest(&entry), draft.claim_digest);

    let options = ParseOptions {
        numbers: Numbers::Stored,
        ..ParseOptions::default()
    };
    let value = parse_with(&draft.canonical, &options)
        .expect("canonical bytes are JSON")
        .value;
    super::json::canonical(&value);
    assert_eq!(
        value.to_canonical(),
        draft.canonical,
        "the bytes are not canonical JSON"
    );

    let built = Draft::from_entry(entry, recorded_at).expect("an entry that was taken is taken");
    assert_eq!(
        (built.canonical, built.claim_digest),
        (draft.canonical.clone(), draft.claim_digest)
    );
}

/// However a submission is written, an entry in it is what it is alone.
pub fn batch(data: &[u8]) {
    let at = moment(1_790_000_000);
    for content in [BatchContent::One, BatchContent::Array, BatchContent::Ndjson] {
        match parse_batch(data, content, at, 50) {
            Ok(drafts) => {
                assert!(!drafts.is_empty() && drafts.len() <= 50);
                drafts.iter().for_each(check);
                if content == BatchContent::Ndjson {
                    let lines = data
                        .split(|b| *b == b'\n')
                        .filter(|line| !line.iter().all(u8::is_ascii_whitespace));
                    let alone = lines.map(|line| {
                        parse_batch(line, BatchContent::One, at, 1).expect("one of them")
                    });
                    same(&drafts, &alone.flatten().collect::<Vec<_>>());
                }
                if content == BatchContent::Array {
                    let lines: Vec<Vec<u8>> = drafts.iter().map(sent).collect();
                    // A large double that was sent with a point or an exponent is spelled as an
                    // integer, which the door refuses.
                    if lines
                        .iter()
                        .all(|line| parse_with(line, &ParseOptions::default()).is_ok())
                    {
                        let read = parse_batch(&lines.concat(), BatchContent::Ndjson, at, 50);
                        same(&drafts, &read.expect("taken as an array"));
                    }
                }
            }
            Err(error) => {
                assert!(!error.errors.is_empty() && !error.to_string().is_empty());
                let within = |offset: usize| offset <= data.len();
                assert!(
                    error
                        .errors
                        .iter()
                        .all(|error| error.offset.is_none_or(within)),
                    "{error:?}"
                );
            }
        }
    }
}

/// A draft as a source would send it, on a line.
fn sent(draft: &Draft) -> Vec<u8> {
    let reeve_audit::Json::Object(mut members) = draft.entry.to_json(draft.recorded_at) else {
        return Vec::new();
    };

    members.remove("recorded_at");
    members.remove("category");
    let mut line = reeve_audit::Json::Object(members).to_canonical();
    line.push(b'\n');
    line
}

/// Two lists of drafts of the same claims; ids that the door made up differ.
fn same(one: &[Draft], other: &[Draft]) {
    assert_eq!(one.len(), other.len());
    for (one, other) in one.iter().zip(other) {
        if one.entry.event_id == other.entry.event_id {
            assert_eq!(one.canonical, other.canonical);
        } else {
            assert_eq!(one.canonical.len(), other.canonical.len());
        }
    }
}
