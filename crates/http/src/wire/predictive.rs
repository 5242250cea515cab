//! Predictive rules, predictions and calendars on the wire.

use reeve_predict::calendar::{Calendar, Occurrence};
use reeve_predict::{CalendarInput, Prediction, Rule, RuleInput, as_text};
use serde::{Deserialize, Deserializer, Serialize};
use utoipa::{IntoParams, ToSchema};

use crate::time;

/// When a rule fires.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct ConditionBody {
    /// `disk_space`, `database_connections`, `api_rate_limit`, `request_rate`, `cpu_utilization`, `memory_utilization`,
    /// `network_in`, `network_out`, `disk_read_ops`, `disk_write_ops`, `cpu_credit_balance`; absent with `event`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub metric: Option<String>,
    /// `full`, `saturation`, `exhaustion`, `above`, `below`, `spike`, `event`.
    pub prediction: String,
    /// The capacity (absent: the resource's own), the value, or for `spike` the percentage above the usual.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value: Option<f64>,
    /// Calendars; empty is all of the fitting kind.
    pub calendars: Vec<String>,
    /// How far ahead it counts, such as `7d`, `2h`, `15m`; `0m` asks the newest value alone.
    pub horizon: String,
    /// Probability from which it counts as foreseen, percent.
    pub probability: f64,
}

/// What is to be done.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct RuleActionBody {
    /// `expand_storage`, `create_read_replica`, `request_limit_increase`, `scale_up`, `pre_scale`, `warm_cache`,
    /// `prepare_failover`.
    pub kind: String,
    /// By how much storage or a limit grows, percent.
    pub step_percent: f64,
}

/// Under which approval.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct ApprovalRuleBody {
    /// `auto`, `required`, `auto_below`.
    pub kind: String,
    /// With `auto_below`: the size after the change, GB.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub below_gb: Option<f64>,
}

/// What a rule covers.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct RuleScopeBody {
    /// Accounts; empty is all.
    pub accounts: Vec<String>,
    /// Services; empty is all.
    pub services: Vec<String>,
}

/// A predictive rule.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct RuleBody {
    /// Identifier.
    pub id: String,
    /// Name.
    pub name: String,
    /// Whether it is evaluated.
    pub enabled: bool,
    /// The type of agent in whose name it recommends.
    pub agent_type: String,
    /// When it fires.
    pub condition: ConditionBody,
    /// What is to be done then.
    pub action: RuleActionBody,
    /// Under which approval. The approval matrix still asks by cost.
    pub approval: ApprovalRuleBody,
    /// What it covers.
    pub scope: RuleScopeBody,
    /// Resources it covers; empty is all in scope.
    pub resources: Vec<String>,
    /// How often it is evaluated.
    pub every: String,
    /// When it was evaluated last.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub evaluated_at: Option<String>,
    /// What came of that.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_result: Option<String>,
    /// Who made it.
    pub created_by: String,
    /// When.
    pub created_at: String,
    /// When it last changed.
    pub updated_at: String,
    /// Grows by one with every change.
    pub version: u64,
}

impl From<&Rule> for RuleBody {
    fn from(rule: &Rule) -> Self {
        let condition = &rule.condition;
        RuleBody {
            id: rule.id.0.clone(),
            name: rule.name.clone(),
            enabled: rule.enabled,
            agent_type: rule.agent_type.as_str().to_owned(),
            condition: ConditionBody {
                metric: condition.signal.map(|signal| signal.as_str().to_owned()),
                prediction: condition.foreseen.as_str().to_owned(),
                value: condition.value,
                calendars: condition.calendars.iter().map(|id| id.0.clone()).collect(),
                horizon: as_text(condition.horizon_s),
                probability: condition.probability_percent,
            },
            action: RuleActionBody {
                kind: rule.response.kind.as_str().to_owned(),
                step_percent: rule.response.step_percent,
            },
            approval: ApprovalRuleBody {
                kind: rule.approval.kind.as_str().to_owned(),
                below_gb: rule.approval.below_gb,
            },
            scope: RuleScopeBody { accounts: rule.scope.accounts.clone(), services: rule.scope.services.clone() },
            resources: rule.resources.clone(),
            every: as_text(rule.every_s),
            evaluated_at: rule.evaluated_at.map(time::text),
            last_result: rule.last_result.clone(),
            created_by: rule.created_by.clone(),
            created_at: time::text(rule.created_at),
            updated_at: time::text(rule.updated_at),
            version: rule.version,
        }
    }
}

/// A condition as given.
#[derive(Debug, Clone, Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ConditionInput {
    /// What is watched; not with `event`.
    pub metric: Option<String>,
    /// What is foreseen of it.
    pub prediction: Option<String>,
    /// The capacity, value or percentage; `null` takes it away.
    #[serde(default, deserialize_with = "given")]
    pub value: Option<Option<f64>>,
    /// Calendars by identifier.
    pub calendars: Option<Vec<String>>,
    /// How far ahead, such as `7d`.
    pub horizon: Option<String>,
    /// Probability from which it counts as foreseen, percent; 50 unless given.
    pub probability: Option<f64>,
}

