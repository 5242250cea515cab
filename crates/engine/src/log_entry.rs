//! The audit entries of the engine. Everything about a recommendation has its id in
//! `metadata.recommendation_id`, so that one search reads out the whole story: found, requested,
//! signed, each step before and after, the end.

use reeve_audit::{ActionStatus, Entry, EventKind, EventType, Json, ResourceRef, Severity, events};
use reeve_estate::Resource;
use reeve_recommend::action::{Action, Purpose, StepOutcome};
use reeve_recommend::agent::{Agent, AgentScope};
use reeve_recommend::approval::matrix::ApprovalMatrix;
use reeve_recommend::approval::{Approval, Signature};
use reeve_recommend::caller::Caller;
use reeve_recommend::guardrail::Guardrails;
use reeve_recommend::guardrail::change_control::ChangeControl;
use reeve_recommend::guardrail::exception::{Exception, ExceptionRequest};
use reeve_recommend::plan::StepKind;
use reeve_recommend::recommendation::Recommendation;

pub(super) use reeve_recommend::log_entry::{POLICY, entry};

/// Event type of an agent's run.
pub(super) const RUN: EventType = events::AGENT_RUN.event_type();
/// Event type of a recommendation's life.
pub(super) const RECOMMENDATION: EventType = events::RECOMMENDATION.event_type();
pub(super) const APPROVAL: EventType = events::APPROVAL.event_type();
/// An execution as a whole.
pub(super) const ACTION: EventType = events::ACTION.event_type();

/// About an agent's configuration.
pub(super) fn about_agent(
    operation: &str,
    status: ActionStatus,
    agent: &Agent,
    caller: &Caller,
) -> Entry {
    entry(POLICY, operation, status, caller)
        .on(ResourceRef::new("agent", agent.id.0.clone()))
        .with_metadata("agent_id", agent.id.0.clone())
        .with_metadata("agent_type", agent.agent_type.as_str())
}

/// Creates an entry about a recommendation.
pub(super) fn about(
    event: EventType,
    operation: &str,
    status: ActionStatus,
    recommendation: &Recommendation,
    caller: &Caller,
) -> Entry {
    let subject = &recommendation.subject;
    let resource = ResourceRef::new(subject.kind.as_str(), subject.id.0.clone()).in_cloud(
        subject.provider.as_str(),
        subject.account.clone(),
        subject.region.clone(),
    );

    let entry = entry(event, operation, status, caller)
        .on(resource)
        .with_metadata("recommendation_id", recommendation.id.0.clone())
        .with_metadata("recommendation_type", recommendation.kind.as_str())
        .with_metadata("title", recommendation.title.clone())
        .with_metadata("agent_type", recommendation.origin.agent_type.as_str());

    let entry = match &recommendation.agent_id {
        Some(id) => entry.with_metadata("agent_id", id.0.clone()),
        None => entry,
    };
    match &recommendation.plan {
        Some(plan) => {
            let entry = entry.with_metadata("plan_hash", plan.hash.clone());
            match plan.change_name() {
                Some(name) => entry.with_metadata("change", name),
                None => entry,
            }
        }
        None => entry,
    }
}

/// A recommendation as made: what it claims, so that the claim can be held against the outcome.
pub(super) fn found(recommendation: &Recommendation, caller: &Caller) -> Entry {
    finding("recommendation.create", recommendation, caller)
}

/// A recommendation that was found again and whose plan or impact is another: approvals bind to
/// what it is now.
pub(super) fn refreshed(recommendation: &Recommendation, caller: &Caller) -> Entry {
    finding("recommendation.refresh", recommendation, caller)
}

fn finding(operation: &str, recommendation: &Recommendation, caller: &Caller) -> Entry {
    let steps: Vec<String> = recommendation
        .plan
        .iter()
        .flat_map(|plan| plan.steps.iter().map(|s| s.description.clone()))
        .collect();
    about(
        RECOMMENDATION,
        operation,
        ActionStatus::Success,
        recommendation,
        caller,
    )
    .after(Json::object([
        ("status", Json::from(recommendation.status.as_str())),
        ("rule", Json::from(recommendation.origin.rule.clone())),
        ("cause", Json::from(recommendation.origin.cause.kind())),
        (
            "cause_id",
            Json::from(recommendation.origin.cause.id().map(str::to_owned)),
        ),
        ("priority", Json::from(recommendation.priority.as_str())),
        (
            "impact_level",
            Json::from(recommendation.impact_level.as_str()),
        ),
        ("confidence", Json::from(recommendation.confidence)),
        (
            "savings_monthly_usd",
            Json::from(recommendation.savings_monthly.map(|money| money.usd())),
        ),
        (
            "instance_type",
            Json::from(recommendation.subject.instance_type.clone()),
        ),
        (
            "target_type",
            Json::from(recommendation.subject.target_type.clone()),
        ),
        (
            "factors",
            Json::from(recommendation.explanation.factors.texts()),
        ),
        (
            "not_measured",
            Json::from(recommendation.not_measured.clone()),
        ),
        ("plan", Json::from(steps)),
    ]))
}

