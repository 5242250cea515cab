//! How long entries take: sealing, and searching 200,000 of them (or as many as the first argument says).
#![allow(clippy::unwrap_used, clippy::print_stdout)]

use std::sync::Arc;
use std::time::Instant;

use async_trait::async_trait;
use jiff::{SignedDuration, Timestamp};
use reeve_audit::query::Column;
use reeve_audit::{
    ActionMethod, ActionStatus, Actor, ActorType, Draft, Entry, EventId, EventType, Json, ResourceRef, Severity, json,
};
use reeve_lake::{EntrySearch, EntrySegments, Views};
use reeve_ledger::{
    Aggregation, GroupBy, Order, SealedEntry, SearchRequest, SegmentMeta, SegmentStore, StoredEntry, Tail, TimeUnit,
    Trail, TrailError, View,
};
use reeve_tlog::{Hash, commitment};

const TYPES: [&str; 8] = [
    "authentication.login",
    "authentication.logout",
    "resource.create",
    "resource.modify",
    "resource.delete",
    "resource.view",
    "policy.modify",
    "cost.report",
];
const OPERATIONS: [&str; 6] =
    ["DescribeInstances", "RunInstances", "PutObject", "GetObject", "AssumeRole", "ModifyVolume"];
const PER_SEGMENT: usize = 100_000;

struct Random(u64);

impl Random {
    fn below(&mut self, end: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % end
    }
}

/// An entry of about the size that CloudTrail records become.
fn entry(random: &mut Random, number: usize, at: Timestamp) -> Entry {
    let mut entry = Entry::new(EventType::from_static("a.b"));
    entry.event_type = EventType::new(TYPES[random.below(8) as usize]).unwrap();
    let high = random.below(1 << 30);
    entry.event_id = EventId::new(format!(
        "0193{:04x}-{:04x}-7{:03x}-8000-{high:012x}",
        number >> 16,
        number & 0xffff,
        number % 4_096
    ))
    .unwrap();
    entry.timestamp = at;
    entry.severity = Severity::ALL[random.below(5) as usize];
    let user = random.below(500);
    entry.actor = Actor {
        kind: Some(ActorType::User),
        id: Some(format!("user-{user}")),
        email: Some(format!("user{user}@example.com")),
        ip_address: Some(
            format!("10.{}.{}.{}", random.below(4), random.below(256), random.below(256)).parse().unwrap(),
        ),
        user_agent: Some("aws-cli/2.15.30 md/awscrt#0.19.19 ua/2.0 os/linux#6.1 lang/python#3.11".to_owned()),
        session_id: Some(format!("sess-{:08x}", random.below(50_000))),
    };
    let instance = random.below(5_000);
    entry.resource = ResourceRef::new("ec2_instance", format!("i-{instance:017x}"))
        .in_cloud("aws", format!("{:012}", 111_111_111_111 + random.below(3)), "eu-west-1")
        .with_tag("env", if random.below(3) == 0 { "prod" } else { "dev" });
    let status = if random.below(10) == 0 { ActionStatus::Failed } else { ActionStatus::Success };
    entry = entry.with_action(OPERATIONS[random.below(6) as usize], status, ActionMethod::Api);
    let mut after = json::Object::new();
    after.insert("instance_type", if random.below(2) == 0 { "m5.large" } else { "t3.medium" });
    after.insert("state", "running");
    entry.changes.after = Some(Json::Object(after));
    entry.metadata.request_id = Some(format!("{:08x}-{:08x}", random.below(1 << 31), random.below(1 << 31)));
    if number == 1_234 { entry.with_tag("needle") } else { entry }
}

struct Log {
    entries: Vec<Arc<StoredEntry>>,
    segments: Arc<Vec<SegmentMeta>>,
}

#[async_trait]
impl Views for Log {
    fn view(&self) -> View {
        View { segments: Arc::clone(&self.segments), tail: Tail::starting_at(self.entries.len() as u64) }
    }

    async fn restore(&self, sealed: Vec<SealedEntry>) -> Result<Vec<StoredEntry>, TrailError> {
        let restored = sealed.into_iter().map(|sealed| {
            let (entry, recorded_at) =
                Entry::from_canonical(&sealed.canonical).map_err(|error| TrailError::Backend(error.to_string()))?;
            let known = &self.entries[sealed.sequence as usize];
            Ok(StoredEntry { entry, recorded_at, canonical: sealed.canonical, ..StoredEntry::clone(known) })
        });
        restored.collect()
    }
}

