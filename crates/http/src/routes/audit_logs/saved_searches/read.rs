//! From what was sent to a saved search: nothing is kept that could not be asked.

use jiff::Timestamp;
use reeve_access::{SavedSearch, SharedWith, UserId};
use reeve_audit::FieldCode;
use reeve_audit::query::FieldPath;

use crate::error::Problem;
use crate::routes::audit_logs::ask;
use crate::routes::audit_logs::ask::Asked;
use crate::wire::log::saved_search::{SavedSearchCreate, SavedSearchPatch, SavedSearchPut};
use crate::wire::log::search::FiltersBody;

const MAX_NAME: usize = 100;
const MAX_DESCRIPTION: usize = 1000;
const MAX_COLUMNS: usize = 50;
const MAX_COLUMN_BYTES: usize = 256;

/// Columns that are not fields of the query language.
const OTHER_COLUMNS: [&str; 2] = ["sequence", "integrity.hash"];

/// A new one; identifier, owner, version and times are the caller's to set.
pub(super) fn created(given: SavedSearchCreate, now: Timestamp) -> Result<SavedSearch, Problem> {
    let search = SavedSearch {
        id: String::new(),
        owner: UserId(String::new()),
        name: given.name,
        description: given.description,
        query: given.query,
        filters: filters(&given.filters),
        start_time: given.start_time,
        end_time: given.end_time,
        columns: given.columns,
        shared_with: given.shared_with.map_or(SharedWith::Private, |way| way.0),
        version: 0,
        created_at_ms: 0,
        updated_at_ms: 0,
    };
    checked(search, &given.filters, now)
}

/// In place of another.
pub(super) fn put(
    before: &SavedSearch,
    given: SavedSearchPut,
    now: Timestamp,
) -> Result<SavedSearch, Problem> {
    let search = SavedSearch {
        name: given.name,
        description: given.description,
        query: given.query,
        filters: filters(&given.filters),
        start_time: given.start_time,
        end_time: given.end_time,
        columns: given.columns,
        shared_with: given.shared_with.map_or(SharedWith::Private, |way| way.0),
        ..next(before, now)
    };
    checked(search, &given.filters, now)
}

/// With some of it changed.
pub(super) fn patched(
    before: &SavedSearch,
    given: SavedSearchPatch,
    now: Timestamp,
) -> Result<SavedSearch, Problem> {
    let mut search = next(before, now);
    let filter_body = given
        .filters
        .unwrap_or_else(|| FiltersBody::new(&search.filters));
    search.filters = filters(&filter_body);
    if let Some(way) = given.shared_with {
        search.shared_with = way.0;
    }

    let set = |slot: &mut String, text: Option<String>| {
        if let Some(text) = text {
            *slot = text;
        }
    };
    set(&mut search.name, given.name);

    set(&mut search.description, given.description);
    set(&mut search.query, given.query);
    search.start_time = given.start_time.unwrap_or(search.start_time);
    search.end_time = given.end_time.unwrap_or(search.end_time);
    search.columns = given.columns.unwrap_or(search.columns);

    checked(search, &filter_body, now)
}

fn next(before: &SavedSearch, now: Timestamp) -> SavedSearch {
    SavedSearch {
        version: before.version + 1,
        updated_at_ms: now.as_millisecond(),
        ..before.clone()
    }
}

fn filters(body: &FiltersBody) -> std::collections::BTreeMap<String, String> {
    body.given()
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .collect()
}

