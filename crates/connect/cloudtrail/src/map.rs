//! From a record to an entry, and back.
//!
//! A member of the record moves into a field of the entry when the field can hold exactly it; every
//! other member stays under `metadata.cloudtrail`. Fields that are only derived (actor, resource,
//! event type, status, method) leave their source where it is. So nothing is lost, and [`restore`]
//! can tell what the record was.

use jiff::Timestamp;
use reeve_audit::json::Object;
use reeve_audit::{
    ActionMethod, ActionStatus, Entry, EventId, EventType, Json, format_instant, parse_address,
    parse_instant,
};
use sha2::{Digest, Sha256};

use crate::event_type::event_type;
use crate::identity;
use crate::record::CloudtrailRecord;
use crate::resource;

/// The open member of `metadata` that holds what did not move.
const KEPT: &str = "cloudtrail";
/// Metadata key that lists members of the entry's fields that the record itself lacks.
const ABSENT: &str = "cloudtrail_absent";
/// Lists pointers to numbers kept as text.
const NUMBERS: &str = "cloudtrail_numbers_as_text";
/// Metadata key of the delivery envelope around the record.
const ENVELOPE: &str = "cloudtrail_envelope";

/// Takes members off a record, unless their spelling or value does not fit the field.
struct Move {
    rest: Object,
    absent: Vec<&'static str>,
}

impl Move {
    /// A string with something in it that the field will hold as it is.
    fn text(&mut self, name: &str) -> Option<String> {
        match self.rest.get(name) {
            Some(Json::String(text)) if !text.is_empty() => match self.take(name) {
                Some(Json::String(text)) => Some(text),
                _ => None,
            },
            _ => None,
        }
    }

    /// A member, off the record. Beside one whose name differs only by case it stays as well: from
    /// the twin alone nobody could tell that it was there.
    fn take(&mut self, name: &str) -> Option<Json> {
        let twin = self
            .rest
            .iter()
            .any(|(key, _)| key != name && key.eq_ignore_ascii_case(name));
        if twin {
            self.rest.get(name).cloned()
        } else {
            self.rest.remove(name)
        }
    }
}

/// The entry that a record means. The same record always gives the same entry.
pub fn map_record(record: CloudtrailRecord) -> Entry {
    let kind = event_type(
        record.text("eventName"),
        record.text("eventType"),
        record.member("readOnly").and_then(Json::as_bool),
    );
    let mut entry = derived(&record, kind);
    let CloudtrailRecord {
        members,
        numbers_as_text,
        envelope,
    } = record;

    let mut moving = Move {
        rest: members,
        absent: Vec::new(),
    };
    entry.event_id = event_id(&mut moving);
    entry.timestamp = timestamp(&mut moving, envelope.as_ref());
    entry.action.operation = moving.text("eventName").or(entry.action.operation);
    entry.actor.user_agent = moving.text("userAgent").or(entry.actor.user_agent);
    entry.resource.region = moving.text("awsRegion").or(entry.resource.region);
    entry.metadata.request_id = moving.text("requestID").or(entry.metadata.request_id);
    account(&mut moving, &mut entry);
    address(&mut moving, &mut entry);
    change(&mut moving, &mut entry);
    entry.metadata.extra.insert(KEPT, moving.rest);
    let mut keep = |name: &str, value: Json| {
        if !value.is_empty() {
            entry.metadata.extra.insert(name, value);
        }
    };
    keep(ABSENT, moving.absent.into());

    keep(NUMBERS, numbers_as_text.into());
    keep(ENVELOPE, envelope.map_or(Json::Null, Json::Object));
    entry
}

/// Derives the members of an entry that leave the record unchanged.
fn derived(record: &CloudtrailRecord, kind: EventType) -> Entry {
    let mut entry = Entry::new(kind);
    let owned = |name: &str| record.text(name).map(str::to_owned);
    entry.actor = identity::actor(record.member("userIdentity"));
    entry.actor.user_agent = owned("userAgent");
    entry.action.operation = owned("eventName");
    entry.action.status = Some(status(record));
    entry.action.method = Some(method(record));
    entry.metadata.request_id = owned("requestID");
    let named = resource::resource(
        record.text("eventSource"),
        record.member("resources"),
        record.member("requestParameters"),
        record.member("responseElements"),
    );

    if let Some((kind, id)) = named {
        entry.resource.kind = kind;
        entry.resource.id = Some(id);
    }

    entry.resource.cloud_provider = Some("aws".to_owned());
    entry.resource.region = owned("awsRegion");
    entry.resource.account_id = owned("recipientAccountId");

    entry
}

