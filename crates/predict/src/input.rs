//! A rule as people give it: every wrong field is named, all of them at once.

use jiff::Timestamp;
use reeve_audit::{FieldCode, FieldError};
use reeve_estate::TimeSpan;
use reeve_recommend::agent::{AgentScope, AgentType};
use reeve_recommend::predictive::{
    ApprovalKind, ApprovalRule, Foreseen, PredictiveCondition, PredictiveRule, ProviderCall,
    Response, ResponseKind, Signal,
};
use reeve_recommend::recommendation::origin::RuleId;

use super::calendar::CalendarId;

/// Entries of a list at most.
const MOST: usize = 200;
/// Largest lead time of a rule, in seconds: 90 days.
const FURTHEST_S: i64 = 90 * 86_400;

/// A rule as given; what is left out keeps its value, or takes the default in a new rule.
#[derive(Debug, Clone, Default)]
pub struct RuleInput {
    /// Name, 1 to 100 characters.
    pub name: Option<String>,
    /// `true` if the rule is evaluated.
    pub enabled: Option<bool>,
    pub agent_type: Option<String>,
    /// Metric that the rule watches.
    pub metric: Option<String>,
    /// Prediction to make of the metric.
    pub prediction: Option<String>,
    /// Capacity, value or percentage; `Some(None)` takes it away.
    pub value: Option<Option<f64>>,
    pub calendars: Option<Vec<String>>,
    /// Horizon of the forecast, as in `7d`.
    pub horizon: Option<String>,
    pub probability_percent: Option<f64>,
    /// Action of the recommendation.
    pub action: Option<String>,
    /// By how much, percent.
    pub step_percent: Option<f64>,
    /// Call of the response at the provider; `Some(None)` takes it away.
    pub target: Option<Option<String>>,
    pub approval: Option<String>,
    /// Size limit of `auto_below`, in GB.
    pub below_gb: Option<f64>,
    pub accounts: Option<Vec<String>>,
    pub services: Option<Vec<String>>,
    pub resources: Option<Vec<String>>,
    /// Interval of evaluation, as in `1h`.
    pub every: Option<String>,
}

/// Errors of the fields read so far.
#[derive(Default)]
struct Errors(Vec<FieldError>);

/// All values of an enumeration, and the function that parses one.
type Names<'a, T> = (&'a [T], fn(&str) -> Option<T>);

impl Errors {
    fn say(&mut self, field: &str, code: FieldCode, message: impl Into<String>) {
        self.0.push(FieldError::new(field, code, message));
    }

    fn check(&mut self, field: &str, holds: bool, message: &str) {
        if !holds {
            self.say(field, FieldCode::InvalidValue, message);
        }
    }

    /// A name of a closed set; what was there before when it is not given.
    fn named<T: Copy + PartialEq + std::fmt::Display>(
        &mut self,
        field: &str,
        given: Option<&str>,
        (all, parse): Names<'_, T>,
        before: Option<T>,
    ) -> Option<T> {
        let Some(text) = given else {
            if before.is_none() {
                self.say(field, FieldCode::MissingField, "is needed");
            }
            return before;
        };

        let found = parse(text).filter(|found| all.contains(found));
        if found.is_none() {
            let known: Vec<String> = all.iter().map(ToString::to_string).collect();
            self.say(
                field,
                FieldCode::InvalidValue,
                format!("must be one of {}", known.join(", ")),
            );
        }

        found
    }

    fn list(
        &mut self,
        field: &str,
        given: Option<Vec<String>>,
        before: Vec<String>,
    ) -> Vec<String> {
        let Some(given) = given else { return before };
        self.check(field, given.len() <= MOST, "must have at most 200 entries");

        for (index, text) in given.iter().take(MOST).enumerate() {
            let fits = !text.trim().is_empty() && text.chars().count() <= 256;
            self.check(
                &format!("{field}[{index}]"),
                fits,
                "must have 1 to 256 characters",
            );
        }

        given
            .into_iter()
            .map(|text| text.trim().to_owned())
            .collect()
    }

    fn duration(
        &mut self,
        field: &str,
        given: Option<&str>,
        before: Option<i64>,
        (least, most): (i64, i64),
    ) -> i64 {
        let Some(text) = given else {
            if before.is_none() {
                self.say(
                    field,
                    FieldCode::MissingField,
                    "is needed, such as 15m, 2h or 7d",
                );
            }
            return before.unwrap_or(0);
        };

        let span: Option<i64> = text
            .parse()
            .ok()
            .and_then(|span: TimeSpan| i64::try_from(span.seconds()).ok());
        match span.filter(|seconds| (least..=most).contains(seconds)) {
            Some(seconds) => seconds,
            None => {
                let range = format!("from {} to {}", super::as_text(least), super::as_text(most));
                self.say(
                    field,
                    FieldCode::InvalidValue,
                    format!("must be a number of m, h or d {range}, such as 15m"),
                );
                0
            }
        }
    }
}

