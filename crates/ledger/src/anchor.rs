//! The anchor: how far the log was when it last acknowledged, kept apart from the log (another
//! disk, if configured), so that a log that lost its end or was rewritten is noticed at start.
//! Layout: `docs/formats/data-directory.md`.
//!
//! Two slots in sectors of their own are written in turn, in place: no space is ever needed, and a
//! write cut short damages one slot only. The anchor is written after the write-ahead log was
//! synced and not synced itself at each commit, so it may be behind the log after a power cut,
//! never ahead. Refuses a file in which no slot holds.
//!
//! A write covers its whole sector, padding included: a byte that was flipped between the slots is
//! gone two writes later.
//!
//! A slot carries the signature of the checkpoint of its size and root, so that who can write the
//! file but not sign cannot make it agree with a log of their own. Slots of version 1 had no
//! signature; they are read, and the caller decides whether to believe them.

mod signature;

use std::io;
use std::path::Path;

use reeve_tlog::Hash;

use crate::disk::{Disk, DiskFile, parent, read_if_there, write_durably};
pub use signature::{HeadSignature, HeadSignatureError};

/// Bytes of the file.
const FILE_LEN: usize = 1024;
/// Distance between the two slots of the anchor file, in bytes.
const SLOT_STEP: usize = 512;
/// Bytes of a slot before its signature and checksum.
const HEAD_LEN: usize = 92;
/// Bytes of a slot of version 1: no signature.
const UNSIGNED_LEN: usize = HEAD_LEN + 4;
/// Bytes of a slot of version 2.
const SLOT_LEN: usize = HEAD_LEN + signature::LEN + 4;
const MAGIC: &[u8; 8] = b"reeveanc";
const UNSIGNED_VERSION: u32 = 1;
const VERSION: u32 = 2;

/// Head of a log: its size, root hash and chain hash.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AnchorHead {
    /// Number of entries of the log.
    pub size: u64,
    /// Root of the tree over them.
    pub root: Hash,
    /// Chain hash of the last; zeros when there is none.
    pub chain_hash: Hash,
    /// Signature under the checkpoint of that size and root; `None` in slots of version 1.
    pub signature: Option<HeadSignature>,
}

/// The anchor, open for writing.
pub(crate) struct Anchor {
    file: Box<dyn DiskFile>,
    turn: u64,
    synced: bool,
    /// Head written last; `None` before the first write.
    head: Option<AnchorHead>,
    /// A sync failed: what either slot holds on the disk is unknown, whatever a later sync says.
    doubtful: bool,
}

/// Content of the anchor file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum AnchorFound {
    /// There is no file.
    Nothing,
    /// No slot of the file is valid.
    Damaged,
    /// The newest slot that holds, and how many writes there were.
    Head(AnchorHead, u64),
}

/// Returns `true` if the file is what writes leave: of the right length, both slots valid and each
/// in its place, zeros between them.
pub(crate) fn is_sound(disk: &dyn Disk, path: &Path) -> io::Result<bool> {
    let Some(bytes) = read_if_there(disk, path)? else {
        return Ok(false);
    };

    let sound = |(index, sector): (u64, &[u8])| {
        let zeros = sector
            .get(SLOT_LEN..)
            .is_some_and(|rest| rest.iter().all(|byte| *byte == 0));
        zeros
            && decode_slot(sector)
                .is_some_and(|(head, turn)| turn % 2 == index && head.signature.is_some())
    };

    Ok(bytes.len() == FILE_LEN && (0..).zip(bytes.chunks(SLOT_STEP)).all(sound))
}

/// Reads an anchor's bytes; `None` when no slot holds. Signatures are not verified. What an offline
/// auditor needs.
pub fn decode(file: &[u8]) -> Option<(AnchorHead, u64)> {
    let slots = [file.get(..SLOT_STEP.min(file.len())), file.get(SLOT_STEP..)];
    slots
        .into_iter()
        .flatten()
        .filter_map(decode_slot)
        .max_by_key(|(_, turn)| *turn)
}

fn decode_slot(slot: &[u8]) -> Option<(AnchorHead, u64)> {
    let word = |at: usize| {
        slot.get(at..)?
            .first_chunk::<4>()
            .map(|b| u32::from_le_bytes(*b))
    };

    let number = |at: usize| {
        slot.get(at..)?
            .first_chunk::<8>()
            .map(|b| u64::from_le_bytes(*b))
    };

    let hash = |at: usize| slot.get(at..)?.first_chunk::<32>().map(|b| Hash(*b));
    let (length, signature) = match word(8)? {
        UNSIGNED_VERSION => (UNSIGNED_LEN, None),
        VERSION => (
            SLOT_LEN,
            Some(HeadSignature::decode(slot.get(HEAD_LEN..)?)?),
        ),
        _ => return None,
    };

    let checksum = crc32c::crc32c(slot.get(..length - 4)?);
    let is_whole = slot.starts_with(MAGIC) && word(length - 4)? == checksum;
    let head = AnchorHead {
        size: number(20)?,
        root: hash(28)?,
        chain_hash: hash(60)?,
        signature,
    };

    is_whole.then_some((head, number(12)?))
}

