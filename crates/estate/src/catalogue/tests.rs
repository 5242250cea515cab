//! The catalogue against figures anyone can look up.

#![allow(clippy::unwrap_used)]

use super::*;
use Provider::{Aws, Azure, Gcp};

fn names(specs: Vec<&InstanceSpec>) -> Vec<&str> {
    specs.into_iter().map(|s| s.name.as_str()).collect()
}

#[test]
fn the_embedded_data_parses() {
    let catalogue = PriceCatalogue::embedded().unwrap();
    assert!(catalogue.specs.len() > 2500, "{}", catalogue.specs.len());
}

#[test]
fn list_prices_are_the_published_ones() {
    for (provider, region, name, usd) in [
        (Aws, "us-east-1", "m5.large", 0.096),
        (Aws, "us-east-1", "t3.micro", 0.0104),
        (Aws, "us-east-1", "c6g.xlarge", 0.136),
        (Aws, "eu-west-1", "m5.large", 0.107),
        (Aws, "sa-east-1", "m5.large", 0.153),
        (Azure, "westeurope", "Standard_D4s_v5", 0.23),
        (Gcp, "us-central1", "n1-standard-1", 0.04749975),
        (Gcp, "us-central1", "e2-medium", 0.03350571),
        (Gcp, "us-central1", "f1-micro", 0.0076),
        (Gcp, "us-central1", "n1-standard-4", 0.189999),
        (Gcp, "us-central1", "n2-custom-4-8192", 0.168264),
    ] {
        let price = PriceCatalogue::builtin()
            .hourly_usd(provider, region, name, Some("linux"))
            .unwrap();
        assert!(
            (price.usd_per_hour - usd).abs() < 5e-4,
            "{name}: {} is not {usd}",
            price.usd_per_hour
        );
    }
}

#[test]
fn prices_are_of_the_operating_system_and_say_where_they_are_from() {
    let c = PriceCatalogue::builtin();
    let m5 = |platform| {
        c.hourly_usd(Aws, "us-east-1", "m5.large", Some(platform))
            .unwrap()
    };

    for (platform, usd) in [
        ("windows", 0.188),
        ("linux_with_sql_server_standard", 0.576),
        ("windows_with_sql_server_standard", 0.668),
    ] {
        assert!(
            (m5(platform).usd_per_hour - usd).abs() < 1e-9,
            "{platform}: {:?}",
            m5(platform)
        );
    }

    assert!(m5("rhel").usd_per_hour > m5("linux").usd_per_hour);
    assert_eq!(
        m5("windows").origin.to_string(),
        "AWS price list of 2025-05-28"
    );
    assert_eq!(
        m5("linux").origin.to_string(),
        "AWS price list of 2026-07",
        "one region is of a newer list"
    );

    let spot = c.spot_average(Aws, "us-east-1", "m5.large", None).unwrap();
    assert!((spot.usd_per_hour - 0.03168).abs() < 1e-9, "{spot:?}");
    assert_eq!(
        c.spot_average(Azure, "westeurope", "Standard_D4s_v5", None),
        None
    );
}

#[test]
fn a_region_without_prices_has_no_price() {
    for (provider, region, name) in [
        (Aws, "moon-east-1", "m5.large"),
        (Azure, "brazilsouth", "Standard_D4s_v5"),
        (Gcp, "moon-north1", "n2-standard-4"),
    ] {
        assert_eq!(
            PriceCatalogue::builtin().hourly_usd(provider, region, name, None),
            None,
            "{name} in {region}"
        );
    }
}

#[test]
fn dedicated_hardware_has_no_price_of_shared_hardware() {
    let mut machine = Resource {
        id: crate::ResourceId::new("i-1"),
        connection: crate::ConnectionId("c".to_owned()),
        provider: Aws,
        account: "1".to_owned(),
        region: "us-east-1".to_owned(),
        service: "ec2".to_owned(),
        kind: crate::ResourceKind::VirtualMachine,
        name: "web".to_owned(),
        state: crate::ResourceState::Running,
        specification: crate::Specification {
            instance_type: Some("m5.large".to_owned()),
            ..Default::default()
        },
        purchase: None,
        tags: BTreeMap::new(),
        group: None,
        attached_to: Vec::new(),
        monthly_cost: None,
        created_at: None,
        observed_at: jiff::Timestamp::UNIX_EPOCH,
    };
    assert!(PriceCatalogue::builtin().monthly_cost(&machine).is_some());

    machine.specification.tenancy = Some("dedicated".to_owned());
    assert_eq!(PriceCatalogue::builtin().monthly_cost(&machine), None);
    machine.specification.tenancy = Some("default".to_owned());
    assert!(PriceCatalogue::builtin().monthly_cost(&machine).is_some());

    // What was removed costs nothing, whatever it was: its removal would otherwise be measured as
    // no saving.
    machine.state = crate::ResourceState::Deleted;
    use crate::ResourceKind as Kind;

    for kind in [
        Kind::VirtualMachine,
        Kind::Database,
        Kind::Volume,
        Kind::IpAddress,
        Kind::NatGateway,
        Kind::Snapshot,
    ] {
        machine.kind = kind;
        let cost = PriceCatalogue::builtin()
            .monthly_cost(&machine)
            .map(|month| month.cost);
        assert_eq!(cost, Some(crate::Money::ZERO), "{kind}");
    }
}

