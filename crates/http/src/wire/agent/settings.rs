//! Settings of an agent on the wire: nested as in, values in their spelling
//! (`20%`, `14d`, `true`).

use std::collections::BTreeMap;

use reeve_audit::{FieldCode, FieldError};
use reeve_recommend::agent::settings::{AgentSetting, AgentSettings, SettingValue};
use serde::Serialize;
use serde_json::{Map, Value};
use utoipa::ToSchema;

/// A setting that agents of a type have.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct SettingBody {
    /// Path in the agent's `settings` (`downsize_underutilized.cpu_below`).
    pub path: String,
    /// Effect of the setting, one sentence.
    pub description: String,
    /// Value unless another is set: `20%`, `14d`, `true`, `Owner, CostCenter`.
    #[schema(value_type = serde_json::Value)]
    pub default: Value,
    /// Lowest value; absent for flags and names.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub minimum: Option<String>,
    /// Highest value; absent for flags and names.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub maximum: Option<String>,
    /// Names to choose from, of which several are separated by commas; absent where names are
    /// free.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub choices: Vec<&'static str>,
}

impl From<&AgentSetting> for SettingBody {
    fn from(setting: &AgentSetting) -> Self {
        let limit = |value: f64| match &setting.default {
            SettingValue::Percent(_) => Some(format!("{value}%")),
            SettingValue::Days(_) => Some(format!("{value}d")),
            SettingValue::Minutes(_) => Some(format!("{value}m")),
            SettingValue::Count(_) => Some(value.to_string()),
            SettingValue::Flag(_) | SettingValue::Names(_) => None,
        };
        SettingBody {
            path: setting.path.to_owned(),
            description: setting.description.to_owned(),
            default: value(&setting.default),
            minimum: limit(setting.range.0),
            maximum: limit(setting.range.1),
            choices: setting.choices.to_vec(),
        }
    }
}

/// A value as JSON: flags as booleans, everything else as text.
fn value(value: &SettingValue) -> Value {
    match value {
        SettingValue::Flag(flag) => Value::Bool(*flag),
        SettingValue::Percent(_)
        | SettingValue::Days(_)
        | SettingValue::Minutes(_)
        | SettingValue::Count(_)
        | SettingValue::Names(_) => Value::String(value.to_string()),
    }
}

/// The settings that hold for an agent, defaults included, nested by their paths.
#[must_use]
pub(crate) fn nested(known: &[AgentSetting], settings: &AgentSettings) -> Value {
    let mut root = Map::new();
    for setting in known {
        let path: Vec<&str> = setting.path.split('.').collect();
        insert(&mut root, &path, value(&settings.get(setting)));
    }
    Value::Object(root)
}

fn insert(here: &mut Map<String, Value>, path: &[&str], value: Value) {
    match path {
        [] => {}
        [name] => drop(here.insert((*name).to_owned(), value)),
        [name, rest @ ..] => {
            let inner = here
                .entry(*name)
                .or_insert_with(|| Value::Object(Map::new()));
            if let Value::Object(inner) = inner {
                insert(inner, rest, value);
            }
        }
    }
}

/// Given settings by path; nested objects and dotted names say the same, `null` takes a setting
/// back to its default.
///
/// # Errors
/// Every field whose value is neither a text, a number, a flag, null nor an object.
pub(crate) fn flattened(
    given: Option<&Map<String, Value>>,
) -> Result<BTreeMap<String, Option<String>>, Vec<FieldError>> {
    let mut found = BTreeMap::new();
    let mut errors = Vec::new();
    for (name, value) in given.into_iter().flatten() {
        flatten(name, value, &mut found, &mut errors);
    }

    if errors.is_empty() {
        Ok(found)
    } else {
        Err(errors)
    }
}

fn flatten(
    path: &str,
    value: &Value,
    found: &mut BTreeMap<String, Option<String>>,
    errors: &mut Vec<FieldError>,
) {
    match value {
        Value::Null => drop(found.insert(path.to_owned(), None)),
        Value::Bool(flag) => drop(found.insert(path.to_owned(), Some(flag.to_string()))),
        Value::Number(number) => drop(found.insert(path.to_owned(), Some(number.to_string()))),
        Value::String(text) => drop(found.insert(path.to_owned(), Some(text.clone()))),
        Value::Object(inner) => {
            for (name, value) in inner {
                flatten(&format!("{path}.{name}"), value, found, errors);
            }
        }
        Value::Array(_) => {
            errors.push(FieldError::new(
                format!("settings.{path}"),
                FieldCode::WrongType,
                "must be one value, not a list",
            ));
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn what_is_answered_is_accepted() {
        let known: Vec<AgentSetting> = sample();
        let shown = nested(&known, &AgentSettings::default());
        let given = flattened(shown.as_object()).unwrap();
        assert_eq!(given.len(), known.len());

        let taken = AgentSettings::default().overlay(&known, &given).unwrap();
        assert_eq!(nested(&known, &taken), shown);
        assert_eq!(shown["shrink"]["cpu_below"], "20%");
        assert_eq!(shown["on"], true);

        let errors =
            flattened(serde_json::json!({"shrink": {"window": ["1d"]}}).as_object()).unwrap_err();
        assert_eq!(errors[0].path, "settings.shrink.window");
    }

    fn sample() -> Vec<AgentSetting> {
        let setting = |path, default| AgentSetting {
            path,
            description: "",
            default,
            range: (0.0, 100.0),
            choices: &[],
        };
        vec![
            setting("shrink.cpu_below", SettingValue::Percent(20.0)),
            setting("shrink.window", SettingValue::Days(14)),
            setting("on", SettingValue::Flag(true)),
            setting(
                "tags",
                SettingValue::Names(vec!["Owner".to_owned(), "CostCenter=4711".to_owned()]),
            ),
        ]
    }
}
