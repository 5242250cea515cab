//! The table, its indexes, and how entries get into it.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, ensure};
use sqlx::Row as _;
use sqlx::postgres::PgConnection;

use super::Task;
use super::server::Server;
use crate::bodies::BATCH;
use crate::generate::{COLUMNS, Generator, SEED};
use crate::latency::Latencies;
use crate::process;
use crate::results::{Results, System, say};
use crate::stage::{append, single};

/// JSON with the columns that are searched beside it; every kind of question has its index.
const TABLE: &str = "
CREATE TABLE audit_log (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    recorded_at timestamptz NOT NULL DEFAULT now(),
    event_id text NOT NULL UNIQUE,
    occurred_at timestamptz NOT NULL,
    event_type text NOT NULL,
    severity text NOT NULL,
    actor text NOT NULL,
    actor_ip inet,
    resource_type text,
    resource_id text,
    account_id text,
    region text,
    status text NOT NULL,
    entry jsonb NOT NULL
);
CREATE INDEX ON audit_log (occurred_at);
CREATE INDEX ON audit_log (event_type, occurred_at);
CREATE INDEX ON audit_log (actor, id);
CREATE INDEX ON audit_log (resource_id, id);
CREATE INDEX ON audit_log (actor_ip);
CREATE INDEX ON audit_log USING gin (entry jsonb_path_ops);
CREATE INDEX ON audit_log USING gin (jsonb_to_tsvector('simple', entry, '[\"string\"]'));
";
const HOW: &str = "COPY of 500 rows a transaction, 8 connections, synchronous_commit, all indexes there; load generator on the same cores";

/// Creates the table in an empty database.
pub(crate) async fn create(server: &Server) -> Result<()> {
    server.execute(TABLE).await
}

/// State shared by the connections.
struct Shared {
    source: Mutex<(Generator, u64)>,
    stored: AtomicU64,
    until: Instant,
}

impl Shared {
    /// The next rows as COPY's text, and how many; the same entries in the same order as Reeve got.
    fn next(&self, text: &mut Vec<u8>, json: &mut Vec<u8>) -> u64 {
        let mut source = self.source.lock().unwrap_or_else(PoisonError::into_inner);
        let (generator, left) = &mut *source;
        let count = if Instant::now() < self.until {
            BATCH.min(*left)
        } else {
            0
        };
        *left -= count;

        text.clear();
        for _ in 0..count {
            json.clear();
            generator.push(json);
            generator.event().push_copy(text, generator.world(), json);
        }

        count
    }
}

/// Appends up to `entries`, for at most `lasts`; how many were stored.
pub(crate) async fn append(
    server: &Server,
    entries: u64,
    lasts: Duration,
    results: &mut Results,
) -> Result<u64> {
    let source = Mutex::new((Generator::new(SEED), entries));
    let begun = Instant::now();
    let shared = Arc::new(Shared {
        source,
        stored: AtomicU64::new(0),
        until: begun + lasts,
    });
    let own = process::own_cpu()?;
    let mut running = tokio::task::JoinSet::new();
    for _ in 0..append::CONNECTIONS {
        running.spawn(copy(server.connect().await?, Arc::clone(&shared)));
    }

    let mut times = Vec::new();
    let mut ticks = tokio::time::interval(Duration::from_secs(10));

    loop {
        tokio::select! {
            done = running.join_next() => match done {
                None => break,
                Some(done) => times.append(&mut done.context("a connection's task panicked")??),
            },
            _ = ticks.tick() => {
                let stored = shared.stored.load(Ordering::Relaxed);
                let seconds = begun.elapsed().as_secs_f64();
                let rate = stored as f64 / seconds.max(1.0);
                let left = ((entries - stored) as f64 / rate.max(1.0)).min(lasts.as_secs_f64() - seconds);
                say(&format!("  PostgreSQL: {stored} stored, {rate:.0}/s on average, at most {left:.0} s left"));
            }
        }
    }

    let (took, stored) = (
        begun.elapsed().as_secs_f64(),
        shared.stored.load(Ordering::Relaxed),
    );
    let own = process::own_cpu()?.since(own);
    times.sort_unstable();
    let part = (times.len() / 10).max(1);
    let last = begun + Duration::from_secs_f64(took);
    let tail = last.duration_since(
        times
            .get(times.len().saturating_sub(part + 1))
            .copied()
            .unwrap_or(begun),
    );

    let head = times
        .get(part - 1)
        .map_or(took, |time| time.duration_since(begun).as_secs_f64());
    let part = part as u64 * BATCH;
    let mut add = |key: &str, what: &str, value: f64, unit| {
        results.add(System::Postgres, key, what, value, unit, HOW)
    };

    add(
        "append.rate",
        "append, batches of 500, 8 connections, all",
        stored as f64 / took,
        "entries/s",
    );

    add(
        "append.rate.first",
        &format!("the first {part} of {stored}"),
        part as f64 / head,
        "entries/s",
    );

    add(
        "append.rate.last",
        &format!("the last {part}"),
        part as f64 / tail.as_secs_f64(),
        "entries/s",
    );

    add(
        "append.cpu.client",
        "processor time of the load generator an entry",
        own.total() * 1e6 / stored as f64,
        "us",
    );

    Ok(stored)
}

