//! The rows of one segment, one after another.

use reeve_audit::query::Column;
use reeve_tlog::{Commitment, commitment};

use super::batch::{Batch, Values};
use crate::claim::Claim;
use crate::error::CannotVerify;
use crate::finding::{Finding, Findings};
use crate::manifest::{Listed, MANIFEST};
use crate::progress::Progress;
use crate::records::Records;

/// Checks rows as they are read.
pub(super) struct Rows<'a> {
    listed: &'a Listed,
    records: &'a mut Records,
    progress: &'a Progress,
    pub(super) findings: Findings,
    rows: Vec<(u64, Commitment)>,
    /// Least and greatest `timestamp`.
    span: Option<(i64, i64)>,
    scratch: Vec<u8>,
}

impl<'a> Rows<'a> {
    pub(super) fn new(listed: &'a Listed, records: &'a mut Records, progress: &'a Progress) -> Rows<'a> {
        let (rows, scratch) = (Vec::new(), Vec::new());
        Rows { listed, records, progress, findings: Findings::default(), rows, span: None, scratch }
    }

    /// Checks the next rows.
    pub(super) fn check(&mut self, batch: &Batch<'_>) -> Result<(), CannotVerify> {
        for row in 0..batch.rows {
            self.row(batch, row)?;
        }
        self.progress.advance(batch.rows as u64);
        Ok(())
    }

    fn row(&mut self, batch: &Batch<'_>, row: usize) -> Result<(), CannotVerify> {
        let sequence = batch.sequence(row);
        self.order(sequence);
        let canonical = batch.canonical(row);
        let found = commitment(&batch.salt(row), canonical);
        let claim = Claim::read(canonical, &mut self.scratch);
        match &claim {
            Err(what) => self.findings.add(Finding::new(&self.listed.path, what).entry(sequence)),
            Ok(claim) => self.columns(batch, row, sequence, claim),
        }
        let event_id = claim.as_ref().ok().and_then(Claim::event_id);
        if let Some(held) = self.records.commitment(sequence)?.filter(|held| *held != found) {
            let finding = self.disagreement(sequence, found, held)?;
            self.findings.add(finding.entry(sequence).id(event_id));
        }
        self.rows.push((sequence, found));
        Ok(())
    }

    fn order(&mut self, sequence: u64) {
        let Listed { path, first_sequence: first, last_sequence: last, .. } = self.listed;
        if self.rows.last().is_some_and(|(before, _)| *before >= sequence) {
            self.findings.add(Finding::new(path, "the rows are not in order of sequence").entry(sequence));
        }
        if !(*first..=*last).contains(&sequence) {
            let what = format!("the row does not belong into a segment of entries {first} to {last}");
            self.findings.add(Finding::new(path, what).entry(sequence));
        }
    }

    /// Holds the columns that searches use, and the class, against the payload.
    fn columns(&mut self, batch: &Batch<'_>, row: usize, sequence: u64, claim: &Claim) {
        let path = &self.listed.path;
        let finding = |what: String| Finding::new(path, what).entry(sequence).id(claim.event_id());
        for (column, values) in &batch.columns {
            let wrong = match values {
                Values::Text(_) => {
                    let (expected, found) = (claim.text(*column), values.text(row));
                    (expected != found).then(|| (shown(expected), shown(found)))
                }
                Values::Time(_) => {
                    let (expected, found) = (claim.millis(*column), values.millis(row));
                    (expected != found || expected.is_none()).then(|| (shown_millis(expected), shown_millis(found)))
                }
            };
            if let Some((expected, found)) = wrong {
                let what = format!("the column {} does not say what the payload says", column.segment_name());
                self.findings.add(finding(what).differs(expected, found));
            }
            if let (Column::Timestamp, Some(at)) = (column, values.millis(row)) {
                let (least, most) = self.span.unwrap_or((at, at));
                self.span = Some((least.min(at), most.max(at)));
            }
        }
        let class = claim.class();
        if class != Some(self.listed.class.as_str()) {
            let wrong = finding("the entry is of another retention class than its segment".into());
            self.findings.add(wrong.differs(class.unwrap_or("none"), &self.listed.class));
        }
    }

    /// Payload and log disagree about a commitment; the tile of leaf hashes tells which of the two was changed.
    fn disagreement(&mut self, sequence: u64, payload: Commitment, held: Commitment) -> Result<Finding, CannotVerify> {
        let (place, offset) = self.records.place(sequence);
        if self.records.leaf(sequence)? == Some(payload.leaf_hash()) {
            let what = "the record is not the entry's commitment, which its payload and its leaf hash agree on";
            return Ok(Finding { offset, ..Finding::new(place, what).differs(payload, held) });
        }
        let what = format!("salt and payload do not give the commitment that {place} holds: one of them was changed");
        Ok(Finding::new(&self.listed.path, what).differs(held, payload))
    }

    /// At the end: the manifest's summary of the segment.
    pub(super) fn finish(mut self) -> (Findings, Vec<(u64, Commitment)>) {
        let listed = self.listed;
        let count = self.rows.len() as u64;
        let mut wrong = |what: &str, expected: String, found: String| {
            let what = format!("{MANIFEST} says something else about the segment's {what}");
            self.findings.add(Finding::new(&listed.path, what).differs(expected, found));
        };
        if count != listed.count {
            wrong("number of entries", listed.count.to_string(), count.to_string());
        }
        let mut span = |what: &str, expected: (i128, i128), found: Option<(i128, i128)>| {
            if let Some(found) = found.filter(|found| *found != expected) {
                wrong(what, format!("{} to {}", expected.0, expected.1), format!("{} to {}", found.0, found.1));
            }
        };
        let ends = self.rows.first().zip(self.rows.last()).map(|(first, last)| (first.0.into(), last.0.into()));
        span("sequences", (listed.first_sequence.into(), listed.last_sequence.into()), ends);
        let times = self.span.map(|(least, most)| (least.into(), most.into()));
        span("timestamps", (listed.min_timestamp_ms.into(), listed.max_timestamp_ms.into()), times);
        (self.findings, self.rows)
    }
}

/// A value for a message: short, and on one line.
fn shown(value: Option<&str>) -> String {
    match value {
        None => "null".into(),
        Some(text) => {
            let cut: String = text.chars().take(60).collect();
            format!("{cut:?}{}", if cut.len() < text.len() { "..." } else { "" })
        }
    }
}

fn shown_millis(value: Option<i64>) -> String {
    value.map_or_else(|| "no time".into(), |ms| format!("{ms} ms"))
}
