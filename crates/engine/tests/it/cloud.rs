//! A strict cloud in memory: machines must be stopped to be resized, changes take time, calls out
//! of order are refused. A script of faults makes single calls go wrong. Every change is noted in
//! the journal that the recorder writes too, so that a test can hold the order of records and
//! changes against each other.

use std::collections::BTreeMap;
use std::sync::Arc;

use async_trait::async_trait;
use jiff::{SignedDuration, Timestamp};
use parking_lot::Mutex;
use reeve_audit::Obstacle;
use reeve_estate::{
    Act, ActError, ActErrorKind, Applied, Capacity, Connection, ConnectionId, Mutation, Observed,
    Operation, PriceCatalogue, QUARANTINE, Resource, ResourceId, ResourceKind, ResourceSnapshot,
    ResourceState, Specification,
};
use reeve_recommend::change::{
    DocumentOperation, EndMember, GroupOperation, QuotaOperation, RemoveOperation,
};
use reeve_recommend::ports::{Clock, Clouds};

use crate::clock::TestClock;
use crate::journal::{Changed, Journal, Note};
use crate::simulation::hazard::Hazard;
use crate::world::connection;

/// Fault of one call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fault {
    /// It is done, and the answer is lost.
    LoseAnswer,
    /// The request is lost; nothing is done.
    LoseRequest,
    Throttle,
    /// The account may not.
    Deny,
    /// No machine of the size is free.
    NoCapacity,
    /// Accepted, and nothing happens.
    Ignore,
    /// It takes an hour, longer than any limit of a change.
    AnHour,
    /// It takes 25 minutes.
    Slow,
}

#[derive(Debug, Clone)]
struct Machine {
    resource: Resource,
    /// End and final state of a change in progress.
    moving: Option<(Timestamp, ResourceState)>,
}

#[derive(Debug, Default)]
struct Inner {
    machines: BTreeMap<ResourceId, Machine>,
    snapshots: BTreeMap<String, Timestamp>,
    /// By number of the changing call, from 0.
    faults: BTreeMap<usize, Fault>,
    calls: usize,
    looks: usize,
    /// Looks that get no answer, by number.
    blind: Vec<usize>,
    /// Each size that a machine takes is withdrawn when it starts.
    forgets_size: bool,
}

pub(crate) struct Cloud {
    inner: Mutex<Inner>,
    clock: Arc<TestClock>,
    journal: Journal,
    /// Source of faults for calls that no script covers.
    hazard: Option<Arc<Hazard>>,
    pub(crate) allow_actions: Mutex<bool>,
    /// Requests that change no resource: quotas, documents.
    pub(crate) requests: Mutex<Vec<String>>,
}

impl Cloud {
    pub(crate) fn new(
        clock: Arc<TestClock>,
        journal: Journal,
        hazard: Option<Arc<Hazard>>,
    ) -> Arc<Self> {
        Arc::new(Cloud {
            inner: Mutex::default(),
            clock,
            journal,
            hazard,
            allow_actions: Mutex::new(true),
            requests: Mutex::default(),
        })
    }

    /// Somebody makes a resource, or another of the same name.
    pub(crate) fn put(&self, resource: Resource) {
        let mut inner = self.inner.lock();
        self.note(None, resource.clone(), self.clock.now());
        inner.machines.insert(
            resource.id.clone(),
            Machine {
                resource,
                moving: None,
            },
        );
    }

    /// Somebody changes a resource.
    pub(crate) fn change(&self, id: &str, change: impl FnOnce(&mut Resource)) {
        let mut inner = self.inner.lock();
        let machine = inner.machines.get_mut(&ResourceId::new(id)).unwrap();
        change(&mut machine.resource);
        let (settles, state) = machine
            .moving
            .unwrap_or((self.clock.now(), machine.resource.state));
        self.note(
            None,
            Resource {
                state,
                ..machine.resource.clone()
            },
            settles,
        );
    }

