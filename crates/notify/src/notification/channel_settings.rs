//! Settings of a channel, read by the table of channel types.

use std::fmt;

use reeve_audit::FieldCode;
use serde::de::Error as _;
use serde::ser::SerializeMap as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Map, Value};

use super::channel_type::{ChannelField, ChannelKind, FieldForm, Required};

/// Settings of a channel, without its secret: values of the fields that its type has.
///
/// Their stored form is a map with `kind` and every field of the type, `null` where a setting is
/// absent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChannelSettings {
    kind: ChannelKind,
    values: Vec<(&'static str, Option<ChannelValue>)>,
}

/// Value of a setting.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum ChannelValue {
    Text(String),
    Port(u16),
    List(Vec<String>),
}

/// A setting or secret that cannot be taken.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{field}: {message}")]
pub struct ChannelFault {
    /// Name of the setting (`settings.host`), or `secret`.
    pub field: String,
    /// Code of a wrong field.
    pub code: FieldCode,
    pub message: String,
}

impl ChannelFault {
    /// Creates the fault of a setting.
    #[must_use]
    pub fn setting(name: &str, code: FieldCode, message: impl Into<String>) -> ChannelFault {
        ChannelFault {
            field: format!("settings.{name}"),
            code,
            message: message.into(),
        }
    }

    /// Creates the fault of a setting whose value cannot be taken.
    #[must_use]
    pub fn value(name: &str, message: impl Into<String>) -> ChannelFault {
        ChannelFault::setting(name, FieldCode::InvalidValue, message)
    }

    /// Creates the fault of a secret that cannot be taken.
    #[must_use]
    pub fn secret(message: impl Into<String>) -> ChannelFault {
        ChannelFault {
            field: "secret".to_owned(),
            code: FieldCode::InvalidValue,
            message: message.into(),
        }
    }
}

impl ChannelSettings {
    /// Reads settings as a caller gave them; an absent one takes its default, `null` is absent.
    /// Addresses are judged later, by the policy of the program that sends.
    ///
    /// # Errors
    /// A setting is of another type of channel, of a wrong JSON type, not one of the choices, or is
    /// required and absent.
    ///
    /// ```
    /// use reeve_notify::notification::{ChannelKind, ChannelSettings};
    ///
    /// let given = serde_json::json!({ "url": "https://events.eu.pagerduty.com/v2/enqueue" });
    /// let given = given.as_object().cloned().unwrap_or_default();
    /// assert!(ChannelSettings::parse(ChannelKind::Pagerduty, &given).is_ok());
    ///
    /// let fault = ChannelSettings::parse(ChannelKind::Slack, &given).unwrap_err();
    /// assert_eq!((fault.field.as_str(), fault.code.as_str()), ("settings.url", "unknown_field"));
    /// ```
    pub fn parse(
        kind: ChannelKind,
        given: &Map<String, Value>,
    ) -> Result<ChannelSettings, ChannelFault> {
        let row = kind.row();
        let is_of_a_type =
            |name: &str| (ChannelKind::ALL.iter()).any(|kind| kind.row().setting(name).is_some());
        // A client that knows the fields of all types may send those of the others as `null`.
        let unknown = given.iter().find(|(name, value)| {
            row.setting(name).is_none() && !(value.is_null() && is_of_a_type(name))
        });
        if let Some((name, _)) = unknown {
            let message = format!("is not a setting of a channel of type {kind}");
            return Err(ChannelFault::setting(
                name,
                FieldCode::UnknownField,
                message,
            ));
        }

        ChannelSettings::of_known(kind, given)
    }

    fn of_known(
        kind: ChannelKind,
        given: &Map<String, Value>,
    ) -> Result<ChannelSettings, ChannelFault> {
        let mut values = Vec::new();
        for field in kind.row().settings {
            let value = match given.get(field.name) {
                None | Some(Value::Null) => default(field, given),
                Some(Value::String(text))
                    if text.is_empty() && field.required != Required::Always =>
                {
                    default(field, given)
                }
                Some(value) => Some(read(field, value)?),
            };
            if value.is_none() && field.required == Required::Always {
                return Err(ChannelFault::setting(
                    field.name,
                    FieldCode::MissingField,
                    "is needed",
                ));
            }
            values.push((field.name, value));
        }

        Ok(ChannelSettings { kind, values })
    }

