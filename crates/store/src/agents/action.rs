//! Actions.

use jiff::Timestamp;
use reeve_estate::ResourceId;
use reeve_recommend::action::{Action, ActionId, ActionStatus};
use reeve_recommend::agent::AgentId;
use reeve_recommend::recommendation::RecommendationId;
use reeve_recommend::recommendation::totals::{ActionCounts, ActionFilter};
use sqlx::Row as _;
use sqlx::any::AnyRow;

use crate::database::Store;
use crate::derived::keep_saving;
use crate::fault::Fault;
use crate::filter::Filter;
use crate::rows::action::action;
use crate::rows::{encode, named, unreadable, version};
use crate::versioned::Versioned;

const SELECT: &str = "SELECT id, document FROM actions";
const NEWEST: &str = " ORDER BY started_at_ms DESC, id DESC";

pub(super) async fn insert(store: &Store, action: &Action) -> Result<(), Fault> {
    let mut tx = store.begin().await?;
    sqlx::query(
        "INSERT INTO actions (id, recommendation_id, status, started_at_ms, version, document, unsettled, finished_at_ms,
             resource_id, purpose, agent_id, run_id)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)",
    )
    .bind(&action.id.0)
    .bind(&action.recommendation.0)
    .bind(action.status.as_str())
    .bind(action.started_at.as_millisecond())
    .bind(version(action.version))
    .bind(encode(action)?)
    .bind(i64::from(action.is_unsettled()))
    .bind(action.finished_at.map(Timestamp::as_millisecond))
    .bind(&action.resource.0)
    .bind(action.purpose.as_str())
    .bind(action.agent_id.as_ref().map(|id| id.0.as_str()))
    .bind(action.run_id.as_deref())
    .execute(&mut *tx)
    .await
    .map_err(|error| Fault::or_taken(error, || format!("the action {} exists already", action.id.0)))?;

    keep_saving(&mut tx, action).await?;
    Ok(tx.commit().await?)
}

pub(super) async fn update(store: &Store, action: &Action) -> Result<(), Fault> {
    let record = Versioned {
        noun: "action",
        select: "SELECT version FROM actions WHERE id = $1",
        id: &action.id.0,
        version: action.version,
    };

    let update = sqlx::query(
        "UPDATE actions SET status = $3, version = $4, document = $5, unsettled = $6, finished_at_ms = $7
         WHERE id = $1 AND version = $2",
    )
    .bind(&action.id.0)
    .bind(record.expected())
    .bind(action.status.as_str())
    .bind(version(action.version))
    .bind(encode(action)?)
    .bind(i64::from(action.is_unsettled()))
    .bind(action.finished_at.map(Timestamp::as_millisecond));

    let mut tx = store.begin().await?;
    record.run(&mut tx, update, String::new).await?;
    keep_saving(&mut tx, action).await?;

    Ok(tx.commit().await?)
}

pub(super) async fn get(store: &Store, id: &ActionId) -> Result<Action, Fault> {
    let row = sqlx::query("SELECT id, document FROM actions WHERE id = $1")
        .bind(&id.0)
        .fetch_optional(store.read())
        .await?;
    action(&row.ok_or_else(|| Fault::not_found("action", &id.0))?)
}

pub(super) async fn list(
    store: &Store,
    recommendation: Option<&RecommendationId>,
    since: Option<Timestamp>,
) -> Result<Vec<Action>, Fault> {
    let wanted = ActionFilter {
        recommendations: recommendation.cloned().into_iter().collect(),
        since,
        ..ActionFilter::default()
    };
    Ok(page(store, &wanted).await?.0)
}

pub(super) async fn page(
    store: &Store,
    wanted: &ActionFilter,
) -> Result<(Vec<Action>, u64), Fault> {
    let filter = filter(wanted);
    let sql = filter.page(SELECT, NEWEST, wanted.limit, wanted.offset);
    let rows = filter.query(sql).fetch_all(store.read()).await?;
    let found = rows.iter().map(action).collect::<Result<Vec<_>, Fault>>()?;
    if wanted.limit == 0 && wanted.offset == 0 {
        let total = found.len() as u64;
        return Ok((found, total));
    }

    let count = filter
        .query(filter.sql("SELECT COUNT(*) FROM actions", ""))
        .fetch_one(store.read())
        .await?;
    Ok((found, count.try_get::<i64, _>(0)?.unsigned_abs()))
}

