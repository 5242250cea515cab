//! State of the model `usage`: the hours in which each resource was in use, over more weeks than a
//! judgement looks at.

use jiff::Timestamp;
use jiff::civil::Date;
use serde::{Deserialize, Serialize};

use crate::models::demand::date;
use crate::models::learned::ModelState;
use crate::models::profiles::Profiles;
use crate::models::trainer::NotTrained;

/// Hours in a day.
const HOURS: i64 = 24;
/// Least days between two spells of use for the pause to be one.
const PAUSE_DAYS: i64 = 7;
/// Use is expected again until the pause is this many times as long as the longest before it.
const PATIENCE: f64 = 1.5;

/// Use of every resource that was learned.
pub type UsageModel = Profiles<Usage>;

impl ModelState for UsageModel {
    const NAME: &'static str = "usage";

    fn read(text: &str) -> Result<Self, NotTrained> {
        Profiles::parse(text)
    }
}

/// Use of one resource.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Usage {
    /// First day that was measured, in days since the epoch (UTC).
    pub from_day: i64,
    /// Day after the last that was measured.
    pub until_day: i64,
    /// Days with use, oldest first: the day, and a bit for each hour in use (the lowest is 00:00).
    pub days: Vec<(i64, u32)>,
}

/// Use that pauses for weeks and comes again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Recurrence {
    /// Number of days on which it was used.
    pub days: usize,
    /// Longest pause between two of them, days.
    pub pause_days: i64,
    /// Last day with use.
    pub last: Date,
    /// Number of days since then.
    pub since_days: i64,
}

impl Usage {
    /// Days that were measured.
    #[must_use]
    pub fn measured_days(&self) -> i64 {
        self.until_day - self.from_day
    }

    /// Hours in use of any day, by the hour since the epoch.
    pub fn hours_in_use(&self) -> impl Iterator<Item = i64> + '_ {
        self.days.iter().flat_map(|(day, mask)| {
            (0..HOURS)
                .filter(move |hour| mask & (1 << hour) != 0)
                .map(move |hour| day * HOURS + hour)
        })
    }

    /// Returns the recurrence of use in hours that count: two or more spells, pauses of a week or
    /// more between them, and the time since the last no longer than such a pause. Use that simply
    /// ended, or was seen once, is no recurrence.
    #[must_use]
    pub fn recurrence(&self, now: Timestamp, counts: impl Fn(i64) -> bool) -> Option<Recurrence> {
        let mut days: Vec<i64> = self
            .hours_in_use()
            .filter(|hour| counts(*hour))
            .map(|hour| hour / HOURS)
            .collect();
        days.dedup();
        let pause_days = days.windows(2).map(|pair| pair[1] - pair[0]).max()?;
        let last = *days.last()?;
        let since_days = now.as_second().div_euclid(HOURS * 3600) - last;
        let is_expected =
            pause_days >= PAUSE_DAYS && since_days as f64 <= PATIENCE * pause_days as f64;

        Some(Recurrence {
            days: days.len(),
            pause_days,
            last: date(last)?,
            since_days,
        })
        .filter(|_| is_expected)
    }
}
