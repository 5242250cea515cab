//! Order of the members: the least critical first, then in growing shares. Pure.

use reeve_estate::Money;

use crate::agent::Impact;
use crate::recommendation::{Recommendation, RecommendationId};
use crate::rollout::RolloutSettings;
use crate::rollout::member::{MemberState, RolloutMember};

/// A recommendation that may go out, with what decides when.
#[derive(Debug, Clone)]
pub struct WaveCandidate {
    pub recommendation: Recommendation,
    /// A tag says that the resource is not production.
    pub non_production: bool,
    /// A tag says that it is.
    pub production: bool,
}

/// Orders candidates and gives each its wave: what is tagged as no production first, what is tagged
/// as production last, and within that by impact, cost and identifier, so that the same set always
/// goes out in the same order.
#[must_use]
pub fn waves(mut all: Vec<WaveCandidate>, settings: &RolloutSettings) -> Vec<RolloutMember> {
    let rank = |one: &WaveCandidate| -> (u8, Impact, Money, RecommendationId) {
        let tagged = if one.non_production {
            0
        } else {
            1 + u8::from(one.production)
        };
        (
            tagged,
            one.recommendation.impact_level,
            one.recommendation.monthly_cost.unwrap_or(Money::ZERO),
            one.recommendation.id.clone(),
        )
    };
    all.sort_by_key(rank);

    let total = all.len();
    let canary = (settings.canary as usize).clamp(1, total.max(1));
    let reached = |percent: &f64| ((percent / 100.0 * total as f64).ceil() as usize).max(canary);
    let ends: Vec<usize> = settings.shares_percent.iter().map(reached).collect();
    let wave_of = |at: usize| {
        if at < canary {
            0
        } else {
            1 + ends.iter().take_while(|end| at >= **end).count() as u32
        }
    };

    let member = |(at, one): (usize, WaveCandidate)| RolloutMember {
        recommendation: one.recommendation.id.clone(),
        resource: one.recommendation.subject.id.clone(),
        name: one.recommendation.subject.name.clone(),
        critical: !one.non_production,
        wave: wave_of(at),
        state: MemberState::Waiting,
        detail: String::new(),
        block: None,
        accepted: false,
    };

    all.into_iter().enumerate().map(member).collect()
}