/// An action as given.
#[derive(Debug, Clone, Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ResponseInput {
    /// What is to be done.
    pub kind: Option<String>,
    /// By how much, percent; 25 unless given.
    pub step_percent: Option<f64>,
}

/// An approval rule as given.
#[derive(Debug, Clone, Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ApprovalRuleInput {
    /// `auto`, `required` (unless given), `auto_below`.
    pub kind: Option<String>,
    /// With `auto_below`.
    pub below_gb: Option<f64>,
}

/// A scope as given.
#[derive(Debug, Clone, Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct RuleScopeInput {
    /// Accounts.
    pub accounts: Option<Vec<String>>,
    /// Services.
    pub services: Option<Vec<String>>,
}

/// A new rule, or a change of one: what is left out stays.
#[derive(Debug, Clone, Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct RulePut {
    /// Name, 1 to 100 characters.
    pub name: Option<String>,
    /// On unless said otherwise.
    pub enabled: Option<bool>,
    /// The type of agent in whose name it recommends.
    pub agent_type: Option<String>,
    /// When it fires.
    #[serde(default)]
    pub condition: ConditionInput,
    /// What is to be done then.
    #[serde(default)]
    pub action: ResponseInput,
    /// Under which approval.
    #[serde(default)]
    pub approval: ApprovalRuleInput,
    /// What it covers.
    #[serde(default)]
    pub scope: RuleScopeInput,
    /// Resources it covers, by identifier.
    pub resources: Option<Vec<String>>,
    /// How often it is evaluated, `1m` to `7d`; `1h` unless given.
    pub every: Option<String>,
    /// The version that was read; another is a conflict.
    pub version: Option<u64>,
}

impl From<RulePut> for RuleInput {
    fn from(body: RulePut) -> Self {
        RuleInput {
            name: body.name,
            enabled: body.enabled,
            agent_type: body.agent_type,
            metric: body.condition.metric,
            prediction: body.condition.prediction,
            value: body.condition.value,
            calendars: body.condition.calendars,
            horizon: body.condition.horizon,
            probability_percent: body.condition.probability,
            action: body.action.kind,
            step_percent: body.action.step_percent,
            approval: body.approval.kind,
            below_gb: body.approval.below_gb,
            accounts: body.scope.accounts,
            services: body.scope.services,
            resources: body.resources,
            every: body.every,
        }
    }
}

/// A field that is given is known to be, `null` included.
fn given<'de, T: Deserialize<'de>, D: Deserializer<'de>>(reader: D) -> Result<Option<T>, D::Error> {
    T::deserialize(reader).map(Some)
}

/// One step of a forecast.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct ForecastStepBody {
    /// When.
    pub at: String,
    /// One value in twenty lies below.
    pub p05: f64,
    /// The median.
    pub p50: f64,
    /// One value in twenty lies above.
    pub p95: f64,
}

/// A forecast that a rule decided on.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct PredictionBody {
    /// Identifier.
    pub id: String,
    /// The rule.
    pub rule_id: String,
    /// Its version then.
    pub rule_version: u64,
    /// When it was made.
    pub at: String,
    /// The resource's connection.
    pub connection_id: String,
    /// The resource.
    pub resource_id: String,
    /// Its name.
    pub resource_name: String,
    /// What was watched.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub metric: Option<String>,
    /// What was asked.
    pub prediction: String,
    /// `foreseen`, `not_foreseen`, `abstained`.
    pub outcome: String,
    /// Probability within the horizon, percent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub probability: Option<f64>,
    /// When it comes with one chance in two.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expected_at: Option<String>,
    /// Before this with one chance in twenty.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub earliest_at: Option<String>,
    /// Before this with nineteen chances in twenty.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub latest_at: Option<String>,
    /// When it is over: the event's end, or when a peak falls below its level again.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub over_at: Option<String>,
    /// How high a peak goes until then, with nineteen chances in twenty.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub peak: Option<f64>,
    /// The newest value.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value: Option<f64>,
    /// What it was held against.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<f64>,
    /// Where that comes from.
    pub limit_source: String,
    /// First sample looked at.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub observed_from: Option<String>,
    /// Last sample looked at.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub observed_until: Option<String>,
    /// Samples looked at.
    pub data_points: u64,
    /// The forecast.
    pub forecast: Vec<ForecastStepBody>,
    /// The event it is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub event: Option<String>,
    /// Why.
    pub reasons: Vec<String>,
    /// The recommendation it led to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub recommendation_id: Option<String>,
    /// Why what was foreseen led to none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub not_recommended: Option<String>,
}

