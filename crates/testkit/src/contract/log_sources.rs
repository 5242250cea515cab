//! Contract of every [`LogSourceStore`].

use anyhow::Result;
use jiff::Timestamp;
use reeve_access::TokenHash;
use reeve_estate::StoreError;
use reeve_intake::{
    FieldRule, LogSource, LogSourceId, LogSourceStore, Mapping, QuarantineFilter, QuarantineId,
    QuarantinedEvent, QueueSettings, Rejection, SourceKind, SourceProgress,
};

fn at(second: i64) -> Result<Timestamp> {
    Ok(Timestamp::from_second(1_800_000_000 + second)?)
}

/// A source with something in every field.
///
/// # Errors
/// None in practice: the times are constants.
pub fn source(id: &str, name: &str) -> Result<LogSource> {
    let rule = FieldRule {
        paths: vec!["a.é".to_owned()],
        template: Some("{a}".to_owned()),
        value: Some("x".to_owned()),
        table: [("1".to_owned(), "one".to_owned())].into(),
    };
    Ok(LogSource {
        id: LogSourceId(id.to_owned()),
        name: name.to_owned(),
        kind: SourceKind::Json,
        mapping: Some(Mapping {
            items: Some("events".to_owned()),
            fields: [("event_type".to_owned(), rule)].into(),
        }),
        event_types: vec!["door.*".to_owned()],
        queue: Some(QueueSettings {
            connection: "c".to_owned(),
            url: "https://sqs.eu-west-1.amazonaws.com/1/q".to_owned(),
            digests: true,
        }),
        max_silence_s: Some(600),
        enabled: true,
        created_at: at(0)?,
        updated_at: at(1)?,
        version: 1,
    })
}

fn event(source: &LogSource, id: &str, second: i64) -> Result<QuarantinedEvent> {
    Ok(QuarantinedEvent {
        id: QuarantineId(id.to_owned()),
        source: source.id.clone(),
        received_at: at(second)?,
        rejection: Rejection {
            field: "actor.email".to_owned(),
            message: "is \"odd\"; é".to_owned(),
        },
        raw: vec![0, 0xff, b'"'],
        is_whole: false,
        attempts: 0,
    })
}

/// Runs the contract on an empty place.
///
/// # Errors
/// The store failed.
pub async fn run<S: LogSourceStore>(store: &S) -> Result<()> {
    let (one, two) = (source("s-1", "gate")?, source("s-2", "okta")?);
    let token = TokenHash::from_secret("rvl_one");
    store.log_source_insert(&one, &token).await?;
    let other = TokenHash::from_secret("rvl_two");
    store.log_source_insert(&two, &other).await?;
    let taken = LogSource {
        id: LogSourceId("s-3".to_owned()),
        ..two.clone()
    };
    let again = store
        .log_source_insert(&taken, &TokenHash::from_secret("x"))
        .await;
    assert!(matches!(again, Err(StoreError::Conflict(_))));

    assert_eq!(store.log_source_list().await?, [one.clone(), two.clone()]);
    assert_eq!(
        store.log_source_by_token(&token).await?.as_ref(),
        Some(&one)
    );
    let next = LogSource {
        version: 2,
        enabled: false,
        ..one.clone()
    };
    store
        .log_source_update(&next, Some(&TokenHash::from_secret("new")))
        .await?;
    assert_eq!(store.log_source_get(&one.id).await?, next);
    assert_eq!(store.log_source_by_token(&token).await?, None);
    let late = store.log_source_update(&next, None).await;
    assert!(matches!(late, Err(StoreError::Conflict(_))));

    assert_eq!(
        store.log_source_progress(&one.id).await?,
        SourceProgress::default()
    );
    let mut progress = SourceProgress {
        accepted: 7,
        last_event_at: Some(at(3)?),
        ..SourceProgress::default()
    };
    progress.rhythm.note(at(4)?);
    store.log_source_progress_put(&one.id, &progress).await?;
    assert_eq!(store.log_source_progress(&one.id).await?, progress);
    quarantine(store, &one, &two).await
}

async fn quarantine<S: LogSourceStore>(store: &S, one: &LogSource, two: &LogSource) -> Result<()> {
    let events = [
        event(one, "q-1", 1)?,
        event(one, "q-2", 2)?,
        event(one, "q-3", 3)?,
    ];
    assert_eq!(
        store.quarantine_insert(&events, 2).await?,
        2,
        "the bound holds"
    );
    assert_eq!(
        store.quarantine_insert(&[event(two, "q-4", 4)?], 2).await?,
        1
    );
    let page = QuarantineFilter {
        limit: 1,
        offset: 1,
    };
    let (found, total) = store.quarantine_list(&one.id, page).await?;
    assert_eq!((found.as_slice(), total), (&events[1..2], 2));

    let tried = QuarantinedEvent {
        attempts: 1,
        rejection: Rejection {
            field: String::new(),
            message: "other".to_owned(),
        },
        ..events[0].clone()
    };
    store.quarantine_update(&tried).await?;
    assert_eq!(store.quarantine_get(&one.id, &tried.id).await?, tried);
    let foreign = store.quarantine_get(&two.id, &tried.id).await;
    assert!(matches!(foreign, Err(StoreError::NotFound { .. })));
    store.quarantine_delete(&one.id, &tried.id).await?;
    let again = store.quarantine_delete(&one.id, &tried.id).await;
    assert!(matches!(again, Err(StoreError::NotFound { .. })));

    store.log_source_delete(&one.id).await?;
    let (left, total) = store
        .quarantine_list(
            &one.id,
            QuarantineFilter {
                limit: 9,
                offset: 0,
            },
        )
        .await?;
    assert_eq!((left.len(), total), (0, 0));
    assert!(store.log_source_get(&one.id).await.is_err());
    Ok(())
}
