//! Descriptions of the simulated resources, in the words of their clouds, with relations; and the
//! networks and security groups of AWS accounts, which only descriptions know.

mod documents;
mod identities;
mod managed;
mod paths;
mod roles;

use std::collections::{BTreeMap, BTreeSet};

pub(crate) use managed::{INSTALLED, is_managed, managed_id};

use jiff::Timestamp;
use reeve_estate::{
    Described, DescriptionReading, DescriptionSink, Document, ObserveError, ObserveErrorKind,
    Provider, ReadOutcome, Relation, RelationKind, Resource, ResourceId, ResourceKind,
    ResourceState, Specification,
};
use serde_json::{Value, json};

use crate::account::SimulatedAccount;
use crate::assets;
use crate::groups;
use crate::noise::{hex, key};
pub(crate) use identities::access_key;

pub(crate) use documents::subnet_id;

/// Resources handed over at once.
const PAGE: usize = 100;

impl SimulatedAccount {
    /// Hands over the descriptions of all resources, kind by kind.
    pub(crate) async fn describe_all(
        &self,
        sink: &dyn DescriptionSink,
    ) -> Result<(), ObserveError> {
        let now = self.world.now();
        let resources = self.all(&self.conditions.lock(), now);
        let mut kinds: BTreeMap<ResourceKind, Vec<Described>> = BTreeMap::new();

        for resource in &resources {
            kinds
                .entry(resource.kind)
                .or_default()
                .push(self.configured(self.described(resource)));
        }

        if self.plan.provider == Provider::Aws {
            // The account has none of these, which is known too.
            kinds.extend(
                [ResourceKind::Image, ResourceKind::LaunchTemplate].map(|kind| (kind, Vec::new())),
            );
        }

        for described in self.networks(&resources, now) {
            kinds
                .entry(described.resource.kind)
                .or_default()
                .push(self.configured(described));
        }

        for (kind, described) in kinds {
            let seen = described.len() as u64;
            for page in described.chunks(PAGE) {
                sink.page(page.to_vec()).await.map_err(failed)?;
            }
            sink.end(self.reading(kind, seen, now))
                .await
                .map_err(failed)?;
        }

        Ok(())
    }

    fn reading(&self, kind: ResourceKind, seen: u64, now: Timestamp) -> DescriptionReading {
        let denied = self
            .plan
            .denied
            .first()
            .filter(|_| kind == ResourceKind::Bucket);

        let outcome = if denied.is_some() {
            ReadOutcome::Denied
        } else {
            ReadOutcome::Complete
        };

        DescriptionReading {
            kind,
            region: String::new(),
            outcome,
            permission: denied.map_or_else(String::new, |(permission, _)| (*permission).to_owned()),
            seen,
            message: denied.map_or_else(String::new, |(_, message)| (*message).to_owned()),
            begun_at: now,
            read_at: now,
            complete_at: denied.is_none().then_some(now),
        }
    }

    pub(crate) fn described(&self, resource: &Resource) -> Described {
        let description = match resource.provider {
            Provider::Aws => self.aws(resource),
            Provider::Azure => documents::azure(resource),
            Provider::Gcp | Provider::Database => documents::gcp(resource),
        };
        Described {
            resource: resource.clone(),
            document: Document::new(description),
            relations: self.relations(resource),
        }
    }

    fn aws(&self, resource: &Resource) -> Value {
        let mut description = documents::aws(resource, &self.network_id(&resource.region));
        let lifecycle = self.lifecycle_document(&self.conditions.lock(), resource);

        if resource.kind == ResourceKind::ScalingGroup {
            let template = self.template(&self.conditions.lock(), resource, self.world.now());
            description["LaunchTemplate"] =
                json!({ "LaunchTemplateId": template.id, "Version": template.version });
        }

        if resource.kind == ResourceKind::VirtualMachine {
            let (anchor, now) = (self.world.settings.anchor, self.world.now());
            description["InstanceStatus"] = documents::status(resource, anchor, now);
        }

        if let (Value::Object(members), Some(lifecycle)) = (&mut description, lifecycle) {
            members.insert("Lifecycle".to_owned(), lifecycle);
        }

        description
    }

    fn relations(&self, resource: &Resource) -> Vec<Relation> {
        let groups = resource.specification.security_groups.iter();
        let mut relations: Vec<Relation> = groups
            .map(|group| Relation::to(RelationKind::ProtectedBy, group.clone()))
            .collect();
        relations.extend(
            resource
                .group
                .iter()
                .map(|group| Relation::to(RelationKind::MemberOf, group.0.clone())),
        );

        relations.extend(
            self.disk_of(resource)
                .map(|disk| Relation::to(RelationKind::CreatedFrom, disk.0)),
        );
        let attached = match resource.kind {
            ResourceKind::LoadBalancer => Some(RelationKind::RoutesTo),
            // Its members say that they are its members, and route tables that they lead to it.
            ResourceKind::ScalingGroup | ResourceKind::NatGateway => None,
            _ => Some(RelationKind::AttachedTo),
        };

        if let Some(kind) = attached {
            relations.extend(
                resource
                    .attached_to
                    .iter()
                    .map(|to| Relation::to(kind, to.0.clone())),
            );
        }

        let placed = matches!(
            resource.kind,
            ResourceKind::VirtualMachine | ResourceKind::LoadBalancer | ResourceKind::NatGateway
        );
        if placed && resource.provider == Provider::Aws {
            relations.push(Relation::to(
                RelationKind::LocatedIn,
                self.network_id(&resource.region),
            ));
        }

        relations
    }

