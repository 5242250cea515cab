//! The calibrator: one belief for all groups together, one for each group around it, and a curve
//! over both.

use std::collections::BTreeMap;

use super::curve::Curve;
use super::logistic::{LogisticBelief, LogisticRow};
use super::matrix::Symmetric;
use super::{Example, MAX_EXAMPLES, MAX_FEATURES, MAX_GROUPS, forward_folds, logit, sigmoid};
use crate::window::DAY_MS;

/// An example of this age counts half.
const HALF_LIFE_DAYS: f64 = 180.0;
/// So many examples weigh as much as the backtest's own answer.
const PRIOR_EXAMPLES: f64 = 20.0;
/// So many of a group's own examples weigh as much as the base rate of all groups.
const GROUP_EXAMPLES: f64 = 10.0;
/// Precisions of the prior: intercept, the slope of the backtest's answer, each feature.
const PRIOR: [f64; 3] = [0.4, 4.0, 2.0];
/// Precisions of a group's coefficients around those of all groups.
const GROUP_PRIOR: [f64; 3] = [1.0, 6.0, 5.0];
/// Predictions needed before the curve is bent at all.
const CURVE_EXAMPLES: usize = 60;

/// A probability with its own uncertainty.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Calibrated {
    /// The probability that it holds, 0 to 1.
    pub probability: f64,
    /// Below this with 5 % chance, as far as the examples tell.
    pub low: f64,
    /// Above this with 5 % chance.
    pub high: f64,
    /// Examples of the same group behind it, faded by age.
    pub examples: f64,
}

/// Learns how likely a recommendation is to hold. See the module.
#[derive(Debug, Clone, PartialEq)]
pub struct Calibrator {
    width: usize,
    all: LogisticBelief,
    groups: BTreeMap<String, Group>,
    seen: Tally,
    curve: Curve,
    newest_ms: i64,
}

#[derive(Debug, Clone, PartialEq)]
struct Group {
    belief: LogisticBelief,
    seen: Tally,
}

/// Counts that fade: an old outcome weighs less than a new one.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
struct Tally {
    held: f64,
    count: f64,
}

impl Tally {
    fn add(&mut self, held: bool, weight: f64) {
        self.count += weight;
        self.held += if held { weight } else { 0.0 };
    }

    fn fade(&mut self, by: f64) {
        self.count *= by;
        self.held *= by;
    }
}

/// State of a calibrator, for storage.
#[derive(Debug, Clone, PartialEq)]
pub struct CalibratorState {
    /// Coefficients a belief has: intercept, slope, features.
    pub width: usize,
    /// Belief of all groups together, the prior of each group.
    pub all: GroupState,
    pub groups: BTreeMap<String, GroupState>,
    /// The curve's three numbers.
    pub curve: [f64; 3],
    /// Time of the newest example, milliseconds since the epoch.
    pub newest_ms: i64,
}

/// One belief, to be kept.
#[derive(Debug, Clone, PartialEq)]
pub struct GroupState {
    /// Means of the coefficients.
    pub mean: Vec<f64>,
    /// Precision matrix by rows, `width * width`.
    pub precision: Vec<f64>,
    /// Faded count of examples that held.
    pub held: f64,
    /// Faded count of examples.
    pub count: f64,
}

/// Reason why a kept state is not a calibrator.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum StateError {
    /// Lengths do not fit together.
    #[error("a prior of the stored calibrator has {found} numbers where {expected} are needed")]
    Shape {
        /// Length found in the stored state.
        found: usize,
        /// Length that the features need.
        expected: usize,
    },
    /// A number is not finite, or a matrix not positive definite.
    #[error("the stored calibrator has a number out of range")]
    Number,
}

impl Calibrator {
    /// Without examples: it answers what the backtest says. `features` is how many an example has.
    #[must_use]
    pub fn new(features: usize) -> Self {
        let width = features.min(MAX_FEATURES) + 2;
        let mut mean = vec![0.0; width];
        mean[1] = 1.0;
        let all = LogisticBelief::around(&mean, &precisions(width, PRIOR));
        let seen = Tally::default();

        Calibrator {
            width,
            all,
            groups: BTreeMap::new(),
            seen,
            curve: Curve::IDENTITY,
            newest_ms: i64::MIN,
        }
    }

    /// Learned from examples in any order.
    #[must_use]
    pub fn fit(features: usize, examples: &[Example]) -> Self {
        let mut sorted: Vec<&Example> = examples
            .iter()
            .filter(|e| e.raw.is_finite() && e.weight > 0.0)
            .collect();
        sorted.sort_by(|a, b| a.at_ms.cmp(&b.at_ms).then_with(|| a.group.cmp(&b.group)));
        let sorted = &sorted[sorted.len().saturating_sub(MAX_EXAMPLES)..];
        let mut later = Vec::new();

        for (train, test) in forward_folds(sorted.len(), 4) {
            let earlier = Self::without_curve(features, &sorted[train]);
            later.extend(
                sorted[test]
                    .iter()
                    .map(|e| (earlier.answer(&e.group, e.raw, &e.features).0, e.held)),
            );
        }

        let mut learned = Self::without_curve(features, sorted);
        if later.len() >= CURVE_EXAMPLES {
            learned.curve = Curve::fit(&later);
        }

        learned
    }

