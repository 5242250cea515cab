//! Savings that a bill alone shows.
//!
//!
//! Each charge is counted in at most one saving: the most certain checks come first and take their
//! charges from the others. Savings are effective cost, after all discounts of the bill; the saving
//! at public prices is given beside it.

mod commitment;
mod idle;
mod newer;
mod spend;

use std::collections::BTreeMap;
use std::sync::Arc;

use reeve_estate::charge::{Amount, Charge};
use reeve_estate::named;
use reeve_recommend::recommendation::Priority;

use super::days::{ChargeScope, Days};
use super::traits::{Trait, Traits};
use super::{BillCheck, ChargeAbstention, ChargeSpan, is_usage};

named!(
    AdviceType {
        /// Use, exchange or let run out what was committed to and nobody uses.
        UnusedCommitment => "unused_commitment",
        /// Remove what is paid for and not used.
        RemoveIdle => "remove_idle",
        /// Upgrade an engine that is paid for beyond its standard life.
        EndExtendedSupport => "end_extended_support",
        /// Move to the newer kind of machine.
        NewerGeneration => "newer_generation",
        /// Move to the newer kind of volume.
        NewerVolume => "newer_volume",
        /// Commit to what is used on every day.
        CommitSteadyUsage => "commit_steady_usage",
        /// Look at what leaves the cloud.
        ReviewEgress => "review_egress",
        /// Look at what crosses zones and regions.
        ReviewCrossZone => "review_cross_zone",
        /// Look at what goes through NAT gateways.
        ReviewNat => "review_nat",
        ReviewSnapshots => "review_snapshots",
        /// Look at the class that objects are stored in.
        ReviewStorageClass => "review_storage_class",
        /// Tag resources without an owner.
        TagSpend => "tag_spend",
    }
);

/// Saving in a month.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct ChargeSaving {
    /// After discounts and commitments: what the bill would be less.
    pub after_discounts: Amount,
    /// The same at public prices, which is what other tools show.
    pub at_list: Amount,
}

/// A piece of advice.
#[derive(Debug, Clone, PartialEq)]
pub struct ChargeAdvice {
    /// Type of the advice.
    pub advice_type: AdviceType,
    /// Title, in one sentence.
    pub title: String,
    /// Account and service of the charges.
    pub scope: ChargeScope,
    /// The resource, where it is one.
    pub resource: Option<Arc<str>>,
    /// Monthly saving; `None` if the bill does not show the amount.
    pub saving: Option<ChargeSaving>,
    /// Monthly spend on it, after discounts.
    pub spend: Amount,
    /// Charges that it rests on.
    pub charges: usize,
    /// `true` if the amounts are those of the file, because it has too little data for a monthly
    /// estimate.
    pub as_observed: bool,
    /// Priority, by the share of the total spend.
    pub priority: Priority,
    /// The numbers that decided, by name.
    pub numbers: Vec<(&'static str, f64)>,
    /// Assumptions of the estimate.
    pub assumptions: Vec<&'static str>,
    /// Facts that the advice depends on and the bill lacks.
    pub not_measured: Vec<&'static str>,
}

/// Share of a currency's cost below which advice is not worth reading, in thousandths.
const WORTH: i64 = 1;
/// The same for spend without an amount that could be saved.
const WORTH_A_LOOK: i64 = 50;

/// State shared by the checks.
struct Bill<'a> {
    charges: &'a [Charge],
    traits: Vec<Trait>,
    /// Charges that a saving has been counted for.
    taken: Vec<bool>,
    span: ChargeSpan,
    thin: bool,
    /// Effective cost by currency, of the whole span.
    costs: BTreeMap<Arc<str>, Amount>,
}

/// Charges that one piece of advice rests on.
#[derive(Debug, Clone, Default)]
struct Pile {
    places: Vec<usize>,
    cost: Amount,
    list: Amount,
}

impl Pile {
    fn add(&mut self, place: usize, charge: &Charge) {
        self.places.push(place);
        self.cost += charge.cost();
        self.list += charge.list.unwrap_or(charge.cost());
    }
}

