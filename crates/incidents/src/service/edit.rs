//! Acts of people on an incident: open, edit, move on, merge, add members, tasks and notes.

use reeve_audit::{FieldCode, FieldError};
use reeve_estate::StoreError;
use reeve_recommend::caller::Caller;
use reeve_recommend::error::EngineError;
use reeve_recommend::recommendation::origin::{AnomalyId, IncidentId};
use reeve_recommend::recommendation::{Priority, RecommendationId};

use super::{IncidentService, text};
use crate::incident::{Incident, IncidentStatus, Note, Task, TaskId, allowed};
use crate::log_entry;
use crate::member::{IncidentMember, MemberKind};

/// Characters of a title or an address.
const SHORT: usize = 200;
/// Characters of a description, a note or a task.
const LONG: usize = 10_000;
/// Tasks, and notes, of an incident.
const MOST_KEPT: usize = 500;

/// An incident that a person opens.
#[derive(Debug, Clone)]
pub struct IncidentInput {
    pub title: String,
    pub description: String,
    pub severity: Priority,
    pub owner: Option<String>,
}

/// Changes of an incident; `None` leaves a field as it is.
#[derive(Debug, Clone, Default)]
pub struct IncidentPatch {
    pub title: Option<String>,
    pub description: Option<String>,
    pub severity: Option<Priority>,
    /// An inner `None` takes the owner away.
    pub owner: Option<Option<String>>,
    pub status: Option<IncidentStatus>,
    /// Reason of the new status.
    pub reason: Option<String>,
}

/// Changes of a task; `None` leaves a field as it is.
#[derive(Debug, Clone, Default)]
pub struct TaskPatch {
    pub text: Option<String>,
    /// An inner `None` takes the assignee away.
    pub assignee: Option<Option<String>>,
    pub done: Option<bool>,
}

impl IncidentService {
    /// Opens an incident in the name of a person.
    ///
    /// # Errors
    /// [`EngineError::Invalid`] with every failing field; the store's and the log's failures.
    pub async fn create(
        &self,
        input: IncidentInput,
        caller: &Caller,
    ) -> Result<Incident, EngineError> {
        let mut faults = Vec::new();
        let title = kept(&mut faults, text("title", &input.title, SHORT));
        let description = long("description", &input.description, &mut faults);
        let owner = person("owner", input.owner, &mut faults);
        if !faults.is_empty() {
            return Err(EngineError::Invalid(faults));
        }

        let id = IncidentId(uuid::Uuid::now_v7().to_string());
        let now = self.now();
        let incident = Incident {
            is_titled: true,
            is_rated: true,
            description,
            owner,
            ..Incident::opened(id, title, input.severity, &caller.name, now)
        };
        let entry = log_entry::about("incident.open", &incident, caller)
            .after(log_entry::described(&incident));
        self.change(entry, self.ports.incidents.incident_insert(&incident))
            .await?;
        Ok(incident)
    }

    /// Edits an incident, or moves it to another status.
    ///
    /// # Errors
    /// [`EngineError::Invalid`] with every failing field, a move that the status does not allow
    /// among them.
    pub async fn edit(
        &self,
        id: &IncidentId,
        patch: IncidentPatch,
        caller: &Caller,
    ) -> Result<Incident, EngineError> {
        let _turn = self.turn.lock().await;
        let before = self.unmerged(id).await?;
        let mut after = before.clone();
        let mut faults = Vec::new();

        if let Some(title) = patch.title {
            after.title = kept(&mut faults, text("title", &title, SHORT));
            after.is_titled = true;
        }
        if let Some(description) = patch.description {
            after.description = long("description", &description, &mut faults);
        }
        if let Some(severity) = patch.severity {
            after.severity = severity;
            after.is_rated = true;
        }
        if let Some(owner) = patch.owner {
            after.owner = person("owner", owner, &mut faults);
        }
        let reason = patch
            .reason
            .map(|reason| long("reason", &reason, &mut faults));
        let reason = reason.filter(|reason| !reason.is_empty());
        let mut operation = "incident.modify";
        if let Some(status) = patch.status.filter(|status| *status != before.status) {
            if allowed(before.status).contains(&status) {
                after.become_status(status, &caller.name, reason.clone(), self.now());
                operation = operation_of(status);
            } else {
                let next: Vec<&str> = allowed(before.status)
                    .iter()
                    .map(|one| one.as_str())
                    .collect();
                let message = format!(
                    "an incident that is {} may become {}",
                    before.status,
                    next.join(" or ")
                );
                faults.push(FieldError::new("status", FieldCode::NotAllowed, message));
            }
        }
        if !faults.is_empty() {
            return Err(EngineError::Invalid(faults));
        }

        let mut entry = log_entry::about(operation, &after, caller)
            .before(log_entry::described(&before))
            .after(log_entry::described(&after));
        if let Some(reason) = reason {
            entry = entry.with_metadata("reason", reason);
        }
        self.write(after, entry).await
    }

