//! Occurrences of events within a span, with a bound on the work and on what comes of it.

use std::collections::BTreeSet;

use jiff::civil::DateTime;
use jiff::{SignedDuration, Timestamp};

use super::CalendarError;
use super::event::CalendarEvent;
use super::value::{Wall, place};

/// Steps of all recurrences of one calendar: daily for a century is 73,000.
const MOST_STEPS: usize = 200_000;
/// Occurrences of one answer.
const MOST_OCCURRENCES: usize = 20_000;

/// An event at one time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Occurrence {
    /// Summary of the event.
    pub label: String,
    /// Start of the occurrence.
    pub start: Timestamp,
    /// End of the occurrence.
    pub end: Timestamp,
    /// The zone its times are written in (IANA); `None` where that zone has no name.
    pub zone: Option<String>,
    /// It has a date and no time.
    pub whole_day: bool,
}

/// Occurrences that end after `from` and begin before `until`, by beginning. One without length
/// counts at its beginning.
pub(super) fn occurrences(
    events: &[CalendarEvent],
    from: Timestamp,
    until: Timestamp,
) -> Result<Vec<Occurrence>, CalendarError> {
    let replaced: BTreeSet<(&str, Timestamp)> = events
        .iter()
        .filter_map(|event| Some((event.uid.as_str(), event.instead_of?)))
        .collect();
    let (mut found, mut steps) = (Vec::new(), MOST_STEPS);

    for event in events.iter().filter(|event| !event.cancelled) {
        let except: BTreeSet<Timestamp> = event
            .except
            .iter()
            .map(Wall::instant)
            .collect::<Result<_, _>>()?;
        let starts = walls(event, until, &mut steps);
        for at in starts.map_err(|error| CalendarError(format!("{}: {error}", event.label)))? {
            let start = place(at, &event.start.zone)?;
            let moved =
                event.instead_of.is_none() && replaced.contains(&(event.uid.as_str(), start));
            if start >= until || moved || except.contains(&start) {
                continue;
            }
            let end = event.length.end(at, &event.start.zone)?;
            if end > from || (end == start && start >= from) {
                let zone = event.start.zone.iana_name().map(str::to_owned);
                found.push(Occurrence {
                    label: event.label.clone(),
                    start,
                    end,
                    zone,
                    whole_day: event.start.whole_day,
                });
            }
            if found.len() > MOST_OCCURRENCES {
                return Err(CalendarError(format!(
                    "there are more than {MOST_OCCURRENCES} occurrences"
                )));
            }
        }
    }

    found.sort_by(|a, b| a.start.cmp(&b.start).then_with(|| a.label.cmp(&b.label)));
    found.dedup_by(|a, b| (&a.label, a.start, a.end) == (&b.label, b.start, b.end));
    Ok(found)
}

/// The wall times at which an event begins, up to a time.
fn walls(
    event: &CalendarEvent,
    until: Timestamp,
    steps: &mut usize,
) -> Result<BTreeSet<DateTime>, CalendarError> {
    let zone = &event.start.zone;
    let mut found = BTreeSet::from([event.start.at]);
    for more in &event.more {
        let there = more.instant()?.to_zoned(zone.clone()).datetime();
        found.insert(if more.whole_day { more.at } else { there });
    }

    if let Some(recurrence) = event
        .recurrence
        .as_ref()
        .filter(|_| event.instead_of.is_none())
    {
        // A day more, because the wall may be ahead of UTC.
        let last = until
            .checked_add(SignedDuration::from_hours(24))
            .unwrap_or(until)
            .to_zoned(zone.clone())
            .datetime();
        found.extend(recurrence.walls(event.start.at, last, steps)?);
    }

    Ok(found)
}
