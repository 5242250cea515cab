//! The two ports, over the SDKs. A connection whose actions are switched off refuses every change
//! before it is sent.

use async_trait::async_trait;
use jiff::Timestamp;
use reeve_connect_aws_ec2::{AwsEc2Fault, Ec2, FaultKind, Place};
use reeve_estate::{
    AccessBatch, Act, ActError, ActErrorKind, Applied, Described, DescriptionSink, Inventory,
    InventorySink, Mutation, Observe, ObserveError, Observed, Operation, Purchase, Resource,
    ResourceId, ResourceKind, ResourceSnapshot, ResourceState, SUCCEEDS_TAG, SampleBatch,
    SampleQuery,
};

use crate::describe;
use crate::inventory::elb;
use crate::lifecycle;
use crate::operation;
use crate::rds;
use crate::session::AwsConnection;

#[async_trait]
impl Observe for AwsConnection {
    async fn identity(&self) -> Result<String, ObserveError> {
        Ok(self.caller().await?)
    }

    async fn inventory(&self) -> Result<Inventory, ObserveError> {
        Ok(self.read_inventory(None).await?)
    }

    async fn inventory_by_pages(
        &self,
        sink: &dyn InventorySink,
    ) -> Result<Inventory, ObserveError> {
        Ok(self.read_inventory(Some(sink)).await?)
    }

    fn watches(&self, region: &str) -> bool {
        region == "global" || self.regions().iter().any(|watched| watched == region)
    }

    async fn describe(&self, sink: &dyn DescriptionSink) -> Result<(), ObserveError> {
        self.describe_all(sink).await
    }

    async fn access(&self, buckets: &[Resource]) -> AccessBatch {
        self.read_access(buckets).await
    }

    async fn samples(&self, queries: &[SampleQuery]) -> Result<SampleBatch, ObserveError> {
        Ok(self.read_samples(queries).await?)
    }
}

#[async_trait]
impl Act for AwsConnection {
    async fn observe(&self, resource: &Resource) -> Result<Observed, ActError> {
        let place = self.place_of(resource);
        let id = resource.id.as_str();
        let mut fresh = match resource.kind {
            ResourceKind::VirtualMachine => self.machine_with_successor(place, id).await?,
            ResourceKind::Bucket => lifecycle::bucket(self, place, resource).await?,
            ResourceKind::Snapshot => {
                unless_gone(resource, self.ec2(place).snapshot_resource(id).await)?
            }
            ResourceKind::Volume => {
                unless_gone(resource, self.ec2(place).settled_volume(id).await)?
            }
            ResourceKind::Database => self.database(place, resource).await?,
            ResourceKind::ScalingGroup => {
                let ec2 = self.ec2(place.clone());
                self.scaling(place)
                    .refreshing_group(&ec2, &resource.name)
                    .await?
            }
            ResourceKind::IpAddress | ResourceKind::NatGateway | ResourceKind::LoadBalancer => {
                unless_gone(resource, self.removable(resource, place).await)?
            }
            ResourceKind::SecurityGroup => {
                let used = self.ec2(place).group_use(id).await?;
                let mut fresh = resource.clone();
                fresh.observed_at = Timestamp::now();
                fresh.specification.group_use = Some(used);
                fresh
            }
            kind if describe::is_described(kind) => {
                let described = self.describe_one(resource).await;
                unless_gone(resource, described.map(|one| as_described(resource, &one)))?
            }
            kind => {
                return Err(other(&format!(
                    "a {kind} cannot be read on its own; sync the connection"
                )));
            }
        };

        fresh.monthly_cost = self
            .catalogue()
            .monthly_cost(&fresh)
            .map(|month| month.cost);
        if fresh.group.is_some() {
            // The machine knows its group by name, the inventory by ARN.
            fresh.group = resource.group.clone().or(fresh.group);
        }

        Ok(observed(fresh))
    }

    async fn observe_configuration(&self, resource: &Resource) -> Result<Observed, ActError> {
        let described = match self.describe_one(resource).await {
            Ok(described) => described,
            Err(fault) if fault.kind == FaultKind::NotFound => {
                let gone = unless_gone(resource, Err(fault))?;
                return Ok(observed(gone));
            }
            Err(fault) => return Err(fault.into()),
        };

        // Kinds with a specification are observed as for any other change; the state of the others
        // is the description's.
        let mut fresh = if ResourceKind::SPECIFIED.contains(&resource.kind) {
            self.observe(resource).await?.resource
        } else {
            as_described(resource, &described)
        };
        fresh.specification.document = Some(described.document.into());
        Ok(observed(fresh))
    }