    /// Returns the channel type.
    #[must_use]
    pub const fn kind(&self) -> ChannelKind {
        self.kind
    }

    /// Returns the settings that are given, in the order of the table.
    pub fn given(&self) -> impl Iterator<Item = (&'static str, &ChannelValue)> {
        self.values
            .iter()
            .filter_map(|(name, value)| Some((*name, value.as_ref()?)))
    }

    /// Returns a setting; `None` if it is absent.
    #[must_use]
    pub fn value(&self, name: &str) -> Option<&ChannelValue> {
        self.given()
            .find(|(found, _)| *found == name)
            .map(|(_, value)| value)
    }

    /// Returns a setting that is a text; empty if it is absent.
    #[must_use]
    pub fn text(&self, name: &str) -> &str {
        match self.value(name) {
            Some(ChannelValue::Text(text)) => text,
            _ => "",
        }
    }

    /// Returns a setting that is a list; empty if it is absent.
    #[must_use]
    pub fn list(&self, name: &str) -> &[String] {
        match self.value(name) {
            Some(ChannelValue::List(list)) => list,
            _ => &[],
        }
    }

    /// Returns a setting that is a port; 0, which is none, if it is absent.
    #[must_use]
    pub fn port(&self, name: &str) -> u16 {
        match self.value(name) {
            Some(ChannelValue::Port(port)) => *port,
            _ => 0,
        }
    }
}

fn default(field: &ChannelField, given: &Map<String, Value>) -> Option<ChannelValue> {
    let applies = |when: Option<(&str, &str)>| {
        when.is_none_or(|(name, value)| given.get(name).and_then(Value::as_str) == Some(value))
    };
    let found = field.defaults.iter().find(|one| applies(one.when))?;
    match field.form {
        FieldForm::Port => found.value.parse().ok().map(ChannelValue::Port),
        _ => Some(ChannelValue::Text(found.value.to_owned())),
    }
}

fn read(field: &ChannelField, value: &Value) -> Result<ChannelValue, ChannelFault> {
    let wrong = |expected: &str| {
        let message = format!("must be {expected}");
        ChannelFault::setting(field.name, FieldCode::WrongType, message)
    };

    match field.form {
        FieldForm::Port => value
            .as_u64()
            .and_then(|port| u16::try_from(port).ok())
            .map(ChannelValue::Port)
            .ok_or_else(|| wrong("a number from 1 to 65535")),
        FieldForm::Mailboxes => {
            let texts = value.as_array().ok_or_else(|| wrong("a list of texts"))?;
            let texts = texts.iter().map(|text| text.as_str().map(str::to_owned));
            let list: Option<Vec<String>> = texts.collect();
            list.map(ChannelValue::List)
                .ok_or_else(|| wrong("a list of texts"))
        }
        FieldForm::Choice => {
            let text = value.as_str().ok_or_else(|| wrong("a text"))?;
            if field.choices.iter().any(|(choice, _)| *choice == text) {
                return Ok(ChannelValue::Text(text.to_owned()));
            }
            let choices: Vec<_> = field.choices.iter().map(|(choice, _)| *choice).collect();
            let message = format!("{text:?} is not one of {}", choices.join(", "));
            Err(ChannelFault::setting(
                field.name,
                FieldCode::InvalidValue,
                message,
            ))
        }
        _ => value
            .as_str()
            .map(|text| ChannelValue::Text(text.to_owned()))
            .ok_or_else(|| wrong("a text")),
    }
}

