//! Threat lists as STIX 2.1 bundles (OASIS, STIX version 2.1).
//!
//! Of a bundle the indicators are read whose pattern compares addresses, networks or the user agent
//! of a request, alone or joined by `OR`: that is what entries of the log have. All others are
//! returned as not used, each with the reason. What [`write()`] makes of a list, [`read`] reads into
//! the same list.

use jiff::Timestamp;
use reeve_audit::{Obstacle, format_instant, parse_instant};
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use super::{Indicator, Pattern, indicator};

/// User agent of a request, as STIX names it.
const USER_AGENT: &str =
    "network-traffic:extensions.'http-request-ext'.request_header.'User-Agent'";

/// Indicator of a bundle that is not used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NotUsed {
    /// Identifier of the indicator in the bundle.
    pub id: String,
    /// Its pattern.
    pub pattern: String,
    pub reason: String,
}

/// Indicators of a bundle.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct StixImport {
    /// Lines of a list, one for each comparison of a pattern.
    pub lines: Vec<String>,
    pub not_used: Vec<NotUsed>,
}

impl StixImport {
    /// Returns the text of a list with the indicators.
    #[must_use]
    pub fn text(&self) -> String {
        self.lines.join("\n")
    }
}

/// Reads a bundle.
///
/// # Errors
/// The text is no bundle.
pub fn read(text: &str) -> Result<StixImport, Obstacle> {
    let bundle: Value = serde_json::from_str(text)
        .map_err(|error| Obstacle::of(format_args!("is no JSON: {error}")))?;
    if bundle["type"] != "bundle" {
        return Err(Obstacle::of("is no STIX bundle: its type is not bundle"));
    }

    let mut import = StixImport::default();
    let objects = bundle["objects"].as_array().map_or(&[][..], Vec::as_slice);
    for object in objects.iter().filter(|one| one["type"] == "indicator") {
        match lines(object) {
            Ok(lines) => import.lines.extend(lines),
            Err(reason) => import.not_used.push(NotUsed {
                id: text_of(object, "id").to_owned(),
                pattern: text_of(object, "pattern").to_owned(),
                reason: reason.to_string(),
            }),
        }
    }
    Ok(import)
}

fn text_of<'v>(object: &'v Value, member: &str) -> &'v str {
    object[member].as_str().unwrap_or_default()
}

/// Returns the lines of an indicator.
fn lines(object: &Value) -> Result<Vec<String>, Obstacle> {
    if object["revoked"] == true {
        return Err(Obstacle::of("is revoked"));
    }
    let language = text_of(object, "pattern_type");
    if language != "stix" {
        return Err(Obstacle::of(format_args!(
            "has a pattern of type {language:?}; only stix is read"
        )));
    }

    let time = |member: &str| match object[member].as_str() {
        None => Ok(String::new()),
        Some(given) => parse_instant(given)
            .map(written)
            .map_err(|_| Obstacle::of(format_args!("{member} is no time: {given:?}"))),
    };
    let (from, until) = (time("valid_from")?, time("valid_until")?);
    // The columns of a list are separated by commas, and `#` begins a comment.
    let name: String = text_of(object, "name")
        .chars()
        .map(|letter| match letter {
            ',' | '#' => ' ',
            letter if letter.is_control() => ' ',
            letter => letter,
        })
        .take(200)
        .collect();

    let values = comparisons(text_of(object, "pattern"))?;
    values
        .into_iter()
        .map(|value| {
            let line = format!("{value},{},{from},{until}", name.trim());
            let line = line.trim_end_matches(',').to_owned();
            indicator(&line).map(|_| line)
        })
        .collect()
}

/// A day alone is written as one, so that lists that were written by hand stay as they were.
fn written(at: Timestamp) -> String {
    let text = format_instant(at);
    text.strip_suffix("T00:00:00.000Z")
        .map_or(text.clone(), str::to_owned)
}

/// Splits a pattern into the values that it compares with.
fn comparisons(pattern: &str) -> Result<Vec<String>, Obstacle> {
    let mut values = Vec::new();
    let mut rest = pattern.trim();
    loop {
        let inner = rest
            .strip_prefix('[')
            .ok_or_else(|| Obstacle::of("its pattern cannot be read"))?;
        let end = end_of(inner).ok_or_else(|| Obstacle::of("its pattern cannot be read"))?;
        for part in split_or(&inner[..end]) {
            values.push(comparison(part.trim())?);
        }

        rest = inner[end + 1..].trim_start();
        if rest.is_empty() {
            return Ok(values);
        }
        rest = rest
            .strip_prefix("OR")
            .map(str::trim_start)
            .filter(|next| next.starts_with('['))
            .ok_or_else(|| {
                Obstacle::of("it combines observations; an entry of the log is one observation")
            })?;
    }
}