/// One connection: a transaction a batch.
async fn copy(mut connection: PgConnection, shared: Arc<Shared>) -> Result<Vec<Instant>> {
    let (mut text, mut json, mut times) = (Vec::new(), Vec::new(), Vec::new());
    let statement = format!("COPY audit_log ({COLUMNS}) FROM STDIN");

    loop {
        let count = shared.next(&mut text, &mut json);
        if count == 0 {
            return Ok(times);
        }
        let mut copy = connection.copy_in_raw(&statement).await?;
        copy.send(text.as_slice()).await?;
        let rows = copy.finish().await?;
        ensure!(rows == count, "{rows} rows of {count} were stored");
        times.push(Instant::now());
        shared.stored.fetch_add(count, Ordering::Relaxed);
    }
}

/// Does the work that autovacuum would do in a quiet hour.
pub(crate) async fn settle(server: &Server) -> Result<()> {
    server.execute("VACUUM (ANALYZE) audit_log").await?;
    server.execute("CHECKPOINT").await
}

/// Records the size of table and indexes.
pub(crate) async fn disk(
    server: &Server,
    stored: u64,
    mean_bytes: f64,
    results: &mut Results,
) -> Result<()> {
    let mut connection = server.connect().await?;
    let sql = "SELECT pg_table_size('audit_log'), pg_indexes_size('audit_log')";
    let row = sqlx::query(sql).fetch_one(&mut connection).await?;
    let (table, indexes): (i64, i64) = (row.try_get(0)?, row.try_get(1)?);
    let each = |bytes: i64| bytes as f64 / stored.max(1) as f64;
    let how = "pg_table_size and pg_indexes_size after VACUUM, write-ahead log not counted";
    let mut add = |key: &str, what: &str, value: f64, unit| {
        results.add(System::Postgres, key, what, value, unit, how)
    };
    add("disk.table", "disk: table", each(table), "bytes/entry");

    add(
        "disk.indexes",
        "disk: indexes",
        each(indexes),
        "bytes/entry",
    );

    add(
        "disk.entry",
        "disk: all of it",
        each(table + indexes),
        "bytes/entry",
    );

    add(
        "disk.ratio",
        "disk against raw JSON",
        each(table + indexes) / mean_bytes,
        "",
    );

    Ok(())
}

/// One row a transaction, 64 connections.
pub(crate) async fn single(server: &Server, task: &Task<'_>, results: &mut Results) -> Result<()> {
    let lasts = Duration::from_secs(task.single_seconds);
    let source = Mutex::new((task.generator.further(900, task.bodies.end_ms), u64::MAX));
    let shared = Arc::new(Shared {
        source,
        stored: AtomicU64::new(0),
        until: Instant::now() + lasts,
    });
    let begun = Instant::now();
    let mut running = tokio::task::JoinSet::new();
    for _ in 0..single::CONNECTIONS {
        running.spawn(insert(server.connect().await?, Arc::clone(&shared)));
    }

    let mut times = Latencies::default();
    while let Some(done) = running.join_next().await {
        times.extend(done.context("a connection's task panicked")??);
    }

    let rate = times.count() as f64 / begun.elapsed().as_secs_f64();
    let how =
        "one prepared INSERT a transaction, 64 connections, synchronous_commit, all indexes there";
    let mut add = |key: &str, what: &str, value: f64, unit| {
        results.add(System::Postgres, key, what, value, unit, how)
    };

    add(
        "single.rate",
        "append one at a time, 64 connections",
        rate,
        "entries/s",
    );

    add(
        "single.p50",
        "acknowledgement, p50",
        times.quantile(0.5),
        "ms",
    );

    add(
        "single.p99",
        "acknowledgement, p99",
        times.quantile(0.99),
        "ms",
    );

    add("single.max", "acknowledgement, longest", times.max(), "ms");
    Ok(())
}

async fn insert(mut connection: PgConnection, shared: Arc<Shared>) -> Result<Latencies> {
    let values = "$1, $2::timestamptz, $3, $4, $5, $6::inet, $7, $8, $9, $10, $11, $12::jsonb";
    let statement = format!("INSERT INTO audit_log ({COLUMNS}) VALUES ({values}) RETURNING id");
    let (mut text, mut json, mut times) = (Vec::new(), Vec::new(), Latencies::default());

    while Instant::now() < shared.until {
        text.clear();
        json.clear();
        {
            let mut source = shared.source.lock().unwrap_or_else(PoisonError::into_inner);
            source.0.push(&mut json);
            let generator = &source.0;
            generator
                .event()
                .push_copy(&mut text, generator.world(), &json);
        }
        let row = std::str::from_utf8(&text)?.trim_end();
        let sent = Instant::now();
        let mut query = sqlx::query(sqlx::AssertSqlSafe(statement.clone()));
        for field in row.split('\t') {
            query = query.bind(if field == "\\N" {
                None
            } else {
                Some(field.to_owned())
            });
        }
        query.fetch_one(&mut connection).await?;
        times.push(sent.elapsed());
    }

    Ok(times)
}
