//! Frames: the entries of one group commit with the signed checkpoint that covers them.
//!
//! Refuses wrong checksums, kinds, codecs and counts, notes that are not UTF-8, and bytes after the
//! last entry. Reading allocates no more than the frame says it holds, and that is bounded by
//! [`MAX_ENTRIES_BYTES`].

#[cfg(test)]
mod tests;

use std::cell::RefCell;

use zstd::bulk::Compressor;

/// Length and checksum before the body.
const PREFIX: usize = 8;
/// Fixed part of the body, before the note.
const HEAD: usize = 30;
const KIND_ENTRIES: u8 = 1;
const CODEC_RAW: u8 = 0;
const CODEC_ZSTD: u8 = 1;
/// Below this many bytes compression gains nothing worth its time.
const COMPRESS_FROM: usize = 512;
/// Compression level of zstd. A higher one saves a tenth of the space and takes twice the time.
const LEVEL: i32 = 1;
/// Bytes reserved for each entry when a buffer is allocated.
const ENTRY_GUESS: usize = 1024;
/// Bytes before an entry's canonical bytes: salt and length.
const ENTRY_HEAD: usize = 20;

/// The most that the entries of one frame may take, uncompressed: 1 GiB.
pub const MAX_ENTRIES_BYTES: usize = 1 << 30;

/// Header of a frame.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FrameHead {
    /// Sequence of the first entry.
    pub first_sequence: u64,
    /// Time of the commit, milliseconds since the epoch.
    pub committed_at_ms: i64,
    /// The signed checkpoint at the size after the last entry.
    pub note: String,
}

/// Salt and canonical bytes of an entry.
pub type FrameEntry = ([u8; 16], Vec<u8>);

/// Frame with its place in the file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WalFrame {
    /// Offset of the frame in the file.
    pub offset: usize,
    /// One past its last byte.
    pub end: usize,
    /// Header of the frame.
    pub head: FrameHead,
    /// Entries of the frame, in order.
    pub entries: Vec<FrameEntry>,
}

/// Reason why bytes at an offset are not a frame.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum FrameFault {
    /// The file ends inside the frame.
    #[error("the frame ends after {have} of {need} bytes")]
    Short {
        /// Bytes left in the file.
        have: usize,
        /// Bytes the frame should have, as far as known.
        need: usize,
    },
    /// The stored checksum is another than that of the bytes.
    #[error("the checksum of the frame is wrong")]
    Checksum,
    /// Frame of an unknown kind.
    #[error("the frame is of the unknown kind {0}")]
    Kind(u8),
    /// Entries in an unknown codec.
    #[error("the frame has the unknown codec {0}")]
    Codec(u8),
    /// The parts do not fill the body, or overfill it.
    #[error("the {0} of the frame does not fit")]
    Length(&'static str),
    /// The note is not text.
    #[error("the checkpoint of the frame is not UTF-8")]
    Note,
    /// The compressed part does not decompress to what was announced.
    #[error("the entries of the frame do not decompress")]
    Compression,
    /// A frame holds at least one entry.
    #[error("the frame has no entries")]
    Empty,
}

/// Encodes a frame. Entries that take more than [`MAX_ENTRIES_BYTES`] in all give `Length`.
pub fn encode_frame<'a>(
    head: &FrameHead,
    entries: impl ExactSizeIterator<Item = (&'a [u8; 16], &'a [u8])>,
) -> Result<Vec<u8>, FrameFault> {
    let count =
        u32::try_from(entries.len()).map_err(|_| FrameFault::Length("number of entries"))?;
    let plain = plain(entries)?;
    let note_len = u32::try_from(head.note.len()).map_err(|_| FrameFault::Length("checkpoint"))?;
    let start = PREFIX + HEAD + head.note.len();
    let mut bytes = Vec::with_capacity(start + zstd::zstd_safe::compress_bound(plain.len()));
    bytes.extend_from_slice(&[0; PREFIX]);
    bytes.extend_from_slice(&[KIND_ENTRIES, CODEC_ZSTD]);
    bytes.extend_from_slice(&head.first_sequence.to_le_bytes());
    bytes.extend_from_slice(&count.to_le_bytes());
    bytes.extend_from_slice(&head.committed_at_ms.to_le_bytes());
    bytes.extend_from_slice(&(plain.len() as u32).to_le_bytes());
    bytes.extend_from_slice(&note_len.to_le_bytes());
    bytes.extend_from_slice(head.note.as_bytes());
    if !pack(&plain, &mut bytes) {
        bytes[PREFIX + 1] = CODEC_RAW;
        bytes.extend_from_slice(&plain);
    }

    let body_len = u32::try_from(bytes.len() - PREFIX).map_err(|_| FrameFault::Length("body"))?;
    let checksum = crc32c::crc32c(&bytes[PREFIX..]);
    bytes[..4].copy_from_slice(&body_len.to_le_bytes());
    bytes[4..PREFIX].copy_from_slice(&checksum.to_le_bytes());

    Ok(bytes)
}

