//! Settings of a rule: from what was sent to what can be evaluated. Every failing field is named.

use reeve_audit::query::Query;
use reeve_audit::{FieldCode, FieldError, Severity};
use reeve_estate::TimeSpan;
use serde::{Deserialize, Serialize};

use crate::group::GroupBy;
use crate::mitre::AttackId;
use crate::rule::{AlertClass, Notification, RuleThreshold};

/// Largest threshold of entries.
pub const MAX_COUNT: u32 = 10_000;
/// Largest threshold of distinct values: each entry is compared with those of its window.
pub const MAX_DISTINCT: u32 = 1_000;
/// Longest window: 30 days.
pub const MAX_WINDOW_MS: i64 = 30 * 86_400_000;
/// Most fields that a rule groups by.
pub const MAX_GROUP_FIELDS: usize = 4;

const MAX_NAME: usize = 100;
const MAX_DESCRIPTION: usize = 2000;
const MAX_CHANNELS: usize = 20;
const MAX_RECIPIENTS: usize = 50;
const MAX_ADDRESS: usize = 254;
const MAX_ATTACK: usize = 20;
const MAX_RUNBOOK: usize = 500;

/// Settings as sent, before they are checked.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct RuleDraft {
    /// Name, 1 to 100 characters on one line.
    pub name: String,
    /// Explanation for readers, at most 2000 characters.
    pub description: String,
    /// Condition in the query language.
    pub condition: String,
    /// Threshold, 1 to [`MAX_COUNT`].
    pub count: u64,
    /// Window, `1s` to `30d`.
    pub window: String,
    /// Field whose distinct values are counted in place of entries.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub distinct: Option<String>,
    /// Fields of the query language, at most [`MAX_GROUP_FIELDS`].
    pub group_by: Vec<String>,
    /// Names of notification channels.
    pub channels: Vec<String>,
    /// E-mail addresses that replace a channel's own.
    pub recipients: Vec<String>,
    /// Name of the severity of firings.
    pub severity: String,
    /// One of the five classes, if any.
    pub class: Option<String>,
    /// Tactics and techniques of MITRE ATT&CK, at most 20.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub attack: Vec<String>,
    /// Address of the instructions for whoever is notified.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub runbook: Option<String>,
}

/// Settings that can be evaluated.
#[derive(Debug, Clone, PartialEq)]
pub struct RuleSettings {
    /// Name of the rule.
    pub name: String,
    /// Explanation for readers of a firing.
    pub description: String,
    /// Condition as its author wrote it.
    pub condition: String,
    /// Parsed form of `condition`.
    pub query: Query,
    /// Threshold of the rule.
    pub threshold: RuleThreshold,
    /// Field whose distinct values are counted in place of entries.
    pub distinct: Option<GroupBy>,
    /// Fields to group by.
    pub group_by: GroupBy,
    /// Channels and recipients of notices.
    pub notification: Notification,
    /// Severity of the firings.
    pub severity: Severity,
    /// One of the five classes, if any.
    pub class: Option<AlertClass>,
    /// Tactics and techniques of MITRE ATT&CK.
    pub attack: Vec<AttackId>,
    /// Address of the instructions for whoever is notified.
    pub runbook: Option<String>,
}

