//! Calendars that rules know events from: iCalendar (RFC 5545) texts, imported whole or read from
//! an address, and expanded anew at each evaluation.
//!
//! Times carry their zone: a weekly sale at 09:00 in Berlin stays at 09:00 across the change of
//! clocks. Recurrences are expanded on the wall clock and only then placed in time, with a bound on
//! steps and on what is kept. A text is refused, with its line or event, when it is too large,
//! nests too deep, names an unknown zone or cannot be expanded. Read by hand: the `rrule` crate
//! expands in its own zones with open faults around changes of clocks, and it and `icalendar` turn
//! on features of chrono that have the query engine built anew.

mod event;
mod expand;
mod line;
mod read;
mod recur;
mod subscription;
mod value;

#[cfg(test)]
mod tests;

use jiff::Timestamp;
use jiff::tz::TimeZone;
use reeve_estate::named;
pub use reeve_recommend::predictive::CalendarId;
use sha2::{Digest as _, Sha256};

pub use expand::Occurrence;
pub use subscription::{CalendarFetch, FetchError, FetchedCalendar, Refresh, Subscription};

/// Largest text that is accepted, in bytes.
pub const MOST_BYTES: usize = 1024 * 1024;
/// Events of one calendar.
pub const MOST_EVENTS: usize = 5_000;

named!(
    /// Kind of a calendar.
    CalendarKind {
        /// Events that bring traffic: sales, launches, broadcasts.
        Traffic => "traffic",
        /// Work on systems, such as upgrades.
        Maintenance => "maintenance",
    }
);

/// Calendar of events that affect traffic or systems.
#[derive(Debug, Clone, PartialEq)]
pub struct Calendar {
    pub id: CalendarId,
    pub name: String,
    /// Kind of the calendar.
    pub kind: CalendarKind,
    /// The zone of times that name none (IANA); `None` is the text's own `X-WR-TIMEZONE`, else UTC.
    pub time_zone: Option<String>,
    /// The iCalendar text as it was given or read.
    pub text: String,
    /// Address that the text is read from; `None` for a text that was imported.
    pub subscription: Option<Subscription>,
    /// E-mail address of its creator.
    pub created_by: String,
    pub created_at: Timestamp,
    /// Time of the last change.
    pub updated_at: Timestamp,
    /// Grows with every change.
    pub version: u64,
}

/// Reason why a calendar is refused, naming the line, event or property.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct CalendarError(pub String);

impl Calendar {
    /// Occurrences that end after `from` and begin before `until`, by beginning.
    ///
    /// # Errors
    /// A part of the text cannot be read or expanded.
    pub fn occurrences(
        &self,
        from: Timestamp,
        until: Timestamp,
    ) -> Result<Vec<Occurrence>, CalendarError> {
        let zone = self.time_zone.as_deref().map(zone).transpose()?;
        expand::occurrences(&read::events(&self.text, zone)?, from, until)
    }

    /// Returns the number of events in the text.
    ///
    /// # Errors
    /// The part of the text that cannot be read.
    pub fn events(&self) -> Result<usize, CalendarError> {
        let zone = self.time_zone.as_deref().map(zone).transpose()?;
        Ok(read::events(&self.text, zone)?.len())
    }

    /// SHA-256 of the text, hexadecimal: what the log says of it.
    #[must_use]
    pub fn digest(&self) -> String {
        hex::encode(Sha256::digest(&self.text))
    }
}

/// A zone by its IANA name, or by the name that Windows gives the commonest ones.
pub(super) fn zone(name: &str) -> Result<TimeZone, CalendarError> {
    let name = name.trim().trim_matches('"');
    let iana = WINDOWS
        .iter()
        .find(|(windows, _)| windows.eq_ignore_ascii_case(name))
        .map_or(name, |(_, iana)| *iana);

    // Some programs write `/example.org/20260101/Europe/Berlin`.
    let parts: Vec<&str> = iana.split('/').filter(|part| !part.is_empty()).collect();
    let tail = |count: usize| parts[parts.len().saturating_sub(count)..].join("/");
    [iana.to_owned(), tail(3), tail(2)]
        .iter()
        .find_map(|name| TimeZone::get(name).ok())
        .ok_or_else(|| CalendarError(format!("the time zone {name:?} is not known")))
}

/// From Unicode CLDR's `windowsZones`, the territory-independent ones that calendars are mostly
/// written in.
const WINDOWS: &[(&str, &str)] = &[
    ("UTC", "UTC"),
    ("GMT Standard Time", "Europe/London"),
    ("W. Europe Standard Time", "Europe/Berlin"),
    ("Romance Standard Time", "Europe/Paris"),
    ("Central Europe Standard Time", "Europe/Budapest"),
    ("Central European Standard Time", "Europe/Warsaw"),
    ("E. Europe Standard Time", "Europe/Chisinau"),
    ("FLE Standard Time", "Europe/Kiev"),
    ("GTB Standard Time", "Europe/Bucharest"),
    ("Turkey Standard Time", "Europe/Istanbul"),
    ("Russian Standard Time", "Europe/Moscow"),
    ("Eastern Standard Time", "America/New_York"),
    ("Central Standard Time", "America/Chicago"),
    ("Mountain Standard Time", "America/Denver"),
    ("US Mountain Standard Time", "America/Phoenix"),
    ("Pacific Standard Time", "America/Los_Angeles"),
    ("Atlantic Standard Time", "America/Halifax"),
    ("E. South America Standard Time", "America/Sao_Paulo"),
    ("India Standard Time", "Asia/Kolkata"),
    ("China Standard Time", "Asia/Shanghai"),
    ("Tokyo Standard Time", "Asia/Tokyo"),
    ("Korea Standard Time", "Asia/Seoul"),
    ("Singapore Standard Time", "Asia/Singapore"),
    ("Arabian Standard Time", "Asia/Dubai"),
    ("Israel Standard Time", "Asia/Jerusalem"),
    ("South Africa Standard Time", "Africa/Johannesburg"),
    ("AUS Eastern Standard Time", "Australia/Sydney"),
    ("New Zealand Standard Time", "Pacific/Auckland"),
];