/// The entries part before compression.
fn plain<'a>(
    entries: impl ExactSizeIterator<Item = (&'a [u8; 16], &'a [u8])>,
) -> Result<Vec<u8>, FrameFault> {
    let mut plain = Vec::with_capacity(entries.len() * ENTRY_GUESS);
    for (salt, canonical) in entries {
        let len = u32::try_from(canonical.len()).map_err(|_| FrameFault::Length("entry"))?;
        plain.extend_from_slice(salt);
        plain.extend_from_slice(&len.to_le_bytes());
        plain.extend_from_slice(canonical);
        if plain.len() > MAX_ENTRIES_BYTES {
            return Err(FrameFault::Length("entries"));
        }
    }

    Ok(plain)
}

thread_local! {
    /// Making a compressor takes longer than compressing a few entries with it.
    static COMPRESSOR: RefCell<Option<Compressor<'static>>> = const { RefCell::new(None) };
}

/// Appends what is compressed where that makes it smaller; whether it did.
fn pack(plain: &[u8], into: &mut Vec<u8>) -> bool {
    if plain.len() < COMPRESS_FROM {
        return false;
    }

    let start = into.len();
    COMPRESSOR.with_borrow_mut(|kept| {
        let made = match kept.take() {
            Some(compressor) => Ok(compressor),
            None => Compressor::new(LEVEL),
        };
        let Ok(compressor) = made else { return false };
        let compressor = kept.insert(compressor);
        into.resize(start + plain.len() - 1, 0);
        // What does not fit is no smaller.
        let packed = compressor.compress_to_buffer(plain, &mut into[start..]);
        into.truncate(start + packed.as_ref().map_or(0, |length| *length));
        packed.is_ok()
    })
}

/// Reads the frames of a file one after another; ends after the first fault.
#[derive(Debug)]
pub struct FrameReader<'a> {
    file: &'a [u8],
    offset: usize,
    ended: bool,
}

impl<'a> FrameReader<'a> {
    /// Frames of a whole file, from an offset (that of the first is [`super::HEADER_LEN`]).
    pub fn new(file: &'a [u8], offset: usize) -> FrameReader<'a> {
        FrameReader {
            file,
            offset,
            ended: false,
        }
    }
}

impl Iterator for FrameReader<'_> {
    type Item = Result<WalFrame, (usize, FrameFault)>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.ended || self.offset >= self.file.len() {
            return None;
        }

        let offset = self.offset;
        match read_frame(self.file, offset) {
            Ok(frame) => {
                self.offset = frame.end;
                Some(Ok(frame))
            }
            Err(fault) => {
                self.ended = true;
                Some(Err((offset, fault)))
            }
        }
    }
}

/// A little-endian number at an offset.
fn number<const N: usize>(bytes: &[u8], at: usize) -> Option<[u8; N]> {
    bytes.get(at..)?.first_chunk::<N>().copied()
}

