//! One frame: a group commit with its signed checkpoint. A length or count that cannot be is
//! refused before anything is allocated for it.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt as _;

use reeve_tlog::SALT_LEN;

/// Length and checksum before the body.
pub(super) const PREFIX: u64 = 8;
/// Fixed part of a body.
pub(super) const HEAD: usize = 30;
/// Salt and length before an entry's bytes.
const ENTRY_HEAD: usize = SALT_LEN + 4;
/// The most that the entries of a frame may take, uncompressed.
const MAX_PLAIN: usize = 1 << 30;

/// Salt and canonical bytes.
type FrameEntry = ([u8; SALT_LEN], Vec<u8>);

/// A frame, its checksum found to hold.
pub(super) struct Frame {
    pub(super) offset: u64,
    pub(super) end: u64,
    pub(super) first_sequence: u64,
    /// Time of the commit, milliseconds since the epoch.
    pub(super) committed_at_ms: i64,
    pub(super) note: String,
    /// Entries of the frame, at least one.
    pub(super) entries: Vec<FrameEntry>,
}

/// Reason why bytes are not a frame.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum FrameFault {
    #[error("the frame is cut off after {have} of {need} bytes")]
    Cut { have: u64, need: u64 },
    #[error("the checksum of the frame is wrong")]
    Checksum,
    #[error("the frame is of the unknown kind {0}")]
    Kind(u8),
    #[error("the frame has the unknown codec {0}")]
    Codec(u8),
    #[error("the {0} of the frame does not fit its length")]
    Length(&'static str),
    #[error("the checkpoint of the frame is not text")]
    Note,
    #[error("the entries of the frame do not decompress")]
    Compression,
}

/// Reads the frame at an offset of a file of which `length` bytes count.
pub(super) fn read(file: &File, length: u64, offset: u64) -> io::Result<Result<Frame, FrameFault>> {
    let have = length - offset;
    if have < PREFIX {
        return Ok(Err(FrameFault::Cut { have, need: PREFIX }));
    }

    let mut prefix = [0; PREFIX as usize];
    file.read_exact_at(&mut prefix, offset)?;
    let need = PREFIX + u64::from(little(&prefix, 0));
    if have < need {
        return Ok(Err(FrameFault::Cut { have, need }));
    }

    let mut body = vec![0; (need - PREFIX) as usize];
    file.read_exact_at(&mut body, offset + PREFIX)?;
    if crc32c::crc32c(&body) != little(&prefix, 4) {
        return Ok(Err(FrameFault::Checksum));
    }

    Ok(decode(&body, offset, offset + need))
}

/// The 32-bit number at an offset; 0 beyond the end.
pub(super) fn little(bytes: &[u8], at: usize) -> u32 {
    bytes
        .get(at..)
        .and_then(|rest| rest.first_chunk::<4>())
        .map_or(0, |word| u32::from_le_bytes(*word))
}

/// The 64-bit number at an offset; 0 beyond the end.
pub(super) fn little64(bytes: &[u8], at: usize) -> u64 {
    u64::from(little(bytes, at)) | u64::from(little(bytes, at + 4)) << 32
}

fn decode(body: &[u8], offset: u64, end: u64) -> Result<Frame, FrameFault> {
    let Some((head, rest)) = body.split_first_chunk::<HEAD>() else {
        return Err(FrameFault::Length("head"));
    };

    if head[0] != 1 {
        return Err(FrameFault::Kind(head[0]));
    }

    let (count, plain_len, note_len) = (
        little(head, 10),
        little(head, 22) as usize,
        little(head, 26) as usize,
    );

    let (note, packed) = rest
        .split_at_checked(note_len)
        .ok_or(FrameFault::Length("checkpoint"))?;
    let note = std::str::from_utf8(note)
        .map_err(|_| FrameFault::Note)?
        .to_owned();
    if plain_len > MAX_PLAIN {
        return Err(FrameFault::Length("entries part"));
    }

    let unpacked;
    let plain = match head[1] {
        0 => packed,
        1 => {
            unpacked =
                zstd::bulk::decompress(packed, plain_len).map_err(|_| FrameFault::Compression)?;
            &unpacked
        }
        other => return Err(FrameFault::Codec(other)),
    };

    if plain.len() != plain_len {
        return Err(FrameFault::Length("entries part"));
    }

    let (first_sequence, committed_at_ms) = (little64(head, 2), little64(head, 14).cast_signed());
    Ok(Frame {
        offset,
        end,
        first_sequence,
        committed_at_ms,
        note,
        entries: entries(plain, count as usize)?,
    })
}

fn entries(plain: &[u8], count: usize) -> Result<Vec<FrameEntry>, FrameFault> {
    if count == 0 || count > plain.len() / ENTRY_HEAD {
        return Err(FrameFault::Length("number of entries"));
    }

    let mut entries = Vec::with_capacity(count);
    let mut rest = plain;

    for _ in 0..count {
        let (salt, after) = rest
            .split_first_chunk::<SALT_LEN>()
            .ok_or(FrameFault::Length("entry"))?;
        let (length, after) = after
            .split_first_chunk::<4>()
            .ok_or(FrameFault::Length("entry"))?;
        let length = u32::from_le_bytes(*length) as usize;
        let (canonical, after) = after
            .split_at_checked(length)
            .ok_or(FrameFault::Length("entry"))?;
        entries.push((*salt, canonical.to_vec()));
        rest = after;
    }

    if rest.is_empty() {
        Ok(entries)
    } else {
        Err(FrameFault::Length("number of entries"))
    }
}
