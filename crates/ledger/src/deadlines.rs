//! Times at which segments cease to be shown, and classes of new entries: what retention tells the
//! ledger.

use std::collections::{HashMap, HashSet};

use jiff::Timestamp;
use reeve_audit::EventType;

/// Classes of new entries by their event type.
pub type Classes = dyn Fn(&EventType) -> String + Send + Sync;

/// Times from which on segments are not shown, by path.
#[derive(Debug, Default)]
pub(crate) struct Deadlines {
    pub(crate) by_path: HashMap<String, Timestamp>,
    /// The earliest that is still ahead.
    pub(crate) next: Option<Timestamp>,
    /// Segments of the cold tier that are shown all the same.
    pub(crate) restored: HashSet<String>,
}
