//! Saving of a change by whole days of the bill before and after it.

use jiff::{SignedDuration, Timestamp};
use reeve_estate::Money;
use reeve_estate::charge::{Charge, ChargeCategory, PricingCategory};
use reeve_estate::money::HOURS_PER_MONTH;

const DAY_MS: i64 = 86_400_000;
/// Days before the change that its cost is taken from.
const DAYS_BEFORE: i64 = 14;
/// Days after the change that its cost is taken from: a month's pattern is in them.
const DAYS_AFTER: i64 = 31;

/// First day whose charges are needed.
pub(super) fn first_day(started_at: Timestamp) -> Timestamp {
    started_at - SignedDuration::from_hours(24 * (DAYS_BEFORE + 1))
}

/// End of the last day that the saving is measured on.
pub(super) fn last_day(finished_at: Timestamp) -> Timestamp {
    at(next_day(finished_at.as_millisecond()) + DAYS_AFTER * DAY_MS)
}

/// Saving a month, and the end of the last day that it was measured on. `None` until a whole day
/// after the change is billed and over by another day (providers correct the last one), and where
/// the resource was not billed by days before the change.
pub(super) fn saving(
    charges: &[Charge],
    (started_at, finished_at): (Timestamp, Timestamp),
    billed_until: Timestamp,
) -> Option<(Money, Timestamp)> {
    let told_ms = (billed_until.as_millisecond() - DAY_MS).div_euclid(DAY_MS) * DAY_MS;
    let after_ms = next_day(finished_at.as_millisecond());
    let until_ms = told_ms.min(after_ms + DAYS_AFTER * DAY_MS);
    if until_ms < after_ms + DAY_MS {
        return None;
    }

    let change_ms = started_at.as_millisecond().div_euclid(DAY_MS) * DAY_MS;
    let own = || charges.iter().filter(|charge| counts(charge));
    let first_ms = own()
        .map(|charge| charge.start_ms)
        .filter(|at| *at >= change_ms - DAYS_BEFORE * DAY_MS)
        .min()?;
    let begin_ms = first_ms.div_euclid(DAY_MS) * DAY_MS;
    if begin_ms >= change_ms {
        return None;
    }

    let monthly = |from_ms: i64, to_ms: i64| {
        let cost: f64 = own()
            .filter(|charge| (from_ms..to_ms).contains(&charge.start_ms))
            .map(|one| one.cost().as_f64())
            .sum();
        cost / ((to_ms - from_ms) / DAY_MS) as f64 * (HOURS_PER_MONTH / 24.0)
    };

    Some((
        Money::from_usd(monthly(begin_ms, change_ms) - monthly(after_ms, until_ms)),
        at(until_ms),
    ))
}

/// Returns `true` for usage in dollars, of at most a day, that no commitment paid: a commitment
/// costs the same without the resource.
fn counts(charge: &Charge) -> bool {
    charge.category == ChargeCategory::Usage
        && !charge.correction
        && &*charge.currency == "USD"
        && charge.commitment.is_none()
        && charge.pricing != Some(PricingCategory::Committed)
        && charge.end_ms - charge.start_ms <= DAY_MS
}

fn next_day(at_ms: i64) -> i64 {
    (at_ms.div_euclid(DAY_MS) + 1) * DAY_MS
}

fn at(ms: i64) -> Timestamp {
    Timestamp::from_millisecond(ms).unwrap_or(Timestamp::MAX)
}
