//! From an entry to JSON: the canonical bytes that are hashed and stored, and the tree that goes over the wire.

use std::ops::Range;

use jiff::Timestamp;

use super::{Action, Actor, Changes, Entry, Metadata, ResourceRef};
use crate::instant::format_instant;
use crate::json::{Json, Object, utf16_order, write_canonical, write_string};

impl Entry {
    /// The canonical bytes (RFC 8785) of the entry and the time Reeve received it. Members without a value are absent.
    pub fn to_canonical(&self, recorded_at: Timestamp) -> Vec<u8> {
        self.to_canonical_parts(recorded_at).0
    }

    /// The canonical bytes, and which of them are `recorded_at` with its comma: without those they are the claim's.
    pub(crate) fn to_canonical_parts(&self, recorded_at: Timestamp) -> (Vec<u8>, Range<usize>) {
        let mut out = Vec::with_capacity(768);
        let ours = self.write(Some(recorded_at), &mut out);
        (out, ours)
    }

    /// The canonical bytes of the claim alone, without `recorded_at`.
    pub(crate) fn to_canonical_claim(&self) -> Vec<u8> {
        let mut out = Vec::with_capacity(768);
        self.write(None, &mut out);
        out
    }

    /// Writes the known shape straight in canonical order; a test holds it against the generic writer. Answers where
    /// `recorded_at` stands.
    fn write(&self, recorded_at: Option<Timestamp>, out: &mut Vec<u8>) -> Range<usize> {
        let mut top = Writer::open(out);
        top.nested("action", !self.action.is_empty(), |out| write_action(&self.action, out));
        top.nested("actor", !self.actor.is_empty(), |out| write_actor(&self.actor, out));
        top.nested("changes", !self.changes.is_empty(), |out| write_changes(&self.changes, out));
        top.text("event_id", Some(self.event_id.as_str()));
        top.text("event_type", Some(self.event_type.as_str()));
        top.nested("metadata", true, |out| write_metadata(&self.metadata, out));
        let start = top.out.len();
        top.text("recorded_at", recorded_at.map(format_instant).as_deref());
        let ours = start..top.out.len();
        top.nested("resource", !self.resource.is_empty(), |out| write_resource(&self.resource, out));
        top.text("severity", Some(self.severity.as_str()));
        top.text("timestamp", Some(&format_instant(self.timestamp)));
        top.close();
        ours
    }

    /// The entry as it goes over the wire: the canonical members, `recorded_at` and the derived `category`.
    pub fn to_json(&self, recorded_at: Timestamp) -> Json {
        let mut top = Object::new();
        let mut nested = |name: &str, members: Object| {
            if !members.is_empty() {
                top.insert(name, members);
            }
        };
        nested("action", action_members(&self.action));
        nested("actor", actor_members(&self.actor));
        nested("changes", changes_members(&self.changes));
        nested("metadata", metadata_members(&self.metadata));
        nested("resource", resource_members(&self.resource));
        top.insert("category", self.category());
        top.insert("event_id", self.event_id.as_str());
        top.insert("event_type", self.event_type.as_str());
        top.insert("recorded_at", format_instant(recorded_at));
        top.insert("severity", self.severity.as_str());
        top.insert("timestamp", format_instant(self.timestamp));
        Json::Object(top)
    }
}

/// Writes the members of one object; the caller keeps canonical order.
struct Writer<'o> {
    out: &'o mut Vec<u8>,
    first: bool,
}

impl<'o> Writer<'o> {
    fn open(out: &'o mut Vec<u8>) -> Self {
        out.push(b'{');
        Self { out, first: true }
    }

    fn name(&mut self, name: &str) {
        if !self.first {
            self.out.push(b',');
        }
        self.first = false;
        write_string(name, self.out);
        self.out.push(b':');
    }

    fn text(&mut self, name: &str, value: Option<&str>) {
        if let Some(value) = value {
            self.name(name);
            write_string(value, self.out);
        }
    }

    fn json(&mut self, name: &str, value: &Json) {
        self.name(name);
        write_canonical(value, self.out);
    }

    fn texts(&mut self, name: &str, values: &[String]) {
        self.name(name);
        self.out.push(b'[');
        for (at, value) in values.iter().enumerate() {
            if at > 0 {
                self.out.push(b',');
            }
            write_string(value, self.out);
        }
        self.out.push(b']');
    }

    fn nested(&mut self, name: &str, present: bool, write: impl FnOnce(&mut Vec<u8>)) {
        if present {
            self.name(name);
            write(self.out);
        }
    }

    fn close(self) {
        self.out.push(b'}');
    }
}

