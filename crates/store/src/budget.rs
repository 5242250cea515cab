//! Budgets: the port [`BudgetStore`].

use async_trait::async_trait;
use reeve_anomalies::budget::{Budget, BudgetAlert, BudgetId, BudgetStatus, BudgetStore};
use reeve_estate::StoreError;
use sqlx::Row as _;
use sqlx::any::AnyRow;

use crate::database::Store;
use crate::fault::Fault;
use crate::rows::{decode, encode, unreadable, version};
use crate::versioned::Versioned;

type Result<T> = std::result::Result<T, StoreError>;

#[async_trait]
impl BudgetStore for Store {
    async fn budget_insert(&self, budget: &Budget, most: u64) -> Result<()> {
        Ok(insert(self, budget, most).await?)
    }
    async fn budget_update(&self, budget: &Budget) -> Result<()> {
        Ok(update(self, budget).await?)
    }
    async fn budget_delete(&self, id: &BudgetId) -> Result<()> {
        Ok(delete(self, id).await?)
    }
    async fn budget_get(&self, id: &BudgetId) -> Result<Budget> {
        Ok(get(self, id).await?)
    }
    async fn budget_list(&self) -> Result<Vec<(Budget, Option<BudgetStatus>)>> {
        Ok(list(self).await?)
    }
    async fn budget_evaluated(
        &self,
        budget: &Budget,
        status: &BudgetStatus,
        alerts: &[BudgetAlert],
    ) -> Result<()> {
        Ok(evaluated(self, budget, status, alerts).await?)
    }
    async fn budget_alerts(
        &self,
        budget: Option<&BudgetId>,
        limit: u64,
    ) -> Result<Vec<BudgetAlert>> {
        Ok(alerts(self, budget, limit).await?)
    }
    async fn budget_alert_get(&self, id: &str) -> Result<BudgetAlert> {
        Ok(alert_get(self, id).await?)
    }
    async fn budget_alerts_unrecorded(&self, limit: u64) -> Result<Vec<BudgetAlert>> {
        Ok(unrecorded(self, limit).await?)
    }
    async fn budget_alert_recorded(&self, id: &str) -> Result<()> {
        Ok(recorded(self, id).await?)
    }
}

fn taken(budget: &Budget) -> String {
    format!("a budget named {} exists already", budget.name)
}

async fn insert(store: &Store, budget: &Budget, most: u64) -> std::result::Result<(), Fault> {
    let mut tx = store.begin().await?;
    let count: i64 = sqlx::query("SELECT COUNT(*) FROM budgets")
        .fetch_one(&mut *tx)
        .await?
        .try_get(0)?;

    if u64::try_from(count).unwrap_or_default() >= most {
        return Err(Fault::Conflict(format!(
            "the limit of {most} budgets is reached; delete one first"
        )));
    }

    sqlx::query("INSERT INTO budgets (id, name, created_at_ms, version, document) VALUES ($1, $2, $3, $4, $5)")
        .bind(&budget.id.0)
        .bind(&budget.name)
        .bind(budget.created_at.as_millisecond())
        .bind(version(budget.version))
        .bind(encode(budget)?)
        .execute(&mut *tx)
        .await
        .map_err(|error| Fault::or_taken(error, || taken(budget)))?;

    Ok(tx.commit().await?)
}

async fn update(store: &Store, budget: &Budget) -> std::result::Result<(), Fault> {
    let record = Versioned {
        noun: "budget",
        select: "SELECT version FROM budgets WHERE id = $1",
        id: &budget.id.0,
        version: budget.version,
    };

    let update = sqlx::query(
        "UPDATE budgets SET name = $3, version = $4, document = $5, standing = NULL WHERE id = $1 AND version = $2",
    )
    .bind(&budget.id.0)
    .bind(record.expected())
    .bind(&budget.name)
    .bind(version(budget.version))
    .bind(encode(budget)?);

    record
        .run(&mut *store.write().acquire().await?, update, || {
            taken(budget)
        })
        .await
}

async fn delete(store: &Store, id: &BudgetId) -> std::result::Result<(), Fault> {
    let mut tx = store.begin().await?;
    let done = sqlx::query("DELETE FROM budgets WHERE id = $1")
        .bind(&id.0)
        .execute(&mut *tx)
        .await?;
    if done.rows_affected() == 0 {
        return Err(Fault::not_found("budget", &id.0));
    }

    sqlx::query("DELETE FROM budget_alerts WHERE budget_id = $1")
        .bind(&id.0)
        .execute(&mut *tx)
        .await?;
    Ok(tx.commit().await?)
}

