//! The chance that a pool's capacity is lost within a horizon, from nothing but whether it was
//! available, row by row.
//!
//! Three models answer for moments at which the capacity is there, and three for moments at which
//! it is not (it may return and be lost again within the horizon), each from its own past:
//!
//! - `Full`, a logistic regression on the base rate, on how recently capacity was lost, on how long
//!   the state has lasted, on the share of the last day and week that was available, and on the
//!   time of day, each held near "says nothing";
//! - `Plain`, a logistic regression on how long the state has lasted and on those shares alone,
//!   with the coefficients that pools have on average for a prior;
//! - `Recent`, the rate of losses of the regime that holds, forgotten by a tenth a horizon.
//!
//! Each counts by how well it predicted, forgotten as well, since calm and storms favour different
//! models. A small part of the answer is always the rate of the pool shrunk towards that of pools
//! in general: after a calm every model says too little, as none of them has seen how the calm
//! ends. Models learn from moments whose horizon is over.
//!
//! Moments of one horizon share their outcome, so each weighs as much of the horizon as is between
//! it and the moment before. There is no answer where availability was not measured, nor before ten
//! horizons of the state were seen to their end.

use std::collections::VecDeque;

use super::logistic::{Example, InterruptionBelief, Logistic, probability};
use crate::window::{DAY_MS, HOUR_MS, WEEK_MS};

/// Horizons of a state that must be over before anything is said of it.
const LEAST_HORIZONS: f64 = 10.0;
/// Moments a fit takes at most; beyond that every second is left out, again and again.
const MOST_EXAMPLES: usize = 4_000;
/// Decay times of past losses, in milliseconds.
const FORGET_MS: [i64; 4] = [HOUR_MS, 6 * HOUR_MS, DAY_MS, WEEK_MS];
/// A silence of so many usual steps, and longer than the horizon, hides what happened in it.
const SILENT_STEPS: i64 = 4;
/// Smallest probability: no outcome is certain.
const LEAST_CHANCE: f64 = 1e-4;
/// Losses an hour that are believed of a pool of which nothing is known, and the horizons that this
/// belief is worth.
pub(super) const LOSSES_PER_HOUR: f64 = 0.1;
const POOLS_WORTH: f64 = 3.0;
/// Share of what is known of the regime that is left after a horizon, and the horizons that the
/// rate of the whole past is worth beside it.
const REGIME_KEPT: f64 = 0.9;
const PAST_WORTH: f64 = 3.0;
/// Share of each model's record that is left after a horizon.
const RECORD_KEPT: f64 = 0.97;
/// Share of the answer that is the pool's shrunk rate, whatever the models say.
const RATE_SHARE: f64 = 0.1;
/// Weights of the models before any prediction: full, plain, recent.
const FIRST_WEIGHTS: [f64; 3] = [0.1, 0.6, 0.3];
/// Places of the features that the plain model reads.
const PLAIN: [usize; 4] = [0, 6, 8, 9];

/// Availability of one pool over time.
#[derive(Debug, Clone)]
pub struct Availability {
    horizon_ms: i64,
    last: Option<(i64, bool)>,
    /// Start of the state of `last`.
    since_ms: i64,
    /// Mean step so far, and how many.
    steps: (f64, f64),
    /// Losses, each forgotten at its own pace.
    losses: [f64; 4],
    /// Share of time that was available, forgotten within a day and a week.
    share: [f64; 2],
    waiting: VecDeque<Moment>,
    sides: [Side; 2],
}

/// A moment whose horizon is not over.
#[derive(Debug, Clone)]
struct Moment {
    at_ms: i64,
    available: bool,
    features: Vec<f64>,
    weight: f64,
    /// Chances that each model said.
    said: Option<[f64; 3]>,
}

/// Models of the moments in one state.
#[derive(Debug, Clone, Default)]
struct Side {
    examples: Thinned,
    full: Option<Logistic>,
    plain: Option<Logistic>,
    /// Weighted horizons that are over, and those of them with a loss.
    over: f64,
    lost: f64,
    /// The same of the regime that holds: older ones are forgotten.
    regime: [f64; 2],
    /// Log-likelihood of each model's predictions, forgotten.
    records: [f64; 3],
    /// Moments that are over, and how many there were at the last fit.
    seen: usize,
    fitted: usize,
}

/// Examples of the whole past, evenly thinned.
#[derive(Debug, Clone)]
struct Thinned {
    kept: Vec<Example>,
    every: usize,
    passed: usize,
}