fn write_action(action: &Action, out: &mut Vec<u8>) {
    let mut members = Writer::open(out);
    members.text("method", action.method.map(|m| m.as_str()));
    members.text("operation", action.operation.as_deref());
    members.text("status", action.status.map(|s| s.as_str()));
    members.close();
}

fn write_actor(actor: &Actor, out: &mut Vec<u8>) {
    let mut members = Writer::open(out);
    members.text("email", actor.email.as_deref());
    members.text("id", actor.id.as_deref());
    members.text("ip_address", actor.ip_address.map(|ip| ip.to_string()).as_deref());
    members.text("session_id", actor.session_id.as_deref());
    members.text("type", actor.kind.map(|k| k.as_str()));
    members.text("user_agent", actor.user_agent.as_deref());
    members.close();
}

fn write_changes(changes: &Changes, out: &mut Vec<u8>) {
    let mut members = Writer::open(out);
    if let Some(after) = &changes.after {
        members.json("after", after);
    }
    if let Some(before) = &changes.before {
        members.json("before", before);
    }
    members.close();
}

fn write_resource(resource: &ResourceRef, out: &mut Vec<u8>) {
    let mut members = Writer::open(out);
    members.text("account_id", resource.account_id.as_deref());
    members.text("cloud_provider", resource.cloud_provider.as_deref());
    members.text("id", resource.id.as_deref());
    members.text("region", resource.region.as_deref());
    members.nested("tags", !resource.tags.is_empty(), |out| {
        let mut names: Vec<_> = resource.tags.iter().collect();
        names.sort_by(|a, b| utf16_order(a.0, b.0));
        let mut tags = Writer::open(out);
        names.into_iter().for_each(|(name, value)| tags.text(name, Some(value)));
        tags.close();
    });
    members.text("type", resource.kind.as_deref());
    members.close();
}

fn write_metadata(metadata: &Metadata, out: &mut Vec<u8>) {
    enum Member<'a> {
        Text(&'a str),
        Tags(&'a [String]),
        Open(&'a Json),
    }
    let mut named = vec![("api_version", Member::Text(&metadata.api_version))];
    if let Some(request_id) = &metadata.request_id {
        named.push(("request_id", Member::Text(request_id)));
    }
    if !metadata.tags.is_empty() {
        named.push(("tags", Member::Tags(&metadata.tags)));
    }
    named.extend(metadata.extra.iter().map(|(name, value)| (name, Member::Open(value))));
    named.sort_by(|a, b| utf16_order(a.0, b.0));
    let mut members = Writer::open(out);
    for (name, member) in named {
        match member {
            Member::Text(text) => members.text(name, Some(text)),
            Member::Tags(tags) => members.texts(name, tags),
            Member::Open(value) => members.json(name, value),
        }
    }
    members.close();
}

fn present<const N: usize>(members: [(&str, Option<&str>); N]) -> Object {
    members.into_iter().filter_map(|(name, value)| Some((name.to_owned(), Json::from(value?)))).collect()
}

fn action_members(action: &Action) -> Object {
    present([
        ("operation", action.operation.as_deref()),
        ("status", action.status.map(|s| s.as_str())),
        ("method", action.method.map(|m| m.as_str())),
    ])
}

fn actor_members(actor: &Actor) -> Object {
    present([
        ("type", actor.kind.map(|k| k.as_str())),
        ("id", actor.id.as_deref()),
        ("email", actor.email.as_deref()),
        ("ip_address", actor.ip_address.map(|ip| ip.to_string()).as_deref()),
        ("user_agent", actor.user_agent.as_deref()),
        ("session_id", actor.session_id.as_deref()),
    ])
}

fn resource_members(resource: &ResourceRef) -> Object {
    let mut members = present([
        ("type", resource.kind.as_deref()),
        ("id", resource.id.as_deref()),
        ("cloud_provider", resource.cloud_provider.as_deref()),
        ("account_id", resource.account_id.as_deref()),
        ("region", resource.region.as_deref()),
    ]);
    if !resource.tags.is_empty() {
        members.insert("tags", Json::object(resource.tags.iter().map(|(name, value)| (name.as_str(), value.as_str()))));
    }
    members
}

fn changes_members(changes: &Changes) -> Object {
    let states = [("before", &changes.before), ("after", &changes.after)];
    states.into_iter().filter_map(|(name, state)| Some((name.to_owned(), state.clone()?))).collect()
}

fn metadata_members(metadata: &Metadata) -> Object {
    let mut members = metadata.extra.clone();
    members.insert("api_version", metadata.api_version.as_str());
    if let Some(request_id) = &metadata.request_id {
        members.insert("request_id", request_id.as_str());
    }
    if !metadata.tags.is_empty() {
        members.insert("tags", metadata.tags.clone());
    }
    members
}
