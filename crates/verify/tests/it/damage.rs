//! Any damage to any kind of file is found, and the file named.

use std::fs;

use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use reeve_verify::CannotVerify;

use crate::log::{Log, assert_names, with_bytes};

const FLIPS: usize = 60;

/// Flips single bits at random places of a file. `may_not_run`: the flip may make the file one of a
/// later version, or no key.
fn flip(log: &Log, name: &str, random: &mut StdRng, may_not_run: bool) {
    let path = log.path(name);
    let original = fs::read(&path).unwrap();

    for turn in 0..FLIPS {
        // The ends of a file matter most: every format has its heads and counts there.
        let at = match turn % 4 {
            0 => random.random_range(0..original.len().min(100)),
            1 => original.len() - 1 - random.random_range(0..original.len().min(100)),
            _ => random.random_range(0..original.len()),
        };
        let mut changed = original.clone();
        changed[at] ^= 1 << random.random_range(0..8);
        let case = format!(
            "{name}, byte {at}: {:02x} to {:02x}",
            original[at], changed[at]
        );
        match with_bytes(&path, &changed, || log.try_verify()) {
            Ok(report) => assert_names(&report, name, &case),
            Err(CannotVerify::Version { file, .. } | CannotVerify::Key { place: file, .. }) => {
                assert!(may_not_run && file == name, "{case}: {file}");
            }
            Err(error) => panic!("{case}: {error}"),
        }
    }
}

#[tokio::test]
async fn a_flipped_bit_is_found_in_every_kind_of_file() {
    let log = Log::mixed().await;
    let mut random = StdRng::seed_from_u64(2);
    for class in ["default", "authentication", "change", "view"] {
        flip(&log, &log.segment(class), &mut random, false);
    }

    flip(&log, &log.wal(), &mut random, false);
    for name in ["commitments", "tree/1", "checkpoint"] {
        flip(&log, &format!("ledger/{name}"), &mut random, false);
    }

    flip(&log, "anchor/head", &mut random, false);
    flip(&log, "ledger/manifest.journal", &mut random, true);
    flip(&log, "ledger/log.vkey", &mut random, true);
    assert!(log.verify().is_intact());
}

#[tokio::test]
async fn a_deleted_file_is_missed() {
    let mut log = Log::new().await;
    log.append(3, 100).await;
    log.seal().await;
    log.append(3, 3).await;
    log.close().await;

    for (name, missing) in [
        (log.segment("view"), 60),
        (log.wal(), 0),
        ("ledger/commitments".to_owned(), 0),
        ("ledger/tree/1".to_owned(), 0),
        ("ledger/manifest.journal".to_owned(), 300),
    ] {
        let (path, aside) = (log.path(&name), log.path("aside"));
        fs::rename(&path, &aside).unwrap();
        let report = log.verify();
        let named = if name.ends_with("manifest.journal") {
            "ledger/wal"
        } else {
            name.as_str()
        };
        assert_names(&report, named, &name);
        assert_eq!(report.missing.total, missing, "{name}\n{report}");
        fs::rename(&aside, &path).unwrap();
    }

    // The tree goes on without the payloads: their commitments are still there.
    fs::remove_file(log.path(&log.segment("view"))).unwrap();
    let report = log.verify();
    assert_eq!(
        (report.findings_total, report.root.is_some()),
        (2, true),
        "{report}"
    );

    assert!(
        report.missing.to_string().starts_with("2, 7, 12, "),
        "{}",
        report.missing
    );
}

#[tokio::test]
async fn missing_payloads_leave_the_tree_to_the_commitments() {
    let log = Log::mixed().await;
    fs::remove_file(log.path(&log.segment("view"))).unwrap();
    let report = log.verify();
    assert!(report.root.is_some(), "{report}");
    fs::remove_file(log.path("ledger/commitments")).unwrap();
    let report = log.verify();
    assert!(report.root.is_none(), "{report}");
    assert!(
        report
            .to_string()
            .contains("ledger, entry 2: tree and chain cannot be known"),
        "{report}"
    );
}

#[tokio::test]
async fn nothing_signed_is_not_intact() {
    let mut log = Log::new().await;
    log.append(3, 10).await;
    log.seal().await;
    log.close().await;
    assert!(log.verify().is_intact());
    for name in ["ledger/checkpoint", "anchor/head"] {
        fs::remove_file(log.path(name)).unwrap();
    }

    let report = log.verify();
    assert_names(
        &report,
        "entries 0 to 29: no valid signed checkpoint",
        "without a checkpoint",
    );
}

#[tokio::test]
async fn a_missing_anchor_is_a_note_and_another_place_is_looked_at() {
    let log = Log::mixed().await;
    fs::rename(log.path("anchor/head"), log.path("elsewhere")).unwrap();
    let report = log.verify();
    assert!(
        report.is_intact()
            && report
                .notes
                .iter()
                .any(|note| note.contains("no anchor at anchor/head")),
        "{report}"
    );

    let options = reeve_verify::DirectoryOptions {
        anchor: Some(log.path("elsewhere")),
        ..Default::default()
    };
    let report =
        reeve_verify::verify_directory(log.dir(), &options, &reeve_verify::Progress::hidden())
            .unwrap();
    assert!(
        report.is_intact() && !report.notes.iter().any(|note| note.contains("no anchor")),
        "{report}"
    );
}
