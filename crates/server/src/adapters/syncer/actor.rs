//! Actors of changes that a sync sees, from the provider's own activity in the log.
//!
//! A sync sees that a resource changed, not who changed it. Where the provider's activity is in the
//! log (CloudTrail files, entries that others append), or an action of Reeve's own, the newest
//! matching entry since the last sync says so.

use std::sync::atomic::{AtomicUsize, Ordering};

use jiff::Timestamp;

use reeve_audit::query::{Bound, Expr, FieldPath, Match, Query, QueryColumn, QueryComparison};
use reeve_audit::{Entry, Json, events};
use reeve_estate::StoreError;
use reeve_recommend::ports::{LogReader, Recorder};

/// Changes of one sync whose actor is looked up at most: each is a search of the log.
const MOST_LOOKUPS: usize = 200;

/// Looks up the actors of one sync's changes.
pub(super) struct Actors<'s> {
    log: &'s dyn LogReader,
    since: Option<Timestamp>,
    lookups: AtomicUsize,
}

impl<'s> Actors<'s> {
    /// Over the log, from the start of the last sync.
    pub(super) fn since(log: &'s dyn LogReader, since: Option<Timestamp>) -> Self {
        Actors {
            log,
            since,
            lookups: AtomicUsize::new(0),
        }
    }

    /// Adds to each entry who made the change, where the log says so.
    pub(super) async fn name(&self, entries: Vec<Entry>) -> Vec<Entry> {
        let Some(since) = self.since else {
            return entries;
        };

        let mut named = Vec::with_capacity(entries.len());
        for entry in entries {
            let cause = if self.lookups.fetch_add(1, Ordering::Relaxed) < MOST_LOOKUPS {
                self.cause(&entry, since).await
            } else {
                None
            };
            named.push(match cause {
                Some(cause) => attributed(entry, &cause),
                None => entry,
            });
        }

        named
    }

    /// Records entries with their actors. The log comes before the store: a crash in between tells
    /// of a change twice rather than never.
    pub(super) async fn record(
        &self,
        recorder: &dyn Recorder,
        entries: Vec<Entry>,
    ) -> Result<(), StoreError> {
        if entries.is_empty() {
            return Ok(());
        }

        let entries = self.name(entries).await;
        recorder
            .record(entries)
            .await
            .map_err(|error| StoreError::Backend(error.to_string()))
    }

    async fn cause(&self, entry: &Entry, since: Timestamp) -> Option<Entry> {
        let id = entry.resource.id.clone()?;
        let kinds = [
            &events::RESOURCE_CREATE,
            &events::RESOURCE_MODIFY,
            &events::RESOURCE_DELETE,
            &events::RESOURCE_TAG,
            &events::RESOURCE_STATE,
            &events::RESOURCE_STATE_CHANGE,
        ];
        let kinds = kinds
            .map(|kind| Expr::field(QueryColumn::EventType, Match::Exact(kind.name.to_owned())));

        let query = Query {
            expr: Expr::and([
                Expr::field(QueryColumn::ResourceId, Match::Identical(id)),
                Expr::field(
                    QueryColumn::Timestamp,
                    Match::Compare(QueryComparison::AtLeast, Bound::Time(since)),
                ),
                Expr::or(kinds),
                Expr::negate(Expr::field(
                    FieldPath::MetadataTags,
                    Match::Exact(events::OBSERVED.to_owned()),
                )),
            ]),
        };

        match self.log.newest(query, 1).await {
            Ok(found) => found.into_iter().next().map(|(_, entry)| entry),
            Err(error) => {
                tracing::warn!(%error, "the actor of a change could not be looked up");
                None
            }
        }
    }
}

fn attributed(entry: Entry, cause: &Entry) -> Entry {
    let actor = &cause.actor;
    let members = [
        ("type", actor.kind.map(|kind| kind.as_str().to_owned())),
        ("id", actor.id.clone()),
        ("email", actor.email.clone()),
    ];

    let members = members
        .into_iter()
        .filter_map(|(name, value)| Some((name, Json::from(value?))));
    entry
        .with_metadata("changed_by", Json::object(members))
        .with_metadata("caused_by", Json::from(cause.event_id.to_string()))
}
