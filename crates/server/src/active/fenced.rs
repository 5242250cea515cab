//! Adapters that ask the deadline before each call to a cloud or receiver: a server that may have
//! been replaced calls nobody.

use std::path::Path;
use std::sync::Arc;

use async_trait::async_trait;
use jiff::Timestamp;
use reeve_audit::{FieldError, Obstacle};
use reeve_estate::{
    Act, ActError, ActErrorKind, Applied, Observed, Operation, Resource, ResourceId,
    ResourceSnapshot,
};
use reeve_exports::{
    Carrier, CarryError, DestinationSecret, DestinationSettings, ExportDestination,
};
use reeve_ledger::{Fence as _, Fenced as NotNow};
use reeve_notify::delivery::DeliveryAttempt;
use reeve_notify::notification::{
    Channel, ChannelFault, ChannelSecret, ChannelSettings, Message, Notifier,
};
use reeve_notify::webhook::{WebhookMessage, WebhookSender};

use super::deadline::Deadline;

/// An adapter behind the deadline.
pub(crate) struct Fenced<T: ?Sized> {
    deadline: Arc<Deadline>,
    inner: Arc<T>,
}

impl<T: ?Sized> Fenced<T> {
    /// Puts an adapter behind the deadline.
    pub(crate) fn new(deadline: &Arc<Deadline>, inner: Arc<T>) -> Fenced<T> {
        Fenced {
            deadline: deadline.clone(),
            inner,
        }
    }
}

#[async_trait]
impl Act for Fenced<dyn Act> {
    async fn observe(&self, resource: &Resource) -> Result<Observed, ActError> {
        self.inner.observe(resource).await
    }

    async fn observe_configuration(&self, resource: &Resource) -> Result<Observed, ActError> {
        self.inner.observe_configuration(resource).await
    }

    async fn volumes_of(&self, machine: &Resource) -> Result<Vec<Resource>, ActError> {
        self.inner.volumes_of(machine).await
    }

    async fn apply(
        &self,
        resource: &Resource,
        operation: &dyn Operation,
    ) -> Result<Applied, ActError> {
        // The cloud was not asked, so asking it later is safe: the executor treats it like a cloud
        // that is busy.
        let not_asked = |NotNow { reason }| ActError {
            kind: ActErrorKind::Throttled,
            message: reason,
        };
        self.deadline.check().map_err(not_asked)?;

        self.inner.apply(resource, operation).await
    }

    async fn snapshot_complete(
        &self,
        resource: &ResourceId,
        region: &str,
        snapshot: &ResourceSnapshot,
    ) -> Result<bool, ActError> {
        self.inner
            .snapshot_complete(resource, region, snapshot)
            .await
    }
}

#[async_trait]
impl WebhookSender for Fenced<dyn WebhookSender> {
    fn check(&self, url: &str) -> Result<(), Obstacle> {
        self.inner.check(url)
    }

    async fn send(&self, message: &WebhookMessage) -> DeliveryAttempt {
        match self.deadline.check() {
            Ok(()) => self.inner.send(message).await,
            Err(fenced) => not_sent(fenced),
        }
    }
}

#[async_trait]
impl Notifier for Fenced<dyn Notifier> {
    fn check(
        &self,
        settings: &ChannelSettings,
        secret: &ChannelSecret,
    ) -> Result<(), ChannelFault> {
        self.inner.check(settings, secret)
    }

    async fn send(
        &self,
        channel: &Channel,
        secret: &ChannelSecret,
        message: &Message,
    ) -> DeliveryAttempt {
        match self.deadline.check() {
            Ok(()) => self.inner.send(channel, secret, message).await,
            Err(fenced) => not_sent(fenced),
        }
    }
}

#[async_trait]
impl Carrier for Fenced<dyn Carrier> {
    fn check(
        &self,
        settings: &DestinationSettings,
        secret: Option<&DestinationSecret>,
    ) -> Result<(), FieldError> {
        self.inner.check(settings, secret)
    }

    async fn put(
        &self,
        destination: &ExportDestination,
        secret: &DestinationSecret,
        name: &str,
        file: &Path,
    ) -> Result<String, CarryError> {
        self.deadline
            .check()
            .map_err(|NotNow { reason }| CarryError::passing(reason))?;
        self.inner.put(destination, secret, name, file).await
    }
}

/// An attempt that was not made.
fn not_sent(fenced: NotNow) -> DeliveryAttempt {
    DeliveryAttempt {
        at: Timestamp::now(),
        duration_ms: 0,
        status: None,
        answer: String::new(),
        error: Some(fenced.reason),
        ok: false,
        gone: false,
        retry_after_s: None,
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    #[derive(Default)]
    struct Receiver(AtomicUsize);

    #[async_trait]
    impl WebhookSender for Receiver {
        fn check(&self, _: &str) -> Result<(), Obstacle> {
            Ok(())
        }

        async fn send(&self, _: &WebhookMessage) -> DeliveryAttempt {
            self.0.fetch_add(1, Ordering::SeqCst);
            DeliveryAttempt {
                ok: true,
                error: None,
                ..not_sent(NotNow {
                    reason: String::new(),
                })
            }
        }
    }

    #[tokio::test]
    async fn nobody_is_called_after_the_deadline() {
        let (deadline, receiver) = (Arc::new(Deadline::new(true)), Arc::new(Receiver::default()));
        let sender: Fenced<dyn WebhookSender> = Fenced::new(&deadline, receiver.clone());
        let message = WebhookMessage {
            url: "https://example.com".into(),
            id: "msg_1".into(),
            at: Timestamp::UNIX_EPOCH,
            body: String::new(),
            secrets: Vec::new(),
        };
        let attempt = sender.send(&message).await;
        assert!(!attempt.ok && attempt.error.unwrap().contains("could not renew its lease"));

        assert_eq!(receiver.0.load(Ordering::SeqCst), 0);
        deadline.renewed(deadline.now());
        assert!(sender.send(&message).await.ok);
        deadline.lose();
        assert!(!sender.send(&message).await.ok);
        assert_eq!(receiver.0.load(Ordering::SeqCst), 1);
    }
}