fn filter(wanted: &ActionFilter) -> Filter {
    let mut filter = Filter::default();
    filter.one_of(
        "recommendation_id",
        wanted.recommendations.iter().map(|id| id.0.as_str()),
    );
    filter.one_of(
        "resource_id",
        wanted.resources.iter().map(ResourceId::as_str),
    );
    filter.one_of("status", wanted.statuses.iter().map(|one| one.as_str()));
    if let Some(purpose) = wanted.purpose {
        filter.text("purpose = ?", purpose.as_str());
    }
    if let Some(since) = wanted.since {
        filter.integer("started_at_ms >= ?", since.as_millisecond());
    }

    filter
}

pub(super) async fn on(
    store: &Store,
    resource: &ResourceId,
    since: Timestamp,
) -> Result<Vec<Action>, Fault> {
    let wanted = ActionFilter {
        resources: vec![resource.clone()],
        since: Some(since),
        ..ActionFilter::default()
    };
    Ok(page(store, &wanted).await?.0)
}

/// Actions that began and changed a real resource.
const BEGUN: &str = "status <> 'aborted' AND purpose <> 'simulate'";

pub(super) async fn counts(store: &Store, after: Timestamp) -> Result<ActionCounts, Fault> {
    let mut filter = Filter::default();
    filter.fixed(BEGUN);
    filter.integer("started_at_ms > ?", after.as_millisecond());
    let sql = filter.sql(
        "SELECT COALESCE(agent_id, ''), CASE WHEN run_id IS NULL THEN 0 ELSE 1 END, COUNT(*) FROM actions",
        " GROUP BY 1, 2",
    );
    let mut counts = ActionCounts::default();

    for row in filter.query(sql).fetch_all(store.read()).await? {
        let (agent, in_run): (String, i64) =
            (row.try_get(0)?, i64::from(row.try_get::<i32, _>(1)?));
        let count = row.try_get::<i64, _>(2)?.unsigned_abs();
        counts.begun += count;
        if in_run == 1 && !agent.is_empty() {
            *counts.begun_by_agents.entry(AgentId(agent)).or_default() += count;
        }
    }

    Ok(counts)
}

pub(super) async fn count_of_run(store: &Store, run_id: &str) -> Result<u64, Fault> {
    let mut filter = Filter::default();
    filter.fixed(BEGUN);
    filter.text("run_id = ?", run_id);
    let row = filter
        .query(filter.sql("SELECT COUNT(*) FROM actions", ""))
        .fetch_one(store.read())
        .await?;
    Ok(row.try_get::<i64, _>(0)?.unsigned_abs())
}

pub(super) async fn statuses(
    store: &Store,
    since: Timestamp,
) -> Result<Vec<(ActionStatus, u64)>, Fault> {
    let mut filter = Filter::default();
    filter.fixed("purpose <> 'simulate'");
    filter.integer("started_at_ms >= ?", since.as_millisecond());
    let sql = filter.sql(
        "SELECT status, COUNT(*) FROM actions",
        " GROUP BY status ORDER BY status",
    );
    let counted = |row: &AnyRow| -> Result<(ActionStatus, u64), Fault> {
        let status: String = row.try_get(0)?;
        let status = named("status", &status, ActionStatus::parse)
            .map_err(unreadable("count of", "actions"))?;
        Ok((status, row.try_get::<i64, _>(1)?.unsigned_abs()))
    };

    filter
        .query(sql)
        .fetch_all(store.read())
        .await?
        .iter()
        .map(counted)
        .collect()
}

pub(super) async fn unsettled(
    store: &Store,
    undone_since: Timestamp,
) -> Result<Vec<Action>, Fault> {
    let found = sqlx::query(
        "SELECT id, document FROM actions
         WHERE unsettled = 1 OR (status = 'rolled_back' AND finished_at_ms >= $1)",
    )
    .bind(undone_since.as_millisecond());

    let mut found: Vec<Action> = found
        .fetch_all(store.read())
        .await?
        .iter()
        .map(action)
        .collect::<Result<_, Fault>>()?;

    // Sorted here: asked to sort, SQLite walks the index of all starts instead of the two small
    // ones.
    found.sort_by(|a, b| {
        b.started_at
            .cmp(&a.started_at)
            .then_with(|| b.id.cmp(&a.id))
    });
    Ok(found)
}
