//! The simulated twin: a resource in memory that begins as the real one was last observed, and refuses what a cloud refuses:
//! a size that the catalogue does not know or that does not fit the image, resizing a running machine, starting what runs.
//! Nothing outside is reached. What it cannot show is load: how a size bears it is what the backtest tells.

use std::sync::Arc;

use async_trait::async_trait;
use parking_lot::Mutex;
use reeve_estate::{
    Act, ActError, ActErrorKind, Applied, Catalogue, Mutation, Observed, Provider, QUARANTINE, Resource, ResourceId,
    ResourceKind, ResourceState, Snapshot,
};

/// What stands before the identifiers of simulated resources, so that no record of one can be taken for the real one's.
const PREFIX: &str = "simulated:";

/// The simulated counterpart's identifier.
pub(super) fn id_of(real: &str) -> ResourceId {
    ResourceId::new(format!("{PREFIX}{real}"))
}

/// A resource that is not there.
pub(crate) struct SimulatedTwin {
    catalogue: Arc<Catalogue>,
    resource: Mutex<Resource>,
    volumes: Vec<Resource>,
    snapshots: Mutex<u32>,
}

impl SimulatedTwin {
    /// A twin of a resource and of the volumes attached to it.
    pub(super) fn of(real: &Resource, volumes: &[Resource], catalogue: Arc<Catalogue>) -> Self {
        let renamed = |resource: &Resource| Resource { id: id_of(resource.id.as_str()), ..resource.clone() };
        SimulatedTwin {
            catalogue,
            resource: Mutex::new(renamed(real)),
            volumes: volumes.iter().map(renamed).collect(),
            snapshots: Mutex::new(0),
        }
    }

    /// The twin as it is now.
    pub(super) fn resource(&self) -> Resource {
        self.resource.lock().clone()
    }

    fn resize(&self, of: &mut Resource, size: &str) -> Result<(), ActError> {
        let database = of.kind == ResourceKind::Database;
        let ready = if database { ResourceState::Running } else { ResourceState::Stopped };
        if of.state != ready {
            return Err(refused(
                ActErrorKind::WrongState,
                format!("it is {}; a size changes while it is {ready}", of.state),
            ));
        }
        let spec = match (of.kind, of.provider) {
            (ResourceKind::Database, Provider::Aws) => self.catalogue.database(size).map(|class| class.machine),
            _ => self.catalogue.instance(of.provider, size).cloned(),
        };
        let Some(spec) = spec else {
            return Err(refused(ActErrorKind::InvalidType, format!("the catalogue knows no size {size}")));
        };
        let image = of.specification.architecture.as_ref();
        if let Some(image) = image.filter(|image| !spec.architectures.iter().any(|own| own == *image)) {
            return Err(refused(ActErrorKind::InvalidType, format!("{size} does not run {image} images")));
        }
        of.specification.instance_type = Some(size.to_owned());
        Ok(())
    }
}

/// More storage, another number of members, the other zone, a replica more or less, other security groups: what a plan that stops
/// nothing asks for.
fn change(of: &mut Resource, mutation: &Mutation) -> Result<Applied, ActError> {
    let wrong = |message: String| Err(refused(ActErrorKind::InvalidType, message));
    let spec = &mut of.specification;
    match mutation {
        Mutation::Grow { storage_gib } => match spec.storage_gib {
            Some(now) if f64::from(*storage_gib) > now => spec.storage_gib = Some(f64::from(*storage_gib)),
            Some(now) => return wrong(format!("{storage_gib} GiB are not more than {now}")),
            None => return wrong("it has no storage of its own".to_owned()),
        },
        Mutation::Scale { min, desired } => match &mut spec.capacity {
            Some(now) if min <= desired && *desired <= now.max => (now.min, now.desired) = (*min, *desired),
            Some(now) => return wrong(format!("{min} to {desired} members, and it has at most {}", now.max)),
            None => return wrong("it is no group".to_owned()),
        },
        Mutation::FailOver if spec.standby_zone.is_some() => std::mem::swap(&mut spec.zone, &mut spec.standby_zone),
        Mutation::FailOver => return wrong("it has no standby".to_owned()),
        Mutation::Replicate { name } if !spec.replicas.contains(name) => spec.replicas.push(name.clone()),
        Mutation::RemoveReplica { name } if spec.replicas.contains(name) => spec.replicas.retain(|one| one != name),
        Mutation::Replicate { name } | Mutation::RemoveReplica { name } => {
            return wrong(format!("{name} is there already, or not at all"));
        }
        Mutation::Isolate if spec.security_groups.is_empty() => return wrong("it has no security groups".to_owned()),
        Mutation::Isolate => (spec.security_groups, spec.isolated) = (vec![QUARANTINE.to_owned()], true),
        Mutation::SetGroups { groups } if groups.is_empty() => return wrong("it must have a group".to_owned()),
        Mutation::SetGroups { groups } => (spec.security_groups, spec.isolated) = (groups.clone(), false),
        Mutation::Stop | Mutation::Start | Mutation::Resize { .. } | Mutation::Snapshot { .. } => {}
    }
    Ok(Applied::Accepted)
}

