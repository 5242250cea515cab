//! Network flows by interface and day, with their sources: the port [`FlowStore`].

mod put;

use std::collections::BTreeMap;

use async_trait::async_trait;
use ipnet::IpNet;
use reeve_estate::{ConnectionId, StoreError};
use reeve_flows::{
    CoverageDay, DayCoverage, FlowAction, FlowBatch, FlowCounts, FlowDirection, FlowQuery,
    FlowSource, FlowStore, InterfaceFlows, SeenFlow,
};
use sqlx::Row as _;
use sqlx::any::AnyRow;

use crate::database::Store;
use crate::fault::Fault;
use crate::rows::{decode, encode, unreadable};

type Result<T> = std::result::Result<T, StoreError>;

/// Columns of a flow that [`sum_of`] reads.
const COLUMNS: &str = "direction, peer, protocol, port, action, first_s, last_s, flows, answers, packets, bytes, largest_packets";

#[async_trait]
impl FlowStore for Store {
    async fn flow_put(&self, batch: &FlowBatch, source: &FlowSource) -> Result<()> {
        Ok(put::put(self, batch, source).await?)
    }
    async fn flow_source_put(&self, source: &FlowSource) -> Result<()> {
        Ok(put::source(self, source).await?)
    }
    async fn flow_sources(&self) -> Result<Vec<FlowSource>> {
        Ok(sources(self).await?)
    }
    async fn flow_sources_keep(&self, connection: &ConnectionId, ids: &[String]) -> Result<()> {
        Ok(keep(self, connection, ids).await?)
    }
    async fn flow_seen(&self, query: &FlowQuery) -> Result<Vec<InterfaceFlows>> {
        let mut found = Vec::new();
        for interface in &query.interfaces {
            found.push(seen(self, interface, query).await?);
        }
        Ok(found)
    }
    async fn flow_expire(&self, before_day: i32) -> Result<u64> {
        Ok(expire(self, before_day).await?)
    }
}

async fn sources(store: &Store) -> std::result::Result<Vec<FlowSource>, Fault> {
    let rows = sqlx::query(
        "SELECT flow_log_id, document FROM flow_sources ORDER BY connection_id, flow_log_id",
    )
    .fetch_all(store.read())
    .await?;

    let read = |row: &AnyRow| {
        let id: String = row.try_get(0)?;
        decode::<FlowSource>(row.try_get(1)?).map_err(unreadable("flow source", &id))
    };
    rows.iter().map(read).collect()
}

async fn keep(
    store: &Store,
    connection: &ConnectionId,
    ids: &[String],
) -> std::result::Result<(), Fault> {
    let own = sources(store).await?.into_iter();
    let gone = own.filter(|source| source.connection == *connection && !ids.contains(&source.id));
    for source in gone {
        sqlx::query("DELETE FROM flow_sources WHERE connection_id = $1 AND flow_log_id = $2")
            .bind(&source.connection.0)
            .bind(&source.id)
            .execute(store.write())
            .await?;
    }
    Ok(())
}

