//! Streams: the port [`StreamStore`]. Secrets go through the vault. The position is a column of its
//! own, so that moving it compares it in the same statement.

use async_trait::async_trait;
use reeve_estate::StoreError;
use reeve_streams::{DeadLetter, Stream, StreamId, StreamSecret, StreamState, StreamStore};
use sqlx::any::AnyRow;
use sqlx::{AnyConnection, Row as _};

use crate::database::Store;
use crate::export::room;
use crate::fault::Fault;
use crate::rows::{decode, encode, unreadable, version};
use crate::versioned::Versioned;

type Result<T> = std::result::Result<T, StoreError>;
type Fallible<T> = std::result::Result<T, Fault>;

const NOUN: &str = "stream";

#[async_trait]
impl StreamStore for Store {
    async fn stream_insert(
        &self,
        stream: &Stream,
        secret: &StreamSecret,
        cursor: u64,
        most: u64,
    ) -> Result<()> {
        Ok(insert(self, stream, secret, cursor, most).await?)
    }
    async fn stream_update(&self, stream: &Stream, secret: Option<&StreamSecret>) -> Result<()> {
        Ok(update(self, stream, secret).await?)
    }
    async fn stream_delete(&self, id: &StreamId) -> Result<()> {
        Ok(delete(self, id).await?)
    }
    async fn stream_get(&self, id: &StreamId) -> Result<Stream> {
        Ok(get(self, id).await?)
    }
    async fn stream_list(&self) -> Result<Vec<Stream>> {
        Ok(list(self).await?)
    }
    async fn stream_secret(&self, id: &StreamId) -> Result<StreamSecret> {
        Ok(secret(self, id).await?)
    }
    async fn stream_state(&self, id: &StreamId) -> Result<StreamState> {
        Ok(state(self, id).await?)
    }
    async fn stream_advance(
        &self,
        id: &StreamId,
        from: u64,
        state: &StreamState,
        dead_letters: &[DeadLetter],
    ) -> Result<()> {
        Ok(advance(self, id, from, state, dead_letters).await?)
    }
    async fn stream_set_cursor(&self, stream: &Stream, cursor: u64) -> Result<()> {
        Ok(set_cursor(self, stream, cursor).await?)
    }
    async fn dead_letter_list(
        &self,
        id: &StreamId,
        limit: u64,
        offset: u64,
    ) -> Result<(Vec<DeadLetter>, u64)> {
        Ok(letters(self, id, limit, offset).await?)
    }
    async fn dead_letter_get(&self, id: &StreamId, sequence: u64) -> Result<DeadLetter> {
        Ok(letter(self, id, sequence).await?)
    }
    async fn dead_letter_update(&self, id: &StreamId, letter: &DeadLetter) -> Result<()> {
        Ok(letter_update(self, id, letter).await?)
    }
    async fn dead_letter_delete(&self, id: &StreamId, sequence: u64) -> Result<()> {
        Ok(letter_delete(self, id, sequence).await?)
    }
}

/// A sequence as SQL holds it.
fn sequence(sequence: u64) -> i64 {
    i64::try_from(sequence).unwrap_or(i64::MAX)
}

fn sealed(store: &Store, id: &StreamId, secret: &StreamSecret) -> Fallible<String> {
    let sealed = store.vault().seal(&id.0, secret.0.as_bytes());
    sealed.map_err(|error| Fault::Backend(error.to_string()))
}

fn taken(stream: &Stream) -> String {
    format!("a stream named {:?} exists already", stream.name)
}

async fn insert(
    store: &Store,
    stream: &Stream,
    secret: &StreamSecret,
    cursor: u64,
    most: u64,
) -> Fallible<()> {
    let mut tx = store.begin().await?;
    let count = sqlx::query("SELECT COUNT(*) FROM streams")
        .fetch_one(&mut *tx)
        .await?
        .try_get(0)?;
    room("streams", count, most)?;

    sqlx::query(
        "INSERT INTO streams (id, name, version, secret, document, position, state)
         VALUES ($1, $2, $3, $4, $5, $6, $7)",
    )
    .bind(&stream.id.0)
    .bind(&stream.name)
    .bind(version(stream.version))
    .bind(sealed(store, &stream.id, secret)?)
    .bind(encode(stream)?)
    .bind(sequence(cursor))
    .bind(encode(&StreamState::beginning_at(cursor))?)
    .execute(&mut *tx)
    .await
    .map_err(|error| Fault::or_taken(error, || taken(stream)))?;
    Ok(tx.commit().await?)
}