/// The sector of a slot: the slot and the zeros after it.
fn encode_slot(head: &AnchorHead, turn: u64) -> [u8; SLOT_STEP] {
    let mut slot = [0; SLOT_STEP];
    let (version, length) = match &head.signature {
        Some(signature) => {
            slot[HEAD_LEN..SLOT_LEN - 4].copy_from_slice(&signature.encode());
            (VERSION, SLOT_LEN)
        }
        None => (UNSIGNED_VERSION, UNSIGNED_LEN),
    };

    slot[..8].copy_from_slice(MAGIC);
    slot[8..12].copy_from_slice(&version.to_le_bytes());
    slot[12..20].copy_from_slice(&turn.to_le_bytes());
    slot[20..28].copy_from_slice(&head.size.to_le_bytes());
    slot[28..60].copy_from_slice(&head.root.0);
    slot[60..HEAD_LEN].copy_from_slice(&head.chain_hash.0);
    let checksum = crc32c::crc32c(&slot[..length - 4]);
    slot[length - 4..length].copy_from_slice(&checksum.to_le_bytes());

    slot
}

/// A new anchor's bytes: both slots say the same.
pub(crate) fn encode(head: &AnchorHead) -> Vec<u8> {
    [encode_slot(head, 0), encode_slot(head, 1)].concat()
}

/// Reads the anchor's file.
pub(crate) fn read(disk: &dyn Disk, path: &Path) -> io::Result<AnchorFound> {
    let Some(bytes) = read_if_there(disk, path)? else {
        return Ok(AnchorFound::Nothing);
    };
    Ok(decode(&bytes).map_or(AnchorFound::Damaged, |(head, turn)| {
        AnchorFound::Head(head, turn)
    }))
}

impl Anchor {
    /// Creates the file, durably, with both slots saying the same.
    pub(crate) fn create(disk: &dyn Disk, path: &Path, head: &AnchorHead) -> io::Result<Anchor> {
        disk.create_dirs(parent(path))?;
        write_durably(disk, path, &encode(head))?;
        Anchor::open(disk, path, 1)
    }

    /// Opens a file that was read and holds; `turn` is that of its newest slot.
    pub(crate) fn open(disk: &dyn Disk, path: &Path, turn: u64) -> io::Result<Anchor> {
        Ok(Anchor {
            file: disk.open(path)?,
            turn,
            synced: true,
            head: None,
            doubtful: false,
        })
    }

    /// Writes a new head over the older slot.
    pub(crate) fn write(&mut self, head: &AnchorHead) -> io::Result<()> {
        let turn = self.turn + 1;
        self.file.write_at(place(turn), &encode_slot(head, turn))?;
        self.turn = turn;
        self.synced = false;
        self.head = Some(*head);
        Ok(())
    }

    /// Writes the head over both sectors, one after the other, each durable before the next is
    /// touched, and cuts off what a file of two sectors does not have.
    pub(crate) fn rewrite(&mut self, head: &AnchorHead) -> io::Result<()> {
        for _ in 0..2 {
            self.write(head)?;
            self.file.sync()?;
        }

        if self.file.len()? > FILE_LEN as u64 {
            self.file.truncate(FILE_LEN as u64)?;
            self.file.sync()?;
        }

        self.synced = true;
        Ok(())
    }

    /// Makes what was written durable.
    pub(crate) fn sync(&mut self) -> io::Result<()> {
        if self.synced {
            return Ok(());
        }
        if self.doubtful
            && let Some(head) = self.head
        {
            // The newer slot once more, then the other: each is whole on the disk before the next
            // is touched.
            self.file
                .write_at(place(self.turn), &encode_slot(&head, self.turn))?;
            self.file.sync()?;
            self.write(&head)?;
        }

        let synced = self.file.sync();
        self.synced = synced.is_ok();
        self.doubtful = synced.is_err();

        synced
    }
}

/// Returns the byte offset of the slot that a turn writes to; turns alternate between the two
/// slots.
fn place(turn: u64) -> u64 {
    (turn % 2) * SLOT_STEP as u64
}

#[cfg(test)]
mod tests;
