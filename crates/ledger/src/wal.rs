//! The write-ahead log: one file after another, each a header and frames, one frame a group commit.
//!
//! Layout, byte for byte: `docs/formats/wal.md`. Readers are strict: whatever the writer would not
//! have written is a fault with an offset. Whether a fault is a torn tail or damage is for
//! `recover` to say, which knows the anchor.

mod extent;
mod frame;
mod header;
mod writer;

pub(crate) use extent::end_of;
pub use frame::{
    FrameEntry, FrameFault, FrameHead, FrameReader, MAX_ENTRIES_BYTES, WalFrame, encode_frame,
    whole_frame_after,
};
pub use header::{HEADER_LEN, HeaderFault, WalHeader};
pub(crate) use writer::{Wal, WriteFailure};

/// The name of the file whose first entry has this sequence.
pub fn file_name(first_sequence: u64) -> String {
    format!("{first_sequence:020}.wal")
}

/// The first sequence of the file with this name; `None` for any other name.
pub fn parse_file_name(name: &str) -> Option<u64> {
    let digits = name.strip_suffix(".wal")?;
    let first = digits.parse().ok()?;
    (file_name(first) == name).then_some(first)
}
