//! The anchor: how far the log was at its last acknowledgement. Layout:
//! `docs/formats/data-directory.md`.
//!
//! Both slots are held against the log, not only the newer one: whoever wants to cut off the log's
//! end must first get rid of the slot that remembers it.

use std::path::Path;

use reeve_tlog::{Checkpoint, Epochs, Hash, KeyId, NoteSignature};

use crate::error::{CannotVerify, read_if_there, with_causes};
use crate::finding::{Finding, Findings};

const FILE_LEN: usize = 1024;
const SLOT_STEP: usize = 512;
/// Bytes of a slot before its signature and checksum.
const HEAD_LEN: usize = 92;
/// Bytes of the signature: key id and Ed25519 signature.
const SIGNATURE_LEN: usize = 68;
/// A slot that is being written may be read half written; so often is it read again.
const READS: usize = 20;

/// One of the two slots of the anchor file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct AnchorSlot {
    /// Offset in the file.
    pub(crate) offset: u64,
    /// Number of the write.
    pub(crate) turn: u64,
    /// Number of entries that the root covers.
    pub(crate) size: u64,
    /// Root hash over these entries.
    pub(crate) root: Hash,
    /// Chain hash of the last.
    pub(crate) chain_hash: Hash,
    /// Key id and signature of the checkpoint of that size and root; `None` in slots of version 1.
    pub(crate) signature: Option<[u8; SIGNATURE_LEN]>,
    /// `true` once the signature was found to be that of a key of the log.
    pub(crate) is_verified: bool,
}

#[derive(Debug, Default)]
pub(crate) struct Anchor {
    /// Path of the file, for findings.
    pub(crate) file: String,
    /// Slots that hold, the newest first; none when there is no file.
    pub(crate) slots: Vec<AnchorSlot>,
    /// `true` if the file exists.
    pub(crate) present: bool,
    /// Faults of the file.
    pub(crate) findings: Vec<Finding>,
}

impl Anchor {
    /// Reads an anchor; findings call it `name`.
    pub(crate) fn read(path: &Path, name: String) -> Result<Anchor, CannotVerify> {
        let mut anchor = Anchor {
            file: name.clone(),
            ..Anchor::default()
        };
        for _ in 0..READS {
            let Some(bytes) = read_if_there(path)? else {
                return Ok(anchor);
            };
            anchor = decode(&bytes, &name)?;
            if anchor.findings.is_empty() {
                break;
            }
        }

        Ok(anchor)
    }

    /// Verifies the signatures of the slots. Those without are findings unless `accept_unsigned`.
    pub(crate) fn check_signatures(
        &mut self,
        keys: &Epochs,
        accept_unsigned: bool,
        findings: &mut Findings,
    ) {
        for slot in &mut self.slots {
            let fault = slot.signature_fault(keys);
            slot.is_verified = fault.is_none();
            let is_accepted = slot.signature.is_none() && accept_unsigned;
            if let Some(cause) = fault.filter(|_| !is_accepted) {
                let message = format!("the signature of a slot of the anchor is refused: {cause}");
                findings.add(Finding::new(&self.file, message).at(slot.offset));
            }
        }
    }

    /// Returns the number of acknowledged entries; 0 if no slot can be read.
    pub(crate) fn size(&self) -> u64 {
        self.slots.iter().map(|slot| slot.size).max().unwrap_or(0)
    }
}

impl AnchorSlot {
    /// Returns the reason why the signature is not that of a key in charge at the size; `None` if
    /// it is.
    fn signature_fault(&self, keys: &Epochs) -> Option<String> {
        let Some((key, bytes)) = self
            .signature
            .as_ref()
            .and_then(|all| all.split_first_chunk::<4>())
        else {
            return Some("it has none".into());
        };

        let origin = keys.newest().name();
        let text = match Checkpoint::new(origin, self.size, self.root).to_text() {
            Ok(text) => text,
            Err(error) => return Some(error.to_string()),
        };
        let line = NoteSignature::new(origin.to_owned(), KeyId(*key), bytes.to_vec());

        keys.open(format!("{text}\n{line}").as_bytes())
            .err()
            .map(|error| with_causes(&error))
    }
}

