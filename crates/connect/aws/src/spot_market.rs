//! Market of spot capacity of a region, as the judgement reads it.

use std::collections::BTreeMap;

use jiff::Timestamp;
use reeve_connect_aws_ec2::PlacementScores;
use reeve_recommend::judgement::spot_market::{PoolPrice, pool_price};

use crate::session::AwsConnection;
use crate::source_bucket::SourceBucketError;

/// Instance types that one question for prices names at most.
const TYPES_A_QUESTION: usize = 100;

impl AwsConnection {
    /// Returns the prices of the pools of instance types over a time.
    ///
    /// # Errors
    /// The service refused or did not answer.
    pub async fn spot_prices(
        &self,
        region: &str,
        types: &[String],
        (from, until): (Timestamp, Timestamp),
    ) -> Result<Vec<PoolPrice>, SourceBucketError> {
        let ec2 = self.ec2(self.place("", region));
        let mut pools: BTreeMap<(String, String, String), Vec<(Timestamp, f64)>> = BTreeMap::new();
        for part in types.chunks(TYPES_A_QUESTION) {
            for change in ec2.spot_prices(part, from).await? {
                let pool = (change.instance_type, change.zone, change.platform);
                pools.entry(pool).or_default().push((change.at, change.usd));
            }
        }
        let prices = pools
            .iter()
            .filter_map(|((size, zone, platform), changes)| {
                pool_price((size, zone, platform), changes, (from, until))
            });
        Ok(prices.collect())
    }

    /// Asks how likely so many machines of any of the types are to be had in a zone of a region.
    ///
    /// # Errors
    /// The service refused or did not answer.
    pub async fn placement_scores(
        &self,
        region: &str,
        types: &[String],
        machines: u32,
    ) -> Result<PlacementScores, SourceBucketError> {
        let ec2 = self.ec2(self.place("", region));
        Ok(ec2.placement_scores(types, machines).await?)
    }
}
