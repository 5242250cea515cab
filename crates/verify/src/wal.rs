//! Verification of the write-ahead log: every frame's checksum, payloads, root and signature, and
//! gaps between files. Layout: `docs/formats/wal.md`. One frame is read at a time.

mod frame;
mod header;
mod torn;

use std::os::unix::fs::FileExt as _;

use reeve_audit::query::QueryColumn;
use reeve_tlog::{Epochs, commitment};

use crate::audit::Audit;
use crate::claim::Claim;
use crate::error::{CannotVerify, with_causes};
use crate::expiry::evidence::is_evidence;
use crate::finding::Finding;
use crate::progress::Progress;
use crate::snapshot::WalFile;
use frame::{Frame, FrameFault};
use header::{HEADER_LEN, Header, HeaderFault};

/// Checks what is not sealed: `files` are those that count, in order.
pub(crate) struct Wal<'a> {
    pub(crate) keys: &'a Epochs,
    /// Number of acknowledged entries.
    pub(crate) anchored: u64,
    /// The sequence that comes next.
    pub(crate) next: u64,
    /// A frame's root was wrong, and so are those of all later frames.
    diverged: bool,
    scratch: Vec<u8>,
}

impl<'a> Wal<'a> {
    pub(crate) fn new(keys: &'a Epochs, anchored: u64, sealed_size: u64) -> Wal<'a> {
        Wal {
            keys,
            anchored,
            next: sealed_size,
            diverged: false,
            scratch: Vec::new(),
        }
    }

    /// Checks all files, from the one that begins where the segments end.
    pub(crate) fn check(
        &mut self,
        files: &[WalFile],
        audit: &mut Audit,
        progress: &Progress,
    ) -> Result<(), CannotVerify> {
        if files.is_empty() && (self.next > 0 || self.anchored > 0) {
            let name = format!("ledger/wal/{:020}.wal", self.next);
            audit.findings.add(Finding::new(
                name,
                "the file is missing: the log must continue here after its segments",
            ));
        }

        for (at, file) in files.iter().enumerate() {
            self.file(file, &files[at + 1..], audit, progress)?;
        }

        Ok(())
    }

    fn file(
        &mut self,
        file: &WalFile,
        later: &[WalFile],
        audit: &mut Audit,
        progress: &Progress,
    ) -> Result<(), CannotVerify> {
        let mut bytes = vec![0; HEADER_LEN.min(file.length as usize)];
        file.file
            .read_exact_at(&mut bytes, 0)
            .map_err(CannotVerify::unreadable(&file.path))?;
        let mut taken_over = None;

        match Header::decode(&bytes) {
            Err(HeaderFault::Version(found)) => {
                return Err(CannotVerify::Version {
                    file: file.name.clone(),
                    found: found.to_string(),
                });
            }
            Err(fault) => audit.findings.add(
                Finding::new(&file.name, fault.to_string())
                    .at(0)
                    .entry(file.first),
            ),
            Ok(header) if header.first_sequence != file.first => {
                let wrong = Finding::new(
                    &file.name,
                    "the header's first sequence is not the one in the file's name",
                );
                audit
                    .findings
                    .add(wrong.at(12).differs(file.first, header.first_sequence));
            }
            Ok(header) => {
                taken_over = taken_over_at(header.epoch, later.first());
                if file.first < self.next && file.length == HEADER_LEN as u64 {
                    audit.notes.push(format!(
                        "{} is a leftover without entries; it counts for nothing",
                        file.name
                    ));
                    return Ok(());
                }
                let follows = audit.walk.lost.is_none() && file.first == self.next;
                if follows && header.previous_hash != audit.walk.chain_hash() {
                    let wrong = Finding::new(
                        &file.name,
                        "the chain hash before the file's first entry is another",
                    );
                    audit.findings.add(
                        wrong
                            .at(20)
                            .differs(audit.walk.chain_hash(), header.previous_hash),
                    );
                }
            }
        }

        self.begins(&file.name, HEADER_LEN as u64, file.first, audit);
        audit.counts.wal_files += 1;
        self.frames(file, later, taken_over, audit, progress)
    }

    /// The log goes on with an entry: notes what is missing before it.
    fn begins(&mut self, name: &str, offset: u64, first: u64, audit: &mut Audit) {
        if first > self.next {
            let message = "the entries before are missing: a part of the write-ahead log is gone";
            audit.findings.add(
                Finding::new(name, message)
                    .at(offset)
                    .entries(self.next, first - 1),
            );
            audit.missing.add(self.next, first);
            audit.walk.lose(self.next);
            self.next = first;
        }
    }

    fn frames(
        &mut self,
        file: &WalFile,
        later: &[WalFile],
        taken_over: Option<u64>,
        audit: &mut Audit,
        progress: &Progress,
    ) -> Result<(), CannotVerify> {
        let mut offset = HEADER_LEN as u64;
        while offset < file.length {
            match frame::read(&file.file, file.length, offset)
                .map_err(CannotVerify::unreadable(&file.path))?
            {
                Ok(frame) if taken_over.is_some_and(|first| frame.first_sequence >= first) => {
                    audit.notes.push(replaced(file, offset));
                    return Ok(());
                }
                Ok(frame) => {
                    offset = frame.end;
                    self.frame(file, &frame, audit)?;
                    progress.advance(frame.entries.len() as u64);
                }
                Err(_) if taken_over == Some(self.next) => {
                    audit.notes.push(replaced(file, offset));
                    return Ok(());
                }
                Err(fault) => match self.fault(file, offset, &fault, later, audit)? {
                    Some(whole) => offset = whole,
                    None => break,
                },
            }
        }

        Ok(())
    }

    /// A frame that does not hold: the torn end of a write, or damage. Answers where a whole frame
    /// follows.
    fn fault(
        &self,
        file: &WalFile,
        offset: u64,
        fault: &FrameFault,
        later: &[WalFile],
        audit: &mut Audit,
    ) -> Result<Option<u64>, CannotVerify> {
        let after = torn::whole_frame_after(file, offset + 1, self.next)?;
        let more = later.iter().find(|file| file.length > HEADER_LEN as u64);
        let reason = if self.next < self.anchored {
            let anchored = self.anchored;
            format!(
                "the anchor says that {anchored} entries were acknowledged, and {} stand before it",
                self.next
            )
        } else if let Some(at) = after {
            format!("a whole frame follows at byte {at}, so it was written completely once")
        } else if let Some(more) = more {
            format!("{} continues with more entries", more.name)
        } else {
            let name = &file.name;
            audit.notes.push(format!(
                "{name}, byte {offset}: {fault}; it is the torn end of a write that was never acknowledged, after entry {}",
                self.next
            ));
            return Ok(None);
        };

        audit.findings.add(
            Finding::new(&file.name, format!("{fault}; {reason}"))
                .at(offset)
                .entry(self.next),
        );
        audit.walk.lose(self.next);
        Ok(after)
    }

    fn frame(
        &mut self,
        file: &WalFile,
        frame: &Frame,
        audit: &mut Audit,
    ) -> Result<(), CannotVerify> {
        let (first, count) = (frame.first_sequence, frame.entries.len() as u64);
        let last = first.saturating_add(count - 1);
        audit.counts.wal_frames += 1;
        self.begins(&file.name, frame.offset, first, audit);

        if first < self.next {
            let message = "the frame begins with an entry that was there before";
            audit.findings.add(
                Finding::new(&file.name, message)
                    .at(frame.offset)
                    .differs(self.next, first),
            );
            return Ok(());
        }

        let mut newest = None;
        for (sequence, (salt, canonical)) in (first..).zip(&frame.entries) {
            match Claim::read(canonical, &mut self.scratch) {
                Ok(claim) => {
                    let fields = claim.fields();
                    audit.counts.submitters.count(&fields);
                    let recorded_at = fields.millis(QueryColumn::RecordedAt);
                    newest = newest.max(recorded_at);
                    let mark = audit
                        .sequence
                        .hasher
                        .mark(fields.text(QueryColumn::EventId), recorded_at);
                    audit.sequence.entry(sequence, mark);
                    if fields.text(QueryColumn::EventType).is_some_and(is_evidence) {
                        audit.expiries.evidence.entry(sequence, canonical);
                    }
                }
                Err(fault) => audit.findings.add(
                    Finding::new(&file.name, with_causes(&fault))
                        .at(frame.offset)
                        .entry(sequence),
                ),
            }
            let leaf = commitment(salt, canonical).leaf_hash();
            audit.walk.append(leaf, &mut audit.findings)?;
        }

        audit.sequence.frame(first, frame.committed_at_ms, newest);
        audit.counts.unsealed_entries += count;
        self.next = last.saturating_add(1);
        self.checkpoint(file, frame, last, audit);

        Ok(())
    }

    /// The signed checkpoint of a frame must be that of the log after the frame's last entry.
    fn checkpoint(&mut self, file: &WalFile, frame: &Frame, last: u64, audit: &mut Audit) {
        let finding = |message: String| {
            Finding::new(&file.name, message)
                .at(frame.offset)
                .entries(frame.first_sequence, last)
        };

        let checkpoint = match self.keys.open(frame.note.as_bytes()) {
            Ok(checkpoint) => checkpoint,
            Err(error) => {
                let message = format!("the frame's checkpoint is refused: {}", with_causes(&error));
                return audit.findings.add(finding(message));
            }
        };

        if checkpoint.size != self.next {
            let wrong =
                finding("the frame's checkpoint is of another size than the log after it".into());
            return audit
                .findings
                .add(wrong.differs(self.next, checkpoint.size));
        }

        audit.counts.checkpoints += 1;
        if audit.walk.lost.is_some() {
            return;
        }

        let root = audit.walk.root();
        if checkpoint.root == root {
            self.diverged = false;
            audit.walk.signed_size = self.next;
        } else if !self.diverged {
            self.diverged = true;
            let message = "the entries do not give the signed root of the frame's checkpoint: an entry in it or before it was changed";
            audit
                .findings
                .add(finding(message.into()).differs(checkpoint.root, root));
        }
    }
}

/// Returns the sequence at which the writer of the next file took the log over, if its number is
/// greater.
fn taken_over_at(epoch: u64, next: Option<&WalFile>) -> Option<u64> {
    let next = next?;
    let mut bytes = [0; HEADER_LEN];
    next.file.read_exact_at(&mut bytes, 0).ok()?;
    let header = Header::decode(&bytes).ok()?;
    (header.epoch > epoch && header.first_sequence == next.first).then_some(next.first)
}

/// Note about frames that count for nothing.
fn replaced(file: &WalFile, offset: u64) -> String {
    format!(
        "{}, byte {offset}: the rest was written by a server after another one had taken over; it was never acknowledged and is not part of the log",
        file.name
    )
}
