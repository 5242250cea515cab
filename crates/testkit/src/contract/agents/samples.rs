//! Records with every field filled, so that a field that is not kept shows.

use anyhow::Result;
use jiff::Timestamp;
use jiff::tz::TimeZone;
use reeve_estate::{ConnectionId, Money, Provider, ResourceId, ResourceKind, ResourceState};
use reeve_predict::RuleId;
use reeve_recommend::action::{
    Action, ActionId, ActionStatus, Purpose, StepOutcome, Watch, WatchVerdict,
};
use reeve_recommend::agent::emergency::{
    ApprovalEnd, EmergencyTerms, StandingApproval, StandingApprovalId,
};
use reeve_recommend::agent::settings::{AgentSettings, SettingValue};
use reeve_recommend::agent::{
    Agent, AgentId, AgentScope, AgentType, AutoApply, Impact, Mode, Notifications, Timing,
};
use reeve_recommend::approval::{
    Approval, ApprovalId, ApprovalStatus, Delegation, Signature, Signed,
};
use reeve_recommend::change::{Effect, ResizeMachine};
use reeve_recommend::guardrail::GuardrailName;
use reeve_recommend::guardrail::change_control::{
    ChangeControl, Day, Direction, Freeze, IacRule, MaintenanceWindow,
};
use reeve_recommend::guardrail::exception::{Exception, ExceptionRequest};
use reeve_recommend::models::{ModelId, ModelReference, ModelType, ModelUse};
use reeve_recommend::plan::{Plan, PlanStep, StepKind};
use reeve_recommend::recommendation::exclusion::{Exclusion, ExclusionId};
use reeve_recommend::recommendation::lifecycle::Status;
use reeve_recommend::recommendation::origin::{Origin, OriginCause};
use reeve_recommend::recommendation::ranking::Ranking;
use reeve_recommend::recommendation::{
    ConfidenceRange, Effort, Explanation, FactorKind, Factors, Feedback, FeedbackOutcome,
    ImpactAssessment, Priority, Recommendation, RecommendationDecision, RecommendationId,
    RecommendationSubject, RecommendationType, SavingsBasis,
};
use reeve_schedule::Schedule;

fn pair(name: &str, value: &str) -> (String, String) {
    (name.into(), value.into())
}

/// An agent as configured, version 1.
///
/// # Errors
/// The text is not a valid time.
pub fn agent(id: &str, agent_type: AgentType, created_at_ms: i64) -> Result<Agent> {
    Ok(Agent {
        id: AgentId(id.into()),
        agent_type,
        name: format!("name of {id}"),
        mode: Mode::SafeMode,
        scope: AgentScope {
            accounts: vec!["123456789012".into(), "Prod".into()],
            services: vec!["ec2".into()],
        },
        learning_period_days: 14,
        confidence_threshold: 80.0,
        auto_apply: AutoApply {
            enabled: true,
            max_impact: Impact::Low,
            approval_required: Impact::Medium,
        },
        notifications: Notifications {
            recommendations: Timing::DailyDigest,
            actions_taken: Timing::Immediate,
            anomalies: Timing::Never,
        },
        schedule: Some(Schedule {
            pattern: "0 */6 * * *".into(),
            time_zone: "Europe/Berlin".into(),
        }),
        settings: AgentSettings(
            [
                (
                    "downsize_underutilized.cpu_below".into(),
                    SettingValue::Percent(12.5),
                ),
                (
                    "required_tags".into(),
                    SettingValue::Names(vec!["Owner".into(), "CostCenter=4711".into()]),
                ),
            ]
            .into(),
        ),
        learning_waived: Some("a trial account".into()),
        version: 1,
        created_at: Timestamp::from_millisecond(created_at_ms)?,
        last_run: None,
        last_change_run: None,
    })
}