/// Returns the positions outside of quoted texts.
fn unquoted(text: &str) -> impl Iterator<Item = (usize, char)> {
    let (mut quoted, mut escaped) = (false, false);
    text.char_indices().filter(move |(_, letter)| {
        let outside = !quoted && *letter != '\'';
        if *letter == '\'' && !escaped {
            quoted = !quoted;
        }
        escaped = *letter == '\\' && !escaped;
        outside
    })
}

/// Returns the position of the bracket that ends an observation.
fn end_of(text: &str) -> Option<usize> {
    unquoted(text)
        .find(|(_, letter)| *letter == ']')
        .map(|(at, _)| at)
}

fn split_or(text: &str) -> Vec<&str> {
    let (mut parts, mut start) = (Vec::new(), 0);
    let cuts: Vec<usize> = unquoted(text)
        .filter(|(at, letter)| *letter == ' ' && text[*at..].starts_with(" OR "))
        .map(|(at, _)| at)
        .collect();
    for cut in cuts {
        parts.push(&text[start..cut]);
        start = cut + 4;
    }
    parts.push(&text[start..]);
    parts
}

/// Returns the value of a list for one comparison.
fn comparison(text: &str) -> Result<String, Obstacle> {
    let quote = text
        .find(" '")
        .ok_or_else(|| Obstacle::of(format_args!("{text:?} compares with no text")))?;
    let (left, value) = text.split_at(quote + 1);
    let (path, operator) = left
        .trim()
        .rsplit_once(' ')
        .map(|(path, operator)| (path.trim(), operator))
        .ok_or_else(|| Obstacle::of(format_args!("{text:?} is no comparison")))?;
    let value = value
        .strip_prefix('\'')
        .and_then(|value| value.strip_suffix('\''))
        .filter(|value| unquoted_end(value))
        .ok_or_else(|| {
            Obstacle::of("it joins comparisons by AND; only single ones and OR are read")
        })?
        .replace("\\'", "'")
        .replace("\\\\", "\\");

    match (path, operator) {
        ("ipv4-addr:value" | "ipv6-addr:value", "=" | "ISSUBSET") => Ok(value),
        (USER_AGENT, "LIKE") => {
            let part = value
                .strip_prefix('%')
                .and_then(|part| part.strip_suffix('%'));
            let plain = part.filter(|part| !part.contains(['%', '_', ',', '#']));
            plain
                .map(|part| format!("user_agent:{part}"))
                .ok_or_else(|| Obstacle::of("its user agent has wildcards inside"))
        }
        ("domain-name:value" | "url:value", _) => Err(Obstacle::of(format_args!(
            "entries of the log have no {}",
            if path.starts_with("url") {
                "URLs of targets"
            } else {
                "domain names"
            }
        ))),
        _ => Err(Obstacle::of(format_args!(
            "{path} {operator} is not compared with entries of the log"
        ))),
    }
}

/// Returns `true` if a quoted text has no quote inside that ends it.
fn unquoted_end(value: &str) -> bool {
    let mut escaped = false;
    value.chars().all(|letter| {
        let ends = letter == '\'' && !escaped;
        escaped = letter == '\\' && !escaped;
        !ends
    })
}

/// Writes a list as a bundle. Identifiers follow from the list and the indicator, so that the same
/// list is written the same.
#[must_use]
pub fn write(list: &str, indicators: &[Indicator], updated_at: Timestamp) -> Value {
    let objects: Vec<Value> = indicators
        .iter()
        .map(|indicator| object(list, indicator, updated_at))
        .collect();
    json!({
        "type": "bundle",
        "id": format!("bundle--{}", identifier(&format!("{list}\n{updated_at}"))),
        "objects": objects,
    })
}

fn object(list: &str, indicator: &Indicator, updated_at: Timestamp) -> Value {
    let pattern = match &indicator.pattern {
        Pattern::Network(address, bits) => {
            let (kind, most) = if address.is_ipv4() {
                ("ipv4-addr", 32)
            } else {
                ("ipv6-addr", 128)
            };
            let value = if *bits == most {
                address.to_string()
            } else {
                format!("{address}/{bits}")
            };
            format!("[{kind}:value = '{value}']")
        }
        Pattern::UserAgent(part) => {
            let quoted = part.replace('\\', "\\\\").replace('\'', "\\'");
            format!("[{USER_AGENT} LIKE '%{quoted}%']")
        }
    };

    let mut object = json!({
        "type": "indicator",
        "spec_version": "2.1",
        "id": format!("indicator--{}", identifier(&format!("{list}\n{pattern}\n{}", indicator.name))),
        "created": format_instant(updated_at),
        "modified": format_instant(updated_at),
        "pattern": pattern,
        "pattern_type": "stix",
        "valid_from": format_instant(indicator.valid_from.unwrap_or(Timestamp::UNIX_EPOCH)),
        "indicator_types": ["malicious-activity"],
    });
    if !indicator.name.is_empty() {
        object["name"] = Value::from(indicator.name.clone());
    }
    if let Some(until) = indicator.valid_until {
        object["valid_until"] = Value::from(format_instant(until));
    }
    object
}

