//! Lists of indicators on the wire.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use reeve_anomalies::threat::ThreatList;
use reeve_anomalies::threat::feed::ThreatFeed;
use reeve_anomalies::threat::stix::NotUsed;

use crate::time;
use crate::wire::form::enumeration::ThreatFeedFormat;

/// A list of indicators, without them.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct ThreatListBody {
    pub name: String,
    /// `api`, or `file` for one that lies in `threat-lists/` of the data directory and is changed
    /// there alone.
    pub source: String,
    pub indicator_count: u64,
    /// Time of storing, or of the file's last change.
    pub updated_at: String,
    /// User who stored it.
    pub updated_by: String,
    /// Address that it is kept as; absent without one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub feed: Option<ThreatFeedBody>,
}

/// Address that a list is read from, and how its readings went.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct ThreatFeedBody {
    pub url: String,
    pub format: ThreatFeedFormat,
    /// Hours between two readings.
    pub every_hours: u32,
    /// Time of the next reading.
    pub next_at: String,
    /// Time of the last reading, successful or not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_at: Option<String>,
    /// Time of the last successful reading.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub succeeded_at: Option<String>,
    /// Failure of the last reading; the list is as the successful one before left it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// Indicators of the last bundle that threat lists cannot hold.
    pub not_used: u64,
}

/// An address that a list is to be kept as.
#[derive(Debug, Clone, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ThreatFeedPut {
    /// Address of the list, https only.
    pub url: String,
    pub format: ThreatFeedFormat,
    /// Hours between two readings, 1 to 168.
    pub every_hours: u32,
}

/// Result of the import of a STIX bundle.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct StixImportBody {
    #[serde(flatten)]
    pub list: ThreatListBody,
    /// Indicators of the bundle that are not used; at most 100 of them.
    pub not_used: Vec<StixNotUsedBody>,
    /// Number of all indicators that are not used.
    pub not_used_count: u64,
}

/// Indicator of a bundle that is not used.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct StixNotUsedBody {
    /// Identifier in the bundle.
    pub id: String,
    pub pattern: String,
    pub reason: String,
}

/// A list with its text.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct ThreatListTextBody {
    #[serde(flatten)]
    pub about: ThreatListBody,
    /// The indicators, one a line: `value[,name[,from[,until]]]`, where the value is an address, a network
    /// (`198.51.100.0/24`) or `user_agent:` and a part of one.
    pub indicators: String,
}

/// New content of a list.
#[derive(Debug, Clone, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ThreatListPut {
    /// The indicators, one a line: `value[,name[,from[,until]]]`, where the value is an address, a network
    /// (`198.51.100.0/24`) or `user_agent:` and a part of one. What follows `#` is passed over.
    pub indicators: String,
}

impl From<&ThreatList> for ThreatListBody {
    fn from(list: &ThreatList) -> Self {
        ThreatListBody {
            name: list.name.clone(),
            source: if list.from_file { "file" } else { "api" }.to_owned(),
            indicator_count: list.indicators,
            updated_at: time::text(list.updated_at),
            updated_by: list.by.clone(),
            feed: None,
        }
    }
}

impl ThreatListBody {
    /// Converts a list with its feed, where it has one among these.
    #[must_use]
    pub fn with_feed(list: &ThreatList, feeds: &[ThreatFeed]) -> ThreatListBody {
        let feed = feeds.iter().find(|feed| feed.name == list.name);
        ThreatListBody {
            feed: feed.map(ThreatFeedBody::from),
            ..ThreatListBody::from(list)
        }
    }
}

impl From<&ThreatFeed> for ThreatFeedBody {
    fn from(feed: &ThreatFeed) -> Self {
        ThreatFeedBody {
            url: feed.url.clone(),
            format: feed.format.into(),
            every_hours: feed.every_hours,
            next_at: time::text(feed.due_at),
            last_at: feed.last_at.map(time::text),
            succeeded_at: feed.succeeded_at.map(time::text),
            error: feed.error.clone(),
            not_used: feed.not_used,
        }
    }
}

impl From<&NotUsed> for StixNotUsedBody {
    fn from(not_used: &NotUsed) -> Self {
        StixNotUsedBody {
            id: not_used.id.clone(),
            pattern: not_used.pattern.clone(),
            reason: not_used.reason.clone(),
        }
    }
}
