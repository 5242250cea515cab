//! Measures writing and searching sealed entries: `cargo bench -p reeve-bench --bench entries -- N
//! [TAIL [KIND]]`, with N up to 10 million, TAIL of them unsealed, and of the queries those whose
//! name contains KIND. Prints sizes, then the median and the 99th percentile of each kind of query
//! over changing arguments.
//!
//! Entries resemble those of the benchmark: 5,000 users, 100,000 resources and words by a Zipf-like
//! law, random UUIDs.
#![allow(clippy::unwrap_used, clippy::print_stdout)]

use std::sync::Arc;
use std::time::{Duration, Instant};

use async_trait::async_trait;
use jiff::{SignedDuration, Timestamp};
use reeve_audit::query::QueryColumn;
use reeve_audit::{
    ActionMethod, ActionStatus, Actor, ActorType, Draft, Entry, EventId, EventType, Json,
    ResourceRef, RetentionClass, Severity, json,
};
use reeve_bench::memory;
use reeve_lake::{EntrySearch, EntrySegments, Views};
use reeve_ledger::{
    Aggregation, EntryReader, GroupBy, LogView, Order, SealedEntry, SearchRequest, SegmentMeta,
    SegmentStore, StoredEntry, Tail, TimeUnit, TrailError,
};
use reeve_tlog::{Hash, commitment};

const TYPES: [&str; 12] = [
    "resource.view",
    "resource.modify",
    "data.read",
    "authentication.token_refresh",
    "authentication.login",
    "resource.create",
    "resource.tag",
    "authentication.logout",
    "resource.delete",
    "policy.modify",
    "network.modify",
    "authentication.failed",
];
const OPERATIONS: [&str; 6] = [
    "DescribeInstances",
    "RunInstances",
    "PutObject",
    "GetObject",
    "AssumeRole",
    "ModifyVolume",
];
const AGENTS: [&str; 4] = [
    "Mozilla/5.0 (Windows NT 10.0; rv:143.0) Firefox/143.0",
    "aws-cli/2.31.3 os/linux#6.1 lang/python#3.13.7",
    "HashiCorp Terraform/1.13.3 terraform-provider-aws/6.14.1",
    "curl/8.14.1",
];
const PER_SEAL: usize = 100_000;
const GAP_MS: i64 = 250;

struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn below(&mut self, end: u64) -> u64 {
        self.next() % end
    }

    /// Few of `end` often, most seldom.
    fn skewed(&mut self, end: u64) -> u64 {
        let even = self.below(1 << 30) as f64 / (1u64 << 30) as f64;
        ((end as f64).powf(even) as u64 - 1).min(end - 1)
    }

    fn uuid(&mut self) -> String {
        let (a, b) = (self.next(), self.next());
        format!(
            "{:08x}-{:04x}-4{:03x}-8{:03x}-{:012x}",
            a >> 32,
            a >> 16 & 0xffff,
            a & 0xfff,
            b >> 52,
            b & 0xffff_ffff_ffff
        )
    }
}

fn user(number: u64) -> String {
    format!("person{number}@corp{}.example", number % 7)
}

fn resource(number: u64) -> String {
    format!("i-{:017x}", number.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 4)
}

fn word(number: u64) -> String {
    format!("w{:x}", number.wrapping_mul(0x5851_f42d_4c95_7f2d) >> 40)
}

/// An entry of some 700 bytes.
fn entry(random: &mut Random, at: Timestamp) -> Entry {
    let mut entry = Entry::new(EventType::new(TYPES[random.skewed(12) as usize]).unwrap());
    entry.event_id = EventId::new(random.uuid()).unwrap();
    entry.timestamp = at - SignedDuration::from_millis(random.below(5_000) as i64);
    entry.severity = Severity::ALL[random.skewed(5) as usize];
    let who = random.skewed(5_000);
    entry.actor = Actor {
        kind: Some(ActorType::User),
        id: Some(format!("user-{who}")),
        email: Some(user(who)),
        ip_address: Some(
            format!("10.{}.{}.{}", who % 64, who / 64 % 256, random.below(4))
                .parse()
                .unwrap(),
        ),
        user_agent: Some(AGENTS[(who % 4) as usize].to_owned()),
        session_id: Some(format!(
            "sess-{:08x}",
            (who << 12 | (at.as_second() as u64 >> 12 & 0xfff))
        )),
    };

    let instance = random.skewed(100_000);
    entry.resource = ResourceRef::new("ec2_instance", resource(instance))
        .in_cloud(
            "aws",
            format!("{:012}", 111_111_111_111 + instance % 20),
            ["eu-west-1", "us-east-1"][(instance % 2) as usize],
        )
        .with_tag(
            "env",
            if instance.is_multiple_of(3) {
                "prod"
            } else {
                "dev"
            },
        )
        .with_tag("team", format!("team-{}", instance % 30));

    let status = if random.below(10) == 0 {
        ActionStatus::Failed
    } else {
        ActionStatus::Success
    };

    entry = entry.with_action(
        OPERATIONS[random.below(6) as usize],
        status,
        ActionMethod::Api,
    );

    if random.below(3) == 0 {
        let mut after = json::Object::new();
        after.insert(
            "instance_type",
            if random.below(2) == 0 {
                "m5.large"
            } else {
                "t3.medium"
            },
        );
        after.insert(
            "size_gb",
            Json::Number((50 * (1 + random.below(64))) as f64),
        );
        after.insert("state", "running");
        entry.changes.after = Some(Json::Object(after));
    }

    if random.below(6) == 0 {
        let note: Vec<String> = (0..8).map(|_| word(random.skewed(20_000))).collect();
        entry.metadata.extra.insert("note", note.join(" "));
    }

    entry.metadata.request_id = Some(random.uuid());
    entry
}