impl RuleInput {
    /// A new rule, or `before` with what is given changed.
    ///
    /// # Errors
    /// Every failing field.
    pub(super) fn rule(
        self,
        before: Option<&PredictiveRule>,
        known: &[AgentType],
        id: RuleId,
        by: &str,
        now: Timestamp,
    ) -> Result<PredictiveRule, Vec<FieldError>> {
        let mut errors = Errors::default();
        let condition = self.condition(before, &mut errors);
        let response = self.response(before, &mut errors);
        let given = self.name.as_deref().map(str::trim).map(str::to_owned);
        let usual = || Some(usual_name(condition.as_ref()?, response.as_ref()?));
        let name = given
            .or_else(|| before.map(|rule| rule.name.clone()))
            .or_else(usual);
        let fits = name
            .as_ref()
            .is_none_or(|name| (1..=100).contains(&name.chars().count()));
        errors.check("name", fits, "must have 1 to 100 characters");

        // Without an action there is no usual agent type; the action's own error says so.
        let named = self.agent_type.is_some() || before.is_some();
        let agent_type = match &response {
            Some(response) if !named => Some(response.kind.agent_type()),
            None if !named => None,
            _ => errors.named(
                "agent_type",
                self.agent_type.as_deref(),
                (known, AgentType::parse),
                before.map(|rule| rule.agent_type),
            ),
        };

        let approval = self.approval(before, response.as_ref(), &mut errors);
        if let (Some(condition), Some(response)) = (&condition, &response) {
            fits_together(condition, response, &mut errors);
        }

        let (scope, resources) = before
            .map(|rule| (rule.scope.clone(), rule.resources.clone()))
            .unwrap_or_default();
        let scope = AgentScope {
            accounts: errors.list("scope.accounts", self.accounts, scope.accounts),
            services: errors.list("scope.services", self.services, scope.services),
        };
        let resources = errors.list("resources", self.resources, resources);
        let every = Some(before.map_or(3_600, |rule| rule.every_s));
        let every_s = errors.duration("every", self.every.as_deref(), every, (60, 7 * 86_400));

        match (name, agent_type, condition, response, approval) {
            (Some(name), Some(agent_type), Some(condition), Some(response), Some(approval))
                if errors.0.is_empty() =>
            {
                Ok(PredictiveRule {
                    id,
                    name,
                    enabled: self
                        .enabled
                        .unwrap_or_else(|| before.is_none_or(|rule| rule.enabled)),
                    agent_type,
                    condition,
                    response,
                    approval,
                    scope,
                    resources,
                    every_s,
                    evaluated_at: before.and_then(|rule| rule.evaluated_at),
                    last_result: before.and_then(|rule| rule.last_result.clone()),
                    created_by: before
                        .map_or_else(|| by.to_owned(), |rule| rule.created_by.clone()),
                    created_at: before.map_or(now, |rule| rule.created_at),
                    updated_at: now,
                    version: before.map_or(1, |rule| rule.version + 1),
                })
            }
            _ => Err(errors.0),
        }
    }

    fn condition(
        &self,
        before: Option<&PredictiveRule>,
        errors: &mut Errors,
    ) -> Option<PredictiveCondition> {
        let before = before.map(|rule| &rule.condition);
        let asked = before.map(|condition| condition.foreseen);
        let kinds: Names<'_, Foreseen> = (Foreseen::ALL, Foreseen::parse);
        let foreseen = errors.named(
            "condition.prediction",
            self.prediction.as_deref(),
            kinds,
            asked,
        )?;

        let signal = if foreseen == Foreseen::Event {
            errors.check(
                "condition.metric",
                self.metric.is_none(),
                "is not used by a prediction of events",
            );
            None
        } else {
            let watched = before.and_then(|condition| condition.signal);
            let known: Names<'_, Signal> = (Signal::ALL, Signal::parse);
            Some(errors.named("condition.metric", self.metric.as_deref(), known, watched)?)
        };

        let value = self
            .value
            .unwrap_or_else(|| before.and_then(|condition| condition.value));
        checked_value(foreseen, value, errors);
        let least = if matches!(foreseen, Foreseen::Above | Foreseen::Below) {
            0
        } else {
            60
        };

        let horizon = before.map(|condition| condition.horizon_s);
        let horizon_s = errors.duration(
            "condition.horizon",
            self.horizon.as_deref(),
            horizon,
            (least, FURTHEST_S),
        );

        let usual = before.map_or(50.0, |condition| condition.probability_percent);
        let probability_percent = self.probability_percent.unwrap_or(usual);
        let likely = (1.0..=99.0).contains(&probability_percent);
        errors.check(
            "condition.probability",
            likely,
            "must be a percentage from 1 to 99",
        );

        let known: Vec<String> = before
            .map(|c| c.calendars.iter().map(|id| id.0.clone()).collect())
            .unwrap_or_default();
        let calendars = errors.list("condition.calendars", self.calendars.clone(), known);
        let calendars = calendars.into_iter().map(CalendarId).collect();

        Some(PredictiveCondition {
            signal,
            foreseen,
            value,
            calendars,
            horizon_s,
            probability_percent,
        })
    }

