//! Queries and counts sent to PostgreSQL as an application would send them.

use std::time::Instant;

use anyhow::{Context as _, Result};
use sqlx::postgres::PgConnection;
use sqlx::{AssertSqlSafe, Row as _};

use super::Task;
use super::server::Server;
use crate::latency::Latencies;
use crate::questions::{Asker, KINDS};
use crate::results::{Results, System};
use crate::stage::ask::{random_of, report};

/// A kind is left when its questions have taken this long together, and ten were asked.
const ENOUGH: std::time::Duration = std::time::Duration::from_secs(30);
/// Times each count is asked: the slow ones take minutes otherwise.
const ROUNDS: usize = 3;

/// Pages of 50 with their total. With `same`, the totals must be Reeve's.
pub(crate) async fn search(
    server: &Server,
    task: &Task<'_>,
    same: bool,
    results: &mut Results,
) -> Result<()> {
    let mut connection = server.connect().await?;
    let (mut compared, mut different) = (0, Vec::new());

    for kind in &KINDS {
        let world = task.generator.world();
        let mut asker = Asker {
            world,
            ids: &task.bodies.ids,
            end_ms: task.bodies.end_ms,
            random: random_of(kind),
        };
        let reeves = task
            .totals
            .iter()
            .find(|(key, _)| *key == kind.key)
            .map(|(_, totals)| totals.as_slice());
        let (mut times, begun, mut hits) = (Latencies::default(), Instant::now(), 0);
        for number in 0..task.queries {
            if number >= 10 && begun.elapsed() > ENOUGH {
                break;
            }
            let question = asker.ask(kind.key);
            let asked = Instant::now();
            let total = page(&mut connection, &question.condition)
                .await
                .with_context(|| question.condition.clone())?;
            times.push(asked.elapsed());
            hits += usize::from(total > 0);
            if let (true, true, Some(&theirs)) = (
                same,
                kind.exact,
                reeves.and_then(|totals| totals.get(number)),
            ) {
                compared += 1;
                if theirs != total {
                    different.push(format!("`{}`: {theirs} and {total}", question.query));
                }
            }
        }
        let how = format!(
            "a page of 50, newest first, and count(*); {} questions, {hits} with hits",
            times.count()
        );
        report(
            results,
            System::Postgres,
            &format!("search.{}", kind.key),
            &format!("search: {}", kind.what),
            &times,
            &how,
        );
    }

    if compared > 0 {
        results.note(format!(
            "of {compared} totals that both systems gave, {} are equal",
            compared - different.len()
        ));
    }

    for one in different.iter().take(5) {
        results.note(format!("different totals (Reeve's first): {one}"));
    }

    Ok(())
}

/// One page and its total.
async fn page(connection: &mut PgConnection, condition: &str) -> Result<u64> {
    let select = format!(
        "SELECT id, entry::text FROM audit_log WHERE {condition} ORDER BY id DESC LIMIT 50"
    );
    sqlx::query(AssertSqlSafe(select))
        .persistent(false)
        .fetch_all(&mut *connection)
        .await?;
    let count = format!("SELECT count(*) FROM audit_log WHERE {condition}");
    let row = sqlx::query(AssertSqlSafe(count))
        .persistent(false)
        .fetch_one(&mut *connection)
        .await?;

    Ok(row.try_get::<i64, _>(0)? as u64)
}

/// Counts of everything by event type, user and hour.
pub(crate) async fn counts(server: &Server, stored: u64, results: &mut Results) -> Result<()> {
    let mut connection = server.connect().await?;
    let by = [
        ("event_type", "event_type"),
        ("user", "actor"),
        ("hour", "date_trunc('hour', occurred_at)"),
    ];

    for (field, expression) in by {
        let sql =
            format!("SELECT {expression}, count(*) FROM audit_log GROUP BY 1 ORDER BY 2 DESC");
        let mut times = Latencies::default();
        for _ in 0..ROUNDS {
            let asked = Instant::now();
            sqlx::query(AssertSqlSafe(sql.clone()))
                .persistent(false)
                .fetch_all(&mut connection)
                .await?;
            times.push(asked.elapsed());
        }
        let how = format!("GROUP BY over {stored} rows, {ROUNDS} times");
        let what = format!("counts by {}", field.replace('_', " "));
        report(
            results,
            System::Postgres,
            &format!("counts.{field}"),
            &what,
            &times,
            &how,
        );
    }

    Ok(())
}

/// Checks that a query is answered.
pub(crate) async fn answers(server: &Server) -> Result<()> {
    let mut connection = server.connect().await?;
    sqlx::query("SELECT id FROM audit_log ORDER BY id DESC LIMIT 1")
        .fetch_one(&mut connection)
        .await?;
    Ok(())
}