impl Bill<'_> {
    /// Charges of usage that no saving has been counted for yet, with their places and what they
    /// are for.
    fn free(&self) -> impl Iterator<Item = (usize, &Charge, Trait)> {
        let free = self
            .charges
            .iter()
            .enumerate()
            .zip(&self.traits)
            .map(|((place, charge), is)| (place, charge, *is));
        free.filter(|(place, charge, _)| !self.taken[*place] && is_usage(charge))
    }

    /// Piles of charges by a key.
    fn piles<K: Ord>(&self, key: impl Fn(&Charge, Trait) -> Option<K>) -> BTreeMap<K, Pile> {
        let mut piles: BTreeMap<K, Pile> = BTreeMap::new();
        for (place, charge, is) in self.free() {
            if let Some(key) = key(charge, is) {
                piles.entry(key).or_default().add(place, charge);
            }
        }
        piles
    }

    /// Advice about a pile, some of whose cost would be saved; nothing where that is too little to
    /// read.
    fn advise(
        &mut self,
        kind: AdviceType,
        scope: ChargeScope,
        pile: &Pile,
        saved: Option<Amount>,
    ) -> Option<ChargeAdvice> {
        let all = self.costs.get(&scope.currency).copied().unwrap_or_default();
        let (least, size) = saved.map_or((WORTH_A_LOOK, pile.cost), |saved| (WORTH, saved));
        if size <= Amount::ZERO || size < all.share(least, 1000) {
            return None;
        }

        if saved.is_some() {
            pile.places
                .iter()
                .for_each(|place| self.taken[*place] = true);
        }

        let monthly = |amount: Amount| self.span.monthly(amount, self.thin).rounded(6);
        let saving = saved.map(|saved| {
            let millionths = (saved.as_f64() / pile.cost.as_f64() * 1e6).round() as i64;
            ChargeSaving {
                after_discounts: monthly(saved),
                at_list: monthly(pile.list.share(millionths, 1_000_000)),
            }
        });

        Some(ChargeAdvice {
            advice_type: kind,
            title: String::new(),
            scope,
            resource: None,
            saving,
            spend: monthly(pile.cost),
            charges: pile.places.len(),
            as_observed: self.thin,
            priority: priority(size, all, saving.is_some()),
            numbers: Vec::new(),
            assumptions: Vec::new(),
            not_measured: Vec::new(),
        })
    }
}

fn priority(size: Amount, all: Amount, saves: bool) -> Priority {
    match size {
        _ if !saves => Priority::Low,
        size if size >= all.share(100, 1000) => Priority::High,
        size if size >= all.share(10, 1000) => Priority::Medium,
        _ => Priority::Low,
    }
}

/// All advice, the greatest saving first.
pub(super) fn advise(
    charges: &[Charge],
    days: &Days,
    span: ChargeSpan,
    thin: Option<&str>,
    abstentions: &mut Vec<ChargeAbstention>,
) -> Vec<ChargeAdvice> {
    let mut traits = Traits::default();
    let mut costs: BTreeMap<Arc<str>, Amount> = BTreeMap::new();
    for charge in charges.iter().filter(|charge| is_usage(charge)) {
        *costs.entry(Arc::clone(&charge.currency)).or_default() += charge.cost();
    }

    let mut bill = Bill {
        charges,
        traits: charges.iter().map(|charge| traits.find(charge)).collect(),
        taken: vec![false; charges.len()],
        span,
        thin: thin.is_some(),
        costs,
    };

    if let Some(reason) = thin {
        let reason = format!("{reason}; savings are what the file itself has, not a month's");
        abstentions.push(ChargeAbstention {
            check: BillCheck::MonthlySavings,
            reason,
        });
    }

    let mut all = idle::advise(&mut bill, abstentions);
    all.extend(newer::advise(&mut bill));

    match thin {
        Some(reason) => {
            abstentions.push(ChargeAbstention {
                check: BillCheck::CommitmentCoverage,
                reason: reason.to_owned(),
            });
        }
        None => all.extend(commitment::advise(&mut bill, days, abstentions)),
    }

    all.extend(spend::advise(&mut bill, abstentions));
    all.sort_by(|a, b| {
        let saving = |advice: &ChargeAdvice| advice.saving.map(|saving| saving.after_discounts);
        (saving(b), b.spend)
            .cmp(&(saving(a), a.spend))
            .then_with(|| {
                let key = |advice: &ChargeAdvice| {
                    (
                        advice.advice_type,
                        advice.scope.clone(),
                        advice.resource.clone(),
                    )
                };
                key(a).cmp(&key(b))
            })
    });

    all
}
