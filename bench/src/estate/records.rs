//! Records of the generated estate with everything that does not depend on their number.

use std::collections::BTreeMap;

use jiff::Timestamp;
use reeve_estate::{
    Connection, ConnectionCredentials, ConnectionId, ConnectionStatus, Money, Provider, Resource,
    ResourceId, ResourceKind, ResourceState, Specification,
};
use reeve_recommend::action::{
    Action, ActionId, ActionStatus, Purpose, StepOutcome, Watch, WatchVerdict,
};
use reeve_recommend::agent::settings::AgentSettings;
use reeve_recommend::agent::{
    Agent, AgentId, AgentScope, AgentType, AutoApply, Impact, Mode, Notifications, Timing,
};
use reeve_recommend::approval::{Approval, ApprovalId, ApprovalStatus, Signature};
use reeve_recommend::change::{Effect, ResizeMachine};
use reeve_recommend::plan::{Plan, StepKind};
use reeve_recommend::recommendation::lifecycle::Status;
use reeve_recommend::recommendation::origin::{Origin, OriginCause};
use reeve_recommend::recommendation::ranking::Ranking;
use reeve_recommend::recommendation::{
    ConfidenceRange, Effort, Explanation, FactorKind, Factors, ImpactAssessment, Priority,
    Recommendation, RecommendationDecision, RecommendationId, RecommendationSubject,
    RecommendationType,
};

/// A connection to which nothing answers: the inventory stays as it was put in.
pub(super) fn connection(id: String, at: Timestamp) -> Connection {
    Connection {
        name: id.clone(),
        id: ConnectionId(id),
        provider: Provider::Aws,
        account: String::new(),
        regions: vec!["eu-west-1".into()],
        credentials: ConnectionCredentials::AccessKey {
            access_key_id: "AKIDEXAMPLE".into(),
            secret_access_key: "not used".into(),
            session_token: None,
        },
        assume_role: None,
        external_id: None,
        endpoint: Some("http://127.0.0.1:1".into()),
        allow_actions: true,
        status: ConnectionStatus::Ready,
        last_sync: None,
        last_error: None,
        created_at: at,
    }
}

pub(super) fn resource(connection: ConnectionId, id: ResourceId, at: Timestamp) -> Resource {
    Resource {
        name: id.0.clone(),
        id,
        connection,
        provider: Provider::Aws,
        account: String::new(),
        region: "eu-west-1".into(),
        service: "ec2".into(),
        kind: ResourceKind::VirtualMachine,
        state: ResourceState::Running,
        specification: Specification::default(),
        purchase: None,
        tags: BTreeMap::new(),
        group: None,
        attached_to: Vec::new(),
        monthly_cost: Some(Money::from_usd(140.16)),
        created_at: None,
        observed_at: at,
    }
}

pub(super) fn agent(id: String, agent_type: AgentType, at: Timestamp) -> Agent {
    Agent {
        name: id.clone(),
        id: AgentId(id),
        agent_type,
        mode: Mode::SafeMode,
        scope: AgentScope {
            accounts: Vec::new(),
            services: Vec::new(),
        },
        learning_period_days: 14,
        confidence_threshold: 85.0,
        auto_apply: AutoApply {
            enabled: false,
            max_impact: Impact::Low,
            approval_required: Impact::Medium,
        },
        notifications: Notifications {
            recommendations: Timing::DailyDigest,
            actions_taken: Timing::Immediate,
            anomalies: Timing::Never,
        },
        schedule: None,
        settings: AgentSettings::default(),
        learning_waived: None,
        version: 1,
        created_at: at,
        last_run: None,
        last_change_run: None,
    }
}

