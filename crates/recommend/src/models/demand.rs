//! State of the model `demand`: CPU of each resource by hour of the week, and its forecast for the
//! weeks after the training.

use jiff::civil::Date;
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};

use crate::models::learned::ModelState;
use crate::models::profiles::Profiles;
use crate::models::trainer::NotTrained;

/// Least days that a forecast must still reach ahead to be used.
const LEAST_DAYS: i64 = 7;
const DAY_S: i64 = 86_400;

/// Demand of every resource that was learned.
pub type DemandModel = Profiles<Demand>;

impl ModelState for DemandModel {
    const NAME: &'static str = "demand";

    fn read(text: &str) -> Result<Self, NotTrained> {
        Profiles::parse(text)
    }
}

/// Demand of one resource. CPU in hundredths of a percent.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Demand {
    /// Means by hour of the week, Monday 00:00 UTC first.
    pub hours: Vec<u32>,
    /// Level above which an hour is among the busiest fifth.
    pub busy: u32,
    /// Forecast; states of format 1 have none, and resources that were measured for too short a
    /// time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub forecast: Option<DemandForecast>,
}

/// Forecast by day, from the day after the training's last.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DemandForecast {
    /// Beginning of the history that was learned from, seconds since the epoch.
    pub learned_from_s: i64,
    /// First day, in days since the epoch (UTC).
    pub first_day: i64,
    /// Median of each day's mean.
    pub means: Vec<u32>,
    /// Upper edge of the 90 % band of each day's highest hour.
    pub uppers: Vec<u32>,
    /// Peaks that come with the calendar month.
    #[serde(default)]
    pub monthly: Vec<MonthlyPeak>,
}

/// Peak on one day of the month.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MonthlyPeak {
    /// Day: 1 is the first, -1 the last of the month.
    pub day: i8,
    /// Highest hour seen on that day.
    pub level: u32,
    /// Months in which it was seen.
    pub months: u32,
}

/// Forecast of the days that follow a time. CPU in percent.
#[derive(Debug, Clone, PartialEq)]
pub struct DemandOutlook {
    /// Days that the forecast reaches ahead, at most as many as were requested.
    pub days: i64,
    /// Highest upper edge of any of these days, monthly peaks included.
    pub upper: f64,
    /// Day of that edge.
    pub upper_on: Date,
    /// The monthly peak that the edge is of; `None` where the band itself is the highest.
    pub monthly: Option<MonthlyPeak>,
    /// Median of each day's mean, the next day first.
    pub means: Vec<f64>,
}

impl MonthlyPeak {
    /// Returns `true` if the peak falls on a date.
    #[must_use]
    pub fn is_on(&self, date: Date) -> bool {
        if self.day > 0 {
            date.day() == self.day
        } else {
            date.day() - date.days_in_month() - 1 == self.day
        }
    }
}

impl DemandForecast {
    /// Returns the outlook for at most so many days after a time; `None` where the forecast ends
    /// within a week.
    #[must_use]
    pub fn outlook(&self, now: Timestamp, days: i64) -> Option<DemandOutlook> {
        let today = now.as_second().div_euclid(DAY_S);
        let from = usize::try_from((today - self.first_day).max(0)).ok()?;
        let until = self
            .uppers
            .len()
            .min(self.means.len())
            .min(from + usize::try_from(days).ok()?);

        let left = until
            .checked_sub(from)
            .filter(|left| *left as i64 >= LEAST_DAYS)? as i64;
        let mut highest: Option<(f64, Date, Option<MonthlyPeak>)> = None;

        for at in from..until {
            let date = date(self.first_day + at as i64)?;
            let peak = self
                .monthly
                .iter()
                .filter(|peak| peak.is_on(date))
                .max_by_key(|peak| peak.level);
            let monthly = peak.copied().filter(|peak| peak.level > self.uppers[at]);
            let level = f64::from(monthly.map_or(self.uppers[at], |peak| peak.level)) / 100.0;
            if highest.is_none_or(|(before, ..)| level > before) {
                highest = Some((level, date, monthly));
            }
        }

        let (upper, upper_on, monthly) = highest?;
        let means = self.means[from..until]
            .iter()
            .map(|mean| f64::from(*mean) / 100.0)
            .collect();
        Some(DemandOutlook {
            days: left,
            upper,
            upper_on,
            monthly,
            means,
        })
    }
}

/// Date of a day since the epoch.
#[must_use]
pub fn date(day: i64) -> Option<Date> {
    let at = Timestamp::UNIX_EPOCH
        .checked_add(SignedDuration::from_secs(day.checked_mul(DAY_S)?))
        .ok()?;
    Some(at.to_zoned(TimeZone::UTC).date())
}
