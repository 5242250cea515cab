//! Finds the end of a write-ahead log file by the headers of its frames alone, without reading
//! their content.

use std::io;

use super::HEADER_LEN;
use crate::disk::DiskFile;

/// Length and checksum of a frame, and its body up to the number of entries.
const WANTED: usize = 8 + 14;

/// Returns where the frame ends after which the log has `size` entries; `None` where no frame of
/// the file, whose first entry is `first`, ends there.
pub(crate) fn end_of(file: &dyn DiskFile, first: u64, size: u64) -> io::Result<Option<u64>> {
    let (length, mut offset, mut next) = (file.len()?, HEADER_LEN as u64, first);
    while next < size && offset + WANTED as u64 <= length {
        let mut head = [0; WANTED];
        file.read_at(offset, &mut head)?;
        let number =
            |at: usize| u32::from_le_bytes([head[at], head[at + 1], head[at + 2], head[at + 3]]);
        let (body, sequence, count) = (
            number(0),
            u64::from(number(10)) | u64::from(number(14)) << 32,
            number(18),
        );
        if sequence != next || count == 0 {
            return Ok(None);
        }
        next += u64::from(count);
        offset += 8 + u64::from(body);
    }

    Ok((next == size && offset <= length).then_some(offset))
}
