//! Dates of the Gregorian calendar as days since 1970-01-01 and back, in whole numbers (Howard
//! Hinnant, "chrono-Compatible Low-Level Date Algorithms"). For the years 0000 to 9999, where
//! everything an entry carries stands.

/// Days in 400 years.
const ERA: i64 = 146_097;
/// From 0000-03-01 to 1970-01-01.
const EPOCH: i64 = 719_468;

/// Days from 1970-01-01 to a date that exists.
pub(super) const fn days(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let (era, of_era) = (year.div_euclid(400), year.rem_euclid(400));
    let of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    era * ERA + of_era * 365 + of_era / 4 - of_era / 100 + of_year - EPOCH
}

/// Year, month and day of so many days after 1970-01-01.
pub(super) const fn date(days: i64) -> (i64, i64, i64) {
    let days = days + EPOCH;
    let (era, of_era) = (days.div_euclid(ERA), days.rem_euclid(ERA));
    let year = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / (ERA - 1)) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let month = (5 * of_year + 2) / 153;
    let day = of_year - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    (year + era * 400 + (month <= 2) as i64, month, day)
}

/// Returns the number of days in a month.
pub(super) const fn days_in_month(year: i64, month: i64) -> i64 {
    match month {
        2 if year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_day_of_ten_thousand_years() {
        let mut expect = days(0, 1, 1);
        assert_eq!((expect, days(1970, 1, 1)), (-719_528, 0));

        for year in 0..10_000 {
            for month in 1..=12 {
                for day in 1..=days_in_month(year, month) {
                    assert_eq!(days(year, month, day), expect);
                    assert_eq!(date(expect), (year, month, day));
                    expect += 1;
                }
            }
        }

        assert_eq!(expect, days(10_000, 1, 1));
    }
}
