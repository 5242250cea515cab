//! Predictive rules on the wire, as they are sent: in the nesting of the answers, or as a line of
//! requirements A-205 to A-207 (`"metric": "disk_space"`, `"prediction": "full, 7d in advance"`,
//! `"action": "expand_storage"`, `"approval": "auto below 500GB"`).

use reeve_audit::FieldCode;
use reeve_audit::Obstacle;
use reeve_estate::DataSize;
use reeve_predict::{PredictiveRule, RuleInput};
use serde::de::value::MapAccessDeserializer;
use serde::de::{MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use utoipa::ToSchema;

use crate::error::Problem;
use crate::wire::form::given;
use crate::wire::form::quantity::{DataSizeText, Spelled, either, percent_number};

/// A condition as given.
#[derive(Debug, Clone, Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ConditionInput {
    /// Metric that is watched; not with `event`.
    pub metric: Option<String>,
    /// Event that is predicted: `full`, `saturation`, ..., or with the time ahead, `full, 7d in
    /// advance`.
    pub prediction: Option<String>,
    /// The capacity, value or percentage; `null` takes it away.
    #[serde(default, deserialize_with = "given")]
    pub value: Option<Option<f64>>,
    /// Identifiers of the calendars that count.
    pub calendars: Option<Vec<String>>,
    /// Time ahead that the forecast covers, such as `7d`.
    pub horizon: Option<String>,
    /// Probability from which it counts as foreseen, percent; 50 unless given.
    #[serde(default, deserialize_with = "percent_number")]
    pub probability: Option<f64>,
}

/// An action as given: `"expand_storage"`, or an object.
#[derive(Debug, Clone, Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ResponseInput {
    pub kind: Option<String>,
    /// Growth of storage or a limit, percent; 25 unless given.
    #[serde(default, deserialize_with = "percent_number")]
    pub step_percent: Option<f64>,
    /// Call of the action at AWS: for `request_limit_increase` a quota of Service Quotas
    /// (`ec2/L-1216C47A`), for `warm_cache` a document of Systems Manager whose name begins with
    /// `reeve-`. `null` takes it away: the action is advice then.
    #[serde(default, deserialize_with = "given")]
    pub target: Option<Option<String>>,
}

/// An approval rule as given: `"auto"`, `"required"`, `"auto below 500GB"`, or an object.
#[derive(Debug, Clone, Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ApprovalRuleInput {
    /// `auto`, `required` (unless given), `auto_below` (where a size is given).
    pub kind: Option<String>,
    /// Size after the change below which nobody is asked.
    pub auto_below: Option<DataSizeText>,
    /// `auto_below` in gigabytes (10^9 bytes).
    pub below_gb: Option<f64>,
}

/// A scope as given.
#[derive(Debug, Clone, Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct RuleScopeInput {
    pub accounts: Option<Vec<String>>,
    pub services: Option<Vec<String>>,
}

/// A new rule, or a change of one: what is left out stays.
#[derive(Debug, Clone, Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct RulePut {
    /// Name, 1 to 100 characters; says the action and what is predicted unless given.
    pub name: Option<String>,
    /// On unless said otherwise.
    pub enabled: Option<bool>,
    /// Type of agent in whose name it recommends; the one that the action belongs to unless given.
    pub agent_type: Option<String>,
    /// `condition.metric`, such as `disk_space`.
    pub metric: Option<String>,
    /// `condition.prediction`, with its horizon: `full, 7d in advance`.
    pub prediction: Option<String>,
    /// The same as `condition.horizon`.
    pub horizon: Option<String>,
    /// Condition under which it recommends.
    #[serde(default)]
    pub condition: ConditionInput,
    /// Action that it recommends.
    #[serde(default, deserialize_with = "named_or_object")]
    pub action: ResponseInput,
    /// Approval that the action needs.
    #[serde(default, deserialize_with = "named_or_object")]
    pub approval: ApprovalRuleInput,
    /// Accounts and services that it covers.
    #[serde(default)]
    pub scope: RuleScopeInput,
    /// Resources that it covers, by identifier.
    pub resources: Option<Vec<String>>,
    /// Interval between evaluations, `1m` to `7d`; `1h` unless given.
    pub every: Option<String>,
    /// The version that was read; another is a conflict.
    pub version: Option<u64>,
}

