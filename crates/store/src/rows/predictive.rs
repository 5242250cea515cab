//! Predictive rules, predictions and calendars as documents.

use reeve_estate::{ConnectionId, Metric, ResourceId, finite};
use reeve_predict::calendar::{Calendar, CalendarId, CalendarKind, Refresh, Subscription};
use reeve_predict::{
    ApprovalKind, ApprovalRule, Expected, Foreseen, Outcome, Prediction, PredictionId,
    PredictiveCondition, PredictiveReason, PredictiveRule, ProviderCall, Response, ResponseKind,
    RuleId, Signal,
};
use reeve_recommend::agent::{AgentScope, AgentType};
use reeve_recommend::recommendation::RecommendationId;
use serde::{Deserialize, Serialize};

use super::{RowError, named, time, time_or_none};

/// A rule, without what its evaluations left.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct RuleRow {
    id: String,
    name: String,
    enabled: bool,
    agent_type: String,
    metric: Option<String>,
    prediction: String,
    value: Option<f64>,
    calendars: Vec<String>,
    horizon_s: i64,
    #[serde(serialize_with = "finite")]
    probability_percent: f64,
    action: String,
    #[serde(serialize_with = "finite")]
    step_percent: f64,
    /// Call at the provider; absent in rules of earlier releases.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    target: Option<String>,
    approval: String,
    below_gb: Option<f64>,
    accounts: Vec<String>,
    services: Vec<String>,
    resources: Vec<String>,
    every_s: i64,
    created_by: String,
    created_at: String,
    updated_at: String,
    version: u64,
}

impl From<&PredictiveRule> for RuleRow {
    fn from(rule: &PredictiveRule) -> Self {
        let condition = &rule.condition;
        RuleRow {
            id: rule.id.0.clone(),
            name: rule.name.clone(),
            enabled: rule.enabled,
            agent_type: rule.agent_type.as_str().to_owned(),
            metric: condition.signal.map(|signal| signal.as_str().to_owned()),
            prediction: condition.foreseen.as_str().to_owned(),
            value: condition.value,
            calendars: condition.calendars.iter().map(|id| id.0.clone()).collect(),
            horizon_s: condition.horizon_s,
            probability_percent: condition.probability_percent,
            action: rule.response.kind.as_str().to_owned(),
            step_percent: rule.response.step_percent,
            target: rule.response.call.as_ref().map(ToString::to_string),
            approval: rule.approval.kind.as_str().to_owned(),
            below_gb: rule.approval.below_gb,
            accounts: rule.scope.accounts.clone(),
            services: rule.scope.services.clone(),
            resources: rule.resources.clone(),
            every_s: rule.every_s,
            created_by: rule.created_by.clone(),
            created_at: rule.created_at.to_string(),
            updated_at: rule.updated_at.to_string(),
            version: rule.version,
        }
    }
}

impl RuleRow {
    pub(crate) fn into_rule(self) -> Result<PredictiveRule, RowError> {
        let signal = self
            .metric
            .as_deref()
            .map(|text| named("metric", text, Signal::parse))
            .transpose()?;
        let action = named("action", &self.action, ResponseKind::parse)?;
        let call = self
            .target
            .map(|text| {
                named("target", &text, |text| {
                    ProviderCall::parse(action, text).ok()
                })
            })
            .transpose()?;
        Ok(PredictiveRule {
            id: RuleId(self.id),
            name: self.name,
            enabled: self.enabled,
            agent_type: named("agent_type", &self.agent_type, AgentType::parse)?,
            condition: PredictiveCondition {
                signal,
                foreseen: named("prediction", &self.prediction, Foreseen::parse)?,
                value: self.value,
                calendars: self.calendars.into_iter().map(CalendarId).collect(),
                horizon_s: self.horizon_s,
                probability_percent: self.probability_percent,
            },
            response: Response {
                kind: action,
                step_percent: self.step_percent,
                call,
            },
            approval: ApprovalRule {
                kind: named("approval", &self.approval, ApprovalKind::parse)?,
                below_gb: self.below_gb,
            },
            scope: AgentScope {
                accounts: self.accounts,
                services: self.services,
            },
            resources: self.resources,
            every_s: self.every_s,
            evaluated_at: None,
            last_result: None,
            created_by: self.created_by,
            created_at: time(&self.created_at)?,
            updated_at: time(&self.updated_at)?,
            version: self.version,
        })
    }
}

