//! A strict cloud in memory: machines must be stopped to be resized, changes take time, calls out of order are refused.
//! A script of faults makes single calls go wrong. Every change is noted in the journal that the recorder writes too, so
//! that a test can hold the order of records and changes against each other.

use std::collections::BTreeMap;
use std::sync::Arc;

use async_trait::async_trait;
use jiff::{SignedDuration, Timestamp};
use parking_lot::Mutex;
use reeve_agents::{Clock, Clouds};
use reeve_estate::{
    Act, ActError, ActErrorKind, Applied, Catalogue, Connection, ConnectionId, Mutation, Observed, Resource,
    ResourceId, ResourceState, Snapshot,
};

use crate::world::{Journal, Note, TestClock, connection};

/// What goes wrong with one call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fault {
    /// It is done, and the answer is lost.
    LoseAnswer,
    /// The request is lost; nothing is done.
    LoseRequest,
    /// Throttled.
    Throttle,
    /// The account may not.
    Deny,
    /// No machine of the size is free.
    NoCapacity,
    /// Accepted, and nothing happens.
    Ignore,
    /// It takes an hour.
    Slow,
}

#[derive(Debug, Clone)]
struct Machine {
    resource: Resource,
    /// When a change under way ends, and in which state.
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
    /// Each size that a machine takes is taken back when it starts.
    forgets_size: bool,
}

/// The cloud.
pub(crate) struct Cloud {
    inner: Mutex<Inner>,
    clock: Arc<TestClock>,
    journal: Journal,
    pub(crate) allow_actions: Mutex<bool>,
}

impl Cloud {
    pub(crate) fn new(clock: Arc<TestClock>, journal: Journal) -> Arc<Self> {
        Arc::new(Cloud { inner: Mutex::default(), clock, journal, allow_actions: Mutex::new(true) })
    }

    pub(crate) fn put(&self, resource: Resource) {
        self.inner.lock().machines.insert(resource.id.clone(), Machine { resource, moving: None });
    }

    pub(crate) fn change(&self, id: &str, change: impl FnOnce(&mut Resource)) {
        change(&mut self.inner.lock().machines.get_mut(&ResourceId::new(id)).unwrap().resource);
    }

    /// Makes the nth changing call (from 0) go wrong.
    pub(crate) fn fault(&self, call: usize, fault: Fault) {
        self.inner.lock().faults.insert(call, fault);
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
        (resource.state, resource.specification.instance_type.clone().unwrap_or_default())
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
        if let Mutation::Snapshot { .. } = mutation {
            if !inner.machines.contains_key(id) {
                return Err(refuse(ActErrorKind::NotFound, "no such volume"));
            }
            let snapshot = format!("snap-{}", inner.snapshots.len());
            inner.snapshots.insert(snapshot.clone(), until);
            return Ok(Applied::Snapshot(Snapshot { id: snapshot }));
        }
        let forgets = inner.forgets_size;
        let machine = inner.machines.get_mut(id).ok_or_else(|| refuse(ActErrorKind::NotFound, "no such machine"))?;
        let wrong = |wanted: &str| {
            let message = format!("the machine is {}, not {wanted}", machine.resource.state);
            Err(refuse(ActErrorKind::WrongState, &message))
        };
        match (mutation, machine.resource.state) {
            (Mutation::Stop, ResourceState::Running) => {
                machine.resource.state = ResourceState::Changing;
                machine.moving = Some((until, ResourceState::Stopped));
            }
            (Mutation::Stop, _) => return wrong("running"),
            (Mutation::Start, ResourceState::Stopped) => {
                machine.resource.state = ResourceState::Changing;
                machine.moving = Some((until, ResourceState::Running));
            }
            (Mutation::Start | Mutation::Resize { .. }, state) if state != ResourceState::Stopped => {
                return wrong("stopped");
            }
            (Mutation::Resize { instance_type }, _) => {
                if Catalogue::builtin().instance(machine.resource.provider, instance_type).is_none() {
                    return Err(refuse(ActErrorKind::InvalidType, "no such size"));
                }
                if !forgets {
                    machine.resource.specification.instance_type = Some(instance_type.clone());
                }
            }
            _ => return wrong("something else"),
        }
        Ok(Applied::Accepted)
    }
}

