//! Segments in a warm and a cold folder: moved with their bytes verified, searched through a bounded
//! local copy, and never left out of an answer silently.

use std::collections::HashSet;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use async_trait::async_trait;
use jiff::Timestamp;
use reeve_audit::query::Query;
use reeve_audit::{Draft, Entry, EventKind, Obstacle, ResourceRef, Tier, events};
use reeve_lake::{ArchivePlace, EntrySearch, EntrySegments, FolderPlace, TierPlaces};
use reeve_ledger::{
    Config, EntryPage, EntryReader as _, Erasure, Ledger, Relocation, SearchRequest, SegmentMeta,
    SegmentStore as _, TrailError, keys,
};
use tokio::sync::Semaphore;

struct Log {
    ledger: Ledger,
    segments: Arc<EntrySegments>,
    search: EntrySearch,
}

fn place(home: &Path, name: &str) -> Arc<dyn ArchivePlace> {
    Arc::new(FolderPlace::new(home.join(name)))
}

async fn open(home: &Path, fetched_bytes: u64) -> Log {
    open_with(home, place(home, "warm"), fetched_bytes).await
}

async fn open_with(home: &Path, warm: Arc<dyn ArchivePlace>, fetched_bytes: u64) -> Log {
    let data = home.join("data");
    let places = TierPlaces {
        warm: Some(warm),
        cold: Some(place(home, "cold")),
    };
    let config = Config::new(&data, "reeve.local/lake-tiers");
    let segments = EntrySegments::open(&data).await.unwrap();
    let segments = Arc::new(segments.with_tiers(places, fetched_bytes).unwrap());
    let signer = keys::load_or_create(&data, Some(&config.origin)).unwrap();
    let ledger = Ledger::open(config, signer, Arc::clone(&segments) as _)
        .await
        .unwrap();
    let search = EntrySearch::new(Arc::clone(&segments), Arc::new(ledger.clone()));
    Log {
        ledger,
        segments,
        search,
    }
}

impl Log {
    async fn close(self) {
        self.ledger.close().await;
    }

    /// Seals three segments of twenty entries each.
    async fn fill(&self) {
        for part in 0..3 {
            let draft = |number: u32| {
                let text = format!(
                    r#"{{"event_id":"{part}-{number}","event_type":"test.deed","timestamp":"2026-01-0{}T00:00:00Z","actor":{{"type":"user","id":"alice"}}}}"#,
                    part + 1
                );
                Draft::from_bytes(text.as_bytes(), Timestamp::now()).unwrap()
            };
            self.ledger
                .append((0..20).map(draft).collect())
                .await
                .unwrap();
            self.ledger.seal().await.unwrap();
        }
    }

    fn sealed(&self) -> Vec<SegmentMeta> {
        let all = self.ledger.segments();
        let sealed = all.iter().filter(|segment| segment.class == "default");
        sealed.cloned().collect()
    }

    async fn move_to(&self, segment: &SegmentMeta, to: Tier) {
        let relocation = Relocation {
            path: segment.path.clone(),
            to,
            content: self.segments.content(segment).await.unwrap(),
            entry: about(&events::MOVE, segment),
        };
        self.ledger.relocate(relocation).await.unwrap();
        assert!(self.ledger.settle(&segment.path).await.unwrap() > 0);
    }

    /// Erases an entry of a segment, and deletes what that leaves.
    async fn erase(&self, segment: &SegmentMeta, sequence: u64) {
        let rewritten = self.ledger.rewrite(&segment.path, &[sequence]).await;
        let erasure = Erasure {
            rewritten: rewritten.unwrap(),
            request: "request-1".to_owned(),
            entry: about(&events::ERASE, segment),
        };
        self.ledger.erase(erasure).await.unwrap();
        assert!(self.ledger.remove_replaced().await.unwrap() >= segment.bytes);
    }

    async fn find(&self, query: &str) -> Result<EntryPage, TrailError> {
        let mut request =
            SearchRequest::newest(Query::parse(query).unwrap(), 100, Timestamp::now());
        request.count_total = true;
        self.search.search(&request).await
    }
}

