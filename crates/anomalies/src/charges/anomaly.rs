//! Days that cost unusually much or little, each service of each account against its own past.
//!
//! A day is compared with the average of the 30 days before it, or, where the past follows the
//! week, with the median of the same weekday. It must deviate by the threshold, by several robust
//! standard deviations of the past, and by an amount that matters. What a month before the same day
//! of the month cost explains a day, so that monthly fees are no news. Unusual days do not teach
//! the average, until they have lasted a week: then they are the new usual.

use std::collections::BTreeMap;
use std::sync::Arc;

use jiff::ToSpan as _;
use jiff::civil::Date;
use reeve_estate::charge::{Amount, Charge};

use super::days::{ChargeScope, Days, spread};
use super::{AnomalyLimits, Baselines, is_usage};

/// Days after which a new level is the usual one.
const SETTLED: usize = 7;
/// Share of the history's days with a cost, below which a day must also exceed everything seen.
const REGULAR: f64 = 0.6;
/// Share of the average that is always taken for noise, as a standard deviation.
pub(super) const FLOOR: f64 = 0.05;
/// Contributors listed for each anomaly.
const CONTRIBUTORS: usize = 5;
/// Days by which a monthly fee wanders: the first working day, or the end of a short month.
const MONTH_WANDERS: i64 = 3;
/// Ratio of a fee to that of an earlier month on the same day of the month, and on a day beside it.
const SAME_DAY: std::ops::RangeInclusive<f64> = 0.5..=1.25;
const OTHER_DAY: std::ops::RangeInclusive<f64> = 0.8..=1.2;
/// Days that can be judged: ten years.
const MOST_DAYS: i64 = 3_700;

/// Kind of unusual cost.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum AnomalyKind {
    /// More than usual, and over again.
    Spike,
    /// More than usual for a week or until the file's end.
    Shift,
    /// A cost where there was none.
    New,
    /// Less cost than usual.
    Drop,
}

/// Resource that contributed to the difference.
#[derive(Debug, Clone, PartialEq)]
pub struct Contributor {
    /// The resource; empty where the charges name none.
    pub resource: Arc<str>,
    /// Description of the product.
    pub description: Arc<str>,
    pub region: Arc<str>,
    /// Cost on those days.
    pub observed: Amount,
    /// Cost of as many days before.
    pub expected: Amount,
}

/// Days that follow one another and cost unusually much or little.
#[derive(Debug, Clone, PartialEq)]
pub struct Anomaly {
    /// Account and service of the charges.
    pub scope: ChargeScope,
    /// Kind of the anomaly.
    pub kind: AnomalyKind,
    /// First day, since the epoch.
    pub first_day: i64,
    /// Last day, itself included.
    pub last_day: i64,
    /// Cost of those days.
    pub observed: Amount,
    pub expected: Amount,
    /// The average of the 30 days before the first of them, a day.
    pub average: Amount,
    /// `true` if the expectation follows the days of the week.
    pub weekly: bool,
    /// The most unusual of the days, in robust standard deviations.
    pub significance: f64,
    /// Days of history before the first.
    pub history: usize,
    /// The resources that made the difference, the greatest first.
    pub contributors: Vec<Contributor>,
}

/// Reason why no day can be judged.
pub(super) fn cannot(days: &Days, limits: &AnomalyLimits) -> Option<String> {
    let count = days.last - days.first + 1;
    if count > MOST_DAYS {
        return Some(format!(
            "the charges are spread over {count} days; ten years at most are judged"
        ));
    }

    (count <= limits.least_history as i64).then(|| {
        format!(
            "{} whole days of charges; a day is judged after {} others",
            count.max(0),
            limits.least_history
        )
    })
}

