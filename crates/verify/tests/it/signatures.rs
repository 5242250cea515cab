//! The auditor believes of manifest and anchor what the log's key signed, as a start of the service
//! does; and it looks at identifiers and times across the whole log.

use std::fs;

use jiff::{Timestamp, ToSpan as _};
use reeve_ledger::wal::{FrameHead, FrameReader, HEADER_LEN, encode_frame};
use reeve_tlog::{Checkpoint, Tree, commitment};
use reeve_verify::{DirectoryOptions, Progress, Report, verify_directory};

use crate::earlier::unsign;
use crate::log::{Log, assert_names, draft};

fn accepting(log: &Log) -> Report {
    let options = DirectoryOptions {
        accept_unsigned: true,
        ..DirectoryOptions::default()
    };
    verify_directory(log.dir(), &options, &Progress::hidden()).unwrap()
}

#[tokio::test]
async fn an_unsigned_directory_is_a_finding_and_a_note_on_request() {
    let log = Log::mixed().await;
    unsign(log.dir());
    let report = log.verify();
    assert_names(
        &report,
        "ledger/manifest.journal: there is no signed manifest",
        "unsigned",
    );
    assert_eq!(report.findings_total, 1, "{report}");

    let report = accepting(&log);
    assert!(
        report.is_intact() && report.counts.sealed_entries == 600,
        "{report}"
    );
    assert!(
        report
            .notes
            .iter()
            .any(|note| note.contains("--accept-unsigned")),
        "{report}"
    );
}

#[tokio::test]
async fn a_manifest_that_the_key_did_not_attest_is_refused_with_consent_too() {
    let log = Log::mixed().await;
    let path = log.path("ledger/manifest.journal");
    let text = fs::read_to_string(&path).unwrap();
    let at = text.find("\"min_timestamp_ms\":1").unwrap() + 19;
    fs::write(&path, [&text[..at], "7", &text[at + 1..]].concat()).unwrap();
    for report in [log.verify(), accepting(&log)] {
        assert_names(&report, "the log's key did not attest it", "a time changed");
    }

    fs::write(&path, text).unwrap();
    let anchor = log.path("anchor/head");
    let sound = fs::read(&anchor).unwrap();
    let mut bytes = sound.clone();
    bytes[100] ^= 1;
    let sum = crc32c::crc32c(&bytes[..160]).to_le_bytes();
    bytes[160..164].copy_from_slice(&sum);
    fs::write(&anchor, bytes).unwrap();

    for report in [log.verify(), accepting(&log)] {
        assert_names(
            &report,
            "the signature of a slot of the anchor is refused",
            "a signature changed",
        );
    }

    fs::write(&anchor, sound).unwrap();
    assert!(log.verify().is_intact());
}

/// Whoever has the key can sign a second entry under an identifier that is taken.
#[tokio::test]
async fn an_identifier_that_stands_twice_is_found_across_segments_and_log() {
    let mut log = Log::new().await;
    log.append(3, 100).await;
    log.seal().await;
    log.append(1, 10).await;
    log.close().await;
    let path = log.path(&log.wal());
    let bytes = fs::read(&path).unwrap();
    let mut tree = Tree::new();
    for hash in fs::read(log.path("ledger/commitments"))
        .unwrap()
        .as_chunks::<32>()
        .0
    {
        tree.append(reeve_tlog::Commitment(*hash).leaf_hash(), |_, _| {});
    }

    for frame in FrameReader::new(&bytes, HEADER_LEN).map(Result::unwrap) {
        for (salt, canonical) in &frame.entries {
            tree.append(commitment(salt, canonical).leaf_hash(), |_, _| {});
        }
    }

    let (first_sequence, canonical) = (tree.size(), draft(4).canonical);
    tree.append(commitment(&[5; 16], &canonical).leaf_hash(), |_, _| {});
    let own = Checkpoint::new(crate::log::ORIGIN, tree.size(), tree.root())
        .sign(&[&log.signer()])
        .unwrap();
    let committed_at_ms = Timestamp::now().as_millisecond();
    let head = FrameHead {
        first_sequence,
        committed_at_ms,
        note: own.to_string(),
    };
    let frame = encode_frame(&head, [(&[5; 16], canonical.as_slice())].into_iter()).unwrap();
    fs::write(&path, [bytes, frame].concat()).unwrap();
    let report = log.verify();
    assert_names(
        &report,
        "entry 310: the entry has the identifier of entry 4",
        "the same identifier",
    );
    assert_eq!(report.findings_total, 1, "{report}");
}

#[tokio::test]
async fn times_that_run_backwards_are_noted() {
    for seals in [false, true] {
        let mut log = Log::new().await;
        log.append(1, 10).await;
        let ledger = log.ledger.as_ref().unwrap();
        let dated = |number: usize, by: jiff::Span| {
            let text = format!(r#"{{"event_id":"dated-{number}","event_type":"test.deed"}}"#);
            reeve_audit::Draft::from_bytes(text.as_bytes(), Timestamp::now() + by).unwrap()
        };
        ledger.append(vec![dated(1, 3.hours())]).await.unwrap();
        ledger.append(vec![dated(2, 0.hours())]).await.unwrap();
        if seals {
            ledger.seal().await.unwrap();
        }
        log.close().await;
        let report = log.verify();
        assert!(report.is_intact(), "{report}");
        let noted = |text: &str| report.notes.iter().any(|note| note.contains(text));
        assert!(
            noted("times of recording run backwards: entry 11 is 107") || noted("entry 11 is 108"),
            "{report}"
        );
        assert!(noted("s after now"), "{report}");
        assert_eq!(
            noted("committed before one of its entries was recorded"),
            !seals,
            "{report}"
        );
    }
}