struct Log {
    segments: Arc<Vec<SegmentMeta>>,
    tail: Tail,
}

#[async_trait]
impl Views for Log {
    fn view(&self) -> LogView {
        LogView {
            segments: Arc::clone(&self.segments),
            archived: Arc::default(),
            tail: self.tail.clone(),
        }
    }

    async fn restore(&self, sealed: Vec<SealedEntry>) -> Result<Vec<StoredEntry>, TrailError> {
        sealed
            .into_iter()
            .map(|sealed| restored(sealed.sequence, sealed.salt, sealed.canonical))
            .collect()
    }
}

fn restored(sequence: u64, salt: [u8; 16], canonical: Vec<u8>) -> Result<StoredEntry, TrailError> {
    let (entry, recorded_at) = Entry::from_canonical(&canonical)
        .map_err(|error| TrailError::Backend(error.to_string()))?;
    let commitment = commitment(&salt, &canonical);
    let (leaf_hash, previous_hash, hash) = (commitment.leaf_hash(), Hash::ZERO, Hash::ZERO);

    Ok(StoredEntry {
        sequence,
        recorded_at,
        salt,
        canonical,
        entry,
        commitment,
        leaf_hash,
        previous_hash,
        hash,
    })
}

fn stored(random: &mut Random, sequence: u64, at: Timestamp) -> Arc<StoredEntry> {
    let Draft {
        entry,
        recorded_at,
        canonical,
        ..
    } = Draft::from_entry(entry(random, at), at).unwrap();

    let salt = (u128::from(random.next()) << 64 | u128::from(random.next())).to_le_bytes();
    let commitment = commitment(&salt, &canonical);
    let (leaf_hash, previous_hash, hash) = (commitment.leaf_hash(), Hash::ZERO, Hash::ZERO);

    Arc::new(StoredEntry {
        sequence,
        recorded_at,
        salt,
        canonical,
        entry,
        commitment,
        leaf_hash,
        previous_hash,
        hash,
    })
}

/// A kind of question: its name, the query for an argument, whether the total is wanted, and what
/// is counted.
type Kind = (&'static str, fn(&mut Random) -> String, bool, &'static str);

