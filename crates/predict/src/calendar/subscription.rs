//! Subscription of a calendar to an address, and the port that reads it.

use async_trait::async_trait;
use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};

/// Time between two readings of an address.
const EVERY: SignedDuration = SignedDuration::from_hours(1);

/// Subscription of a calendar to an address.
#[derive(Debug, Clone, PartialEq)]
pub struct Subscription {
    /// Address of the iCalendar text, `https`. It may hold a secret: answers and the log show its
    /// host alone.
    pub url: String,
    /// State of the last reading.
    pub refresh: Refresh,
}

/// State of a subscription, kept without a new version of its calendar.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Refresh {
    /// Validator of the text that is kept (RFC 9110, section 8.8.3).
    pub etag: Option<String>,
    /// Time of the last reading.
    pub checked_at: Option<Timestamp>,
    /// Reason why the last reading failed. The text before it is kept.
    pub problem: Option<String>,
}

impl Subscription {
    /// Returns the address without what may be secret: `https://calendar.example.com/...`.
    #[must_use]
    pub fn shown(&self) -> String {
        let (scheme, rest) = self.url.split_once("://").unwrap_or(("https", &self.url));
        let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
        let host = authority.rsplit('@').next().unwrap_or_default();
        format!("{scheme}://{host}/...")
    }

    /// Returns `true` if the address is to be read again.
    #[must_use]
    pub fn is_due(&self, now: Timestamp) -> bool {
        self.refresh
            .checked_at
            .is_none_or(|at| now.duration_since(at) >= EVERY)
    }
}

/// Answer of an address.
#[derive(Debug, Clone, PartialEq)]
pub enum FetchedCalendar {
    /// The text is the one that the validator stands for.
    Unchanged,
    /// Another text, with its validator.
    Text {
        /// Complete text of the calendar.
        text: String,
        /// Validator to send with the next request.
        etag: Option<String>,
    },
}

/// Reason why an address was not read, in words for people and without the address.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct FetchError(pub String);

/// Reader of calendar addresses.
///
/// A reader for tests, whose one address has a text that never changes:
///
/// ```
/// use async_trait::async_trait;
/// use reeve_predict::calendar::{CalendarFetch, FetchError, FetchedCalendar};
///
/// struct Fixed;
///
/// #[async_trait]
/// impl CalendarFetch for Fixed {
///     async fn fetch(&self, url: &str, etag: Option<&str>) -> Result<FetchedCalendar, FetchError> {
///         match (url, etag) {
///             ("https://acme.example/sales.ics", Some("v1")) => Ok(FetchedCalendar::Unchanged),
///             ("https://acme.example/sales.ics", _) => Ok(FetchedCalendar::Text {
///                 text: "BEGIN:VCALENDAR\r\nEND:VCALENDAR\r\n".to_owned(),
///                 etag: Some("v1".to_owned()),
///             }),
///             _ => Err(FetchError("the server answers 404".to_owned())),
///         }
///     }
/// }
/// ```
#[async_trait]
pub trait CalendarFetch: Send + Sync {
    /// Reads an address, unless its text is still the one with this validator.
    async fn fetch(&self, url: &str, etag: Option<&str>) -> Result<FetchedCalendar, FetchError>;
}
