//! Findings of a fit, in numbers and in words.

use std::fmt;

use super::effect::ForecastEffect;
use super::shift::Shift;

/// Findings of a fit in a series.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ForecastFindings {
    /// Finite values it learnt from.
    pub measured: usize,
    /// Slots without a value.
    pub missing: usize,
    /// Periods of the seasons, in steps of the grid.
    pub seasons: Vec<usize>,
    /// Values left out as glitches, as slots of the grid.
    pub glitches: Vec<usize>,
    /// Change per step at the end; 0 where there is no trend.
    pub trend: f64,
    /// Level shifts that stayed, latest first, as slots of the grid.
    pub shifts: Vec<Shift>,
    /// Restarts of a counter, as slots of the grid; `None` for what is no counter.
    pub resets: Option<Vec<usize>>,
    /// Effects of events and of months' ends.
    pub effects: Vec<ForecastEffect>,
    /// Steps ahead up to which intervals were calibrated on past forecasts; beyond, they continue
    /// growing as they did.
    pub calibrated_to: usize,
    /// Too short for its seasons: a level with a wide interval is all there is.
    pub short: bool,
}

impl ForecastFindings {
    /// Says amounts in the series' unit that were found in one `scale` times larger.
    pub(super) fn scale(&mut self, scale: f64) {
        self.trend *= scale;
        self.shifts.iter_mut().for_each(|shift| shift.size *= scale);
        for effect in &mut self.effects {
            effect.size *= if effect.multiplies { 1.0 } else { scale };
            effect.spread *= scale;
        }
    }
}

impl fmt::Display for ForecastFindings {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{} values, {} missing", self.measured, self.missing)?;
        if self.short {
            write!(out, "; too short to learn a shape, so intervals are wide")?;
        }

        for season in &self.seasons {
            write!(out, "; a season of {season} steps")?;
        }

        if let (count, Some(latest)) = (self.glitches.len(), self.glitches.last()) {
            write!(
                out,
                "; {count} left out as glitches, the latest at slot {latest}"
            )?;
        }

        if self.trend != 0.0 {
            write!(out, "; a trend of {:+.4} a step", self.trend)?;
        }

        for shift in &self.shifts {
            write!(
                out,
                "; the level moved by {:+.4} at slot {} and stayed",
                shift.size, shift.slot
            )?;
        }

        if let Some(resets) = &self.resets {
            write!(out, "; a counter that restarted {} times", resets.len())?;
        }

        for effect in &self.effects {
            match (effect.spans, effect.multiplies) {
                (0, _) => write!(out, "; {}: no past span to learn from", effect.label)?,
                (spans, true) => write!(
                    out,
                    "; {}: times {:.3}, from {spans} spans",
                    effect.label, effect.size
                )?,
                (spans, false) => write!(
                    out,
                    "; {}: {:+.4}, from {spans} spans",
                    effect.label, effect.size
                )?,
            }
        }

        if !self.short {
            write!(
                out,
                "; intervals calibrated to {} steps ahead",
                self.calibrated_to
            )?;
        }

        Ok(())
    }
}
