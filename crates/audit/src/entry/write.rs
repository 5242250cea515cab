//! From an entry to JSON: the canonical bytes that are hashed and stored, and the tree that goes
//! over the wire.

use std::io::Write as _;
use std::net::IpAddr;
use std::ops::Range;

use jiff::Timestamp;

use super::submitter::insert_submitter;
use super::{Action, Actor, Entry, EntryChanges, Metadata, ResourceRef, Submitter};
use crate::instant::{format_instant, write_instant};
use crate::json::{Json, Object, utf16_order, write_canonical, write_string};

impl Entry {
    /// The canonical bytes (RFC 8785) of the entry, the time Reeve received it, and its submitter.
    /// Members without a value are absent.
    pub fn to_canonical(&self, recorded_at: Timestamp) -> Vec<u8> {
        let mut out = Vec::with_capacity(768);
        self.write(Some(recorded_at), &mut out);
        if let Some(submitter) = &self.submitted_by {
            insert_submitter(&mut out, &submitter.to_member());
        }
        out
    }

    /// Writes the canonical bytes without a submitter at the end of `out`, and answers which of the
    /// bytes of `out` are `recorded_at` with its comma: without those they are the claim's.
    pub(crate) fn write_parts(&self, recorded_at: Timestamp, out: &mut Vec<u8>) -> Range<usize> {
        self.write(Some(recorded_at), out)
    }

    /// The canonical bytes of the claim alone, without `recorded_at` and submitter.
    pub(crate) fn to_canonical_claim(&self) -> Vec<u8> {
        let mut out = Vec::with_capacity(768);
        self.write(None, &mut out);
        out
    }