    async fn volumes_of(&self, machine: &Resource) -> Result<Vec<Resource>, ActError> {
        if machine.kind != ResourceKind::VirtualMachine {
            return Ok(Vec::new());
        }

        let mut volumes = self
            .ec2(self.place_of(machine))
            .volumes_of(machine.id.as_str())
            .await?;
        for volume in &mut volumes {
            volume.monthly_cost = self
                .catalogue()
                .monthly_cost(volume)
                .map(|month| month.cost);
        }

        Ok(volumes)
    }

    async fn apply(
        &self,
        resource: &Resource,
        operation: &dyn Operation,
    ) -> Result<Applied, ActError> {
        if !self.allow_actions {
            let message = format!(
                "changes are disabled for this connection; {} was not changed",
                resource.id
            );
            return Err(ActError {
                kind: ActErrorKind::Denied,
                message,
            });
        }

        let Some(mutation) = operation.downcast_ref::<Mutation>() else {
            return operation::apply(self, resource, operation).await;
        };

        match resource.kind {
            ResourceKind::VirtualMachine => self.change_machine(resource, mutation).await,
            ResourceKind::Volume => self.change_volume(resource, mutation).await,
            ResourceKind::Database => self.change_database(resource, mutation).await,
            ResourceKind::ScalingGroup => self.change_group(resource, mutation).await,
            kind => Err(other(&format!("Reeve changes no {kind}"))),
        }
    }

    async fn snapshot_complete(
        &self,
        resource: &ResourceId,
        region: &str,
        snapshot: &ResourceSnapshot,
    ) -> Result<bool, ActError> {
        let place = self.place("", region);
        // EC2 gives snapshots its own identifiers; those of databases are names of ours.
        let complete = if resource.as_str().starts_with("vol-") {
            self.ec2(place).snapshot_complete(&snapshot.id).await
        } else {
            self.rds(place).snapshot_complete(&snapshot.id).await
        };

        complete.map_err(ActError::from)
    }
}

impl AwsConnection {
    fn place_of(&self, resource: &Resource) -> Place {
        self.place(&resource.account, &resource.region)
    }

    /// A machine, with its successor where it may have one: on spot capacity, or launched by Reeve
    /// in the place of another.
    async fn machine_with_successor(
        &self,
        place: Place,
        id: &str,
    ) -> Result<Resource, AwsEc2Fault> {
        let mut machine = self.ec2(place.clone()).settled_machine(id).await?;
        if machine.purchase == Some(Purchase::Spot) || machine.tag(SUCCEEDS_TAG).is_some() {
            machine.specification.successor =
                operation::replace::successor(self, place, id).await?;
        }
        Ok(machine)
    }

    /// A database. While an encrypted one takes its place, no instance has its name for a minute.
    async fn database(&self, place: Place, resource: &Resource) -> Result<Resource, AwsEc2Fault> {
        let rds = self.rds(place);
        match rds.settled_database(rds::name_of(resource)).await {
            Err(fault) if fault.kind == FaultKind::NotFound => {
                let found = operation::encrypt_database::between_names(&rds, resource).await?;
                found.ok_or(fault)
            }
            found => found,
        }
    }

    /// A resource that Reeve can remove.
    async fn removable(&self, resource: &Resource, place: Place) -> Result<Resource, AwsEc2Fault> {
        let id = resource.id.as_str();
        match resource.kind {
            ResourceKind::IpAddress => self.ec2(place).address(id).await,
            ResourceKind::NatGateway => self.ec2(place).gateway(id).await,
            _ => elb::load_balancer(self, place, id).await,
        }
    }

    async fn change_machine(
        &self,
        machine: &Resource,
        mutation: &Mutation,
    ) -> Result<Applied, ActError> {
        let (ec2, id) = (self.ec2(self.place_of(machine)), machine.id.as_str());
        match mutation {
            Mutation::Stop => answered(&ec2, id, ec2.stop(id).await).await,
            Mutation::Start => answered(&ec2, id, ec2.start(id).await).await,
            Mutation::Resize { instance_type } => {
                answered(&ec2, id, ec2.resize(id, instance_type).await).await
            }
            Mutation::Isolate => answered(&ec2, id, ec2.isolate(id).await).await,
            Mutation::SetGroups { groups } => {
                answered(&ec2, id, ec2.set_groups(id, groups).await).await
            }
            Mutation::Snapshot { .. } => {
                Err(other(&format!("{id} is a machine: snapshot its volumes")))
            }
            _ => Err(other(&format!(
                "{id} is a machine: it can be stopped, started, resized and isolated"
            ))),
        }
    }

