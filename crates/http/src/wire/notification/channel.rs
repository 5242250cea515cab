//! Notification channels and their types on the wire. Secrets go in and never come out.

use std::collections::BTreeMap;

use reeve_notify::notification::{
    Channel, ChannelField, ChannelKind, ChannelSettings, FieldForm, Required,
};
use serde::ser::SerializeMap as _;
use serde::{Deserialize, Serialize, Serializer};
use serde_json::{Map, Value};
use utoipa::openapi::schema::{AdditionalProperties, ArrayBuilder, SchemaType, Type};
use utoipa::openapi::{ObjectBuilder, RefOr, Schema};
use utoipa::{PartialSchema, ToSchema};

use crate::time;
use crate::wire::form::enumeration;
use crate::wire::form::enumeration::{ChannelFieldForm, ChannelTopic, ChannelType};

/// A channel that notifies people, without its secret.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct ChannelBody {
    pub id: String,
    pub name: String,
    #[serde(rename = "type")]
    pub kind: ChannelType,
    /// Settings beside its secret.
    #[schema(value_type = ChannelSettingsBody)]
    pub settings: ChannelSettingsAnswer,
    /// Topics of the notifications; empty is all of them.
    pub topics: Vec<ChannelTopic>,
    /// `true` if anything is sent.
    pub enabled: bool,
    pub created_at: String,
    /// Time of the last change.
    pub updated_at: String,
    /// Grows by one with every change.
    pub version: u64,
}

/// Settings; which ones depends on the type.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(transparent)]
pub struct ChannelSettingsBody(pub Map<String, Value>);

/// Settings as they are answered: in the order of the table, absent ones left out.
#[derive(Debug, Clone)]
pub struct ChannelSettingsAnswer(ChannelSettings);

impl Serialize for ChannelSettingsAnswer {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let mut map = to.serialize_map(None)?;
        for (name, value) in self.0.given() {
            map.serialize_entry(name, value)?;
        }
        map.end()
    }
}

impl PartialSchema for ChannelSettingsBody {
    /// Describes every setting of every type, from the table of channel types.
    fn schema() -> RefOr<Schema> {
        let mut names: Vec<&str> = Vec::new();
        let mut descriptions: BTreeMap<&str, Vec<String>> = BTreeMap::new();
        let mut forms: BTreeMap<&str, &ChannelField> = BTreeMap::new();
        for kind in ChannelKind::ALL {
            for field in kind.row().settings {
                if !names.contains(&field.name) {
                    names.push(field.name);
                }
                forms.insert(field.name, field);
                let note = Some(field.description).filter(|note| !note.is_empty());
                let note = note.map(|note| format!(" {note}.")).unwrap_or_default();
                let description = format!("`{kind}`: {}.{note}", field.label);
                descriptions
                    .entry(field.name)
                    .or_default()
                    .push(description);
            }
        }

        let object = ObjectBuilder::new()
            .description(Some("Settings; which ones depends on the type."))
            .additional_properties(Some(AdditionalProperties::FreeForm(false)));
        let object = names.into_iter().fold(object, |object, name| {
            object.property(name, property(forms[name], descriptions[name].join(" ")))
        });
        RefOr::T(Schema::Object(object.build()))
    }
}

impl ToSchema for ChannelSettingsBody {}

fn property(field: &ChannelField, description: String) -> Schema {
    let or_null = |kind| SchemaType::from_iter([kind, Type::Null]);
    let nullable = |kind| ObjectBuilder::new().schema_type(or_null(kind));
    match field.form {
        FieldForm::Port => nullable(Type::Integer)
            .minimum(Some(0))
            .maximum(Some(u16::MAX))
            .description(Some(description))
            .build()
            .into(),
        FieldForm::Mailboxes => ArrayBuilder::new()
            .schema_type(or_null(Type::Array))
            .items(ObjectBuilder::new().schema_type(Type::String))
            .description(Some(description))
            .build()
            .into(),
        FieldForm::Choice => {
            let choices = field.choices.iter().map(|(choice, _)| Value::from(*choice));
            nullable(Type::String)
                .enum_values(Some(choices.chain([Value::Null])))
                .description(Some(description))
                .build()
                .into()
        }
        _ => nullable(Type::String)
            .description(Some(description))
            .build()
            .into(),
    }
}

/// A type of notification channels.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct ChannelTypeBody {
    #[serde(rename = "type")]
    pub kind: ChannelType,
    /// Name of the service.
    pub label: &'static str,
    /// Example of a channel's name.
    pub name_placeholder: &'static str,
    pub settings: Vec<ChannelFieldBody>,
    /// Form of the channel's secret, which is stored encrypted and never answered.
    pub credential: ChannelFieldBody,
}

