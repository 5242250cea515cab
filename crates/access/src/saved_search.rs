//! Searches that people keep, and the port of what keeps them.
//!
//! A saved search is the question alone: it is asked anew by whoever opens it, and what is found is
//! cut by the reader's own row visibility, never by the owner's. Who may open one is decided here
//! and in the store's one statement that lists them.

use std::collections::BTreeMap;

use async_trait::async_trait;

use crate::store::AccessError;
use crate::user::UserId;

/// Saved searches one user may own.
pub const MAX_SAVED_SEARCHES: u64 = 200;

/// People who may open a saved search beside its owner.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum SharedWith {
    /// The owner alone.
    #[default]
    Private,
    /// Whoever is in a team with the owner at that moment.
    Team,
    /// Every user who may search.
    Everyone,
}

impl SharedWith {
    /// Every degree of sharing, the narrowest first.
    pub const ALL: &'static [SharedWith] =
        &[SharedWith::Private, SharedWith::Team, SharedWith::Everyone];

    /// The name on the wire and in the store.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            SharedWith::Private => "private",
            SharedWith::Team => "team",
            SharedWith::Everyone => "everyone",
        }
    }

    /// From the wire name.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        SharedWith::ALL
            .iter()
            .copied()
            .find(|way| way.as_str() == text)
    }
}

/// A search that somebody keeps. Texts are as they were written, so that `now-24h` stays a
/// distance.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SavedSearch {
    pub id: String,
    /// Owner of the search.
    pub owner: UserId,
    /// Name; unique among the owner's.
    pub name: String,
    /// Purpose of the search; may be empty.
    pub description: String,
    /// In the query language; empty finds everything.
    pub query: String,
    /// Simple filters by name.
    pub filters: BTreeMap<String, String>,
    /// From this time on: RFC 3339, `now`, or a distance from it.
    pub start_time: Option<String>,
    /// Up to this time.
    pub end_time: Option<String>,
    /// Fields shown as columns, in order.
    pub columns: Vec<String>,
    /// People who may open it beside its owner.
    pub shared_with: SharedWith,
    /// Grows by one with every change.
    pub version: u64,
    /// Creation time, ms since the epoch.
    pub created_at_ms: i64,
    /// Time of the last change, ms since the epoch.
    pub updated_at_ms: i64,
}

/// Storage of saved searches.
#[async_trait]
pub trait SavedSearchStore: Send + Sync {
    /// Adds one. A name that its owner uses already, and one more than `most` of an owner, are
    /// conflicts.
    async fn saved_search_insert(&self, search: &SavedSearch, most: u64)
    -> Result<(), AccessError>;
    /// Replaces one whose stored version is one less; otherwise a conflict. The owner stays.
    async fn saved_search_update(&self, search: &SavedSearch) -> Result<(), AccessError>;
    async fn saved_search_delete(&self, id: &str) -> Result<(), AccessError>;
    /// One that the reader owns or that is shared with them; what is not does not exist.
    async fn saved_search_get(&self, id: &str, reader: &UserId)
    -> Result<SavedSearch, AccessError>;
    /// Those that the reader owns or that are shared with them, by name, then by identifier;
    /// `limit` of them from `offset` on, and how many there are in all.
    async fn saved_search_list(
        &self,
        reader: &UserId,
        limit: u64,
        offset: u64,
    ) -> Result<(Vec<SavedSearch>, u64), AccessError>;
}