/// An input that its name alone may stand for.
trait Named {
    fn named(text: &str) -> Result<Self, Obstacle>
    where
        Self: Sized;
}

impl Named for ResponseInput {
    fn named(text: &str) -> Result<Self, Obstacle> {
        Ok(ResponseInput {
            kind: Some(text.to_owned()),
            ..ResponseInput::default()
        })
    }
}

impl Named for ApprovalRuleInput {
    fn named(text: &str) -> Result<Self, Obstacle> {
        let words = text.replace(['_', ':'], " ");
        let Some(size) = words.trim().strip_prefix("auto below") else {
            return Ok(ApprovalRuleInput {
                kind: Some(text.to_owned()),
                ..ApprovalRuleInput::default()
            });
        };

        let size: DataSize = size
            .parse()
            .map_err(|error: reeve_estate::QuantityError| error.to_string())?;
        Ok(ApprovalRuleInput {
            auto_below: Some(Spelled(size)),
            ..ApprovalRuleInput::default()
        })
    }
}

/// Reads an object, or the text that stands for one. Errors keep the path of the field.
fn named_or_object<'de, T: Named + Deserialize<'de>, D: Deserializer<'de>>(
    from: D,
) -> Result<T, D::Error> {
    struct Either<T>(std::marker::PhantomData<T>);

    impl<'de, T: Named + Deserialize<'de>> Visitor<'de> for Either<T> {
        type Value = T;

        fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            f.write_str("a text or an object")
        }

        fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<T, E> {
            T::named(text).map_err(E::custom)
        }

        fn visit_map<A: MapAccess<'de>>(self, members: A) -> Result<T, A::Error> {
            T::deserialize(MapAccessDeserializer::new(members))
        }
    }

    from.deserialize_any(Either(std::marker::PhantomData))
}

/// Returns the field's value, which is given at most once.
fn once(
    field: &str,
    flat: Option<String>,
    nested: Option<String>,
) -> Result<Option<String>, Problem> {
    match (flat, nested) {
        (Some(_), Some(_)) => Err(Problem::field(
            field,
            FieldCode::Conflicting,
            format!("is given in condition.{field} too"),
        )),
        (flat, nested) => Ok(flat.or(nested)),
    }
}

impl RulePut {
    /// Returns the rule's input. `before` is the rule that it changes.
    ///
    /// # Errors
    /// 422 for a field that is given in two ways that differ.
    pub fn into_input(self, before: Option<&PredictiveRule>) -> Result<RuleInput, Problem> {
        let condition = self.condition;
        let prediction = once("prediction", self.prediction, condition.prediction)?;
        let (prediction, ahead) = match prediction.as_deref().and_then(|text| text.split_once(','))
        {
            Some((event, ahead)) => (Some(event.trim().to_owned()), Some(without_advance(ahead))),
            None => (prediction, None),
        };

        let horizon = once("horizon", self.horizon, condition.horizon)?;
        if horizon.is_some() && ahead.is_some() {
            return Err(Problem::field(
                "horizon",
                FieldCode::Conflicting,
                "is given in the prediction too",
            ));
        }

        let size_before = before.and_then(|rule| rule.approval.below_gb);
        let size = self
            .approval
            .auto_below
            .map(|Spelled(size)| size.gigabytes());
        let sized = size.is_some() || self.approval.below_gb.is_some();
        let below_gb = either(
            ("approval.auto_below", size),
            ("approval.below_gb", self.approval.below_gb),
            size_before,
        )?;
        let implied = || (size.is_some()).then(|| "auto_below".to_owned());

        Ok(RuleInput {
            name: self.name,
            enabled: self.enabled,
            agent_type: self.agent_type,
            metric: once("metric", self.metric, condition.metric)?,
            prediction,
            value: condition.value,
            calendars: condition.calendars,
            horizon: horizon.or(ahead),
            probability_percent: condition.probability,
            action: self.action.kind,
            step_percent: self.action.step_percent,
            target: self.action.target,
            approval: self.approval.kind.or_else(implied),
            below_gb: below_gb.filter(|_| sized),
            accounts: self.scope.accounts,
            services: self.scope.services,
            resources: self.resources,
            every: self.every,
        })
    }
}

/// Returns the time ahead of `7d in advance`.
fn without_advance(text: &str) -> String {
    let text = text.trim();
    text.strip_suffix("in advance")
        .unwrap_or(text)
        .trim()
        .to_owned()
}
