//! Browser sessions.

use reeve_access::{AccessSession, SignInMethod, TokenHash, UserId};
use sqlx::any::{Any, AnyRow};
use sqlx::{Row as _, Transaction};

use super::token::hash;
use crate::database::Store;
use crate::fault::Fault;
use crate::filter::Filter;
use crate::rows::session::SessionRow;
use crate::rows::{decode, encode, unreadable};

const SELECT: &str =
    "SELECT id, user_id, hash, created_at_ms, expires_at_ms, document FROM sessions";

pub(super) async fn insert(store: &Store, session: &AccessSession) -> Result<(), Fault> {
    sqlx::query(
        "INSERT INTO sessions (id, user_id, hash, created_at_ms, expires_at_ms, document) VALUES ($1, $2, $3, $4, $5, $6)",
    )
    .bind(&session.id)
    .bind(&session.user.0)
    .bind(hex::encode(session.hash.0))
    .bind(session.created_at_ms)
    .bind(session.expires_at_ms)
    .bind(encode(&SessionRow::from(session))?)
    .execute(store.write())
    .await
    .map_err(|error| Fault::or_taken_or_orphan(error, "session", "user", &session.user.0))?;
    Ok(())
}

pub(super) async fn by_hash(store: &Store, hash: &TokenHash) -> Result<AccessSession, Fault> {
    let mut filter = Filter::default();
    filter.text("hash = ?", hex::encode(hash.0));
    select(store, &filter)
        .await?
        .pop()
        .ok_or_else(|| Fault::not_found("session", "of this secret"))
}

pub(super) async fn list(
    store: &Store,
    user: Option<&UserId>,
) -> Result<Vec<AccessSession>, Fault> {
    let mut filter = Filter::default();
    if let Some(user) = user {
        filter.text("user_id = ?", &user.0);
    }
    select(store, &filter).await
}

pub(super) async fn delete(store: &Store, id: &str) -> Result<(), Fault> {
    let done = sqlx::query("DELETE FROM sessions WHERE id = $1")
        .bind(id)
        .execute(store.write())
        .await?;
    if done.rows_affected() == 0 {
        Err(Fault::not_found("session", id))
    } else {
        Ok(())
    }
}

/// One statement, so that each ended session is returned to exactly one caller.
pub(super) async fn expire(store: &Store, now_ms: i64) -> Result<Vec<AccessSession>, Fault> {
    let rows = sqlx::query(
        "DELETE FROM sessions WHERE expires_at_ms <= $1
         RETURNING id, user_id, hash, created_at_ms, expires_at_ms, document",
    )
    .bind(now_ms)
    .fetch_all(store.write())
    .await?;
    let mut ended: Vec<AccessSession> = rows.iter().map(session).collect::<Result<_, _>>()?;
    ended.sort_by(|a, b| (a.expires_at_ms, &a.id).cmp(&(b.expires_at_ms, &b.id)));

    Ok(ended)
}

/// Ends the sessions that were made with one of these tokens, all of one user's.
pub(super) async fn delete_made_with(
    tx: &mut Transaction<'static, Any>,
    user: &str,
    tokens: &[String],
) -> Result<(), Fault> {
    let rows = sqlx::query("SELECT id, document FROM sessions WHERE user_id = $1")
        .bind(user)
        .fetch_all(&mut **tx)
        .await?;
    for row in rows {
        let id: String = row.try_get(0)?;
        let document: SessionRow = decode(row.try_get(1)?).map_err(unreadable("session", &id))?;
        if matches!(document.method(), SignInMethod::Token(token) if tokens.contains(&token)) {
            sqlx::query("DELETE FROM sessions WHERE id = $1")
                .bind(&id)
                .execute(&mut **tx)
                .await?;
        }
    }

    Ok(())
}

/// Reads sessions, the oldest first.
async fn select(store: &Store, filter: &Filter) -> Result<Vec<AccessSession>, Fault> {
    let rows = filter
        .query(filter.sql(SELECT, " ORDER BY created_at_ms, id"))
        .fetch_all(store.read())
        .await?;
    rows.iter().map(session).collect()
}

fn session(row: &AnyRow) -> Result<AccessSession, Fault> {
    let id: String = row.try_get(0)?;
    let document: SessionRow = decode(row.try_get(5)?).map_err(unreadable("session", &id))?;
    Ok(AccessSession {
        user: UserId(row.try_get(1)?),
        hash: hash("session", &id, row.try_get(2)?)?,
        created_at_ms: row.try_get(3)?,
        expires_at_ms: row.try_get(4)?,
        method: document.method(),
        ip_address: document.ip_address,
        user_agent: document.user_agent,
        id,
    })
}
