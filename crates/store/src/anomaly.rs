//! Anomalies and their settings: the port [`AnomalyStore`].

use async_trait::async_trait;
use jiff::Timestamp;
use reeve_anomalies::{Anomaly, AnomalyFilter, AnomalyId, AnomalySettings, AnomalyStore, Lesson};
use reeve_estate::StoreError;
use sqlx::Row as _;

use crate::cursor;
use crate::database::Store;
use crate::fault::Fault;
use crate::filter::Filter;
use crate::lesson;
use crate::rows::anomaly::{AnomalyRow, AnomalySettingsRow, anomaly};
use crate::rows::{decode, encode, time, unreadable, version};
use crate::versioned::Versioned;

const SELECT: &str = "SELECT id, document FROM anomalies";
/// The settings are one document among the named ones, compared by the version inside.
const SETTINGS: &str = "intelligence.anomalies";
/// Setting that holds the time of the last look at metrics for anomalies.
const LOOKED: &str = "intelligence.anomalies.looked";
/// The next sequence of the log that behavior is judged by.
const CURSOR: &str = "intelligence.anomalies.cursor";

type Result<T> = std::result::Result<T, StoreError>;

#[async_trait]
impl AnomalyStore for Store {
    async fn anomaly_insert(&self, anomaly: &Anomaly) -> Result<()> {
        Ok(insert(self, anomaly).await?)
    }
    async fn anomaly_update(&self, anomaly: &Anomaly) -> Result<()> {
        Ok(update(self, anomaly).await?)
    }
    async fn anomaly_get(&self, id: &AnomalyId) -> Result<Anomaly> {
        Ok(get(self, id).await?)
    }
    async fn anomaly_list(&self, filter: &AnomalyFilter) -> Result<(Vec<Anomaly>, u64)> {
        Ok(list(self, filter).await?)
    }
    async fn anomaly_incidents(&self, since: Timestamp) -> Result<u64> {
        Ok(incidents(self, since).await?)
    }
    async fn anomaly_lesson_put(&self, lesson: &Lesson) -> Result<()> {
        Ok(lesson::put(self, lesson).await?)
    }
    async fn anomaly_lessons(&self) -> Result<Vec<Lesson>> {
        Ok(lesson::list(self).await?)
    }
    async fn anomaly_settings_get(&self) -> Result<AnomalySettings> {
        Ok(settings_get(self).await?)
    }
    async fn anomaly_settings_put(&self, settings: &AnomalySettings) -> Result<()> {
        Ok(settings_put(self, settings).await?)
    }
    async fn anomaly_looked_get(&self) -> Result<Option<Timestamp>> {
        Ok(looked_get(self).await?)
    }
    async fn anomaly_looked_put(&self, at: Timestamp) -> Result<()> {
        Ok(looked_put(self, at).await?)
    }
    async fn anomaly_cursor(&self) -> Result<Option<u64>> {
        Ok(cursor::read(self, CURSOR).await?)
    }
    async fn anomaly_advance(&self, from: Option<u64>, to: u64) -> Result<()> {
        Ok(cursor::advance(self, CURSOR, from, to).await?)
    }
}

fn taken(anomaly: &Anomaly) -> String {
    format!(
        "an anomaly of {} that began at {} exists already",
        anomaly.key, anomaly.started_at
    )
}

async fn insert(store: &Store, anomaly: &Anomaly) -> std::result::Result<(), Fault> {
    sqlx::query(
        "INSERT INTO anomalies (id, key, class, status, place, started_at_ms, version, document, incident, account)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)",
    )
    .bind(&anomaly.id.0)
    .bind(&anomaly.key)
    .bind(anomaly.class.as_str())
    .bind(anomaly.status.as_str())
    .bind(&anomaly.place.id)
    .bind(anomaly.started_at.as_millisecond())
    .bind(version(anomaly.version))
    .bind(encode(&AnomalyRow::from(anomaly))?)
    .bind(&anomaly.incident.0)
    .bind(anomaly.place.account.as_deref())
    .execute(store.write())
    .await
    .map_err(|error| Fault::or_taken(error, || taken(anomaly)))?;
    Ok(())
}

/// Key, class, place and beginning never change.
async fn update(store: &Store, anomaly: &Anomaly) -> std::result::Result<(), Fault> {
    let record = Versioned {
        noun: "anomaly",
        select: "SELECT version FROM anomalies WHERE id = $1",
        id: &anomaly.id.0,
        version: anomaly.version,
    };

    let update = sqlx::query(
        "UPDATE anomalies SET status = $3, version = $4, document = $5, incident = $6
         WHERE id = $1 AND version = $2",
    )
    .bind(&anomaly.id.0)
    .bind(record.expected())
    .bind(anomaly.status.as_str())
    .bind(version(anomaly.version))
    .bind(encode(&AnomalyRow::from(anomaly))?)
    .bind(&anomaly.incident.0);

    record
        .run(&mut *store.write().acquire().await?, update, || {
            taken(anomaly)
        })
        .await
}

