//! Alerts: rules, firings, and the evaluator's state: the port [`AlertStore`].

mod evaluation;
mod firing;

use async_trait::async_trait;
use reeve_access::AccessError;
use reeve_alerts::{
    AlertProgress, AlertRule, AlertStore, ChangeTally, DegradedRule, EvaluatorChanges, Firing,
    FiringFilter, FiringId, RuleId, StoredState, StoredTally,
};
use sqlx::any::AnyRow;
use sqlx::{Any, Row as _, Transaction};

use crate::database::Store;
use crate::fault::Fault;
use crate::filter::Filter;
use crate::rows::alert::RuleRow;
use crate::rows::{decode, encode, unreadable, version};
use crate::versioned::Versioned;

type Result<T> = std::result::Result<T, AccessError>;

const SELECT: &str = "SELECT id, document FROM alert_rules";
const ORDER: &str = " ORDER BY name, id";

#[async_trait]
impl AlertStore for Store {
    async fn alert_rule_insert(&self, rule: &AlertRule, most: u64) -> Result<()> {
        Ok(insert(self, rule, most).await?)
    }
    async fn alert_rule_update(&self, rule: &AlertRule) -> Result<()> {
        Ok(update(self, rule).await?)
    }
    async fn alert_rule_delete(&self, id: &RuleId) -> Result<()> {
        Ok(delete(self, id).await?)
    }
    async fn alert_rule_get(&self, id: &RuleId) -> Result<AlertRule> {
        Ok(get(self, id).await?)
    }
    async fn alert_rule_list(&self) -> Result<Vec<AlertRule>> {
        Ok(list(self).await?)
    }
    async fn alert_rule_page(&self, limit: u64, offset: u64) -> Result<(Vec<AlertRule>, u64)> {
        Ok(page(self, limit, offset).await?)
    }
    async fn alert_rule_named(&self, names: &[&str]) -> Result<Vec<AlertRule>> {
        Ok(named(self, names).await?)
    }
    async fn alert_rule_generation(&self) -> Result<u64> {
        Ok(generation(self).await?)
    }
    async fn alert_progress(&self) -> Result<Option<AlertProgress>> {
        Ok(evaluation::progress(self).await?)
    }
    async fn alert_state(&self) -> Result<StoredState> {
        Ok(evaluation::state(self).await?)
    }
    async fn alert_degraded(&self) -> Result<Vec<DegradedRule>> {
        Ok(evaluation::degraded(self).await?)
    }
    async fn alert_tally_put(&self, tallies: &[StoredTally]) -> Result<()> {
        Ok(evaluation::tally_put(self, tallies).await?)
    }
    async fn alert_tally(&self, rule: &RuleId, revision: u64) -> Result<Option<ChangeTally>> {
        Ok(evaluation::tally(self, rule, revision).await?)
    }
    async fn alert_advance(
        &self,
        from: Option<u64>,
        to: AlertProgress,
        changes: &EvaluatorChanges,
    ) -> Result<()> {
        Ok(evaluation::advance(self, from, to, changes).await?)
    }
    async fn firing_list(&self, filter: &FiringFilter) -> Result<(Vec<Firing>, u64)> {
        Ok(firing::list(self, filter).await?)
    }
    async fn firing_get(&self, id: &FiringId) -> Result<Firing> {
        Ok(firing::get(self, id).await?)
    }
    async fn firing_handle(&self, firing: &Firing) -> Result<()> {
        Ok(firing::handle(self, firing).await?)
    }
    async fn firing_unrecorded(&self, limit: u64) -> Result<Vec<Firing>> {
        Ok(firing::unrecorded(self, limit).await?)
    }
    async fn firing_recorded(&self, ids: &[FiringId]) -> Result<()> {
        Ok(firing::recorded(self, ids).await?)
    }
}

fn taken(rule: &AlertRule) -> String {
    format!("an alert rule named {} exists already", rule.settings.name)
}

/// Grows with every change of a rule, and of a list that rules may compare with. Taken first, it
/// also makes changes of rules wait for each other on PostgreSQL.
pub(crate) async fn next_generation(
    tx: &mut Transaction<'_, Any>,
) -> std::result::Result<(), Fault> {
    sqlx::query("UPDATE alert_generation SET generation = generation + 1 WHERE id = 1")
        .execute(&mut **tx)
        .await?;
    Ok(())
}

