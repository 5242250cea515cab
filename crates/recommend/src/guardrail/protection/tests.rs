//! The table of protections, row by row, and its copy in the guide for users.

#![allow(clippy::unwrap_used)]

use std::collections::{BTreeMap, BTreeSet};

use reeve_estate::{
    ConnectionId, Provider, Purchase, ResourceId, ResourceKind, ResourceState, Specification,
};

use crate::change::{ChangeRegistry, Effect};
use crate::guardrail::protection::*;
use crate::plan::StepKind;

/// A running machine, database, volume or other resource of AWS without anything beside its size.
pub(crate) fn running(id: &str, kind: ResourceKind, size: Option<&str>) -> Resource {
    Resource {
        id: ResourceId::new(id),
        connection: ConnectionId("c-1".into()),
        provider: Provider::Aws,
        account: "111122223333".into(),
        region: "us-east-1".into(),
        service: "ec2".into(),
        kind,
        name: id.to_owned(),
        state: ResourceState::Running,
        specification: Specification {
            instance_type: size.map(str::to_owned),
            ..Specification::default()
        },
        purchase: None,
        tags: BTreeMap::new(),
        group: None,
        attached_to: Vec::new(),
        monthly_cost: None,
        created_at: None,
        observed_at: jiff::Timestamp::UNIX_EPOCH,
    }
}

fn machine(size: &str) -> Resource {
    running("i-1", ResourceKind::VirtualMachine, Some(size))
}

fn tagged(kind: ResourceKind, key: &str, value: &str) -> Resource {
    let mut resource = running("r-1", kind, Some("m5.large"));
    resource.tags.insert(key.to_owned(), value.to_owned());
    resource
}

fn code(resource: &Resource, change: &str) -> Option<&'static str> {
    refusal(resource, change, PriceCatalogue::builtin()).map(|protected| protected.code)
}

#[test]
fn refused_changes_are_changes_of_this_release_and_every_stop_is_among_them() {
    let known: BTreeSet<&str> = ChangeRegistry::builtin()
        .rows()
        .map(|row| row.name)
        .collect();
    for row in PROTECTIONS {
        if let Refuses::Changes(names) = row.refuses {
            assert!(
                names.iter().all(|name| known.contains(name)),
                "{}",
                row.code
            );
        }
    }

    // A change whose steps stop a machine must be in the list that protects local disks.
    let stops = StepKind::ALL
        .iter()
        .filter(|kind| kind.effect() == Effect::Stops)
        .count();
    assert_eq!(stops, 1);
    for change in ["stop_machine", "resize_machine"] {
        assert!(STOPS.includes(change) && MANAGED.includes(change));
    }
}

#[test]
fn machines_with_disks_of_the_host_are_not_stopped() {
    for (provider, size, expected) in [
        (Provider::Aws, "m5.large", None),
        (Provider::Aws, "m5d.large", Some("local_disks")),
        (Provider::Aws, "i3.large", Some("local_disks")),
        (Provider::Aws, "x9z.large", Some("local_disks_unknown")),
        (Provider::Azure, "Standard_D4ds_v5", None),
        (Provider::Azure, "Standard_L8s_v3", Some("local_disks")),
        (Provider::Gcp, "c3-standard-8-lssd", Some("local_disks")),
        (Provider::Gcp, "n2-standard-4", Some("local_disks_unknown")),
    ] {
        let mut one = machine(size);
        one.provider = provider;
        for change in ["stop_machine", "resize_machine"] {
            assert_eq!(code(&one, change), expected, "{size} {change}");
        }
        assert_eq!(code(&one, "tag_resource"), None, "{size}");
        one.tags
            .insert(LOCAL_DISKS_TAG.to_owned(), "Disposable".to_owned());
        assert_eq!(
            code(&one, "stop_machine"),
            None,
            "{size}, declared disposable"
        );
    }

    let mut google = machine("n2-standard-4");
    google.provider = Provider::Gcp;
    google.specification.local_disks = Some(false);
    assert_eq!(code(&google, "stop_machine"), None);
    google.specification.local_disks = Some(true);
    assert_eq!(code(&google, "stop_machine"), Some("local_disks"));

    let database = running("db-1", ResourceKind::Database, Some("db.m5d.large"));
    assert_eq!(
        code(&database, "resize_database"),
        None,
        "the local disks of RDS hold temporary tables alone"
    );
}

