//! The 64 bytes at the head of a write-ahead log file: the entry that comes first, the chain hash
//! before it, and in version 2 the number of the server that writes it. Refuses another magic,
//! version, checksum or padding.

use reeve_tlog::Hash;

/// Bytes in a header.
pub const HEADER_LEN: usize = 64;

const MAGIC: &[u8; 8] = b"reevewal";
/// Version of files whose writer has no number.
const UNNUMBERED: u32 = 1;
/// Version of files that name the number of their writer.
const NUMBERED: u32 = 2;
/// Bytes before the checksum, by version.
const CHECKED: usize = 52;
const CHECKED_NUMBERED: usize = 60;

/// Header of a file of the write-ahead log.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WalHeader {
    /// Sequence of the file's first entry.
    pub first_sequence: u64,
    /// Chain hash of the entry before it; zeros for the first.
    pub previous_hash: Hash,
    /// Number of the writer ([`Fence::epoch`](crate::Fence::epoch)); 0 for files of version 1.
    pub epoch: u64,
}

/// Reason why bytes are not a header.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum HeaderFault {
    /// Fewer than 64 bytes.
    #[error("the header has {0} of 64 bytes")]
    Short(usize),
    /// Another kind of file.
    #[error("the file does not begin with \"reevewal\"")]
    Magic,
    /// Written by a version this one does not know.
    #[error("the format version is {0}, and this program knows only versions 1 and 2")]
    Version(u32),
    /// The stored checksum is another than that of the bytes.
    #[error("the checksum of the header is wrong")]
    Checksum,
    /// Bytes where zeros belong.
    #[error("the padding of the header is not zero")]
    Padding,
}

impl WalHeader {
    /// Returns the header in its stored form.
    pub fn encode(&self) -> [u8; HEADER_LEN] {
        let mut bytes = [0; HEADER_LEN];
        bytes[..8].copy_from_slice(MAGIC);
        let (version, checked) = if self.epoch == 0 {
            (UNNUMBERED, CHECKED)
        } else {
            (NUMBERED, CHECKED_NUMBERED)
        };

        bytes[8..12].copy_from_slice(&version.to_le_bytes());
        bytes[12..20].copy_from_slice(&self.first_sequence.to_le_bytes());
        bytes[20..CHECKED].copy_from_slice(&self.previous_hash.0);
        if version == NUMBERED {
            bytes[CHECKED..CHECKED_NUMBERED].copy_from_slice(&self.epoch.to_le_bytes());
        }

        let checksum = crc32c::crc32c(&bytes[..checked]);
        bytes[checked..checked + 4].copy_from_slice(&checksum.to_le_bytes());
        bytes
    }

    /// Reads the header of a file.
    pub fn decode(file: &[u8]) -> Result<WalHeader, HeaderFault> {
        let Some(bytes) = file.first_chunk::<HEADER_LEN>() else {
            return Err(HeaderFault::Short(file.len()));
        };

        if !bytes.starts_with(MAGIC) {
            return Err(HeaderFault::Magic);
        }

        let word = |at: usize| {
            u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]])
        };
        let long = |at: usize| u64::from(word(at)) | u64::from(word(at + 4)) << 32;

        let version = word(8);
        // The checksum of a version that this program does not know may stand anywhere: it is
        // looked for where version 1 has it.
        let checked = if version == NUMBERED {
            CHECKED_NUMBERED
        } else {
            CHECKED
        };

        if word(checked) != crc32c::crc32c(&bytes[..checked]) {
            return Err(HeaderFault::Checksum);
        }
        if version != UNNUMBERED && version != NUMBERED {
            return Err(HeaderFault::Version(version));
        }
        if bytes[checked + 4..].iter().any(|byte| *byte != 0) {
            return Err(HeaderFault::Padding);
        }

        let mut hash = [0; 32];
        hash.copy_from_slice(&bytes[20..CHECKED]);
        let epoch = if version == NUMBERED {
            long(CHECKED)
        } else {
            0
        };

        Ok(WalHeader {
            first_sequence: long(12),
            previous_hash: Hash(hash),
            epoch,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn header() -> WalHeader {
        WalHeader {
            first_sequence: 0x0102_0304_0506_0708,
            previous_hash: Hash([7; 32]),
            epoch: 0,
        }
    }

    fn numbered() -> WalHeader {
        WalHeader {
            epoch: 0x1112_1314_1516_1718,
            ..header()
        }
    }

    #[test]
    fn bytes_are_those_of_the_documentation() {
        let bytes = header().encode();
        assert_eq!(
            &bytes[..20],
            b"reevewal\x01\0\0\0\x08\x07\x06\x05\x04\x03\x02\x01"
        );
        assert_eq!(bytes[20..52], [7; 32]);
        assert_eq!(bytes[52..56], crc32c::crc32c(&bytes[..52]).to_le_bytes());
        assert_eq!(bytes[56..], [0; 8]);
        assert_eq!(WalHeader::decode(&bytes), Ok(header()));

        let bytes = numbered().encode();
        assert_eq!(
            (&bytes[8..12], &bytes[20..52]),
            (&[2, 0, 0, 0][..], &[7; 32][..])
        );
        assert_eq!(
            bytes[52..60],
            [0x18, 0x17, 0x16, 0x15, 0x14, 0x13, 0x12, 0x11]
        );
        assert_eq!(bytes[60..], crc32c::crc32c(&bytes[..60]).to_le_bytes());
        assert_eq!(WalHeader::decode(&bytes), Ok(numbered()));
    }

    #[test]
    fn any_flipped_bit_is_refused() {
        for bytes in [header().encode(), numbered().encode()] {
            for bit in 0..HEADER_LEN * 8 {
                let mut flipped = bytes;
                flipped[bit / 8] ^= 1 << (bit % 8);
                assert!(WalHeader::decode(&flipped).is_err(), "bit {bit}");
            }
        }

        let bytes = header().encode();
        assert_eq!(WalHeader::decode(&bytes[..63]), Err(HeaderFault::Short(63)));

        let mut newer = bytes;
        newer[8] = 3;
        let checksum = crc32c::crc32c(&newer[..52]).to_le_bytes();
        newer[52..56].copy_from_slice(&checksum);
        assert_eq!(WalHeader::decode(&newer), Err(HeaderFault::Version(3)));
    }
}