async fn insert(store: &Store, rule: &AlertRule, most: u64) -> std::result::Result<(), Fault> {
    let mut tx = store.begin().await?;
    next_generation(&mut tx).await?;
    let count: i64 = sqlx::query("SELECT COUNT(*) FROM alert_rules")
        .fetch_one(&mut *tx)
        .await?
        .try_get(0)?;

    if u64::try_from(count).unwrap_or_default() >= most {
        return Err(Fault::Conflict(format!(
            "there are {count} alert rules, and at most {most}; remove one first"
        )));
    }

    sqlx::query(
        "INSERT INTO alert_rules (id, name, revision, created_at_ms, version, document)
         VALUES ($1, $2, $3, $4, $5, $6)",
    )
    .bind(&rule.id.0)
    .bind(&rule.settings.name)
    .bind(version(rule.revision))
    .bind(rule.created_at.as_millisecond())
    .bind(version(rule.version))
    .bind(encode(&RuleRow::from(rule))?)
    .execute(&mut *tx)
    .await
    .map_err(|error| Fault::or_taken(error, || taken(rule)))?;

    Ok(tx.commit().await?)
}

async fn update(store: &Store, rule: &AlertRule) -> std::result::Result<(), Fault> {
    let mut tx = store.begin().await?;
    next_generation(&mut tx).await?;
    let record = Versioned {
        noun: "alert rule",
        select: "SELECT version FROM alert_rules WHERE id = $1",
        id: &rule.id.0,
        version: rule.version,
    };

    let update = sqlx::query(
        "UPDATE alert_rules SET name = $3, revision = $4, version = $5, document = $6 WHERE id = $1 AND version = $2",
    )
    .bind(&rule.id.0)
    .bind(record.expected())
    .bind(&rule.settings.name)
    .bind(version(rule.revision))
    .bind(version(rule.version))
    .bind(encode(&RuleRow::from(rule))?);
    record.run(&mut tx, update, || taken(rule)).await?;

    evaluation::forget(&mut tx, &rule.id, Some(rule.revision)).await?;
    Ok(tx.commit().await?)
}

async fn delete(store: &Store, id: &RuleId) -> std::result::Result<(), Fault> {
    let mut tx = store.begin().await?;
    next_generation(&mut tx).await?;
    let done = sqlx::query("DELETE FROM alert_rules WHERE id = $1")
        .bind(&id.0)
        .execute(&mut *tx)
        .await?;
    if done.rows_affected() == 0 {
        return Err(Fault::not_found("alert rule", &id.0));
    }

    evaluation::forget(&mut tx, id, None).await?;
    Ok(tx.commit().await?)
}

async fn get(store: &Store, id: &RuleId) -> std::result::Result<AlertRule, Fault> {
    let row = sqlx::query("SELECT id, document FROM alert_rules WHERE id = $1")
        .bind(&id.0)
        .fetch_optional(store.read())
        .await?;
    rule(&row.ok_or_else(|| Fault::not_found("alert rule", &id.0))?)
}

async fn list(store: &Store) -> std::result::Result<Vec<AlertRule>, Fault> {
    let rows = sqlx::query(Filter::default().sql(SELECT, ORDER))
        .fetch_all(store.read())
        .await?;
    rows.iter().map(rule).collect()
}

async fn page(
    store: &Store,
    limit: u64,
    offset: u64,
) -> std::result::Result<(Vec<AlertRule>, u64), Fault> {
    let count: i64 = sqlx::query("SELECT COUNT(*) FROM alert_rules")
        .fetch_one(store.read())
        .await?
        .try_get(0)?;
    let page = Filter::default().page(SELECT, ORDER, limit, offset);
    let rows = sqlx::query(page).fetch_all(store.read()).await?;

    Ok((
        rows.iter()
            .map(rule)
            .collect::<std::result::Result<_, _>>()?,
        u64::try_from(count).unwrap_or_default(),
    ))
}

async fn named(store: &Store, names: &[&str]) -> std::result::Result<Vec<AlertRule>, Fault> {
    if names.is_empty() {
        return Ok(Vec::new());
    }

    let mut filter = Filter::default();
    filter.one_of("name", names.iter().copied());
    let rows = filter
        .query(filter.sql(SELECT, ORDER))
        .fetch_all(store.read())
        .await?;

    rows.iter().map(rule).collect()
}

async fn generation(store: &Store) -> std::result::Result<u64, Fault> {
    let row = sqlx::query("SELECT generation FROM alert_generation WHERE id = 1")
        .fetch_one(store.read())
        .await?;
    Ok(u64::try_from(row.try_get::<i64, _>(0)?).unwrap_or_default())
}

fn rule(row: &AnyRow) -> std::result::Result<AlertRule, Fault> {
    let id: String = row.try_get(0)?;
    decode::<RuleRow>(row.try_get(1)?)
        .and_then(RuleRow::into_rule)
        .map_err(unreadable("alert rule", &id))
}
