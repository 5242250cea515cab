//! State of the model `workload`: how often people gave resources with a token (a tag, a word of
//! the name) each class.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::judgement::workload::{Scores, WorkloadClass};
use crate::models::learned::ModelState;
use crate::models::trainer::NotTrained;

/// Newest format of the state.
const FORMAT: u32 = 1;
/// Weight of the prior, in corrections: one correction moves a class from 25 % to 50 %.
const PRIOR: f64 = 2.0;
/// Tokens of a resource that count, those that say most first: further ones mostly repeat them.
const COUNTED: usize = 3;
/// Bound of what all tokens of a resource add to a class: no number of corrections outweighs every
/// other signal.
const BOUND: f64 = 3.0;

/// Weights learned from corrections, by token.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WorkloadModel {
    format: u32,
    /// Corrections to each class, by token, in the order of [`WorkloadClass::ALL`].
    pub tokens: BTreeMap<String, [u32; 4]>,
    /// Class by corrected resource: what was learned from.
    pub learned_from: BTreeMap<String, String>,
}

impl ModelState for WorkloadModel {
    const NAME: &'static str = "workload";

    fn read(text: &str) -> Result<Self, NotTrained> {
        let kept: WorkloadModel = serde_json::from_str(text)
            .map_err(|error| NotTrained(format!("the kept state: {error}")))?;
        match kept.format {
            FORMAT => Ok(kept),
            other => Err(NotTrained(format!(
                "the kept state has format {other}, not {FORMAT}"
            ))),
        }
    }
}

impl WorkloadModel {
    /// A state without corrections.
    #[must_use]
    pub fn empty() -> Self {
        WorkloadModel {
            format: FORMAT,
            ..WorkloadModel::default()
        }
    }

    /// The text that is kept.
    ///
    /// # Errors
    /// [`NotTrained`] if it has no JSON.
    pub fn text(&self) -> Result<String, NotTrained> {
        serde_json::to_string(self).map_err(|error| NotTrained(error.to_string()))
    }

    /// Learns from one correction by a person.
    pub fn learn<'t>(
        &mut self,
        resource: &str,
        tokens: impl Iterator<Item = &'t String>,
        class: WorkloadClass,
    ) {
        for token in tokens {
            self.tokens.entry(token.clone()).or_default()[class as usize] += 1;
        }
        self.learned_from
            .insert(resource.to_owned(), class.as_str().to_owned());
    }

    /// The same state without one correction, if it learned from it: the judgement of that
    /// correction by all others.
    #[must_use]
    pub fn without(&self, resource: &str, tokens: &[String]) -> WorkloadModel {
        let mut rest = self.clone();
        let Some(class) = rest
            .learned_from
            .remove(resource)
            .and_then(|name| WorkloadClass::parse(&name))
        else {
            return rest;
        };

        for token in tokens {
            if let Some(counts) = rest.tokens.get_mut(token) {
                counts[class as usize] = counts[class as usize].saturating_sub(1);
            }
        }

        rest.tokens
            .retain(|_, counts| counts.iter().any(|count| *count > 0));
        rest
    }

    /// Weights that the tokens of a resource add to its classes, with the tokens that count,
    /// strongest first.
    #[must_use]
    pub fn weights(&self, tokens: &[String]) -> (Scores, Vec<String>) {
        let mut known: Vec<(&String, Scores)> = tokens
            .iter()
            .filter_map(|token| Some((token, weights(self.tokens.get(token)?))))
            .collect();
        let strength = |weights: &Scores| weights.iter().copied().fold(f64::MIN, f64::max);
        known.sort_by(|a, b| strength(&b.1).total_cmp(&strength(&a.1)));
        known.truncate(COUNTED);
        let sum = std::array::from_fn(|class| {
            known
                .iter()
                .map(|(_, weights)| weights[class])
                .sum::<f64>()
                .clamp(-BOUND, BOUND)
        });

        (
            sum,
            known.into_iter().map(|(token, _)| token.clone()).collect(),
        )
    }
}

/// Logarithm of how much likelier each class is with a token than without, after so many
/// corrections.
fn weights(counts: &[u32; 4]) -> Scores {
    let prior = 1.0 / counts.len() as f64;
    let all: f64 = counts.iter().map(|count| f64::from(*count)).sum();
    counts.map(|count| ((f64::from(count) + PRIOR * prior) / (all + PRIOR) / prior).ln())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn taught(corrections: &[(&str, &[&str], WorkloadClass)]) -> WorkloadModel {
        let mut model = WorkloadModel::empty();
        for (resource, tokens, class) in corrections {
            let tokens: Vec<String> = tokens.iter().map(|token| (*token).to_owned()).collect();
            model.learn(resource, tokens.iter(), *class);
        }
        model
    }

    #[test]
    fn corrections_that_agree_weigh_more_and_are_bounded() {
        let tokens = vec!["team=risk".to_owned()];
        let batch = |n: usize| {
            let corrections: Vec<_> = (0..n)
                .map(|_| ("i", &["team=risk"][..], WorkloadClass::Batch))
                .collect();
            taught(&corrections).weights(&tokens).0[WorkloadClass::Batch as usize]
        };
        assert!((batch(1) - 2f64.ln()).abs() < 1e-9, "from 25 % to 50 %");

        assert!(batch(2) > batch(1) && batch(1000) < 4f64.ln() + 1e-9);

        let many: Vec<String> = (0..20).map(|n| format!("t{n}")).collect();
        let mut model = WorkloadModel::empty();
        (0..500).for_each(|n| model.learn(&n.to_string(), many.iter(), WorkloadClass::Batch));
        let (weights, counted) = model.weights(&many);
        assert_eq!(
            (counted.len(), weights[WorkloadClass::Production as usize]),
            (COUNTED, -BOUND)
        );
    }

    #[test]
    fn a_correction_is_judged_by_the_others() {
        let model = taught(&[
            ("a", &["team=risk"], WorkloadClass::Batch),
            ("b", &["team=risk"], WorkloadClass::Batch),
            ("c", &["team=web"], WorkloadClass::Production),
        ]);
        let alone = model.without("c", &["team=web".to_owned()]);
        assert_eq!(alone.weights(&["team=web".to_owned()]).0, [0.0; 4]);
        assert_eq!(model.without("unknown", &["team=web".to_owned()]), model);
        assert_eq!(WorkloadModel::read(&model.text().unwrap()).unwrap(), model);
        assert!(WorkloadModel::read(r#"{"format":2,"tokens":{},"learned_from":{}}"#).is_err());
    }
}
