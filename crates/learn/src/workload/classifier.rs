//! One regression per class on standardised features, normalised to probabilities, sharpened or softened by one temperature
//! that was fitted on examples the regressions did not see (Guo et al. 2017).

use super::shape::{Features, NAMES};
use super::{Class, weights};
use crate::interruption::logistic::{Belief, Example, Logistic};

/// Parameters: a row per class, an intercept first.
#[derive(Debug, Clone, PartialEq)]
pub struct Classifier {
    /// Middle of each feature.
    pub means: [f64; 20],
    /// Spread of each feature, above zero.
    pub spreads: [f64; 20],
    /// Intercept and coefficients of each class.
    pub coefficients: [[f64; 21]; 4],
    /// Temperature: above one softens.
    pub temperature: f64,
}

/// Every fourth example is kept for the temperature.
const KEPT: usize = 4;

impl Classifier {
    /// The parameters learnt on the simulated estate of `bench/learn` (`docs/learning/trends.md`).
    #[must_use]
    pub fn built_in() -> Classifier {
        Classifier {
            means: weights::MEANS,
            spreads: weights::SPREADS,
            coefficients: weights::COEFFICIENTS,
            temperature: weights::TEMPERATURE,
        }
    }

    /// Learns from labelled examples; `None` below forty or when a class has none.
    #[must_use]
    pub fn fit(examples: &[(Features, Class)]) -> Option<Classifier> {
        if examples.len() < 40 || Class::ALL.iter().any(|class| examples.iter().all(|(_, own)| own != class)) {
            return None;
        }
        let learnt: Vec<&(Features, Class)> =
            examples.iter().enumerate().filter(|(index, _)| index % KEPT != 0).map(|(_, one)| one).collect();
        let n = learnt.len() as f64;
        let means = std::array::from_fn(|at| learnt.iter().map(|(features, _)| features.0[at]).sum::<f64>() / n);
        let spread = |at: usize| {
            let square = learnt.iter().map(|(features, _)| (features.0[at] - means[at]).powi(2)).sum::<f64>() / n;
            square.sqrt().max(1e-6)
        };
        let mut classifier =
            Classifier { means, spreads: std::array::from_fn(spread), coefficients: [[0.0; 21]; 4], temperature: 1.0 };
        let beliefs = vec![Belief { mean: 0.0, deviation: 2.0 }; 21];
        for (row, class) in Class::ALL.iter().enumerate() {
            let set: Vec<Example> = learnt
                .iter()
                .map(|(features, own)| Example {
                    features: classifier.standardised(features).to_vec(),
                    outcome: own == class,
                    weight: 1.0,
                })
                .collect();
            let fitted = Logistic::fit(&set, &beliefs);
            classifier.coefficients[row] = std::array::from_fn(|at| fitted.coefficients[at]);
        }
        let kept: Vec<&(Features, Class)> = examples.iter().step_by(KEPT).collect();
        let loss = |temperature: f64| {
            let tried = Classifier { temperature, ..classifier.clone() };
            let chance = |one: &&(Features, Class)| tried.probabilities(&one.0)[one.1 as usize].max(1e-9);
            -kept.iter().map(|one| chance(one).ln()).sum::<f64>()
        };
        let temperatures = (0..40).map(|step| 0.4 * 1.06f64.powi(step));
        let best = temperatures.min_by(|a, b| loss(*a).total_cmp(&loss(*b))).unwrap_or(1.0);
        Some(Classifier { temperature: best, ..classifier })
    }

    /// Probability of each class.
    #[must_use]
    pub fn probabilities(&self, features: &Features) -> [f64; 4] {
        let x = self.standardised(features);
        let logits: [f64; 4] = std::array::from_fn(|class| {
            self.coefficients[class].iter().zip(&x).map(|(weight, x)| weight * x).sum::<f64>() / self.temperature
        });
        let most = logits.iter().copied().fold(f64::MIN, f64::max);
        let raw = logits.map(|logit| (logit - most).exp());
        let total: f64 = raw.iter().sum();
        raw.map(|one| one / total)
    }

    /// Returns the five features that most support a class, against the mean of the others.
    pub(super) fn evidence(&self, features: &Features, class: usize) -> Vec<(&'static str, f64)> {
        let x = self.standardised(features);
        let others =
            |at: usize| (0..4).filter(|row| *row != class).map(|row| self.coefficients[row][at]).sum::<f64>() / 3.0;
        let mut found: Vec<(&'static str, f64)> = NAMES
            .iter()
            .enumerate()
            .map(|(at, name)| {
                (*name, (self.coefficients[class][at + 1] - others(at + 1)) * x[at + 1] / self.temperature)
            })
            .filter(|(_, weight)| *weight > 0.1)
            .collect();
        found.sort_by(|a, b| b.1.total_cmp(&a.1));
        found.truncate(5);
        found
    }

    fn standardised(&self, features: &Features) -> [f64; 21] {
        std::array::from_fn(|at| match at.checked_sub(1) {
            // What lies far outside what was learnt must not decide alone.
            Some(at) => ((features.0[at] - self.means[at]) / self.spreads[at]).clamp(-4.0, 4.0),
            None => 1.0,
        })
    }
}