/// Failed when the record has an error, or when one of its answers says `Failure`, as sign-ins do.
fn status(record: &CloudtrailRecord) -> ActionStatus {
    let error = record
        .text("errorCode")
        .or(record.text("errorMessage"))
        .is_some();
    let answers = record.member("responseElements").and_then(Json::as_object);
    let failure = answers.is_some_and(|answers| {
        answers
            .iter()
            .any(|(_, answer)| answer.as_str() == Some("Failure"))
    });

    if error || failure {
        ActionStatus::Failed
    } else {
        ActionStatus::Success
    }
}

fn method(record: &CloudtrailRecord) -> ActionMethod {
    let kind = record.text("eventType").unwrap_or_default();
    let agent = record.text("userAgent").unwrap_or_default();
    let console = record
        .member("sessionCredentialFromConsole")
        .is_some_and(|v| matches!(v, Json::Bool(true)) || v.as_str() == Some("true"));
    let identity = |name: &str| {
        record
            .member("userIdentity")
            .and_then(|identity| identity.get(name))
            .and_then(Json::as_str)
    };

    if console
        || kind.starts_with("AwsConsole")
        || agent.contains("console.amazonaws.com")
        || agent.contains("signin.amazonaws.com")
    {
        ActionMethod::Console
    } else if kind == "AwsServiceEvent" || identity("type") == Some("AWSService") {
        ActionMethod::System
    } else if agent.starts_with("aws-cli/") {
        ActionMethod::Cli
    } else if identity("invokedBy") == Some("cloudformation.amazonaws.com")
        || agent.contains("Terraform")
        || agent.contains("Pulumi")
    {
        ActionMethod::Automation
    } else {
        ActionMethod::Api
    }
}

/// An id made of the record's bytes, for records that bring none or whose own is taken.
fn content_id(members: &Object) -> String {
    hex::encode(&Sha256::digest(Json::Object(members.clone()).to_canonical())[..16])
}

fn event_id(moving: &mut Move) -> EventId {
    let given = moving
        .rest
        .get("eventID")
        .and_then(Json::as_str)
        .and_then(|id| EventId::new(id).ok());
    match given {
        Some(id) => {
            moving.take("eventID");
            id
        }
        None => {
            moving.absent.push("eventID");
            EventId::new(format!("cloudtrail-{}", content_id(&moving.rest)))
                .unwrap_or_else(|_| EventId::fresh())
        }
    }
}

/// `eventTime`; without one, the time that a tool noted beside it; without that, 1970, which nobody
/// takes for true.
fn timestamp(moving: &mut Move, envelope: Option<&Object>) -> Timestamp {
    let other = |name: &str| {
        moving
            .rest
            .iter()
            .find(|(key, _)| key.eq_ignore_ascii_case(name))
            .and_then(|(_, value)| value.as_str())
    };

    let noted = || {
        envelope
            .and_then(|envelope| envelope.get("time"))
            .and_then(Json::as_str)
    };

    let given = other("eventTime").and_then(read_time);
    let Some(instant) = given else {
        let instant = other("p_event_time")
            .or_else(noted)
            .and_then(read_time)
            .unwrap_or(Timestamp::UNIX_EPOCH);
        moving.absent.push("eventTime");
        return instant;
    };

    if moving.rest.get("eventTime").and_then(Json::as_str) == Some(spelled(instant).as_str()) {
        moving.take("eventTime");
    }

    instant
}

/// RFC 3339; without an offset, as some tools write it, UTC.
fn read_time(text: &str) -> Option<Timestamp> {
    parse_instant(text)
        .or_else(|_| parse_instant(&format!("{text}Z")))
        .ok()
}

/// Returns a time as CloudTrail writes it: in whole seconds.
fn spelled(instant: Timestamp) -> String {
    format_instant(instant).replace(".000Z", "Z")
}

