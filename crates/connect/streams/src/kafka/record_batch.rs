//! Record batches of version 2 (<https://kafka.apache.org/documentation/#recordbatch>), and the
//! partition that a key belongs to.

use std::io::{self, Write as _};

use flate2::Compression;
use flate2::write::GzEncoder;
use reeve_streams::{KafkaCompression, KafkaKey, StreamRecord};

use super::wire::Encoder;

/// Level of zstd: its usual one.
const ZSTD_LEVEL: i32 = 3;

/// Returns the key of a record; an entry without a resource has none.
pub(super) fn key_of(record: &StreamRecord, key: KafkaKey) -> Option<&[u8]> {
    match key {
        KafkaKey::EventId => Some(record.event_id.as_bytes()),
        KafkaKey::ResourceId => record.resource_id.as_deref().map(str::as_bytes),
    }
}

/// Writes records as one batch. The time of a record is the one at which the entry was recorded: it
/// grows with the log, and a broker removes by it.
///
/// # Errors
/// The compression failed.
pub(super) fn record_batch(
    records: &[&StreamRecord],
    key: KafkaKey,
    compression: KafkaCompression,
) -> io::Result<Vec<u8>> {
    let times = || records.iter().map(|r| r.recorded_at.as_millisecond());
    let (first, last) = (times().min().unwrap_or(0), times().max().unwrap_or(0));
    let mut plain = Encoder::default();
    for (offset, record) in records.iter().enumerate() {
        plain.varint_bytes(&encoded(record, key, first, offset));
    }

    let (code, written) = match compression {
        KafkaCompression::None => (0, plain.0),
        KafkaCompression::Gzip => {
            let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
            encoder.write_all(&plain.0)?;
            (1, encoder.finish()?)
        }
        KafkaCompression::Zstd => (4, zstd::bulk::compress(&plain.0, ZSTD_LEVEL)?),
    };

    // What the checksum covers.
    let mut checked = Encoder::default();
    checked.i16(code);
    checked.i32(i32::try_from(records.len()).unwrap_or(i32::MAX) - 1);
    checked.i64(first);
    checked.i64(last);
    // No producer: a batch that is sent again comes twice, with the same identifiers.
    checked.i64(-1);
    checked.i16(-1);
    checked.i32(-1);
    checked.count(records.len());
    checked.0.extend_from_slice(&written);

    let mut batch = Encoder::default();
    batch.i64(0);
    // Leader epoch, version and checksum have nine bytes.
    batch.count(checked.0.len() + 9);
    batch.i32(-1);
    batch.i8(2);
    batch.i32(crc32c::crc32c(&checked.0).cast_signed());
    batch.0.extend_from_slice(&checked.0);
    Ok(batch.0)
}

fn encoded(record: &StreamRecord, key: KafkaKey, first: i64, offset: usize) -> Vec<u8> {
    let mut encoder = Encoder::default();
    encoder.i8(0);
    encoder.varint(record.recorded_at.as_millisecond() - first);
    encoder.varint(i64::try_from(offset).unwrap_or(i64::MAX));
    match key_of(record, key) {
        Some(key) => encoder.varint_bytes(key),
        None => encoder.varint(-1),
    }
    encoder.varint_bytes(&record.body);
    let sequence = record.sequence.to_string();
    let headers = [
        ("event_id", record.event_id.as_str()),
        ("sequence", &sequence),
    ];
    encoder.varint(2);
    for (name, value) in headers {
        encoder.varint_bytes(name.as_bytes());
        encoder.varint_bytes(value.as_bytes());
    }
    encoder.0
}

/// Returns the partition of a key as Kafka's own clients choose it, so that their consumers and
/// tables agree. Records without a key go to the first one.
pub(super) fn partition_of(key: Option<&[u8]>, partitions: usize) -> usize {
    let positive = key.map_or(0, |key| murmur2(key) & 0x7fff_ffff);
    positive as usize % partitions.max(1)
}

/// `Utils.murmur2` of Kafka.
fn murmur2(data: &[u8]) -> u32 {
    const MULTIPLIER: u32 = 0x5bd1_e995;
    const SEED: u32 = 0x9747_b28c;
    let mut hash = SEED ^ u32::try_from(data.len()).unwrap_or(u32::MAX);
    let (words, rest) = data.as_chunks::<4>();
    for word in words {
        let mut word = u32::from_le_bytes(*word).wrapping_mul(MULTIPLIER);
        word = (word ^ (word >> 24)).wrapping_mul(MULTIPLIER);
        hash = hash.wrapping_mul(MULTIPLIER) ^ word;
    }
    if !rest.is_empty() {
        for (at, byte) in rest.iter().enumerate() {
            hash ^= u32::from(*byte) << (8 * at);
        }
        hash = hash.wrapping_mul(MULTIPLIER);
    }
    hash = (hash ^ (hash >> 13)).wrapping_mul(MULTIPLIER);
    hash ^ (hash >> 15)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Values of `UtilsTest.testMurmur2` of Kafka.
    #[test]
    fn keys_are_hashed_as_by_other_clients() {
        let cases: [(&str, i32); 6] = [
            ("21", -973_932_308),
            ("foobar", -790_332_482),
            ("a-little-bit-long-string", -985_981_536),
            ("a-little-bit-longer-string", -1_486_304_829),
            (
                "lkjh234lh9fiuh90y23oiuhsafujhadof229phr9h19h89h8",
                -58_897_971,
            ),
            ("abc", 479_470_107),
        ];
        for (key, expected) in cases {
            assert_eq!(murmur2(key.as_bytes()).cast_signed(), expected, "{key}");
        }
        assert_eq!(partition_of(None, 3), 0);
        assert_eq!(partition_of(Some(b"21"), 1), 0);
    }
}
