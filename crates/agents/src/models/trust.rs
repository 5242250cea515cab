//! `confidence`: how likely a recommendation is to hold. Learns from looking back over the estate's own weeks and from how
//! real recommendations ended; see `reeve_learn::calibrate` and `docs/learning/confidence.md`.

use std::collections::BTreeMap;

use jiff::{SignedDuration, Timestamp};
use reeve_estate::Metric;
use reeve_learn::DAY_MS;
use reeve_learn::calibrate::{Calibrator, CalibratorState, Example, FEATURES, GroupState, scores};
use serde::{Deserialize, Serialize};

use super::material::Material;
use super::model::ModelType;
use super::trainer::{Evaluation, NotTrained, Trained, Trainer};
use crate::agent::AgentType;
use crate::cost::{self, Facts, HISTORY_DAYS, HORIZON_DAYS};

/// Weeks looked back over.
const WEEKS: i64 = 6;
/// Newest days that a version is judged by and does not learn from.
const HELD_OUT_DAYS: i64 = 14;
/// Examples it takes to learn, and to judge.
const ENOUGH: [usize; 2] = [10, 5];

/// The trainer of confidence.
#[derive(Debug, Clone, Copy, Default)]
pub struct Confidence;

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Kept {
    format: u32,
    width: usize,
    all: KeptGroup,
    groups: BTreeMap<String, KeptGroup>,
    curve: [f64; 3],
    newest_ms: i64,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct KeptGroup {
    mean: Vec<f64>,
    precision: Vec<f64>,
    held: f64,
    count: f64,
}

/// A calibrator as the text that is kept.
#[must_use]
pub fn state_of(calibrator: &Calibrator) -> String {
    let group = |g: GroupState| KeptGroup { mean: g.mean, precision: g.precision, held: g.held, count: g.count };
    let state = calibrator.state();
    let kept = Kept {
        format: 1,
        width: state.width,
        all: group(state.all),
        groups: state.groups.into_iter().map(|(name, g)| (name, group(g))).collect(),
        curve: state.curve,
        newest_ms: state.newest_ms,
    };
    // Numbers and texts alone: there is nothing that could fail to become JSON.
    serde_json::to_string(&kept).unwrap_or_default()
}

/// The calibrator that a kept text is.
///
/// # Errors
/// [`NotTrained`] when it is none.
pub fn calibrator_from(text: &str) -> Result<Calibrator, NotTrained> {
    let kept: Kept = serde_json::from_str(text).map_err(|error| NotTrained(format!("the kept state: {error}")))?;
    if kept.format != 1 {
        return Err(NotTrained(format!("the kept state has format {}, not 1", kept.format)));
    }
    let group = |g: KeptGroup| GroupState { mean: g.mean, precision: g.precision, held: g.held, count: g.count };
    let state = CalibratorState {
        width: kept.width,
        all: group(kept.all),
        groups: kept.groups.into_iter().map(|(name, g)| (name, group(g))).collect(),
        curve: kept.curve,
        newest_ms: kept.newest_ms,
    };
    Calibrator::restore(state).map_err(|error| NotTrained(error.to_string()))
}

impl Confidence {
    /// Looking back from now: every whole week's judgement whose outcome is known, and the real outcomes.
    fn examples(material: &Material) -> Vec<Example> {
        let times: Vec<Timestamp> = (0..WEEKS).map(|week| material.days_ago(HORIZON_DAYS + 7 * week)).collect();
        let mut found = material.outcomes.clone();
        for resource in &material.resources {
            let own: Vec<_> = material.series.iter().filter(|s| s.resource == resource.id).cloned().collect();
            if own.is_empty() {
                continue;
            }
            let facts = Facts {
                resource,
                series: &own,
                volumes: &[],
                catalogue: &material.catalogue,
                guardrails: &material.guardrails,
                unchanged_since: None,
                now: material.now,
            };
            found.extend(cost::look_back(&facts, material.agent.agent_type, &times));
        }
        found.sort_by_key(|example| example.at_ms);
        found
    }

    /// Whether a version that was trained at a time has learned from an outcome that became known at another.
    pub(crate) fn has_seen(example: &Example, known_at: Timestamp, trained_at: Timestamp) -> bool {
        let cut = trained_at - SignedDuration::from_hours(24 * HELD_OUT_DAYS);
        known_at <= trained_at && Self::known_before(example, cut)
    }

    /// Whether an example's outcome was known before a time.
    fn known_before(example: &Example, at: Timestamp) -> bool {
        example.at_ms + HORIZON_DAYS * DAY_MS <= at.as_millisecond()
    }
}

impl Trainer for Confidence {
    fn name(&self) -> &'static str {
        "confidence"
    }

    fn kind(&self) -> ModelType {
        ModelType::Recommendation
    }

    fn serves(&self, agent: AgentType) -> bool {
        agent == AgentType::CostOptimizer
    }

    fn threshold(&self) -> f64 {
        0.7
    }

    fn metrics(&self) -> &'static [Metric] {
        cost::METRICS
    }

    fn history_days(&self) -> i64 {
        HISTORY_DAYS + HORIZON_DAYS + 7 * WEEKS
    }

    fn held_out_days(&self) -> i64 {
        HELD_OUT_DAYS
    }

    fn train(&self, material: &Material, until: Timestamp) -> Result<Trained, NotTrained> {
        let mut examples = Self::examples(material);
        examples.retain(|example| Self::known_before(example, until));
        if examples.len() < ENOUGH[0] {
            let (found, needed) = (examples.len(), ENOUGH[0]);
            return Err(NotTrained(format!("{found} past recommendations have a known outcome, {needed} are needed")));
        }
        let first = examples.first().map_or(0, |example| example.at_ms);
        Ok(Trained {
            state: state_of(&Calibrator::fit(FEATURES.len(), &examples)),
            span_days: (until.as_millisecond() - first) as f64 / DAY_MS as f64,
            samples: examples.len() as u64,
        })
    }

    fn evaluate(&self, state: &str, material: &Material, from: Timestamp) -> Result<Evaluation, NotTrained> {
        let calibrator = calibrator_from(state)?;
        let pairs: Vec<(f64, bool)> = Self::examples(material)
            .iter()
            .filter(|example| !Self::known_before(example, from))
            .map(|e| (calibrator.calibrate(&e.group, e.raw, &e.features).probability, e.held))
            .collect();
        match scores(&pairs) {
            Some(scores) if pairs.len() >= ENOUGH[1] => Ok(Evaluation { scores, held_out: pairs.len() as u64 }),
            _ => Err(NotTrained(format!(
                "{} outcomes became known on the held-out days, {} are needed",
                pairs.len(),
                ENOUGH[1]
            ))),
        }
    }

    fn figures(&self, material: &Material, from: Timestamp, until: Timestamp) -> Vec<f64> {
        super::demand::daily_peaks(material, from, until.max(from + SignedDuration::from_hours(24)))
    }
}
