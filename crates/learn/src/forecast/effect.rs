//! Effects of named spans of time on a series: announced events, and the ends of months.
//!
//! An effect is learnt against the same phase of the seasons around it, taken out of the history
//! before the rest is fitted, and put back wherever a span lies ahead. It multiplies where that
//! explains its spans better than adding does.

use std::collections::BTreeMap;

use super::frame::median;
use super::settings::ForecastEvent;
use crate::grid::Grid;
use crate::window::DAY_MS;

/// Effect of the spans with one label.
#[derive(Debug, Clone, PartialEq)]
pub struct ForecastEffect {
    /// The events' label; `month end` and `month start` are found without being announced.
    pub label: String,
    /// Past spans it was learnt from; 0 means that nothing is known of it.
    pub spans: usize,
    /// `true` if `size` is a factor, `false` if it is an amount.
    pub multiplies: bool,
    /// Factor, or amount in the series' unit.
    pub size: f64,
    /// Typical distance of single spans from the effect, in the series' unit.
    pub spread: f64,
}

impl ForecastEffect {
    pub(super) fn remove(&self, value: f64) -> f64 {
        if self.multiplies {
            value / self.size
        } else {
            value - self.size
        }
    }

    pub(super) fn apply(&self, value: f64) -> f64 {
        if self.multiplies {
            value * self.size
        } else {
            value + self.size
        }
    }
}

/// Label of the last day of a month.
const MONTH_END: &str = "month end";
/// Label of the first day of a month.
const MONTH_START: &str = "month start";
/// Months an unannounced effect must have shown in.
const LEAST_MONTHS: usize = 3;

/// Effects of a series and the spans they rule.
#[derive(Debug, Clone, Default)]
pub(super) struct Effects {
    pub known: Vec<ForecastEffect>,
    spans: Vec<(i64, i64, usize)>,
}

impl Effects {
    /// Learns and removes the effects of all labels. `period` is the longest season the history
    /// knows, in steps.
    pub(super) fn take_out(
        grid: &Grid,
        values: &mut [f64],
        first: usize,
        period: usize,
        events: &[ForecastEvent],
    ) -> Effects {
        let mut effects = Effects::default();
        let mut labels: BTreeMap<&str, Vec<(i64, i64)>> = BTreeMap::new();

        for event in events.iter().filter(|event| event.from_ms < event.until_ms) {
            labels
                .entry(&event.label)
                .or_default()
                .push((event.from_ms, event.until_ms));
        }

        for (label, spans) in labels {
            let effect = learn(grid, values, first, period, label, &spans, 1)
                .unwrap_or_else(|| unknown(label));
            effects.add(grid, values, first, effect, &spans);
        }

        if grid.step_ms <= DAY_MS
            && (values.len() as i64).saturating_mul(grid.step_ms) >= 85 * DAY_MS
        {
            let from = grid.time_ms(first);
            let until = grid.time_ms(first + values.len());
            for (label, spans) in [
                (MONTH_END, month_days(from, until, 1)),
                (MONTH_START, month_days(from, until, 0)),
            ] {
                let learnt = learn(grid, values, first, period, label, &spans, LEAST_MONTHS);
                if let Some(effect) = learnt.filter(|effect| is_plain(effect, values, period)) {
                    let ahead = until.saturating_add(2_000 * DAY_MS);
                    let all = month_days(from, ahead, i64::from(label == MONTH_END));
                    effects.add(grid, values, first, effect, &all);
                }
            }
        }

        effects
    }

    /// The effect that rules a time.
    pub(super) fn at(&self, at_ms: i64) -> Option<&ForecastEffect> {
        let (_, _, index) = self
            .spans
            .iter()
            .find(|(from, until, _)| *from <= at_ms && at_ms < *until)?;
        self.known.get(*index).filter(|effect| effect.spans > 0)
    }

