//! The first administrator: from `REEVE_ADMIN_TOKEN`, else made up and shown once.

use std::io::Write as _;

use anyhow::{Result, bail};
use serde_json::json;

use reeve_access::{AccessStore as _, ApiToken, Role, Secret, TokenHash, User, UserId};
use reeve_audit::{ActionMethod, ActionStatus, Actor, Entry, EventType, Json, ResourceRef};

use crate::service::Service;

/// A token from the environment that is shorter can be guessed.
const SHORT: usize = 16;

/// Makes sure that somebody can get in. A token from the environment always works; without one and without any user an
/// administrator's token is made and printed once.
pub(crate) async fn first_administrator(service: &Service) -> Result<()> {
    let given = std::env::var("REEVE_ADMIN_TOKEN").ok().filter(|token| !token.is_empty());
    let users = service.store.user_list().await?;
    let administrator = users.iter().find(|user| user.active && user.roles.contains(&Role::Administrator));
    let secret = match (given, administrator) {
        (Some(token), _) => {
            if token.len() < SHORT {
                tracing::warn!("REEVE_ADMIN_TOKEN has fewer than {SHORT} characters and can be guessed");
            }
            token
        }
        (None, Some(_)) => return Ok(()),
        (None, None) => {
            let secret = Secret::generate("rvt_")?.reveal().to_owned();
            writeln!(std::io::stdout(), "Admin token (shown once): {secret}")?;
            secret
        }
    };
    let hash = TokenHash::of(&secret);
    if service.store.token_by_hash(&hash).await.is_ok() {
        return Ok(());
    }
    let now_ms = service.app.now().as_millisecond();
    let user = match administrator {
        Some(user) => user.clone(),
        None => {
            let email =
                std::env::var("REEVE_ADMIN_EMAIL").unwrap_or_else(|_| "admin@localhost".to_owned()).to_lowercase();
            let user = User {
                id: UserId(uuid::Uuid::now_v7().to_string()),
                email,
                name: "Administrator".to_owned(),
                roles: vec![Role::Administrator],
                teams: Vec::new(),
                password_hash: None,
                active: true,
                created_at_ms: now_ms,
            };
            record(service, "user.create", "create_user", ResourceRef::new("user", user.id.0.clone()), &user.email)
                .await?;
            service.store.user_insert(&user).await?;
            user
        }
    };
    let token = ApiToken {
        id: uuid::Uuid::now_v7().to_string(),
        user: user.id,
        name: "first administrator".to_owned(),
        hash,
        roles: Vec::new(),
        created_at_ms: now_ms,
        expires_at_ms: None,
        last_used_at_ms: None,
    };
    record(service, "token.create", "create_token", ResourceRef::new("api_token", token.id.clone()), &user.email)
        .await?;
    service.store.token_insert(&token).await?;
    Ok(())
}

async fn record(service: &Service, event: &'static str, operation: &str, on: ResourceRef, email: &str) -> Result<()> {
    let entry = Entry::new(EventType::from_static(event))
        .by(Actor::system())
        .on(on)
        .with_action(operation, ActionStatus::Success, ActionMethod::System)
        .after(Json::from(json!({ "email": email, "roles": ["administrator"] })));
    match service.app.record(entry).await {
        Ok(()) => Ok(()),
        Err(problem) => bail!("{}", problem.body().detail),
    }
}