/// Entries two seconds apart, the last one now.
fn log(count: usize, now: Timestamp) -> Vec<Arc<StoredEntry>> {
    let mut random = Random(7);
    let stored = |number: usize| {
        let at = now - SignedDuration::from_millis((count - number) as i64 * 2_000);
        let Draft { entry, recorded_at, canonical, .. } =
            Draft::from_entry(entry(&mut random, number, at), at).unwrap();
        let salt = (u128::from(random.below(1 << 31)) << 90 | u128::from(random.0) << 20).to_le_bytes();
        let commitment = commitment(&salt, &canonical);
        let (leaf_hash, previous_hash, hash) = (commitment.leaf_hash(), Hash::ZERO, Hash::ZERO);
        let sequence = number as u64;
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
    };
    (0..count).map(stored).collect()
}

/// What is asked: a name, a query, whether the total is wanted, and the fields that are counted.
const SEARCHES: [(&str, &str, bool, &str); 14] = [
    ("first search after a start", "user:nobody", false, ""),
    ("newest 50", "", false, ""),
    ("newest 50, total", "", true, ""),
    ("one user", "user:user-123", false, ""),
    ("one user, total", "user:user-123", true, ""),
    ("type and time", "event_type:authentication.* timestamp:>now-24h", false, ""),
    ("type and time, total", "event_type:authentication.* timestamp:>now-24h", true, ""),
    ("a common word", "running", false, ""),
    ("a rare word", "needle", false, ""),
    ("a word that is nowhere", "absent", false, ""),
    ("a common word, total", "running", true, ""),
    ("state inside changes, total", "changes.after.instance_type:m5.*", true, ""),
    ("count by type", "", false, "event_type"),
    ("failed, by user and hour", "status:failed", true, "actor.id,hour"),
];

fn aggregation(name: &str) -> Aggregation {
    let by = match name {
        "hour" => GroupBy::Time { column: Column::Timestamp, unit: TimeUnit::Hour },
        "user" => GroupBy::User,
        _ => GroupBy::Column(Column::ALL.into_iter().find(|column| column.field_name() == name).unwrap()),
    };
    Aggregation { by, limit: 1_000 }
}

async fn searches(search: &EntrySearch, now: Timestamp) {
    for (what, query, count_total, counted) in SEARCHES {
        let request = SearchRequest {
            query: query.parse().unwrap(),
            limit: 50,
            offset: 0,
            order: Order::NewestFirst,
            cursor: None,
            count_total,
            aggregations: counted.split(',').filter(|name| !name.is_empty()).map(aggregation).collect(),
            now,
        };
        let mut times = Vec::new();
        let mut found = (0, None);
        for _ in 0..if what.starts_with("first") { 1 } else { 5 } {
            let start = Instant::now();
            let page = search.search(&request).await.unwrap();
            times.push(start.elapsed());
            found = (page.entries.len(), page.total);
        }
        times.sort();
        println!("{:>8.1} ms  {what}: {found:?}", times[times.len() / 2].as_secs_f64() * 1e3);
    }
}

#[tokio::main]
async fn main() {
    let count: usize = std::env::args().nth(1).map_or(200_000, |text| text.parse().unwrap());
    let now: Timestamp = "2026-11-20T10:00:00Z".parse().unwrap();
    let entries = log(count, now);
    let canonical: usize = entries.iter().map(|stored| stored.canonical.len()).sum();
    println!("{count} entries of {} canonical bytes", canonical / count);

    let folder = tempfile::tempdir().unwrap();
    let store = EntrySegments::open(folder.path()).await.unwrap();
    let start = Instant::now();
    let mut segments = Vec::new();
    for chunk in entries.chunks(PER_SEGMENT) {
        segments.push(store.write("default", chunk).await.unwrap());
    }
    let bytes: u64 = segments.iter().map(|segment| segment.bytes).sum();
    println!("sealed in {:?}, {:.1} bytes an entry", start.elapsed(), bytes as f64 / count as f64);

    // As after a restart: the first search hashes the files and reads their footers.
    let store = Arc::new(EntrySegments::open(folder.path()).await.unwrap());
    let id = entries[count / 3].entry.event_id.as_str().to_owned();
    let log = Arc::new(Log { entries, segments: Arc::new(segments) });
    let search = EntrySearch::new(store, Arc::clone(&log) as Arc<dyn Views>);
    searches(&search, now).await;
    for what in ["first", "again"] {
        let start = Instant::now();
        let found = search.by_event_id(&id).await.unwrap().unwrap();
        println!("{:>8.1} ms  by event id, {what}: {}", start.elapsed().as_secs_f64() * 1e3, found.sequence);
    }
}
