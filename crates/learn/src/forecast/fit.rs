//! Fitting: the history made comparable, past forecasts judged, knots of the horizon learnt.

use super::effect::Effects;
use super::findings::ForecastFindings;
use super::frame::{ForecastFrame, Known, MOST};
use super::glitch;
use super::model::{ForecastBounds, ForecastModel, ForecastShape, Knot, scale_at};
use super::season::{self, Seasons};
use super::settings::{Effort, ForecastAbstention, ForecastKind, ForecastSettings};
use super::shift;
use super::short::Line;
use super::silence::Cuts;
use super::spread::Spread;
use super::stack::{FOLDS, ForecastCase, stack};
use super::track::{self, Seasonal};
use crate::grid::{Counter, Grid, unwrap_counter};
use crate::window::WEEK_MS;

/// Finite values below which there is no forecast at all.
const LEAST: usize = 3;
/// Finite values below which nothing but a level and a slope is learnt.
const LEAST_FOR_SHAPE: usize = 30;
/// Shifts that are aligned.
const MOST_SHIFTS: usize = 3;
/// Strength that ties weights to their prior where there is plenty of past.
const RIDGE: f64 = 0.12;
/// Start of the steps judged for the horizon, as a share of the horizon.
const NEARER: f64 = 0.3;
/// Past spans that count as much as what was learnt for nearer steps.
const POOLED: f64 = 20.0;

/// Past spans that count as much as what is usual of series.
const USUAL: f64 = 2.0;
/// Past spans that count as much as that the newest value continues, where there is no season.
const NEWEST: f64 = 20.0;

/// Amount of the past that is judged.
struct Work {
    /// Newest slots that are learnt from.
    history: usize,
    origins: usize,
    /// Steps ahead judged at each origin and knot.
    steps: usize,
}

impl Work {
    fn new(effort: Effort) -> Work {
        match effort {
            Effort::Estate => Work {
                history: 8_192,
                origins: 96,
                steps: 4,
            },
            Effort::Thorough => Work {
                history: 40_000,
                origins: 256,
                steps: 6,
            },
        }
    }
}

/// Fits a series.
///
/// # Errors
/// Fewer than three finite values.
pub fn fit(grid: &Grid, settings: &ForecastSettings) -> Result<ForecastModel, ForecastAbstention> {
    let work = Work::new(settings.effort);
    let cuts = Cuts::detect(&grid.values, grid.step_ms);
    let first = cuts.first(grid.values.len(), work.history);
    let cuts = cuts.since(first);
    let mut values = grid.values[first..].to_vec();
    let measured = values.iter().filter(|value| value.is_finite()).count();

    if measured < LEAST {
        return Err(ForecastAbstention::TooShort {
            measured,
            needed: LEAST,
        });
    }

    let mut findings = ForecastFindings {
        measured,
        missing: values.len() - measured,
        ..ForecastFindings::default()
    };

    // A counter's restart would be one more glitch; where a glitch hid that the series counts, it
    // is told after it.
    if counter(&values, settings.kind).is_none() {
        findings.glitches = glitches(&mut values, grid, first, settings);
    }

    let bounds = ForecastBounds::new(&values);
    let scale = bounds.scale();
    values.iter_mut().for_each(|value| *value /= scale);
    if let Some(counter) = counter(&values, settings.kind) {
        values = counter.values;
        findings.resets = Some(counter.resets.iter().map(|slot| slot + first).collect());
    }

    let known = season::of_calendar(grid.step_ms, values.len() - cuts.count());
    let longest = known
        .last()
        .copied()
        .unwrap_or(1)
        .min((WEEK_MS / grid.step_ms).max(1) as usize);
    let effects = Effects::take_out(grid, &mut values, first, longest, &settings.events);
    cuts.close(&mut values);
    let look_for_own = settings.effort == Effort::Thorough && findings.resets.is_none();
    let seasons = match settings.seasonless {
        true => Seasons::default(),
        false => Seasons::detect(&values, grid.step_ms, look_for_own),
    };
    findings.effects.clone_from(&effects.known);
    let shape = if measured < LEAST_FOR_SHAPE {
        findings.short = true;
        Line::fit(&values).map(ForecastShape::Line)
    } else {
        Some(stacked(
            &mut values,
            &seasons,
            grid,
            settings,
            &work,
            &mut findings,
        ))
    };

    findings
        .shifts
        .iter_mut()
        .for_each(|shift| shift.slot = cuts.slot(shift.slot) + first);
    let shape = shape.ok_or(ForecastAbstention::TooShort {
        measured,
        needed: LEAST,
    })?;
    findings.seasons = seasons.all();
    findings.scale(scale);
    let next_ms = grid.time_ms(grid.values.len());

    Ok(ForecastModel {
        shape,
        scale,
        effects,
        bounds,
        findings,
        next_ms,
        step_ms: grid.step_ms,
    })
}