/// A smaller machine, open, with its plan.
pub(super) fn recommendation(
    id: RecommendationId,
    resource: &ResourceId,
    at: Timestamp,
) -> Recommendation {
    let (from, to) = ("m5.xlarge".to_owned(), "m5.large".to_owned());
    let change = ResizeMachine {
        state: ResourceState::Running,
        from: from.clone(),
        to: to.clone(),
    };

    Recommendation {
        id,
        agent_id: None,
        origin: Origin {
            agent_type: AgentType::COST_OPTIMIZER,
            rule: "downsize_underutilized".into(),
            cause: OriginCause::Run,
        },
        kind: RecommendationType::RightSize,
        title: format!("Use {to} in place of {from}"),
        subject: RecommendationSubject {
            connection: ConnectionId(String::new()),
            id: resource.clone(),
            name: resource.0.clone(),
            kind: ResourceKind::VirtualMachine,
            provider: Provider::Aws,
            account: String::new(),
            region: "eu-west-1".into(),
            service: "ec2".into(),
            instance_type: Some(from),
            target_type: Some(to),
            managed_by_code: false,
            aspect: None,
        },
        priority: Priority::Medium,
        confidence: 91.25,
        impact_level: Impact::Medium,
        impact: ImpactAssessment {
            cost_percent: Some(-50.0),
            cost: "-50 % (70.08 USD a month)".into(),
            performance_degradation_percent: Some(1.0),
            performance: "peak CPU 23 % in place of 11 %".into(),
            security: "none".into(),
        },
        effort: Effort::Low,
        savings_monthly: None,
        savings_after_discounts: None,
        monthly_cost: Some(Money::from_usd(140.16)),
        status: Status::Open,
        plan: Some(Plan::new(&change, resource.as_str())),
        reason_codes: vec!["cpu_below_20_for_14_days".into()],
        not_measured: Vec::new(),
        explanation: explanation(),
        ranking: Ranking {
            weight: 1.0,
            words: "no feedback on its kind yet".into(),
            ..Ranking::default()
        },
        created_at: at,
        updated_at: at,
        expires_at: at,
        requested_by: None,
        scheduled_for: None,
        snoozed_until: None,
        status_reason: None,
        blocked: None,
        exception: None,
        closing: None,
        taken_back_by: None,
        version: 1,
    }
}

fn explanation() -> Explanation {
    let decision = |check: &str, detail: &str| RecommendationDecision {
        check: check.into(),
        answer: Some(true),
        detail: detail.into(),
    };
    Explanation {
        action: "Resize the machine".into(),
        factors: Factors::from([
            (FactorKind::Measured, "p95 of CPU was 11.2 % over 14 days"),
            (FactorKind::Measured, "p99 of memory was 31 %"),
        ]),
        confidence_range: Some(ConfidenceRange {
            low_percent: 87.5,
            high_percent: 94.0,
        }),
        data_points: 4_032,
        similar_cases: 3,
        success_rate: Some(100.0),
        risk: Impact::Low,
        cost_reduction: "70.08 USD a month".into(),
        performance_impact: "none expected".into(),
        decision_path: vec![
            decision("CPU below 20 %?", "11.2 %"),
            decision("Memory fits?", "31 % of 16 GiB"),
        ],
        models: Vec::new(),
        effect: None,
    }
}

/// A change that went through and whose saving was measured.
pub(super) fn action(
    id: String,
    recommendation: RecommendationId,
    resource: ResourceId,
    at: Timestamp,
) -> Action {
    let step = |index, kind, effect, description: &str| StepOutcome {
        index,
        kind,
        effect,
        description: description.into(),
        rollback: false,
        started_at: at,
        finished_at: Some(at),
        ok: Some(true),
        refusal: None,
        made: None,
        detail: "done".into(),
        before: vec![("state".into(), "running".into())],
        after: vec![("state".into(), "stopped".into())],
    };
    Action {
        id: ActionId(id),
        recommendation,
        agent_id: None,
        connection: ConnectionId(String::new()),
        resource,
        purpose: Purpose::Apply,
        run_id: None,
        emergency: None,
        plan_hash: "cd".repeat(32),
        by: "ann@example.com".into(),
        status: ActionStatus::Succeeded,
        steps: vec![
            step(0, StepKind::Stop, Some(Effect::Stops), "stop the machine"),
            step(
                1,
                StepKind::Start,
                Some(Effect::Restores),
                "start the machine",
            ),
        ],
        steps_total: 2,
        before: vec![("instance_type".into(), "m5.xlarge".into())],
        prior: None,
        started_at: at,
        finished_at: Some(at),
        reason: None,
        undone_by: None,
        watch: Some(Watch {
            until: at,
            verdict: WatchVerdict::Holds,
            detail: "cpu_utilization: +0.1 points".into(),
            realised_monthly: Some(Money::from_usd(69.5)),
            ..Watch::until(at)
        }),
        version: 1,
    }
}

pub(super) fn approval(id: String, recommendation: RecommendationId, at: Timestamp) -> Approval {
    Approval {
        id: ApprovalId(id),
        recommendation,
        plan_hash: "ab".repeat(32),
        impact: Impact::Medium,
        needed: vec![Signature::Manager],
        signed: Vec::new(),
        delegated: Vec::new(),
        reminded_at: Some(at),
        requested_by: "ann@example.com".into(),
        requested_at: at,
        expires_at: at,
        status: ApprovalStatus::Pending,
        reason: None,
        exception: None,
        version: 1,
    }
}
