//! An agent's configuration as given by a person, and the checks that turn it into one.

use std::collections::BTreeMap;

use jiff::Timestamp;
use reeve_audit::{FieldCode, FieldError};
use reeve_estate::{Percent, TimeSpan};
use reeve_recommend::agent::contract::AgentTypes;
use reeve_recommend::agent::settings::AgentSetting;
use reeve_recommend::agent::{
    AgentScope, AgentType, AutoApply, Impact, Mode, Notifications, Timing,
};
use reeve_schedule::{Schedule, ScheduleError};

/// A configuration as given; what is `None` keeps its value, or the default for a new agent.
#[derive(Debug, Clone, Default)]
pub struct AgentInput {
    /// `cost_optimizer`, ...; needed for a new agent, fixed afterwards.
    pub agent_type: Option<String>,
    /// Display name; needed for a new agent.
    pub name: Option<String>,
    /// `learning`, `safe_mode` or `active`.
    pub mode: Option<String>,
    /// Account identifiers or connection names; empty is all.
    pub accounts: Option<Vec<String>>,
    /// Service names; empty is all.
    pub services: Option<Vec<String>>,
    /// Learning period in days, such as `14d`.
    pub learning_period: Option<String>,
    /// Percent, as `85%` or `85`.
    pub confidence_threshold: Option<String>,
    /// May act by itself.
    pub auto_apply_enabled: Option<bool>,
    /// `low`, `medium`, `high`; `medium_impact` and its like mean the same.
    pub auto_apply_max_impact: Option<String>,
    /// `low`, `medium`, `high`: the impact from which a person has to approve.
    pub auto_apply_approval_required: Option<String>,
    /// `immediate`, `daily_digest`, `weekly_digest`, `never`.
    pub notify_recommendations: Option<String>,
    /// The same names as `notify_recommendations`.
    pub notify_actions_taken: Option<String>,
    /// The same names as `notify_recommendations`.
    pub notify_anomalies: Option<String>,
    /// A cron pattern of five fields; empty is Reeve's own interval.
    pub schedule: Option<String>,
    /// The schedule's time zone; UTC unless given.
    pub schedule_time_zone: Option<String>,
    /// Settings of the agent type by path; `None` takes one back to its default.
    pub settings: BTreeMap<String, Option<String>>,
    /// Reason, for the log. It permits the active mode before the learning period has ended.
    pub reason: Option<String>,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Settings {
    pub(crate) name: String,
    pub(crate) mode: Mode,
    pub(crate) scope: AgentScope,
    pub(crate) learning_period_days: u32,
    pub(crate) confidence_threshold: f64,
    pub(crate) auto_apply: AutoApply,
    pub(crate) notifications: Notifications,
    pub(crate) schedule: Option<Schedule>,
    pub(crate) values: reeve_recommend::agent::settings::AgentSettings,
}

impl Settings {
    /// Returns the defaults of a new agent: it is in learning mode and applies nothing by itself.
    pub(crate) fn defaults() -> Self {
        Settings {
            name: String::new(),
            mode: Mode::Learning,
            scope: AgentScope::default(),
            learning_period_days: 14,
            confidence_threshold: 85.0,
            auto_apply: AutoApply {
                enabled: false,
                max_impact: Impact::Low,
                approval_required: Impact::High,
            },
            notifications: Notifications {
                recommendations: Timing::DailyDigest,
                actions_taken: Timing::Immediate,
                anomalies: Timing::Immediate,
            },
            schedule: None,
            values: reeve_recommend::agent::settings::AgentSettings::default(),
        }
    }
}

/// The type of a new agent. Types this release cannot run are refused by name.
pub(crate) fn agent_type(input: &AgentInput, types: &AgentTypes) -> Result<AgentType, FieldError> {
    let Some(text) = input.agent_type.as_deref() else {
        return Err(FieldError::new(
            "agent_type",
            FieldCode::MissingField,
            "is needed",
        ));
    };
    let Some(row) = AgentType::parse(text).and_then(|name| types.get(name)) else {
        return Err(one_of("agent_type", types.names().into_iter()));
    };

    if row.info().findings.is_some() {
        return Ok(row.info().agent_type);
    }

    let message = format!(
        "{text} is not available in this release; available are {}",
        types.available().join(", ")
    );
    Err(FieldError::new(
        "agent_type",
        FieldCode::NotAvailable,
        message,
    ))
}

/// Refuses a schedule for a type whose runs judge nothing: it would promise checks that never
/// happen. What such an agent holds comes from anomalies and predictive rules, whenever those find
/// something. `before` is the schedule that an agent has already.
pub(crate) fn runs_by_schedule(
    agent_type: AgentType,
    types: &AgentTypes,
    input: &AgentInput,
    before: Option<&Schedule>,
) -> Result<(), FieldError> {
    let asked = input
        .schedule
        .as_deref()
        .map(str::trim)
        .filter(|pattern| !pattern.is_empty());

    let Some(pattern) = asked.filter(|_| types.judging(agent_type).is_none()) else {
        return Ok(());
    };

    if before.is_some_and(|schedule| schedule.pattern == pattern) {
        return Ok(());
    }

    let message = format!(
        "agents of type {agent_type} judge nothing themselves and hold what anomalies and predictive rules find; leave the schedule out"
    );
    Err(FieldError::new(
        "schedule",
        FieldCode::NotAvailable,
        message,
    ))
}

/// Lays the input over a configuration; every failing field is named.
pub(crate) fn overlay(
    mut settings: Settings,
    known: &[AgentSetting],
    input: &AgentInput,
    now: Timestamp,
) -> Result<Settings, Vec<FieldError>> {
    let mut errors = Vec::new();
    match settings.values.overlay(known, &input.settings) {
        Ok(values) => settings.values = values,
        Err(wrong) => errors.extend(wrong),
    }

    if let Some(name) = &input.name {
        settings.name = name.trim().to_owned();
    }
    if settings.name.is_empty()
        || settings.name.chars().count() > 200
        || settings.name.chars().any(char::is_control)
    {
        errors.push(FieldError::new(
            "name",
            FieldCode::InvalidValue,
            "must have 1 to 200 characters",
        ));
    }

    let mut take = |result: Result<(), FieldError>| errors.extend(result.err());
    take(named(
        "mode",
        input.mode.as_deref(),
        Mode::ALL,
        |m| m.as_str(),
        |m| settings.mode = m,
    ));

    take(names(
        "scope.accounts",
        input.accounts.as_deref(),
        |names| settings.scope.accounts = names,
    ));

    take(names(
        "scope.services",
        input.services.as_deref(),
        |names| settings.scope.services = names,
    ));

    take(days(input.learning_period.as_deref(), |days| {
        settings.learning_period_days = days
    }));
    take(percent(input.confidence_threshold.as_deref(), |value| {
        settings.confidence_threshold = value
    }));
    if let Some(enabled) = input.auto_apply_enabled {
        settings.auto_apply.enabled = enabled;
    }

    let auto = &mut settings.auto_apply;
    take(impact(
        "auto_apply.max_impact",
        input.auto_apply_max_impact.as_deref(),
        |i| auto.max_impact = i,
    ));

    take(impact(
        "auto_apply.approval_required",
        input.auto_apply_approval_required.as_deref(),
        |i| {
            auto.approval_required = i;
        },
    ));

    let notify = &mut settings.notifications;
    take(timing(
        "recommendations",
        input.notify_recommendations.as_deref(),
        |t| notify.recommendations = t,
    ));

    take(timing(
        "actions_taken",
        input.notify_actions_taken.as_deref(),
        |t| notify.actions_taken = t,
    ));

    take(timing(
        "anomalies",
        input.notify_anomalies.as_deref(),
        |t| notify.anomalies = t,
    ));

    take(schedule(input, now, |schedule| {
        settings.schedule = schedule
    }));
    if errors.is_empty() {
        Ok(settings)
    } else {
        Err(errors)
    }
}

fn schedule(
    input: &AgentInput,
    now: Timestamp,
    set: impl FnOnce(Option<Schedule>),
) -> Result<(), FieldError> {
    let zone = input.schedule_time_zone.as_deref();
    let Some(pattern) = input.schedule.as_deref() else {
        let alone = || {
            FieldError::new(
                "schedule_time_zone",
                FieldCode::Conflicting,
                "cannot be combined with schedule",
            )
        };
        return zone.map_or(Ok(()), |_| Err(alone()));
    };

    if pattern.trim().is_empty() {
        set(None);
        return Ok(());
    }

    let found = Schedule::new(pattern, zone.unwrap_or("UTC"), now).map_err(|error| {
        let field = if matches!(error, ScheduleError::Zone(_)) {
            "schedule_time_zone"
        } else {
            "schedule"
        };
        FieldError::new(field, FieldCode::InvalidValue, error.to_string())
    })?;
    set(Some(found));

    Ok(())
}

fn one_of<'a>(path: &str, names: impl Iterator<Item = &'a str>) -> FieldError {
    let message = format!("must be one of {}", names.collect::<Vec<_>>().join(", "));
    FieldError::new(path, FieldCode::InvalidValue, message)
}

