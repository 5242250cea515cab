//! Investigation of an anomaly on the wire.

use reeve_anomalies::{
    Contribution, Hypothesis, Investigation, InvestigationEvidence, Lookup, RelatedEntry,
    Remediation,
};
use serde::Serialize;
use utoipa::ToSchema;

use crate::time;
use crate::wire::dependency::ProbableCauseBody;
use crate::wire::form::enumeration::{HypothesisKind, HypothesisSupport};

/// Investigation of an anomaly.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct InvestigationBody {
    /// Time, RFC 3339 UTC with milliseconds.
    pub at: String,
    /// Sources that were read.
    pub looked_at: Vec<LookupBody>,
    /// Possible causes, the best supported first. Empty where nothing was found.
    pub hypotheses: Vec<HypothesisBody>,
    /// Probable cause on the dependency map; absent for spending and behavior.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub probable_cause: Option<ProbableCauseBody>,
}

/// One source that was read.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct LookupBody {
    /// `metrics`, `actions`, `inventory`, `audit_log`, `anomalies`, `charges`, `behavior`, `dependencies`.
    pub source: String,
    /// Part of the source: a metric, a resource, an account.
    pub subject: String,
    /// Start of the period.
    pub from: String,
    /// End of the period.
    pub to: String,
    /// Number of records found; absent if the source could not be read. Entries of the log that the
    /// caller may see are counted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub found: Option<u64>,
    /// Result, as a sentence.
    pub result: String,
}

/// A possible cause of an anomaly, with what speaks for and against it.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct HypothesisBody {
    pub kind: HypothesisKind,
    pub support: HypothesisSupport,
    /// Statement as a clause, without a full stop.
    pub statement: String,
    pub evidence: Vec<EvidenceBody>,
}

/// One piece of evidence.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct EvidenceBody {
    /// Text as a whole sentence.
    pub text: String,
    /// Record that it refers to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub link: Option<EvidenceLinkBody>,
}

/// Record that evidence refers to.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct EvidenceLinkBody {
    /// `action`, `resource`, `anomaly`, `metric`, `entry`.
    pub kind: String,
    pub id: String,
}

/// Part of unusual spending.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct ContributionBody {
    /// Identifier of the resource as the bill has it; empty where the charges name none.
    pub resource: String,
    /// Description of the product.
    pub description: String,
    /// Cost during the anomaly.
    pub observed: f64,
    /// Cost of as long a time before it.
    pub expected: f64,
    pub currency: String,
}

/// Recommended remedy of an anomaly.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct RemediationBody {
    /// One line for people.
    pub description: String,
    /// Recommendation that carries the change.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub recommendation_id: Option<String>,
    /// Change by Reeve that is to be rolled back.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub action_id: Option<String>,
    /// `true` if Reeve can carry it out.
    pub has_plan: bool,
    /// Reason why Reeve has no change, or none that it can carry out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

impl From<&Remediation> for RemediationBody {
    fn from(remediation: &Remediation) -> Self {
        RemediationBody {
            description: remediation.description.clone(),
            recommendation_id: remediation.recommendation.as_ref().map(|id| id.0.clone()),
            action_id: remediation.action.as_ref().map(|id| id.0.clone()),
            has_plan: remediation.has_plan,
            reason: remediation.by_hand.clone(),
        }
    }
}

impl InvestigationBody {
    /// An investigation as a reader sees it who may see some entries of the log.
    pub(crate) fn seen_by(
        investigation: &Investigation,
        may_see: impl Fn(&RelatedEntry) -> bool,
    ) -> Self {
        let cause = investigation.probable_cause.as_ref();
        InvestigationBody {
            at: time::text(investigation.at),
            looked_at: investigation.lookups.iter().map(LookupBody::from).collect(),
            hypotheses: investigation
                .hypotheses
                .iter()
                .map(HypothesisBody::from)
                .collect(),
            probable_cause: cause.map(|cause| ProbableCauseBody::seen_by(cause, may_see)),
        }
    }
}

impl From<&Lookup> for LookupBody {
    fn from(lookup: &Lookup) -> Self {
        LookupBody {
            source: lookup.source.as_str().to_owned(),
            subject: lookup.subject.clone(),
            from: time::text(lookup.from),
            to: time::text(lookup.to),
            found: lookup.found,
            result: lookup.result.clone(),
        }
    }
}

impl From<&Hypothesis> for HypothesisBody {
    fn from(hypothesis: &Hypothesis) -> Self {
        HypothesisBody {
            kind: hypothesis.kind.into(),
            support: hypothesis.support.into(),
            statement: hypothesis.statement.clone(),
            evidence: hypothesis.evidence.iter().map(EvidenceBody::from).collect(),
        }
    }
}

impl From<&InvestigationEvidence> for EvidenceBody {
    fn from(evidence: &InvestigationEvidence) -> Self {
        let link = |link: &reeve_anomalies::InvestigationLink| EvidenceLinkBody {
            kind: link.kind().to_owned(),
            id: link.id().to_owned(),
        };
        EvidenceBody {
            text: evidence.text.clone(),
            link: evidence.link.as_ref().map(link),
        }
    }
}

impl From<&Contribution> for ContributionBody {
    fn from(part: &Contribution) -> Self {
        ContributionBody {
            resource: part.resource.clone(),
            description: part.description.clone(),
            observed: part.observed,
            expected: part.expected,
            currency: part.currency.clone(),
        }
    }
}
