//! Record of an incident.

use jiff::Timestamp;
use reeve_anomalies::{AttackKeys, ONE_ATTACK};
use reeve_estate::named;
use reeve_recommend::recommendation::Priority;
use reeve_recommend::recommendation::origin::IncidentId;
use serde::{Deserialize, Serialize};

use crate::member::{IncidentMember, MemberKind};

/// Members of an incident that are kept. Those beyond it are counted.
pub const MOST_MEMBERS: usize = 500;

named!(
    /// State of an incident.
    IncidentStatus {
        /// Nobody has taken it up.
        Open => "open",
        /// A person looks into it.
        Investigating => "investigating",
        /// The attacker can do no more harm; the cause may still be there.
        Contained => "contained",
        /// The cause is removed.
        Resolved => "resolved",
        /// Nothing is left to do, the report included.
        Closed => "closed",
    }
);

/// Returns the states that an incident may take from a state.
#[must_use]
pub const fn allowed(from: IncidentStatus) -> &'static [IncidentStatus] {
    use IncidentStatus::{Closed, Contained, Investigating, Open, Resolved};
    match from {
        Open => &[Investigating, Contained, Resolved, Closed],
        Investigating => &[Contained, Resolved, Closed],
        Contained => &[Investigating, Resolved, Closed],
        Resolved => &[Open, Closed],
        Closed => &[Open],
    }
}

impl IncidentStatus {
    /// Returns `true` while somebody has to act.
    #[must_use]
    pub const fn is_active(self) -> bool {
        matches!(
            self,
            IncidentStatus::Open | IncidentStatus::Investigating | IncidentStatus::Contained
        )
    }
}

/// A change of the state.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StatusChange {
    pub at: Timestamp,
    /// E-mail address, or `system`.
    pub by: String,
    pub to: IncidentStatus,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// Identifier of a task, unique within its incident.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct TaskId(pub String);

/// Work that a person has to do.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Task {
    pub id: TaskId,
    pub text: String,
    /// E-mail address of the person who does it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub assignee: Option<String>,
    pub created_at: Timestamp,
    pub created_by: String,
    /// Time and person of its completion.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub done: Option<(Timestamp, String)>,
}

/// Remark of a person.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Note {
    pub at: Timestamp,
    /// E-mail address.
    pub by: String,
    pub text: String,
}

/// One attack: its findings, and what people did about it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Incident {
    pub id: IncidentId,
    /// Title of the most severe member and the number of the others, unless a person wrote one.
    pub title: String,
    /// `true` where a person wrote the title.
    #[serde(default)]
    pub is_titled: bool,
    #[serde(default)]
    pub description: String,
    /// The worst severity of its members, unless a person rated it.
    pub severity: Priority,
    /// `true` where a person rated it.
    #[serde(default)]
    pub is_rated: bool,
    pub status: IncidentStatus,
    /// E-mail address of the person who is responsible.
    #[serde(default)]
    pub owner: Option<String>,
    /// E-mail address, or `system` for one that findings opened.
    pub opened_by: String,
    pub opened_at: Timestamp,
    /// Beginning of the first member.
    pub started_at: Timestamp,
    /// Last sign of any member.
    pub last_at: Timestamp,
    /// Changes of the state, the opening first.
    pub history: Vec<StatusChange>,
    /// Findings, oldest first, at most [`MOST_MEMBERS`].
    #[serde(default)]
    pub members: Vec<IncidentMember>,
    /// Number of members beyond those that are kept.
    #[serde(default)]
    pub left_out: u64,
    #[serde(default)]
    pub tasks: Vec<Task>,
    #[serde(default)]
    pub notes: Vec<Note>,
    /// The incident that took it in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub merged_into: Option<IncidentId>,
    /// Grows with every change; stores compare it before they write.
    pub version: u64,
}

impl Incident {
    /// Opens an incident for its first member.
    #[must_use]
    pub fn opened_for(id: IncidentId, member: IncidentMember, now: Timestamp) -> Incident {
        let mut incident = Incident {
            started_at: member.started_at,
            last_at: member.last_at,
            ..Incident::opened(id, member.title.clone(), member.severity, "system", now)
        };
        incident.take(member);
        incident
    }

    /// Opens an incident without members.
    #[must_use]
    pub fn opened(
        id: IncidentId,
        title: String,
        severity: Priority,
        by: &str,
        now: Timestamp,
    ) -> Incident {
        Incident {
            id,
            title,
            is_titled: false,
            description: String::new(),
            severity,
            is_rated: false,
            status: IncidentStatus::Open,
            owner: None,
            opened_by: by.to_owned(),
            opened_at: now,
            started_at: now,
            last_at: now,
            history: vec![StatusChange {
                at: now,
                by: by.to_owned(),
                to: IncidentStatus::Open,
                reason: None,
            }],
            members: Vec::new(),
            left_out: 0,
            tasks: Vec::new(),
            notes: Vec::new(),
            merged_into: None,
            version: 1,
        }
    }

