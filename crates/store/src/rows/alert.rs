//! An alert rule, and a firing with what people did about it.

use jiff::Timestamp;
use reeve_alerts::{
    AlertRule, Firing, FiringId, FiringStatus, GroupKey, RuleDraft, RuleId, RuleSettings, RuleState,
};
use reeve_audit::Severity;
use serde::{Deserialize, Serialize};

use super::{RowError, named};

/// Alert rule, with its settings as sent, which are checked again when read.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct RuleRow {
    id: RuleId,
    #[serde(flatten)]
    draft: RuleDraft,
    state: RuleState,
    silenced_until: Option<Timestamp>,
    revision: u64,
    version: u64,
    created_by: String,
    created_at: Timestamp,
    updated_at: Timestamp,
}

impl From<&AlertRule> for RuleRow {
    fn from(rule: &AlertRule) -> Self {
        RuleRow {
            id: rule.id.clone(),
            draft: rule.settings.draft(),
            state: rule.state,
            silenced_until: rule.silenced_until,
            revision: rule.revision,
            version: rule.version,
            created_by: rule.created_by.clone(),
            created_at: rule.created_at,
            updated_at: rule.updated_at,
        }
    }
}

impl RuleRow {
    pub(crate) fn into_rule(self) -> Result<AlertRule, RowError> {
        let settings = RuleSettings::read(self.draft).map_err(|errors| RowError::Unknown {
            field: "settings",
            value: errors
                .iter()
                .map(ToString::to_string)
                .collect::<Vec<_>>()
                .join("; "),
        })?;

        Ok(AlertRule {
            id: self.id,
            settings,
            state: self.state,
            silenced_until: self.silenced_until,
            revision: self.revision,
            version: self.version,
            created_by: self.created_by,
            created_at: self.created_at,
            updated_at: self.updated_at,
        })
    }
}

/// Members of a firing that never change.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct FiringRow {
    rule: RuleId,
    revision: u64,
    rule_name: String,
    severity: String,
    group_by: Vec<String>,
    group: GroupKey,
    from: Timestamp,
    until: Timestamp,
    detected_at: Timestamp,
    sequence: u64,
    silenced: bool,
}

/// Handling of a firing: assignee, note and verdict.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct HandlingRow {
    assignee: Option<String>,
    note: Option<String>,
    handled_by: Option<String>,
    handled_at: Option<Timestamp>,
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
            rule: firing.rule.clone(),
            revision: firing.revision,
            rule_name: firing.rule_name.clone(),
            severity: firing.severity.as_str().to_owned(),
            group_by: firing.group_by.clone(),
            group: firing.group.clone(),
            from: firing.from,
            until: firing.until,
            detected_at: firing.detected_at,
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
            handled_at: firing.handled_at,
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
            |ms| Timestamp::from_millisecond(ms).map_err(|_| RowError::Time(ms.to_string()));
        let unreadable = |error: reeve_alerts::state::StateError| RowError::Unknown {
            field: "entries",
            value: error.to_string(),
        };

        Ok(Firing {
            id: FiringId(columns.id),
            rule: self.rule,
            revision: self.revision,
            rule_name: self.rule_name,
            severity: named("severity", &self.severity, |text| {
                text.parse::<Severity>().ok()
            })?,
            group_by: self.group_by,
            group: self.group,
            from: self.from,
            until: self.until,
            first_at: instant(columns.first_at_ms)?,
            last_at: instant(columns.last_at_ms)?,
            detected_at: self.detected_at,
            sequence: self.sequence,
            count: columns.count,
            entries: reeve_alerts::state::decode_entries(&columns.entries).map_err(unreadable)?,
            silenced: self.silenced,
            status: named("status", &columns.status, FiringStatus::parse)?,
            assignee: handling.assignee,
            note: handling.note,
            handled_by: handling.handled_by,
            handled_at: handling.handled_at,
            version: columns.version,
        })
    }
}
