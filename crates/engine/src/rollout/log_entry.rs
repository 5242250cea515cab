//! The audit entries of rollouts. Each carries `metadata.rollout_id`; the changes themselves tell
//! their own story, with the rollout in their comment.

use reeve_audit::{ActionStatus, Entry, EventType, Json, ResourceRef, events};
use reeve_recommend::caller::Caller;
use reeve_recommend::rollout::{Gate, MemberState, Rollout};

use crate::log_entry;

const ROLLOUT: EventType = events::ROLLOUT.event_type();

/// About a rollout, in its present state.
pub(super) fn rollout_entry(
    operation: &str,
    status: ActionStatus,
    rollout: &Rollout,
    caller: &Caller,
) -> Entry {
    let states = MemberState::ALL.iter().filter_map(|state| {
        let count = rollout
            .members
            .iter()
            .filter(|member| member.state == *state)
            .count();
        (count > 0).then(|| (state.as_str(), Json::from(count as u64)))
    });

    let settings = &rollout.settings;
    log_entry::entry(ROLLOUT, operation, status, caller)
        .on(ResourceRef::new("rollout", rollout.id.0.clone()))
        .with_metadata("rollout_id", rollout.id.0.clone())
        .with_metadata("agent_id", rollout.agent_id.0.clone())
        .with_metadata("recommendation_type", rollout.kind.as_str())
        .with_metadata("begun_by", rollout.by.clone())
        .after(Json::object([
            ("status", Json::from(rollout.status.as_str())),
            ("stage", Json::from(rollout.stage.as_str())),
            ("wave", Json::from(u64::from(rollout.wave))),
            ("reason", Json::from(rollout.reason.clone())),
            ("members", Json::object(states)),
            ("canary", Json::from(u64::from(settings.canary))),
            ("validation_s", Json::from(settings.validation_s)),
            (
                "shares_percent",
                Json::Array(
                    settings
                        .shares_percent
                        .iter()
                        .map(|share| Json::from(*share))
                        .collect(),
                ),
            ),
            ("max_failures", Json::from(u64::from(settings.max_failures))),
        ]))
}

/// About a gate that said something else than before.
pub(super) fn gate_entry(
    rollout: &Rollout,
    gate: &Gate,
    status: ActionStatus,
    caller: &Caller,
) -> Entry {
    let checks = gate.checks.iter().map(|check| {
        Json::object([
            ("check", Json::from(check.name.clone())),
            ("found", Json::from(check.found)),
            (
                if check.at_most { "at_most" } else { "at_least" },
                Json::from(check.needed),
            ),
            ("holds", Json::from(check.holds())),
        ])
    });
    rollout_entry("rollout.gate", status, rollout, caller)
        .with_metadata("stage", gate.stage.as_str())
        .with_metadata("verdict", gate.verdict.as_str())
        .with_metadata("gate", gate.words.clone())
        .with_metadata("checks", Json::Array(checks.collect()))
}