    fn response(&self, before: Option<&PredictiveRule>, errors: &mut Errors) -> Option<Response> {
        let before = before.map(|rule| &rule.response);
        let known: Names<'_, ResponseKind> = (ResponseKind::ALL, ResponseKind::parse);
        let kind = errors.named(
            "action.kind",
            self.action.as_deref(),
            known,
            before.map(|response| response.kind),
        );

        let step_percent = self
            .step_percent
            .unwrap_or_else(|| before.map_or(25.0, |response| response.step_percent));
        let step = (1.0..=400.0).contains(&step_percent);
        errors.check(
            "action.step_percent",
            step,
            "must be a percentage from 1 to 400",
        );

        let kind = kind?;
        // A call belongs to its kind: another kind does not keep it.
        let kept = before
            .filter(|before| before.kind == kind)
            .and_then(|before| before.call.clone());
        let call = match self.target.as_ref().map(Option::as_deref) {
            None => kept,
            Some(None | Some("")) => None,
            Some(Some(text)) => match ProviderCall::parse(kind, text.trim()) {
                Ok(call) => Some(call),
                Err(message) => {
                    errors.check("action.target", false, message);
                    None
                }
            },
        };

        Some(Response {
            kind,
            step_percent,
            call,
        })
    }

    fn approval(
        &self,
        before: Option<&PredictiveRule>,
        response: Option<&Response>,
        errors: &mut Errors,
    ) -> Option<ApprovalRule> {
        let before = before.map(|rule| rule.approval);
        let usual = before.map_or(ApprovalKind::Required, |approval| approval.kind);
        let known: Names<'_, ApprovalKind> = (ApprovalKind::ALL, ApprovalKind::parse);
        let kind = errors.named(
            "approval.kind",
            self.approval.as_deref(),
            known,
            Some(usual),
        )?;

        if kind != ApprovalKind::AutoBelow {
            errors.check(
                "approval.auto_below",
                self.below_gb.is_none(),
                "goes with auto_below alone",
            );
            return Some(ApprovalRule {
                kind,
                below_gb: None,
            });
        }

        let below_gb = self
            .below_gb
            .or_else(|| before.and_then(|approval| approval.below_gb));
        match below_gb {
            None => errors.say(
                "approval.auto_below",
                FieldCode::MissingField,
                "is needed with the kind auto_below, such as 500GB",
            ),
            Some(gb) => errors.check(
                "approval.auto_below",
                (1.0..=1e6).contains(&gb),
                "must be from 1GB to 1PB",
            ),
        }

        let stores = response.is_none_or(|response| response.kind == ResponseKind::ExpandStorage);
        errors.check(
            "approval.kind",
            stores,
            "auto_below goes with the action expand_storage alone",
        );
        Some(ApprovalRule { kind, below_gb })
    }
}

/// Returns the name of a rule that is given none: `expand_storage on full of disk_space`.
fn usual_name(condition: &PredictiveCondition, response: &Response) -> String {
    match condition.signal {
        Some(signal) => format!("{} on {} of {signal}", response.kind, condition.foreseen),
        None => format!("{} on {}", response.kind, condition.foreseen),
    }
}

fn checked_value(foreseen: Foreseen, value: Option<f64>, errors: &mut Errors) {
    let field = "condition.value";
    match (foreseen, value) {
        (Foreseen::Above | Foreseen::Below | Foreseen::Spike, None) => {
            errors.say(field, FieldCode::MissingField, "is needed")
        }
        (Foreseen::Spike, Some(percent)) => {
            errors.check(
                field,
                (5.0..=10_000.0).contains(&percent),
                "must be a percentage from 5 to 10000",
            );
        }
        (Foreseen::Event, Some(_)) => errors.say(
            field,
            FieldCode::InvalidValue,
            "is not used by a prediction of events",
        ),
        (_, Some(value)) => {
            let sane = value.is_finite() && (0.0..=1e18).contains(&value);
            errors.check(field, sane, "must be from 0 to 10^18");
        }
        (Foreseen::Full | Foreseen::Saturation | Foreseen::Exhaustion | Foreseen::Event, None) => {}
    }
}