#[test]
fn what_a_service_owns_is_left_to_it() {
    for (key, value, manager) in [
        ("karpenter.sh/nodepool", "default", "Karpenter"),
        ("kubernetes.io/cluster/prod", "owned", "Kubernetes"),
        ("kubernetes.io/cluster/prod", "shared", "Kubernetes"),
        ("eks:nodegroup-name", "web", "Amazon EKS"),
        ("aws:elasticmapreduce:job-flow-id", "j-1", "Amazon EMR"),
        ("aws:batch:compute-environment", "x", "AWS Batch"),
        ("parallelcluster:cluster-name", "hpc", "AWS ParallelCluster"),
        ("NomadRole", "client", "Nomad"),
        (
            "elasticbeanstalk:environment-name",
            "shop",
            "Elastic Beanstalk",
        ),
        ("aws:ec2:fleet-id", "fleet-1", "an EC2 Fleet"),
        ("Vendor", "Databricks", "Databricks"),
    ] {
        let node = tagged(ResourceKind::VirtualMachine, key, value);
        let found = refusal(&node, "resize_machine", PriceCatalogue::builtin()).unwrap();
        assert!(
            found.code == "managed" && found.reason.starts_with(manager),
            "{key}: {found:?}"
        );
    }

    for (key, value) in [
        ("terraform", "true"),
        ("aws:cloudformation:stack-name", "shop"),
        ("managed-by", "pulumi"),
        ("team", "kubernetes"),
        ("CodeDeployGroup", "web"),
        ("Vendor", "SAP"),
    ] {
        assert_eq!(
            code(
                &tagged(ResourceKind::VirtualMachine, key, value),
                "stop_machine"
            ),
            None,
            "{key}"
        );
    }

    let volume = tagged(
        ResourceKind::Volume,
        "kubernetes.io/created-for/pvc/name",
        "data-0",
    );
    assert_eq!(code(&volume, "delete_volume"), Some("managed"));
    assert_eq!(
        code(&volume, "modify_volume"),
        None,
        "another volume type is no matter of the cluster"
    );

    let network = |value| {
        tagged(
            ResourceKind::NatGateway,
            "kubernetes.io/cluster/prod",
            value,
        )
    };

    assert_eq!(
        code(&network("owned"), "delete_nat_gateway"),
        Some("managed")
    );
    assert_eq!(
        code(&network("shared"), "delete_nat_gateway"),
        None,
        "the cluster uses it and does not own it"
    );
}

#[test]
fn groups_spot_capacity_clusters_and_opted_out_resources_are_left_alone() {
    let mut member = machine("m5.large");
    member.group = Some(ResourceId::new("asg-web"));
    assert_eq!(code(&member, "stop_machine"), Some("group_member"));

    let mut spot = machine("m5.large");
    spot.purchase = Some(Purchase::Spot);
    assert_eq!(code(&spot, "resize_machine"), Some("spot"));
    assert_eq!(
        code(
            &tagged(ResourceKind::Bucket, "reeve:ignore", "yes"),
            "put_bucket_lifecycle"
        ),
        Some("opted_out")
    );

    let database = |engine: &str| {
        let mut database = running("db-1", ResourceKind::Database, Some("db.r6g.large"));
        database.specification.platform = Some(engine.to_owned());
        database
    };
    let aurora = database("aurora-postgresql");

    for change in [
        "add_standby",
        "stop_database",
        "fail_over",
        "replicate",
        "grow_storage",
    ] {
        assert_eq!(code(&aurora, change), Some("cluster_member"), "{change}");
    }

    assert_eq!(
        code(&aurora, "resize_database"),
        None,
        "a member's class is its own"
    );

    let mut multi_az_cluster = database("postgres");
    assert_eq!(code(&multi_az_cluster, "stop_database"), None);
    multi_az_cluster.specification.cluster = Some("orders".to_owned());
    let found = refusal(&multi_az_cluster, "add_standby", PriceCatalogue::builtin()).unwrap();
    assert!(found.reason.contains("the cluster orders"), "{found:?}");

    let mut source = database("mysql");
    source.specification.replicas = vec!["orders-2".to_owned()];
    assert_eq!(code(&source, "stop_database"), Some("cannot_stop"));

    let mut sql_server = database("sqlserver-se");
    sql_server.specification.multi_az = Some(true);
    assert_eq!(code(&sql_server, "stop_database"), Some("cannot_stop"));
}

#[test]
fn the_page_of_a_resource_shows_the_changes_of_its_kind_alone() {
    let shown = |resource: &Resource| -> Vec<(&str, Vec<&str>)> {
        protections(resource, PriceCatalogue::builtin())
            .map(|(found, changes)| (found.code, changes))
            .collect()
    };

    let cluster = |kind| tagged(kind, "kubernetes.io/cluster/prod", "owned");
    assert_eq!(
        shown(&cluster(ResourceKind::VirtualMachine)),
        [("managed", vec!["stop_machine", "resize_machine"])]
    );
    assert_eq!(
        shown(&cluster(ResourceKind::NatGateway)),
        [("managed", vec!["delete_nat_gateway"])]
    );
    assert!(
        shown(&cluster(ResourceKind::Bucket)).is_empty(),
        "no change of a bucket is refused"
    );
    assert_eq!(
        shown(&tagged(ResourceKind::Bucket, "reeve:ignore", "true")),
        [("opted_out", Vec::new())]
    );
}

#[test]
fn the_guide_for_users_has_the_same_table() {
    let guide = include_str!("../../../../../docs/agents/what_changes_destroy.md");
    for row in PROTECTIONS {
        let changes = match row.refuses {
            Refuses::Every => "every change".to_owned(),
            Refuses::Changes(names) => names
                .iter()
                .map(|name| format!("`{name}`"))
                .collect::<Vec<_>>()
                .join(", "),
        };
        let line = format!("| `{}` | {} | {changes} |", row.code, row.resources);
        assert!(
            guide.contains(&line),
            "missing in docs/agents/what_changes_destroy.md:\n{line}"
        );
    }

    for manager in manager::names() {
        assert!(
            guide.contains(manager),
            "{manager} is missing in docs/agents/what_changes_destroy.md"
        );
    }
}
