//! The answer: the distribution of the time to saturation, read at its percentiles.

use super::growth::SaturationGrowth;
use super::relief::Relief;
use super::{Release, SaturationQuestion, SaturationReason, SlopePerDay};
use crate::leak::tail::student_quantile;
use crate::window::DAY_MS;

/// Verdict on saturation within the horizon.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OutlookVerdict {
    /// Reached within the horizon, with at least the requested probability.
    Foreseen,
    /// Saturation within the horizon has a low probability.
    NotForeseen,
    /// The data does not decide; the reasons say why.
    Abstained,
}

/// Distribution of the time to saturation, with its verdict.
#[derive(Debug, Clone, PartialEq)]
pub struct Outlook {
    /// Foreseen, not foreseen, or abstained.
    pub verdict: OutlookVerdict,
    /// Probability of saturation within the horizon; `None` when abstained.
    pub probability: Option<f64>,
    /// The time (milliseconds since the epoch) before which saturation comes with 5 % probability;
    /// `None` beyond four horizons.
    pub earliest_ms: Option<i64>,
    /// The time before which it comes with 50 % probability; `None` beyond four horizons.
    pub median_ms: Option<i64>,
    /// The time before which it comes with 95 % probability; `None` beyond four horizons, and where
    /// releases may come first.
    pub latest_ms: Option<i64>,
    /// Growth now, releases left out; `None` when abstained.
    pub growth_per_day: Option<SlopePerDay>,
    /// Releases found, oldest first.
    pub releases: Vec<Release>,
    /// Reasons of the verdict.
    pub reasons: Vec<SaturationReason>,
}

impl Outlook {
    pub(super) fn abstained(reason: SaturationReason) -> Self {
        Outlook {
            verdict: OutlookVerdict::Abstained,
            probability: None,
            earliest_ms: None,
            median_ms: None,
            latest_ms: None,
            growth_per_day: None,
            releases: Vec::new(),
            reasons: vec![reason],
        }
    }

    pub(super) fn full(now_ms: i64) -> Self {
        let now = Some(now_ms);
        Outlook {
            verdict: OutlookVerdict::Foreseen,
            probability: Some(1.0),
            earliest_ms: now,
            median_ms: now,
            latest_ms: now,
            ..Outlook::abstained(SaturationReason::Full)
        }
    }
}

/// Reads the answer off the chances at times ahead (milliseconds from now).
pub(super) fn summarize(
    ahead: &[f64],
    mut chances: Vec<f64>,
    now_ms: i64,
    question: &SaturationQuestion,
    growth: &SaturationGrowth<'_>,
    relief: &Relief,
    width_ms: f64,
) -> Outlook {
    // What has been reached stays reached.
    let mut most = 0.0f64;
    for chance in &mut chances {
        most = most.max(*chance);
        *chance = most;
    }

    let time_of = |chance: f64| crossing(ahead, &chances, chance).map(|ms| now_ms + ms as i64);
    let within = ahead.partition_point(|ms| *ms <= question.horizon_ms as f64);
    let probability = within.checked_sub(1).map_or(0.0, |index| chances[index]);
    let per_day = DAY_MS as f64 / width_ms;
    let (rate, reach) = (
        growth.rate(),
        student_quantile(0.05, growth.freedom) * growth.rate_error(),
    );
    let slope = SlopePerDay {
        estimate: rate * per_day,
        low: (rate - reach) * per_day,
        high: (rate + reach) * per_day,
    };
    let mut reasons = Vec::new();
    reasons.push(if slope.estimate > 0.0 {
        SaturationReason::Grows {
            per_day: slope.estimate,
        }
    } else {
        SaturationReason::Still
    });

    if !relief.releases.is_empty() {
        reasons.push(SaturationReason::Released {
            releases: relief.releases.len() as u64,
        });
    }

    Outlook {
        verdict: if probability >= question.least_probability {
            OutlookVerdict::Foreseen
        } else {
            OutlookVerdict::NotForeseen
        },
        probability: Some(probability),
        earliest_ms: time_of(0.05),
        median_ms: time_of(0.5),
        latest_ms: time_of(0.95),
        growth_per_day: Some(slope),
        releases: relief.releases.clone(),
        reasons,
    }
}

/// Returns the time at which the probabilities first reach a level, interpolated between the times
/// they were computed for.
fn crossing(ahead: &[f64], chances: &[f64], level: f64) -> Option<f64> {
    let index = chances.iter().position(|chance| *chance >= level)?;
    let (before, from) = match index.checked_sub(1) {
        Some(previous) => (ahead[previous], chances[previous]),
        None => (0.0, 0.0),
    };
    let share = ((level - from) / (chances[index] - from).max(1e-12)).clamp(0.0, 1.0);
    Some(before + share * (ahead[index] - before))
}