fn fits_together(condition: &PredictiveCondition, response: &Response, errors: &mut Errors) {
    let disk = condition.signal == Some(Signal::DiskSpace);
    let storage = response.kind != ResponseKind::ExpandStorage || disk;
    errors.check(
        "action.kind",
        storage,
        "expand_storage goes with the metric disk_space",
    );
    let fills = !disk || condition.foreseen.fills();
    errors.check(
        "condition.prediction",
        fills,
        "must be full for the metric disk_space",
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    const KNOWN: [AgentType; 3] = [
        AgentType::OPS_INTELLIGENCE,
        AgentType::DB_OPTIMIZER,
        AgentType::PERFORMANCE_OPTIMIZER,
    ];

    fn whole() -> RuleInput {
        let text = |text: &str| Some(text.to_owned());
        RuleInput {
            name: text("disk"),
            agent_type: text("ops_intelligence"),
            metric: text("disk_space"),
            prediction: text("full"),
            horizon: text("7d"),
            action: text("expand_storage"),
            approval: text("auto_below"),
            below_gb: Some(500.0),
            ..RuleInput::default()
        }
    }

    fn made(input: RuleInput) -> Result<PredictiveRule, Vec<String>> {
        let fields = |errors: Vec<FieldError>| errors.into_iter().map(|error| error.path).collect();
        input
            .rule(
                None,
                &KNOWN,
                RuleId("r".into()),
                "ann@example.com",
                Timestamp::UNIX_EPOCH,
            )
            .map_err(fields)
    }

    #[test]
    fn the_specifications_first_rule_can_be_written() {
        let rule = made(whole()).unwrap();
        assert_eq!(
            (rule.condition.horizon_s, rule.every_s, rule.enabled),
            (604_800, 3_600, true)
        );
        assert_eq!(
            rule.approval,
            ApprovalRule {
                kind: ApprovalKind::AutoBelow,
                below_gb: Some(500.0)
            }
        );
    }

    #[test]
    fn every_wrong_field_is_named() {
        let text = |text: &str| Some(text.to_owned());
        let check = |change: fn(&mut RuleInput), field: &str| {
            let mut input = whole();
            change(&mut input);
            assert_eq!(made(input).unwrap_err(), [field], "{field}");
        };
        check(|i| i.name = Some(" ".into()), "name");

        check(|i| i.agent_type = Some("chef".into()), "agent_type");
        check(|i| i.metric = Some("mood".into()), "condition.metric");
        check(|i| i.horizon = Some("soon".into()), "condition.horizon");
        check(|i| i.horizon = Some("0m".into()), "condition.horizon");
        check(|i| i.horizon = Some("91d".into()), "condition.horizon");
        check(|i| i.value = Some(Some(f64::NAN)), "condition.value");
        check(
            |i| i.probability_percent = Some(100.0),
            "condition.probability",
        );
        check(|i| i.step_percent = Some(0.0), "action.step_percent");
        check(|i| i.below_gb = None, "approval.auto_below");
        check(|i| i.below_gb = Some(-1.0), "approval.auto_below");
        check(|i| i.every = Some("30d".into()), "every");
        check(|i| i.resources = Some(vec![String::new()]), "resources[0]");

        let above = RuleInput {
            prediction: text("above"),
            ..whole()
        };
        assert_eq!(
            made(above).unwrap_err(),
            ["condition.value", "condition.prediction"]
        );

        let nothing = made(RuleInput::default()).unwrap_err();
        assert_eq!(nothing, ["condition.prediction", "action.kind"]);

        let calls = RuleInput {
            metric: text("request_rate"),
            ..whole()
        };
        assert_eq!(
            made(calls).unwrap_err(),
            ["action.kind"],
            "only disks are expanded"
        );

        let event = RuleInput {
            prediction: text("event"),
            ..whole()
        };
        assert_eq!(
            made(event).unwrap_err(),
            ["condition.metric", "action.kind"]
        );
    }

    #[test]
    fn a_rule_without_name_and_agent_type_gets_the_usual_ones() {
        let rule = made(RuleInput {
            name: None,
            agent_type: None,
            ..whole()
        })
        .unwrap();
        assert_eq!(
            (rule.agent_type, rule.name.as_str()),
            (
                AgentType::OPS_INTELLIGENCE,
                "expand_storage on full of disk_space"
            )
        );
    }

    #[test]
    fn a_change_keeps_what_it_does_not_name() {
        let before = made(whole()).unwrap();
        let change = RuleInput {
            enabled: Some(false),
            horizon: Some("3d".to_owned()),
            ..RuleInput::default()
        };

        let after = change
            .rule(
                Some(&before),
                &KNOWN,
                before.id.clone(),
                "bob",
                Timestamp::UNIX_EPOCH,
            )
            .unwrap();

        assert_eq!(
            (after.enabled, after.condition.horizon_s, after.version),
            (false, 259_200, 2)
        );
        assert_eq!(
            (after.created_by.as_str(), &after.approval),
            ("ann@example.com", &before.approval)
        );
    }
}