/// A setting of a channel type, or its secret.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct ChannelFieldBody {
    pub name: &'static str,
    pub label: &'static str,
    /// Note below the field; may be empty.
    pub description: &'static str,
    /// Example in an empty field.
    pub placeholder: &'static str,
    pub form: ChannelFieldForm,
    /// `true` if the field must be given.
    pub required: bool,
    /// Setting that makes the field required when it is given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub required_with: Option<&'static str>,
    /// Values of a field of the form `choice`.
    pub choices: Vec<ChannelChoiceBody>,
    /// Values in place of an absent one: the first whose condition is met.
    pub defaults: Vec<ChannelDefaultBody>,
}

/// A value that a setting of a channel may have.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct ChannelChoiceBody {
    pub value: &'static str,
    pub label: &'static str,
}

/// A value in place of an absent one.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct ChannelDefaultBody {
    pub value: &'static str,
    /// Setting that must have the value `when_value`; absent for a default without a condition.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub when: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub when_value: Option<&'static str>,
}

impl From<ChannelKind> for ChannelTypeBody {
    fn from(kind: ChannelKind) -> Self {
        let row = kind.row();
        ChannelTypeBody {
            kind: kind.into(),
            label: row.label,
            name_placeholder: row.name_placeholder,
            settings: row.settings.iter().map(Into::into).collect(),
            credential: (&row.secret).into(),
        }
    }
}

impl From<&ChannelField> for ChannelFieldBody {
    fn from(field: &ChannelField) -> Self {
        let choice =
            |(value, label): &(&'static str, &'static str)| ChannelChoiceBody { value, label };
        let defaults = field.defaults.iter().map(|default| ChannelDefaultBody {
            value: default.value,
            when: default.when.map(|(name, _)| name),
            when_value: default.when.map(|(_, value)| value),
        });

        ChannelFieldBody {
            name: field.name,
            label: field.label,
            description: field.description,
            placeholder: field.placeholder,
            form: field.form.into(),
            required: field.required == Required::Always,
            required_with: match field.required {
                Required::With(name) => Some(name),
                Required::Always | Required::Never => None,
            },
            choices: field.choices.iter().map(choice).collect(),
            defaults: defaults.collect(),
        }
    }
}

/// A channel to add, with its secret.
#[derive(Debug, Clone, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ChannelCreate {
    /// Name, 1 to 100 characters.
    pub name: String,
    #[serde(rename = "type")]
    #[schema(value_type = enumeration::ChannelType)]
    pub kind: String,
    /// Settings of the type (`GET /api/v1/intelligence/notification-channel-types`).
    #[serde(default)]
    pub settings: ChannelSettingsBody,
    /// Secret of the type: a password, a webhook's address, a key.
    #[serde(default)]
    #[schema(write_only)]
    pub secret: String,
    /// Topics of the notifications; empty is all of them.
    #[serde(default)]
    #[schema(value_type = Vec<enumeration::ChannelTopic>)]
    pub topics: Vec<String>,
    /// On unless said otherwise.
    pub enabled: Option<bool>,
}

/// A change of a channel; what is left out stays. The type stays as it is.
#[derive(Debug, Clone, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ChannelPatch {
    pub name: Option<String>,
    /// All settings; they replace the stored ones.
    pub settings: Option<ChannelSettingsBody>,
    /// Secret in place of the stored one.
    #[schema(write_only)]
    pub secret: Option<String>,
    /// Topics in place of the stored ones.
    #[schema(value_type = Option<Vec<enumeration::ChannelTopic>>)]
    pub topics: Option<Vec<String>>,
    /// Switches it on or off.
    pub enabled: Option<bool>,
    /// The version that was read; another is a conflict.
    pub version: Option<u64>,
}

impl ChannelBody {
    /// Converts a channel, without its secret.
    #[must_use]
    pub fn new(channel: &Channel) -> ChannelBody {
        ChannelBody {
            id: channel.id.0.clone(),
            name: channel.name.clone(),
            kind: channel.settings.kind().into(),
            settings: ChannelSettingsAnswer(channel.settings.clone()),
            topics: channel.topics.iter().copied().map(Into::into).collect(),
            enabled: channel.enabled,
            created_at: time::text(channel.created_at),
            updated_at: time::text(channel.updated_at),
            version: channel.version,
        }
    }
}
