//! Diagnoses on the wire.

use reeve_recommend::diagnosis::Diagnosis;
use serde::Serialize;
use utoipa::ToSchema;

use crate::error::BlockBody;
use crate::wire::form::enumeration::DiagnosisCondition;

/// A condition, such as `low_confidence`, and its causes.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct DiagnosisBody {
    pub condition: DiagnosisCondition,
    /// `true` if it is there; null when too little is known.
    pub present: Option<bool>,
    /// Its causes, always in the same order.
    pub causes: Vec<CauseBody>,
}

/// A possible cause, whether it applies, and the way out.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct CauseBody {
    /// Stable name of the cause.
    pub name: String,
    /// `true` if it applies; null when that is not known.
    pub applies: Option<bool>,
    /// The facts, with their numbers.
    pub evidence: String,
    /// Advice on the next step.
    pub way_out: String,
    /// The guardrail that blocks, where one does.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub block: Option<BlockBody>,
}

impl From<&Diagnosis> for DiagnosisBody {
    fn from(from: &Diagnosis) -> Self {
        let cause = |cause: &reeve_recommend::diagnosis::DiagnosisCause| CauseBody {
            name: cause.name.to_owned(),
            applies: cause.applies,
            evidence: cause.evidence.clone(),
            way_out: cause.way_out.to_owned(),
            block: cause
                .block
                .as_ref()
                .map(|block| BlockBody::new(block.guardrail.as_str(), &block.message)),
        };
        DiagnosisBody {
            condition: from.condition.into(),
            present: from.present,
            causes: from.causes.iter().map(cause).collect(),
        }
    }
}
