//! The typed columns of some entries, each distinct value once: made in one pass over the entries,
//! and then used for the segment's dictionaries and for its index alike.

use std::fmt::Write as _;
use std::net::IpAddr;
use std::sync::Arc;

use hashbrown::{DefaultHashBuilder, HashMap, HashTable};
use reeve_audit::query::{QueryColumn, column_text};
use reeve_ledger::StoredEntry;
use std::hash::BuildHasher as _;

/// The key of a row that has no value.
pub(super) const ABSENT: i32 = -1;

/// A column whose values are texts: the distinct ones in the order of their first row, and for each
/// row which one it has.
#[derive(Debug, Default)]
pub(super) struct Texts {
    /// All distinct values, one after another.
    pub(super) bytes: String,
    /// End of each in `bytes`.
    pub(super) ends: Vec<usize>,
    /// For each row the number of its value, or [`ABSENT`].
    pub(super) keys: Vec<i32>,
}

impl Texts {
    /// The value with this number.
    pub(super) fn value(&self, number: usize) -> &str {
        let begin = number
            .checked_sub(1)
            .and_then(|before| self.ends.get(before))
            .copied()
            .unwrap_or(0);
        self.ends
            .get(number)
            .and_then(|end| self.bytes.get(begin..*end))
            .unwrap_or_default()
    }

    /// The value of a row.
    pub(super) fn of_row(&self, row: usize) -> Option<&str> {
        self.keys
            .get(row)
            .and_then(|key| usize::try_from(*key).ok())
            .map(|number| self.value(number))
    }

    /// All distinct values, in the order of their first row.
    pub(super) fn values(&self) -> impl ExactSizeIterator<Item = &str> {
        (0..self.ends.len()).map(|number| self.value(number))
    }

    fn add(&mut self, text: &str) -> i32 {
        self.bytes.push_str(text);
        self.ends.push(self.bytes.len());
        self.ends.len() as i32 - 1
    }
}

/// Finds the number of a text.
#[derive(Default)]
struct Numbers {
    hasher: DefaultHashBuilder,
    table: HashTable<(u64, i32)>,
}

impl Numbers {
    fn number(&mut self, texts: &mut Texts, text: &str) -> i32 {
        let hash = self.hasher.hash_one(text);
        let same =
            |(other, number): &(u64, i32)| *other == hash && texts.value(*number as usize) == text;
        if let Some((_, number)) = self.table.find(hash, same) {
            return *number;
        }

        let number = texts.add(text);
        self.table
            .insert_unique(hash, (hash, number), |(hash, _)| *hash);
        number
    }
}

/// The columns that are written as dictionaries: all but identifier and times.
pub(super) fn dictionaries() -> impl Iterator<Item = QueryColumn> {
    QueryColumn::ALL
        .into_iter()
        .filter(|column| !column.is_time() && *column != QueryColumn::EventId)
}

/// The columns of [`dictionaries`] over some entries, in that order.
pub(super) fn texts(entries: &[Arc<StoredEntry>]) -> Vec<(QueryColumn, Texts)> {
    let mut columns: Vec<(QueryColumn, Texts)> = dictionaries()
        .map(|column| (column, Texts::default()))
        .collect();
    let mut numbers: Vec<Numbers> = columns.iter().map(|_| Numbers::default()).collect();
    let mut addresses: HashMap<IpAddr, i32> = HashMap::new();
    for (_, texts) in &mut columns {
        texts.keys.reserve_exact(entries.len());
    }

    for stored in entries {
        for ((column, texts), numbers) in columns.iter_mut().zip(&mut numbers) {
            let number = match (*column, stored.entry.actor.ip_address) {
                // Formatted once a distinct address, not once a row.
                (QueryColumn::ActorIpAddress, Some(address)) => {
                    *addresses.entry(address).or_insert_with(|| {
                        let _ = write!(texts.bytes, "{address}");
                        texts.ends.push(texts.bytes.len());
                        texts.ends.len() as i32 - 1
                    })
                }
                _ => column_text(&stored.entry, *column)
                    .map_or(ABSENT, |text| numbers.number(texts, &text)),
            };
            texts.keys.push(number);
        }
    }

    columns
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use jiff::Timestamp;
    use reeve_audit::{Draft, Entry};
    use reeve_tlog::{Hash, commitment};

    fn stored(text: &str) -> Arc<StoredEntry> {
        let draft = Draft::from_bytes(text.as_bytes(), Timestamp::UNIX_EPOCH).unwrap();
        let (entry, recorded_at) = Entry::from_canonical(&draft.canonical).unwrap();
        let commitment = commitment(&[0; 16], &draft.canonical);
        let (leaf_hash, zero) = (commitment.leaf_hash(), Hash::ZERO);
        let (canonical, salt) = (draft.canonical, [0; 16]);
        let (previous_hash, hash, sequence) = (zero, zero, 0);
        let stored = StoredEntry {
            sequence,
            recorded_at,
            salt,
            canonical,
            entry,
            commitment,
            leaf_hash,
            previous_hash,
            hash,
        };

        Arc::new(stored)
    }

    #[test]
    fn every_row_has_its_value() {
        let entries = [
            r#"{"event_type":"a.b","actor":{"id":"x","ip_address":"::ffff:10.0.0.1"}}"#,
            r#"{"event_type":"a.c","actor":{"id":"","ip_address":"10.0.0.1"}}"#,
            r#"{"event_type":"a.b","resource":{"id":"x"}}"#,
            r#"{"event_type":"a.b","actor":{"id":"x","ip_address":"10.0.0.1"},"severity":"high"}"#,
        ]
        .map(stored);
        for (column, texts) in texts(&entries) {
            assert_eq!(texts.keys.len(), entries.len());
            for (entry, key) in entries.iter().zip(&texts.keys) {
                let found = (*key != ABSENT).then(|| texts.value(*key as usize));
                assert_eq!(
                    found,
                    column_text(&entry.entry, column).as_deref(),
                    "{column:?}"
                );
            }
            let distinct: std::collections::BTreeSet<&str> = texts.values().collect();
            assert_eq!(distinct.len(), texts.values().len(), "{column:?}");
        }
    }
}
