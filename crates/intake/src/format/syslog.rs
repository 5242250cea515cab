//! Syslog messages of RFC 5424 and of RFC 3164. The line stays whole under `metadata.syslog.raw`.

use jiff::civil::Date;
use jiff::{SignedDuration, Timestamp};
use reeve_audit::json::Object;
use reeve_audit::{format_instant, parse_instant};

use crate::item::{Item, ItemClaim};
use crate::rejection::Rejection;

/// Member of `metadata` with what is left over.
const KEPT: &str = "syslog";
/// Largest priority: facility 23, severity 7.
const MAX_PRIORITY: u16 = 191;
/// Parameters of structured data that are read; further ones stay in the raw line alone.
const MAX_PARAMETERS: usize = 256;
const MONTHS: [&str; 12] = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
];
const FACILITIES: [&str; 24] = [
    "kern", "user", "mail", "daemon", "auth", "syslog", "lpr", "news", "uucp", "cron", "authpriv",
    "ftp", "ntp", "audit", "alert", "clock", "local0", "local1", "local2", "local3", "local4",
    "local5", "local6", "local7",
];

/// Fields of a header.
#[derive(Debug, Default)]
struct Header<'l> {
    time: Option<Timestamp>,
    host: Option<&'l str>,
    application: Option<&'l str>,
    process: Option<&'l str>,
    message_id: Option<&'l str>,
    structured: Object,
    message: &'l str,
}

/// Maps a line. `now` gives the year that a time of RFC 3164 lacks.
pub(crate) fn map(line: &[u8], now: Timestamp) -> Result<ItemClaim, Rejection> {
    let text = String::from_utf8_lossy(line);
    let Some((priority, rest)) = priority(&text) else {
        let message = "a line must begin with its priority, as <13>";
        return Err(Rejection::new("", message));
    };
    let header = match rest.strip_prefix("1 ") {
        Some(rest) => standard(rest).ok_or_else(|| {
            let message = "the header has not the seven fields of RFC 5424";
            Rejection::new("", message)
        })?,
        None => older(rest, now),
    };

    let (facility, severity) = (usize::from(priority / 8), priority % 8);
    let mut kept = Object::new();
    kept.insert(
        "facility",
        FACILITIES.get(facility).copied().unwrap_or("local7"),
    );
    kept.insert("severity", u32::from(severity));
    for (name, value) in [
        ("app_name", header.application),
        ("proc_id", header.process),
        ("msg_id", header.message_id),
        (
            "message",
            Some(header.message).filter(|text| !text.is_empty()),
        ),
    ] {
        if let Some(value) = value {
            kept.insert(name, value);
        }
    }
    if !header.structured.is_empty() {
        kept.insert("structured_data", header.structured);
    }
    match std::str::from_utf8(line) {
        Ok(line) => kept.insert("raw", line),
        Err(_) => kept.insert("raw_base64", encoded(line)),
    };

    let mut item = Item::of(Object::new());
    // Facilities 4 and 10 are of security and authorization (RFC 5424, table 1).
    let is_security = matches!(facility, 4 | 10 | 13);
    item.set(
        "event_type",
        if is_security {
            "authentication.message"
        } else {
            "system.message"
        },
    );
    item.set("severity", severity_name(severity));
    item.set_text("timestamp", header.time.map(format_instant));
    item.set_text("actor.id", header.application);
    if header.application.is_some() {
        item.set("actor.type", "service");
    }
    if let Some(host) = header.host {
        item.set("resource.type", "host");
        item.set("resource.id", host);
    }
    item.set_text("action.operation", header.message_id);
    item.set(&format!("metadata.{KEPT}"), kept);
    Ok(item.finish(KEPT, None))
}

fn encoded(bytes: &[u8]) -> String {
    use base64::Engine as _;
    base64::engine::general_purpose::STANDARD.encode(bytes)
}

fn severity_name(severity: u16) -> &'static str {
    match severity {
        0..=2 => "critical",
        3 => "high",
        4 => "medium",
        5 => "low",
        _ => "info",
    }
}

fn priority(line: &str) -> Option<(u16, &str)> {
    let (digits, rest) = line.strip_prefix('<')?.split_once('>')?;
    let is_number = (1..=3).contains(&digits.len()) && digits.bytes().all(|b| b.is_ascii_digit());
    let number = digits.parse().ok().filter(|_| is_number)?;
    (number <= MAX_PRIORITY).then_some((number, rest))
}

