//! Predictive rules, predictions and calendars: the port [`RuleStore`].

use async_trait::async_trait;
use jiff::Timestamp;
use reeve_estate::StoreError;
use reeve_predict::calendar::{Calendar, CalendarId, Refresh, Subscription};
use reeve_predict::{
    Prediction, PredictionFilter, PredictiveRule, RuleId, RuleStore, TrafficSettings,
};
use sqlx::any::AnyRow;
use sqlx::{Any, Row as _, Transaction};

use crate::database::Store;
use crate::fault::Fault;
use crate::filter::Filter;
use crate::rows::predictive::{CalendarRow, PredictionRow, RuleRow};
use crate::rows::{decode, encode, unreadable, version};
use crate::vault::Vault;
use crate::versioned::Versioned;

type Result<T> = std::result::Result<T, StoreError>;

const RULE: &str = "SELECT id, document, evaluated_at_ms, last_result FROM predictive_rules";
const PREDICTION: &str = "SELECT id, document FROM predictions";
const CALENDAR: &str = "SELECT id, document, refresh, address FROM calendars";

#[async_trait]
impl RuleStore for Store {
    async fn rule_insert(&self, rule: &PredictiveRule) -> Result<()> {
        Ok(rule_insert(self, rule).await?)
    }
    async fn rule_update(&self, rule: &PredictiveRule) -> Result<()> {
        Ok(rule_update(self, rule).await?)
    }
    async fn rule_evaluated(&self, rule: &PredictiveRule) -> Result<()> {
        Ok(rule_evaluated(self, rule).await?)
    }
    async fn rule_delete(&self, id: &RuleId) -> Result<()> {
        Ok(delete(
            self,
            "predictive rule",
            "DELETE FROM predictive_rules WHERE id = $1",
            &id.0,
        )
        .await?)
    }
    async fn rule_get(&self, id: &RuleId) -> Result<PredictiveRule> {
        Ok(rule_get(self, id).await?)
    }
    async fn rule_list(&self) -> Result<Vec<PredictiveRule>> {
        Ok(rule_list(self).await?)
    }
    async fn traffic_settings_get(&self) -> Result<TrafficSettings> {
        Ok(traffic_settings_get(self).await?)
    }
    async fn traffic_settings_put(&self, settings: &TrafficSettings) -> Result<()> {
        Ok(traffic_settings_put(self, settings).await?)
    }
    async fn prediction_insert(
        &self,
        rule: &RuleId,
        predictions: &[Prediction],
        keep: u64,
    ) -> Result<()> {
        Ok(prediction_insert(self, rule, predictions, keep).await?)
    }
    async fn prediction_list(&self, filter: &PredictionFilter) -> Result<(Vec<Prediction>, u64)> {
        Ok(prediction_list(self, filter).await?)
    }
    async fn calendar_insert(&self, calendar: &Calendar) -> Result<()> {
        Ok(calendar_insert(self, calendar).await?)
    }
    async fn calendar_update(&self, calendar: &Calendar) -> Result<()> {
        Ok(calendar_update(self, calendar).await?)
    }
    async fn calendar_refreshed(&self, id: &CalendarId, refresh: &Refresh) -> Result<()> {
        Ok(calendar_refreshed(self, id, refresh).await?)
    }
    async fn calendar_delete(&self, id: &CalendarId) -> Result<()> {
        Ok(delete(
            self,
            "calendar",
            "DELETE FROM calendars WHERE id = $1",
            &id.0,
        )
        .await?)
    }
    async fn calendar_get(&self, id: &CalendarId) -> Result<Calendar> {
        Ok(calendar_get(self, id).await?)
    }
    async fn calendar_list(&self) -> Result<Vec<Calendar>> {
        Ok(calendar_list(self).await?)
    }
}

type Done<T> = std::result::Result<T, Fault>;

async fn delete(store: &Store, noun: &'static str, sql: &'static str, id: &str) -> Done<()> {
    let done = sqlx::query(sql).bind(id).execute(store.write()).await?;
    if done.rows_affected() == 0 {
        Err(Fault::not_found(noun, id))
    } else {
        Ok(())
    }
}

