//! Removes versions of configurations that have ended long ago, and documents that no version has.

use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use reeve_audit::{Json, events};
use reeve_estate::{DescriptionStore, StoreError};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::service::Service;

pub(super) fn start(service: &Service, tracker: &TaskTracker, stop: &CancellationToken) {
    let (context, store) = (service.tasks.clone(), service.store.clone());
    let days = service.config.configuration_days;
    super::every(tracker, stop, Duration::from_secs(3600), move || {
        let (context, store) = (context.clone(), store.clone());
        async move {
            match expire(&*store, days, Timestamp::now()).await {
                Ok((0, _)) => {}
                Ok((versions, before)) => {
                    let removed = super::done(
                        &events::MAINTENANCE,
                        "remove_old_configurations",
                        "configurations",
                    )
                    .with_metadata("versions", Json::from(versions))
                    .with_metadata("older_than", reeve_audit::format_instant(before));
                    context.journal.record_outcome(removed).await;
                }
                Err(error) => {
                    context
                        .journal
                        .failed("configurations.expire", &error)
                        .await
                }
            }
        }
    });
}

/// Removes the versions that ended so many days ago or earlier; returns their number and that time.
async fn expire(
    store: &dyn DescriptionStore,
    days: u32,
    now: Timestamp,
) -> Result<(u64, Timestamp), StoreError> {
    let kept = SignedDuration::from_hours(24 * i64::from(days));
    let before = now.checked_sub(kept).unwrap_or(Timestamp::MIN);
    Ok((store.versions_expire(before).await?, before))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use reeve_estate::{Described, Document, EstateStore as _, ResourceKind};
    use reeve_store::{Store, Vault};
    use reeve_testkit::contract::estate::{connection, resource};
    use serde_json::json;

    use super::*;

    /// Versions of one group that began so many days ago, after an expiry with a setting.
    async fn left(days: u32) -> (u64, usize, bool) {
        let folder = tempfile::tempdir().unwrap();
        let url = format!("sqlite://{}", folder.path().join("state.db").display());
        let store = Store::open(
            &url,
            Vault::load_or_create(&folder.path().join("key")).unwrap(),
        )
        .await
        .unwrap();

        let connection = connection("c-1", 1_000).unwrap();
        store.connection_insert(&connection).await.unwrap();
        let now = Timestamp::now();
        let mut group = resource("c-1", "sg-1").unwrap();
        group.kind = ResourceKind::SecurityGroup;

        for ago in [90, 60, 30, 10] {
            let document = Document::new(json!({ "ago": ago }));
            let described = Described {
                resource: group.clone(),
                document,
                relations: Vec::new(),
            };
            let at = now - SignedDuration::from_hours(24 * ago);
            store
                .description_put(&connection.id, &[described], at)
                .await
                .unwrap();
        }

        let (removed, _) = expire(&store, days, now).await.unwrap();
        let versions = store.versions(&connection.id, &group.id).await.unwrap();
        let oldest = versions
            .last()
            .and_then(|version| version.hash.clone())
            .unwrap();
        let document = store.documents(&[oldest]).await.unwrap();

        (removed, versions.len(), document.len() == 1)
    }

    #[tokio::test]
    async fn the_setting_decides_which_versions_are_kept() {
        for (days, removed) in [(365, 0), (61, 0), (59, 1), (29, 2), (1, 3), (0, 3)] {
            assert_eq!(
                left(days).await,
                (removed, 4 - usize::try_from(removed).unwrap(), true),
                "{days} days"
            );
        }
    }
}
