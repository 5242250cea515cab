//! Measures the benchmark's questions without HTTP, over a lake that is kept: `cargo bench
//! -p reeve-bench --bench pages -- DIR QUESTIONS [KIND]`, here `pages` for short.
//!
//! The first time, the lake is built in DIR from entries on stdin; later runs, and other versions
//! of the code, ask the same lake:
//!
//! ```sh
//! reeve-bench questions 200 10000000 > QUESTIONS
//! reeve-bench generate 10000000 | pages DIR QUESTIONS
//! pages DIR QUESTIONS user
//! ```
//!
//! A smaller lake of as many segments is made with `PER_SEAL` set to fewer entries than a busy log
//! seals together (113,000).
//!
//! Each question is a page of 50 with its exact total. Printed are, by kind, the first question,
//! the median, the 99th percentile, the longest with its query, and a sum over totals and sequences
//! by which two runs can be compared.
#![allow(clippy::unwrap_used, clippy::print_stdout)]

use std::io::BufRead as _;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use async_trait::async_trait;
use jiff::{SignedDuration, Timestamp};
use reeve_audit::{Draft, Entry, RetentionClass};
use reeve_lake::{EntrySearch, EntrySegments, Views};
use reeve_ledger::{
    EntryReader, LogView, Order, SealedEntry, SearchRequest, SegmentMeta, SegmentStore,
    StoredEntry, Tail, TrailError,
};
use reeve_tlog::{Hash, commitment};

/// Lists the contents of the lake, a segment a line.
const LIST: &str = "segments.tsv";

struct Log {
    segments: Arc<Vec<SegmentMeta>>,
}

#[async_trait]
impl Views for Log {
    fn view(&self) -> LogView {
        let end = self
            .segments
            .iter()
            .map(|segment| segment.last_sequence + 1)
            .max()
            .unwrap_or_default();
        LogView {
            segments: Arc::clone(&self.segments),
            archived: Arc::default(),
            tail: Tail::starting_at(end),
        }
    }

    async fn restore(&self, sealed: Vec<SealedEntry>) -> Result<Vec<StoredEntry>, TrailError> {
        let restored = |sealed: SealedEntry| {
            let parsed = Entry::from_canonical(&sealed.canonical);
            let (entry, at) = parsed.map_err(|error| TrailError::Backend(error.to_string()))?;
            Ok(stored(
                sealed.sequence,
                sealed.salt,
                sealed.canonical,
                entry,
                at,
            ))
        };
        sealed.into_iter().map(restored).collect()
    }
}

fn stored(
    sequence: u64,
    salt: [u8; 16],
    canonical: Vec<u8>,
    entry: Entry,
    recorded_at: Timestamp,
) -> StoredEntry {
    let commitment = commitment(&salt, &canonical);
    let (leaf_hash, previous_hash, hash) = (commitment.leaf_hash(), Hash::ZERO, Hash::ZERO);
    StoredEntry {
        sequence,
        recorded_at,
        salt,
        canonical,
        entry,
        commitment,
        leaf_hash,
        previous_hash,
        hash,
    }
}

/// Entries that are sealed together: as many as in a busy log, or what `PER_SEAL` says.
fn per_seal() -> usize {
    std::env::var("PER_SEAL").map_or(113_000, |text| text.parse().unwrap())
}

async fn build(store: &EntrySegments) -> Vec<SegmentMeta> {
    let per_seal = per_seal();
    let start: Timestamp = "2026-11-20T10:00:00Z".parse().unwrap();
    let mut segments = Vec::new();
    let mut lines = std::io::stdin().lock().split(b'\n');
    let mut sequence = 0;

    loop {
        let mut entries = Vec::with_capacity(per_seal);
        for line in lines.by_ref().take(per_seal) {
            let recorded_at = start + SignedDuration::from_millis(sequence as i64 / 100);
            let Draft {
                entry, canonical, ..
            } = Draft::from_bytes(&line.unwrap(), recorded_at).unwrap();
            let salt = u128::from(sequence)
                .wrapping_mul(0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c835)
                .to_le_bytes();
            entries.push(Arc::new(stored(
                sequence,
                salt,
                canonical,
                entry,
                recorded_at,
            )));
            sequence += 1;
        }
        if entries.is_empty() {
            break;
        }
        for class in RetentionClass::ALL {
            let of_class = |stored: &&Arc<StoredEntry>| {
                RetentionClass::for_event_type(&stored.entry.event_type) == class
            };
            let of_class: Vec<_> = entries.iter().filter(of_class).cloned().collect();
            if !of_class.is_empty() {
                segments.push(store.write(class.id(), &of_class).await.unwrap());
            }
        }
    }

    segments.sort_by(|a, b| (a.first_sequence, &a.class).cmp(&(b.first_sequence, &b.class)));
    segments
}

