//! An alert rule, the counts of one, and a firing with what people did about it.

use reeve_alerts::{
    Firing, FiringId, FiringStatus, GroupKey, Rule, RuleDraft, RuleId, RuleSettings, RuleState,
    Tally,
};
use reeve_audit::Severity;
use serde::{Deserialize, Serialize};

use super::{RowError, named, time, time_or_none};

/// Alert rule, with its settings as sent, which are checked again when read.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct RuleRow {
    id: String,
    name: String,
    description: String,
    condition: String,
    count: u64,
    window: String,
    group_by: Vec<String>,
    channels: Vec<String>,
    recipients: Vec<String>,
    severity: String,
    class: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    distinct: Option<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    attack: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    runbook: Option<String>,
    state: String,
    silenced_until: Option<String>,
    revision: u64,
    version: u64,
    created_by: String,
    created_at: String,
    updated_at: String,
}

impl From<&Rule> for RuleRow {
    fn from(rule: &Rule) -> Self {
        let draft = rule.settings.draft();
        RuleRow {
            id: rule.id.0.clone(),
            name: draft.name,
            description: draft.description,
            condition: draft.condition,
            count: draft.count,
            window: draft.window,
            group_by: draft.group_by,
            channels: draft.channels,
            recipients: draft.recipients,
            severity: draft.severity,
            class: draft.class,
            distinct: draft.distinct,
            attack: draft.attack,
            runbook: draft.runbook,
            state: rule.state.as_str().to_owned(),
            silenced_until: rule.silenced_until.map(|at| at.to_string()),
            revision: rule.revision,
            version: rule.version,
            created_by: rule.created_by.clone(),
            created_at: rule.created_at.to_string(),
            updated_at: rule.updated_at.to_string(),
        }
    }
}

impl RuleRow {
    pub(crate) fn into_rule(self) -> Result<Rule, RowError> {
        let draft = RuleDraft {
            name: self.name,
            description: self.description,
            condition: self.condition,
            count: self.count,
            window: self.window,
            group_by: self.group_by,
            channels: self.channels,
            recipients: self.recipients,
            severity: self.severity,
            class: self.class,
            distinct: self.distinct,
            attack: self.attack,
            runbook: self.runbook,
        };

        let settings = RuleSettings::read(draft).map_err(|errors| RowError::Unknown {
            field: "settings",
            value: errors
                .iter()
                .map(ToString::to_string)
                .collect::<Vec<_>>()
                .join("; "),
        })?;

        Ok(Rule {
            id: RuleId(self.id),
            settings,
            state: named("state", &self.state, RuleState::parse)?,
            silenced_until: time_or_none(self.silenced_until.as_deref())?,
            revision: self.revision,
            version: self.version,
            created_by: self.created_by,
            created_at: time(&self.created_at)?,
            updated_at: time(&self.updated_at)?,
        })
    }
}

/// Counts of a rule.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct TallyRow {
    matched: u64,
    late: u64,
    #[serde(default)]
    shared: u64,
    #[serde(default)]
    dropped: u64,
    fired: u64,
    last_matched_at: Option<String>,
}

impl From<Tally> for TallyRow {
    fn from(tally: Tally) -> Self {
        TallyRow {
            matched: tally.matched,
            late: tally.late,
            shared: tally.shared,
            dropped: tally.dropped,
            fired: tally.fired,
            last_matched_at: tally.last_matched_at.map(|at| at.to_string()),
        }
    }
}

impl TallyRow {
    pub(crate) fn into_tally(self) -> Result<Tally, RowError> {
        Ok(Tally {
            matched: self.matched,
            late: self.late,
            shared: self.shared,
            dropped: self.dropped,
            fired: self.fired,
            last_matched_at: time_or_none(self.last_matched_at.as_deref())?,
            degraded_since: None,
            degraded_at: None,
        })
    }
}

/// Members of a firing that never change.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct FiringRow {
    rule: String,
    revision: u64,
    rule_name: String,
    severity: String,
    group_by: Vec<String>,
    group: String,
    from: String,
    until: String,
    detected_at: String,
    sequence: u64,
    silenced: bool,
}

/// Handling of a firing: assignee, note and verdict.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct HandlingRow {
    assignee: Option<String>,
    note: Option<String>,
    handled_by: Option<String>,
    handled_at: Option<String>,
}

/// Columns of a firing beside its two documents.
pub(crate) struct FiringColumns {
    pub(crate) id: String,
    pub(crate) status: String,
    pub(crate) version: u64,
    pub(crate) first_at_ms: i64,
    pub(crate) last_at_ms: i64,
    pub(crate) count: u64,
    pub(crate) entries: String,
}

impl From<&Firing> for FiringRow {
    fn from(firing: &Firing) -> Self {
        FiringRow {
            rule: firing.rule.0.clone(),
            revision: firing.revision,
            rule_name: firing.rule_name.clone(),
            severity: firing.severity.as_str().to_owned(),
            group_by: firing.group_by.clone(),
            group: firing.group.0.clone(),
            from: firing.from.to_string(),
            until: firing.until.to_string(),
            detected_at: firing.detected_at.to_string(),
            sequence: firing.sequence,
            silenced: firing.silenced,
        }
    }
}

impl From<&Firing> for HandlingRow {
    fn from(firing: &Firing) -> Self {
        HandlingRow {
            assignee: firing.assignee.clone(),
            note: firing.note.clone(),
            handled_by: firing.handled_by.clone(),
            handled_at: firing.handled_at.map(|at| at.to_string()),
        }
    }
}

impl FiringRow {
    pub(crate) fn into_firing(
        self,
        handling: HandlingRow,
        columns: FiringColumns,
    ) -> Result<Firing, RowError> {
        let instant =
            |ms| jiff::Timestamp::from_millisecond(ms).map_err(|_| RowError::Time(ms.to_string()));
        let unreadable = |error: reeve_alerts::state::StateError| RowError::Unknown {
            field: "entries",
            value: error.to_string(),
        };

        Ok(Firing {
            id: FiringId(columns.id),
            rule: RuleId(self.rule),
            revision: self.revision,
            rule_name: self.rule_name,
            severity: named("severity", &self.severity, |text| {
                text.parse::<Severity>().ok()
            })?,
            group_by: self.group_by,
            group: GroupKey(self.group),
            from: time(&self.from)?,
            until: time(&self.until)?,
            first_at: instant(columns.first_at_ms)?,
            last_at: instant(columns.last_at_ms)?,
            detected_at: time(&self.detected_at)?,
            sequence: self.sequence,
            count: columns.count,
            entries: reeve_alerts::state::decode_entries(&columns.entries).map_err(unreadable)?,
            silenced: self.silenced,
            status: named("status", &columns.status, FiringStatus::parse)?,
            assignee: handling.assignee,
            note: handling.note,
            handled_by: handling.handled_by,
            handled_at: time_or_none(handling.handled_at.as_deref())?,
            version: columns.version,
        })
    }
}
