//! Pools: the instance types that a group may start instead of its own, by hazard and price, and
//! the share of the group that one pool may hold.

use std::sync::{Arc, LazyLock};

use reeve_estate::{InstanceSpec, PriceCatalogue, Provider, Resource};
use reeve_learn::interruption::{Chance, History, InterruptionModel};
use reeve_recommend::judgement::Facts;
use reeve_recommend::judgement::spot::{SpotRisk, family};

use super::market;

/// Most instance types that a group is given.
const MOST_TYPES: usize = 8;
/// Spread of spot prices around the average of a region's zones and days, as a share.
const PRICE_SPREAD: f64 = 0.2;
/// A type may have this many times the memory at most: more would be paid for and not used.
const MOST_MEMORY: f64 = 2.0;

/// An instance type with its prices an hour and the hazard of its pools.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct PoolCandidate {
    pub(super) name: String,
    pub(super) on_demand: f64,
    pub(super) spot: f64,
    /// Range of the spot price.
    pub(super) spot_range: (f64, f64),
    /// The price is that of the group's zones, and not the average of the region.
    pub(super) is_measured: bool,
    /// Chance of an interruption within a day, the mean over the zones.
    pub(super) day: Chance,
}

/// Split of a group into on-demand and spot machines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Split {
    /// Machines that stay on demand.
    pub(super) base: u32,
    /// Share of the further machines that is on demand, percent.
    pub(super) percent: u32,
}

/// Splits a group so that the loss of one pool takes no more than a share of it at once.
///
/// Auto Scaling spreads members evenly over zones and not over types, so that the share of a zone
/// is all that is certain of a pool: co-interruptions of a type in a zone fall within minutes.
pub(super) fn split(
    desired: u32,
    zones: u32,
    lost_at_once: f64,
    least_base: u32,
    least_percent: u32,
) -> Split {
    let zones = zones.max(1);
    // Holds at every size that the group scales to.
    let spot_share = (lost_at_once / 100.0 * f64::from(zones)).min(1.0);
    let percent = ((1.0 - spot_share) * 100.0).ceil() as u32;
    let percent = percent.max(least_percent).min(100);

    // Holds at the size of now, where machines cannot be divided.
    let may_lose = (f64::from(desired) * lost_at_once / 100.0).floor() as u32;
    let mut base = least_base.min(desired);
    while base < desired
        && spot_of(desired, Split { base, percent }).div_ceil(zones) > may_lose.max(1)
    {
        base += 1;
    }
    Split { base, percent }
}

/// Returns the number of spot machines of a group; Auto Scaling rounds the on-demand part up.
pub(super) fn spot_of(desired: u32, split: Split) -> u32 {
    let above = desired.saturating_sub(split.base);
    let on_demand = (above * split.percent).div_ceil(100);
    above - on_demand
}

/// Returns the instance types that a group of a size may start, its own first and the others by what
/// an hour costs after interruptions. Without `by_hazard` by price alone.
pub(super) fn candidates(
    facts: &Facts<'_>,
    own: &str,
    zones: &[String],
    by_hazard: bool,
) -> Vec<PoolCandidate> {
    let group = facts.resource;
    let catalogue = facts.catalogue;
    let Some(spec) = catalogue.instance(Provider::Aws, own) else {
        return Vec::new();
    };

    let risk = risk(facts);
    let mut found: Vec<PoolCandidate> = fitting(catalogue, spec)
        .filter_map(|other| candidate(catalogue, group, &other.name, zones, risk, facts))
        .collect();
    let weight = |one: &PoolCandidate| match by_hazard {
        true => one.spot * (1.0 + one.day.value),
        false => one.spot,
    };
    found.sort_by(|a, b| {
        weight(a)
            .total_cmp(&weight(b))
            .then_with(|| a.name.cmp(&b.name))
    });

    let types: Vec<PoolCandidate> = candidate(catalogue, group, own, zones, risk, facts)
        .into_iter()
        .collect();
    by_family(types, found, |one| &one.name)
}