const KINDS: [Kind; 27] = [
    ("newest 50, total", |_| String::new(), true, ""),
    (
        "one user, total",
        |r| format!("user:{}", user(r.skewed(5_000))),
        true,
        "",
    ),
    (
        "one resource, total",
        |r| format!("resource:{}", resource(r.skewed(100_000))),
        true,
        "",
    ),
    (
        "type and a day, total",
        |_| "event_type:authentication.login timestamp:>now-24h".into(),
        true,
        "",
    ),
    (
        "type and an older hour, total",
        |r| older(r, "event_type:data.read"),
        true,
        "",
    ),
    (
        "IP prefix, total",
        |r| format!("ip:10.{}.{}.*", r.below(64), r.below(70)),
        true,
        "",
    ),
    (
        "network, total",
        |r| format!("ip:10.{}.0.0/18", r.below(64)),
        true,
        "",
    ),
    (
        "rare word, total",
        |r| word(15_000 + r.below(5_000)),
        true,
        "",
    ),
    ("absent word, total", |_| "nowhere9to".into(), true, ""),
    ("common word, total", |_| word(0), true, ""),
    ("very common word, total", |_| "linux".into(), true, ""),
    ("word begins, total", |_| "terraf*".into(), true, ""),
    (
        "phrase, total",
        |_| "\"terraform provider aws\"".into(),
        true,
        "",
    ),
    (
        "four hexadecimal digits, no total",
        |_| "beef".into(),
        false,
        "",
    ),
    ("UUID, total", |r| r.uuid(), true, ""),
    (
        "NOT, total",
        |_| "status:failed NOT event_type:resource.* NOT env".into(),
        true,
        "",
    ),
    (
        "state, total",
        |_| "changes.after.instance_type:m5.*".into(),
        true,
        "",
    ),
    (
        "number in a state, total",
        |_| "changes.after.size_gb:>3000".into(),
        true,
        "",
    ),
    (
        "tag, total",
        |r| format!("resource.tags.team:team-{}", r.below(30)),
        true,
        "",
    ),
    (
        "resource begins, total",
        |_| "resource:i-0a*".into(),
        true,
        "",
    ),
    ("count by type", |_| String::new(), false, "event_type"),
    ("count by user", |_| String::new(), false, "user"),
    ("count by hour", |_| String::new(), false, "hour"),
    ("count by resource", |_| String::new(), false, "resource.id"),
    ("failed, by user", |_| "status:failed".into(), true, "user"),
    ("failed, by hour", |_| "status:failed".into(), true, "hour"),
    (
        "one user, no total",
        |r| format!("user:{}", user(r.skewed(5_000))),
        false,
        "",
    ),
];

fn older(random: &mut Random, query: &str) -> String {
    let hours = random.below(24 * 5) + 1;
    format!(
        "{query} timestamp:>now-{}h timestamp:<now-{hours}h",
        hours + 1
    )
}

fn aggregation(name: &str) -> Aggregation {
    let by = match name {
        "hour" => GroupBy::Time {
            column: QueryColumn::Timestamp,
            unit: TimeUnit::Hour,
        },
        "user" => GroupBy::User,
        _ => GroupBy::Column(
            QueryColumn::ALL
                .into_iter()
                .find(|column| column.field_name() == name)
                .unwrap(),
        ),
    };
    Aggregation { by, limit: 1_000 }
}

async fn ask(search: &EntrySearch, request: &SearchRequest) -> (Duration, (usize, Option<u64>)) {
    let start = Instant::now();
    let page = search.search(request).await.unwrap();
    (start.elapsed(), (page.entries.len(), page.total))
}

async fn measure(search: &EntrySearch, log: &Log, now: Timestamp, rounds: usize) {
    let mut random = Random(99);
    let print = |what: &str, mut times: Vec<Duration>, last: String| {
        times.sort();
        let ms = |part: usize| {
            times[(times.len() * part / 100).min(times.len() - 1)].as_secs_f64() * 1e3
        };
        println!("{:>9.2} {:>9.2}  {what}: {last}", ms(50), ms(99));
    };

    println!("{:>9} {:>9}", "p50 ms", "p99 ms");
    let only = std::env::args()
        .filter(|argument| argument != "--bench")
        .nth(3)
        .unwrap_or_default();
    for (what, query, count_total, counted) in
        KINDS.into_iter().filter(|kind| kind.0.contains(&only))
    {
        let (mut times, mut last) = (Vec::new(), (0, None));
        let start = Instant::now();
        while times.len() < rounds && start.elapsed() < Duration::from_secs(8) {
            let request = SearchRequest {
                query: query(&mut random).parse().unwrap(),
                limit: if counted.is_empty() { 50 } else { 0 },
                offset: 0,
                order: Order::NewestFirst,
                sort: None,
                cursor: None,
                count_total,
                aggregations: counted
                    .split(',')
                    .filter(|name| !name.is_empty())
                    .map(aggregation)
                    .collect(),
                now,
            };
            let (took, found) = ask(search, &request).await;
            times.push(took);
            last = found;
        }
        print(what, times, format!("{last:?}"));
    }

    let size = log.tail.end_sequence();
    for (what, order) in [
        ("deep page of a user", Order::NewestFirst),
        ("oldest first", Order::OldestFirst),
    ] {
        let mut times = Vec::new();
        for _ in 0..rounds {
            let query = if order == Order::NewestFirst {
                format!("user:{}", user(random.skewed(100)))
            } else {
                String::new()
            };
            let request = SearchRequest {
                query: query.parse().unwrap(),
                limit: 50,
                offset: 0,
                order,
                sort: None,
                cursor: Some(random.below(size)),
                count_total: false,
                aggregations: Vec::new(),
                now,
            };
            times.push(ask(search, &request).await.0);
        }
        print(what, times, String::new());
    }

    let (mut by_id, mut by_sequence) = (Vec::new(), Vec::new());
    for _ in 0..rounds {
        let start = Instant::now();
        let found = search
            .by_sequence(random.below(size))
            .await
            .unwrap()
            .unwrap();
        by_sequence.push(start.elapsed());
        let start = Instant::now();
        let again = search
            .by_event_id(found.entry.event_id.as_str())
            .await
            .unwrap()
            .unwrap();
        by_id.push(start.elapsed());
        assert_eq!(again.sequence, found.sequence);
    }

    print("by position", by_sequence, String::new());
    print("by event id", by_id, String::new());
}