impl RuleSettings {
    /// Checks settings.
    ///
    /// # Errors
    /// Every failing field with a code and a reason. For the condition `offset` is the position in
    /// its text.
    pub fn read(draft: RuleDraft) -> Result<RuleSettings, Vec<FieldError>> {
        let mut errors = Vec::new();
        let name = draft.name.trim().to_owned();

        if name.is_empty() || name.chars().count() > MAX_NAME || name.contains(char::is_control) {
            errors.push(invalid(
                "name",
                format!("must have 1 to {MAX_NAME} characters on one line"),
            ));
        }

        if draft.description.chars().count() > MAX_DESCRIPTION {
            errors.push(invalid(
                "description",
                format!("may have at most {MAX_DESCRIPTION} characters"),
            ));
        }

        let query = take(condition(&draft.condition), &mut errors);
        let threshold = take(threshold(draft.count, &draft.window), &mut errors);
        let distinct = take(distinct(draft.distinct, draft.count), &mut errors);
        let group_by = take(GroupBy::read(&draft.group_by), &mut errors);
        let severity = take(
            draft
                .severity
                .parse::<Severity>()
                .map_err(|error| vec![invalid("severity", error.to_string())]),
            &mut errors,
        );

        let class = take(class(draft.class.as_deref()), &mut errors);
        let attack = take(attack(&draft.attack), &mut errors);
        let runbook = take(runbook(draft.runbook), &mut errors);
        check_receivers(&draft.channels, &draft.recipients, &mut errors);

        match (
            query,
            threshold.zip(distinct),
            group_by,
            severity,
            class,
            attack.zip(runbook),
        ) {
            (
                Some(query),
                Some((threshold, distinct)),
                Some(group_by),
                Some(severity),
                Some(class),
                Some((attack, runbook)),
            ) if errors.is_empty() => Ok(RuleSettings {
                name,
                description: draft.description,
                condition: draft.condition,
                query,
                threshold,
                distinct,
                group_by,
                notification: Notification {
                    channels: draft.channels,
                    recipients: draft.recipients,
                },
                severity,
                class,
                attack,
                runbook,
            }),
            _ => Err(errors),
        }
    }

    /// Returns the settings as they would be sent.
    #[must_use]
    pub fn draft(&self) -> RuleDraft {
        RuleDraft {
            name: self.name.clone(),
            description: self.description.clone(),
            condition: self.condition.clone(),
            count: u64::from(self.threshold.count),
            window: self.threshold.window().to_string(),
            distinct: self
                .distinct
                .as_ref()
                .and_then(|field| field.names().next())
                .map(str::to_owned),
            group_by: self.group_by.names().map(str::to_owned).collect(),
            channels: self.notification.channels.clone(),
            recipients: self.notification.recipients.clone(),
            severity: self.severity.as_str().to_owned(),
            class: self.class.map(|class| class.as_str().to_owned()),
            attack: self
                .attack
                .iter()
                .map(|id| id.as_str().to_owned())
                .collect(),
            runbook: self.runbook.clone(),
        }
    }

    /// Returns `true` if both settings count the same entries in the same way.
    #[must_use]
    pub fn counts_like(&self, other: &RuleSettings) -> bool {
        self.condition == other.condition
            && self.threshold == other.threshold
            && self.distinct == other.distinct
            && self.group_by == other.group_by
    }
}

fn take<T>(read: Result<T, Vec<FieldError>>, errors: &mut Vec<FieldError>) -> Option<T> {
    match read {
        Ok(value) => Some(value),
        Err(found) => {
            errors.extend(found);
            None
        }
    }
}

fn invalid(path: impl Into<String>, message: impl Into<String>) -> FieldError {
    FieldError::new(path, FieldCode::InvalidValue, message)
}

fn condition(text: &str) -> Result<Query, Vec<FieldError>> {
    if text.trim().is_empty() {
        return Err(vec![FieldError::new(
            "condition",
            FieldCode::MissingField,
            "must name the entries to count",
        )]);
    }
    // An intent and its outcome are one event: a threshold counts the outcome, unless the condition
    // asks for a status. Sources spell one operation differently: a rule about `DeleteSnapshot`
    // watches for `delete_snapshot` too.
    Query::parse(text)
        .map(Query::any_spelling)
        .map(Query::counting_outcomes)
        .map_err(|error| {
            let mut message = format!("{} (at position {})", error.message, error.position);
            if let Some(hint) = &error.hint {
                message.push_str(": ");
                message.push_str(hint);
            }
            vec![FieldError {
                offset: Some(error.position),
                ..FieldError::new("condition", FieldCode::InvalidQuery, message)
            }]
        })
}

