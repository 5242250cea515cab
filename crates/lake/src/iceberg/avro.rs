//! Object container files of Avro 1.11, as far as Iceberg's manifests need them: one block, not
//! compressed. A file is a function of its records alone.

use serde_json::Value;
use sha2::{Digest, Sha256};

/// Begins every file.
const MAGIC: &[u8] = b"Obj\x01";
/// Bytes of the marker after the header and after each block.
const MARKER: usize = 16;

/// Bytes of one record or of several, field by field in the order of their schema.
#[derive(Debug, Default)]
pub(super) struct AvroBytes(Vec<u8>);

impl AvroBytes {
    /// Appends an `int` or a `long`.
    pub(super) fn long(&mut self, value: i64) -> &mut Self {
        let mut rest = ((value << 1) ^ (value >> 63)).cast_unsigned();
        while rest >= 0x80 {
            self.0.push(rest as u8 | 0x80);
            rest >>= 7;
        }
        self.0.push(rest as u8);
        self
    }

    /// Appends `bytes` or a `string`.
    pub(super) fn bytes(&mut self, value: &[u8]) -> &mut Self {
        self.long(value.len() as i64);
        self.0.extend_from_slice(value);
        self
    }

    /// Appends the absence of an optional value, whose type is a union that begins with `null`.
    pub(super) fn none(&mut self) -> &mut Self {
        self.long(0)
    }

    /// Begins an optional value that is there.
    pub(super) fn some(&mut self) -> &mut Self {
        self.long(1)
    }

    /// Appends the entries of a map with integer keys: an array of pairs.
    pub(super) fn pairs(&mut self, pairs: &[(i32, Vec<u8>)]) -> &mut Self {
        if !pairs.is_empty() {
            self.long(pairs.len() as i64);
            for (key, value) in pairs {
                self.long(i64::from(*key)).bytes(value);
            }
        }
        self.long(0)
    }

    fn metadata(&mut self, pairs: &[(&str, String)]) {
        self.long(pairs.len() as i64);
        for (key, value) in pairs {
            self.bytes(key.as_bytes()).bytes(value.as_bytes());
        }
        self.long(0);
    }
}

/// Returns a file with these records, of which there are so many.
pub(super) fn file(
    schema: &Value,
    metadata: &[(&str, String)],
    count: usize,
    records: &AvroBytes,
) -> Vec<u8> {
    let mut pairs = vec![
        ("avro.schema", schema.to_string()),
        ("avro.codec", "null".to_owned()),
    ];
    pairs.extend_from_slice(metadata);
    let marker = &Sha256::digest(&records.0)[..MARKER];

    let mut file = AvroBytes(MAGIC.to_vec());
    file.metadata(&pairs);
    file.0.extend_from_slice(marker);
    if count > 0 {
        file.long(count as i64).bytes(&records.0);
        file.0.extend_from_slice(marker);
    }
    file.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_zigzag_with_seven_bits_a_byte() {
        for (value, expect) in [
            (0, &[0][..]),
            (-1, &[1]),
            (1, &[2]),
            (-64, &[0x7f]),
            (64, &[0x80, 1]),
            (
                i64::MIN,
                &[0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1],
            ),
        ] {
            let mut bytes = AvroBytes::default();
            bytes.long(value);
            assert_eq!(bytes.0, expect, "{value}");
        }
    }
}
