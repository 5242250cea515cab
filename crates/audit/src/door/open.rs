//! Values of any kind: those under `changes`, and members of `metadata` without a field of their
//! own.

use super::Source;
use super::cursor::{Cursor, Fast, Unusual};
use crate::json::{Json, Object, finite, scan_number, strict_number, utf16_order};

/// Number of digits that never exceed 2^53.
const SAFE_DIGITS: usize = 15;

/// Reads any value with at most `levels` arrays and objects inside each other.
pub(super) fn value(cursor: &mut Cursor<'_>, source: Source, levels: usize) -> Fast<Json> {
    match cursor.peek() {
        b'"' => Ok(Json::String(cursor.string()?.into_owned())),
        b'{' => object(cursor, source, levels).map(Json::Object),
        b'[' => {
            let levels = levels.checked_sub(1).ok_or(Unusual)?;
            let mut items = Vec::new();
            cursor.elements(|cursor| {
                items.push(value(cursor, source, levels)?);
                Ok(())
            })?;
            Ok(Json::Array(items))
        }
        b'-' | b'0'..=b'9' => number(cursor, source).map(Json::Number),
        b't' => cursor.word("true").map(|()| Json::Bool(true)),
        b'f' => cursor.word("false").map(|()| Json::Bool(false)),
        b'n' => cursor.word("null").map(|()| Json::Null),
        _ => Err(Unusual),
    }
}

/// Reads an object with at most `levels` arrays and objects inside each other, itself counted.
pub(super) fn object(cursor: &mut Cursor<'_>, source: Source, levels: usize) -> Fast<Object> {
    let levels = levels.checked_sub(1).ok_or(Unusual)?;
    let mut members = Vec::new();
    cursor.members(|cursor, name| {
        members.push((name.into_owned(), value(cursor, source, levels)?));
        Ok(())
    })?;
    distinct(members)
}

/// Brings members into canonical order; a name that is there twice is for the slow reader.
pub(super) fn distinct(mut members: Vec<(String, Json)>) -> Fast<Object> {
    if !members.is_sorted_by(|a, b| utf16_order(&a.0, &b.0).is_lt()) {
        members.sort_by(|a, b| utf16_order(&a.0, &b.0));
        if members.windows(2).any(|pair| pair[0].0 == pair[1].0) {
            return Err(Unusual);
        }
    }

    members.shrink_to_fit();
    Ok(Object::from_sorted(members))
}

fn number(cursor: &mut Cursor<'_>, source: Source) -> Fast<f64> {
    let rest = cursor.rest()?;
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    let first = rest.as_bytes().first();
    let next = rest.as_bytes().get(digits);
    let short = (1..=SAFE_DIGITS).contains(&digits) && (digits == 1 || first != Some(&b'0'));

    if short && !matches!(next, Some(b'.' | b'e' | b'E')) {
        let value = rest
            .bytes()
            .take(digits)
            .fold(0_u64, |value, digit| value * 10 + u64::from(digit - b'0'));
        cursor.skip(digits);
        return Ok(value as f64);
    }

    let literal = scan_number(rest).map_err(|_| Unusual)?;
    let value = match source {
        Source::Sent => strict_number(literal),
        Source::Stored => finite(literal),
    };
    cursor.skip(literal.len());

    value.map_err(|_| Unusual)
}
