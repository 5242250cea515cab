//! Markets of spot capacity: reads the prices of the pools that the estate uses or may use, and the
//! placement scores of its scaling groups, an hour apart.

use std::collections::BTreeSet;
use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};
use reeve_agents::spot_optimizer::market_types;
use reeve_audit::Obstacle;
use reeve_connect_aws::{AwsConnection, PlacementScores};
use reeve_connect_simulated::SimulatedAccount;
use reeve_estate::{
    Connection, ConnectionCredentials, ConnectionId, EstateStore, PriceCatalogue, Provider,
    Purchase, Resource, ResourceFilter, ResourceId, ResourceKind, SUCCEEDS_TAG,
};
use reeve_recommend::judgement::spot::SpotStore;
use reeve_recommend::judgement::spot_market::{
    AskedPlacement, Placement, PoolPrice, SpotMarket, ZoneScore,
};

use super::clouds::CloudRegistry;
use super::running::Running;

/// Time between two readings of a market.
const EVERY: SignedDuration = SignedDuration::from_hours(1);
/// Days that prices are of.
const DAYS: i64 = 7;
/// Instance types of a region that prices are read of at most.
const MOST_TYPES: usize = 100;
/// Different configurations of placement scores that EC2 answers an account within a day.
const QUESTIONS_A_DAY: usize = 10;
/// Time for which a question counts against that limit.
const COUNTS: SignedDuration = SignedDuration::from_hours(24);

/// Reader of spot markets.
pub(crate) struct MarketReader {
    pub(crate) spots: Arc<dyn SpotStore>,
    pub(crate) estate: Arc<dyn EstateStore>,
    pub(crate) clouds: Arc<CloudRegistry>,
    pub(crate) running: Running<ConnectionId>,
}

/// Cloud that a market is read from.
enum Source {
    Aws(Box<AwsConnection>),
    Simulated(Arc<SimulatedAccount>),
}

/// Question for placement scores, with the groups that its answer is for.
#[derive(Debug, PartialEq)]
struct Question {
    types: Vec<String>,
    machines: u32,
    groups: Vec<ResourceId>,
}

impl MarketReader {
    /// Reads the markets of a connection's regions that are due.
    ///
    /// # Errors
    /// The store failed. That the cloud refused is part of a market.
    pub(crate) async fn read_due(&self, connection: &Connection) -> Result<(), Obstacle> {
        // Before the first sync nothing is known to ask for.
        if connection.provider != Provider::Aws || connection.last_sync.is_none() {
            return Ok(());
        }
        let Some(_turn) = self.running.begin(&connection.id) else {
            return Ok(());
        };
        let now = Timestamp::now();
        let known = self.spots.spot_markets(&connection.id).await;
        let mut known = known.map_err(Obstacle::of)?;
        let is_fresh = |market: &SpotMarket| {
            market
                .read_at
                .is_some_and(|at| now.duration_since(at) < EVERY)
        };
        let due: Vec<&String> = connection
            .regions
            .iter()
            .filter(|region| {
                !known
                    .iter()
                    .any(|one| one.region == **region && is_fresh(one))
            })
            .collect();
        if due.is_empty() {
            return Ok(());
        }

        let filter = |kind| ResourceFilter {
            connection: Some(connection.id.clone()),
            kind: Some(kind),
            ..ResourceFilter::default()
        };
        let (mut resources, _) = self
            .estate
            .resource_list(&filter(ResourceKind::ScalingGroup))
            .await
            .map_err(Obstacle::of)?;
        let machines = self
            .estate
            .resource_list(&filter(ResourceKind::VirtualMachine))
            .await
            .map_err(Obstacle::of)?
            .0;
        // Machines that are spot capacity, or took the place of it.
        resources.extend(machines.into_iter().filter(|machine| {
            machine.purchase == Some(Purchase::Spot) || machine.tag(SUCCEEDS_TAG).is_some()
        }));

        for region in due {
            let own: Vec<&Resource> = resources
                .iter()
                .filter(|one| one.region == *region && one.specification.instance_type.is_some())
                .collect();
            let place = known.iter().position(|one| one.region == *region);
            let mut market = match place {
                Some(place) => known.swap_remove(place),
                None => SpotMarket::new(connection.id.clone(), region.clone()),
            };
            // The limit of a day is one of the account.
            let elsewhere: Vec<&AskedPlacement> =
                known.iter().flat_map(|other| &other.asked).collect();
            match own.is_empty() {
                true => {
                    market = SpotMarket {
                        read_at: Some(now),
                        asked: std::mem::take(&mut market.asked),
                        ..SpotMarket::new(connection.id.clone(), region.clone())
                    };
                }
                false => {
                    self.read(
                        connection,
                        &mut market,
                        (own.as_slice(), elsewhere.as_slice()),
                        now,
                    )
                    .await?;
                }
            }
            self.spots
                .spot_market_put(&market)
                .await
                .map_err(Obstacle::of)?;
            known.push(market);
        }
        Ok(())
    }