/// The account that received the record; when it says none, the account of who acted.
fn account(moving: &mut Move, entry: &mut Entry) {
    let received = moving
        .text("recipientAccountId")
        .or(entry.resource.account_id.take());
    entry.resource.account_id = received.or_else(|| {
        let account = moving
            .rest
            .get("userIdentity")?
            .get("accountId")?
            .as_str()
            .filter(|id| !id.is_empty())?
            .to_owned();
        moving.absent.push("recipientAccountId");
        Some(account)
    });
}

/// An address moves when the entry spells it the same; a service name (`ec2.amazonaws.com`) stays.
fn address(moving: &mut Move, entry: &mut Entry) {
    let Some(text) = moving
        .rest
        .iter()
        .find(|(key, _)| key.eq_ignore_ascii_case("sourceIPAddress"))
        .and_then(|(_, v)| v.as_str())
    else {
        return;
    };

    entry.actor.ip_address = parse_address(text);
    if entry.actor.ip_address.is_some_and(|address| {
        moving.rest.get("sourceIPAddress").and_then(Json::as_str) == Some(&address.to_string())
    }) {
        moving.take("sourceIPAddress");
    }
}

/// Moves the request parameters of a successful creating or modifying call to the state after it.
/// Those of any other call changed nothing and stay where they are.
fn change(moving: &mut Move, entry: &mut Entry) {
    const CHANGING: [&str; 4] = [
        "resource.create",
        "resource.modify",
        "resource.tag",
        "policy.modify",
    ];

    let changed = entry.action.status == Some(ActionStatus::Success)
        && CHANGING.contains(&entry.event_type.as_str());
    let deletes = entry
        .action
        .operation
        .as_deref()
        .is_some_and(|call| call.starts_with("Delete"));

    if changed
        && !deletes
        && moving
            .rest
            .get("requestParameters")
            .is_some_and(|request| request.as_object().is_some())
    {
        entry.changes.after = moving.take("requestParameters");
    }
}

/// The record that an entry was mapped from; `None` when it was not.
pub fn restore(entry: &Entry) -> Option<Json> {
    let extra = &entry.metadata.extra;
    let mut members = extra.get(KEPT).and_then(Json::as_object).cloned()?;
    let absent: Vec<&str> = extra
        .get(ABSENT)
        .and_then(Json::as_array)
        .unwrap_or_default()
        .iter()
        .filter_map(Json::as_str)
        .collect();

    let mut put = |name: &str, value: Option<Json>| {
        let stayed = absent.contains(&name)
            || members
                .iter()
                .any(|(key, _)| key.eq_ignore_ascii_case(name));
        if let (false, Some(value)) = (stayed, value) {
            members.insert(name, value);
        }
    };

    let text = |value: &Option<String>| value.clone().map(Json::String);
    put("eventID", Some(entry.event_id.as_str().into()));
    put("eventTime", Some(spelled(entry.timestamp).into()));
    put("eventName", text(&entry.action.operation));
    put("userAgent", text(&entry.actor.user_agent));
    put("awsRegion", text(&entry.resource.region));
    put("requestID", text(&entry.metadata.request_id));
    put("recipientAccountId", text(&entry.resource.account_id));
    put(
        "sourceIPAddress",
        entry
            .actor
            .ip_address
            .map(|address| address.to_string().into()),
    );

    put("requestParameters", entry.changes.after.clone());
    Some(Json::Object(members))
}

/// Returns the entry under an id derived from its content, for a record whose `eventID` another
/// record already has. The record's own id stays under `metadata.cloudtrail`.
pub fn with_distinct_id(mut entry: Entry) -> Entry {
    let record = restore(&entry).unwrap_or_else(|| entry.to_json(Timestamp::UNIX_EPOCH));
    let digest = hex::encode(&Sha256::digest(record.to_canonical())[..16]);
    let mut kept = entry
        .metadata
        .extra
        .get(KEPT)
        .and_then(Json::as_object)
        .cloned()
        .unwrap_or_default();

    if let Some(id) = record.get("eventID") {
        kept.insert("eventID", id.clone());
    }

    entry.metadata.extra.insert(KEPT, kept);
    if let Ok(id) = EventId::new(format!("cloudtrail-{digest}")) {
        entry.event_id = id;
    }

    entry
}