fn threshold(count: u64, window: &str) -> Result<RuleThreshold, Vec<FieldError>> {
    let mut errors = Vec::new();
    let count = u32::try_from(count)
        .ok()
        .filter(|count| (1..=MAX_COUNT).contains(count));

    if count.is_none() {
        errors.push(invalid(
            "threshold.count",
            format!("must be 1 to {MAX_COUNT}"),
        ));
    }

    let window_ms = window
        .parse::<TimeSpan>()
        .ok()
        .and_then(|span| i64::try_from(span.seconds()).ok()?.checked_mul(1000))
        .filter(|ms| (1000..=MAX_WINDOW_MS).contains(ms));
    if window_ms.is_none() {
        errors.push(invalid(
            "threshold.window",
            "must be a duration from 1s to 30d, such as 5m",
        ));
    }

    match (count, window_ms) {
        (Some(count), Some(window_ms)) => Ok(RuleThreshold { count, window_ms }),
        _ => Err(errors),
    }
}

fn distinct(field: Option<String>, count: u64) -> Result<Option<GroupBy>, Vec<FieldError>> {
    let Some(field) = field.filter(|field| !field.is_empty()) else {
        return Ok(None);
    };

    if count < 2 || count > u64::from(MAX_DISTINCT) {
        return Err(vec![invalid(
            "threshold.count",
            format!("must be 2 to {MAX_DISTINCT} with distinct values"),
        )]);
    }

    let renamed = |error: FieldError| FieldError {
        path: "threshold.distinct".to_owned(),
        ..error
    };

    GroupBy::read(&[field])
        .map(Some)
        .map_err(|errors| errors.into_iter().map(renamed).collect())
}

fn attack(ids: &[String]) -> Result<Vec<AttackId>, Vec<FieldError>> {
    if ids.len() > MAX_ATTACK {
        return Err(vec![invalid(
            "attack",
            format!("may name at most {MAX_ATTACK}"),
        )]);
    }

    let message = "must be a tactic or technique of MITRE ATT&CK, such as TA0006 or T1110.003";
    let read = |(at, id): (usize, &String)| {
        AttackId::parse(id).ok_or_else(|| vec![invalid(format!("attack[{at}]"), message)])
    };

    ids.iter().enumerate().map(read).collect()
}

fn runbook(address: Option<String>) -> Result<Option<String>, Vec<FieldError>> {
    let Some(address) = address.filter(|address| !address.is_empty()) else {
        return Ok(None);
    };

    let is_web = address.starts_with("https://") || address.starts_with("http://");
    if !is_web
        || address.len() > MAX_RUNBOOK
        || address.contains(|c: char| c.is_control() || c.is_whitespace())
    {
        let message = format!(
            "must be an address that begins with https:// or http://, of at most {MAX_RUNBOOK} bytes"
        );
        return Err(vec![invalid("runbook", message)]);
    }

    Ok(Some(address))
}

fn class(name: Option<&str>) -> Result<Option<AlertClass>, Vec<FieldError>> {
    let Some(name) = name else { return Ok(None) };
    let names = || {
        AlertClass::ALL
            .iter()
            .map(|class| class.as_str())
            .collect::<Vec<_>>()
            .join(", ")
    };

    AlertClass::parse(name)
        .map(Some)
        .ok_or_else(|| vec![invalid("class", format!("must be one of {}", names()))])
}

fn check_receivers(channels: &[String], recipients: &[String], errors: &mut Vec<FieldError>) {
    if channels.len() > MAX_CHANNELS {
        errors.push(invalid(
            "notification.channels",
            format!("may name at most {MAX_CHANNELS}"),
        ));
    }

    for (at, channel) in channels.iter().enumerate() {
        if channel.trim().is_empty()
            || channel.len() > MAX_ADDRESS
            || channel.contains(char::is_control)
        {
            errors.push(invalid(
                format!("notification.channels[{at}]"),
                "must be a type of channels, webhook, or the name of a channel",
            ));
        }
    }

    if recipients.len() > MAX_RECIPIENTS {
        errors.push(invalid(
            "notification.recipients",
            format!("may name at most {MAX_RECIPIENTS}"),
        ));
    }

    for (at, address) in recipients.iter().enumerate() {
        if !is_mail_address(address) {
            errors.push(invalid(
                format!("notification.recipients[{at}]"),
                "must be an e-mail address",
            ));
        }
    }
}