/// An open right-sizing of a machine, version 1.
///
/// # Errors
/// Never, as long as the times in it are times.
pub fn recommendation(id: &str, resource: &str) -> Result<Recommendation> {
    let at = |text: &str| text.parse::<Timestamp>();
    Ok(Recommendation {
        id: RecommendationId(id.into()),
        agent_id: Some(AgentId("a-1".into())),
        origin: Origin {
            agent_type: AgentType::COST_OPTIMIZER,
            rule: "downsize_underutilized".into(),
            cause: OriginCause::PredictiveRule(RuleId("r-1".into())),
        },
        kind: RecommendationType::RightSize,
        title: "Use m5.large in place of m5.xlarge".into(),
        subject: subject(resource),
        priority: Priority::High,
        confidence: 91.25,
        impact_level: Impact::Medium,
        impact: ImpactAssessment {
            cost_percent: Some(-50.0),
            cost: "-50 % (70.08 USD a month)".into(),
            performance_degradation_percent: None,
            performance: "not measured".into(),
            security: "none".into(),
        },
        effort: Effort::Medium,
        savings_monthly: Some(Money::from_usd(70.08)),
        savings_after_discounts: Some(Money::from_usd(50.5)),
        monthly_cost: Some(Money::from_usd(140.16)),
        status: Status::Open,
        plan: Some(plan(resource)),
        reason_codes: vec!["cpu_below_20_for_14_days".into()],
        not_measured: vec!["memory".into()],
        explanation: explanation(),
        ranking: Ranking {
            expected_value: 912.5,
            weight: 1.25,
            in_favour: 3,
            against: 1,
            words: "Expected to be worth $912.50 a month".into(),
        },
        created_at: at("2026-11-20T10:00:00.123456789Z")?,
        updated_at: at("2026-11-20T11:00:00Z")?,
        expires_at: at("2026-12-20T10:00:00Z")?,
        requested_by: Some("ann@example.com".into()),
        scheduled_for: Some(at("2026-11-21T02:00:00Z")?),
        snoozed_until: Some(at("2026-11-22T02:00:00Z")?),
        status_reason: None,
        blocked: Some("cost_impact.max_decrease: 60 % is above 50 %".into()),
        exception: Some(Exception {
            guardrail: GuardrailName::MaxDecrease,
            value: 60.0,
            plan_hash: "ab".repeat(32),
            reason: "it is idle".into(),
            approval: ApprovalId("ap-1".into()),
            granted_by: vec!["dora@example.com".into(), "sam@example.com".into()],
            expires_at: at("2026-11-27T10:00:00Z")?,
        }),
        closing: None,
        taken_back_by: Some("ann@example.com".into()),
        version: 1,
    })
}

fn subject(resource: &str) -> RecommendationSubject {
    RecommendationSubject {
        connection: ConnectionId("c-1".into()),
        id: ResourceId::new(resource),
        name: "web-1".into(),
        kind: ResourceKind::VirtualMachine,
        provider: Provider::Aws,
        account: "123456789012".into(),
        region: "eu-west-1".into(),
        service: "ec2".into(),
        instance_type: Some("m5.xlarge".into()),
        target_type: Some("m5.large".into()),
        managed_by_code: false,
        aspect: None,
    }
}

fn plan(resource: &str) -> Plan {
    let step = |kind, instance_type: Option<&str>, expect| PlanStep {
        kind,
        description: format!("{kind} {resource}"),
        resource: resource.into(),
        instance_type: instance_type.map(str::to_owned),
        expect,
    };

    let steps = vec![
        step(
            StepKind::Precondition,
            None,
            vec![pair("state", "running"), pair("instance_type", "m5.xlarge")],
        ),
        step(StepKind::Stop, None, vec![]),
        step(StepKind::Modify, Some("m5.large"), vec![]),
        step(StepKind::Start, None, vec![]),
    ];

    Plan::v1(steps, true, true)
}

/// A plan with its typed change.
#[must_use]
pub fn typed_plan(resource: &str) -> Plan {
    let (from, to) = ("m5.xlarge".to_owned(), "m5.large".to_owned());
    Plan::new(
        &ResizeMachine {
            state: ResourceState::Running,
            from,
            to,
        },
        resource,
    )
}