fn given(field: &str) -> Option<&str> {
    (field != "-" && !field.is_empty()).then_some(field)
}

/// Reads what follows the version in RFC 5424.
fn standard(rest: &str) -> Option<Header<'_>> {
    let mut fields = rest.splitn(6, ' ');
    let mut next = || fields.next();
    let (time, host, application) = (next()?, next()?, next()?);
    let (process, message_id, rest) = (next()?, next()?, next()?);
    let (structured, message) = structured_data(rest)?;
    Some(Header {
        time: given(time).and_then(|time| parse_instant(time).ok()),
        host: given(host),
        application: given(application),
        process: given(process),
        message_id: given(message_id),
        structured,
        // A message in UTF-8 begins with a byte order mark (section 6.4).
        message: message.strip_prefix('\u{feff}').unwrap_or(message),
    })
}

/// Reads the structured data; returns it with the message.
fn structured_data(text: &str) -> Option<(Object, &str)> {
    let mut elements = Object::new();
    if let Some(rest) = text.strip_prefix('-') {
        return Some((elements, rest.strip_prefix(' ').unwrap_or(rest)));
    }
    let (mut rest, mut count) = (text, 0);
    while let Some(element) = rest.strip_prefix('[') {
        let end = element.find([' ', ']'])?;
        let (id, mut inner) = element.split_at(end);
        let mut parameters = Object::new();
        while let Some(parameter) = inner.strip_prefix(' ') {
            let (name, quoted) = parameter.split_once("=\"")?;
            let (value, after) = quoted_value(quoted)?;
            count += 1;
            if count <= MAX_PARAMETERS {
                parameters.insert(name, value);
            }
            inner = after;
        }
        rest = inner.strip_prefix(']')?;
        elements.insert(id, parameters);
    }
    let is_some = rest.len() < text.len();
    is_some.then(|| (elements, rest.strip_prefix(' ').unwrap_or(rest)))
}

/// Reads up to the closing quote; `\"`, `\\` and `\]` are escapes.
fn quoted_value(text: &str) -> Option<(String, &str)> {
    let (mut value, mut escaped) = (String::new(), false);
    for (at, c) in text.char_indices() {
        match (escaped, c) {
            (false, '\\') => escaped = true,
            (false, '"') => return Some((value, &text[at + 1..])),
            (true, c) if !matches!(c, '"' | '\\' | ']') => {
                value.push('\\');
                value.push(c);
                escaped = false;
            }
            (_, c) => {
                value.push(c);
                escaped = false;
            }
        }
    }
    None
}

/// Reads a message of RFC 3164, whose fields may all be missing.
fn older(text: &str, now: Timestamp) -> Header<'_> {
    let (time, rest) = match older_time(text, now) {
        Some((time, rest)) => (Some(time), rest),
        None => (None, text),
    };
    let mut header = Header {
        time,
        message: rest,
        ..Header::default()
    };
    // Without a time there is no telling whether the first word is a host.
    let mut rest = rest;
    if time.is_some()
        && let Some((host, after)) = rest.split_once(' ')
        && !host.contains([':', '['])
    {
        header.host = given(host);
        rest = after;
    }
    let tag_end = rest.find(|c: char| !(c.is_ascii_alphanumeric() || "-_./".contains(c)));
    if let Some(end) = tag_end.filter(|end| (1..=48).contains(end)) {
        let (tag, after) = rest.split_at(end);
        let process = after
            .strip_prefix('[')
            .and_then(|inner| inner.split_once(']'));
        let (process, after) = match process {
            Some((process, after)) => (given(process), after),
            None => (None, after),
        };
        if let Some(message) = after.strip_prefix(':') {
            header.application = Some(tag);
            header.process = process;
            rest = message.strip_prefix(' ').unwrap_or(message);
        }
    }
    header.message = rest;
    header
}