    fn add(
        &mut self,
        grid: &Grid,
        values: &mut [f64],
        first: usize,
        effect: ForecastEffect,
        spans: &[(i64, i64)],
    ) {
        if effect.spans > 0 {
            for (index, value) in values.iter_mut().enumerate() {
                if covered(spans, grid.time_ms(first + index)) {
                    *value = effect.remove(*value);
                }
            }
        }

        self.spans.extend(
            spans
                .iter()
                .map(|(from, until)| (*from, *until, self.known.len())),
        );
        self.known.push(effect);
    }
}

fn unknown(label: &str) -> ForecastEffect {
    ForecastEffect {
        label: label.to_owned(),
        spans: 0,
        multiplies: false,
        size: 0.0,
        spread: 0.0,
    }
}

fn covered(spans: &[(i64, i64)], at_ms: i64) -> bool {
    spans
        .iter()
        .any(|(from, until)| *from <= at_ms && at_ms < *until)
}

/// Learns one label from the spans inside the history; `None` with fewer than `least` of them.
fn learn(
    grid: &Grid,
    values: &[f64],
    first: usize,
    period: usize,
    label: &str,
    spans: &[(i64, i64)],
    least: usize,
) -> Option<ForecastEffect> {
    let inside: Vec<bool> = (0..values.len())
        .map(|index| covered(spans, grid.time_ms(first + index)))
        .collect();
    let (mut amounts, mut factors, mut levels, mut slots_seen) =
        (Vec::new(), Vec::new(), Vec::new(), Vec::new());

    for (from, until) in spans {
        let span = slots_of(grid, first, values.len(), *from, *until);
        let (mut seen, mut usual) = (Vec::new(), Vec::new());
        for index in span {
            if let (true, Some(usually)) = (
                values[index].is_finite(),
                around(values, &inside, index, period),
            ) {
                seen.push(values[index]);
                usual.push(usually);
                slots_seen.push((values[index], usually));
            }
        }
        let count = seen.len() as f64;
        if count > 0.0 {
            let (seen, usual) = (
                seen.iter().sum::<f64>() / count,
                usual.iter().sum::<f64>() / count,
            );
            amounts.push(seen - usual);
            factors.push(if usual > 0.0 && seen > 0.0 {
                seen / usual
            } else {
                f64::NAN
            });
            levels.push(usual);
        }
    }

    if amounts.len() < least.max(1) {
        return None;
    }

    let amount = median(&mut amounts.clone())?;
    let amount_spread =
        amounts.iter().map(|one| (one - amount).abs()).sum::<f64>() / amounts.len() as f64;
    let factor =
        median(&mut factors.clone()).filter(|_| factors.iter().all(|factor| factor.is_finite()));
    let factor_spread = factor.map(|factor| {
        factors
            .iter()
            .zip(&levels)
            .map(|(one, level)| (one - factor).abs() * level)
            .sum::<f64>()
            / factors.len() as f64
    });

    // Told by single slots: spans at the same hours have the same mean by either.
    let missed = |expected: &dyn Fn(f64) -> f64| {
        slots_seen
            .iter()
            .map(|(seen, usual)| (seen - expected(*usual)).abs())
            .sum::<f64>()
    };

    let multiplies = factor.is_some_and(|factor| {
        factor > 0.05 && missed(&|usual| usual * factor) <= missed(&|usual| usual + amount)
    });
    let spread = if multiplies {
        factor_spread.unwrap_or(amount_spread)
    } else {
        amount_spread
    };

    // One span alone says nothing of how much spans differ: half of the effect is taken.
    let spread = if amounts.len() == 1 {
        0.5 * amount.abs()
    } else {
        spread
    };

    let size = if multiplies {
        factor.unwrap_or(1.0)
    } else {
        amount
    };

    Some(ForecastEffect {
        label: label.to_owned(),
        spans: amounts.len(),
        multiplies,
        size,
        spread,
    })
}

