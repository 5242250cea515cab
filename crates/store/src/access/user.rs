//! Users and their memberships.

use std::collections::HashMap;

use reeve_access::{TeamId, User, UserId};
use sqlx::any::{Any, AnyRow};
use sqlx::{Row as _, Transaction};

use crate::database::Store;
use crate::fault::Fault;
use crate::filter::Filter;
use crate::rows::user::{UserColumns, UserRow};
use crate::rows::{decode, encode, unreadable};

const SELECT: &str = "SELECT id, email, name, active, created_at_ms, document FROM users";

/// Memberships of the users that the same conditions select.
const MEMBERSHIPS: &str =
    "SELECT user_id, team_id FROM memberships WHERE user_id IN (SELECT id FROM users";

pub(super) async fn insert(store: &Store, user: &User) -> Result<(), Fault> {
    let mut tx = store.begin().await?;
    sqlx::query("INSERT INTO users (id, email, name, active, created_at_ms, document) VALUES ($1, $2, $3, $4, $5, $6)")
        .bind(&user.id.0)
        .bind(user.email.to_lowercase())
        .bind(&user.name)
        .bind(i64::from(user.active))
        .bind(user.created_at_ms)
        .bind(encode(&UserRow::from(user))?)
        .execute(&mut *tx)
        .await
        .map_err(|error| Fault::or_taken(error, || taken(user)))?;

    join(&mut tx, user).await?;
    Ok(tx.commit().await?)
}

pub(super) async fn update(store: &Store, read: &User, user: &User) -> Result<(), Fault> {
    let mut tx = store.begin().await?;
    store.serialize_writers(&mut tx, "users").await?;
    let stored = stored(&mut tx, &user.id).await?;

    if stored != *read {
        return Err(Fault::Conflict(format!(
            "the user {} was changed by someone else; reload it",
            stored.email
        )));
    }

    if stored.administers() && !user.administers() {
        keep_an_administrator(&mut tx, &stored).await?;
    }

    sqlx::query("UPDATE users SET email = $2, name = $3, active = $4, created_at_ms = $5, document = $6 WHERE id = $1")
        .bind(&user.id.0)
        .bind(user.email.to_lowercase())
        .bind(&user.name)
        .bind(i64::from(user.active))
        .bind(user.created_at_ms)
        .bind(encode(&UserRow::from(user))?)
        .execute(&mut *tx)
        .await
        .map_err(|error| Fault::or_taken(error, || taken(user)))?;

    sqlx::query("DELETE FROM memberships WHERE user_id = $1")
        .bind(&user.id.0)
        .execute(&mut *tx)
        .await?;
    join(&mut tx, user).await?;
    Ok(tx.commit().await?)
}

/// The user as this transaction sees it.
async fn stored(tx: &mut Transaction<'static, Any>, id: &UserId) -> Result<User, Fault> {
    let mut filter = Filter::default();
    filter.text("id = ?", &id.0);
    let row = filter
        .query(filter.sql(SELECT, ""))
        .fetch_optional(&mut **tx)
        .await?;
    let row = row.ok_or_else(|| Fault::not_found("user", &id.0))?;
    let memberships = filter
        .query(filter.sql(MEMBERSHIPS, ") ORDER BY position"))
        .fetch_all(&mut **tx)
        .await?;

    user(&row, &mut by_user(memberships)?)
}

/// Refuses to continue when nobody but `leaving` administers. The caller holds the table against
/// other writers: two administrators who demote each other at the same moment would otherwise both
/// find the other one still there.
async fn keep_an_administrator(
    tx: &mut Transaction<'static, Any>,
    leaving: &User,
) -> Result<(), Fault> {
    let mut filter = Filter::default();
    filter.text("id <> ?", &leaving.id.0);
    filter.integer("active = ?", 1);
    for row in filter
        .query(filter.sql(SELECT, ""))
        .fetch_all(&mut **tx)
        .await?
    {
        if user(&row, &mut HashMap::new())?.administers() {
            return Ok(());
        }
    }

    let email = &leaving.email;
    Err(Fault::Conflict(format!(
        "{email} is the last active administrator; make another user an administrator first"
    )))
}

