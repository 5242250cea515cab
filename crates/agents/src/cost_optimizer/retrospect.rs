//! Looking back: what would have been proposed at an earlier time, and whether it held in the days
//! that followed. Each answer is made from samples alone, so that a calibrator learns from the
//! estate's own past before anything was applied.
//!
//! A proposal held when every day that could be judged afterwards stayed within the bounds it was
//! made by: a smaller size holds the load within the degradation guardrail, what was stopped stays
//! unused, a need lasts, a commitment is used.

use jiff::Timestamp;
use reeve_estate::ResourceState;
use reeve_learn::Window;
use reeve_learn::calibrate::Example;
use reeve_recommend::agent::AgentType;
use reeve_recommend::change::Unused;
use reeve_recommend::judgement::proposal::Proposal;
use reeve_recommend::recommendation::RecommendationType;

use super::evidence::CostEvidence;
use super::fit::{degradation_percent, fit, vcpu_ratio};
use super::{Facts, commitment, idle, judge, schedule, throttled, unused};
use crate::retrospect::{self, every_day};

/// Returns `true` if a proposal proved right between a time and `facts.now`, judged by the samples
/// of the unchanged resource; `None` if they do not decide it.
#[must_use]
pub fn held(proposal: &Proposal, made_at: Timestamp, facts: &Facts<'_>) -> Option<bool> {
    let evidence = CostEvidence::new(facts);
    let after = Window {
        start_ms: made_at.as_millisecond(),
        end_ms: evidence.now_ms,
    };

    match proposal.kind {
        RecommendationType::RightSize => smaller_held(proposal, &evidence, after),
        RecommendationType::IdleResourceCleanup
            if facts.resource.kind == reeve_estate::ResourceKind::Volume =>
        {
            Some(facts.resource.state == ResourceState::Unattached)
        }
        RecommendationType::IdleResourceCleanup
            if Unused::from_kind(facts.resource.kind).is_some() =>
        {
            every_day(after, |day| unused::stayed_unused(facts, day))
        }
        RecommendationType::IdleResourceCleanup if is_schedule(proposal) => schedule::kept_to(
            &CostEvidence::new(&Facts {
                now: made_at,
                ..*facts
            }),
            &evidence,
            after,
        ),
        RecommendationType::IdleResourceCleanup => {
            every_day(after, |day| idle::stayed_idle(&evidence, day))
        }
        RecommendationType::InstanceType => {
            let starved = proposal
                .reason_codes
                .iter()
                .any(|code| code == throttled::CREDITS_EXHAUSTED);
            throttled::still_wanted(&evidence, after, starved)
        }
        RecommendationType::ReservedInstances => commitment::ran_through(&evidence, after),
        _ => None,
    }
}

fn is_schedule(proposal: &Proposal) -> bool {
    proposal
        .reason_codes
        .iter()
        .any(|code| code == schedule::CODE)
}

fn smaller_held(proposal: &Proposal, evidence: &CostEvidence<'_>, after: Window) -> Option<bool> {
    let from = evidence.size.as_ref()?;
    let target = proposal.subject.target_type.as_deref()?;
    let facts = evidence.facts;
    let smaller = facts
        .catalogue
        .smaller_in_family(facts.resource.provider, &from.name);
    let others = facts
        .catalogue
        .exchangeable(facts.resource.provider, &from.name);
    let to = smaller
        .into_iter()
        .chain(others)
        .find(|spec| evidence.size_name(spec) == target)?;
    let cpu = evidence.cpu.as_ref()?;
    if cpu.summary(after)?.coverage < retrospect::ENOUGH_DAYS {
        return None;
    }

    let degraded = degradation_percent(cpu, after, vcpu_ratio(from, to))?;
    let within = degraded <= facts.guardrails.max_degradation_percent;
    Some(within && fit(evidence, from, to, after).refused.is_none())
}

/// Returns training examples of the past times.
#[must_use]
pub(super) fn look_back(facts: &Facts<'_>, agent: AgentType, times: &[Timestamp]) -> Vec<Example> {
    retrospect::look_back(facts, agent, times, judge, held)
}