#[test]
fn windows_on_azure_costs_its_licence_more() {
    let price = |name: &str, platform| {
        PriceCatalogue::builtin()
            .hourly_usd(Azure, "westeurope", name, platform)
            .map(|price| price.usd_per_hour)
    };

    // Azure's licence of Windows is $0.046 a vCPU and hour, less on the B series.
    for (name, licence) in [
        ("Standard_D2_v4", 0.092),
        ("Standard_D4s_v3", 0.184),
        ("Standard_E4s_v4", 0.184),
        ("Standard_B2ms", 0.008),
    ] {
        let (with, without) = (price(name, Some("windows")), price(name, None));
        let difference = with.zip(without).map(|(with, without)| with - without);
        assert!(
            difference.is_some_and(|found| (found - licence).abs() < 5e-4),
            "{name}: {difference:?}"
        );
    }

    // The source mixes the prices of these two up.
    for name in ["Standard_E2d_v4", "Standard_E32d_v4"] {
        assert_eq!(price(name, Some("windows")), None, "{name}");
    }

    let origin = PriceCatalogue::builtin()
        .hourly_usd(Azure, "westeurope", "Standard_D2_v4", Some("Windows"))
        .map(|price| price.origin.to_string());
    assert_eq!(origin.as_deref(), Some("Azure price list of 2025-03"));
}

#[test]
fn without_a_fact_there_is_no_price() {
    for (provider, name, platform) in [
        (Aws, "m5.large", Some("windows_byol")),
        (Azure, "Standard_D4s_v5", Some("windows")),
        (Azure, "Standard_D2_v4", Some("windows_with_sql_server_web")),
        (Gcp, "n2-standard-4", Some("windows")),
        (Aws, "db.m5.large", None),
        (Aws, "m5.gigantic", None),
        (Azure, "Standard_Nonsense", None),
        (Gcp, "n2-custom-x-y", None),
        (Gcp, "custom-4-8192", None),
    ] {
        assert_eq!(
            PriceCatalogue::builtin().hourly_usd(provider, "us-east-1", name, platform),
            None,
            "{name} {platform:?}"
        );
    }
}

#[test]
fn specifications_carry_baselines() {
    let m5 = PriceCatalogue::builtin().instance(Aws, "m5.large").unwrap();
    assert_eq!(
        (
            m5.vcpu,
            m5.memory_gib,
            m5.network_baseline_gbps,
            m5.disk_baseline_mbps
        ),
        (2, Some(8.0), Some(0.75), Some(650.0))
    );

    assert_eq!(m5.architectures, ["x86_64"]);
    assert!(
        PriceCatalogue::builtin()
            .instance(Aws, "t3.micro")
            .unwrap()
            .burstable
    );

    assert_eq!(
        PriceCatalogue::builtin()
            .database("db.r6g.xlarge")
            .unwrap()
            .machine
            .memory_gib,
        Some(32.0)
    );

    assert_eq!(PriceCatalogue::builtin().database("m5.large"), None);
}

#[test]
fn families_are_walked_one_size_at_a_time() {
    let c = PriceCatalogue::builtin();
    assert_eq!(
        names(c.smaller_in_family(Aws, "m5.2xlarge")),
        ["m5.xlarge", "m5.large"]
    );
    assert_eq!(
        names(c.smaller_in_family(Aws, "t3.large")),
        ["t3.medium", "t3.small", "t3.micro", "t3.nano"]
    );
    assert_eq!(
        names(c.larger_in_family(Aws, "m5.12xlarge")),
        ["m5.16xlarge", "m5.24xlarge"]
    );
    assert_eq!(
        names(c.smaller_in_family(Azure, "Standard_D8s_v5")),
        ["Standard_D4s_v5", "Standard_D2s_v5"]
    );
    assert_eq!(
        names(c.smaller_in_family(Gcp, "n2-standard-8")),
        ["n2-standard-4", "n2-standard-2"]
    );
    assert_eq!(
        names(c.smaller_in_family(Gcp, "e2-medium")),
        ["e2-small", "e2-micro"]
    );
    assert!(c.smaller_in_family(Aws, "m5.large").is_empty());
    assert!(c.smaller_in_family(Aws, "no.such").is_empty());
}

