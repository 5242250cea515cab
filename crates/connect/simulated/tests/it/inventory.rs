//! Tests of the estate's inventory.

use std::collections::{BTreeMap, BTreeSet};

use reeve_connect_simulated::SimulatedEstate;
use reeve_estate::{
    Observe, PriceCatalogue, Provider, Purchase, Resource, ResourceKind, ResourceState,
};

use crate::{SEED, account, anchor, quiet};

async fn everything(estate: &SimulatedEstate) -> Vec<Resource> {
    let mut all = Vec::new();
    for connection in estate.connections() {
        all.extend(
            estate
                .account(&connection.id)
                .unwrap()
                .inventory()
                .await
                .unwrap()
                .resources,
        );
    }

    all
}

#[tokio::test]
async fn three_clouds_and_at_least_120_resources() {
    let (estate, _) = quiet();
    let all = everything(&estate).await;
    let mut counts: BTreeMap<(Provider, ResourceKind), usize> = BTreeMap::new();

    for resource in &all {
        *counts
            .entry((resource.provider, resource.kind))
            .or_default() += 1;
    }

    println!("{} resources: {counts:?}", all.len());
    assert!(all.len() >= 120, "{}", all.len());

    for provider in [Provider::Aws, Provider::Azure, Provider::Gcp] {
        assert!(
            counts[&(provider, ResourceKind::VirtualMachine)] >= 15,
            "{provider}"
        );
    }

    for kind in ResourceKind::SPECIFIED {
        assert!(all.iter().any(|resource| resource.kind == *kind), "{kind}");
    }

    let ids: BTreeSet<_> = all
        .iter()
        .map(|resource| (&resource.connection, &resource.id))
        .collect();
    assert_eq!(ids.len(), all.len(), "identifiers repeat");

    let bill: f64 = all
        .iter()
        .filter_map(|resource| resource.monthly_cost)
        .map(|cost| cost.usd())
        .sum();
    println!("the bill: {bill:.2} a month");
    assert!(bill > 10_000.0);
}

#[tokio::test]
async fn every_load_is_there_and_sizes_resolve() {
    let (estate, _) = quiet();
    let mut loads = BTreeSet::new();

    for resource in everything(&estate).await {
        loads.insert(
            estate
                .load_of(&resource.connection, &resource.id)
                .unwrap()
                .name(),
        );
        if resource.kind != ResourceKind::VirtualMachine {
            continue;
        }
        let size = resource.specification.instance_type.as_deref().unwrap();
        let spec = PriceCatalogue::builtin().instance(resource.provider, size);
        assert!(
            spec.is_some(),
            "{size} of {} is not in the catalogue",
            resource.name
        );
        assert!(
            resource.monthly_cost.is_some_and(|cost| cost.usd() > 0.0),
            "{}",
            resource.name
        );
    }

    for load in [
        "idle",
        "oversized",
        "web",
        "office",
        "throttled",
        "drained",
        "bursty",
        "batch",
        "month_end",
        "memory",
        "network",
        "steady",
        "leak",
        "database",
        "database_idle",
        "database_oversized",
        "database_filling",
        "requests",
        "disk",
    ] {
        assert!(loads.contains(load), "{load}");
    }
}

#[tokio::test]
async fn the_same_seed_gives_the_same_estate() {
    let first = everything(&SimulatedEstate::with(crate::settings(&crate::Hands::at(
        anchor(),
    ))))
    .await;
    assert_eq!(first, everything(&quiet().0).await);

    let hands = crate::Hands::at(anchor());
    let other = reeve_connect_simulated::SimulatedSettings {
        seed: SEED + 1,
        ..crate::settings(&hands)
    };
    let other = everything(&SimulatedEstate::with(other)).await;
    let id = |all: &[Resource]| all[0].id.clone();
    assert_ne!(id(&first), id(&other));
}

#[tokio::test]
async fn the_bill_is_below_the_list() {
    let (estate, _) = quiet();
    let aws = account(&estate, "acme-production");
    let all = aws.inventory().await.unwrap().resources;
    let share = |name: &str| {
        let resource = all.iter().find(|resource| resource.name == name).unwrap();
        resource.monthly_cost.unwrap().usd()
            / PriceCatalogue::builtin()
                .monthly_cost(resource)
                .unwrap()
                .cost
                .usd()
    };
    assert!((share("recommender") - 0.92).abs() < 1e-6);

    assert!((share("ledger-writer") - 0.92 * 0.70).abs() < 1e-6);

    let spot = all
        .iter()
        .find(|resource| resource.purchase == Some(Purchase::Spot))
        .unwrap();
    assert!(spot.monthly_cost.unwrap().usd() < 100.0);

    // Tags that agents obey.
    let vault = all
        .iter()
        .find(|resource| resource.name == "card-vault")
        .unwrap();
    assert_eq!(vault.tag("reeve:ignore"), Some("true"));
    assert!(
        all.iter()
            .any(|resource| resource.tag("aws:cloudformation:stack-name").is_some())
    );
    assert!(
        all.iter()
            .any(|resource| resource.tag("managed-by") == Some("terraform"))
    );
    assert!(
        all.iter()
            .any(|resource| resource.state == ResourceState::Unattached)
    );
}

#[tokio::test]
async fn denied_calls_are_listed_and_the_inventory_continues() {
    let (estate, _) = quiet();
    let azure = account(&estate, "acme-corporate")
        .inventory()
        .await
        .unwrap();
    assert_eq!(azure.denied.len(), 1);
    assert!(azure.denied[0].permission.contains("storageAccounts"));
    assert!(
        !azure.complete.contains(&ResourceKind::Bucket)
            && azure.complete.contains(&ResourceKind::VirtualMachine)
    );
    assert!(azure.resources.len() > 30);

    let aws = account(&estate, "acme-production")
        .inventory()
        .await
        .unwrap();
    assert!(aws.denied.is_empty() && aws.complete.contains(&ResourceKind::Bucket));
}