    /// The disk that a snapshot was made of.
    fn disk_of(&self, snapshot: &Resource) -> Option<ResourceId> {
        let row = self
            .plan
            .snapshots
            .iter()
            .find(|row| row.name == snapshot.name)?;
        let is_snapshot = snapshot.kind == ResourceKind::Snapshot;
        is_snapshot.then(|| assets::disk_id(self.plan, self.world.settings.seed, row.disk))
    }

    pub(crate) fn network_id(&self, region: &str) -> String {
        format!(
            "vpc-{}",
            hex(
                key(
                    self.world.settings.seed,
                    &format!("{}/{region}/network", self.plan.account)
                ),
                17
            )
        )
    }

    /// The networks, security groups and identities of an AWS account: one network a region that has
    /// machines.
    pub(crate) fn networks(&self, resources: &[Resource], now: Timestamp) -> Vec<Described> {
        if self.plan.provider != Provider::Aws {
            return Vec::new();
        }

        let mut found = Vec::new();
        let teams: BTreeSet<(&str, &str)> = self
            .plan
            .machines
            .iter()
            .map(|machine| (machine.region, machine.owner.team))
            .collect();
        let regions: BTreeSet<&str> = teams.iter().map(|(region, _)| *region).collect();

        for (number, region) in regions.iter().enumerate() {
            found.push(self.network(region, number, now));
            found.push(self.group(region, "network", now));
            found.extend(self.paths(region, number, now));
        }

        found.extend(
            teams
                .iter()
                .map(|(region, team)| self.group(region, team, now)),
        );

        found.extend(self.replacements(&found, now));
        if let Some(region) = regions.iter().next() {
            found.extend(self.identities(region, now));
            found.extend(self.roles(now));
            found.extend(self.managed(resources, now));
        }

        let machines = resources
            .iter()
            .filter(|resource| resource.kind == ResourceKind::VirtualMachine);
        for machine in machines {
            let network = regions.iter().position(|region| *region == machine.region);
            let placed = (documents::has_address(machine), now);
            found.push(self.interface(machine, network.unwrap_or_default(), placed));
        }

        let isolating: BTreeSet<&str> = resources
            .iter()
            .filter(|resource| resource.specification.isolated)
            .map(|resource| resource.region.as_str())
            .collect();

        found.extend(
            isolating
                .iter()
                .map(|region| self.group(region, reeve_estate::QUARANTINE, now)),
        );
        found
    }

    fn network(&self, region: &str, number: usize, now: Timestamp) -> Described {
        let id = self.network_id(region);
        let description = json!({
            "vpcId": id, "cidrBlock": format!("10.{number}.0.0/16"), "state": "available", "isDefault": false, "FlowLogs": [],
            "ownerId": self.plan.account, "instanceTenancy": "default", "tagSet": [],
        });
        let resource = self.plain(
            ResourceKind::named("network"),
            &id,
            &format!("{region}-main"),
            region,
            now,
        );

        Described {
            resource,
            document: Document::new(description),
            relations: Vec::new(),
        }
    }

    fn group(&self, region: &str, name: &str, now: Timestamp) -> Described {
        let seed = self.world.settings.seed;
        let id = groups::id(self.plan, seed, region, name);
        let network = self.network_id(region);
        let rules = match name {
            reeve_estate::QUARANTINE => json!([]),
            "network" => json!([
                documents::rule(22, "10.0.0.0/8"),
                documents::rule(9100, "10.0.0.0/8")
            ]),
            "shop" => json!([
                documents::rule(443, "0.0.0.0/0"),
                documents::rule(80, "0.0.0.0/0")
            ]),
            // Opened for a consultant and forgotten. The bastion has a public address: this one rule
            // exposes it.
            "platform" => json!([
                documents::rule(443, "10.0.0.0/8"),
                documents::rule(22, "0.0.0.0/0")
            ]),
            _ => json!([documents::rule(443, "10.0.0.0/8")]),
        };

        let out = match name {
            reeve_estate::QUARANTINE => json!([]),
            _ => json!([documents::everything_out()]),
        };

        let description = json!({
            "groupId": id, "groupName": name, "groupDescription": format!("{name} in {region}"), "vpcId": network,
            "ownerId": self.plan.account, "ipPermissions": rules, "ipPermissionsEgress": out, "tagSet": [],
        });
        let relations = vec![Relation::to(RelationKind::LocatedIn, network)];
        let resource = self.plain(Some(ResourceKind::SecurityGroup), &id, name, region, now);

        Described {
            resource,
            document: Document::new(description),
            relations,
        }
    }

    pub(crate) fn plain(
        &self,
        kind: Option<ResourceKind>,
        id: &str,
        name: &str,
        region: &str,
        observed_at: Timestamp,
    ) -> Resource {
        Resource {
            id: ResourceId::new(id),
            connection: self.connection.id.clone(),
            provider: self.plan.provider,
            account: self.plan.account.to_owned(),
            region: region.to_owned(),
            service: "ec2".to_owned(),
            kind: kind.unwrap_or(ResourceKind::SecurityGroup),
            name: name.to_owned(),
            state: ResourceState::Available,
            specification: Specification::default(),
            purchase: None,
            tags: BTreeMap::new(),
            group: None,
            attached_to: Vec::new(),
            monthly_cost: None,
            created_at: None,
            observed_at,
        }
    }
}

fn failed(error: reeve_estate::StoreError) -> ObserveError {
    ObserveError {
        kind: ObserveErrorKind::Other,
        message: error.to_string(),
    }
}
