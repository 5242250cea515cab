//! Alert rules.

use reeve_alerts::{AlertRule, DegradedRule, GroupBy, RuleDraft, RuleSettings, RuleState};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::time;
use crate::wire::form::enumeration;
use crate::wire::form::enumeration::{AlertClass, AlertRuleState, Severity};

/// Threshold of a rule.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct AlertThresholdBody {
    /// Entries, 1 to 10,000; with `distinct`, values, 2 to 1,000.
    pub count: u64,
    /// Length of the window, `1s` to `30d`, such as `5m`.
    pub window: String,
    /// Field whose distinct values are counted in place of entries, such as `user`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub distinct: Option<String>,
}

/// A bound that a rule has met. Its groups go on; further groups are counted together, or waiting
/// entries were dropped.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct AlertDegradedBody {
    /// Bound that was met: `groups` or `entries`.
    pub bound: String,
    /// First time that it was met.
    pub since: String,
    /// Last time that it was met.
    pub at: String,
}

/// One field or several.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[serde(untagged)]
pub enum AlertGroupByBody {
    /// The name of one field.
    One(String),
    /// Several fields, at most 4.
    Many(Vec<String>),
}

/// Receivers of a rule.
#[derive(Debug, Clone, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct AlertNotificationBody {
    /// Types of notification channels, `webhook`, or names or identifiers of single channels.
    #[serde(default)]
    pub channels: Vec<String>,
    /// E-mail addresses that are written to in place of the channel's own receivers.
    #[serde(default)]
    pub recipients: Vec<String>,
}

/// An alert rule with its condition, threshold and receivers.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct AlertRuleBody {
    pub id: String,
    pub name: String,
    pub description: String,
    /// Condition in the query language.
    pub condition: String,
    pub threshold: AlertThresholdBody,
    /// Fields whose values are counted apart.
    pub group_by: AlertGroupByBody,
    pub notification: AlertNotificationBody,
    /// Severity that its firings have.
    pub severity: Severity,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub class: Option<AlertClass>,
    /// Tactics and techniques of MITRE ATT&CK, such as `TA0006` and `T1110.003`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(required = false)]
    pub attack: Vec<String>,
    /// Address of the instructions for whoever is notified.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub runbook: Option<String>,
    /// The rule counts only in part at present.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub degraded: Option<AlertDegradedBody>,
    pub state: AlertRuleState,
    /// Firings until then notify nobody.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub silenced_until: Option<String>,
    /// Grows with every change; a change may name the version it was made from.
    pub version: u64,
    /// User who made it.
    pub created_by: String,
    pub created_at: String,
    /// Time of the last change.
    pub updated_at: String,
}

/// A new alert rule.
#[derive(Debug, Clone, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct AlertRuleCreate {
    /// Name, 1 to 100 characters, unique.
    pub name: String,
    /// Explanation for readers, at most 2000 characters.
    #[serde(default)]
    pub description: String,
    /// Condition in the query language.
    pub condition: String,
    pub threshold: AlertThresholdBody,
    /// Fields whose values are counted apart; left out, all entries count together.
    pub group_by: Option<AlertGroupByBody>,
    /// Receivers; left out, firings are only listed.
    #[serde(default)]
    pub notification: AlertNotificationBody,
    /// Severity of firings; `medium` unless given.
    #[schema(value_type = Option<enumeration::Severity>)]
    pub severity: Option<String>,
    /// One of the five classes.
    #[schema(value_type = Option<enumeration::AlertClass>)]
    pub class: Option<String>,
    /// Tactics and techniques of MITRE ATT&CK, at most 20.
    #[serde(default)]
    pub attack: Vec<String>,
    /// Address of the instructions for whoever is notified, at most 500 bytes.
    pub runbook: Option<String>,
    /// `enabled` (unless given), `draft` or `disabled`.
    #[schema(value_type = Option<enumeration::AlertRuleState>)]
    pub state: Option<String>,
}

/// A change of an alert rule. What is left out stays.
#[derive(Debug, Clone, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct AlertRulePatch {
    /// The version that was read; left out, the newest is changed.
    pub version: Option<u64>,
    pub name: Option<String>,
    pub description: Option<String>,
    /// Condition in the query language. Counting starts anew.
    pub condition: Option<String>,
    /// Threshold. Counting starts anew.
    pub threshold: Option<AlertThresholdBody>,
    /// Fields. Counting starts anew.
    pub group_by: Option<AlertGroupByBody>,
    pub notification: Option<AlertNotificationBody>,
    /// Severity that its firings have.
    pub severity: Option<String>,
    /// One of the five classes; the empty text is none.
    pub class: Option<String>,
    /// Tactics and techniques of MITRE ATT&CK.
    pub attack: Option<Vec<String>>,
    /// Address of the instructions for whoever is notified; the empty text is none.
    pub runbook: Option<String>,
}

/// A time span in which a rule notifies nobody.
#[derive(Debug, Clone, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct AlertSilenceRequest {
    /// Until this time: RFC 3339, or a distance such as `now+2h`. Left out, the silence ends.
    pub until: Option<String>,
}