impl From<&Prediction> for PredictionBody {
    fn from(of: &Prediction) -> Self {
        PredictionBody {
            id: of.id.0.clone(),
            rule_id: of.rule.0.clone(),
            rule_version: of.rule_version,
            at: time::text(of.at),
            connection_id: of.connection.0.clone(),
            resource_id: of.resource.0.clone(),
            resource_name: of.resource_name.clone(),
            metric: of.signal.map(|signal| signal.as_str().to_owned()),
            prediction: of.foreseen.as_str().to_owned(),
            outcome: of.outcome.as_str().to_owned(),
            probability: of.probability_percent,
            expected_at: of.expected_at.map(time::text),
            earliest_at: of.earliest_at.map(time::text),
            latest_at: of.latest_at.map(time::text),
            over_at: of.over_at.map(time::text),
            peak: of.peak,
            value: of.value,
            limit: of.limit,
            limit_source: of.limit_source.clone(),
            observed_from: of.observed_from.map(time::text),
            observed_until: of.observed_until.map(time::text),
            data_points: of.points,
            forecast: of
                .forecast
                .iter()
                .map(|step| ForecastStepBody { at: time::text(step.at), p05: step.p05, p50: step.p50, p95: step.p95 })
                .collect(),
            event: of.event.clone(),
            reasons: of.reasons.clone(),
            recommendation_id: of.recommendation.as_ref().map(|id| id.0.clone()),
            not_recommended: of.not_recommended.clone(),
        }
    }
}

/// Which predictions.
#[derive(Debug, Clone, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub struct PredictionParams {
    /// Of this rule.
    pub rule: Option<String>,
    /// Of this resource.
    pub resource: Option<String>,
    /// `foreseen`, `not_foreseen`, `abstained`.
    pub outcome: Option<String>,
    /// At most this many (1 to 1000).
    pub limit: Option<u32>,
    /// After skipping this many.
    pub offset: Option<u64>,
    /// `next_cursor` of the page before.
    pub cursor: Option<String>,
}

/// A calendar, without its text.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct CalendarBody {
    /// Identifier.
    pub id: String,
    /// Name.
    pub name: String,
    /// `traffic` or `maintenance`.
    pub kind: String,
    /// Zone of times without one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub time_zone: Option<String>,
    /// Events in it.
    pub events: u64,
    /// SHA-256 of its text.
    pub sha256: String,
    /// Who made it.
    pub created_by: String,
    /// When.
    pub created_at: String,
    /// When it last changed.
    pub updated_at: String,
    /// Grows by one with every change.
    pub version: u64,
}

impl From<&Calendar> for CalendarBody {
    fn from(of: &Calendar) -> Self {
        CalendarBody {
            id: of.id.0.clone(),
            name: of.name.clone(),
            kind: of.kind.as_str().to_owned(),
            time_zone: of.time_zone.clone(),
            // What is kept was read when it was imported.
            events: of.events().unwrap_or(0) as u64,
            sha256: of.digest(),
            created_by: of.created_by.clone(),
            created_at: time::text(of.created_at),
            updated_at: time::text(of.updated_at),
            version: of.version,
        }
    }
}

/// A new calendar, or a change of one: what is left out stays.
#[derive(Debug, Clone, Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct CalendarPut {
    /// Name, 1 to 100 characters.
    pub name: Option<String>,
    /// `traffic` or `maintenance`.
    pub kind: Option<String>,
    /// Zone (IANA) of times that name none; `null` takes it away.
    #[serde(default, deserialize_with = "given")]
    pub time_zone: Option<Option<String>>,
    /// The iCalendar text (RFC 5545), at most 1 MiB.
    pub icalendar: Option<String>,
    /// The version that was read; another is a conflict.
    pub version: Option<u64>,
}

impl From<CalendarPut> for CalendarInput {
    fn from(body: CalendarPut) -> Self {
        CalendarInput { name: body.name, kind: body.kind, time_zone: body.time_zone, text: body.icalendar }
    }
}

/// An event at one time.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct OccurrenceBody {
    /// The event's summary.
    pub summary: String,
    /// When it begins.
    pub start: String,
    /// When it ends.
    pub end: String,
    /// The zone it is written in (IANA); absent where that zone has no name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub time_zone: Option<String>,
    /// It has a date and no time: it begins at midnight of its zone.
    pub whole_day: bool,
}

impl From<&Occurrence> for OccurrenceBody {
    fn from(of: &Occurrence) -> Self {
        OccurrenceBody {
            summary: of.label.clone(),
            start: time::text(of.start),
            end: time::text(of.end),
            time_zone: of.zone.clone(),
            whole_day: of.whole_day,
        }
    }
}

/// Which events.
#[derive(Debug, Clone, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub struct OccurrenceParams {
    /// That end after this; now unless given.
    pub from: Option<String>,
    /// That begin before this; 31 days after `from` unless given, 366 days at most.
    pub until: Option<String>,
    /// At most this many (1 to 1000).
    pub limit: Option<u32>,
    /// After skipping this many.
    pub offset: Option<u64>,
    /// `next_cursor` of the page before.
    pub cursor: Option<String>,
}
