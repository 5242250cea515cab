//! Lists of values that people keep for queries: known addresses, important people, hosts under
//! suspicion.
//!
//! A query compares a field with a list by its name (`actor.ip_address:@known_addresses`). The list
//! means the values that it has when the query is asked; an alert rule judges each entry by the
//! values at the time when it is evaluated.

use std::collections::BTreeMap;
use std::net::IpAddr;
use std::sync::Arc;

use async_trait::async_trait;
use reeve_audit::query::{Query, ValueList as Values, network};
use reeve_audit::{FieldCode, FieldError};

use crate::store::AccessError;

/// Lists that an installation may have.
pub const MAX_VALUE_LISTS: u64 = 200;
/// Values that a list may have.
pub const MAX_LIST_VALUES: usize = 10_000;
/// Bytes that a value may have.
pub const MAX_LIST_VALUE_BYTES: usize = 1024;
/// Characters that the name of a list may have.
const MAX_NAME: usize = 64;
/// Characters that a description may have.
const MAX_DESCRIPTION: usize = 500;
/// Wrong values that are named at most.
const MAX_ERRORS: usize = 20;

/// A list of values.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ValueList {
    /// Name in queries: letters, digits, `_`, `-` and `.`.
    pub name: String,
    /// Purpose of the list; may be empty.
    pub description: String,
    /// Addresses, networks and texts, in order, none twice.
    pub values: Vec<String>,
    /// Grows with each change; the first is 1.
    pub version: u64,
    /// Time of the last change, milliseconds since 1970.
    pub updated_at_ms: i64,
    /// E-mail address of the user who made the last change.
    pub updated_by: String,
}

impl ValueList {
    /// Reads a list as somebody sent it. Values are trimmed, sorted, and kept once.
    ///
    /// # Errors
    /// Every failing field: `name`, `description`, `values`, or `values[INDEX]` for the first
    /// twenty wrong values.
    pub fn read(name: &str, description: &str, values: &[String]) -> Result<Self, Vec<FieldError>> {
        let mut errors = Vec::new();
        let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.');
        if name.is_empty()
            || name.len() > MAX_NAME
            || !name.chars().all(plain)
            || name.parse::<IpAddr>().is_ok()
        {
            let message = format!(
                "must have 1 to {MAX_NAME} letters, digits, `_`, `-` or `.`, and be no address"
            );
            errors.push(FieldError::new("name", FieldCode::InvalidValue, message));
        }

        if description.chars().count() > MAX_DESCRIPTION {
            let message = format!("may have at most {MAX_DESCRIPTION} characters");
            errors.push(FieldError::new("description", FieldCode::TooLong, message));
        }

        if values.len() > MAX_LIST_VALUES {
            let message = format!(
                "may have at most {MAX_LIST_VALUES} values, not {}",
                values.len()
            );
            errors.push(FieldError::new("values", FieldCode::TooMany, message));
        }

        let wrong = values.iter().enumerate().filter_map(|(at, value)| {
            let reason = unfit(value.trim())?;
            Some(FieldError::new(
                format!("values[{at}]"),
                FieldCode::InvalidValue,
                reason,
            ))
        });
        errors.extend(wrong.take(MAX_ERRORS));

        if !errors.is_empty() {
            return Err(errors);
        }

        let mut values: Vec<String> = values.iter().map(|value| value.trim().to_owned()).collect();
        values.sort_unstable();
        values.dedup();
        let (name, description) = (name.to_owned(), description.to_owned());

        Ok(ValueList {
            name,
            description,
            values,
            version: 1,
            updated_at_ms: 0,
            updated_by: String::new(),
        })
    }
}

