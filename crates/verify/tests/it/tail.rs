//! The end of the log: what was cut off is missed, what was never acknowledged is not.

use std::fs;

use reeve_verify::{DirectoryOptions, KeptCheckpoint, Progress, verify_directory};

use crate::log::{Log, assert_names, frame_offsets, with_bytes};

#[tokio::test]
async fn a_cut_tail_is_noticed_wherever_it_is_cut() {
    let log = Log::mixed().await;
    // Without the checkpoint only the anchor knows.
    fs::remove_file(log.path("ledger/checkpoint")).unwrap();
    let name = log.wal();
    let bytes = fs::read(log.path(&name)).unwrap();
    let offsets = frame_offsets(&bytes);
    assert_eq!((offsets.len(), *offsets.last().unwrap()), (6, bytes.len()));

    for (at, &offset) in offsets[..5].iter().enumerate() {
        for (cut, inside) in [
            (offset, false),
            (offset + 1, true),
            (offset + 7, true),
            (offset + 100, true),
        ] {
            let case = format!("cut at {cut}, in frame {at}");
            let report = with_bytes(&log.path(&name), &bytes[..cut], || log.verify());
            assert_names(&report, "anchor/head", &case);
            if inside {
                assert_names(
                    &report,
                    &format!("{name}, byte {offset}, entry {}", 600 + 10 * at),
                    &case,
                );
            }
            assert_eq!(report.size, 600 + 10 * at as u64, "{case}");
        }
    }

    for cut in [0, 1, 63] {
        let report = with_bytes(&log.path(&name), &bytes[..cut], || log.verify());
        assert_names(&report, &name, &format!("cut at {cut}"));
    }
}

/// A log can be shortened without the key if the files with its length are restored too. Without
/// external evidence the report states that freshness was not checked.
#[tokio::test]
async fn a_tail_cut_with_its_anchor_passes_only_where_freshness_is_not_checked() {
    let mut log = Log::mixed().await;
    let earlier: Vec<_> = ["anchor/head", "ledger/checkpoint"]
        .map(|name| (name, fs::read(log.path(name)).unwrap()))
        .into();
    let wal = log.wal();
    let length = fs::metadata(log.path(&wal)).unwrap().len() as usize;
    log.reopen().await;
    log.append(1, 40).await;
    log.close().await;
    fs::copy(log.path("ledger/checkpoint"), log.path("kept")).unwrap();
    let bytes = fs::read(log.path(&wal)).unwrap();
    fs::write(log.path(&wal), &bytes[..length]).unwrap();
    earlier
        .iter()
        .for_each(|(name, bytes)| fs::write(log.path(name), bytes).unwrap());
    let report = log.verify();
    assert!(report.is_intact() && report.size == 650, "{report}");

    let text = report.to_string();
    assert!(
        text.contains("\n  freshness    not checked: no checkpoint from elsewhere was given"),
        "{text}"
    );
    assert!(
        text.contains(
            "  not checked  freshness: no checkpoint from elsewhere was given, so a log whose end was cut off"
        )
    );

    let json = report.to_json();
    assert_eq!(
        json["freshness"],
        serde_json::json!({ "checked": false, "against": [] })
    );

    let kept = KeptCheckpoint {
        name: "kept".into(),
        bytes: fs::read(log.path("kept")).unwrap(),
    };
    let options = DirectoryOptions {
        checkpoints: vec![kept],
        ..DirectoryOptions::default()
    };
    let report = verify_directory(log.dir(), &options, &Progress::hidden()).unwrap();
    assert_names(&report, "kept", "held against a checkpoint from elsewhere");
    assert_eq!(
        report.to_json()["freshness"],
        serde_json::json!({ "checked": true, "against": ["kept"] })
    );
    assert!(
        report
            .to_string()
            .contains("freshness    checked against kept")
            && !report.to_string().contains("freshness: no")
    );
}

#[tokio::test]
async fn without_an_anchor_the_checkpoint_still_knows() {
    let log = Log::mixed().await;
    fs::remove_file(log.path("anchor/head")).unwrap();
    let name = log.wal();
    let bytes = fs::read(log.path(&name)).unwrap();
    let report = with_bytes(&log.path(&name), &bytes[..frame_offsets(&bytes)[4]], || {
        log.verify()
    });
    assert_names(
        &report,
        "ledger/checkpoint, entries 640 to 649: the signed checkpoint has more entries than the log",
        "cut",
    );
}

#[tokio::test]
async fn a_torn_frame_that_was_never_acknowledged_is_a_note() {
    let mut log = Log::mixed().await;
    let anchored = fs::read(log.path("anchor/head")).unwrap();
    let checkpoint = fs::read(log.path("ledger/checkpoint")).unwrap();
    log.reopen().await;
    log.append(1, 40).await;
    log.close().await;
    let name = log.wal();
    let bytes = fs::read(log.path(&name)).unwrap();
    let torn = frame_offsets(&bytes)[5];
    fs::write(log.path("anchor/head"), anchored).unwrap();
    fs::write(log.path("ledger/checkpoint"), checkpoint).unwrap();

    for cut in [torn + 1, torn + 8, torn + 60, bytes.len() - 1] {
        let report = with_bytes(&log.path(&name), &bytes[..cut], || log.verify());
        assert!(report.is_intact(), "{report}");
        assert_eq!(report.size, 650);
        let notes = report.notes.join("\n");
        assert!(
            notes.contains(&format!("{name}, byte {torn}: "))
                && notes.contains("never acknowledged"),
            "{notes}"
        );
    }

    // The same frame, whole, counts although nobody acknowledged it.
    assert_eq!((log.verify().is_intact(), log.verify().size), (true, 690));

    // Damage in the middle is followed by whole frames, so it is not the end.
    let mut damaged = bytes.clone();
    damaged[frame_offsets(&bytes)[2] + 20] ^= 1;
    let report = with_bytes(&log.path(&name), &damaged, || log.verify());
    assert_names(
        &report,
        &format!("{name}, byte {}", frame_offsets(&bytes)[2]),
        "damaged",
    );
    assert_eq!(report.missing.to_string(), "620-629", "{report}");
    assert_eq!(
        report.counts.wal_frames, 5,
        "later frames are read all the same"
    );
}
