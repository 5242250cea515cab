//! Saved searches on the wire.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::wire::form::enumeration::SavedSearchSharing;
use crate::wire::form::given;
use crate::wire::log::search::FiltersBody;

/// A saved search. Whoever opens it sees what they may see, never what its owner may.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct SavedSearchBody {
    pub id: String,
    pub name: String,
    pub description: String,
    /// In the query language.
    pub query: String,
    /// Filters by field; an entry must match all of them.
    pub filters: FiltersBody,
    /// From this time on: RFC 3339, `now`, or a distance from it such as `now-24h`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub start_time: Option<String>,
    /// Up to this time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub end_time: Option<String>,
    /// Fields shown as columns, in order; empty leaves it to the reader.
    pub columns: Vec<String>,
    pub shared_with: SavedSearchSharing,
    /// The owner's user id.
    pub owner_id: String,
    pub owner_name: String,
    /// `true` if the caller owns it.
    pub own: bool,
    /// Grows with every change; a change names the version it was made from.
    pub version: u64,
    pub created_at: String,
    /// Time of the last change.
    pub updated_at: String,
}

/// A new saved search.
#[derive(Debug, Clone, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct SavedSearchCreate {
    /// Name, 1 to 100 characters, unique among one's own.
    pub name: String,
    /// Purpose, at most 1000 characters.
    #[serde(default)]
    pub description: String,
    /// In the query language; empty finds everything.
    #[serde(default)]
    pub query: String,
    /// Filters by field; an entry must match all of them.
    #[serde(default)]
    pub filters: FiltersBody,
    /// From this time on: RFC 3339, `now`, or a distance from it such as `now-24h`.
    pub start_time: Option<String>,
    /// Up to this time.
    pub end_time: Option<String>,
    /// Fields to show as columns, at most 50.
    #[serde(default)]
    pub columns: Vec<String>,
    /// `private` (default), `team` or `everyone`.
    pub shared_with: Option<SavedSearchSharing>,
}

/// A saved search in place of another.
#[derive(Debug, Clone, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct SavedSearchPut {
    /// The version that was read.
    pub version: u64,
    /// Name, 1 to 100 characters, unique among one's own.
    pub name: String,
    /// Purpose, at most 1000 characters.
    #[serde(default)]
    pub description: String,
    /// In the query language; empty finds everything.
    #[serde(default)]
    pub query: String,
    /// Filters by field; an entry must match all of them.
    #[serde(default)]
    pub filters: FiltersBody,
    /// From this time on.
    pub start_time: Option<String>,
    /// Up to this time.
    pub end_time: Option<String>,
    /// Fields to show as columns, at most 50.
    #[serde(default)]
    pub columns: Vec<String>,
    /// `private` (default), `team` or `everyone`.
    pub shared_with: Option<SavedSearchSharing>,
}

/// A change of a saved search. What is left out stays.
#[derive(Debug, Clone, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct SavedSearchPatch {
    /// The version that was read.
    pub version: u64,
    pub name: Option<String>,
    pub description: Option<String>,
    /// In the query language.
    pub query: Option<String>,
    /// Simple filters, all of them anew.
    pub filters: Option<FiltersBody>,
    /// From this time on; null takes the bound away.
    #[serde(default, deserialize_with = "given")]
    #[schema(value_type = Option<String>)]
    pub start_time: Option<Option<String>>,
    /// Up to this time; null takes the bound away.
    #[serde(default, deserialize_with = "given")]
    #[schema(value_type = Option<String>)]
    pub end_time: Option<Option<String>>,
    /// Fields to show as columns.
    pub columns: Option<Vec<String>>,
    /// `private`, `team` or `everyone`.
    pub shared_with: Option<SavedSearchSharing>,
}
