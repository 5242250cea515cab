//! Security incidents, and playbooks that contain them.
//!
//! An [`Incident`] is the record of one attack: its members (anomalies, firings of alert rules,
//! open findings on the same resources, alerts of other tools), the people who work on it, and what
//! was done. Members join by the accounts, addresses and resources that they share
//! ([`reeve_anomalies::AttackKeys`]). [`Playbook`]s are data; each step of a [`PlaybookRun`] that
//! changes something is a recommendation of the engine with its approval, guardrails and rollback.

mod containment;
mod graph;
mod incident;
mod log_entry;
mod member;
mod playbook;
mod port;
mod run;
mod service;
mod timeline;

pub use containment::Containment;
pub use graph::{IncidentEdge, IncidentGraph, IncidentNode, NodeKind};
pub use incident::{
    Incident, IncidentStatus, MOST_MEMBERS, Note, StatusChange, Task, TaskId, allowed,
};
pub use member::{IncidentMember, MemberKind};
pub use playbook::{Playbook, PlaybookName, PlaybookStep, StepAction, Trigger, builtin};
pub use port::{IncidentFilter, IncidentStore, MemberSource, RunFilter};
pub use reeve_recommend::recommendation::origin::IncidentId;
pub use run::{PlaybookRun, PlaybookRunId, RollbackRequest, RunStep, RunTarget, StepState};
pub use service::{
    IncidentInput, IncidentPatch, IncidentPorts, IncidentService, PlaybookInput, TaskPatch,
};
pub use timeline::{MomentKind, TimelineMoment, moments};
