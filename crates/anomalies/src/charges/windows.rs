//! Windows of hours that cost unusually much, each service of each account against its own past.
//!
//! A window is compared with the average of the windows of the baseline, or, where the past follows
//! the hours of the day or of the week, with the median of the same hours. The conditions are those
//! of days: the threshold, several robust standard deviations, and an amount that matters. A
//! service whose charges have periods longer than the window has no hours, and is left to days.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use reeve_estate::charge::{Amount, Charge};

use super::anomaly::{FLOOR, Parts, deviation, median};
use super::days::ChargeScope;
use super::{AnomalyKind, AnomalyLimits, Contributor, DAY_MS, is_usage, named};

/// Milliseconds of an hour.
const HOUR_MS: i64 = 3_600_000;
/// Days of windows that are judged: what is older is no news.
const JUDGED_DAYS: i64 = 3;
/// Share of the cost that charges of hours must make for a service to have hours.
const HOURLY: f64 = 0.5;
/// A rhythm counts where it leaves less than this share of the scatter.
const RHYTHM: f64 = 0.7;
/// Windows of history below which none is judged.
const LEAST_WINDOWS: i64 = 7;
/// Windows of the same hours that a rhythm takes.
const SAME: usize = 3;
/// Share of the windows with a cost, below which a service is irregular.
const REGULAR: f64 = 0.6;
/// Contributors listed for each anomaly.
const CONTRIBUTORS: usize = 5;

/// Windows that follow one another and cost unusually much.
#[derive(Debug, Clone, PartialEq)]
pub struct WindowAnomaly {
    /// Account and service of the charges.
    pub scope: ChargeScope,
    /// Kind: a spike, or a cost where there was none.
    pub kind: AnomalyKind,
    /// Start of the first window, milliseconds since 1970.
    pub start_ms: i64,
    /// The first after it.
    pub end_ms: i64,
    /// Cost of the windows.
    pub observed: f64,
    pub expected: f64,
    /// The most unusual window, in robust standard deviations.
    pub significance: f64,
    /// The resources that made the difference, the greatest first.
    pub contributors: Vec<Contributor>,
}

/// Windows of every service that has hours.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Windows {
    /// Services that have hours.
    pub scopes: BTreeSet<ChargeScope>,
    /// Unusual windows, the greatest difference first.
    pub anomalies: Vec<WindowAnomaly>,
}

/// Longest window, in hours: a month.
const MOST_HOURS: u32 = 744;

/// Judges the newest windows of so many hours, 744 at the most.
#[must_use]
pub fn windows(charges: &[Charge], limits: &AnomalyLimits, hours: u32) -> Windows {
    let step = i64::from(hours.clamp(1, MOST_HOURS)) * HOUR_MS;
    let usage: Vec<&Charge> = charges.iter().filter(|charge| is_usage(charge)).collect();
    let Some(end) = usage
        .iter()
        .filter(|charge| is_of_hours(charge, step))
        .map(|charge| charge.end_ms)
        .max()
    else {
        return Windows::default();
    };

    let last = end.div_euclid(step) - 1;
    let mut lines: BTreeMap<ChargeScope, Line> = BTreeMap::new();

    for charge in usage.iter().filter(|charge| charge.start_ms < end) {
        lines
            .entry(ChargeScope::from_charge(charge))
            .or_default()
            .add(charge, step);
    }

    let mut found = Windows::default();
    let least = least_windows(step, limits);

    // A service with too short a history for such windows is left to days too, instead of being
    // judged by nothing.
    for (scope, line) in lines
        .into_iter()
        .filter(|(_, line)| line.has_hours() && line.reaches_back(last, least))
    {
        found
            .anomalies
            .extend(line.judge(&scope, last, step, limits));
        found.scopes.insert(scope);
    }

    for anomaly in &mut found.anomalies {
        anomaly.contributors = contributors(&usage, anomaly, limits);
    }

    found
        .anomalies
        .sort_by(|a, b| (b.observed - b.expected).total_cmp(&(a.observed - a.expected)));
    found
}