async fn update(store: &Store, stream: &Stream, secret: Option<&StreamSecret>) -> Fallible<()> {
    let secret = secret
        .map(|secret| sealed(store, &stream.id, secret))
        .transpose()?;
    replace(&mut *store.write().acquire().await?, stream, secret).await
}

async fn replace(
    connection: &mut AnyConnection,
    stream: &Stream,
    secret: Option<String>,
) -> Fallible<()> {
    let record = Versioned {
        noun: NOUN,
        select: "SELECT version FROM streams WHERE id = $1",
        id: &stream.id.0,
        version: stream.version,
    };

    let update = sqlx::query(
        "UPDATE streams SET name = $3, version = $4, document = $5, secret = COALESCE($6, secret)
         WHERE id = $1 AND version = $2",
    )
    .bind(&stream.id.0)
    .bind(record.expected())
    .bind(&stream.name)
    .bind(version(stream.version))
    .bind(encode(stream)?)
    .bind(secret);
    record.run(connection, update, || taken(stream)).await
}

async fn delete(store: &Store, id: &StreamId) -> Fallible<()> {
    let mut tx = store.begin().await?;
    let done = sqlx::query("DELETE FROM streams WHERE id = $1")
        .bind(&id.0)
        .execute(&mut *tx)
        .await?;
    if done.rows_affected() == 0 {
        return Err(Fault::not_found(NOUN, &id.0));
    }
    sqlx::query("DELETE FROM stream_dead_letters WHERE stream_id = $1")
        .bind(&id.0)
        .execute(&mut *tx)
        .await?;
    Ok(tx.commit().await?)
}

async fn get(store: &Store, id: &StreamId) -> Fallible<Stream> {
    let row = sqlx::query("SELECT id, document FROM streams WHERE id = $1")
        .bind(&id.0)
        .fetch_optional(store.read())
        .await?;
    stream(&row.ok_or_else(|| Fault::not_found(NOUN, &id.0))?)
}

async fn list(store: &Store) -> Fallible<Vec<Stream>> {
    let rows = sqlx::query("SELECT id, document FROM streams ORDER BY name, id")
        .fetch_all(store.read())
        .await?;
    rows.iter().map(stream).collect()
}

async fn secret(store: &Store, id: &StreamId) -> Fallible<StreamSecret> {
    let row = sqlx::query("SELECT secret FROM streams WHERE id = $1")
        .bind(&id.0)
        .fetch_optional(store.read())
        .await?;
    let sealed: String = row
        .ok_or_else(|| Fault::not_found(NOUN, &id.0))?
        .try_get(0)?;
    Ok(StreamSecret(store.open_text(NOUN, &id.0, &sealed)?))
}

async fn state(store: &Store, id: &StreamId) -> Fallible<StreamState> {
    let row = sqlx::query("SELECT state FROM streams WHERE id = $1")
        .bind(&id.0)
        .fetch_optional(store.read())
        .await?;
    let row = row.ok_or_else(|| Fault::not_found(NOUN, &id.0))?;
    decode(row.try_get(0)?).map_err(unreadable(NOUN, &id.0))
}

async fn advance(
    store: &Store,
    id: &StreamId,
    from: u64,
    state: &StreamState,
    dead_letters: &[DeadLetter],
) -> Fallible<()> {
    let mut tx = store.begin().await?;
    let done =
        sqlx::query("UPDATE streams SET position = $3, state = $4 WHERE id = $1 AND position = $2")
            .bind(&id.0)
            .bind(sequence(from))
            .bind(sequence(state.cursor))
            .bind(encode(state)?)
            .execute(&mut *tx)
            .await?;
    if done.rows_affected() == 0 {
        let message = format!("stream {id} does not stand at {from} any more");
        return Err(Fault::Conflict(message));
    }

    for letter in dead_letters {
        // A replay from before the letter refuses it once more.
        sqlx::query(
            "INSERT INTO stream_dead_letters (stream_id, sequence, document) VALUES ($1, $2, $3)
             ON CONFLICT (stream_id, sequence) DO UPDATE SET document = excluded.document",
        )
        .bind(&id.0)
        .bind(sequence(letter.sequence))
        .bind(encode(letter)?)
        .execute(&mut *tx)
        .await?;
    }
    Ok(tx.commit().await?)
}

