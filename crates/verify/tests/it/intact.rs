//! Logs that nobody has touched pass, in every state a log can be in.

use std::fs;

use crate::log::Log;

fn assert_intact(log: &Log, sealed: u64, unsealed: u64, case: &str) {
    let report = log.pinned(log.key());
    assert!(report.is_intact(), "{case}:\n{report}");
    assert_eq!(
        (report.counts.sealed_entries, report.counts.unsealed_entries),
        (sealed, unsealed),
        "{case}"
    );
    assert_eq!(report.size, sealed + unsealed, "{case}");

    let (submitters, size) = (report.counts.submitters, report.size);
    let thirds = (
        size.div_ceil(3),
        size.div_ceil(3).min(size - size.div_ceil(3)),
        size / 3,
    );

    assert_eq!(
        (submitters.unknown, submitters.reeve, submitters.others),
        thirds,
        "{case}"
    );

    assert!(
        report.root.is_some() && report.chain_hash.is_some() && report.missing.total == 0,
        "{case}"
    );
    assert_eq!(report.notes, [""; 0], "{case}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_log_passes_unsealed_sealed_mixed_and_after_restarts() {
    let mut log = Log::new().await;
    log.append(5, 7).await;
    log.close().await;
    assert_intact(&log, 0, 35, "unsealed only");
    log.reopen().await;
    log.append(2, 200).await;
    log.seal().await;
    log.close().await;
    assert_intact(&log, 435, 0, "sealed only");
    log.reopen().await;
    log.append(3, 30).await;
    log.close().await;
    assert_intact(&log, 435, 90, "mixed");
    log.reopen().await;
    log.close().await;
    assert_intact(&log, 435, 90, "after a restart");
    log.reopen().await;
    log.append(1, 77).await;
    log.seal().await;
    log.append(1, 1).await;
    log.close().await;
    assert_intact(&log, 602, 1, "sealed again");
}

#[tokio::test]
async fn the_report_tells_what_was_checked() {
    let log = Log::mixed().await;
    let report = log.verify();
    assert!(report.is_intact(), "{report}");

    let counts = report.counts;
    assert_eq!(
        (counts.segments, counts.wal_files, counts.wal_frames),
        (8, 1, 5)
    );
    assert_eq!(
        (counts.tiles, counts.bundles, counts.checkpoints),
        (1, 0, 8)
    );
    assert!(
        report.notes[0].contains("--public-key"),
        "{:?}",
        report.notes
    );

    let json = report.to_json();
    assert_eq!(json["intact"], true);
    assert_eq!(json["checked"]["entries"], 650);
    assert_eq!(json["key"]["source"], "directory");
    assert_eq!(json["tree"]["root"].as_str().map(str::len), Some(64));

    let text = report.to_string();
    for part in [
        "intact: reeve.local/verify-test",
        "650 of 650",
        "600 entries in 8 segments",
        "from the directory itself",
    ] {
        assert!(text.contains(part), "{part} is not in\n{text}");
    }
}

#[tokio::test]
async fn a_log_without_entries_passes() {
    let mut log = Log::new().await;
    log.close().await;
    assert_intact(&log, 0, 0, "empty");
}

#[tokio::test]
async fn leftovers_are_notes() {
    let log = Log::mixed().await;
    fs::write(
        log.path("lake/entries/default/00000000000000000600-00000000000000000601.parquet"),
        b"half",
    )
    .unwrap();
    fs::write(log.path("ledger/wal/00000000000000000700.wal.tmp"), b"half").unwrap();
    fs::write(log.path("ledger/wal/00000000000000000300.wal"), b"sealed").unwrap();
    fs::write(log.path("ledger/wal/readme"), b"?").unwrap();
    let mut chain = fs::read(log.path("ledger/chain")).unwrap();
    chain[40] ^= 1;
    fs::write(log.path("ledger/chain"), chain).unwrap();
    let report = log.pinned(log.key());
    assert!(report.is_intact(), "{report}");

    let notes = report.notes.join("\n");
    for part in [
        "600-00000000000000000601.parquet is not in",
        "300.wal is a leftover",
        "wal/readme is not",
        "point 1",
    ] {
        assert!(notes.contains(part), "{part} is not in\n{notes}");
    }

    assert_eq!(report.notes.len(), 4, "{notes}");
}
