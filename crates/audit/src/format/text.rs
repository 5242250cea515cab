//! Code shared by the formats: hashes in hex, and the escaping of characters that a line-based
//! reader could misread.

use std::fmt::Write as _;

use crate::entry::ResourceRef;
use crate::json::Json;

/// Returns the bytes in lower-case hex.
pub(super) fn hex(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(2 * bytes.len());
    for byte in bytes {
        text.push(char::from_digit(u32::from(byte >> 4), 16).unwrap_or('0'));
        text.push(char::from_digit(u32::from(byte & 15), 16).unwrap_or('0'));
    }
    text
}

/// Returns `true` if a terminal or a reader of lines could misread the character: control
/// characters, the line and paragraph separators, and characters that change the direction of
/// writing.
pub(super) fn is_unsafe(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{2028}' | '\u{2029}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// Appends a character as JSON spells it in ASCII: `\u001b`, or two of them beyond the basic plane.
pub(super) fn push_escape(c: char, out: &mut String) {
    for unit in c.encode_utf16(&mut [0; 2]) {
        // Writing to a string does not fail.
        let _ = write!(out, "\\u{unit:04x}");
    }
}

/// Appends a character, escaped with a backslash if it is one of `special`. Control characters are
/// written as JSON escapes after a backslash of their own.
pub(super) fn push_escaped(c: char, special: &[char], out: &mut String) {
    let escape = is_unsafe(c);
    if escape || special.contains(&c) {
        out.push('\\');
    }
    if escape {
        push_escape(c, out)
    } else {
        out.push(c)
    }
}

/// Returns at most so many characters; `…` replaces the rest.
pub(super) fn cut(text: &str, most: usize) -> std::borrow::Cow<'_, str> {
    match text.char_indices().nth(most) {
        None => text.into(),
        Some((end, _)) => format!("{}…", &text[..end]).into(),
    }
}

/// The tags of a resource as JSON, where it has any.
pub(super) fn tags_of(resource: &ResourceRef) -> Option<String> {
    let pairs = || {
        resource
            .tags
            .iter()
            .map(|(name, value)| -> (&str, &str) { (name, value) })
    };
    (!resource.tags.is_empty()).then(|| Json::object(pairs()).to_string())
}
