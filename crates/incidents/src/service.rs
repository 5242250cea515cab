//! The service behind incidents and playbooks.

mod edit;
mod follow;
mod playbooks;
mod rollback;
mod runs;

use std::collections::{BTreeSet, HashMap};
use std::future::Future;
use std::sync::Arc;

use jiff::Timestamp;
use reeve_anomalies::AnomalyStore;
use reeve_audit::{Entry, FieldCode, FieldError};
use reeve_estate::{DescriptionStore, EstateStore, StoreError};
use reeve_recommend::caller::Caller;
use reeve_recommend::error::EngineError;
use reeve_recommend::ports::responses::Responses;
use reeve_recommend::ports::{AgentStore, Clock, Recorder, record_change};
use reeve_recommend::recommendation::origin::IncidentId;

use crate::containment::{Containment, Inventory};
use crate::incident::{Incident, IncidentStatus};
use crate::log_entry;
use crate::member::{IncidentMember, MemberKind};
use crate::port::{IncidentFilter, IncidentStore, MemberSource};

pub use edit::{IncidentInput, IncidentPatch, TaskPatch};
pub use playbooks::PlaybookInput;

/// Active incidents that a finding is compared with, the most recent ones.
const MOST_COMPARED: u64 = 200;

/// Ports of the service.
pub struct IncidentPorts {
    pub incidents: Arc<dyn IncidentStore>,
    pub anomalies: Arc<dyn AnomalyStore>,
    /// Recommendations and actions of runs.
    pub agents: Arc<dyn AgentStore>,
    pub estate: Arc<dyn EstateStore>,
    pub descriptions: Arc<dyn DescriptionStore>,
    /// Judges what playbooks ask for, and answers automatic runs.
    pub responses: Arc<dyn Responses>,
    /// Executes what people ask for.
    pub containment: Arc<dyn Containment>,
    /// Findings beside anomalies.
    pub sources: Vec<Arc<dyn MemberSource>>,
    pub recorder: Arc<dyn Recorder>,
    pub clock: Arc<dyn Clock>,
}

/// Findings that were taken in already, and incidents that changed since playbooks were last looked
/// for.
#[derive(Default)]
struct Followed {
    /// Each finding as it was last taken in, and the incident that has it.
    members: HashMap<(MemberKind, String), (IncidentMember, Option<IncidentId>)>,
    changed: BTreeSet<IncidentId>,
    /// Last time that other sources were asked.
    sources_at: Option<Timestamp>,
    /// Last time that untouched incidents were looked at.
    ended_at: Option<Timestamp>,
}

impl Followed {
    /// Returns a finding as it was last taken in, and the incident that has it.
    fn known(&self, kind: MemberKind, id: &str) -> Option<&(IncidentMember, Option<IncidentId>)> {
        self.members.get(&(kind, id.to_owned()))
    }

    /// Has a finding compared again: another incident gets it.
    fn forget(&mut self, kind: MemberKind, id: &str) {
        self.members.remove(&(kind, id.to_owned()));
    }
}

/// Keeps incidents, in step with their findings, and runs playbooks on them.
pub struct IncidentService {
    ports: IncidentPorts,
    /// Findings join and people edit one at a time: two findings of one new attack must not open
    /// two incidents.
    turn: tokio::sync::Mutex<Followed>,
    /// Runs are read and written by one at a time.
    running: tokio::sync::Mutex<()>,
}

impl IncidentService {
    /// Creates the service over its ports.
    #[must_use]
    pub fn new(ports: IncidentPorts) -> IncidentService {
        IncidentService {
            ports,
            turn: tokio::sync::Mutex::default(),
            running: tokio::sync::Mutex::new(()),
        }
    }

    fn now(&self) -> Timestamp {
        self.ports.clock.now()
    }

