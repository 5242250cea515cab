//! Measures streams over the whole service: how fast a receiver that was away catches up, how long
//! one entry alone takes, and whether receivers slow appending.
//!
//! `cargo bench -p reeve-bench --bench streams -- [ENTRIES]` (100,000). The service is the program
//! `$REEVE_BIN`, in a process of its own, over files that are synced; receivers are in this process
//! and confirm at once, except for Kafka, which is a broker of its own (left out where it is not
//! installed).
#![allow(
    clippy::print_stdout,
    reason = "a benchmark answers on standard output"
)]

use std::time::{Duration, Instant};

use anyhow::{Result, ensure};
use axum::Router;
use axum::body::Bytes;
use axum::extract::DefaultBodyLimit;
use reeve_testkit::http::Api;
use reeve_testkit::kafka::Kafka;
use reeve_testkit::service::{EMULATORS, Service};
use serde_json::{Value, json};
use tokio::io::AsyncReadExt as _;
use tokio::net::TcpListener;

/// Entries of one request.
const BATCH: usize = 500;
/// Entries that are sent alone, one after the other.
const ALONE: usize = 40;
/// Time after which a part is not waited for any longer.
const PATIENCE: Duration = Duration::from_secs(600);
const STREAMS: &str = "audit-logs/integrations";
const TOPIC: &str = "audit";

#[tokio::main]
async fn main() -> Result<()> {
    let given = std::env::args().find_map(|text| text.replace('_', "").parse::<usize>().ok());
    let entries = given.unwrap_or(100_000);
    let home = tempfile::tempdir()?;
    let service = Service::serve(home.path(), &[EMULATORS])?;
    let admin = service.admin();

    let alone = appended(&admin, entries).await;
    println!("{entries} entries appended without a stream: {alone:.0} a second");

    let kafka = Kafka::start(None).ok();
    let mut written = entries;
    for body in receivers(kafka.as_ref()).await? {
        let kind = body["type"].as_str().unwrap_or_default().to_owned();
        let begun = Instant::now();
        let made = admin.post(STREAMS, body).await.expect(201);
        let path = format!("{STREAMS}/{}", made.text_at("/id"));
        sent(&admin, &path, written).await?;
        let rate = written as f64 / begun.elapsed().as_secs_f64();

        let mut times = Vec::new();
        for _ in 0..ALONE {
            let begun = Instant::now();
            let _ = appended(&admin, 1).await;
            written += 1;
            sent(&admin, &path, written).await?;
            times.push(begun.elapsed());
        }
        times.sort_unstable();
        println!(
            "{kind}: catches up at {rate:.0} entries a second; one alone is confirmed after {} ms (median), {} ms at most",
            times[ALONE / 2].as_millis(),
            times[ALONE - 1].as_millis(),
        );
    }

    let hanging =
        json!({ "name": "hangs", "type": "https", "settings": { "url": hanging().await? } });
    let _ = admin.post(STREAMS, hanging).await.expect(201);
    let beside = appended(&admin, entries).await;
    println!(
        "{entries} entries appended beside all of them and one that hangs: {beside:.0} a second, {:.2} of that without",
        beside / alone
    );
    Ok(())
}

/// Appends entries, and returns how many a second.
async fn appended(admin: &Api, count: usize) -> f64 {
    let entry = json!({ "event_type": "resource.modify", "actor": { "type": "user", "id": "ann", "email": "ann@acme.example" },
        "resource": { "type": "virtual_machine", "id": "i-0123456789abcdef0", "region": "eu-west-1" },
        "action": { "operation": "ModifyInstanceAttribute", "status": "success", "method": "api" } });
    let begun = Instant::now();
    let mut left = count;
    while left > 0 {
        let batch = vec![entry.clone(); left.min(BATCH)];
        left -= batch.len();
        let _ = admin.post("audit-logs", json!(batch)).await.expect(201);
    }
    count as f64 / begun.elapsed().as_secs_f64()
}

/// Waits until a receiver has confirmed so many entries.
async fn sent(admin: &Api, path: &str, count: usize) -> Result<()> {
    let begun = Instant::now();
    while begun.elapsed() < PATIENCE {
        let status = admin.get(&format!("{path}/status")).await.expect(200).body;
        if status["sent_entries"].as_u64() >= Some(count as u64) {
            return Ok(());
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    anyhow::bail!("{path} did not send {count} entries")
}

/// Streams to a receiver of each type, from the first entry.
async fn receivers(kafka: Option<&Kafka>) -> Result<Vec<Value>> {
    let url = http_receiver("").await?;
    let collector = http_receiver(r#"{"text":"Success","code":0}"#).await?;
    let mut streams = vec![
        json!({ "type": "https", "settings": { "url": url } }),
        json!({ "type": "splunk_hec", "secret": "a-token-of-a-collector",
            "settings": { "url": collector, "source_type": "reeve:audit" } }),
        json!({ "type": "otlp", "settings": { "url": url } }),
        json!({ "type": "syslog", "settings": { "host": "127.0.0.1", "port": syslog_receiver().await?, "tls": false } }),
    ];
    if let Some(kafka) = kafka {
        kafka.create_topic(TOPIC, 1)?;
        let brokers = format!("127.0.0.1:{}", kafka.ports().open);
        streams.push(json!({ "type": "kafka", "settings": { "brokers": brokers, "topic": TOPIC, "tls": false } }));
    }
    for stream in &mut streams {
        stream["name"] = stream["type"].clone();
        stream["query"] = json!("event_type:resource.modify");
        stream["start_sequence"] = json!(0);
    }
    ensure!(streams.len() >= 4, "no receiver");
    Ok(streams)
}

/// A receiver that takes everything, and always answers this.
async fn http_receiver(answer: &'static str) -> Result<String> {
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let url = format!("http://{}/", listener.local_addr()?);
    let router = Router::new()
        .fallback(move |_: Bytes| std::future::ready(answer))
        .layer(DefaultBodyLimit::disable());
    tokio::spawn(async move { axum::serve(listener, router).await });
    Ok(url)
}

/// An address that takes connections and never answers.
async fn hanging() -> Result<String> {
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let url = format!("http://{}/", listener.local_addr()?);
    tokio::spawn(async move {
        let mut held = Vec::new();
        while let Ok((stream, _)) = listener.accept().await {
            held.push(stream);
        }
    });
    Ok(url)
}

/// A receiver of syslog over TCP. Returns its port.
async fn syslog_receiver() -> Result<u16> {
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let port = listener.local_addr()?.port();
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            tokio::spawn(async move {
                let mut buffer = vec![0; 64 << 10];
                while stream.read(&mut buffer).await.is_ok_and(|read| read > 0) {}
            });
        }
    });
    Ok(port)
}