async fn rule_insert(store: &Store, rule: &PredictiveRule) -> Done<()> {
    sqlx::query(
        "INSERT INTO predictive_rules (id, created_at_ms, version, document, evaluated_at_ms, last_result)
         VALUES ($1, $2, $3, $4, $5, $6)",
    )
    .bind(&rule.id.0)
    .bind(rule.created_at.as_millisecond())
    .bind(version(rule.version))
    .bind(encode(&RuleRow::from(rule))?)
    .bind(rule.evaluated_at.map(Timestamp::as_millisecond))
    .bind(rule.last_result.clone())
    .execute(store.write())
    .await
    .map_err(|error| Fault::or_taken(error, || format!("the rule {} exists already", rule.id.0)))?;
    Ok(())
}

async fn rule_update(store: &Store, rule: &PredictiveRule) -> Done<()> {
    let record = Versioned {
        noun: "predictive rule",
        select: "SELECT version FROM predictive_rules WHERE id = $1",
        id: &rule.id.0,
        version: rule.version,
    };

    let update = sqlx::query(
        "UPDATE predictive_rules SET version = $3, document = $4 WHERE id = $1 AND version = $2",
    )
    .bind(&rule.id.0)
    .bind(record.expected())
    .bind(version(rule.version))
    .bind(encode(&RuleRow::from(rule))?);

    record
        .run(&mut *store.write().acquire().await?, update, || {
            "the rule exists already".to_owned()
        })
        .await
}

async fn rule_evaluated(store: &Store, rule: &PredictiveRule) -> Done<()> {
    sqlx::query("UPDATE predictive_rules SET evaluated_at_ms = $2, last_result = $3 WHERE id = $1")
        .bind(&rule.id.0)
        .bind(rule.evaluated_at.map(Timestamp::as_millisecond))
        .bind(rule.last_result.clone())
        .execute(store.write())
        .await?;
    Ok(())
}

async fn rule_get(store: &Store, id: &RuleId) -> Done<PredictiveRule> {
    let mut filter = Filter::default();
    filter.text("id = ?", &id.0);
    let row = filter
        .query(filter.sql(RULE, ""))
        .fetch_optional(store.read())
        .await?;
    rule(&row.ok_or_else(|| Fault::not_found("predictive rule", &id.0))?)
}

async fn rule_list(store: &Store) -> Done<Vec<PredictiveRule>> {
    let filter = Filter::default();
    let rows = filter
        .query(filter.sql(RULE, " ORDER BY created_at_ms, id"))
        .fetch_all(store.read())
        .await?;
    rows.iter().map(rule).collect()
}

fn rule(row: &AnyRow) -> Done<PredictiveRule> {
    let id: String = row.try_get(0)?;
    let read = decode::<RuleRow>(row.try_get(1)?).and_then(RuleRow::into_rule);
    let rule = read.map_err(unreadable("predictive rule", &id))?;
    let evaluated: Option<i64> = row.try_get(2)?;
    let evaluated_at = evaluated.and_then(|ms| Timestamp::from_millisecond(ms).ok());

    Ok(PredictiveRule {
        evaluated_at,
        last_result: row.try_get(3)?,
        ..rule
    })
}

async fn prediction_insert(
    store: &Store,
    rule: &RuleId,
    predictions: &[Prediction],
    keep: u64,
) -> Done<()> {
    let mut tx = store.begin().await?;
    let known = sqlx::query("SELECT 1 FROM predictive_rules WHERE id = $1")
        .bind(&rule.0)
        .fetch_optional(&mut *tx);
    if known.await?.is_none() {
        // It was removed while it was evaluated.
        return Ok(());
    }

    for prediction in predictions {
        sqlx::query(
            "INSERT INTO predictions (id, rule_id, resource, outcome, at_ms, document) VALUES ($1, $2, $3, $4, $5, $6)",
        )
        .bind(&prediction.id.0)
        .bind(&rule.0)
        .bind(prediction.resource.as_str())
        .bind(prediction.outcome.as_str())
        .bind(prediction.at.as_millisecond())
        .bind(encode(&PredictionRow::from(prediction))?)
        .execute(&mut *tx)
        .await
        .map_err(|error| Fault::or_taken(error, || format!("the prediction {} exists already", prediction.id.0)))?;
    }

    sqlx::query(
        "DELETE FROM predictions WHERE rule_id = $1 AND id NOT IN
         (SELECT id FROM predictions WHERE rule_id = $1 ORDER BY at_ms DESC, id DESC LIMIT $2)",
    )
    .bind(&rule.0)
    .bind(version(keep))
    .execute(&mut *tx)
    .await?;

    Ok(tx.commit().await?)
}