fn explanation() -> Explanation {
    Explanation {
        action: "Resize".into(),
        factors: Factors::from([(FactorKind::Measured, "p95 of CPU was 11.2 % over 14 days")]),
        confidence_range: Some(ConfidenceRange {
            low_percent: 87.5,
            high_percent: 99.0,
        }),
        data_points: 4_032,
        similar_cases: 3,
        risk: Impact::High,
        success_rate: Some(200.0 / 3.0),
        cost_reduction: "70.08 USD a month".into(),
        performance_impact: "none expected".into(),
        decision_path: vec![
            RecommendationDecision {
                check: "CPU below 20 %?".into(),
                answer: Some(true),
                detail: "11.2 %".into(),
            },
            RecommendationDecision {
                check: "Memory fits?".into(),
                answer: None,
                detail: "not measured".into(),
            },
        ],
        models: vec![ModelUse {
            model: ModelReference {
                id: ModelId("model-1".into()),
                name: "demand".into(),
                kind: ModelType::Forecast,
                version: 3,
                trained_at: Timestamp::UNIX_EPOCH,
            },
            statement: "at most 14.2 % in the next 28 days".into(),
        }],
        effect: None,
    }
}

/// An approval request with one of two signatures, version 1.
///
/// # Errors
/// The text is not a valid time.
pub fn approval(id: &str, recommendation: &str, requested_at_ms: i64) -> Result<Approval> {
    let requested_at = Timestamp::from_millisecond(requested_at_ms)?;
    Ok(Approval {
        id: ApprovalId(id.into()),
        recommendation: RecommendationId(recommendation.into()),
        plan_hash: "ab".repeat(32),
        impact: Impact::High,
        needed: vec![Signature::Director, Signature::Security],
        signed: vec![Signed {
            signature: Signature::Security,
            by: "sam@example.com".into(),
            at: requested_at,
            comment: Some("go".into()),
        }],
        delegated: vec![Delegation {
            signature: Signature::Director,
            from: "dora@example.com".into(),
            to: "dan@example.com".into(),
            at: requested_at,
        }],
        reminded_at: Some("2026-11-21T10:00:00Z".parse()?),
        requested_by: "agent:a-1".into(),
        requested_at,
        expires_at: "2026-12-20T10:00:00Z".parse()?,
        status: ApprovalStatus::Pending,
        reason: None,
        exception: Some(ExceptionRequest {
            guardrail: GuardrailName::MaxIncrease,
            limit: 5.0,
            value: 100.3,
            used_by: Some(ActionId("act-1".into())),
        }),
        version: 1,
    })
}

/// An action on its second step, version 1.
///
/// # Errors
/// The text is not a valid time.
pub fn action(id: &str, recommendation: &str, started_at_ms: i64) -> Result<Action> {
    let started_at = Timestamp::from_millisecond(started_at_ms)?;
    let step = |index, finished_at, ok| StepOutcome {
        index,
        kind: StepKind::Stop,
        effect: Some(Effect::Stops),
        description: "stop i-1".into(),
        rollback: false,
        started_at,
        finished_at,
        ok,
        refusal: None,
        made: Some("orders-replica-1".to_owned()),
        detail: "stopped after 31 s".into(),
        before: vec![pair("state", "running")],
        after: vec![pair("state", "stopped")],
    };

    Ok(Action {
        id: ActionId(id.into()),
        recommendation: RecommendationId(recommendation.into()),
        agent_id: Some(AgentId("a-1".into())),
        connection: ConnectionId("c-1".into()),
        resource: ResourceId::new("i-1"),
        purpose: Purpose::Apply,
        run_id: Some("r-1".into()),
        emergency: None,
        plan_hash: "cd".repeat(32),
        by: "ann@example.com".into(),
        status: ActionStatus::Running,
        steps: vec![step(0, Some(started_at), Some(true)), step(1, None, None)],
        steps_total: 6,
        before: vec![pair("instance_type", "m5.xlarge"), pair("state", "running")],
        prior: None,
        started_at,
        finished_at: None,
        reason: None,
        undone_by: Some("ann@example.com".into()),
        watch: Some(Watch {
            until: "2026-11-22T10:00:00Z".parse()?,
            verdict: WatchVerdict::Holds,
            detail: "cpu_utilization: +0.1 points".into(),
            realised_monthly: Some(Money::from_usd(69.5)),
            basis: Some(SavingsBasis::Bill),
            billed_until: Some("2026-11-21T00:00:00Z".parse()?),
            ended: None,
        }),
        version: 1,
    })
}

