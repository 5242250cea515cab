//! Actions.

use jiff::Timestamp;
use reeve_estate::ResourceId;
use reeve_recommend::{Action, ActionId, RecommendationId};
use sqlx::Row as _;
use sqlx::any::AnyRow;

use crate::database::Store;
use crate::fault::Fault;
use crate::filter::Filter;
use crate::rows::action::ActionRow;
use crate::rows::{decode, encode, unreadable, version};
use crate::versioned::Versioned;

pub(super) async fn insert(store: &Store, action: &Action) -> Result<(), Fault> {
    sqlx::query(
        "INSERT INTO actions (id, recommendation_id, status, started_at_ms, version, document, unsettled, finished_at_ms,
             resource_id)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)",
    )
    .bind(&action.id.0)
    .bind(&action.recommendation.0)
    .bind(action.status.as_str())
    .bind(action.started_at.as_millisecond())
    .bind(version(action.version))
    .bind(encode(&ActionRow::from(action))?)
    .bind(i64::from(action.is_unsettled()))
    .bind(action.finished_at.map(Timestamp::as_millisecond))
    .bind(&action.resource.0)
    .execute(store.write())
    .await
    .map_err(|error| Fault::or_taken(error, || format!("the action {} exists already", action.id.0)))?;
    Ok(())
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
    .bind(encode(&ActionRow::from(action))?)
    .bind(i64::from(action.is_unsettled()))
    .bind(action.finished_at.map(Timestamp::as_millisecond));
    record.run(&mut *store.write().acquire().await?, update, String::new).await
}

pub(super) async fn get(store: &Store, id: &ActionId) -> Result<Action, Fault> {
    let row =
        sqlx::query("SELECT id, document FROM actions WHERE id = $1").bind(&id.0).fetch_optional(store.read()).await?;
    action(&row.ok_or_else(|| Fault::not_found("action", &id.0))?)
}

pub(super) async fn list(
    store: &Store,
    recommendation: Option<&RecommendationId>,
    since: Option<Timestamp>,
) -> Result<Vec<Action>, Fault> {
    let mut filter = Filter::default();
    if let Some(recommendation) = recommendation {
        filter.text("recommendation_id = ?", &recommendation.0);
    }
    if let Some(since) = since {
        filter.integer("started_at_ms >= ?", since.as_millisecond());
    }
    let sql = filter.sql("SELECT id, document FROM actions", " ORDER BY started_at_ms DESC, id DESC");
    filter.query(sql).fetch_all(store.read()).await?.iter().map(action).collect()
}

pub(super) async fn on(store: &Store, resource: &ResourceId, since: Timestamp) -> Result<Vec<Action>, Fault> {
    let mut filter = Filter::default();
    // Of tests and simulations from before there was the column, the document alone knows.
    filter.text("(resource_id = ? OR resource_id IS NULL)", &resource.0);
    filter.integer("started_at_ms >= ?", since.as_millisecond());
    let sql = filter.sql("SELECT id, document FROM actions", " ORDER BY started_at_ms DESC, id DESC");
    let found = filter.query(sql).fetch_all(store.read()).await?;
    let mut found = found.iter().map(action).collect::<Result<Vec<_>, Fault>>()?;
    found.retain(|action| action.resource == *resource);
    Ok(found)
}

pub(super) async fn unsettled(store: &Store, undone_since: Timestamp) -> Result<Vec<Action>, Fault> {
    let found = sqlx::query(
        "SELECT id, document FROM actions
         WHERE unsettled = 1 OR (status = 'rolled_back' AND finished_at_ms >= $1)",
    )
    .bind(undone_since.as_millisecond());
    let mut found: Vec<Action> =
        found.fetch_all(store.read()).await?.iter().map(action).collect::<Result<_, Fault>>()?;
    // Sorted here: asked to sort, SQLite walks the index of all starts instead of the two small ones.
    found.sort_by(|a, b| b.started_at.cmp(&a.started_at).then_with(|| b.id.cmp(&a.id)));
    Ok(found)
}

fn action(row: &AnyRow) -> Result<Action, Fault> {
    let id: String = row.try_get(0)?;
    decode::<ActionRow>(row.try_get(1)?).and_then(ActionRow::into_action).map_err(unreadable("action", &id))
}
