//! Rules that ship with Reeve: data, checked like any other rule.

use serde::Deserialize;

use crate::settings::{RuleDraft, RuleSettings};

const TEXT: &str = include_str!("ready.toml");

/// A rule that ships with Reeve.
#[derive(Debug, Clone, PartialEq)]
pub struct ReadyRule {
    /// Name that stays the same across releases.
    pub key: String,
    /// `true` if it is enabled when Reeve is installed, because it watches Reeve itself.
    pub is_enabled_at_first: bool,
    /// Settings of the rule.
    pub settings: RuleSettings,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    rule: Vec<Row>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Row {
    key: String,
    #[serde(default)]
    enabled: bool,
    class: String,
    name: String,
    description: String,
    condition: String,
    count: u64,
    window: String,
    group_by: Vec<String>,
    severity: String,
    distinct: Option<String>,
    #[serde(default)]
    attack: Vec<String>,
    runbook: Option<String>,
}

/// Returns the rules that ship with Reeve. A test holds that all of them can be read.
#[must_use]
pub fn ready_rules() -> Vec<ReadyRule> {
    let rows = toml::from_str::<File>(TEXT)
        .map(|file| file.rule)
        .unwrap_or_default();
    rows.into_iter().filter_map(read).collect()
}

fn read(row: Row) -> Option<ReadyRule> {
    let draft = RuleDraft {
        name: row.name,
        description: row.description,
        condition: row.condition,
        count: row.count,
        window: row.window,
        group_by: row.group_by,
        severity: row.severity,
        class: Some(row.class),
        distinct: row.distinct,
        attack: row.attack,
        runbook: row.runbook,
        ..RuleDraft::default()
    };
    RuleSettings::read(draft).ok().map(|settings| ReadyRule {
        key: row.key,
        is_enabled_at_first: row.enabled,
        settings,
    })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::rule::AlertClass;

    #[test]
    fn every_rule_can_be_read_and_every_class_has_one() {
        let written = toml::from_str::<File>(TEXT).unwrap().rule.len();
        let rules = ready_rules();
        assert_eq!(rules.len(), written);

        let keys: BTreeSet<_> = rules.iter().map(|rule| rule.key.as_str()).collect();
        let names: BTreeSet<_> = rules
            .iter()
            .map(|rule| rule.settings.name.as_str())
            .collect();
        assert_eq!((keys.len(), names.len()), (written, written));

        for rule in &rules {
            let is_about_reeve = rule.key.starts_with("reeve-");
            assert_eq!(rule.is_enabled_at_first, is_about_reeve, "{}", rule.key);
        }

        for class in AlertClass::ALL {
            assert!(
                rules.iter().any(|rule| rule.settings.class == Some(*class)),
                "{class:?}"
            );
        }
    }
}
