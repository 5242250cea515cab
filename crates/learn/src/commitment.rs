//! Commitments simulated on hourly use: what each level of a commitment would have cost on the
//! hours that were measured.
//!
//! A commitment pays a fixed amount an hour, used or not, for use that would cost more on demand:
//! at a discount `d`, one dollar of commitment pays for `1 / (1 - d)` dollars of use. What it does
//! not cover is paid on demand. So the next dollar of a level pays off as long as it is used in
//! more than `1 - d` of the hours, and the best level is the `d` quantile of the use. Hours of a
//! month say little about a year; what the figures cannot see is a matter of the reader.

use serde::{Deserialize, Serialize};

use crate::backtest::Backtest;
use crate::quantile::percentile;

/// Hours of a week.
const WEEK: usize = 168;
/// Levels between nothing and the highest hour.
const STEPS: usize = 20;
/// Least weeks that a simulation needs: some to choose a level by, and one to try it on.
const LEAST_WEEKS: usize = 3;

/// One level of a commitment over the measured hours.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Level {
    /// Paid an hour for the commitment, in the currency of the use.
    pub hourly: f64,
    /// Share of the use that it would have paid for, 0 to 1.
    pub coverage: f64,
    /// Share of the commitment that would have been used, 0 to 1; 1 for no commitment.
    pub utilisation: f64,
    /// Mean cost an hour, commitment and on-demand use together.
    pub cost: f64,
    /// Mean cost an hour of the use that stays on demand.
    pub on_demand: f64,
    /// Share of the weeks in which it would have cost more than it saved.
    pub losing_weeks: f64,
    /// Share by which the use may fall before the commitment costs more than it saves; negative
    /// where it does already.
    pub room: f64,
}

impl Level {
    /// Mean saving an hour against use on demand.
    #[must_use]
    pub fn saving(&self, mean_use: f64) -> f64 {
        mean_use - self.cost
    }
}

/// Levels of a commitment over the measured hours.
#[derive(Debug, Clone, PartialEq)]
pub struct Simulation {
    /// Levels from nothing to the highest hour, ascending, the best and the safe one among them.
    pub levels: Vec<Level>,
    /// Level that would have saved most.
    pub best: Level,
    /// Highest level that lost in no week and saves no less than a lower one; nothing where every
    /// level loses.
    pub safe: Level,
    /// Mean use an hour at on-demand prices.
    pub mean_use: f64,
    /// Saving an hour, over the last third of the weeks, of the safe level that the weeks before
    /// would have led to.
    pub held_out_saving: f64,
    /// Weeks from the third on in which the safe level of the weeks before them would have saved.
    pub tried: Backtest,
    /// Hours that were simulated.
    pub hours: usize,
}

/// Simulates levels of a commitment with a discount from 0 to 1 on hourly use at on-demand prices,
/// oldest first. `None` with fewer than three weeks, without use, or without a discount.
#[must_use]
pub fn simulate(hourly_use: &[f64], discount: f64) -> Option<Simulation> {
    // Whole weeks alone, the newest: a part of a week has other hours than a week.
    let weeks = hourly_use.len() / WEEK;
    let hourly_use = &hourly_use[hourly_use.len() - weeks * WEEK..];
    let mean_use = mean(hourly_use);
    let valid = weeks >= LEAST_WEEKS && mean_use > 0.0 && discount > 0.0 && discount < 1.0;
    if !valid
        || hourly_use
            .iter()
            .any(|value| !value.is_finite() || *value < 0.0)
    {
        return None;
    }

    let chosen = safe(hourly_use, discount);
    let most = hourly_use.iter().copied().fold(0.0, f64::max);
    let optimum = optimum(hourly_use, discount);
    let mut covered: Vec<f64> = (0..=STEPS)
        .map(|step| most * step as f64 / STEPS as f64)
        .collect();
    covered.extend([optimum, chosen]);
    covered.sort_by(f64::total_cmp);
    covered.dedup_by(|a, b| (*a - *b).abs() < most * 1e-9);
    let training = (weeks - (weeks / 3).max(1)) * WEEK;
    let tried = level(
        &hourly_use[training..],
        safe(&hourly_use[..training], discount),
        discount,
    );

    Some(Simulation {
        levels: covered
            .into_iter()
            .map(|use_covered| level(hourly_use, use_covered, discount))
            .collect(),
        best: level(hourly_use, optimum, discount),
        safe: level(hourly_use, chosen, discount),
        mean_use,
        held_out_saving: tried.saving(mean(&hourly_use[training..])),
        tried: tried_weeks(hourly_use, discount),
        hours: hourly_use.len(),
    })
}

/// Tries the safe level of the weeks before on each week that has two before it.
fn tried_weeks(hourly_use: &[f64], discount: f64) -> Backtest {
    let mut count = Backtest::default();
    for start in (2 * WEEK..hourly_use.len()).step_by(WEEK) {
        let week = &hourly_use[start..start + WEEK];
        count.windows += 1;
        count.held += u64::from(
            level(week, safe(&hourly_use[..start], discount), discount).saving(mean(week)) > 0.0,
        );
    }
    count
}

