//! A cron pattern in a time zone. Local time is kept over daylight saving; refused are patterns
//! that run never or too often.

use croner::Cron;
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};

/// Longest pattern that is read, bytes.
const LONGEST: usize = 100;
/// Runs closer together than this are refused: a run over a large estate takes seconds.
const CLOSEST: SignedDuration = SignedDuration::from_mins(5);

/// Reason why a schedule is refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ScheduleError {
    /// The pattern cannot be read.
    #[error("{0:?} is not a cron pattern of five fields such as \"0 */6 * * *\"")]
    Pattern(String),
    /// The time zone is not known.
    #[error("{0:?} is not an IANA time zone such as Europe/Berlin")]
    Zone(String),
    /// It runs too often, or never.
    #[error("it must run again and again, no closer together than every five minutes")]
    Pace,
}

/// A cron pattern and the time zone it is read in.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Schedule {
    /// Minute, hour, day of month, month, day of week.
    pub pattern: String,
    /// Name of an IANA time zone.
    pub time_zone: String,
}

impl Schedule {
    /// Checks a pattern and a zone.
    ///
    /// # Errors
    /// [`ScheduleError`], each of which names what to write instead.
    pub fn new(pattern: &str, time_zone: &str, now: Timestamp) -> Result<Schedule, ScheduleError> {
        let pattern = pattern.trim();
        if pattern.len() > LONGEST || pattern.split_whitespace().count() != 5 {
            return Err(ScheduleError::Pattern(
                pattern.chars().take(LONGEST).collect(),
            ));
        }

        let zone =
            TimeZone::get(time_zone).map_err(|_| ScheduleError::Zone(time_zone.to_owned()))?;
        let schedule = Schedule {
            pattern: pattern.to_owned(),
            time_zone: zone.iana_name().unwrap_or("UTC").to_owned(),
        };
        if pattern.parse::<Cron>().is_err() {
            return Err(ScheduleError::Pattern(pattern.to_owned()));
        }

        let first = schedule.next(now).ok_or(ScheduleError::Pace)?;
        let mut last = first;

        // A pattern of the closest runs shows within a few of them.
        for _ in 0..24 {
            let next = schedule.next(last).ok_or(ScheduleError::Pace)?;
            if next.duration_since(last) < CLOSEST {
                return Err(ScheduleError::Pace);
            }
            last = next;
        }

        Ok(schedule)
    }

    /// The first time after a moment; `None` where there is none.
    #[must_use]
    pub fn next(&self, after: Timestamp) -> Option<Timestamp> {
        let cron: Cron = self.pattern.parse().ok()?;
        let zone = TimeZone::get(&self.time_zone).ok()?;
        Some(
            cron.find_next_occurrence(&after.to_zoned(zone), false)
                .ok()?
                .timestamp(),
        )
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn at(text: &str) -> Timestamp {
        text.parse().unwrap()
    }

    #[test]
    fn local_time_is_kept_over_daylight_saving() {
        let schedule =
            Schedule::new("30 6 * * 1-5", "Europe/Berlin", at("2026-11-20T00:00:00Z")).unwrap();
        assert_eq!(
            schedule.next(at("2026-11-20T05:30:00Z")),
            Some(at("2026-11-23T05:30:00Z")),
            "over the weekend"
        );

        assert_eq!(
            schedule.next(at("2026-03-27T06:00:00Z")),
            Some(at("2026-03-30T04:30:00Z")),
            "summer time"
        );
    }

    #[test]
    fn what_runs_too_often_or_never_is_refused() {
        let check = |pattern: &str, zone: &str| {
            Schedule::new(pattern, zone, at("2026-11-20T00:00:00Z")).unwrap_err()
        };
        assert_eq!(check("* * * * *", "UTC"), ScheduleError::Pace);

        assert_eq!(check("58,59 3 * * *", "UTC"), ScheduleError::Pace);
        assert_eq!(check("0 0 31 2 *", "UTC"), ScheduleError::Pace);
        assert_eq!(
            check("every day", "UTC"),
            ScheduleError::Pattern("every day".to_owned())
        );
        assert_eq!(
            check("61 * * * *", "UTC"),
            ScheduleError::Pattern("61 * * * *".to_owned())
        );
        assert_eq!(
            check("0 * * * *", "Mars/Phobos"),
            ScheduleError::Zone("Mars/Phobos".to_owned())
        );
    }
}
