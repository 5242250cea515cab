//! The rows of one segment, one after another.

use std::collections::{BTreeMap, HashMap};

use reeve_audit::query::QueryColumn;
use reeve_tlog::{Commitment, Hash, commitment};

use super::CheckedRow;
use super::batch::{BatchValues, SegmentBatch};
use super::cut::Mender;
use crate::claim::{Claim, ClaimFields, class_of};
use crate::error::{CannotVerify, with_causes};
use crate::expiry::evidence::is_evidence;
use crate::finding::{Finding, Findings};
use crate::manifest::{Listed, MANIFEST};
use crate::progress::Progress;
use crate::records::{COMMITMENTS, Judgement, Records};
use crate::sequence::IdHasher;
use crate::submitters::Submitters;

/// So many event types are remembered.
const CLASSES_KEPT: usize = 4_096;

/// Checks rows as they are read.
pub(super) struct Rows<'a> {
    listed: &'a Listed,
    records: &'a mut Records,
    progress: &'a Progress,
    pub(super) findings: Findings,
    pub(super) submitters: Submitters,
    hasher: &'a IdHasher,
    rows: Vec<CheckedRow>,
    /// Event types seen, with `true` where the class of the segment is that of the specification:
    /// there are few.
    classes: HashMap<Vec<u8>, bool>,
    /// Event types of another class, with the first entry of each.
    others: BTreeMap<Vec<u8>, u64>,
    /// Entries that tell of deletions.
    pub(super) evidence: Vec<(u64, Vec<u8>)>,
    /// Latest `recorded_at`.
    newest_recorded: Option<i64>,
    /// Least and greatest `timestamp`.
    span: Option<(i64, i64)>,
    scratch: Vec<u8>,
    /// Puts payloads and columns together again.
    mender: Option<Mender>,
}

