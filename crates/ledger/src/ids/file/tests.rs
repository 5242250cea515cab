//! Tests of identifier files: every record is found, nothing else is, and damage is reported.

#![allow(clippy::unwrap_used)]

use std::collections::BTreeMap;

use super::*;
use crate::disk::LocalDisk;

fn record(sequence: u64) -> IdRecord {
    IdRecord {
        key: IdKey::new(&format!("event {sequence}")),
        mark: Mark([sequence as u8; MARK_LEN]),
        sequence,
        recorded_at: Timestamp::from_millisecond(1_800_000_000_000 + sequence as i64).unwrap(),
    }
}

fn sorted(span: std::ops::Range<u64>) -> Vec<IdRecord> {
    let mut records: Vec<_> = span.map(record).collect();
    records.sort_by_key(|record| record.key);
    records
}

fn attestor() -> Attestor {
    Attestor::new(
        Arc::new(reeve_tlog::NoteSigner::from_seed("log.example", &[1; 32]).unwrap()),
        None,
    )
}

fn write_to(
    dir: &Path,
    span: (u64, u64),
    counts: (u64, Times),
    records: impl Iterator<Item = io::Result<IdRecord>>,
) -> io::Result<IdFile> {
    write(
        &Place {
            disk: &LocalDisk,
            attestor: &attestor(),
            dir,
        },
        span,
        0,
        counts,
        records,
    )
}

fn written(dir: &Path, span: std::ops::Range<u64>) -> IdFile {
    let records = sorted(span.clone());
    let count = records.len() as u64;
    write_to(
        dir,
        (span.start, span.end),
        (count, Times::new(&records)),
        records.into_iter().map(Ok),
    )
    .unwrap()
}

#[test]
fn every_record_is_found_and_nothing_else() {
    let dir = tempfile::tempdir().unwrap();
    for count in [1, 254, 255, 256, 1000, 20_000, MANY + 1] {
        let file = written(dir.path(), 7..7 + count);
        assert_eq!(
            (file.first(), file.end(), file.count(), file.level()),
            (7, 7 + count, count, 0)
        );
        for sequence in 7..7 + count {
            assert_eq!(
                file.find(&record(sequence).key).unwrap(),
                Some(record(sequence))
            );
        }
        for sequence in 7 + count..7 + count + 2000 {
            assert_eq!(file.find(&record(sequence).key).unwrap(), None);
        }
        for edge in [[0; KEY_LEN], [0xff; KEY_LEN]] {
            assert_eq!(file.find(&IdKey(edge)).unwrap(), None);
        }
    }
}

#[test]
fn merging_keeps_all_records_in_order() {
    let dir = tempfile::tempdir().unwrap();
    let files = [0..300, 300..301, 301..9000].map(|span| Arc::new(written(dir.path(), span)));
    let all: Vec<_> = merged(&files).collect::<io::Result<_>>().unwrap();
    assert_eq!(all, sorted(0..9000));
}

#[test]
fn damage_is_reported() {
    let dir = tempfile::tempdir().unwrap();
    let file = written(dir.path(), 0..500);
    let path = dir.path().join(name(0, 500));
    let whole = std::fs::read(&path).unwrap();
    let first_page = file.head.page_at(0) as usize;
    let mut counts = BTreeMap::new();

    for at in (0..whole.len()).step_by(13) {
        let mut flipped = whole.clone();
        flipped[at] ^= 4;
        std::fs::write(&path, &flipped).unwrap();
        let found = IdFile::open(&LocalDisk, &attestor(), &path).and_then(|file| {
            (0..500).try_for_each(|sequence| {
                file.find(&record(sequence).key)
                    .map(|found| assert_eq!(found, Some(record(sequence))))
            })
        });
        let error = found.unwrap_err();
        assert_eq!(
            error.kind(),
            io::ErrorKind::InvalidData,
            "byte {at}: {error}"
        );
        *counts.entry(at < first_page).or_insert(0) += 1;
    }

    assert_eq!(counts.len(), 2);
    std::fs::write(&path, &whole[..whole.len() - 1]).unwrap();
    assert!(IdFile::open(&LocalDisk, &attestor(), &path).is_err());

    let untold = Times::new(&sorted(0..1));
    assert!(
        write_to(
            dir.path(),
            (0, 500),
            (500, untold),
            sorted(0..500).into_iter().map(Ok)
        )
        .is_err()
    );

    let fewer = write_to(
        dir.path(),
        (0, 500),
        (499, Times::new(&sorted(0..500))),
        sorted(0..500).into_iter().map(Ok),
    );
    assert!(fewer.is_err());

    assert!(!dir.path().join(format!("{}.tmp", name(0, 500))).exists());
}

