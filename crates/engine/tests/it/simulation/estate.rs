//! The estate of a life: machines, databases and volumes of three connections, drawn from the seed.

use std::sync::Arc;

use async_trait::async_trait;
use jiff::Timestamp;
use reeve_audit::Obstacle;
use reeve_estate::{
    Act, Connection, ConnectionId, Purchase, Resource, ResourceId, ResourceKind, ResourceState,
};
use reeve_recommend::ports::Clouds;

use super::hazard::Hazard;
use super::load::Load;
use super::shaky::Shaky;
use crate::cloud::Cloud;
use crate::world::{connection, resource};

/// Connections: identifier, name, account.
const CONNECTIONS: [(&str, &str, &str); 3] = [
    ("c-1", "prod-aws", "111122223333"),
    ("c-2", "dev-aws", "444455556666"),
    ("c-3", "watched", "777788889999"),
];
/// Sizes from low to high impact.
const SIZES: [&str; 8] = [
    "t3.large",
    "t3.large",
    "t3.xlarge",
    "m5.large",
    "m5.xlarge",
    "m5.xlarge",
    "c5.2xlarge",
    "m5.8xlarge",
];

/// The connections; the last one is looked at alone.
pub(crate) fn connections() -> Vec<Connection> {
    let one = |(id, name, account): (&str, &str, &str)| Connection {
        id: ConnectionId(id.to_owned()),
        name: name.to_owned(),
        account: account.to_owned(),
        allow_actions: id != "c-3",
        ..connection()
    };
    CONNECTIONS.into_iter().map(one).collect()
}

fn drawn<T: Copy>(hazard: &Hazard, of: &[T]) -> T {
    of[hazard.below(of.len())]
}

fn somewhere(hazard: &Hazard, id: &str, kind: ResourceKind, size: Option<&str>) -> Resource {
    let (connection, _, account) = drawn(
        hazard,
        &[
            CONNECTIONS[0],
            CONNECTIONS[0],
            CONNECTIONS[1],
            CONNECTIONS[2],
        ],
    );

    let mut made = resource(id, kind, size);
    made.connection = ConnectionId(connection.to_owned());
    made.account = account.to_owned();
    let tags = [
        ("reeve:ignore", "true", 0.04),
        ("managed-by", "terraform", 0.06),
    ];

    for (key, value, share) in tags {
        if hazard.chance(share) {
            made.tags.insert(key.to_owned(), value.to_owned());
        }
    }

    let env = if connection == "c-1" {
        drawn(hazard, &["prod", "prod", "", "staging"])
    } else {
        "dev"
    };

    if !env.is_empty() {
        made.tags.insert("env".to_owned(), env.to_owned());
    }

    made
}

/// Fills the cloud and the inventory.
pub(crate) fn fill(store: &Shaky, cloud: &Cloud, machines: usize) {
    let hazard = &store.hazard;
    for n in 0..machines {
        let database = hazard.chance(0.15);
        let (kind, size) = if database {
            (
                ResourceKind::Database,
                drawn(hazard, &["db.m5.large", "db.m5.xlarge", "db.m5.2xlarge"]),
            )
        } else {
            (ResourceKind::VirtualMachine, drawn(hazard, &SIZES))
        };
        let mut made = somewhere(hazard, &format!("i-{n:03}"), kind, Some(size));
        if database {
            made.service = "rds".to_owned();
            made.state = ResourceState::Running;
            made.specification.platform = Some("postgres".to_owned());
        }
        made.group = hazard.chance(0.04).then(|| ResourceId::new("asg-1"));
        made.purchase = Some(if hazard.chance(0.04) {
            Purchase::Spot
        } else {
            Purchase::OnDemand
        });
        let cpu = drawn(hazard, &[0.1, 4.0, 5.0, 6.0, 8.0, 8.0, 40.0, 97.0]);
        store.loads.set(
            &made.id,
            Load {
                cpu,
                database,
                hot_since: None,
            },
        );
        if !database && hazard.chance(0.6) {
            let mut volume = Resource {
                tags: made.tags.clone(),
                ..resource(&format!("vol-{n:03}"), ResourceKind::Volume, None)
            };
            (volume.connection, volume.account) = (made.connection.clone(), made.account.clone());
            volume.attached_to = vec![made.id.clone()];
            put(store, cloud, volume);
        }
        put(store, cloud, made);
    }

    for n in 0..machines / 8 {
        let mut volume = somewhere(
            hazard,
            &format!("vol-free-{n:02}"),
            ResourceKind::Volume,
            None,
        );
        volume.state = ResourceState::Unattached;
        put(store, cloud, volume);
    }
}

