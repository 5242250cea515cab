//! Playbooks: responses to incidents as data. Those of the program are the files of `playbooks/`;
//! people write their own over the interface.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use jiff::Timestamp;
use reeve_audit::{FieldCode, FieldError};
use reeve_estate::named;
use reeve_recommend::judgement::event::Measure;
use reeve_recommend::recommendation::Priority;
use serde::{Deserialize, Serialize};

use crate::incident::Incident;
use crate::member::MemberKind;

/// Steps of a playbook.
const MOST_STEPS: usize = 20;
/// Characters of a text for people.
const LONGEST_TEXT: usize = 2000;

/// Files of the program's own playbooks.
const FILES: &[&str] = &[
    include_str!("../playbooks/contain-stolen-key.toml"),
    include_str!("../playbooks/contain-compromised-machine.toml"),
    include_str!("../playbooks/contain-compromised-role.toml"),
    include_str!("../playbooks/contain-compromised-user.toml"),
    include_str!("../playbooks/answer-password-spray.toml"),
    include_str!("../playbooks/preserve-evidence.toml"),
    include_str!("../playbooks/isolate-everything.toml"),
];

/// Name of a playbook, unique: letters, digits and hyphens.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct PlaybookName(pub String);

named!(
    /// Action of a step.
    StepAction {
        /// Cuts machines off from every network.
        QuarantineMachine => "quarantine_machine",
        /// Deactivates the access keys that were used.
        DeactivateKey => "deactivate_key",
        /// Refuses temporary credentials that roles and users have now.
        RevokeSessions => "revoke_sessions",
        /// Denies users and roles everything.
        BlockPrincipal => "block_principal",
        /// Keeps the disks of machines for an investigation.
        Snapshot => "snapshot",
        /// Tells people through channels.
        Notify => "notify",
        /// Sends the incident to webhooks, such as those of a ticket system.
        Webhook => "webhook",
    }
);

impl StepAction {
    /// Returns the measure of a step that changes something in a cloud.
    #[must_use]
    pub const fn measure(self) -> Option<Measure> {
        match self {
            StepAction::QuarantineMachine => Some(Measure::QuarantineMachine),
            StepAction::DeactivateKey => Some(Measure::DeactivateKey),
            StepAction::RevokeSessions => Some(Measure::RevokeSessions),
            StepAction::BlockPrincipal => Some(Measure::BlockPrincipal),
            StepAction::Snapshot => Some(Measure::Snapshot),
            StepAction::Notify | StepAction::Webhook => None,
        }
    }

    /// Returns `true` if a rollback takes the step back. Snapshots stay: they are evidence.
    #[must_use]
    pub const fn leads_back(self) -> bool {
        !matches!(
            self,
            StepAction::Snapshot | StepAction::Notify | StepAction::Webhook
        )
    }
}

/// A step of a playbook.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlaybookStep {
    pub action: StepAction,
    /// Identifiers of channels; empty for all. Of `notify` alone.
    #[serde(default)]
    pub channels: Vec<String>,
    /// Message to people. Of `notify` and `webhook`.
    #[serde(default)]
    pub message: String,
}

/// Incidents that a playbook is for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Trigger {
    /// `true` to run it as soon as an incident fits. Changes still need their approvals.
    #[serde(default)]
    pub automatic: bool,
    /// Lowest severity of an incident that it is for.
    pub severity: Priority,
    /// Kinds of what a finding is about (`principal`, `address`, `virtual_machine`); empty for any.
    #[serde(default)]
    pub subjects: BTreeSet<String>,
    /// Techniques of MITRE ATT&CK; empty for any. `T1078` includes its sub-techniques.
    #[serde(default)]
    pub techniques: BTreeSet<String>,
    /// Kinds of members; empty for any.
    #[serde(default)]
    pub members: BTreeSet<MemberKind>,
}

/// A response to incidents.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Playbook {
    pub name: PlaybookName,
    pub title: String,
    pub description: String,
    pub trigger: Trigger,
    pub steps: Vec<PlaybookStep>,
    /// `true` for one of the program, which people cannot change.
    #[serde(default)]
    pub is_builtin: bool,
    /// E-mail address of the person who changed it last; `None` for one of the program.
    #[serde(default)]
    pub changed_by: Option<String>,
    #[serde(default)]
    pub changed_at: Option<Timestamp>,
    /// Grows with every change; stores compare it before they write.
    pub version: u64,
}

/// A playbook as its file has it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PlaybookFile {
    name: String,
    title: String,
    description: String,
    trigger: Trigger,
    step: Vec<PlaybookStep>,
}

