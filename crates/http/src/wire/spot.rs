//! Notices about spot capacity on the wire.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// Queue from which a connection receives notices about spot capacity.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct SpotNoticesBody {
    pub connection_id: String,
    /// Address of the queue; null where none is set, so that no notices arrive.
    pub queue_url: Option<String>,
    /// Reason why the last reading failed; empty after one that did not.
    pub failure: String,
    /// Time of the last reading; null before the first.
    pub read_at: Option<String>,
    /// Time of the newest notice; null where none arrived yet.
    pub newest_at: Option<String>,
    /// Notices that were read, each once.
    pub notices: u64,
    /// Events of other kinds by their name: counted, and not used.
    pub other_events: BTreeMap<String, u64>,
    /// Messages that are no events.
    pub unreadable: u64,
    /// Prices and placement scores of each region; empty before the first reading.
    pub markets: Vec<SpotMarketBody>,
    /// Commands of the AWS command line that make a queue and deliver the events to it.
    pub setup: Vec<String>,
}

/// Market of spot capacity of a region, as the last reading left it.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct SpotMarketBody {
    pub region: String,
    /// Time of the last reading.
    pub read_at: Option<String>,
    /// Pools, an instance type in a zone, whose prices are known.
    pub pools: usize,
    /// Days that the prices are of.
    pub days: i64,
    /// Reason why prices could not be read; empty where they were.
    pub price_failure: String,
    /// Scaling groups whose placement scores are known.
    pub groups: usize,
    /// Lowest placement score of a group's zone, of 10; null where none is known.
    pub lowest_score: Option<u32>,
    /// Reason why scores could not be read; empty where they were.
    pub score_failure: String,
    /// Groups without a score, because EC2 answers ten configurations a day.
    pub unasked: u32,
}

/// Queue of a connection.
#[derive(Debug, Clone, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct SpotQueueInput {
    /// Address of an SQS queue, such as `https://sqs.us-east-1.amazonaws.com/111122223333/reeve-spot`.
    pub queue_url: String,
}
