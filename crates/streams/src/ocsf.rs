//! Entries as classes of the Open Cybersecurity Schema Framework, version 1.3.0: the newest that
//! Amazon Security Lake takes from custom sources.
//!
//! | entry | class |
//! |---|---|
//! | `authentication.*` | Authentication (3002) |
//! | `user.create`, `user.modify`, `user.delete` | Account Change (3001) |
//! | any other | API Activity (6003) |
//!
//! What a class has no attribute for stands in `unmapped` as JSON, so that nothing is lost.

use reeve_audit::format::EntryView;
use reeve_audit::{ActionStatus, Actor, ActorType, Entry, Json, Severity};
use serde_json::{Map, Value, json};

/// Version of the schema.
pub const OCSF_VERSION: &str = "1.3.0";

/// Class of an entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum OcsfClass {
    AccountChange,
    Authentication,
    ApiActivity,
}

impl OcsfClass {
    /// Every class that entries become.
    pub const ALL: [OcsfClass; 3] = [
        OcsfClass::AccountChange,
        OcsfClass::Authentication,
        OcsfClass::ApiActivity,
    ];

    /// Returns the class of an entry.
    #[must_use]
    pub fn of(entry: &Entry) -> OcsfClass {
        match entry.event_type.as_str() {
            "user.create" | "user.modify" | "user.delete" => OcsfClass::AccountChange,
            name if name.starts_with("authentication.") => OcsfClass::Authentication,
            _ => OcsfClass::ApiActivity,
        }
    }

    /// Returns the class with a number.
    #[must_use]
    pub fn from_uid(uid: u64) -> Option<OcsfClass> {
        Self::ALL.into_iter().find(|class| class.uid() == uid)
    }

    /// Returns the number of the class.
    #[must_use]
    pub const fn uid(self) -> u64 {
        match self {
            OcsfClass::AccountChange => 3001,
            OcsfClass::Authentication => 3002,
            OcsfClass::ApiActivity => 6003,
        }
    }

    /// Returns the short name that ends the name of a source in Security Lake: a source has one
    /// class.
    #[must_use]
    pub const fn suffix(self) -> &'static str {
        match self {
            OcsfClass::AccountChange => "account",
            OcsfClass::Authentication => "auth",
            OcsfClass::ApiActivity => "api",
        }
    }

    const fn names(self) -> (u64, &'static str, &'static str) {
        let iam = (3, "Identity & Access Management");
        match self {
            OcsfClass::AccountChange => (iam.0, iam.1, "Account Change"),
            OcsfClass::Authentication => (iam.0, iam.1, "Authentication"),
            OcsfClass::ApiActivity => (6, "Application Activity", "API Activity"),
        }
    }

    /// Returns number and name of the activity of an event type.
    fn activity(self, event_type: &str) -> (u64, &'static str) {
        let operation = event_type.rsplit('.').next().unwrap_or_default();
        match (self, operation) {
            (OcsfClass::Authentication, "login") => (1, "Logon"),
            (OcsfClass::Authentication, "logout") => (2, "Logoff"),
            (OcsfClass::AccountChange | OcsfClass::ApiActivity, "create" | "request") => {
                (1, "Create")
            }
            (OcsfClass::ApiActivity, "view" | "search" | "list" | "download") => (2, "Read"),
            (OcsfClass::ApiActivity, "modify" | "update") => (3, "Update"),
            (OcsfClass::ApiActivity, "delete" | "remove") => (4, "Delete"),
            (OcsfClass::AccountChange, "delete") => (6, "Delete"),
            _ => (99, "Other"),
        }
    }
}

