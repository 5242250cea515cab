//! Recurrence rules (RFC 5545, 3.3.10), on the wall clock alone: changes of clocks are the
//! caller's, who places each wall time in its zone. Read are hourly to yearly frequencies and every
//! part but `BYWEEKNO` and `BYSECOND`; what is not read is refused by name rather than expanded
//! wrongly.

use std::collections::BTreeSet;

use jiff::ToSpan as _;
use jiff::civil::{Date, DateTime, Weekday};
use jiff::tz::TimeZone;

use super::CalendarError;
use super::value::{Wall, wall};

/// Entries of one part of a rule.
const MOST_PARTS: usize = 400;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Frequency {
    Hourly,
    Daily,
    Weekly,
    Monthly,
    Yearly,
}

/// A parsed recurrence rule.
#[derive(Debug, Clone)]
pub(super) struct Recurrence {
    frequency: Frequency,
    interval: i32,
    count: Option<u32>,
    /// On the event's wall, itself included.
    until: Option<DateTime>,
    months: Vec<i8>,
    month_days: Vec<i8>,
    year_days: Vec<i16>,
    /// Weekdays, with which of the period where one is said.
    days: Vec<(Option<i16>, Weekday)>,
    hours: Vec<i8>,
    minutes: Vec<i8>,
    positions: Vec<i16>,
    week_start: Weekday,
}

fn weekday(text: &str) -> Option<Weekday> {
    Some(match text {
        "MO" => Weekday::Monday,
        "TU" => Weekday::Tuesday,
        "WE" => Weekday::Wednesday,
        "TH" => Weekday::Thursday,
        "FR" => Weekday::Friday,
        "SA" => Weekday::Saturday,
        "SU" => Weekday::Sunday,
        _ => return None,
    })
}

/// Numbers between `-most` and `most` (or `least` and `most`), 0 only where `least` lets it.
fn numbers<T: TryFrom<i64>>(
    name: &str,
    text: &str,
    least: i64,
    most: i64,
) -> Result<Vec<T>, CalendarError> {
    let wrong = || CalendarError(format!("{name} takes numbers from {least} to {most}"));
    let one = |part: &str| {
        let number: i64 = part.trim().parse().map_err(|_| wrong())?;
        let fits = (least..=most).contains(&number) && (number != 0 || least == 0);
        T::try_from(number).ok().filter(|_| fits).ok_or_else(wrong)
    };

    let parts: Vec<&str> = text.split(',').collect();
    if parts.len() > MOST_PARTS {
        Err(wrong())
    } else {
        parts.into_iter().map(one).collect()
    }
}

impl Recurrence {
    /// Reads a rule of an event that begins then.
    pub(super) fn read(text: &str, start: &Wall) -> Result<Recurrence, CalendarError> {
        let mut rule = Recurrence {
            frequency: Frequency::Yearly,
            interval: 1,
            count: None,
            until: None,
            months: Vec::new(),
            month_days: Vec::new(),
            year_days: Vec::new(),
            days: Vec::new(),
            hours: Vec::new(),
            minutes: Vec::new(),
            positions: Vec::new(),
            week_start: Weekday::Monday,
        };

        let mut seen = BTreeSet::new();
        for part in text.trim().split(';').filter(|part| !part.is_empty()) {
            let (name, value) = part
                .split_once('=')
                .ok_or_else(|| CalendarError(format!("{part:?} has no value")))?;
            let (name, value) = (
                name.trim().to_ascii_uppercase(),
                value.trim().to_ascii_uppercase(),
            );
            if !seen.insert(name.clone()) {
                return Err(CalendarError(format!("{name} is given twice")));
            }
            rule.part(&name, &value, start)?;
        }

        if !seen.contains("FREQ") {
            return Err(CalendarError("FREQ is missing".to_owned()));
        }

        if rule.count.is_some() && rule.until.is_some() {
            return Err(CalendarError(
                "COUNT and UNTIL exclude each other".to_owned(),
            ));
        }

        let nth = rule.days.iter().any(|(nth, _)| nth.is_some());
        if nth && !matches!(rule.frequency, Frequency::Monthly | Frequency::Yearly) {
            return Err(CalendarError(
                "BYDAY counts weekdays in months and years alone".to_owned(),
            ));
        }

        rule.defaults(start.at);
        Ok(rule)
    }