impl Default for Thinned {
    fn default() -> Self {
        Self {
            kept: Vec::new(),
            every: 1,
            passed: 0,
        }
    }
}

impl Thinned {
    fn add(&mut self, example: Example) {
        self.passed += 1;
        if !self.passed.is_multiple_of(self.every) {
            return;
        }

        let weight = example.weight * self.every as f64;
        self.kept.push(Example { weight, ..example });

        if self.kept.len() >= MOST_EXAMPLES {
            let mut at = 0_usize;
            self.kept.retain_mut(|example| {
                at += 1;
                example.weight *= 2.0;
                at.is_multiple_of(2)
            });
            self.every *= 2;
        }
    }
}

impl Availability {
    /// Creates the model of an unknown pool, for a horizon in milliseconds.
    #[must_use]
    pub fn new(horizon_ms: i64) -> Self {
        Self {
            horizon_ms: horizon_ms.max(1),
            last: None,
            since_ms: 0,
            steps: (0.0, 0.0),
            losses: [0.0; 4],
            share: [1.0; 2],
            waiting: VecDeque::new(),
            sides: [Side::default(), Side::default()],
        }
    }

    /// Takes the next moment, in order of time, and answers how likely a loss within the horizon
    /// after it is. `None` where nothing was measured or too little is known.
    pub fn observe(&mut self, at_ms: i64, available: Option<bool>) -> Option<f64> {
        let available = available?;
        let step = self.last.map_or(0, |(before, _)| (at_ms - before).max(0));
        self.pass(at_ms, step, available);
        let features = self.features(at_ms, available);
        let side = &self.sides[usize::from(available)];
        let rate = side.rate(self.horizon_ms);
        let said = side.said(&side.with_base(&features), rate);
        let chance = said.map(|said| side.combined(said, rate));
        let weight = (step as f64 / self.horizon_ms as f64).min(1.0);

        if weight > 0.0 {
            let features = side.with_base(&features);
            self.waiting.push_back(Moment {
                at_ms,
                available,
                features,
                weight,
                said,
            });
        }

        chance
    }

    /// Moves on to a moment: losses, shares, and horizons that are over.
    fn pass(&mut self, at_ms: i64, step: i64, available: bool) {
        let Some((before, was)) = self.last.replace((at_ms, available)) else {
            self.since_ms = at_ms;
            return;
        };
        let usual = if self.steps.1 > 0.0 {
            self.steps.0 / self.steps.1
        } else {
            step as f64
        };

        self.losses
            .iter_mut()
            .zip(FORGET_MS)
            .for_each(|(sum, scale)| *sum *= (-(step as f64) / scale as f64).exp());
        for (share, scale) in self.share.iter_mut().zip([DAY_MS, WEEK_MS]) {
            let kept = (-(step as f64) / scale as f64).exp();
            *share = kept * *share + (1.0 - kept) * f64::from(was);
        }

        if step > self.horizon_ms && step as f64 > SILENT_STEPS as f64 * usual {
            // Nobody knows what happened in between, nor since when the state is what it is.
            self.waiting.clear();
            self.since_ms = at_ms;
            return;
        }

        self.steps = (self.steps.0 + step as f64, self.steps.1 + 1.0);
        if was != available {
            self.since_ms = at_ms;
        }

        let lost = was && !available;
        if lost {
            self.losses.iter_mut().for_each(|sum| *sum += 1.0);
        }

        self.settle(at_ms, lost.then_some(before));
        self.sides.iter_mut().for_each(Side::fit);
    }

    /// Learns from the moments that a loss, seen at `at_ms`, or the end of their horizon has
    /// settled.
    fn settle(&mut self, at_ms: i64, lost_after: Option<i64>) {
        while let Some(moment) = self.waiting.front() {
            let over = moment.at_ms.saturating_add(self.horizon_ms) < at_ms;
            // A loss between two moments counts for a horizon that reaches beyond the first of
            // them.
            let lost = lost_after
                .is_some_and(|before| moment.at_ms.saturating_add(self.horizon_ms) > before);
            if !over && !lost {
                break;
            }
            if let Some(moment) = self.waiting.pop_front() {
                self.sides[usize::from(moment.available)].learn(moment, lost);
            }
        }
    }

    fn features(&self, at_ms: i64, available: bool) -> Vec<f64> {
        let age = (at_ms - self.since_ms).max(0) as f64 / self.horizon_ms as f64;
        let turn = at_ms.rem_euclid(DAY_MS) as f64 / DAY_MS as f64 * std::f64::consts::TAU;
        let mut features = vec![1.0, 0.0];
        features.extend(self.losses.map(f64::ln_1p));
        features.extend([age.ln_1p() - 1.0, f64::from(age < 1.0)]);
        features.extend(self.share.map(|share| share - f64::from(available)));
        features.extend([turn.sin(), turn.cos()]);
        features
    }
}

