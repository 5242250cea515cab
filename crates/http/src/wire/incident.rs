//! Incidents on the wire.

mod graph;
mod playbook;

use reeve_incidents::{
    Incident, IncidentMember, IncidentStatus as Status, Note, StatusChange, Task, TimelineMoment,
    allowed,
};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use crate::time;
use crate::wire::form::enumeration::{
    IncidentFindingKind, IncidentMomentKind, IncidentStatus, Priority,
};

pub use graph::{IncidentEdgeBody, IncidentGraphBody, IncidentNodeBody};
pub use playbook::{
    PlaybookBody, PlaybookCreateBody, PlaybookPutBody, PlaybookRollbackBody, PlaybookRunBody,
    PlaybookRunCreateBody, PlaybookRunStepBody, PlaybookRunTargetBody, PlaybookStepBody,
    PlaybookTriggerBody,
};

/// Filter of incidents.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct IncidentParams {
    /// `open`, `investigating`, `contained`, `resolved` or `closed`, several separated by commas.
    pub status: Option<String>,
    /// `critical`, `high`, `medium` or `low`, several separated by commas.
    pub severity: Option<String>,
    /// E-mail address of the person who is responsible.
    pub owner: Option<String>,
    /// Last sign of a finding at or after this time.
    pub since: Option<String>,
    pub limit: Option<u32>,
    pub offset: Option<u64>,
    pub cursor: Option<String>,
}

/// An incident to open.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct IncidentCreateBody {
    /// 1 to 200 characters.
    pub title: String,
    /// At most 10,000 characters.
    #[serde(default)]
    pub description: String,
    pub severity: Priority,
    /// E-mail address of the person who is responsible.
    #[serde(default)]
    pub owner: Option<String>,
}

/// Changes of an incident; an absent field stays.
#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct IncidentPatchBody {
    #[serde(default)]
    pub title: Option<String>,
    #[serde(default)]
    pub description: Option<String>,
    #[serde(default)]
    pub severity: Option<Priority>,
    /// E-mail address of the person who is responsible; an empty text takes the owner away.
    #[serde(default)]
    pub owner: Option<String>,
    #[serde(default)]
    pub status: Option<IncidentStatus>,
    /// Reason of the new status.
    #[serde(default)]
    pub reason: Option<String>,
}

/// The incident that takes another one in.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct IncidentMergeBody {
    /// Identifier of the incident that stays.
    pub into: String,
}

/// A finding to add.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct IncidentFindingCreateBody {
    pub kind: IncidentFindingKind,
    /// Identifier of the finding.
    pub id: String,
}

/// A note.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct IncidentNoteCreateBody {
    /// 1 to 10,000 characters.
    pub text: String,
}

/// A task to add.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct IncidentTaskCreateBody {
    /// 1 to 10,000 characters.
    pub text: String,
    /// E-mail address of the person who does it.
    #[serde(default)]
    pub assignee: Option<String>,
}

/// Changes of a task; an absent field stays.
#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct IncidentTaskPatchBody {
    #[serde(default)]
    pub text: Option<String>,
    /// E-mail address; an empty text takes the assignee away.
    #[serde(default)]
    pub assignee: Option<String>,
    #[serde(default)]
    pub done: Option<bool>,
}

/// An incident in lists.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct IncidentSummaryBody {
    pub id: String,
    pub title: String,
    pub severity: Priority,
    pub status: IncidentStatus,
    /// E-mail address of the person who is responsible.
    pub owner: Option<String>,
    /// E-mail address, or `system` where findings opened it.
    pub opened_by: String,
    pub opened_at: String,
    /// Beginning of the first finding.
    pub started_at: String,
    /// Last sign of any finding.
    pub last_at: String,
    /// Number of findings that are signs of the attack.
    pub findings: u64,
    /// Parts of Reeve and other tools that found it.
    pub sources: Vec<String>,
    /// Techniques of MITRE ATT&CK.
    pub techniques: Vec<String>,
    pub tasks_open: u64,
}

/// A finding of an incident.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct IncidentFindingBody {
    pub kind: IncidentFindingKind,
    pub id: String,
    pub title: String,
    pub severity: Priority,
    /// Part of Reeve, or tool, that found it.
    pub source: String,
    /// Kind of what it is about: `principal`, `address`, or a kind of resources.
    pub subject: String,
    /// Identifier of what it is about; null for an account that the caller may not see.
    pub subject_id: Option<String>,
    pub techniques: Vec<String>,
    pub started_at: String,
    pub last_at: String,
    /// Reason why it joined; null for the first one.
    pub because: Option<String>,
    /// Identifiers of the entries of the log behind it.
    pub entry_ids: Vec<String>,
}

/// A task of an incident.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct IncidentTaskBody {
    pub id: String,
    pub text: String,
    pub assignee: Option<String>,
    pub created_at: String,
    pub created_by: String,
    pub done_at: Option<String>,
    pub done_by: Option<String>,
}

/// A note of an incident.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct IncidentNoteBody {
    pub at: String,
    pub by: String,
    pub text: String,
}

/// A change of the status of an incident.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct IncidentStatusChangeBody {
    pub at: String,
    pub by: String,
    pub to: IncidentStatus,
    pub reason: Option<String>,
}