    /// Somebody removes a resource.
    pub(crate) fn remove(&self, id: &ResourceId) {
        if let Some(gone) = self.inner.lock().machines.remove(id) {
            self.note(
                None,
                Resource {
                    state: ResourceState::Deleted,
                    ..gone.resource
                },
                self.clock.now(),
            );
        }
    }

    /// Everything there is now.
    pub(crate) fn all(&self) -> Vec<Resource> {
        let mut inner = self.inner.lock();
        self.settle(&mut inner);
        inner
            .machines
            .values()
            .map(|machine| machine.resource.clone())
            .collect()
    }

    fn note(&self, call: Option<Mutation>, after: Resource, settles: Timestamp) {
        let at = self.clock.now();
        self.journal.lock().push(Note::Changed(Box::new(Changed {
            at,
            call,
            after,
            settles,
        })));
    }

    fn fault_at(&self, inner: &Inner, call: usize) -> Option<Fault> {
        inner
            .faults
            .get(&call)
            .copied()
            .or_else(|| self.hazard.as_ref()?.cloud())
    }

    async fn moment(&self) {
        if let Some(hazard) = &self.hazard {
            hazard.moment().await;
        }
    }

    /// Makes the nth changing call (from 0) go wrong.
    pub(crate) fn fault(&self, call: usize, fault: Fault) {
        self.inner.lock().faults.insert(call, fault);
    }

    /// Lets the nth changing call be.
    pub(crate) fn unfault(&self, call: usize) {
        self.inner.lock().faults.remove(&call);
    }

    /// Changing calls so far.
    pub(crate) fn calls(&self) -> usize {
        self.inner.lock().calls
    }

    pub(crate) fn blind(&self, looks: &[usize]) {
        self.inner.lock().blind = looks.to_vec();
    }

    pub(crate) fn forget_sizes(&self) {
        self.inner.lock().forgets_size = true;
    }

    /// State and size of a machine now.
    pub(crate) fn state(&self, id: &str) -> (ResourceState, String) {
        let mut inner = self.inner.lock();
        self.settle(&mut inner);
        let resource = &inner.machines[&ResourceId::new(id)].resource;

        (
            resource.state,
            resource
                .specification
                .instance_type
                .clone()
                .unwrap_or_default(),
        )
    }

    pub(crate) fn snapshots(&self) -> usize {
        self.inner.lock().snapshots.len()
    }

    fn settle(&self, inner: &mut Inner) {
        let now = self.clock.now();
        for machine in inner.machines.values_mut() {
            if let Some((at, state)) = machine.moving
                && at <= now
            {
                machine.moving = None;
                machine.resource.state = state;
            }
        }
    }

    fn carry_out(
        &self,
        inner: &mut Inner,
        id: &ResourceId,
        mutation: &Mutation,
        seconds: i64,
    ) -> Result<Applied, ActError> {
        let until = self.clock.now() + SignedDuration::from_secs(seconds);
        let forgets = inner.forgets_size;
        let machine = inner
            .machines
            .get_mut(id)
            .ok_or_else(|| refuse(ActErrorKind::NotFound, "no such resource"))?;
        may(&machine.resource, mutation)?;
        let (resource, moving) = (&mut machine.resource, &mut machine.moving);
        let settled = moving.map_or(resource.state, |(_, state)| state);
        let mut move_to = |resource: &mut Resource, state| {
            resource.state = ResourceState::Changing;
            *moving = Some((until, state));
        };

        match mutation {
            Mutation::Snapshot { .. } => {
                let (after, snapshot) =
                    (resource.clone(), format!("snap-{}", inner.snapshots.len()));
                inner.snapshots.insert(snapshot.clone(), until);
                self.note(Some(mutation.clone()), after, until);
                return Ok(Applied::Snapshot(ResourceSnapshot { id: snapshot }));
            }
            Mutation::Stop => move_to(resource, ResourceState::Stopped),
            Mutation::Start => move_to(resource, ResourceState::Running),
            Mutation::Resize { instance_type } => {
                if !forgets {
                    resource.specification.instance_type = Some(instance_type.clone());
                }
                if resource.kind == ResourceKind::Database {
                    move_to(resource, ResourceState::Running);
                }
            }
            // Rules of the network hold at once, and the machine runs on.
            groups @ (Mutation::Isolate | Mutation::SetGroups { .. }) => {
                alter(&mut resource.specification, groups)
            }
            further => {
                alter(&mut resource.specification, further);
                move_to(resource, settled);
            }
        }

        let (settles, state) = moving.unwrap_or((self.clock.now(), resource.state));
        let after = Resource {
            state,
            ..resource.clone()
        };
        self.note(Some(mutation.clone()), after, settles);

        Ok(Applied::Accepted)
    }

