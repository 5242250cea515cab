//! Settings of an agent type: thresholds and windows of, typed, with
//! their limits and defaults.
//!
//! An agent keeps only the values that a person set; [`AgentSettings::get`] answers the default
//! otherwise, so that a better default reaches every agent that nobody configured differently.

pub mod alert;

use std::collections::BTreeMap;
use std::fmt;

use reeve_audit::{FieldCode, FieldError};
use serde::{Deserialize, Serialize};

/// Value of a setting.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "StoredValue", into = "StoredValue")]
pub enum SettingValue {
    /// A percentage, written as `20%`.
    Percent(f64),
    /// A number of days, written as `14d`.
    Days(u32),
    /// A number of minutes, written as `90m`; `2h` is read too.
    Minutes(u32),
    /// A number of things, written `3`.
    Count(u32),
    /// A flag, `true` or `false`.
    Flag(bool),
    /// Names, written `Owner, CostCenter`.
    Names(Vec<String>),
}

/// Stored form of a value: the text of its form, or a list of names.
#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum StoredValue {
    Text(String),
    Names(Vec<String>),
}

impl From<SettingValue> for StoredValue {
    fn from(value: SettingValue) -> Self {
        match value {
            SettingValue::Names(names) => StoredValue::Names(names),
            other => StoredValue::Text(other.to_string()),
        }
    }
}

/// A stored text that has the form of no setting.
#[derive(Debug, thiserror::Error)]
#[error("{0:?} has the form of no setting")]
struct UnknownForm(String);

impl TryFrom<StoredValue> for SettingValue {
    type Error = UnknownForm;

    fn try_from(value: StoredValue) -> Result<Self, UnknownForm> {
        match value {
            StoredValue::Text(text) => SettingValue::parse(&text).ok_or(UnknownForm(text)),
            StoredValue::Names(names) => Ok(SettingValue::Names(names)),
        }
    }
}

impl fmt::Display for SettingValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SettingValue::Percent(percent) => write!(f, "{percent}%"),
            SettingValue::Days(days) => write!(f, "{days}d"),
            SettingValue::Minutes(minutes) => write!(f, "{minutes}m"),
            SettingValue::Count(count) => write!(f, "{count}"),
            SettingValue::Flag(flag) => write!(f, "{flag}"),
            SettingValue::Names(names) => f.write_str(&names.join(", ")),
        }
    }
}

impl SettingValue {
    /// Reads a value by its form; `None` for a text that has none of the forms. Names have none of
    /// their own ([`SettingValue::names`]).
    #[must_use]
    pub fn parse(text: &str) -> Option<SettingValue> {
        let text = text.trim();
        match text {
            "true" => return Some(SettingValue::Flag(true)),
            "false" => return Some(SettingValue::Flag(false)),
            _ => {}
        }

        if let Some(days) = text.strip_suffix('d') {
            return days.parse().ok().map(SettingValue::Days);
        }
        if let Some(minutes) = text.strip_suffix('m') {
            return minutes.parse().ok().map(SettingValue::Minutes);
        }
        if let Some(hours) = text.strip_suffix('h') {
            let hours: u32 = hours.parse().ok()?;
            return hours.checked_mul(60).map(SettingValue::Minutes);
        }
        if let Ok(count) = text.parse() {
            return Some(SettingValue::Count(count));
        }

        let percent: f64 = text.strip_suffix('%')?.trim_end().parse().ok()?;
        percent
            .is_finite()
            .then_some(SettingValue::Percent(percent))
    }

    /// Reads names that commas separate.
    #[must_use]
    pub fn names(text: &str) -> SettingValue {
        SettingValue::Names(
            text.split(',')
                .map(str::trim)
                .filter(|name| !name.is_empty())
                .map(str::to_owned)
                .collect(),
        )
    }
}

/// Longest name, in characters.
const LONGEST_NAME: usize = 256;

fn is_name(name: &str) -> bool {
    name.chars().count() <= LONGEST_NAME && !name.chars().any(char::is_control)
}

