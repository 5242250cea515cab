//! `workload`: what people's corrections of workload classes teach about resources alike.
//!
//! A version learns from every correction of the agent's scope, and is judged by each of them as if
//! it had not seen that one: the signals of the resource and what the other corrections say have to
//! lead to the class that the person gave. Corrections that share nothing therefore teach nothing,
//! and such a version is not used.

use std::collections::BTreeMap;

use jiff::Timestamp;
use reeve_estate::Metric;
use reeve_learn::calibrate::CalibrationScores;
use reeve_recommend::judgement::workload::{Correction, GivenClasses, WorkloadClass, tokens};
use reeve_recommend::models::{
    Material, ModelEvaluation, ModelState as _, ModelType, NotTrained, Trained, Trainer,
    WorkloadModel,
};

/// Corrections it takes to learn.
const ENOUGH: usize = 2;
/// Share of the scope's resources with a token from which the token says nothing of a single one.
const COMMON: f64 = 0.5;

/// The trainer of corrections.
#[derive(Debug, Clone, Copy, Default)]
pub struct Workloads;

/// Name of a corrected resource in the state.
fn key(correction: &Correction) -> String {
    format!("{}/{}", correction.connection.0, correction.resource.0)
}

/// Share of the resources with each token.
fn shares(material: &Material) -> BTreeMap<String, f64> {
    let all = material.resources.len().max(1) as f64;
    let mut shares = BTreeMap::new();
    for token in material.resources.iter().flat_map(tokens) {
        *shares.entry(token).or_insert(0.0) += 1.0 / all;
    }
    shares
}

impl Trainer for Workloads {
    fn name(&self) -> &'static str {
        WorkloadModel::NAME
    }

    fn kind(&self) -> ModelType {
        ModelType::Classification
    }

    fn threshold(&self) -> f64 {
        0.6
    }

    fn metrics(&self) -> &'static [Metric] {
        &[]
    }

    fn history_days(&self) -> i64 {
        0
    }

    /// None: each correction is judged by all others.
    fn held_out_days(&self) -> i64 {
        0
    }

    fn train(&self, material: &Material, until: Timestamp) -> Result<Trained, NotTrained> {
        let known: Vec<&Correction> = given(material)
            .iter()
            .filter(|correction| correction.at <= until)
            .collect();

        if known.len() < ENOUGH {
            let found = known.len();
            return Err(NotTrained(format!(
                "people corrected {found} classes, {ENOUGH} corrections are needed"
            )));
        }

        let shares = shares(material);
        let says_something =
            |token: &&String| shares.get(*token).is_none_or(|share| *share <= COMMON);
        let mut model = WorkloadModel::empty();

        for correction in &known {
            model.learn(
                &key(correction),
                correction.tokens.iter().filter(says_something),
                correction.class,
            );
        }

        let oldest = known
            .iter()
            .map(|correction| correction.at)
            .min()
            .unwrap_or(until);

        Ok(Trained {
            state: model.text()?,
            span_days: until.duration_since(oldest).as_secs_f64() / 86_400.0,
            samples: known.len() as u64,
        })
    }

    fn evaluate(
        &self,
        state: &str,
        material: &Material,
        _from: Timestamp,
    ) -> Result<ModelEvaluation, NotTrained> {
        let model = WorkloadModel::read(state)?;
        let mut judged = Vec::new();

        for correction in given(material) {
            let (weights, _) = model
                .without(&key(correction), &correction.tokens)
                .weights(&correction.tokens);
            let score = |class: &WorkloadClass| {
                correction.scores[*class as usize] + weights[*class as usize]
            };
            let said = WorkloadClass::ALL
                .into_iter()
                .max_by(|a, b| score(a).total_cmp(&score(b)));
            judged.push((said.unwrap_or(correction.class), correction.class));
        }

        let scores = figures(&judged)
            .ok_or_else(|| NotTrained("there is no correction to judge by any more".to_owned()))?;
        Ok(ModelEvaluation {
            scores,
            held_out: judged.len() as u64,
            counts: None,
        })
    }

    /// None: corrections are events, whose distribution tells of people and not of the estate.
    fn figures(&self, _: &Material, _: Timestamp, _: Timestamp) -> Vec<f64> {
        Vec::new()
    }
}

/// Accuracy, and the other figures as means over the classes that occur; `None` without decisions.
fn figures(judged: &[(WorkloadClass, WorkloadClass)]) -> Option<CalibrationScores> {
    let count = |is: &dyn Fn(&(WorkloadClass, WorkloadClass)) -> bool| {
        judged.iter().filter(|one| is(one)).count() as f64
    };
    let right = count(&|(said, was)| said == was);

    let (mut precision, mut recall, mut f1, mut classes) = (0.0, 0.0, 0.0, 0.0);
    for class in WorkloadClass::ALL {
        let (hits, said, was) = (
            count(&|one| *one == (class, class)),
            count(&|one| one.0 == class),
            count(&|one| one.1 == class),
        );
        if was > 0.0 {
            let (p, r) = (if said > 0.0 { hits / said } else { 0.0 }, hits / was);
            let harmonic = if p + r > 0.0 {
                2.0 * p * r / (p + r)
            } else {
                0.0
            };
            (precision, recall, f1, classes) =
                (precision + p, recall + r, f1 + harmonic, classes + 1.0);
        }
    }

    let mean = |sum: f64| sum / classes;
    (!judged.is_empty()).then(|| CalibrationScores {
        accuracy: right / judged.len() as f64,
        precision: mean(precision),
        recall: mean(recall),
        f1: mean(f1),
    })
}

/// Classes that people gave resources of the scope.
fn given(material: &Material) -> &[Correction] {
    material
        .open
        .get::<GivenClasses>()
        .map_or(&[], |given| &given.0)
}