    /// Deletes a volume that nothing is attached to.
    fn delete(&self, id: &ResourceId) -> Result<Applied, ActError> {
        let mut inner = self.inner.lock();
        let volume = inner
            .machines
            .get_mut(id)
            .ok_or_else(|| refuse(ActErrorKind::NotFound, "no such resource"))?;
        if volume.resource.state != ResourceState::Unattached {
            return Err(refuse(ActErrorKind::WrongState, "it is attached"));
        }

        volume.resource.state = ResourceState::Deleted;
        self.note(None, volume.resource.clone(), self.clock.now());
        Ok(Applied::Accepted)
    }

    fn answer(&self, resource: &Resource, mutation: &Mutation) -> Result<Applied, ActError> {
        let mut inner = self.inner.lock();
        self.settle(&mut inner);
        let call = inner.calls;
        inner.calls += 1;
        let fault = self.fault_at(&inner, call);
        self.journal
            .lock()
            .push(Note::Asked(resource.id.0.clone(), mutation.clone()));
        let usual = if matches!(mutation, Mutation::Snapshot { .. }) {
            60
        } else {
            30
        };

        match fault {
            None => self.carry_out(&mut inner, &resource.id, mutation, usual),
            Some(Fault::AnHour) => self.carry_out(&mut inner, &resource.id, mutation, 3600),
            Some(Fault::Slow) => self.carry_out(&mut inner, &resource.id, mutation, 1500),
            Some(Fault::LoseAnswer) => {
                self.carry_out(&mut inner, &resource.id, mutation, usual)?;
                Err(refuse(ActErrorKind::Unknown, "the answer was lost"))
            }
            Some(Fault::LoseRequest) => Err(refuse(ActErrorKind::Unknown, "no answer")),
            Some(Fault::Throttle) => Err(refuse(ActErrorKind::Throttled, "too many requests")),
            Some(Fault::Deny) => Err(refuse(
                ActErrorKind::Denied,
                "not authorised to perform this",
            )),
            Some(Fault::NoCapacity) => Err(refuse(
                ActErrorKind::NoCapacity,
                "no capacity for this size now",
            )),
            Some(Fault::Ignore) if matches!(mutation, Mutation::Snapshot { .. }) => {
                self.carry_out(&mut inner, &resource.id, mutation, usual)
            }
            Some(Fault::Ignore) => Ok(Applied::Accepted),
        }
    }
}

