//! Every query of a compliance template that rests on Reeve's own entries, held against entries
//! that the drivers of the catalogue recorded in a running service.
//!
//! `fixtures/evidence.toml` says which group of drivers answers a query. A query that none answers
//! is listed there with the reason, so that neither list changes unnoticed.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use reeve_audit::query::Query;
use reeve_reports::{EventSource, templates};
use reeve_testkit::http::{Api, encoded};
use serde::Deserialize;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Evidence {
    /// Queries by the group of drivers whose entries answer them.
    recorded: BTreeMap<String, Vec<String>>,
    /// Queries that no driver's entry answers, with the reason.
    unrecorded: BTreeMap<String, String>,
}

fn evidence() -> Evidence {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/evidence.toml");
    toml::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
}

/// Queries of all templates that can be answered by an entry of Reeve's own.
fn asked() -> BTreeSet<&'static str> {
    let controls = templates().iter().flat_map(|template| &template.controls);
    controls
        .flat_map(|control| control.evidence.iter().chain(&control.exceptions))
        .filter(|question| question.sources.contains(&EventSource::Reeve))
        .map(|question| question.text.as_str())
        .collect()
}

/// Returns `true` if the log has an entry of Reeve's own that a report would count as an answer.
async fn is_answered(api: &Api, text: &str) -> bool {
    let query = Query::parse(text).unwrap();
    // As reports count: an intent and its outcome are one.
    let outcomes = if query.clone().counting_outcomes() == query {
        ""
    } else {
        "-status:pending"
    };

    let query = format!("submitted_by.type:reeve {outcomes} ({text})");
    let path = format!("audit-logs?limit=1&query={}", encoded(&query));
    !api.get(&path).await.expect(200).items().is_empty()
}

/// Checks that the entries of a group of drivers answer the queries that are listed for it.
pub(crate) async fn is_found(api: &Api, group: &str) {
    let mut unanswered = Vec::new();
    for text in evidence().recorded.remove(group).unwrap_or_default() {
        if !is_answered(api, &text).await {
            unanswered.push(text);
        }
    }

    assert!(
        unanswered.is_empty(),
        "no entry of {group} answers:\n{}",
        unanswered.join("\n")
    );
}

#[test]
fn every_query_about_reeve_is_answered_by_recorded_entries_or_listed_with_its_reason() {
    let Evidence {
        recorded,
        unrecorded,
    } = evidence();
    let mut listed = BTreeSet::new();
    for text in recorded.values().flatten().chain(unrecorded.keys()) {
        assert!(listed.insert(text.as_str()), "listed twice: {text}");
    }

    let asked = asked();
    let missing: Vec<_> = asked.difference(&listed).collect();
    assert!(
        missing.is_empty(),
        "asked by a template, and no driver's entries answer it: {missing:#?}"
    );

    let gone: Vec<_> = listed.difference(&asked).collect();
    assert!(
        gone.is_empty(),
        "listed, and no template asks it: {gone:#?}"
    );

    let reasons = unrecorded.values();
    assert!(reasons.into_iter().all(|reason| !reason.trim().is_empty()));
}
