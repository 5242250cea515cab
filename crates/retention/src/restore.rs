//! A restore: entries of the cold tier that can be searched for some days.

use jiff::{SignedDuration, Timestamp};
use reeve_audit::{FieldCode, FieldError};
use serde::{Deserialize, Serialize};

/// Most restores in force at once.
pub const MAX_RESTORES: usize = 50;
/// Longest time that a restore lasts, days.
const MOST_DAYS: u32 = 365;
const LONGEST_REASON: usize = 2_000;

/// Request for the entries of a period.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Restore {
    pub id: String,
    /// First `timestamp` that is asked for.
    pub start_time: Timestamp,
    /// Last `timestamp` that is asked for.
    pub end_time: Timestamp,
    /// Days for which the entries can be searched once all are there.
    pub days: u32,
    /// Reason for the request.
    pub reason: String,
    /// User who requested it, by address.
    pub created_by: String,
    pub created_at: Timestamp,
    /// Time at which all segments were there.
    pub ready_at: Option<Timestamp>,
    /// Reason why a segment could not be fetched at the newest attempt.
    pub obstacle: Option<String>,
    /// Its end; `None` while it is in force.
    pub ended: Option<RestoreEnd>,
    /// 1 at first; grows with its end.
    pub version: u64,
}

/// End of a restore.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RestoreEnd {
    /// User who ended it; `None` if its days had passed.
    pub by: Option<String>,
    pub at: Timestamp,
}

/// Segments of the cold tier that a restore asks for, and how far it has come.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct RestoreProgress {
    /// Segments of the period.
    pub segments: u64,
    /// Entries in these segments.
    pub entries: u64,
    /// Bytes of their files.
    pub bytes: u64,
    /// Segments that are there.
    pub restored_segments: u64,
}

impl RestoreProgress {
    /// Returns `true` if nothing is left to fetch.
    pub fn is_complete(&self) -> bool {
        self.restored_segments == self.segments
    }
}

impl Restore {
    /// Checks the members that people write.
    ///
    /// # Errors
    /// Names the first member that cannot be taken.
    pub fn check(&self) -> Result<(), FieldError> {
        let wrong = |field: &str, message: String| {
            Err(FieldError::new(field, FieldCode::InvalidValue, message))
        };
        if self.end_time < self.start_time {
            return wrong("end_time", "must not be before start_time".to_owned());
        }
        if !(1..=MOST_DAYS).contains(&self.days) {
            return wrong("days", format!("must be 1 to {MOST_DAYS}"));
        }
        if self.reason.chars().count() > LONGEST_REASON {
            return wrong(
                "reason",
                format!("must have at most {LONGEST_REASON} characters"),
            );
        }
        Ok(())
    }

    /// Returns `true` until it ends.
    pub fn is_in_force(&self) -> bool {
        self.ended.is_none()
    }

    /// Returns the time at which it ends; `None` before all segments are there.
    pub fn ends_at(&self) -> Option<Timestamp> {
        let days = SignedDuration::from_hours(24 * i64::from(self.days));
        self.ready_at
            .map(|ready_at| ready_at.checked_add(days).unwrap_or(Timestamp::MAX))
    }

    /// Returns `true` if entries of a span of times, ms since the epoch, are asked for.
    pub fn touches(&self, min_ms: i64, max_ms: i64) -> bool {
        self.start_time.as_millisecond() <= max_ms && min_ms <= self.end_time.as_millisecond()
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn faults_name_their_member_and_the_end_follows_from_readiness() {
        let at = |second: i64| Timestamp::from_second(second).unwrap();
        let sound = Restore {
            id: "r".into(),
            start_time: at(10),
            end_time: at(20),
            days: 1,
            reason: String::new(),
            created_by: "a@example.com".into(),
            created_at: at(0),
            ready_at: None,
            obstacle: None,
            ended: None,
            version: 1,
        };
        assert!(sound.check().is_ok());
        assert_eq!(sound.ends_at(), None);
        for (touched, span) in [
            (false, (0, 9_999)),
            (true, (0, 10_000)),
            (true, (20_000, 30_000)),
            (false, (20_001, 30_000)),
        ] {
            assert_eq!(sound.touches(span.0, span.1), touched, "{span:?}");
        }

        type Change = fn(&mut Restore);
        let cases: [(&str, Change); 4] = [
            ("end_time", |restore| {
                restore.end_time = Timestamp::UNIX_EPOCH
            }),
            ("days", |restore| restore.days = 0),
            ("days", |restore| restore.days = 366),
            ("reason", |restore| restore.reason = "x".repeat(2_001)),
        ];
        for (field, change) in cases {
            let mut restore = sound.clone();
            change(&mut restore);
            assert_eq!(restore.check().unwrap_err().path, field);
        }

        let ready = Restore {
            ready_at: Some(at(5)),
            ..sound
        };
        assert_eq!(ready.ends_at(), Some(at(86_405)));
    }
}
