//! The identifiers of unsealed entries, as far as needed to recognise one that is sent again. A
//! seal takes those of its entries as they are, and they are let go of together once it is done.

use std::collections::HashMap;
use std::sync::Arc;

use jiff::Timestamp;

use crate::ids::{IdKey, IdRecord, Mark};

/// An unsealed entry, as far as needed to recognise it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Recent {
    pub(crate) mark: Mark,
    pub(crate) sequence: u64,
    pub(crate) recorded_at: Timestamp,
}

/// Identifiers of entries that came one after another.
pub(crate) type Generation = Arc<HashMap<IdKey, Recent>>;

/// The identifiers of all unsealed entries.
#[derive(Debug, Default)]
pub(crate) struct Recents {
    newest: HashMap<IdKey, Recent>,
    /// Closed generations that a seal will take, with their end.
    closed: Vec<(u64, Generation)>,
}

impl Recents {
    /// Creates the index of a log that was just opened.
    pub(crate) fn from_records(records: impl IntoIterator<Item = IdRecord>) -> Recents {
        let mut recents = Recents::default();
        for IdRecord {
            key,
            mark,
            sequence,
            recorded_at,
        } in records
        {
            recents.insert(
                key,
                Recent {
                    mark,
                    sequence,
                    recorded_at,
                },
            );
        }

        recents
    }

    pub(crate) fn insert(&mut self, key: IdKey, recent: Recent) {
        self.newest.insert(key, recent);
    }

    /// Makes room for more entries at once.
    pub(crate) fn reserve(&mut self, more: usize) {
        self.newest.reserve(more);
    }

    /// The entry with an identifier.
    pub(crate) fn find(&self, key: &IdKey) -> Option<Recent> {
        let closed = || {
            self.closed
                .iter()
                .rev()
                .find_map(|(_, generation)| generation.get(key))
        };
        self.newest.get(key).or_else(closed).copied()
    }

    /// Closes the newest generation, which ends before this sequence, so that a seal can take it.
    pub(crate) fn close(&mut self, end: u64) -> Vec<Generation> {
        if !self.newest.is_empty() {
            self.closed
                .push((end, Arc::new(std::mem::take(&mut self.newest))));
        }
        self.closed
            .iter()
            .map(|(_, generation)| generation.clone())
            .collect()
    }

    /// Forgets what ends at this sequence or before.
    pub(crate) fn forget(&mut self, sealed: u64) {
        self.closed.retain(|(end, _)| *end > sealed);
    }
}

/// Returns the index records of the entries of some generations.
pub(crate) fn records(generations: &[Generation]) -> Vec<IdRecord> {
    let each = generations.iter().flat_map(|generation| generation.iter());
    each.map(|(key, recent)| {
        let Recent {
            mark,
            sequence,
            recorded_at,
        } = *recent;
        IdRecord {
            key: *key,
            mark,
            sequence,
            recorded_at,
        }
    })
    .collect()
}
