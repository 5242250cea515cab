//! Daily charges of the estate, as a bill has them: each resource at the price of `bill`, for the
//! hours of the day in which it was there, at the size, the storage and the state that it had in
//! each.
//!
//! The same prices make the monthly costs of the inventory and the savings of recommendations, so
//! that a bill falls by what a change saves, from the hour of the change on. Past days never
//! change: only what was changed later differs.

use std::collections::BTreeMap;

use jiff::civil::Date;
use jiff::{SignedDuration, Timestamp, tz::TimeZone};
use reeve_estate::money::HOURS_PER_MONTH;
use reeve_estate::{Money, Provider, Purchase, Resource, ResourceId, ResourceKind, ResourceState};

use crate::account::SimulatedAccount;
use crate::assets::Asset;
use crate::bill;
use crate::condition::SimulatedCondition;
use crate::estate::SimulatedEstate;
use crate::signal::interrupted;

/// Hours of a day.
const HOURS: i64 = 24;

/// Charge of one resource for one day.
#[derive(Debug, Clone, PartialEq)]
pub struct DailyCharge {
    /// Day of the charge, in UTC.
    pub day: Date,
    pub provider: Provider,
    /// Identifier of the account.
    pub account: String,
    /// Display name of the account.
    pub account_name: String,
    pub region: String,
    pub resource: ResourceId,
    /// Kind of the resource.
    pub kind: ResourceKind,
    /// Size or class of storage that was sold; of the last hour that is charged.
    pub sold: String,
    pub purchase: Option<Purchase>,
    /// Hours that are charged.
    pub hours: u32,
    /// Cost after discounts and commitments.
    pub cost: Money,
    /// The same at list price.
    pub list: Money,
    /// Tags of the resource.
    pub tags: BTreeMap<String, String>,
}

impl SimulatedEstate {
    /// Returns the charges of a day, UTC, in the order of the accounts; none for hours to come.
    #[must_use]
    pub fn charges(&self, day: Date) -> Vec<DailyCharge> {
        self.accounts
            .iter()
            .flat_map(|account| account.charges(day))
            .collect()
    }
}

impl SimulatedAccount {
    fn charges(&self, day: Date) -> Vec<DailyCharge> {
        let Ok(start) = day.to_zoned(TimeZone::UTC).map(|zoned| zoned.timestamp()) else {
            return Vec::new();
        };

        let conditions = self.conditions.lock();
        let seeded = self.assets.iter().map(|asset| &asset.resource.id);
        let ids = seeded.chain(conditions.successors.keys());

        ids.filter_map(|id| {
            let asset = self.asset(conditions.place(id))?;
            let launched_at = conditions
                .successors
                .get(id)
                .map(|successor| successor.launched_at);
            self.charge(day, start, asset, id, launched_at, &conditions.get(id))
        })
        .collect()
    }

    /// The charge of a resource for the day that begins at `start`; `None` where no hour costs
    /// anything.
    fn charge(
        &self,
        day: Date,
        start: Timestamp,
        asset: &Asset,
        id: &ResourceId,
        launched_at: Option<Timestamp>,
        condition: &SimulatedCondition,
    ) -> Option<DailyCharge> {
        let now = self.world.now();
        let (mut hours, mut cost, mut list, mut last) = (0, 0.0, 0.0, None);

        for hour in 0..HOURS {
            let at = start + SignedDuration::from_hours(hour);
            if at >= now {
                break;
            }
            let Some(resource) = at_hour(asset, id, launched_at, condition, at) else {
                continue;
            };
            let Some(monthly) =
                bill::monthly(&resource, self.plan.discount).filter(|cost| cost.usd() > 0.0)
            else {
                continue;
            };
            let at_list = Resource {
                purchase: Some(Purchase::OnDemand),
                ..resource.clone()
            };
            hours += 1;
            cost += monthly.usd() / HOURS_PER_MONTH;
            list += bill::monthly(&at_list, 0.0).unwrap_or(monthly).usd() / HOURS_PER_MONTH;
            last = Some(resource);
        }

        let resource = last?;
        let spec = &resource.specification;
        Some(DailyCharge {
            day,
            provider: resource.provider,
            account: self.plan.account.to_owned(),
            account_name: self.plan.connection.to_owned(),
            region: resource.region,
            resource: resource.id,
            kind: resource.kind,
            sold: spec
                .instance_type
                .clone()
                .or_else(|| spec.storage_type.clone())
                .unwrap_or_default(),
            purchase: resource.purchase,
            hours,
            cost: Money::from_usd(cost),
            list: Money::from_usd(list),
            tags: resource.tags,
        })
    }
}

/// A resource as it was at an hour; `None` while it was not there.
fn at_hour(
    asset: &Asset,
    id: &ResourceId,
    launched_at: Option<Timestamp>,
    condition: &SimulatedCondition,
    at: Timestamp,
) -> Option<Resource> {
    let begun = launched_at.or(asset.resource.created_at);
    if begun.is_some_and(|begun| at < begun) || condition.terminated_at.is_some_and(|end| at >= end)
    {
        return None;
    }

    let mut resource = asset.resource.clone();
    resource.id = id.clone();
    let size = condition
        .sizes
        .iter()
        .rev()
        .find(|(from, _)| *from <= at)
        .map(|(_, size)| size.clone());
    resource.specification.instance_type = size.or(resource.specification.instance_type);

    condition.storage_into(&mut resource.specification, at);
    for (key, value) in &condition.tags {
        match value {
            Some(value) => _ = resource.tags.insert(key.clone(), value.clone()),
            None => _ = resource.tags.remove(key),
        }
    }

    let runs = matches!(
        resource.kind,
        ResourceKind::VirtualMachine | ResourceKind::Database
    );
    let spot = resource.purchase == Some(Purchase::Spot);
    if runs && (condition.down_at(at) || spot && interrupted(asset.key, at)) {
        resource.state = ResourceState::Stopped;
    }

    Some(resource)
}
