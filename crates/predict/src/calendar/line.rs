//! Content lines (RFC 5545, 3.1): unfolded, a name, parameters, a value; and the components they
//! make up.

use super::{CalendarError, MOST_BYTES, MOST_EVENTS};

/// Levels of components: a calendar, its events, their alarms.
const DEEPEST: usize = 4;
/// Bytes of one unfolded line: a long list of dates, or a description that nobody reads here.
const LONGEST: usize = 64 * 1024;

#[derive(Debug, Clone, PartialEq)]
pub(super) struct Property {
    /// Its line in the text, counted from 1.
    pub(super) line: usize,
    /// Name in upper case.
    pub(super) name: String,
    /// Parameters: name in upper case, value without quotes.
    pub(super) parameters: Vec<(String, String)>,
    pub(super) value: String,
}

impl Property {
    pub(super) fn parameter(&self, name: &str) -> Option<&str> {
        self.parameters
            .iter()
            .find(|(known, _)| known == name)
            .map(|(_, value)| value.as_str())
    }

    /// An error about it.
    pub(super) fn wrong(&self, what: impl std::fmt::Display) -> CalendarError {
        CalendarError(format!("line {}: {}: {what}", self.line, self.name))
    }
}

/// Properties of a calendar's text: its own, and those of each event without its alarms.
#[derive(Debug, Default)]
pub(super) struct Lines {
    pub(super) calendar: Vec<Property>,
    pub(super) events: Vec<Vec<Property>>,
}

/// Unfolds a text and reads its components.
pub(super) fn read(text: &str) -> Result<Lines, CalendarError> {
    if text.len() > MOST_BYTES {
        return Err(CalendarError(format!(
            "it has {} bytes, at most {MOST_BYTES} are read",
            text.len()
        )));
    }

    let mut found = Lines::default();
    // Names of the components that are open, outermost first.
    let mut open: Vec<String> = Vec::new();
    let mut begun = false;

    for (number, line) in unfolded(text)? {
        let property = property(number, &line)?;
        let inside: Vec<&str> = open.iter().map(String::as_str).collect();
        match (property.name.as_str(), inside.as_slice()) {
            ("BEGIN", _) => {
                let component = property.value.trim().to_ascii_uppercase();
                if open.is_empty() && component != "VCALENDAR" {
                    return Err(property.wrong("the text must begin with BEGIN:VCALENDAR"));
                }
                if open.len() >= DEEPEST {
                    return Err(property.wrong("components nest too deep"));
                }
                if open.len() == 1 && component == "VEVENT" {
                    if found.events.len() >= MOST_EVENTS {
                        return Err(property.wrong(format!("more than {MOST_EVENTS} events")));
                    }
                    found.events.push(Vec::new());
                }
                begun = true;
                open.push(component);
            }
            ("END", _) => match open.pop() {
                Some(component) if component == property.value.trim().to_ascii_uppercase() => {}
                _ => return Err(property.wrong("does not fit what was begun")),
            },
            (_, []) => return Err(property.wrong("stands outside BEGIN:VCALENDAR")),
            (_, ["VCALENDAR"]) => found.calendar.push(property),
            (_, ["VCALENDAR", "VEVENT"]) => found
                .events
                .last_mut()
                .into_iter()
                .for_each(|event| event.push(property.clone())),
            _ => {}
        }
    }

    match open.last() {
        Some(component) => Err(CalendarError(format!("END:{component} is missing"))),
        None if !begun => Err(CalendarError(
            "it is empty: BEGIN:VCALENDAR is missing".to_owned(),
        )),
        None => Ok(found),
    }
}

/// Lines with their continuations joined, each with its number.
fn unfolded(text: &str) -> Result<Vec<(usize, String)>, CalendarError> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut found: Vec<(usize, String)> = Vec::new();

    for (index, line) in text.lines().enumerate() {
        let line = line.strip_suffix('\r').unwrap_or(line);
        match (line.strip_prefix([' ', '\t']), found.last_mut()) {
            (Some(more), Some((number, last))) => {
                if last.len() + more.len() > LONGEST {
                    return Err(CalendarError(format!(
                        "line {number} is longer than {LONGEST} bytes"
                    )));
                }
                last.push_str(more);
            }
            _ if line.trim().is_empty() => {}
            _ => found.push((index + 1, line.to_owned())),
        }
    }

    Ok(found)
}

fn property(line: usize, text: &str) -> Result<Property, CalendarError> {
    let wrong = |what: &str| CalendarError(format!("line {line}: {what}"));
    let end = text
        .find([';', ':'])
        .ok_or_else(|| wrong("it has no colon"))?;
    let name = text[..end].to_ascii_uppercase();
    if name.is_empty()
        || !name
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
    {
        return Err(wrong("it does not begin with a property's name"));
    }

    let mut rest = &text[end..];
    let mut parameters = Vec::new();

    while let Some(after) = rest.strip_prefix(';') {
        let equals = after
            .find('=')
            .ok_or_else(|| wrong("a parameter has no value"))?;
        let (key, from) = (after[..equals].to_ascii_uppercase(), &after[equals + 1..]);
        // A quoted value may hold what would end it.
        let length = match from.strip_prefix('"') {
            Some(quoted) => {
                quoted
                    .find('"')
                    .ok_or_else(|| wrong("a quote is not closed"))?
                    + 2
            }
            None => from
                .find([';', ':'])
                .ok_or_else(|| wrong("it has no value"))?,
        };
        parameters.push((key, from[..length].trim_matches('"').to_owned()));
        rest = &from[length..];
    }

    let value = rest
        .strip_prefix(':')
        .ok_or_else(|| wrong("it has no value"))?;
    Ok(Property {
        line,
        name,
        parameters,
        value: value.to_owned(),
    })
}
