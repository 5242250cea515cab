//! Working times: the hours of the week in which a resource works, where they come again from week
//! to week.
//!
//! Each whole week is held against the others: a rhythm is there when the other weeks foretell nine
//! tenths of its working hours. A job at the end of a month is seen once in thirty days, and once
//! is no rhythm.

use reeve_learn::HOUR_MS;
use reeve_learn::week::{HOURS, WEEKDAYS, hour_of_week};

use super::work::Work;

/// Whole weeks it takes.
const LEAST_WEEKS: i64 = 3;
/// Share of a week's hours that have to be measured for it to count.
const COVERAGE: f64 = 0.9;
/// Share of the working hours that the other weeks have to foretell.
const LEAST_PREDICTED: f64 = 0.9;
/// Days with work up to which it is rare.
pub(super) const RARE_DAYS: usize = 3;
const WEEK: i64 = HOURS as i64;

/// Hours of the week in which it works, Monday 00:00 UTC first.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct UsageRhythm {
    hours: [bool; HOURS],
}

/// Reason why no working hours were found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NoRhythm {
    /// Fewer than three whole weeks were measured.
    TooShort,
    /// It worked on a few days only.
    Rare,
    /// It has not worked in the last week.
    Ended,
    /// Its hours differ from week to week.
    Irregular,
}

impl UsageRhythm {
    /// The rhythm of the work before a time.
    pub(super) fn from_work(work: &Work, now_ms: i64) -> Result<UsageRhythm, NoRhythm> {
        let now = now_ms.div_euclid(HOUR_MS);
        let week_of = |hour: i64| (now - 1 - hour).div_euclid(WEEK);
        let whole = (0..)
            .take_while(|week| {
                let hours = now - (week + 1) * WEEK..now - week * WEEK;
                hours.filter(|hour| work.is_measured(*hour)).count() as f64
                    >= COVERAGE * WEEK as f64
            })
            .count() as i64;

        if whole < LEAST_WEEKS {
            return Err(NoRhythm::TooShort);
        }
        if work.days_worked() <= RARE_DAYS {
            return Err(NoRhythm::Rare);
        }
        if work.worked().all(|hour| week_of(hour) > 0) {
            return Err(NoRhythm::Ended);
        }

        let place = |hour: i64| hour_of_week(hour * HOUR_MS);
        let mut seen = vec![[false; HOURS]; whole as usize + 1];
        for hour in work.worked() {
            seen[week_of(hour).clamp(0, whole) as usize][place(hour)] = true;
        }

        let (mut predicted, mut all) = (0.0, 0.0);
        for (week, hours) in seen.iter().enumerate().take(whole as usize) {
            let near = |at: usize| [at, (at + 1) % HOURS, (at + HOURS - 1) % HOURS];
            let others = |at: usize| {
                seen.iter()
                    .enumerate()
                    .any(|(other, hours)| other != week && hours[at])
            };
            for at in (0..HOURS).filter(|at| hours[*at]) {
                all += 1.0;
                predicted += if near(at).into_iter().any(others) {
                    1.0
                } else {
                    0.0
                };
            }
        }

        if predicted < LEAST_PREDICTED * all {
            return Err(NoRhythm::Irregular);
        }

        let mut hours = [false; HOURS];
        for week in &seen {
            for (hour, worked) in week.iter().enumerate() {
                hours[hour] |= worked;
            }
        }

        Ok(UsageRhythm { hours })
    }

    /// Returns `true` where an hour since the epoch is in the working times, or right beside them.
    pub(super) fn foretells(&self, hour: i64) -> bool {
        [hour - 1, hour, hour + 1]
            .into_iter()
            .any(|near| self.hours[hour_of_week(near * HOUR_MS)])
    }

    /// Returns `true` where an hour since the epoch is in the working times.
    pub(super) fn works_at(&self, hour: i64) -> bool {
        self.hours[hour_of_week(hour * HOUR_MS)]
    }

    /// The share of the week in which it can be off, with an hour to start before each working
    /// time, 0 to 1.
    pub(super) fn off_share(&self) -> f64 {
        let on = |at: usize| self.hours[at] || self.hours[(at + 1) % HOURS];
        (0..HOURS).filter(|at| !on(*at)).count() as f64 / HOURS as f64
    }

    /// In words: `Monday to Friday 08:00 to 18:00 UTC`.
    pub(super) fn words(&self) -> String {
        let mut parts: Vec<(Vec<usize>, String)> = Vec::new();
        for day in 0..7 {
            let ranges = ranges(&self.hours[day * 24..(day + 1) * 24]);
            if ranges.is_empty() {
                continue;
            }
            match parts.iter_mut().find(|(_, known)| *known == ranges) {
                Some((days, _)) => days.push(day),
                None => parts.push((vec![day], ranges)),
            }
        }

        let ranges_in_words: Vec<String> = parts
            .iter()
            .map(|(days, ranges)| format!("{} {ranges}", names(days)))
            .collect();
        format!("{} UTC", ranges_in_words.join(", "))
    }
}

/// The working hours of a day: `01:00 to 04:00 and 22:00 to 24:00`.
fn ranges(hours: &[bool]) -> String {
    let mut found: Vec<(usize, usize)> = Vec::new();
    for hour in (0..hours.len()).filter(|hour| hours[*hour]) {
        match found.last_mut() {
            Some((_, end)) if *end == hour => *end = hour + 1,
            _ => found.push((hour, hour + 1)),
        }
    }

    let ranges_in_words: Vec<String> = found
        .iter()
        .map(|(from, until)| format!("{from:02}:00 to {until:02}:00"))
        .collect();
    ranges_in_words.join(" and ")
}

fn names(days: &[usize]) -> String {
    let (first, last) = (days[0], days[days.len() - 1]);
    match days.len() {
        7 => "every day".to_owned(),
        count if count > 2 && last - first + 1 == count => {
            format!("{} to {}", WEEKDAYS[first], WEEKDAYS[last])
        }
        _ => days
            .iter()
            .map(|day| WEEKDAYS[*day])
            .collect::<Vec<_>>()
            .join(", "),
    }
}
