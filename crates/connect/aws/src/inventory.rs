//! The inventory: every kind in every region, side by side; what is denied or fails is noted and
//! the rest goes on.

pub(crate) mod autoscaling;
mod contents;
pub(crate) mod elb;
mod refresh;
pub(crate) mod s3;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Mutex, PoisonError};

use async_trait::async_trait;
use futures::future::BoxFuture;
use futures::stream::{self, StreamExt};
use reeve_connect_aws_ec2::{AwsEc2Fault, FaultKind, Listing};
use reeve_estate::{
    Inventory, InventorySink, PriceCatalogue, Purchase, Resource, ResourceId, ResourceKind,
    StoreError,
};

use crate::session::AwsConnection;

impl AwsConnection {
    /// Reads the inventory. Volumes go to the sink page by page where there is one: no other kind
    /// has as many, and nothing else of the inventory follows from them.
    pub(crate) async fn read_inventory(
        &self,
        sink: Option<&dyn InventorySink>,
    ) -> Result<Inventory, AwsEc2Fault> {
        let account = self.caller().await?;
        let priced = sink.map(|sink| Priced::new(sink, self.catalogue()));
        let mut work: Vec<BoxFuture<'_, Listing>> = vec![Box::pin(s3::buckets(self, &account))];

        for region in &self.regions {
            let place = self.place(&account, region);
            let (machines, volumes) = (self.ec2(place.clone()), self.ec2(place.clone()));
            let (addresses, gateways) = (self.ec2(place.clone()), self.ec2(place.clone()));
            let databases = self.rds(place.clone());
            work.push(Box::pin(async move { machines.machines().await }));
            let priced = priced.as_ref();
            work.push(Box::pin(async move {
                match priced {
                    Some(priced) => volumes.volumes_into(priced).await,
                    None => volumes.volumes().await,
                }
            }));
            work.push(Box::pin(async move { addresses.addresses().await }));
            work.push(Box::pin(async move { gateways.gateways().await }));
            work.push(Box::pin(async move { databases.databases().await }));
            work.push(Box::pin(elb::load_balancers(self, place.clone())));
            work.push(Box::pin(autoscaling::groups(self, place)));
        }

        let listings: Vec<Listing> = stream::iter(work)
            .buffer_unordered(self.tuning.parallel)
            .collect()
            .await;
        let passed = priced.map(|priced| {
            priced
                .passed
                .into_inner()
                .unwrap_or_else(PoisonError::into_inner)
        });

        merge(listings, self.catalogue(), passed.unwrap_or_default())
    }
}

/// Puts list prices on what passes through to a sink.
struct Priced<'a> {
    sink: &'a dyn InventorySink,
    catalogue: &'a PriceCatalogue,
    passed: Mutex<Passed>,
}

/// Resources that were handed over page by page.
#[derive(Debug, Default)]
struct Passed {
    resources: usize,
    /// Number of machines and volumes without a price, by region.
    unpriced: BTreeMap<String, usize>,
}

impl<'a> Priced<'a> {
    fn new(sink: &'a dyn InventorySink, catalogue: &'a PriceCatalogue) -> Self {
        Priced {
            sink,
            catalogue,
            passed: Mutex::default(),
        }
    }
}

#[async_trait]
impl InventorySink for Priced<'_> {
    async fn page(&self, mut page: Vec<Resource>) -> Result<(), StoreError> {
        if page.is_empty() {
            return Ok(());
        }

        {
            let mut passed = self.passed.lock().unwrap_or_else(PoisonError::into_inner);
            passed.resources += page.len();
            price(&mut page, self.catalogue, &mut passed.unpriced);
        }
        self.sink.page(page).await
    }
}

/// Puts the listings together, without the resources that were handed over before. Fails only when
/// nothing at all could be read and nothing was denied.
fn merge(
    listings: Vec<Listing>,
    catalogue: &PriceCatalogue,
    mut passed: Passed,
) -> Result<Inventory, AwsEc2Fault> {
    let mut inventory = Inventory::default();
    let mut incomplete = BTreeSet::new();
    let mut faults = Vec::new();
    let mut any_complete = false;

    for listing in listings {
        any_complete |= listing.complete;
        if !listing.complete {
            incomplete.insert(listing.kind);
        }
        inventory.resources.extend(listing.resources);
        faults.extend(listing.faults);
    }

    let failure = faults.iter().find(|f| f.kind != FaultKind::Denied);
    let is_empty = inventory.resources.is_empty() && passed.resources == 0;
    let nothing = !any_complete && is_empty && faults.iter().all(|f| f.kind != FaultKind::Denied);
    if let Some(fault) = failure.filter(|_| nothing) {
        return Err(fault.clone());
    }

    note(&mut inventory, &faults);
    inventory.complete = ResourceKind::SPECIFIED
        .iter()
        .copied()
        .filter(|kind| !incomplete.contains(kind))
        .collect();

    inventory
        .resources
        .sort_by(|a, b| (a.kind, &a.region, &a.id).cmp(&(b.kind, &b.region, &b.id)));
    join_groups(&mut inventory.resources);
    price(&mut inventory.resources, catalogue, &mut passed.unpriced);
    inventory.problems.extend(passed.unpriced.into_iter().map(|(region, count)| {
        format!(
            "the catalogue has no price for {count} machines and volumes in {region}: their cost is not known, and no \
             saving is claimed for them"
        )
    }));

    Ok(inventory)
}

