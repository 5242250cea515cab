//! Losses of each change: stated, covered by the hash, and complete.

#![allow(clippy::unwrap_used)]

use reeve_estate::{Provider, ResourceKind, ResourceState};

use crate::change::{
    ChangeRegistry, ChangeType, DeleteVolume, Parse, ResizeMachine, StopMachine, TagResource,
};
use crate::guardrail::protection::losses::*;
use crate::guardrail::protection::tests::running;

fn machine(size: &str) -> Resource {
    running("i-1", ResourceKind::VirtualMachine, Some(size))
}

fn resize(from: &str) -> Plan {
    let change = ResizeMachine {
        state: ResourceState::Running,
        from: from.into(),
        to: "m5.large".into(),
    };
    Plan::new(&change, "i-1")
}

fn stop(size: &str) -> Plan {
    let change = StopMachine {
        state: ResourceState::Running,
        size: Some(size.into()),
        volumes: Vec::new(),
    };
    Plan::new(&change, "i-1")
}

fn lost(plan: Plan, resource: &Resource) -> Vec<(LossKind, bool)> {
    let plan = plan.with_losses(resource, PriceCatalogue::builtin());
    assert!(plan.is_intact());
    plan.losses
        .iter()
        .map(|loss| (loss.kind, loss.lasting))
        .collect()
}

#[test]
fn a_stop_states_disks_address_credits_and_caches() {
    use LossKind::{Address, BurstCredits, LocalDisks, WarmCaches};

    let caches = (WarmCaches, false);
    assert_eq!(lost(resize("m5.xlarge"), &machine("m5.xlarge")), [caches]);
    assert_eq!(
        lost(stop("t3.large"), &machine("t3.large")),
        [(BurstCredits, false), caches]
    );
    assert_eq!(
        lost(resize("m5d.xlarge"), &machine("m5d.xlarge")),
        [(LocalDisks, true), caches]
    );

    let mut azure = machine("Standard_D4ds_v5");
    azure.provider = Provider::Azure;
    assert_eq!(
        lost(resize("Standard_D4ds_v5"), &azure),
        [(LocalDisks, true), caches]
    );

    for (address, expected) in [
        (PublicAddress::Absent, vec![caches]),
        (PublicAddress::Kept, vec![caches]),
        (PublicAddress::Assigned, vec![(Address, true), caches]),
        (PublicAddress::NotRead, vec![(Address, true), caches]),
    ] {
        let mut seen = machine("m5.xlarge");
        seen.specification.public_address = address;
        assert_eq!(lost(stop("m5.xlarge"), &seen), expected, "{address}");
    }
}

#[test]
fn the_hash_covers_losses_but_not_their_wording() {
    let plan = resize("m5.xlarge");
    let bare = plan.hash.clone();
    let stated = plan.with_losses(&machine("m5.xlarge"), PriceCatalogue::builtin());
    assert_ne!(stated.hash, bare, "an approval is given to the losses too");

    let mut reworded = stated.clone();
    reworded.losses[0].detail = "Caches are cold".to_owned();
    assert!(reworded.is_intact());

    let mut hidden = stated;
    hidden.losses.clear();
    assert!(
        !hidden.is_intact(),
        "a loss that was taken out of the store is noticed"
    );

    let tag = TagResource {
        state: ResourceState::Running,
        key: "team".into(),
        from: None,
        to: "a".into(),
    };
    let plain = Plan::new(&tag, "i-1");

    assert_eq!(
        plain
            .clone()
            .with_losses(&machine("m5.large"), PriceCatalogue::builtin()),
        plain
    );
}

#[test]
fn every_change_of_this_release_states_its_losses_or_is_known_to_have_none() {
    let silent = [
        "add_standby",
        "create_index",
        "drop_index",
        "grow_storage",
        "modify_volume",
        "replicate",
        "request_quota",
        "resize_group",
        "run_document",
        "set_parameter",
        "snapshot_volume",
        "tag_resource",
    ];

    let typed = |row: &&ChangeType| matches!(row.parse, Parse::Typed(_));
    for row in ChangeRegistry::builtin().rows().filter(typed) {
        let parameters = Json::object([("expire_versions_after_days", Json::from(1_u64))]);
        let planned = PlannedChange {
            name: row.name.to_owned(),
            parameters,
            resource: "i-1".to_owned(),
        };
        let found = losses(&machine("m5.large"), &planned, PriceCatalogue::builtin());
        assert_eq!(
            found.is_empty(),
            silent.contains(&row.name),
            "{}: {found:?}",
            row.name
        );
    }

    for row in ConfigurationRow::all() {
        let planned = PlannedChange {
            name: row.name.to_owned(),
            parameters: Json::Null,
            resource: "one".to_owned(),
        };
        let found = losses(&machine("m5.large"), &planned, PriceCatalogue::builtin());
        let details: Vec<&str> = found.iter().map(|loss| loss.detail.as_str()).collect();
        assert_eq!(
            details,
            row.loses.into_iter().collect::<Vec<_>>(),
            "{}",
            row.name
        );
    }

    let volume = running("vol-1", ResourceKind::Volume, None);
    let plan = Plan::new(
        &DeleteVolume {
            state: ResourceState::Unattached,
        },
        "vol-1",
    );

    assert_eq!(lost(plan, &volume), [(LossKind::Data, true)]);
}