    fn without_curve(features: usize, sorted: &[&Example]) -> Self {
        let mut learned = Self::new(features);
        learned.newest_ms = sorted.last().map_or(i64::MIN, |e| e.at_ms);
        let rows: Vec<(&str, LogisticRow)> = sorted
            .iter()
            .map(|e| {
                let age_days = learned.newest_ms.saturating_sub(e.at_ms) as f64 / DAY_MS as f64;
                (e.group.as_str(), learned.row(e, e.weight * fade(age_days)))
            })
            .collect();
        rows.iter()
            .for_each(|(_, row)| learned.seen.add(row.held, row.weight));

        learned.all = learned
            .all
            .fit(&rows.iter().map(|(_, row)| row).collect::<Vec<_>>());
        let mut by_group: BTreeMap<&str, Vec<&LogisticRow>> = BTreeMap::new();
        for (group, row) in &rows {
            by_group.entry(group).or_default().push(row);
        }

        let mut largest: Vec<(&str, Vec<&LogisticRow>)> = by_group.into_iter().collect();
        largest.sort_by(|a, b| b.1.len().cmp(&a.1.len()).then_with(|| a.0.cmp(b.0)));

        for (name, rows) in largest.into_iter().take(MAX_GROUPS) {
            let belief = learned.around_all().fit(&rows);
            let mut seen = Tally::default();
            rows.iter().for_each(|row| seen.add(row.held, row.weight));
            learned
                .groups
                .insert(name.to_owned(), Group { belief, seen });
        }

        learned
    }

    /// Returns the probability that a recommendation of a group proves right, from the backtest's
    /// result and its features.
    #[must_use]
    pub fn calibrate(&self, group: &str, raw: f64, features: &[f64]) -> Calibrated {
        let (plain, centre, deviation) = self.answer(group, raw, features);
        let probability = self.curve.apply(plain).clamp(0.005, 0.995);
        let examples = self.groups.get(group).map_or(0.0, |g| g.seen.count);
        let bound = |sign: f64| {
            self.curve
                .apply(sigmoid(centre + sign * 1.645 * deviation))
                .clamp(0.001, 0.999)
        };

        Calibrated {
            probability,
            low: bound(-1.0).min(probability),
            high: bound(1.0).max(probability),
            examples,
        }
    }

    /// Probability, its logit and the logit's standard deviation, before the curve.
    fn answer(&self, group: &str, raw: f64, features: &[f64]) -> (f64, f64, f64) {
        let x = self.terms(raw, features);
        let known = self.groups.get(group);
        let belief = known.map_or(&self.all, |g| &g.belief);
        let (centre, variance) = belief.predict(&x);

        // A group that was never seen has its own way on top of the common one.
        let variance = if known.is_some() {
            variance
        } else {
            variance + 1.0 / GROUP_PRIOR[0]
        };

        let own = known.map_or(Tally::default(), |g| g.seen);
        let common = self.base_rate();
        let rate = logit((own.held + GROUP_EXAMPLES * common) / (own.count + GROUP_EXAMPLES));

        // What is uncertain is said less boldly (MacKay 1992): drawn towards the base rate.
        let boldness = 1.0 / (1.0 + std::f64::consts::PI * variance / 8.0).sqrt();
        let drawn = rate + boldness * (centre - rate);
        let evidence = own.count + 0.25 * self.seen.count;
        let trust = evidence / (evidence + PRIOR_EXAMPLES);
        let blended = (1.0 - trust) * logit(raw) + trust * drawn;

        (
            sigmoid(blended),
            blended,
            variance.min(9.0).sqrt().max((1.0 - trust) * 0.8),
        )
    }

    /// Learns one more outcome in one step. Times may come in any order; what is known fades over
    /// time.
    pub fn learn(&mut self, example: &Example) {
        if !example.raw.is_finite() || example.weight <= 0.0 || !example.weight.is_finite() {
            return;
        }

        if self.newest_ms != i64::MIN && example.at_ms > self.newest_ms {
            self.age(fade(
                (example.at_ms - self.newest_ms) as f64 / DAY_MS as f64,
            ));
        }

        self.newest_ms = self.newest_ms.max(example.at_ms);
        let row = self.row(example, example.weight);
        self.all.update(&row);
        self.seen.add(row.held, row.weight);

        if !self.groups.contains_key(&example.group) && self.groups.len() < MAX_GROUPS {
            let belief = self.around_all();
            self.groups.insert(
                example.group.clone(),
                Group {
                    belief,
                    seen: Tally::default(),
                },
            );
        }

        if let Some(group) = self.groups.get_mut(&example.group) {
            group.belief.update(&row);
            group.seen.add(row.held, row.weight);
        }
    }