/// Leaves glitches out of the values. Returns their slots of the grid.
fn glitches(
    values: &mut [f64],
    grid: &Grid,
    first: usize,
    settings: &ForecastSettings,
) -> Vec<usize> {
    let announced = |at_ms: i64| {
        settings
            .events
            .iter()
            .any(|event| event.from_ms <= at_ms && at_ms < event.until_ms)
    };
    let found = glitch::leave_out(values, grid, first, announced);

    found.into_iter().map(|index| index + first).collect()
}

/// The series with its restarts undone, where it counts. Told from the values alone, only what
/// restarted is a counter: what merely grows is forecast as well by its trend.
fn counter(values: &[f64], kind: ForecastKind) -> Option<Counter> {
    if kind == ForecastKind::Gauge {
        return None;
    }
    unwrap_counter(values).filter(|found| kind == ForecastKind::Counter || !found.resets.is_empty())
}

fn stacked(
    values: &mut [f64],
    seasons: &Seasons,
    grid: &Grid,
    settings: &ForecastSettings,
    work: &Work,
    findings: &mut ForecastFindings,
) -> ForecastShape {
    let unit = seasons
        .main
        .first()
        .copied()
        .unwrap_or((values.len() / 12).clamp(8, 288));
    let longest = seasons.main.last().copied().unwrap_or(0);

    // Without a season, levels follow a shift soon enough, and what looks like one may be the
    // trend.
    if findings.resets.is_none() && longest > 0 {
        for _ in 0..MOST_SHIFTS {
            let Some(found) = shift::latest(values, unit, longest) else {
                break;
            };
            shift::align(values, &found);
            findings.shifts.push(found);
        }
    }

    let frame = ForecastFrame::new(values, seasons, unit);
    let scales = scales(values, unit);
    let week = (WEEK_MS / grid.step_ms).max(1) as usize;
    let asked = if settings.horizon == 0 {
        week
    } else {
        settings.horizon
    };
    let steps = knots(asked.min(values.len() / 3).max(1));
    findings.calibrated_to = steps.last().copied().unwrap_or(1);

    findings.trend = frame.slope(values.len() - 1);
    let past = Past::new(values, &frame, &scales, unit, work);
    let mut knots: Vec<Knot> = Vec::with_capacity(steps.len());

    for at in 0..steps.len() {
        let nearer = knots.last();
        let mut knot = past.knot(&steps, at, nearer.map(|knot| &knot.weights));
        if let Some(nearer) = nearer {
            // Nobody knows more of a later time: where few past forecasts seem to say so, it is
            // chance.
            knot.spread.widen_to(nearer.spread.width());
        }
        knots.push(knot);
    }

    let known = Box::new(frame.known(values.len() - 1, &mut Vec::new()));
    ForecastShape::Stacked {
        frame: Box::new(frame),
        known,
        knots,
        scales,
        unit,
    }
}

/// Steps ahead at which weights are learnt: each 2.3 times the one before, up to the horizon.
fn knots(horizon: usize) -> Vec<usize> {
    let mut steps = vec![1usize];
    loop {
        let next = (steps[steps.len() - 1] as f64 * 2.3).ceil() as usize;
        if next * 5 / 4 >= horizon {
            break;
        }
        steps.push(next);
    }

    if horizon > 1 {
        steps.push(horizon);
    }

    steps
}

/// The natural size of errors by phase: how far a value lies from the season before, half of it
/// everywhere's.
fn scales(values: &[f64], unit: usize) -> Vec<f64> {
    let distances: Vec<f64> = (0..values.len())
        .map(|index| {
            index
                .checked_sub(unit)
                .map_or(f64::NAN, |before| (values[index] - values[before]).abs())
        })
        .collect();
    let known = distances.iter().filter(|distance| distance.is_finite());

    let (count, sum) = known.fold((0.0, 0.0), |(count, sum), distance| {
        (count + 1.0, sum + distance)
    });
    let everywhere = if sum > 0.0 {
        sum / count
    } else {
        f64::MIN_POSITIVE.sqrt()
    };

    let season = Seasonal::fit(&track::neighbours(&distances, unit / 24), unit, 0.15, 0);
    season
        .values
        .iter()
        .map(|size| {
            if size.is_finite() {
                0.5 * size + 0.5 * everywhere
            } else {
                everywhere
            }
        })
        .collect()
}

/// Past origins of a series.
struct Past<'a> {
    values: &'a [f64],
    frame: &'a ForecastFrame,
    scales: &'a [f64],
    unit: usize,
    warm: usize,
    steps: usize,
    origins: Vec<Known>,
}

