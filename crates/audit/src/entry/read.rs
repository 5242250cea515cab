//! Conversion of a JSON object to an entry: every field is checked, and all faults are reported at
//! once.

use std::net::IpAddr;

use jiff::Timestamp;

use super::fields::EntryFields;
use super::{
    Action, Actor, Entry, EntryChanges, EventId, EventType, Metadata, ResourceRef, Severity,
    Submitter,
};
use crate::field_error::{FieldCode, FieldError};
use crate::instant::{parse_instant, to_millis};
use crate::json::Json;

/// A submitted entry, with defaults for the members that the source left out.
pub(crate) struct EntryClaim {
    pub(crate) entry: Entry,
    /// `true` if the source gave no `timestamp`, so that the time of receipt is used.
    pub(crate) timestamp_defaulted: bool,
}

/// Reads an entry; `received` is the default for its timestamp.
pub(crate) fn read_claim(value: Json, received: Timestamp) -> Result<EntryClaim, Vec<FieldError>> {
    let mut errors = Vec::new();
    let members = match value {
        Json::Object(members) => members,
        other => {
            return Err(vec![FieldError::new(
                "",
                FieldCode::WrongType,
                format!("an entry must be an object, not {}", other.kind()),
            )]);
        }
    };
    let claim = claim(
        EntryFields::new("", members, &mut errors),
        to_millis(received),
    );

    match claim {
        Some(claim) if errors.is_empty() => Ok(claim),
        _ => Err(errors),
    }
}

fn claim(mut fields: EntryFields<'_>, received: Timestamp) -> Option<EntryClaim> {
    let event_id = fields.parsed("event_id", |text| EventId::new(text));
    let timestamp = fields.parsed("timestamp", parse_instant);
    let event_type = event_type(&mut fields);
    let severity = fields.name("severity").unwrap_or(Severity::Info);
    let actor = fields.inside("actor", actor).unwrap_or_default();
    let resource = fields.inside("resource", resource).unwrap_or_default();
    let action = fields.inside("action", action).unwrap_or_default();
    let changes = fields.inside("changes", changes).unwrap_or_default();
    let metadata = fields.inside("metadata", metadata).unwrap_or_default();
    fields.finish();
    let entry = Entry {
        event_id: event_id.unwrap_or_else(EventId::fresh),
        timestamp: timestamp.unwrap_or(received),
        event_type: event_type?,
        severity,
        actor,
        resource,
        action,
        changes,
        metadata,
        submitted_by: None,
    };

    Some(EntryClaim {
        entry,
        timestamp_defaulted: timestamp.is_none(),
    })
}

/// Reads the stored `submitted_by`.
pub(crate) fn read_submitter(value: Json) -> Result<Submitter, Vec<FieldError>> {
    let mut errors = Vec::new();
    let submitter = match value {
        Json::Object(members) => submitter(EntryFields::new("submitted_by", members, &mut errors)),
        _ => None,
    };

    match submitter {
        Some(submitter) if errors.is_empty() => Ok(submitter),
        _ if errors.is_empty() => Err(vec![FieldError::new(
            "submitted_by",
            FieldCode::InvalidValue,
            "is not a submitter",
        )]),
        _ => Err(errors),
    }
}

fn submitter(mut fields: EntryFields<'_>) -> Option<Submitter> {
    let kind = fields.name("type");
    let id = fields.text("id");
    let email = fields.text("email");
    let ip_address = fields.parsed("ip_address", |text| text.parse::<IpAddr>());
    let session_id = fields.text("session_id");
    let token_id = fields.text("token_id");
    let token_name = fields.text("token_name");
    fields.finish();

    Some(Submitter {
        kind: kind?,
        id,
        email,
        ip_address,
        session_id,
        token_id,
        token_name,
    })
}

fn event_type(fields: &mut EntryFields<'_>) -> Option<EventType> {
    match fields.take("event_type") {
        Some(Json::String(name)) => match EventType::new(name) {
            Ok(event_type) => return Some(event_type),
            Err(e) => fields.error("event_type", FieldCode::InvalidValue, e.to_string()),
        },
        None | Some(Json::Null) => {
            fields.error("event_type", FieldCode::MissingField, "is required")
        }
        Some(other) => fields.error(
            "event_type",
            FieldCode::WrongType,
            format!("must be a string, not {}", other.kind()),
        ),
    }
    None
}

fn actor(mut fields: EntryFields<'_>) -> Actor {
    let actor = Actor {
        kind: fields.name("type"),
        id: fields.text("id"),
        email: fields.parsed("email", email),
        ip_address: fields.parsed("ip_address", |text| {
            text.parse::<IpAddr>().map_err(|_| "must be an IP address")
        }),
        user_agent: fields.text("user_agent"),
        session_id: fields.text("session_id"),
    };

    fields.finish();
    actor
}

/// Returns `true` if the log takes the text as an e-mail address.
#[must_use]
pub fn is_email_address(text: &str) -> bool {
    email(text).is_ok()
}

/// Soft on purpose: the directory knows which addresses exist, the log only refuses what cannot be
/// one.
pub(crate) fn email(text: &str) -> Result<String, &'static str> {
    let sound = text
        .split_once('@')
        .is_some_and(|(local, domain)| !local.is_empty() && !domain.is_empty());
    let plain = || text.bytes().all(|byte| byte.is_ascii_graphic());

    if sound && (plain() || !text.chars().any(|c| c.is_whitespace() || c.is_control())) {
        Ok(text.to_owned())
    } else {
        Err("must be an e-mail address")
    }
}

fn resource(mut fields: EntryFields<'_>) -> ResourceRef {
    let resource = ResourceRef {
        kind: fields.text("type"),
        id: fields.text("id"),
        cloud_provider: fields.text("cloud_provider"),
        account_id: fields.text("account_id"),
        region: fields.text("region"),
        tags: fields.text_map("tags").into_iter().collect(),
    };

    fields.finish();
    resource
}

fn action(mut fields: EntryFields<'_>) -> Action {
    let action = Action {
        operation: fields.text("operation"),
        status: fields.name("status"),
        method: fields.name("method"),
    };
    fields.finish();
    action
}

fn changes(mut fields: EntryFields<'_>) -> EntryChanges {
    let changes = EntryChanges {
        before: fields.state("before"),
        after: fields.state("after"),
    };
    fields.finish();
    changes
}

fn metadata(mut fields: EntryFields<'_>) -> Metadata {
    let request_id = fields.text("request_id");
    let api_version = fields
        .text("api_version")
        .unwrap_or_else(|| Metadata::API_VERSION.to_owned());
    let tags = fields.texts("tags");

    Metadata {
        request_id,
        api_version,
        tags,
        extra: fields.rest(),
    }
}
