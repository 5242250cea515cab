//! Ports: the receiver, the store of streams, and what a person asks of a receiver.

use async_trait::async_trait;
use reeve_audit::{FieldError, Obstacle};
use reeve_estate::StoreError;

use crate::dead_letter::DeadLetter;
use crate::health::StreamLag;
use crate::record::StreamRecord;
use crate::settings::StreamSettings;
use crate::state::StreamState;
use crate::stream::{Stream, StreamId, StreamSecret};

/// Confirmation of a receiver.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Acked {
    /// Sequence of the last record that was taken; all records before it were taken too.
    pub through: u64,
}

/// Reason why a batch was not taken. The message never holds a secret.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SendError {
    /// The receiver is busy, does not answer or did not confirm: the same batch is sent again.
    #[error("{message}")]
    Passing {
        message: String,
        /// Wait that the receiver asks for, seconds.
        retry_after_s: Option<u64>,
    },
    /// The settings are wrong: a token, an index, an address.
    #[error("{message}")]
    Configuration { message: String },
    /// Something in the batch is refused, or the batch is too large.
    #[error("{message}")]
    Refused {
        message: String,
        /// Place of the refused record in the batch, where the receiver names it.
        index: Option<usize>,
    },
}

impl SendError {
    /// Returns a failure that may pass.
    pub fn passing(message: impl ToString) -> SendError {
        SendError::Passing {
            message: message.to_string(),
            retry_after_s: None,
        }
    }

    /// Returns a failure that a person has to end.
    pub fn configuration(message: impl ToString) -> SendError {
        SendError::Configuration {
            message: message.to_string(),
        }
    }

    /// Returns a refusal of something in the batch.
    pub fn refused(message: impl ToString) -> SendError {
        SendError::Refused {
            message: message.to_string(),
            index: None,
        }
    }
}

/// A receiver.
///
/// A receiver that takes everything:
///
/// ```
/// use async_trait::async_trait;
/// use reeve_streams::{Acked, SendError, StreamSink, StreamRecord};
///
/// struct Everything;
///
/// #[async_trait]
/// impl StreamSink for Everything {
///     async fn send(&self, batch: &[StreamRecord]) -> Result<Acked, SendError> {
///         let last = batch.last().ok_or_else(|| SendError::refused("an empty batch"))?;
///         Ok(Acked { through: last.sequence })
///     }
/// }
/// ```
#[async_trait]
pub trait StreamSink: Send + Sync {
    /// Sends records in order, and returns once the receiver has confirmed them, or some at their
    /// beginning.
    ///
    /// # Errors
    /// None of the records is confirmed; some may have arrived.
    async fn send(&self, batch: &[StreamRecord]) -> Result<Acked, SendError>;
}

/// Outcome of a test, and of sending a dead letter again.
pub type TestOutcome = Result<(), SendError>;

/// What people ask of receivers.
#[async_trait]
pub trait StreamSender: Send + Sync {
    /// Judges settings that a person gives. A path begins with `settings.`.
    ///
    /// # Errors
    /// The setting that may not be used.
    fn check(&self, settings: &StreamSettings) -> Result<(), FieldError>;
    /// Sends one entry that says that it is a test. It is not in the log.
    async fn test(&self, stream: &Stream, secret: &StreamSecret) -> TestOutcome;
    /// Returns the distance from a cursor to the end of the log.
    ///
    /// # Errors
    /// The entry at the cursor could not be read.
    async fn lag(&self, cursor: u64) -> Result<StreamLag, Obstacle>;
    /// Sends one entry of the log.
    ///
    /// # Errors
    /// The entry could not be read. The inner error is the receiver's.
    async fn resend(
        &self,
        stream: &Stream,
        secret: &StreamSecret,
        sequence: u64,
    ) -> Result<TestOutcome, Obstacle>;
}

/// Streams with their secrets, states and dead letters.
#[async_trait]
pub trait StreamStore: Send + Sync {
    /// Adds a stream that begins at a sequence. A name that another one has is a conflict, and so
    /// are more streams than `most`.
    async fn stream_insert(
        &self,
        stream: &Stream,
        secret: &StreamSecret,
        cursor: u64,
        most: u64,
    ) -> Result<(), StoreError>;
    /// Replaces a stream whose stored version is one less. A secret that is not given stays.
    async fn stream_update(
        &self,
        stream: &Stream,
        secret: Option<&StreamSecret>,
    ) -> Result<(), StoreError>;
    /// Removes a stream with its state and its dead letters.
    async fn stream_delete(&self, id: &StreamId) -> Result<(), StoreError>;
    async fn stream_get(&self, id: &StreamId) -> Result<Stream, StoreError>;
    /// Returns all streams by name.
    async fn stream_list(&self) -> Result<Vec<Stream>, StoreError>;
    async fn stream_secret(&self, id: &StreamId) -> Result<StreamSecret, StoreError>;
    async fn stream_state(&self, id: &StreamId) -> Result<StreamState, StoreError>;
    /// Moves the state on from a cursor, and keeps dead letters in the same step. Another cursor in
    /// the store is a conflict: the stream was set back meanwhile.
    async fn stream_advance(
        &self,
        id: &StreamId,
        from: u64,
        state: &StreamState,
        dead_letters: &[DeadLetter],
    ) -> Result<(), StoreError>;
    /// Replaces a stream whose stored version is one less, and sets its cursor in the same step.
    async fn stream_set_cursor(&self, stream: &Stream, cursor: u64) -> Result<(), StoreError>;
    /// Returns dead letters by sequence, and how many there are in all.
    async fn dead_letter_list(
        &self,
        id: &StreamId,
        limit: u64,
        offset: u64,
    ) -> Result<(Vec<DeadLetter>, u64), StoreError>;
    async fn dead_letter_get(&self, id: &StreamId, sequence: u64)
    -> Result<DeadLetter, StoreError>;
    /// Replaces a dead letter after another refusal.
    async fn dead_letter_update(
        &self,
        id: &StreamId,
        letter: &DeadLetter,
    ) -> Result<(), StoreError>;
    async fn dead_letter_delete(&self, id: &StreamId, sequence: u64) -> Result<(), StoreError>;
}