    /// Returns the accounts, addresses and resources of all members.
    #[must_use]
    pub fn keys(&self) -> AttackKeys {
        let mut keys = AttackKeys::default();
        for member in &self.members {
            keys.extend(&member.keys);
        }
        keys
    }

    /// Returns what a finding has in common with a member that is no more than six hours apart;
    /// `None` where it is no part of the incident. A finding that people added joins nothing.
    #[must_use]
    pub fn shares(&self, member: &IncidentMember) -> Option<String> {
        let is_near = |own: &&IncidentMember| {
            own.is_evidence()
                && member.started_at.duration_since(own.last_at) <= ONE_ATTACK
                && own.started_at.duration_since(member.last_at) <= ONE_ATTACK
        };
        let linked = |own: &&IncidentMember| own.keys.is_linked_to(&member.keys);
        let own = self.members.iter().filter(is_near).find(linked)?;
        own.keys.shared_with(&member.keys)
    }

    /// Returns the member of a kind that has an identifier; `None` where there is none.
    #[must_use]
    pub fn member(&self, kind: MemberKind, id: &str) -> Option<&IncidentMember> {
        let mut members = self.members.iter();
        members.find(|member| member.kind == kind && member.id == id)
    }

    /// Adds a member, or replaces the one of its kind and identifier. Title, severity and times
    /// follow. Returns `true` if anything changed.
    pub fn take(&mut self, member: IncidentMember) -> bool {
        let before = (self.title.clone(), self.severity, self.last_at);
        let is_known = |known: &IncidentMember| known.kind == member.kind && known.id == member.id;
        let changed = match self.members.iter().position(is_known) {
            Some(at) if self.members[at] == member => false,
            Some(at) => {
                self.members[at] = member;
                true
            }
            None if self.members.len() >= MOST_MEMBERS => {
                self.left_out += 1;
                false
            }
            None => {
                self.members.push(member);
                true
            }
        };

        self.follow_members();
        changed || before != (self.title.clone(), self.severity, self.last_at)
    }

    /// Takes a member out. Title, severity and times follow.
    pub(crate) fn leave(&mut self, kind: MemberKind, id: &str) {
        self.members
            .retain(|member| member.kind != kind || member.id != id);
        self.follow_members();
    }

    /// Takes over what the members say: order, title, severity and times.
    fn follow_members(&mut self) {
        self.members
            .sort_by(|a, b| (a.started_at, a.kind, &a.id).cmp(&(b.started_at, b.kind, &b.id)));
        let evidence = || self.members.iter().filter(|member| member.is_evidence());
        // The earliest of the most severe: members are in the order of their beginning. The name of
        // an alert rule says less than what was seen.
        let rank = |member: &&IncidentMember| (member.kind == MemberKind::Alert, member.severity);
        let Some(lead) = evidence().min_by_key(rank) else {
            return;
        };

        let others = evidence().count() - 1;
        let title = match others {
            0 => lead.title.clone(),
            1 => format!("{}, and 1 related finding", lead.title),
            more => format!("{}, and {more} related findings", lead.title),
        };
        let severities = evidence().map(|member| member.severity);
        let severity = severities.min().unwrap_or(lead.severity);
        let started_at = evidence().map(|member| member.started_at).min();
        let last_at = evidence().map(|member| member.last_at).max();

        if !self.is_titled {
            self.title = title;
        }
        if !self.is_rated {
            self.severity = severity;
        }
        self.started_at = started_at.unwrap_or(self.started_at);
        self.last_at = last_at.unwrap_or(self.last_at);
    }

    /// Moves to another state and notes it.
    pub fn become_status(
        &mut self,
        to: IncidentStatus,
        by: &str,
        reason: Option<String>,
        now: Timestamp,
    ) {
        self.status = to;
        self.history.push(StatusChange {
            at: now,
            by: by.to_owned(),
            to,
            reason,
        });
    }

    /// Returns `true` if nobody has done anything about it: it may end with its findings.
    #[must_use]
    pub fn is_untouched(&self) -> bool {
        self.status == IncidentStatus::Open
            && self.owner.is_none()
            && self.notes.is_empty()
            && self.tasks.is_empty()
            && self.opened_by == "system"
    }
}

#[cfg(test)]
pub(crate) mod tests;
