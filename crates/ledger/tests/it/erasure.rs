//! Erasure of single entries: their segment is written anew, the tombstone comes before the manifest,
//! the old file goes last, and the next run ends what a power cut interrupted.

use reeve_audit::events;
use reeve_ledger::{Erasure, ExpireError, Ledger, SegmentMeta};

use crate::faulty_disk::{Faults, FaultyDisk};
use crate::log::{about, drafts, open, open_gated};
use crate::segments::MemorySegments;

/// Every third sequence of the first log, and a whole segment of it.
fn wanted(segments: &MemorySegments, segment: &SegmentMeta) -> Vec<u64> {
    let rows = segments.read_rows(&segment.path).unwrap();
    let sequences = rows.iter().map(|row| row.sequence);
    sequences
        .filter(|sequence| segment.class == "view" || sequence % 3 == 0)
        .filter(|sequence| *sequence < 300)
        .collect()
}

/// Erases what is wanted as the service does, going on from wherever a run before ended.
async fn run(ledger: &Ledger, segments: &MemorySegments) -> Result<(), ExpireError> {
    ledger.remove_replaced().await?;
    for segment in ledger.segments().iter() {
        let sequences = wanted(segments, segment);
        if sequences.is_empty() {
            continue;
        }
        let rewritten = ledger.rewrite(&segment.path, &sequences).await?;
        let erasure = Erasure {
            rewritten,
            request: "request-1".to_owned(),
            entry: about(&events::ERASE, &segment.path),
        };
        ledger.erase(erasure).await?;
    }
    ledger.remove_replaced().await?;
    Ok(())
}

/// Sequences of the segments' rows, ascending; each segment has as many as it says.
fn sealed(ledger: &Ledger, segments: &MemorySegments) -> Vec<u64> {
    let mut all = Vec::new();
    for segment in ledger.segments().iter() {
        let rows = segments.read_rows(&segment.path).unwrap();
        assert_eq!(rows.len() as u64, segment.count);
        all.extend(rows.iter().map(|row| row.sequence));
    }
    all.sort_unstable();
    all
}

#[tokio::test]
async fn erased_entries_are_gone_and_all_others_stay_proved() {
    let folder = tempfile::tempdir().unwrap();
    let segments = MemorySegments::new();
    let ledger = open(folder.path(), &segments).await.unwrap();
    ledger.append(drafts("a", 300)).await.unwrap();
    ledger.seal().await.unwrap();
    let before = sealed(&ledger, &segments);
    let bundle = ledger.tile("tile/entries/000").await.unwrap().unwrap();
    let paths: Vec<String> = ledger.segments().iter().map(|s| s.path.clone()).collect();

    // No other entry serves as a tombstone, and nothing is erased that is not there.
    let path = &paths[0];
    assert!(ledger.rewrite(path, &[9_999]).await.is_err());
    assert!(ledger.rewrite(path, &[]).await.is_err());
    let first = wanted(&segments, &ledger.segments()[0]);
    let wrong = Erasure {
        rewritten: ledger.rewrite(path, &first).await.unwrap(),
        request: "request-1".to_owned(),
        entry: about(&events::FREE, path),
    };
    assert!(matches!(
        ledger.erase(wrong).await,
        Err(ExpireError::Refused { .. })
    ));

    run(&ledger, &segments).await.unwrap();
    let after = sealed(&ledger, &segments);
    assert!(after.len() < before.len() && !after.is_empty());
    for sequence in before {
        let is_erased = ledger.erased(sequence).is_some();
        assert_eq!(after.binary_search(&sequence).is_err(), is_erased);
    }
    assert!(paths.iter().all(|path| {
        segments.read_rows(path).is_none() || ledger.segments().iter().any(|s| s.path == *path)
    }));
    let view = ledger.view();
    assert!(view.segments.iter().any(|segment| segment.count == 0));
    assert_eq!(
        ledger.tile("tile/entries/000").await.unwrap().unwrap(),
        bundle
    );
    ledger.close().await;

    // It outlives a start, also without the identifiers, and the log goes on.
    std::fs::remove_dir_all(folder.path().join("ledger/ids")).unwrap();
    let ledger = open(folder.path(), &segments).await.unwrap();
    assert_eq!(sealed(&ledger, &segments), after);
    assert!(
        ledger
            .erased(0)
            .is_some_and(|erased| erased.request == "request-1")
    );
    ledger.append(drafts("b", 10)).await.unwrap();
    ledger.seal().await.unwrap();
    ledger.close().await;
}

/// Cuts the power before every step of an erasure: no entry is gone without its tombstone, no
/// other entry is lost, and the next run ends what was begun.
#[tokio::test]
async fn the_power_goes_before_every_step_of_an_erasure() {
    let life = |crash_at: Option<u64>| async move {
        let (disk, segments) = (FaultyDisk::default(), MemorySegments::new());
        let ledger = open_gated(&disk, &segments).await.unwrap();
        ledger.append(drafts("a", 300)).await.unwrap();
        ledger.seal().await.unwrap();
        let all = sealed(&ledger, &segments);
        let begun = disk.steps();
        disk.set(Faults {
            crash_at: crash_at.map(|step| begun + step),
            ..Faults::default()
        });
        let outcome = run(&ledger, &segments).await;
        let steps = disk.steps() - begun;
        drop(ledger);
        if crash_at.is_none() {
            outcome.unwrap();
            return steps;
        }

        let disk = disk.after_power_cut(begun + crash_at.unwrap());
        let ledger = open_gated(&disk, &segments).await.unwrap();
        let there = sealed(&ledger, &segments);
        for sequence in &all {
            let is_there = there.binary_search(sequence).is_ok();
            match ledger.erased(*sequence) {
                None => assert!(is_there, "entry {sequence} is gone without its tombstone"),
                Some(erased) => assert!(!is_there && ledger.size() > erased.entry),
            }
        }
        run(&ledger, &segments).await.unwrap();
        for segment in ledger.segments().iter() {
            assert!(wanted(&segments, segment).is_empty());
            for erasures in 0..segment.erased.len() {
                assert!(segments.read_rows(&segment.path_after(erasures)).is_none());
            }
        }
        ledger.seal().await.unwrap();
        steps
    };

    let steps = life(None).await;
    assert!(steps > 8, "only {steps} steps");
    for step in 0..steps {
        life(Some(step)).await;
    }
}
