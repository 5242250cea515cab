//! A recommendation with its subject, impact, explanation and plan.

use reeve_estate::{ConnectionId, Money, Provider, ResourceId, ResourceKind};
use reeve_recommend::guardrail::GuardrailName;
use reeve_recommend::models::{ModelId, ModelReference, ModelType, ModelUse};
use reeve_recommend::recommendation::{
    ConfidenceRange, Decision, Effort, ImpactAssessment, Subject,
};
use reeve_recommend::{
    AgentId, AgentType, ApprovalId, Cause, Closing, Exception, Explanation, FactorKind, Factors,
    Impact, Origin, Priority, Ranking, Recommendation, RecommendationId, RecommendationType,
    Status,
};
use serde::{Deserialize, Serialize};
use sqlx::Row as _;
use sqlx::any::AnyRow;

use super::plan::PlanRow;
use super::{RowError, decode, finite, named, time, time_or_none, unreadable};
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
    id: String,
    /// Empty for advice without an agent.
    agent_id: String,
    agent_type: String,
    kind: String,
    rule: String,
    /// Recommendations of earlier releases have none: they were given to any agent in scope.
    #[serde(default)]
    cause: Option<CauseRow>,
    title: String,
    subject: SubjectRow,
    priority: String,
    #[serde(serialize_with = "finite")]
    confidence: f64,
    impact_level: String,
    impact: ImpactRow,
    effort: String,
    savings_monthly: Option<i64>,
    savings_after_discounts: Option<i64>,
    monthly_cost: Option<i64>,
    status: String,
    plan: Option<PlanRow>,
    reason_codes: Vec<String>,
    not_measured: Vec<String>,
    explanation: ExplanationRow,
    #[serde(default)]
    ranking: RankingRow,
    created_at: String,
    updated_at: String,
    expires_at: String,
    #[serde(default)]
    requested_by: Option<String>,
    scheduled_for: Option<String>,
    snoozed_until: Option<String>,
    status_reason: Option<String>,
    blocked: Option<String>,
    #[serde(default)]
    exception: Option<ExceptionRow>,
    #[serde(default)]
    taken_back_by: Option<String>,
    /// Missing in rows of releases that told it by the words of `status_reason`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    closing: Option<String>,
    version: u64,
}

#[derive(Debug, Serialize, Deserialize)]
struct CauseRow {
    kind: String,
    id: Option<String>,
}

#[derive(Debug, Serialize, Deserialize)]
struct ExceptionRow {
    guardrail: String,
    #[serde(serialize_with = "finite")]
    value: f64,
    plan_hash: String,
    reason: String,
    approval: String,
    granted_by: Vec<String>,
    expires_at: String,
}

#[derive(Debug, Serialize, Deserialize)]
struct SubjectRow {
    connection: String,
    id: String,
    name: String,
    kind: String,
    provider: String,
    account: String,
    region: String,
    service: String,
    instance_type: Option<String>,
    target_type: Option<String>,
    /// Missing in rows of releases that kept it as a reason code alone.
    #[serde(default)]
    managed_by_code: Option<bool>,
}

#[derive(Debug, Serialize, Deserialize)]
struct ImpactRow {
    cost_percent: Option<f64>,
    cost: String,
    performance_degradation_percent: Option<f64>,
    performance: String,
    security: String,
}

#[derive(Debug, Serialize, Deserialize)]
struct ExplanationRow {
    action: String,
    factors: Vec<String>,
    /// Kinds of the factors, in the same order. Explanations of earlier releases have none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    factor_kinds: Vec<String>,
    /// Lower and upper end, percent. Explanations of earlier releases say it in their factors
    /// alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    confidence_range: Option<(f64, f64)>,
    data_points: u64,
    similar_cases: u64,
    success_rate: Option<f64>,
    /// Explanations of earlier releases tell the impact level instead.
    #[serde(default)]
    risk: Option<String>,
    cost_reduction: String,
    performance_impact: String,
    decision_path: Vec<DecisionRow>,
    /// Explanations of earlier releases name none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    models: Vec<ModelUseRow>,
}

/// Model that took part in a decision.
#[derive(Debug, Serialize, Deserialize)]
struct ModelUseRow {
    id: String,
    name: String,
    kind: String,
    version: u32,
    trained_at: String,
    statement: String,
}

