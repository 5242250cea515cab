//! The strict reader against serde_json, the canonical writer against serde_json_canonicalizer.

use reeve_audit::Json;
use reeve_audit::json::{Numbers, ParseOptions, parse, parse_with};

/// Text that the strict reader accepts is accepted by serde_json with the same meaning; canonical
/// text reads back, is its own canonical text, and equals the output of another implementation of
/// RFC 8785.
pub fn json(data: &[u8]) {
    let lenient = parse_with(
        data,
        &ParseOptions {
            numbers: Numbers::KeepAsText,
            ..ParseOptions::default()
        },
    );

    if let Err(error) = &lenient {
        assert!(
            error.offset <= data.len(),
            "the fault lies at {} of {}",
            error.offset,
            data.len()
        );
        let _ = (
            error.to_string(),
            error.path.to_string(),
            error.path.to_pointer(),
        );
    }

    let value = match parse(data) {
        Ok(value) => value,
        Err(error) => {
            assert!(
                error.offset <= data.len(),
                "the fault lies at {} of {}",
                error.offset,
                data.len()
            );
            return;
        }
    };

    // Digits that a double does not give back are kept as text by that reading alone.
    let lenient = lenient.expect("the reading that keeps digits refuses what the strict one took");
    assert!(lenient.value == value || !lenient.kept_as_text.is_empty());

    let theirs: serde_json::Value =
        serde_json::from_slice(data).expect("serde_json refuses what the strict reader took");
    assert_eq!(
        Json::from(&theirs),
        value,
        "serde_json reads something else"
    );
    canonical(&value);
}

/// The laws of canonical text.
pub(crate) fn canonical(value: &Json) {
    let text = value.to_canonical();
    let oracle = serde_json_canonicalizer::to_vec(value).expect("the oracle writes any value");
    assert_eq!(
        String::from_utf8_lossy(&text),
        String::from_utf8_lossy(&oracle),
        "the oracle spells it otherwise"
    );

    let again = parse_with(
        &text,
        &ParseOptions {
            numbers: Numbers::Stored,
            ..ParseOptions::default()
        },
    );
    let again = again.expect("canonical text reads back").value;
    assert_eq!(&again, value, "canonical text means something else");

    assert_eq!(
        again.to_canonical(),
        text,
        "canonical text of canonical text differs"
    );
}
