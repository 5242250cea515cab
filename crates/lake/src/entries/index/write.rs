//! An index file out of what was collected. Format: `docs/formats/index.md`.

use jiff::Timestamp;
use reeve_audit::Entry;
use reeve_audit::query::{fold, words};
use reeve_ledger::StoredEntry;
use sha2::{Digest as _, Sha256};

use super::code::{hash, put_packed, put_rows, put_varint};
use super::collect::{Collected, Field};
use super::intern::{Values, rows_by_value};
use super::kind;
use super::source::sums;

/// First and last bytes of the file.
pub(super) const MAGIC: &[u8; 8] = b"reeveix3";
/// Values of a block of a dictionary.
pub(super) const VALUES: usize = 32;

/// One row of a segment.
#[derive(Debug, Clone, Copy)]
pub(in crate::entries) struct IndexRow<'a> {
    /// Position in the log.
    pub(in crate::entries) sequence: u64,
    /// Time at which it was received.
    pub(in crate::entries) recorded_at: Timestamp,
    /// Entry as it was submitted.
    pub(in crate::entries) entry: &'a Entry,
}

/// Returns stored entries as the rows of an index.
pub(in crate::entries) fn rows_of<'a>(
    entries: impl Iterator<Item = &'a StoredEntry>,
) -> Vec<IndexRow<'a>> {
    let row = |stored: &'a StoredEntry| IndexRow {
        sequence: stored.sequence,
        recorded_at: stored.recorded_at,
        entry: &stored.entry,
    };
    entries.map(row).collect()
}

/// Gives the attestation of an index with this digest.
pub(in crate::entries) type Attest<'a> = &'a dyn Fn([u8; 32]) -> String;