async fn get(store: &Store, id: &BudgetId) -> std::result::Result<Budget, Fault> {
    let row = sqlx::query("SELECT id, document FROM budgets WHERE id = $1")
        .bind(&id.0)
        .fetch_optional(store.read())
        .await?;
    budget(&row.ok_or_else(|| Fault::not_found("budget", &id.0))?)
}

async fn list(store: &Store) -> std::result::Result<Vec<(Budget, Option<BudgetStatus>)>, Fault> {
    let rows = sqlx::query("SELECT id, document, standing FROM budgets ORDER BY name, id")
        .fetch_all(store.read())
        .await?;
    rows.iter()
        .map(|row| {
            let budget = budget(row)?;
            let text: Option<String> = row.try_get(2)?;
            let status = text.map(|text| decode(&text)).transpose();
            let status = status.map_err(unreadable("standing of budget", &budget.id.0))?;
            Ok((budget, status))
        })
        .collect()
}

async fn evaluated(
    store: &Store,
    budget: &Budget,
    status: &BudgetStatus,
    alerts: &[BudgetAlert],
) -> std::result::Result<(), Fault> {
    let mut tx = store.begin().await?;
    let done = sqlx::query("UPDATE budgets SET standing = $3 WHERE id = $1 AND version = $2")
        .bind(&budget.id.0)
        .bind(version(budget.version))
        .bind(encode(status)?)
        .execute(&mut *tx)
        .await?;

    if done.rows_affected() == 0 {
        // Changed or removed in between: it is evaluated again as it is now.
        return Ok(());
    }

    for alert in alerts {
        sqlx::query(
            "INSERT INTO budget_alerts (id, budget_id, period_start, basis, percent, amount, raised_at_ms, recorded, document)
             VALUES ($1, $2, $3, $4, $5, $6, $7, 0, $8)
             ON CONFLICT (budget_id, period_start, basis, percent, amount) DO NOTHING",
        )
        .bind(&alert.id)
        .bind(&alert.budget.0)
        .bind(alert.period_start.to_string())
        .bind(alert.threshold.basis.as_str())
        .bind(i64::from(alert.threshold.percent))
        .bind(format!("{} {}", alert.amount, alert.currency))
        .bind(alert.raised_at.as_millisecond())
        .bind(encode(alert)?)
        .execute(&mut *tx)
        .await?;
    }

    Ok(tx.commit().await?)
}

async fn alerts(
    store: &Store,
    budget: Option<&BudgetId>,
    limit: u64,
) -> std::result::Result<Vec<BudgetAlert>, Fault> {
    let rows = sqlx::query(
        "SELECT id, document FROM budget_alerts WHERE $1 = '' OR budget_id = $1
         ORDER BY raised_at_ms DESC, id DESC LIMIT $2",
    )
    .bind(budget.map_or("", |id| id.0.as_str()))
    .bind(version(limit))
    .fetch_all(store.read())
    .await?;
    rows.iter().map(alert).collect()
}

async fn alert_get(store: &Store, id: &str) -> std::result::Result<BudgetAlert, Fault> {
    let row = sqlx::query("SELECT id, document FROM budget_alerts WHERE id = $1")
        .bind(id)
        .fetch_optional(store.read())
        .await?;
    alert(&row.ok_or_else(|| Fault::not_found("budget alert", id))?)
}

async fn unrecorded(store: &Store, limit: u64) -> std::result::Result<Vec<BudgetAlert>, Fault> {
    let rows =
        sqlx::query("SELECT id, document FROM budget_alerts WHERE recorded = 0 ORDER BY raised_at_ms, id LIMIT $1")
            .bind(version(limit))
            .fetch_all(store.read())
            .await?;
    rows.iter().map(alert).collect()
}

async fn recorded(store: &Store, id: &str) -> std::result::Result<(), Fault> {
    sqlx::query("UPDATE budget_alerts SET recorded = 1 WHERE id = $1")
        .bind(id)
        .execute(store.write())
        .await?;
    Ok(())
}

fn budget(row: &AnyRow) -> std::result::Result<Budget, Fault> {
    let id: String = row.try_get(0)?;
    decode(row.try_get(1)?).map_err(unreadable("budget", &id))
}

fn alert(row: &AnyRow) -> std::result::Result<BudgetAlert, Fault> {
    let id: String = row.try_get(0)?;
    decode(row.try_get(1)?).map_err(unreadable("budget alert", &id))
}