/// Returns the program's own playbooks, in the order of their use.
#[must_use]
pub fn builtin() -> &'static [Playbook] {
    static BUILTIN: LazyLock<Vec<Playbook>> = LazyLock::new(|| {
        let files = FILES
            .iter()
            .filter_map(|text| toml::from_str::<PlaybookFile>(text).ok());
        files.map(Playbook::from).collect()
    });
    &BUILTIN
}

impl From<PlaybookFile> for Playbook {
    fn from(file: PlaybookFile) -> Self {
        Playbook {
            name: PlaybookName(file.name),
            title: file.title,
            description: file.description,
            trigger: file.trigger,
            steps: file.step,
            is_builtin: true,
            changed_by: None,
            changed_at: None,
            version: 1,
        }
    }
}

impl Trigger {
    /// Returns `true` if the playbook is for an incident: it is severe enough, and one of its
    /// members has what the trigger names.
    #[must_use]
    pub fn fits(&self, incident: &Incident) -> bool {
        let is_named = |technique: &String| {
            self.techniques.iter().any(|named| {
                technique == named
                    || technique
                        .strip_prefix(named.as_str())
                        .is_some_and(|rest| rest.starts_with('.'))
            })
        };
        let evidence = incident.members.iter().filter(|one| one.is_evidence());
        let mut fitting = evidence.filter(|member| {
            (self.subjects.is_empty() || self.subjects.contains(&member.subject))
                && (self.members.is_empty() || self.members.contains(&member.kind))
                && (self.techniques.is_empty() || member.techniques.iter().any(is_named))
        });

        incident.severity <= self.severity && fitting.next().is_some()
    }
}

impl Playbook {
    /// Returns every field that is wrong.
    #[must_use]
    pub fn faults(&self) -> Vec<FieldError> {
        let mut faults = Vec::new();
        let mut wrong = |path: String, code: FieldCode, message: &str| {
            faults.push(FieldError::new(path, code, message));
        };

        let name = &self.name.0;
        let is_name = |name: &str| {
            let mut letters = name.bytes();
            letters.all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-')
        };
        if name.is_empty() || name.len() > 60 || !is_name(name) {
            let message = "must have 1 to 60 lowercase letters, digits and hyphens";
            wrong("name".to_owned(), FieldCode::InvalidValue, message);
        } else if !self.is_builtin && builtin().iter().any(|one| one.name == self.name) {
            let message = "is the name of a playbook that comes with Reeve";
            wrong("name".to_owned(), FieldCode::Reserved, message);
        }
        if self.title.trim().is_empty() || self.title.chars().count() > 200 {
            let message = "must have 1 to 200 characters";
            wrong("title".to_owned(), FieldCode::InvalidValue, message);
        }
        if self.description.chars().count() > LONGEST_TEXT {
            let message = "must have at most 2000 characters";
            wrong("description".to_owned(), FieldCode::TooLong, message);
        }

        for (at, technique) in self.trigger.techniques.iter().enumerate() {
            let digits = technique.strip_prefix('T').unwrap_or_default();
            let is_technique = digits.len() >= 4
                && digits.starts_with(|first: char| first.is_ascii_digit())
                && digits.chars().all(|one| one.is_ascii_digit() || one == '.');
            if !is_technique {
                let message = "must be a technique of MITRE ATT&CK, such as T1078 or T1552.005";
                let path = format!("trigger.techniques[{at}]");
                wrong(path, FieldCode::InvalidValue, message);
            }
        }

        if self.steps.is_empty() {
            let message = "must have at least one step";
            wrong("steps".to_owned(), FieldCode::MissingField, message);
        } else if self.steps.len() > MOST_STEPS {
            let message = "may have at most 20 steps";
            wrong("steps".to_owned(), FieldCode::TooMany, message);
        }

        for (at, step) in self.steps.iter().enumerate() {
            let field = |name: &str| format!("steps[{at}].{name}");
            if step.action != StepAction::Notify && !step.channels.is_empty() {
                let message = "is for the action notify alone";
                wrong(field("channels"), FieldCode::Conflicting, message);
            }
            if step.action.measure().is_some() && !step.message.is_empty() {
                let message = "is for the actions notify and webhook alone";
                wrong(field("message"), FieldCode::Conflicting, message);
            }
            if step.message.chars().count() > LONGEST_TEXT {
                let message = "must have at most 2000 characters";
                wrong(field("message"), FieldCode::TooLong, message);
            }
            let before = &self.steps[..at];
            if step.action.measure().is_some()
                && before.iter().any(|other| other.action == step.action)
            {
                let message = "is an action of an earlier step: it acts on all that fit at once";
                wrong(field("action"), FieldCode::Duplicate, message);
            }
        }

        faults
    }
}

#[cfg(test)]
mod tests;
