//! Decision whether a faulty frame is the torn end of the log. The writer begins no frame before
//! the one before it is durable, so a fault that is followed by a complete frame is damage done
//! after writing.

use std::os::unix::fs::FileExt as _;

use super::frame::{HEAD, PREFIX, little, little64};
use crate::error::CannotVerify;
use crate::snapshot::WalFile;

/// A frame that begins with a later entry than this many is no frame of ours.
const PLAUSIBLE: u64 = 1 << 32;

/// Returns the offset of the first complete frame with entries from `sequence` on, at or after an
/// offset.
pub(super) fn whole_frame_after(
    file: &WalFile,
    offset: u64,
    sequence: u64,
) -> Result<Option<u64>, CannotVerify> {
    let mut rest = vec![0; file.length.saturating_sub(offset) as usize];
    file.file
        .read_exact_at(&mut rest, offset)
        .map_err(CannotVerify::unreadable(&file.path))?;
    let prefix = PREFIX as usize;
    let Some(last) = rest.len().checked_sub(prefix + HEAD) else {
        return Ok(None);
    };

    let found = (0..=last).find(|&at| {
        let body = at + prefix;
        let plausible = rest[body] == 1
            && rest[body + 1] <= 1
            && (sequence..sequence.saturating_add(PLAUSIBLE)).contains(&little64(&rest, body + 2));
        let end = body + little(&rest, at) as usize;
        plausible
            && rest
                .get(body..end)
                .is_some_and(|body| crc32c::crc32c(body) == little(&rest, at + 4))
    });

    Ok(found.map(|at| offset + at as u64))
}
