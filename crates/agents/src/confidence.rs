//! Confidence from held-out days of the resource's own history.
//!
//! Day by day: the rule looks at the days before, and where it would have proposed, the day itself
//! says whether the proposal would have held. Days without enough points are not counted. Days that
//! held by a hair, or by very different margins, say less than days that were all far from the
//! limit: both count as failures assumed in advance, so that two resources have the same confidence
//! only where their evidence is the same.

use reeve_learn::calibrate::{Daily, Signs};
use reeve_learn::{Backtest, DAY_MS, Prior, Window};
use reeve_recommend::judgement::Facts;
use reeve_recommend::judgement::assessment::{is_production, non_production};
use reeve_recommend::recommendation::ConfidenceRange;

use super::load::Load;

/// A day counts when this share of its points is there.
pub(crate) const DAY_COVERAGE: f64 = 0.8;
/// Half the width of a 90 % range, in standard deviations.
const RANGE: f64 = 1.645;
/// Weight of the margins' standard deviation beside the smallest margin.
const VARIATION: f64 = 3.0;

/// A confidence and where it comes from.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Confidence {
    /// Percent, 0 to 100.
    pub(crate) percent: f64,
    /// The posterior's mean before any limit, 0 to 1: what a calibrator begins with.
    pub(crate) raw: f64,
    /// The 90 % range around it.
    pub(crate) range: ConfidenceRange,
    /// Days that held, of days that could be judged.
    pub(crate) backtest: Backtest,
    /// The smallest margin of a past day, as a share of what was allowed; `None` where no day had
    /// one.
    pub(crate) smallest_margin: Option<f64>,
    /// Limited because something that decides was not measured.
    pub(crate) capped: bool,
}

impl Confidence {
    /// In words, for the explanation: the past days, then the range; or that nothing is known yet.
    pub(crate) fn words(&self) -> String {
        self.words_by("day")
    }

    /// The same of a confidence without a backtest: the state that it is based on (`unattached for
    /// 365 days`).
    pub(crate) fn words_of_state(&self, state: &str) -> String {
        let cap = if self.capped {
            ", the most that a state without a trial is given"
        } else {
            ""
        };
        format!("{state}. Confidence {:.1} %{cap}", self.percent)
    }

    /// The same where each window of the backtest has another length.
    pub(crate) fn words_by(&self, unit: &str) -> String {
        let Backtest { held, windows } = self.backtest;
        let ConfidenceRange {
            low_percent: low,
            high_percent: high,
        } = self.range;

        if windows == 0 {
            return format!(
                "No past {unit} to try it on yet. 90 % range {low:.0} to {high:.0} %, confidence {:.1} %",
                self.percent
            );
        }

        let cap = if self.capped {
            ", limited because something that decides was not measured"
        } else {
            ""
        };

        let margin = match self.smallest_margin {
            Some(margin) if margin > 0.0 => {
                format!(
                    "; the tightest {unit} stayed {:.0} % away from its limit",
                    margin * 100.0
                )
            }
            Some(_) => format!("; the tightest {unit} reached its limit"),
            None => String::new(),
        };

        format!(
            "Safe on {held} of {windows} past {unit}s, each judged by the {unit}s before it{margin}. 90 % range {low:.0} to {high:.0} %, \
             confidence {:.1} %{cap}",
            self.percent
        )
    }
}

/// Tries a rule on the days of a history. `training_days` come before the first of them. `holds`
/// gets what came before the day and the day; `None` when the rule would not have proposed.
pub(crate) fn backtest(
    history: Window,
    load: &Load,
    training_days: i64,
    mut holds: impl FnMut(Window, Window) -> Option<bool>,
) -> Backtest {
    let Some(first) = load.points.first().map(|(at, _)| *at) else {
        return Backtest::default();
    };

    let days = history.blocks(DAY_MS);
    Backtest::over(&days, |day| {
        let before = Window::ending(day.start_ms, training_days * DAY_MS);
        let covered = load
            .summary(day)
            .is_some_and(|summary| summary.coverage >= DAY_COVERAGE);
        // A training window that begins a little before the first point is still whole.
        if !covered || before.start_ms + DAY_MS / 4 < first {
            return None;
        }
        holds(before, day)
    })
}

