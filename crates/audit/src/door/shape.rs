//! The known shape of an entry, read member by member without a tree in between. What each member
//! takes is said in `entry/read.rs`, the slow reader; a property test holds the two against each
//! other.

use std::borrow::Cow;
use std::str::FromStr;
use std::sync::Arc;

use jiff::Timestamp;

use super::Source;
use super::cursor::{Cursor, Fast, Unusual};
use super::open;
use crate::entry::{
    Action, Actor, EntryChanges, EventId, EventType, Metadata, ResourceRef, Severity, Submitter,
    SubmitterType, Tags, email,
};
use crate::instant::parse_instant;
use crate::json::{Json, MAX_DEPTH};

/// Members of an entry as read; `None` for those that are absent.
#[derive(Default)]
pub(super) struct Members {
    pub(super) event_id: Option<EventId>,
    pub(super) timestamp: Option<Timestamp>,
    pub(super) event_type: Option<EventType>,
    pub(super) recorded_at: Option<Timestamp>,
    pub(super) severity: Option<Severity>,
    pub(super) actor: Actor,
    pub(super) resource: ResourceRef,
    pub(super) action: Action,
    pub(super) changes: EntryChanges,
    pub(super) metadata: Metadata,
    pub(super) submitted_by: Option<Arc<Submitter>>,
}

/// Set of the members already read. A member that occurs twice is left to the slow reader, which
/// reports it.
#[derive(Default)]
struct Seen(u16);

impl Seen {
    #[inline]
    fn once(&mut self, member: u16) -> Fast<()> {
        let bit = 1 << member;
        if self.0 & bit != 0 {
            return Err(Unusual);
        }
        self.0 |= bit;
        Ok(())
    }
}

/// Reads the next object.
pub(super) fn entry(cursor: &mut Cursor<'_>, source: Source) -> Fast<Members> {
    let (mut all, mut seen) = (Members::default(), Seen::default());
    cursor.members(|cursor, name| match &*name {
        "event_id" => seen.once(0).and_then(|()| {
            let text = text(cursor)?;
            all.event_id = text
                .map(|text| EventId::new(text).map_err(|_| Unusual))
                .transpose()?;
            Ok(())
        }),
        "timestamp" => seen
            .once(1)
            .and_then(|()| set(&mut all.timestamp, instant(cursor))),
        "event_type" => seen.once(2).and_then(|()| {
            all.event_type = Some(EventType::new(cursor.string()?).map_err(|_| Unusual)?);
            Ok(())
        }),
        "severity" => seen
            .once(3)
            .and_then(|()| set(&mut all.severity, named(cursor))),
        "actor" => seen.once(4).and_then(|()| actor(cursor, &mut all.actor)),
        "resource" => seen
            .once(5)
            .and_then(|()| resource(cursor, &mut all.resource)),
        "action" => seen.once(6).and_then(|()| action(cursor, &mut all.action)),
        "changes" => seen
            .once(7)
            .and_then(|()| changes(cursor, source, &mut all.changes)),
        "metadata" => seen
            .once(8)
            .and_then(|()| metadata(cursor, source, &mut all.metadata)),
        "recorded_at" if source == Source::Stored => seen
            .once(9)
            .and_then(|()| set(&mut all.recorded_at, instant(cursor))),
        "submitted_by" if source == Source::Stored => seen
            .once(10)
            .and_then(|()| set(&mut all.submitted_by, submitter(cursor).map(Some))),
        _ => Err(Unusual),
    })?;

    Ok(all)
}

#[inline]
fn set<T>(place: &mut T, value: Fast<T>) -> Fast<()> {
    *place = value?;
    Ok(())
}

/// A text; `null` and the empty one count as absent.
#[inline]
fn text<'a>(cursor: &mut Cursor<'a>) -> Fast<Option<Cow<'a, str>>> {
    if cursor.takes_null()? {
        return Ok(None);
    }
    Ok(Some(cursor.string()?).filter(|text| !text.is_empty()))
}

#[inline]
fn owned(cursor: &mut Cursor<'_>) -> Fast<Option<String>> {
    Ok(text(cursor)?.map(Cow::into_owned))
}

#[inline]
fn named<T: FromStr>(cursor: &mut Cursor<'_>) -> Fast<Option<T>> {
    text(cursor)?
        .map(|text| text.parse().map_err(|_| Unusual))
        .transpose()
}

fn instant(cursor: &mut Cursor<'_>) -> Fast<Option<Timestamp>> {
    text(cursor)?
        .map(|text| parse_instant(&text).map_err(|_| Unusual))
        .transpose()
}

fn actor(cursor: &mut Cursor<'_>, actor: &mut Actor) -> Fast<()> {
    if cursor.takes_null()? {
        return Ok(());
    }

    let mut seen = Seen::default();
    cursor.members(|cursor, name| match &*name {
        "type" => seen
            .once(0)
            .and_then(|()| set(&mut actor.kind, named(cursor))),
        "id" => seen
            .once(1)
            .and_then(|()| set(&mut actor.id, owned(cursor))),
        "email" => seen.once(2).and_then(|()| {
            actor.email = text(cursor)?
                .map(|text| email(&text).map_err(|_| Unusual))
                .transpose()?;
            Ok(())
        }),
        "ip_address" => seen
            .once(3)
            .and_then(|()| set(&mut actor.ip_address, named(cursor))),
        "user_agent" => seen
            .once(4)
            .and_then(|()| set(&mut actor.user_agent, owned(cursor))),
        "session_id" => seen
            .once(5)
            .and_then(|()| set(&mut actor.session_id, owned(cursor))),
        _ => Err(Unusual),
    })
}

