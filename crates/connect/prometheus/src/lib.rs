//! Prometheus, both ways: decoding what a server pushes (remote write 1.0), and querying one over
//! its HTTP interface.
//!
//! Decoding decides nothing about series; it bounds them and refuses what two readers could read
//! differently. Queries go through `connect/outbound`, so that an address cannot reach the inside
//! of the network unless the operator allowed it.

mod message;
mod query;
mod write;

pub use query::{
    MAX_ANSWER_BYTES, Prometheus, QueriedSeries, QueryAnswer, QueryError, QueryErrorKind,
};
pub use write::{MAX_BODY_BYTES, WriteFault, decode_write};
