//! Calendars on the wire, and the events in them.

use reeve_predict::CalendarInput;
use reeve_predict::calendar::{Calendar, Occurrence, Subscription};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use crate::time;
use crate::wire::form::enumeration::CalendarKind;
use crate::wire::form::given;

/// A calendar, without its text.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct CalendarBody {
    pub id: String,
    pub name: String,
    pub kind: CalendarKind,
    /// Zone of times without one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub time_zone: Option<String>,
    pub events: u64,
    /// SHA-256 of its text.
    pub sha256: String,
    /// Host that the text is read from every hour; absent for an imported text. The rest of the
    /// address may be secret and is not shown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub address: Option<String>,
    /// Time of the last reading of the address.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub checked_at: Option<String>,
    /// Reason why the last reading failed; the text before it is kept.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub problem: Option<String>,
    /// User who created it.
    pub created_by: String,
    /// Time, RFC 3339 UTC with milliseconds.
    pub created_at: String,
    /// Time of the last change.
    pub updated_at: String,
    /// Grows by one with every change.
    pub version: u64,
}

impl From<&Calendar> for CalendarBody {
    fn from(calendar: &Calendar) -> Self {
        let refresh = calendar
            .subscription
            .as_ref()
            .map(|subscription| &subscription.refresh);
        CalendarBody {
            id: calendar.id.0.clone(),
            name: calendar.name.clone(),
            kind: calendar.kind.into(),
            time_zone: calendar.time_zone.clone(),
            // What is kept was read when it was imported.
            events: calendar.events().unwrap_or(0) as u64,
            sha256: calendar.digest(),
            address: calendar.subscription.as_ref().map(Subscription::shown),
            checked_at: refresh
                .and_then(|refresh| refresh.checked_at)
                .map(time::text),
            problem: refresh.and_then(|refresh| refresh.problem.clone()),
            created_by: calendar.created_by.clone(),
            created_at: time::text(calendar.created_at),
            updated_at: time::text(calendar.updated_at),
            version: calendar.version,
        }
    }
}

/// A new calendar, or a change of one: what is left out stays.
#[derive(Debug, Clone, Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct CalendarPut {
    /// Name, 1 to 100 characters.
    pub name: Option<String>,
    /// Kind: `traffic` or `maintenance`.
    #[schema(value_type = Option<CalendarKind>)]
    pub kind: Option<String>,
    /// Zone (IANA) of times that name none; `null` takes it away.
    #[serde(default, deserialize_with = "given")]
    pub time_zone: Option<Option<String>>,
    /// The iCalendar text (RFC 5545), at most 1 MiB.
    pub icalendar: Option<String>,
    /// Address of the iCalendar text (`https` or `webcal`), in place of `icalendar`. It is read at
    /// once and again every hour.
    pub url: Option<String>,
    /// The version that was read; another is a conflict.
    pub version: Option<u64>,
}

impl From<CalendarPut> for CalendarInput {
    fn from(body: CalendarPut) -> Self {
        CalendarInput {
            name: body.name,
            kind: body.kind,
            time_zone: body.time_zone,
            text: body.icalendar,
            url: body.url,
        }
    }
}

/// An event at one time.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct OccurrenceBody {
    pub summary: String,
    pub start: String,
    pub end: String,
    /// The zone it is written in (IANA); absent where that zone has no name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub time_zone: Option<String>,
    /// It has a date and no time: it begins at midnight of its zone.
    pub whole_day: bool,
}

impl From<&Occurrence> for OccurrenceBody {
    fn from(occurrence: &Occurrence) -> Self {
        OccurrenceBody {
            summary: occurrence.label.clone(),
            start: time::text(occurrence.start),
            end: time::text(occurrence.end),
            time_zone: occurrence.zone.clone(),
            whole_day: occurrence.whole_day,
        }
    }
}

/// Time span of the events to answer.
#[derive(Debug, Clone, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub struct OccurrenceParams {
    /// Events that end after this; now unless given.
    pub from: Option<String>,
    /// Events that begin before this; 31 days after `from` unless given, 366 days at most.
    pub until: Option<String>,
    /// At most this many (1 to 1000).
    pub limit: Option<u32>,
    /// After skipping this many.
    pub offset: Option<u64>,
    /// `next_cursor` of the page before.
    pub cursor: Option<String>,
}
