//! From an iCalendar text to its events.

use jiff::tz::TimeZone;

use super::event::{CalendarEvent, Length};
use super::line::{self, Property};
use super::recur::Recurrence;
use super::value::{Wall, wall};
use super::{CalendarError, zone};

/// Dates of one event beside its rule.
const MOST_DATES: usize = 2_000;

/// The events of a text; times without a zone are of `given`, else of the text's own zone, else of
/// UTC.
pub(super) fn events(
    text: &str,
    given: Option<TimeZone>,
) -> Result<Vec<CalendarEvent>, CalendarError> {
    let lines = line::read(text)?;
    let own = lines
        .calendar
        .iter()
        .find(|property| property.name == "X-WR-TIMEZONE");
    let usual = match (given, own) {
        (Some(zone), _) => zone,
        (None, Some(property)) => zone(&property.value).map_err(|error| property.wrong(error))?,
        (None, None) => TimeZone::UTC,
    };

    lines
        .events
        .iter()
        .enumerate()
        .map(|(index, properties)| event(properties, index, &usual))
        .collect()
}

/// A text property, its escapes read, at most 200 characters without control characters.
fn text(properties: &[Property], name: &str) -> Option<String> {
    let raw = &properties
        .iter()
        .find(|property| property.name == name)?
        .value;
    let mut plain = String::new();
    let mut left = raw.chars();

    while let Some(c) = left.next() {
        match if c == '\\' {
            left.next()
                .map(|c| if matches!(c, 'n' | 'N') { ' ' } else { c })
        } else {
            Some(c)
        } {
            Some(c) if !c.is_control() => plain.push(c),
            _ => {}
        }
    }

    let plain: String = plain.chars().take(200).collect();
    let plain = plain.trim().to_owned();
    (!plain.is_empty()).then_some(plain)
}

fn event(
    properties: &[Property],
    index: usize,
    usual: &TimeZone,
) -> Result<CalendarEvent, CalendarError> {
    let one = |name: &str| properties.iter().find(|property| property.name == name);
    let time = |property: &Property| {
        let zone = zone_of(property, usual)?;
        wall(property.value.trim(), &zone).map_err(|error| property.wrong(error))
    };

    let label = text(properties, "SUMMARY").or_else(|| text(properties, "UID"));
    let label = label.unwrap_or_else(|| format!("event {}", index + 1));
    let begins =
        one("DTSTART").ok_or_else(|| CalendarError(format!("{label}: DTSTART is missing")))?;
    let start = time(begins)?;
    let end = one("DTEND").map(time).transpose()?;
    let length = Length::new(
        &start,
        end.as_ref(),
        one("DURATION").map(|property| property.value.trim()),
    );

    let rules: Vec<&Property> = properties
        .iter()
        .filter(|property| property.name == "RRULE")
        .collect();
    let recurrence = match rules.as_slice() {
        [] => None,
        [one] => Some(Recurrence::read(&one.value, &start).map_err(|error| one.wrong(error))?),
        [_, second, ..] => return Err(second.wrong("an event has one recurrence at most")),
    };

    let instead_of = match one("RECURRENCE-ID") {
        Some(property) if property.parameter("RANGE").is_some() => {
            return Err(property.wrong("changes of one occurrence and all later ones are not read"));
        }
        Some(property) => Some(time(property)?.instant()?),
        None => None,
    };

    Ok(CalendarEvent {
        uid: text(properties, "UID").unwrap_or_default(),
        label,
        length: length.map_err(|error| begins.wrong(error))?,
        recurrence,
        more: dates(properties, "RDATE", usual)?,
        except: dates(properties, "EXDATE", usual)?,
        instead_of,
        cancelled: one("STATUS")
            .is_some_and(|property| property.value.trim().eq_ignore_ascii_case("CANCELLED")),
        start,
    })
}

fn zone_of(property: &Property, usual: &TimeZone) -> Result<TimeZone, CalendarError> {
    match property.parameter("TZID") {
        Some(name) => zone(name).map_err(|error| property.wrong(error)),
        None => Ok(usual.clone()),
    }
}

fn dates(
    properties: &[Property],
    name: &str,
    usual: &TimeZone,
) -> Result<Vec<Wall>, CalendarError> {
    let mut found = Vec::new();
    for property in properties.iter().filter(|property| property.name == name) {
        let zone = zone_of(property, usual)?;
        for value in property.value.split(',') {
            if found.len() >= MOST_DATES {
                return Err(property.wrong(format!("more than {MOST_DATES} dates")));
            }
            // Of a period the beginning counts; its end is taken to be the event's own.
            let begin = value.split('/').next().unwrap_or_default().trim();
            found.push(wall(begin, &zone).map_err(|error| property.wrong(error))?);
        }
    }

    Ok(found)
}