impl Serialize for ChannelSettings {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let mut map = to.serialize_map(Some(self.values.len() + 1))?;
        map.serialize_entry("kind", self.kind.as_str())?;
        for (name, value) in &self.values {
            map.serialize_entry(name, value)?;
        }
        map.end()
    }
}

impl<'de> Deserialize<'de> for ChannelSettings {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let stored = Map::deserialize(from)?;
        let kind = stored
            .get("kind")
            .and_then(Value::as_str)
            .unwrap_or_default();
        let kind = ChannelKind::parse(kind)
            .ok_or_else(|| D::Error::custom(format!("kind: {kind:?} is not known")))?;
        ChannelSettings::of_known(kind, &stored).map_err(D::Error::custom)
    }
}

impl fmt::Display for ChannelValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ChannelValue::Text(text) => f.write_str(text),
            ChannelValue::Port(port) => write!(f, "{port}"),
            ChannelValue::List(list) => f.write_str(&list.join(", ")),
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use serde_json::json;

    fn parse(kind: ChannelKind, given: Value) -> Result<ChannelSettings, ChannelFault> {
        ChannelSettings::parse(kind, given.as_object().unwrap())
    }

    #[test]
    fn stored_bytes_are_those_of_version_1() {
        let email = json!({ "host": "h", "from": "f", "to": ["t"], "encryption": "tls" });
        let stored = serde_json::to_string(&parse(ChannelKind::Email, email).unwrap()).unwrap();
        assert_eq!(
            stored,
            r#"{"kind":"email","host":"h","port":465,"encryption":"tls","username":null,"from":"f","to":["t"]}"#
        );

        let slack = parse(ChannelKind::Slack, json!({})).unwrap();
        assert_eq!(
            serde_json::to_string(&slack).unwrap(),
            r#"{"kind":"slack"}"#
        );

        for text in [stored.as_str(), r#"{"kind":"slack"}"#] {
            let read: ChannelSettings = serde_json::from_str(text).unwrap();
            assert_eq!(serde_json::to_string(&read).unwrap(), text);
        }

        for wrong in [r#"{"kind":"pigeon"}"#, r#"{"kind":"email","port":1}"#, "{}"] {
            assert!(
                serde_json::from_str::<ChannelSettings>(wrong).is_err(),
                "{wrong}"
            );
        }
    }

    #[test]
    fn settings_are_read_by_the_table() {
        let full = json!({ "host": "h", "from": "f", "to": ["t"], "username": "", "port": null });
        let read = parse(ChannelKind::Email, full.clone()).unwrap();
        assert_eq!(
            (
                read.port("port"),
                read.text("encryption"),
                read.value("username")
            ),
            (587, "starttls", None)
        );

        let cases = [
            ("host", Value::Null, "missing_field"),
            ("to", json!("t"), "wrong_type"),
            ("to", json!([1]), "wrong_type"),
            ("port", json!(70_000), "wrong_type"),
            ("port", json!("25"), "wrong_type"),
            ("from", json!(1), "wrong_type"),
            ("encryption", json!("none"), "invalid_value"),
            ("url", json!("https://x.example"), "unknown_field"),
            ("colour", Value::Null, "unknown_field"),
        ];
        for (name, value, code) in cases {
            let mut given = full.clone();
            given[name] = value;
            let fault = parse(ChannelKind::Email, given).unwrap_err();
            assert_eq!(
                (fault.field, fault.code.as_str()),
                (format!("settings.{name}"), code)
            );
        }
    }

    #[test]
    fn rows_are_complete() {
        for kind in ChannelKind::ALL {
            let row = kind.row();
            for field in row.settings.iter().chain([&row.secret]) {
                assert!(!field.name.is_empty() && !field.label.is_empty(), "{kind}");
                let has_choices = !field.choices.is_empty();
                assert_eq!(has_choices, field.form == FieldForm::Choice, "{kind}");
                if let Required::With(name) = field.required {
                    assert!(row.setting(name).is_some(), "{kind}: {name}");
                }
            }
            assert_eq!(row.secret.name, "secret", "{kind}");
        }
    }
}
