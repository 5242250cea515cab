//! Submissions of many entries: all or none, and which one was refused.

use jiff::Timestamp;
use reeve_audit::{BatchContent, BatchError, Draft, MAX_BATCH, parse_batch};

fn parse(text: &[u8], content: BatchContent) -> Result<Vec<Draft>, BatchError> {
    parse_batch(text, content, Timestamp::UNIX_EPOCH, MAX_BATCH)
}

fn refused(text: &str, content: BatchContent) -> (usize, String, &'static str, Option<usize>) {
    let e = parse(text.as_bytes(), content).expect_err(text);
    let first = e.errors.into_iter().next().expect("an error");
    (e.index, first.path, first.code.as_str(), first.offset)
}

const ONE: &str = r#"{"event_type":"a.b"}"#;

#[test]
fn the_three_shapes() {
    assert_eq!(
        parse(ONE.as_bytes(), BatchContent::of_json(b" \n{"))
            .unwrap()
            .len(),
        1
    );

    assert_eq!(
        parse(
            format!("[{ONE},{ONE}]").as_bytes(),
            BatchContent::of_json(b"  [")
        )
        .unwrap()
        .len(),
        2
    );

    assert_eq!(
        parse(
            format!("{ONE}\n\n {ONE}\r\n").as_bytes(),
            BatchContent::Ndjson
        )
        .unwrap()
        .len(),
        2
    );
}

#[test]
fn the_refused_entry_is_named() {
    let bad = r#"{"event_type":"a.b","actor":{"emial":1}}"#;
    let twice = r#"{"event_type":"a.b","actor":{"id":"a","id":"b"}}"#;
    let field = "actor.emial".to_owned();
    assert_eq!(
        refused(bad, BatchContent::One),
        (0, field.clone(), "unknown_field", None)
    );
    assert_eq!(
        refused(&format!("[{ONE},{ONE},{bad}]"), BatchContent::Array),
        (2, field.clone(), "unknown_field", None)
    );
    assert_eq!(
        refused(&format!("{ONE}\n{bad}"), BatchContent::Ndjson),
        (1, field, "unknown_field", None)
    );
    assert_eq!(
        refused(&format!("[{ONE},{twice}]"), BatchContent::Array),
        (1, "actor.id".into(), "duplicate_key", Some(60))
    );
    assert_eq!(
        refused(&format!("{ONE}\n{twice}"), BatchContent::Ndjson),
        (1, "actor.id".into(), "duplicate_key", Some(59))
    );
    assert_eq!(
        refused(&format!("[{ONE},5]"), BatchContent::Array),
        (1, String::new(), "wrong_type", None)
    );
    assert_eq!(
        refused(&format!("{ONE}{ONE}"), BatchContent::One).2,
        "trailing_bytes"
    );
}

#[test]
fn emptiness_and_excess() {
    for (text, content) in [
        ("[]", BatchContent::Array),
        ("", BatchContent::Ndjson),
        ("\n \n", BatchContent::Ndjson),
    ] {
        assert_eq!(refused(text, content).2, "empty_batch", "{text:?}");
    }

    let many = [ONE; 4].join(",");
    let limited = |text: &str, content| {
        parse_batch(text.as_bytes(), content, Timestamp::UNIX_EPOCH, 3)
            .map_err(|e| e.errors[0].code.as_str())
    };

    assert_eq!(
        limited(&format!("[{many}]"), BatchContent::Array),
        Err("batch_too_large")
    );
    assert_eq!(
        limited(&[ONE; 4].join("\n"), BatchContent::Ndjson),
        Err("batch_too_large")
    );
    assert_eq!(
        limited(&[ONE; 3].join("\n"), BatchContent::Ndjson).map(|drafts| drafts.len()),
        Ok(3)
    );
}

#[test]
fn nesting_is_counted_inside_each_entry() {
    let deep = |levels: usize| {
        format!(
            r#"{{"event_type":"a.b","metadata":{{"x":{}{}}}}}"#,
            "[".repeat(levels),
            "]".repeat(levels)
        )
    };
    assert!(parse(deep(62).as_bytes(), BatchContent::One).is_ok());

    assert!(parse(format!("[{}]", deep(62)).as_bytes(), BatchContent::Array).is_ok());
    assert_eq!(
        refused(&format!("[{}]", deep(63)), BatchContent::Array).2,
        "too_deep"
    );
}
