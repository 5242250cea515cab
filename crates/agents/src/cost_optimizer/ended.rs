//! Work that has ended: a resource that was in use, and that nothing has used since for longer than
//! the setting `identify_idle_resources.window` says and than it ever paused before.
//!
//! A finding about it names the day on which the work stopped. Measurements do not tell whether a
//! team still needs the resource, so that no agent stops it by itself.

use jiff::Timestamp;
use jiff::tz::TimeZone;
use reeve_learn::HOUR_MS;

use super::rhythm::RARE_DAYS;
use super::work::Work;

/// End of the work of a resource.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct EndedWork {
    /// Hour since the epoch after the last one with work.
    since: i64,
    /// Hours without work since.
    pub(super) silent_hours: i64,
    /// Longest pause before, hours.
    longest_pause: i64,
    days_worked: usize,
}

impl EndedWork {
    /// The end of the work before a time; `None` where the silence is shorter than `idle_days` or
    /// than an earlier pause, and where the resource worked on so few days that the next may be a
    /// month away.
    pub(super) fn from_work(work: &Work, idle_days: i64, now_ms: i64) -> Option<EndedWork> {
        let worked: Vec<i64> = work.worked().collect();
        let since = worked.last()? + 1;
        let longest_pause = worked
            .windows(2)
            .map(|pair| pair[1] - pair[0] - 1)
            .max()
            .unwrap_or(0);
        let silent_hours = now_ms.div_euclid(HOUR_MS) - since;
        let days_worked = work.days_worked();
        let ended = silent_hours >= idle_days * 24
            && silent_hours > longest_pause
            && days_worked > RARE_DAYS;

        ended.then_some(EndedWork {
            since,
            silent_hours,
            longest_pause,
            days_worked,
        })
    }

    /// The day on which the work stopped, UTC: `2026-11-13`.
    pub(super) fn day(&self) -> String {
        let last = Timestamp::from_millisecond((self.since - 1) * HOUR_MS)
            .unwrap_or(Timestamp::UNIX_EPOCH);
        last.to_zoned(TimeZone::UTC).date().to_string()
    }

    /// Days without work since.
    pub(super) fn silent_days(&self) -> f64 {
        self.silent_hours as f64 / 24.0
    }

    /// In words, with the figures that decided.
    pub(super) fn words(&self) -> String {
        format!(
            "It worked on {} days, last on {}, and in no hour of the {:.0} days since; its longest pause before was {:.1} days",
            self.days_worked,
            self.day(),
            self.silent_days(),
            self.longest_pause as f64 / 24.0
        )
    }
}