/// Most that a finding may claim whose state no past day can try, percent.
pub(crate) const STATE_CAP: f64 = 90.0;
/// Days ahead for which a state has to last, so that the finding stays right.
const STATE_AHEAD_DAYS: f64 = 30.0;

/// The confidence that a state lasts which has lasted for so many days. There is no trial in it: of
/// states that lasted for `days`, the share `days / (days + ahead)` is expected to last `ahead`
/// days more (J. R. Gott, Nature 363, 1993).
pub(crate) fn lasting(days: i64) -> Confidence {
    let days = days.max(0) as f64;
    stated(100.0 * days / (days + STATE_AHEAD_DAYS))
}

/// A confidence that a rule states, percent, at most [`STATE_CAP`].
pub(crate) fn stated(percent: f64) -> Confidence {
    let (raw, capped) = (percent / 100.0, percent > STATE_CAP);
    let percent = (percent.min(STATE_CAP) * 10.0).round() / 10.0;
    let range = ConfidenceRange {
        low_percent: percent,
        high_percent: percent,
    };

    Confidence {
        percent,
        raw,
        range,
        backtest: Backtest::default(),
        smallest_margin: None,
        capped,
    }
}

/// The confidence of a backtest: each doubt is a failure assumed in advance, margins that were
/// small or uneven are doubts; a cap limits what no backtest can see.
pub(crate) fn confidence(
    backtest: Backtest,
    margins: &Daily,
    doubts: f64,
    cap_percent: Option<f64>,
) -> Confidence {
    let (smallest_margin, uneasy) = unease(margins);
    let prior = Prior::UNIFORM.doubting(doubts + uneasy);
    let raw = backtest.confidence(prior);
    let reach = RANGE * backtest.uncertainty(prior);
    let range = ConfidenceRange {
        low_percent: (raw - reach).max(0.0) * 100.0,
        high_percent: (raw + reach).min(1.0) * 100.0,
    };
    let percent = raw * 100.0;
    let capped = cap_percent.is_some_and(|cap| percent > cap);
    let percent = cap_percent.map_or(percent, |cap| percent.min(cap));

    Confidence {
        percent: (percent * 10.0).round() / 10.0,
        raw,
        range,
        backtest,
        smallest_margin,
        capped,
    }
}

/// The smallest margin, and what small and uneven margins count as failures.
fn unease(margins: &Daily) -> (Option<f64>, f64) {
    let known: Vec<f64> = margins
        .iter()
        .flatten()
        .copied()
        .filter(|margin| margin.is_finite())
        .collect();

    let Some(smallest) = known.iter().copied().reduce(f64::min) else {
        return (None, 0.0);
    };

    let mean = known.iter().sum::<f64>() / known.len() as f64;
    let variance = known
        .iter()
        .map(|margin| (margin - mean).powi(2))
        .sum::<f64>()
        / known.len() as f64;
    let uneven = (VARIATION * variance.sqrt()).min(1.0);

    (Some(smallest), 1.0 - smallest.clamp(0.0, 1.0) + uneven)
}

/// Returns the features of a change of the judged resource with these margins.
pub(crate) fn signs(facts: &Facts<'_>, margins: Daily, tried: u64, unmeasured: f64) -> Signs {
    let resource = facts.resource;
    let production = if is_production(resource) {
        Some(true)
    } else {
        non_production(resource).then_some(false)
    };

    let now_ms = facts.now.as_millisecond();
    let age_days = resource
        .created_at
        .map(|at| (now_ms - at.as_millisecond()) as f64 / DAY_MS as f64);
    Signs {
        margins,
        tried,
        unmeasured,
        production,
        age_days,
    }
}