/// The anomalies of every scope, the greatest difference first.
pub(super) fn find(
    charges: &[Charge],
    days: &Days,
    limits: &AnomalyLimits,
    baselines: &Baselines,
) -> Vec<Anomaly> {
    let mut found: Vec<Anomaly> = Vec::new();
    for (scope, costs) in &days.scopes {
        let line: Vec<Amount> = (days.first..=days.last)
            .map(|day| costs.get(&day).copied().unwrap_or_default())
            .collect();
        let from = baselines
            .get(scope)
            .and_then(|day| usize::try_from(day - days.first).ok());
        found.extend(grouped(
            scope,
            days.first,
            &line,
            &judged(days.first, &line, limits, from),
        ));
    }

    found.sort_by(|a, b| {
        let impact = |anomaly: &Anomaly| (anomaly.observed - anomaly.expected).abs();
        impact(b)
            .cmp(&impact(a))
            .then_with(|| (&a.scope, a.first_day).cmp(&(&b.scope, b.first_day)))
    });

    contribute(charges, &mut found, limits);
    found
}

/// Verdict on a day.
#[derive(Debug, Clone, Copy)]
struct Verdict {
    expected: f64,
    average: f64,
    weekly: bool,
    significance: f64,
    history: usize,
    is_new: bool,
    unusual: bool,
}

/// Judges every day. `from` is the place of the first day of a level that people called usual.
fn judged(
    first: i64,
    line: &[Amount],
    limits: &AnomalyLimits,
    from: Option<usize>,
) -> Vec<Option<Verdict>> {
    let mut values: Vec<f64> = line.iter().map(|amount| amount.as_f64()).collect();
    if let Some(from) = from {
        to_new_level(&mut values, from, limits.baseline_days);
    }

    let mut verdicts: Vec<Option<Verdict>> = Vec::with_capacity(values.len());
    // Days of the past that do not teach.
    let mut left_out = vec![false; values.len()];
    let mut running = 0;

    for day in 0..values.len() {
        let past: Vec<usize> = (day.saturating_sub(limits.baseline_days)..day)
            .filter(|past| !left_out[*past])
            .collect();
        let mut verdict =
            (past.len() >= limits.least_history).then(|| one(&values, day, &past, limits));
        verdicts.push(verdict);
        if let Some(verdict) = &mut verdict {
            verdict.unusual &= !monthly(first, &values, &verdicts, day);
            let last_days = day + 2 >= values.len();
            // The newest days of a bill are still being filled.
            verdict.unusual &= values[day] > verdict.expected || !last_days;
        }
        running = if verdict.is_some_and(|verdict| verdict.unusual) {
            running + 1
        } else {
            0
        };
        left_out[day] = running > 0;
        if running == SETTLED {
            // A new level: what came before it no longer counts, and its own days do.
            for (place, left) in left_out.iter_mut().enumerate().take(day + 1) {
                *left = place + SETTLED <= day;
            }
            running = 0;
        }
        verdicts[day] = verdict;
    }

    verdicts
}

/// Brings the days before a place to the level of those from it on.
fn to_new_level(values: &mut [f64], from: usize, days: usize) {
    let (Some(before), Some(after)) = (
        values.get(from.saturating_sub(days)..from),
        values.get(from..),
    ) else {
        return;
    };

    let (before, after) = (median(before.to_vec()), median(after.to_vec()));
    if before > 0.0 && after > 0.0 {
        values
            .iter_mut()
            .take(from)
            .for_each(|value| *value *= after / before);
    }
}