    /// Lets what is known fade: precisions go back towards the prior's, means stay.
    fn age(&mut self, by: f64) {
        let relax = |belief: &mut LogisticBelief, prior: [f64; 3]| {
            let floor = Symmetric::diagonal(&precisions(belief.mean.len(), prior));
            for (cell, floor) in belief.precision.cells.iter_mut().zip(floor.cells) {
                *cell = floor + (*cell - floor) * by;
            }
        };
        relax(&mut self.all, PRIOR);

        self.seen.fade(by);
        for group in self.groups.values_mut() {
            relax(&mut group.belief, GROUP_PRIOR);
            group.seen.fade(by);
        }
    }

    /// Examples learned from, faded by age.
    #[must_use]
    pub fn examples(&self) -> f64 {
        self.seen.count
    }

    /// The share that held, drawn to one half by two imagined examples.
    #[must_use]
    pub fn base_rate(&self) -> f64 {
        (self.seen.held + 1.0) / (self.seen.count + 2.0)
    }

    /// Returns the state for storage.
    #[must_use]
    pub fn state(&self) -> CalibratorState {
        let keep = |belief: &LogisticBelief, seen: Tally| GroupState {
            mean: belief.mean.clone(),
            precision: belief.precision.cells.clone(),
            held: seen.held,
            count: seen.count,
        };
        CalibratorState {
            width: self.width,
            all: keep(&self.all, self.seen),
            groups: self
                .groups
                .iter()
                .map(|(name, g)| (name.clone(), keep(&g.belief, g.seen)))
                .collect(),
            curve: [self.curve.a, self.curve.b, self.curve.c],
            newest_ms: self.newest_ms,
        }
    }

    /// From what was kept.
    ///
    /// # Errors
    /// [`StateError`] when the numbers do not make a calibrator.
    pub fn restore(state: CalibratorState) -> Result<Self, StateError> {
        if !(2..=MAX_FEATURES + 2).contains(&state.width) {
            return Err(StateError::Shape {
                found: state.width,
                expected: MAX_FEATURES + 2,
            });
        }

        let (all, seen) = restore(state.all, state.width)?;
        let mut groups = BTreeMap::new();
        for (name, kept) in state.groups.into_iter().take(MAX_GROUPS) {
            let (belief, seen) = restore(kept, state.width)?;
            groups.insert(name, Group { belief, seen });
        }

        let [a, b, c] = state.curve;
        if ![a, b, c].iter().all(|n| n.is_finite()) || a <= 0.0 || b <= 0.0 {
            return Err(StateError::Number);
        }

        let curve = Curve { a, b, c };
        Ok(Calibrator {
            width: state.width,
            all,
            groups,
            seen,
            curve,
            newest_ms: state.newest_ms,
        })
    }

    fn around_all(&self) -> LogisticBelief {
        LogisticBelief::around(&self.all.mean, &precisions(self.width, GROUP_PRIOR))
    }

    fn row(&self, example: &Example, weight: f64) -> LogisticRow {
        LogisticRow {
            x: self.terms(example.raw, &example.features),
            held: example.held,
            weight,
        }
    }

    /// Intercept, the backtest's logit, features; missing ones are 0, strange ones too, large ones
    /// are cut.
    fn terms(&self, raw: f64, features: &[f64]) -> Vec<f64> {
        let tame = |value: &f64| {
            if value.is_finite() {
                value.clamp(-4.0, 4.0)
            } else {
                0.0
            }
        };

        let mut x = vec![1.0, logit(raw)];
        x.extend(features.iter().take(self.width - 2).map(tame));
        x.resize(self.width, 0.0);

        x
    }
}

fn fade(days: f64) -> f64 {
    0.5_f64.powf(days.max(0.0) / HALF_LIFE_DAYS)
}

fn precisions(width: usize, precision: [f64; 3]) -> Vec<f64> {
    (0..width).map(|i| precision[i.min(2)]).collect()
}

fn restore(kept: GroupState, width: usize) -> Result<(LogisticBelief, Tally), StateError> {
    for (found, expected) in [
        (kept.mean.len(), width),
        (kept.precision.len(), width * width),
    ] {
        if found != expected {
            return Err(StateError::Shape { found, expected });
        }
    }

    let precision = Symmetric {
        n: width,
        cells: kept.precision,
    };
    let fine =
        kept.mean.iter().all(|m| m.is_finite()) && kept.held.is_finite() && kept.count.is_finite();
    if !fine || precision.factor().is_none() {
        return Err(StateError::Number);
    }

    Ok((
        LogisticBelief {
            mean: kept.mean,
            precision,
        },
        Tally {
            held: kept.held,
            count: kept.count,
        },
    ))
}
