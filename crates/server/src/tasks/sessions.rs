//! Ends sessions whose time is over and users whose access has an end that passed, and says so in
//! the log. Their credentials open nothing from the end on; the task makes it visible.

use std::time::Duration;

use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use anyhow::Result;
use jiff::Timestamp;
use reeve_access::{AccessError, AccessStore, User};
use reeve_audit::{ActionMethod, ActionStatus, Actor, Entry, EventId, ResourceRef, events};

use crate::service::Service;
use crate::tasks::context::TaskContext;

pub(super) fn start(service: &Service, tracker: &TaskTracker, stop: &CancellationToken) {
    let (context, store) = (service.tasks.clone(), service.store.clone());
    super::every(tracker, stop, Duration::from_secs(60), move || {
        let (context, store) = (context.clone(), store.clone());
        async move {
            match store.session_expire(context.now().as_millisecond()).await {
                Ok(ended) => {
                    for session in ended {
                        let entry = Entry::for_event(&events::SESSION_EXPIRED)
                            .by(Actor::user(session.user.0).with_session_id(session.id.clone()))
                            .on(ResourceRef::new("session", session.id))
                            .with_action(
                                "expire_session",
                                ActionStatus::Success,
                                ActionMethod::System,
                            );
                        if context.journal.record(entry).await.is_err() {
                            tracing::warn!("the end of a session was not recorded");
                        }
                    }
                }
                Err(error) => context.journal.failed("sessions", &error).await,
            }
            if let Err(error) = end_users(&context, &*store).await {
                context.journal.failed("users", format!("{error:#}")).await;
            }
        }
    });
}

/// Switches off the users whose access has ended, with their sessions.
async fn end_users(context: &TaskContext, store: &dyn AccessStore) -> Result<()> {
    let now_ms = context.now().as_millisecond();
    for user in store.user_list().await? {
        if user.active && user.has_ended(now_ms) {
            end_user(context, store, &user).await?;
        }
    }
    Ok(())
}

async fn end_user(context: &TaskContext, store: &dyn AccessStore, user: &User) -> Result<()> {
    let ended = User {
        active: false,
        ..user.clone()
    };
    // One entry an end, however often it is tried.
    let end_ms = user.expires_at_ms.unwrap_or_default();
    let id = EventId::derived(&format!("access-end-{}-{end_ms}", user.id.0))?;
    let entry = Entry::for_event(&events::USER_MODIFY)
        .at(Timestamp::from_millisecond(end_ms)?)
        .by(Actor::system())
        .on(ResourceRef::new("user", user.id.0.clone()))
        .with_action("end_access", ActionStatus::Success, ActionMethod::System)
        .before(user.state())
        .after(ended.state())
        .with_id(id);
    context.journal.record_once(entry).await?;

    match store.user_update(user, &ended).await {
        // Somebody changed the user meanwhile: the next look decides again.
        Err(AccessError::Conflict(_)) => return Ok(()),
        other => other?,
    }
    for session in store.session_list(Some(&user.id)).await? {
        match store.session_delete(&session.id).await {
            Ok(()) | Err(AccessError::NotFound { .. }) => {}
            Err(error) => return Err(error.into()),
        }
    }
    Ok(())
}
