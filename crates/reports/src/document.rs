//! Output files of a report: `report.json`, which proves the entries that it cites, and
//! `report.csv`, a table (`docs/formats/report.md`).
//!
//! Both are written as the log is read: a host appends [`json_entry`] and [`csv_entry`] of each
//! cited entry to two files as it goes, and puts the heads before them at the end, when the counts
//! are known.

mod configuration;
mod coverage;
mod manifest;
mod summary;
mod table;

use std::io::{self, Write};

use jiff::Timestamp;
use reeve_access::AuditScope;
use reeve_audit::format_instant;
use reeve_audit::json::write_string;
use serde::Serialize;

use crate::configuration::RECORDED;
use crate::plan::ReportPlan;

pub use manifest::{LogEvidence, manifest};
pub use summary::{SummaryDetail, summary};
pub use table::{csv_entry, csv_head};

/// Version of `report.json`.
///
/// Version 2 counts an intent and its outcome once, and leaves entries without an account in place
/// where accounts or resources narrow. Version 3 lists the entries that recorded the results of
/// checks which it names.
pub const VERSION: u32 = 3;

/// A run, as its report names it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Heading {
    /// Identifier of the run.
    pub run_id: String,
    /// Name of the report.
    pub name: String,
    /// Organization or system that the report is about: the name of the workspace.
    pub organization: String,
    /// Name of the manifest for people, which the report tells how to check.
    pub manifest_name: String,
    /// Set where the entries are made up for a demonstration.
    pub is_demo: bool,
    /// User whose rights the log was read with.
    pub generated_by: String,
    /// Scope of that user, if any: the report is made of what lies in it.
    pub scope: Option<AuditScope>,
    /// Moment that the period and the queries count from.
    pub asked_at: Timestamp,
    /// Time at which the report was generated.
    pub generated_at: Timestamp,
}

#[derive(Serialize)]
struct ReportJson<'a> {
    run_id: &'a str,
    name: &'a str,
    organization: &'a str,
    demo_data: bool,
    generated_by: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    scope: Option<&'a AuditScope>,
    asked_at: String,
    generated_at: String,
}

/// Writes everything before the entries: what the report is, the checkpoint that it was read at,
/// and the counts.
///
/// # Errors
/// Those of the writer.
pub fn json_head(
    out: &mut impl Write,
    heading: &Heading,
    checkpoint: &str,
    summary: &serde_json::Value,
) -> io::Result<()> {
    let report = ReportJson {
        run_id: &heading.run_id,
        name: &heading.name,
        organization: &heading.organization,
        demo_data: heading.is_demo,
        generated_by: &heading.generated_by,
        scope: heading.scope.as_ref(),
        asked_at: format_instant(heading.asked_at),
        generated_at: format_instant(heading.generated_at),
    };
    write!(out, "{{\"reeve_report\":{VERSION},\n\"report\":")?;

    serde_json::to_writer(&mut *out, &report)?;
    out.write_all(b",\n\"checkpoint\":")?;
    serde_json::to_writer(&mut *out, checkpoint)?;
    out.write_all(b",\n\"summary\":")?;
    serde_json::to_writer(&mut *out, summary)?;

    out.write_all(b",\n\"entries\":[")
}

/// A cited entry as the log proves it.
#[derive(Debug, Clone, Copy)]
pub struct Proven<'a> {
    /// Position in the log.
    pub sequence: u64,
    /// Salt of the commitment.
    pub salt: &'a [u8; 16],
    /// Bytes that the log committed to. They are copied, not re-serialised.
    pub canonical: &'a [u8],
    /// Hashes of the multi-proof between the previous cited entry and this one, in hex.
    pub hashes: &'a [String],
    /// Set where the entry recorded a result of a check that the report names.
    pub records_results: bool,
}

/// Writes one cited entry on a line of its own.
///
/// # Errors
/// Those of the writer.
pub fn json_entry(
    out: &mut impl Write,
    first: bool,
    entry: &Proven<'_>,
    plan: &ReportPlan,
    answered: &[usize],
) -> io::Result<()> {
    let mut line = Vec::with_capacity(entry.canonical.len() + 256);
    line.extend_from_slice(if first { b"\n" } else { b",\n" });
    write!(
        line,
        "{{\"sequence\":{},\"salt\":\"{}\",\"hashes\":[",
        entry.sequence,
        hex::encode(entry.salt)
    )?;

    strings(&mut line, entry.hashes.iter().map(String::as_str));
    line.extend_from_slice(b"],\"answers\":[");
    let recorded = entry.records_results.then_some(RECORDED);
    let queries = answered.iter().map(|at| plan.questions[*at].id.as_str());
    strings(&mut line, queries.chain(recorded));
    line.extend_from_slice(b"],\"entry\":");
    line.extend_from_slice(entry.canonical);
    line.push(b'}');

    out.write_all(&line)
}

fn strings<'a>(line: &mut Vec<u8>, values: impl Iterator<Item = &'a str>) {
    for (at, value) in values.enumerate() {
        if at > 0 {
            line.push(b',');
        }
        write_string(value, line);
    }
}

/// Ends the document with the hashes of the multi-proof behind the last cited entry.
///
/// # Errors
/// Those of the writer.
pub fn json_end(out: &mut impl Write, hashes: &[String]) -> io::Result<()> {
    let mut line = b"\n],\n\"hashes\":[".to_vec();
    strings(&mut line, hashes.iter().map(String::as_str));
    line.extend_from_slice(b"]}\n");
    out.write_all(&line)
}