fn decode(bytes: &[u8], file: &str) -> Result<Anchor, CannotVerify> {
    let mut anchor = Anchor {
        file: file.to_owned(),
        present: true,
        ..Anchor::default()
    };

    if bytes.len() != FILE_LEN {
        anchor.findings.push(
            Finding::new(file, "the anchor has another length").differs(FILE_LEN, bytes.len()),
        );
    }

    for index in 0..2 {
        let offset = index * SLOT_STEP;
        let part = bytes
            .get(offset..bytes.len().min(offset + SLOT_STEP))
            .unwrap_or_default();
        match slot(part, offset as u64) {
            Err(SlotFault::Version(found)) => {
                return Err(CannotVerify::Version {
                    file: file.to_owned(),
                    found: found.to_string(),
                });
            }
            Err(SlotFault::Damaged(message)) => anchor
                .findings
                .push(Finding::new(file, message).at(offset as u64)),
            Ok(slot) if slot.turn % 2 != index as u64 => {
                anchor.findings.push(
                    Finding::new(file, format!("write {} is in the wrong slot", slot.turn))
                        .at(offset as u64),
                );
            }
            Ok(slot) => anchor.slots.push(slot),
        }
        let length = length(part);
        let rest = part.get(length..).unwrap_or_default();
        if let Some(at) = rest.iter().position(|byte| *byte != 0) {
            let at = (offset + length + at) as u64;
            anchor
                .findings
                .push(Finding::new(file, "there is something where zeros belong").at(at));
        }
    }

    anchor
        .slots
        .sort_by_key(|slot| std::cmp::Reverse(slot.turn));
    if let [newer, older] = anchor.slots.as_slice()
        && (newer.turn != older.turn.saturating_add(1) || newer.size < older.size)
    {
        let wrong = Finding::new(
            file,
            "the two slots do not follow each other, so one was put back",
        )
        .at(newer.offset);
        let expected = format!(
            "write {} of at least {} entries",
            older.turn.saturating_add(1),
            older.size
        );
        anchor
            .findings
            .push(wrong.differs(expected, format!("write {} of {}", newer.turn, newer.size)));
    }

    Ok(anchor)
}

enum SlotFault {
    Damaged(&'static str),
    Version(u32),
}

/// Bytes of a slot by its version.
fn length(bytes: &[u8]) -> usize {
    let is_unsigned = bytes.get(8..12) == Some(&1_u32.to_le_bytes());
    HEAD_LEN + 4 + if is_unsigned { 0 } else { SIGNATURE_LEN }
}

fn slot(bytes: &[u8], offset: u64) -> Result<AnchorSlot, SlotFault> {
    let damaged = SlotFault::Damaged;
    let slot = bytes
        .get(..length(bytes))
        .ok_or(damaged("a slot of the anchor is cut off"))?;
    let word = |at: usize| u32::from_le_bytes([slot[at], slot[at + 1], slot[at + 2], slot[at + 3]]);
    let number = |at: usize| u64::from(word(at)) | u64::from(word(at + 4)) << 32;
    let hash = |at: usize| {
        let mut bytes = [0; 32];
        bytes.copy_from_slice(&slot[at..at + 32]);
        Hash(bytes)
    };

    if !slot.starts_with(b"reeveanc") {
        return Err(damaged(
            "a slot of the anchor does not begin with \"reeveanc\"",
        ));
    }

    let checked = slot.len() - 4;
    if word(checked) != crc32c::crc32c(&slot[..checked]) {
        return Err(damaged("the checksum of a slot of the anchor is wrong"));
    }
    if !(1..=2).contains(&word(8)) {
        return Err(SlotFault::Version(word(8)));
    }

    let signature = slot[HEAD_LEN..checked].try_into().ok();
    let (root, chain_hash) = (hash(28), hash(60));
    Ok(AnchorSlot {
        offset,
        turn: number(12),
        size: number(20),
        root,
        chain_hash,
        signature,
        is_verified: false,
    })
}
