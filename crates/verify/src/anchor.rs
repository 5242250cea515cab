//! The anchor: how far the log was at its last acknowledgement. Layout: `docs/formats/data-directory.md`.
//!
//! Both slots are held against the log, not only the newer one: whoever wants to cut off the log's end must first get rid of
//! the slot that remembers it.

use std::path::Path;

use reeve_tlog::Hash;

use crate::error::{CannotVerify, read_if_there};
use crate::finding::Finding;

const FILE_LEN: usize = 1024;
const SLOT_STEP: usize = 512;
const SLOT_LEN: usize = 96;
const CHECKED: usize = 92;
/// A slot that is being written may be read half written; so often is it read again.
const READS: usize = 20;

/// One of the two slots of the anchor file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Slot {
    /// Offset in the file.
    pub(crate) offset: u64,
    /// Number of the write.
    pub(crate) turn: u64,
    /// Number of entries.
    pub(crate) size: u64,
    /// Root over them.
    pub(crate) root: Hash,
    /// Chain hash of the last.
    pub(crate) chain_hash: Hash,
}

/// An anchor, read.
#[derive(Debug, Default)]
pub(crate) struct Anchor {
    /// Path of the file, for findings.
    pub(crate) file: String,
    /// Slots that hold, the newest first; none when there is no file.
    pub(crate) slots: Vec<Slot>,
    /// `true` if the file exists.
    pub(crate) present: bool,
    /// Faults of the file.
    pub(crate) findings: Vec<Finding>,
}

impl Anchor {
    /// Reads an anchor; findings call it `name`.
    pub(crate) fn read(path: &Path, name: String) -> Result<Anchor, CannotVerify> {
        let mut anchor = Anchor { file: name.clone(), ..Anchor::default() };
        for _ in 0..READS {
            let Some(bytes) = read_if_there(path)? else { return Ok(anchor) };
            anchor = decode(&bytes, &name)?;
            if anchor.findings.is_empty() {
                break;
            }
        }
        Ok(anchor)
    }

    /// Returns the number of acknowledged entries; 0 if no slot can be read.
    pub(crate) fn size(&self) -> u64 {
        self.slots.iter().map(|slot| slot.size).max().unwrap_or(0)
    }
}

fn decode(bytes: &[u8], file: &str) -> Result<Anchor, CannotVerify> {
    let mut anchor = Anchor { file: file.to_owned(), present: true, ..Anchor::default() };
    if bytes.len() != FILE_LEN {
        anchor.findings.push(Finding::new(file, "the anchor has another length").differs(FILE_LEN, bytes.len()));
    }
    for index in 0..2 {
        let offset = index * SLOT_STEP;
        let part = bytes.get(offset..bytes.len().min(offset + SLOT_STEP)).unwrap_or_default();
        match slot(part, offset as u64) {
            Err(SlotFault::Version(found)) => {
                return Err(CannotVerify::Version { file: file.to_owned(), found: found.to_string() });
            }
            Err(SlotFault::Damaged(message)) => anchor.findings.push(Finding::new(file, message).at(offset as u64)),
            Ok(slot) if slot.turn % 2 != index as u64 => {
                anchor
                    .findings
                    .push(Finding::new(file, format!("write {} is in the wrong slot", slot.turn)).at(offset as u64));
            }
            Ok(slot) => anchor.slots.push(slot),
        }
        let rest = part.get(SLOT_LEN..).unwrap_or_default();
        if let Some(at) = rest.iter().position(|byte| *byte != 0) {
            let at = (offset + SLOT_LEN + at) as u64;
            anchor.findings.push(Finding::new(file, "there is something where zeros belong").at(at));
        }
    }
    anchor.slots.sort_by_key(|slot| std::cmp::Reverse(slot.turn));
    if let [newer, older] = anchor.slots.as_slice()
        && (newer.turn != older.turn.saturating_add(1) || newer.size < older.size)
    {
        let wrong = Finding::new(file, "the two slots do not follow each other, so one was put back").at(newer.offset);
        let expected = format!("write {} of at least {} entries", older.turn.saturating_add(1), older.size);
        anchor.findings.push(wrong.differs(expected, format!("write {} of {}", newer.turn, newer.size)));
    }
    Ok(anchor)
}

enum SlotFault {
    Damaged(&'static str),
    Version(u32),
}

fn slot(bytes: &[u8], offset: u64) -> Result<Slot, SlotFault> {
    let damaged = SlotFault::Damaged;
    let slot = bytes.first_chunk::<SLOT_LEN>().ok_or(damaged("a slot of the anchor is cut off"))?;
    let word = |at: usize| u32::from_le_bytes([slot[at], slot[at + 1], slot[at + 2], slot[at + 3]]);
    let number = |at: usize| u64::from(word(at)) | u64::from(word(at + 4)) << 32;
    let hash = |at: usize| {
        let mut bytes = [0; 32];
        bytes.copy_from_slice(&slot[at..at + 32]);
        Hash(bytes)
    };
    if !slot.starts_with(b"reeveanc") {
        return Err(damaged("a slot of the anchor does not begin with \"reeveanc\""));
    }
    if word(CHECKED) != crc32c::crc32c(&slot[..CHECKED]) {
        return Err(damaged("the checksum of a slot of the anchor is wrong"));
    }
    if word(8) != 1 {
        return Err(SlotFault::Version(word(8)));
    }
    Ok(Slot { offset, turn: number(12), size: number(20), root: hash(28), chain_hash: hash(60) })
}
