//! Recommendations on one resource, evaluated together: some exclude each other, some wait for another, and what they save
//! together is less than the sum (`lessons`: savings that never reach the bill).
//!
//! A saving is a share of what the resource costs. Two that can both be made multiply what is left instead of adding up,
//! and of those that exclude each other only the best set counts. Sets are small (one open recommendation per resource and
//! type), so every one is tried.

use std::collections::BTreeMap;

use reeve_estate::{Money, ResourceId};

use crate::recommendation::{Recommendation, RecommendationId, RecommendationType};

/// Sets larger than this are cut to their most saving members; there are thirteen types.
const MOST: usize = 13;

/// How two recommendations on one resource go together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Relation {
    /// Only one of them can be made.
    Excludes,
    /// It is better made after the other: what it commits to depends on it.
    After,
}

/// One recommendation among the others on its resource.
#[derive(Debug, Clone, PartialEq)]
pub struct Part {
    /// Which.
    pub id: RecommendationId,
    /// What it adds a month to what the best set saves; zero when it is not in it.
    pub counted: Money,
    /// Its relations to others.
    pub relations: Vec<(Relation, RecommendationId)>,
}

/// How `this` goes together with `other` on the same resource; `None` where they do not touch each other.
#[must_use]
pub const fn relation(this: RecommendationType, other: RecommendationType) -> Option<Relation> {
    use RecommendationType::{
        AutoScaling, IdleResourceCleanup, InstanceType, ReservedInstances, RightSize, SpotInstances,
    };
    match (this, other) {
        // What is stopped needs no other size, no commitment and no other market.
        (IdleResourceCleanup, RightSize | InstanceType | ReservedInstances | SpotInstances | AutoScaling)
        | (RightSize | InstanceType | ReservedInstances | SpotInstances | AutoScaling, IdleResourceCleanup)
        // Two sizes, and two ways to pay.
        | (RightSize, InstanceType)
        | (InstanceType, RightSize)
        | (ReservedInstances, SpotInstances)
        | (SpotInstances, ReservedInstances) => Some(Relation::Excludes),
        // A commitment to a size that is about to change would be paid for nothing.
        (ReservedInstances, RightSize | InstanceType | AutoScaling) => Some(Relation::After),
        _ => None,
    }
}

/// Evaluates recommendations together, resource by resource. The sum of what is counted is what they save in all.
#[must_use]
pub fn together(open: &[&Recommendation]) -> Vec<Part> {
    let mut by_resource: BTreeMap<(&str, &str, &str, &ResourceId), Vec<&Recommendation>> = BTreeMap::new();
    for of in open {
        let subject = &of.subject;
        let key = (subject.provider.as_str(), subject.account.as_str(), subject.region.as_str(), &subject.id);
        by_resource.entry(key).or_default().push(of);
    }
    by_resource.into_values().flat_map(|members| evaluate(&members)).collect()
}

/// What recommendations that have not ended save together a month. Every total of savings is this figure.
#[must_use]
pub fn saved_together<'a>(of: impl IntoIterator<Item = &'a Recommendation>) -> Money {
    let open: Vec<&Recommendation> = of.into_iter().filter(|one| !one.status.is_end()).collect();
    together(&open).into_iter().map(|part| part.counted).sum()
}

/// Expected savings of a recommendation; zero where no price is known.
fn saving(of: &Recommendation) -> Money {
    of.expected_savings().unwrap_or(Money::ZERO)
}

fn evaluate(members: &[&Recommendation]) -> Vec<Part> {
    let mut ordered: Vec<&Recommendation> = members.to_vec();
    ordered.sort_by(|a, b| saving(b).cmp(&saving(a)).then_with(|| a.id.cmp(&b.id)));
    let (tried, rest) = ordered.split_at(ordered.len().min(MOST));
    let best = best_set(tried);
    let counted = counted(tried, best);
    let relations = |of: &Recommendation| {
        let others = members.iter().filter(|other| other.id != of.id);
        others.filter_map(|other| Some((relation(of.kind, other.kind)?, other.id.clone()))).collect()
    };
    let part = |(of, counted): (&&Recommendation, Money)| Part { id: of.id.clone(), counted, relations: relations(of) };
    tried.iter().zip(counted).map(part).chain(rest.iter().map(|of| part((of, Money::ZERO)))).collect()
}

/// The subset, as bits, without an exclusion in it that saves most; of equals the smallest.
fn best_set(members: &[&Recommendation]) -> u32 {
    let excludes = |a: usize, b: usize| relation(members[a].kind, members[b].kind) == Some(Relation::Excludes);
    let sound = |set: u32| {
        let at = || (0..members.len()).filter(move |bit| set >> bit & 1 == 1);
        at().all(|a| at().all(|b| a >= b || !excludes(a, b)))
    };
    let worth = |set: u32| counted(members, set).into_iter().sum::<Money>();
    let sets = (0..1u32 << members.len()).filter(|set| sound(*set));
    sets.max_by_key(|set| (worth(*set), std::cmp::Reverse(set.count_ones()))).unwrap_or(0)
}

/// What each member of a set adds: its share of what the ones before it, those it waits for first, leave of the cost.
fn counted(members: &[&Recommendation], set: u32) -> Vec<Money> {
    let mut order: Vec<usize> = (0..members.len()).filter(|bit| set >> bit & 1 == 1).collect();
    order.sort_by_key(|at| members[*at].kind == RecommendationType::ReservedInstances);
    let mut counted = vec![Money::ZERO; members.len()];
    let mut left = 1.0;
    for at in order {
        let saving = saving(members[at]);
        let share = match members[at].monthly_cost {
            Some(cost) if cost > Money::ZERO && saving > Money::ZERO => (saving.usd() / cost.usd()).min(1.0),
            _ => {
                counted[at] = saving.max(Money::ZERO);
                continue;
            }
        };
        let cost = members[at].monthly_cost.map_or(0.0, Money::usd);
        counted[at] = Money::from_usd(cost * left * share);
        left *= 1.0 - share;
    }
    counted
}