impl<'a> Past<'a> {
    /// Spread evenly over everything after the first one and a half seasons.
    fn new(
        values: &'a [f64],
        frame: &'a ForecastFrame,
        scales: &'a [f64],
        unit: usize,
        work: &Work,
    ) -> Self {
        let last = values.len() - 2;
        let warm = (unit + unit / 2).min(values.len() / 2);
        let every = ((last - warm) as f64 / work.origins as f64).max(1.0);
        let count = ((last - warm) as f64 / every) as usize;
        let mut scratch = Vec::new();
        let origins = (0..count.max(1))
            .map(|back| last - (back as f64 * every) as usize)
            .filter(|origin| values[*origin].is_finite())
            .map(|origin| frame.known(origin, &mut scratch))
            .collect();

        Past {
            values,
            frame,
            scales,
            unit,
            warm,
            steps: work.steps,
            origins,
        }
    }

    /// Learns the weights around a step; `nearer` are the weights of the step before it.
    fn knot(&self, steps: &[usize], at: usize, nearer: Option<&[f64; MOST]>) -> Knot {
        let step = steps[at];
        let between = |other: usize| ((step * other) as f64).sqrt();
        let low = match at {
            0 => step,
            // The horizon itself was seldom seen whole, so nearer steps speak for it too.
            _ if at + 1 == steps.len() => (step as f64 * NEARER) as usize + 1,
            _ => between(steps[at - 1]) as usize + 1,
        };

        let high = steps
            .get(at + 1)
            .map_or(step, |next| between(*next) as usize)
            .max(low);
        let (cases, origins) = self.cases(low, high);

        // Forecasts whose spans overlap share their errors: what counts is how many spans there
        // were.
        let evidence = ((self.values.len() - self.warm) as f64 / step as f64)
            .clamp(0.5, origins.max(1) as f64);
        let count = self.frame.len();

        if cases.is_empty() {
            let mut weights = [0.0; MOST];
            weights[0] = 1.0;
            return Knot {
                step,
                weights,
                spread: Spread::new(vec![(-1.0, 1.0), (1.0, 1.0)], 1.0, evidence),
            };
        }

        let nearer = nearer.map(|weights| (*weights, POOLED / (POOLED + evidence)));
        // The further beyond a season, the less the newest values say: none of it within one, all
        // of it from two on.
        let beyond = (step as f64 / self.unit as f64).log2().clamp(0.0, 1.0);
        let plain = self.frame.is_seasonless().then(ForecastFrame::newest);
        let usual = match plain {
            Some(newest) => Some((newest, NEWEST / (NEWEST + evidence))),
            None => self
                .frame
                .usual()
                .map(|weights| (weights, beyond * USUAL / (USUAL + evidence))),
        };

        let ridge = RIDGE * (1.0 + 50.0 / evidence);
        let mut stacked = stack(&cases, count, nearer, usual, ridge);
        let is_plain = plain.is_some_and(|plain| stacked.keep_to(&plain, &cases, count));
        let ratios = stacked
            .errors
            .iter()
            .zip(&cases)
            .map(|(error, case)| (error / case.scale, case.weight))
            .collect();
        let mut spread = Spread::new(ratios, origins.max(1) as f64, evidence);

        if is_plain {
            spread.centre();
        }

        Knot {
            step,
            weights: stacked.weights,
            spread,
        }
    }

    /// Forecasts of `low` to `high` steps ahead that can be judged, and the origins they were made
    /// at.
    fn cases(&self, low: usize, high: usize) -> (Vec<ForecastCase>, usize) {
        let length = self.values.len();
        let width = high - low + 1;
        let per = self.steps.min(width);
        let mut found = Vec::with_capacity(self.origins.len() * per);
        let mut judged = 0;
        let known_from = self.frame.longest();

        for (number, known) in self.origins.iter().enumerate() {
            let before = found.len();
            for part in 0..per {
                // A different step of each part at each origin, so that all are judged somewhere.
                let ahead = low + (part * width + (number * 7_919) % width) / per;
                let target = known.origin + ahead.min(high);
                if target >= length || !self.values[target].is_finite() {
                    continue;
                }
                let age = (length - target) as f64 / length as f64;
                found.push(ForecastCase {
                    features: self.frame.features(known, target),
                    truth: self.values[target] - known.centre,
                    weight: 0.5f64.powf(age),
                    says: if target < known_from { 0.15 } else { 1.0 },
                    fold: (known.origin - self.warm) * FOLDS / (length - self.warm),
                    scale: scale_at(self.scales, self.unit, known.origin, target),
                });
            }
            judged += usize::from(found.len() > before);
        }

        (found, judged)
    }
}