fn identifier(of: &str) -> uuid::Uuid {
    let digest: [u8; 32] = Sha256::digest(of.as_bytes()).into();
    let mut bytes = [0; 16];
    bytes.copy_from_slice(&digest[..16]);
    uuid::Builder::from_custom_bytes(bytes).into_uuid()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::super::parse;
    use super::*;

    fn bundle(patterns: &[&str]) -> String {
        let objects: Vec<Value> = patterns
            .iter()
            .enumerate()
            .map(|(index, pattern)| {
                json!({
                    "type": "indicator", "spec_version": "2.1", "id": format!("indicator--{index}"),
                    "name": "Botnet, of May", "pattern": pattern, "pattern_type": "stix",
                    "valid_from": "2026-05-03T00:00:00Z", "valid_until": "2026-06-01T12:00:00.000Z",
                })
            })
            .chain([json!({ "type": "malware", "id": "malware--1" })])
            .collect();
        json!({ "type": "bundle", "id": "bundle--1", "objects": objects }).to_string()
    }

    #[test]
    fn patterns_that_entries_have_are_read_and_others_are_named() {
        let import = read(&bundle(&[
            "[ipv4-addr:value = '203.0.113.7']",
            "[ipv4-addr:value = '198.51.100.0/24' OR ipv6-addr:value ISSUBSET '2001:db8::/32']",
            "[ipv4-addr:value = '192.0.2.1'] OR [ipv4-addr:value = '192.0.2.2']",
            "[domain-name:value = 'evil.example']",
            "[url:value = 'https://evil.example/a?b=1']",
            "[ipv4-addr:value = '192.0.2.3' AND domain-name:value = 'evil.example']",
            "[ipv4-addr:value = '192.0.2.4'] FOLLOWEDBY [ipv4-addr:value = '192.0.2.5']",
            "[file:hashes.'SHA-256' = 'aa']",
            "[ipv4-addr:value = 'nonsense']",
        ]))
        .unwrap();
        let tail = ",Botnet  of May,2026-05-03,2026-06-01T12:00:00.000Z";
        let values: Vec<&str> = import
            .lines
            .iter()
            .map(|line| line.strip_suffix(tail).unwrap())
            .collect();
        assert_eq!(
            values,
            [
                "203.0.113.7",
                "198.51.100.0/24",
                "2001:db8::/32",
                "192.0.2.1",
                "192.0.2.2"
            ]
        );
        let reasons: Vec<&str> = import
            .not_used
            .iter()
            .map(|one| one.reason.as_str())
            .collect();
        assert_eq!(
            reasons[..4],
            [
                "entries of the log have no domain names",
                "entries of the log have no URLs of targets",
                "it joins comparisons by AND; only single ones and OR are read",
                "it combines observations; an entry of the log is one observation",
            ]
        );
        assert_eq!(reasons.len(), 6);

        let indicators = parse(&import.text()).unwrap();
        assert_eq!(
            indicators[0].valid_until.unwrap().to_string(),
            "2026-06-01T12:00:00Z"
        );
        assert!(read("{}").is_err() && read("text").is_err());
    }

    #[test]
    fn a_list_comes_back_as_it_was() {
        let text = "203.0.113.7,Scanner,2026-05-03\n198.51.100.0/24\n2001:db8::/32,x,2026-05-03T10:00:00.000Z,2026-06-01\nuser_agent:sql'map,injection";
        let indicators = parse(text).unwrap();
        let written = write("mine", &indicators, Timestamp::UNIX_EPOCH);
        assert_eq!(written["objects"].as_array().unwrap().len(), 4);

        let import = read(&written.to_string()).unwrap();
        assert_eq!(import.not_used, []);
        let again = parse(&import.text()).unwrap();
        for (one, other) in indicators.iter().zip(&again) {
            // STIX requires a beginning; what has none begins in 1970.
            let begun = one.valid_from.unwrap_or(Timestamp::UNIX_EPOCH);
            assert_eq!(
                (&one.pattern, &one.name, one.valid_until),
                (&other.pattern, &other.name, other.valid_until)
            );
            assert_eq!(Some(begun), other.valid_from);
        }
        assert_eq!(write("mine", &again, Timestamp::UNIX_EPOCH), written);
    }
}