/// A move of a recommendation from one state to another.
pub(super) fn moved(
    operation: &str,
    from: &Recommendation,
    to: &Recommendation,
    caller: &Caller,
) -> Entry {
    let state = |recommendation: &Recommendation| {
        let mut members = vec![("status", Json::from(recommendation.status.as_str()))];
        members.extend(
            recommendation
                .status_reason
                .clone()
                .map(|reason| ("reason", Json::from(reason))),
        );
        members.extend(
            recommendation
                .scheduled_for
                .map(|at| ("scheduled_for", Json::from(at.to_string()))),
        );
        members.extend(
            recommendation
                .snoozed_until
                .map(|at| ("snoozed_until", Json::from(at.to_string()))),
        );
        Json::object(members)
    };
    about(RECOMMENDATION, operation, ActionStatus::Success, to, caller)
        .before(state(from))
        .after(state(to))
}

/// About an approval request.
pub(super) fn approval(
    operation: &str,
    status: ActionStatus,
    approval: &Approval,
    recommendation: &Recommendation,
    caller: &Caller,
) -> Entry {
    let signed: Vec<Json> = approval
        .signed
        .iter()
        .map(|s| {
            Json::object([
                ("signature", Json::from(s.signature.as_str())),
                ("by", Json::from(s.by.clone())),
            ])
        })
        .collect();

    let needed: Vec<Json> = approval
        .needed
        .iter()
        .map(|s| Json::from(s.as_str()))
        .collect();

    about(APPROVAL, operation, status, recommendation, caller)
        .with_metadata("approval_id", approval.id.0.clone())
        .with_metadata("requested_by", approval.requested_by.clone())
        .with_metadata("impact", approval.impact.as_str())
        .after(Json::object([
            ("status", Json::from(approval.status.as_str())),
            ("needed", Json::Array(needed)),
            ("signed", Json::Array(signed)),
            ("plan_hash", Json::from(approval.plan_hash.clone())),
            ("reason", Json::from(approval.reason.clone())),
            (
                "exception",
                approval
                    .exception
                    .as_ref()
                    .map_or(Json::Null, exception_asked),
            ),
        ]))
}

fn exception_asked(request: &ExceptionRequest) -> Json {
    Json::object([
        ("guardrail", Json::from(request.guardrail.as_str())),
        ("limit", Json::from(request.limit)),
        ("value", Json::from(request.value)),
    ])
}

/// An exception that the last signature granted.
pub(super) fn exception_granted(
    recommendation: &Recommendation,
    granted: &Exception,
    caller: &Caller,
) -> Entry {
    let entry = about(
        APPROVAL,
        "exception.grant",
        ActionStatus::Success,
        recommendation,
        caller,
    )
    .with_severity(Severity::Medium);
    with_exception(entry, granted)
}

/// Names the exception under which something happens.
pub(super) fn with_exception(entry: Entry, exception: &Exception) -> Entry {
    entry
        .with_metadata("exception_guardrail", exception.guardrail.as_str())
        .with_metadata("exception_value", exception.value)
        .with_metadata("exception_reason", exception.reason.clone())
        .with_metadata("exception_approval_id", exception.approval.0.clone())
        .with_metadata("exception_granted_by", exception.granted_by.join(", "))
}

/// About an execution as a whole.
pub(super) fn action(
    operation: &str,
    status: ActionStatus,
    action: &Action,
    recommendation: &Recommendation,
    caller: &Caller,
) -> Entry {
    let mut entry = about(ACTION, operation, status, recommendation, caller)
        .with_metadata("action_id", action.id.0.clone())
        .with_metadata("asked_by", action.by.clone())
        .with_metadata("purpose", action.purpose.as_str())
        .after(Json::object([(
            "status",
            Json::from(action.status.as_str()),
        )]));

    if !action.before.is_empty() {
        entry = entry.before(pairs(&action.before));
    }
    if let Some(run) = &action.run_id {
        entry = entry.with_metadata("run_id", run.clone());
    }
    if let Some(reason) = &action.reason {
        entry = entry.with_metadata("reason", reason.clone());
    }
    if action.purpose != Purpose::Apply {
        entry = entry.with_metadata("twin", action.resource.0.clone());
    }

    entry
}