/// A setting that an agent type has.
#[derive(Debug, Clone, PartialEq)]
pub struct AgentSetting {
    /// Path below `settings` (`downsize_underutilized.cpu_below`).
    pub path: &'static str,
    /// Effect of the setting, one sentence.
    pub description: &'static str,
    /// Value unless a person sets another; every value has its form.
    pub default: SettingValue,
    /// Lowest and highest value of percentages, days, minutes and counts, and number of names.
    pub range: (f64, f64),
    /// Names to choose from; empty where names are free.
    pub choices: &'static [&'static str],
}

impl AgentSetting {
    fn is_choice(&self, name: &str) -> bool {
        let is_among = self
            .choices
            .iter()
            .any(|choice| choice.eq_ignore_ascii_case(name));
        is_name(name) && (self.choices.is_empty() || is_among)
    }

    /// Checks a value given for this setting.
    ///
    /// # Errors
    /// The field `settings.<path>`, with the form and the limits that hold.
    pub fn check(&self, text: &str) -> Result<SettingValue, FieldError> {
        let within = |value: f64| (self.range.0..=self.range.1).contains(&value);
        let parsed = match self.default {
            SettingValue::Names(_) => Some(SettingValue::names(text)),
            _ => SettingValue::parse(text),
        };
        let (low, high) = self.range;
        let fits = match (&self.default, &parsed) {
            (SettingValue::Percent(_), Some(SettingValue::Percent(value))) => within(*value),
            (SettingValue::Days(_), Some(SettingValue::Days(value)))
            | (SettingValue::Minutes(_), Some(SettingValue::Minutes(value)))
            | (SettingValue::Count(_), Some(SettingValue::Count(value))) => {
                within(f64::from(*value))
            }
            (SettingValue::Flag(_), Some(SettingValue::Flag(_))) => true,
            (SettingValue::Names(_), Some(SettingValue::Names(names))) => {
                within(names.len() as f64) && names.iter().all(|name| self.is_choice(name))
            }
            _ => false,
        };

        if let Some(value) = parsed.filter(|_| fits) {
            return Ok(value);
        }

        let message = match &self.default {
            SettingValue::Percent(_) => format!(
                "must be a percentage from {low}% to {high}%, as in {}",
                self.default
            ),
            SettingValue::Days(_) => format!(
                "must be a number of days from {low}d to {high}d, as in {}",
                self.default
            ),
            SettingValue::Minutes(_) => format!(
                "must be a number of minutes from {low}m to {high}m, as in {}",
                self.default
            ),
            SettingValue::Count(_) => format!(
                "must be a number from {low} to {high}, as in {}",
                self.default
            ),
            SettingValue::Flag(_) => "must be true or false".to_owned(),
            SettingValue::Names(_) if !self.choices.is_empty() => {
                format!("must be names of {}", self.choices.join(", "))
            }
            SettingValue::Names(_) => {
                format!(
                    "must be {low} to {high} names of at most {LONGEST_NAME} characters, as in Owner, CostCenter"
                )
            }
        };

        Err(FieldError::new(
            format!("settings.{}", self.path),
            FieldCode::InvalidValue,
            message,
        ))
    }
}

/// Values that a person set for an agent, by path.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct AgentSettings(pub BTreeMap<String, SettingValue>);

impl AgentSettings {
    /// Returns `true` if every setting has its default.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The value of a setting: the one that was set, else the default.
    #[must_use]
    pub fn get(&self, setting: &AgentSetting) -> SettingValue {
        self.0
            .get(setting.path)
            .cloned()
            .unwrap_or_else(|| setting.default.clone())
    }

    /// The value of a setting that is a percentage.
    #[must_use]
    pub fn percent(&self, setting: &AgentSetting) -> f64 {
        match (self.get(setting), setting.default.clone()) {
            (SettingValue::Percent(value), _) | (_, SettingValue::Percent(value)) => value,
            _ => 0.0,
        }
    }

