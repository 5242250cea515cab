//! API tokens.

use reeve_access::{ApiToken, TokenHash, UserId};
use sqlx::any::{Any, AnyRow};
use sqlx::{Row as _, Transaction};

use super::session;
use crate::database::Store;
use crate::fault::Fault;
use crate::filter::Filter;
use crate::rows::token::TokenRow;
use crate::rows::{decode, encode, unreadable};

const SELECT: &str =
    "SELECT id, user_id, hash, created_at_ms, expires_at_ms, last_used_at_ms, document FROM tokens";

pub(super) async fn insert(store: &Store, token: &ApiToken) -> Result<(), Fault> {
    sqlx::query(
        "INSERT INTO tokens (id, user_id, hash, created_at_ms, expires_at_ms, last_used_at_ms, document)
         VALUES ($1, $2, $3, $4, $5, $6, $7)",
    )
    .bind(&token.id)
    .bind(&token.user.0)
    .bind(hex::encode(token.hash.0))
    .bind(token.created_at_ms)
    .bind(token.expires_at_ms)
    .bind(token.last_used_at_ms)
    .bind(encode(&TokenRow::from(token))?)
    .execute(store.write())
    .await
    .map_err(|error| Fault::or_taken_or_orphan(error, "token", "user", &token.user.0))?;
    Ok(())
}

pub(super) async fn get(store: &Store, id: &str) -> Result<ApiToken, Fault> {
    let mut filter = Filter::default();
    filter.text("id = ?", id);
    select(store, &filter)
        .await?
        .pop()
        .ok_or_else(|| Fault::not_found("token", id))
}

pub(super) async fn by_hash(store: &Store, hash: &TokenHash) -> Result<ApiToken, Fault> {
    let mut filter = Filter::default();
    filter.text("hash = ?", hex::encode(hash.0));
    select(store, &filter)
        .await?
        .pop()
        .ok_or_else(|| Fault::not_found("token", "of this secret"))
}

pub(super) async fn list(store: &Store, user: Option<&UserId>) -> Result<Vec<ApiToken>, Fault> {
    let mut filter = Filter::default();
    if let Some(user) = user {
        filter.text("user_id = ?", &user.0);
    }
    select(store, &filter).await
}

pub(super) async fn delete(store: &Store, id: &str) -> Result<(), Fault> {
    let mut tx = store.begin().await?;
    let row = sqlx::query("SELECT user_id FROM tokens WHERE id = $1")
        .bind(id)
        .fetch_optional(&mut *tx)
        .await?;
    let user: String = row
        .ok_or_else(|| Fault::not_found("token", id))?
        .try_get(0)?;
    let family = family(&mut tx, id, &user).await?;

    for member in &family {
        sqlx::query("DELETE FROM tokens WHERE id = $1")
            .bind(member)
            .execute(&mut *tx)
            .await?;
    }

    session::delete_made_with(&mut tx, &user, &family).await?;
    Ok(tx.commit().await?)
}

/// A token and every token made with it, directly or through others. All of them act for one user.
async fn family(
    tx: &mut Transaction<'static, Any>,
    id: &str,
    user: &str,
) -> Result<Vec<String>, Fault> {
    let rows = sqlx::query("SELECT id, document FROM tokens WHERE user_id = $1")
        .bind(user)
        .fetch_all(&mut **tx)
        .await?;
    let mut parents = Vec::with_capacity(rows.len());

    for row in rows {
        let child: String = row.try_get(0)?;
        let document: TokenRow = decode(row.try_get(1)?).map_err(unreadable("token", &child))?;
        parents.push((child, document.parent));
    }

    let mut family = vec![id.to_owned()];
    let mut next = 0;

    while next < family.len() {
        let made = parents
            .iter()
            .filter(|(_, parent)| parent.as_deref() == Some(family[next].as_str()));
        let made: Vec<String> = made
            .map(|(child, _)| child.clone())
            .filter(|child| !family.contains(child))
            .collect();
        family.extend(made);
        next += 1;
    }

    Ok(family)
}

/// Never moves backwards: requests may finish in another order than they came.
pub(super) async fn touch(store: &Store, id: &str, at_ms: i64) -> Result<(), Fault> {
    sqlx::query(
        "UPDATE tokens SET last_used_at_ms = $2 WHERE id = $1 AND (last_used_at_ms IS NULL OR last_used_at_ms < $2)",
    )
    .bind(id)
    .bind(at_ms)
    .execute(store.write())
    .await?;
    Ok(())
}

/// Reads tokens, the oldest first.
async fn select(store: &Store, filter: &Filter) -> Result<Vec<ApiToken>, Fault> {
    let rows = filter
        .query(filter.sql(SELECT, " ORDER BY created_at_ms, id"))
        .fetch_all(store.read())
        .await?;
    rows.iter().map(token).collect()
}

fn token(row: &AnyRow) -> Result<ApiToken, Fault> {
    let id: String = row.try_get(0)?;
    let document: TokenRow = decode(row.try_get(6)?).map_err(unreadable("token", &id))?;
    Ok(ApiToken {
        user: UserId(row.try_get(1)?),
        hash: hash("token", &id, row.try_get(2)?)?,
        roles: document.roles().map_err(unreadable("token", &id))?,
        event_types: document.event_types().map_err(unreadable("token", &id))?,
        name: document.name,
        parent: document.parent,
        created_at_ms: row.try_get(3)?,
        expires_at_ms: row.try_get(4)?,
        last_used_at_ms: row.try_get(5)?,
        id,
    })
}

/// A hash out of its column.
pub(super) fn hash(noun: &'static str, id: &str, text: &str) -> Result<TokenHash, Fault> {
    let mut bytes = [0u8; 32];
    hex::decode_to_slice(text, &mut bytes).map_err(|error| {
        Fault::Backend(format!("the stored {noun} {id} cannot be read: {error}"))
    })?;
    Ok(TokenHash(bytes))
}