    fn part(&mut self, name: &str, value: &str, start: &Wall) -> Result<(), CalendarError> {
        let single = |least, most| {
            let found: Vec<i64> = numbers(name, value, least, most)?;
            match found.as_slice() {
                [one] => Ok(*one),
                _ => Err(CalendarError(format!("{name} takes one number"))),
            }
        };

        match name {
            "FREQ" => {
                self.frequency = match value {
                    "HOURLY" => Frequency::Hourly,
                    "DAILY" => Frequency::Daily,
                    "WEEKLY" => Frequency::Weekly,
                    "MONTHLY" => Frequency::Monthly,
                    "YEARLY" => Frequency::Yearly,
                    other => {
                        return Err(CalendarError(format!(
                            "FREQ {other:?} is not read: it takes HOURLY to YEARLY"
                        )));
                    }
                }
            }
            "INTERVAL" => self.interval = single(1, 10_000)? as i32,
            "COUNT" => self.count = Some(single(1, 100_000)? as u32),
            "UNTIL" => self.until = Some(last(value, start)?),
            "BYMONTH" => self.months = numbers(name, value, 1, 12)?,
            "BYMONTHDAY" => self.month_days = numbers(name, value, -31, 31)?,
            "BYYEARDAY" => self.year_days = numbers(name, value, -366, 366)?,
            "BYHOUR" => self.hours = numbers(name, value, 0, 23)?,
            "BYMINUTE" => self.minutes = numbers(name, value, 0, 59)?,
            "BYSETPOS" => self.positions = numbers(name, value, -366, 366)?,
            "BYDAY" => self.days = days(value)?,
            "WKST" => {
                let wrong =
                    || CalendarError("WKST takes one of MO, TU, WE, TH, FR, SA, SU".to_owned());
                self.week_start = weekday(value).ok_or_else(wrong)?;
            }
            other => return Err(CalendarError(format!("{other:?} is not read"))),
        }

        Ok(())
    }

    /// Fills in the parts that the rule leaves to the start.
    fn defaults(&mut self, start: DateTime) {
        let no_days =
            self.days.is_empty() && self.month_days.is_empty() && self.year_days.is_empty();
        match self.frequency {
            Frequency::Weekly if no_days => self.days.push((None, start.weekday())),
            Frequency::Monthly if no_days => self.month_days.push(start.day()),
            Frequency::Yearly if no_days => {
                if self.months.is_empty() {
                    self.months.push(start.month());
                }
                self.month_days.push(start.day());
            }
            _ => {}
        }

        if self.hours.is_empty() && self.frequency != Frequency::Hourly {
            self.hours.push(start.hour());
        }
        if self.minutes.is_empty() {
            self.minutes.push(start.minute());
        }

        for list in [&mut self.hours, &mut self.minutes] {
            list.sort_unstable();
            list.dedup();
        }
    }

    /// Wall times from the beginning to `until`, the beginning included. Each period costs a step,
    /// and each time one.
    pub(super) fn walls(
        &self,
        start: DateTime,
        until: DateTime,
        steps: &mut usize,
    ) -> Result<Vec<DateTime>, CalendarError> {
        let far = |_| CalendarError("it runs out of the calendar's years".to_owned());
        let last = self.until.map_or(until, |own| own.min(until));

        // The beginning counts even where the rule would not make it.
        let mut found = vec![start];
        let mut period = self.first_period(start.date()).map_err(far)?;
        let most = self.count.map_or(usize::MAX, |count| count as usize);
        let mut hour = start.date().at(start.hour(), 0, 0, 0);

        while found.len() < most {
            let begins = if self.frequency == Frequency::Hourly {
                hour
            } else {
                period.at(0, 0, 0, 0)
            };
            if begins > last {
                break;
            }
            let times = if self.frequency == Frequency::Hourly {
                self.of_hour(hour)
            } else {
                self.of_days(&self.in_period(period).map_err(far)?, start)
            };
            *steps = steps.checked_sub(1 + times.len()).ok_or_else(|| {
                CalendarError(
                    "the recurrences take too many steps; let them begin later".to_owned(),
                )
            })?;
            for at in self
                .chosen(times)
                .into_iter()
                .filter(|at| *at > start && *at <= last)
            {
                if found.len() < most {
                    found.push(at);
                }
            }
            let next = match self.frequency {
                Frequency::Hourly => {
                    hour = match hour.checked_add(self.interval.hours()) {
                        Ok(next) => next,
                        Err(_) => break,
                    };
                    Ok(period)
                }
                Frequency::Daily => period.checked_add(self.interval.days()),
                Frequency::Weekly => period.checked_add(self.interval.weeks()),
                Frequency::Monthly => period.checked_add(self.interval.months()),
                Frequency::Yearly => period.checked_add(self.interval.years()),
            };
            // The last year there is ends every rule.
            let Ok(next) = next else { break };
            period = next;
        }

        Ok(found)
    }

    /// The first day of the period that a day is in.
    fn first_period(&self, day: Date) -> Result<Date, jiff::Error> {
        match self.frequency {
            Frequency::Hourly | Frequency::Daily => Ok(day),
            Frequency::Weekly => {
                day.checked_sub(i32::from(self.week_start.until(day.weekday())).days())
            }
            Frequency::Monthly => Ok(day.first_of_month()),
            Frequency::Yearly => Ok(day.first_of_year()),
        }
    }