/// The same, tidied, once all of it holds.
fn checked(
    mut search: SavedSearch,
    filters: &FiltersBody,
    now: Timestamp,
) -> Result<SavedSearch, Problem> {
    search.name = search.name.trim().to_owned();
    if search.name.is_empty()
        || search.name.chars().count() > MAX_NAME
        || search.name.contains(char::is_control)
    {
        return Err(Problem::field(
            "name",
            FieldCode::InvalidValue,
            format!("must have 1 to {MAX_NAME} characters on one line"),
        ));
    }

    if search.description.chars().count() > MAX_DESCRIPTION {
        return Err(Problem::field(
            "description",
            FieldCode::TooLong,
            format!("may have {MAX_DESCRIPTION} characters"),
        ));
    }

    search.start_time = search.start_time.filter(|text| !text.is_empty());
    search.end_time = search.end_time.filter(|text| !text.is_empty());
    let asked = Asked {
        query: Some(&search.query),
        start_time: search.start_time.as_deref(),
        end_time: search.end_time.as_deref(),
        filters,
    };
    ask::read(&asked, now)?;

    if search.columns.len() > MAX_COLUMNS {
        return Err(Problem::field(
            "columns",
            FieldCode::TooMany,
            format!("name at most {MAX_COLUMNS}"),
        ));
    }

    for (at, column) in search.columns.iter().enumerate() {
        let known = OTHER_COLUMNS.contains(&column.as_str()) || column.parse::<FieldPath>().is_ok();
        if !known || column.len() > MAX_COLUMN_BYTES {
            return Err(Problem::field(
                format!("columns[{at}]"),
                FieldCode::UnknownColumn,
                "is not a field of an entry",
            ));
        }
    }

    Ok(search)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn read(json: serde_json::Value) -> Result<SavedSearch, Problem> {
        created(serde_json::from_value(json).unwrap(), Timestamp::UNIX_EPOCH)
    }

    #[test]
    fn what_cannot_be_asked_is_not_kept() {
        let long = "x".repeat(1001);
        for (json, field) in [
            (serde_json::json!({ "name": " " }), "name"),
            (serde_json::json!({ "name": &long[..101] }), "name"),
            (serde_json::json!({ "name": "a\nb" }), "name"),
            (
                serde_json::json!({ "name": "a", "description": long }),
                "description",
            ),
            (
                serde_json::json!({ "name": "a", "start_time": "yesterday" }),
                "start_time",
            ),
            (
                serde_json::json!({ "name": "a", "start_time": "now", "end_time": "now-1h" }),
                "start_time",
            ),
            (
                serde_json::json!({ "name": "a", "filters": { "status": "faild" } }),
                "filters.status",
            ),
            (
                serde_json::json!({ "name": "a", "columns": ["user", "no.such"] }),
                "columns[1]",
            ),
            (
                serde_json::json!({ "name": "a", "columns": vec!["user"; 51] }),
                "columns",
            ),
        ] {
            assert_eq!(
                read(json.clone()).unwrap_err().body().errors[0].field,
                field,
                "{json}"
            );
        }

        let friends = serde_json::json!({ "name": "a", "shared_with": "friends" });
        let refused = serde_json::from_value::<SavedSearchCreate>(friends).unwrap_err();
        assert!(
            refused
                .to_string()
                .contains("must be one of private, team, everyone"),
            "{refused}"
        );

        let wrong = read(serde_json::json!({ "name": "a", "query": "é usr:x" })).unwrap_err();
        assert_eq!(
            (wrong.body().code.as_str(), wrong.body().position),
            ("invalid_query", Some(2))
        );

        let whole = serde_json::json!({ "name": " Failures ", "query": "status:failed timestamp:>now-24h",
            "filters": { "ip": "10.0.0.0/8" }, "start_time": "now-7d", "end_time": "", "columns": ["sequence", "tags.env"] });
        let kept = read(whole).unwrap();
        assert_eq!(
            (kept.name.as_str(), kept.end_time, kept.shared_with),
            ("Failures", None, SharedWith::Private)
        );
        assert_eq!(
            (kept.query.as_str(), kept.start_time.as_deref()),
            ("status:failed timestamp:>now-24h", Some("now-7d"))
        );
        assert_eq!(
            kept.filters.get("ip_address").map(String::as_str),
            Some("10.0.0.0/8")
        );
    }

    #[test]
    fn a_change_changes_what_it_names() {
        let before =
            read(serde_json::json!({ "name": "a", "query": "x", "start_time": "now-7d", "filters": { "user": "u" } }))
                .unwrap();
        let patch = |json| {
            patched(
                &before,
                serde_json::from_value(json).unwrap(),
                Timestamp::UNIX_EPOCH,
            )
            .unwrap()
        };
        let same = patch(serde_json::json!({ "version": 0 }));

        assert_eq!(
            same,
            SavedSearch {
                version: 1,
                ..before.clone()
            }
        );

        let changed = patch(
            serde_json::json!({ "version": 0, "start_time": null, "filters": {}, "shared_with": "team" }),
        );
        assert_eq!(
            (
                changed.start_time,
                changed.filters.len(),
                changed.shared_with
            ),
            (None, 0, SharedWith::Team)
        );

        assert_eq!(changed.query, "x");
    }
}
