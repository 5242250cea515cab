//! Market of spot capacity: price history, and placement scores by zone.

use std::collections::BTreeMap;

use jiff::Timestamp;

use crate::cursor::Cursor;
use crate::describe::Ec2;
use crate::fault::{AwsEc2Fault, FaultKind};
use crate::form::Form;

/// Pages of a price history that are read at most, of 1,000 changes each.
const MOST_PAGES: usize = 60;
/// Code of EC2 where more placement configurations were asked for than a day allows.
const QUESTIONS_USED_UP: &str = "MaxConfigLimitExceeded";

/// Change of a spot price.
#[derive(Debug, Clone, PartialEq)]
pub struct PriceChange {
    pub instance_type: String,
    pub zone: String,
    /// Operating system, such as `Linux/UNIX`.
    pub platform: String,
    pub at: Timestamp,
    /// Dollars an hour.
    pub usd: f64,
}

/// Answer to a question for placement scores.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PlacementScores {
    /// Scores by the name of the zone.
    Of(BTreeMap<String, u32>),
    /// EC2 answers no further question of another configuration today.
    UsedUp,
}

impl Ec2 {
    /// Returns the changes of spot prices of instance types since a time, with what held then.
    ///
    /// # Errors
    /// The call's failure, or a history that is longer than what is read.
    pub async fn spot_prices(
        &self,
        types: &[String],
        since: Timestamp,
    ) -> Result<Vec<PriceChange>, AwsEc2Fault> {
        let call = self.place.call("ec2:DescribeSpotPriceHistory");
        let mut cursor = Cursor::new();
        let mut found = Vec::new();
        for _ in 0..MOST_PAGES {
            let parameters = Form::new()
                .with("MaxResults", "1000")
                .with(
                    "StartTime",
                    since.strftime("%Y-%m-%dT%H:%M:%SZ").to_string(),
                )
                .with_filter("instance-type", types)
                .with_some("NextToken", cursor.token());
            let page = self.read(call, parameters).await?;
            for item in page.list("spotPriceHistorySet") {
                let text = |name: &str| item.text_of(name).unwrap_or_default().to_owned();
                let usd = item.value_of("spotPrice").map_err(|odd| odd.at(call))?;
                let at = item.time_of("timestamp").map_err(|odd| odd.at(call))?;
                let platform = text("productDescription");
                let (Some(usd), Some(at)) = (usd, at) else {
                    continue;
                };
                found.push(PriceChange {
                    instance_type: text("instanceType"),
                    zone: text("availabilityZone"),
                    platform: platform.trim_end_matches(" (Amazon VPC)").to_owned(),
                    at,
                    usd,
                });
            }
            if !cursor.advance(call, page.text_of("nextToken"))? {
                return Ok(found);
            }
        }
        let words = "the price history has more pages than are read";
        Err(call.fault(FaultKind::Other, None, words))
    }

    /// Asks how likely so many machines of any of the types are to be had in a zone.
    ///
    /// # Errors
    /// The call's failure.
    pub async fn placement_scores(
        &self,
        types: &[String],
        machines: u32,
    ) -> Result<PlacementScores, AwsEc2Fault> {
        let zones = self.zone_names().await?;
        let call = self.place.call("ec2:GetSpotPlacementScores");
        let mut cursor = Cursor::new();
        let mut found = BTreeMap::new();
        loop {
            let parameters = Form::new()
                .with_list("InstanceType", types)
                .with("TargetCapacity", machines.to_string())
                .with("TargetCapacityUnitType", "units")
                .with("SingleAvailabilityZone", "true")
                .with_list("RegionName", [&self.place.region])
                .with("MaxResults", "1000")
                .with_some("NextToken", cursor.token());
            let page = match self.read(call, parameters).await {
                Ok(page) => page,
                Err(fault) if fault.code.as_deref() == Some(QUESTIONS_USED_UP) => {
                    return Ok(PlacementScores::UsedUp);
                }
                Err(fault) => return Err(fault),
            };
            for item in page.list("spotPlacementScoreSet") {
                let score = item.value_of("score").map_err(|odd| odd.at(call))?;
                let zone = item.text_of("availabilityZoneId");
                let zone = zone.and_then(|id| zones.get(id));
                if let Some((zone, score)) = zone.zip(score) {
                    found.insert(zone.clone(), score);
                }
            }
            if !cursor.advance(call, page.text_of("nextToken"))? {
                return Ok(PlacementScores::Of(found));
            }
        }
    }

    /// Names of the region's zones by their identifiers, which differ from account to account.
    async fn zone_names(&self) -> Result<BTreeMap<String, String>, AwsEc2Fault> {
        let call = self.place.call("ec2:DescribeAvailabilityZones");
        let page = self.read(call, Form::new()).await?;
        let zones = page.list("availabilityZoneInfo").filter_map(|item| {
            let id = item.text_of("zoneId")?;
            Some((id.to_owned(), item.text_of("zoneName")?.to_owned()))
        });
        Ok(zones.collect())
    }
}
