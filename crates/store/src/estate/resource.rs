//! The inventory's resources.

use reeve_estate::{Money, Resource, ResourceFilter, ResourceId, ResourceState};
use sqlx::any::{Any, AnyRow};
use sqlx::{Executor, Row as _};

use crate::database::Store;
use crate::fault::Fault;
use crate::filter::Filter;
use crate::rows::resource::ResourceRow;
use crate::rows::{decode, encode, unreadable};

const UPSERT: &str =
    "INSERT INTO resources (connection_id, id, provider, account, region, service, kind, state, monthly_cost,
         observed_at_ms, search, document)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)
     ON CONFLICT (connection_id, id) DO UPDATE SET provider = excluded.provider, account = excluded.account,
         region = excluded.region, service = excluded.service, kind = excluded.kind, state = excluded.state,
         monthly_cost = excluded.monthly_cost, observed_at_ms = excluded.observed_at_ms, search = excluded.search,
         document = excluded.document";

pub(super) async fn put(store: &Store, resource: &Resource) -> Result<(), Fault> {
    upsert(store.write(), resource).await
}

/// Writes one resource over what is there.
pub(super) async fn upsert<'e>(executor: impl Executor<'e, Database = Any>, resource: &Resource) -> Result<(), Fault> {
    sqlx::query(UPSERT)
        .bind(&resource.connection.0)
        .bind(&resource.id.0)
        .bind(resource.provider.as_str())
        .bind(&resource.account)
        .bind(&resource.region)
        .bind(&resource.service)
        .bind(resource.kind.as_str())
        .bind(resource.state.as_str())
        .bind(resource.monthly_cost.map(Money::micros))
        .bind(resource.observed_at.as_millisecond())
        .bind(search(resource))
        .bind(encode(&ResourceRow::from(resource))?)
        .execute(executor)
        .await
        .map_err(|error| Fault::or_orphan(error, "connection", &resource.connection.0))?;
    Ok(())
}

/// Returns the text that a free-text search matches: id, name and tag values, lower case. PostgreSQL takes no zero
/// bytes.
fn search(resource: &Resource) -> String {
    let mut lines = vec![resource.id.as_str(), &resource.name];
    lines.extend(resource.tags.values().map(String::as_str));
    lines.join("\n").to_lowercase().replace('\0', "")
}

pub(super) async fn get(store: &Store, id: &ResourceId) -> Result<Resource, Fault> {
    let row = sqlx::query(
        "SELECT id, document FROM resources WHERE id = $1
         ORDER BY CASE WHEN state = 'deleted' THEN 1 ELSE 0 END, observed_at_ms DESC, connection_id LIMIT 1",
    )
    .bind(&id.0)
    .fetch_optional(store.read())
    .await?;
    resource(&row.ok_or_else(|| Fault::not_found("resource", &id.0))?)
}

pub(super) async fn list(store: &Store, wanted: &ResourceFilter) -> Result<(Vec<Resource>, u64), Fault> {
    let filter = filter(wanted);
    let count = filter.query(filter.sql("SELECT COUNT(*) FROM resources", "")).fetch_one(store.read()).await?;
    let page =
        filter.page("SELECT id, document FROM resources", " ORDER BY id, connection_id", wanted.limit, wanted.offset);
    let rows = filter.query(page).fetch_all(store.read()).await?;
    let resources = rows.iter().map(resource).collect::<Result<_, _>>()?;
    Ok((resources, count.try_get::<i64, _>(0)?.unsigned_abs()))
}

fn filter(wanted: &ResourceFilter) -> Filter {
    let mut filter = Filter::default();
    filter.text("state <> ?", ResourceState::Deleted.as_str());
    if let Some(connection) = &wanted.connection {
        filter.text("connection_id = ?", &connection.0);
    }
    if let Some(provider) = wanted.provider {
        filter.text("provider = ?", provider.as_str());
    }
    if let Some(account) = &wanted.account {
        filter.text("(account = ? OR connection_id IN (SELECT id FROM connections WHERE name = ?))", account);
    }
    if let Some(kind) = wanted.kind {
        filter.text("kind = ?", kind.as_str());
    }
    if let Some(service) = &wanted.service {
        filter.text("service = ?", service);
    }
    if let Some(text) = &wanted.text {
        filter.contains("search LIKE ? ESCAPE '!'", &text.to_lowercase());
    }
    filter
}

/// A resource out of its id and document.
pub(super) fn resource(row: &AnyRow) -> Result<Resource, Fault> {
    let id: String = row.try_get(0)?;
    decode::<ResourceRow>(row.try_get(1)?).and_then(ResourceRow::into_resource).map_err(unreadable("resource", &id))
}
