//! Replay of scaling rules on a load that was measured: units wanted at each row, and what they
//! would have served.
//!
//! A unit serves the lead after it is asked for, and no longer than it is wanted. So at a row there
//! are as many units as the fewest that were wanted since the lead before it.

use super::{ScalingPolicy, ScalingSettings, Sessions, Wanted};
use crate::Point;
use crate::window::HOUR_MS;

/// Time for which target tracking keeps units that it no longer needs.
const TRACKING_HOLD_MS: i64 = HOUR_MS / 4;
/// Milliseconds of a minute.
const MINUTE_MS: f64 = 60_000.0;

/// Sums of a replay.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct ReplayOutcome {
    /// Rows that were scored.
    pub rows: u64,
    /// Rows whose load was above the capacity.
    pub rows_above: u64,
    /// Distance of the rows in milliseconds.
    pub step_ms: i64,
    /// Sum of the loads, and of what the units could not serve of them.
    pub load: f64,
    pub unserved: f64,
    /// Hours of all units together.
    pub unit_hours: f64,
    /// Changes of the number of units.
    pub changes: u64,
}

impl ReplayOutcome {
    /// Returns the minutes in which the load was above the capacity.
    #[must_use]
    pub fn minutes_above(&self) -> f64 {
        self.rows_above as f64 * self.step_ms as f64 / MINUTE_MS
    }

    /// Returns the share of the load that was not served, 0 to 1.
    #[must_use]
    pub fn unserved_share(&self) -> f64 {
        if self.load > 0.0 {
            self.unserved / self.load
        } else {
            0.0
        }
    }

    /// Returns the outcome of both replays together.
    #[must_use]
    pub fn and(self, other: ReplayOutcome) -> ReplayOutcome {
        ReplayOutcome {
            rows: self.rows + other.rows,
            rows_above: self.rows_above + other.rows_above,
            step_ms: self.step_ms.max(other.step_ms),
            load: self.load + other.load,
            unserved: self.unserved + other.unserved,
            unit_hours: self.unit_hours + other.unit_hours,
            changes: self.changes + other.changes,
        }
    }
}

/// Returns the decisions of the policy at each row, from that row and those before it.
#[must_use]
pub fn predicted(points: &[Point], settings: ScalingSettings) -> Vec<Wanted> {
    let mut policy = ScalingPolicy::new(settings);
    let rows = points.iter();
    rows.map(|(at, load)| policy.observe(*at, Some(*load), Sessions::NotCounted))
        .collect()
}

/// Returns the units of target tracking: enough that the load now uses `target` of them, 0 to 1;
/// down after a quarter of an hour.
#[must_use]
pub fn tracking(points: &[Point], settings: ScalingSettings, target: f64) -> Vec<u64> {
    let needed: Vec<u64> = points
        .iter()
        .map(|(_, load)| ((load / target / settings.unit).ceil() as u64).max(settings.least))
        .collect();
    let hold = (TRACKING_HOLD_MS / settings.step_ms).max(1) as usize;
    (0..needed.len())
        .map(|row| {
            needed[row.saturating_sub(hold)..=row]
                .iter()
                .copied()
                .max()
                .unwrap_or(settings.least)
        })
        .collect()
}

/// Returns the fewest units that serve every load, known in advance.
#[must_use]
pub fn foresight(points: &[Point], settings: ScalingSettings) -> Vec<u64> {
    let lead = lead_rows(settings);
    (0..points.len())
        .map(|row| {
            let until = (row + lead + 1).min(points.len());
            let most = points[row..until]
                .iter()
                .fold(0.0f64, |most, (_, load)| most.max(*load));
            ((most / settings.unit - 1e-9).ceil() as u64).max(settings.least)
        })
        .collect()
}

/// Scores the units that were wanted, at the rows from `from_ms` up to `until_ms`.
#[must_use]
pub fn serve(
    points: &[Point],
    settings: ScalingSettings,
    wanted: &[u64],
    (from_ms, until_ms): (i64, i64),
) -> ReplayOutcome {
    let lead = lead_rows(settings);
    let mut outcome = ReplayOutcome {
        step_ms: settings.step_ms,
        ..ReplayOutcome::default()
    };
    let rows = points.len().min(wanted.len());
    let scored = |row: &usize| (from_ms..until_ms).contains(&points[*row].0);
    for row in (lead.max(1)..rows).filter(scored) {
        let serving = wanted[row - lead..=row].iter().copied().min().unwrap_or(0);
        let missing = points[row].1 - serving as f64 * settings.unit;
        outcome.rows += 1;
        outcome.load += points[row].1;
        // What is missing by rounding is not missing.
        if missing > 1e-6 * settings.unit {
            outcome.rows_above += 1;
            outcome.unserved += missing;
        }
        outcome.unit_hours += wanted[row] as f64 * settings.step_ms as f64 / HOUR_MS as f64;
        outcome.changes += u64::from(wanted[row] != wanted[row - 1]);
    }
    outcome
}

/// Rows from asking for a unit until it serves.
fn lead_rows(settings: ScalingSettings) -> usize {
    (settings.lead_ms.max(0) as u64).div_ceil(settings.step_ms.max(1) as u64) as usize
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::window::DAY_MS;

    const STEP_MS: i64 = 300_000;
    const SETTINGS: ScalingSettings = ScalingSettings {
        unit: 10.0,
        lead_ms: 3 * STEP_MS,
        least: 1,
        step_ms: STEP_MS,
        seasonal: true,
    };

    /// From 10 to 80 within five minutes at eight each morning, for ten hours.
    fn steep(days: i64) -> Vec<Point> {
        let load = |row: i64| {
            if (96..216).contains(&(row % 288)) {
                80.0
            } else {
                10.0
            }
        };
        (0..days * 288)
            .map(|row| (row * STEP_MS, load(row)))
            .collect()
    }

    #[test]
    fn units_serve_the_lead_after_they_are_asked_for() {
        let points = steep(2);
        let all = (0, i64::MAX);
        let late = serve(&points, SETTINGS, &tracking(&points, SETTINGS, 1.0), all);
        // Two mornings, three rows each, of which one unit serves 10 of 80.
        assert_eq!((late.rows_above, late.minutes_above()), (6, 30.0));
        assert!((late.unserved - 6.0 * 70.0).abs() < 1e-6);

        let known = serve(&points, SETTINGS, &foresight(&points, SETTINGS), all);
        assert_eq!((known.rows_above, known.unserved_share()), (0, 0.0));
        assert_eq!(known.and(late).rows, 2 * known.rows);
    }

    #[test]
    fn prediction_meets_the_mornings_that_tracking_is_late_for_and_costs_less_than_more_room() {
        let points = steep(15);
        let scored = (7 * DAY_MS, i64::MAX);
        let wanted: Vec<u64> = predicted(&points, SETTINGS)
            .iter()
            .map(|wanted| wanted.units)
            .collect();
        let ahead = serve(&points, SETTINGS, &wanted, scored);
        let half = serve(&points, SETTINGS, &tracking(&points, SETTINGS, 0.5), scored);
        assert_eq!(ahead.rows_above, 0);
        assert_eq!(half.rows_above, 8 * 3, "half as much room is as late");
        assert!(ahead.unit_hours < half.unit_hours);

        // Without seasons nothing announces a morning.
        let blind = ScalingSettings {
            seasonal: false,
            ..SETTINGS
        };
        let wanted: Vec<u64> = predicted(&points, blind)
            .iter()
            .map(|one| one.units)
            .collect();
        assert!(serve(&points, blind, &wanted, scored).rows_above > 0);
    }
}
