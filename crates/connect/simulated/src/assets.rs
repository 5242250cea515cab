//! From the company's tables to resources: identifiers, tags, attachments. The resources are as the
//! seed has them; what was changed since is laid over them by the account.

mod labels;

use jiff::{SignedDuration, Timestamp};
use reeve_estate::{
    Capacity, ConnectionId, Provider, Purchase, Resource, ResourceId, ResourceKind, ResourceState,
    Specification,
};

use crate::company::{Account, Machine, Owner};
use crate::groups;
use crate::load::Load;
use crate::noise::{between, digits, hex, key};
use labels::{architecture, machine_tags, service, tags};

/// A resource and what it is used for.
#[derive(Debug, Clone)]
pub(crate) struct Asset {
    pub(crate) resource: Resource,
    pub(crate) load: Load,
    /// Seed of the asset's random values.
    pub(crate) key: u64,
    /// An agent sends its memory.
    pub(crate) agent: bool,
    /// Used share of its only file system in percent, which the agent sends.
    pub(crate) disk_used: Option<f64>,
    /// `true` if its samples have gaps.
    pub(crate) holes: bool,
}

/// Builds an account's resources.
pub(crate) struct Builder<'a> {
    plan: &'a Account,
    connection: ConnectionId,
    seed: u64,
    anchor: Timestamp,
    assets: Vec<Asset>,
}

/// The identifier of a connection of this name.
pub(crate) fn connection_id(name: &str) -> ConnectionId {
    ConnectionId(format!("simulated-{name}"))
}

/// Returns all assets of an account, in the order of the tables.
pub(crate) fn build(plan: &Account, seed: u64, anchor: Timestamp) -> Vec<Asset> {
    let connection = connection_id(plan.connection);
    let mut builder = Builder {
        plan,
        connection,
        seed,
        anchor,
        assets: Vec::new(),
    };
    builder.machines();

    builder.databases();
    builder.loose_disks();
    builder.snapshots();
    builder.buckets();
    builder.balancers();
    builder.gateways();
    builder.addresses();
    builder.groups();

    builder.assets
}

/// The identifier of the n-th machine in a place: its own, and its successors'.
pub(crate) fn machine_id(plan: &Account, seed: u64, name: &str, generation: usize) -> ResourceId {
    let name = if generation == 0 {
        name.to_owned()
    } else {
        format!("{name}-{generation}")
    };
    let key = key(seed, &format!("{}/machine/{name}", plan.account));

    ResourceId(match plan.provider {
        Provider::Aws => format!("i-{}", hex(key, 17)),
        Provider::Gcp => digits(key, 19),
        Provider::Azure => azure(plan, "Microsoft.Compute/virtualMachines", &name),
        Provider::Database => name,
    })
}

/// The identifier of a disk.
pub(crate) fn disk_id(plan: &Account, seed: u64, name: &str) -> ResourceId {
    let key = key(seed, &format!("{}/disk/{name}", plan.account));
    ResourceId(match plan.provider {
        Provider::Aws => format!("vol-{}", hex(key, 17)),
        Provider::Gcp => digits(key, 19),
        Provider::Azure => azure(plan, "Microsoft.Compute/disks", name),
        Provider::Database => name.to_owned(),
    })
}

fn azure(plan: &Account, kind: &str, name: &str) -> String {
    format!(
        "/subscriptions/{}/resourceGroups/acme-corporate/providers/{kind}/{name}",
        plan.account
    )
}

/// Attributes that every asset has.
struct Row {
    id: ResourceId,
    name: String,
    region: &'static str,
    kind: ResourceKind,
    state: ResourceState,
    specification: Specification,
    owner: Owner,
    load: Load,
    age_days: u32,
}

