//! Emergencies: events that cannot wait for a run, and the approvals that people give beforehand
//! for what is done about them.
//!
//! An agent type declares its emergencies ([`AgentDefinition::emergencies`](crate::agent::contract::AgentDefinition::emergencies)). With a
//! standing approval the engine applies a finding at once, within limits that are settings of the
//! agent. Cool-down, maintenance windows and the limits a run and a day bind ordinary changes, and
//! not these; everything else binds both.

pub mod mark;

use jiff::{SignedDuration, Timestamp};
use reeve_audit::Entry;
use reeve_estate::named;
use serde::{Deserialize, Serialize};

use crate::agent::settings::{AgentSetting, SettingValue};
use crate::agent::{Agent, AgentId, AgentScope, Impact};
use crate::approval::{Signature, Signed};

pub use mark::{EmergencyMark, StandingApprovalId};

/// Setting: emergency changes of an agent that begin within an hour.
pub const ACTS_PER_HOUR: AgentSetting = AgentSetting {
    path: "emergency.acts_per_hour",
    description: "Emergency changes that the agent begins within an hour at most",
    default: SettingValue::Count(3),
    // Capacity of a large estate is taken back by the hundred.
    range: (0.0, 10_000.0),
    choices: &[],
};

/// Setting: share of a group that emergency changes of an agent reach within a day.
pub const SHARE_OF_GROUP: AgentSetting = AgentSetting {
    path: "emergency.share_of_group",
    description: "Share of a group of resources that emergency changes of the agent reach within 24 hours; one resource at least, unless it is 0%",
    default: SettingValue::Percent(25.0),
    range: (0.0, 100.0),
    choices: &[],
};

/// Settings that every agent type with emergencies has beside its own.
pub static EMERGENCY_SETTINGS: [AgentSetting; 2] = [ACTS_PER_HOUR, SHARE_OF_GROUP];

/// Age from which an event is judged but not acted upon without a person: the log was read late,
/// and the resource may be another one by now.
pub const LATE: SignedDuration = SignedDuration::from_mins(15);

/// Longest time that a standing approval is given for.
pub const LONGEST_APPROVAL: SignedDuration = SignedDuration::from_hours(24 * 366);

named!(
    /// Permission by which an emergency is applied without a person.
    Preapproval {
        /// A standing approval alone.
        Standing => "standing",
        /// A standing approval; without one, the agent's permission to apply changes of this impact
        /// automatically, within the limits of ordinary changes.
        Configuration => "configuration",
    }
);

/// Event that wakes an agent type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WakingEvent {
    /// An entry of the log.
    Entry {
        event_type: &'static str,
        /// Operation of the entry (`action.operation`); `None` for every operation.
        operation: Option<&'static str>,
        /// Set where only entries that Reeve submitted count. Any other may be submitted by
        /// everyone who may append to the log.
        by_reeve: bool,
    },
    /// An observation of a source within Reeve, such as the detection of anomalies.
    Observation { source: &'static str },
}

impl WakingEvent {
    /// Returns `true` if an entry is such an event.
    #[must_use]
    pub fn is_entry(&self, entry: &Entry) -> bool {
        match self {
            WakingEvent::Entry {
                event_type,
                operation,
                by_reeve,
            } => {
                entry.event_type.as_str() == *event_type
                    && operation.is_none_or(|name| entry.action.operation.as_deref() == Some(name))
                    && (!by_reeve || entry.may_be_by_reeve())
            }
            WakingEvent::Observation { .. } => false,
        }
    }

    /// Returns `true` if an observation of a source is such an event.
    #[must_use]
    pub fn is_observation(&self, of: &str) -> bool {
        matches!(self, WakingEvent::Observation { source } if *source == of)
    }
}

/// Kind of finding that an agent type makes of events.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Emergency {
    /// Rule of the findings, an action of the agent type (`auto_quarantine`).
    pub rule: &'static str,
    /// Change that is made, one sentence.
    pub description: &'static str,
    /// Highest impact of the findings: what a standing approval must be signed for. A finding of
    /// higher impact waits for people.
    pub impact: Impact,
    pub wakes: &'static [WakingEvent],
    pub preapproval: Preapproval,
}

