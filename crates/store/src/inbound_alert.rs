//! Alerts of other tools: the port [`InboundAlertStore`]. An alert and the sender's identifiers that
//! it stands for are written together.

use async_trait::async_trait;
use jiff::Timestamp;
use reeve_estate::StoreError;
use reeve_incidents::{IncidentId, IncidentStatus, MemberKind};
use reeve_siem::{
    AlertSourceId, AlertVerdict, InboundAlert, InboundAlertFilter, InboundAlertId,
    InboundAlertStore, SourceCounts, TrackRecord,
};
use sqlx::any::{AnyArguments, AnyRow};
use sqlx::query::Query;
use sqlx::{Any, AnyConnection, AssertSqlSafe, Row as _};

use crate::database::Store;
use crate::fault::Fault;
use crate::filter::Filter;
use crate::rows::{decode, encode, unreadable, version};
use crate::versioned::Versioned;

type Result<T> = std::result::Result<T, StoreError>;
type Fallible<T> = std::result::Result<T, Fault>;

const NOUN: &str = "inbound alert";

#[async_trait]
impl InboundAlertStore for Store {
    async fn inbound_alert_insert(&self, alert: &InboundAlert) -> Result<()> {
        Ok(insert(self, alert).await?)
    }
    async fn inbound_alert_update(&self, alert: &InboundAlert) -> Result<()> {
        Ok(update(self, alert).await?)
    }
    async fn inbound_alert_get(&self, id: &InboundAlertId) -> Result<InboundAlert> {
        Ok(get(self, id).await?)
    }
    async fn inbound_alert_by_sender(
        &self,
        source: &AlertSourceId,
        sender_id: &str,
    ) -> Result<Option<InboundAlert>> {
        Ok(by_sender(self, source, sender_id).await?)
    }
    async fn inbound_alert_of_cause(
        &self,
        source: &AlertSourceId,
        cause: &str,
        since: Timestamp,
    ) -> Result<Option<InboundAlert>> {
        Ok(of_cause(self, source, cause, since).await?)
    }
    async fn inbound_alert_list(
        &self,
        filter: &InboundAlertFilter,
    ) -> Result<(Vec<InboundAlert>, u64)> {
        Ok(list(self, filter).await?)
    }
    async fn inbound_alert_callbacks(
        &self,
        now: Timestamp,
        limit: u64,
    ) -> Result<Vec<InboundAlert>> {
        Ok(callbacks(self, now, limit).await?)
    }
    async fn inbound_alert_of_closed(&self, limit: u64) -> Result<Vec<(InboundAlert, IncidentId)>> {
        Ok(of_closed(self, limit).await?)
    }
    async fn inbound_alert_expired(
        &self,
        source: &AlertSourceId,
        before: Timestamp,
        limit: u64,
    ) -> Result<Vec<InboundAlert>> {
        Ok(expired(self, source, before, limit).await?)
    }
    async fn inbound_alert_counts(&self, source: &AlertSourceId) -> Result<SourceCounts> {
        Ok(counts(self, source).await?)
    }
}

fn number(count: u64) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}

/// Binds the columns of an alert, from `$3` on.
fn columns<'q>(
    query: Query<'q, Any, AnyArguments>,
    alert: &InboundAlert,
) -> Fallible<Query<'q, Any, AnyArguments>> {
    let callback_at = alert
        .callback
        .as_ref()
        .and_then(|callback| callback.next_at);
    let verdict = alert.judgement.as_ref().map(|judged| judged.verdict);
    Ok(query
        .bind(alert.status.as_str())
        .bind(alert.cause.clone())
        .bind(verdict.map(AlertVerdict::as_str))
        .bind(alert.last_at.as_millisecond())
        .bind(callback_at.map(Timestamp::as_millisecond))
        .bind(version(alert.version))
        .bind(encode(alert)?))
}