async fn seen(
    store: &Store,
    interface: &str,
    query: &FlowQuery,
) -> std::result::Result<InterfaceFlows, Fault> {
    let connection = query.connection.as_ref().map(|id| id.0.as_str());
    let rows = sqlx::query(sqlx::AssertSqlSafe(format!(
        "SELECT day, {COLUMNS} FROM flows
         WHERE interface_id = $1 AND day >= $2 AND ($3 = '' OR connection_id = $3) AND ($4 = '' OR action = $4)
           AND last_s >= $5 AND day < $6
         ORDER BY day"
    )))
    .bind(interface)
    .bind(i64::from(query.from_day))
    .bind(connection.unwrap_or_default())
    .bind(query.action.map_or("", FlowAction::as_str))
    .bind(query.since_s.unwrap_or(0))
    .bind(i64::from(query.until_day.unwrap_or(i32::MAX)))
    .fetch_all(store.read())
    .await?;

    let mut flows: BTreeMap<(FlowDirection, IpNet, u8, u16, FlowAction), SeenFlow> =
        BTreeMap::new();
    for row in &rows {
        let day = number(row, 0)?;
        let sum = sum_of(row, 1)?;
        let key = (sum.direction, sum.peer, sum.protocol, sum.port, sum.action);
        flows
            .entry(key)
            .or_insert_with(|| sum.nothing_yet())
            .add(day, &sum.counts);
    }

    let rows = sqlx::query(
        "SELECT day, hours, records, skipped FROM flow_coverage
         WHERE interface_id = $1 AND day >= $2 AND ($3 = '' OR connection_id = $3) AND day < $4 ORDER BY day",
    )
    .bind(interface)
    .bind(i64::from(query.from_day))
    .bind(connection.unwrap_or_default())
    .bind(i64::from(query.until_day.unwrap_or(i32::MAX)))
    .fetch_all(store.read())
    .await?;
    let coverage = rows.iter().map(|row| {
        Ok(CoverageDay {
            day: number(row, 0)?,
            coverage: DayCoverage {
                hours: number(row, 1)?,
                records: number(row, 2)?,
                skipped: number(row, 3)?,
            },
        })
    });

    Ok(InterfaceFlows {
        interface: interface.to_owned(),
        flows: flows.into_values().collect(),
        coverage: coverage.collect::<std::result::Result<_, Fault>>()?,
    })
}

/// Stored sum of flows.
struct Sum {
    direction: FlowDirection,
    peer: IpNet,
    protocol: u8,
    port: u16,
    action: FlowAction,
    counts: FlowCounts,
}

impl Sum {
    fn nothing_yet(&self) -> SeenFlow {
        SeenFlow {
            direction: self.direction,
            peer: self.peer,
            protocol: self.protocol,
            port: self.port,
            action: self.action,
            days: Vec::new(),
            counts: FlowCounts::default(),
        }
    }
}

/// Reads [`COLUMNS`] from a place on.
fn sum_of(row: &AnyRow, from: usize) -> std::result::Result<Sum, Fault> {
    let text = |place: usize| row.try_get::<String, _>(from + place);
    let broken = |name: &str, value: &str| {
        Fault::Backend(format!(
            "the {name} {value:?} of a stored flow cannot be read"
        ))
    };
    let (direction, peer, action) = (text(0)?, text(1)?, text(4)?);

    Ok(Sum {
        direction: FlowDirection::parse(&direction)
            .ok_or_else(|| broken("direction", &direction))?,
        peer: peer.parse().map_err(|_| broken("peer", &peer))?,
        protocol: number(row, from + 2)?,
        port: number(row, from + 3)?,
        action: FlowAction::parse(&action).ok_or_else(|| broken("action", &action))?,
        counts: FlowCounts {
            first_s: number(row, from + 5)?,
            last_s: number(row, from + 6)?,
            flows: number(row, from + 7)?,
            answers: number(row, from + 8)?,
            packets: number(row, from + 9)?,
            bytes: number(row, from + 10)?,
            largest_packets: number(row, from + 11)?,
        },
    })
}

fn number<T: TryFrom<i64>>(row: &AnyRow, place: usize) -> std::result::Result<T, Fault> {
    let stored: i64 = row.try_get(place)?;
    T::try_from(stored)
        .map_err(|_| Fault::Backend(format!("the number {stored} of a stored flow is too large")))
}

async fn expire(store: &Store, before_day: i32) -> std::result::Result<u64, Fault> {
    let mut tx = store.begin().await?;
    let day = i64::from(before_day);
    let gone = sqlx::query("DELETE FROM flows WHERE day < $1")
        .bind(day)
        .execute(&mut *tx)
        .await?;
    sqlx::query("DELETE FROM flow_coverage WHERE day < $1")
        .bind(day)
        .execute(&mut *tx)
        .await?;
    tx.commit().await?;
    Ok(gone.rows_affected())
}

fn document(source: &FlowSource) -> std::result::Result<String, Fault> {
    encode(source)
}