/// Windows of history that a judgement takes.
fn least_windows(step: i64, limits: &AnomalyLimits) -> i64 {
    (limits.least_history as i64 * DAY_MS / step).max(LEAST_WINDOWS)
}

fn is_of_hours(charge: &Charge, step: i64) -> bool {
    charge.end_ms - charge.start_ms <= step
}

/// Part of a charge that lies in a period.
fn overlap(charge: &Charge, period: &Range<i64>) -> Amount {
    let length = charge.end_ms - charge.start_ms;
    let part = charge.end_ms.min(period.end) - charge.start_ms.max(period.start);
    match length {
        0 if period.contains(&charge.start_ms) => charge.cost(),
        length if part >= length => charge.cost(),
        _ => charge.cost().share(part.max(0), length),
    }
}

/// Cost of a service by window.
#[derive(Debug, Default)]
struct Line {
    costs: BTreeMap<i64, f64>,
    of_hours: f64,
    all: f64,
}

impl Line {
    fn add(&mut self, charge: &Charge, step: i64) {
        self.all += charge.cost().as_f64().abs();
        if !is_of_hours(charge, step) {
            return;
        }

        self.of_hours += charge.cost().as_f64().abs();
        let (first, last) = (
            charge.start_ms.div_euclid(step),
            (charge.end_ms - 1).max(charge.start_ms).div_euclid(step),
        );
        for window in first..=last {
            let part = overlap(charge, &(window * step..(window + 1) * step));
            *self.costs.entry(window).or_default() += part.as_f64();
        }
    }

    fn has_hours(&self) -> bool {
        self.of_hours > 0.0 && self.of_hours >= HOURLY * self.all
    }

    fn reaches_back(&self, last: i64, windows: i64) -> bool {
        self.costs
            .keys()
            .next()
            .is_some_and(|first| last - first >= windows)
    }

    fn cost(&self, window: i64) -> f64 {
        self.costs.get(&window).copied().unwrap_or(0.0)
    }

    fn judge(
        &self,
        scope: &ChargeScope,
        last: i64,
        step: i64,
        limits: &AnomalyLimits,
    ) -> Vec<WindowAnomaly> {
        let Some(first) = self.costs.keys().next().copied() else {
            return Vec::new();
        };

        // A baseline of few windows has no spread, so that long windows look back further.
        let baseline = (limits.baseline_days as i64 * DAY_MS / step).max(LEAST_WINDOWS);
        let least = least_windows(step, limits) as usize;
        let judged = (JUDGED_DAYS * DAY_MS / step).max(1);
        let mut unusual: BTreeSet<i64> = BTreeSet::new();
        let mut found: Vec<WindowAnomaly> = Vec::new();

        for window in (last - judged + 1)..=last {
            let past: Vec<i64> = (first.max(window - baseline)..window)
                .filter(|past| !unusual.contains(past))
                .collect();
            if past.len() < least {
                continue;
            }
            let Some(verdict) = self.one(window, &past, step, limits) else {
                continue;
            };
            unusual.insert(window);
            match found.last_mut().filter(|one| one.end_ms == window * step) {
                Some(goes_on) => goes_on.extend(verdict, step),
                None => found.push(verdict.begin(scope, window, step)),
            }
        }

        found
    }