/// Refuses what real clouds refuse: calls out of order, sizes that do not exist or do not fit,
/// snapshots without data.
fn may(resource: &Resource, mutation: &Mutation) -> Result<(), ActError> {
    type Kind = ResourceKind;
    let in_state = |wanted: ResourceState| {
        if resource.state == wanted {
            return Ok(());
        }
        let message = format!("{} is {}, not {wanted}", resource.id, resource.state);
        Err(refuse(ActErrorKind::WrongState, &message))
    };

    match (mutation, resource.kind) {
        (Mutation::Snapshot { .. }, Kind::Volume) => Ok(()),
        (Mutation::Snapshot { .. }, Kind::Database)
        | (Mutation::Stop, Kind::VirtualMachine | Kind::Database) => {
            in_state(ResourceState::Running)
        }
        (Mutation::Start, Kind::VirtualMachine | Kind::Database) => {
            in_state(ResourceState::Stopped)
        }
        (Mutation::Resize { instance_type }, Kind::VirtualMachine | Kind::Database) => {
            in_state(if resource.kind == Kind::Database {
                ResourceState::Running
            } else {
                ResourceState::Stopped
            })?;
            let catalogue = PriceCatalogue::builtin();
            let spec = match resource.kind {
                Kind::Database => catalogue.database(instance_type).map(|class| class.machine),
                _ => catalogue
                    .instance(resource.provider, instance_type)
                    .cloned(),
            };
            let spec = spec.ok_or_else(|| refuse(ActErrorKind::InvalidType, "no such size"))?;
            let runs = |has: &String| spec.architectures.contains(has);
            if resource
                .specification
                .architecture
                .as_ref()
                .is_none_or(runs)
            {
                return Ok(());
            }
            Err(refuse(
                ActErrorKind::InvalidType,
                "the size is of another architecture",
            ))
        }
        (Mutation::RemoveReplica { name }, Kind::Database)
            if resource.specification.replicas.contains(name) =>
        {
            Ok(())
        }
        (further, kind) => may_alter(resource, further, kind),
    }
}

/// The same of what stops nothing: less storage, members beyond the maximum, no standby, a name
/// that is taken.
fn may_alter(resource: &Resource, mutation: &Mutation, kind: ResourceKind) -> Result<(), ActError> {
    type Kind = ResourceKind;
    let spec = &resource.specification;

    if resource.state == ResourceState::Changing && kind != Kind::ScalingGroup {
        return Err(refuse(
            ActErrorKind::WrongState,
            "it is on its way between states",
        ));
    }

    let fits = match (mutation, kind) {
        (Mutation::Grow { storage_gib }, Kind::Volume | Kind::Database) => {
            spec.storage_gib < Some(f64::from(*storage_gib))
        }
        (Mutation::Scale { min, desired }, Kind::ScalingGroup) => {
            min <= desired
                && spec
                    .capacity
                    .is_some_and(|capacity| *desired <= capacity.max)
        }
        (Mutation::FailOver, Kind::Database) => spec.standby_zone.is_some(),
        (Mutation::Replicate { name }, Kind::Database) => !spec.replicas.contains(name),
        (Mutation::Isolate, Kind::VirtualMachine) => true,
        (Mutation::SetGroups { groups }, Kind::VirtualMachine) => !groups.is_empty(),
        _ => {
            return Err(refuse(
                ActErrorKind::Other,
                "this kind of resource does not do that",
            ));
        }
    };

    if fits {
        Ok(())
    } else {
        Err(refuse(ActErrorKind::InvalidType, "it does not go that way"))
    }
}

fn alter(spec: &mut Specification, mutation: &Mutation) {
    match mutation {
        Mutation::Grow { storage_gib } => spec.storage_gib = Some(f64::from(*storage_gib)),
        Mutation::Scale { min, desired } => {
            spec.capacity = spec.capacity.map(|capacity| Capacity {
                min: *min,
                desired: *desired,
                ..capacity
            });
        }
        Mutation::FailOver => std::mem::swap(&mut spec.zone, &mut spec.standby_zone),
        Mutation::Replicate { name } => spec.replicas.push(name.clone()),
        Mutation::RemoveReplica { name } => spec.replicas.retain(|one| one != name),
        Mutation::Isolate => {
            (spec.security_groups, spec.isolated) = (vec![QUARANTINE.to_owned()], true)
        }
        Mutation::SetGroups { groups } => {
            (spec.security_groups, spec.isolated) = (groups.clone(), false)
        }
        Mutation::Stop | Mutation::Start | Mutation::Resize { .. } | Mutation::Snapshot { .. } => {}
    }
}

fn refuse(kind: ActErrorKind, message: &str) -> ActError {
    ActError {
        kind,
        message: message.to_owned(),
    }
}

