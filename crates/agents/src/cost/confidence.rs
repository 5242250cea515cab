//! Confidence from held-out days of the resource's own history.
//!
//! Day by day: the rule looks at the days before, and where it would have proposed, the day itself says whether the
//! proposal would have held. Days without enough points are not counted.

use reeve_learn::{Backtest, DAY_MS, Prior, Window};

use super::evidence::{Evidence, Load};

/// A day counts when this share of its points is there.
pub(super) const DAY_COVERAGE: f64 = 0.8;

/// A confidence and where it comes from.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Confidence {
    /// Percent, 0 to 100.
    pub(super) percent: f64,
    /// The posterior's mean before any limit, 0 to 1: what a calibrator begins with.
    pub(super) raw: f64,
    /// Days that held, of days that could be judged.
    pub(super) backtest: Backtest,
    /// Limited because something that decides was not measured.
    pub(super) capped: bool,
}

impl Confidence {
    /// In words, for the explanation.
    pub(super) fn words(&self) -> String {
        let Backtest { held, windows } = self.backtest;
        let cap = if self.capped { ", limited because something that decides was not measured" } else { "" };
        match windows {
            0 => format!(
                "There was no held-out day to try it on; confidence {:.1} % is hardly more than the prior",
                self.percent
            ),
            _ => format!(
                "It would have held on {held} of {windows} held-out days; confidence {:.1} %{cap}",
                self.percent
            ),
        }
    }
}

/// Tries a rule on held-out days. `training_days` come before the first of them. `holds` gets what came before the day and
/// the day; `None` when the rule would not have proposed.
pub(super) fn backtest(
    evidence: &Evidence<'_>,
    of: &Load,
    training_days: i64,
    mut holds: impl FnMut(Window, Window) -> Option<bool>,
) -> Backtest {
    let Some(first) = of.points.first().map(|(at, _)| *at) else { return Backtest::default() };
    let days = evidence.history().blocks(DAY_MS);
    Backtest::over(&days, |day| {
        let before = Window::ending(day.start_ms, training_days * DAY_MS);
        let covered = of.summary(day).is_some_and(|summary| summary.coverage >= DAY_COVERAGE);
        // A training window that begins a little before the first point is still whole.
        if !covered || before.start_ms + DAY_MS / 4 < first {
            return None;
        }
        holds(before, day)
    })
}

/// The confidence of a backtest: each doubt is a failure believed in beforehand; a cap limits what no backtest can see.
pub(super) fn confidence(backtest: Backtest, doubts: f64, cap_percent: Option<f64>) -> Confidence {
    let raw = backtest.confidence(Prior::UNIFORM.doubting(doubts));
    let percent = raw * 100.0;
    let capped = cap_percent.is_some_and(|cap| percent > cap);
    let percent = cap_percent.map_or(percent, |cap| percent.min(cap));
    Confidence { percent: (percent * 10.0).round() / 10.0, raw, backtest, capped }
}