fn put(store: &Shaky, cloud: &Cloud, made: Resource) {
    store
        .memory
        .resources
        .lock()
        .insert(made.id.clone(), made.clone());
    cloud.put(made);
}

/// Reads the cloud into the inventory, as a sync does.
pub(crate) fn sync(store: &Shaky, cloud: &Cloud) {
    let seen = cloud.all();
    let mut known = store.memory.resources.lock();
    for gone in known
        .values_mut()
        .filter(|known| seen.iter().all(|resource| resource.id != known.id))
    {
        gone.state = ResourceState::Deleted;
    }

    known.extend(
        seen.into_iter()
            .map(|resource| (resource.id.clone(), resource)),
    );
}

/// The clouds behind the connections: one, that holds everything.
pub(crate) struct ThreeClouds {
    pub(crate) store: Arc<Shaky>,
    pub(crate) cloud: Arc<Cloud>,
}

#[async_trait]
impl Clouds for ThreeClouds {
    async fn actor(&self, id: &ConnectionId) -> Result<(Connection, Arc<dyn Act>), Obstacle> {
        let found = self
            .store
            .connections
            .lock()
            .iter()
            .find(|connection| connection.id == *id)
            .cloned();
        match found {
            Some(found) if found.allow_actions => {
                Ok((found, Arc::clone(&self.cloud) as Arc<dyn Act>))
            }
            Some(found) => Err(Obstacle::of(format_args!(
                "connection {} does not allow actions",
                found.name
            ))),
            None => Err(Obstacle::of(format_args!("connection {id} does not exist"))),
        }
    }
}

/// Somebody else does something to a resource: another size, a tag, a disk, its end, or a load it
/// never had.
pub(crate) fn outsider(store: &Shaky, cloud: &Cloud, now: Timestamp) {
    let hazard = &store.hazard;
    let all: Vec<Resource> = cloud
        .all()
        .into_iter()
        .filter(|r| r.kind != ResourceKind::Volume)
        .collect();

    if all.is_empty() {
        return;
    }

    let of = &all[hazard.below(all.len())];
    let tag = |key: &str, value: &str| {
        cloud.change(of.id.as_str(), |r| {
            r.tags.insert(key.to_owned(), value.to_owned());
        });
    };

    match hazard.below(12) {
        0 if of.state == ResourceState::Running => {
            let size = if of.kind == ResourceKind::Database {
                "db.m5.large"
            } else {
                "m5.large"
            };
            cloud.change(of.id.as_str(), |r| {
                r.specification.instance_type = Some(size.to_owned())
            });
        }
        1 => tag("reeve:ignore", "true"),
        2 => tag("managed-by", "terraform"),
        3 if hazard.chance(0.3) => cloud.remove(&of.id),
        4 if of.kind == ResourceKind::VirtualMachine => {
            let mut volume = resource(
                &format!("vol-late-{}", hazard.below(100_000)),
                ResourceKind::Volume,
                None,
            );
            (volume.connection, volume.account) = (of.connection.clone(), of.account.clone());
            volume.attached_to = vec![of.id.clone()];
            cloud.put(volume);
        }
        5..9 => store.loads.heat(&of.id, now),
        _ => sync(store, cloud),
    }
}