    /// The value of a setting that is a number of days.
    #[must_use]
    pub fn days(&self, setting: &AgentSetting) -> i64 {
        match (self.get(setting), setting.default.clone()) {
            (SettingValue::Days(value), _) | (_, SettingValue::Days(value)) => i64::from(value),
            _ => 0,
        }
    }

    /// The value of a setting that is a number of minutes.
    #[must_use]
    pub fn minutes(&self, setting: &AgentSetting) -> i64 {
        match (self.get(setting), setting.default.clone()) {
            (SettingValue::Minutes(value), _) | (_, SettingValue::Minutes(value)) => {
                i64::from(value)
            }
            _ => 0,
        }
    }

    /// The value of a setting that is a number of things.
    #[must_use]
    pub fn count(&self, setting: &AgentSetting) -> u64 {
        match (self.get(setting), setting.default.clone()) {
            (SettingValue::Count(value), _) | (_, SettingValue::Count(value)) => u64::from(value),
            _ => 0,
        }
    }

    /// The value of a setting that is a flag.
    #[must_use]
    pub fn flag(&self, setting: &AgentSetting) -> bool {
        match (self.get(setting), setting.default.clone()) {
            (SettingValue::Flag(value), _) | (_, SettingValue::Flag(value)) => value,
            _ => false,
        }
    }

    /// The value of a setting that is a list of names.
    #[must_use]
    pub fn names(&self, setting: &AgentSetting) -> Vec<String> {
        match (self.get(setting), setting.default.clone()) {
            (SettingValue::Names(names), _) | (_, SettingValue::Names(names)) => names,
            _ => Vec::new(),
        }
    }

