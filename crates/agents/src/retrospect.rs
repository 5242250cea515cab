//! Judgements at earlier times, each with whether it held: the examples from which an agent type's
//! confidence is learned.

use jiff::{SignedDuration, Timestamp};
use reeve_learn::calibrate::Example;
use reeve_learn::{DAY_MS, Window};
use reeve_recommend::agent::AgentType;
use reeve_recommend::judgement::proposal::Proposal;
use reeve_recommend::judgement::trust::trust_group;
use reeve_recommend::judgement::{Facts, HORIZON_DAYS, Judgement};
use reeve_recommend::models::LearnedModels;

/// Share of the days afterwards that must be there to judge by.
pub(crate) const ENOUGH_DAYS: f64 = 0.7;

/// Returns `true` if a condition held on every day of a time, of those that it could be judged on;
/// `None` with too few of them.
pub(crate) fn every_day(after: Window, holds: impl Fn(Window) -> Option<bool>) -> Option<bool> {
    let days = after.blocks(DAY_MS);
    let judged: Vec<bool> = days.iter().filter_map(|day| holds(*day)).collect();
    (!days.is_empty() && judged.len() as f64 >= ENOUGH_DAYS * days.len() as f64)
        .then(|| judged.iter().all(|held| *held))
}

/// Returns training examples: the proposals of each past time, labelled by whether they proved
/// right within [`HORIZON_DAYS`]. Times whose horizon has not ended by `facts.now` are left out.
pub(crate) fn look_back(
    facts: &Facts<'_>,
    agent: AgentType,
    times: &[Timestamp],
    judge: impl Fn(&Facts<'_>) -> Judgement,
    held: impl Fn(&Proposal, Timestamp, &Facts<'_>) -> Option<bool>,
) -> Vec<Example> {
    let mut found = Vec::new();
    for at in times {
        let until = *at + SignedDuration::from_hours(24 * HORIZON_DAYS);
        if until > facts.now || facts.unchanged_since.is_some_and(|since| since > *at) {
            continue;
        }
        for proposal in judge(&Facts {
            now: *at,
            models: LearnedModels::none(),
            ..*facts
        })
        .proposals
        {
            if let Some(held) = held(
                &proposal,
                *at,
                &Facts {
                    now: until,
                    ..*facts
                },
            ) {
                let group = trust_group(agent, proposal.kind);
                let (raw, features) = (proposal.trust.raw, proposal.trust.features);
                found.push(Example {
                    at_ms: at.as_millisecond(),
                    group,
                    raw,
                    features,
                    held,
                    weight: 1.0,
                });
            }
        }
    }

    found
}
