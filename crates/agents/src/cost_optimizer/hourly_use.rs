//! Hours of a machine that a commitment could pay for, at list price.

use std::collections::BTreeSet;

use reeve_estate::{Purchase, ResourceKind};
use reeve_learn::HOUR_MS;
use reeve_recommend::judgement::portfolio::Family;
use reeve_recommend::judgement::proposal::Proposal;
use reeve_recommend::recommendation::RecommendationType;

use super::commitment::{HourlyUse, Reservation};
use super::evidence::CostEvidence;
use super::price::hourly;
use crate::discounts::Billed;

/// The use of a machine that is paid by the hour; `None` for any other, and where there is no price
/// or nothing was measured. A point of CPU says that it ran. What commitments pay already, by its
/// bill, is left out, and so is what the machine's own findings take away: a machine that should
/// stop is not committed to, and one that should shrink at its smaller size.
pub(super) fn measure(evidence: &CostEvidence<'_>, proposals: &[Proposal]) -> Option<HourlyUse> {
    let facts = evidence.facts;
    let machine = facts.resource;
    if machine.kind != ResourceKind::VirtualMachine || machine.purchase != Some(Purchase::OnDemand)
    {
        return None;
    }

    let size = machine.specification.instance_type.as_deref()?;
    let platform = machine.specification.platform.as_deref();
    let discount =
        facts
            .catalogue
            .reservation_discount(machine.provider, &machine.region, size, platform)?;
    let remaining = remaining(proposals)?;
    let billed = Billed::from_charges(facts.charges);
    let committed = billed.map_or(0.0, |billed| billed.committed);
    let history = evidence.history();
    let points = history.select(&evidence.cpu.as_ref()?.points);
    let hours: BTreeSet<i64> = points
        .iter()
        .map(|(at, _)| at.div_euclid(HOUR_MS))
        .collect();

    Some(HourlyUse {
        family: Family {
            provider: machine.provider,
            account: machine.account.clone(),
        },
        resource: machine.id.clone(),
        paid_share: billed.and_then(Billed::on_demand),
        usd: hourly(facts.catalogue, machine, size)? * (1.0 - committed) * remaining,
        hours,
        discount: discount.share,
        wording: discount.wording,
        reservation: reservation(evidence, size),
    })
}

/// Share of the cost that remains after the findings; `None` for a machine that should stop.
fn remaining(proposals: &[Proposal]) -> Option<f64> {
    let mut share: f64 = 1.0;
    for proposal in proposals {
        match proposal.kind {
            // Spot capacity is the other way to pay for the same hours.
            RecommendationType::IdleResourceCleanup | RecommendationType::SpotInstances => {
                return None;
            }
            // Two sizes exclude each other.
            RecommendationType::RightSize | RecommendationType::InstanceType => {
                share = share.min(1.0 + proposal.impact.cost_percent.unwrap_or(0.0) / 100.0);
            }
            _ => {}
        }
    }

    Some(share.clamp(0.0, 1.0))
}

/// The reservation of the machine's family. Sizes share reservations on Linux without a licence
/// alone.
fn reservation(evidence: &CostEvidence<'_>, size: &str) -> Option<Reservation> {
    let (catalogue, machine) = (evidence.facts.catalogue, evidence.facts.resource);
    let platform = machine.specification.platform.as_deref();
    if platform.is_some_and(|platform| platform != "linux") {
        return None;
    }

    Some(Reservation {
        region: machine.region.clone(),
        family: catalogue.instance(machine.provider, size)?.family.clone(),
        discount: catalogue.family_discount(machine.provider, &machine.region, size, platform)?,
        three_years: catalogue.family_discount_three_years(
            machine.provider,
            &machine.region,
            size,
            platform,
        ),
    })
}
