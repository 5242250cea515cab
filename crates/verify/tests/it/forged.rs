//! Tests of forgeries with corrected checksums, which only payloads, tree and signatures reveal.

use std::fs::{self, File};
use std::sync::Arc;

use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use parquet::file::properties::WriterProperties;
use sha2::{Digest, Sha256};

use arrow::array::{
    Array as _, ArrayRef, BinaryArray, DictionaryArray, FixedSizeBinaryArray, RecordBatch,
    StringArray, TimestampMicrosecondArray,
};
use arrow::compute::concat_batches;
use arrow::datatypes::Int32Type;

use crate::log::{Log, assert_names, frame_offsets, with_bytes};

/// Rewrites a segment with other columns, and the manifest with its new length and hash.
fn rewrite(log: &Log, name: &str, change: impl FnOnce(&RecordBatch, &mut Vec<ArrayRef>)) {
    let path = log.path(name);
    let before = fs::read(&path).unwrap();
    let builder = ParquetRecordBatchReaderBuilder::try_new(File::open(&path).unwrap()).unwrap();
    let tags = builder
        .metadata()
        .file_metadata()
        .key_value_metadata()
        .cloned();

    let tags = tags.map(|tags| {
        tags.into_iter()
            .filter(|tag| tag.key.starts_with("reeve."))
            .collect()
    });
    let schema = builder.schema().clone();
    let batches: Vec<_> = builder.build().unwrap().map(Result::unwrap).collect();
    let rows = concat_batches(&schema, &batches).unwrap();
    let mut columns = rows.columns().to_vec();
    change(&rows, &mut columns);
    let properties = WriterProperties::builder()
        .set_key_value_metadata(tags)
        .build();
    let schema = rows
        .schema()
        .as_ref()
        .clone()
        .with_metadata(Default::default());
    let mut writer =
        ArrowWriter::try_new(Vec::new(), Arc::new(schema.clone()), Some(properties)).unwrap();
    writer
        .write(&RecordBatch::try_new(Arc::new(schema), columns).unwrap())
        .unwrap();
    let after = writer.into_inner().unwrap();
    let hash = |bytes: &[u8]| hex::encode(Sha256::digest(bytes));
    let bytes = |bytes: &[u8]| format!("\"bytes\":{},", bytes.len());
    log.edit_manifest(|text| {
        let text = text.replacen(&hash(&before), &hash(&after), 1);
        text.replacen(&bytes(&before), &bytes(&after), 1)
    });
    fs::write(path, after).unwrap();
}

fn column(rows: &RecordBatch, name: &str) -> usize {
    rows.schema().index_of(name).unwrap()
}

/// The canonical bytes of a segment with one row's changed.
fn payloads(rows: &RecordBatch, change: impl FnOnce(&mut Vec<Vec<u8>>)) -> ArrayRef {
    let array = rows
        .column(column(rows, "canonical"))
        .as_any()
        .downcast_ref::<BinaryArray>()
        .unwrap();

    let mut payloads: Vec<Vec<u8>> = (0..array.len())
        .map(|row| array.value(row).to_vec())
        .collect();
    change(&mut payloads);
    Arc::new(BinaryArray::from_iter_values(payloads))
}

#[tokio::test]
async fn a_segment_rewritten_as_it_was_passes() {
    let log = Log::mixed().await;
    rewrite(&log, &log.segment("view"), |_, _| {});
    let report = log.verify();
    assert!(report.is_intact(), "{report}");
}

#[tokio::test]
async fn a_forged_column_is_found_though_the_payload_is_intact() {
    let log = Log::mixed().await;
    let name = log.segment("default");
    rewrite(&log, &name, |rows, columns| {
        let at = column(rows, "actor_id");
        let array = rows
            .column(at)
            .as_any()
            .downcast_ref::<DictionaryArray<Int32Type>>()
            .unwrap();
        let texts = array.downcast_dict::<StringArray>().unwrap();
        let forged = (0..array.len()).map(|row| match array.is_valid(row) {
            true if row == 1 => Some("mallory"),
            true => Some(texts.values().value(array.keys().value(row) as usize)),
            false => None,
        });
        columns[at] = Arc::new(forged.collect::<DictionaryArray<Int32Type>>());
    });

    let report = log.verify();
    assert_eq!(report.findings_total, 1, "{report}");
    assert_names(
        &report,
        &format!(
            "{name}, entry 5 (evt-5): the column actor_id differs from the payload (expected \"alice\", found \"mallory\")"
        ),
        "actor_id",
    );
}