/// A rule that ships with Reeve.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct ReadyRuleBody {
    /// Name under which it is enabled.
    pub key: String,
    /// Name of the rule.
    pub name: String,
    pub description: String,
    /// Condition in the query language.
    pub condition: String,
    pub threshold: AlertThresholdBody,
    /// Fields whose values are counted apart.
    pub group_by: AlertGroupByBody,
    /// Severity that its firings have.
    pub severity: String,
    /// One of the five classes.
    pub class: String,
    /// Tactics and techniques of MITRE ATT&CK.
    pub attack: Vec<String>,
    /// Identifier of the rule that was made of it, if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rule_id: Option<String>,
    /// State of that rule; `draft` where there is none.
    pub state: String,
}

impl AlertGroupByBody {
    /// Returns the names of the fields.
    #[must_use]
    pub fn names(self) -> Vec<String> {
        match self {
            AlertGroupByBody::One(name) => vec![name],
            AlertGroupByBody::Many(names) => names,
        }
    }

    /// As it is answered: one field as a text, as requirement B-099 writes it.
    #[must_use]
    pub fn new(group_by: &GroupBy) -> Self {
        let mut names: Vec<String> = group_by.names().map(str::to_owned).collect();
        match names.len() {
            1 => AlertGroupByBody::One(names.remove(0)),
            _ => AlertGroupByBody::Many(names),
        }
    }
}

impl AlertThresholdBody {
    /// As it is answered.
    #[must_use]
    pub fn new(settings: &RuleSettings) -> Self {
        let window = settings.threshold.window().to_string();
        let distinct = settings.draft().distinct;
        AlertThresholdBody {
            count: u64::from(settings.threshold.count),
            window,
            distinct,
        }
    }
}

impl AlertRuleBody {
    /// As it is answered.
    #[must_use]
    pub fn new(rule: &AlertRule) -> Self {
        let settings = &rule.settings;
        let RuleSettings {
            name,
            description,
            condition,
            group_by,
            notification,
            severity,
            class,
            ..
        } = settings;

        AlertRuleBody {
            id: rule.id.0.clone(),
            name: name.clone(),
            description: description.clone(),
            condition: condition.clone(),
            threshold: AlertThresholdBody::new(settings),
            group_by: AlertGroupByBody::new(group_by),
            notification: AlertNotificationBody {
                channels: notification.channels.clone(),
                recipients: notification.recipients.clone(),
            },
            severity: (*severity).into(),
            class: class.map(Into::into),
            attack: settings
                .attack
                .iter()
                .map(|id| id.as_str().to_owned())
                .collect(),
            runbook: settings.runbook.clone(),
            degraded: None,
            state: rule.state.into(),
            silenced_until: rule.silenced_until.map(time::text),
            version: rule.version,
            created_by: rule.created_by.clone(),
            created_at: time::text(rule.created_at),
            updated_at: time::text(rule.updated_at),
        }
    }
}

impl AlertDegradedBody {
    /// As it is answered.
    #[must_use]
    pub fn new(degraded: &DegradedRule) -> Self {
        let (since, at) = (time::text(degraded.since), time::text(degraded.at));
        AlertDegradedBody {
            bound: degraded.by.as_str().to_owned(),
            since,
            at,
        }
    }
}

impl AlertRuleCreate {
    /// Converts to settings, which the caller checks.
    #[must_use]
    pub fn draft(self) -> RuleDraft {
        RuleDraft {
            name: self.name,
            description: self.description,
            condition: self.condition,
            count: self.threshold.count,
            window: self.threshold.window,
            group_by: self
                .group_by
                .map(AlertGroupByBody::names)
                .unwrap_or_default(),
            channels: self.notification.channels,
            recipients: self.notification.recipients,
            severity: self.severity.unwrap_or_else(|| "medium".to_owned()),
            class: self.class,
            distinct: self.threshold.distinct,
            attack: self.attack,
            runbook: self.runbook,
        }
    }
}

impl AlertRulePatch {
    /// The settings after the change, unchecked.
    #[must_use]
    pub fn applied(self, before: &AlertRule) -> RuleDraft {
        let mut draft = before.settings.draft();
        if let Some(threshold) = self.threshold {
            (draft.count, draft.window, draft.distinct) =
                (threshold.count, threshold.window, threshold.distinct);
        }
        if let Some(notification) = self.notification {
            (draft.channels, draft.recipients) = (notification.channels, notification.recipients);
        }
        if let Some(class) = self.class {
            draft.class = Some(class).filter(|class| !class.is_empty());
        }

        RuleDraft {
            name: self.name.unwrap_or(draft.name),
            description: self.description.unwrap_or(draft.description),
            condition: self.condition.unwrap_or(draft.condition),
            group_by: self
                .group_by
                .map_or(draft.group_by, AlertGroupByBody::names),
            severity: self.severity.unwrap_or(draft.severity),
            attack: self.attack.unwrap_or(draft.attack),
            runbook: self.runbook.or(draft.runbook),
            ..draft
        }
    }
}

/// State named in a request.
pub(crate) fn state(name: Option<&str>) -> Option<RuleState> {
    name.map_or(Some(RuleState::Enabled), RuleState::parse)
}
