//! Workloads on the wire.

use std::collections::BTreeMap;

use reeve_engine::ResourceWorkload;
use reeve_recommend::judgement::workload::{
    Correction, Scores, Workload, WorkloadClass, WorkloadSignal,
};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::time;
use crate::wire::form::enumeration;

/// Workload of a resource.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct WorkloadBody {
    /// `production`, `development`, `batch` or `analytics`: the class that a person gave, else the
    /// one that an agent found; null for a resource that is not classified.
    pub class: Option<enumeration::WorkloadClass>,
    /// Confidence in the class, percent; null without a class.
    pub confidence: Option<f64>,
    /// Reason why the resource is not classified.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unclassified: Option<UnclassifiedBody>,
    /// Probability of each class by the last judgement, percent.
    pub probabilities: BTreeMap<String, f64>,
    /// Signals of the last judgement, strongest first.
    pub signals: Vec<SignalBody>,
    /// Class that a person gave.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub correction: Option<CorrectionBody>,
    /// Agent of the last judgement.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent_id: Option<String>,
    /// Time of the last judgement.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub judged_at: Option<String>,
}

/// Reason why a resource is not classified.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct UnclassifiedBody {
    /// `thin_data`, `signals_too_few`, `signals_contradict`, `switched_off`; `not_judged` where no
    /// agent judged it yet.
    pub code: String,
    /// Numbers that it rests on, in words.
    pub detail: String,
}

/// A signal that speaks for a class of workload, with its weight.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct SignalBody {
    /// Name (`tag env`, `shape of the metrics`).
    pub name: String,
    /// Observed value, in words.
    pub detail: String,
    /// Class that it speaks for; null where it speaks for none.
    pub speaks_for: Option<String>,
    /// Weight for each class, a logarithm of odds.
    pub weights: BTreeMap<String, f64>,
}

/// A correction by a person.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct CorrectionBody {
    pub class: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub comment: Option<String>,
    /// E-mail address of the person.
    pub by: String,
    /// Time of the correction.
    pub at: String,
}

/// Correction of a workload.
#[derive(Debug, Clone, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct WorkloadCorrectionBody {
    #[schema(value_type = enumeration::WorkloadClass)]
    pub class: String,
    pub comment: Option<String>,
}

/// Figures by class, rounded to tenths of their unit.
fn by_class(scores: Scores, unit: f64) -> BTreeMap<String, f64> {
    let rounded = |score: f64| (score * unit * 10.0).round() / 10.0;
    WorkloadClass::ALL
        .into_iter()
        .map(|class| (class.as_str().to_owned(), rounded(scores[class as usize])))
        .collect()
}

impl WorkloadBody {
    /// The workload of a resource.
    #[must_use]
    pub fn new(workload: &ResourceWorkload) -> WorkloadBody {
        let found = workload.found.as_ref().map(|found| &found.classification);
        let correction = workload.correction.as_ref();
        let class = correction
            .map(|correction| correction.class)
            .or_else(|| found?.class);
        let judged = found.filter(|found| found.class == class && class.is_some());
        let unclassified = match (class, found) {
            (Some(_), _) => None,
            (None, Some(found)) => found.unclassified.as_ref().map(|reason| UnclassifiedBody {
                code: reason.code.clone(),
                detail: reason.detail.clone(),
            }),
            (None, None) => Some(UnclassifiedBody {
                code: "not_judged".to_owned(),
                detail: "not classified yet by a workload_classifier agent".to_owned(),
            }),
        };

        WorkloadBody {
            class: class.map(Into::into),
            confidence: judged
                .map(|found| found.confidence)
                .filter(|_| correction.is_none()),
            unclassified,
            probabilities: found
                .map(|found| by_class(found.probabilities, 100.0))
                .unwrap_or_default(),
            signals: found
                .map(|found| found.signals.iter().map(SignalBody::new).collect())
                .unwrap_or_default(),
            correction: correction.map(CorrectionBody::new),
            agent_id: workload
                .found
                .as_ref()
                .map(|found: &Workload| found.agent_id.0.clone()),
            judged_at: workload
                .found
                .as_ref()
                .map(|found| time::text(found.judged_at)),
        }
    }
}

impl SignalBody {
    fn new(signal: &WorkloadSignal) -> SignalBody {
        let of = |class: &WorkloadClass| signal.weights[*class as usize];
        let best = WorkloadClass::ALL
            .into_iter()
            .max_by(|a, b| of(a).total_cmp(&of(b)));
        SignalBody {
            name: signal.name.clone(),
            detail: signal.detail.clone(),
            speaks_for: best
                .filter(|class| of(class) > 0.0)
                .map(|class| class.as_str().to_owned()),
            weights: by_class(signal.weights, 1.0),
        }
    }
}

impl CorrectionBody {
    fn new(correction: &Correction) -> CorrectionBody {
        CorrectionBody {
            class: correction.class.as_str().to_owned(),
            comment: correction.comment.clone(),
            by: correction.by.clone(),
            at: time::text(correction.at),
        }
    }
}
