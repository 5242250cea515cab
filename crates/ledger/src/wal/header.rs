//! The 64 bytes at the head of a write-ahead log file: which entry comes first and the chain hash before it.
//! Refuses another magic, version, checksum or padding.

use reeve_tlog::Hash;

/// Bytes in a header.
pub const HEADER_LEN: usize = 64;

const MAGIC: &[u8; 8] = b"reevewal";
const VERSION: u32 = 1;
const CHECKED: usize = 52;

/// Header of a file of the write-ahead log.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WalHeader {
    /// Sequence of the file's first entry.
    pub first_sequence: u64,
    /// Chain hash of the entry before it; zeros for the first.
    pub previous_hash: Hash,
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
    #[error("the format version is {0}, and this program knows only version 1")]
    Version(u32),
    /// Wrong checksum.
    #[error("the checksum of the header is wrong")]
    Checksum,
    /// Bytes where zeros belong.
    #[error("the padding of the header is not zero")]
    Padding,
}

impl WalHeader {
    /// The header's bytes.
    pub fn encode(&self) -> [u8; HEADER_LEN] {
        let mut bytes = [0; HEADER_LEN];
        bytes[..8].copy_from_slice(MAGIC);
        bytes[8..12].copy_from_slice(&VERSION.to_le_bytes());
        bytes[12..20].copy_from_slice(&self.first_sequence.to_le_bytes());
        bytes[20..CHECKED].copy_from_slice(&self.previous_hash.0);
        let checksum = crc32c::crc32c(&bytes[..CHECKED]);
        bytes[CHECKED..CHECKED + 4].copy_from_slice(&checksum.to_le_bytes());
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
        let checksum = u32::from_le_bytes([bytes[52], bytes[53], bytes[54], bytes[55]]);
        if checksum != crc32c::crc32c(&bytes[..CHECKED]) {
            return Err(HeaderFault::Checksum);
        }
        let version = u32::from_le_bytes([bytes[8], bytes[9], bytes[10], bytes[11]]);
        if version != VERSION {
            return Err(HeaderFault::Version(version));
        }
        if bytes[CHECKED + 4..].iter().any(|byte| *byte != 0) {
            return Err(HeaderFault::Padding);
        }
        let (mut first, mut hash) = ([0; 8], [0; 32]);
        first.copy_from_slice(&bytes[12..20]);
        hash.copy_from_slice(&bytes[20..CHECKED]);
        Ok(WalHeader { first_sequence: u64::from_le_bytes(first), previous_hash: Hash(hash) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn header() -> WalHeader {
        WalHeader { first_sequence: 0x0102_0304_0506_0708, previous_hash: Hash([7; 32]) }
    }

    #[test]
    fn bytes_are_those_of_the_documentation() {
        let bytes = header().encode();
        assert_eq!(&bytes[..20], b"reevewal\x01\0\0\0\x08\x07\x06\x05\x04\x03\x02\x01");
        assert_eq!(bytes[20..52], [7; 32]);
        assert_eq!(bytes[52..56], crc32c::crc32c(&bytes[..52]).to_le_bytes());
        assert_eq!(bytes[56..], [0; 8]);
        assert_eq!(WalHeader::decode(&bytes), Ok(header()));
    }

    #[test]
    fn any_flipped_bit_is_refused() {
        let bytes = header().encode();
        for bit in 0..HEADER_LEN * 8 {
            let mut flipped = bytes;
            flipped[bit / 8] ^= 1 << (bit % 8);
            assert!(WalHeader::decode(&flipped).is_err(), "bit {bit}");
        }
        assert_eq!(WalHeader::decode(&bytes[..63]), Err(HeaderFault::Short(63)));
        let mut newer = bytes;
        newer[8] = 2;
        let checksum = crc32c::crc32c(&newer[..52]).to_le_bytes();
        newer[52..56].copy_from_slice(&checksum);
        assert_eq!(WalHeader::decode(&newer), Err(HeaderFault::Version(2)));
    }
}