impl Side {
    /// The features with the log-odds of the base rate in their place.
    fn with_base(&self, features: &[f64]) -> Vec<f64> {
        let rate = (self.lost + 0.5) / (self.over + 1.0);
        let mut features = features.to_vec();
        features[1] = (rate / (1.0 - rate).max(LEAST_CHANCE)).ln();
        features
    }

    fn learn(&mut self, moment: Moment, lost: bool) {
        let Moment {
            features,
            weight,
            said,
            ..
        } = moment;

        let loss = if lost { weight } else { 0.0 };
        self.over += weight;
        self.lost += loss;
        self.seen += 1;
        let kept = REGIME_KEPT.powf(weight);
        self.regime = [self.regime[0] * kept + weight, self.regime[1] * kept + loss];
        for (record, said) in self.records.iter_mut().zip(said.into_iter().flatten()) {
            let happened = if lost { said } else { 1.0 - said };
            *record = *record * RECORD_KEPT.powf(weight) + weight * happened.max(1e-3).ln();
        }

        self.examples.add(Example {
            features,
            outcome: lost,
            weight,
        });
    }

    /// Fits the models again once a tenth more data is known.
    fn fit(&mut self) {
        if self.over < LEAST_HORIZONS || self.seen < self.fitted + (self.fitted / 10).max(5) {
            return;
        }

        self.fitted = self.seen;
        self.full = Some(Logistic::fit(&self.examples.kept, &beliefs()));
        let plain: Vec<Example> = self
            .examples
            .kept
            .iter()
            .map(|example| Example {
                features: plain(&example.features),
                outcome: example.outcome,
                weight: example.weight,
            })
            .collect();

        self.plain = Some(Logistic::fit(&plain, &PLAIN_BELIEFS));
    }

    /// Returns the share of horizons with a loss, shrunk towards that of pools in general.
    fn rate(&self, horizon_ms: i64) -> f64 {
        let pools = 1.0 - (-LOSSES_PER_HOUR * horizon_ms as f64 / HOUR_MS as f64).exp();
        (self.lost + POOLS_WORTH * pools) / (self.over + POOLS_WORTH)
    }

    /// Returns the chances by the full, the plain and the recent model; `None` before the first
    /// fit.
    fn said(&self, features: &[f64], rate: f64) -> Option<[f64; 3]> {
        let full = probability(self.full.as_ref()?.logit(features).0);
        let plain = probability(self.plain.as_ref()?.logit(&plain(features)).0);
        let recent = (self.regime[1] + PAST_WORTH * rate) / (self.regime[0] + PAST_WORTH);
        Some([full, plain, recent])
    }

    /// Returns the mean of the chances by the models' records, with the pool's rate for a part.
    fn combined(&self, said: [f64; 3], rate: f64) -> f64 {
        let best = self
            .records
            .iter()
            .copied()
            .fold(f64::NEG_INFINITY, f64::max);
        let (mut sum, mut weights) = (0.0, 0.0);
        for ((said, record), first) in said.iter().zip(self.records).zip(FIRST_WEIGHTS) {
            let weight = first * (record - best).exp();
            (sum, weights) = (sum + weight * said, weights + weight);
        }

        let chance = (1.0 - RATE_SHARE) * sum / weights.max(f64::MIN_POSITIVE) + RATE_SHARE * rate;
        chance.clamp(LEAST_CHANCE, 1.0 - LEAST_CHANCE)
    }
}

/// The features that the plain model reads: one, the age of the state, the shares of the last day
/// and week.
fn plain(features: &[f64]) -> Vec<f64> {
    PLAIN
        .iter()
        .filter_map(|place| features.get(*place).copied())
        .collect()
}

/// Prior of the plain model, the average over pools: what has lasted is safer, and what was away
/// lately is not. Wide, since pools differ.
const PLAIN_BELIEFS: [InterruptionBelief; 4] = [
    InterruptionBelief {
        mean: -2.0,
        deviation: 2.0,
    },
    InterruptionBelief {
        mean: -0.5,
        deviation: 1.0,
    },
    InterruptionBelief {
        mean: -1.0,
        deviation: 2.0,
    },
    InterruptionBelief {
        mean: -1.0,
        deviation: 2.0,
    },
];

