//! Sources of entries: other systems whose events become entries of the log.
//!
//! A source ([`LogSource`]) has a kind, which is the format of its events, and a token that appends
//! through this source and does nothing else. [`SourceIntake`] reads a body into events
//! ([`read`]), appends the entries, and answers for each event: accepted, known, or rejected with a
//! reason. Rejected events are kept in quarantine. [`IntakeRhythm`] learns how often a source speaks, so
//! that its silence is noticed. This crate does no I/O: the log and the store are ports.

mod decode;
mod format;
mod item;
mod log_entry;
mod mapping;
mod port;
mod quarantine;
mod queue;
mod rejection;
mod rhythm;
mod service;
mod source;
mod words;

pub use decode::{DecodeError, MAX_EXPANDED_BYTES, decode};
pub use format::{Encoding, MAX_EVENTS, ReadEvent, SourceKind, preview, read};
pub use log_entry::about;
pub use mapping::{FieldRule, Mapping};
pub use port::{EntryAppender, LogSourceStore, QuarantineFilter};
pub use quarantine::{MAX_QUARANTINED, QuarantineId, QuarantinedEvent};
pub use queue::{FileNotice, QueueNotice, read_notice};
pub use rejection::Rejection;
pub use rhythm::IntakeRhythm;
pub use service::{EventOutcome, IntakeError, IntakePorts, Received, SourceIntake};
pub use source::{
    LogSource, LogSourceId, QueueSettings, SourceHealth, SourceProgress, TOKEN_PREFIX, read_name,
    read_silence,
};