fn named<T: Copy>(
    path: &str,
    given: Option<&str>,
    all: &[T],
    name: impl Fn(&T) -> &'static str,
    set: impl FnOnce(T),
) -> Result<(), FieldError> {
    let Some(given) = given else { return Ok(()) };
    match all.iter().find(|value| name(value) == given) {
        Some(value) => {
            set(*value);
            Ok(())
        }
        None => Err(one_of(path, all.iter().map(name))),
    }
}

fn impact(path: &str, given: Option<&str>, set: impl FnOnce(Impact)) -> Result<(), FieldError> {
    named(
        path,
        given.map(|text| text.strip_suffix("_impact").unwrap_or(text)),
        Impact::ALL,
        |i| i.as_str(),
        set,
    )
}

fn timing(field: &str, given: Option<&str>, set: impl FnOnce(Timing)) -> Result<(), FieldError> {
    named(
        &format!("notifications.{field}"),
        given,
        Timing::ALL,
        |t| t.as_str(),
        set,
    )
}

fn names(
    path: &str,
    given: Option<&[String]>,
    set: impl FnOnce(Vec<String>),
) -> Result<(), FieldError> {
    let Some(given) = given else { return Ok(()) };
    let bad = |name: &String| {
        name.trim().is_empty() || name.len() > 256 || name.chars().any(char::is_control)
    };

    if let Some(at) = given.iter().position(bad) {
        return Err(FieldError::new(
            format!("{path}[{at}]"),
            FieldCode::InvalidValue,
            "must be a name of 1 to 256 bytes",
        ));
    }

    if given.len() > 1000 {
        return Err(FieldError::new(
            path,
            FieldCode::InvalidValue,
            "at most 1000 names are taken",
        ));
    }

    let mut unique: Vec<String> = Vec::with_capacity(given.len());
    for name in given {
        let name = name.trim().to_owned();
        if !unique.contains(&name) {
            unique.push(name);
        }
    }

    set(unique);
    Ok(())
}

