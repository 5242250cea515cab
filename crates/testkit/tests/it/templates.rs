//! Every query of every compliance template, held against entries of the sources that the template names for it: Reeve's own entries as
//! the catalogue's test recorded them, CloudTrail records through the importer, and entries after the documented record formats of the
//! Azure activity log, Google Cloud audit logs and Kubernetes.
//!
//! A query that no source can answer reads as a quiet period for ever. Event types that only the simulated demo writes were that.

use std::io::Cursor;
use std::path::Path;

use jiff::{SignedDuration, Timestamp};
use reeve_audit::{ActionStatus, Draft, Entry, Severity};
use reeve_connect_cloudtrail::{RecordReader, map_record};
use reeve_reports::{EventSource, templates};

/// Queries about faults that no sound source writes: entries without a user, a status or a time.
const NEVER: [&str; 2] = ["NOT user:*", "NOT user:* OR NOT status:*"];

fn lines(name: &str) -> Vec<String> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/evidence").join(name);
    let text = std::fs::read_to_string(&path).unwrap();
    text.lines().filter(|line| !line.starts_with('#')).map(str::to_owned).collect()
}

fn now() -> Timestamp {
    "2026-11-21T00:00:00Z".parse().unwrap()
}

fn recorded(source: EventSource) -> Vec<Entry> {
    match source {
        EventSource::Aws => {
            let records = RecordReader::new(Cursor::new(lines("cloudtrail.jsonl").join("\n").into_bytes())).unwrap();
            records.map(|record| map_record(record.unwrap())).collect()
        }
        EventSource::Reeve => {
            let read = |line: &String| Entry::from_canonical(line.as_bytes()).unwrap().0;
            lines("reeve.jsonl").iter().map(read).flat_map(outcomes).collect()
        }
        other => {
            let read = |line: &String| Draft::from_bytes(line.as_bytes(), now()).unwrap().entry;
            lines(&format!("{}.jsonl", other.as_str())).iter().map(read).collect()
        }
    }
}

/// A recorded entry with the other outcomes and severities that the same code gives it.
fn outcomes(entry: Entry) -> Vec<Entry> {
    let with = |status| {
        let mut other = entry.clone();
        other.action.status = Some(status);
        other.severity = Severity::Critical;
        other
    };
    vec![with(ActionStatus::Success), with(ActionStatus::Failed), with(ActionStatus::Denied), entry.clone()]
}

#[test]
fn every_query_finds_recorded_entries_of_each_source_that_it_names() {
    let entries = EventSource::ALL.map(|source| (source, recorded(source)));
    let mut unanswered = Vec::new();
    for template in templates() {
        for control in &template.controls {
            for question in control.evidence.iter().chain(&control.exceptions) {
                if NEVER.contains(&question.text.as_str()) {
                    continue;
                }
                // Some ask for entries older than 90 days.
                let later = now() + SignedDuration::from_hours(24 * 100);
                let query = question.query.clone().counting_outcomes();
                for (source, entries) in &entries {
                    if question.sources.contains(source)
                        && !entries.iter().any(|entry| query.matches(entry, entry.timestamp, later))
                    {
                        unanswered.push(format!("{}: {}", source.as_str(), question.text));
                    }
                }
            }
        }
    }
    unanswered.sort();
    unanswered.dedup();
    assert!(unanswered.is_empty(), "{} queries without an entry:\n{}", unanswered.len(), unanswered.join("\n"));
}

/// Checks the other direction: where an entry of a source answers a query, the template names the source, so that the query is not
/// reported as without a source where that one alone is connected.
#[test]
fn no_source_that_answers_a_query_is_left_out() {
    let mut left_out = Vec::new();
    for source in EventSource::ALL {
        let entries = recorded(source);
        for template in templates() {
            for question in template.controls.iter().flat_map(|one| one.evidence.iter().chain(&one.exceptions)) {
                let query = question.query.clone().counting_outcomes();
                let found = entries.iter().find(|entry| query.matches(entry, entry.timestamp, now()));
                // Reeve is there in any case.
                let is_known = question.sources.contains(&source) || question.sources.contains(&EventSource::Reeve);
                if let Some(entry) = found.filter(|_| !is_known) {
                    let operation = entry.action.operation.as_deref().unwrap_or_default();
                    left_out.push(format!("{}: {} ({operation})", source.as_str(), question.text));
                }
            }
        }
    }
    left_out.sort();
    left_out.dedup();
    assert!(left_out.is_empty(), "{}", left_out.join("\n"));
}