fn one(values: &[f64], day: usize, past: &[usize], limits: &AnomalyLimits) -> Verdict {
    let seen: Vec<f64> = past.iter().map(|past| values[*past]).collect();
    let average = seen.iter().sum::<f64>() / seen.len() as f64;

    // The same weekdays of the past, without the day itself: a day must not explain itself.
    let same = |day: usize| -> Vec<f64> {
        past.iter()
            .filter(|past| **past % 7 == day % 7 && **past != day)
            .map(|past| values[*past])
            .collect()
    };

    let flat = median(seen.clone());
    let about_flat: Vec<f64> = seen.iter().map(|value| (value - flat).abs()).collect();
    let weekday = |day: usize| Some(same(day)).filter(|same| same.len() >= 2).map(median);
    let about_week: Option<Vec<f64>> = past
        .iter()
        .map(|past| weekday(*past).map(|usual| (values[*past] - usual).abs()))
        .collect();
    let (mut expected, mut spread, mut weekly) = (average, deviation(about_flat), false);
    if let (Some(about_week), Some(today)) = (
        about_week.map(deviation),
        Some(same(day)).filter(|same| same.len() >= 3),
    ) && about_week < 0.7 * spread
    {
        (expected, spread, weekly) = (median(today), about_week, true);
    }

    let scale = spread
        .max(FLOOR * expected.abs())
        .max(limits.least_amount / limits.least_significance);
    let difference = values[day] - expected;
    let significance = difference.abs() / scale;
    let filled = seen.iter().filter(|value| **value != 0.0).count() as f64 / seen.len() as f64;
    let regular = filled >= REGULAR;
    let greatest = seen.iter().copied().fold(0.0, f64::max);
    let beyond = difference.abs() > limits.threshold_percent / 100.0 * expected.abs()
        && significance >= limits.least_significance
        && difference.abs() >= limits.least_amount;
    let unusual = beyond
        && if difference > 0.0 {
            regular || values[day] > greatest
        } else {
            filled >= 0.9
        };

    Verdict {
        expected,
        average,
        weekly,
        significance,
        history: past.len(),
        is_new: filled == 0.0,
        unusual,
    }
}

/// Returns `true` if a day about a month earlier stood out as much, which makes it a monthly fee.
/// Compared is what stands out above the usual: the usual itself may have changed since.
fn monthly(first: i64, values: &[f64], verdicts: &[Option<Verdict>], day: usize) -> bool {
    let (Some(date), Some(Some(today))) = (date(first + day as i64), verdicts.get(day)) else {
        return false;
    };

    let excess = values.get(day).map_or(0.0, |value| value - today.expected);
    excess > 0.0
        && (1..=3_i32).any(|months| {
            let Some(before) = date.checked_sub(months.months()).ok().and_then(day_of) else {
                return false;
            };
            (-MONTH_WANDERS..=MONTH_WANDERS).any(|off| {
                let Some(place) = usize::try_from(before + off - first)
                    .ok()
                    .filter(|place| *place < day)
                else {
                    return false;
                };
                let earlier = excess_of(values, verdicts, place);
                let alike = if off == 0 { SAME_DAY } else { OTHER_DAY };
                earlier > 0.2 * today.expected.min(values[place])
                    && alike.contains(&(excess / earlier))
            })
        })
}

/// Cost of a day above its usual; of a day that is not judged, above the median of its neighbours.
fn excess_of(values: &[f64], verdicts: &[Option<Verdict>], place: usize) -> f64 {
    let value = values.get(place).copied().unwrap_or(0.0);
    let usual = match verdicts.get(place).copied().flatten() {
        Some(verdict) => verdict.expected,
        None => median(values.iter().take(place + 14).copied().collect()),
    };
    value - usual
}

/// The date of a day since the epoch.
fn date(day: i64) -> Option<Date> {
    Date::constant(1970, 1, 1).checked_add(day.days()).ok()
}

fn day_of(date: Date) -> Option<i64> {
    date.since(Date::constant(1970, 1, 1))
        .ok()
        .map(|span| i64::from(span.get_days()))
}

/// A standard deviation estimated from absolute residuals: by their median and by their mean,
/// whichever is greater, since the median of a week's five days does not depend on the other two.
pub(super) fn deviation(residuals: Vec<f64>) -> f64 {
    let mean = residuals.iter().sum::<f64>() / residuals.len().max(1) as f64;
    (1.4826 * median(residuals)).max(1.2533 * mean)
}

pub(super) fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    match values.len() {
        0 => 0.0,
        count if count % 2 == 1 => values[count / 2],
        count => f64::midpoint(values[count / 2 - 1], values[count / 2]),
    }
}

