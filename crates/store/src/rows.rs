//! Row formats: the content of `document` columns.
//!
//! A domain type is its own row wherever its form is the stored one: it derives its form where it
//! is defined. A row has a type of its own here where the stored form differs, or where columns
//! beside the document have a part of it.
//!
//! A document is `{"v": 1, "row": {...}}`. A field that is added later has a serde default, so that
//! older documents continue reading; a change that cannot be read that way raises `v` and keeps the
//! old format's reader. A document with a higher `v` than this program knows is refused. Every
//! format version has a fixture in the tests.

pub(crate) mod action;
pub(crate) mod alert;
pub(crate) mod anomaly;
pub(crate) mod channel;
pub(crate) mod connection;
pub(crate) mod credentials;
pub(crate) mod delivery;
pub(crate) mod export;
pub(crate) mod metric_source;
pub(crate) mod model;
pub(crate) mod predictive;
pub(crate) mod price_file;
pub(crate) mod recommendation;
pub(crate) mod saved_search;
pub(crate) mod session;
pub(crate) mod token;
pub(crate) mod user;
pub(crate) mod webhook;
pub(crate) mod workspace;

use jiff::Timestamp;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::fault::Fault;

/// The version every format has today.
const VERSION: u32 = 1;

/// Reason why a stored document cannot be read.
#[derive(Debug, thiserror::Error)]
pub(crate) enum RowError {
    #[error("format {0} is newer than this program")]
    Newer(u32),
    #[error("{0}")]
    Json(#[from] serde_json::Error),
    #[error("{field} has the unknown value {value:?}")]
    Unknown { field: &'static str, value: String },
    #[error("{0:?} is not a time")]
    Time(String),
}

#[derive(Serialize)]
struct Written<'r, R> {
    v: u32,
    row: &'r R,
}

#[derive(Deserialize)]
struct Version {
    v: u32,
}

#[derive(Deserialize)]
struct Read<R> {
    row: R,
}

/// The text of a document.
pub(crate) fn encode<R: Serialize>(row: &R) -> Result<String, Fault> {
    serde_json::to_string(&Written { v: VERSION, row })
        .map_err(|error| Fault::Backend(error.to_string()))
}

/// The row in a document.
pub(crate) fn decode<R: DeserializeOwned>(text: &str) -> Result<R, RowError> {
    let Version { v } = serde_json::from_str(text)?;
    if v > VERSION {
        return Err(RowError::Newer(v));
    }
    Ok(serde_json::from_str::<Read<R>>(text)?.row)
}

/// A document that cannot be read, with what it belongs to.
pub(crate) fn unreadable(noun: &'static str, id: &str) -> impl FnOnce(RowError) -> Fault {
    move |error| Fault::Backend(format!("the stored {noun} {id} cannot be read: {error}"))
}

/// A name of a closed set.
pub(crate) fn named<T>(
    field: &'static str,
    text: &str,
    parse: impl Fn(&str) -> Option<T>,
) -> Result<T, RowError> {
    parse(text).ok_or_else(|| RowError::Unknown {
        field,
        value: text.to_owned(),
    })
}

/// A time as documents have it.
pub(crate) fn time(text: &str) -> Result<Timestamp, RowError> {
    text.parse().map_err(|_| RowError::Time(text.to_owned()))
}

/// A time that may be missing.
pub(crate) fn time_or_none(text: Option<&str>) -> Result<Option<Timestamp>, RowError> {
    text.map(time).transpose()
}

/// A version for a column.
pub(crate) fn version(version: u64) -> i64 {
    i64::try_from(version).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests;