fn days(given: Option<&str>, set: impl FnOnce(u32)) -> Result<(), FieldError> {
    let Some(given) = given else { return Ok(()) };
    let span: Option<TimeSpan> = given.parse().ok();
    match span
        .and_then(TimeSpan::whole_days)
        .and_then(|days| u32::try_from(days).ok())
    {
        Some(days) if days <= 365 => {
            set(days);
            Ok(())
        }
        _ => Err(FieldError::new(
            "learning_period",
            FieldCode::InvalidValue,
            "must be a number of days from 0d to 365d, as in 14d",
        )),
    }
}

fn percent(given: Option<&str>, set: impl FnOnce(f64)) -> Result<(), FieldError> {
    let Some(given) = given else { return Ok(()) };
    match given.parse().ok().map(Percent::value) {
        Some(value) if value <= 100.0 => {
            set(value);
            Ok(())
        }
        _ => Err(FieldError::new(
            "confidence_threshold",
            FieldCode::InvalidValue,
            "must be a percentage from 0 to 100, as in 85%",
        )),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use std::sync::Arc;

    use reeve_recommend::agent::contract::AgentDefinition;
    use reeve_recommend::agent::type_table::{AgentTypeInfo, FindingSource};

    use super::*;

    fn text(value: &str) -> Option<String> {
        Some(value.to_owned())
    }

    #[test]
    fn the_specifications_own_example_is_taken() {
        let input = AgentInput {
            name: text("Production Cost Optimizer"),
            mode: text("active"),
            accounts: Some(vec!["prod-aws".into(), "prod-aws".into()]),
            services: Some(vec!["ec2".into(), "rds".into()]),
            learning_period: text("14d"),
            confidence_threshold: text("85%"),
            auto_apply_enabled: Some(true),
            auto_apply_max_impact: text("medium"),
            auto_apply_approval_required: text("high_impact"),
            notify_recommendations: text("daily_digest"),
            notify_actions_taken: text("immediate"),
            notify_anomalies: text("immediate"),
            ..AgentInput::default()
        };
        let settings = overlay(Settings::defaults(), &[], &input, Timestamp::UNIX_EPOCH).unwrap();

        assert_eq!(
            (
                settings.mode,
                settings.learning_period_days,
                settings.confidence_threshold
            ),
            (Mode::Active, 14, 85.0)
        );

        assert_eq!(settings.scope.accounts, ["prod-aws"]);

        let auto = AutoApply {
            enabled: true,
            max_impact: Impact::Medium,
            approval_required: Impact::High,
        };
        assert_eq!(settings.auto_apply, auto);
    }

    #[test]
    fn every_wrong_field_is_named() {
        let check = |input: AgentInput, path: &str| {
            let named = AgentInput {
                name: input.name.clone().or(text("x")),
                ..input
            };
            let errors =
                overlay(Settings::defaults(), &[], &named, Timestamp::UNIX_EPOCH).unwrap_err();
            assert_eq!(
                errors.iter().map(|e| e.path.as_str()).collect::<Vec<_>>(),
                [path]
            );
        };

        check(
            AgentInput {
                name: text("  "),
                ..AgentInput::default()
            },
            "name",
        );

        check(
            AgentInput {
                mode: text("aktiv"),
                ..AgentInput::default()
            },
            "mode",
        );

        check(
            AgentInput {
                accounts: Some(vec!["a".into(), String::new()]),
                ..AgentInput::default()
            },
            "scope.accounts[1]",
        );

        for bad in ["14", "d", "-1d", "400d", "1.5d", "2w"] {
            check(
                AgentInput {
                    learning_period: text(bad),
                    ..AgentInput::default()
                },
                "learning_period",
            );
        }

        for bad in ["101", "-1%", "NaN", "high", ""] {
            check(
                AgentInput {
                    confidence_threshold: text(bad),
                    ..AgentInput::default()
                },
                "confidence_threshold",
            );
        }

        check(
            AgentInput {
                auto_apply_max_impact: text("huge"),
                ..AgentInput::default()
            },
            "auto_apply.max_impact",
        );

        check(
            AgentInput {
                notify_anomalies: text("soon"),
                ..AgentInput::default()
            },
            "notifications.anomalies",
        );

        let both = AgentInput {
            name: text("x"),
            mode: text("y"),
            learning_period: text("z"),
            ..AgentInput::default()
        };

        assert_eq!(
            overlay(Settings::defaults(), &[], &both, Timestamp::UNIX_EPOCH)
                .unwrap_err()
                .len(),
            2
        );
    }

    #[test]
    fn only_what_can_run_is_created() {
        let types = reeve_agents::registry();
        let parsed = |name: &str| {
            agent_type(
                &AgentInput {
                    agent_type: text(name),
                    ..AgentInput::default()
                },
                &types,
            )
        };
        assert_eq!(parsed("cost_optimizer").unwrap(), AgentType::COST_OPTIMIZER);

        assert_eq!(parsed("spot_optimizer").unwrap(), AgentType::SPOT_OPTIMIZER);
        assert!(
            parsed("cost")
                .unwrap_err()
                .message
                .contains("must be one of")
        );

        assert_eq!(
            agent_type(&AgentInput::default(), &types).unwrap_err().code,
            "missing_field"
        );
    }

    /// A type whose findings come from observations alone.
    struct Observed;

    const OBSERVED: AgentTypeInfo = AgentTypeInfo {
        agent_type: AgentType::DB_OPTIMIZER,
        description: "Holds what predictive rules find.",
        capabilities: &[],
        actions: &[],
        settings: &[],
        findings: Some(FindingSource::PredictiveRules),
    };

    impl AgentDefinition for Observed {
        fn info(&self) -> &AgentTypeInfo {
            &OBSERVED
        }
    }

    #[test]
    fn what_judges_nothing_has_no_schedule() {
        let types = reeve_agents::registry().with_row(Arc::new(Observed));
        let check = |agent_type, pattern: &str, before: Option<&Schedule>| {
            let input = AgentInput {
                schedule: text(pattern),
                ..AgentInput::default()
            };
            runs_by_schedule(agent_type, &types, &input, before)
                .map_err(|error| (error.path, error.code.as_str()))
        };

        let refused = Err(("schedule".to_owned(), "not_available"));
        assert_eq!(check(AgentType::COST_OPTIMIZER, "0 3 * * *", None), Ok(()));
        assert_eq!(check(AgentType::DB_OPTIMIZER, "0 3 * * *", None), refused);
        assert_eq!(
            check(AgentType::DB_OPTIMIZER, "", None),
            Ok(()),
            "to have none is what it is"
        );

        // An agent that has one from an earlier release can be configured with it.
        let before = Schedule {
            pattern: "0 3 * * *".to_owned(),
            time_zone: "UTC".to_owned(),
        };
        assert_eq!(
            check(AgentType::DB_OPTIMIZER, "0 3 * * *", Some(&before)),
            Ok(())
        );
        assert_eq!(
            check(AgentType::DB_OPTIMIZER, "0 4 * * *", Some(&before)),
            refused
        );
    }
}