/// Keys are hashes, but somebody may have chosen what they are of.
#[test]
fn keys_far_apart_begin_a_page_each() {
    let dir = tempfile::tempdir().unwrap();
    let key = |at: u64| {
        IdKey(
            (if at.is_multiple_of(2) {
                at
            } else {
                u64::MAX / (MANY * 2) * at
            })
            .to_be_bytes(),
        )
    };

    let mut records: Vec<_> = (0..MANY)
        .map(|at| IdRecord {
            key: key(at),
            ..record(at)
        })
        .collect();
    records.sort_by_key(|record| record.key);

    let counts = (MANY, Times::new(&records));
    let file = write_to(
        dir.path(),
        (0, MANY),
        counts,
        records.iter().copied().map(Ok),
    )
    .unwrap();

    for record in records.iter().step_by(97) {
        assert_eq!(
            file.find(&record.key).unwrap().map(|found| found.key),
            Some(record.key)
        );
    }

    let all: Vec<_> = Records::new(&file).collect::<io::Result<_>>().unwrap();
    assert_eq!(all, records);
}

/// Whoever changes a record on purpose makes every checksum right again.
#[test]
fn a_forged_record_is_refused_although_its_checksums_hold() {
    let dir = tempfile::tempdir().unwrap();
    let file = written(dir.path(), 0..500);
    let path = dir.path().join(name(0, 500));
    let sound = std::fs::read(&path).unwrap();
    let (page, digests) = (
        file.head.page_at(0) as usize,
        file.head.page_at(file.head.pages()) as usize,
    );
    let mut forged = sound.clone();
    forged[page + 10] ^= 1;
    let sum = crc32c::crc32c(&forged[page..page + PAGE_LEN - 4]).to_le_bytes();
    forged[page + PAGE_LEN - 4..page + PAGE_LEN].copy_from_slice(&sum);
    std::fs::write(&path, &forged).unwrap();
    let opened = IdFile::open(&LocalDisk, &attestor(), &path).unwrap();
    assert!(opened.page(0).is_err(), "its digest does not fit");

    let fitting = page_digest(&forged[page..page + PAGE_LEN]);
    forged[digests..digests + DIGEST_LEN].copy_from_slice(&fitting);
    std::fs::write(&path, &forged).unwrap();
    assert!(
        IdFile::open(&LocalDisk, &attestor(), &path).is_err(),
        "the digests are attested"
    );

    // A file of the same content by another key, and a sound one under another name.
    let other = Attestor::new(
        Arc::new(reeve_tlog::NoteSigner::from_seed("log.example", &[2; 32]).unwrap()),
        None,
    );
    std::fs::write(&path, &sound).unwrap();
    assert!(IdFile::open(&LocalDisk, &other, &path).is_err());
    IdFile::open(&LocalDisk, &attestor(), &path).unwrap();
}

#[test]
fn a_file_of_an_earlier_version_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("earlier.ids");
    std::fs::write(
        &path,
        include_bytes!("../../../tests/fixtures/identifiers-v2.ids"),
    )
    .unwrap();

    let error = IdFile::open(&LocalDisk, &attestor(), &path)
        .map(|_| ())
        .unwrap_err();
    assert_eq!(error.kind(), io::ErrorKind::InvalidData);
    assert!(
        error.to_string().contains("version 2 is not attested"),
        "{error}"
    );
}