async fn insert(store: &Store, alert: &InboundAlert) -> Fallible<()> {
    let mut tx = store.begin().await?;
    let query = sqlx::query(
        "INSERT INTO inbound_alerts (id, source_id, status, cause, verdict, last_at_ms, callback_at_ms, version, document, received_at_ms)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)",
    )
    .bind(alert.id.0.clone())
    .bind(alert.source.0.clone());
    columns(query, alert)?
        .bind(alert.received_at.as_millisecond())
        .execute(&mut *tx)
        .await
        .map_err(|error| Fault::or_taken(error, || format!("alert {} is stored", alert.id.0)))?;
    reports(&mut tx, alert).await?;
    Ok(tx.commit().await?)
}

async fn update(store: &Store, alert: &InboundAlert) -> Fallible<()> {
    let record = Versioned {
        noun: NOUN,
        select: "SELECT version FROM inbound_alerts WHERE id = $1",
        id: &alert.id.0,
        version: alert.version,
    };

    let mut tx = store.begin().await?;
    let query = sqlx::query(
        "UPDATE inbound_alerts SET status = $3, cause = $4, verdict = $5, last_at_ms = $6,
             callback_at_ms = $7, version = $8, document = $9
         WHERE id = $1 AND version = $2",
    )
    .bind(alert.id.0.clone())
    .bind(record.expected());
    let update = columns(query, alert)?;
    record
        .run(&mut tx, update, || {
            format!("alert {} is stored", alert.id.0)
        })
        .await?;
    reports(&mut tx, alert).await?;
    Ok(tx.commit().await?)
}

/// Keeps the sender's identifiers of an alert; those that are kept already stay.
async fn reports(connection: &mut AnyConnection, alert: &InboundAlert) -> Fallible<()> {
    for sender in &alert.sender_alerts {
        sqlx::query(
            "INSERT INTO inbound_alert_reports (source_id, sender_id, alert_id) VALUES ($1, $2, $3)
             ON CONFLICT (source_id, sender_id) DO NOTHING",
        )
        .bind(&alert.source.0)
        .bind(&sender.id)
        .bind(&alert.id.0)
        .execute(&mut *connection)
        .await?;
    }
    Ok(())
}

async fn get(store: &Store, id: &InboundAlertId) -> Fallible<InboundAlert> {
    let row = sqlx::query("SELECT id, document FROM inbound_alerts WHERE id = $1")
        .bind(&id.0)
        .fetch_optional(store.read())
        .await?;
    alert(&row.ok_or_else(|| Fault::not_found(NOUN, &id.0))?)
}

async fn by_sender(
    store: &Store,
    source: &AlertSourceId,
    sender_id: &str,
) -> Fallible<Option<InboundAlert>> {
    let row = sqlx::query(
        "SELECT id, document FROM inbound_alerts WHERE id IN
             (SELECT alert_id FROM inbound_alert_reports WHERE source_id = $1 AND sender_id = $2)",
    )
    .bind(&source.0)
    .bind(sender_id)
    .fetch_optional(store.read())
    .await?;
    row.as_ref().map(alert).transpose()
}

async fn of_cause(
    store: &Store,
    source: &AlertSourceId,
    cause: &str,
    since: Timestamp,
) -> Fallible<Option<InboundAlert>> {
    let row = sqlx::query(
        "SELECT id, document FROM inbound_alerts
         WHERE source_id = $1 AND cause = $2 AND last_at_ms >= $3 AND status = 'open'
         ORDER BY last_at_ms DESC LIMIT 1",
    )
    .bind(&source.0)
    .bind(cause)
    .bind(since.as_millisecond())
    .fetch_optional(store.read())
    .await?;
    row.as_ref().map(alert).transpose()
}

async fn list(store: &Store, wanted: &InboundAlertFilter) -> Fallible<(Vec<InboundAlert>, u64)> {
    let mut filter = Filter::default();
    if let Some(source) = &wanted.source {
        filter.text("source_id = ?", &source.0);
    }
    if let Some(status) = wanted.status {
        filter.text("status = ?", status.as_str());
    }

    let count = filter
        .query(filter.sql("SELECT COUNT(*) FROM inbound_alerts", ""))
        .fetch_one(store.read())
        .await?;
    let page = filter.page(
        "SELECT id, document FROM inbound_alerts",
        " ORDER BY last_at_ms DESC, id DESC",
        wanted.limit,
        wanted.offset,
    );
    let rows = filter.query(page).fetch_all(store.read()).await?;

    let alerts = rows.iter().map(alert).collect::<Fallible<_>>()?;
    Ok((alerts, count.try_get::<i64, _>(0)?.unsigned_abs()))
}