/// Returns the reason why a value cannot be on a list, if there is one.
fn unfit(value: &str) -> Option<String> {
    if value.is_empty() || value.len() > MAX_LIST_VALUE_BYTES || value.contains(char::is_control) {
        return Some(format!(
            "must have 1 to {MAX_LIST_VALUE_BYTES} bytes on one line"
        ));
    }

    let (address, _) = value.split_once('/')?;
    // An address with a wrong prefix would quietly be a text that is never found.
    (address.parse::<IpAddr>().is_ok() && network(value).is_none())
        .then(|| "must be an address, a network such as 10.0.0.0/8, or a text".to_owned())
}

/// Keeps lists of values.
#[async_trait]
pub trait ValueListStore: Send + Sync {
    /// All lists by name.
    async fn value_list_all(&self) -> Result<Vec<ValueList>, AccessError>;
    async fn value_list_get(&self, name: &str) -> Result<ValueList, AccessError>;
    /// Adds a list of version 1, or replaces the one whose version is one less.
    async fn value_list_put(&self, list: &ValueList) -> Result<(), AccessError>;
    async fn value_list_delete(&self, name: &str) -> Result<(), AccessError>;
    /// Values that a name means in a query: those of a list, or the networks of a threat list after
    /// `threat:`.
    async fn named_values(&self, name: &str) -> Result<Vec<String>, AccessError>;
}

/// Reason why a query that compares with lists has no meaning.
#[derive(Debug, thiserror::Error)]
pub enum ListError {
    /// The query names a list that does not exist.
    #[error("there is no list `{0}`")]
    Unknown(String),
    /// The lists could not be read.
    #[error(transparent)]
    Store(AccessError),
}

/// Returns the values that lists have now, by the names that queries give them.
///
/// # Errors
/// A list does not exist, or could not be read.
pub async fn named_lists(
    store: &dyn ValueListStore,
    names: impl IntoIterator<Item = &str>,
) -> Result<BTreeMap<String, Vec<String>>, ListError> {
    let mut lists = BTreeMap::new();
    for name in names {
        let values = store
            .named_values(name)
            .await
            .map_err(|error| match error {
                AccessError::NotFound { .. } => ListError::Unknown(name.to_owned()),
                error => ListError::Store(error),
            })?;
        lists.insert(name.to_owned(), values);
    }

    Ok(lists)
}

/// Returns the query with the values that its lists have now.
///
/// # Errors
/// A list does not exist, or could not be read.
pub async fn with_lists(store: &dyn ValueListStore, query: &Query) -> Result<Query, ListError> {
    let lists = named_lists(store, query.expr.lists()).await?;
    let values = lists.into_iter().map(|(name, values)| {
        let values = Values::new(values.iter().map(String::as_str));
        (name, Arc::new(values))
    });
    let values = values.collect();

    query
        .with_lists(&values)
        .map_err(|error| ListError::Unknown(error.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fields(name: &str, values: &[&str]) -> Vec<String> {
        let values: Vec<String> = values.iter().map(|value| (*value).to_owned()).collect();
        let errors = ValueList::read(name, "", &values).err().unwrap_or_default();
        errors.into_iter().map(|error| error.path).collect()
    }

    #[test]
    fn values_are_kept_once_and_wrong_ones_are_named() {
        let values = [" b ", "10.0.0.0/8", "a", "b"].map(str::to_owned);
        let list = ValueList::read("known", "", &values).map(|list| list.values);
        assert_eq!(
            list,
            Ok(vec![
                "10.0.0.0/8".to_owned(),
                "a".to_owned(),
                "b".to_owned()
            ])
        );

        assert_eq!(
            fields("known", &["a/b", "arn:aws:x/y"]),
            Vec::<String>::new()
        );
        assert_eq!(
            fields("known", &["a", "", "10.0.0.0/33"]),
            ["values[1]", "values[2]"]
        );
        for name in ["", "a b", "10.0.0.1", "threat:x", &"x".repeat(65)] {
            assert_eq!(fields(name, &[]), ["name"]);
        }

        let many = vec!["x"; MAX_LIST_VALUES + 1];
        assert_eq!(fields("known", &many), ["values"]);
    }
}