fn resource(cursor: &mut Cursor<'_>, resource: &mut ResourceRef) -> Fast<()> {
    if cursor.takes_null()? {
        return Ok(());
    }

    let mut seen = Seen::default();
    cursor.members(|cursor, name| match &*name {
        "type" => seen
            .once(0)
            .and_then(|()| set(&mut resource.kind, owned(cursor))),
        "id" => seen
            .once(1)
            .and_then(|()| set(&mut resource.id, owned(cursor))),
        "cloud_provider" => seen
            .once(2)
            .and_then(|()| set(&mut resource.cloud_provider, owned(cursor))),
        "account_id" => seen
            .once(3)
            .and_then(|()| set(&mut resource.account_id, owned(cursor))),
        "region" => seen
            .once(4)
            .and_then(|()| set(&mut resource.region, owned(cursor))),
        "tags" => seen
            .once(5)
            .and_then(|()| set(&mut resource.tags, tags(cursor))),
        _ => Err(Unusual),
    })
}

/// Most entries are Reeve's own or of one submitter; the former share one value.
fn submitter(cursor: &mut Cursor<'_>) -> Fast<Arc<Submitter>> {
    let (mut kind, mut submitter, mut seen) =
        (None, Submitter::new(SubmitterType::Reeve), Seen::default());
    cursor.members(|cursor, name| match &*name {
        "type" => seen.once(0).and_then(|()| set(&mut kind, named(cursor))),
        "id" => seen
            .once(1)
            .and_then(|()| set(&mut submitter.id, owned(cursor))),
        "email" => seen
            .once(2)
            .and_then(|()| set(&mut submitter.email, owned(cursor))),
        "ip_address" => seen
            .once(3)
            .and_then(|()| set(&mut submitter.ip_address, named(cursor))),
        "session_id" => seen
            .once(4)
            .and_then(|()| set(&mut submitter.session_id, owned(cursor))),
        "token_id" => seen
            .once(5)
            .and_then(|()| set(&mut submitter.token_id, owned(cursor))),
        "token_name" => seen
            .once(6)
            .and_then(|()| set(&mut submitter.token_name, owned(cursor))),
        _ => Err(Unusual),
    })?;

    submitter.kind = kind.ok_or(Unusual)?;
    let own = Submitter::reeve();
    Ok(if *own == submitter {
        own
    } else {
        Arc::new(submitter)
    })
}

fn tags(cursor: &mut Cursor<'_>) -> Fast<Tags> {
    if cursor.takes_null()? {
        return Ok(Tags::new());
    }

    let mut tags = Vec::new();
    cursor.members(|cursor, name| {
        tags.push((name.into_owned(), cursor.string()?.into_owned()));
        Ok(())
    })?;
    Tags::distinct(tags).ok_or(Unusual)
}

fn action(cursor: &mut Cursor<'_>, action: &mut Action) -> Fast<()> {
    if cursor.takes_null()? {
        return Ok(());
    }

    let mut seen = Seen::default();
    cursor.members(|cursor, name| match &*name {
        "operation" => seen
            .once(0)
            .and_then(|()| set(&mut action.operation, owned(cursor))),
        "status" => seen
            .once(1)
            .and_then(|()| set(&mut action.status, named(cursor))),
        "method" => seen
            .once(2)
            .and_then(|()| set(&mut action.method, named(cursor))),
        _ => Err(Unusual),
    })
}

fn changes(cursor: &mut Cursor<'_>, source: Source, changes: &mut EntryChanges) -> Fast<()> {
    if cursor.takes_null()? {
        return Ok(());
    }

    let mut seen = Seen::default();
    cursor.members(|cursor, name| match &*name {
        "before" => seen
            .once(0)
            .and_then(|()| set(&mut changes.before, state(cursor, source))),
        "after" => seen
            .once(1)
            .and_then(|()| set(&mut changes.after, state(cursor, source))),
        _ => Err(Unusual),
    })
}

/// An object or `null`; the entry and `changes` are two levels above.
fn state(cursor: &mut Cursor<'_>, source: Source) -> Fast<Option<Json>> {
    if cursor.takes_null()? {
        return Ok(Some(Json::Null));
    }
    open::object(cursor, source, MAX_DEPTH - 2).map(|object| Some(Json::Object(object)))
}

fn metadata(cursor: &mut Cursor<'_>, source: Source, metadata: &mut Metadata) -> Fast<()> {
    if cursor.takes_null()? {
        return Ok(());
    }

    let (mut seen, mut extra) = (Seen::default(), Vec::new());
    cursor.members(|cursor, name| match &*name {
        "request_id" => seen
            .once(0)
            .and_then(|()| set(&mut metadata.request_id, owned(cursor))),
        "api_version" => seen.once(1).and_then(|()| {
            if let Some(version) = text(cursor)?
                && version != Metadata::API_VERSION
            {
                metadata.api_version = version.into_owned();
            }
            Ok(())
        }),
        "tags" => seen
            .once(2)
            .and_then(|()| set(&mut metadata.tags, labels(cursor))),
        _ => {
            extra.push((
                name.into_owned(),
                open::value(cursor, source, MAX_DEPTH - 2)?,
            ));
            Ok(())
        }
    })?;

    set(&mut metadata.extra, open::distinct(extra))
}

fn labels(cursor: &mut Cursor<'_>) -> Fast<Vec<String>> {
    let mut labels = Vec::new();
    if !cursor.takes_null()? {
        cursor.elements(|cursor| {
            labels.push(cursor.string()?.into_owned());
            Ok(())
        })?;
    }

    labels.shrink_to_fit();
    Ok(labels)
}
