//! The 64 bytes a file of the write-ahead log begins with.

use reeve_tlog::Hash;

/// Bytes of a header.
pub(super) const HEADER_LEN: usize = 64;

/// Header of a file.
pub(super) struct Header {
    pub(super) first_sequence: u64,
    pub(super) previous_hash: Hash,
    /// Number of the server that writes the file; 0 in version 1.
    pub(super) epoch: u64,
}

/// Reason why bytes are not a header.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum HeaderFault {
    #[error("the header has {0} of 64 bytes")]
    Short(usize),
    #[error("the file does not begin with \"reevewal\"")]
    Magic,
    #[error("the checksum of the header is wrong")]
    Checksum,
    #[error("version {0}")]
    Version(u32),
    #[error("the header does not end in zeros")]
    Padding,
}

impl Header {
    pub(super) fn decode(bytes: &[u8]) -> Result<Header, HeaderFault> {
        let header = bytes
            .first_chunk::<HEADER_LEN>()
            .ok_or(HeaderFault::Short(bytes.len()))?;
        let word = |at: usize| {
            u32::from_le_bytes([header[at], header[at + 1], header[at + 2], header[at + 3]])
        };

        if !header.starts_with(b"reevewal") {
            return Err(HeaderFault::Magic);
        }

        let long = |at: usize| u64::from(word(at)) | u64::from(word(at + 4)) << 32;
        let checked = if word(8) == 2 { 60 } else { 52 };
        if word(checked) != crc32c::crc32c(&header[..checked]) {
            return Err(HeaderFault::Checksum);
        }
        if !matches!(word(8), 1 | 2) {
            return Err(HeaderFault::Version(word(8)));
        }
        if header[checked + 4..].iter().any(|byte| *byte != 0) {
            return Err(HeaderFault::Padding);
        }

        let mut previous = [0; 32];
        previous.copy_from_slice(&header[20..52]);
        let epoch = if word(8) == 2 { long(52) } else { 0 };

        Ok(Header {
            first_sequence: long(12),
            previous_hash: Hash(previous),
            epoch,
        })
    }
}
