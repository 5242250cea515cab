//! Contract of every [`RetentionStore`].

use anyhow::Result;
use jiff::Timestamp;
use reeve_retention::{HoldRelease, LegalHold, PolicyVersion, RetentionStore, RetentionStoreError};

fn hold(id: &str, created_at: &str) -> Result<LegalHold> {
    Ok(LegalHold {
        id: id.to_owned(),
        case: format!("Case {id}"),
        query: "actor.id:alice".to_owned(),
        start_time: None,
        end_time: Some("2026-02-01T00:00:00Z".parse()?),
        custodian: "Legal".to_owned(),
        reason: "Litigation".to_owned(),
        review_on: Some("2027-01-31".parse()?),
        created_by: "legal@example.com".to_owned(),
        created_at: created_at.parse()?,
        released: None,
        version: 1,
    })
}

/// Runs the suite on an empty store.
///
/// # Errors
/// The store broke the contract.
pub async fn run<S: RetentionStore>(store: &S) -> Result<()> {
    let presets = store.retention_get().await?;
    assert_eq!(presets, PolicyVersion::presets());
    let mut saved = PolicyVersion {
        changed_by: "admin@example.com".to_owned(),
        changed_at: Some("2026-11-20T10:00:00.5Z".parse::<Timestamp>()?),
        ..presets
    };
    saved.set.version = 1;
    saved.set.policies.truncate(2);
    store.retention_put(&saved).await?;
    assert_eq!(store.retention_get().await?, saved);
    for version in [0, 1, 3] {
        saved.set.version = version;
        assert!(matches!(
            store.retention_put(&saved).await,
            Err(RetentionStoreError::Conflict(_))
        ));
    }

    let (first, second) = (
        hold("h-1", "2026-11-20T10:00:00Z")?,
        hold("h-2", "2026-11-20T11:00:00Z")?,
    );
    for hold in [&first, &second] {
        store.hold_insert(hold).await?;
    }
    assert!(matches!(
        store.hold_insert(&first).await,
        Err(RetentionStoreError::Conflict(_))
    ));
    assert_eq!(store.hold_list().await?, [second.clone(), first.clone()]);

    let released = LegalHold {
        released: Some(HoldRelease {
            by: "legal@example.com".to_owned(),
            at: "2026-11-21T10:00:00Z".parse()?,
            reason: "settled".to_owned(),
        }),
        version: 2,
        ..second
    };
    store.hold_update(&released).await?;
    assert!(matches!(
        store.hold_update(&released).await,
        Err(RetentionStoreError::Conflict(_))
    ));
    assert_eq!(store.hold_list().await?, [first, released.clone()]);
    assert_eq!(store.hold_get("h-2").await?, released);
    assert!(matches!(
        store.hold_get("h-3").await,
        Err(RetentionStoreError::NotFound(_))
    ));
    Ok(())
}