    /// Lays given texts over these values; `None` takes a value back to its default.
    ///
    /// # Errors
    /// Every failing field, unknown settings among them.
    pub fn overlay(
        &self,
        known: &[AgentSetting],
        given: &BTreeMap<String, Option<String>>,
    ) -> Result<AgentSettings, Vec<FieldError>> {
        let mut next = self.clone();
        let mut errors = Vec::new();

        for (path, text) in given {
            let Some(setting) = known.iter().find(|setting| setting.path == path) else {
                let names: Vec<&str> = known.iter().map(|setting| setting.path).collect();
                let message = match names.is_empty() {
                    true => "agents of this type have no settings".to_owned(),
                    false => format!("unknown setting; this agent type has {}", names.join(", ")),
                };
                errors.push(FieldError::new(
                    format!("settings.{path}"),
                    FieldCode::UnknownField,
                    message,
                ));
                continue;
            };
            match text.as_deref().map(|text| setting.check(text)).transpose() {
                Ok(Some(value)) => drop(next.0.insert(path.clone(), value)),
                Ok(None) => drop(next.0.remove(path)),
                Err(error) => errors.push(error),
            }
        }

        if errors.is_empty() {
            Ok(next)
        } else {
            Err(errors)
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    const BELOW: AgentSetting = AgentSetting {
        path: "shrink.cpu_below",
        description: "",
        default: SettingValue::Percent(20.0),
        range: (1.0, 60.0),
        choices: &[],
    };
    const WINDOW: AgentSetting = AgentSetting {
        path: "shrink.window",
        description: "",
        default: SettingValue::Days(14),
        range: (7.0, 30.0),
        choices: &[],
    };
    const ON: AgentSetting = AgentSetting {
        path: "on",
        description: "",
        default: SettingValue::Flag(true),
        range: (0.0, 0.0),
        choices: &[],
    };

    fn given(pairs: &[(&str, Option<&str>)]) -> BTreeMap<String, Option<String>> {
        pairs
            .iter()
            .map(|(path, text)| ((*path).to_owned(), text.map(str::to_owned)))
            .collect()
    }

    #[test]
    fn set_values_hold_and_null_gives_the_default_back() {
        let known = [BELOW, WINDOW, ON];
        let set = given(&[
            ("shrink.cpu_below", Some("35.5%")),
            ("shrink.window", Some("21d")),
            ("on", Some("false")),
        ]);
        let settings = AgentSettings::default().overlay(&known, &set).unwrap();
        assert_eq!(
            (
                settings.percent(&BELOW),
                settings.days(&WINDOW),
                settings.flag(&ON)
            ),
            (35.5, 21, false)
        );

        for value in settings.0.values() {
            assert_eq!(
                SettingValue::parse(&value.to_string()),
                Some(value.clone()),
                "{value} reads back"
            );
        }

        let settings = settings
            .overlay(&known, &given(&[("shrink.cpu_below", None)]))
            .unwrap();
        assert_eq!(
            (settings.percent(&BELOW), settings.days(&WINDOW)),
            (20.0, 21)
        );
    }

    #[test]
    fn minutes_are_read_as_hours_too_and_bounded() {
        let hold = AgentSetting {
            path: "rewind.hold",
            description: "Time between two changes",
            default: SettingValue::Minutes(30),
            range: (5.0, 240.0),
            choices: &[],
        };
        assert_eq!(hold.check("90m").unwrap(), SettingValue::Minutes(90));
        assert_eq!(hold.check("2h").unwrap(), SettingValue::Minutes(120));
        assert_eq!(SettingValue::Minutes(120).to_string(), "120m");
        for wrong in ["4m", "5h", "30", "1d", "99999999999h"] {
            let error = hold.check(wrong).unwrap_err();
            assert!(
                error.message.contains("from 5m to 240m"),
                "{wrong}: {error:?}"
            );
        }
        assert_eq!(AgentSettings::default().minutes(&hold), 30);
    }

    #[test]
    fn names_are_separated_by_commas_and_bounded() {
        const TAGS: AgentSetting = AgentSetting {
            path: "tags",
            description: "",
            default: SettingValue::Names(Vec::new()),
            range: (0.0, 2.0),
            choices: &[],
        };

        let names =
            |text: &str| AgentSettings::default().overlay(&[TAGS], &given(&[("tags", Some(text))]));
        assert_eq!(
            names(" Owner , CostCenter=4711,").unwrap().names(&TAGS),
            ["Owner", "CostCenter=4711"]
        );
        assert_eq!(
            names("14d").unwrap().names(&TAGS),
            ["14d"],
            "a name may look like a number of days"
        );
        assert_eq!(names("").unwrap().names(&TAGS), Vec::<String>::new());

        let wrong = names("a, b, c").unwrap_err();
        assert_eq!(
            (wrong[0].path.as_str(), names("a\u{7}b").is_err()),
            ("settings.tags", true)
        );

        let colors = AgentSetting {
            path: "colors",
            choices: &["red", "green"],
            ..TAGS
        };
        let chosen = |text: &str| colors.check(text);
        assert!(chosen("Red, green").is_ok() && chosen("").is_ok());
        let refused = chosen("red, blue").unwrap_err();
        assert!(refused.message.contains("red, green"), "{refused}");
    }

    #[test]
    fn every_wrong_setting_is_named() {
        let wrong = given(&[
            ("shrink.cpu_below", Some("61%")),
            ("shrink.window", Some("14%")),
            ("on", Some("perhaps")),
            ("shrink.speed", Some("3d")),
        ]);

        let errors = AgentSettings::default()
            .overlay(&[BELOW, WINDOW, ON], &wrong)
            .unwrap_err();
        let paths: Vec<&str> = errors.iter().map(|error| error.path.as_str()).collect();
        assert_eq!(
            paths,
            [
                "settings.on",
                "settings.shrink.cpu_below",
                "settings.shrink.speed",
                "settings.shrink.window"
            ]
        );

        assert!(
            errors[1].message.contains("from 1% to 60%"),
            "{}",
            errors[1].message
        );

        for text in ["NaN%", "inf%", "-5%", "20", "%", "d", "-1d", "1.5d"] {
            assert!(
                BELOW.check(text).is_err() && WINDOW.check(text).is_err(),
                "{text}"
            );
        }
    }
}
