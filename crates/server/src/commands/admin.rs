//! The first administrator: from `REEVE_ADMIN_TOKEN`, else made up and shown once.

use std::future::Future;
use std::io::Write as _;

use anyhow::{Result, bail};
use serde_json::json;

use reeve_access::{AccessError, AccessStore as _, ApiToken, Role, Secret, TokenHash, User, UserId};
use reeve_audit::{ActionMethod, ActionStatus, Actor, Entry, EventKind, Json, ResourceRef, events};

use crate::service::Service;

/// A token from the environment that is shorter can be guessed.
const SHORT: usize = 16;

/// Makes sure that somebody can get in. A token from the environment always works after a start, whatever became of the user it acted
/// for; without one and without an administrator a token is made up and printed once.
pub(crate) async fn first_administrator(service: &Service) -> Result<()> {
    let given = std::env::var("REEVE_ADMIN_TOKEN").ok().filter(|token| !token.is_empty());
    administrator_by(service, given).await
}

/// The same with a given token, if there is one.
pub(crate) async fn administrator_by(service: &Service, given: Option<String>) -> Result<()> {
    let users = service.store.user_list().await?;
    let secret = match given {
        Some(token) => {
            if token.len() < SHORT {
                tracing::warn!("REEVE_ADMIN_TOKEN has fewer than {SHORT} characters and can be guessed");
            }
            token
        }
        None if users.iter().any(User::administers) => return Ok(()),
        None => {
            let secret = Secret::generate("rvt_")?.reveal().to_owned();
            writeln!(std::io::stdout(), "Admin token (shown once): {secret}")?;
            secret
        }
    };
    let hash = TokenHash::of(&secret);
    let kept = match service.store.token_by_hash(&hash).await {
        Ok(token) => Some(token),
        Err(AccessError::NotFound { .. }) => None,
        Err(error) => return Err(error.into()),
    };
    if let Some(token) = kept {
        let now_ms = service.app.now().as_millisecond();
        if administers(&token, &users, now_ms) {
            return Ok(());
        }
        // It acts for somebody who no longer administers. Giving that person their rights back is not for this token to do.
        let entry = entry(&events::TOKEN_DELETE, "revoke_token", ResourceRef::new("api_token", token.id.clone()));
        change(service, entry, service.store.token_delete(&token.id)).await?;
    }
    let user = administrator(service, &users).await?;
    let token = ApiToken {
        id: uuid::Uuid::now_v7().to_string(),
        user: user.id.clone(),
        name: "first administrator".to_owned(),
        hash,
        roles: Vec::new(),
        parent: None,
        created_at_ms: service.app.now().as_millisecond(),
        expires_at_ms: None,
        last_used_at_ms: None,
    };
    let entry = entry(&events::TOKEN_CREATE, "create_token", ResourceRef::new("api_token", token.id.clone()));
    change(service, entry.after(state(&user)), service.store.token_insert(&token)).await
}

/// Returns `true` if the token lets its bearer administer now.
fn administers(token: &ApiToken, users: &[User], now_ms: i64) -> bool {
    let carries = token.roles.is_empty() || token.roles.contains(&Role::Administrator);
    let lasts = token.expires_at_ms.is_none_or(|end| now_ms < end);
    carries && lasts && users.iter().any(|user| user.id == token.user && user.administers())
}

/// The user that the token acts for: one who administers, the service's own before anybody else; else the service's own, made or
/// given its rights back.
async fn administrator(service: &Service, users: &[User]) -> Result<User> {
    let email = std::env::var("REEVE_ADMIN_EMAIL").unwrap_or_else(|_| "admin@localhost".to_owned()).to_lowercase();
    let own = users.iter().find(|user| user.email == email);
    if let Some(user) = own.filter(|user| user.administers()).or_else(|| users.iter().find(|user| user.administers())) {
        return Ok(user.clone());
    }
    if let Some(before) = own {
        let mut user = User { active: true, ..before.clone() };
        if !user.roles.contains(&Role::Administrator) {
            user.roles.push(Role::Administrator);
        }
        let entry = entry(&events::USER_MODIFY, "modify_user", ResourceRef::new("user", user.id.0.clone()));
        let entry = entry.before(state(before)).after(state(&user));
        change(service, entry, service.store.user_update(before, &user)).await?;
        return Ok(user);
    }
    let user = User {
        id: UserId(uuid::Uuid::now_v7().to_string()),
        email,
        name: "Administrator".to_owned(),
        roles: vec![Role::Administrator],
        teams: Vec::new(),
        password_hash: None,
        active: true,
        created_at_ms: service.app.now().as_millisecond(),
    };
    let entry =
        entry(&events::USER_CREATE, "create_user", ResourceRef::new("user", user.id.0.clone())).after(state(&user));
    change(service, entry, service.store.user_insert(&user)).await?;
    Ok(user)
}

fn entry(kind: &EventKind, operation: &str, on: ResourceRef) -> Entry {
    Entry::of(kind).by(Actor::system()).on(on).with_action(operation, ActionStatus::Success, ActionMethod::System)
}

fn state(user: &User) -> Json {
    let roles: Vec<&str> = user.roles.iter().map(|role| role.as_str()).collect();
    Json::from(json!({ "email": user.email, "roles": roles, "active": user.active }))
}

async fn change(
    service: &Service,
    entry: Entry,
    change: impl Future<Output = Result<(), AccessError>> + Send,
) -> Result<()> {
    match service.app.change(entry, change).await {
        Ok(()) => Ok(()),
        Err(problem) => bail!("{}", problem.body().detail),
    }
}