impl Builder<'_> {
    fn add(&mut self, row: Row) -> &mut Asset {
        let key_of_row = key(self.seed, &format!("{}/{}", self.plan.account, row.id));
        let age_days = if row.age_days == 0 {
            between(key_of_row, -1, 90.0, 900.0)
        } else {
            f64::from(row.age_days)
        };
        let age = SignedDuration::from_secs((age_days * 86_400.0) as i64);

        let resource = Resource {
            id: row.id,
            connection: self.connection.clone(),
            provider: self.plan.provider,
            account: self.plan.account.to_owned(),
            region: row.region.to_owned(),
            service: service(self.plan.provider, row.kind).to_owned(),
            kind: row.kind,
            name: row.name.clone(),
            state: row.state,
            specification: row.specification,
            purchase: None,
            tags: tags(self.plan.provider, &row.name, row.owner),
            group: None,
            attached_to: Vec::new(),
            monthly_cost: None,
            created_at: self.anchor.checked_sub(age).ok(),
            observed_at: self.anchor,
        };

        let key = key_of_row;
        self.assets.push(Asset {
            resource,
            load: row.load,
            key,
            agent: false,
            disk_used: None,
            holes: false,
        });

        let last = self.assets.len() - 1;
        &mut self.assets[last]
    }

    fn machines(&mut self) {
        for machine in self.plan.machines {
            let id = machine_id(self.plan, self.seed, machine.name, 0);
            let group = machine.group.map(|name| self.group_id(name));
            let provider = self.plan.provider;
            let asset = self.add(Row {
                id: id.clone(),
                name: machine.name.to_owned(),
                region: machine.region,
                kind: ResourceKind::VirtualMachine,
                state: ResourceState::Running,
                specification: Specification {
                    instance_type: Some(machine.size.to_owned()),
                    platform: Some(machine.platform.to_owned()),
                    architecture: Some(architecture(provider, machine.size)),
                    security_groups: groups::of_machine(self.plan, self.seed, machine),
                    // Google describes local SSDs with the machine, not by its type.
                    local_disks: (provider == Provider::Gcp).then_some(false),
                    ..Specification::default()
                },
                owner: machine.owner,
                load: machine.load,
                age_days: machine.age_days,
            });
            (asset.agent, asset.holes) = (machine.agent, machine.holes);
            asset.disk_used = machine.root.map(|(_, used)| used);
            asset.resource.purchase = Some(machine.purchase);
            asset.resource.group = group;
            asset.resource.tags.extend(machine_tags(provider, machine));
            self.disks(machine, &id);
        }
    }

    fn disks(&mut self, machine: &Machine, attached_to: &ResourceId) {
        let (usual, class) = self.plan.root_disk;
        let root = (machine.root.map_or(usual, |(gib, _)| gib), class);
        let root = std::iter::once(("root", root, Load::Unmeasured));
        let data = machine
            .disks
            .iter()
            .map(|disk| ("data", *disk, Load::Disk(1.5e6)));

        for (role, (gib, class), load) in root.chain(data) {
            let name = format!("{}-{role}", machine.name);
            let row = self.disk(
                name,
                machine.region,
                (gib, class),
                load,
                machine.owner,
                machine.age_days,
            );
            let asset = self.add(Row {
                state: ResourceState::Available,
                ..row
            });
            asset.resource.attached_to = vec![attached_to.clone()];
        }
    }

    fn loose_disks(&mut self) {
        for disk in self.plan.loose_disks {
            let class = (disk.gib, disk.class);
            let row = self.disk(
                disk.name.to_owned(),
                disk.region,
                class,
                Load::Unmeasured,
                disk.owner,
                disk.age_days,
            );
            self.add(row);
        }
    }

    fn disk(
        &self,
        name: String,
        region: &'static str,
        (gib, class): (u32, &'static str),
        load: Load,
        owner: Owner,
        age_days: u32,
    ) -> Row {
        let id = disk_id(self.plan, self.seed, &name);
        let iops = matches!(class, "gp3" | "io1").then_some(3000);
        let throughput_mibps = (class == "gp3").then_some(125);
        let specification = Specification {
            storage_gib: Some(f64::from(gib)),
            storage_type: Some(class.to_owned()),
            iops,
            throughput_mibps,
            ..Specification::default()
        };

        let (kind, state) = (ResourceKind::Volume, ResourceState::Unattached);
        Row {
            id,
            name,
            region,
            kind,
            state,
            specification,
            owner,
            load,
            age_days,
        }
    }

    fn snapshots(&mut self) {
        for snapshot in self.plan.snapshots {
            let key = key(
                self.seed,
                &format!("{}/snapshot/{}", self.plan.account, snapshot.name),
            );
            let specification = Specification {
                storage_gib: Some(f64::from(snapshot.gib)),
                ..Specification::default()
            };
            let row = self.plain(
                ResourceKind::Snapshot,
                snapshot.name,
                snapshot.region,
                snapshot.owner,
            );
            let id = ResourceId(format!("snap-{}", hex(key, 17)));
            self.add(Row {
                id,
                specification,
                age_days: snapshot.age_days,
                ..row
            });
        }
    }

    fn databases(&mut self) {
        let aws = self.plan.provider == Provider::Aws;
        for database in self.plan.databases {
            let kind = ResourceKind::Database;
            let id = self.named(kind, database.name, database.region);
            let asset = self.add(Row {
                id,
                name: database.name.to_owned(),
                region: database.region,
                kind,
                state: ResourceState::Running,
                specification: Specification {
                    instance_type: Some(database.class.to_owned()),
                    platform: Some(database.engine.to_owned()),
                    storage_gib: Some(f64::from(database.gib)),
                    multi_az: Some(database.multi_az),
                    zone: aws.then(|| format!("{}a", database.region)),
                    standby_zone: (aws && database.multi_az)
                        .then(|| format!("{}b", database.region)),
                    ..Specification::default()
                },
                owner: database.owner,
                load: database.load,
                age_days: 0,
            });
            asset.resource.purchase = Some(Purchase::OnDemand);
        }
    }

    fn buckets(&mut self) {
        for bucket in self.plan.buckets {
            let kind = ResourceKind::Bucket;
            let specification = Specification {
                storage_gib: Some(f64::from(bucket.gib)),
                storage_type: Some(bucket.class.to_owned()),
                ..Specification::default()
            };
            let row = self.plain(kind, bucket.name, bucket.region, bucket.owner);
            // Most objects of a bucket that is rarely read are older than a year, and so is the
            // bucket.
            let age_days = if bucket.rarely_read {
                1_460
            } else {
                row.age_days
            };
            self.add(Row {
                specification,
                age_days,
                ..row
            });
        }
    }

    fn balancers(&mut self) {
        for balancer in self.plan.balancers {
            let targets = self.machines_named(balancer.targets);
            let row = self.plain(
                ResourceKind::LoadBalancer,
                balancer.name,
                balancer.region,
                balancer.owner,
            );
            let specification = Specification {
                instance_type: Some(balancer.class.to_owned()),
                ..Specification::default()
            };
            let asset = self.add(Row {
                specification,
                load: Load::Requests(balancer.peak),
                ..row
            });
            asset.resource.attached_to = targets;
        }
    }

    fn gateways(&mut self) {
        for gateway in self.plan.gateways {
            let row = self.plain(
                ResourceKind::NatGateway,
                gateway.name,
                gateway.region,
                gateway.owner,
            );
            let tables = (0..gateway.routes).map(|number| {
                ResourceId(format!(
                    "rtb-{}",
                    hex(key(self.seed, &format!("{}/{number}", row.id)), 17)
                ))
            });
            let tables: Vec<ResourceId> = tables.collect();
            self.add(Row {
                load: Load::Gateway(gateway.peak),
                ..row
            })
            .resource
            .attached_to = tables;
        }
    }

    fn addresses(&mut self) {
        for address in self.plan.addresses {
            let row = self.plain(
                ResourceKind::IpAddress,
                address.name,
                address.region,
                address.owner,
            );
            let holds = |asset: &&Asset| {
                let kind = asset.resource.kind;
                matches!(
                    kind,
                    ResourceKind::VirtualMachine | ResourceKind::NatGateway
                ) && asset.resource.name == address.holder
            };
            let holder: Vec<ResourceId> = self
                .assets
                .iter()
                .find(holds)
                .map(|asset| asset.resource.id.clone())
                .into_iter()
                .collect();
            let state = if holder.is_empty() {
                ResourceState::Unattached
            } else {
                ResourceState::Available
            };
            self.add(Row {
                state,
                age_days: address.age_days,
                ..row
            })
            .resource
            .attached_to = holder;
        }
    }

    fn groups(&mut self) {
        for group in self.plan.groups {
            let id = self.group_id(group.name);
            let members = self
                .assets
                .iter()
                .filter(|asset| asset.resource.group.as_ref() == Some(&id));
            let (ids, sizes): (Vec<_>, Vec<_>) = members
                .map(|asset| {
                    (
                        asset.resource.id.clone(),
                        asset.resource.specification.instance_type.clone(),
                    )
                })
                .unzip();
            // It may halve and double.
            let desired = ids.len() as u32;
            let specification = Specification {
                instance_type: sizes.into_iter().next().flatten(),
                capacity: Some(Capacity {
                    min: desired.div_ceil(2),
                    desired,
                    max: desired * 2,
                }),
                ..Specification::default()
            };
            let row = self.plain(
                ResourceKind::ScalingGroup,
                group.name,
                group.region,
                group.owner,
            );
            self.add(Row {
                specification,
                ..row
            })
            .resource
            .attached_to = ids;
        }
    }

    fn plain(
        &self,
        kind: ResourceKind,
        name: &'static str,
        region: &'static str,
        owner: Owner,
    ) -> Row {
        Row {
            id: self.named(kind, name, region),
            name: name.to_owned(),
            region,
            kind,
            state: ResourceState::Available,
            specification: Specification::default(),
            owner,
            load: Load::Unmeasured,
            age_days: 0,
        }
    }

    /// Machines of a group, or those whose names begin so.
    fn machines_named(&self, prefix: &str) -> Vec<ResourceId> {
        let machines = self
            .assets
            .iter()
            .filter(|asset| asset.resource.kind == ResourceKind::VirtualMachine);
        machines
            .filter(|asset| asset.resource.name.starts_with(prefix))
            .map(|asset| asset.resource.id.clone())
            .collect()
    }

    fn group_id(&self, name: &str) -> ResourceId {
        let region = self
            .plan
            .groups
            .iter()
            .find(|group| group.name == name)
            .map_or("", |group| group.region);
        self.named(ResourceKind::ScalingGroup, name, region)
    }

    /// The identifier of what its cloud knows by a name.
    fn named(&self, kind: ResourceKind, name: &str, region: &str) -> ResourceId {
        let (plan, account) = (self.plan, self.plan.account);
        ResourceId(match (plan.provider, kind) {
            (Provider::Aws, ResourceKind::LoadBalancer) => {
                let tail = hex(key(self.seed, name), 16);
                format!(
                    "arn:aws:elasticloadbalancing:{region}:{account}:loadbalancer/app/{name}/{tail}"
                )
            }
            (_, ResourceKind::IpAddress) => {
                format!(
                    "eipalloc-{}",
                    hex(key(self.seed, &format!("{account}/address/{name}")), 17)
                )
            }
            (_, ResourceKind::NatGateway) => {
                format!(
                    "nat-{}",
                    hex(key(self.seed, &format!("{account}/gateway/{name}")), 17)
                )
            }
            (Provider::Azure, ResourceKind::Database) => {
                azure(plan, "Microsoft.DBforPostgreSQL/flexibleServers", name)
            }
            (Provider::Azure, ResourceKind::LoadBalancer) => {
                azure(plan, "Microsoft.Network/loadBalancers", name)
            }
            (Provider::Azure, ResourceKind::ScalingGroup) => {
                azure(plan, "Microsoft.Compute/virtualMachineScaleSets", name)
            }
            (Provider::Gcp, ResourceKind::ScalingGroup | ResourceKind::LoadBalancer) => {
                format!(
                    "projects/{account}/regions/{region}/{}/{name}",
                    kind.as_str()
                )
            }
            _ => name.to_owned(),
        })
    }
}
