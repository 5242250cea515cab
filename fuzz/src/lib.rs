//! Invariants for any input, one function a fuzz target. The targets in `fuzz_targets/` feed them
//! by libFuzzer; `crates/testkit/tests/it/corpora.rs` feeds them the committed corpora in `make
//! test`.
//!
//! A function panics when an invariant is violated. It must return at once for inputs that are
//! merely refused.

mod claims;
mod files;
mod json;
mod logs;
mod query;
mod sources;
mod tlog;

pub use claims::{batch, entry};
pub use files::cloudtrail;
pub use json::json;
pub use logs::{stored, wal};
pub use query::query;
pub use sources::sources;
pub use tlog::proof;

/// A fixed moment: no law here may depend on the clock.
fn moment(second: i64) -> jiff::Timestamp {
    jiff::Timestamp::from_second(second).unwrap_or(jiff::Timestamp::UNIX_EPOCH)
}

/// The law of a target, tried on any bytes; it panics where the law is broken.
pub type Law = fn(&[u8]);

/// Every target by name.
pub const TARGETS: [(&str, Law); 9] = [
    ("json", json),
    ("entry", entry),
    ("batch", batch),
    ("query", query),
    ("wal", wal),
    ("cloudtrail", cloudtrail),
    ("sources", sources),
    ("proof", proof),
    ("stored", stored),
];
