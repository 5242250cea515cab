//! Units of capacity wanted at each moment, ahead of the load.
//!
//! A unit serves only some time after it is asked for (the lead), so the policy predicts the
//! highest load until then. Five predictors compete (`predictor`): the load now, its slope, the
//! same time a day and a week ago, and the forecast of this crate. Each carries the distribution of
//! its own past errors, and the one whose upper bound was the tightest that held decides. Units go
//! down only after every bound within the hold was lower, where the next hour does not need them
//! again, and where no session would be cut.
//!
//! A decision knows its own row and those before it.

mod predictor;
pub mod replay;
#[cfg(test)]
mod tests;

use std::collections::VecDeque;

use crate::window::{DAY_MS, HOUR_MS};
use predictor::Predictors;

/// Share of the capacity that is used while too little is known to predict: the rule of target
/// tracking.
const LEARNING_TARGET: f64 = 0.7;
/// Rows, and time, below which too little is known to predict.
const LEAST_ROWS: usize = 50;
const LEAST_MS: i64 = DAY_MS;
/// Shortest time for which fewer units must have been enough.
const LEAST_HOLD_MS: i64 = HOUR_MS / 4;
/// Most units that are ever wanted.
const MOST_UNITS: f64 = 1e9;

/// Settings of a group.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ScalingSettings {
    /// Load that one unit serves, above zero.
    pub unit: f64,
    /// Time from asking for a unit until it serves, in milliseconds.
    pub lead_ms: i64,
    /// Fewest units.
    pub least: u64,
    /// Distance of the rows in milliseconds, above zero.
    pub step_ms: i64,
    /// The same time a day and a week ago and the forecast compete as well if `true`; else the load
    /// now and its slope alone.
    pub seasonal: bool,
}

/// Active sessions of the group at a row.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Sessions {
    /// The group has no sessions that anything counts.
    NotCounted,
    /// So many are active.
    Active(f64),
    /// They are counted, but not at this row.
    Unknown,
}

/// Reason for the number of units.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ScalingReason {
    /// The least number of units is enough.
    Minimum,
    /// Too little is known to predict: the load now uses 70 % of the units.
    Learning,
    /// The load now decides.
    Load,
    /// A load that is predicted within the lead decides.
    Forecast,
    /// Fewer are enough, but not for long enough yet, or more are needed again within the hour.
    Held,
    /// Fewer are enough, but sessions are active.
    ActiveSessions,
    /// Fewer are enough, but it is not known whether sessions are active.
    UnknownSessions,
    /// The load was not measured: the units stay.
    NotMeasured,
}

impl ScalingReason {
    /// Returns the name as it is written in files.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Minimum => "minimum",
            Self::Learning => "learning",
            Self::Load => "load",
            Self::Forecast => "forecast",
            Self::Held => "held",
            Self::ActiveSessions => "active_sessions",
            Self::UnknownSessions => "unknown_sessions",
            Self::NotMeasured => "not_measured",
        }
    }
}

/// Units wanted at a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Wanted {
    /// At least the fewest of the settings.
    pub units: u64,
    pub reason: ScalingReason,
}

/// Policy that scales one group.
#[derive(Debug)]
pub struct ScalingPolicy {
    settings: ScalingSettings,
    predictors: Predictors,
    hold_ms: i64,
    /// Units that were needed at the latest rows, with their times.
    needed: VecDeque<(i64, u64)>,
    units: Option<u64>,
    first_ms: Option<i64>,
    rows: usize,
}

impl ScalingPolicy {
    /// Creates the policy of a group of which nothing is known.
    #[must_use]
    pub fn new(settings: ScalingSettings) -> Self {
        let step_ms = settings.step_ms.max(1);
        let ahead = (settings.lead_ms.max(0) as u64).div_ceil(step_ms as u64);
        Self {
            settings,
            predictors: Predictors::new(
                step_ms,
                ahead.max(1) as usize,
                settings.unit * 0.01,
                settings.seasonal,
            ),
            hold_ms: settings.lead_ms.max(LEAST_HOLD_MS).max(step_ms),
            needed: VecDeque::new(),
            units: None,
            first_ms: None,
            rows: 0,
        }
    }

    /// Takes the next row, in order of time, and decides. A load that was not measured changes
    /// nothing.
    pub fn observe(&mut self, at_ms: i64, load: Option<f64>, sessions: Sessions) -> Wanted {
        let Some(load) = load.filter(|load| load.is_finite()) else {
            return Wanted {
                units: self.units.unwrap_or(self.settings.least),
                reason: ScalingReason::NotMeasured,
            };
        };

        let load = load.max(0.0);
        let first_ms = *self.first_ms.get_or_insert(at_ms);
        self.rows += 1;
        let bounds = self.predictors.observe(at_ms, load);
        let known = self.rows > LEAST_ROWS && at_ms.saturating_sub(first_ms) >= LEAST_MS;

        let now = self.units_for(load);
        let (needed, again, reason) = match bounds.filter(|_| known) {
            Some(bounds) => {
                let ahead = self.units_for(bounds.lead.max(load));
                let reason = if ahead > now {
                    ScalingReason::Forecast
                } else {
                    ScalingReason::Load
                };
                (ahead, self.units_for(bounds.hour), reason)
            }
            None => {
                let tracked = self.units_for(load / LEARNING_TARGET);
                (tracked, tracked, ScalingReason::Learning)
            }
        };

        let wanted = self.hold(at_ms, needed, again, reason, sessions);
        self.units = Some(wanted.units);
        wanted
    }

    /// Units for a load, at least the fewest.
    fn units_for(&self, load: f64) -> u64 {
        let units = (load / self.settings.unit - 1e-9)
            .ceil()
            .clamp(0.0, MOST_UNITS) as u64;
        units.max(self.settings.least)
    }

    /// Goes up at once, and down where nothing holds the units.
    fn hold(
        &mut self,
        at_ms: i64,
        needed: u64,
        again: u64,
        reason: ScalingReason,
        sessions: Sessions,
    ) -> Wanted {
        while self
            .needed
            .front()
            .is_some_and(|(at, _)| *at <= at_ms - self.hold_ms)
        {
            self.needed.pop_front();
        }
        while self
            .needed
            .back()
            .is_some_and(|(_, units)| *units <= needed)
        {
            self.needed.pop_back();
        }
        self.needed.push_back((at_ms, needed));

        let current = self.units.unwrap_or(needed);
        if needed >= current {
            let fewest = needed == self.settings.least && reason != ScalingReason::Learning;
            let reason = if fewest {
                ScalingReason::Minimum
            } else {
                reason
            };
            return Wanted {
                units: needed,
                reason,
            };
        }

        let within = self.needed.front().map_or(needed, |(_, units)| *units);
        let lower = within.max(again).max(needed);
        let (units, reason) = match sessions {
            _ if lower >= current => (current, ScalingReason::Held),
            Sessions::Active(count) if count > 0.0 => (current, ScalingReason::ActiveSessions),
            Sessions::Unknown => (current, ScalingReason::UnknownSessions),
            _ if lower > needed => (lower, ScalingReason::Held),
            _ if needed == self.settings.least => (needed, ScalingReason::Minimum),
            _ => (needed, reason),
        };
        Wanted { units, reason }
    }
}
