//! Names and tags of resources: service names, tags, architecture.

use std::collections::BTreeMap;

use reeve_estate::{PriceCatalogue, Provider, ResourceKind};

use crate::company::people::PEOPLE;
use crate::company::{Machine, Managed, Owner};

pub(super) fn architecture(provider: Provider, size: &str) -> String {
    let known = PriceCatalogue::builtin()
        .instance(provider, size)
        .and_then(|spec| spec.architectures.first());
    known.cloned().unwrap_or_else(|| "x86_64".to_owned())
}

pub(super) fn tags(provider: Provider, name: &str, owner: Owner) -> BTreeMap<String, String> {
    let centre = match owner.team {
        "platform" => "cc-1100",
        "shop" => "cc-2100",
        "payments" => "cc-2200",
        "data" => "cc-3100",
        _ => "cc-9000",
    };

    let mut tags = vec![
        ("env", owner.env),
        ("team", owner.team),
        ("service", owner.service),
        ("cost-center", centre),
    ];

    if provider == Provider::Aws {
        tags.push(("Name", name));
    }

    let responsible = PEOPLE.iter().find(|person| person.team == owner.team);
    if let Some(person) = responsible {
        tags.push(("owner", person.handle));
    }

    tags.into_iter()
        .map(|(key, value)| (key.to_owned(), value.to_owned()))
        .collect()
}

pub(super) fn machine_tags(provider: Provider, machine: &Machine) -> Vec<(String, String)> {
    let mut tags = Vec::new();
    match (machine.managed, provider) {
        (Managed::ByHand, _) => {}
        (Managed::CloudFormation, _) => {
            tags.push(("aws:cloudformation:stack-name", machine.owner.service));
        }
        (Managed::Terraform, Provider::Gcp) => tags.push(("goog-terraform-provisioned", "true")),
        (Managed::Terraform, _) => tags.push(("managed-by", "terraform")),
    }

    if machine.ignored {
        tags.push(("reeve:ignore", "true"));
    }

    tags.into_iter()
        .map(|(key, value)| (key.to_owned(), value.to_owned()))
        .collect()
}

pub(super) fn service(provider: Provider, kind: ResourceKind) -> &'static str {
    type Kind = ResourceKind;
    match (provider, kind) {
        (
            Provider::Aws,
            Kind::VirtualMachine | Kind::Snapshot | Kind::IpAddress | Kind::NatGateway,
        ) => "ec2",
        (Provider::Aws, Kind::Volume) => "ebs",
        (Provider::Aws, Kind::Database) => "rds",
        (Provider::Aws, Kind::Bucket) => "s3",
        (Provider::Aws, Kind::LoadBalancer) => "elb",
        (Provider::Aws, Kind::ScalingGroup) => "autoscaling",
        (_, Kind::VirtualMachine | Kind::ScalingGroup) => "compute",
        (_, Kind::Volume) => "disk",
        (_, Kind::Database) => "sql",
        (_, Kind::Bucket) => "storage",
        _ => "network",
    }
}