#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct PredictionRow {
    id: String,
    rule: String,
    rule_version: u64,
    at: String,
    connection: String,
    resource: String,
    resource_name: String,
    metric: Option<String>,
    /// Metric of the samples; absent in predictions of earlier releases.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    samples: Option<String>,
    prediction: String,
    outcome: String,
    probability_percent: Option<f64>,
    expected_at: Option<String>,
    earliest_at: Option<String>,
    latest_at: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    over_at: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    peak: Option<f64>,
    value: Option<f64>,
    limit: Option<f64>,
    limit_source: String,
    observed_from: Option<String>,
    observed_until: Option<String>,
    points: u64,
    /// Time, 5 %, median, 95 %.
    forecast: Vec<(String, f64, f64, f64)>,
    event: Option<String>,
    /// In words, as earlier releases wrote them alone.
    reasons: Vec<String>,
    /// The same with their numbers.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    reasons_typed: Vec<ReasonRow>,
    recommendation: Option<String>,
    not_recommended: Option<String>,
}

impl From<&Prediction> for PredictionRow {
    fn from(prediction: &Prediction) -> Self {
        let text = |at: Option<jiff::Timestamp>| at.map(|at| at.to_string());
        PredictionRow {
            id: prediction.id.0.clone(),
            rule: prediction.rule.0.clone(),
            rule_version: prediction.rule_version,
            at: prediction.at.to_string(),
            connection: prediction.connection.0.clone(),
            resource: prediction.resource.0.clone(),
            resource_name: prediction.resource_name.clone(),
            metric: prediction.signal.map(|signal| signal.as_str().to_owned()),
            samples: prediction.samples.map(|metric| metric.as_str().to_owned()),
            prediction: prediction.foreseen.as_str().to_owned(),
            outcome: prediction.outcome.as_str().to_owned(),
            probability_percent: prediction.probability_percent,
            expected_at: text(prediction.expected_at),
            earliest_at: text(prediction.earliest_at),
            latest_at: text(prediction.latest_at),
            over_at: text(prediction.over_at),
            peak: prediction.peak,
            value: prediction.value,
            limit: prediction.limit,
            limit_source: prediction.limit_source.clone(),
            observed_from: text(prediction.observed_from),
            observed_until: text(prediction.observed_until),
            points: prediction.points,
            forecast: prediction
                .forecast
                .iter()
                .map(|step| (step.at.to_string(), step.p05, step.p50, step.p95))
                .collect(),
            event: prediction.event.clone(),
            reasons: prediction.reasons.iter().map(ToString::to_string).collect(),
            reasons_typed: prediction.reasons.iter().map(ReasonRow::from).collect(),
            recommendation: prediction.recommendation.as_ref().map(|id| id.0.clone()),
            not_recommended: prediction.not_recommended.clone(),
        }
    }
}

impl PredictionRow {
    pub(crate) fn into_prediction(self) -> Result<Prediction, RowError> {
        let signal = self
            .metric
            .as_deref()
            .map(|text| named("metric", text, Signal::parse))
            .transpose()?;

        let step = |(at, p05, p50, p95): (String, f64, f64, f64)| {
            Ok(Expected {
                at: time(&at)?,
                p05,
                p50,
                p95,
            })
        };

        let reasons = if self.reasons_typed.is_empty() {
            self.reasons
                .into_iter()
                .map(PredictiveReason::Other)
                .collect()
        } else {
            self.reasons_typed
                .into_iter()
                .map(PredictiveReason::from)
                .collect()
        };

        Ok(Prediction {
            id: PredictionId(self.id),
            rule: RuleId(self.rule),
            rule_version: self.rule_version,
            at: time(&self.at)?,
            connection: ConnectionId(self.connection),
            resource: ResourceId(self.resource),
            resource_name: self.resource_name,
            signal,
            samples: self
                .samples
                .as_deref()
                .map(|text| named("samples", text, Metric::parse))
                .transpose()?,
            foreseen: named("prediction", &self.prediction, Foreseen::parse)?,
            outcome: named("outcome", &self.outcome, Outcome::parse)?,
            probability_percent: self.probability_percent,
            expected_at: time_or_none(self.expected_at.as_deref())?,
            earliest_at: time_or_none(self.earliest_at.as_deref())?,
            latest_at: time_or_none(self.latest_at.as_deref())?,
            over_at: time_or_none(self.over_at.as_deref())?,
            peak: self.peak,
            value: self.value,
            limit: self.limit,
            limit_source: self.limit_source,
            observed_from: time_or_none(self.observed_from.as_deref())?,
            observed_until: time_or_none(self.observed_until.as_deref())?,
            points: self.points,
            forecast: self
                .forecast
                .into_iter()
                .map(step)
                .collect::<Result<_, RowError>>()?,
            event: self.event,
            reasons,
            recommendation: self.recommendation.map(RecommendationId),
            not_recommended: self.not_recommended,
        })
    }
}