    /// Writes the known shape straight in canonical order, all but the submitter; a test holds it
    /// against the generic writer. Answers where `recorded_at` stands.
    fn write(&self, recorded_at: Option<Timestamp>, out: &mut Vec<u8>) -> Range<usize> {
        let Self {
            event_id,
            event_type,
            severity,
            timestamp,
            actor,
            resource,
            action,
            changes,
            metadata,
            ..
        } = self;

        let mut top = EntryWriter::open(out);
        top.nested(!action.is_empty(), br#""action":"#, |out| {
            write_action(action, out)
        });
        top.nested(!actor.is_empty(), br#""actor":"#, |out| {
            write_actor(actor, out)
        });
        top.nested(!changes.is_empty(), br#""changes":"#, |out| {
            write_changes(changes, out)
        });
        top.text(br#""event_id":"#, event_id.as_str());
        top.plain(br#""event_type":"#, event_type.as_str());
        top.nested(true, br#""metadata":"#, |out| write_metadata(metadata, out));
        let start = top.out.len();
        if let Some(recorded_at) = recorded_at {
            top.instant(br#""recorded_at":"#, recorded_at);
        }

        let ours = start..top.out.len();
        top.nested(!resource.is_empty(), br#""resource":"#, |out| {
            write_resource(resource, out)
        });
        top.plain(br#""severity":"#, severity.as_str());
        top.instant(br#""timestamp":"#, *timestamp);
        top.close();

        ours
    }

    /// The entry as it goes over the wire: the canonical members, `recorded_at`, `submitted_by` and
    /// the derived `category`.
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
        nested(
            "submitted_by",
            self.submitted_by
                .as_deref()
                .map(Submitter::members)
                .unwrap_or_default(),
        );

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
pub(super) struct EntryWriter<'o> {
    out: &'o mut Vec<u8>,
    first: bool,
}

impl<'o> EntryWriter<'o> {
    pub(super) fn open(out: &'o mut Vec<u8>) -> Self {
        out.push(b'{');
        Self { out, first: true }
    }

    /// Writes a name with its quotes and colon, as given.
    fn name(&mut self, name: &[u8]) {
        if !self.first {
            self.out.push(b',');
        }
        self.first = false;
        self.out.extend_from_slice(name);
    }

    fn text(&mut self, name: &[u8], value: &str) {
        self.name(name);
        write_string(value, self.out);
    }

    pub(super) fn given(&mut self, name: &[u8], value: Option<&str>) {
        if let Some(value) = value {
            self.text(name, value);
        }
    }

    /// Writes a text that has nothing to escape.
    pub(super) fn plain(&mut self, name: &[u8], value: &str) {
        self.name(name);
        self.out.push(b'"');
        self.out.extend_from_slice(value.as_bytes());
        self.out.push(b'"');
    }

    fn instant(&mut self, name: &[u8], value: Timestamp) {
        self.name(name);
        self.out.push(b'"');
        write_instant(value, self.out);
        self.out.push(b'"');
    }

    pub(super) fn address(&mut self, name: &[u8], value: IpAddr) {
        self.name(name);
        // Writing to memory does not fail.
        let _ = write!(self.out, "\"{value}\"");
    }

    fn nested(&mut self, present: bool, name: &[u8], write: impl FnOnce(&mut Vec<u8>)) {
        if present {
            self.name(name);
            write(self.out);
        }
    }

    /// Writes a member whose name anybody may have chosen.
    fn open_member(&mut self, name: &str, write: impl FnOnce(&mut Vec<u8>)) {
        self.name(b"");
        write_string(name, self.out);
        self.out.push(b':');
        write(self.out);
    }

    pub(super) fn close(self) {
        self.out.push(b'}');
    }
}

fn write_action(action: &Action, out: &mut Vec<u8>) {
    let mut members = EntryWriter::open(out);
    if let Some(method) = action.method {
        members.plain(br#""method":"#, method.as_str());
    }

    members.given(br#""operation":"#, action.operation.as_deref());
    if let Some(status) = action.status {
        members.plain(br#""status":"#, status.as_str());
    }
    members.close();
}

fn write_actor(actor: &Actor, out: &mut Vec<u8>) {
    let mut members = EntryWriter::open(out);
    members.given(br#""email":"#, actor.email.as_deref());
    members.given(br#""id":"#, actor.id.as_deref());
    if let Some(address) = actor.ip_address {
        members.address(br#""ip_address":"#, address);
    }

    members.given(br#""session_id":"#, actor.session_id.as_deref());
    if let Some(kind) = actor.kind {
        members.plain(br#""type":"#, kind.as_str());
    }

    members.given(br#""user_agent":"#, actor.user_agent.as_deref());
    members.close();
}

fn write_changes(changes: &EntryChanges, out: &mut Vec<u8>) {
    let mut members = EntryWriter::open(out);
    for (name, state) in [
        (br#""after":"#.as_slice(), &changes.after),
        (br#""before":"#, &changes.before),
    ] {
        if let Some(state) = state {
            members.nested(true, name, |out| write_canonical(state, out));
        }
    }

    members.close();
}

fn write_resource(resource: &ResourceRef, out: &mut Vec<u8>) {
    let mut members = EntryWriter::open(out);
    members.given(br#""account_id":"#, resource.account_id.as_deref());
    members.given(br#""cloud_provider":"#, resource.cloud_provider.as_deref());
    members.given(br#""id":"#, resource.id.as_deref());
    members.given(br#""region":"#, resource.region.as_deref());
    members.nested(!resource.tags.is_empty(), br#""tags":"#, |out| {
        let mut tags = EntryWriter::open(out);
        resource
            .tags
            .iter()
            .for_each(|(name, value)| tags.open_member(name, |out| write_string(value, out)));
        tags.close();
    });

    members.given(br#""type":"#, resource.kind.as_deref());
    members.close();
}

/// Writes the metadata: members with a field of their own are merged with the others by name.
fn write_metadata(metadata: &Metadata, out: &mut Vec<u8>) {
    let mut members = EntryWriter::open(out);
    let mut named = NamedMembers { metadata, next: 0 };
    for (name, value) in metadata.extra.iter() {
        named.write_before(Some(name), &mut members);
        members.open_member(name, |out| write_canonical(value, out));
    }

    named.write_before(None, &mut members);
    members.close();
}

/// The members of [`Metadata::NAMED`] that are not written yet.
struct NamedMembers<'a> {
    metadata: &'a Metadata,
    next: usize,
}

impl NamedMembers<'_> {
    /// Writes those whose names come before `name`, or all.
    fn write_before(&mut self, name: Option<&str>, members: &mut EntryWriter<'_>) {
        while let Some(known) = Metadata::NAMED.get(self.next)
            && name.is_none_or(|name| utf16_order(known, name).is_lt())
        {
            match self.next {
                0 => members.text(br#""api_version":"#, &self.metadata.api_version),
                1 => members.given(br#""request_id":"#, self.metadata.request_id.as_deref()),
                _ => members.nested(!self.metadata.tags.is_empty(), br#""tags":"#, |out| {
                    write_texts(&self.metadata.tags, out);
                }),
            }
            self.next += 1;
        }
    }
}

fn write_texts(values: &[String], out: &mut Vec<u8>) {
    out.push(b'[');
    for (at, value) in values.iter().enumerate() {
        if at > 0 {
            out.push(b',');
        }
        write_string(value, out);
    }
    out.push(b']');
}

fn present<const N: usize>(members: [(&str, Option<&str>); N]) -> Object {
    members
        .into_iter()
        .filter_map(|(name, value)| Some((name.to_owned(), Json::from(value?))))
        .collect()
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
        (
            "ip_address",
            actor.ip_address.map(|ip| ip.to_string()).as_deref(),
        ),
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
        members.insert("tags", Json::object(resource.tags.iter()));
    }

    members
}

fn changes_members(changes: &EntryChanges) -> Object {
    let states = [("before", &changes.before), ("after", &changes.after)];
    states
        .into_iter()
        .filter_map(|(name, state)| Some((name.to_owned(), state.clone()?)))
        .collect()
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
