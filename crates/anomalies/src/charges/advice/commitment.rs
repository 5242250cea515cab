//! Usage at standard prices that is there on every day: what a commitment of a year would save.
//!
//! What is committed to is a share of the tenth percentile of days, so that a quiet day still uses
//! all of it. The discount is less than any provider gives for a year without payment in advance;
//! below the break-even utilization the commitment would cost more than it saves. Charges that
//! another saving counts are left out first.

use std::collections::BTreeMap;

use reeve_estate::charge::{Amount, PricingCategory};

use super::{AdviceType, Bill, ChargeAdvice, ChargeScope, Pile, Trait};
use crate::charges::days::{Days, spread};
use crate::charges::{BillCheck, ChargeAbstention};

/// Thousandths that a commitment of a year takes off, with nothing paid in advance: AWS gives 27
/// and more for compute, Azure and Google Cloud 28 and more; a fifth is taken so that the advice
/// holds for the dearest machine too.
const DISCOUNT: i64 = 200;
/// Thousandths of the steady cost that are committed to.
const COMMITTED: i64 = 800;
/// Whole days below which steadiness cannot be judged.
const LEAST_DAYS: i64 = 30;
/// The tenth percentile must reach this share of the median.
const STEADY: f64 = 0.6;

/// Advises a commitment for usage that stands at standard prices on every day.
pub(super) fn advise(
    bill: &mut Bill<'_>,
    days: &Days,
    abstentions: &mut Vec<ChargeAbstention>,
) -> Vec<ChargeAdvice> {
    let count = days.last - days.first + 1;
    if count < LEAST_DAYS {
        let reason =
            format!("{count} whole days of charges; steady usage needs at least {LEAST_DAYS}");
        abstentions.push(ChargeAbstention {
            check: BillCheck::CommitmentCoverage,
            reason,
        });
        return Vec::new();
    }

    // Commitments are made by who is billed and shared below: sub-accounts are put together.
    let piles = bill.piles(|charge, is| {
        let category = charge.service_category.as_deref().unwrap_or("");
        let computes = category.eq_ignore_ascii_case("compute")
            || category.to_lowercase().starts_with("database");
        let hours = charge
            .unit
            .as_deref()
            .is_some_and(|unit| unit.to_lowercase().contains("hour"));
        let on_demand =
            charge.pricing == Some(PricingCategory::Standard) && charge.commitment.is_none();
        let plain = !matches!(
            is,
            Trait::NatHour | Trait::BalancerHour | Trait::IdleAddress | Trait::ExtendedSupport
        );
        let account = super::super::named(charge.account.as_ref());
        (computes && hours && on_demand && plain).then(|| ChargeScope {
            account,
            ..ChargeScope::from_charge(charge)
        })
    });

    piles
        .into_iter()
        .filter_map(|(scope, pile)| steady(bill, days, scope, &pile))
        .collect()
}

fn steady(
    bill: &mut Bill<'_>,
    days: &Days,
    scope: ChargeScope,
    pile: &Pile,
) -> Option<ChargeAdvice> {
    let mut by_day: BTreeMap<i64, Amount> = (days.first..=days.last)
        .map(|day| (day, Amount::ZERO))
        .collect();
    for place in &pile.places {
        spread(&bill.charges[*place], |day, amount| {
            if let Some(cost) = by_day.get_mut(&day) {
                *cost += amount;
            }
        });
    }

    let mut sorted: Vec<Amount> = by_day.into_values().collect();
    sorted.sort_unstable();
    let (low, middle) = (
        *sorted.get(sorted.len() / 10)?,
        *sorted.get(sorted.len() / 2)?,
    );
    if low <= Amount::ZERO || low.as_f64() < STEADY * middle.as_f64() {
        return None;
    }

    let committed = low.share(COMMITTED, 1000);
    let whole = i64::try_from(sorted.len()).ok()?;
    let saved = committed.share(DISCOUNT, 1000).share(whole, 1);
    let mut advice = bill.advise(AdviceType::CommitSteadyUsage, scope, pile, Some(saved))?;
    advice.title = "Commit for a year to what is used on every day at standard prices".to_owned();
    advice.numbers = vec![
        ("days", sorted.len() as f64),
        ("daily_cost_p10", low.rounded(6).as_f64()),
        ("daily_cost_median", middle.rounded(6).as_f64()),
        ("commit_daily", committed.rounded(6).as_f64()),
        ("discount_percent", DISCOUNT as f64 / 10.0),
        (
            "break_even_utilization_percent",
            100.0 - DISCOUNT as f64 / 10.0,
        ),
        ("expected_utilization_percent", 100.0),
    ];

    advice.assumptions = vec![
        "a commitment of one year with nothing paid in advance takes 20 % off",
        "usage stays as steady as in this bill",
        "80 % of the tenth percentile of daily costs is committed to",
    ];

    advice.not_measured = vec![
        "hours within a day",
        "commitments that were bought after this bill",
    ];
    Some(advice)
}