fn keep(segments: &[SegmentMeta], folder: &Path) {
    let line = |s: &SegmentMeta| {
        let numbers = [s.first_sequence, s.last_sequence, s.count, s.bytes]
            .map(|number| number.to_string())
            .join("\t");
        format!(
            "{}\t{}\t{}\t{numbers}\t{}\t{}\n",
            s.path, s.class, s.sha256, s.min_timestamp_ms, s.max_timestamp_ms
        )
    };
    std::fs::write(
        folder.join(LIST),
        segments.iter().map(line).collect::<String>(),
    )
    .unwrap();
}

fn kept(folder: &Path) -> Option<Vec<SegmentMeta>> {
    let text = std::fs::read_to_string(folder.join(LIST)).ok()?;
    let segment = |line: &str| {
        let parts: Vec<&str> = line.split('\t').collect();
        let number = |at: usize| parts[at].parse().unwrap();
        SegmentMeta {
            path: parts[0].to_owned(),
            class: parts[1].to_owned(),
            sha256: parts[2].to_owned(),
            first_sequence: number(3),
            last_sequence: number(4),
            count: number(5),
            bytes: number(6),
            min_timestamp_ms: parts[7].parse().unwrap(),
            max_timestamp_ms: parts[8].parse().unwrap(),
            max_recorded_at_ms: None,
            expired: None,
            erased: Vec::new(),
            moved: None,
        }
    };

    Some(text.lines().map(segment).collect())
}

async fn ask(search: &EntrySearch, query: &str) -> (Duration, u64) {
    let request = SearchRequest {
        query: query.parse().unwrap(),
        limit: 50,
        offset: 0,
        order: Order::NewestFirst,
        sort: None,
        cursor: None,
        count_total: true,
        aggregations: Vec::new(),
        now: "2026-11-20T10:00:00Z".parse().unwrap(),
    };

    let begun = Instant::now();
    let page = search.search(&request).await.unwrap();
    let took = begun.elapsed();
    let sum = page.entries.iter().fold(page.total.unwrap(), |sum, entry| {
        sum.wrapping_mul(31)
            .wrapping_add(entry.sequence)
            .wrapping_add(entry.canonical.len() as u64)
    });

    (took, sum)
}

#[tokio::main]
async fn main() {
    let arguments: Vec<String> = std::env::args()
        .filter(|argument| argument != "--bench")
        .skip(1)
        .collect();
    let (folder, questions) = (Path::new(&arguments[0]), &arguments[1]);
    let segments = match kept(folder) {
        Some(segments) => segments,
        None => {
            let segments = build(&EntrySegments::open(folder).await.unwrap()).await;
            keep(&segments, folder);
            segments
        }
    };
    let segments = Arc::new(segments);

    let store = Arc::new(EntrySegments::open(folder).await.unwrap());
    store.publish(Arc::clone(&segments));
    let entries: u64 = segments.iter().map(|segment| segment.count).sum();
    println!("{entries} entries in {} segments", segments.len());
    let search = EntrySearch::new(store, Arc::new(Log { segments }));
    println!(
        "{:>9.2} ms  first search",
        ask(&search, "user:nobody").await.0.as_secs_f64() * 1e3
    );
    println!(
        "{:>9} {:>9} {:>9} {:>9}",
        "first ms", "p50 ms", "p99 ms", "longest"
    );
    let text = std::fs::read_to_string(questions).unwrap();
    let questions: Vec<(&str, &str)> = text
        .lines()
        .filter_map(|line| line.split_once('\t'))
        .collect();

    for kind in questions.chunk_by(|a, b| a.0 == b.0) {
        let key = kind[0].0;
        if arguments.get(2).is_some_and(|only| only != key) {
            continue;
        }
        let (mut times, mut sum) = (Vec::new(), 0u64);
        for &(_, query) in kind {
            let (took, found) = ask(&search, query).await;
            times.push((took, query));
            sum = sum.wrapping_mul(31).wrapping_add(found);
        }
        let first = times[0].0;
        times.sort();
        let ms = |took: Duration| took.as_secs_f64() * 1e3;
        let part = |part: usize| ms(times[(times.len() * part / 100).min(times.len() - 1)].0);
        let (longest, query) = times[times.len() - 1];
        let (median, tail) = (part(50), part(99));
        println!(
            "{:>9.2} {median:>9.2} {tail:>9.2} {:>9.2}  {key} [{sum:016x}] {query}",
            ms(first),
            ms(longest)
        );
    }
}
