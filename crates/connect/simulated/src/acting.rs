//! The acting port: the gate every call goes through (rate, faults), and the calls that only look.

use async_trait::async_trait;
use jiff::Timestamp;
use reeve_estate::{
    Act, ActError, ActErrorKind, Applied, Mutation, Observed, Operation, Provider, Resource,
    ResourceId, ResourceKind, ResourceSnapshot,
};

use reeve_recommend::change::{ConfigurationOperation, GroupOperation};

use crate::account::SimulatedAccount;
use crate::faults::Chance;
use crate::refusal::refuse;

/// Seconds the clouds take to change the size of a stopped machine; the call waits for it.
const RESIZE_S: f64 = 3.0;

#[async_trait]
impl Act for SimulatedAccount {
    async fn observe(&self, resource: &Resource) -> Result<Observed, ActError> {
        let now = self.admit()?;
        if resource.kind == ResourceKind::SecurityGroup {
            return self.with_group_use(resource, now);
        }
        let mut resource = self.find(&resource.id, now)?;
        if resource.kind == ResourceKind::VirtualMachine {
            let condition = self.conditions.lock().get(&resource.id);
            resource.specification.successor = condition.successor;
        }
        if resource.kind == ResourceKind::Bucket {
            resource.specification.lifecycle =
                Some(self.lifecycle(&self.conditions.lock(), &resource));
        }
        if resource.kind == ResourceKind::ScalingGroup && resource.provider == Provider::Aws {
            resource.specification.template =
                Some(self.template(&self.conditions.lock(), &resource, now));
        }

        Ok(Observed {
            state: resource.state,
            instance_type: resource.specification.instance_type.clone(),
            resource,
        })
    }

    async fn observe_configuration(&self, resource: &Resource) -> Result<Observed, ActError> {
        let now = self.admit()?;
        self.with_configuration(resource, now)
    }

    async fn volumes_of(&self, machine: &Resource) -> Result<Vec<Resource>, ActError> {
        let now = self.admit()?;
        let machine = self.find(&machine.id, now)?;
        let all = self.all(&self.conditions.lock(), now);
        let attached = |volume: &Resource| volume.attached_to.contains(&machine.id);
        Ok(all
            .into_iter()
            .filter(|resource| resource.kind == ResourceKind::Volume && attached(resource))
            .collect())
    }

    async fn apply(
        &self,
        resource: &Resource,
        operation: &dyn Operation,
    ) -> Result<Applied, ActError> {
        self.admit()?;
        let chance = self.chance(&resource.id);
        let faults = self.world.settings.faults;
        if chance.strikes(faults.throttle, "throttle") {
            return Err(throttled());
        }
        if let Some(Mutation::Resize { instance_type }) = operation.downcast_ref()
            && resource.kind == ResourceKind::VirtualMachine
        {
            // What is refused is refused at once; what is not takes its time and is looked at again
            // after it.
            self.may_resize(&resource.id, instance_type)?;
            self.world.settings.wait(RESIZE_S).await;
        }

        if let Some(operation) = operation.downcast_ref::<GroupOperation>() {
            return self.replace_group(resource, operation, self.world.now());
        }
        let applied = match operation.downcast_ref::<ConfigurationOperation>() {
            Some(operation) => self.configure(resource, operation, self.world.now())?,
            None => self.change(&resource.id, operation, &chance)?,
        };
        if chance.strikes(faults.lost_response, "lost") {
            let message =
                "the connection was closed before an answer came; the change may have been made";
            return Err(refuse(ActErrorKind::Unknown, "RequestTimeout", message));
        }

        Ok(applied)
    }

    async fn snapshot_complete(
        &self,
        resource: &ResourceId,
        _: &str,
        snapshot: &ResourceSnapshot,
    ) -> Result<bool, ActError> {
        let now = self.admit()?;
        let conditions = self.conditions.lock();
        let known = conditions
            .snapshots
            .get(&snapshot.id)
            .filter(|record| record.of == *resource);
        let missing = || {
            refuse(
                ActErrorKind::NotFound,
                "SnapshotNotFound",
                &format!("no snapshot {} of {resource}", snapshot.id),
            )
        };

        known
            .map(|record| now >= record.complete_at)
            .ok_or_else(missing)
    }
}

fn throttled() -> ActError {
    refuse(
        ActErrorKind::Throttled,
        "RequestLimitExceeded",
        "too many requests; try again in a few seconds",
    )
}

impl SimulatedAccount {
    /// Lets a call in, and says when it came.
    fn admit(&self) -> Result<Timestamp, ActError> {
        let now = self.world.now();
        if self.world.settings.faults.rate_limit && !self.bucket.lock().take(now) {
            return Err(throttled());
        }
        Ok(now)
    }

    fn chance(&self, id: &ResourceId) -> Chance {
        let mut calls = self.calls.lock();
        let call = calls.entry(id.clone()).or_default();
        *call += 1;
        Chance::new(self.world.settings.seed, id, *call)
    }

    fn find(&self, id: &ResourceId, now: Timestamp) -> Result<Resource, ActError> {
        let found = self.live(id, &self.conditions.lock(), now);
        found.ok_or_else(|| {
            refuse(
                ActErrorKind::NotFound,
                "NotFound",
                &format!("no resource {id} in {}", self.plan.account),
            )
        })
    }
}
