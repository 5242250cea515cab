//! Investigation of an anomaly, the parts of unusual spending, and the remedy.

use reeve_anomalies::{
    Contribution, Evidence, Hypothesis, HypothesisKind, Investigation, Link, Lookup, Remediation,
    Source, Support,
};
use reeve_estate::finite;
use reeve_recommend::{ActionId, RecommendationId};
use serde::{Deserialize, Serialize};

use crate::rows::{RowError, named, time};

#[derive(Debug, Serialize, Deserialize)]
pub(super) struct ContributionRow {
    resource: String,
    description: String,
    #[serde(serialize_with = "finite")]
    observed: f64,
    #[serde(serialize_with = "finite")]
    expected: f64,
    currency: String,
}

#[derive(Debug, Serialize, Deserialize)]
pub(super) struct InvestigationRow {
    at: String,
    lookups: Vec<LookupRow>,
    hypotheses: Vec<HypothesisRow>,
}

#[derive(Debug, Serialize, Deserialize)]
struct LookupRow {
    source: String,
    subject: String,
    from: String,
    to: String,
    found: Option<u64>,
    result: String,
}

#[derive(Debug, Serialize, Deserialize)]
struct HypothesisRow {
    kind: String,
    support: String,
    statement: String,
    evidence: Vec<EvidenceRow>,
}

#[derive(Debug, Serialize, Deserialize)]
struct EvidenceRow {
    text: String,
    /// Kind and identifier of the record.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    link: Option<(String, String)>,
}

#[derive(Debug, Serialize, Deserialize)]
pub(super) struct RemediationRow {
    description: String,
    recommendation: Option<String>,
    action: Option<String>,
    has_plan: bool,
    by_hand: Option<String>,
}

impl From<&Remediation> for RemediationRow {
    fn from(remediation: &Remediation) -> Self {
        RemediationRow {
            description: remediation.description.clone(),
            recommendation: remediation.recommendation.as_ref().map(|id| id.0.clone()),
            action: remediation.action.as_ref().map(|id| id.0.clone()),
            has_plan: remediation.has_plan,
            by_hand: remediation.by_hand.clone(),
        }
    }
}

impl RemediationRow {
    pub(super) fn into_remediation(self) -> Remediation {
        Remediation {
            description: self.description,
            recommendation: self.recommendation.map(RecommendationId),
            action: self.action.map(ActionId),
            has_plan: self.has_plan,
            by_hand: self.by_hand,
        }
    }
}

impl From<&Contribution> for ContributionRow {
    fn from(part: &Contribution) -> Self {
        ContributionRow {
            resource: part.resource.clone(),
            description: part.description.clone(),
            observed: part.observed,
            expected: part.expected,
            currency: part.currency.clone(),
        }
    }
}

impl ContributionRow {
    pub(super) fn into_contribution(self) -> Contribution {
        let ContributionRow {
            resource,
            description,
            observed,
            expected,
            currency,
        } = self;
        Contribution {
            resource,
            description,
            observed,
            expected,
            currency,
        }
    }
}

impl From<&Investigation> for InvestigationRow {
    fn from(investigation: &Investigation) -> Self {
        let lookup = |lookup: &Lookup| LookupRow {
            source: lookup.source.as_str().to_owned(),
            subject: lookup.subject.clone(),
            from: lookup.from.to_string(),
            to: lookup.to.to_string(),
            found: lookup.found,
            result: lookup.result.clone(),
        };
        InvestigationRow {
            at: investigation.at.to_string(),
            lookups: investigation.lookups.iter().map(lookup).collect(),
            hypotheses: investigation
                .hypotheses
                .iter()
                .map(HypothesisRow::from)
                .collect(),
        }
    }
}

impl InvestigationRow {
    pub(super) fn into_investigation(self) -> Result<Investigation, RowError> {
        Ok(Investigation {
            at: time(&self.at)?,
            lookups: self
                .lookups
                .into_iter()
                .map(LookupRow::into_lookup)
                .collect::<Result<_, _>>()?,
            hypotheses: self
                .hypotheses
                .into_iter()
                .map(HypothesisRow::into_hypothesis)
                .collect::<Result<_, _>>()?,
        })
    }
}

impl LookupRow {
    fn into_lookup(self) -> Result<Lookup, RowError> {
        Ok(Lookup {
            source: named("source", &self.source, Source::parse)?,
            subject: self.subject,
            from: time(&self.from)?,
            to: time(&self.to)?,
            found: self.found,
            result: self.result,
        })
    }
}

impl From<&Hypothesis> for HypothesisRow {
    fn from(hypothesis: &Hypothesis) -> Self {
        let evidence = |evidence: &Evidence| EvidenceRow {
            text: evidence.text.clone(),
            link: evidence
                .link
                .as_ref()
                .map(|link| (link.kind().to_owned(), link.id().to_owned())),
        };
        HypothesisRow {
            kind: hypothesis.kind.as_str().to_owned(),
            support: hypothesis.support.as_str().to_owned(),
            statement: hypothesis.statement.clone(),
            evidence: hypothesis.evidence.iter().map(evidence).collect(),
        }
    }
}

impl HypothesisRow {
    fn into_hypothesis(self) -> Result<Hypothesis, RowError> {
        Ok(Hypothesis {
            kind: named("kind", &self.kind, HypothesisKind::parse)?,
            support: named("support", &self.support, Support::parse)?,
            statement: self.statement,
            evidence: self
                .evidence
                .into_iter()
                .map(EvidenceRow::into_evidence)
                .collect::<Result<_, _>>()?,
        })
    }
}

impl EvidenceRow {
    fn into_evidence(self) -> Result<Evidence, RowError> {
        let link = self
            .link
            .map(|(kind, id)| named("link", &kind, |kind| Link::parse(kind, &id)))
            .transpose()?;
        Ok(Evidence {
            text: self.text,
            link,
        })
    }
}
