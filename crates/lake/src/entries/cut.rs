//! Removes values from a payload that a column stores already, and puts them back on read.
//! Identifiers, times, names and addresses are most of what does not compress in a payload.
//! `docs/formats/segment.md`, "cut".
//!
//! Canonical JSON has no white space, so three bytes of it before an empty text say the number of
//! the column whose value was there, and what is left is JSON still. What is put back is the
//! column's text as it is; nothing is cut where that would not give the same bytes.

use std::sync::LazyLock;

use memchr::memmem::Finder;
use reeve_audit::query::QueryColumn;

use super::schema::position;

/// The value of `event_id` was cut out, as version 2 did.
const EVENT_ID: u8 = 1;
/// The value of `request_id` was cut out, as version 2 did.
const REQUEST_ID: u8 = 2;
/// Canonical bytes have no byte below this.
const PRINTED: u8 = 0x20;
/// The digits of a column's number, from 0 to 2; three of them make one.
const DIGITS: [u8; 3] = *b"\t\n\r";
/// There are such numbers.
const PLACED: u8 = 4;
/// An entry has at most a mebibyte; what grows beyond twice that is none.
const MOST: usize = 2 << 20;

/// The columns whose values may be cut out, as their members follow each other in canonical bytes:
/// those that save more than they cost whoever shows a single entry.
pub(super) const COLUMNS: [QueryColumn; 9] = [
    QueryColumn::ActionOperation,
    QueryColumn::ActorIpAddress,
    QueryColumn::ActorSessionId,
    QueryColumn::ActorUserAgent,
    QueryColumn::EventId,
    QueryColumn::RequestId,
    QueryColumn::RecordedAt,
    QueryColumn::ResourceAccountId,
    QueryColumn::Timestamp,
];

/// Bytes before the value of each of [`COLUMNS`].
static MEMBERS: LazyLock<[Finder<'static>; COLUMNS.len()]> = LazyLock::new(|| {
    COLUMNS.map(|column| {
        let name = column.field_name().rsplit('.').next().unwrap_or_default();
        Finder::new(&format!("\"{name}\":\"")).into_owned()
    })
});

static EVENT: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new(b"\"event_id\":\"\""));
static REQUEST: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new(b"\"request_id\":\"\""));

/// Appends canonical bytes without the values of these columns, which are in the order of
/// [`COLUMNS`]; says whether any was cut out.
pub(super) fn shorten<'t>(
    canonical: &[u8],
    values: impl IntoIterator<Item = Option<&'t [u8]>>,
    into: &mut Vec<u8>,
) -> u8 {
    if canonical
        .iter()
        .fold(false, |found, byte| found | (*byte < PRINTED))
    {
        into.extend_from_slice(canonical);
        return 0;
    }

    let (mut from, mut cut) = (0, 0);
    for ((member, column), value) in MEMBERS.iter().zip(COLUMNS).zip(values) {
        let Some(value) = value.filter(|value| !value.is_empty()) else {
            continue;
        };
        if let Some(at) = place(member, value, canonical, from) {
            into.extend_from_slice(&canonical[from..at - 1]);
            let number = position(column);
            into.extend([number / 9, number / 3, number].map(|digits| DIGITS[digits % 3]));
            into.extend_from_slice(b"\"\"");
            from = at + value.len() + 1;
            cut = PLACED;
        }
    }

    into.extend_from_slice(&canonical[from..]);
    cut
}

/// Returns the position of this very value in the first member that has it. Mostly that is the next
/// member.
fn place(member: &Finder<'_>, value: &[u8], bytes: &[u8], mut from: usize) -> Option<usize> {
    let name = member.needle();
    if bytes.get(from + 1..)?.starts_with(name) {
        from += 1;
    }

    loop {
        let at = from + member.find(bytes.get(from..)?)? + name.len();
        if bytes[at..]
            .strip_prefix(value)
            .is_some_and(|after| after.first() == Some(&b'"'))
        {
            return Some(at);
        }
        from = at;
    }
}

