//! Expiry of segments: concealed at their time, marked after their tombstone, deleted after the
//! mark, and finished by the next run wherever the power went.

use std::collections::HashMap;

use jiff::{SignedDuration, Timestamp};
use reeve_audit::events;
use reeve_ledger::{ExpireError, Ledger, SegmentMeta, Tombstone};

use crate::faulty_disk::{Faults, FaultyDisk};
use crate::log::{about, drafts, open, open_gated};
use crate::segments::MemorySegments;

fn tombstone(path: &str) -> Tombstone {
    Tombstone {
        path: path.to_owned(),
        entry: about(&events::EXPIRE, path),
        policy_version: 0,
    }
}

/// Expires every segment of a class as the service does, going on from wherever a run before ended.
async fn run(ledger: &Ledger, class: &str) -> Result<(), ExpireError> {
    let of_class = |segment: &&SegmentMeta| segment.class == class;
    for segment in ledger.segments().iter().filter(of_class) {
        if segment.expired.is_none() {
            ledger.expire(tombstone(&segment.path)).await?;
        }
        if segment.expired.is_none_or(|mark| mark.freed.is_none()) {
            ledger.free(&segment.path).await?;
            let freed = about(&events::FREE, &segment.path);
            ledger.freed(&segment.path, freed).await?;
        }
    }
    Ok(())
}

fn count(ledger: &Ledger, class: &str) -> u64 {
    let view = ledger.view();
    let of_class = view
        .segments
        .iter()
        .filter(|segment| segment.class == class);
    of_class.map(|segment| segment.count).sum()
}

#[tokio::test]
async fn a_concealed_segment_is_not_shown_and_comes_back() {
    let folder = tempfile::tempdir().unwrap();
    let segments = MemorySegments::new();
    let ledger = open(folder.path(), &segments).await.unwrap();
    ledger.append(drafts("a", 300)).await.unwrap();
    ledger.seal().await.unwrap();
    let (size, whole) = (ledger.size(), ledger.view().count());
    let path = ledger.segments()[0].path.clone();

    let soon = Timestamp::now() + SignedDuration::from_hours(1);
    for (at, shown) in [(soon, true), (Timestamp::UNIX_EPOCH, false)] {
        ledger.conceal(HashMap::from([(path.clone(), at)])).await;
        let view = ledger.view();
        assert_eq!(
            view.segments.iter().any(|segment| segment.path == path),
            shown
        );
    }

    // A seal meanwhile forgets neither the concealed segment nor its time.
    ledger.append(drafts("b", 10)).await.unwrap();
    ledger.seal().await.unwrap();
    assert!(ledger.view().count() < whole + 10);
    assert!(
        segments
            .published()
            .iter()
            .any(|segment| segment.path == path)
    );
    ledger.conceal(HashMap::new()).await;
    assert_eq!(
        (ledger.view().count(), ledger.size()),
        (whole + 10, size + 10)
    );
    ledger.close().await;
}

#[tokio::test]
async fn an_expired_segment_is_gone_and_stays_proved() {
    let folder = tempfile::tempdir().unwrap();
    let segments = MemorySegments::new();
    let ledger = open(folder.path(), &segments).await.unwrap();
    ledger.append(drafts("a", 300)).await.unwrap();
    ledger.seal().await.unwrap();
    let views = count(&ledger, "view");
    let bundle = ledger.tile("tile/entries/000").await.unwrap().unwrap();
    let path = ledger
        .segments()
        .iter()
        .find(|segment| segment.class == "view")
        .unwrap()
        .path
        .clone();

    // Nothing is deleted before its tombstone, and no other entry serves as one.
    assert!(matches!(
        ledger.free(&path).await,
        Err(ExpireError::Refused { .. })
    ));
    let wrong = Tombstone {
        entry: about(&events::FREE, &path),
        ..tombstone(&path)
    };
    assert!(matches!(
        ledger.expire(wrong).await,
        Err(ExpireError::Refused { .. })
    ));

    run(&ledger, "view").await.unwrap();
    assert!(views > 0 && count(&ledger, "view") == 0);
    assert!(segments.read_rows(&path).is_none());
    assert!(
        ledger.expire(tombstone(&path)).await.is_err(),
        "a second tombstone"
    );
    assert_eq!(
        ledger.tile("tile/entries/000").await.unwrap().unwrap(),
        bundle
    );
    ledger.close().await;

    // The mark, the commitments and the appends outlive a start, also without the identifiers.
    std::fs::remove_dir_all(folder.path().join("ledger/ids")).unwrap();
    let ledger = open(folder.path(), &segments).await.unwrap();
    let marked = ledger.segments();
    let segment = marked.iter().find(|segment| segment.path == path).unwrap();
    assert!(
        segment
            .expired
            .is_some_and(|mark| mark.freed > Some(mark.entry))
    );
    assert_eq!(count(&ledger, "view"), 0);
    assert_eq!(
        ledger.tile("tile/entries/000").await.unwrap().unwrap(),
        bundle
    );
    ledger.append(drafts("b", 10)).await.unwrap();
    ledger.seal().await.unwrap();
    ledger.close().await;
}

/// Cuts the power before every step of an expiry: a segment is gone only after its mark is durable,
/// and the next run ends what was begun.
#[tokio::test]
async fn the_power_goes_before_every_step_of_an_expiry() {
    let life = |crash_at: Option<u64>| async move {
        let (disk, segments) = (FaultyDisk::default(), MemorySegments::new());
        let ledger = open_gated(&disk, &segments).await.unwrap();
        ledger.append(drafts("a", 300)).await.unwrap();
        ledger.seal().await.unwrap();
        let all = ledger.view().count();
        let begun = disk.steps();
        disk.set(Faults {
            crash_at: crash_at.map(|step| begun + step),
            ..Faults::default()
        });
        let outcome = run(&ledger, "view").await;
        let steps = disk.steps() - begun;
        drop(ledger);
        if crash_at.is_none() {
            outcome.unwrap();
            return steps;
        }

        let disk = disk.after_power_cut(begun + crash_at.unwrap());
        let ledger = open_gated(&disk, &segments).await.unwrap();
        for segment in ledger.segments().iter() {
            let there = segments.read_rows(&segment.path).is_some();
            assert!(
                there || segment.expired.is_some(),
                "a segment is gone without its mark"
            );
            if let Some(mark) = segment.expired {
                assert!(ledger.size() > mark.entry, "a mark without its tombstone");
            }
        }
        run(&ledger, "view").await.unwrap();
        assert!(count(&ledger, "view") == 0 && ledger.view().count() + 100 > all - 300);
        for segment in ledger.segments().iter() {
            let there = segments.read_rows(&segment.path).is_some();
            assert_eq!(there, segment.class != "view");
            assert_eq!(
                segment.expired.is_some_and(|mark| mark.freed.is_some()),
                !there
            );
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
