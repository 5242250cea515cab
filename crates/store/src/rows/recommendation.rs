//! A recommendation, whose form has changed several times: earlier releases stored less, and told
//! some of it by words.

use jiff::Timestamp;
use reeve_estate::{Money, finite};
use reeve_recommend::agent::{AgentId, AgentType, Impact};
use reeve_recommend::guardrail::exception::Exception;
use reeve_recommend::models::ModelUse;
use reeve_recommend::plan::Plan;
use reeve_recommend::recommendation::lifecycle::Status;
use reeve_recommend::recommendation::origin::{Origin, OriginCause};
use reeve_recommend::recommendation::ranking::Ranking;
use reeve_recommend::recommendation::{
    Closing, ConfidenceRange, Effort, ExpectedEffect, Explanation, FactorKind, Factors,
    ImpactAssessment, Priority, Recommendation, RecommendationDecision, RecommendationId,
    RecommendationSubject, RecommendationType,
};
use serde::{Deserialize, Serialize};
use sqlx::Row as _;
use sqlx::any::AnyRow;

use super::{RowError, decode, named, unreadable};
use crate::fault::Fault;

/// A recommendation out of its id and document.
pub(crate) fn recommendation(row: &AnyRow) -> Result<Recommendation, Fault> {
    let id: String = row.try_get(0)?;
    decode::<RecommendationRow>(row.try_get(1)?)
        .and_then(RecommendationRow::into_recommendation)
        .map_err(unreadable("recommendation", &id))
}

/// A recommendation, whole. Money in millionths of a dollar.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct RecommendationRow {
    id: RecommendationId,
    /// Empty for advice without an agent.
    agent_id: String,
    agent_type: AgentType,
    kind: RecommendationType,
    rule: String,
    /// Recommendations of earlier releases have none: they were given to any agent in scope.
    #[serde(default)]
    cause: Option<CauseRow>,
    title: String,
    subject: RecommendationSubject,
    priority: Priority,
    #[serde(serialize_with = "finite")]
    confidence: f64,
    impact_level: Impact,
    impact: ImpactAssessment,
    effort: Effort,
    savings_monthly: Option<Money>,
    savings_after_discounts: Option<Money>,
    monthly_cost: Option<Money>,
    status: Status,
    plan: Option<Plan>,
    reason_codes: Vec<String>,
    not_measured: Vec<String>,
    explanation: ExplanationRow,
    /// Recommendations of earlier releases have none until their agent runs again.
    #[serde(default)]
    ranking: Ranking,
    created_at: Timestamp,
    updated_at: Timestamp,
    expires_at: Timestamp,
    #[serde(default)]
    requested_by: Option<String>,
    scheduled_for: Option<Timestamp>,
    snoozed_until: Option<Timestamp>,
    status_reason: Option<String>,
    blocked: Option<String>,
    #[serde(default)]
    exception: Option<Exception>,
    #[serde(default)]
    taken_back_by: Option<String>,
    /// Missing in rows of releases that told it by the words of `status_reason`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    closing: Option<Closing>,
    version: u64,
}

#[derive(Debug, Serialize, Deserialize)]
struct CauseRow {
    kind: String,
    id: Option<String>,
}

#[derive(Debug, Serialize, Deserialize)]
struct ExplanationRow {
    action: String,
    factors: Vec<String>,
    /// Kinds of the factors, in the same order. Explanations of earlier releases have none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    factor_kinds: Vec<FactorKind>,
    /// Lower and upper end, percent. Explanations of earlier releases say it in their factors
    /// alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    confidence_range: Option<(f64, f64)>,
    data_points: u64,
    similar_cases: u64,
    success_rate: Option<f64>,
    /// Explanations of earlier releases tell the impact level instead.
    #[serde(default)]
    risk: Option<Impact>,
    cost_reduction: String,
    performance_impact: String,
    decision_path: Vec<RecommendationDecision>,
    /// Explanations of earlier releases name none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    models: Vec<ModelUse>,
    /// Explanations of earlier releases have none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    effect: Option<ExpectedEffect>,
}

impl From<&Recommendation> for RecommendationRow {
    fn from(from: &Recommendation) -> Self {
        let Recommendation {
            id,
            agent_id,
            origin,
            kind,
            title,
            subject,
            priority,
            confidence,
            impact_level,
            impact,
            effort,
            savings_monthly,
            savings_after_discounts,
            monthly_cost,
            status,
            plan,
            reason_codes,
            not_measured,
            explanation,
            ranking,
            created_at,
            updated_at,
            expires_at,
            requested_by,
            scheduled_for,
            snoozed_until,
            status_reason,
            blocked,
            closing,
            exception,
            taken_back_by,
            version,
        } = from.clone();

        RecommendationRow {
            id,
            agent_id: agent_id.map_or_else(String::new, |id| id.0),
            agent_type: origin.agent_type,
            kind,
            rule: origin.rule,
            cause: Some(CauseRow::from(&origin.cause)),
            title,
            subject,
            priority,
            confidence,
            impact_level,
            impact,
            effort,
            savings_monthly,
            savings_after_discounts,
            monthly_cost,
            status,
            plan,
            reason_codes,
            not_measured,
            explanation: ExplanationRow::from(explanation),
            ranking,
            created_at,
            updated_at,
            expires_at,
            requested_by,
            scheduled_for,
            snoozed_until,
            status_reason,
            blocked,
            exception,
            taken_back_by,
            closing,
            version,
        }
    }
}

