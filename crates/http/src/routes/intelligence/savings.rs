//! Savings of changes over time: what was predicted beside what was measured. The last point agrees
//! with the dashboard's sums.

use std::collections::BTreeMap;

use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use reeve_estate::Money;
use reeve_recommend::recommendation::totals::DailySavings;

use crate::wire::recommendation::workflow::SavingsPointBody;

/// A change that succeeded, or those of one day together.
pub(super) struct SavedChange {
    /// End of the change.
    pub(super) at: Timestamp,
    /// Predicted savings a month; `None` without a known price.
    pub(super) predicted: Option<Money>,
    /// Measured savings a month; `None` until they are measured.
    pub(super) measured: Option<Money>,
}

impl From<DailySavings> for SavedChange {
    fn from(from: DailySavings) -> Self {
        SavedChange {
            at: from.day,
            predicted: Some(from.expected),
            measured: Some(from.realised),
        }
    }
}

/// Returns the sums of all changes up to each day on which one ended, oldest first.
pub(super) fn cumulated(changes: impl IntoIterator<Item = SavedChange>) -> Vec<SavingsPointBody> {
    let mut days: BTreeMap<Date, (Money, Money)> = BTreeMap::new();
    for change in changes {
        let (predicted, measured) = days
            .entry(change.at.to_zoned(TimeZone::UTC).date())
            .or_default();
        *predicted = *predicted + change.predicted.unwrap_or_default();
        *measured = *measured + change.measured.unwrap_or_default();
    }

    let mut sums = (Money::ZERO, Money::ZERO);
    days.into_iter()
        .map(|(day, (predicted, measured))| {
            sums = (sums.0 + predicted, sums.1 + measured);
            let (predicted_monthly, measured_monthly) = (sums.0.usd_cents(), sums.1.usd_cents());
            SavingsPointBody {
                day: day.to_string(),
                predicted_monthly,
                measured_monthly,
            }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn change(at: &str, predicted: Option<f64>, measured: Option<f64>) -> SavedChange {
        let at = at.parse().unwrap();
        SavedChange {
            at,
            predicted: predicted.map(Money::from_usd),
            measured: measured.map(Money::from_usd),
        }
    }

    #[test]
    fn sums_up_to_each_day_in_order() {
        let points = cumulated([
            change("2026-05-03T10:00:00Z", Some(40.0), None),
            change("2026-05-01T23:59:59Z", Some(10.0), Some(9.5)),
            change("2026-05-01T00:00:00Z", None, Some(-2.0)),
        ]);
        let expected = [("2026-05-01", 10.0, 7.5), ("2026-05-03", 50.0, 7.5)];
        let found: Vec<_> = points
            .iter()
            .map(|p| (p.day.as_str(), p.predicted_monthly, p.measured_monthly))
            .collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn no_change_is_no_point() {
        assert!(cumulated([]).is_empty());
    }
}