fn taken(user: &User) -> String {
    format!(
        "a user with the e-mail address {} exists already",
        user.email.to_lowercase()
    )
}

async fn join(tx: &mut Transaction<'static, Any>, user: &User) -> Result<(), Fault> {
    for (position, team) in user.teams.iter().enumerate() {
        sqlx::query(
            "INSERT INTO memberships (user_id, team_id, position) VALUES ($1, $2, $3) ON CONFLICT (user_id, team_id) DO NOTHING",
        )
        .bind(&user.id.0)
        .bind(&team.0)
        .bind(position as i64)
        .execute(&mut **tx)
        .await
        .map_err(|error| Fault::or_orphan(error, "team", &team.0))?;
    }
    Ok(())
}

pub(super) async fn delete(store: &Store, id: &UserId) -> Result<(), Fault> {
    let mut tx = store.begin().await?;
    store.serialize_writers(&mut tx, "users").await?;
    let stored = stored(&mut tx, id).await?;
    if stored.administers() {
        keep_an_administrator(&mut tx, &stored).await?;
    }

    sqlx::query("DELETE FROM users WHERE id = $1")
        .bind(&id.0)
        .execute(&mut *tx)
        .await?;
    Ok(tx.commit().await?)
}

pub(super) async fn get(store: &Store, id: &UserId) -> Result<User, Fault> {
    let mut filter = Filter::default();
    filter.text("id = ?", &id.0);
    select(store, &filter)
        .await?
        .pop()
        .ok_or_else(|| Fault::not_found("user", &id.0))
}

pub(super) async fn by_email(store: &Store, email: &str) -> Result<User, Fault> {
    let mut filter = Filter::default();
    filter.text("email = ?", email.to_lowercase());
    select(store, &filter)
        .await?
        .pop()
        .ok_or_else(|| Fault::not_found("user", email))
}

pub(super) async fn list(store: &Store) -> Result<Vec<User>, Fault> {
    select(store, &Filter::default()).await
}

pub(super) async fn of_teams(store: &Store, teams: &[TeamId]) -> Result<Vec<User>, Fault> {
    let mut users = HashMap::new();
    for team in teams {
        let mut filter = Filter::default();
        filter.text(
            "id IN (SELECT user_id FROM memberships WHERE team_id = ?)",
            &team.0,
        );
        users.extend(
            select(store, &filter)
                .await?
                .into_iter()
                .map(|user| (user.id.clone(), user)),
        );
    }

    let mut users: Vec<_> = users.into_values().collect();
    users.sort_by(|a, b| a.email.cmp(&b.email));
    Ok(users)
}

/// Users by e-mail address, with their teams.
async fn select(store: &Store, filter: &Filter) -> Result<Vec<User>, Fault> {
    let rows = filter
        .query(filter.sql(SELECT, " ORDER BY email"))
        .fetch_all(store.read())
        .await?;
    let memberships = filter
        .query(filter.sql(MEMBERSHIPS, ") ORDER BY position"))
        .fetch_all(store.read())
        .await?;
    let mut teams = by_user(memberships)?;

    rows.iter().map(|row| user(row, &mut teams)).collect()
}

fn by_user(memberships: Vec<AnyRow>) -> Result<HashMap<String, Vec<TeamId>>, Fault> {
    let mut teams: HashMap<String, Vec<TeamId>> = HashMap::new();
    for row in memberships {
        teams
            .entry(row.try_get(0)?)
            .or_default()
            .push(TeamId(row.try_get(1)?));
    }
    Ok(teams)
}

fn user(row: &AnyRow, teams: &mut HashMap<String, Vec<TeamId>>) -> Result<User, Fault> {
    let id: String = row.try_get(0)?;
    let columns = UserColumns {
        teams: teams.remove(&id).unwrap_or_default(),
        email: row.try_get(1)?,
        name: row.try_get(2)?,
        active: row.try_get::<i64, _>(3)? != 0,
        created_at_ms: row.try_get(4)?,
        id: id.clone(),
    };

    decode::<UserRow>(row.try_get(5)?)
        .and_then(|document| document.into_user(columns))
        .map_err(unreadable("user", &id))
}
