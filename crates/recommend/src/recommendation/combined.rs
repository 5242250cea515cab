//! Recommendations on one resource, evaluated together: some exclude each other, some wait for
//! another, and what they save together is less than the sum (`lessons`: savings that never reach
//! the bill).
//!
//! A saving is a share of what the resource costs. Two that can both be made multiply what is left
//! instead of adding up, and of those that exclude each other only the best set counts. Sets are
//! small (one open recommendation per resource and type), so every one is tried.

use std::collections::BTreeMap;

use reeve_estate::{Money, ResourceId};

use crate::recommendation::{Recommendation, RecommendationId, RecommendationType};

/// Sets larger than this are cut to their most saving members; there are thirteen types.
const MOST: usize = 13;

/// Relation between two recommendations on one resource.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Relation {
    /// Only one of them can be made.
    Excludes,
    /// It is better made after the other: what it commits to depends on it.
    After,
}

/// One recommendation among the others on its resource.
#[derive(Debug, Clone, PartialEq)]
pub struct Contribution {
    pub id: RecommendationId,
    /// Monthly saving that the recommendation adds to the best set; zero if it is not in that set.
    pub counted: Money,
    /// Its relations to others.
    pub relations: Vec<(Relation, RecommendationId)>,
}

/// Returns the relation of `this` to `other` on the same resource; `None` if they are independent.
#[must_use]
pub const fn relation(this: RecommendationType, other: RecommendationType) -> Option<Relation> {
    use RecommendationType::{
        AutoScaling, HighAvailability, IdleResourceCleanup, InstanceType, ReservedInstances,
        RightSize, SpotInstances,
    };
    match (this, other) {
        // What is stopped needs no other size, no commitment, no other market and no redundancy.
        (
            IdleResourceCleanup,
            RightSize | InstanceType | ReservedInstances | SpotInstances | AutoScaling | HighAvailability,
        )
        | (
            RightSize | InstanceType | ReservedInstances | SpotInstances | AutoScaling | HighAvailability,
            IdleResourceCleanup,
        )
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

/// Part of a recommendation that decides what it saves together with others on its resource.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Saver {
    /// Identifier of the recommendation.
    pub id: RecommendationId,
    /// Kind of the recommendation.
    pub kind: RecommendationType,
    /// Expected savings a month; zero where no price is known.
    pub saving: Money,
    /// Monthly cost of the resource.
    pub monthly_cost: Option<Money>,
}

impl From<&Recommendation> for Saver {
    fn from(from: &Recommendation) -> Self {
        Saver {
            id: from.id.clone(),
            kind: from.kind,
            saving: from.expected_savings().unwrap_or(Money::ZERO),
            monthly_cost: from.monthly_cost,
        }
    }
}

/// Returns what recommendations on one resource save together a month.
#[must_use]
pub fn combined_on_resource(savers: &[Saver]) -> Money {
    evaluate(savers)
        .into_iter()
        .map(|contribution| contribution.counted)
        .sum()
}

/// Evaluates recommendations together, resource by resource. The sum of what is counted is what
/// they save in all.
#[must_use]
pub fn contributions(open: &[&Recommendation]) -> Vec<Contribution> {
    let mut by_resource: BTreeMap<(&str, &str, &str, &ResourceId), Vec<Saver>> = BTreeMap::new();
    for recommendation in open {
        let subject = &recommendation.subject;
        let key = (
            subject.provider.as_str(),
            subject.account.as_str(),
            subject.region.as_str(),
            &subject.id,
        );
        by_resource
            .entry(key)
            .or_default()
            .push(Saver::from(*recommendation));
    }

    by_resource
        .into_values()
        .flat_map(|members| evaluate(&members))
        .collect()
}

/// Returns the combined monthly savings of the recommendations that have not ended. Every total of
/// savings is this figure.
#[must_use]
pub fn combined_savings<'a>(recommendation: impl IntoIterator<Item = &'a Recommendation>) -> Money {
    let open: Vec<&Recommendation> = recommendation
        .into_iter()
        .filter(|one| !one.status.is_end())
        .collect();
    contributions(&open)
        .into_iter()
        .map(|contribution| contribution.counted)
        .sum()
}

/// Returns the cost a month that the recommendations add together which have not ended and cost
/// more than they save.
#[must_use]
pub fn added_cost<'a>(recommendations: impl IntoIterator<Item = &'a Recommendation>) -> Money {
    let open = recommendations
        .into_iter()
        .filter(|one| !one.status.is_end());
    let costs = open
        .filter_map(Recommendation::expected_savings)
        .filter(|saving| *saving < Money::ZERO);
    costs.map(|saving| Money::ZERO - saving).sum()
}

fn evaluate(members: &[Saver]) -> Vec<Contribution> {
    let mut ordered: Vec<&Saver> = members.iter().collect();
    ordered.sort_by(|a, b| b.saving.cmp(&a.saving).then_with(|| a.id.cmp(&b.id)));
    let (tried, rest) = ordered.split_at(ordered.len().min(MOST));
    let best = best_set(tried);
    let counted = counted(tried, best);
    let relations = |saver: &Saver| {
        let others = members.iter().filter(|other| other.id != saver.id);
        others
            .filter_map(|other| Some((relation(saver.kind, other.kind)?, other.id.clone())))
            .collect()
    };

    let contribution = |(saver, counted): (&&Saver, Money)| Contribution {
        id: saver.id.clone(),
        counted,
        relations: relations(saver),
    };

    tried
        .iter()
        .zip(counted)
        .map(contribution)
        .chain(rest.iter().map(|saver| contribution((saver, Money::ZERO))))
        .collect()
}

/// The subset, as bits, without an exclusion in it that saves most; of equals the smallest.
fn best_set(members: &[&Saver]) -> u32 {
    let excludes =
        |a: usize, b: usize| relation(members[a].kind, members[b].kind) == Some(Relation::Excludes);
    let sound = |set: u32| {
        let at = || (0..members.len()).filter(move |bit| set >> bit & 1 == 1);
        at().all(|a| at().all(|b| a >= b || !excludes(a, b)))
    };

    let worth = |set: u32| counted(members, set).into_iter().sum::<Money>();
    let sets = (0..1u32 << members.len()).filter(|set| sound(*set));
    sets.max_by_key(|set| (worth(*set), std::cmp::Reverse(set.count_ones())))
        .unwrap_or(0)
}

/// Returns the contribution of each member of a set: its share of the cost that earlier members
/// leave. Members that others wait for come first.
fn counted(members: &[&Saver], set: u32) -> Vec<Money> {
    let mut order: Vec<usize> = (0..members.len())
        .filter(|bit| set >> bit & 1 == 1)
        .collect();
    order.sort_by_key(|at| members[*at].kind == RecommendationType::ReservedInstances);
    let mut counted = vec![Money::ZERO; members.len()];
    let mut left = 1.0;

    for at in order {
        let saving = members[at].saving;
        let share = match members[at].monthly_cost {
            Some(cost) if cost > Money::ZERO && saving > Money::ZERO => {
                (saving.usd() / cost.usd()).min(1.0)
            }
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
