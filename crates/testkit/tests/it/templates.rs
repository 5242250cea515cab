//! Every query of every compliance template, held against entries of the clouds that the template
//! names for it: CloudTrail records through the importer, and entries after the documented record
//! formats of the Azure activity log, Google Cloud audit logs and Kubernetes.
//!
//! A query that no source can answer reads as a quiet period for ever. Event types that only the
//! simulated demo writes were that.

use std::io::Cursor;
use std::path::Path;

use jiff::Timestamp;
use reeve_audit::{Draft, Entry};
use reeve_connect_cloudtrail::{RecordReader, map_record};
use reeve_reports::{EventSource, templates};

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

#[test]
fn every_query_finds_recorded_entries_of_each_source_that_it_names() {
    // The types of Reeve's own entries are held against the catalogue, which a test of the program
    // drives.
    let clouds = EventSource::ALL
        .into_iter()
        .filter(|source| *source != EventSource::Reeve);
    let entries: Vec<_> = clouds.map(|source| (source, recorded(source))).collect();
    let mut unanswered = Vec::new();

    for template in templates() {
        for control in &template.controls {
            for question in control.evidence.iter().chain(&control.exceptions) {
                let query = question.query.clone().counting_outcomes();
                for (source, entries) in &entries {
                    if question.sources.contains(source)
                        && !entries
                            .iter()
                            .any(|entry| query.matches(entry, entry.timestamp, now()))
                    {
                        unanswered.push(format!("{}: {}", source.as_str(), question.text));
                    }
                }
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