#[tokio::test]
async fn a_forged_time_is_found() {
    let log = Log::mixed().await;
    let name = log.segment("change");
    rewrite(&log, &name, |rows, columns| {
        let at = column(rows, "timestamp");
        let array = rows
            .column(at)
            .as_any()
            .downcast_ref::<TimestampMicrosecondArray>()
            .unwrap();
        let times = (0..array.len()).map(|row| array.value(row) + i64::from(row == 0) * 1_000_000);
        columns[at] =
            Arc::new(TimestampMicrosecondArray::from_iter_values(times).with_timezone("UTC"));
    });

    let report = log.verify();
    let changed = "salt and payload do not give the commitment that ledger/commitments holds: one of them was changed";
    assert_names(&report, changed, "timestamp");
    assert_names(&report, "entry 3", "timestamp");
    assert_names(
        &report,
        "ledger/manifest.journal says something else about the segment's timestamps",
        "span",
    );
}

#[tokio::test]
async fn a_time_between_two_milliseconds_is_found() {
    let log = Log::mixed().await;
    let name = log.segment("change");
    rewrite(&log, &name, |rows, columns| {
        let at = column(rows, "recorded_at");
        let array = rows
            .column(at)
            .as_any()
            .downcast_ref::<TimestampMicrosecondArray>()
            .unwrap();
        let times = (0..array.len()).map(|row| array.value(row) + i64::from(row == 0));
        columns[at] =
            Arc::new(TimestampMicrosecondArray::from_iter_values(times).with_timezone("UTC"));
    });

    let report = log.verify();
    let restored = "the value of column 3 was cut out of the payload, and cannot be put back";
    assert_names(&report, restored, "recorded_at");
    assert_names(&report, "entry 3", "recorded_at");
}

#[tokio::test]
async fn a_changed_payload_is_named_with_its_entry() {
    let log = Log::mixed().await;
    let name = log.segment("view");
    rewrite(&log, &name, |rows, columns| {
        columns[column(rows, "canonical")] = payloads(rows, |payloads| {
            let text = String::from_utf8(payloads[0].clone()).unwrap();
            payloads[0] = text
                .replacen("\"env\":\"prod\"", "\"env\":\"test\"", 1)
                .into_bytes();
        });
    });

    let report = log.verify();
    assert_eq!(report.findings_total, 1, "{report}");
    assert_names(
        &report,
        &format!("{name}, entry 2 (evt-2): salt and payload do not give"),
        "payload",
    );
    assert!(report.root.is_some());
}

#[tokio::test]
async fn swapped_payloads_and_salts_are_found() {
    let log = Log::mixed().await;
    let name = log.segment("view");
    rewrite(&log, &name, |rows, columns| {
        columns[column(rows, "canonical")] = payloads(rows, |payloads| payloads.swap(3, 4));
        let at = column(rows, "salt");
        let salts = rows
            .column(at)
            .as_any()
            .downcast_ref::<FixedSizeBinaryArray>()
            .unwrap();
        let mut salts: Vec<Vec<u8>> = (0..salts.len())
            .map(|row| salts.value(row).to_vec())
            .collect();
        salts.swap(3, 4);
        columns[at] = Arc::new(FixedSizeBinaryArray::try_from_iter(salts.into_iter()).unwrap());
    });

    let report = log.verify();
    for part in [
        "entry 17: salt and payload do not give the commitment",
        "entry 22: salt and payload do not give the commitment",
    ] {
        assert_names(&report, part, "swapped");
    }
}