/// Feedback with a rating and a comment.
///
/// # Errors
/// The text is not a valid time.
pub fn feedback(id: &str, recommendation: &str, at_ms: i64) -> Result<Feedback> {
    Ok(Feedback {
        id: id.into(),
        recommendation: RecommendationId(recommendation.into()),
        outcome: FeedbackOutcome::ImplementedSuccessfully,
        rating: Some(5),
        comments: Some("saved what it said".into()),
        by: "ann@example.com".into(),
        at: Timestamp::from_millisecond(at_ms)?,
    })
}

/// A standing approval with one signature, which a person ended.
///
/// # Errors
/// The time is outside of the calendar.
pub fn standing_approval(id: &str, at_ms: i64) -> Result<StandingApproval> {
    let given_at = Timestamp::from_millisecond(at_ms)?;
    Ok(StandingApproval {
        id: StandingApprovalId(id.into()),
        agent: AgentId("a-1".into()),
        rule: "auto_quarantine".into(),
        reason: "threats do not wait".into(),
        terms: EmergencyTerms {
            scope: AgentScope {
                accounts: vec!["acme".into()],
                services: Vec::new(),
            },
            acts_per_hour: 3,
            share_of_group: 12.5,
        },
        signed: vec![Signed {
            signature: Signature::Director,
            by: "dora@example.com".into(),
            at: given_at,
            comment: None,
        }],
        given_at,
        given_by: "dora@example.com".into(),
        until: "2027-01-01T00:00:00Z".parse()?,
        ended: Some(ApprovalEnd {
            at: given_at,
            by: "ann@example.com".into(),
            reason: "a mistake".into(),
        }),
        version: 1,
    })
}

/// An exclusion of one kind on one resource.
///
/// # Errors
/// The text is not a valid time.
pub fn exclusion(id: &str, at_ms: i64) -> Result<Exclusion> {
    Ok(Exclusion {
        aspect: None,
        id: ExclusionId(id.into()),
        resource: Some("i-1".into()),
        account: None,
        kind: Some(RecommendationType::RightSize),
        reason: "it is being replaced".into(),
        until: Some("2026-12-20T10:00:00Z".parse()?),
        by: "ann@example.com".into(),
        at: Timestamp::from_millisecond(at_ms)?,
    })
}

/// Change control with something of everything in it.
///
/// # Errors
/// A time or a time zone is invalid.
pub fn change_control() -> Result<ChangeControl> {
    let scope = AgentScope {
        accounts: vec!["prod-aws".into()],
        services: vec!["ec2".into()],
    };
    Ok(ChangeControl {
        windows: vec![MaintenanceWindow {
            name: "nights".into(),
            scope: scope.clone(),
            days: vec![Day::Saturday, Day::Sunday],
            start: "22:30".parse()?,
            duration_minutes: 240,
            time_zone: TimeZone::get("Europe/Berlin")?,
        }],
        freezes: vec![Freeze {
            name: "year end".into(),
            scope,
            from: "2026-12-20T00:00:00Z".parse()?,
            until: "2027-01-04T00:00:00Z".parse()?,
        }],
        direction: Direction::UpOnly,
        infrastructure_as_code: IacRule::Allow,
    })
}
