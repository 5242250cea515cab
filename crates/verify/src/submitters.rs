//! Submitters of entries, counted: which entries Reeve wrote about itself, and which others handed
//! in. Layout: `docs/formats/entry.md`, "Submitter".

use reeve_audit::query::QueryColumn;
use reeve_audit::{EventType, SubmitterType};

use crate::claim::ClaimFields;

/// Numbers of entries by submitter.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Submitters {
    /// Entries that Reeve wrote about itself.
    pub reeve: u64,
    /// Entries that others handed in.
    pub others: u64,
    /// Entries that were recorded before submitters were noted.
    pub unknown: u64,
    /// Entries among those of others whose type only Reeve writes. Reeve takes none, so another
    /// program wrote them.
    pub reserved: u64,
}

impl Submitters {
    /// Counts an entry for its submitter.
    pub(crate) fn count(&mut self, fields: &ClaimFields<'_>) {
        match fields.submitter() {
            None => self.unknown += 1,
            Some(kind) if kind == SubmitterType::Reeve.as_str().as_bytes() => self.reeve += 1,
            Some(_) => {
                self.others += 1;
                let event_type = fields
                    .text(QueryColumn::EventType)
                    .and_then(|name| std::str::from_utf8(name).ok());
                let event_type = event_type.and_then(|name| EventType::new(name).ok());
                self.reserved +=
                    u64::from(event_type.is_some_and(|event_type| event_type.is_reserved()));
            }
        }
    }

    /// Adds the counts of another part of the log.
    pub(crate) fn add(&mut self, other: Submitters) {
        self.reeve += other.reeve;
        self.others += other.others;
        self.unknown += other.unknown;
        self.reserved += other.reserved;
    }

    /// Entries that were counted.
    pub fn total(&self) -> u64 {
        self.reeve + self.others + self.unknown
    }
}
