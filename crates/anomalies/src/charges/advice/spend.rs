//! Spend that is worth a look, where the bill alone cannot tell how much of it could be saved. No
//! amount is made up.

use super::{AdviceType, Bill, ChargeAdvice, ChargeScope, Trait};
use crate::charges::{BillCheck, ChargeAbstention};

/// Share of a currency's cost without tags that is worth saying, in thousandths.
const UNTAGGED: i64 = 100;

/// Advises a review of egress, and of other spend whose savings the bill cannot show.
pub(super) fn advise(
    bill: &mut Bill<'_>,
    abstentions: &mut Vec<ChargeAbstention>,
) -> Vec<ChargeAdvice> {
    let mut all = Vec::new();
    for (is, kind, title, missing) in [
        (
            Trait::Egress,
            AdviceType::ReviewEgress,
            "See what leaves the cloud, and whether a cache or compression would hold it",
            "where traffic goes",
        ),
        (
            Trait::BetweenZones,
            AdviceType::ReviewCrossZone,
            "Keep traffic within a zone where both sides have a copy there",
            "which machines talk to each other",
        ),
        (
            Trait::NatUse,
            AdviceType::ReviewNat,
            "Lead traffic to the cloud's own services past the NAT gateway, over endpoints",
            "where traffic goes",
        ),
        (
            Trait::Snapshot,
            AdviceType::ReviewSnapshots,
            "Let old snapshots run out",
            "how old snapshots are and which are needed",
        ),
        (
            Trait::StandardStorage,
            AdviceType::ReviewStorageClass,
            "Move objects that are seldom read to a cheaper class",
            "how often objects are read",
        ),
    ] {
        for (scope, pile) in bill
            .piles(|charge, found| (found == is).then(|| whole(ChargeScope::from_charge(charge))))
        {
            if let Some(mut advice) = bill.advise(kind, scope, &pile, None) {
                title.clone_into(&mut advice.title);
                advice.not_measured.push(missing);
                all.push(advice);
            }
        }
    }

    if bill.charges.iter().all(|charge| charge.tags.is_none()) {
        abstentions.push(ChargeAbstention {
            check: BillCheck::Tags,
            reason: "the file has no column Tags".to_owned(),
        });
        return all;
    }

    let piles = bill.piles(|charge, _| {
        let untagged = charge.tags.as_ref().is_some_and(|tags| tags.is_empty());
        untagged.then(|| ChargeScope {
            service: "".into(),
            ..whole(ChargeScope::from_charge(charge))
        })
    });

    for (scope, pile) in piles {
        let all_cost = bill.costs.get(&scope.currency).copied().unwrap_or_default();
        if pile.cost < all_cost.share(UNTAGGED, 1000) {
            continue;
        }
        if let Some(mut advice) = bill.advise(AdviceType::TagSpend, scope, &pile, None) {
            advice.title = "Tag resources without an owner".to_owned();
            advice.numbers.push((
                "share_percent",
                100.0 * pile.cost.as_f64() / all_cost.as_f64(),
            ));
            all.push(advice);
        }
    }

    all
}

/// Returns the scope without its account: the sum over all accounts.
fn whole(scope: ChargeScope) -> ChargeScope {
    ChargeScope {
        account: "".into(),
        ..scope
    }
}