/// About one step, before it (`pending`) or after it.
pub(super) fn step(
    outcome: &StepOutcome,
    status: ActionStatus,
    resource: &Resource,
    action: &Action,
    recommendation: &Recommendation,
    caller: &Caller,
) -> Entry {
    let event = event_of_step(outcome, action.purpose);
    let operation = format!(
        "{}{}",
        if outcome.rollback { "rollback." } else { "" },
        outcome.kind
    );

    // A read replica is another resource than the database that the plan is about.
    let id = outcome.made.as_deref().unwrap_or(resource.id.as_str());
    let mut entry = about(
        event.event_type(),
        &operation,
        status,
        recommendation,
        caller,
    )
    .on(
        ResourceRef::new(resource.kind.as_str(), id.to_owned()).in_cloud(
            resource.provider.as_str(),
            resource.account.clone(),
            resource.region.clone(),
        ),
    )
    .with_metadata("action_id", action.id.0.clone())
    .with_metadata("asked_by", action.by.clone())
    .with_metadata("step", outcome.index + 1)
    .with_metadata("steps", action.steps_total)
    .with_metadata("description", outcome.description.clone());

    if outcome.made.is_some() {
        entry = entry.with_metadata("source_resource_id", resource.id.0.clone());
    }
    if !outcome.detail.is_empty() {
        entry = entry.with_metadata("detail", outcome.detail.clone());
    }
    if !outcome.before.is_empty() {
        entry = entry.before(pairs(&outcome.before));
    }
    if !outcome.after.is_empty() {
        entry = entry.after(pairs(&outcome.after));
    }

    if status == ActionStatus::Failed {
        entry.with_severity(Severity::Medium)
    } else {
        entry
    }
}

/// Event type of a step: that of the same act by a person, so that one query, rule or retention
/// policy covers both.
fn event_of_step(outcome: &StepOutcome, purpose: Purpose) -> &'static EventKind {
    match outcome.kind {
        StepKind::Precondition | StepKind::Verify | StepKind::Hold | StepKind::Observe => {
            &events::CHECK
        }
        // What happens to nothing real must not be found among the changes of resources.
        _ if purpose == Purpose::Simulate => &events::CHECK,
        StepKind::Snapshot => &events::RESOURCE_SNAPSHOT,
        StepKind::Stop | StepKind::Start => &events::RESOURCE_STATE,
        StepKind::Replicate if outcome.rollback => &events::RESOURCE_DELETE,
        StepKind::Replicate => &events::RESOURCE_CREATE,
        StepKind::Delete => &events::RESOURCE_DELETE,
        StepKind::Tag => &events::RESOURCE_TAG,
        StepKind::Modify
        | StepKind::Grow
        | StepKind::Scale
        | StepKind::FailOver
        | StepKind::Isolate
        | StepKind::Change => &events::RESOURCE_MODIFY,
    }
}

/// Fields and values as an object.
pub(super) fn pairs(state: &[(String, String)]) -> Json {
    Json::object(
        state
            .iter()
            .map(|(name, value)| (name.clone(), value.clone())),
    )
}

/// An agent's configuration as an object.
pub(super) fn configuration(agent: &Agent) -> Json {
    let mut members = vec![
        ("agent_type", Json::from(agent.agent_type.as_str())),
        ("name", Json::from(agent.name.clone())),
        ("mode", Json::from(agent.mode.as_str())),
        ("scope", scope(&agent.scope)),
        (
            "learning_period",
            Json::from(format!("{}d", agent.learning_period_days)),
        ),
        (
            "confidence_threshold",
            Json::from(agent.confidence_threshold),
        ),
        (
            "auto_apply",
            Json::object([
                ("enabled", Json::from(agent.auto_apply.enabled)),
                (
                    "max_impact",
                    Json::from(agent.auto_apply.max_impact.as_str()),
                ),
                (
                    "approval_required",
                    Json::from(agent.auto_apply.approval_required.as_str()),
                ),
            ]),
        ),
        (
            "schedule",
            Json::from(
                agent
                    .schedule
                    .as_ref()
                    .map(|s| format!("{} {}", s.pattern, s.time_zone)),
            ),
        ),
        ("learning_waived", Json::from(agent.learning_waived.clone())),
        (
            "notifications",
            Json::object([
                (
                    "recommendations",
                    Json::from(agent.notifications.recommendations.as_str()),
                ),
                (
                    "actions_taken",
                    Json::from(agent.notifications.actions_taken.as_str()),
                ),
                (
                    "anomalies",
                    Json::from(agent.notifications.anomalies.as_str()),
                ),
            ]),
        ),
    ];

    if !agent.settings.0.is_empty() {
        let set = agent
            .settings
            .0
            .iter()
            .map(|(path, value)| (path.clone(), Json::from(value.to_string())));
        members.push(("settings", Json::object(set)));
    }

    Json::object(members)
}