/// The index of a segment whose rows are these and whose file has this SHA-256.
pub(in crate::entries) fn build(
    entries: &[IndexRow<'_>],
    sha256: &[u8; 32],
    attest: Attest<'_>,
) -> Vec<u8> {
    let mut collected = Collected::new();
    for (row, entry) in entries.iter().enumerate() {
        collected.add(row as u32, entry.entry);
    }

    collected.settle();
    let mut file = Writer {
        out: MAGIC.to_vec(),
        directory: Vec::new(),
        rows: entries.len(),
    };
    file.directory.extend_from_slice(sha256);
    let first = entries.first().map_or(0, |entry| entry.sequence);
    for number in [entries.len() as u64, first, u64::from(collected.incomplete)] {
        put_varint(&mut file.directory, number);
    }

    file.numbers(
        entries
            .iter()
            .map(|entry| entry.entry.timestamp.as_millisecond())
            .collect(),
    );

    file.numbers(
        entries
            .iter()
            .map(|entry| entry.recorded_at.as_millisecond())
            .collect(),
    );

    // How many sequences are passed over before each row.
    file.numbers(
        entries
            .iter()
            .enumerate()
            .map(|(row, entry)| (entry.sequence - first) as i64 - row as i64)
            .collect(),
    );

    file.words(&collected);
    file.fields(&collected);
    file.finish(attest)
}

struct Writer {
    out: Vec<u8>,
    directory: Vec<u8>,
    rows: usize,
}

impl Writer {
    fn note(&mut self, number: usize) {
        put_varint(&mut self.directory, number as u64);
    }

    /// Writes a piece and notes where it is.
    fn piece(&mut self, bytes: &[u8]) {
        self.note(self.out.len());
        self.note(bytes.len());
        self.out.extend_from_slice(bytes);
    }

    fn numbers(&mut self, values: Vec<i64>) {
        let mut packed = Vec::new();
        put_packed(&mut packed, &values);
        self.piece(&packed);
    }

    fn list(&mut self, rows: &[u32]) {
        let mut bytes = Vec::new();
        let code = put_rows(&mut bytes, rows, self.rows);
        self.note(rows.len());
        self.note((code & 1) as usize);
        self.piece(&bytes);
    }

    /// Words of values that are not kept themselves, and pieces of UUIDs.
    fn words(&mut self, collected: &Collected) {
        let (starts, rows) = rows_by_value(&collected.words.pairs, collected.words.values.len());
        self.dictionary(&collected.words.values, &starts, &rows);
        self.hashed(collected.words.hashed.clone(), self.rows);
        let mut uuid_rows = collected.words.uuid_rows.clone();
        uuid_rows.sort_unstable();
        uuid_rows.dedup();
        self.list(&uuid_rows);
    }

    fn fields(&mut self, collected: &Collected) {
        let mut found: Vec<(u64, u32)> = Vec::new();
        let mut base = 0;
        self.note(collected.fields.len());

        for field in &collected.fields {
            self.note(field.key.len());
            self.directory.extend_from_slice(&field.key);
            let kept = usize::from(field.by_words.is_some()) << 1 | usize::from(field.uuids) << 2;
            self.note(usize::from(field.searched) | kept);
            match &field.by_words {
                Some(rows) => self.list(rows),
                None => {
                    self.list(&present(field));
                    let (starts, rows) = rows_by_value(&field.pairs, field.values.len());
                    let order = self.dictionary(&field.values, &starts, &rows);
                    if field.searched {
                        words_of(&field.values, &order, base, &mut found);
                    }
                    base += field.values.len().div_ceil(VALUES) as u32;
                }
            }
        }

        self.hashed(found, base as usize);
    }

    /// A dictionary: values in order, front-coded by blocks, each with its rows. Gives the order
    /// back.
    fn dictionary(&mut self, values: &Values, starts: &[usize], rows: &[u32]) -> Vec<u32> {
        let order = sorted(values);
        let (mut data, mut lists, mut heads, mut keys) =
            (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        let mut row_list = Vec::new();

        for block in order.chunks(VALUES) {
            for number in [data.len(), lists.len(), keys.len()] {
                heads.extend_from_slice(&(number as u32).to_le_bytes());
            }
            let mut before = values.get(block[0]);
            keys.extend_from_slice(before);
            for &id in block {
                let value = values.get(id);
                let shared = before.iter().zip(value).take_while(|(a, b)| a == b).count();
                put_varint(&mut data, shared as u64);
                put_varint(&mut data, (value.len() - shared) as u64);
                data.extend_from_slice(&value[shared..]);
                row_list.clear();
                row_list.extend_from_slice(&rows[starts[id as usize]..starts[id as usize + 1]]);
                // A word or an element may be there twice, and fields that turn to words do so
                // late.
                if !row_list.is_sorted_by(|a, b| a < b) {
                    row_list.sort_unstable();
                    row_list.dedup();
                }
                let code = put_rows(&mut lists, &row_list, self.rows);
                put_varint(&mut data, row_list.len() as u64);
                put_varint(&mut data, code);
                before = value;
            }
        }

        for number in [data.len(), lists.len(), keys.len()] {
            heads.extend_from_slice(&(number as u32).to_le_bytes());
        }

        heads.extend_from_slice(&keys);
        self.note(values.len());
        for piece in [&heads, &data, &lists] {
            self.piece(piece);
        }

        order
    }

    /// Hashes and the numbers below `of` that have them, by bucket; three bytes each, or four where
    /// three say too little.
    fn hashed(&mut self, mut found: Vec<(u64, u32)>, of: usize) {
        let bits = usize::BITS - of.saturating_sub(1).leading_zeros();
        let width = if bits <= 13 { 3 } else { 4 };
        let buckets = (found.len() / 8).next_power_of_two();
        let bucket = |hashed: u64| hashed as usize & (buckets - 1);
        found.sort_unstable_by_key(|&(hashed, held)| (bucket(hashed), held, hashed));
        found.dedup();
        let mut bytes = Vec::with_capacity((buckets + 1 + found.len()) * 4);
        let mut at = 0;

        for number in 0..=buckets {
            while at < found.len() && bucket(found[at].0) < number {
                at += 1;
            }
            bytes.extend_from_slice(&(at as u32).to_le_bytes());
        }

        for (hashed, held) in found {
            bytes.extend_from_slice(&(mark(hashed, bits) | held).to_le_bytes()[..width]);
        }

        for number in [bits as usize, width, buckets] {
            self.note(number);
        }

        self.piece(&bytes);
    }

    fn finish(mut self, attest: Attest<'_>) -> Vec<u8> {
        let place = self.out.len();
        self.directory.extend(sums(&self.out).flatten());
        let note = attest(Sha256::digest(&self.directory).into());
        self.out.extend_from_slice(&self.directory);
        self.out.extend_from_slice(note.as_bytes());
        let mut trailer = (place as u64).to_le_bytes().to_vec();
        trailer.extend_from_slice(&(note.len() as u32).to_le_bytes());
        let sum = crc32c::crc32c_append(crc32c::crc32c(&self.directory), note.as_bytes());
        self.out.extend_from_slice(&trailer);
        self.out
            .extend_from_slice(&crc32c::crc32c_append(sum, &trailer).to_le_bytes());
        self.out.extend_from_slice(MAGIC);

        self.out
    }
}

/// The part of a hash that stands beside a number of so many bits.
pub(super) fn mark(hashed: u64, bits: u32) -> u32 {
    if bits >= 32 {
        0
    } else {
        ((hashed >> 32) as u32) << bits
    }
}

/// Rows with a value.
fn present(field: &Field) -> Vec<u32> {
    let mut rows: Vec<u32> = field.pairs.iter().map(|(row, _)| *row).collect();
    rows.dedup();
    rows
}

/// By kind, then case-blind, then byte for byte.
fn sorted(values: &Values) -> Vec<u32> {
    let mut order: Vec<(u8, std::borrow::Cow<'_, str>, u32)> = (0..values.len() as u32)
        .map(|id| {
            let (kind, text) = values.get(id).split_first().unwrap_or((&kind::TEXT, &[]));
            (
                *kind,
                fold::fold(std::str::from_utf8(text).unwrap_or_default()),
                id,
            )
        })
        .collect();

    order.sort_unstable_by(|a, b| {
        (a.0, &a.1)
            .cmp(&(b.0, &b.1))
            .then_with(|| values.get(a.2).cmp(values.get(b.2)))
    });
    order.into_iter().map(|(_, _, id)| id).collect()
}

/// Hashes of the words of a field's values, each with the number of the block that has a value with
/// the word.
fn words_of(values: &Values, order: &[u32], base: u32, found: &mut Vec<(u64, u32)>) {
    let mut of_block: Vec<u64> = Vec::new();
    for (at, block) in order.chunks(VALUES).enumerate() {
        of_block.clear();
        for &id in block {
            let Some((&(kind::TEXT | kind::NUMBER), text)) = values.get(id).split_first() else {
                continue;
            };
            let text = std::str::from_utf8(text).unwrap_or_default();
            of_block.extend(words(text).map(|word| hash(fold::fold(word).as_bytes())));
        }
        of_block.sort_unstable();
        of_block.dedup();
        found.extend(of_block.iter().map(|&hashed| (hashed, base + at as u32)));
    }
}