fn refused(kind: ActErrorKind, message: String) -> ActError {
    ActError { kind, message: format!("the simulated twin refuses: {message}") }
}

#[async_trait]
impl Act for SimulatedTwin {
    async fn observe(&self, _: &Resource) -> Result<Observed, ActError> {
        let resource = self.resource();
        let instance_type = resource.specification.instance_type.clone();
        Ok(Observed { state: resource.state, instance_type, resource })
    }

    async fn volumes_of(&self, _: &Resource) -> Result<Vec<Resource>, ActError> {
        Ok(self.volumes.clone())
    }

    async fn apply(&self, target: &Resource, mutation: &Mutation) -> Result<Applied, ActError> {
        let mut of = self.resource.lock();
        if target.id != of.id && !matches!(mutation, Mutation::Snapshot { .. }) {
            return Err(refused(ActErrorKind::NotFound, format!("{} is not the twin", target.id)));
        }
        let moved = |of: &mut Resource, from, to| {
            if of.state != from {
                return Err(refused(ActErrorKind::WrongState, format!("it is {}, not {from}", of.state)));
            }
            of.state = to;
            Ok(Applied::Accepted)
        };
        match mutation {
            Mutation::Stop => moved(&mut of, ResourceState::Running, ResourceState::Stopped),
            Mutation::Start => moved(&mut of, ResourceState::Stopped, ResourceState::Running),
            Mutation::Resize { instance_type } => self.resize(&mut of, instance_type).map(|()| Applied::Accepted),
            Mutation::Snapshot { .. } => {
                let mut taken = self.snapshots.lock();
                *taken += 1;
                Ok(Applied::Snapshot(Snapshot { id: format!("{PREFIX}snapshot-{taken}") }))
            }
            other => change(&mut of, other),
        }
    }

    async fn snapshot_complete(&self, _: &ResourceId, _: &str, _: &Snapshot) -> Result<bool, ActError> {
        Ok(true)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use std::collections::BTreeMap;

    use jiff::Timestamp;
    use reeve_estate::{ConnectionId, Provider, ResourceId, ResourceKind, ResourceState, Specification};

    /// A running machine.
    fn resource(id: &str, size: Option<&str>) -> Resource {
        Resource {
            id: ResourceId::new(id),
            connection: ConnectionId("c-1".to_owned()),
            provider: Provider::Aws,
            account: "111122223333".to_owned(),
            region: "us-east-1".to_owned(),
            service: "ec2".to_owned(),
            kind: ResourceKind::VirtualMachine,
            name: format!("{id}-name"),
            state: ResourceState::Running,
            specification: Specification { instance_type: size.map(str::to_owned), ..Specification::default() },
            purchase: None,
            tags: BTreeMap::new(),
            group: None,
            attached_to: Vec::new(),
            monthly_cost: None,
            created_at: None,
            observed_at: Timestamp::UNIX_EPOCH,
        }
    }

    fn machine() -> Resource {
        resource("i-1", Some("m5.xlarge"))
    }

    #[tokio::test]
    async fn it_refuses_what_a_cloud_refuses() {
        let twin = SimulatedTwin::of(&machine(), &[], Arc::new(Catalogue::builtin().clone()));
        let own = twin.resource();
        assert_eq!(own.id.as_str(), "simulated:i-1");
        let size = |name: &str| Mutation::Resize { instance_type: name.to_owned() };
        let kind = async |mutation: Mutation| twin.apply(&own, &mutation).await.map_err(|error| error.kind);
        assert_eq!(kind(size("m5.large")).await, Err(ActErrorKind::WrongState), "it runs");
        assert_eq!(kind(Mutation::Start).await, Err(ActErrorKind::WrongState));
        assert_eq!(kind(Mutation::Stop).await, Ok(Applied::Accepted));
        assert_eq!(kind(size("m5.huge")).await, Err(ActErrorKind::InvalidType), "no such size");
        assert_eq!(kind(size("m6g.large")).await, Err(ActErrorKind::InvalidType), "another architecture");
        assert_eq!(kind(size("m5.large")).await, Ok(Applied::Accepted));
        assert_eq!(twin.apply(&machine(), &Mutation::Start).await.unwrap_err().kind, ActErrorKind::NotFound);
        assert_eq!(twin.resource().specification.instance_type.as_deref(), Some("m5.large"));
    }
}
