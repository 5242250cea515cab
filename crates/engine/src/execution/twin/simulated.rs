//! The simulated twin: a resource in memory that begins as the real one was last observed, and
//! refuses what a cloud refuses: a size that the catalogue does not know or that does not fit the
//! image, resizing a running machine, starting what runs. Nothing outside is reached. It does not
//! simulate load: the backtest judges whether a size bears it.

use std::sync::Arc;

use async_trait::async_trait;
use parking_lot::Mutex;
use reeve_estate::{
    Act, ActError, ActErrorKind, Applied, Mutation, Observed, Operation, PriceCatalogue, Resource,
    ResourceId, ResourceSnapshot,
};
use reeve_recommend::change::{Change, refused};

/// Prefix of the identifiers of simulated resources, so that no record of one can be taken for the
/// real one's.
const PREFIX: &str = "simulated:";

/// The simulated counterpart's identifier.
pub(super) fn id_of(real: &str) -> ResourceId {
    ResourceId::new(format!("{PREFIX}{real}"))
}

/// A resource that is not there.
pub(crate) struct SimulatedTwin {
    change: Arc<dyn Change>,
    catalogue: Arc<PriceCatalogue>,
    resource: Mutex<Resource>,
    volumes: Vec<Resource>,
    snapshots: Mutex<u32>,
}

impl SimulatedTwin {
    /// A twin of a resource and of the volumes attached to it, which behaves as the change says.
    pub(super) fn new(
        real: &Resource,
        volumes: &[Resource],
        change: Arc<dyn Change>,
        catalogue: Arc<PriceCatalogue>,
    ) -> Self {
        let renamed = |resource: &Resource| Resource {
            id: id_of(resource.id.as_str()),
            ..resource.clone()
        };
        let mut twin = renamed(real);
        change.as_found(&mut twin);

        SimulatedTwin {
            change,
            catalogue,
            resource: Mutex::new(twin),
            volumes: volumes.iter().map(renamed).collect(),
            snapshots: Mutex::new(0),
        }
    }

    /// The twin as it is now.
    pub(super) fn resource(&self) -> Resource {
        self.resource.lock().clone()
    }
}

#[async_trait]
impl Act for SimulatedTwin {
    async fn observe(&self, _: &Resource) -> Result<Observed, ActError> {
        let resource = self.resource();
        let instance_type = resource.specification.instance_type.clone();
        Ok(Observed {
            state: resource.state,
            instance_type,
            resource,
        })
    }

    async fn observe_configuration(&self, twin: &Resource) -> Result<Observed, ActError> {
        self.observe(twin).await
    }

    async fn volumes_of(&self, _: &Resource) -> Result<Vec<Resource>, ActError> {
        Ok(self.volumes.clone())
    }

    async fn apply(
        &self,
        target: &Resource,
        operation: &dyn Operation,
    ) -> Result<Applied, ActError> {
        if let Some(Mutation::Snapshot { .. }) = operation.downcast_ref() {
            let mut taken = self.snapshots.lock();
            *taken += 1;
            return Ok(Applied::Snapshot(ResourceSnapshot {
                id: format!("{PREFIX}snapshot-{taken}"),
            }));
        }

        let mut resource = self.resource.lock();
        if target.id != resource.id {
            return Err(refused(
                ActErrorKind::NotFound,
                format_args!("{} is not the twin", target.id),
            ));
        }

        self.change
            .simulate(operation, &mut resource, &self.catalogue)?;
        Ok(Applied::Accepted)
    }

    async fn snapshot_complete(
        &self,
        _: &ResourceId,
        _: &str,
        _: &ResourceSnapshot,
    ) -> Result<bool, ActError> {
        Ok(true)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use reeve_estate::{ResourceKind, ResourceState};
    use reeve_recommend::change::ResizeMachine;
    use reeve_testkit::contract::estate::running;

    use super::*;

    fn machine() -> Resource {
        running("i-1", ResourceKind::VirtualMachine, Some("m5.xlarge"))
    }

    #[tokio::test]
    async fn it_refuses_what_a_cloud_refuses() {
        let (from, to) = ("m5.xlarge".to_owned(), "m5.large".to_owned());
        let change = Arc::new(ResizeMachine {
            state: ResourceState::Running,
            from,
            to,
        });

        let twin = SimulatedTwin::new(
            &machine(),
            &[],
            change,
            Arc::new(PriceCatalogue::builtin().clone()),
        );
        let own = twin.resource();
        assert_eq!(own.id.as_str(), "simulated:i-1");

        let size = |name: &str| Mutation::Resize {
            instance_type: name.to_owned(),
        };

        let kind = async |mutation: Mutation| {
            twin.apply(&own, &mutation)
                .await
                .map_err(|error| error.kind)
        };

        assert_eq!(
            kind(size("m5.large")).await,
            Err(ActErrorKind::WrongState),
            "it runs"
        );
        assert_eq!(kind(Mutation::Start).await, Err(ActErrorKind::WrongState));
        assert_eq!(kind(Mutation::Stop).await, Ok(Applied::Accepted));
        assert_eq!(
            kind(size("m5.huge")).await,
            Err(ActErrorKind::InvalidType),
            "no such size"
        );

        assert_eq!(
            kind(size("m6g.large")).await,
            Err(ActErrorKind::InvalidType),
            "another architecture"
        );
        assert_eq!(kind(size("m5.large")).await, Ok(Applied::Accepted));
        assert_eq!(
            twin.apply(&machine(), &Mutation::Start)
                .await
                .unwrap_err()
                .kind,
            ActErrorKind::NotFound
        );

        assert_eq!(
            twin.resource().specification.instance_type.as_deref(),
            Some("m5.large")
        );
    }
}
