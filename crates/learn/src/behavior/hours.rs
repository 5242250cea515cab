//! Active hours of a principal: the share of its activity in each hour, on working days and at
//! weekends, UTC.

/// Hours of both kinds of day.
const BINS: usize = 48;
/// Days after which an hour counts half.
const HALF_LIFE_DAYS: f64 = 60.0;
/// Below so many active hours nothing is said about any hour.
const LEAST_HOURS: f64 = 12.0;
/// Nor below so many days.
const LEAST_DAYS: u32 = 4;

/// A principal's or a group's hours.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Hours {
    /// Active hours by hour of the day, working days first, faded to `day`.
    bins: [f32; BINS],
    last_hour: i64,
    day: i64,
    days: u32,
}

impl Default for Hours {
    fn default() -> Self {
        Self {
            bins: [0.0; BINS],
            last_hour: i64::MIN,
            day: i64::MIN,
            days: 0,
        }
    }
}

impl Hours {
    /// Notes activity in an hour since the epoch.
    pub(crate) fn note(&mut self, hour: i64, weight: f64) {
        if hour <= self.last_hour {
            return;
        }

        let day = hour.div_euclid(24);
        if day > self.day {
            if self.day != i64::MIN {
                let fade = (-((day - self.day) as f64) / HALF_LIFE_DAYS).exp2() as f32;
                self.bins.iter_mut().for_each(|bin| *bin *= fade);
            }
            self.day = day;
            self.days = self.days.saturating_add(1);
        }

        self.last_hour = hour;
        self.bins[bin(hour)] += weight as f32;
    }

    /// Returns the surprise of activity in this hour, in log-odds against a day without
    /// preferences: 0 where nothing is known or the hour is usual, about 3 for the dead of night of
    /// somebody who has always kept office hours.
    pub(crate) fn surprise(&self, hour: i64) -> f64 {
        let all = self.total();
        if all < LEAST_HOURS || self.days < LEAST_DAYS {
            return 0.0;
        }

        let of_kind = bin(hour) / 24 * 24;
        let near =
            |offset: i64| f64::from(self.bins[of_kind + (hour + offset).rem_euclid(24) as usize]);

        // Neighbouring hours count too: nobody keeps the minute. Two thirds of an hour are granted
        // to every hour of the week.
        let mass = near(0) + 0.7 * (near(-1) + near(1)) + 0.3 * (near(-2) + near(2));
        let share = (mass + 0.6) / (all + 0.6 * BINS as f64 / 2.4);

        // Without preferences a weekday's window of three hours holds 3/24 of five sevenths of
        // everything.
        let even = 3.0 / 24.0 * if of_kind == 0 { 5.0 / 7.0 } else { 2.0 / 7.0 };
        (even / share).ln().clamp(0.0, 3.5)
    }

    /// The hours of a working day (0 to 23, UTC) that hold nine tenths of the activity, in their
    /// order.
    pub(crate) fn usual(&self) -> Vec<u8> {
        let mut hours: Vec<(f32, u8)> = (0..24)
            .map(|hour| (self.bins[usize::from(hour)], hour))
            .collect();
        let all: f32 = hours.iter().map(|(mass, _)| mass).sum();
        hours.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        let mut held = 0.0;
        let mut usual: Vec<u8> = hours
            .into_iter()
            .take_while(|(mass, _)| {
                let more = *mass > 0.0 && held < 0.9 * all;
                held += mass;
                more
            })
            .map(|(_, hour)| hour)
            .collect();
        usual.sort_unstable();

        usual
    }

    /// Hours with any activity, faded: how much is known.
    pub(crate) fn total(&self) -> f64 {
        self.bins.iter().map(|bin| f64::from(*bin)).sum()
    }

    /// Days with any activity.
    pub(crate) fn days(&self) -> u32 {
        self.days
    }
}

/// The first of January 1970 was a Thursday.
fn bin(hour: i64) -> usize {
    let weekday = (hour.div_euclid(24) + 3).rem_euclid(7);
    hour.rem_euclid(24) as usize + if weekday >= 5 { 24 } else { 0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MONDAY: i64 = 4 * 24;

    #[test]
    fn office_hours_make_the_night_surprising() {
        let mut hours = Hours::default();
        assert_eq!(hours.surprise(MONDAY + 3), 0.0);
        for day in (0..21).filter(|day| day % 7 < 5) {
            (9..17).for_each(|hour| hours.note(MONDAY + day * 24 + hour, 1.0));
        }

        let next = MONDAY + 21 * 24;
        assert_eq!(hours.surprise(next + 11), 0.0);
        assert!(
            hours.surprise(next + 3) > 2.0,
            "{}",
            hours.surprise(next + 3)
        );
        assert!(hours.surprise(next + 8) < 0.5 && hours.surprise(next + 5 * 24 + 3) > 1.0);
        assert_eq!(hours.usual(), [9, 10, 11, 12, 13, 14, 15, 16]);
    }

    #[test]
    fn activity_around_the_clock_is_never_surprising() {
        let mut hours = Hours::default();
        (0..24 * 14).for_each(|hour| hours.note(MONDAY + hour, 1.0));
        (0..168).for_each(|hour| assert!(hours.surprise(MONDAY + 14 * 24 + hour) < 0.3, "{hour}"));
    }
}
