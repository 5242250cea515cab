//! Feeds: addresses that threat lists are read from at an interval.
//!
//! A reading replaces the list as a whole. A reading that fails changes nothing: the list stays as
//! it was, and the failure is kept until the next reading succeeds.

use async_trait::async_trait;
use jiff::{SignedDuration, Timestamp};
use reeve_audit::{FieldCode, FieldError, Obstacle};
use reeve_estate::named;
use serde::{Deserialize, Serialize};

use super::stix;

/// Hours between two readings.
pub const HOURS: std::ops::RangeInclusive<u32> = 1..=168;
/// Wait before a further attempt after a failure; never longer than the interval.
const AFTER_FAILURE: SignedDuration = SignedDuration::from_mins(15);

named!(
    /// Form of the list at the address of a feed.
    FeedFormat {
        /// One indicator a line.
        Text => "text",
        /// A STIX 2.1 bundle.
        Stix => "stix",
    }
);

/// Address that a list is read from, and how its readings went.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ThreatFeed {
    /// Name of the list.
    pub name: String,
    pub url: String,
    pub format: FeedFormat,
    /// Hours between two readings.
    pub every_hours: u32,
    /// Time of the next reading.
    pub due_at: Timestamp,
    /// Time of the last reading, successful or not.
    pub last_at: Option<Timestamp>,
    /// Time of the last successful reading.
    pub succeeded_at: Option<Timestamp>,
    /// Failure of the last reading; `None` if it succeeded.
    pub error: Option<String>,
    /// Indicators of the last bundle that threat lists cannot hold.
    pub not_used: u64,
}

/// Reader of the addresses of feeds, over the guarded client.
#[async_trait]
pub trait ThreatFeedReader: Send + Sync {
    /// Judges an address that a person gives.
    ///
    /// # Errors
    /// The address may not be read.
    fn check(&self, url: &str) -> Result<(), Obstacle>;
    /// Reads the text at an address.
    ///
    /// # Errors
    /// The server did not answer with a text of the permitted size.
    async fn read(&self, url: &str) -> Result<String, Obstacle>;
}

impl ThreatFeed {
    /// Creates a feed that is due at once.
    ///
    /// # Errors
    /// The interval is not one of [`HOURS`].
    pub fn new(
        name: &str,
        url: String,
        format: FeedFormat,
        every_hours: u32,
        now: Timestamp,
    ) -> Result<ThreatFeed, FieldError> {
        if !HOURS.contains(&every_hours) {
            let message = format!("must be {} to {} hours", HOURS.start(), HOURS.end());
            return Err(FieldError::new(
                "every_hours",
                FieldCode::OutOfRange,
                message,
            ));
        }
        Ok(ThreatFeed {
            name: name.to_owned(),
            url,
            format,
            every_hours,
            due_at: now,
            last_at: None,
            succeeded_at: None,
            error: None,
            not_used: 0,
        })
    }

    /// Returns the text of the list that an answer is, and the number of its indicators that cannot
    /// be used.
    ///
    /// # Errors
    /// The bundle cannot be read.
    pub(crate) fn text_of(&self, answer: String) -> Result<(String, u64), Obstacle> {
        match self.format {
            FeedFormat::Text => Ok((answer, 0)),
            FeedFormat::Stix => {
                let import = stix::read(&answer)?;
                Ok((import.text(), import.not_used.len() as u64))
            }
        }
    }

    pub(crate) fn succeed(&mut self, not_used: u64, now: Timestamp) {
        let wait = SignedDuration::from_hours(i64::from(self.every_hours));
        self.due_at = now.saturating_add(wait).unwrap_or(now);
        self.last_at = Some(now);
        self.succeeded_at = Some(now);
        self.error = None;
        self.not_used = not_used;
    }

    pub(crate) fn fail(&mut self, error: String, now: Timestamp) {
        self.due_at = now.saturating_add(AFTER_FAILURE).unwrap_or(now);
        self.last_at = Some(now);
        self.error = Some(error);
    }
}