/// Unusual days that follow one another, in one direction, as one anomaly.
fn grouped(
    scope: &ChargeScope,
    first: i64,
    line: &[Amount],
    verdicts: &[Option<Verdict>],
) -> Vec<Anomaly> {
    let mut found: Vec<Anomaly> = Vec::new();
    for (at, (amount, verdict)) in line.iter().zip(verdicts).enumerate() {
        let Some(verdict) = verdict.filter(|verdict| verdict.unusual) else {
            continue;
        };
        let (day, expected) = (
            first + at as i64,
            Amount::from_f64(verdict.expected).rounded(6),
        );
        let more = *amount > expected;
        let goes_on = |last: &&mut Anomaly| {
            last.last_day + 1 == day && (last.observed > last.expected) == more
        };
        if let Some(last) = found.last_mut().filter(|last| goes_on(last)) {
            last.last_day = day;
            last.observed += *amount;
            last.expected += expected;
            last.significance = last.significance.max(verdict.significance);
            continue;
        }
        let kind = match (more, verdict.is_new) {
            (true, true) => AnomalyKind::New,
            (true, false) => AnomalyKind::Spike,
            (false, _) => AnomalyKind::Drop,
        };
        found.push(Anomaly {
            scope: scope.clone(),
            kind,
            first_day: day,
            last_day: day,
            observed: *amount,
            expected,
            average: Amount::from_f64(verdict.average).rounded(6),
            weekly: verdict.weekly,
            significance: verdict.significance,
            history: verdict.history,
            contributors: Vec::new(),
        });
    }

    let end = first + line.len() as i64 - 1;
    for anomaly in &mut found {
        let length = anomaly.last_day - anomaly.first_day + 1;
        let lasts = length >= SETTLED as i64 || (anomaly.last_day == end && length >= 3);
        if anomaly.kind == AnomalyKind::Spike && lasts {
            anomaly.kind = AnomalyKind::Shift;
        }
    }

    found
}

/// Cost of each resource, product and region during an anomaly, and before it.
pub(super) type Parts = BTreeMap<(Arc<str>, Arc<str>, Arc<str>), (Amount, Amount)>;

/// Finds what made the differences, in one pass over the charges.
fn contribute(charges: &[Charge], found: &mut [Anomaly], limits: &AnomalyLimits) {
    let mut places: BTreeMap<ChargeScope, Vec<usize>> = BTreeMap::new();
    for (place, anomaly) in found.iter().enumerate() {
        places.entry(anomaly.scope.clone()).or_default().push(place);
    }

    if places.is_empty() {
        return;
    }

    let mut parts: Vec<Parts> = vec![Parts::new(); found.len()];
    let mut last: (Option<ChargeScope>, &[usize]) = (None, &[]);

    for charge in charges.iter().filter(|charge| is_usage(charge)) {
        let scope = ChargeScope::from_charge(charge);
        if last.0.as_ref() != Some(&scope) {
            last = (
                Some(scope.clone()),
                places.get(&scope).map_or(&[], Vec::as_slice),
            );
        }
        for place in last.1 {
            let anomaly = &found[*place];
            let before = anomaly.first_day - limits.baseline_days as i64;
            spread(charge, |day, amount| {
                let during = (anomaly.first_day..=anomaly.last_day).contains(&day);
                if !during && !(before..anomaly.first_day).contains(&day) {
                    return;
                }
                let text = super::named;
                let key = (
                    text(charge.resource.as_ref()),
                    text(charge.description.as_ref()),
                    text(charge.region.as_ref()),
                );
                let part = parts[*place].entry(key).or_default();
                *(if during { &mut part.0 } else { &mut part.1 }) += amount;
            });
        }
    }

    for (anomaly, parts) in found.iter_mut().zip(parts) {
        let length = anomaly.last_day - anomaly.first_day + 1;
        let more = anomaly.observed > anomaly.expected;
        let mut all: Vec<Contributor> = parts
            .into_iter()
            .map(|((resource, description, region), (observed, before))| {
                let expected = before.share(length, limits.baseline_days as i64).rounded(6);
                Contributor {
                    resource,
                    description,
                    region,
                    observed,
                    expected,
                }
            })
            .filter(|part| (part.observed > part.expected) == more)
            .collect();
        all.sort_by_key(|part| std::cmp::Reverse((part.observed - part.expected).abs()));
        all.truncate(CONTRIBUTORS);
        anomaly.contributors = all;
    }
}
