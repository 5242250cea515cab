//! References to entries that a receiver refuses.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

/// An entry that a receiver refused when it was sent alone. The entry stays in the log.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DeadLetter {
    /// Position of the entry in the log.
    pub sequence: u64,
    pub event_id: String,
    /// Answer of the receiver, or the reason why the entry could not be written in the format.
    pub reason: String,
    /// Time of the last refusal.
    pub refused_at: Timestamp,
    /// Times that it was sent again and refused.
    pub replays: u32,
}
