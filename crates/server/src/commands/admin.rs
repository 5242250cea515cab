//! The first administrator: from `REEVE_ADMIN_TOKEN`, else made up and shown once.

use std::future::Future;
use std::io::Write as _;

use anyhow::{Context as _, Result, bail};
use reeve_access::{
    AccessError, AccessStore as _, AdministratorAccount, ApiToken, Secret, TOKEN_PREFIX, TokenHash,
    User,
};
use reeve_audit::{ActionMethod, ActionStatus, Actor, Entry, EventKind, ResourceRef, events};

use crate::service::Service;

/// A token from the environment that is shorter can be guessed.
const SHORT: usize = 16;

/// The administrator's token that the environment gives.
pub(crate) fn token_from_environment() -> Option<String> {
    std::env::var("REEVE_ADMIN_TOKEN")
        .ok()
        .filter(|token| !token.is_empty())
}

/// Adds the alert rules that watch Reeve itself, of an installation that has no user yet. Whoever
/// runs an older one has decided about them, or decides on the page of alert rules.
///
/// It comes before the first user, so that a start that was cut short adds the rest at the next
/// one, and before rules are evaluated, so that setting up the first administrator is no alarm.
pub(crate) async fn first_rules(service: &Service) -> Result<()> {
    if !service.store.user_list().await?.is_empty() {
        return Ok(());
    }

    match reeve_http::add_first_rules(&service.app).await {
        Ok(()) => Ok(()),
        Err(problem) => bail!("alert rules were not added: {}", problem.body().detail),
    }
}

/// Makes sure that somebody can get in. A given token from the environment always works after a
/// start, whatever became of the user it acted for; without one and without an administrator a
/// token is made up and printed once.
pub(crate) async fn first_administrator(service: &Service, given: Option<String>) -> Result<()> {
    let users = service.store.user_list().await?;
    let secret = match given {
        Some(token) => {
            if token.len() < SHORT {
                tracing::warn!(
                    "REEVE_ADMIN_TOKEN has fewer than {SHORT} characters and can be guessed"
                );
            }
            token
        }
        None if users.iter().any(User::administers) => return Ok(()),
        None => {
            let secret = Secret::generate(TOKEN_PREFIX)?.reveal().to_owned();
            writeln!(std::io::stdout(), "Admin token (shown once): {secret}")?;
            secret
        }
    };
    let hash = TokenHash::from_secret(&secret);

    let kept = match service.store.token_by_hash(&hash).await {
        Ok(token) => Some(token),
        Err(AccessError::NotFound { .. }) => None,
        Err(error) => return Err(error.into()),
    };

    if let Some(token) = kept {
        let now_ms = service.app.now().as_millisecond();
        if token.administers(&users, now_ms) {
            return Ok(());
        }
        // It acts for somebody who no longer administers. Giving that person their rights back is
        // not for this token to do.
        let entry = entry(
            &events::TOKEN_DELETE,
            "revoke_token",
            ResourceRef::new("api_token", token.id.clone()),
        );
        change(service, entry, service.store.token_delete(&token.id)).await?;
    }

    let user = administrator(service, &users).await?;
    let now_ms = service.app.now().as_millisecond();
    let token = ApiToken::unlimited(user.id, "first administrator", hash, now_ms);
    let entry = entry(
        &events::TOKEN_CREATE,
        "create_token",
        ResourceRef::new("api_token", token.id.clone()),
    );

    change(
        service,
        entry.after(token.state()),
        service.store.token_insert(&token),
    )
    .await
}

/// Returns the user that the token acts for, and makes the account or gives it its rights back
/// where that is needed.
async fn administrator(service: &Service, users: &[User]) -> Result<User> {
    let email = std::env::var("REEVE_ADMIN_EMAIL").unwrap_or_else(|_| "admin@localhost".to_owned());
    let now_ms = service.app.now().as_millisecond();

    match AdministratorAccount::choose(users, &email, now_ms).context("REEVE_ADMIN_EMAIL")? {
        AdministratorAccount::Present(user) => Ok(user),
        AdministratorAccount::Restored { before, after } => {
            let entry = entry(
                &events::USER_MODIFY,
                "modify_user",
                ResourceRef::new("user", after.id.0.clone()),
            );
            let entry = entry.before(before.state()).after(after.state());
            let entry = after.record_roles_added(entry, &before.roles);
            change(service, entry, service.store.user_update(&before, &after)).await?;
            Ok(after)
        }
        AdministratorAccount::New(user) => {
            let entry = entry(
                &events::USER_CREATE,
                "create_user",
                ResourceRef::new("user", user.id.0.clone()),
            );
            let entry = user.record_roles_added(entry.after(user.state()), &[]);
            change(service, entry, service.store.user_insert(&user)).await?;
            Ok(user)
        }
    }
}

fn entry(kind: &EventKind, operation: &str, on: ResourceRef) -> Entry {
    Entry::for_event(kind)
        .by(Actor::system())
        .on(on)
        .with_action(operation, ActionStatus::Success, ActionMethod::System)
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
