//! The inventory's resources.

use std::collections::BTreeMap;

use reeve_estate::{
    ConnectionId, Money, Resource, ResourceFilter, ResourceId, ResourceState, ResourceTotal,
};
use sqlx::any::{Any, AnyRow};
use sqlx::{Row as _, Transaction};

use super::description::time;
use super::totals::{self, TotalWriter};
use crate::batch::{Cell, Insert};
use crate::database::Store;
use crate::fault::Fault;
use crate::filter::{Filter, escaped};
use crate::rows::{decode, encode, unreadable};

const INSERT: &str =
    "INSERT INTO resources (connection_id, id, provider, account, region, service, kind, state,
     monthly_cost, observed_at_ms, search, group_id, document)";
const REPLACE: &str = "ON CONFLICT (connection_id, id) DO UPDATE SET provider = excluded.provider,
     account = excluded.account, region = excluded.region, service = excluded.service, kind = excluded.kind,
     state = excluded.state, monthly_cost = excluded.monthly_cost, observed_at_ms = excluded.observed_at_ms,
     search = excluded.search, group_id = excluded.group_id, document = excluded.document";

/// Resources with the time of the last complete reading of their kind, which has seen all that were
/// not gone: what did not change is not written again.
pub(super) const SELECT: &str =
    "SELECT r.id, r.document, CASE WHEN r.state = 'deleted' THEN NULL ELSE (
         SELECT MAX(s.seen_at_ms) FROM resource_sightings s WHERE s.connection_id = r.connection_id
             AND s.kind = r.kind AND (s.region = '' OR s.region = r.region)) END
     FROM resources r";

pub(super) async fn put(store: &Store, resource: &Resource) -> Result<(), Fault> {
    let mut tx = store.begin().await?;
    upsert(&mut tx, [resource], TotalWriter::Observation).await?;
    Ok(tx.commit().await?)
}

/// Writes resources of one connection over what is there; of two with one identifier the later one.
/// Once a transaction: each call leaves a version of the row of [`totals::advance`] behind.
pub(super) async fn upsert<'r>(
    tx: &mut Transaction<'_, Any>,
    resources: impl IntoIterator<Item = &'r Resource>,
    writer: TotalWriter,
) -> Result<(), Fault> {
    let resources: BTreeMap<&ResourceId, &Resource> =
        resources.into_iter().map(|one| (&one.id, one)).collect();
    let Some(connection) = resources
        .values()
        .next()
        .map(|resource| &resource.connection)
    else {
        return Ok(());
    };

    let mut insert = Insert::new(INSERT, REPLACE);
    for resource in resources.values() {
        insert.row(cells(resource)?);
    }

    insert.run_for(tx, &connection.0).await?;
    totals::advance(tx, connection, writer).await
}

fn cells(resource: &Resource) -> Result<[Cell; 13], Fault> {
    Ok([
        resource.connection.0.as_str().into(),
        resource.id.0.as_str().into(),
        resource.provider.as_str().into(),
        resource.account.as_str().into(),
        resource.region.as_str().into(),
        resource.service.as_str().into(),
        resource.kind.as_str().into(),
        resource.state.as_str().into(),
        Cell::OptionalInteger(resource.monthly_cost.map(Money::micros)),
        Cell::Integer(resource.observed_at.as_millisecond()),
        Cell::Text(search(resource)),
        resource
            .group
            .as_ref()
            .map_or("", ResourceId::as_str)
            .into(),
        Cell::Text(encode(resource)?),
    ])
}

/// Returns the text that a free-text search matches: id, name and tag values, lower case.
/// PostgreSQL takes no zero bytes.
fn search(resource: &Resource) -> String {
    let mut lines = vec![resource.id.as_str(), &resource.name];
    lines.extend(resource.tags.values().map(String::as_str));
    lines.join("\n").to_lowercase().replace('\0', "")
}

pub(super) async fn get(store: &Store, id: &ResourceId) -> Result<Resource, Fault> {
    let mut filter = Filter::default();
    filter.text("id = ?", id.as_str());
    let newest = " ORDER BY CASE WHEN state = 'deleted' THEN 1 ELSE 0 END, observed_at_ms DESC, connection_id LIMIT 1";
    let row = filter
        .query(filter.sql(SELECT, newest))
        .fetch_optional(store.read())
        .await?;
    resource(&row.ok_or_else(|| Fault::not_found("resource", &id.0))?)
}