impl RecommendationRow {
    pub(crate) fn into_recommendation(self) -> Result<Recommendation, RowError> {
        let RecommendationRow {
            id,
            agent_id,
            agent_type: held_by,
            kind,
            rule,
            cause,
            title,
            mut subject,
            priority,
            confidence,
            impact_level,
            impact,
            effort,
            savings_monthly,
            savings_after_discounts,
            monthly_cost,
            status,
            plan,
            reason_codes,
            not_measured,
            explanation,
            ranking,
            created_at,
            updated_at,
            expires_at,
            requested_by,
            scheduled_for,
            snoozed_until,
            status_reason,
            blocked,
            exception,
            taken_back_by,
            closing,
            version,
        } = self;
        let origin = match cause {
            Some(cause) => Origin {
                agent_type: held_by,
                rule,
                cause: cause.into_cause()?,
            },
            None => Origin::of_earlier_release(held_by, &rule, &reason_codes),
        };

        // An agent of another type has no say in it any more.
        let agent_id = Some(agent_id).filter(|id| !id.is_empty() && origin.agent_type == held_by);
        // Earlier releases kept it as a reason code alone.
        subject.managed_by_code |= reason_codes.iter().any(|code| code == "iac_managed");

        Ok(Recommendation {
            id,
            agent_id: agent_id.map(AgentId),
            kind: kind.relabeled(&origin.rule),
            origin,
            title,
            subject,
            priority,
            confidence,
            impact_level,
            impact,
            effort,
            savings_monthly: savings_monthly.filter(|saved| !is_unpriced(*saved, &not_measured)),
            savings_after_discounts,
            monthly_cost,
            status,
            plan,
            reason_codes,
            not_measured,
            explanation: explanation.into_explanation(impact_level),
            ranking,
            created_at,
            updated_at,
            expires_at,
            requested_by,
            scheduled_for,
            snoozed_until,
            closing: closing.or_else(|| closing_of_earlier_release(status_reason.as_deref())),
            status_reason,
            blocked,
            exception,
            taken_back_by,
            version,
        })
    }
}

/// Cause that ended a recommendation of a release that told it by its words.
fn closing_of_earlier_release(reason: Option<&str>) -> Option<Closing> {
    match reason? {
        reason if reason.starts_with("excluded: ") => Some(Closing::Excluded),
        "the resource no longer exists, or is outside of the agent's scope" => {
            Some(Closing::ResourceGone)
        }
        _ => None,
    }
}

impl From<&OriginCause> for CauseRow {
    fn from(from: &OriginCause) -> Self {
        CauseRow {
            kind: from.kind().to_owned(),
            id: from.id().map(str::to_owned),
        }
    }
}

impl CauseRow {
    fn into_cause(self) -> Result<OriginCause, RowError> {
        named("cause", &self.kind, |kind| {
            OriginCause::parse(kind, self.id.as_deref())
        })
    }
}

impl From<Explanation> for ExplanationRow {
    fn from(from: Explanation) -> Self {
        ExplanationRow {
            action: from.action,
            factors: from.factors.texts(),
            factor_kinds: from.factors.kinds().collect(),
            confidence_range: from
                .confidence_range
                .map(|range| (range.low_percent, range.high_percent)),
            data_points: from.data_points,
            similar_cases: from.similar_cases,
            success_rate: from.success_rate,
            risk: Some(from.risk),
            cost_reduction: from.cost_reduction,
            performance_impact: from.performance_impact,
            decision_path: from.decision_path,
            models: from.models,
            effect: from.effect,
        }
    }
}

impl ExplanationRow {
    fn into_explanation(self, impact: Impact) -> Explanation {
        let range = |(low_percent, high_percent)| ConfidenceRange {
            low_percent,
            high_percent,
        };

        Explanation {
            action: self.action,
            factors: factors(self.factors, self.factor_kinds),
            confidence_range: self.confidence_range.map(range),
            data_points: self.data_points,
            similar_cases: self.similar_cases,
            success_rate: self.success_rate,
            risk: self.risk.unwrap_or(impact),
            cost_reduction: self.cost_reduction,
            performance_impact: self.performance_impact,
            decision_path: self.decision_path,
            models: self.models,
            effect: self.effect,
        }
    }
}

/// Factors with their kinds; in their stored order where an earlier release stored no kinds.
fn factors(texts: Vec<String>, kinds: Vec<FactorKind>) -> Factors {
    let unsorted = std::iter::repeat(FactorKind::Unsorted);
    kinds.into_iter().chain(unsorted).zip(texts).collect()
}

/// Returns `true` for a saving of zero that older versions wrote where no price was known.
fn is_unpriced(saving: Money, not_measured: &[String]) -> bool {
    saving == Money::ZERO && not_measured.iter().any(|name| name == "price")
}
