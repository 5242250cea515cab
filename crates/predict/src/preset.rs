//! The rules that come with Reeve: requirements, and traffic intelligence.

use jiff::Timestamp;
use reeve_recommend::agent::AgentScope;
use reeve_recommend::predictive::{
    ApprovalKind, ApprovalRule, Foreseen, PredictiveCondition, PredictiveRule, Response,
    ResponseKind, Signal,
};
use reeve_recommend::recommendation::origin::RuleId;

const MINUTE: i64 = 60;
const HOUR: i64 = 3_600;
const DAY: i64 = 86_400;

/// Rule that adds capacity before a peak of traffic.
pub(super) const TRAFFIC_PRE_SCALE: &str = "traffic-pre-scale";
/// Rule that fills caches before a peak of traffic.
pub(super) const TRAFFIC_WARM_CACHE: &str = "traffic-warm-cache";
/// Rule that makes a standby ready before a maintenance.
pub(super) const MAINTENANCE_FAILOVER: &str = "maintenance-failover";

/// Values in which the presets differ.
struct Preset {
    id: &'static str,
    name: &'static str,
    signal: Option<Signal>,
    foreseen: Foreseen,
    value: Option<f64>,
    horizon_s: i64,
    response: ResponseKind,
    approval: ApprovalKind,
    every_s: i64,
}

const PRESETS: [Preset; 6] = [
    Preset {
        id: "disk-space-full",
        name: "Disk full in seven days",
        signal: Some(Signal::DiskSpace),
        foreseen: Foreseen::Full,
        value: None,
        horizon_s: 7 * DAY,
        response: ResponseKind::ExpandStorage,
        approval: ApprovalKind::AutoBelow,
        every_s: HOUR,
    },
    Preset {
        id: "database-connections-saturation",
        name: "Database connections run out in two hours",
        signal: Some(Signal::DatabaseConnections),
        foreseen: Foreseen::Saturation,
        value: None,
        horizon_s: 2 * HOUR,
        response: ResponseKind::CreateReadReplica,
        approval: ApprovalKind::Required,
        every_s: 10 * MINUTE,
    },
    Preset {
        id: "api-rate-limit-exhaustion",
        name: "Limit on calls reached in fifteen minutes",
        signal: Some(Signal::ApiRateLimit),
        foreseen: Foreseen::Exhaustion,
        value: None,
        horizon_s: 15 * MINUTE,
        response: ResponseKind::RequestLimitIncrease,
        approval: ApprovalKind::Auto,
        every_s: 5 * MINUTE,
    },
    Preset {
        id: TRAFFIC_PRE_SCALE,
        name: "More capacity fifteen minutes before a peak of traffic",
        signal: Some(Signal::RequestRate),
        foreseen: Foreseen::Spike,
        value: Some(50.0),
        horizon_s: 15 * MINUTE,
        response: ResponseKind::PreScale,
        approval: ApprovalKind::Auto,
        every_s: 5 * MINUTE,
    },
    Preset {
        id: TRAFFIC_WARM_CACHE,
        name: "Warm caches thirty minutes before high traffic",
        signal: Some(Signal::RequestRate),
        foreseen: Foreseen::Spike,
        value: Some(50.0),
        horizon_s: 30 * MINUTE,
        response: ResponseKind::WarmCache,
        approval: ApprovalKind::Auto,
        every_s: 5 * MINUTE,
    },
    Preset {
        id: MAINTENANCE_FAILOVER,
        name: "Failover ready one hour before a maintenance",
        signal: None,
        foreseen: Foreseen::Event,
        value: None,
        horizon_s: HOUR,
        response: ResponseKind::PrepareFailover,
        approval: ApprovalKind::Required,
        every_s: 5 * MINUTE,
    },
];

/// The rules that come with Reeve, made now.
#[must_use]
pub fn presets(now: Timestamp) -> Vec<PredictiveRule> {
    PRESETS.iter().map(|preset| rule(preset, now)).collect()
}

fn rule(preset: &Preset, now: Timestamp) -> PredictiveRule {
    PredictiveRule {
        id: RuleId(preset.id.to_owned()),
        name: preset.name.to_owned(),
        enabled: true,
        agent_type: preset.response.agent_type(),
        condition: PredictiveCondition {
            signal: preset.signal,
            foreseen: preset.foreseen,
            value: preset.value,
            calendars: Vec::new(),
            horizon_s: preset.horizon_s,
            probability_percent: 50.0,
        },
        response: Response {
            kind: preset.response,
            step_percent: 25.0,
            call: None,
        },
        approval: ApprovalRule {
            kind: preset.approval,
            below_gb: (preset.approval == ApprovalKind::AutoBelow).then_some(500.0),
        },
        scope: AgentScope::default(),
        resources: Vec::new(),
        every_s: preset.every_s,
        evaluated_at: None,
        last_result: None,
        created_by: "system".to_owned(),
        created_at: now,
        updated_at: now,
        version: 1,
    }
}