#[test]
fn volumes_cost_storage_and_provisioned_operations() {
    let c = PriceCatalogue::builtin();
    for (volume_type, gib, iops, usd) in [
        ("gp3", 100.0, Some(3000), 8.0),
        ("gp3", 100.0, Some(4000), 13.0),
        ("gp2", 100.0, Some(300), 10.0),
        ("io1", 100.0, Some(1000), 77.5),
        ("io2", 0.0, Some(64_000), 32_000.0 * (0.065 + 0.046)),
        ("st1", 1000.0, None, 45.0),
        ("standard", 10.0, None, 0.5),
    ] {
        let month = c
            .volume_monthly(Aws, "us-east-1", volume_type, gib, iops, None)
            .unwrap();
        assert!(
            (month.cost.usd() - usd).abs() < 1e-6,
            "{volume_type}: {} is not {usd}",
            month.cost.usd()
        );
    }

    let quick = c
        .volume_monthly(Aws, "us-east-1", "gp3", 100.0, Some(4000), Some(250))
        .unwrap();
    assert_eq!(
        quick.cost,
        crate::Money::from_usd(8.0 + 5.0 + 5.0),
        "storage, 1,000 IOPS and 125 MiB/s beyond what is free"
    );

    assert_eq!(
        c.volume_monthly(Aws, "eu-west-1", "gp3", 1.0, None, None),
        None
    );
    assert_eq!(
        c.volume_monthly(Aws, "us-east-1", "gp9", 1.0, None, None),
        None
    );
}

#[test]
fn discounts_are_of_the_family_and_say_whether_they_are_assumed() {
    let c = PriceCatalogue::builtin();
    let m5 = c
        .reservation_discount(Aws, "us-east-1", "m5.large", None)
        .unwrap();
    assert!(
        (m5.share - (1.0 - 0.071 / 0.096)).abs() < 1e-9 && !m5.assumed,
        "{m5:?}"
    );
    assert!(
        m5.wording.contains("(AWS price list of 2025-05-28)"),
        "{}",
        m5.wording
    );

    let windows = c
        .reservation_discount(Aws, "us-east-1", "m5.large", Some("windows"))
        .unwrap();
    assert!(
        (windows.share - (1.0 - 0.163 / 0.188)).abs() < 1e-9,
        "the licence has no discount: {windows:?}"
    );

    let newer = c
        .reservation_discount(Aws, "us-east-1", "c8a.large", None)
        .unwrap();
    assert_eq!(
        (newer.share, newer.assumed),
        (0.27, true),
        "newer than the list of reservations"
    );
    assert!(newer.wording.starts_with("Assumed"));

    let family = c
        .family_discount(Aws, "us-east-1", "m5.large", None)
        .unwrap();
    assert!((family - (1.0 - 0.06 / 0.096)).abs() < 1e-9);

    let three = c
        .family_discount_three_years(Aws, "us-east-1", "m5.large", None)
        .unwrap();
    assert!((three - (1.0 - 0.041 / 0.096)).abs() < 1e-9);

    let gcp = c
        .reservation_discount(Gcp, "us-central1", "c2-standard-4", None)
        .unwrap();
    assert!(!gcp.assumed && (0.3..0.45).contains(&gcp.share), "{gcp:?}");
    assert_eq!(
        c.reservation_discount(Gcp, "us-central1", "n2-standard-4", None),
        None,
        "C2's prices are not N2's"
    );

    assert_eq!(
        c.reservation_discount(Azure, "westeurope", "Standard_D4s_v5", None),
        None
    );
}

#[test]
fn sizes_of_other_families_boot_the_same_images() {
    let found = names(PriceCatalogue::builtin().exchangeable(Aws, "t3.medium"));
    assert!(found.contains(&"c6a.large") && found.contains(&"m6a.xlarge"));
    assert!(
        !found.contains(&"c6g.large") && !found.contains(&"t3.medium"),
        "another architecture"
    );
    assert!(
        !found.iter().any(|name| name.contains("metal")
            || name.starts_with("hpc")
            || name.starts_with("m1."))
    );
}
