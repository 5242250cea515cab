//! Common Event Format: `CEF:0|vendor|product|version|class|name|severity|key=value ...`, with or
//! without a syslog header in front of it. In the header `|` and `\` are escaped, in the extension
//! `=`, `\` and line breaks (CEF implementation standard, version 25).

use serde_json::{Map, Value};

use super::Fault;

const HEADER: [&str; 6] = ["vendor", "product", "version", "class", "name", "severity"];

/// Reads a line. The header becomes the members of `cef`, the extension the other members; custom
/// fields that have a label (`cs1`, `cs1Label`) are members of their label too.
pub(super) fn record(line: &str) -> Result<Value, Fault> {
    let start = line
        .find("CEF:")
        .ok_or_else(|| Fault::whole("has no CEF header (CEF:0|...)"))?;
    let mut rest = &line[start + 4..];
    let (version, after) = header_field(rest).ok_or_else(short)?;
    if version.is_empty() || !version.bytes().all(|byte| byte.is_ascii_digit()) {
        let message = format!("has no CEF version: {version:?}");
        return Err(Fault::whole(message));
    }
    rest = after;

    let mut header = Map::new();
    for name in HEADER {
        let (value, after) = header_field(rest).ok_or_else(short)?;
        header.insert(name.to_owned(), Value::from(value));
        rest = after;
    }

    let mut record = extension(rest);
    labelled(&mut record);
    record.insert("cef".to_owned(), Value::Object(header));
    Ok(Value::Object(record))
}

fn short() -> Fault {
    Fault::whole("has fewer than seven header fields")
}

/// Splits the text before the next unescaped `|` off.
fn header_field(text: &str) -> Option<(String, &str)> {
    let mut field = String::new();
    let mut letters = text.char_indices();
    while let Some((at, letter)) = letters.next() {
        match letter {
            '|' => return Some((field, &text[at + 1..])),
            '\\' => field.extend(letters.next().map(|(_, escaped)| escaped)),
            other => field.push(other),
        }
    }
    None
}

/// Reads `key=value` pairs. A value may have spaces: it ends before the next word that an unescaped
/// `=` follows.
fn extension(text: &str) -> Map<String, Value> {
    let equals = unescaped_equals(text);
    let starts: Vec<usize> = equals
        .iter()
        .map(|at| text[..*at].rfind(' ').map_or(0, |space| space + 1))
        .collect();

    let mut record = Map::new();
    for (index, at) in equals.iter().enumerate() {
        let key = text[starts[index]..*at].trim();
        let end = starts.get(index + 1).copied().unwrap_or(text.len());
        let is_key = !key.is_empty()
            && key
                .chars()
                .all(|letter| letter.is_alphanumeric() || "_.[]-".contains(letter));
        if is_key && end > *at {
            record.insert(
                key.to_owned(),
                Value::from(unescape(text[at + 1..end].trim())),
            );
        }
    }
    record
}

fn unescaped_equals(text: &str) -> Vec<usize> {
    let (mut found, mut escaped) = (Vec::new(), false);
    for (at, letter) in text.char_indices() {
        if letter == '=' && !escaped {
            found.push(at);
        }
        escaped = letter == '\\' && !escaped;
    }
    // Senders leave `=` unescaped in values such as addresses of pages: only an `=` with a word in
    // front of it begins a pair.
    let mut last = None;
    found.retain(|at| {
        let start = text[..*at].rfind(' ').map_or(0, |space| space + 1);
        let begins = last != Some(start);
        last = Some(start);
        begins
    });
    found
}

fn unescape(text: &str) -> String {
    let mut out = String::new();
    let mut letters = text.chars();
    while let Some(letter) = letters.next() {
        if letter != '\\' {
            out.push(letter);
            continue;
        }
        match letters.next() {
            Some('n' | 'r') => out.push('\n'),
            Some(escaped) => out.push(escaped),
            None => out.push('\\'),
        }
    }
    out
}

fn labelled(record: &mut Map<String, Value>) {
    let labels: Vec<(String, String)> = record
        .iter()
        .filter_map(|(key, label)| {
            let field = key.strip_suffix("Label")?;
            Some((field.to_owned(), label.as_str()?.to_owned()))
        })
        .collect();

    for (field, label) in labels {
        // A label must not replace a field that other rules read.
        if !label.is_empty()
            && !record.contains_key(&label)
            && let Some(value) = record.remove(&field)
        {
            record.remove(&format!("{field}Label"));
            record.insert(label, value);
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn header_and_extension() {
        let line = r"<134>Nov 28 10:00:00 host CEF:0|Acme \| Sons|Sentry|7.1|100|Password \\ guessed|8|externalId=42 src=203.0.113.7 suser=ann msg=many tries\=bad ones request=https://x.example/?a=1&b=2 cs1=T1110 cs1Label=technique";
        let record = record(line).unwrap();
        assert_eq!(record["cef"]["vendor"], "Acme | Sons");
        assert_eq!(record["cef"]["name"], r"Password \ guessed");
        assert_eq!(record["externalId"], "42");
        assert_eq!(record["msg"], "many tries=bad ones");
        assert_eq!(record["request"], "https://x.example/?a=1&b=2");
        assert_eq!(record["technique"], "T1110");
        assert!(record.get("cs1").is_none() && record.get("cs1Label").is_none());
    }

    #[test]
    fn lines_that_are_none() {
        for (line, message) in [
            ("hello", "has no CEF header (CEF:0|...)"),
            ("CEF:0|a|b|c|d|e", "has fewer than seven header fields"),
            ("CEF:x|a|b|c|d|e|5|", "has no CEF version: \"x\""),
        ] {
            assert_eq!(record(line).unwrap_err(), Fault::whole(message), "{line}");
        }
        assert!(record("CEF:0|a|b|c|d|e|5|").is_ok());
    }
}