    /// Merges an incident into another one, which gets its members, tasks and notes. Anomalies
    /// take over the identifier of the other.
    ///
    /// # Errors
    /// A conflict for an incident with itself, or where a playbook has made changes for it.
    pub async fn merge(
        &self,
        id: &IncidentId,
        into: &IncidentId,
        caller: &Caller,
    ) -> Result<Incident, EngineError> {
        let mut followed = self.turn.lock().await;
        if id == into {
            let message = "must be another incident";
            let fault = FieldError::new("into", FieldCode::InvalidValue, message);
            return Err(EngineError::Invalid(vec![fault]));
        }
        let other = self.unmerged(id).await?;
        let mut kept = match self.living(into).await? {
            Some(kept) if kept.id != other.id => kept,
            _ => {
                let fault = FieldError::new("into", FieldCode::NotFound, "is no other incident");
                return Err(EngineError::Invalid(vec![fault]));
            }
        };
        if !self.recorded_runs(id).await?.is_empty() {
            let message = "a playbook was run on it; merge the other incident into this one";
            return Err(EngineError::Conflict(message.to_owned()));
        }

        let members = other.members.iter();
        let anomalies: Vec<String> = members
            .filter(|member| member.kind == MemberKind::Anomaly)
            .map(|member| member.id.clone())
            .collect();
        let entry = log_entry::about("incident.join", &kept, caller)
            .with_metadata("reason", "merged by a person")
            .with_metadata("from", other.id.0.clone());
        self.absorb(&mut followed, &mut kept, other, caller).await?;
        let merged = self.write(kept, entry).await?;

        for id in anomalies {
            self.move_anomaly(&id, &merged.id).await?;
        }
        Ok(merged)
    }

    /// Adds a finding to an incident, which leaves the one that it was in.
    ///
    /// # Errors
    /// [`EngineError::Invalid`] where there is no such finding.
    pub async fn add_member(
        &self,
        id: &IncidentId,
        kind: MemberKind,
        finding: &str,
        caller: &Caller,
    ) -> Result<Incident, EngineError> {
        let mut followed = self.turn.lock().await;
        let mut incident = self.unmerged(id).await?;
        let Some(mut member) = self.finding(kind, finding).await? else {
            let message = format!("there is no {} with this identifier", kind.as_str());
            let fault = FieldError::new("id", FieldCode::NotFound, message);
            return Err(EngineError::Invalid(vec![fault]));
        };

        followed.forget(kind, finding);
        if let Some(former) = self.ports.incidents.incident_of(kind, finding).await?
            && former != incident.id
        {
            let former = self.ports.incidents.incident_get(&former).await?;
            self.write_leaving(former, kind, finding, caller).await?;
        }

        let reason = format!("added by {}", caller.name);
        member.because = Some(reason.clone());
        incident.take(member);
        let entry = log_entry::member("incident.join", &incident, kind, finding, caller)
            .with_metadata("reason", reason);
        let incident = self.write(incident, entry).await?;
        if kind == MemberKind::Anomaly {
            self.move_anomaly(finding, &incident.id).await?;
        }
        Ok(incident)
    }

    /// Takes a finding out of an incident.
    ///
    /// # Errors
    /// Not found where it is no member. A conflict for the anomaly that the incident began with,
    /// and for the last evidence of one that findings opened.
    pub async fn remove_member(
        &self,
        id: &IncidentId,
        kind: MemberKind,
        finding: &str,
        caller: &Caller,
    ) -> Result<Incident, EngineError> {
        let _turn = self.turn.lock().await;
        let incident = self.unmerged(id).await?;
        if incident.member(kind, finding).is_none() {
            return Err(EngineError::NotFound {
                what: "member",
                id: finding.to_owned(),
            });
        }
        if kind == MemberKind::Anomaly {
            let message = "an anomaly is part of its incident; say that it is false or planned, or add it to another incident";
            return Err(EngineError::Conflict(message.to_owned()));
        }

        self.write_leaving(incident, kind, finding, caller).await
    }