    /// Days of a period that fit, in order.
    fn in_period(&self, first: Date) -> Result<Vec<Date>, jiff::Error> {
        let count = match self.frequency {
            Frequency::Hourly | Frequency::Daily => 1,
            Frequency::Weekly => 7,
            Frequency::Monthly => first.days_in_month().into(),
            Frequency::Yearly => first.days_in_year(),
        };

        let mut found = Vec::new();
        let mut day = first;

        for index in 0..count {
            if self.fits(day) {
                found.push(day);
            }
            if index + 1 < count {
                day = day.tomorrow()?;
            }
        }

        Ok(found)
    }

    fn fits(&self, day: Date) -> bool {
        let from_end = day.day() - day.days_in_month() - 1;
        let of_year = day.day_of_year();
        let year_end = of_year - day.days_in_year() - 1;

        (self.months.is_empty() || self.months.contains(&day.month()))
            && (self.month_days.is_empty()
                || self.month_days.contains(&day.day())
                || self.month_days.contains(&from_end))
            && (self.year_days.is_empty()
                || self.year_days.contains(&of_year)
                || self.year_days.contains(&year_end))
            && (self.days.is_empty() || self.days.iter().any(|one| self.is_nth(day, *one)))
    }

    /// Returns `true` if a day is the given weekday, and the n-th of its month or year if counted.
    fn is_nth(&self, day: Date, (nth, weekday): (Option<i16>, Weekday)) -> bool {
        if day.weekday() != weekday {
            return false;
        }

        let Some(nth) = nth else { return true };
        let in_month = self.frequency == Frequency::Monthly || !self.months.is_empty();
        let (at, count) = if in_month {
            (i16::from(day.day()), i16::from(day.days_in_month()))
        } else {
            (day.day_of_year(), day.days_in_year())
        };

        nth == (at - 1) / 7 + 1 || nth == -((count - at) / 7 + 1)
    }

    fn of_days(&self, days: &[Date], start: DateTime) -> Vec<DateTime> {
        let at = |day: &Date| {
            let day = *day;
            let minutes = move |hour: &i8| {
                let hour = *hour;
                self.minutes
                    .iter()
                    .map(move |minute| day.at(hour, *minute, start.second(), 0))
            };
            self.hours.iter().flat_map(minutes).collect::<Vec<_>>()
        };
        days.iter().flat_map(at).collect()
    }

    fn of_hour(&self, hour: DateTime) -> Vec<DateTime> {
        let fits =
            self.fits(hour.date()) && (self.hours.is_empty() || self.hours.contains(&hour.hour()));
        let at = |minute: &i8| hour.date().at(hour.hour(), *minute, 0, 0);

        if fits {
            self.minutes.iter().map(at).collect()
        } else {
            Vec::new()
        }
    }

    /// The positions of a period's times that are wanted.
    fn chosen(&self, times: Vec<DateTime>) -> Vec<DateTime> {
        if self.positions.is_empty() {
            return times;
        }

        let count = times.len() as i16;
        let wanted = |(index, at): (usize, DateTime)| {
            let index = index as i16;
            let positions = [index + 1, index - count];
            self.positions
                .iter()
                .any(|position| positions.contains(position))
                .then_some(at)
        };

        times.into_iter().enumerate().filter_map(wanted).collect()
    }
}

fn days(text: &str) -> Result<Vec<(Option<i16>, Weekday)>, CalendarError> {
    let wrong = || CalendarError("BYDAY takes weekdays such as MO, 2TU or -1FR".to_owned());
    let parts: Vec<&str> = text.split(',').collect();
    let one = |part: &str| {
        let part = part.trim();
        let split = part
            .len()
            .checked_sub(2)
            .filter(|at| part.is_char_boundary(*at))
            .ok_or_else(wrong)?;
        let (nth, name) = part.split_at(split);
        let weekday = weekday(name).ok_or_else(wrong)?;
        if nth.is_empty() {
            return Ok((None, weekday));
        }
        let nth: i16 = nth.parse().map_err(|_| wrong())?;
        if nth == 0 || nth.abs() > 53 {
            Err(wrong())
        } else {
            Ok((Some(nth), weekday))
        }
    };

    if parts.len() > MOST_PARTS {
        Err(wrong())
    } else {
        parts.into_iter().map(one).collect()
    }
}

/// `UNTIL` on the event's wall: a date counts to its end, a time of UTC is what the wall shows
/// then.
fn last(text: &str, start: &Wall) -> Result<DateTime, CalendarError> {
    let until =
        wall(text, &start.zone).map_err(|error| CalendarError(format!("UNTIL: {error}")))?;
    if until.whole_day {
        return Ok(until.at.date().at(23, 59, 59, 0));
    }
    if until.zone == TimeZone::UTC {
        return Ok(until.instant()?.to_zoned(start.zone.clone()).datetime());
    }
    Ok(until.at)
}
