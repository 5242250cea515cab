//! Daily cost of each service of each account. A charge of several days is spread over them, to the
//! millisecond and without losing the last digit.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use reeve_estate::charge::{Amount, Charge};

use super::{ChargeSpan, DAY_MS, is_usage, named};

/// Days that a charge is spread over at most; a longer one stands on its first.
const MOST_DAYS: i64 = 3_700;

/// Service of an account whose daily costs form one series.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ChargeScope {
    pub currency: Arc<str>,
    /// The provider; empty where the file does not say.
    pub provider: Arc<str>,
    /// The service; empty where the file does not say.
    pub service: Arc<str>,
    /// The sub-account, else the billing account; empty where the file does not say.
    pub account: Arc<str>,
}

impl ChargeScope {
    pub(crate) fn from_charge(charge: &Charge) -> Self {
        ChargeScope {
            currency: Arc::clone(&charge.currency),
            provider: named(charge.provider.as_ref()),
            service: named(charge.service.as_ref()),
            account: named(charge.sub_account.as_ref().or(charge.account.as_ref())),
        }
    }
}

/// Costs by scope and day.
#[derive(Debug, Default)]
pub(super) struct Days {
    /// By scope, then by day since the epoch.
    pub(super) scopes: BTreeMap<ChargeScope, BTreeMap<i64, Amount>>,
    /// The first day and the last that the usage fills whole.
    pub(super) first: i64,
    pub(super) last: i64,
}

impl Days {
    /// Of what was used.
    pub(super) fn from_charges(charges: &[Charge]) -> Self {
        let mut days = Days::default();
        let usage = || charges.iter().filter(|charge| is_usage(charge));

        // A fee of a month may reach beyond the day the file was made: what is used by the hour or
        // day does not.
        let short = || usage().filter(|charge| is_short(charge));
        let end = short()
            .map(|charge| charge.end_ms)
            .max()
            .or_else(|| usage().map(|charge| charge.end_ms).max());
        days.first = usage()
            .map(|charge| charge.start_ms.div_euclid(DAY_MS))
            .min()
            .unwrap_or(0);
        days.last = end.map_or(days.first - 1, |end| end.div_euclid(DAY_MS) - 1);
        let mut last: Option<(ChargeScope, BTreeMap<i64, Amount>)> = None;

        for charge in usage() {
            let scope = ChargeScope::from_charge(charge);
            if last.as_ref().is_none_or(|(known, _)| *known != scope) {
                if let Some((known, filled)) = last.take() {
                    days.scopes.insert(known, filled);
                }
                let filled = days.scopes.remove(&scope).unwrap_or_default();
                last = Some((scope, filled));
            }
            if let Some((_, filled)) = &mut last {
                spread(charge, |day, amount| {
                    *filled.entry(day).or_default() += amount
                });
            }
        }

        days.scopes.extend(last);
        days
    }

    /// The time that the charges are of.
    pub(super) fn span(&self, charges: &[Charge]) -> ChargeSpan {
        let (start_ms, end_ms) = period(charges);
        let mut sold: BTreeMap<(ChargeScope, Arc<str>), (BTreeSet<i64>, f64)> = BTreeMap::new();

        for charge in charges.iter().filter(|charge| is_usage(charge)) {
            let what = named(charge.description.as_ref().or(charge.sku.as_ref()));
            let (days, cost) = sold
                .entry((ChargeScope::from_charge(charge), what))
                .or_default();
            *cost += charge.cost().as_f64().abs();
            spread(charge, |day, _| {
                days.insert(day);
            });
        }

        let (mut filled, mut all) = (0.0, 0.0);
        let count = (self.last - self.first + 1).max(1) as f64;

        for (days, cost) in sold.values() {
            // What is new counts from its first day, but never from less than half of the bill's.
            let since = days
                .first()
                .map_or(count, |first| (self.last - first + 1) as f64)
                .max(count / 2.0);
            filled += cost * (days.range(..=self.last).count() as f64 / since).min(1.0);
            all += cost;
        }

        ChargeSpan {
            start_ms,
            end_ms,
            presence: if all > 0.0 { filled / all } else { 1.0 },
        }
    }
}

/// Returns `true` for what is used by the hour or the day.
pub(crate) fn is_short(charge: &Charge) -> bool {
    charge.end_ms - charge.start_ms <= DAY_MS + DAY_MS / 24
}

/// The first millisecond of the bill's period and the first after it.
///
/// It is the period of what was used: a commitment bought for a year is in the bill of one month
/// with a charge period of a year, and a credit may too. Were they counted, a month's savings would
/// be divided by twelve. Usage by the hour or day decides where it is at least half of the cost,
/// because fees of a month reach beyond the day the file was made.
fn period(charges: &[Charge]) -> (i64, i64) {
    let usage = || charges.iter().filter(|charge| is_usage(charge));
    let cost = |charges: &mut dyn Iterator<Item = &Charge>| {
        charges
            .map(|charge| charge.cost().as_f64().abs())
            .sum::<f64>()
    };
    let all = cost(&mut usage());

    let bounds = |charges: &mut dyn Iterator<Item = &Charge>| {
        charges.fold(None, |bounds: Option<(i64, i64)>, charge| {
            let (start, end) = bounds.unwrap_or((charge.start_ms, charge.end_ms));
            Some((start.min(charge.start_ms), end.max(charge.end_ms)))
        })
    };

    let mut short = usage().filter(|charge| is_short(charge));
    let last = (2.0 * cost(&mut short) >= all)
        .then(|| bounds(&mut usage().filter(|charge| is_short(charge))))
        .flatten();
    let (start_ms, end_ms) = bounds(&mut usage())
        .or_else(|| bounds(&mut charges.iter()))
        .unwrap_or((0, 0));

    (
        start_ms,
        last.map_or(end_ms, |(_, end)| end).max(start_ms + 1),
    )
}

/// Calls `add` with each day of a charge and its part of the cost.
pub(crate) fn spread(charge: &Charge, mut add: impl FnMut(i64, Amount)) {
    let (start, end) = (charge.start_ms, charge.end_ms);
    let (first, last) = (
        start.div_euclid(DAY_MS),
        (end - 1).max(start).div_euclid(DAY_MS),
    );
    if first == last || last - first > MOST_DAYS {
        return add(first, charge.cost());
    }

    let mut left = charge.cost();
    for day in first..last {
        let part = charge.cost().share(
            ((day + 1) * DAY_MS).min(end) - (day * DAY_MS).max(start),
            end - start,
        );
        left -= part;
        add(day, part);
    }

    add(last, left);
}