/// Notes each denied permission once a region, and each other failure once.
fn note(inventory: &mut Inventory, faults: &[AwsEc2Fault]) {
    let mut reported = BTreeSet::new();
    for fault in faults {
        if fault.kind == FaultKind::Denied {
            if reported.insert((fault.operation, fault.region.as_str())) {
                inventory.denied.push(fault.denied());
            }
        } else if !inventory.problems.contains(&fault.message) {
            inventory.problems.push(fault.message.clone());
        }
    }

    inventory
        .denied
        .sort_by(|a, b| (&a.permission, &a.region).cmp(&(&b.permission, &b.region)));
}

/// Points machines at the group that has them. A member's tag names the group; the group's own
/// listing has its ARN.
fn join_groups(resources: &mut [Resource]) {
    let mut group_of: BTreeMap<ResourceId, ResourceId> = BTreeMap::new();
    for group in resources
        .iter()
        .filter(|r| r.kind == ResourceKind::ScalingGroup)
    {
        group_of.extend(
            group
                .attached_to
                .iter()
                .map(|member| (member.clone(), group.id.clone())),
        );
    }

    for machine in resources
        .iter_mut()
        .filter(|r| r.kind == ResourceKind::VirtualMachine)
    {
        if let Some(group) = group_of.get(&machine.id) {
            machine.group = Some(group.clone());
        }
    }
}

/// Puts list prices on what has one, and counts the machines and volumes of a region that have
/// none.
fn price(
    resources: &mut [Resource],
    catalogue: &PriceCatalogue,
    unpriced: &mut BTreeMap<String, usize>,
) {
    for resource in resources {
        resource.monthly_cost = catalogue.monthly_cost(resource).map(|month| month.cost);
        let billed = matches!(
            resource.kind,
            ResourceKind::VirtualMachine | ResourceKind::Volume
        );
        if billed && resource.monthly_cost.is_none() && resource.purchase != Some(Purchase::Spot) {
            *unpriced.entry(resource.region.clone()).or_default() += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use reeve_connect_aws_ec2::Place;
    use reeve_estate::ConnectionId;

    use super::*;

    fn place() -> Place {
        Place {
            connection: ConnectionId("c".into()),
            account: "1".into(),
            region: "eu-west-1".into(),
            endpoint: None,
        }
    }

    fn listing(kind: ResourceKind, ids: &[&str], fault: Option<FaultKind>) -> Listing {
        let mut listing = Listing::new(kind);
        listing.resources = ids
            .iter()
            .map(|id| place().resource(kind, "x", id, BTreeMap::new()))
            .collect();
        listing.end(fault.map_or(Ok(()), |k| Err(place().call("x:Y").fault(k, None, "no"))));
        listing
    }

    #[test]
    fn denied_calls_are_listed_and_the_inventory_continues() {
        let denied = listing(ResourceKind::Database, &[], Some(FaultKind::Denied));
        let twice = listing(ResourceKind::Database, &[], Some(FaultKind::Denied));
        let inventory = merge(
            vec![listing(ResourceKind::Bucket, &["b"], None), denied, twice],
            PriceCatalogue::builtin(),
            Passed::default(),
        )
        .unwrap();
        assert_eq!((inventory.resources.len(), inventory.denied.len()), (1, 1));

        assert!(
            inventory.complete.contains(&ResourceKind::Bucket)
                && !inventory.complete.contains(&ResourceKind::Database)
        );
    }

    #[test]
    fn a_kind_is_complete_only_when_every_region_was() {
        let inventory = merge(
            vec![
                listing(ResourceKind::VirtualMachine, &["a"], None),
                listing(
                    ResourceKind::VirtualMachine,
                    &["b"],
                    Some(FaultKind::Throttled),
                ),
            ],
            PriceCatalogue::builtin(),
            Passed::default(),
        )
        .unwrap();
        assert_eq!(inventory.resources.len(), 2);

        assert!(!inventory.complete.contains(&ResourceKind::VirtualMachine));
        assert_eq!(
            inventory
                .problems
                .iter()
                .filter(|problem| !problem.contains("no price"))
                .count(),
            1
        );
    }

    #[test]
    fn nothing_read_at_all_is_a_failure() {
        let error = merge(
            vec![listing(
                ResourceKind::Volume,
                &[],
                Some(FaultKind::Unreachable),
            )],
            PriceCatalogue::builtin(),
            Passed::default(),
        )
        .unwrap_err();
        assert_eq!(error.kind, FaultKind::Unreachable);
    }

    #[test]
    fn members_point_at_their_group() {
        let mut group = listing(ResourceKind::ScalingGroup, &["arn:group"], None);
        group.resources[0].attached_to = vec![ResourceId::new("lt-1"), ResourceId::new("i-1")];
        let inventory = merge(
            vec![
                group,
                listing(ResourceKind::VirtualMachine, &["i-1", "i-2"], None),
            ],
            PriceCatalogue::builtin(),
            Passed::default(),
        )
        .unwrap();

        let groups: Vec<_> = inventory
            .resources
            .iter()
            .filter(|r| r.kind == ResourceKind::VirtualMachine)
            .map(|r| r.group.clone())
            .collect();

        assert_eq!(groups, [Some(ResourceId::new("arn:group")), None]);
    }

    #[test]
    fn a_missing_price_is_said_and_not_taken_from_another_region() {
        let mut volumes = listing(ResourceKind::Volume, &["vol-1"], None);
        volumes.resources[0].specification.storage_type = Some("gp3".into());
        volumes.resources[0].specification.storage_gib = Some(100.0);
        let inventory = merge(vec![volumes], PriceCatalogue::builtin(), Passed::default()).unwrap();
        assert_eq!(inventory.resources[0].monthly_cost, None);
        assert!(inventory.problems[0].contains("no price for 1 machines and volumes in eu-west-1"));
    }
}