    /// Writes an incident without one of its findings.
    async fn write_leaving(
        &self,
        mut incident: Incident,
        kind: MemberKind,
        finding: &str,
        caller: &Caller,
    ) -> Result<Incident, EngineError> {
        incident.leave(kind, finding);
        let entry = log_entry::member("incident.leave", &incident, kind, finding, caller);
        self.write(incident, entry).await
    }

    /// Adds a task that is not done yet.
    ///
    /// # Errors
    /// [`EngineError::Invalid`] with every failing field.
    pub async fn add_task(
        &self,
        id: &IncidentId,
        words: &str,
        assignee: Option<String>,
        caller: &Caller,
    ) -> Result<Incident, EngineError> {
        let _turn = self.turn.lock().await;
        let mut incident = self.unmerged(id).await?;
        let mut faults = Vec::new();
        let words = kept(&mut faults, text("text", words, LONG));
        let assignee = person("assignee", assignee, &mut faults);
        if incident.tasks.len() >= MOST_KEPT {
            let message = "an incident has at most 500 tasks";
            faults.push(FieldError::new("text", FieldCode::TooMany, message));
        }
        if !faults.is_empty() {
            return Err(EngineError::Invalid(faults));
        }

        let entry = log_entry::about("incident.task", &incident, caller)
            .with_metadata("task", words.clone());
        incident.tasks.push(Task {
            id: TaskId(uuid::Uuid::now_v7().to_string()),
            text: words,
            assignee,
            created_at: self.now(),
            created_by: caller.name.clone(),
            done: None,
        });
        self.write(incident, entry).await
    }

    /// Edits a task, or marks it as done or not done.
    ///
    /// # Errors
    /// Not found for an unknown task; [`EngineError::Invalid`] with every failing field.
    pub async fn edit_task(
        &self,
        id: &IncidentId,
        task: &TaskId,
        patch: TaskPatch,
        caller: &Caller,
    ) -> Result<Incident, EngineError> {
        let _turn = self.turn.lock().await;
        let mut incident = self.unmerged(id).await?;
        let now = self.now();
        let known = incident.tasks.iter_mut().find(|one| one.id == *task);
        let Some(known) = known else {
            return Err(EngineError::NotFound {
                what: "task",
                id: task.0.clone(),
            });
        };

        let mut faults = Vec::new();
        if let Some(words) = patch.text {
            known.text = kept(&mut faults, text("text", &words, LONG));
        }
        if let Some(assignee) = patch.assignee {
            known.assignee = person("assignee", assignee, &mut faults);
        }
        match patch.done {
            Some(true) if known.done.is_none() => known.done = Some((now, caller.name.clone())),
            Some(false) => known.done = None,
            _ => {}
        }
        if !faults.is_empty() {
            return Err(EngineError::Invalid(faults));
        }

        let (words, done) = (known.text.clone(), known.done.is_some());
        let entry = log_entry::about("incident.task", &incident, caller)
            .with_metadata("task", words)
            .with_metadata("done", done);
        self.write(incident, entry).await
    }

    /// Adds a note of the caller.
    ///
    /// # Errors
    /// [`EngineError::Invalid`] for an empty or endless one.
    pub async fn add_note(
        &self,
        id: &IncidentId,
        words: &str,
        caller: &Caller,
    ) -> Result<Incident, EngineError> {
        let _turn = self.turn.lock().await;
        let mut incident = self.unmerged(id).await?;
        let words = text("text", words, LONG).and_then(|words| {
            if incident.notes.len() < MOST_KEPT {
                return Ok(words);
            }
            let message = "an incident has at most 500 notes";
            Err(FieldError::new("text", FieldCode::TooMany, message))
        });
        let words = words.map_err(|fault| EngineError::Invalid(vec![fault]))?;

        let entry = log_entry::about("incident.note", &incident, caller)
            .with_metadata("note", words.clone());
        incident.notes.push(Note {
            at: self.now(),
            by: caller.name.clone(),
            text: words,
        });
        self.write(incident, entry).await
    }