async fn get(store: &Store, id: &AnomalyId) -> std::result::Result<Anomaly, Fault> {
    let mut filter = Filter::default();
    filter.text("id = ?", &id.0);
    let row = filter
        .query(filter.sql(SELECT, ""))
        .fetch_optional(store.read())
        .await?;
    anomaly(&row.ok_or_else(|| Fault::not_found("anomaly", &id.0))?)
}

async fn list(
    store: &Store,
    wanted: &AnomalyFilter,
) -> std::result::Result<(Vec<Anomaly>, u64), Fault> {
    let mut filter = Filter::default();
    if let Some(class) = wanted.class {
        filter.text("class = ?", class.as_str());
    }

    filter.one_of("status", wanted.status.iter().map(|status| status.as_str()));
    if let Some(key) = &wanted.key {
        filter.text("key = ?", key);
    }
    if let Some(place) = &wanted.place {
        filter.text("place = ?", place);
    }
    filter.one_of("account", wanted.accounts.iter().map(String::as_str));
    filter.one_of("incident", wanted.incidents.iter().map(|id| id.0.as_str()));
    if let Some(since) = wanted.since {
        filter.integer("started_at_ms >= ?", since.as_millisecond());
    }

    let count = filter
        .query(filter.sql("SELECT COUNT(*) FROM anomalies", ""))
        .fetch_one(store.read())
        .await?;
    let page = filter.page(
        SELECT,
        " ORDER BY started_at_ms DESC, id DESC",
        wanted.limit,
        wanted.offset,
    );
    let rows = filter.query(page).fetch_all(store.read()).await?;

    let found = rows
        .iter()
        .map(anomaly)
        .collect::<std::result::Result<_, _>>()?;
    Ok((found, count.try_get::<i64, _>(0)?.unsigned_abs()))
}

async fn incidents(store: &Store, since: Timestamp) -> std::result::Result<u64, Fault> {
    let row = sqlx::query(
        "SELECT COUNT(DISTINCT COALESCE(incident, id)) FROM anomalies WHERE started_at_ms >= $1",
    )
    .bind(since.as_millisecond())
    .fetch_one(store.read())
    .await?;
    Ok(row.try_get::<i64, _>(0)?.unsigned_abs())
}

async fn settings_get(store: &Store) -> std::result::Result<AnomalySettings, Fault> {
    let row = sqlx::query("SELECT document FROM settings WHERE name = $1")
        .bind(SETTINGS)
        .fetch_optional(store.read())
        .await?;
    match row {
        None => Ok(AnomalySettings::default()),
        Some(row) => decode::<AnomalySettingsRow>(row.try_get(0)?)
            .map(AnomalySettingsRow::into_settings)
            .map_err(unreadable("setting", SETTINGS)),
    }
}

/// Compared by the whole text: two writers that read the same version write one after the other,
/// and the second fails.
async fn settings_put(store: &Store, settings: &AnomalySettings) -> std::result::Result<(), Fault> {
    let document = encode(&AnomalySettingsRow::from(settings))?;
    let stored = settings_get(store).await?;
    let conflict = || {
        Fault::Conflict("the anomaly settings were changed by someone else; reload them".to_owned())
    };

    if stored.version + 1 != settings.version {
        return Err(conflict());
    }

    let done = if stored.version == AnomalySettings::default().version {
        sqlx::query(
            "INSERT INTO settings (name, document) VALUES ($1, $2) ON CONFLICT (name) DO NOTHING",
        )
        .bind(SETTINGS)
        .bind(document)
        .execute(store.write())
        .await?
    } else {
        sqlx::query("UPDATE settings SET document = $2 WHERE name = $1 AND document = $3")
            .bind(SETTINGS)
            .bind(document)
            .bind(encode(&AnomalySettingsRow::from(&stored))?)
            .execute(store.write())
            .await?
    };

    if done.rows_affected() > 0 {
        Ok(())
    } else {
        Err(conflict())
    }
}

async fn looked_get(store: &Store) -> std::result::Result<Option<Timestamp>, Fault> {
    let row = sqlx::query("SELECT document FROM settings WHERE name = $1")
        .bind(LOOKED)
        .fetch_optional(store.read())
        .await?;
    let Some(row) = row else { return Ok(None) };
    time(row.try_get(0)?)
        .map(Some)
        .map_err(unreadable("setting", LOOKED))
}

async fn looked_put(store: &Store, at: Timestamp) -> std::result::Result<(), Fault> {
    sqlx::query(
        "INSERT INTO settings (name, document) VALUES ($1, $2)
         ON CONFLICT (name) DO UPDATE SET document = excluded.document",
    )
    .bind(LOOKED)
    .bind(at.to_string())
    .execute(store.write())
    .await?;
    Ok(())
}