fn slots_of(
    grid: &Grid,
    first: usize,
    length: usize,
    from: i64,
    until: i64,
) -> std::ops::Range<usize> {
    let start = grid.time_ms(first);
    let slot = |at: i64| {
        let since = i128::from(at) - i128::from(start);
        let step = i128::from(grid.step_ms);
        usize::try_from((since + step - 1).div_euclid(step))
            .unwrap_or(0)
            .min(length)
    };

    slot(from)..slot(until)
}

/// The mean of up to two seasons on each side at the same phase, spans left out.
fn around(values: &[f64], inside: &[bool], index: usize, period: usize) -> Option<f64> {
    let (mut sum, mut count) = (0.0, 0.0);
    for seasons in 1..=2 {
        let back = index.checked_sub(seasons * period);
        for other in back.into_iter().chain([index + seasons * period]) {
            if values.get(other).is_some_and(|value| value.is_finite()) && !inside[other] {
                sum += values[other];
                count += 1.0;
            }
        }
    }

    (count > 0.0).then(|| sum / count)
}

/// Returns `true` if an unannounced effect is beyond doubt: far larger than the differences between
/// its spans and between seasons.
fn is_plain(effect: &ForecastEffect, values: &[f64], period: usize) -> bool {
    let known: Vec<f64> = values
        .iter()
        .copied()
        .filter(|value| value.is_finite())
        .collect();
    let level = known.iter().sum::<f64>() / known.len().max(1) as f64;
    let amount = if effect.multiplies {
        (effect.size - 1.0) * level
    } else {
        effect.size
    };

    let mut differences: Vec<f64> = (period..values.len())
        .map(|index| (values[index] - values[index - period]).abs())
        .filter(|difference| difference.is_finite())
        .collect();
    let usual = median(&mut differences).unwrap_or(0.0);
    amount.abs() > 3.0 * effect.spread
        && amount.abs() > 1.5 * usual
        && amount.abs() > 0.05 * level.abs()
}

/// The days before (`back` 1) or at (`back` 0) each month's first midnight, UTC, that touch a span
/// of time.
fn month_days(from_ms: i64, until_ms: i64, back: i64) -> Vec<(i64, i64)> {
    let mut found = Vec::new();
    let (first, last) = (
        from_ms.div_euclid(DAY_MS) - 1,
        until_ms.div_euclid(DAY_MS) + 1,
    );

    // A year of 31 months' ends would still be few; more than 400 years are not looked at.
    for day in first..=last.min(first.saturating_add(150_000)) {
        if day_of_month(day + back) == 1 {
            found.push((day * DAY_MS, (day + 1) * DAY_MS));
        }
    }

    found
}

/// Returns `true` if a time is on the first or the last day of its month, UTC.
pub(super) fn is_month_edge(at_ms: i64) -> bool {
    let day = at_ms.div_euclid(DAY_MS);
    day_of_month(day) == 1 || day_of_month(day + 1) == 1
}

/// The day of the month of a day since the epoch, 1 to 31 (proleptic Gregorian; Hinnant,
/// "chrono-compatible low-level date algorithms").
fn day_of_month(days: i64) -> i64 {
    let shifted = days + 719_468;
    let day_of_era = shifted.rem_euclid(146_097);
    let year_of_era =
        (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month = (5 * day_of_year + 2) / 153;
    day_of_year - (153 * month + 2) / 5 + 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn months_end_where_the_calendar_says() {
        // 2024-01-01 is day 19,723; 2024 is a leap year.
        let ends = month_days(19_723 * DAY_MS, (19_723 + 100) * DAY_MS, 1);
        let days: Vec<i64> = ends
            .iter()
            .map(|(from, _)| from / DAY_MS - 19_723)
            .collect();
        assert_eq!(days, [-1, 30, 59, 90]);
        assert_eq!(day_of_month(0), 1);
        assert_eq!(day_of_month(-1), 31);
    }
}