    /// The verdict on a window that costs unusually much; `None` for any other.
    fn one(&self, window: i64, past: &[i64], step: i64, limits: &AnomalyLimits) -> Option<Verdict> {
        let seen: Vec<f64> = past.iter().map(|past| self.cost(*past)).collect();
        let flat = median(seen.clone());
        let (mut expected, mut spread) = (
            seen.iter().sum::<f64>() / seen.len() as f64,
            deviation(seen.iter().map(|value| (value - flat).abs()).collect()),
        );
        for season in [DAY_MS, 7 * DAY_MS]
            .into_iter()
            .filter(|season| season % step == 0)
            .map(|season| season / step)
        {
            let mut same: BTreeMap<i64, Vec<f64>> = BTreeMap::new();
            for (past, value) in past.iter().zip(&seen) {
                same.entry(past.rem_euclid(season))
                    .or_default()
                    .push(*value);
            }
            let Some(here) = same
                .get(&window.rem_euclid(season))
                .filter(|here| here.len() >= SAME)
                .cloned()
            else {
                continue;
            };
            let usual: BTreeMap<i64, f64> = same
                .into_iter()
                .map(|(hour, values)| (hour, median(values)))
                .collect();
            let residuals = past
                .iter()
                .zip(&seen)
                .map(|(past, value)| (value - usual[&past.rem_euclid(season)]).abs())
                .collect();
            let left = deviation(residuals);
            if left < RHYTHM * spread {
                (expected, spread) = (median(here), left);
            }
        }

        let value = self.cost(window);
        let least_amount = limits.least_amount * step as f64 / DAY_MS as f64;
        let scale = spread
            .max(FLOOR * expected.abs())
            .max(least_amount / limits.least_significance);
        let difference = value - expected;
        let filled = seen.iter().filter(|value| **value != 0.0).count() as f64 / seen.len() as f64;
        let greatest = seen.iter().copied().fold(0.0, f64::max);
        let beyond = difference > limits.threshold_percent / 100.0 * expected.abs()
            && difference / scale >= limits.least_significance
            && difference >= least_amount
            && (filled >= REGULAR || value > greatest);
        let kind = if filled == 0.0 {
            AnomalyKind::New
        } else {
            AnomalyKind::Spike
        };

        beyond.then_some(Verdict {
            kind,
            value,
            expected,
            significance: difference / scale,
        })
    }
}

/// Verdict on a window.
struct Verdict {
    kind: AnomalyKind,
    value: f64,
    expected: f64,
    significance: f64,
}

impl Verdict {
    fn begin(self, scope: &ChargeScope, window: i64, step: i64) -> WindowAnomaly {
        WindowAnomaly {
            scope: scope.clone(),
            kind: self.kind,
            start_ms: window * step,
            end_ms: (window + 1) * step,
            observed: self.value,
            expected: self.expected,
            significance: self.significance,
            contributors: Vec::new(),
        }
    }
}

impl WindowAnomaly {
    fn extend(&mut self, verdict: Verdict, step: i64) {
        self.end_ms += step;
        self.observed += verdict.value;
        self.expected += verdict.expected;
        self.significance = self.significance.max(verdict.significance);
    }
}

/// The resources that cost more in the windows than in as long a time of the baseline.
fn contributors(
    usage: &[&Charge],
    anomaly: &WindowAnomaly,
    limits: &AnomalyLimits,
) -> Vec<Contributor> {
    let baseline = limits.baseline_days as i64 * DAY_MS;
    let (during, before) = (
        anomaly.start_ms..anomaly.end_ms,
        anomaly.start_ms - baseline..anomaly.start_ms,
    );
    let mut parts = Parts::new();
    let concerned = usage
        .iter()
        .filter(|charge| charge.start_ms < during.end && charge.end_ms > before.start);

    for charge in concerned.filter(|charge| ChargeScope::from_charge(charge) == anomaly.scope) {
        let key = (
            named(charge.resource.as_ref()),
            named(charge.description.as_ref()),
            named(charge.region.as_ref()),
        );
        let part = parts.entry(key).or_default();
        part.0 += overlap(charge, &during);
        part.1 += overlap(charge, &before);
    }

    let mut all: Vec<Contributor> = parts
        .into_iter()
        .map(|((resource, description, region), (observed, before))| {
            let expected = before.share(during.end - during.start, baseline).rounded(6);
            Contributor {
                resource,
                description,
                region,
                observed,
                expected,
            }
        })
        .filter(|part| part.observed > part.expected)
        .collect();
    all.sort_by_key(|part| std::cmp::Reverse((part.observed - part.expected).abs()));

    all.truncate(CONTRIBUTORS);
    all
}