async fn callbacks(store: &Store, now: Timestamp, limit: u64) -> Fallible<Vec<InboundAlert>> {
    let rows = sqlx::query(
        "SELECT id, document FROM inbound_alerts WHERE callback_at_ms <= $1 ORDER BY callback_at_ms, id LIMIT $2",
    )
    .bind(now.as_millisecond())
    .bind(number(limit))
    .fetch_all(store.read())
    .await?;
    rows.iter().map(alert).collect()
}

async fn of_closed(store: &Store, limit: u64) -> Fallible<Vec<(InboundAlert, IncidentId)>> {
    let rows = sqlx::query(
        "SELECT a.id, a.document, i.id FROM incidents i
         JOIN incident_members m ON m.incident_id = i.id AND m.kind = $1
         JOIN inbound_alerts a ON a.id = m.member_id AND a.status = 'open'
         WHERE i.status = $2 AND i.merged = 0 ORDER BY a.id LIMIT $3",
    )
    .bind(MemberKind::ExternalAlert.as_str())
    .bind(IncidentStatus::Closed.as_str())
    .bind(number(limit))
    .fetch_all(store.read())
    .await?;
    let pair = |row| -> Fallible<_> { Ok((alert(row)?, IncidentId(row.try_get(2)?))) };
    rows.iter().map(pair).collect()
}

async fn expired(
    store: &Store,
    source: &AlertSourceId,
    before: Timestamp,
    limit: u64,
) -> Fallible<Vec<InboundAlert>> {
    let active = IncidentStatus::ALL.iter().filter(|one| one.is_active());
    let names: Vec<String> = active.map(|one| format!("'{one}'")).collect();
    let sql = format!(
        "SELECT id, document FROM inbound_alerts a
         WHERE source_id = $1 AND status = 'open' AND last_at_ms <= $2 AND NOT EXISTS
             (SELECT 1 FROM incident_members m JOIN incidents i ON i.id = m.incident_id
              WHERE m.kind = $3 AND m.member_id = a.id AND i.status IN ({}))
         ORDER BY last_at_ms, id LIMIT $4",
        names.join(", ")
    );
    let rows = sqlx::query(AssertSqlSafe(sql))
        .bind(&source.0)
        .bind(before.as_millisecond())
        .bind(MemberKind::ExternalAlert.as_str())
        .bind(number(limit))
        .fetch_all(store.read())
        .await?;
    rows.iter().map(alert).collect()
}

async fn counts(store: &Store, source: &AlertSourceId) -> Fallible<SourceCounts> {
    let row = sqlx::query(
        "SELECT COUNT(*), COUNT(CASE WHEN status = 'open' THEN 1 END), COUNT(verdict),
             COUNT(CASE WHEN verdict = 'false_positive' THEN 1 END), MAX(last_at_ms)
         FROM inbound_alerts WHERE source_id = $1",
    )
    .bind(&source.0)
    .fetch_one(store.read())
    .await?;
    let count = |index: usize| -> Fallible<u64> {
        let count: i64 = row.try_get(index)?;
        Ok(u64::try_from(count).unwrap_or(0))
    };
    let last: Option<i64> = row.try_get(4)?;

    Ok(SourceCounts {
        alerts: count(0)?,
        open: count(1)?,
        record: TrackRecord {
            judged: count(2)?,
            false_positives: count(3)?,
        },
        last_alert_at: last.and_then(|at| Timestamp::from_millisecond(at).ok()),
    })
}

fn alert(row: &AnyRow) -> Fallible<InboundAlert> {
    let id: String = row.try_get(0)?;
    decode(row.try_get(1)?).map_err(unreadable(NOUN, &id))
}