/// Rank of a recommendation; those of earlier releases have none until their agent runs again.
#[derive(Debug, Default, Serialize, Deserialize)]
struct RankingRow {
    #[serde(serialize_with = "finite")]
    expected_value: f64,
    #[serde(serialize_with = "finite")]
    weight: f64,
    in_favour: u64,
    against: u64,
    words: String,
}

#[derive(Debug, Serialize, Deserialize)]
struct DecisionRow {
    check: String,
    answer: Option<bool>,
    detail: String,
}

impl From<&Recommendation> for RecommendationRow {
    fn from(from: &Recommendation) -> Self {
        RecommendationRow {
            id: from.id.0.clone(),
            agent_id: from
                .agent_id
                .as_ref()
                .map_or_else(String::new, |id| id.0.clone()),
            agent_type: from.origin.agent_type.as_str().to_owned(),
            kind: from.kind.as_str().to_owned(),
            rule: from.origin.rule.clone(),
            cause: Some(CauseRow::from(&from.origin.cause)),
            title: from.title.clone(),
            subject: SubjectRow::from(&from.subject),
            priority: from.priority.as_str().to_owned(),
            confidence: from.confidence,
            impact_level: from.impact_level.as_str().to_owned(),
            impact: ImpactRow::from(&from.impact),
            effort: from.effort.as_str().to_owned(),
            savings_monthly: from.savings_monthly.map(Money::micros),
            savings_after_discounts: from.savings_after_discounts.map(Money::micros),
            monthly_cost: from.monthly_cost.map(Money::micros),
            status: from.status.as_str().to_owned(),
            plan: from.plan.as_ref().map(PlanRow::from),
            reason_codes: from.reason_codes.clone(),
            not_measured: from.not_measured.clone(),
            explanation: ExplanationRow::from(&from.explanation),
            ranking: RankingRow::from(&from.ranking),
            created_at: from.created_at.to_string(),
            updated_at: from.updated_at.to_string(),
            expires_at: from.expires_at.to_string(),
            requested_by: from.requested_by.clone(),
            scheduled_for: from.scheduled_for.map(|at| at.to_string()),
            snoozed_until: from.snoozed_until.map(|at| at.to_string()),
            status_reason: from.status_reason.clone(),
            blocked: from.blocked.clone(),
            exception: from.exception.as_ref().map(ExceptionRow::from),
            taken_back_by: from.taken_back_by.clone(),
            closing: from.closing.map(|closing| closing.as_str().to_owned()),
            version: from.version,
        }
    }
}

