//! Looking back: what would have been proposed at an earlier time, and whether it held in the days that followed. Each
//! answer is made from samples alone, so that a calibrator learns from the estate's own past before anything was applied.
//!
//! A proposal held when every day that could be judged afterwards stayed within the bounds it was made by: a smaller size
//! holds the load within the degradation guardrail, what was stopped stays unused, a need lasts, a commitment is used.

use jiff::{SignedDuration, Timestamp};
use reeve_estate::ResourceState;
use reeve_learn::calibrate::Example;
use reeve_learn::{DAY_MS, Window};

use super::evidence::Evidence;
use super::fit::{degradation_percent, fit, vcpu_ratio};
use super::{Facts, HORIZON_DAYS, commitment, idle, judge, schedule, throttled};
use reeve_recommend::agent::AgentType;
use reeve_recommend::models::LearnedModels;
use reeve_recommend::recommendation::RecommendationType;
use reeve_recommend::{Proposal, trust_group};

/// Share of the days afterwards that must be there to judge by.
const ENOUGH_DAYS: f64 = 0.7;

/// Returns `true` if a proposal proved right between a time and `facts.now`, judged by the samples of the unchanged
/// resource; `None` if they do not decide it.
#[must_use]
pub fn held(proposal: &Proposal, made_at: Timestamp, facts: &Facts<'_>) -> Option<bool> {
    let evidence = Evidence::of(facts);
    let after = Window { start_ms: made_at.as_millisecond(), end_ms: evidence.now_ms };
    match proposal.kind {
        RecommendationType::RightSize => smaller_held(proposal, &evidence, after),
        RecommendationType::IdleResourceCleanup if facts.resource.kind == reeve_estate::ResourceKind::Volume => {
            Some(facts.resource.state == ResourceState::Unattached)
        }
        RecommendationType::IdleResourceCleanup if is_schedule(proposal) => {
            schedule::kept_to(&Evidence::of(&Facts { now: made_at, ..*facts }), &evidence, after)
        }
        RecommendationType::IdleResourceCleanup => every_day(after, |day| idle::stayed_idle(&evidence, day)),
        RecommendationType::InstanceType => {
            let starved = proposal.reason_codes.iter().any(|code| code == throttled::CREDITS_EXHAUSTED);
            throttled::still_wanted(&evidence, after, starved)
        }
        RecommendationType::ReservedInstances => commitment::ran_through(&evidence, after),
        _ => None,
    }
}

fn is_schedule(proposal: &Proposal) -> bool {
    proposal.reason_codes.iter().any(|code| code == schedule::CODE)
}

fn smaller_held(proposal: &Proposal, evidence: &Evidence<'_>, after: Window) -> Option<bool> {
    let from = evidence.size.as_ref()?;
    let target = proposal.subject.target_type.as_deref()?;
    let facts = evidence.facts;
    let smaller = facts.catalogue.smaller_in_family(facts.resource.provider, &from.name);
    let others = facts.catalogue.exchangeable(facts.resource.provider, &from.name);
    let to = smaller.into_iter().chain(others).find(|spec| evidence.size_name(spec) == target)?;
    let cpu = evidence.cpu.as_ref()?;
    if cpu.summary(after)?.coverage < ENOUGH_DAYS {
        return None;
    }
    let degraded = degradation_percent(cpu, after, vcpu_ratio(from, to))?;
    let within = degraded <= facts.guardrails.max_degradation_percent;
    Some(within && fit(evidence, from, to, after).refused.is_none())
}

fn every_day(after: Window, holds: impl Fn(Window) -> Option<bool>) -> Option<bool> {
    let days = after.blocks(DAY_MS);
    let judged: Vec<bool> = days.iter().filter_map(|day| holds(*day)).collect();
    (!days.is_empty() && judged.len() as f64 >= ENOUGH_DAYS * days.len() as f64)
        .then(|| judged.iter().all(|held| *held))
}

/// Returns training examples: the proposals of each past time, labelled by whether they proved right within
/// [`HORIZON_DAYS`]. Times whose horizon has not ended by `facts.now` are left out.
#[must_use]
pub(super) fn look_back(facts: &Facts<'_>, agent: AgentType, times: &[Timestamp]) -> Vec<Example> {
    let mut found = Vec::new();
    for at in times {
        let until = *at + SignedDuration::from_hours(24 * HORIZON_DAYS);
        if until > facts.now || facts.unchanged_since.is_some_and(|since| since > *at) {
            continue;
        }
        for proposal in judge(&Facts { now: *at, models: LearnedModels::none(), ..*facts }).proposals {
            if let Some(held) = held(&proposal, *at, &Facts { now: until, ..*facts }) {
                let group = trust_group(agent, proposal.kind);
                let (raw, features) = (proposal.trust.raw, proposal.trust.features);
                found.push(Example { at_ms: at.as_millisecond(), group, raw, features, held, weight: 1.0 });
            }
        }
    }
    found
}