/// Writes an entry as an event of its class.
#[must_use]
pub fn ocsf_event(view: &EntryView<'_>) -> Value {
    let entry = view.entry;
    let class = OcsfClass::of(entry);
    let (category, category_name, class_name) = class.names();
    let (activity, activity_name) = class.activity(entry.event_type.as_str());
    let (severity_id, severity) = severity_of(entry.severity);
    let (status_id, status) = status_of(entry.action.status);

    let mut event = json!({
        "class_uid": class.uid(),
        "class_name": class_name,
        "category_uid": category,
        "category_name": category_name,
        "activity_id": activity,
        "activity_name": activity_name,
        "type_uid": class.uid() * 100 + activity,
        "type_name": format!("{class_name}: {activity_name}"),
        "severity_id": severity_id,
        "severity": severity,
        "status_id": status_id,
        "status": status,
        "time": entry.timestamp.as_millisecond(),
        "message": entry.event_type.as_str(),
        "metadata": metadata(view),
        "unmapped": unmapped(entry, view),
    });

    add(&mut event, "cloud", cloud(entry));
    let address = entry.actor.ip_address.map(|address| address.to_string());
    let agent = entry.actor.user_agent.as_ref();
    add(
        &mut event,
        "http_request",
        agent.map(|agent| json!({ "user_agent": agent })),
    );
    match class {
        OcsfClass::Authentication => {
            event["user"] = user(&entry.actor);
            event["service"] = json!({ "name": entry.resource.kind.as_deref().unwrap_or("reeve") });
            add(
                &mut event,
                "src_endpoint",
                address.map(|ip| json!({ "ip": ip })),
            );
        }
        OcsfClass::AccountChange => {
            event["user"] = json!({
                "uid": entry.resource.id.as_deref().unwrap_or("unknown"),
                "type_id": 1,
                "type": "User",
            });
            event["actor"] = actor(&entry.actor);
            add(
                &mut event,
                "src_endpoint",
                address.map(|ip| json!({ "ip": ip })),
            );
        }
        OcsfClass::ApiActivity => {
            let operation = entry.action.operation.as_deref();
            event["api"] = json!({
                "operation": operation.unwrap_or_else(|| entry.event_type.as_str()),
            });
            event["actor"] = actor(&entry.actor);
            // The class needs an endpoint; an entry of a program may come without an address.
            event["src_endpoint"] = match address {
                Some(ip) => json!({ "ip": ip }),
                None => json!({ "name": "unknown" }),
            };
            add(&mut event, "resources", resources(entry));
        }
    }
    event
}

fn add(event: &mut Value, name: &str, value: Option<Value>) {
    if let Some(value) = value {
        event[name] = value;
    }
}

fn severity_of(severity: Severity) -> (u64, &'static str) {
    match severity {
        Severity::Info => (1, "Informational"),
        Severity::Low => (2, "Low"),
        Severity::Medium => (3, "Medium"),
        Severity::High => (4, "High"),
        Severity::Critical => (5, "Critical"),
    }
}

fn status_of(status: Option<ActionStatus>) -> (u64, &'static str) {
    match status {
        Some(ActionStatus::Success) => (1, "Success"),
        Some(ActionStatus::Failed | ActionStatus::Denied) => (2, "Failure"),
        Some(_) => (99, "Other"),
        None => (0, "Unknown"),
    }
}

fn metadata(view: &EntryView<'_>) -> Value {
    let mut metadata = json!({
        "version": OCSF_VERSION,
        "product": {
            "name": "Reeve",
            "vendor_name": "Reeve",
            "version": env!("CARGO_PKG_VERSION"),
        },
        "uid": view.entry.event_id.as_str(),
        "sequence": view.integrity.sequence,
        "logged_time": view.recorded_at.as_millisecond(),
        "event_code": view.entry.event_type.as_str(),
        "log_name": "reeve",
    });
    if view.entry.resource.cloud_provider.is_some() {
        metadata["profiles"] = json!(["cloud"]);
    }
    if let Some(request) = &view.entry.metadata.request_id {
        metadata["correlation_uid"] = json!(request);
    }
    metadata
}

/// Members of the entry that have no attribute, and the position and hashes that prove it.
fn unmapped(entry: &Entry, view: &EntryView<'_>) -> Value {
    let mut tree = entry.to_json(view.recorded_at);
    let mut rest = Map::new();
    if let Json::Object(members) = &mut tree {
        for name in ["changes", "metadata", "submitted_by"] {
            if let Some(value) = members.remove(name) {
                rest.insert(name.to_owned(), value_of(&value));
            }
        }
    }
    if !entry.resource.tags.is_empty() {
        let tags = entry.resource.tags.iter();
        let tags: Map<String, Value> = tags
            .map(|(name, value)| (name.to_owned(), json!(value)))
            .collect();
        rest.insert("resource_tags".to_owned(), Value::Object(tags));
    }
    rest.insert(
        "integrity".to_owned(),
        json!({ "hash": hex(&view.integrity.hash), "leaf_hash": hex(&view.integrity.leaf_hash) }),
    );
    Value::Object(rest)
}