impl RecommendationRow {
    pub(crate) fn into_recommendation(self) -> Result<Recommendation, RowError> {
        let impact_level = named("impact_level", &self.impact_level, Impact::parse)?;
        let held_by = named("agent_type", &self.agent_type, AgentType::parse)?;
        let origin = match self.cause {
            Some(cause) => Origin {
                agent_type: held_by,
                rule: self.rule,
                cause: cause.into_cause()?,
            },
            None => Origin::of_earlier_release(held_by, &self.rule, &self.reason_codes),
        };

        // An agent of another type has no say in it any more.
        let agent_id =
            Some(self.agent_id).filter(|id| !id.is_empty() && origin.agent_type == held_by);
        let closing = match &self.closing {
            Some(name) => Some(named("closing", name, Closing::parse)?),
            None => closing_of_earlier_release(self.status_reason.as_deref()),
        };
        Ok(Recommendation {
            id: RecommendationId(self.id),
            agent_id: agent_id.map(AgentId),
            kind: named("kind", &self.kind, RecommendationType::parse)?.relabeled(&origin.rule),
            origin,
            title: self.title,
            subject: self.subject.into_subject(&self.reason_codes)?,
            priority: named("priority", &self.priority, Priority::parse)?,
            confidence: self.confidence,
            impact_level,
            impact: self.impact.into_impact(),
            effort: named("effort", &self.effort, Effort::parse)?,
            savings_monthly: self
                .savings_monthly
                .filter(|micros| !unpriced(*micros, &self.not_measured))
                .map(Money::from_micros),
            savings_after_discounts: self.savings_after_discounts.map(Money::from_micros),
            monthly_cost: self.monthly_cost.map(Money::from_micros),
            status: named("status", &self.status, Status::parse)?,
            plan: self.plan.map(PlanRow::into_plan).transpose()?,
            reason_codes: self.reason_codes,
            not_measured: self.not_measured,
            explanation: self.explanation.into_explanation(impact_level)?,
            ranking: self.ranking.into_ranking(),
            created_at: time(&self.created_at)?,
            updated_at: time(&self.updated_at)?,
            expires_at: time(&self.expires_at)?,
            requested_by: self.requested_by,
            scheduled_for: time_or_none(self.scheduled_for.as_deref())?,
            snoozed_until: time_or_none(self.snoozed_until.as_deref())?,
            status_reason: self.status_reason,
            blocked: self.blocked,
            exception: self
                .exception
                .map(ExceptionRow::into_exception)
                .transpose()?,
            taken_back_by: self.taken_back_by,
            closing,
            version: self.version,
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

impl From<&Cause> for CauseRow {
    fn from(from: &Cause) -> Self {
        CauseRow {
            kind: from.kind().to_owned(),
            id: from.id().map(str::to_owned),
        }
    }
}

impl CauseRow {
    fn into_cause(self) -> Result<Cause, RowError> {
        named("cause", &self.kind, |kind| {
            Cause::parse(kind, self.id.as_deref())
        })
    }
}

impl From<&Exception> for ExceptionRow {
    fn from(from: &Exception) -> Self {
        ExceptionRow {
            guardrail: from.guardrail.as_str().to_owned(),
            value: from.value,
            plan_hash: from.plan_hash.clone(),
            reason: from.reason.clone(),
            approval: from.approval.0.clone(),
            granted_by: from.granted_by.clone(),
            expires_at: from.expires_at.to_string(),
        }
    }
}

impl ExceptionRow {
    fn into_exception(self) -> Result<Exception, RowError> {
        Ok(Exception {
            guardrail: named("guardrail", &self.guardrail, GuardrailName::parse)?,
            value: self.value,
            plan_hash: self.plan_hash,
            reason: self.reason,
            approval: ApprovalId(self.approval),
            granted_by: self.granted_by,
            expires_at: time(&self.expires_at)?,
        })
    }
}

impl From<&Ranking> for RankingRow {
    fn from(from: &Ranking) -> Self {
        let Ranking {
            expected_value,
            weight,
            in_favour,
            against,
            words,
        } = from.clone();
        RankingRow {
            expected_value,
            weight,
            in_favour,
            against,
            words,
        }
    }
}

impl RankingRow {
    fn into_ranking(self) -> Ranking {
        let RankingRow {
            expected_value,
            weight,
            in_favour,
            against,
            words,
        } = self;
        Ranking {
            expected_value,
            weight,
            in_favour,
            against,
            words,
        }
    }
}

impl From<&Subject> for SubjectRow {
    fn from(from: &Subject) -> Self {
        SubjectRow {
            connection: from.connection.0.clone(),
            id: from.id.0.clone(),
            name: from.name.clone(),
            kind: from.kind.as_str().to_owned(),
            provider: from.provider.as_str().to_owned(),
            account: from.account.clone(),
            region: from.region.clone(),
            service: from.service.clone(),
            instance_type: from.instance_type.clone(),
            target_type: from.target_type.clone(),
            managed_by_code: Some(from.managed_by_code),
        }
    }
}

impl SubjectRow {
    fn into_subject(self, reason_codes: &[String]) -> Result<Subject, RowError> {
        let by_code = || reason_codes.iter().any(|code| code == "iac_managed");
        Ok(Subject {
            connection: ConnectionId(self.connection),
            id: ResourceId(self.id),
            name: self.name,
            kind: named("kind", &self.kind, ResourceKind::named)?,
            provider: named("provider", &self.provider, Provider::parse)?,
            account: self.account,
            region: self.region,
            service: self.service,
            instance_type: self.instance_type,
            target_type: self.target_type,
            managed_by_code: self.managed_by_code.unwrap_or_else(by_code),
        })
    }
}

impl From<&ImpactAssessment> for ImpactRow {
    fn from(from: &ImpactAssessment) -> Self {
        ImpactRow {
            cost_percent: from.cost_percent,
            cost: from.cost.clone(),
            performance_degradation_percent: from.performance_degradation_percent,
            performance: from.performance.clone(),
            security: from.security.clone(),
        }
    }
}

impl ImpactRow {
    fn into_impact(self) -> ImpactAssessment {
        ImpactAssessment {
            cost_percent: self.cost_percent,
            cost: self.cost,
            performance_degradation_percent: self.performance_degradation_percent,
            performance: self.performance,
            security: self.security,
        }
    }
}

impl From<&Explanation> for ExplanationRow {
    fn from(from: &Explanation) -> Self {
        let decision = |decision: &Decision| DecisionRow {
            check: decision.check.clone(),
            answer: decision.answer,
            detail: decision.detail.clone(),
        };
        ExplanationRow {
            action: from.action.clone(),
            factors: from.factors.texts(),
            factor_kinds: from
                .factors
                .kinds()
                .map(|kind| kind.as_str().to_owned())
                .collect(),
            confidence_range: from
                .confidence_range
                .map(|range| (range.low_percent, range.high_percent)),
            data_points: from.data_points,
            similar_cases: from.similar_cases,
            success_rate: from.success_rate,
            risk: Some(from.risk.as_str().to_owned()),
            cost_reduction: from.cost_reduction.clone(),
            performance_impact: from.performance_impact.clone(),
            decision_path: from.decision_path.iter().map(decision).collect(),
            models: from.models.iter().map(ModelUseRow::from).collect(),
        }
    }
}

impl ExplanationRow {
    fn into_explanation(self, impact: Impact) -> Result<Explanation, RowError> {
        let decision = |row: DecisionRow| Decision {
            check: row.check,
            answer: row.answer,
            detail: row.detail,
        };

        let range = |(low_percent, high_percent)| ConfidenceRange {
            low_percent,
            high_percent,
        };

        let risk = self
            .risk
            .as_deref()
            .map(|risk| named("risk", risk, Impact::parse))
            .transpose()?
            .unwrap_or(impact);

        Ok(Explanation {
            action: self.action,
            factors: factors(self.factors, self.factor_kinds)?,
            confidence_range: self.confidence_range.map(range),
            data_points: self.data_points,
            similar_cases: self.similar_cases,
            success_rate: self.success_rate,
            risk,
            cost_reduction: self.cost_reduction,
            performance_impact: self.performance_impact,
            decision_path: self.decision_path.into_iter().map(decision).collect(),
            models: self
                .models
                .into_iter()
                .map(ModelUseRow::into_use)
                .collect::<Result<_, _>>()?,
        })
    }
}

/// Factors with their kinds; in their stored order where an earlier release stored no kinds.
fn factors(texts: Vec<String>, kinds: Vec<String>) -> Result<Factors, RowError> {
    let kinds = kinds
        .iter()
        .map(|kind| named("factor kind", kind, FactorKind::parse));
    let unsorted = std::iter::repeat_with(|| Ok(FactorKind::Unsorted));
    kinds
        .chain(unsorted)
        .zip(texts)
        .map(|(kind, text)| Ok((kind?, text)))
        .collect()
}

impl From<&ModelUse> for ModelUseRow {
    fn from(from: &ModelUse) -> Self {
        ModelUseRow {
            id: from.model.id.0.clone(),
            name: from.model.name.clone(),
            kind: from.model.kind.as_str().to_owned(),
            version: from.model.version,
            trained_at: from.model.trained_at.to_string(),
            statement: from.statement.clone(),
        }
    }
}

impl ModelUseRow {
    fn into_use(self) -> Result<ModelUse, RowError> {
        let model = ModelReference {
            id: ModelId(self.id),
            name: self.name,
            kind: named("kind", &self.kind, ModelType::parse)?,
            version: self.version,
            trained_at: time(&self.trained_at)?,
        };
        Ok(ModelUse {
            model,
            statement: self.statement,
        })
    }
}

/// Returns `true` for a saving of zero that older versions wrote where no price was known.
fn unpriced(micros: i64, not_measured: &[String]) -> bool {
    micros == 0 && not_measured.iter().any(|name| name == "price")
}