/// A reason of a prediction.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum ReasonRow {
    Now(f64),
    Grows(f64),
    Still,
    StaysBelow { limit: f64, most: f64 },
    Full,
    Released(u64),
    RisenAlready(f64),
    Other(String),
}

impl From<&PredictiveReason> for ReasonRow {
    fn from(reason: &PredictiveReason) -> Self {
        match reason {
            PredictiveReason::Now { value } => ReasonRow::Now(*value),
            PredictiveReason::Grows { per_day } => ReasonRow::Grows(*per_day),
            PredictiveReason::Still => ReasonRow::Still,
            PredictiveReason::StaysBelow { limit, most } => ReasonRow::StaysBelow {
                limit: *limit,
                most: *most,
            },
            PredictiveReason::Full => ReasonRow::Full,
            PredictiveReason::Released { times } => ReasonRow::Released(*times),
            PredictiveReason::RisenAlready { value } => ReasonRow::RisenAlready(*value),
            PredictiveReason::Other(words) => ReasonRow::Other(words.clone()),
        }
    }
}

impl From<ReasonRow> for PredictiveReason {
    fn from(row: ReasonRow) -> Self {
        match row {
            ReasonRow::Now(value) => PredictiveReason::Now { value },
            ReasonRow::Grows(per_day) => PredictiveReason::Grows { per_day },
            ReasonRow::Still => PredictiveReason::Still,
            ReasonRow::StaysBelow { limit, most } => PredictiveReason::StaysBelow { limit, most },
            ReasonRow::Full => PredictiveReason::Full,
            ReasonRow::Released(times) => PredictiveReason::Released { times },
            ReasonRow::RisenAlready(value) => PredictiveReason::RisenAlready { value },
            ReasonRow::Other(words) => PredictiveReason::Other(words),
        }
    }
}

#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct CalendarRow {
    id: String,
    name: String,
    kind: String,
    time_zone: Option<String>,
    text: String,
    /// Address of a subscription as releases before migration 37 kept it. Now it is sealed in a
    /// column of its own.
    #[serde(default, skip_serializing)]
    url: Option<String>,
    created_by: String,
    created_at: String,
    updated_at: String,
    version: u64,
}

impl From<&Calendar> for CalendarRow {
    fn from(calendar: &Calendar) -> Self {
        CalendarRow {
            id: calendar.id.0.clone(),
            name: calendar.name.clone(),
            kind: calendar.kind.as_str().to_owned(),
            time_zone: calendar.time_zone.clone(),
            text: calendar.text.clone(),
            url: None,
            created_by: calendar.created_by.clone(),
            created_at: calendar.created_at.to_string(),
            updated_at: calendar.updated_at.to_string(),
            version: calendar.version,
        }
    }
}

impl CalendarRow {
    /// Takes the address that is not sealed yet out of a row of an earlier release.
    pub(crate) fn take_url(&mut self) -> Option<String> {
        self.url.take()
    }

    /// Returns the calendar, with a subscription if there is an address.
    pub(crate) fn into_calendar(self, url: Option<String>) -> Result<Calendar, RowError> {
        Ok(Calendar {
            id: CalendarId(self.id),
            name: self.name,
            kind: named("kind", &self.kind, CalendarKind::parse)?,
            time_zone: self.time_zone,
            text: self.text,
            subscription: url.or(self.url).map(|url| Subscription {
                url,
                refresh: Refresh::default(),
            }),
            created_by: self.created_by,
            created_at: time(&self.created_at)?,
            updated_at: time(&self.updated_at)?,
            version: self.version,
        })
    }
}