/// The guardrails as an object.
pub(super) fn limits(guardrails: &Guardrails) -> Json {
    Json::object([
        (
            "cost_impact.max_increase",
            Json::from(guardrails.max_cost_increase_percent),
        ),
        (
            "cost_impact.max_decrease",
            Json::from(guardrails.max_cost_decrease_percent),
        ),
        (
            "performance_impact.max_degradation",
            Json::from(guardrails.max_degradation_percent),
        ),
        (
            "availability.min_uptime",
            Json::from(guardrails.min_uptime_percent),
        ),
        (
            "rollback.automatic",
            Json::from(guardrails.rollback_automatic),
        ),
        (
            "rollback.timeout_s",
            Json::from(guardrails.rollback_timeout_s),
        ),
        (
            "verification.window_s",
            Json::from(guardrails.verification_window_s),
        ),
        (
            "blast_radius.max_actions_per_run",
            Json::from(guardrails.max_actions_per_run),
        ),
        (
            "blast_radius.max_actions_per_day",
            Json::from(guardrails.max_actions_per_day),
        ),
        (
            "blast_radius.max_share_per_day",
            Json::from(guardrails.max_share_per_day_percent),
        ),
        (
            "blast_radius.rollout_from",
            Json::from(guardrails.rollout_from),
        ),
        ("cool_down_s", Json::from(guardrails.cool_down_s)),
        ("breaker_failures", Json::from(guardrails.breaker_failures)),
        (
            "breaker_reset_at",
            Json::from(guardrails.breaker_reset_at.map(|at| at.to_string())),
        ),
        ("kill_switch", Json::from(guardrails.kill_switch)),
        ("change_control", control(&guardrails.change_control)),
        (
            "approval_matrix",
            approval_matrix(&guardrails.approval_matrix),
        ),
    ])
}

fn approval_matrix(matrix: &ApprovalMatrix) -> Json {
    let names = |signatures: &[Signature]| {
        Json::from(
            signatures
                .iter()
                .map(|signature| signature.as_str().to_owned())
                .collect::<Vec<_>>(),
        )
    };
    Json::object([
        ("medium_from", Json::from(matrix.medium_from_usd)),
        ("high_above", Json::from(matrix.high_above_usd)),
        ("low_impact", names(&matrix.low)),
        ("medium_impact", names(&matrix.medium)),
        ("high_impact", names(&matrix.high)),
    ])
}

fn control(control: &ChangeControl) -> Json {
    let windows = control.windows.iter().map(|window| {
        Json::object([
            ("name", Json::from(window.name.clone())),
            ("scope", scope(&window.scope)),
            (
                "days",
                Json::from(
                    window
                        .days
                        .iter()
                        .map(|day| day.as_str().to_owned())
                        .collect::<Vec<_>>(),
                ),
            ),
            ("start", Json::from(window.start.to_string())),
            ("duration_minutes", Json::from(window.duration_minutes)),
            (
                "time_zone",
                Json::from(window.time_zone.iana_name().unwrap_or("UTC").to_owned()),
            ),
        ])
    });

    let freezes = control.freezes.iter().map(|freeze| {
        Json::object([
            ("name", Json::from(freeze.name.clone())),
            ("scope", scope(&freeze.scope)),
            ("from", Json::from(freeze.from.to_string())),
            ("until", Json::from(freeze.until.to_string())),
        ])
    });

    Json::object([
        ("maintenance_windows", Json::Array(windows.collect())),
        ("freezes", Json::Array(freezes.collect())),
        ("direction", Json::from(control.direction.as_str())),
        (
            "infrastructure_as_code",
            Json::from(control.infrastructure_as_code.as_str()),
        ),
    ])
}

fn scope(scope: &AgentScope) -> Json {
    Json::object([
        ("accounts", Json::from(scope.accounts.clone())),
        ("services", Json::from(scope.services.clone())),
    ])
}