#[tokio::test]
async fn a_payload_in_another_spelling_is_refused() {
    let log = Log::mixed().await;
    rewrite(&log, &log.segment("view"), |rows, columns| {
        columns[column(rows, "canonical")] = payloads(rows, |payloads| payloads[7].insert(1, b' '));
    });
    assert_names(
        &log.verify(),
        "not in canonical form (RFC 8785) from its byte 1 on",
        "a space",
    );
}

/// Returns the body of a frame with two entries swapped, uncompressed, with corrected length and
/// checksum.
fn swap_in_frame(frame: &[u8]) -> Vec<u8> {
    let number = |at: usize| u32::from_le_bytes(frame[at..at + 4].try_into().unwrap()) as usize;
    let (plain_len, note_len) = (number(30), number(34));
    let packed = &frame[38 + note_len..];
    let plain = if frame[9] == 1 {
        zstd::bulk::decompress(packed, plain_len).unwrap()
    } else {
        packed.to_vec()
    };

    let mut entries: Vec<&[u8]> = Vec::new();
    let mut rest = plain.as_slice();

    while !rest.is_empty() {
        let length = 20 + u32::from_le_bytes(rest[16..20].try_into().unwrap()) as usize;
        entries.push(&rest[..length]);
        rest = &rest[length..];
    }

    entries.swap(0, 1);
    let mut body = frame[8..38 + note_len].to_vec();
    body[1] = 0;
    body.extend(entries.concat());
    let mut swapped = (body.len() as u32).to_le_bytes().to_vec();
    swapped.extend(crc32c::crc32c(&body).to_le_bytes());
    swapped.extend(body);

    swapped
}

#[tokio::test]
async fn swapped_entries_in_the_write_ahead_log_are_found() {
    let log = Log::mixed().await;
    let name = log.wal();
    let bytes = fs::read(log.path(&name)).unwrap();
    let offsets = frame_offsets(&bytes);

    for frame in 0..5 {
        let (start, end) = (offsets[frame], offsets[frame + 1]);
        let swapped = [
            &bytes[..start],
            &swap_in_frame(&bytes[start..end]),
            &bytes[end..],
        ]
        .concat();
        let report = with_bytes(&log.path(&name), &swapped, || log.verify());
        let first = 600 + 10 * frame;
        let place = format!(
            "{name}, byte {start}, entries {first} to {}: the entries do not give the signed root",
            first + 9
        );
        assert_names(&report, &place, "swapped");
        assert_names(&report, "anchor/head", "swapped");
    }
}

#[tokio::test]
async fn a_log_signed_by_another_key_is_refused_by_a_pinned_one() {
    let (log, other) = (Log::mixed().await, Log::mixed().await);
    assert!(other.verify().is_intact());

    let report = other.pinned(log.key());
    assert_names(
        &report,
        "ledger/log.vkey: the log is not signed by the key that was pinned",
        "key",
    );

    assert_names(
        &report,
        "ledger/checkpoint: the checkpoint is refused",
        "checkpoint",
    );
    assert_names(&report, &format!("{}, byte 64", other.wal()), "frame");

    // With the right key put in its place the signatures still tell.
    fs::copy(log.path("ledger/log.vkey"), other.path("ledger/log.vkey")).unwrap();
    assert_names(
        &other.pinned(log.key()),
        "ledger/checkpoint: the checkpoint is refused",
        "key replaced",
    );
}

#[tokio::test]
async fn an_end_of_another_log_does_not_fit() {
    let (log, other) = (Log::mixed().await, Log::mixed().await);
    for name in [
        log.wal(),
        "ledger/checkpoint".to_owned(),
        "anchor/head".to_owned(),
    ] {
        let bytes = fs::read(other.path(&name)).unwrap();
        let report = with_bytes(&log.path(&name), &bytes, || log.verify());
        assert_names(&report, &name, &name);
    }

    let names = ["commitments", "tree/1", "manifest.journal"].map(|name| format!("ledger/{name}"));
    for name in names.into_iter().chain([log.segment("default")]) {
        let bytes = fs::read(other.path(&name)).unwrap();
        let report = with_bytes(&log.path(&name), &bytes, || log.verify());
        assert_names(&report, &name, &name);
    }
}