fn resident_mib() -> u64 {
    memory(std::process::id()).map_or(0, |memory| memory.resident >> 20)
}

fn bytes_below(folder: &std::path::Path) -> u64 {
    let Ok(files) = std::fs::read_dir(folder) else {
        return 0;
    };
    files
        .flatten()
        .map(|file| {
            if file.path().is_dir() {
                bytes_below(&file.path())
            } else {
                file.metadata().unwrap().len()
            }
        })
        .sum()
}

#[tokio::main]
async fn main() {
    let mut arguments = std::env::args()
        .filter(|argument| argument != "--bench")
        .skip(1)
        .take(2)
        .map(|text| text.parse::<usize>().unwrap());
    let (count, tail) = (
        arguments.next().unwrap_or(200_000),
        arguments.next().unwrap_or(0),
    );
    let rounds = if count > 3_000_000 { 40 } else { 60 };
    let now: Timestamp = "2026-11-20T10:00:00Z".parse().unwrap();
    let folder = tempfile::tempdir().unwrap();
    let store = Arc::new(EntrySegments::open(folder.path()).await.unwrap());
    let mut random = Random(7);
    let (mut segments, mut canonical, mut sealing) = (Vec::new(), 0, Duration::ZERO);
    let at =
        |number: usize| now - SignedDuration::from_millis((count + tail - number) as i64 * GAP_MS);

    for start in (0..count).step_by(PER_SEAL) {
        let end = count.min(start + PER_SEAL);
        let entries: Vec<_> = (start..end)
            .map(|number| stored(&mut random, number as u64, at(number)))
            .collect();
        canonical += entries
            .iter()
            .map(|stored| stored.canonical.len())
            .sum::<usize>();
        let begun = Instant::now();
        for class in RetentionClass::ALL {
            let of_class = |stored: &&Arc<StoredEntry>| {
                RetentionClass::for_event_type(&stored.entry.event_type) == class
            };
            let of_class: Vec<_> = entries.iter().filter(of_class).cloned().collect();
            if !of_class.is_empty() {
                segments.push(store.write(class.id(), &of_class).await.unwrap());
            }
        }
        sealing += begun.elapsed();
    }

    segments.sort_by(|a, b| (a.first_sequence, &a.class).cmp(&(b.first_sequence, &b.class)));
    let each = |bytes: u64| bytes as f64 / count as f64;
    println!(
        "{count} entries of {} canonical bytes in {} segments",
        canonical / count,
        segments.len()
    );

    println!(
        "sealed in {:.2} µs an entry, {:.1} bytes an entry, index {:.1}",
        sealing.as_secs_f64() * 1e6 / count as f64,
        each(bytes_below(&folder.path().join("lake/entries"))),
        each(bytes_below(&folder.path().join("lake/index"))),
    );

    let mut unsealed = Tail::starting_at(count as u64);
    unsealed
        .extend((count..count + tail).map(|number| stored(&mut random, number as u64, at(number))));
    let segments = Arc::new(segments);
    store.publish(Arc::clone(&segments));

    // As after a restart: the first search hashes the files and reads their footers.
    let store = Arc::new(EntrySegments::open(folder.path()).await.unwrap());
    store.publish(Arc::clone(&segments));
    let log = Arc::new(Log {
        segments,
        tail: unsealed,
    });
    let search = EntrySearch::new(store, Arc::clone(&log) as Arc<dyn Views>);
    let first = SearchRequest {
        query: "user:nobody".parse().unwrap(),
        limit: 50,
        offset: 0,
        order: Order::NewestFirst,
        sort: None,
        cursor: None,
        count_total: true,
        aggregations: Vec::new(),
        now,
    };

    println!(
        "{:>9.2} ms  first search after a start",
        ask(&search, &first).await.0.as_secs_f64() * 1e3
    );
    println!("{:>9} MiB resident before", resident_mib());
    measure(&search, &log, now, rounds).await;
    println!("{:>9} MiB resident after", resident_mib());
}
