//! A saved search: what has no column.

use std::collections::BTreeMap;

use reeve_access::SavedSearch;
use serde::{Deserialize, Serialize};

/// Members of a saved search that have no column.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct SavedSearchRow {
    pub(crate) description: String,
    pub(crate) query: String,
    pub(crate) filters: BTreeMap<String, String>,
    pub(crate) start_time: Option<String>,
    pub(crate) end_time: Option<String>,
    pub(crate) columns: Vec<String>,
}

impl From<&SavedSearch> for SavedSearchRow {
    fn from(search: &SavedSearch) -> Self {
        SavedSearchRow {
            description: search.description.clone(),
            query: search.query.clone(),
            filters: search.filters.clone(),
            start_time: search.start_time.clone(),
            end_time: search.end_time.clone(),
            columns: search.columns.clone(),
        }
    }
}