    async fn change_volume(
        &self,
        volume: &Resource,
        mutation: &Mutation,
    ) -> Result<Applied, ActError> {
        match mutation {
            Mutation::Snapshot { description } => {
                let ec2 = self.ec2(self.place_of(volume));
                let id = ec2.snapshot(volume.id.as_str(), description).await?;
                Ok(Applied::Snapshot(ResourceSnapshot { id }))
            }
            Mutation::Grow { storage_gib } => accepted(
                self.ec2(self.place_of(volume))
                    .grow(volume.id.as_str(), *storage_gib)
                    .await,
            ),
            _ => Err(other(&format!(
                "{} is a volume: it can be grown and snapshot",
                volume.id
            ))),
        }
    }

    async fn change_group(
        &self,
        group: &Resource,
        mutation: &Mutation,
    ) -> Result<Applied, ActError> {
        let Mutation::Scale { min, desired } = mutation else {
            return Err(other(&format!(
                "{} is a scaling group: it can only be scaled",
                group.name
            )));
        };
        accepted(
            self.scaling(self.place_of(group))
                .scale(&group.name, *min, *desired)
                .await,
        )
    }

    async fn change_database(
        &self,
        database: &Resource,
        mutation: &Mutation,
    ) -> Result<Applied, ActError> {
        let (rds, id) = (self.rds(self.place_of(database)), rds::name_of(database));
        match mutation {
            Mutation::Stop => accepted(rds.stop(id).await),
            Mutation::Start => accepted(rds.start(id).await),
            Mutation::Resize { instance_type } => accepted(rds.resize(id, instance_type).await),
            Mutation::Snapshot { description } => {
                let id = rds.snapshot(id, description, Timestamp::now()).await?;
                Ok(Applied::Snapshot(ResourceSnapshot { id }))
            }
            Mutation::Grow { storage_gib } => accepted(rds.grow(id, *storage_gib).await),
            Mutation::FailOver => accepted(rds.fail_over(id).await),
            Mutation::Replicate { name } => accepted(rds.replicate(id, name).await),
            Mutation::RemoveReplica { name } => accepted(rds.remove_replica(id, name).await),
            Mutation::Scale { .. } => Err(other(&format!("{id} is a database: it has no members"))),
            Mutation::Isolate | Mutation::SetGroups { .. } => Err(other(&format!(
                "{id} is a database: Reeve isolates machines alone"
            ))),
        }
    }
}

fn observed(resource: Resource) -> Observed {
    Observed {
        state: resource.state,
        instance_type: resource.specification.instance_type.clone(),
        resource,
    }
}

/// A resource of a kind that its description alone knows, as it is described now.
fn as_described(known: &Resource, described: &Described) -> Resource {
    Resource {
        state: described.resource.state,
        tags: described.resource.tags.clone(),
        observed_at: Timestamp::now(),
        ..known.clone()
    }
}

/// Result of a look at a resource. A removed one is unknown to the cloud at once, which is the
/// state that its removal leads to.
fn unless_gone(
    known: &Resource,
    found: Result<Resource, AwsEc2Fault>,
) -> Result<Resource, AwsEc2Fault> {
    match found {
        Err(fault) if fault.kind == FaultKind::NotFound => Ok(Resource {
            state: ResourceState::Deleted,
            observed_at: Timestamp::now(),
            ..known.clone()
        }),
        found => found,
    }
}

/// The answer to a change of a machine. A change that came too late for a machine that is gone
/// reads better than the state it is in, and EC2 has one error code for both: the machine itself
/// tells them apart.
async fn answered(
    ec2: &Ec2,
    id: &str,
    outcome: Result<(), AwsEc2Fault>,
) -> Result<Applied, ActError> {
    match outcome {
        Err(fault) if fault.kind == FaultKind::WrongState => {
            let gone = ec2
                .machine(id)
                .await
                .is_ok_and(|machine| machine.state == ResourceState::Deleted);
            let kind = if gone {
                ActErrorKind::NotFound
            } else {
                ActErrorKind::WrongState
            };
            Err(ActError {
                kind,
                message: fault.message,
            })
        }
        outcome => accepted(outcome),
    }
}

fn accepted(outcome: Result<(), AwsEc2Fault>) -> Result<Applied, ActError> {
    Ok(outcome.map(|()| Applied::Accepted)?)
}

fn other(message: &str) -> ActError {
    ActError {
        kind: ActErrorKind::Other,
        message: message.to_owned(),
    }
}