    async fn read(
        &self,
        connection: &Connection,
        market: &mut SpotMarket,
        (resources, elsewhere): (&[&Resource], &[&AskedPlacement]),
        now: Timestamp,
    ) -> Result<(), Obstacle> {
        market.read_at = Some(now);
        market.days = DAYS;
        let source = match self.source(connection).await {
            Ok(source) => source,
            Err(obstacle) => {
                obstacle.as_str().clone_into(&mut market.price_failure);
                obstacle.as_str().clone_into(&mut market.score_failure);
                return Ok(());
            }
        };

        let time = (now - SignedDuration::from_hours(24 * DAYS), now);
        let region = market.region.clone();
        match source
            .prices(&region, &types(resources, &region), time)
            .await
        {
            Ok(prices) => {
                market.prices = prices;
                market.price_failure.clear();
            }
            Err(obstacle) => obstacle.as_str().clone_into(&mut market.price_failure),
        }

        market.score_failure.clear();
        market.unasked = 0;
        market
            .asked
            .retain(|one| now.duration_since(one.at) < COUNTS);
        let mut used: BTreeSet<(Vec<String>, u32)> = market
            .asked
            .iter()
            .chain(elsewhere.iter().copied())
            .filter(|one| now.duration_since(one.at) < COUNTS)
            .map(|one| (one.types.clone(), one.machines))
            .collect();
        let mut placements = Vec::new();
        for question in questions(resources, &region) {
            let key = (question.types.clone(), question.machines);
            if !used.contains(&key) && used.len() >= QUESTIONS_A_DAY {
                market.unasked += u32::try_from(question.groups.len()).unwrap_or(u32::MAX);
                continue;
            }
            match source
                .scores(&region, &question.types, question.machines)
                .await
            {
                Ok(Some(zones)) => {
                    used.insert(key);
                    keep_asked(market, &question, now);
                    placements.extend(question.groups.into_iter().map(|group| Placement {
                        group,
                        types: question.types.clone(),
                        machines: question.machines,
                        zones: zones.clone(),
                        at: now,
                    }));
                }
                // Others ask in this account as well.
                Ok(None) => {
                    market.unasked += u32::try_from(question.groups.len()).unwrap_or(u32::MAX);
                }
                Err(obstacle) => {
                    obstacle.as_str().clone_into(&mut market.score_failure);
                    break;
                }
            }
        }
        market.placements = placements;
        Ok(())
    }

    async fn source(&self, connection: &Connection) -> Result<Source, Obstacle> {
        if matches!(connection.credentials, ConnectionCredentials::Simulated) {
            let account = self.clouds.simulated(connection);
            return account
                .map(Source::Simulated)
                .ok_or_else(|| Obstacle::from("the simulated account is not there"));
        }
        let cloud = self.clouds.aws(connection).await;
        let cloud = cloud.map_err(|error| Obstacle::from(error.message))?;
        Ok(Source::Aws(Box::new(cloud)))
    }
}

impl Source {
    async fn prices(
        &self,
        region: &str,
        types: &[String],
        time: (Timestamp, Timestamp),
    ) -> Result<Vec<PoolPrice>, Obstacle> {
        match self {
            Source::Aws(cloud) => cloud
                .spot_prices(region, types, time)
                .await
                .map_err(Obstacle::of),
            Source::Simulated(account) => Ok(account.spot_prices(region, types, time)),
        }
    }

