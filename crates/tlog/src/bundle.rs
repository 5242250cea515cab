//! The bytes of C2SP tiles (<https://c2sp.org/tlog-tiles>): hash tiles (hashes end to end) and
//! entry bundles (records, each behind its length as a big-endian u16). Refuses bytes that do not
//! end where the last hash or record does, and counts other than the tile's width.

use thiserror::Error;

use crate::hash::{HASH_LEN, Hash};

/// Reason why bytes are not the tile or bundle they should be.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum TileDataError {
    /// Hash tile of another length than 32 bytes a hash.
    #[error("the tile should have {expected} bytes and has {actual}")]
    Length {
        /// 32 times the width.
        expected: usize,
        /// Bytes that were given.
        actual: usize,
    },
    /// The bundle ends inside a record or its length.
    #[error("the bundle ends inside record {0}")]
    Truncated(usize),
    /// The bundle has fewer records than the tile is wide.
    #[error("the bundle should have {expected} records and has {actual}")]
    Count {
        /// Width of the tile.
        expected: u16,
        /// Records that the bundle has.
        actual: usize,
    },
    /// Bytes follow the last record.
    #[error("{0} bytes follow the last record of the bundle")]
    Trailing(usize),
    /// A record is longer than 65,535 bytes and cannot be written.
    #[error("a record of {0} bytes is too long for an entry bundle")]
    RecordTooLong(usize),
}

/// The bytes of a hash tile.
pub fn encode_tile(hashes: &[Hash]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(HASH_LEN * hashes.len());
    for hash in hashes {
        bytes.extend_from_slice(&hash.0);
    }
    bytes
}

/// Reads a hash tile of exactly `width` hashes.
pub fn decode_tile(bytes: &[u8], width: u16) -> Result<Vec<Hash>, TileDataError> {
    let expected = HASH_LEN * usize::from(width);
    if bytes.len() != expected {
        return Err(TileDataError::Length {
            expected,
            actual: bytes.len(),
        });
    }

    let (hashes, _) = bytes.as_chunks::<HASH_LEN>();
    Ok(hashes.iter().copied().map(Hash).collect())
}

/// Appends one record to an entry bundle. Reeve's records are 32-byte commitments.
pub fn push_record(bundle: &mut Vec<u8>, record: &[u8]) -> Result<(), TileDataError> {
    let length =
        u16::try_from(record.len()).map_err(|_| TileDataError::RecordTooLong(record.len()))?;
    bundle.extend_from_slice(&length.to_be_bytes());
    bundle.extend_from_slice(record);
    Ok(())
}

/// The bytes of an entry bundle.
pub fn encode_bundle<'a>(
    records: impl IntoIterator<Item = &'a [u8]>,
) -> Result<Vec<u8>, TileDataError> {
    let mut bundle = Vec::new();
    for record in records {
        push_record(&mut bundle, record)?;
    }
    Ok(bundle)
}

/// Reads an entry bundle of exactly `width` records.
pub fn decode_bundle(bytes: &[u8], width: u16) -> Result<Vec<&[u8]>, TileDataError> {
    let mut records = Vec::with_capacity(usize::from(width));
    let mut rest = bytes;

    while records.len() < usize::from(width) {
        if rest.is_empty() {
            return Err(TileDataError::Count {
                expected: width,
                actual: records.len(),
            });
        }
        let truncated = TileDataError::Truncated(records.len());
        let Some((length, after)) = rest.split_first_chunk::<2>() else {
            return Err(truncated);
        };
        let length = usize::from(u16::from_be_bytes(*length));
        let Some((record, after)) = after.split_at_checked(length) else {
            return Err(truncated);
        };
        records.push(record);
        rest = after;
    }

    if !rest.is_empty() {
        return Err(TileDataError::Trailing(rest.len()));
    }

    Ok(records)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::hash::leaf_hash;

    #[test]
    fn tiles_round_trip() {
        let hashes = [leaf_hash(b"a"), leaf_hash(b"b")];
        let bytes = encode_tile(&hashes);
        assert_eq!(bytes.len(), 64);
        assert_eq!(decode_tile(&bytes, 2).unwrap(), hashes);

        for (bytes, width) in [(&bytes[..], 1), (&bytes[..63], 2), (&bytes[..], 3)] {
            assert_eq!(
                decode_tile(bytes, width),
                Err(TileDataError::Length {
                    expected: 32 * usize::from(width),
                    actual: bytes.len()
                })
            );
        }
    }

    #[test]
    fn bundles_round_trip() {
        let long = vec![7; 65_535];
        let records: [&[u8]; 4] = [b"", b"a", b"bc", &long];
        let bytes = encode_bundle(records).unwrap();
        assert_eq!(&bytes[..9], b"\0\0\0\x01a\0\x02bc");
        assert_eq!(decode_bundle(&bytes, 4).unwrap(), records);

        let too_long = vec![7; 65_536];
        assert_eq!(
            encode_bundle([&too_long[..]]),
            Err(TileDataError::RecordTooLong(65_536))
        );
    }

    #[test]
    fn refused_bundles() {
        let cases: [(&[u8], u16, TileDataError); 5] = [
            (
                b"",
                1,
                TileDataError::Count {
                    expected: 1,
                    actual: 0,
                },
            ),
            (b"\0", 1, TileDataError::Truncated(0)),
            (b"\0\x01a\0\x02b", 2, TileDataError::Truncated(1)),
            (
                b"\0\x01a",
                2,
                TileDataError::Count {
                    expected: 2,
                    actual: 1,
                },
            ),
            (b"\0\x01a\0\0", 1, TileDataError::Trailing(2)),
        ];
        for (bytes, width, expect) in cases {
            assert_eq!(decode_bundle(bytes, width), Err(expect));
        }
    }
}