/// Reads `Nov 28 10:00:00 `, in UTC and in the year that is nearest to the present.
fn older_time(text: &str, now: Timestamp) -> Option<(Timestamp, &str)> {
    if let Some((first, rest)) = text.split_once(' ')
        && first.len() >= 20
        && let Ok(time) = parse_instant(first)
    {
        return Some((time, rest));
    }
    let (head, rest) = text.split_at_checked(16)?;
    let month = MONTHS.iter().position(|month| head.starts_with(month))?;
    let number = |part: &str| part.trim_start().parse::<i8>().ok();
    let bytes = head.as_bytes();
    if bytes[3] != b' '
        || bytes[6] != b' '
        || bytes[9] != b':'
        || bytes[12] != b':'
        || bytes[15] != b' '
    {
        return None;
    }
    let (day, hour) = (number(head.get(4..6)?)?, number(head.get(7..9)?)?);
    let (minute, second) = (number(head.get(10..12)?)?, number(head.get(13..15)?)?);
    let year = now.to_zoned(jiff::tz::TimeZone::UTC).year();
    let of_year = |year: i16| {
        let date = Date::new(year, i8::try_from(month).ok()? + 1, day).ok()?;
        let time = jiff::civil::Time::new(hour, minute, second, 0).ok()?;
        let zoned = date.to_datetime(time).to_zoned(jiff::tz::TimeZone::UTC);
        Some(zoned.ok()?.timestamp())
    };
    // A message of December that arrives in January is of the year before.
    let ahead = now.checked_add(SignedDuration::from_hours(48)).ok()?;
    let time = of_year(year)
        .filter(|time| *time <= ahead)
        .or_else(|| of_year(year - 1))?;
    Some((time, rest))
}

#[cfg(test)]
pub(crate) const SAMPLE: &str = "<34>1 2026-11-28T10:00:00.003Z gate sshd 412 LOGIN [origin ip=\"10.0.0.7\"][x@1 a=\"q\\\"]\" b=\"\\n\"] \u{feff}Failed password for root";

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use reeve_audit::Json;

    use super::*;

    fn mapped(line: &str) -> Json {
        let now = "2026-01-02T00:00:00Z".parse().unwrap();
        Json::Object(map(line.as_bytes(), now).unwrap().members)
    }

    #[test]
    fn the_newer_form_has_structured_data() {
        let entry = mapped(SAMPLE);
        let kept = entry.get("metadata").unwrap().get("syslog").unwrap();
        assert_eq!(
            kept.get("structured_data").unwrap().to_string(),
            r#"{"origin":{"ip":"10.0.0.7"},"x@1":{"a":"q\"]","b":"\\n"}}"#
        );
        assert_eq!(
            kept.get("message").unwrap().as_str(),
            Some("Failed password for root")
        );
        assert_eq!(entry.get("severity").unwrap().as_str(), Some("critical"));
        assert_eq!(
            entry.get("event_type").unwrap().as_str(),
            Some("authentication.message")
        );
    }

    #[test]
    fn the_older_form_gets_its_year() {
        for (line, time, host, application, message) in [
            (
                "<13>Dec 31 23:59:58 gate su[7]: on /dev/pts/8",
                Some("2025-12-31T23:59:58.000Z"),
                Some("gate"),
                Some("su"),
                "on /dev/pts/8",
            ),
            (
                "<13>Jan  2 01:00:00 gate kernel: x",
                Some("2026-01-02T01:00:00.000Z"),
                Some("gate"),
                Some("kernel"),
                "x",
            ),
            ("<13>logger: hello", None, None, Some("logger"), "hello"),
            ("<13>only words here", None, None, None, "only words here"),
            (
                "<13>2026-01-01T10:00:00.5Z gate app: y",
                Some("2026-01-01T10:00:00.500Z"),
                Some("gate"),
                Some("app"),
                "y",
            ),
        ] {
            let entry = mapped(line);
            let text = |value: Option<&Json>| value.and_then(Json::as_str).map(str::to_owned);
            assert_eq!(text(entry.get("timestamp")).as_deref(), time, "{line}");
            let host_found = text(entry.get("resource").and_then(|one| one.get("id")));
            assert_eq!(host_found.as_deref(), host, "{line}");
            let actor = text(entry.get("actor").and_then(|one| one.get("id")));
            assert_eq!(actor.as_deref(), application, "{line}");
            let kept = entry.get("metadata").unwrap().get("syslog").unwrap();
            assert_eq!(
                kept.get("message").unwrap().as_str(),
                Some(message),
                "{line}"
            );
            assert_eq!(kept.get("raw").unwrap().as_str(), Some(line));
        }
    }

    #[test]
    fn lines_without_a_priority_are_refused() {
        for line in ["", "hello", "<999>x", "<-1>x", "<1", "<1>1 - - -"] {
            assert!(
                map(line.as_bytes(), Timestamp::UNIX_EPOCH).is_err(),
                "{line}"
            );
        }
    }
}