/// The body of the frame at an offset, its checksum verified, and where it ends.
fn checked_body(file: &[u8], offset: usize) -> Result<(&[u8], usize), FrameFault> {
    let have = file.len().saturating_sub(offset);
    let short = |need| FrameFault::Short { have, need };
    let len: [u8; 4] = number(file, offset).ok_or(short(PREFIX))?;
    let checksum: [u8; 4] = number(file, offset + 4).ok_or(short(PREFIX))?;
    let need = PREFIX + u32::from_le_bytes(len) as usize;
    let body = file
        .get(offset + PREFIX..offset + need)
        .ok_or(short(need))?;
    if crc32c::crc32c(body) != u32::from_le_bytes(checksum) {
        return Err(FrameFault::Checksum);
    }

    Ok((body, offset + need))
}

fn read_frame(file: &[u8], offset: usize) -> Result<WalFrame, FrameFault> {
    let (body, end) = checked_body(file, offset)?;
    let head = body
        .first_chunk::<HEAD>()
        .ok_or(FrameFault::Length("head"))?;
    let fixed = |at| number::<4>(head, at).map_or(0, u32::from_le_bytes) as usize;
    if head[0] != KIND_ENTRIES {
        return Err(FrameFault::Kind(head[0]));
    }

    let (count, plain_len, note_len) = (fixed(10), fixed(22), fixed(26));
    let note = body
        .get(HEAD..HEAD + note_len)
        .ok_or(FrameFault::Length("checkpoint"))?;
    let note = std::str::from_utf8(note).map_err(|_| FrameFault::Note)?;
    let packed = &body[HEAD + note_len..];
    let unpacked;
    let plain = match head[1] {
        CODEC_RAW => packed,
        CODEC_ZSTD => {
            unpacked = unpack(packed, plain_len)?;
            &unpacked
        }
        other => return Err(FrameFault::Codec(other)),
    };

    if plain.len() != plain_len {
        return Err(FrameFault::Length("entries part"));
    }

    Ok(WalFrame {
        offset,
        end,
        head: FrameHead {
            first_sequence: number(head, 2).map_or(0, u64::from_le_bytes),
            committed_at_ms: number(head, 14).map_or(0, i64::from_le_bytes),
            note: note.to_owned(),
        },
        entries: read_entries(plain, count)?,
    })
}

fn unpack(packed: &[u8], plain_len: usize) -> Result<Vec<u8>, FrameFault> {
    if plain_len > MAX_ENTRIES_BYTES {
        return Err(FrameFault::Length("entries part"));
    }
    zstd::bulk::decompress(packed, plain_len).map_err(|_| FrameFault::Compression)
}

fn read_entries(plain: &[u8], count: usize) -> Result<Vec<FrameEntry>, FrameFault> {
    if count == 0 {
        return Err(FrameFault::Empty);
    }
    // Each entry takes at least its head: a count beyond that is refused before anything is
    // allocated for it.
    if count > plain.len() / ENTRY_HEAD {
        return Err(FrameFault::Length("number of entries"));
    }

    let mut entries = Vec::with_capacity(count);
    let mut rest = plain;

    for _ in 0..count {
        let cut = || FrameFault::Length("entry");
        let (salt, after) = rest.split_first_chunk::<16>().ok_or_else(cut)?;
        let (len, after) = after.split_first_chunk::<4>().ok_or_else(cut)?;
        let len = u32::from_le_bytes(*len) as usize;
        let (canonical, after) = after.split_at_checked(len).ok_or_else(cut)?;
        entries.push((*salt, canonical.to_vec()));
        rest = after;
    }

    if !rest.is_empty() {
        return Err(FrameFault::Length("number of entries"));
    }

    Ok(entries)
}

/// Returns the offset of a complete frame of entries from `sequence` on, anywhere after `offset`.
/// The writer never begins a frame before the one before it is durable, so a fault that is followed
/// by a complete frame is damage, not a torn write.
pub fn whole_frame_after(file: &[u8], offset: usize, sequence: u64) -> Option<usize> {
    let window = PREFIX + HEAD;
    (offset..=file.len().checked_sub(window)?).find(|&at| {
        let body = at + PREFIX;
        file[body] == KIND_ENTRIES
            && file[body + 1] <= CODEC_ZSTD
            && number(file, body + 2)
                .map(u64::from_le_bytes)
                .is_some_and(|first| (sequence..sequence.saturating_add(1 << 32)).contains(&first))
            && checked_body(file, at).is_ok()
    })
}
