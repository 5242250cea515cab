//! Market of spot capacity in a region: what pools cost lately, and how likely capacity is to be
//! had, as its provider says both.

use jiff::Timestamp;
use reeve_estate::{ConnectionId, ResourceId};
use serde::{Deserialize, Serialize};

/// Operating system that prices are of where a resource names none.
const LINUX: &str = "Linux/UNIX";

/// Price of a pool, an instance type in a zone, over the days that were read.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PoolPrice {
    pub instance_type: String,
    pub zone: String,
    /// Operating system as the provider names it, such as `Linux/UNIX`.
    pub platform: String,
    /// Newest price an hour, dollars.
    pub now_usd: f64,
    /// Mean over the time, dollars an hour.
    pub mean_usd: f64,
    pub low_usd: f64,
    pub high_usd: f64,
}

/// Price of an instance type over several zones, dollars an hour.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PriceLevel {
    pub mean_usd: f64,
    pub low_usd: f64,
    pub high_usd: f64,
    /// Zones that have a price.
    pub zones: usize,
}

/// Score of a zone, from 1 (not to be had) to 10 (very likely).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ZoneScore {
    pub zone: String,
    pub score: u32,
}

/// Placement scores of a scaling group: how likely spot capacity for it is to be had in a zone.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Placement {
    pub group: ResourceId,
    /// Instance types that were asked for.
    pub types: Vec<String>,
    /// Machines that were asked for in one zone.
    pub machines: u32,
    pub zones: Vec<ZoneScore>,
    pub at: Timestamp,
}

/// Question for placement scores that counts against the limit of a day.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AskedPlacement {
    /// Instance types, in order.
    pub types: Vec<String>,
    pub machines: u32,
    pub at: Timestamp,
}

/// Market of a connection in a region as its last reading left it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SpotMarket {
    pub connection: ConnectionId,
    pub region: String,
    /// Time of the last reading; `None` before the first.
    pub read_at: Option<Timestamp>,
    /// Days that the prices are of.
    pub days: i64,
    pub prices: Vec<PoolPrice>,
    /// Reason why prices could not be read; empty where they were.
    pub price_failure: String,
    pub placements: Vec<Placement>,
    /// Reason why scores could not be read; empty where they were.
    pub score_failure: String,
    /// Groups that no score was asked for, because the questions of a day were used up.
    pub unasked: u32,
    pub asked: Vec<AskedPlacement>,
}

impl SpotMarket {
    /// Creates the market of a region that was not read yet.
    #[must_use]
    pub fn new(connection: ConnectionId, region: String) -> Self {
        SpotMarket {
            connection,
            region,
            read_at: None,
            days: 0,
            prices: Vec::new(),
            price_failure: String::new(),
            placements: Vec::new(),
            score_failure: String::new(),
            unasked: 0,
            asked: Vec::new(),
        }
    }

    /// Returns the price level of an instance type over zones; `None` where none of them has a
    /// price.
    #[must_use]
    pub fn level(
        &self,
        instance_type: &str,
        zones: &[String],
        platform: Option<&str>,
    ) -> Option<PriceLevel> {
        let platform = platform.unwrap_or(LINUX);
        let own = self.prices.iter().filter(|price| {
            price.instance_type == instance_type
                && price.platform.eq_ignore_ascii_case(platform)
                && zones.contains(&price.zone)
        });
        let own: Vec<&PoolPrice> = own.collect();
        let mean = |read: fn(&PoolPrice) -> f64| {
            own.iter().map(|price| read(price)).sum::<f64>() / own.len() as f64
        };
        (!own.is_empty()).then(|| PriceLevel {
            mean_usd: mean(|price| price.mean_usd),
            low_usd: mean(|price| price.low_usd),
            high_usd: mean(|price| price.high_usd),
            zones: own.len(),
        })
    }

