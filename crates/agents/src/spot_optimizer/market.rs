//! The market of spot capacity as the judgement reads it: prices of a group's zones, whether
//! capacity is to be had there, and which source is missing.

use std::sync::Arc;

use reeve_audit::Obstacle;
use reeve_recommend::judgement::Facts;
use reeve_recommend::judgement::proposal::Path;
use reeve_recommend::judgement::spot_market::{Placement, PriceLevel, SpotMarket};
use reeve_recommend::recommendation::{FactorKind, Factors};

fn market<'a>(facts: &Facts<'a>) -> Option<&'a SpotMarket> {
    facts.get::<Arc<SpotMarket>>().map(Arc::as_ref)
}

/// Returns the price level of an instance type over zones; `None` where their prices were not read.
pub(super) fn level(facts: &Facts<'_>, size: &str, zones: &[String]) -> Option<PriceLevel> {
    let platform = facts.resource.specification.platform.as_deref();
    market(facts)?.level(size, zones, platform)
}

/// Returns what a price of a machine is of, in words.
pub(super) fn basis(facts: &Facts<'_>, size: &str, zone: Option<&String>) -> &'static str {
    match zone.and_then(|zone| level(facts, size, std::slice::from_ref(zone))) {
        Some(_) => "spot price of its zone",
        None => "average spot price of the region",
    }
}

/// Checks that capacity is to be had in each zone of a group. Where no score is known the question
/// stays open, with the reason.
pub(super) fn to_be_had(
    facts: &Facts<'_>,
    zones: &[String],
    least: u64,
    path: &mut Path,
) -> Result<(), Obstacle> {
    let question = "Is spot capacity to be had in its zones?";
    let found = market(facts).and_then(|market| market.placement(&facts.resource.id));
    let scores: Vec<_> = found
        .map_or(&[][..], |placement| placement.zones.as_slice())
        .iter()
        .filter(|one| zones.contains(&one.zone))
        .collect();
    let (Some(placement), Some(lowest)) = (found, scores.iter().min_by_key(|one| one.score)) else {
        path.unanswered(question, no_scores(market(facts)));
        return Ok(());
    };

    let words = words_of(placement);
    if u64::from(lowest.score) < least {
        return Err(Obstacle::of(format_args!(
            "placement score {} of 10 in {} ({words}), {least} is needed: spot capacity would hardly be had",
            lowest.score, lowest.zone
        )));
    }
    let lowest = format!("placement score {} of 10 or more, {words}", lowest.score);
    path.ask(question, true, lowest);
    Ok(())
}

fn words_of(placement: &Placement) -> String {
    format!(
        "for {} machines of {} types in one zone, {}",
        placement.machines,
        placement.types.len(),
        placement.at
    )
}

/// Adds what is known of the market, and which source is missing with the way to connect it.
pub(super) fn explain(facts: &Facts<'_>, factors: &mut Factors) {
    let market = market(facts);
    let has_prices = market.is_some_and(|market| !market.prices.is_empty());
    if !has_prices {
        factors.add(FactorKind::Confidence, no_prices(market));
    }
    match market.and_then(|market| market.placement(&facts.resource.id)) {
        Some(placement) => {
            let zones: Vec<String> = placement
                .zones
                .iter()
                .map(|one| format!("{} {}", one.zone, one.score))
                .collect();
            factors.add(
                FactorKind::Measured,
                format!(
                    "Placement scores of 10: {} ({})",
                    zones.join(", "),
                    words_of(placement)
                ),
            );
        }
        None => factors.add(FactorKind::Confidence, no_scores(market)),
    }
}

fn no_prices(market: Option<&SpotMarket>) -> String {
    let reason = match market {
        Some(market) if !market.price_failure.is_empty() => market.price_failure.as_str(),
        _ => {
            "they are read within an hour where the connection permits ec2:DescribeSpotPriceHistory"
        }
    };
    format!("Spot prices of its zones are not known, the average of the region is used: {reason}")
}

fn no_scores(market: Option<&SpotMarket>) -> String {
    let reason = match market {
        Some(market) if !market.score_failure.is_empty() => market.score_failure.as_str(),
        Some(market) if market.unasked > 0 => {
            "EC2 answers ten configurations a day, and larger groups came first"
        }
        _ => {
            "they are read within an hour where the connection permits ec2:GetSpotPlacementScores and ec2:DescribeAvailabilityZones"
        }
    };
    format!("Placement scores are not known: {reason}")
}