/// Use an hour that the level with the highest saving covers.
fn optimum(hourly_use: &[f64], discount: f64) -> f64 {
    percentile(hourly_use, discount * 100.0).unwrap_or(0.0)
}

/// Use an hour that the safe level covers: the lowest of the weeks' own best levels. A week in
/// which it loses would have a lower one.
fn safe(hourly_use: &[f64], discount: f64) -> f64 {
    let weeks = hourly_use
        .chunks_exact(WEEK)
        .map(|week| optimum(week, discount));
    weeks.reduce(f64::min).unwrap_or(0.0)
}

fn level(hourly_use: &[f64], use_covered: f64, discount: f64) -> Level {
    let price = 1.0 - discount;
    let hourly = use_covered * price;
    let covered = |hours: &[f64]| {
        hours
            .iter()
            .map(|value| value.min(use_covered))
            .sum::<f64>()
            / hours.len() as f64
    };
    let (all, mean_use) = (covered(hourly_use), mean(hourly_use));

    let weeks = hourly_use.len() / WEEK;
    let losing = hourly_use
        .chunks_exact(WEEK)
        .filter(|week| covered(week) < hourly * (1.0 - 1e-9))
        .count();
    let utilisation = if use_covered > 0.0 {
        all / use_covered
    } else {
        1.0
    };

    Level {
        hourly,
        coverage: all / mean_use,
        utilisation,
        cost: hourly + mean_use - all,
        on_demand: mean_use - all,
        losing_weeks: losing as f64 / weeks.max(1) as f64,
        room: 1.0 - price / utilisation.max(f64::MIN_POSITIVE),
    }
}

fn mean(values: &[f64]) -> f64 {
    if values.is_empty() {
        0.0
    } else {
        values.iter().sum::<f64>() / values.len() as f64
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn close(a: f64, b: f64) -> bool {
        (a - b).abs() < 1e-9
    }

    /// Four weeks of use by the hour of the week.
    fn weeks(of_hour: impl Fn(usize) -> f64) -> Vec<f64> {
        (0..4 * WEEK).map(of_hour).collect()
    }

    #[test]
    fn even_use_is_covered_whole_and_saves_the_discount() {
        let found = simulate(&weeks(|_| 10.0), 0.3).unwrap();
        assert!(
            close(found.best.hourly, 7.0)
                && close(found.best.coverage, 1.0)
                && close(found.best.utilisation, 1.0)
        );
        assert!(close(found.best.saving(found.mean_use), 3.0) && close(found.held_out_saving, 3.0));
        assert_eq!(found.safe, found.best);
        assert!(
            close(found.best.room, 0.3),
            "use may fall to 70 %, where both cost the same"
        );
        assert_eq!(
            found.tried,
            Backtest {
                held: 2,
                windows: 2
            }
        );
    }

    #[test]
    fn office_hours_are_left_on_demand() {
        // 10 around the clock, 30 in 50 hours of the week: 30 % of the hours, at a discount of 28
        // %.
        let office = |hour: usize| if hour % WEEK < 50 { 30.0 } else { 10.0 };
        let found = simulate(&weeks(office), 0.28).unwrap();
        assert!(close(found.best.hourly, 7.2), "{:?}", found.best);
        assert!(close(found.best.on_demand, 20.0 * 50.0 / 168.0));

        let highest = found.levels.last().unwrap();
        assert!(
            highest.saving(found.mean_use) < 0.0 && close(highest.losing_weeks, 1.0),
            "{highest:?}"
        );
        assert!(close(highest.coverage, 1.0) && highest.utilisation < 0.72);

        // No level of the simulation is better than the best.
        let most = found
            .levels
            .iter()
            .map(|level| level.saving(found.mean_use))
            .fold(f64::MIN, f64::max);
        assert!(close(most, found.best.saving(found.mean_use)));
    }

    #[test]
    fn a_week_of_less_use_bounds_the_safe_level() {
        let shrinking = |hour: usize| if hour < 3 * WEEK { 20.0 } else { 8.0 };
        let found = simulate(&weeks(shrinking), 0.3).unwrap();
        assert!(found.best.hourly > found.safe.hourly && close(found.safe.hourly, 8.0 * 0.7));
        assert!(close(found.safe.losing_weeks, 0.0) && found.best.losing_weeks > 0.0);
        assert!(
            found.held_out_saving < 0.0,
            "what the weeks before said would have lost in the last one"
        );
        assert_eq!(
            found.tried,
            Backtest {
                held: 1,
                windows: 2
            }
        );
    }

    #[test]
    fn what_cannot_be_simulated_is_not() {
        assert_eq!(simulate(&[10.0; 2 * WEEK], 0.3), None);
        assert_eq!(simulate(&weeks(|_| 0.0), 0.3), None);
        for discount in [0.0, 1.0, -0.5] {
            assert_eq!(simulate(&weeks(|_| 1.0), discount), None);
        }
        assert_eq!(
            simulate(&weeks(|hour| if hour == 7 { f64::NAN } else { 1.0 }), 0.3),
            None
        );
    }
}