fn refuse(kind: ActErrorKind, message: &str) -> ActError {
    ActError { kind, message: message.to_owned() }
}

#[async_trait]
impl Act for Cloud {
    async fn observe(&self, resource: &Resource) -> Result<Observed, ActError> {
        let mut inner = self.inner.lock();
        let look = inner.looks;
        inner.looks += 1;
        if inner.blind.contains(&look) {
            return Err(refuse(ActErrorKind::Unknown, "no answer"));
        }
        self.settle(&mut inner);
        let machine =
            inner.machines.get(&resource.id).ok_or_else(|| refuse(ActErrorKind::NotFound, "no such machine"))?;
        Ok(Observed {
            state: machine.resource.state,
            instance_type: machine.resource.specification.instance_type.clone(),
            resource: machine.resource.clone(),
        })
    }

    async fn volumes_of(&self, machine: &Resource) -> Result<Vec<Resource>, ActError> {
        let inner = self.inner.lock();
        Ok(inner
            .machines
            .values()
            .map(|m| &m.resource)
            .filter(|r| r.attached_to.contains(&machine.id))
            .cloned()
            .collect())
    }

    async fn apply(&self, resource: &Resource, mutation: &Mutation) -> Result<Applied, ActError> {
        let mut inner = self.inner.lock();
        self.settle(&mut inner);
        let call = inner.calls;
        inner.calls += 1;
        let fault = inner.faults.get(&call).copied();
        self.journal.lock().push(Note::Asked(resource.id.0.clone(), mutation.clone()));
        let usual = if matches!(mutation, Mutation::Snapshot { .. }) { 60 } else { 30 };
        match fault {
            None => self.carry_out(&mut inner, &resource.id, mutation, usual),
            Some(Fault::Slow) => self.carry_out(&mut inner, &resource.id, mutation, 3600),
            Some(Fault::LoseAnswer) => {
                self.carry_out(&mut inner, &resource.id, mutation, usual)?;
                Err(refuse(ActErrorKind::Unknown, "the answer was lost"))
            }
            Some(Fault::LoseRequest) => Err(refuse(ActErrorKind::Unknown, "no answer")),
            Some(Fault::Throttle) => Err(refuse(ActErrorKind::Throttled, "too many requests")),
            Some(Fault::Deny) => Err(refuse(ActErrorKind::Denied, "not authorised to perform this")),
            Some(Fault::NoCapacity) => Err(refuse(ActErrorKind::NoCapacity, "no capacity for this size now")),
            Some(Fault::Ignore) if matches!(mutation, Mutation::Snapshot { .. }) => {
                self.carry_out(&mut inner, &resource.id, mutation, usual)
            }
            Some(Fault::Ignore) => Ok(Applied::Accepted),
        }
    }

    async fn snapshot_complete(&self, _: &ResourceId, _: &str, snapshot: &Snapshot) -> Result<bool, ActError> {
        let inner = self.inner.lock();
        let at = inner.snapshots.get(&snapshot.id).ok_or_else(|| refuse(ActErrorKind::NotFound, "no such snapshot"))?;
        Ok(*at <= self.clock.now())
    }
}

/// The cloud behind every connection.
pub(crate) struct OneCloud(pub(crate) Arc<Cloud>);

#[async_trait]
impl Clouds for OneCloud {
    async fn actor(&self, id: &ConnectionId) -> Result<(Connection, Arc<dyn Act>), String> {
        let mut connection = connection();
        if *id != connection.id {
            return Err(format!("connection {id} does not exist"));
        }
        connection.allow_actions = *self.0.allow_actions.lock();
        let act: Arc<dyn Act> = Arc::clone(&self.0) as Arc<dyn Act>;
        Ok((connection, act))
    }
}
