//! Older kinds of machines and volumes, whose successors do the same for less at public prices.
//! What discounts were negotiated is taken to hold for the successor too, so the same share of the
//! effective cost is saved.

use super::{AdviceType, Bill, ChargeAdvice, ChargeScope, Trait};

/// Thousandths that gp3 costs less than gp2 a gigabyte and month: 0.08 against 0.10 USD, us-east-1,
/// 2026-07.
const GP3_BELOW_GP2: i64 = 200;

/// Advises the successors of older machine and volume families.
pub(super) fn advise(bill: &mut Bill<'_>) -> Vec<ChargeAdvice> {
    let mut all = Vec::new();
    let piles = bill.piles(|charge, is| match is {
        // What a commitment pays for stays paid for.
        Trait::OldMachine(family) if charge.commitment.is_none() => Some((
            ChargeScope::from_charge(charge),
            family.name,
            family.newer,
            family.below,
        )),
        _ => None,
    });

    for ((scope, name, newer, below), pile) in piles {
        if let Some(mut advice) = bill.advise(
            AdviceType::NewerGeneration,
            scope,
            &pile,
            Some(pile.cost.share(below, 1000)),
        ) {
            advice.title = format!("Move {name} machines to {newer}");
            advice
                .numbers
                .push(("price_below_percent", below as f64 / 10.0));
            advice
                .assumptions
                .push("the price difference of Linux machines in us-east-1 holds for these");
            advice
                .not_measured
                .push("whether the images boot on the newer hypervisor (network and NVMe drivers)");
            all.push(advice);
        }
    }

    let piles =
        bill.piles(|charge, is| (is == Trait::OldVolume).then(|| ChargeScope::from_charge(charge)));
    for (scope, pile) in piles {
        if let Some(mut advice) = bill.advise(
            AdviceType::NewerVolume,
            scope,
            &pile,
            Some(pile.cost.share(GP3_BELOW_GP2, 1000)),
        ) {
            advice.title = "Move gp2 volumes to gp3".to_owned();
            advice
                .numbers
                .push(("price_below_percent", GP3_BELOW_GP2 as f64 / 10.0));
            advice
                .assumptions
                .push("3,000 operations and 125 MB a second, which gp3 includes, are enough");
            advice
                .not_measured
                .push("volumes beyond 1,000 GB, whose gp2 baseline is higher");
            all.push(advice);
        }
    }

    all
}
