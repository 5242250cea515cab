//! Streams out: entries of the log, sent to other platforms as they arrive.
//!
//! The log is the buffer. A stream keeps a cursor, the next sequence that its receiver has not
//! confirmed, and reads on from there; nothing is copied, and a receiver that hangs or vanishes
//! costs the log nothing. Batches go out in order and at least once: whoever receives an entry twice
//! sees the same `event_id`.
//!
//! [`Stream`] is what a person defines, [`StreamState`] how it fares, [`StreamDelivery`] the pure judgement
//! of each answer: success, a wait, half a batch, or a [`DeadLetter`]. A dead letter is a reference
//! to an entry of the log, with the reason; it can be read, sent again and dropped. Receivers are
//! adapters of [`StreamSink`].

mod dead_letter;
mod delivery;
mod draft;
mod health;
mod kafka;
mod limits;
mod ocsf;
mod otlp;
mod port;
mod record;
mod settings;
mod state;
mod stream;

pub use dead_letter::DeadLetter;
pub use delivery::{DeliveryJudgement, StreamDelivery, Transition};
pub use draft::{StreamDraft, read_format, read_name, read_query};
pub use health::{StreamHealth, StreamLag};
pub use kafka::{BrokerAddress, KafkaCompression, KafkaKey, KafkaSasl};
pub use limits::BatchLimits;
pub use ocsf::{OCSF_VERSION, OcsfClass, ocsf_event};
pub use otlp::{OtlpEncoding, otlp_origin};
pub use port::{Acked, SendError, StreamSender, StreamSink, StreamStore, TestOutcome};
pub use record::StreamRecord;
pub use settings::{Direction, HttpsBody, StreamFormat, StreamKind, StreamSettings};
pub use state::{StreamFailure, StreamState, Throughput};
pub use stream::{Stream, StreamId, StreamSecret};