fn about(kind: &EventKind, segment: &SegmentMeta) -> Draft {
    let entry = Entry::for_event(kind).on(ResourceRef::new("segment", &segment.path));
    Draft::by_reeve(entry, Timestamp::now()).unwrap()
}

/// Files below a folder whose name begins with that of a segment.
fn files_of(folder: &Path, segment: &SegmentMeta) -> Vec<String> {
    let name = Path::new(&segment.path).file_stem().unwrap();
    let mut found = Vec::new();
    for file in std::fs::read_dir(folder).unwrap() {
        let path = file.unwrap().path();
        if path.is_dir() {
            found.extend(files_of(&path, segment));
        } else if path.file_stem() == Some(name) {
            found.push(path.display().to_string());
        }
    }
    found
}

fn home() -> tempfile::TempDir {
    let home = tempfile::tempdir().unwrap();
    for name in ["warm", "cold"] {
        std::fs::create_dir(home.path().join(name)).unwrap();
    }
    home
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn warm_segments_are_searched_from_a_bounded_copy() {
    let home = home();
    let log = open(home.path(), 1).await;
    log.fill().await;
    for segment in log.sealed() {
        log.move_to(&segment, Tier::Warm).await;
        assert!(!home.path().join("data").join(&segment.path).exists());
        assert!(home.path().join("warm").join(&segment.path).exists());
    }
    let page = log.find("actor.id:alice").await.unwrap();
    assert_eq!((page.entries.len(), page.total), (60, Some(60)));
    assert_eq!(page.left_out.segments, 0);

    // A limit of one byte leaves the copy that was used last.
    let here = |log: &Log| {
        let sealed = log.sealed();
        sealed
            .iter()
            .filter(|segment| log.segments.is_here(segment))
            .count()
    };
    assert!(here(&log) <= 2, "{}", here(&log));
    log.close().await;

    // Without their indexes, after a start, with everything fetched.
    std::fs::remove_dir_all(home.path().join("data/lake/index")).unwrap();
    let log = open(home.path(), 1 << 30).await;
    let page = log.find("actor.id:alice event_id:1-7").await.unwrap();
    assert_eq!(page.total, Some(1));
    assert_eq!(log.find("actor.id:alice").await.unwrap().total, Some(60));
    assert_eq!(here(&log), 3);

    // A copy that someone changed is not believed, and fetched anew.
    let segment = log.sealed().remove(0);
    let copy = home
        .path()
        .join("data")
        .join(segment.path.replace("entries", "fetched"));
    std::fs::write(&copy, vec![0; segment.bytes as usize]).unwrap();
    assert!(log.segments.read(&segment).await.is_err());
    assert_eq!(log.segments.read(&segment).await.unwrap().len(), 20);
    log.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_place_that_does_not_answer_is_named() {
    let home = home();
    let log = open(home.path(), 1 << 30).await;
    log.fill().await;
    let segment = log.sealed().remove(0);
    log.move_to(&segment, Tier::Warm).await;

    // Not mounted: an error, also from the index that is here, and nothing is written below.
    std::fs::rename(home.path().join("warm"), home.path().join("away")).unwrap();
    let error = log.find("actor.id:alice").await.unwrap_err();
    let place = home.path().join("warm").display().to_string();
    assert!(
        matches!(&error, TrailError::Away(text) if text.contains(&place)),
        "{error}"
    );
    assert!(
        log.segments
            .copy(&log.sealed()[1], Tier::Warm)
            .await
            .is_err()
    );
    assert!(!home.path().join("warm").exists());

    // There, but another file: neither believed nor replaced.
    std::fs::rename(home.path().join("away"), home.path().join("warm")).unwrap();
    let other = home.path().join("warm").join(&log.sealed()[1].path);
    std::fs::write(&other, b"another log's").unwrap();
    let error = log
        .segments
        .copy(&log.sealed()[1], Tier::Warm)
        .await
        .unwrap_err();
    assert!(error.to_string().contains("another file"), "{error}");
    assert_eq!(std::fs::read(&other).unwrap(), b"another log's");
    std::fs::write(home.path().join("warm").join(&segment.path), b"damaged").unwrap();
    let error = log.find("actor.id:alice").await.unwrap_err();
    assert!(matches!(error, TrailError::Damaged(_)), "{error}");
    log.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_erasure_withdraws_what_an_interrupted_move_copied() {
    let home = home();
    let log = open(home.path(), 1 << 30).await;
    log.fill().await;
    let [first, second] = [log.sealed().remove(0), log.sealed().remove(1)];
    let there = |segment: &SegmentMeta| home.path().join("warm").join(&segment.path);
    let sequence = first.first_sequence;

    // Copied whole, and half.
    log.segments.copy(&first, Tier::Warm).await.unwrap();
    let partial = there(&first).with_extension("parquet.partial");
    std::fs::write(&partial, b"half").unwrap();
    log.ledger.rewrite(&first.path, &[sequence]).await.unwrap();
    assert!(!there(&first).exists() && !partial.exists());

    // Another log's file is left alone, and the erasure waits.
    std::fs::write(there(&second), b"another log's").unwrap();
    let sequence = second.first_sequence;
    assert!(log.ledger.rewrite(&second.path, &[sequence]).await.is_err());
    assert_eq!(std::fs::read(there(&second)).unwrap(), b"another log's");
    log.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_erasure_reaches_the_warm_tier_and_what_was_fetched_from_it() {
    let home = home();
    let log = open(home.path(), 1 << 30).await;
    log.fill().await;
    let segment = log.sealed().remove(0);
    log.move_to(&segment, Tier::Warm).await;
    let segment = log.sealed().remove(0);
    assert_eq!(log.segments.read(&segment).await.unwrap().len(), 20);
    assert!(log.segments.is_here(&segment));
    // The file in the tier, its local copy and its index.
    assert_eq!(files_of(home.path(), &segment).len(), 3);

    log.erase(&segment, segment.first_sequence).await;
    assert_eq!(files_of(home.path(), &segment), [] as [String; 0]);
    assert!(!log.segments.is_here(&segment));
    let after = log.sealed().remove(0);
    assert!(home.path().join("data").join(&after.path).exists());
    assert_eq!(log.find("actor.id:alice").await.unwrap().total, Some(59));

    // The new file goes where the old one was, and stays without the entry.
    log.move_to(&after, Tier::Warm).await;
    assert!(home.path().join("warm").join(&after.path).exists());
    assert_eq!(log.find("actor.id:alice").await.unwrap().total, Some(59));
    log.close().await;

    // A start before the deletion finds what is left.
    let old = home.path().join("warm").join(&segment.path);
    std::fs::write(&old, b"what a crash left").unwrap();
    let log = open(home.path(), 1 << 30).await;
    assert!(log.ledger.remove_replaced().await.unwrap() > 0);
    assert!(!old.exists());
    log.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_erasure_reaches_the_cold_tier_and_what_was_restored_from_it() {
    let home = home();
    let log = open(home.path(), 1).await;
    log.fill().await;
    let segment = log.sealed().remove(0);
    log.move_to(&segment, Tier::Cold).await;
    let segment = log.sealed().remove(0);
    let sequence = segment.first_sequence;
    let refused = log.ledger.rewrite(&segment.path, &[sequence]).await;
    assert!(refused.unwrap_err().to_string().contains("restored"));

    let paths = HashSet::from([segment.path.clone()]);
    log.segments.bring(&segment).await.unwrap();
    log.segments.keep_restored(paths.clone());
    log.ledger.restored(paths).await;
    log.erase(&segment, sequence).await;
    assert_eq!(files_of(home.path(), &segment), [] as [String; 0]);
    assert!(!log.segments.is_here(&segment));
    assert_eq!(log.find("actor.id:alice").await.unwrap().total, Some(59));
    log.close().await;
}

/// The warm place, whose fetches wait once the file is here, from when it is told to.
#[derive(Debug)]
struct SlowPlace {
    folder: Arc<dyn ArchivePlace>,
    is_slow: AtomicBool,
    fetched: Semaphore,
    deleted: Semaphore,
    go_on: Semaphore,
}

#[async_trait]
impl ArchivePlace for SlowPlace {
    fn address(&self) -> &str {
        self.folder.address()
    }

    async fn size(&self, name: &str) -> Result<Option<u64>, Obstacle> {
        self.folder.size(name).await
    }

    async fn put(&self, name: &str, from: &Path) -> Result<(), Obstacle> {
        self.folder.put(name, from).await
    }

    async fn fetch(&self, name: &str, into: &Path) -> Result<(), Obstacle> {
        self.folder.fetch(name, into).await?;
        if self.is_slow.load(Ordering::SeqCst) {
            self.fetched.add_permits(1);
            self.go_on.acquire().await.unwrap().forget();
        }
        Ok(())
    }

    async fn delete(&self, name: &str) -> Result<(), Obstacle> {
        self.folder.delete(name).await?;
        self.deleted.add_permits(1);
        Ok(())
    }
}

/// A search that fetches the old file while it is deleted must not leave it on the local disk.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_fetch_that_an_erasure_overtakes_leaves_nothing() {
    let home = home();
    let warm = Arc::new(SlowPlace {
        folder: place(home.path(), "warm"),
        is_slow: AtomicBool::new(false),
        fetched: Semaphore::new(0),
        deleted: Semaphore::new(0),
        go_on: Semaphore::new(0),
    });
    let log = open_with(home.path(), Arc::clone(&warm) as _, 1 << 30).await;
    log.fill().await;
    let segment = log.sealed().remove(0);
    log.move_to(&segment, Tier::Warm).await;
    let segment = log.sealed().remove(0);

    warm.is_slow.store(true, Ordering::SeqCst);
    let (segments, read) = (Arc::clone(&log.segments), segment.clone());
    let reading = tokio::spawn(async move { segments.read(&read).await });
    warm.fetched.acquire().await.unwrap().forget();
    let (segments, left) = (Arc::clone(&log.segments), segment.clone());
    let leaving = tokio::spawn(async move { segments.leave(&left, Tier::Warm).await });
    warm.deleted.acquire().await.unwrap().forget();
    warm.go_on.add_permits(1);
    assert_eq!(leaving.await.unwrap().unwrap(), segment.bytes);
    drop(reading.await.unwrap());
    assert_eq!(files_of(home.path(), &segment), [] as [String; 0]);
    log.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn cold_segments_are_counted_as_left_out_until_they_are_restored() {
    let home = home();
    let log = open(home.path(), 1).await;
    log.fill().await;
    let segment = log.sealed().remove(0);
    log.move_to(&segment, Tier::Warm).await;
    let segment = log.sealed().remove(0);
    log.move_to(&segment, Tier::Cold).await;
    assert!(!home.path().join("warm").join(&segment.path).exists());

    let page = log.find("actor.id:alice").await.unwrap();
    assert_eq!(
        (page.total, page.left_out.segments, page.left_out.entries),
        (Some(40), 1, 20)
    );
    let later = log
        .find("timestamp:>=2026-01-02T00:00:00Z actor.id:alice")
        .await
        .unwrap();
    assert_eq!((later.total, later.left_out.segments), (Some(40), 0));
    let asked = log.search.by_event_id("0-7").await;
    assert!(matches!(asked, Err(TrailError::Archived(_))), "{asked:?}");

    let segment = log.sealed().remove(0);
    let paths = HashSet::from([segment.path.clone()]);
    log.segments.bring(&segment).await.unwrap();
    log.segments.keep_restored(paths.clone());
    log.ledger.restored(paths).await;
    let page = log.find("actor.id:alice").await.unwrap();
    assert_eq!((page.total, page.left_out.segments), (Some(60), 0));
    assert!(log.search.by_event_id("0-7").await.unwrap().is_some());

    log.ledger.restored(HashSet::new()).await;
    log.segments.keep_restored(HashSet::new());
    log.segments.put_away(&segment).unwrap();
    assert!(!log.segments.is_here(&segment));
    assert_eq!(
        log.find("actor.id:alice").await.unwrap().left_out.segments,
        1
    );

    // Expiry reaches the cold place.
    let segment = log.sealed().remove(0);
    assert!(log.segments.remove(&segment).await.unwrap() >= segment.bytes);
    assert!(!home.path().join("cold").join(&segment.path).exists());
    log.close().await;
}
