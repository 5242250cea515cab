//! Contract of every [`StreamStore`].

use anyhow::{Context as _, Result};
use jiff::Timestamp;
use reeve_estate::StoreError;
use reeve_streams::{
    DeadLetter, Stream, StreamFailure, StreamFormat, StreamId, StreamSecret, StreamSettings,
    StreamState, StreamStore,
};

fn at(second: i64) -> Result<Timestamp> {
    Ok(Timestamp::from_second(1_800_000_000 + second)?)
}

/// A stream with something in every field.
///
/// # Errors
/// None in practice: the times are constants.
pub fn stream(id: &str, name: &str) -> Result<Stream> {
    Ok(Stream {
        id: StreamId(id.to_owned()),
        name: name.to_owned(),
        settings: StreamSettings::SplunkHec {
            url: "https://splunk.example:8088/é".to_owned(),
            source_type: "reeve:\"audit\"".to_owned(),
            index: Some("main".to_owned()),
        },
        format: StreamFormat::Json,
        query: "severity:high".to_owned(),
        paused: false,
        created_by: "ann@example.com".to_owned(),
        created_at: at(0)?,
        updated_at: at(1)?,
        version: 1,
    })
}

fn letter(sequence: u64) -> Result<DeadLetter> {
    Ok(DeadLetter {
        sequence,
        event_id: format!("entry-{sequence}"),
        reason: "code 6: invalid data format".to_owned(),
        refused_at: at(20)?,
        replays: 0,
    })
}

/// Runs the contract over an empty store.
///
/// # Errors
/// The store failed.
///
/// # Panics
/// The store breaks the contract.
pub async fn run(store: &dyn StreamStore) -> Result<()> {
    let first = definitions(store).await?;
    positions(store, &first).await?;
    dead_letters(store, &first.id).await?;

    store.stream_delete(&first.id).await?;
    let gone = store.stream_state(&first.id).await;
    assert!(matches!(gone, Err(StoreError::NotFound { .. })), "{gone:?}");
    assert_eq!(store.dead_letter_list(&first.id, 10, 0).await?.1, 0);
    Ok(())
}

/// Definitions, names, versions and secrets. Returns the first stream as it is stored.
async fn definitions(store: &dyn StreamStore) -> Result<Stream> {
    let secret = StreamSecret("token-é".to_owned());
    let (first, second) = (stream("s-1", "one")?, stream("s-2", "another")?);
    store.stream_insert(&first, &secret, 7, 2).await?;
    let taken = store
        .stream_insert(&stream("s-9", "one")?, &secret, 0, 9)
        .await;
    assert!(matches!(taken, Err(StoreError::Conflict(_))), "{taken:?}");
    store
        .stream_insert(&second, &StreamSecret::default(), 0, 2)
        .await?;
    let full = store
        .stream_insert(&stream("s-3", "three")?, &secret, 0, 2)
        .await;
    assert!(matches!(full, Err(StoreError::Conflict(_))), "{full:?}");

    assert_eq!(
        store.stream_list().await?,
        [second.clone(), first.clone()],
        "by name"
    );
    assert_eq!(store.stream_secret(&first.id).await?.0, "token-é");
    assert_eq!(store.stream_secret(&second.id).await?.0, "");

    let changed = Stream {
        name: "first".to_owned(),
        paused: true,
        version: 2,
        ..first.clone()
    };
    store.stream_update(&changed, None).await?;
    assert_eq!(store.stream_get(&first.id).await?, changed);
    assert_eq!(store.stream_secret(&first.id).await?.0, "token-é");
    let late = store.stream_update(&changed, None).await;
    assert!(matches!(late, Err(StoreError::Conflict(_))), "{late:?}");
    let missing = store.stream_get(&StreamId("s-9".to_owned())).await;
    assert!(
        matches!(missing, Err(StoreError::NotFound { .. })),
        "{missing:?}"
    );
    Ok(changed)
}

/// Positions move from where they stand, and nowhere else.
async fn positions(store: &dyn StreamStore, stream: &Stream) -> Result<()> {
    let id = &stream.id;
    assert_eq!(
        store.stream_state(id).await?,
        StreamState::beginning_at(7),
        "where it was made"
    );
    let moved = StreamState {
        cursor: 9,
        sent_entries: 2,
        failures: 1,
        failing_since: Some(at(10)?),
        last_failure: Some(StreamFailure {
            at: at(10)?,
            message: "busy".to_owned(),
            needs_person: false,
        }),
        ..StreamState::beginning_at(7)
    };
    store.stream_advance(id, 7, &moved, &[letter(8)?]).await?;
    assert_eq!(store.stream_state(id).await?, moved);

    let stale = store.stream_advance(id, 7, &moved, &[letter(1)?]).await;
    assert!(matches!(stale, Err(StoreError::Conflict(_))), "{stale:?}");
    assert_eq!(
        store.dead_letter_list(id, 10, 0).await?.1,
        1,
        "with the move alone"
    );

    let replayed = Stream {
        version: stream.version + 1,
        ..stream.clone()
    };
    store.stream_set_cursor(&replayed, 3).await?;
    let state = store.stream_state(id).await?;
    assert_eq!((state.cursor, state.sent_entries), (3, 2));
    assert_eq!(store.stream_get(id).await?.version, replayed.version);
    let again = store.stream_set_cursor(&replayed, 5).await;
    assert!(matches!(again, Err(StoreError::Conflict(_))), "{again:?}");
    assert_eq!(store.stream_state(id).await?.cursor, 3);
    let late = store.stream_advance(id, 9, &moved, &[]).await;
    assert!(
        matches!(late, Err(StoreError::Conflict(_))),
        "a runner from before the replay: {late:?}"
    );
    Ok(())
}

async fn dead_letters(store: &dyn StreamStore, id: &StreamId) -> Result<()> {
    let state = store.stream_state(id).await?;
    let letters = [letter(2)?, letter(4)?, letter(8)?];
    store
        .stream_advance(id, state.cursor, &state, &letters)
        .await?;
    let (page, total) = store.dead_letter_list(id, 2, 1).await?;
    assert_eq!(
        (page.as_slice(), total),
        (letters.get(1..).context("three")?, 3)
    );

    let again = DeadLetter {
        replays: 1,
        ..letter(4)?
    };
    store.dead_letter_update(id, &again).await?;
    assert_eq!(store.dead_letter_get(id, 4).await?, again);
    store.dead_letter_delete(id, 4).await?;
    for gone in [
        store.dead_letter_get(id, 4).await.map(|_| ()),
        store.dead_letter_delete(id, 4).await,
        store.dead_letter_update(id, &again).await,
    ] {
        assert!(matches!(gone, Err(StoreError::NotFound { .. })), "{gone:?}");
    }
    Ok(())
}