    /// Scores of the zones; `None` where the questions of a day are used up.
    async fn scores(
        &self,
        region: &str,
        types: &[String],
        machines: u32,
    ) -> Result<Option<Vec<ZoneScore>>, Obstacle> {
        match self {
            Source::Aws(cloud) => {
                let answer = cloud.placement_scores(region, types, machines).await;
                Ok(match answer.map_err(Obstacle::of)? {
                    PlacementScores::Of(zones) => {
                        let zones = zones.into_iter();
                        Some(
                            zones
                                .map(|(zone, score)| ZoneScore { zone, score })
                                .collect(),
                        )
                    }
                    PlacementScores::UsedUp => None,
                })
            }
            Source::Simulated(account) => {
                Ok(Some(account.placement_scores(region, types, machines)))
            }
        }
    }
}

fn keep_asked(market: &mut SpotMarket, question: &Question, now: Timestamp) {
    let same =
        |one: &AskedPlacement| one.types == question.types && one.machines == question.machines;
    market.asked.retain(|one| !same(one));
    market.asked.push(AskedPlacement {
        types: question.types.clone(),
        machines: question.machines,
        at: now,
    });
}

/// Instance types whose prices are read: those that are used, and those that may stand in for a
/// group's.
fn types(resources: &[&Resource], region: &str) -> Vec<String> {
    let mut found = BTreeSet::new();
    for resource in resources {
        let Some(size) = resource.specification.instance_type.clone() else {
            continue;
        };
        if resource.kind == ResourceKind::ScalingGroup {
            found.extend(market_types(PriceCatalogue::builtin(), region, &size));
        }
        found.insert(size);
    }
    found.into_iter().take(MOST_TYPES).collect()
}

/// Questions for the placement scores of the groups, the largest groups first. The number of
/// machines is rounded up to a power of two, so that a group that scales asks the same question
/// again.
fn questions(resources: &[&Resource], region: &str) -> Vec<Question> {
    let desired = |group: &Resource| {
        let capacity = group.specification.capacity;
        capacity.map_or(0, |capacity| capacity.desired)
    };
    let mut groups: Vec<&&Resource> = resources
        .iter()
        .filter(|one| one.kind == ResourceKind::ScalingGroup && desired(one) > 0)
        .collect();
    groups.sort_by(|a, b| desired(b).cmp(&desired(a)).then_with(|| a.id.cmp(&b.id)));

    let mut found: Vec<Question> = Vec::new();
    for group in groups {
        let Some(size) = &group.specification.instance_type else {
            continue;
        };
        let mut types = market_types(PriceCatalogue::builtin(), region, size);
        types.sort();
        let machines = desired(group).next_power_of_two();
        if types.is_empty() {
            continue;
        }
        let same = |one: &&mut Question| one.types == types && one.machines == machines;
        match found.iter_mut().find(same) {
            Some(known) => known.groups.push(group.id.clone()),
            None => found.push(Question {
                types,
                machines,
                groups: vec![group.id.clone()],
            }),
        }
    }
    found
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use reeve_estate::Capacity;
    use reeve_testkit::contract::estate::running;

    use super::*;

    fn group(id: &str, size: &str, desired: u32) -> Resource {
        let mut group = running(id, ResourceKind::ScalingGroup, Some(size));
        group.specification.capacity = Some(Capacity {
            min: 1,
            desired,
            max: 100,
        });
        group
    }

    #[test]
    fn groups_that_ask_the_same_share_a_question_and_large_ones_come_first() {
        let groups = [
            group("g-1", "m5.large", 3),
            group("g-2", "m5.large", 4),
            group("g-3", "m5.large", 30),
            group("g-4", "m5.large", 0),
        ];
        let all: Vec<&Resource> = groups.iter().collect();
        let asked = questions(&all, "us-east-1");
        let read: Vec<_> = asked
            .iter()
            .map(|one| {
                let groups: Vec<&str> = one.groups.iter().map(|id| id.as_str()).collect();
                (one.machines, groups.join(" "))
            })
            .collect();
        assert_eq!(read, [(32, "g-3".to_owned()), (4, "g-2 g-1".to_owned())]);
        assert!(asked[0].types.contains(&"m5.large".to_owned()));
        assert!(types(&all, "us-east-1").len() > 3);
    }
}