/// The canonical bytes again. `put` appends the value that a column has. `scratch` is used when
/// something was cut out. Bytes that [`shorten`] did not make give any bytes; what is shown of them
/// is compared with the log.
pub(super) fn whole<'a>(
    stored: &'a [u8],
    cut: u8,
    put: impl Fn(QueryColumn, &mut Vec<u8>),
    scratch: &'a mut Vec<u8>,
) -> &'a [u8] {
    if cut == 0 {
        return stored;
    }

    scratch.clear();
    if cut & PLACED == 0 {
        scratch.extend_from_slice(stored);
        fill(cut, &put, scratch);
        return scratch;
    }

    let mut rest = stored;
    while let Some(at) = low_byte(rest) {
        scratch.extend_from_slice(&rest[..at]);
        let Some((digits, after)) = rest[at..].split_at_checked(DIGITS.len()) else {
            break;
        };
        let digit = |byte: &u8| {
            DIGITS
                .iter()
                .position(|digit| digit == byte)
                .unwrap_or_default()
        };
        let number = digits
            .iter()
            .fold(0, |number, byte| number * 3 + digit(byte));
        rest = after;
        if let Some(column) = number
            .checked_sub(1)
            .and_then(|number| QueryColumn::ALL.get(number))
            && let Some(after) = rest.strip_prefix(b"\"\"")
        {
            scratch.push(b'"');
            put(*column, scratch);
            scratch.push(b'"');
            rest = after;
        }
        if scratch.len() > MOST {
            break;
        }
    }

    scratch.extend_from_slice(rest);
    scratch
}

/// Returns the position of the next byte that canonical bytes do not have; eight are looked at
/// together.
fn low_byte(bytes: &[u8]) -> Option<usize> {
    const LOW: u64 = u64::from_ne_bytes([PRINTED; 8]);
    const HIGH: u64 = u64::from_ne_bytes([0x80; 8]);

    let (chunks, _) = bytes.as_chunks::<8>();
    let far = chunks.iter().take_while(|chunk| {
        let word = u64::from_ne_bytes(**chunk);
        word.wrapping_sub(LOW) & !word & HIGH == 0
    });
    let from = far.count() * 8;

    bytes[from..]
        .iter()
        .position(|byte| *byte < PRINTED)
        .map(|at| from + at)
}

