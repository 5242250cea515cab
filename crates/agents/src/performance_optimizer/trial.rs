//! Trial of a prediction on a group's own past, beside the group's own rule.
//!
//! The prediction is a floor under the rule, so that it never wants less than the rule. A rule with
//! more room is the other way to the same safety: the prediction has to be above the capacity in
//! fewer minutes than the rule, at no more units than the rule with the most room that is tried, or
//! the first one that is above it in as few minutes.

use reeve_learn::calibrate::Daily;
use reeve_learn::scaling::replay::{ReplayOutcome, predicted, serve, tracking};
use reeve_learn::scaling::{ScalingSettings, Wanted};
use reeve_learn::{Backtest, DAY_MS};
use reeve_recommend::words::figures;

use super::demand::PerformanceDemand;

/// Days that come before the first day that is scored: the prediction has seen each day of the
/// week.
const TRAINING_DAYS: i64 = 7;
/// Targets of the rule with more room, from the least room on.
const MORE_ROOM: [f64; 4] = [0.65, 0.6, 0.55, 0.5];

/// Result of a trial.
#[derive(Debug, Clone)]
pub(super) struct MemberTrial {
    /// Decisions at each row of the load.
    pub(super) wanted: Vec<Wanted>,
    /// Units of the rule alone, at the same rows.
    pub(super) rule: Vec<u64>,
    /// Days that were scored.
    pub(super) days: i64,
    /// Scores of the rule, of the rule with the prediction, and of the rule with more room.
    pub(super) reactive: ReplayOutcome,
    pub(super) ahead: ReplayOutcome,
    pub(super) roomy: ReplayOutcome,
    roomy_target: f64,
    /// Days on which the prediction was above the capacity in no more minutes than the rule.
    pub(super) backtest: Backtest,
    pub(super) margins: Daily,
}

impl MemberTrial {
    /// Tries the prediction on the demand. `target` is that of the group's own rule, 0 to 1.
    pub(super) fn run(
        demand: &PerformanceDemand,
        policy: ScalingSettings,
        target: f64,
    ) -> MemberTrial {
        let points = &demand.points;
        let wanted = predicted(points, policy);
        let rule = tracking(points, policy, target);
        let both: Vec<u64> = wanted
            .iter()
            .zip(&rule)
            .map(|(wanted, rule)| wanted.units.max(*rule))
            .collect();

        let (first, last) = match (points.first(), points.last()) {
            (Some((first, _)), Some((last, _))) => (*first, *last + 1),
            _ => (0, 0),
        };
        let scored = (first + TRAINING_DAYS * DAY_MS, last);
        let reactive = serve(points, policy, &rule, scored);
        let ahead = serve(points, policy, &both, scored);

        let tried = MORE_ROOM.iter().filter(|room| **room < target);
        let mut roomy = (target, reactive);
        for room in tried {
            roomy = (
                *room,
                serve(points, policy, &tracking(points, policy, *room), scored),
            );
            if roomy.1.rows_above <= ahead.rows_above {
                break;
            }
        }

        let starts = (0..).map(|day| scored.0 + day * DAY_MS);
        let days = starts.take_while(|start| *start + DAY_MS <= scored.1);
        let mut backtest = Backtest::default();
        let mut margins = Vec::new();
        for start in days {
            let day = (start, start + DAY_MS);
            let (with, without) = (
                serve(points, policy, &both, day),
                serve(points, policy, &rule, day),
            );
            if with.rows == 0 {
                continue;
            }
            backtest.windows += 1;
            backtest.held += u64::from(with.rows_above <= without.rows_above);
            margins.push(Some(1.0 - with.rows_above as f64 / with.rows as f64));
        }

        MemberTrial {
            wanted,
            rule,
            days: (scored.1 - scored.0).max(0) / DAY_MS,
            reactive,
            ahead,
            roomy: roomy.1,
            roomy_target: roomy.0,
            backtest,
            margins: margins.into_iter().collect(),
        }
    }

    /// Returns `true` if the prediction is better than the rule.
    pub(super) fn is_better(&self) -> bool {
        self.is_safer() && self.ahead.unit_hours <= self.roomy.unit_hours
    }

    /// Returns `true` if the prediction was above the capacity in fewer minutes than the rule,
    /// whatever its members cost.
    pub(super) fn is_safer(&self) -> bool {
        self.ahead.rows_above < self.reactive.rows_above
    }

    /// The figures in one sentence.
    pub(super) fn words(&self, target: f64) -> String {
        let one = |outcome: &ReplayOutcome| {
            format!(
                "{:.0} minutes above capacity, {} member hours",
                outcome.minutes_above(),
                figures(outcome.unit_hours)
            )
        };
        format!(
            "over {} past days, each decided by the days before: tracking {:.0} % {}; with the prediction {}; tracking {:.0} % {}",
            self.days,
            target * 100.0,
            one(&self.reactive),
            one(&self.ahead),
            self.roomy_target * 100.0,
            one(&self.roomy),
        )
    }
}