/// Instance types that the market is asked about for a group of a size: its own first, the others
/// by what they cost on demand.
#[must_use]
pub fn market_types(catalogue: &PriceCatalogue, region: &str, own: &str) -> Vec<String> {
    let Some(spec) = catalogue.instance(Provider::Aws, own) else {
        return Vec::new();
    };
    let priced = fitting(catalogue, spec).filter_map(|other| {
        let price = catalogue.hourly_usd(Provider::Aws, region, &other.name, None)?;
        Some((price.usd_per_hour, other.name.clone()))
    });
    let mut priced: Vec<(f64, String)> = priced.collect();
    priced.sort_by(|a, b| a.0.total_cmp(&b.0).then_with(|| a.1.cmp(&b.1)));
    let names = priced.into_iter().map(|(_, name)| name).collect();
    by_family(vec![own.to_owned()], names, |name| name)
}

/// Instance types that may stand in for one.
fn fitting<'c>(
    catalogue: &'c PriceCatalogue,
    own: &'c InstanceSpec,
) -> impl Iterator<Item = &'c InstanceSpec> {
    let others = catalogue.exchangeable(Provider::Aws, &own.name);
    others.into_iter().filter(move |other| fits(own, other))
}

/// Appends types, one a family first: capacity of a family is short together.
fn by_family<T>(mut types: Vec<T>, found: Vec<T>, name: fn(&T) -> &str) -> Vec<T> {
    let mut later = Vec::new();
    for one in found {
        let is_known = |known: &T| family(name(known)) == family(name(&one));
        match types.iter().any(is_known) {
            true => later.push(one),
            false => types.push(one),
        }
    }
    types.extend(later);
    types.truncate(MOST_TYPES);
    types
}

/// Returns `true` if a type has what a member has, and not more than that.
fn fits(own: &InstanceSpec, other: &InstanceSpec) -> bool {
    let memory = match (own.memory_gib, other.memory_gib) {
        (Some(has), Some(gives)) => gives >= has && gives <= has * MOST_MEMORY,
        _ => false,
    };
    memory && other.vcpu == own.vcpu && own.burstable == other.burstable
}

fn candidate(
    catalogue: &PriceCatalogue,
    group: &Resource,
    name: &str,
    zones: &[String],
    risk: &SpotRisk,
    facts: &Facts<'_>,
) -> Option<PoolCandidate> {
    let platform = facts.resource.specification.platform.as_deref();
    let on_demand = catalogue
        .hourly_usd(group.provider, &group.region, name, platform)?
        .usd_per_hour;
    let level = market::level(facts, name, zones);
    let (spot, spot_range) = match level {
        Some(level) => (level.mean_usd, (level.low_usd, level.high_usd)),
        None => {
            let average = catalogue.spot_average(group.provider, &group.region, name, platform)?;
            let usd = average.usd_per_hour;
            (
                usd,
                (usd * (1.0 - PRICE_SPREAD), usd * (1.0 + PRICE_SPREAD)),
            )
        }
    };
    let chances: Vec<Chance> = zones
        .iter()
        .map(|zone| risk.risk(name, zone, (None, facts.now)).day)
        .collect();
    let mean = |read: fn(&Chance) -> f64| {
        chances.iter().map(read).sum::<f64>() / chances.len().max(1) as f64
    };
    (spot < on_demand).then(|| PoolCandidate {
        name: name.to_owned(),
        on_demand,
        spot,
        spot_range,
        is_measured: level.is_some(),
        day: Chance {
            value: mean(|chance| chance.value),
            low: mean(|chance| chance.low),
            high: mean(|chance| chance.high),
        },
    })
}

/// Beliefs about spot capacity in general.
static BELIEFS: LazyLock<SpotRisk> = LazyLock::new(|| SpotRisk {
    model: Arc::new(InterruptionModel::fit(&History::default())),
    interruptions: 0,
    lives: 0,
    history_days: 0,
    losses: Vec::new(),
});

/// Returns the risk that the run knows; the beliefs of the model where nothing was read.
pub(super) fn risk<'a>(facts: &Facts<'a>) -> &'a SpotRisk {
    facts.get::<SpotRisk>().unwrap_or(&BELIEFS)
}