    /// Removes a closed incident that a person opened and that has no findings.
    ///
    /// # Errors
    /// A conflict for any other: the record of an attack is kept.
    pub async fn remove(&self, id: &IncidentId, caller: &Caller) -> Result<(), EngineError> {
        let _turn = self.turn.lock().await;
        let incident = self.unmerged(id).await?;
        if incident.status != IncidentStatus::Closed || !incident.members.is_empty() {
            let message = "only a closed incident without findings can be removed; close it to take it off the list";
            return Err(EngineError::Conflict(message.to_owned()));
        }

        let entry = log_entry::about("incident.remove", &incident, caller)
            .before(log_entry::described(&incident));
        self.change(entry, self.ports.incidents.incident_delete(id))
            .await
    }

    /// An incident that was not merged into another one.
    pub(super) async fn unmerged(&self, id: &IncidentId) -> Result<Incident, EngineError> {
        let incident = self.ports.incidents.incident_get(id).await?;
        match &incident.merged_into {
            None => Ok(incident),
            Some(into) => Err(EngineError::Conflict(format!(
                "it was merged into incident {}",
                into.0
            ))),
        }
    }

    /// Writes the next version of an incident with its entry.
    pub(super) async fn write(
        &self,
        mut incident: Incident,
        entry: reeve_audit::Entry,
    ) -> Result<Incident, EngineError> {
        incident.version += 1;
        self.change(entry, self.ports.incidents.incident_update(&incident))
            .await?;
        Ok(incident)
    }

    async fn finding(
        &self,
        kind: MemberKind,
        id: &str,
    ) -> Result<Option<IncidentMember>, EngineError> {
        let found = match kind {
            MemberKind::Anomaly => {
                let id = AnomalyId(id.to_owned());
                let anomaly = self.ports.anomalies.anomaly_get(&id).await;
                anomaly.map(|one| Some(IncidentMember::from_anomaly(&one)))
            }
            MemberKind::Recommendation => {
                let id = RecommendationId(id.to_owned());
                let found = self.ports.agents.recommendation_get(&id).await;
                found.map(|one| Some(IncidentMember::from_recommendation(&one)))
            }
            MemberKind::Alert | MemberKind::ExternalAlert => {
                for source in &self.ports.sources {
                    if let Some(member) = source.member(kind, id).await? {
                        return Ok(Some(member));
                    }
                }
                Ok(None)
            }
        };
        match found {
            Err(StoreError::NotFound { .. }) => Ok(None),
            other => Ok(other?),
        }
    }

    async fn move_anomaly(&self, id: &str, to: &IncidentId) -> Result<(), EngineError> {
        let id = AnomalyId(id.to_owned());
        let anomaly = self.ports.anomalies.anomaly_get(&id).await?;
        self.hand_over(&anomaly, to).await
    }
}

/// Name of a move in the log.
const fn operation_of(to: IncidentStatus) -> &'static str {
    match to {
        IncidentStatus::Open => "incident.reopen",
        IncidentStatus::Investigating => "incident.investigate",
        IncidentStatus::Contained => "incident.contain",
        IncidentStatus::Resolved => "incident.resolve",
        IncidentStatus::Closed => "incident.close",
    }
}

fn kept(faults: &mut Vec<FieldError>, text: Result<String, FieldError>) -> String {
    text.unwrap_or_else(|fault| {
        faults.push(fault);
        String::new()
    })
}

fn long(field: &str, words: &str, faults: &mut Vec<FieldError>) -> String {
    if words.chars().count() > LONG {
        let message = "must have at most 10000 characters";
        faults.push(FieldError::new(field, FieldCode::TooLong, message));
    }
    words.trim().to_owned()
}

/// A person's e-mail address; `None` for an empty one.
fn person(field: &str, who: Option<String>, faults: &mut Vec<FieldError>) -> Option<String> {
    let who = who.filter(|who| !who.trim().is_empty())?;
    match text(field, &who, SHORT) {
        Ok(who) if who.contains('@') => Some(who),
        Ok(_) => {
            let message = "must be the e-mail address of a user";
            faults.push(FieldError::new(field, FieldCode::InvalidValue, message));
            None
        }
        Err(fault) => {
            faults.push(fault);
            None
        }
    }
}