/// Fills the members that version 2 emptied: the first empty member of each name.
fn fill(cut: u8, put: &impl Fn(QueryColumn, &mut Vec<u8>), bytes: &mut Vec<u8>) {
    for (bit, empty, column) in [
        (REQUEST_ID, &REQUEST, QueryColumn::RequestId),
        (EVENT_ID, &EVENT, QueryColumn::EventId),
    ] {
        if cut & bit != 0
            && let Some(at) = empty.find(bytes).map(|at| at + empty.needle().len() - 1)
        {
            let end = bytes.len();
            put(column, bytes);
            bytes[at..].rotate_left(end - at);
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use proptest::prelude::*;

    type Given<'a> = &'a [(QueryColumn, &'a str)];

    fn text<'a>(given: Given<'a>, column: QueryColumn) -> Option<&'a str> {
        given
            .iter()
            .find(|(of, _)| *of == column)
            .map(|(_, text)| *text)
    }

    fn round(canonical: &str, given: Given<'_>) -> String {
        let mut stored = b"before".to_vec();
        let values = COLUMNS.map(|column| text(given, column).map(str::as_bytes));
        let cut = shorten(canonical.as_bytes(), values, &mut stored);
        let stored = stored.split_off(6);
        let put = |column, out: &mut Vec<u8>| {
            out.extend_from_slice(text(given, column).unwrap_or("?").as_bytes())
        };

        let mut scratch = Vec::new();
        let back = whole(&stored, cut, put, &mut scratch);
        assert_eq!(std::str::from_utf8(back).unwrap(), canonical);
        assert_eq!(cut == 0, stored == canonical.as_bytes());

        String::from_utf8(stored).unwrap()
    }

    #[test]
    fn values_of_columns_are_cut_and_put_back() {
        use QueryColumn::{ActionOperation, ActorSessionId, EventId, RequestId, Timestamp};

        let plain = r#"{"actor":{"session_id":"s"},"event_id":"e-1","metadata":{"request_id":"r-1"},"timestamp":"t"}"#;
        let all = [
            (ActorSessionId, "s"),
            (EventId, "e-1"),
            (RequestId, "r-1"),
            (Timestamp, "t"),
        ];

        let cut = concat!(
            "{\"actor\":{\"session_id\":\n\n\t\"\"},\"event_id\":\t\t\n\"\",",
            "\"metadata\":{\"request_id\":\r\n\t\"\"},\"timestamp\":\t\t\r\"\"}",
        );
        let cases: [(&str, Given<'_>, &str); 9] = [
            (plain, &all, cut),
            (plain, &all[..0], plain),
            (plain, &[(EventId, "e-2")], plain),
            (plain, &[(EventId, "e-")], plain),
            (
                r#"{"changes":{"after":{"event_id":"x","event_id":"e-1"}},"event_id":"e-1"}"#,
                &all,
                "{\"changes\":{\"after\":{\"event_id\":\"x\",\"event_id\":\t\t\n\"\"}},\"event_id\":\"e-1\"}",
            ),
            (
                r#"{"action":{"operation":"Ünder"}}"#,
                &[(ActionOperation, "Ünder")],
                "{\"action\":{\"operation\":\r\t\t\"\"}}",
            ),
            (
                r#"{"event_id":"a\"b"}"#,
                &[(EventId, "a\"b")],
                r#"{"event_id":"a\"b"}"#,
            ),
            (r#"{"event_id":""}"#, &[(EventId, "")], r#"{"event_id":""}"#),
            (
                r#"{"metadata":{"timestamp":"t"}}"#,
                &[(Timestamp, "u")],
                r#"{"metadata":{"timestamp":"t"}}"#,
            ),
        ];

        for (canonical, given, expect) in cases {
            assert_eq!(round(canonical, given), expect, "{canonical}");
        }

        assert_eq!(
            round("{\"event_id\":\"\x01\"}", &[(EventId, "\x01")]),
            "{\"event_id\":\"\x01\"}"
        );
    }

    #[test]
    fn what_version_2_cut_is_put_back() {
        let put = |column, out: &mut Vec<u8>| {
            out.extend_from_slice(if column == QueryColumn::EventId {
                b"\"request_id\":\"\""
            } else {
                b"r"
            });
        };
        for (stored, cut, expect) in [
            (
                r#"{"event_id":"","request_id":""}"#,
                2,
                r#"{"event_id":"","request_id":"r"}"#,
            ),
            (
                r#"{"event_id":"","request_id":""}"#,
                3,
                r#"{"event_id":""request_id":""","request_id":"r"}"#,
            ),
            (r#"{"request_id":"x"}"#, 3, r#"{"request_id":"x"}"#),
        ] {
            let mut scratch = Vec::new();
            assert_eq!(
                std::str::from_utf8(whole(stored.as_bytes(), cut, put, &mut scratch)).unwrap(),
                expect
            );
        }
    }

    proptest! {
        /// Whatever the bytes and the values are.
        #[test]
        fn what_is_cut_is_put_back(
            parts in proptest::collection::vec(prop_oneof![
                Just(r#""event_id":""#), Just(r#""session_id":""#), Just(r#""request_id":""#), Just(r#"""#), Just("a"), Just("ab"),
                Just(r#""""#), Just("e"), Just("\x01"), Just("é"),
            ], 0..24),
            values in proptest::collection::vec(r#"[ab"]{0,3}"#, 4),
        ) {
            let columns = [QueryColumn::EventId, QueryColumn::RequestId, QueryColumn::ActorSessionId, QueryColumn::Timestamp];
            let given: Vec<_> = columns.into_iter().zip(values.iter().map(String::as_str)).collect();
            round(&parts.concat(), &given);
        }

        #[test]
        fn the_first_low_byte_is_found(bytes in proptest::collection::vec(prop_oneof![9 => 0x20u8..=0xff, 1 => 0u8..0x20], 0..40)) {
            prop_assert_eq!(low_byte(&bytes), bytes.iter().position(|byte| *byte < 0x20));
        }
    }
}