#[async_trait]
impl Act for Cloud {
    async fn observe(&self, resource: &Resource) -> Result<Observed, ActError> {
        self.moment().await;
        let mut inner = self.inner.lock();
        let look = inner.looks;
        inner.looks += 1;
        if inner.blind.contains(&look) || self.hazard.as_ref().is_some_and(|hazard| hazard.blind())
        {
            return Err(refuse(ActErrorKind::Unknown, "no answer"));
        }

        self.settle(&mut inner);
        let machine = inner
            .machines
            .get(&resource.id)
            .ok_or_else(|| refuse(ActErrorKind::NotFound, "no such machine"))?;
        Ok(Observed {
            state: machine.resource.state,
            instance_type: machine.resource.specification.instance_type.clone(),
            resource: machine.resource.clone(),
        })
    }

    async fn observe_configuration(&self, resource: &Resource) -> Result<Observed, ActError> {
        self.observe(resource).await
    }

    async fn volumes_of(&self, machine: &Resource) -> Result<Vec<Resource>, ActError> {
        self.moment().await;
        let inner = self.inner.lock();
        Ok(inner
            .machines
            .values()
            .map(|m| &m.resource)
            .filter(|r| r.attached_to.contains(&machine.id))
            .cloned()
            .collect())
    }

    async fn apply(
        &self,
        resource: &Resource,
        operation: &dyn Operation,
    ) -> Result<Applied, ActError> {
        if let Some(RemoveOperation) = operation.downcast_ref() {
            self.moment().await;
            return self.delete(&resource.id);
        }

        if let Some(QuotaOperation { quota, to, .. }) = operation.downcast_ref() {
            self.moment().await;
            self.requests.lock().push(format!("{quota} to {to}"));
            return Ok(Applied::Accepted);
        }

        if let Some(EndMember { member, .. }) = operation.downcast_ref() {
            self.moment().await;
            self.requests.lock().push(format!("end {member}"));
            self.change(resource.id.as_str(), |group| {
                if let Some(capacity) = &mut group.specification.capacity {
                    capacity.desired -= 1;
                }
            });
            return Ok(Applied::Accepted);
        }

        if let Some(DocumentOperation { document, .. }) = operation.downcast_ref() {
            self.moment().await;
            let run = format!("{document} on {}", resource.id);
            let mut requests = self.requests.lock();
            if requests.contains(&run) {
                return Ok(Applied::Accepted);
            }
            requests.push(run);
            return Ok(Applied::Pending);
        }

        if let Some(operation) = operation.downcast_ref::<GroupOperation>() {
            self.moment().await;
            self.change(resource.id.as_str(), |group| {
                let wide = group.id.0.clone();
                let used = group.specification.group_use.get_or_insert_default();
                operation.apply(used, &wide, "sg-tight");
            });
            return Ok(Applied::Accepted);
        }

        let mutation = operation
            .downcast_ref()
            .ok_or_else(|| refuse(ActErrorKind::Other, "no such operation"))?;
        self.moment().await;
        let answer = self.answer(resource, mutation);
        self.moment().await;

        answer
    }

    async fn snapshot_complete(
        &self,
        _: &ResourceId,
        _: &str,
        snapshot: &ResourceSnapshot,
    ) -> Result<bool, ActError> {
        let inner = self.inner.lock();
        let at = inner
            .snapshots
            .get(&snapshot.id)
            .ok_or_else(|| refuse(ActErrorKind::NotFound, "no such snapshot"))?;
        Ok(*at <= self.clock.now())
    }
}

/// The cloud behind every connection.
pub(crate) struct OneCloud(pub(crate) Arc<Cloud>);

#[async_trait]
impl Clouds for OneCloud {
    async fn actor(&self, id: &ConnectionId) -> Result<(Connection, Arc<dyn Act>), Obstacle> {
        let mut connection = connection();
        if *id != connection.id {
            return Err(Obstacle::of(format_args!("connection {id} does not exist")));
        }
        connection.allow_actions = *self.0.allow_actions.lock();
        let act: Arc<dyn Act> = Arc::clone(&self.0) as Arc<dyn Act>;
        Ok((connection, act))
    }
}
