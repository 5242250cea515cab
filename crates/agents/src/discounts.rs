//! Savings after the discounts that a resource's bill shows.
//!
//! A FOCUS bill has the list price and the effective cost of each charge, so their ratio is the
//! discount that the account really gets. Commitments are paid whether they are used or not: a
//! change of the resource saves nothing of them. Without a bill, the cost that the cloud itself
//! gives stands in; without either, the list price is all that is known, which the explanation
//! says.

use std::sync::Arc;

use reeve_estate::charge::{Charge, ChargeCategory, PricingCategory};
use reeve_estate::money::HOURS_PER_MONTH;
use reeve_estate::{Money, Purchase, Resource, ResourceKind};
use reeve_learn::HOUR_MS;
use reeve_recommend::judgement::Facts;
use reeve_recommend::judgement::proposal::Proposal;
use reeve_recommend::recommendation::FactorKind;
use reeve_recommend::words::percent;

/// Days of charges that prices are taken from.
pub(crate) const CHARGE_DAYS: i64 = 30;
/// Cost above this share of the list price counts as the list price: no discount is so small.
const LIST: f64 = 0.995;

/// Charges of a resource beside their list price, as shares of it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Billed {
    /// Cost of the usage that no commitment paid.
    pub(crate) paid: f64,
    /// List price of the usage that a commitment paid.
    pub(crate) committed: f64,
}

impl Billed {
    /// Reads the charges of a resource; `None` where none has a list price. Charges in another
    /// currency than the first one's are left out: shares are the same in each, sums are not.
    pub(crate) fn from_charges(charges: &[Charge]) -> Option<Self> {
        let currency: &Arc<str> = &charges.first()?.currency;
        let usage = charges.iter().filter(|charge| {
            charge.category == ChargeCategory::Usage
                && !charge.correction
                && charge.currency == *currency
        });
        let (mut list, mut paid, mut committed) = (0.0, 0.0, 0.0);

        for charge in usage {
            let Some(price) = charge
                .list
                .map(|amount| amount.as_f64())
                .filter(|price| *price > 0.0)
            else {
                continue;
            };
            list += price;
            if charge.commitment.is_some() || charge.pricing == Some(PricingCategory::Committed) {
                committed += price;
            } else {
                paid += charge.cost().as_f64();
            }
        }

        (list > 0.0).then(|| Billed {
            paid: (paid / list).clamp(0.0, 1.0),
            committed: committed / list,
        })
    }

    /// Cost of the use that no commitment pays, as a share of its list price; `None` where
    /// commitments pay for all of it.
    pub(crate) fn on_demand(self) -> Option<f64> {
        let own = 1.0 - self.committed;
        (own > 0.0).then(|| (self.paid / own).clamp(0.0, 1.0))
    }

    fn words(&self) -> String {
        let paid = percent(self.paid * 100.0);
        if self.committed > 0.0 {
            let committed = percent(self.committed * 100.0);
            return format!(
                "By the bill of the last {CHARGE_DAYS} days {committed} of its use is paid by commitments, which a change does not end; \
                 the rest costs {paid} of the list price, and only that is saved"
            );
        }
        format!("By the bill of the last {CHARGE_DAYS} days it costs {paid} of the list price")
    }
}

/// Cost of a resource a month by its bill: its usage charges that `counts` takes, after discounts,
/// over the days that they are for. `None` without such charges in US dollars, the currency of
/// savings.
pub(crate) fn billed_monthly(
    charges: &[Charge],
    counts: impl Fn(&Charge) -> bool,
) -> Option<Money> {
    let usage = charges.iter().filter(|charge| {
        charge.category == ChargeCategory::Usage
            && &*charge.currency == "USD"
            && !charge.correction
            && counts(charge)
    });

    let (mut cost, mut start_ms, mut end_ms) = (0.0, i64::MAX, i64::MIN);
    for charge in usage {
        cost += charge.cost().as_f64();
        (start_ms, end_ms) = (start_ms.min(charge.start_ms), end_ms.max(charge.end_ms));
    }

    let hours = end_ms.checked_sub(start_ms).filter(|span| *span > 0)? as f64 / HOUR_MS as f64;
    Some(Money::from_usd(cost / hours * HOURS_PER_MONTH))
}