async fn prediction_list(store: &Store, wanted: &PredictionFilter) -> Done<(Vec<Prediction>, u64)> {
    let mut filter = Filter::default();
    if let Some(rule) = &wanted.rule {
        filter.text("rule_id = ?", &rule.0);
    }
    if let Some(resource) = &wanted.resource {
        filter.text("resource = ?", resource);
    }
    if let Some(outcome) = wanted.outcome {
        filter.text("outcome = ?", outcome.as_str());
    }

    let count = filter
        .query(filter.sql("SELECT COUNT(*) FROM predictions", ""))
        .fetch_one(store.read())
        .await?;
    let page = filter.page(
        PREDICTION,
        " ORDER BY at_ms DESC, id DESC",
        wanted.limit,
        wanted.offset,
    );
    let rows = filter.query(page).fetch_all(store.read()).await?;

    let read = |row: &AnyRow| {
        let id: String = row.try_get(0)?;
        let found =
            decode::<PredictionRow>(row.try_get(1)?).and_then(PredictionRow::into_prediction);
        found.map_err(unreadable("prediction", &id))
    };
    let found = rows.iter().map(read).collect::<Done<_>>()?;

    Ok((found, count.try_get::<i64, _>(0)?.unsigned_abs()))
}

async fn calendar_insert(store: &Store, calendar: &Calendar) -> Done<()> {
    sqlx::query(
        "INSERT INTO calendars (id, created_at_ms, version, document, address) VALUES ($1, $2, $3, $4, $5)",
    )
    .bind(&calendar.id.0)
    .bind(calendar.created_at.as_millisecond())
    .bind(version(calendar.version))
    .bind(encode(&CalendarRow::from(calendar))?)
    .bind(sealed_address(store, calendar)?)
    .execute(store.write())
    .await
    .map_err(|error| {
        Fault::or_taken(error, || {
            format!("the calendar {} exists already", calendar.id.0)
        })
    })?;
    Ok(())
}

async fn calendar_update(store: &Store, calendar: &Calendar) -> Done<()> {
    let record = Versioned {
        noun: "calendar",
        select: "SELECT version FROM calendars WHERE id = $1",
        id: &calendar.id.0,
        version: calendar.version,
    };

    let update = sqlx::query(
        "UPDATE calendars SET version = $3, document = $4, \
         address = CASE WHEN CAST($6 AS INTEGER) = 1 THEN address ELSE $5 END \
         WHERE id = $1 AND version = $2",
    )
    .bind(&calendar.id.0)
    .bind(record.expected())
    .bind(version(calendar.version))
    .bind(encode(&CalendarRow::from(calendar))?)
    .bind(sealed_address(store, calendar)?)
    .bind(i64::from(keeps_address(calendar)));

    record
        .run(&mut *store.write().acquire().await?, update, || {
            "the calendar exists already".to_owned()
        })
        .await
}

async fn calendar_refreshed(store: &Store, id: &CalendarId, refresh: &Refresh) -> Done<()> {
    sqlx::query("UPDATE calendars SET refresh = $2 WHERE id = $1")
        .bind(&id.0)
        .bind(encode(refresh)?)
        .execute(store.write())
        .await?;
    Ok(())
}

async fn calendar_get(store: &Store, id: &CalendarId) -> Done<Calendar> {
    let mut filter = Filter::default();
    filter.text("id = ?", &id.0);
    let row = filter
        .query(filter.sql(CALENDAR, ""))
        .fetch_optional(store.read())
        .await?;
    calendar(
        store,
        &row.ok_or_else(|| Fault::not_found("calendar", &id.0))?,
    )
}

async fn calendar_list(store: &Store) -> Done<Vec<Calendar>> {
    let filter = Filter::default();
    let rows = filter
        .query(filter.sql(CALENDAR, " ORDER BY created_at_ms, id"))
        .fetch_all(store.read())
        .await?;
    rows.iter().map(|row| calendar(store, row)).collect()
}