/// A resource of an attack.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct IncidentAssetBody {
    /// Identifier as the log has it.
    pub id: String,
    /// Name in the inventory; null for a resource that the inventory does not have.
    pub name: Option<String>,
    pub kind: Option<String>,
    pub account: Option<String>,
    /// `true` if the attacker uses it; others were only reached or tried.
    pub is_used: bool,
}

/// An account of an attack.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct IncidentPersonBody {
    /// User, role, session or key, as the log has it.
    pub name: String,
    /// Number of findings that name it.
    pub findings: u64,
    /// `true` if findings are about it; others were only tried.
    pub is_suspect: bool,
}

/// An incident: findings of one attack, and what was done about it.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct IncidentRecordBody {
    #[serde(flatten)]
    pub summary: IncidentSummaryBody,
    pub description: String,
    /// Statuses that it may take from here.
    pub next_statuses: Vec<IncidentStatus>,
    /// Findings, oldest first.
    pub members: Vec<IncidentFindingBody>,
    /// Number of findings beyond those that are kept.
    pub members_left_out: u64,
    pub assets: Vec<IncidentAssetBody>,
    pub people: Vec<IncidentPersonBody>,
    /// Number of accounts that the caller may not see.
    pub people_hidden: u64,
    pub tasks: Vec<IncidentTaskBody>,
    pub notes: Vec<IncidentNoteBody>,
    pub history: Vec<IncidentStatusChangeBody>,
    /// Names of the playbooks whose trigger fits it.
    pub playbooks: Vec<String>,
    /// Incident that took it in.
    pub merged_into: Option<String>,
}

/// A moment of the timeline of an incident.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct IncidentMomentBody {
    pub at: String,
    pub kind: IncidentMomentKind,
    /// Person or account; null for Reeve.
    pub by: Option<String>,
    pub text: String,
    /// Identifier of the entry, finding or run.
    pub reference: Option<String>,
}

impl From<&Incident> for IncidentSummaryBody {
    fn from(incident: &Incident) -> Self {
        let evidence = || incident.members.iter().filter(|one| one.is_evidence());
        let mut sources: Vec<String> = evidence().map(|one| one.source.clone()).collect();
        sources.sort();
        sources.dedup();
        let techniques = evidence().flat_map(|one| one.techniques.iter().cloned());
        let techniques: std::collections::BTreeSet<String> = techniques.collect();
        let open = incident.tasks.iter().filter(|task| task.done.is_none());
        IncidentSummaryBody {
            id: incident.id.0.clone(),
            title: incident.title.clone(),
            severity: incident.severity.into(),
            status: incident.status.into(),
            owner: incident.owner.clone(),
            opened_by: incident.opened_by.clone(),
            opened_at: time::text(incident.opened_at),
            started_at: time::text(incident.started_at),
            last_at: time::text(incident.last_at),
            findings: evidence().count() as u64 + incident.left_out,
            sources,
            techniques: techniques.into_iter().collect(),
            tasks_open: open.count() as u64,
        }
    }
}

impl IncidentFindingBody {
    /// The finding for a reader; accounts that the reader may not see are left out.
    pub(crate) fn seen_by(member: &IncidentMember, may_see: impl Fn(&str) -> bool) -> Self {
        let is_account = member.subject == "principal";
        let is_shown = !is_account || may_see(&member.subject_id);
        IncidentFindingBody {
            kind: member.kind.into(),
            id: member.id.clone(),
            title: member.title.clone(),
            severity: member.severity.into(),
            source: member.source.clone(),
            subject: member.subject.clone(),
            subject_id: is_shown.then(|| member.subject_id.clone()),
            techniques: member.techniques.iter().cloned().collect(),
            started_at: time::text(member.started_at),
            last_at: time::text(member.last_at),
            because: member.because.clone(),
            entry_ids: member.entries.clone(),
        }
    }
}

impl From<&Task> for IncidentTaskBody {
    fn from(task: &Task) -> Self {
        IncidentTaskBody {
            id: task.id.0.clone(),
            text: task.text.clone(),
            assignee: task.assignee.clone(),
            created_at: time::text(task.created_at),
            created_by: task.created_by.clone(),
            done_at: task.done.as_ref().map(|(at, _)| time::text(*at)),
            done_by: task.done.as_ref().map(|(_, by)| by.clone()),
        }
    }
}

impl From<&Note> for IncidentNoteBody {
    fn from(note: &Note) -> Self {
        IncidentNoteBody {
            at: time::text(note.at),
            by: note.by.clone(),
            text: note.text.clone(),
        }
    }
}

impl From<&StatusChange> for IncidentStatusChangeBody {
    fn from(change: &StatusChange) -> Self {
        IncidentStatusChangeBody {
            at: time::text(change.at),
            by: change.by.clone(),
            to: change.to.into(),
            reason: change.reason.clone(),
        }
    }
}

impl From<&TimelineMoment> for IncidentMomentBody {
    fn from(moment: &TimelineMoment) -> Self {
        IncidentMomentBody {
            at: time::text(moment.at),
            kind: moment.kind.into(),
            by: moment.by.clone(),
            text: moment.text.clone(),
            reference: moment.reference.clone(),
        }
    }
}

/// Statuses that an incident may take from a status.
pub(crate) fn next_statuses(from: Status) -> Vec<IncidentStatus> {
    allowed(from).iter().copied().map(Into::into).collect()
}
