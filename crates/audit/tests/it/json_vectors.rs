//! JSONTestSuite: what must be read is read, what must not is refused.

use reeve_audit::json::{JsonFault, parse};

use crate::test_data;

/// Texts that RFC 8259 allows and I-JSON (RFC 7493) does not.
const REFUSED_BY_I_JSON: [&str; 2] = [
    "y_object_duplicated_key.json",
    "y_object_duplicated_key_and_value.json",
];

/// Texts of which either is right, and that we accept.
const EITHER_ACCEPTED: [&str; 2] = [
    "i_number_double_huge_neg_exp.json",
    "i_number_real_underflow.json",
];

#[test]
fn json_test_suite() {
    let Some(folder) = test_data::folder("vectors/json", "JSONTestSuite") else {
        return;
    };

    let (mut accepted, mut refused) = (0, 0);
    for (name, text) in test_data::files(&folder) {
        let read = parse(&text);
        match name.as_bytes() {
            [b'y', b'_', ..] if REFUSED_BY_I_JSON.contains(&name.as_str()) => {
                assert_eq!(
                    read.map_err(|e| e.fault),
                    Err(JsonFault::DuplicateKey),
                    "{name}"
                );
                refused += 1;
            }
            [b'y', b'_', ..] => {
                assert!(read.is_ok(), "{name}: {read:?}");
                accepted += 1;
            }
            [b'n', b'_', ..] => {
                assert!(read.is_err(), "{name}: {read:?}");
                refused += 1;
            }
            [b'i', b'_', ..] => assert_eq!(
                read.is_ok(),
                EITHER_ACCEPTED.contains(&name.as_str()),
                "{name}: {read:?}"
            ),
            _ => {}
        }
    }

    assert_eq!((accepted, refused), (93, 190));
}

/// A sample of the same for a clone without the suite.
#[test]
fn json_samples() {
    for good in [
        "[]",
        "[1.5e-3]",
        "{\"\":0}",
        " [ \"\\u0000\" ] ",
        "\"\u{10ffff}\"",
        "-0",
        "null",
    ] {
        assert!(parse(good.as_bytes()).is_ok(), "{good}");
    }
    for bad in [
        "[1,]",
        "[,1]",
        "{\"a\" 1}",
        "{a:1}",
        "[+1]",
        "[.5]",
        "[1.]",
        "[1e]",
        "[0x1]",
        "['a']",
        "[\"\t\"]",
        "nul",
        "[] []",
        "\u{a0}1",
        "[NaN]",
    ] {
        assert!(parse(bad.as_bytes()).is_err(), "{bad}");
    }
}
