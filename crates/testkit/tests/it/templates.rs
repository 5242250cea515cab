//! Every query of every compliance template, held against entries of the clouds that the template
//! names for it: CloudTrail records through the importer, and entries after the documented record
//! formats of the Azure activity log, Google Cloud audit logs and Kubernetes.
//!
//! A query that no source can answer reads as a quiet period for ever. Event types that only the
//! simulated demo writes were that.
//!
//! Records of the documentation are not records of an account. A second test takes those of real
//! AWS accounts, and `fixtures/evidence/unrecorded.toml` names each query that they do not answer,
//! with the reason.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Cursor;
use std::path::Path;

use jiff::Timestamp;
use reeve_audit::{Draft, Entry, json};
use reeve_connect_cloudtrail::{CloudtrailRecord, RecordReader, log_files, map_record, open};
use reeve_reports::{ControlQuestion, EventSource, templates};
use reeve_testkit::moto::test_data;
use serde::Deserialize;

fn lines(name: &str) -> Vec<String> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("fixtures/evidence")
        .join(name);
    let text = std::fs::read_to_string(&path).unwrap();
    text.lines()
        .filter(|line| !line.starts_with('#'))
        .map(str::to_owned)
        .collect()
}

fn now() -> Timestamp {
    "2026-11-21T00:00:00Z".parse().unwrap()
}

fn recorded(source: EventSource) -> Vec<Entry> {
    match source {
        EventSource::Aws => {
            let records = RecordReader::new(Cursor::new(
                lines("cloudtrail.jsonl").join("\n").into_bytes(),
            ))
            .unwrap();
            records.map(|record| map_record(record.unwrap())).collect()
        }
        other => {
            let read = |line: &String| Draft::from_bytes(line.as_bytes(), now()).unwrap().entry;
            lines(&format!("{}.jsonl", other.as_str()))
                .iter()
                .map(read)
                .collect()
        }
    }
}

fn questions() -> impl Iterator<Item = &'static ControlQuestion> {
    let controls = templates().iter().flat_map(|template| &template.controls);
    controls.flat_map(|control| control.evidence.iter().chain(&control.exceptions))
}

fn is_answered(question: &ControlQuestion, entries: &[Entry]) -> bool {
    let query = question.query.clone().counting_outcomes();
    entries
        .iter()
        .any(|entry| query.matches(entry, entry.timestamp, now()))
}

#[test]
fn every_query_finds_recorded_entries_of_each_source_that_it_names() {
    // The types of Reeve's own entries are held against the catalogue, which a test of the program
    // drives.
    let clouds = EventSource::ALL
        .into_iter()
        .filter(|source| *source != EventSource::Reeve);
    let entries: Vec<_> = clouds.map(|source| (source, recorded(source))).collect();
    let mut unanswered = Vec::new();

    for question in questions() {
        for (source, entries) in &entries {
            if question.sources.contains(source) && !is_answered(question, entries) {
                unanswered.push(format!("{}: {}", source.as_str(), question.text));
            }
        }
    }

    unanswered.sort();
    unanswered.dedup();
    assert!(
        unanswered.is_empty(),
        "{} queries without an entry:\n{}",
        unanswered.len(),
        unanswered.join("\n")
    );
}

/// Queries that no record of a real account answers.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Unrecorded {
    /// Reason for readers of the list.
    reason: String,
    queries: BTreeSet<String>,
}

fn unrecorded() -> BTreeMap<EventSource, Unrecorded> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/evidence/unrecorded.toml");
    toml::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
}

/// Queries that name a source.
fn asked(source: EventSource) -> BTreeSet<String> {
    questions()
        .filter(|question| question.sources.contains(&source))
        .map(|question| question.text.clone())
        .collect()
}

#[test]
fn queries_without_a_record_of_a_real_account_are_listed_with_their_reason() {
    let listed = unrecorded();
    assert!(listed.values().all(|one| !one.reason.trim().is_empty()));

    // No records of such accounts are published under a licence that lets a test use them.
    for source in [
        EventSource::Azure,
        EventSource::Gcp,
        EventSource::Kubernetes,
    ] {
        assert_eq!(listed[&source].queries, asked(source), "{source:?}");
    }

    let unknown: Vec<_> = listed[&EventSource::Aws]
        .queries
        .difference(&asked(EventSource::Aws))
        .cloned()
        .collect();
    assert!(unknown.is_empty(), "no template asks: {unknown:#?}");

    let folder = test_data().join("cloudtrail");
    if !folder.is_dir() {
        eprintln!(
            "skipped: records of real AWS accounts: no {}",
            folder.display()
        );
        return;
    }

    let entries = real_records(&folder);
    let unanswered: BTreeSet<_> = questions()
        .filter(|question| question.sources.contains(&EventSource::Aws))
        .filter(|question| !is_answered(question, &entries))
        .map(|question| question.text.clone())
        .collect();
    assert_eq!(listed[&EventSource::Aws].queries, unanswered);
}

/// Entries of the records that attack techniques left in real AWS accounts, and of those that
/// detection rules are tested with.
fn real_records(folder: &Path) -> Vec<Entry> {
    let mut entries = Vec::new();
    for file in log_files(&folder.join("stratus")).unwrap() {
        entries.extend(open(&file).unwrap().entries().map(Result::unwrap));
    }

    let labelled = std::fs::read_to_string(folder.join("labelled_events.jsonl")).unwrap();
    for line in labelled.lines() {
        let line = json::parse(line.as_bytes()).unwrap();
        let record = CloudtrailRecord::from_json(line.get("event").unwrap().clone());
        entries.extend(record.ok().map(map_record));
    }

    assert!(entries.len() > 400, "{} records", entries.len());
    entries
}