/// Returns `true` for a plain address: no display name, no line break that could add a header.
fn is_mail_address(text: &str) -> bool {
    let plain =
        text.len() <= MAX_ADDRESS && !text.contains(|c: char| c.is_control() || c.is_whitespace());
    let parts = text.rsplit_once('@');
    plain
        && !text.contains(['<', '>', ',', ';', '"'])
        && parts.is_some_and(|(local, domain)| {
            !local.is_empty()
                && !local.contains('@')
                && !domain.is_empty()
                && !domain.starts_with('.')
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn draft() -> RuleDraft {
        RuleDraft {
            name: "Multiple failed logins".into(),
            condition: "event_type:authentication.login AND status:failed".into(),
            count: 5,
            window: "5m".into(),
            group_by: vec!["actor.email".into()],
            channels: vec!["email".into(), "slack".into()],
            recipients: vec!["security@company.example".into()],
            severity: "high".into(),
            attack: vec!["TA0006".into(), "T1110.001".into()],
            runbook: Some("https://runbooks.acme.example/logins".into()),
            ..RuleDraft::default()
        }
    }

    #[test]
    fn the_rule_of_the_specification_is_read_and_answered_as_sent() {
        let settings = RuleSettings::read(draft());
        assert_eq!(settings.as_ref().map(RuleSettings::draft), Ok(draft()));
        assert!(settings.is_ok_and(|settings| settings.counts_like(&settings)));
    }

    #[test]
    fn every_failing_field_is_named() {
        type Spoil = fn(&mut RuleDraft);
        let cases: [(&str, Spoil); 19] = [
            ("name", |draft| draft.name = " ".into()),
            ("name", |draft| draft.name = "a\r\nb".into()),
            ("description", |draft| draft.description = "x".repeat(2001)),
            ("condition", |draft| draft.condition = " ".into()),
            ("condition", |draft| {
                draft.condition = "stauts:failed".into()
            }),
            ("threshold.count", |draft| draft.count = 0),
            ("threshold.count", |draft| draft.count = 10_001),
            ("threshold.window", |draft| draft.window = "5".into()),
            ("threshold.window", |draft| draft.window = "31d".into()),
            ("group_by[0]", |draft| {
                draft.group_by = vec!["timestamp".into()]
            }),
            ("severity", |draft| draft.severity = "grave".into()),
            ("class", |draft| draft.class = Some("other".into())),
            ("notification.recipients[0]", |draft| {
                draft.recipients = vec!["a@b.example\r\nBcc: c@d.example".into()]
            }),
            ("notification.channels[1]", |draft| {
                draft.channels = vec!["email".into(), " ".into()]
            }),
            ("threshold.distinct", |draft| {
                draft.distinct = Some("timestamp".into())
            }),
            ("threshold.count", |draft| {
                (draft.distinct, draft.count) = (Some("user".into()), 1)
            }),
            ("threshold.count", |draft| {
                (draft.distinct, draft.count) = (Some("user".into()), 1_001)
            }),
            ("attack[1]", |draft| {
                draft.attack = vec!["T1110".into(), "brute force".into()]
            }),
            ("runbook", |draft| {
                draft.runbook = Some("javascript:alert(1)".into())
            }),
        ];

        for (field, spoil) in cases {
            let mut draft = draft();
            spoil(&mut draft);
            let errors = RuleSettings::read(draft).err().unwrap_or_default();
            assert_eq!(
                errors
                    .iter()
                    .map(|error| error.path.as_str())
                    .collect::<Vec<_>>(),
                [field]
            );
        }

        let all = RuleSettings::read(RuleDraft::default())
            .err()
            .unwrap_or_default();
        let fields: Vec<_> = all.iter().map(|error| error.path.as_str()).collect();
        assert_eq!(
            fields,
            [
                "name",
                "condition",
                "threshold.count",
                "threshold.window",
                "severity"
            ]
        );

        let wrong = RuleSettings::read(RuleDraft {
            condition: "status:ok OR usr:x".into(),
            ..draft()
        });
        let error = wrong.err().and_then(|mut errors| errors.pop());
        assert!(error.is_some_and(|error| error.offset.is_some() && error.code == "invalid_query"));
    }
}
