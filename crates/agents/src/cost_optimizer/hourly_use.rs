//! Hours of a machine that a commitment could pay for, at list price.

use std::collections::BTreeSet;

use reeve_estate::{Purchase, ResourceKind};
use reeve_learn::HOUR_MS;
use reeve_recommend::portfolio::{Family, HourlyUse};

use super::evidence::Evidence;
use super::price::hourly;
use crate::discounts::Billed;

/// The use of a machine that is paid by the hour; `None` for any other, and where there is no price or nothing was measured. A point
/// of CPU says that it ran. What commitments pay already, by its bill, is left out.
pub(super) fn measure(evidence: &Evidence<'_>) -> Option<HourlyUse> {
    let facts = evidence.facts;
    let machine = facts.resource;
    if machine.kind != ResourceKind::VirtualMachine || machine.purchase != Some(Purchase::OnDemand) {
        return None;
    }
    let size = machine.specification.instance_type.as_deref()?;
    let platform = machine.specification.platform.as_deref();
    let discount = facts.catalogue.reservation_discount(machine.provider, &machine.region, size, platform)?;
    let committed = Billed::from_charges(facts.charges).map_or(0.0, |billed| billed.committed);
    let history = evidence.history();
    let points = history.select(&evidence.cpu.as_ref()?.points);
    let hours: BTreeSet<i64> = points.iter().map(|(at, _)| at.div_euclid(HOUR_MS)).collect();
    Some(HourlyUse {
        family: Family { provider: machine.provider, account: machine.account.clone() },
        resource: machine.id.clone(),
        usd: hourly(facts.catalogue, machine, size)? * (1.0 - committed),
        hours,
        discount: discount.share,
        wording: discount.wording,
    })
}
