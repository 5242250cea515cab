//! Restores of entries of the cold tier on the wire.

use reeve_retention::{Restore, RestoreProgress};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::time;

/// State of a restore.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum RestoreState {
    /// Segments are being fetched.
    Fetching,
    /// Everything that was asked for can be searched.
    Ready,
    /// Its days have passed, or a person ended it.
    Ended,
}

/// A restore: entries of the cold tier that can be searched for some days.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct RestoreBody {
    pub id: String,
    /// First `timestamp` that is asked for.
    pub start_time: String,
    /// Last `timestamp` that is asked for.
    pub end_time: String,
    /// Days for which the entries can be searched once all are there.
    pub days: u32,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub reason: String,
    pub state: RestoreState,
    /// Segments of the period in the cold tier; 0 once it has ended.
    pub segments: u64,
    pub entries: u64,
    pub bytes: u64,
    /// Segments that are there.
    pub restored_segments: u64,
    /// Reason why a segment could not be fetched; another attempt follows.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub obstacle: Option<String>,
    pub created_by: String,
    pub created_at: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ready_at: Option<String>,
    /// Time at which it ends, or ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ends_at: Option<String>,
    /// User who ended it; absent if its days had passed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ended_by: Option<String>,
    pub version: u64,
}

impl RestoreBody {
    pub(crate) fn new(restore: &Restore, progress: RestoreProgress) -> Self {
        let ended = restore.ended.as_ref();
        let state = match (ended, restore.ready_at) {
            (Some(_), _) => RestoreState::Ended,
            (None, Some(_)) => RestoreState::Ready,
            (None, None) => RestoreState::Fetching,
        };
        let ends_at = ended.map(|end| end.at).or_else(|| restore.ends_at());
        RestoreBody {
            id: restore.id.clone(),
            start_time: time::text(restore.start_time),
            end_time: time::text(restore.end_time),
            days: restore.days,
            reason: restore.reason.clone(),
            state,
            segments: progress.segments,
            entries: progress.entries,
            bytes: progress.bytes,
            restored_segments: progress.restored_segments,
            obstacle: restore.obstacle.clone(),
            created_by: restore.created_by.clone(),
            created_at: time::text(restore.created_at),
            ready_at: restore.ready_at.map(time::text),
            ends_at: ends_at.map(time::text),
            ended_by: ended.and_then(|end| end.by.clone()),
            version: restore.version,
        }
    }
}

/// A new restore.
#[derive(Debug, Clone, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct RestoreCreate {
    /// First `timestamp` that is asked for (RFC 3339).
    pub start_time: String,
    /// Last `timestamp` that is asked for.
    pub end_time: String,
    /// Days for which the entries can be searched once all are there, 1 to 365.
    pub days: u32,
    /// Reason, at most 2,000 characters.
    #[serde(default)]
    pub reason: String,
}