fn value_of(json: &Json) -> Value {
    serde_json::from_str(&json.to_string()).unwrap_or(Value::Null)
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn user(actor: &Actor) -> Value {
    let (type_id, kind) = match actor.kind {
        Some(ActorType::User) => (1, "User"),
        Some(ActorType::System | ActorType::Agent) => (3, "System"),
        Some(_) => (99, "Other"),
        None => (0, "Unknown"),
    };
    let uid = actor.id.as_deref().or(actor.email.as_deref());
    let mut user = json!({ "uid": uid.unwrap_or("unknown"), "type_id": type_id, "type": kind });
    add(
        &mut user,
        "email_addr",
        actor.email.as_ref().map(|email| json!(email)),
    );
    user
}

fn actor(actor: &Actor) -> Value {
    let mut object = json!({ "user": user(actor) });
    let session = actor.session_id.as_ref();
    add(
        &mut object,
        "session",
        session.map(|session| json!({ "uid": session })),
    );
    object
}

fn cloud(entry: &Entry) -> Option<Value> {
    let resource = &entry.resource;
    let mut cloud = json!({ "provider": resource.cloud_provider.as_ref()? });
    let account = resource.account_id.as_ref();
    add(
        &mut cloud,
        "account",
        account.map(|account| json!({ "uid": account })),
    );
    add(
        &mut cloud,
        "region",
        resource.region.as_ref().map(|region| json!(region)),
    );
    Some(cloud)
}

fn resources(entry: &Entry) -> Option<Value> {
    let resource = &entry.resource;
    let mut detail = json!({ "uid": resource.id.as_ref()? });
    add(
        &mut detail,
        "type",
        resource.kind.as_ref().map(|kind| json!(kind)),
    );
    add(
        &mut detail,
        "region",
        resource.region.as_ref().map(|region| json!(region)),
    );
    Some(json!([detail]))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use reeve_audit::format::Integrity;
    use reeve_audit::{ActionMethod, ResourceRef, events};

    use super::*;

    fn event(entry: &Entry) -> Value {
        let integrity = Integrity {
            sequence: 7,
            commitment: [0; 32],
            leaf_hash: [1; 32],
            previous_hash: [0; 32],
            hash: [2; 32],
            salt: None,
        };
        ocsf_event(&EntryView {
            entry,
            recorded_at: entry.timestamp,
            integrity: &integrity,
        })
    }

    /// Attributes that the class requires, by its definition in the schema.
    fn required(class: u64) -> &'static [&'static str] {
        match class {
            3001 => &["/user"],
            // Of `service` and `dst_endpoint` one at least.
            3002 => &["/user", "/service/name"],
            6003 => &["/actor/user/uid", "/api/operation", "/src_endpoint"],
            _ => &[],
        }
    }

    #[test]
    fn every_class_has_what_it_requires() {
        for (kind, class, activity) in [
            (&events::LOGIN, 3002, 1),
            (&events::USER_CREATE, 3001, 1),
            (&events::USER_DELETE, 3001, 6),
            (&events::AUDIT_SEARCH, 6003, 2),
            (&events::SETTINGS_MODIFY, 6003, 3),
            (&events::STREAM, 6003, 99),
        ] {
            let entry = Entry::for_event(kind);
            let event = event(&entry);
            assert_eq!(event["class_uid"], class, "{event}");
            assert_eq!(event["type_uid"], class * 100 + activity, "{event}");
            let base = [
                "/time",
                "/severity_id",
                "/metadata/version",
                "/metadata/product/vendor_name",
            ];
            for path in base.iter().chain(required(class)) {
                assert!(event.pointer(path).is_some(), "{path} of {event}");
            }
        }
    }

    #[test]
    fn what_has_no_attribute_is_kept() {
        let mut entry = Entry::for_event(&events::RESOURCE_MODIFY)
            .by(Actor::new(ActorType::User, "u-1").with_email("ann@example.com"))
            .on(ResourceRef::new("bucket", "b-1"))
            .with_action("PutBucket", ActionStatus::Success, ActionMethod::Api)
            .after(Json::from(json!({ "size": 5 })))
            .with_metadata("ticket", "T-1");
        entry.resource.cloud_provider = Some("aws".to_owned());
        entry.resource.account_id = Some("123456789012".to_owned());
        let event = event(&entry);
        assert_eq!(event["unmapped"]["changes"]["after"]["size"], 5);
        assert_eq!(event["unmapped"]["metadata"]["ticket"], "T-1");
        assert_eq!(event["unmapped"]["integrity"]["hash"], "02".repeat(32));
        assert_eq!(event["cloud"]["account"]["uid"], "123456789012");
        assert_eq!(event["metadata"]["profiles"], json!(["cloud"]));
        assert_eq!(event["resources"][0]["type"], "bucket");
        assert_eq!(event["actor"]["user"]["email_addr"], "ann@example.com");
        assert_eq!(event["status_id"], 1);
    }
}
