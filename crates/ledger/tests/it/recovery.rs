//! Starting on files that are not what they should be: what is a torn end is cut off, everything
//! else is refused by name.

use std::fs::{self, OpenOptions};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use reeve_ledger::{AcceptUnsigned, Config, OpenError, Receipt};

use crate::earlier::unsign;
use crate::log::{check_receipts, check_whole, config, drafts, open, open_on, signer};
use crate::segments::MemorySegments;

/// A closed log: 5 frames, 3 sealed entries before them if asked.
struct Closed {
    dir: tempfile::TempDir,
    segments: Arc<MemorySegments>,
    receipts: Vec<Receipt>,
}

impl Closed {
    async fn new(sealed: bool) -> Closed {
        let dir = tempfile::tempdir().unwrap();
        let segments = MemorySegments::new();
        let ledger = open(dir.path(), &segments).await.unwrap();
        let mut receipts = Vec::new();
        if sealed {
            receipts.extend(ledger.append(drafts("s", 300)).await.unwrap());
            ledger.seal().await.unwrap();
        }

        for frame in 0..5 {
            receipts.extend(
                ledger
                    .append(drafts(&format!("{frame}-"), 3))
                    .await
                    .unwrap(),
            );
        }

        ledger.close().await;
        Closed {
            dir,
            segments,
            receipts,
        }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    fn wal(&self) -> PathBuf {
        let mut names: Vec<_> = fs::read_dir(self.path("ledger/wal"))
            .unwrap()
            .map(|item| item.unwrap().path())
            .collect();
        names.sort();
        names.pop().unwrap()
    }

    async fn refused(&self) -> OpenError {
        let error = open(self.dir.path(), &self.segments).await.unwrap_err();
        // Refusing changes nothing, so the second try says the same.
        let again = open(self.dir.path(), &self.segments).await.unwrap_err();
        assert_eq!(error.to_string(), again.to_string());
        error
    }

    async fn opens(&self) {
        let ledger = open(self.dir.path(), &self.segments).await.unwrap();
        let entries = check_whole(&ledger, &self.segments).await;
        check_receipts(&entries, &self.receipts);
        ledger.append(drafts("more", 2)).await.unwrap();
        check_whole(&ledger, &self.segments).await;
        ledger.close().await;
        open(self.dir.path(), &self.segments).await.unwrap();
    }
}

fn frame_offsets(wal: &Path) -> Vec<(usize, usize)> {
    let bytes = fs::read(wal).unwrap();
    let frames = reeve_ledger::wal::FrameReader::new(&bytes, reeve_ledger::wal::HEADER_LEN);
    frames
        .map(|frame| frame.map(|frame| (frame.offset, frame.end)).unwrap())
        .collect()
}

fn flip(path: &Path, offset: usize) {
    let mut bytes = fs::read(path).unwrap();
    bytes[offset] ^= 0x10;
    fs::write(path, bytes).unwrap();
}

#[tokio::test]
async fn a_torn_end_is_cut_off() {
    for sealed in [false, true] {
        let log = Closed::new(sealed).await;
        let whole = fs::read(log.wal()).unwrap();
        let (offset, end) = frame_offsets(&log.wal())[0];
        let size = log.receipts.len() as u64;
        // What the next frame would have begun with.
        let mut next = whole[offset..end].to_vec();
        next[10..18].copy_from_slice(&size.to_le_bytes());
        for torn in [1, 7, 8, 20, next.len() / 2, next.len() - 1] {
            fs::write(log.wal(), [&whole[..], &next[..torn]].concat()).unwrap();
            let ledger = open(log.dir.path(), &log.segments).await.unwrap();
            check_receipts(&check_whole(&ledger, &log.segments).await, &log.receipts);
            ledger.close().await;
            assert_eq!(fs::read(log.wal()).unwrap(), whole, "{torn} bytes");
        }
        fs::write(log.wal(), [&whole[..], &vec![0; 5000]].concat()).unwrap();
        log.opens().await;
    }
}

/// A flipped byte anywhere in the write-ahead log is refused, naming file, offset and entry.
#[tokio::test]
async fn a_flipped_byte_is_refused_by_name() {
    for sealed in [false, true] {
        let log = Closed::new(sealed).await;
        let before = log.receipts.len() as u64 - 15;
        let frames = frame_offsets(&log.wal());
        let whole = fs::read(log.wal()).unwrap();
        for (nth, (offset, end)) in frames.iter().enumerate() {
            for at in [*offset, offset + 5, offset + 8, offset + 40, end - 1] {
                flip(&log.wal(), at);
                let error = log.refused().await;
                let OpenError::Damaged {
                    path,
                    offset: named,
                    sequence,
                    ..
                } = &error
                else {
                    panic!("{error}")
                };
                assert_eq!(
                    (path, *named),
                    (&log.wal(), *offset as u64),
                    "byte {at}: {error}"
                );
                assert_eq!(*sequence, before + 3 * nth as u64);
                assert!(
                    error.to_string().contains(&format!("byte {offset}")),
                    "{error}"
                );
                fs::write(log.wal(), &whole).unwrap();
            }
        }
        for at in [0, 9, 13, 25, 53, 60] {
            flip(&log.wal(), at);
            let error = log.refused().await;
            assert!(
                matches!(&error, OpenError::Damaged { path, offset: 0, .. } if *path == log.wal()),
                "{error}"
            );
            fs::write(log.wal(), &whole).unwrap();
        }
        log.opens().await;
    }
}

#[tokio::test]
async fn a_cut_end_is_refused() {
    for sealed in [false, true] {
        let log = Closed::new(sealed).await;
        let frames = frame_offsets(&log.wal());
        let whole = fs::read(log.wal()).unwrap();
        for kept in [64, frames[2].1, frames[3].1] {
            fs::write(log.wal(), &whole[..kept]).unwrap();
            let error = log.refused().await;
            let OpenError::Shorter { path, anchored, .. } = &error else {
                panic!("{error}")
            };
            assert_eq!((path, *anchored), (&log.wal(), log.receipts.len() as u64));
        }
        for kept in [frames[4].0 + 3, frames[4].1 - 1] {
            fs::write(log.wal(), &whole[..kept]).unwrap();
            let error = log.refused().await;
            assert!(
                matches!(&error, OpenError::Damaged { offset, .. } if *offset == frames[4].0 as u64),
                "{error}"
            );
        }
        fs::remove_file(log.wal()).unwrap();
        let error = log.refused().await;
        assert!(
            matches!(&error, OpenError::WalMissing { path, .. } if *path == log_wal(&log)),
            "{error}"
        );
        fs::write(log_wal(&log), &whole).unwrap();
        log.opens().await;
    }
}

/// Returns the path of the write-ahead log, which may not exist.
fn log_wal(log: &Closed) -> PathBuf {
    log.path(&format!("ledger/wal/{:020}.wal", log.receipts.len() - 15))
}

/// Damage that the anchor does not cover is still no torn end when a whole frame follows.
#[tokio::test]
async fn damage_before_a_whole_frame_is_refused_even_when_the_anchor_is_old() {
    let log = Closed::new(false).await;
    let dir = tempfile::tempdir().unwrap();
    let old = MemorySegments::new();
    open(dir.path(), &old).await.unwrap().close().await;
    fs::copy(dir.path().join("anchor/head"), log.path("anchor/head")).unwrap();
    let frames = frame_offsets(&log.wal());
    flip(&log.wal(), frames[2].0 + 50);
    let error = log.refused().await;
    let OpenError::Damaged { offset, cause, .. } = &error else {
        panic!("{error}")
    };

    assert_eq!(*offset, frames[2].0 as u64);
    assert!(
        cause.contains(&format!("a whole frame follows at byte {}", frames[3].0)),
        "{cause}"
    );
    flip(&log.wal(), frames[2].0 + 50);
    log.opens().await;
}

#[tokio::test]
async fn another_log_under_the_same_anchor_is_refused() {
    let log = Closed::new(false).await;
    let other = Closed::new(false).await;
    fs::copy(other.wal(), log.wal()).unwrap();
    let error = log.refused().await;
    assert!(
        matches!(
            &error,
            OpenError::Differs {
                size: 15,
                what: "root",
                ..
            }
        ),
        "{error}"
    );
}

#[tokio::test]
async fn a_flipped_byte_between_the_slots_of_the_anchor_is_put_right() {
    let log = Closed::new(true).await;
    let anchor = log.path("anchor/head");

    for at in [164, 511, 700, 1023] {
        let mut bytes = fs::read(&anchor).unwrap();
        bytes[at] ^= 4;
        fs::write(&anchor, bytes).unwrap();
        open(log.dir.path(), &log.segments)
            .await
            .unwrap()
            .close()
            .await;
        let bytes = fs::read(&anchor).unwrap();
        assert!(
            bytes[164..512]
                .iter()
                .chain(&bytes[676..])
                .all(|byte| *byte == 0),
            "byte {at}"
        );
        assert_eq!(bytes.len(), 1024);
    }
}

#[tokio::test]
async fn without_its_anchor_a_log_is_refused_until_the_operator_says_so() {
    for sealed in [false, true] {
        let log = Closed::new(sealed).await;
        let anchor = log.path("anchor/head");
        let bytes = fs::read(&anchor).unwrap();
        fs::write(&anchor, vec![0; bytes.len()]).unwrap();
        let error = log.refused().await;
        assert!(
            matches!(&error, OpenError::AnchorDamaged { path } if *path == anchor),
            "{error}"
        );
        fs::remove_file(&anchor).unwrap();
        let error = log.refused().await;
        assert!(
            matches!(&error, OpenError::AnchorMissing { path, .. } if *path == anchor),
            "{error}"
        );
        let accepting = Config {
            accept_missing_anchor: true,
            ..config(log.dir.path())
        };
        let disk = Arc::new(reeve_ledger::disk::LocalDisk);
        open_on(disk, accepting, &log.segments)
            .await
            .unwrap()
            .close()
            .await;
        log.opens().await;
    }
}

#[tokio::test]
async fn damaged_manifest_and_tiles_are_refused() {
    let log = Closed::new(true).await;
    let manifest = log.path("ledger/manifest.journal");
    let text = fs::read_to_string(&manifest).unwrap();
    let line = text.find('\n').unwrap() + 1;
    let second = text.replacen("\"sealed_size\":300", "\"sealed_size\":299", 1);
    let cut = text[..line + 100].to_owned();
    let cases = [
        (
            text.replacen("\"origin\":\"log", "\"origin\":\"dog", 1),
            "attested by the log's key",
        ),
        (text[..100].to_owned(), "not ended by a newline"),
        // The newest record is taken out of account, and then a part of the log is nowhere.
        (second, "and no other file has entry 0"),
        (cut, "and no other file has entry 0"),
    ];

    for (changed, expect) in cases {
        assert_ne!(changed, text, "{expect}");
        fs::write(&manifest, changed).unwrap();
        let error = log.refused().await;
        assert!(
            matches!(&error, OpenError::Forged { path, .. } if *path == manifest),
            "{error}"
        );
        assert!(error.to_string().contains(expect), "{error}");
    }

    fs::write(
        &manifest,
        text.replacen("\"version\":5", "\"version\":6", 1),
    )
    .unwrap();
    assert!(log.refused().await.to_string().contains("its version is 6"));
    fs::remove_file(&manifest).unwrap();
    let error = log.refused().await;
    assert!(
        matches!(&error, OpenError::WalMissing { sequence: 0, .. }),
        "{error}"
    );
    fs::write(&manifest, text).unwrap();

    let tile = log.path("ledger/commitments");
    flip(&tile, 77);
    let error = log.refused().await;
    assert!(matches!(&error, OpenError::Sealed { .. }), "{error}");
    flip(&tile, 77);
    fs::rename(&tile, log.path("ledger/hidden")).unwrap();
    let error = log.refused().await;
    assert!(error.to_string().contains("ledger/commitments"), "{error}");
    fs::rename(log.path("ledger/hidden"), &tile).unwrap();
    log.opens().await;
}

/// Earlier versions had a file for each tile and entry bundle; the hashes of the tree's levels
/// follow from the commitments.
#[tokio::test]
async fn tiles_of_earlier_versions_are_taken_over() {
    let log = Closed::new(true).await;
    let names = ["tile/0/000", "tile/entries/000"];

    {
        let ledger = open(log.dir.path(), &log.segments).await.unwrap();
        for name in names {
            let bytes = ledger.tile(name).await.unwrap().unwrap();
            fs::create_dir_all(log.path(&format!("ledger/{name}")).parent().unwrap()).unwrap();
            fs::write(log.path(&format!("ledger/{name}")), bytes).unwrap();
        }
        ledger.close().await;
    }

    unsign(log.dir.path());
    let files = ["ledger/commitments", "ledger/tree/1"].map(|name| log.path(name));
    let before = files.each_ref().map(|file| fs::read(file).unwrap());
    files.iter().for_each(|file| fs::remove_file(file).unwrap());
    flip(&log.path("ledger/tile/entries/000"), 1000);
    let error = log.refused().await;
    assert!(
        error
            .to_string()
            .contains("ledger/commitments: the commitments give the root"),
        "{error}"
    );

    assert!(files.iter().all(|file| !file.exists()));
    flip(&log.path("ledger/tile/entries/000"), 1000);
    let accepting = Config {
        accept_unsigned: Some(AcceptUnsigned::new(|_| Ok(None))),
        ..config(log.dir.path())
    };
    let disk = Arc::new(reeve_ledger::disk::LocalDisk);
    open_on(disk, accepting, &log.segments)
        .await
        .unwrap()
        .close()
        .await;
    log.opens().await;
    assert_eq!(files.each_ref().map(|file| fs::read(file).unwrap()), before);
    assert!(
        names
            .iter()
            .all(|name| !log.path(&format!("ledger/{name}")).exists())
    );

    // The levels of the tree alone follow from the commitments.
    fs::remove_file(&files[1]).unwrap();
    log.opens().await;
    assert_eq!(fs::read(&files[1]).unwrap(), before[1]);
}

#[tokio::test]
async fn damaged_accelerators_are_rebuilt() {
    let log = Closed::new(true).await;
    flip(&log.path("ledger/chain"), 40);
    let ids = fs::read_dir(log.path("ledger/ids"))
        .unwrap()
        .next()
        .unwrap()
        .unwrap()
        .path();
    flip(&ids, 100);

    log.opens().await;
    fs::write(log.path("ledger/chain"), []).unwrap();
    OpenOptions::new()
        .append(true)
        .open(&ids)
        .unwrap()
        .write_all(b"more")
        .unwrap();

    let ledger = open(log.dir.path(), &log.segments).await.unwrap();
    let again = ledger.append(drafts("s", 300)).await.unwrap();
    assert!(
        again
            .iter()
            .zip(&log.receipts)
            .all(|(again, first)| again.duplicate && again.hash == first.hash)
    );
}

#[tokio::test]
async fn another_key_is_refused() {
    let log = Closed::new(false).await;
    let segments = log.segments.clone();
    let other = reeve_tlog::NoteSigner::from_seed(signer().name(), &[8; 32]).unwrap();
    let error = reeve_ledger::Ledger::open(config(log.dir.path()), other, segments.clone())
        .await
        .unwrap_err();
    assert!(
        matches!(&error, OpenError::Key { .. }) && error.to_string().contains("log.vkey"),
        "{error}"
    );

    let named = reeve_tlog::NoteSigner::from_seed("other.example", &[7; 32]).unwrap();
    let error = reeve_ledger::Ledger::open(config(log.dir.path()), named, segments)
        .await
        .unwrap_err();
    assert!(
        error.to_string().contains("the key is named other.example"),
        "{error}"
    );
    log.opens().await;
}

#[tokio::test]
async fn an_entry_that_is_dated_after_now_is_a_fault_of_the_clock() {
    for seals in [false, true] {
        let (dir, segments) = (tempfile::tempdir().unwrap(), MemorySegments::new());
        let ledger = open(dir.path(), &segments).await.unwrap();
        ledger.append(drafts("now-", 3)).await.unwrap();
        assert_eq!(ledger.health().clock_fault, None);
        let text = br#"{"event_id":"late","event_type":"test.deed"}"#;
        let late = reeve_audit::Draft::from_bytes(
            text,
            jiff::Timestamp::now() + jiff::SignedDuration::from_hours(3),
        );
        ledger.append(vec![late.unwrap()]).await.unwrap();
        ledger.append(drafts("later-", 3)).await.unwrap();
        if seals {
            ledger.seal().await.unwrap();
        }
        ledger.close().await;
        let ledger = open(dir.path(), &segments).await.unwrap();
        let fault = ledger.health().clock_fault.unwrap();
        assert!(fault.contains("set the clock right"), "{fault}");
    }
}
