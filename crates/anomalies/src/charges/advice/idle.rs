//! Charges for unused commitments, addresses, load balancers and gateways; and surcharges that an
//! upgrade ends.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use reeve_estate::charge::{Amount, CommitmentStatus};

use super::{AdviceType, Bill, ChargeAdvice, ChargeScope, Trait};
use crate::charges::{BillCheck, ChargeAbstention, DAY_MS};

/// Hours that a balancer or gateway must have been paid for before its silence means anything.
const LEAST_HOURS: i64 = 7 * 24;

/// Advises the removal of unused commitments, addresses, load balancers and gateways.
pub(super) fn advise(
    bill: &mut Bill<'_>,
    abstentions: &mut Vec<ChargeAbstention>,
) -> Vec<ChargeAdvice> {
    let mut all = unused_commitments(bill);
    let piles = bill
        .piles(|charge, is| (is == Trait::IdleAddress).then(|| ChargeScope::from_charge(charge)));

    for (scope, pile) in piles {
        if let Some(mut advice) = bill.advise(AdviceType::RemoveIdle, scope, &pile, Some(pile.cost))
        {
            advice.title = "Release addresses that are paid for and attached to nothing".to_owned();
            let resources: BTreeSet<_> = pile
                .places
                .iter()
                .filter_map(|place| bill.charges[*place].resource.as_ref())
                .collect();
            advice.numbers.push(("resources", resources.len() as f64));
            advice
                .not_measured
                .push("whether an address is kept for a partner's allow-list");
            all.push(advice);
        }
    }

    for (hour, used, what) in [
        (Trait::BalancerHour, Trait::BalancerUse, "load balancer"),
        (Trait::NatHour, Trait::NatUse, "NAT gateway"),
    ] {
        all.extend(silent(bill, hour, used, what, abstentions));
    }

    let piles = bill.piles(|charge, is| {
        (is == Trait::ExtendedSupport).then(|| ChargeScope::from_charge(charge))
    });
    for (scope, pile) in piles {
        if let Some(mut advice) = bill.advise(
            AdviceType::EndExtendedSupport,
            scope,
            &pile,
            Some(pile.cost),
        ) {
            advice.title =
                "Upgrade engines that are paid for beyond their standard support".to_owned();
            advice
                .assumptions
                .push("the surcharge ends with the upgrade; the instance itself costs what it did");
            advice.not_measured.push("what the upgrade takes to test");
            all.push(advice);
        }
    }

    all
}

fn unused_commitments(bill: &mut Bill<'_>) -> Vec<ChargeAdvice> {
    let mut used: BTreeMap<Arc<str>, Amount> = BTreeMap::new();
    for (_, charge, _) in bill.free() {
        if let (Some(commitment), Some(CommitmentStatus::Used)) =
            (&charge.commitment, charge.commitment_status)
        {
            *used.entry(Arc::clone(commitment)).or_default() += charge.cost();
        }
    }

    let piles = bill.piles(|charge, _| {
        let unused = charge.commitment_status == Some(CommitmentStatus::Unused);
        unused.then(|| {
            (
                ChargeScope::from_charge(charge),
                super::super::named(charge.commitment.as_ref()),
            )
        })
    });

    let mut all = Vec::new();
    for ((scope, commitment), pile) in piles {
        let Some(mut advice) =
            bill.advise(AdviceType::UnusedCommitment, scope, &pile, Some(pile.cost))
        else {
            continue;
        };
        let used = used.get(&commitment).copied().unwrap_or_default().as_f64();
        let unused = pile.cost.as_f64();
        advice.title =
            "Move usage under a commitment that is paid for and not used, exchange it, or let it run out".to_owned();
        advice.resource = Some(commitment).filter(|id| !id.is_empty());
        advice
            .numbers
            .push(("utilization_percent", 100.0 * used / (used + unused)));
        advice.assumptions.push(
            "as much usage as is unused moves under it, or it is exchanged or sold at its value",
        );
        advice.not_measured.push("when the commitment ends");
        all.push(advice);
    }

    all
}

/// Balancers and gateways that are paid for by the hour and carried nothing.
fn silent(
    bill: &mut Bill<'_>,
    hour: Trait,
    used: Trait,
    what: &'static str,
    abstentions: &mut Vec<ChargeAbstention>,
) -> Vec<ChargeAdvice> {
    let mut carried: BTreeMap<Arc<str>, Amount> = BTreeMap::new();
    for (_, charge, is) in bill.free() {
        if let (true, Some(resource)) = (is == used, &charge.resource) {
            *carried.entry(Arc::clone(resource)).or_default() +=
                charge.consumed.unwrap_or(charge.cost()).abs();
        }
    }

    let piles = bill.piles(|charge, is| {
        (is == hour)
            .then(|| {
                charge
                    .resource
                    .clone()
                    .map(|resource| (ChargeScope::from_charge(charge), resource))
            })
            .flatten()
    });

    if !piles.is_empty() && carried.values().all(|amount| *amount == Amount::ZERO) {
        // Where not one of them carried anything, the file has no such charges rather than no such
        // traffic.
        let reason = format!(
            "{} {what}s by the hour and no charge for traffic through any of them",
            piles.len()
        );
        abstentions.push(ChargeAbstention {
            check: BillCheck::Idle,
            reason,
        });
        return Vec::new();
    }

    let mut all = Vec::new();
    for ((scope, resource), pile) in piles {
        let ms: i64 = pile
            .places
            .iter()
            .map(|place| bill.charges[*place].end_ms - bill.charges[*place].start_ms)
            .sum();
        let hours = ms / (DAY_MS / 24);
        if hours < LEAST_HOURS
            || carried
                .get(&resource)
                .is_some_and(|amount| *amount > Amount::ZERO)
        {
            continue;
        }
        if let Some(mut advice) = bill.advise(AdviceType::RemoveIdle, scope, &pile, Some(pile.cost))
        {
            advice.title = format!("Remove a {what} without traffic");
            advice.resource = Some(resource);
            advice.numbers.push(("hours", hours as f64));
            advice
                .not_measured
                .push("whether it is a standby for a failover");
            all.push(advice);
        }
    }

    all
}