/// Reach of an agent's emergency changes: what the signers of a standing approval agree to.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct EmergencyTerms {
    pub scope: AgentScope,
    pub acts_per_hour: u64,
    /// Share of a group within 24 hours, percent.
    #[serde(serialize_with = "reeve_estate::finite")]
    pub share_of_group: f64,
}

impl EmergencyTerms {
    /// The terms of an agent as it is configured.
    #[must_use]
    pub fn of_agent(agent: &Agent) -> Self {
        EmergencyTerms {
            scope: agent.scope.clone(),
            acts_per_hour: agent.settings.count(&ACTS_PER_HOUR),
            share_of_group: agent.settings.percent(&SHARE_OF_GROUP),
        }
    }

    /// Returns `true` if other terms reach no further: the same scope, and limits that are no
    /// higher.
    #[must_use]
    pub fn include(&self, other: &EmergencyTerms) -> bool {
        self.scope == other.scope
            && other.acts_per_hour <= self.acts_per_hour
            && other.share_of_group <= self.share_of_group
    }

    /// Number of resources of a group that emergency changes may reach within 24 hours.
    #[must_use]
    pub fn resources_of_group(&self, size: u64) -> u64 {
        if self.share_of_group <= 0.0 {
            return 0;
        }
        ((size as f64 * self.share_of_group / 100.0).floor() as u64).max(1)
    }
}

/// Approval that people give beforehand for one kind of finding of one agent.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct StandingApproval {
    pub id: StandingApprovalId,
    pub agent: AgentId,
    /// Rule of the findings.
    pub rule: String,
    /// Reason why it is given.
    pub reason: String,
    /// Terms of the agent when it was given. It does not hold where the agent's reach further.
    pub terms: EmergencyTerms,
    /// Signatures, each by another person.
    pub signed: Vec<Signed>,
    pub given_at: Timestamp,
    /// E-mail address of the person who gave it.
    pub given_by: String,
    /// End of the approval.
    pub until: Timestamp,
    /// Premature end by a person.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ended: Option<ApprovalEnd>,
    /// Grows with every change.
    pub version: u64,
}

/// End of a standing approval by a person.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ApprovalEnd {
    pub at: Timestamp,
    /// E-mail address.
    pub by: String,
    pub reason: String,
}

impl StandingApproval {
    /// Returns `true` if neither its time nor a person ended it.
    #[must_use]
    pub fn lasts(&self, now: Timestamp) -> bool {
        self.ended.is_none() && now < self.until
    }

    /// Signatures among the needed ones that nobody has given.
    #[must_use]
    pub fn missing(&self, needed: &[Signature]) -> Vec<Signature> {
        let is_given =
            |signature: &Signature| self.signed.iter().any(|one| one.signature == *signature);
        needed
            .iter()
            .copied()
            .filter(|signature| !is_given(signature))
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use reeve_audit::{ActionMethod, ActionStatus, EventType};

    use super::*;

    #[test]
    fn an_entry_wakes_by_type_operation_and_submitter() {
        let entry = |operation: &str| {
            Entry::new(EventType::from_static("spot.interruption")).with_action(
                operation,
                ActionStatus::Success,
                ActionMethod::Api,
            )
        };
        let pattern = |operation, by_reeve| WakingEvent::Entry {
            event_type: "spot.interruption",
            operation,
            by_reeve,
        };
        assert!(pattern(None, false).is_entry(&entry("warn")));
        assert!(pattern(Some("warn"), false).is_entry(&entry("warn")));
        assert!(!pattern(Some("warn"), false).is_entry(&entry("rebalance")));

        let submitted = Entry {
            submitted_by: Some(std::sync::Arc::new(reeve_audit::Submitter::new(
                reeve_audit::SubmitterType::Token,
            ))),
            ..entry("warn")
        };
        assert!(pattern(None, false).is_entry(&submitted));
        assert!(!pattern(None, true).is_entry(&submitted));
        assert!(!pattern(None, false).is_observation("spot.interruption"));
    }
}