impl<'a> Rows<'a> {
    pub(super) fn new(
        listed: &'a Listed,
        records: &'a mut Records,
        hasher: &'a IdHasher,
        progress: &'a Progress,
    ) -> Rows<'a> {
        Rows {
            listed,
            records,
            progress,
            hasher,
            findings: Findings::default(),
            submitters: Submitters::default(),
            rows: Vec::with_capacity(
                usize::try_from(listed.count.min(1 << 20)).unwrap_or_default(),
            ),
            classes: HashMap::new(),
            others: BTreeMap::new(),
            evidence: Vec::new(),
            newest_recorded: None,
            span: None,
            scratch: Vec::new(),
            mender: None,
        }
    }

    /// Checks the next rows.
    pub(super) fn check(&mut self, batch: &SegmentBatch<'_>) -> Result<(), CannotVerify> {
        for row in 0..batch.rows {
            self.row(batch, row)?;
        }
        self.progress.advance(batch.rows as u64);
        Ok(())
    }

    fn row(&mut self, batch: &SegmentBatch<'_>, row: usize) -> Result<(), CannotVerify> {
        let sequence = batch.sequence(row);
        self.order(sequence);
        let mut mender = self.mender.take().unwrap_or_else(Mender::new);
        let outcome = self.payload(batch, row, sequence, &mut mender);
        self.mender = Some(mender);
        outcome
    }

    fn payload(
        &mut self,
        batch: &SegmentBatch<'_>,
        row: usize,
        sequence: u64,
        mender: &mut Mender,
    ) -> Result<(), CannotVerify> {
        let canonical = match batch.canonical(row, mender) {
            Ok(canonical) => canonical,
            Err(fault) => {
                self.findings
                    .add(Finding::new(&self.listed.path, fault.to_string()).entry(sequence));
                b""
            }
        };
        let found = commitment(&batch.salt(row), canonical);

        let mut scratch = std::mem::take(&mut self.scratch);
        let claim = Claim::read(canonical, &mut scratch);
        self.scratch = scratch;
        let (mut mark, mut evidence) = (None, false);

        match &claim {
            Err(fault) => self
                .findings
                .add(Finding::new(&self.listed.path, with_causes(fault)).entry(sequence)),
            Ok(claim) => {
                let fields = claim.fields();
                self.submitters.count(&fields);
                let recorded_at = self.columns(batch, row, sequence, &fields);
                mark = self
                    .hasher
                    .mark(fields.text(QueryColumn::EventId), recorded_at);
                if fields.text(QueryColumn::EventType).is_some_and(is_evidence) {
                    evidence = true;
                }
            }
        }

        let leaf = match self
            .records
            .commitment(sequence)?
            .filter(|held| *held != found)
        {
            None => {
                // Only what the log committed to tells of deletions.
                if evidence {
                    self.evidence.push((sequence, canonical.to_vec()));
                }
                found.leaf_hash()
            }
            Some(held) => {
                let event_id = claim
                    .as_ref()
                    .ok()
                    .and_then(|claim| claim.fields().event_id().map(str::to_owned));
                self.disagreement(sequence, found, held, event_id.as_deref())?
            }
        };

        self.rows.push(CheckedRow {
            sequence,
            leaf,
            mark,
        });
        Ok(())
    }

    fn order(&mut self, sequence: u64) {
        let Listed {
            path,
            first_sequence: first,
            last_sequence: last,
            ..
        } = self.listed;

        if self
            .rows
            .last()
            .is_some_and(|before| before.sequence >= sequence)
        {
            self.findings
                .add(Finding::new(path, "the rows are not in order of sequence").entry(sequence));
        }

        if !(*first..=*last).contains(&sequence) {
            let message =
                format!("the row does not belong into a segment of entries {first} to {last}");
            self.findings
                .add(Finding::new(path, message).entry(sequence));
        }
    }

    /// Holds the columns that searches use, and the class, against the payload. Returns the time of
    /// recording.
    fn columns(
        &mut self,
        batch: &SegmentBatch<'_>,
        row: usize,
        sequence: u64,
        fields: &ClaimFields<'_>,
    ) -> Option<i64> {
        let mut recorded_at = None;
        for (column, values) in &batch.columns {
            match values {
                BatchValues::Text(_) => {
                    let (expected, found) = (fields.text(*column), values.text(row));
                    if expected != found {
                        self.column(*column, sequence, fields, (shown(expected), shown(found)));
                    }
                }
                BatchValues::Time(_) => {
                    let found = values.millis(row);
                    let expected = || fields.millis(*column);
                    if !batch.spells(*column, found, fields.text(*column))
                        && (found.is_none() || expected() != found)
                    {
                        self.column(
                            *column,
                            sequence,
                            fields,
                            (shown_millis(expected()), shown_millis(found)),
                        );
                    }
                    match (column, found) {
                        (QueryColumn::Timestamp, Some(at)) => {
                            let (least, most) = self.span.unwrap_or((at, at));
                            self.span = Some((least.min(at), most.max(at)));
                        }
                        (QueryColumn::RecordedAt, found) => {
                            recorded_at = found;
                            self.newest_recorded = self.newest_recorded.max(found);
                        }
                        _ => {}
                    }
                }
            }
        }

        // Policies give other classes; which of them is known once the whole log was read.
        let event_type = fields.text(QueryColumn::EventType).unwrap_or_default();
        if !self.is_of_class(event_type) && self.others.len() < CLASSES_KEPT {
            self.others.entry(event_type.to_vec()).or_insert(sequence);
        }

        recorded_at
    }

    fn column(
        &mut self,
        column: QueryColumn,
        sequence: u64,
        fields: &ClaimFields<'_>,
        differs: (String, String),
    ) {
        let message = format!(
            "the column {} differs from the payload",
            column.segment_name()
        );
        let finding = Finding::new(&self.listed.path, message)
            .entry(sequence)
            .id(fields.event_id());
        self.findings.add(finding.differs(differs.0, differs.1));
    }

    /// Returns `true` if the specification gives entries of a type the class of the segment.
    fn is_of_class(&mut self, event_type: &[u8]) -> bool {
        if let Some(known) = self.classes.get(event_type) {
            return *known;
        }

        let is_of_class = class_of(event_type) == Some(self.listed.class.as_str());
        if self.classes.len() < CLASSES_KEPT {
            self.classes.insert(event_type.to_vec(), is_of_class);
        }
        is_of_class
    }

    /// Event types of another class than that of the specification.
    pub(super) fn other_types(&mut self) -> Vec<(String, u64)> {
        std::mem::take(&mut self.others)
            .into_iter()
            .map(|(name, sequence)| (String::from_utf8_lossy(&name).into_owned(), sequence))
            .collect()
    }

    /// Payload and log disagree about a commitment. Answers the leaf to go on with: the payload's,
    /// unless the log's own parts agree that it was another.
    fn disagreement(
        &mut self,
        sequence: u64,
        payload: Commitment,
        held: Commitment,
        event_id: Option<&str>,
    ) -> Result<Hash, CannotVerify> {
        let judged = self.records.judge(sequence, payload, held)?;
        let finding = if judged == Judgement::Record {
            let message =
                "the record is not the entry's commitment, which its payload and the tree agree on";
            Finding::new(COMMITMENTS, message)
                .at(Records::offset(sequence))
                .differs(payload, held)
        } else {
            let message = format!(
                "salt and payload do not give the commitment that {COMMITMENTS} holds: one of them was changed"
            );
            Finding::new(&self.listed.path, message).differs(held, payload)
        };
        self.findings.add(finding.entry(sequence).id(event_id));

        Ok(if judged == Judgement::Payload {
            held.leaf_hash()
        } else {
            payload.leaf_hash()
        })
    }

    /// At the end: the manifest's summary of the segment.
    pub(super) fn finish(mut self) -> (Findings, Vec<CheckedRow>) {
        let listed = self.listed;
        let count = self.rows.len() as u64;
        let mut wrong = |what: &str, expected: String, found: String| {
            let what = format!("{MANIFEST} says something else about the segment's {what}");
            self.findings
                .add(Finding::new(&listed.path, what).differs(expected, found));
        };

        if count != listed.count {
            wrong(
                "number of entries",
                listed.count.to_string(),
                count.to_string(),
            );
        }

        let mut span = |what: &str, expected: (i128, i128), found: Option<(i128, i128)>| {
            if let Some(found) = found.filter(|found| *found != expected) {
                wrong(
                    what,
                    format!("{} to {}", expected.0, expected.1),
                    format!("{} to {}", found.0, found.1),
                );
            }
        };

        let ends = self
            .rows
            .first()
            .zip(self.rows.last())
            .map(|(first, last)| (first.sequence.into(), last.sequence.into()));

        // An erasure may have taken the first or the last one; each row is within the range.
        span(
            "sequences",
            (listed.first_sequence.into(), listed.last_sequence.into()),
            ends.filter(|_| listed.erased.is_empty()),
        );
        let times = self.span.map(|(least, most)| (least.into(), most.into()));
        span(
            "timestamps",
            (
                listed.min_timestamp_ms.into(),
                listed.max_timestamp_ms.into(),
            ),
            times,
        );

        if let (Some(expected), Some(found)) = (listed.max_recorded_at_ms, self.newest_recorded)
            && expected != found
        {
            let what =
                format!("{MANIFEST} says something else about the segment's times of recording");
            self.findings
                .add(Finding::new(&listed.path, what).differs(expected, found));
        }

        (self.findings, self.rows)
    }
}

/// A value for a message: short, and on one line.
fn shown(value: Option<&[u8]>) -> String {
    match value {
        None => "null".into(),
        Some(text) => {
            let text = String::from_utf8_lossy(text);
            let cut: String = text.chars().take(60).collect();
            format!("{cut:?}{}", if cut.len() < text.len() { "..." } else { "" })
        }
    }
}

fn shown_millis(value: Option<i64>) -> String {
    value.map_or_else(|| "no time".into(), |ms| format!("{ms} ms"))
}
