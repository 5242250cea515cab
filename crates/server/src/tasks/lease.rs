//! Renews the lease of the active server.

use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::active::ActiveLease;
use crate::service::Service;

pub(super) fn start(service: &Service, tracker: &TaskTracker, stop: &CancellationToken) {
    let (lease, ledger) = (service.lease.clone(), service.ledger.clone());
    super::every(tracker, stop, ActiveLease::RENEW_EVERY, move || {
        let (lease, ledger) = (lease.clone(), ledger.clone());
        async move { lease.renew(ledger.size()).await }
    });
}
