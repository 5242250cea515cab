//! Measures the cost of a query of 256 words, and its effect on appends meanwhile.
//!
//! `cargo bench -p reeve-bench --bench costly_query -- DIR ENTRIES [LIMIT_S]` fills a log in DIR (once), then appends one entry after
//! the other, first alone and then while four clients ask the costly query again and again.
#![allow(clippy::unwrap_used, clippy::print_stdout)]

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use jiff::Timestamp;
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use reeve_audit::Draft;
use reeve_lake::{EntrySearch, EntrySegments};
use reeve_ledger::{Config, EntryReader, Ledger, Order, SearchRequest, TrailError};
use reeve_tlog::NoteSigner;

const WORDS: usize = 256;
const CLIENTS: usize = 4;
const MEASURED: Duration = Duration::from_secs(20);

fn draft(random: &mut StdRng) -> Draft {
    let id = uuid::Builder::from_random_bytes(random.random()).into_uuid();
    let request = uuid::Builder::from_random_bytes(random.random()).into_uuid();
    let (user, note) = (
        random.random_range(0..500),
        random.random_range(0..1_000_000),
    );
    let text = format!(
        r#"{{"event_id":"{id}","event_type":"resource.modify","actor":{{"type":"user","id":"user-{user}"}},"resource":{{"type":"vm","id":"i-{note:08x}"}},"metadata":{{"request_id":"{request}","note":"changed {note} of {user}"}}}}"#
    );

    Draft::from_bytes(text.as_bytes(), Timestamp::now()).unwrap()
}

fn costly() -> SearchRequest {
    let words: Vec<String> = (0..WORDS)
        .map(|number| format!("{:04x}", number * 251))
        .collect();
    SearchRequest {
        query: words.join(" OR ").parse().unwrap(),
        limit: 50,
        offset: 0,
        order: Order::NewestFirst,
        sort: None,
        cursor: None,
        count_total: true,
        aggregations: Vec::new(),
        now: Timestamp::now(),
    }
}

/// Appends one entry after the other for a while, and tells how long each took.
async fn appends(ledger: &Ledger, random: &mut StdRng, case: &str) {
    let (began, mut took) = (Instant::now(), Vec::new());
    while began.elapsed() < MEASURED {
        let draft = draft(random);
        let sent = Instant::now();
        ledger.append(vec![draft]).await.unwrap();
        took.push(sent.elapsed());
    }

    took.sort();
    let at = |share: f64| took[((took.len() - 1) as f64 * share) as usize].as_secs_f64() * 1e3;
    let count = took.len() as f64 / MEASURED.as_secs_f64();
    println!(
        "{case}: {count:.0} appends/s, p50 {:.2} ms, p99 {:.2} ms, longest {:.1} ms",
        at(0.5),
        at(0.99),
        at(1.0)
    );
}

#[tokio::main]
async fn main() {
    let arguments: Vec<String> = std::env::args()
        .filter(|argument| argument != "--bench")
        .collect();
    let (dir, entries) = (
        PathBuf::from(&arguments[1]),
        arguments[2].parse::<usize>().unwrap(),
    );
    let limit = arguments
        .get(3)
        .map_or(10.0, |text| text.parse::<f64>().unwrap());
    let began = Instant::now();
    let segments = Arc::new(EntrySegments::open(&dir).await.unwrap());
    let signer = NoteSigner::from_seed("reeve.local/measure", &[1; 32]).unwrap();
    let ledger = Ledger::open(
        Config::new(&dir, "reeve.local/measure"),
        signer,
        segments.clone(),
    )
    .await
    .unwrap();

    println!(
        "opened {} entries in {:.2} s",
        ledger.size(),
        began.elapsed().as_secs_f64()
    );
    let search = EntrySearch::new(segments, Arc::new(ledger.clone()))
        .with_limit(Duration::from_secs_f64(limit));
    let search = Arc::new(search);
    let mut random = StdRng::seed_from_u64(ledger.size());

    while (ledger.size() as usize) < entries {
        ledger
            .append((0..1_000).map(|_| draft(&mut random)).collect())
            .await
            .unwrap();
        if ledger.tail().len() >= 100_000 {
            ledger.seal().await.unwrap();
        }
    }

    ledger.seal().await.unwrap();
    println!(
        "{} entries in {} segments",
        ledger.size(),
        ledger.view().segments.len()
    );
    appends(&ledger, &mut random, "alone").await;
    let stop = Arc::new(AtomicBool::new(false));
    let clients: Vec<_> = (0..CLIENTS)
        .map(|_| {
            let (search, stop) = (search.clone(), stop.clone());
            tokio::spawn(async move {
                let mut outcomes = Vec::new();
                while !stop.load(Ordering::Relaxed) {
                    let began = Instant::now();
                    let outcome = match search.search(&costly()).await {
                        Ok(page) => format!("found {}", page.total.unwrap()),
                        Err(TrailError::TooCostly { .. }) => "given up".into(),
                        Err(error) => panic!("{error}"),
                    };
                    outcomes.push(format!(
                        "{outcome} after {:.1} s",
                        began.elapsed().as_secs_f64()
                    ));
                }
                outcomes
            })
        })
        .collect();

    appends(&ledger, &mut random, "beside the costly query").await;
    stop.store(true, Ordering::Relaxed);
    for client in clients {
        println!("  {}", client.await.unwrap().join(", "));
    }

    ledger.close().await;
}
