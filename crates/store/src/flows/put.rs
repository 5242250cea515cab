//! Writing flows: a batch and the position of its source in one transaction.

use std::collections::BTreeSet;

use reeve_flows::{FlowBatch, FlowCounts, FlowKey, FlowSource, MOST_FLOWS, collapse};
use sqlx::any::Any;
use sqlx::{Row as _, Transaction};

use super::{COLUMNS, document, sum_of};
use crate::batch::{Cell, Insert};
use crate::database::Store;
use crate::fault::Fault;

const FLOWS: &str = "INSERT INTO flows (connection_id, interface_id, day, direction, peer, protocol, port, action, first_s, last_s, flows, answers, packets, bytes, largest_packets)";
const ADD_FLOWS: &str = "ON CONFLICT (connection_id, interface_id, day, direction, peer, protocol, port, action) DO UPDATE SET
     first_s = CASE WHEN excluded.first_s < flows.first_s THEN excluded.first_s ELSE flows.first_s END,
     last_s = CASE WHEN excluded.last_s > flows.last_s THEN excluded.last_s ELSE flows.last_s END,
     flows = flows.flows + excluded.flows, answers = flows.answers + excluded.answers,
     packets = flows.packets + excluded.packets, bytes = flows.bytes + excluded.bytes,
     largest_packets = CASE WHEN excluded.largest_packets > flows.largest_packets THEN excluded.largest_packets ELSE flows.largest_packets END";
const COVERAGE: &str =
    "INSERT INTO flow_coverage (connection_id, interface_id, day, hours, records, skipped)";
const ADD_COVERAGE: &str = "ON CONFLICT (connection_id, interface_id, day) DO UPDATE SET
     hours = flow_coverage.hours | excluded.hours, records = flow_coverage.records + excluded.records,
     skipped = flow_coverage.skipped + excluded.skipped";

/// Adds a batch, bounds the sums of each interface and day, and moves the source on.
pub(super) async fn put(
    store: &Store,
    batch: &FlowBatch,
    source: &FlowSource,
) -> Result<(), Fault> {
    let connection = source.connection.0.as_str();
    let mut tx = store.begin().await?;
    let mut flows = Insert::new(FLOWS, ADD_FLOWS);
    for (key, counts) in &batch.flows {
        flows.row(cells(connection, key, counts));
    }
    flows.run_for(&mut tx, connection).await?;

    let mut coverage = Insert::new(COVERAGE, ADD_COVERAGE);
    for ((interface, day), covered) in &batch.coverage {
        coverage.row([
            connection.into(),
            interface.as_str().into(),
            Cell::Integer(i64::from(*day)),
            Cell::Integer(i64::from(covered.hours)),
            integer(covered.records),
            integer(covered.skipped),
        ]);
    }
    coverage.run_for(&mut tx, connection).await?;

    let days: BTreeSet<(&str, i32)> = batch
        .flows
        .iter()
        .map(|(key, _)| (key.interface.as_str(), key.day))
        .collect();
    for (interface, day) in days {
        bound(&mut tx, connection, interface, day).await?;
    }

    source_in(&mut tx, source).await?;
    Ok(tx.commit().await?)
}

/// Writes a source, or replaces the one of its connection and flow log.
pub(super) async fn source(store: &Store, source: &FlowSource) -> Result<(), Fault> {
    let mut tx = store.begin().await?;
    source_in(&mut tx, source).await?;
    Ok(tx.commit().await?)
}

async fn source_in(tx: &mut Transaction<'_, Any>, source: &FlowSource) -> Result<(), Fault> {
    let done = sqlx::query(
        "INSERT INTO flow_sources (connection_id, flow_log_id, document) VALUES ($1, $2, $3)
         ON CONFLICT (connection_id, flow_log_id) DO UPDATE SET document = excluded.document",
    )
    .bind(&source.connection.0)
    .bind(&source.id)
    .bind(document(source)?)
    .execute(&mut **tx)
    .await;
    match done {
        Ok(_) => Ok(()),
        Err(error) => Err(Fault::or_orphan(error, "connection", &source.connection.0)),
    }
}

/// Puts the sums of an interface and day together where they are too many.
async fn bound(
    tx: &mut Transaction<'_, Any>,
    connection: &str,
    interface: &str,
    day: i32,
) -> Result<(), Fault> {
    let of_day = "connection_id = $1 AND interface_id = $2 AND day = $3";
    let count: i64 = sqlx::query(sqlx::AssertSqlSafe(format!(
        "SELECT COUNT(*) FROM flows WHERE {of_day}"
    )))
    .bind(connection)
    .bind(interface)
    .bind(i64::from(day))
    .fetch_one(&mut **tx)
    .await?
    .try_get(0)?;
    if count.unsigned_abs() <= MOST_FLOWS as u64 {
        return Ok(());
    }

    let rows = sqlx::query(sqlx::AssertSqlSafe(format!(
        "SELECT {COLUMNS} FROM flows WHERE {of_day}"
    )))
    .bind(connection)
    .bind(interface)
    .bind(i64::from(day))
    .fetch_all(&mut **tx)
    .await?;
    let mut sums = Vec::new();
    for row in &rows {
        let sum = sum_of(row, 0)?;
        let key = FlowKey {
            interface: interface.to_owned(),
            day,
            direction: sum.direction,
            peer: sum.peer,
            protocol: sum.protocol,
            port: sum.port,
            action: sum.action,
        };
        sums.push((key, sum.counts));
    }

    sqlx::query(sqlx::AssertSqlSafe(format!(
        "DELETE FROM flows WHERE {of_day}"
    )))
    .bind(connection)
    .bind(interface)
    .bind(i64::from(day))
    .execute(&mut **tx)
    .await?;
    let mut together = Insert::new(FLOWS, ADD_FLOWS);
    for (key, counts) in collapse(sums, MOST_FLOWS) {
        together.row(cells(connection, &key, &counts));
    }
    Ok(together.run(tx).await?)
}

fn cells(connection: &str, key: &FlowKey, counts: &FlowCounts) -> [Cell; 15] {
    [
        connection.into(),
        key.interface.as_str().into(),
        Cell::Integer(i64::from(key.day)),
        key.direction.as_str().into(),
        Cell::Text(key.peer.to_string()),
        Cell::Integer(i64::from(key.protocol)),
        Cell::Integer(i64::from(key.port)),
        key.action.as_str().into(),
        Cell::Integer(counts.first_s),
        Cell::Integer(counts.last_s),
        integer(counts.flows),
        integer(counts.answers),
        integer(counts.packets),
        integer(counts.bytes),
        integer(counts.largest_packets),
    ]
}

fn integer(count: u64) -> Cell {
    Cell::Integer(i64::try_from(count).unwrap_or(i64::MAX))
}