pub(super) async fn list(
    store: &Store,
    wanted: &ResourceFilter,
) -> Result<(Vec<Resource>, u64), Fault> {
    let filter = filter(wanted);
    let page = filter.page(
        SELECT,
        " ORDER BY id, connection_id",
        wanted.limit,
        wanted.offset,
    );
    let rows = filter.query(page).fetch_all(store.read()).await?;

    let found = rows
        .iter()
        .map(resource)
        .collect::<Result<Vec<_>, Fault>>()?;
    let is_whole = wanted.limit == 0 && wanted.offset == 0;
    let total = if is_whole {
        found.len() as u64
    } else {
        count(store, wanted, &filter).await?
    };

    Ok((found, total))
}

/// Returns the number of resources that a filter finds: from the sums over the inventory where they
/// can tell.
async fn count(store: &Store, wanted: &ResourceFilter, filter: &Filter) -> Result<u64, Fault> {
    let narrowed = wanted.visible.limit().is_some()
        || wanted.text.is_some()
        || wanted.account.is_some()
        || wanted.group.is_some();
    if narrowed || !wanted.ids.is_empty() || wanted.ended_since.is_some() {
        let count = filter
            .query(filter.sql("SELECT COUNT(*) FROM resources", ""))
            .fetch_one(store.read())
            .await?;
        return Ok(count.try_get::<i64, _>(0)?.unsigned_abs());
    }

    let counted = |total: &&ResourceTotal| {
        wanted
            .connection
            .as_ref()
            .is_none_or(|connection| *connection == total.connection)
            && wanted
                .provider
                .is_none_or(|provider| provider == total.provider)
            && wanted.kind.is_none_or(|kind| kind == total.kind)
            && wanted
                .service
                .as_ref()
                .is_none_or(|service| *service == total.service)
    };

    Ok(totals::list(store)
        .await?
        .iter()
        .filter(counted)
        .map(|total| total.resources)
        .sum())
}

pub(super) async fn page(
    store: &Store,
    wanted: &ResourceFilter,
    after: Option<&(ResourceId, ConnectionId)>,
    limit: u64,
) -> Result<Vec<Resource>, Fault> {
    let mut filter = filter(wanted);
    if let Some((id, connection)) = after {
        filter.texts(
            "(id, connection_id) > (?, ?)",
            &[id.as_str(), &connection.0],
        );
    }

    let page = filter.page(SELECT, " ORDER BY id, connection_id", limit, 0);
    filter
        .query(page)
        .fetch_all(store.read())
        .await?
        .iter()
        .map(resource)
        .collect()
}

fn filter(wanted: &ResourceFilter) -> Filter {
    let mut filter = Filter::default();
    match wanted.ended_since {
        None => filter.text("state <> ?", ResourceState::Deleted.as_str()),
        Some(since) => filter.integer(
            "(state <> 'deleted' OR observed_at_ms >= ?)",
            since.as_millisecond(),
        ),
    }

    filter.visible("connection_id", &wanted.visible);
    if let Some(connection) = &wanted.connection {
        filter.text("connection_id = ?", &connection.0);
    }
    if let Some(provider) = wanted.provider {
        filter.text("provider = ?", provider.as_str());
    }

    if let Some(account) = &wanted.account {
        filter.text(
            "(account = ? OR connection_id IN (SELECT id FROM connections WHERE name = ?))",
            account,
        );
    }

    if let Some(kind) = wanted.kind {
        filter.text("kind = ?", kind.as_str());
    }
    if let Some(service) = &wanted.service {
        filter.text("service = ?", service);
    }
    if let Some(group) = &wanted.group {
        filter.text("group_id = ?", group.as_str());
    }

    if let Some(id) = &wanted.attached_to {
        // A quote inside a value is escaped in the document, so that only the member itself
        // matches.
        let id = escaped(&serde_json::Value::from(id.as_str()).to_string());
        let pattern = format!("%\"attached!_to\":[%{id}%],\"monthly!_cost%");
        filter.text("document LIKE ? ESCAPE '!'", pattern);
    }

    filter.one_of("id", wanted.ids.iter().map(ResourceId::as_str));
    if let Some(text) = &wanted.text {
        filter.contains("search LIKE ? ESCAPE '!'", &text.to_lowercase());
    }

    filter
}

/// Reads a row of [`SELECT`].
pub(super) fn resource(row: &AnyRow) -> Result<Resource, Fault> {
    let id: String = row.try_get(0)?;
    let read = decode::<Resource>(row.try_get(1)?);
    let mut resource = read.map_err(unreadable("resource", &id))?;
    if let Some(seen_at) = row.try_get::<Option<i64>, _>(2)? {
        resource.observed_at = resource.observed_at.max(time(seen_at)?);
    }
    Ok(resource)
}