/// Seals the address of a calendar's subscription.
fn sealed_address(store: &Store, calendar: &Calendar) -> Done<Option<String>> {
    let seal = |subscription: &Subscription| {
        let address = subscription.url.as_bytes();
        store.vault().seal(&calendar.id.0, address)
    };
    Ok(calendar.subscription.as_ref().map(seal).transpose()?)
}

/// Returns `true` for a calendar whose address could not be opened: writing it back loses nothing.
fn keeps_address(calendar: &Calendar) -> bool {
    calendar
        .subscription
        .as_ref()
        .is_some_and(|subscription| subscription.url.is_empty())
}

/// Seals the addresses that releases before migration 37 kept in plain text. Does nothing when
/// there is none.
pub(crate) async fn seal_addresses(tx: &mut Transaction<'_, Any>, vault: &Vault) -> Done<()> {
    let rows = sqlx::query(
        "SELECT id, document FROM calendars WHERE address IS NULL AND document LIKE '%\"url\":\"http%'",
    )
    .fetch_all(&mut **tx)
    .await?;

    for row in rows {
        let id: String = row.try_get(0)?;
        let mut document: CalendarRow =
            decode(row.try_get(1)?).map_err(unreadable("calendar", &id))?;
        let Some(url) = document.take_url() else {
            continue;
        };

        let address = vault.seal(&id, url.as_bytes())?;
        sqlx::query("UPDATE calendars SET document = $2, address = $3 WHERE id = $1")
            .bind(&id)
            .bind(encode(&document)?)
            .bind(address)
            .execute(&mut **tx)
            .await?;
    }

    Ok(())
}

fn calendar(store: &Store, row: &AnyRow) -> Done<Calendar> {
    let id: String = row.try_get(0)?;
    let document: &str = row.try_get(1)?;
    let refresh: Option<String> = row.try_get(2)?;
    let address: Option<String> = row.try_get(3)?;

    let opened = address
        .map(|sealed| store.vault().open(&id, &sealed))
        .transpose();
    let (url, refused) = match opened {
        Ok(plain) => (
            plain.map(|plain| String::from_utf8_lossy(&plain).into_owned()),
            None,
        ),
        // Its text still counts, and so do all other calendars.
        Err(error) => (Some(String::new()), Some(error.to_string())),
    };

    let read = || {
        let mut calendar =
            decode::<CalendarRow>(document).and_then(|row| row.into_calendar(url))?;
        if let Some((subscription, text)) = calendar.subscription.as_mut().zip(refresh) {
            subscription.refresh = decode(&text)?;
        }
        if let Some((subscription, error)) = calendar.subscription.as_mut().zip(refused) {
            subscription.refresh.problem = Some(error);
        }
        Ok(calendar)
    };

    read().map_err(unreadable("calendar", &id))
}

/// Traffic intelligence is one document among the named settings.
const TRAFFIC: &str = "intelligence.traffic";

async fn traffic_settings_get(store: &Store) -> Done<TrafficSettings> {
    let row = sqlx::query("SELECT document FROM settings WHERE name = $1")
        .bind(TRAFFIC)
        .fetch_optional(store.read())
        .await?;
    let Some(row) = row else {
        return Ok(TrafficSettings::default());
    };

    decode(row.try_get(0)?).map_err(unreadable("setting", TRAFFIC))
}

/// Compared by the whole text: of two writers that read the same version the second fails.
async fn traffic_settings_put(store: &Store, settings: &TrafficSettings) -> Done<()> {
    let stored = traffic_settings_get(store).await?;
    let conflict = || {
        Fault::Conflict("traffic intelligence was changed by someone else; reload it".to_owned())
    };

    if stored.version + 1 != settings.version {
        return Err(conflict());
    }

    let document = encode(settings)?;
    let written = if stored.version == 0 {
        sqlx::query(
            "INSERT INTO settings (name, document) VALUES ($1, $2) ON CONFLICT (name) DO NOTHING",
        )
        .bind(TRAFFIC)
        .bind(document)
        .execute(store.write())
        .await?
    } else {
        sqlx::query("UPDATE settings SET document = $2 WHERE name = $1 AND document = $3")
            .bind(TRAFFIC)
            .bind(document)
            .bind(encode(&stored)?)
            .execute(store.write())
            .await?
    };

    if written.rows_affected() > 0 {
        Ok(())
    } else {
        Err(conflict())
    }
}