    /// Returns the scores of a group.
    #[must_use]
    pub fn placement(&self, group: &ResourceId) -> Option<&Placement> {
        self.placements.iter().find(|one| one.group == *group)
    }
}

/// Sums up the changes of a pool's price between two times. A price holds from its change on, the
/// first also before it.
#[must_use]
pub fn pool_price(
    pool: (&str, &str, &str),
    changes: &[(Timestamp, f64)],
    (from, until): (Timestamp, Timestamp),
) -> Option<PoolPrice> {
    let mut changes: Vec<(Timestamp, f64)> = changes
        .iter()
        .copied()
        .filter(|(at, usd)| *at <= until && usd.is_finite() && *usd > 0.0)
        .collect();
    changes.sort_by_key(|(at, _)| *at);
    // What held when the time began.
    let first = changes
        .partition_point(|(at, _)| *at <= from)
        .saturating_sub(1);
    let own = changes.get(first..).filter(|own| !own.is_empty())?;

    let (mut sum, mut seconds) = (0.0, 0.0);
    for (index, (at, usd)) in own.iter().enumerate() {
        let begins = if index == 0 { from } else { *at };
        let ends = own.get(index + 1).map_or(until, |(next, _)| *next);
        let lasts = ends.duration_since(begins).as_secs_f64().max(0.0);
        sum += usd * lasts;
        seconds += lasts;
    }
    let now_usd = own.last()?.1;
    let prices = own.iter().map(|(_, usd)| *usd);
    let (instance_type, zone, platform) = pool;
    Some(PoolPrice {
        instance_type: instance_type.to_owned(),
        zone: zone.to_owned(),
        platform: platform.to_owned(),
        now_usd,
        mean_usd: if seconds > 0.0 {
            sum / seconds
        } else {
            now_usd
        },
        low_usd: prices.clone().fold(f64::INFINITY, f64::min),
        high_usd: prices.fold(0.0, f64::max),
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use jiff::SignedDuration;

    use super::*;

    fn at(hour: i64) -> Timestamp {
        Timestamp::UNIX_EPOCH + SignedDuration::from_hours(hour)
    }

    #[test]
    fn a_price_holds_until_its_next_change() {
        let pool = ("m5.large", "us-east-1a", LINUX);
        let changes = [(at(30), 0.04), (at(2), 0.02), (at(20), 0.03), (at(50), 9.0)];
        let price = pool_price(pool, &changes, (at(10), at(40))).unwrap();
        // Ten hours at 0.02, ten at 0.03 and ten at 0.04.
        assert!((price.mean_usd - 0.03).abs() < 1e-9, "{price:?}");
        assert_eq!(
            (price.low_usd, price.high_usd, price.now_usd),
            (0.02, 0.04, 0.04)
        );
        assert_eq!(pool_price(pool, &[], (at(10), at(40))), None);
        let odd = [(at(12), f64::NAN), (at(13), -1.0)];
        assert_eq!(pool_price(pool, &odd, (at(10), at(40))), None);
    }

    #[test]
    fn a_level_is_of_the_zones_that_have_a_price() {
        let mut market = SpotMarket::new(ConnectionId("c".to_owned()), "us-east-1".to_owned());
        for (zone, usd) in [
            ("us-east-1a", 0.02),
            ("us-east-1b", 0.04),
            ("us-east-1c", 0.9),
        ] {
            let pool = ("m5.large", zone, LINUX);
            let priced = pool_price(pool, &[(at(0), usd)], (at(0), at(1)));
            market.prices.extend(priced);
        }
        let zones = ["us-east-1a", "us-east-1b", "us-east-1f"].map(str::to_owned);
        let level = market.level("m5.large", &zones, None).unwrap();
        assert_eq!(level.zones, 2);
        assert!((level.mean_usd - 0.03).abs() < 1e-9);
        assert_eq!(market.level("m5.large", &zones, Some("windows")), None);
        assert_eq!(market.level("c5.large", &zones, None), None);
    }
}
