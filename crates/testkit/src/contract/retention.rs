//! Contract of every [`RetentionStore`].

use anyhow::Result;
use jiff::Timestamp;
use reeve_retention::{
    ErasedPart, ErasureOutcome, ErasureRequest, ErasureScope, ErasureSigner, ErasureStatus,
    HoldRelease, LegalHold, NeededRestore, PolicyVersion, Restore, RestoreEnd, RetentionStore,
    RetentionStoreError,
};

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
        Err(RetentionStoreError::NotFound { .. })
    ));
    erasures(store).await?;
    restores(store).await
}

fn request(id: &str, requested_at: &str) -> Result<ErasureRequest> {
    Ok(ErasureRequest {
        id: id.to_owned(),
        scope: ErasureScope {
            actor_id: "alice".to_owned(),
            email: "alice@example.com".to_owned(),
            query: "event_type:user.login".to_owned(),
            start_time: Some("2026-01-01T00:00:00Z".parse()?),
            end_time: None,
            log_size: 100,
            keep_held: true,
        },
        reason: "asked for it".to_owned(),
        legal_basis: "GDPR Art. 17".to_owned(),
        salt: "00".to_owned(),
        digest: "01".to_owned(),
        requested_by: signer("u-1"),
        requested_at: requested_at.parse()?,
        approvals: Vec::new(),
        status: ErasureStatus::Requested,
        rejection: None,
        outcome: ErasureOutcome::default(),
        version: 1,
    })
}

fn signer(user: &str) -> ErasureSigner {
    ErasureSigner {
        user: user.to_owned(),
        email: format!("{user}@example.com"),
    }
}

async fn erasures<S: RetentionStore>(store: &S) -> Result<()> {
    let (first, second) = (
        request("e-1", "2026-11-20T10:00:00Z")?,
        request("e-2", "2026-11-20T11:00:00Z")?,
    );
    for request in [&first, &second] {
        store.erasure_insert(request).await?;
    }
    assert!(matches!(
        store.erasure_insert(&first).await,
        Err(RetentionStoreError::Conflict(_))
    ));

    let at = "2026-11-21T10:00:00.5Z".parse()?;
    let mut approved = second.approved(signer("u-2"), at)?;
    approved.outcome.parts.push(ErasedPart {
        segment: "lake/entries/view/0-9.parquet".to_owned(),
        class: "view".to_owned(),
        first_sequence: 0,
        last_sequence: 9,
        entries: 3,
        entry: 12,
        tombstone: "t-1".to_owned(),
        at,
    });
    approved.outcome.held.insert("h-1".to_owned(), 2);
    approved.outcome.needed_restore = Some(NeededRestore {
        segments: 2,
        entries: 40,
        bytes: 4_096,
        start_time: "2026-01-01T00:00:00Z".parse()?,
        end_time: at,
    });
    store.erasure_update(&approved).await?;
    assert!(matches!(
        store.erasure_update(&approved).await,
        Err(RetentionStoreError::Conflict(_))
    ));
    assert_eq!(store.erasure_get("e-2").await?, approved);
    assert_eq!(store.erasure_list().await?, [approved, first]);
    assert!(matches!(
        store.erasure_get("e-3").await,
        Err(RetentionStoreError::NotFound { .. })
    ));
    Ok(())
}

async fn restores<S: RetentionStore>(store: &S) -> Result<()> {
    let restore = |id: &str, created_at: &str| {
        Ok::<_, jiff::Error>(Restore {
            id: id.to_owned(),
            start_time: "2024-01-01T00:00:00Z".parse()?,
            end_time: "2024-02-01T00:00:00Z".parse()?,
            days: 7,
            reason: "Audit".to_owned(),
            created_by: "auditor@example.com".to_owned(),
            created_at: created_at.parse()?,
            ready_at: None,
            obstacle: None,
            ended: None,
            version: 1,
        })
    };
    let first = restore("r-1", "2026-11-20T10:00:00Z")?;
    let second = restore("r-2", "2026-11-20T11:00:00Z")?;
    for restore in [&first, &second] {
        store.restore_insert(restore).await?;
    }
    assert!(matches!(
        store.restore_insert(&first).await,
        Err(RetentionStoreError::Conflict(_))
    ));
    // Progress is noted without a new version, so that the end of a person who read it before holds.
    let noted = Restore {
        ready_at: Some("2026-11-20T12:00:00Z".parse()?),
        ..second.clone()
    };
    store.restore_note(&noted).await?;
    assert_eq!(store.restore_get("r-2").await?, noted);
    let ended = Restore {
        ready_at: Some("2026-11-20T12:00:00Z".parse()?),
        ended: Some(RestoreEnd {
            by: None,
            at: "2026-11-27T12:00:00Z".parse()?,
        }),
        version: 2,
        ..second
    };
    store.restore_update(&ended).await?;
    assert!(matches!(
        store.restore_update(&ended).await,
        Err(RetentionStoreError::Conflict(_))
    ));
    assert!(matches!(
        store.restore_note(&noted).await,
        Err(RetentionStoreError::Conflict(_))
    ));
    assert_eq!(store.restore_get("r-2").await?, ended);
    assert_eq!(store.restore_list().await?, [first, ended]);
    assert!(matches!(
        store.restore_get("r-3").await,
        Err(RetentionStoreError::NotFound { .. })
    ));
    Ok(())
}
