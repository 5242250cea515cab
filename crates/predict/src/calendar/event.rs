//! An event as its component says it.

use jiff::tz::TimeZone;
use jiff::{Span, Timestamp};

use super::CalendarError;
use super::recur::Recurrence;
use super::value::{Wall, duration, place};

/// Duration of an occurrence.
#[derive(Debug, Clone)]
pub(super) enum Length {
    /// So many seconds of time (`DTEND`: RFC 5545, 3.8.5.3).
    Exact(i64),
    /// So much on the wall (`DURATION`, and whole days).
    Nominal(Span),
}

impl Length {
    pub(super) fn new(
        start: &Wall,
        end: Option<&Wall>,
        length: Option<&str>,
    ) -> Result<Length, CalendarError> {
        match (end, length) {
            (Some(_), Some(_)) => Err(CalendarError("it has both DTEND and DURATION".to_owned())),
            (None, Some(text)) => Ok(Length::Nominal(duration(text)?)),
            (Some(end), None) if start.whole_day => {
                let days = start
                    .at
                    .date()
                    .until(end.at.date())
                    .map_err(|error| CalendarError(error.to_string()))?;
                let days = days.get_days();
                if days < 0 {
                    return Err(CalendarError("it ends before it begins".to_owned()));
                }
                Ok(Length::Nominal(Span::new().days(days.max(1))))
            }
            (Some(end), None) => {
                let seconds = end.instant()?.duration_since(start.instant()?).as_secs();
                if seconds < 0 {
                    return Err(CalendarError("it ends before it begins".to_owned()));
                }
                Ok(Length::Exact(seconds))
            }
            (None, None) if start.whole_day => Ok(Length::Nominal(Span::new().days(1))),
            (None, None) => Ok(Length::Exact(0)),
        }
    }

    /// Returns the end of an occurrence with this start.
    pub(super) fn end(
        &self,
        start: jiff::civil::DateTime,
        zone: &TimeZone,
    ) -> Result<Timestamp, CalendarError> {
        match self {
            Length::Exact(seconds) => {
                let start = place(start, zone)?;
                start
                    .checked_add(jiff::SignedDuration::from_secs(*seconds))
                    .map_err(|error| CalendarError(error.to_string()))
            }
            Length::Nominal(span) => {
                let end = start
                    .checked_add(*span)
                    .map_err(|error| CalendarError(error.to_string()))?;
                place(end, zone)
            }
        }
    }
}

#[derive(Debug, Clone)]
pub(super) struct CalendarEvent {
    pub(super) uid: String,
    pub(super) label: String,
    pub(super) start: Wall,
    pub(super) length: Length,
    pub(super) recurrence: Option<Recurrence>,
    pub(super) more: Vec<Wall>,
    pub(super) except: Vec<Wall>,
    /// The occurrence of the same UID that this one takes the place of.
    pub(super) instead_of: Option<Timestamp>,
    pub(super) cancelled: bool,
}