/// Belief in each coefficient: the base rate counts as it is, the rest must show itself. With wider
/// beliefs a pool whose hazard never changes was said to lose its capacity at 62 % where it did at
/// 49 %, since few losses look like a pattern.
fn beliefs() -> Vec<InterruptionBelief> {
    let belief = |mean, deviation| InterruptionBelief { mean, deviation };
    let mut all = vec![belief(0.0, 0.3), belief(1.0, 0.1)];
    all.extend(FORGET_MS.map(|_| belief(0.1, 0.3)));
    all.extend([belief(0.0, 0.25), belief(0.0, 0.25)]);
    all.extend([
        belief(0.0, 0.5),
        belief(0.0, 0.5),
        belief(0.0, 0.2),
        belief(0.0, 0.2),
    ]);

    all
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A number from 0 to 1, the same for the same place (SplitMix64).
    fn noise(seed: u64, at: u64) -> f64 {
        let mut z =
            (seed ^ at.wrapping_mul(0x9e37_79b9_7f4a_7c15)).wrapping_add(0x9e37_79b9_7f4a_7c15);
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z ^ (z >> 31)) as f64 / u64::MAX as f64
    }

    const STEP_MS: i64 = 600_000;

    /// Sixty days of ten minutes: calm and stormy days in turn, in which capacity goes with chances
    /// of their own a step.
    fn trace(seed: u64, chances: [f64; 2]) -> Vec<(i64, bool)> {
        let (mut up, mut stormy) = (true, false);
        (0..60 * 144)
            .map(|at| {
                stormy ^= noise(seed, 3 * at) < 1.0 / 144.0;
                let turn = noise(seed, 3 * at + 1);
                up = if up {
                    turn >= chances[usize::from(stormy)]
                } else {
                    turn < 0.1
                };
                (at as i64 * STEP_MS, up)
            })
            .collect()
    }

    /// Returns the predictions and outcomes of available moments after the first week.
    fn judged(trace: &[(i64, bool)], horizon: usize) -> Vec<(f64, bool)> {
        let mut pool = Availability::new(horizon as i64 * STEP_MS);
        let said: Vec<Option<f64>> = trace
            .iter()
            .map(|(at, up)| pool.observe(*at, Some(*up)))
            .collect();
        let lost = |at: usize| {
            trace[at..=at + horizon]
                .windows(2)
                .any(|pair| pair[0].1 && !pair[1].1)
        };

        let looked = (7 * 144..trace.len() - horizon).filter(|at| trace[*at].1);
        looked
            .filter_map(|at| Some((said[at]?, lost(at))))
            .collect()
    }

    fn means(cases: &[(f64, bool)]) -> (f64, f64) {
        let n = cases.len().max(1) as f64;
        (
            cases.iter().map(|case| case.0).sum::<f64>() / n,
            cases.iter().filter(|case| case.1).count() as f64 / n,
        )
    }

    #[test]
    fn predicted_losses_happen_as_often() {
        for (seed, chances) in [
            (1, [0.002, 0.08]),
            (2, [0.02, 0.02]),
            (3, [0.0005, 0.2]),
            (4, [0.05, 0.3]),
        ] {
            for horizon in [1, 6, 36] {
                let mut cases = judged(&trace(seed, chances), horizon);
                assert!(cases.len() > 1_000, "{}", cases.len());
                let (said, happened) = means(&cases);
                assert!(
                    (said - happened).abs() < 0.06,
                    "{seed} {horizon}: said {said}, happened {happened}"
                );
                // The riskiest fifth too, which a hazard that follows bursts overstates. Of long
                // horizons there are few in two months: two standard deviations of what so few
                // happen to show are allowed.
                cases.sort_by(|a, b| b.0.total_cmp(&a.0));
                let riskiest = &cases[..cases.len() / 5];
                let few = 2.0 * 0.5 / (riskiest.len() as f64 / horizon as f64).sqrt();
                let (said, happened) = means(riskiest);
                assert!(
                    (said - happened).abs() < 0.08 + few,
                    "{seed} {horizon}: of the riskiest {said}, happened {happened}"
                );
            }
        }
    }

    #[test]
    fn it_is_better_than_the_base_rate_where_storms_come_and_go() {
        let cases = judged(&trace(1, [0.002, 0.08]), 6);
        let rate = means(&cases).1;
        let brier = |said: &dyn Fn(f64) -> f64| {
            cases
                .iter()
                .map(|(p, lost)| (said(*p) - f64::from(*lost)).powi(2))
                .sum::<f64>()
                / cases.len() as f64
        };
        let (own, base) = (brier(&|p| p), brier(&|_| rate));

        assert!(
            own < 0.95 * base,
            "{own} beside {base}, which knows the future's rate"
        );
    }

    /// After two calm weeks the models have seen next to no loss. The rate of pools in general
    /// keeps the answer above what they say.
    #[test]
    fn a_calm_pool_is_not_said_to_be_safe_for_ever() {
        let mut pool = Availability::new(6 * STEP_MS);
        let said: Vec<Option<f64>> = (0..14 * 144)
            .map(|at| pool.observe(at * STEP_MS, Some(true)))
            .collect();
        let last = said.last().copied().flatten().unwrap_or_default();
        assert!((0.0002..0.02).contains(&last), "{last}");
    }

    /// A storm of a day ends: three days later the answer is near that of before it again.
    #[test]
    fn a_storm_is_forgotten_with_its_regime() {
        let mut pool = Availability::new(6 * STEP_MS);
        let up = |at: i64| !(10 * 144..11 * 144).contains(&at) || at % 8 != 0;
        let said: Vec<f64> = (0..20 * 144)
            .map(|at| pool.observe(at * STEP_MS, Some(up(at))).unwrap_or_default())
            .collect();
        let (storm, after) = (said[11 * 144 - 3], said[14 * 144]);
        assert!(
            storm > 0.5 && after < 0.1,
            "{storm} in the storm, {after} three days later"
        );
    }

    #[test]
    fn the_chance_rises_towards_a_loss_by_the_clock() {
        let mut pool = Availability::new(6 * STEP_MS);
        let said: Vec<f64> = (0..1_440)
            .map(|at| {
                pool.observe(at * STEP_MS, Some(at % 36 > 2))
                    .unwrap_or_default()
            })
            .collect();

        let mean = |within: &dyn Fn(usize) -> bool| {
            let rows: Vec<f64> = (720..1_440)
                .filter(|at| within(at % 36))
                .map(|at| said[at])
                .collect();
            rows.iter().sum::<f64>() / rows.len() as f64
        };
        let (before, away) = (mean(&|at| at >= 30), mean(&|at| (5..25).contains(&at)));

        assert!(
            before > 1.5 * away,
            "{before} in the hour before a loss, {away} away from it"
        );
    }

    #[test]
    fn it_abstains_where_nothing_was_measured_or_too_little_is_known() {
        let mut pool = Availability::new(6 * STEP_MS);
        let said: Vec<Option<f64>> = (0..100)
            .map(|at| pool.observe(at * STEP_MS, Some(true)))
            .collect();
        assert!(
            said[..60].iter().all(Option::is_none),
            "ten horizons of an hour"
        );
        assert!(
            said[75..]
                .iter()
                .all(|said| said.is_some_and(|said| said < 0.2)),
            "{said:?}"
        );

        assert_eq!(pool.observe(100 * STEP_MS, None), None);

        let mut unmeasured = Availability::new(STEP_MS);
        assert!((0..500).all(|at| unmeasured.observe(at * STEP_MS, None).is_none()));
    }

    #[test]
    fn only_the_past_counts_and_silence_is_no_evidence() {
        let trace = trace(5, [0.002, 0.08]);
        let run = |until: usize| {
            let mut pool = Availability::new(6 * STEP_MS);
            trace[..until]
                .iter()
                .map(|(at, up)| pool.observe(*at, Some(*up)))
                .collect::<Vec<_>>()
        };
        assert_eq!(run(2_000)[..], run(4_000)[..2_000]);

        // Capacity that is gone after a month of silence was lost nobody knows when.
        let mut pool = Availability::new(STEP_MS);
        for at in 0..200 {
            let _ = pool.observe(at * STEP_MS, Some(true));
        }

        let _ = pool.observe(200 * STEP_MS + 30 * DAY_MS, Some(false));
        assert_eq!(pool.sides[1].lost, 0.0);
    }

    #[test]
    fn memory_is_bounded() {
        let mut pool = Availability::new(STEP_MS);
        for at in 0..40_000 {
            let _ = pool.observe(at * STEP_MS, Some(noise(9, at as u64) > 0.05));
        }

        assert!(
            pool.sides
                .iter()
                .all(|side| side.examples.kept.len() < MOST_EXAMPLES)
        );

        let weight: f64 = pool.sides[1]
            .examples
            .kept
            .iter()
            .map(|example| example.weight)
            .sum();

        assert!(
            (weight / pool.sides[1].over - 1.0).abs() < 0.05,
            "what is thinned stands for what was left out"
        );
    }
}
