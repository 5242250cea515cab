//! The rules that come with Reeve: the specification's three and its traffic intelligence.

use jiff::Timestamp;

use super::rule::{ApprovalKind, ApprovalRule, Condition, Foreseen, Response, ResponseKind, Rule, Signal};
use reeve_recommend::RuleId;
use reeve_recommend::agent::Scope;

const MINUTE: i64 = 60;
const HOUR: i64 = 3_600;
const DAY: i64 = 86_400;

/// What sets one of them apart.
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
        id: "traffic-pre-scale",
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
        id: "traffic-warm-cache",
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
        id: "maintenance-failover",
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
pub fn presets(now: Timestamp) -> Vec<Rule> {
    PRESETS.iter().map(|preset| rule(preset, now)).collect()
}

fn rule(of: &Preset, now: Timestamp) -> Rule {
    Rule {
        id: RuleId(of.id.to_owned()),
        name: of.name.to_owned(),
        enabled: true,
        agent_type: of.response.agent_type(),
        condition: Condition {
            signal: of.signal,
            foreseen: of.foreseen,
            value: of.value,
            calendars: Vec::new(),
            horizon_s: of.horizon_s,
            probability_percent: 50.0,
        },
        response: Response { kind: of.response, step_percent: 25.0 },
        approval: ApprovalRule {
            kind: of.approval,
            below_gb: (of.approval == ApprovalKind::AutoBelow).then_some(500.0),
        },
        scope: Scope::default(),
        resources: Vec::new(),
        every_s: of.every_s,
        evaluated_at: None,
        last_result: None,
        created_by: "system".to_owned(),
        created_at: now,
        updated_at: now,
        version: 1,
    }
}