    fn inventory(&self) -> Inventory<'_> {
        Inventory {
            estate: &*self.ports.estate,
            descriptions: &*self.ports.descriptions,
        }
    }

    async fn record(&self, entry: Entry) -> Result<(), EngineError> {
        Ok(self
            .ports
            .recorder
            .record(vec![entry.at(self.now())])
            .await?)
    }

    /// Records the intent of a change, makes it, and records its outcome.
    async fn change<T>(
        &self,
        entry: Entry,
        change: impl Future<Output = Result<T, StoreError>> + Send,
    ) -> Result<T, EngineError> {
        record_change(&*self.ports.recorder, &*self.ports.clock, entry, change).await
    }

    /// Lets a finding join the incident that it is a part of: the one that has it already, else the
    /// oldest active one with an account, an address or a resource in common that is no more than
    /// six hours apart. A finding that joins none opens one if [`IncidentMember::opens`] says so. Untouched
    /// incidents that it has something in common with become one. Returns its incident.
    ///
    /// # Errors
    /// The store or the log failed; the finding may be handed over again.
    pub async fn join(&self, member: IncidentMember) -> Result<Option<IncidentId>, EngineError> {
        let mut followed = self.turn.lock().await;
        self.take_in(&mut followed, member, None).await
    }

    /// The same under the lock. `home` is the incident that the source of the finding names.
    async fn take_in(
        &self,
        followed: &mut Followed,
        member: IncidentMember,
        home: Option<&IncidentId>,
    ) -> Result<Option<IncidentId>, EngineError> {
        let key = (member.kind, member.id.clone());
        if followed.members.len() > 5000 {
            followed.members.clear();
        }

        let joined = self.place(followed, member.clone(), home).await?;
        followed.members.insert(key, (member, joined.clone()));
        Ok(joined)
    }

    async fn place(
        &self,
        followed: &mut Followed,
        mut member: IncidentMember,
        home: Option<&IncidentId>,
    ) -> Result<Option<IncidentId>, EngineError> {
        let store = &self.ports.incidents;
        if let Some(id) = store.incident_of(member.kind, &member.id).await? {
            let mut incident = store.incident_get(&id).await?;
            let known = incident.member(member.kind, &member.id);
            member.because = known.and_then(|known| known.because.clone());
            if incident.take(member) {
                incident.version += 1;
                store.incident_update(&incident).await?;
                followed.changed.insert(id.clone());
            }
            return Ok(Some(id));
        }

        let named = match home {
            Some(home) => self.living(home).await?,
            None => None,
        };
        let mut sharing = self.sharing(&member).await?;
        sharing.retain(|(other, _)| named.as_ref().is_none_or(|named| named.id != other.id));
        let (mut incident, because) = match (named, sharing.is_empty()) {
            (Some(named), _) => {
                let because = named.shares(&member);
                (named, because)
            }
            (None, false) => {
                let (oldest, because) = sharing.remove(0);
                (oldest, Some(because))
            }
            (None, true) if member.opens() => {
                let fresh = || IncidentId(uuid::Uuid::now_v7().to_string());
                let id = home.cloned().unwrap_or_else(fresh);
                return self.open(followed, id, member).await.map(Some);
            }
            (None, true) => return Ok(None),
        };

        let caller = Caller::system();
        member.because = because;
        if !incident.status.is_active() {
            let reason = format!("a new finding belongs to it: {}", member.title);
            incident.become_status(IncidentStatus::Open, "system", Some(reason), self.now());
        }
        let reason = member.because.clone().unwrap_or_default();
        let entry = log_entry::member("incident.join", &incident, member.kind, &member.id, &caller)
            .with_metadata("reason", reason);
        incident.take(member);
        for (other, _) in sharing {
            if other.is_untouched() && self.recorded_runs(&other.id).await?.is_empty() {
                self.absorb(followed, &mut incident, other, &caller).await?;
            }
        }

        incident.version += 1;
        self.change(entry, store.incident_update(&incident)).await?;
        followed.changed.insert(incident.id.clone());
        Ok(Some(incident.id))
    }

    async fn open(
        &self,
        followed: &mut Followed,
        id: IncidentId,
        member: IncidentMember,
    ) -> Result<IncidentId, EngineError> {
        let incident = Incident::opened_for(id, member, self.now());
        let entry = log_entry::about("incident.open", &incident, &Caller::system());
        self.change(entry, self.ports.incidents.incident_insert(&incident))
            .await?;
        followed.changed.insert(incident.id.clone());
        Ok(incident.id)
    }

    /// Returns an incident, or the one that took it in; `None` where there is none.
    async fn living(&self, id: &IncidentId) -> Result<Option<Incident>, EngineError> {
        let mut next = Some(id.clone());
        // A chain of merges is short; a circle would be a fault of the store.
        for _ in 0..20 {
            let Some(id) = next else { break };
            match self.ports.incidents.incident_get(&id).await {
                Ok(incident) if incident.merged_into.is_none() => return Ok(Some(incident)),
                Ok(incident) => next = incident.merged_into,
                Err(StoreError::NotFound { .. }) => break,
                Err(error) => return Err(error.into()),
            }
        }
        Ok(None)
    }

    /// Active incidents that a finding is a part of, the oldest first, with what it shares.
    async fn sharing(
        &self,
        member: &IncidentMember,
    ) -> Result<Vec<(Incident, String)>, EngineError> {
        let active = self.active().await?;
        let shared = active.into_iter().filter_map(|incident| {
            let because = incident.shares(member)?;
            Some((incident, because))
        });
        let mut shared: Vec<(Incident, String)> = shared.collect();
        shared.sort_by(|(a, _), (b, _)| (a.started_at, &a.id).cmp(&(b.started_at, &b.id)));
        Ok(shared)
    }

    async fn active(&self) -> Result<Vec<Incident>, EngineError> {
        let states = IncidentStatus::ALL.iter().copied();
        let filter = IncidentFilter {
            status: states.filter(|status| status.is_active()).collect(),
            limit: MOST_COMPARED,
            ..IncidentFilter::default()
        };
        Ok(self.ports.incidents.incident_list(&filter).await?.0)
    }

    /// Moves the members, tasks and notes of an incident into another one, and keeps it as merged.
    /// The receiving one is not written yet.
    async fn absorb(
        &self,
        followed: &mut Followed,
        into: &mut Incident,
        other: Incident,
        caller: &Caller,
    ) -> Result<(), EngineError> {
        for member in &other.members {
            followed.forget(member.kind, &member.id);
        }

        let merged = Incident {
            merged_into: Some(into.id.clone()),
            members: Vec::new(),
            version: other.version + 1,
            ..other.clone()
        };
        let entry = log_entry::about("incident.merge", &other, caller)
            .with_metadata("into", into.id.0.clone());
        self.change(entry, self.ports.incidents.incident_update(&merged))
            .await?;

        into.left_out += other.left_out;
        into.tasks.extend(other.tasks);
        into.notes.extend(other.notes);
        into.tasks.sort_by_key(|task| task.created_at);
        into.notes.sort_by_key(|note| note.at);
        for member in other.members {
            into.take(member);
        }
        Ok(())
    }
}

/// A text of a person that has to be there.
fn text(field: &str, text: &str, most: usize) -> Result<String, FieldError> {
    let text = text.trim();
    if text.is_empty() || text.chars().count() > most {
        let message = format!("must have 1 to {most} characters");
        return Err(FieldError::new(field, FieldCode::InvalidValue, message));
    }
    Ok(text.to_owned())
}