/// Sets what a proposal saves after discounts, and says which prices its figures are of.
pub(crate) fn apply(facts: &Facts<'_>, list_now: Option<Money>, proposal: &mut Proposal) {
    let Some(list_saving) = proposal.savings_monthly else {
        return;
    };

    let billed = Billed::from_charges(facts.charges);
    let (share, words) = match billed {
        Some(billed) => (
            Some(billed.paid).filter(|share| *share < LIST),
            Some(billed.words()),
        ),
        None => known(facts.resource, whole_list_price(facts).or(list_now)),
    };

    // What costs more costs it after discounts too.
    proposal.savings_after_discounts =
        share.map(|share| Money::from_usd(list_saving.usd() * share));
    // The present cost stands beside the saving: both are after discounts, or both at list price.
    let list = facts
        .catalogue
        .monthly_cost(facts.resource)
        .map(|month| month.cost);
    if let (Some(share), Some(cost)) = (share.filter(|share| *share > 0.0), proposal.monthly_cost)
        && list.is_some_and(|list| (cost.usd() - list.usd()).abs() <= (1.0 - LIST) * list.usd())
    {
        proposal.monthly_cost = Some(Money::from_usd(cost.usd() * share));
    }

    let origin = origin(facts);
    let text = match (words, origin) {
        (Some(words), Some(origin)) => format!("{words}; list prices: {origin}"),
        (Some(words), None) => words,
        (None, Some(origin)) => {
            format!("Prices are list prices ({origin}): no bill of this resource is known")
        }
        (None, None) => "Prices are list prices: no bill of this resource is known".to_owned(),
    };

    proposal.explanation.factors.add(FactorKind::Price, text);
}

/// Source and date of the list prices of the resource, in words: of its hours, or of the parts of
/// its cost.
pub(crate) fn origin(facts: &Facts<'_>) -> Option<String> {
    let (catalogue, resource) = (facts.catalogue, facts.resource);
    let size = resource.specification.instance_type.as_deref();
    let hourly = size
        .and_then(|size| catalogue.hourly_for(resource, size))
        .map(|price| vec![price.origin]);
    let origins = hourly.or_else(|| catalogue.monthly_cost(resource).map(|month| month.origins))?;
    let words: Vec<String> = origins.iter().map(ToString::to_string).collect();
    (!words.is_empty()).then(|| words.join(" and "))
}

/// The list price of a database with its storage, as the cloud's own figure has it.
fn whole_list_price(facts: &Facts<'_>) -> Option<Money> {
    let database = facts.resource.kind == ResourceKind::Database;
    database
        .then(|| facts.catalogue.monthly_cost(facts.resource))
        .flatten()
        .map(|month| month.cost)
}

/// Share of the list price that the cloud itself says is paid, and the prices in words; neither
/// where the list price is all that is known.
fn known(resource: &Resource, list_now: Option<Money>) -> (Option<f64>, Option<String>) {
    if resource.purchase == Some(Purchase::Reserved) {
        let words = "It is reserved capacity, which is paid whether it is used or not";
        return (Some(0.0), Some(words.to_owned()));
    }

    let share = resource
        .monthly_cost
        .zip(list_now)
        .map(|(paid, list)| paid.usd() / list.usd());
    let share = share.filter(|share| share.is_finite() && *share > 0.0 && *share < LIST);
    (
        share,
        share.map(|share| format!("It costs {} of the list price", percent(share * 100.0))),
    )
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use reeve_estate::charge::focus::FocusReader;

    use super::*;

    fn bill(lines: &[&str]) -> Vec<Charge> {
        let header = "BilledCost,ChargePeriodStart,BillingCurrency,ChargeCategory,EffectiveCost,ListCost,PricingCategory";
        let mut reader = FocusReader::from_header(header.split(',')).unwrap();
        let charge = |line: &&str| {
            let cells: Vec<&str> = line.split(',').collect();
            reader.charge(|place| cells.get(place).copied()).unwrap()
        };
        lines.iter().map(charge).collect()
    }

    #[test]
    fn a_bill_tells_the_discount_and_what_commitments_pay() {
        let negotiated = bill(&["8,2026-11-01T00:00:00Z,EUR,Usage,8,10,Standard"]);
        assert_eq!(
            Billed::from_charges(&negotiated),
            Some(Billed {
                paid: 0.8,
                committed: 0.0
            })
        );

        let half = bill(&[
            "9,2026-11-01T00:00:00Z,USD,Usage,9,10,Standard",
            "0,2026-11-02T00:00:00Z,USD,Usage,6,10,Committed",
        ]);
        assert_eq!(
            Billed::from_charges(&half),
            Some(Billed {
                paid: 0.45,
                committed: 0.5
            })
        );
    }

    #[test]
    fn taxes_credits_and_charges_without_a_list_price_say_nothing() {
        let lines = [
            "2,2026-11-01T00:00:00Z,USD,Tax,2,2,",
            "-5,2026-11-01T00:00:00Z,USD,Credit,-5,5,",
            "3,2026-11-01T00:00:00Z,USD,Usage,3,,",
        ];
        assert_eq!(Billed::from_charges(&bill(&lines)), None);
        assert_eq!(Billed::from_charges(&[]), None);
    }
}
