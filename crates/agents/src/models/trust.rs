//! `confidence`: how likely a recommendation is to hold. Learns from looking back over the estate's
//! own weeks and from how real recommendations ended; see `reeve_learn::calibrate` and
//! `docs/learning/confidence.md`.

use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};
use reeve_estate::Metric;
use reeve_learn::DAY_MS;
use reeve_learn::calibrate::{Calibrator, Example, FEATURES, scores};
use reeve_recommend::agent::contract::AgentDefinition;
use reeve_recommend::judgement::{Facts, HISTORY_DAYS, HORIZON_DAYS};
use reeve_recommend::models::{
    HELD_OUT_DAYS, LearnedModels, Material, ModelEvaluation, ModelType, NotTrained, Trained,
    Trainer, calibrator_from, known_before, state_of,
};

/// Weeks looked back over.
const WEEKS: i64 = 6;
/// Examples it takes to learn, and to judge.
const ENOUGH: [usize; 2] = [10, 5];

/// The trainer of confidence of one agent type, which learns from the type's own backtest.
pub struct Confidence {
    definition: Arc<dyn AgentDefinition>,
    metrics: &'static [Metric],
}

impl Confidence {
    /// Creates the trainer of an agent type whose backtest reads these metrics.
    #[must_use]
    pub fn new(definition: Arc<dyn AgentDefinition>, metrics: &'static [Metric]) -> Self {
        Confidence {
            definition,
            metrics,
        }
    }

    /// Looking back from now: every whole week's judgement whose outcome is known, and the real
    /// outcomes.
    fn examples(&self, material: &Material) -> Vec<Example> {
        let times: Vec<Timestamp> = (0..WEEKS)
            .map(|week| material.days_ago(HORIZON_DAYS + 7 * week))
            .collect();
        let mut found = material.outcomes.clone();

        for resource in &material.resources {
            let own: Vec<_> = material
                .series
                .iter()
                .filter(|s| s.resource == resource.id)
                .cloned()
                .collect();
            if own.is_empty() {
                continue;
            }
            let facts = Facts {
                resource,
                series: &own,
                maxima: &[],
                charges: &[],
                document: None,
                relations: reeve_recommend::judgement::RelationIndex::none(),
                volumes: &[],
                catalogue: &material.catalogue,
                settings: &material.agent.settings,
                guardrails: &material.guardrails,
                open: reeve_recommend::judgement::open_facts::OpenFacts::none(),
                models: LearnedModels::none(),
                attachment_changed_at: None,
                unchanged_since: None,
                now: material.now,
            };
            found.extend(self.definition.backtest(&facts, &times));
        }

        found.sort_by_key(|example| example.at_ms);
        found
    }
}

impl Trainer for Confidence {
    fn name(&self) -> &'static str {
        "confidence"
    }

    fn kind(&self) -> ModelType {
        ModelType::Recommendation
    }

    fn threshold(&self) -> f64 {
        0.7
    }

    fn metrics(&self) -> &'static [Metric] {
        self.metrics
    }

    fn history_days(&self) -> i64 {
        HISTORY_DAYS + HORIZON_DAYS + 7 * WEEKS
    }

    fn held_out_days(&self) -> i64 {
        HELD_OUT_DAYS
    }

    fn train(&self, material: &Material, until: Timestamp) -> Result<Trained, NotTrained> {
        let mut examples = self.examples(material);
        examples.retain(|example| known_before(example, until));

        if examples.len() < ENOUGH[0] {
            let (found, needed) = (examples.len(), ENOUGH[0]);
            return Err(NotTrained(format!(
                "{found} past recommendations have a known outcome, {needed} are needed"
            )));
        }

        let first = examples.first().map_or(0, |example| example.at_ms);
        Ok(Trained {
            state: state_of(&Calibrator::fit(FEATURES.len(), &examples)),
            span_days: (until.as_millisecond() - first) as f64 / DAY_MS as f64,
            samples: examples.len() as u64,
        })
    }

    fn evaluate(
        &self,
        state: &str,
        material: &Material,
        from: Timestamp,
    ) -> Result<ModelEvaluation, NotTrained> {
        let calibrator = calibrator_from(state)?;
        let pairs: Vec<(f64, bool)> = self
            .examples(material)
            .iter()
            .filter(|example| !known_before(example, from))
            .map(|e| {
                (
                    calibrator
                        .calibrate(&e.group, e.raw, &e.features)
                        .probability,
                    e.held,
                )
            })
            .collect();

        match scores(&pairs) {
            Some(scores) if pairs.len() >= ENOUGH[1] => Ok(ModelEvaluation {
                scores,
                held_out: pairs.len() as u64,
                counts: None,
            }),
            _ => Err(NotTrained(format!(
                "{} outcomes became known on the test days, {} are needed",
                pairs.len(),
                ENOUGH[1]
            ))),
        }
    }

    fn figures(&self, material: &Material, from: Timestamp, until: Timestamp) -> Vec<f64> {
        super::demand::daily_peaks(
            material,
            from,
            until.max(from + SignedDuration::from_hours(24)),
        )
    }
}
