//! Storage of saved searches: the port [`SavedSearchStore`]. [`VISIBLE`] alone decides who may open
//! one.

use async_trait::async_trait;
use reeve_access::{AccessError, SavedSearch, SavedSearchStore, SharedWith, UserId};
use sqlx::Row as _;
use sqlx::any::AnyRow;

use crate::database::Store;
use crate::fault::Fault;
use crate::filter::Filter;
use crate::rows::saved_search::SavedSearchRow;
use crate::rows::{decode, encode, named, unreadable, version};
use crate::versioned::Versioned;

const SELECT: &str = "SELECT id, owner_id, name, shared_with, created_at_ms, updated_at_ms, version, document FROM saved_searches";

/// Owned by the reader, shared with everyone, or shared with a team in which the owner and the
/// reader both are.
const VISIBLE: &str =
    "(owner_id = ? OR shared_with = 'everyone' OR (shared_with = 'team' AND owner_id IN
    (SELECT theirs.user_id FROM memberships AS theirs
     JOIN memberships AS own ON own.team_id = theirs.team_id WHERE own.user_id = ?)))";

type Result<T> = std::result::Result<T, AccessError>;

#[async_trait]
impl SavedSearchStore for Store {
    async fn saved_search_insert(&self, search: &SavedSearch, most: u64) -> Result<()> {
        Ok(insert(self, search, most).await?)
    }
    async fn saved_search_update(&self, search: &SavedSearch) -> Result<()> {
        Ok(update(self, search).await?)
    }
    async fn saved_search_delete(&self, id: &str) -> Result<()> {
        Ok(delete(self, id).await?)
    }
    async fn saved_search_get(&self, id: &str, reader: &UserId) -> Result<SavedSearch> {
        Ok(get(self, id, reader).await?)
    }
    async fn saved_search_list(
        &self,
        reader: &UserId,
        limit: u64,
        offset: u64,
    ) -> Result<(Vec<SavedSearch>, u64)> {
        Ok(list(self, reader, limit, offset).await?)
    }
}

async fn insert(store: &Store, search: &SavedSearch, most: u64) -> std::result::Result<(), Fault> {
    let mut tx = store.begin().await?;
    // Locks the owner on PostgreSQL and finds that there is none; SQLite's transaction holds the
    // one write lock.
    let owner = sqlx::query("UPDATE users SET name = name WHERE id = $1")
        .bind(&search.owner.0)
        .execute(&mut *tx)
        .await?;
    if owner.rows_affected() == 0 {
        return Err(Fault::not_found("user", &search.owner.0));
    }

    let owned: i64 = sqlx::query("SELECT COUNT(*) FROM saved_searches WHERE owner_id = $1")
        .bind(&search.owner.0)
        .fetch_one(&mut *tx)
        .await?
        .try_get(0)?;

    if u64::try_from(owned).unwrap_or_default() >= most {
        return Err(Fault::Conflict(format!(
            "a user may have at most {most} saved searches; remove one first"
        )));
    }

    sqlx::query(
        "INSERT INTO saved_searches (id, owner_id, name, shared_with, created_at_ms, updated_at_ms, version, document)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8)",
    )
    .bind(&search.id)
    .bind(&search.owner.0)
    .bind(&search.name)
    .bind(search.shared_with.as_str())
    .bind(search.created_at_ms)
    .bind(search.updated_at_ms)
    .bind(version(search.version))
    .bind(encode(&SavedSearchRow::from(search))?)
    .execute(&mut *tx)
    .await
    .map_err(|error| Fault::or_taken(error, || taken(search)))?;

    Ok(tx.commit().await?)
}

fn taken(search: &SavedSearch) -> String {
    format!("you already have a search named {}", search.name)
}

async fn update(store: &Store, search: &SavedSearch) -> std::result::Result<(), Fault> {
    let record = Versioned {
        noun: "saved search",
        select: "SELECT version FROM saved_searches WHERE id = $1",
        id: &search.id,
        version: search.version,
    };

    let update = sqlx::query(
        "UPDATE saved_searches SET name = $3, shared_with = $4, updated_at_ms = $5, version = $6, document = $7
         WHERE id = $1 AND version = $2",
    )
    .bind(&search.id)
    .bind(record.expected())
    .bind(&search.name)
    .bind(search.shared_with.as_str())
    .bind(search.updated_at_ms)
    .bind(version(search.version))
    .bind(encode(&SavedSearchRow::from(search))?);

    record
        .run(&mut *store.write().acquire().await?, update, || {
            taken(search)
        })
        .await
}

async fn delete(store: &Store, id: &str) -> std::result::Result<(), Fault> {
    let done = sqlx::query("DELETE FROM saved_searches WHERE id = $1")
        .bind(id)
        .execute(store.write())
        .await?;
    if done.rows_affected() == 0 {
        Err(Fault::not_found("saved search", id))
    } else {
        Ok(())
    }
}

async fn get(store: &Store, id: &str, reader: &UserId) -> std::result::Result<SavedSearch, Fault> {
    let mut filter = Filter::default();
    filter.text("id = ?", id);
    filter.text(VISIBLE, &reader.0);
    let row = filter
        .query(filter.sql(SELECT, ""))
        .fetch_optional(store.read())
        .await?;
    saved_search(&row.ok_or_else(|| Fault::not_found("saved search", id))?)
}

async fn list(
    store: &Store,
    reader: &UserId,
    limit: u64,
    offset: u64,
) -> std::result::Result<(Vec<SavedSearch>, u64), Fault> {
    let mut filter = Filter::default();
    filter.text(VISIBLE, &reader.0);
    let count = filter
        .query(filter.sql("SELECT COUNT(*) FROM saved_searches", ""))
        .fetch_one(store.read())
        .await?;
    let total = u64::try_from(count.try_get::<i64, _>(0)?).unwrap_or_default();
    let page = filter.page(SELECT, " ORDER BY name, id", limit, offset);
    let rows = filter.query(page).fetch_all(store.read()).await?;

    Ok((
        rows.iter()
            .map(saved_search)
            .collect::<std::result::Result<_, _>>()?,
        total,
    ))
}

fn saved_search(row: &AnyRow) -> std::result::Result<SavedSearch, Fault> {
    let id: String = row.try_get(0)?;
    let document: SavedSearchRow =
        decode(row.try_get(7)?).map_err(unreadable("saved search", &id))?;
    let shared_with: &str = row.try_get(3)?;

    Ok(SavedSearch {
        owner: UserId(row.try_get(1)?),
        name: row.try_get(2)?,
        shared_with: named("shared_with", shared_with, SharedWith::parse)
            .map_err(unreadable("saved search", &id))?,
        created_at_ms: row.try_get(4)?,
        updated_at_ms: row.try_get(5)?,
        version: u64::try_from(row.try_get::<i64, _>(6)?).unwrap_or_default(),
        description: document.description,
        query: document.query,
        filters: document.filters,
        start_time: document.start_time,
        end_time: document.end_time,
        columns: document.columns,
        id,
    })
}
