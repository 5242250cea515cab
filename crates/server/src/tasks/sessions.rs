//! Ends sessions whose time is over, and says so in the log.

use std::time::Duration;

use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use reeve_access::AccessStore as _;
use reeve_audit::{ActionMethod, ActionStatus, Actor, Entry, ResourceRef, events};

use crate::service::Service;

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
        }
    });
}