async fn set_cursor(store: &Store, stream: &Stream, cursor: u64) -> Fallible<()> {
    let id = &stream.id;
    let mut tx = store.begin().await?;
    replace(&mut tx, stream, None).await?;
    let row = sqlx::query("SELECT state FROM streams WHERE id = $1")
        .bind(&id.0)
        .fetch_one(&mut *tx)
        .await?;
    let state: StreamState = decode(row.try_get(0)?).map_err(unreadable(NOUN, &id.0))?;
    let state = StreamState { cursor, ..state };

    sqlx::query("UPDATE streams SET position = $2, state = $3 WHERE id = $1")
        .bind(&id.0)
        .bind(sequence(cursor))
        .bind(encode(&state)?)
        .execute(&mut *tx)
        .await?;
    Ok(tx.commit().await?)
}

async fn letters(
    store: &Store,
    id: &StreamId,
    limit: u64,
    offset: u64,
) -> Fallible<(Vec<DeadLetter>, u64)> {
    let count: i64 = sqlx::query("SELECT COUNT(*) FROM stream_dead_letters WHERE stream_id = $1")
        .bind(&id.0)
        .fetch_one(store.read())
        .await?
        .try_get(0)?;
    let rows = sqlx::query(
        "SELECT stream_id, document FROM stream_dead_letters WHERE stream_id = $1
         ORDER BY sequence LIMIT $2 OFFSET $3",
    )
    .bind(&id.0)
    .bind(sequence(limit))
    .bind(sequence(offset))
    .fetch_all(store.read())
    .await?;
    let letters = rows.iter().map(dead_letter).collect::<Fallible<_>>()?;
    Ok((letters, u64::try_from(count).unwrap_or_default()))
}

async fn letter(store: &Store, id: &StreamId, at: u64) -> Fallible<DeadLetter> {
    let row = sqlx::query(
        "SELECT stream_id, document FROM stream_dead_letters WHERE stream_id = $1 AND sequence = $2",
    )
    .bind(&id.0)
    .bind(sequence(at))
    .fetch_optional(store.read())
    .await?;
    dead_letter(&row.ok_or_else(|| missing(at))?)
}

async fn letter_update(store: &Store, id: &StreamId, letter: &DeadLetter) -> Fallible<()> {
    let done = sqlx::query(
        "UPDATE stream_dead_letters SET document = $3 WHERE stream_id = $1 AND sequence = $2",
    )
    .bind(&id.0)
    .bind(sequence(letter.sequence))
    .bind(encode(letter)?)
    .execute(store.write())
    .await?;
    found(done.rows_affected(), letter.sequence)
}

async fn letter_delete(store: &Store, id: &StreamId, at: u64) -> Fallible<()> {
    let done =
        sqlx::query("DELETE FROM stream_dead_letters WHERE stream_id = $1 AND sequence = $2")
            .bind(&id.0)
            .bind(sequence(at))
            .execute(store.write())
            .await?;
    found(done.rows_affected(), at)
}

fn found(rows: u64, at: u64) -> Fallible<()> {
    if rows == 0 { Err(missing(at)) } else { Ok(()) }
}

fn missing(at: u64) -> Fault {
    Fault::not_found("dead letter", &at.to_string())
}

fn stream(row: &AnyRow) -> Fallible<Stream> {
    let id: String = row.try_get(0)?;
    decode(row.try_get(1)?).map_err(unreadable(NOUN, &id))
}

fn dead_letter(row: &AnyRow) -> Fallible<DeadLetter> {
    let id: String = row.try_get(0)?;
    decode(row.try_get(1)?).map_err(unreadable("dead letter of stream", &id))
}
