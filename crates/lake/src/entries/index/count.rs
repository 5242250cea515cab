//! Counting values out of an index: how many of some rows have each, without reading the rows.

use std::io;

use reeve_audit::query::{FieldPath, QueryColumn, fold};
use reeve_ledger::GroupBy;

use super::bits::Bits;
use super::code::BLOCK;
use super::dictionary::{DictionaryList, DictionaryVerdict};
use super::kind;
use super::open::{EntryIndex, Field};
use crate::entries::tally::{EntryTally, span_of};

/// Counts of one segment, to be added to a tally when all of them are there.
#[derive(Debug, Default)]
pub(in crate::entries) struct IndexCount {
    texts: String,
    ends: Vec<usize>,
    counts: Vec<u64>,
    times: Vec<(i64, u64)>,
    missing: u64,
}

impl IndexCount {
    fn text(&mut self, text: &str, count: u64) {
        self.texts.push_str(text);
        self.ends.push(self.texts.len());
        self.counts.push(count);
    }

    /// Adds everything to a tally.
    pub(in crate::entries) fn add_to(&self, tally: &mut EntryTally) {
        let mut start = 0;
        for (&end, &count) in self.ends.iter().zip(&self.counts) {
            if count > 0 {
                tally.text(self.texts.get(start..end).unwrap_or_default(), count);
            }
            start = end;
        }

        self.times
            .iter()
            .for_each(|&(ms, count)| tally.time(ms, count));
        tally.missing(self.missing);
    }
}

impl EntryIndex {
    /// Counts the values that rows have; `None` when the index does not hold them.
    pub(in crate::entries) fn count(
        &self,
        by: &GroupBy,
        rows: &Bits,
    ) -> io::Result<Option<IndexCount>> {
        let mut counted = IndexCount::default();
        let known = match by {
            GroupBy::Column(column) | GroupBy::Time { column, .. } if column.is_time() => {
                self.count_times(by, *column == QueryColumn::RecordedAt, rows, &mut counted)?;
                true
            }
            GroupBy::Column(column) | GroupBy::Field(FieldPath::Column(column)) => {
                match self.count_column(*column, rows, &mut counted)? {
                    Some(without) => {
                        counted.missing = without.count();
                        true
                    }
                    None => false,
                }
            }
            GroupBy::User | GroupBy::Field(FieldPath::User) => {
                self.count_users(rows, &mut counted)?
            }
            GroupBy::Time { .. } | GroupBy::Nested(..) => false,
            GroupBy::Field(field) => self.count_open(field, rows, &mut counted)?,
        };

        Ok(known.then_some(counted))
    }

    fn count_users(&self, rows: &Bits, counted: &mut IndexCount) -> io::Result<bool> {
        let mut rest = rows.clone();
        for column in [QueryColumn::ActorEmail, QueryColumn::ActorId] {
            match self.count_column(column, &rest, counted)? {
                Some(without) => rest = without,
                None => return Ok(false),
            }
        }

        counted.missing = rest.count();
        Ok(true)
    }

    fn count_times(
        &self,
        by: &GroupBy,
        recorded: bool,
        rows: &Bits,
        counted: &mut IndexCount,
    ) -> io::Result<()> {
        let times = self.times(recorded)?;
        let whole = rows.count() == self.rows as u64;
        let mut values = Vec::new();
        let mut last = (0..0, 0);
        let mut add = |ms: i64, count: u64| {
            if last.0.contains(&ms) {
                last.1 += count;
                return;
            }
            let span = span_of(by, ms);
            let (before, count) = std::mem::replace(&mut last, (span, count));
            if count > 0 {
                counted.times.push((before.start, count));
            }
        };

        for block in 0..times.blocks() {
            let range = block * BLOCK..self.rows.min((block + 1) * BLOCK);
            let (least, most) = times.span(block);
            if whole && span_of(by, least).contains(&most) {
                add(least, range.len() as u64);
                continue;
            }
            times.block(block, &mut values);
            for (row, &ms) in range.zip(&values) {
                if whole || rows.has(row) {
                    add(ms, 1);
                }
            }
        }

        let (span, count) = last;
        if count > 0 {
            counted.times.push((span.start, count));
        }

        Ok(())
    }

    fn column(&self, column: QueryColumn) -> Option<&Field> {
        self.by_key
            .get(&kind::column_key(column))
            .map(|&at| &self.fields[at])
    }

    /// Counts a column and gives the rows back that have no value.
    fn count_column(
        &self,
        column: QueryColumn,
        rows: &Bits,
        counted: &mut IndexCount,
    ) -> io::Result<Option<Bits>> {
        let Some(field) = self.column(column) else {
            return Ok(Some(rows.clone()));
        };
        let Some(values) = &field.values else {
            return Ok(None);
        };

        let mut without = rows.clone();
        without.and_not(&field.present.rows(&self.file, self.rows)?);
        if rows.is_empty() {
            return Ok(Some(without));
        }

        let whole = rows.count() == self.rows as u64;
        let first = counted.counts.len();
        let lists = values.walk(&self.file, (0, ""), |_, _, text, list| {
            counted.text(text, if whole { list.count } else { 0 });
            if whole {
                DictionaryVerdict::Pass
            } else {
                DictionaryVerdict::Take
            }
        })?;
        values.each_list(&self.file, &lists, |at, held| {
            counted.counts[first + at] = held.count_in(rows)
        })?;

        Ok(Some(without))
    }

    fn count_open(
        &self,
        path: &FieldPath,
        rows: &Bits,
        counted: &mut IndexCount,
    ) -> io::Result<bool> {
        let Some(fields) = self.open_fields(path) else {
            return Ok(false);
        };

        let mut found: Vec<(String, &Field, DictionaryList)> = Vec::new();
        for (before, field) in fields {
            let Some(values) = &field.values else {
                return Ok(false);
            };
            values.walk(&self.file, (0, ""), |_, kind, text, list| {
                if matches!(kind, kind::TEXT | kind::NUMBER | kind::BOOL) {
                    found.push((format!("{before}{text}"), field, list.clone()));
                }
                DictionaryVerdict::Pass
            })?;
        }

        // The same text may stand under several names and kinds, and a row may have several of
        // them.
        found.sort_by(|a, b| a.0.cmp(&b.0));
        let mut without = rows.clone();

        for same in found.chunk_by(|a, b| a.0 == b.0) {
            let mut having = Bits::none(self.rows);
            for (_, field, list) in same {
                if let Some(values) = &field.values {
                    values.each_list(&self.file, std::slice::from_ref(list), |_, held| {
                        held.add_to(&mut having)
                    })?;
                }
            }
            having.and(rows);
            without.and_not(&having);
            let count = having.count();
            if count > 0 {
                counted.text(&same[0].0, count);
            }
        }

        counted.missing = without.count();
        Ok(true)
    }

    /// The fields that a path's values stand in, each with what is put before a value; `None` when
    /// the index does not know.
    fn open_fields(&self, path: &FieldPath) -> Option<Vec<(String, &Field)>> {
        let keyed = |key: &[u8]| {
            self.by_key
                .get(key)
                .map(|&at| (String::new(), &self.fields[at]))
                .into_iter()
                .collect()
        };

        let tags = || {
            self.fields.iter().filter_map(|field| {
                let name = field.key.strip_prefix(&[kind::TAG, b':'])?;
                Some((std::str::from_utf8(name).ok()?, field))
            })
        };

        if self.incomplete {
            return None;
        }

        let (root, path) = match path {
            FieldPath::ApiVersion => return Some(keyed(&[kind::API_VERSION, b':'])),
            FieldPath::MetadataTags => return Some(keyed(&[kind::LABELS, b':'])),
            FieldPath::Tags => {
                let mut all: Vec<_> = keyed(&[kind::LABELS, b':']);
                all.extend(tags().map(|(name, field)| (format!("{name}="), field)));
                return Some(all);
            }
            FieldPath::ResourceTags => {
                return Some(tags().map(|(_, field)| (String::new(), field)).collect());
            }
            FieldPath::ResourceTag(wanted) => {
                let named = tags().filter(|(name, _)| fold::equals(name, wanted));
                return Some(named.map(|(_, field)| (String::new(), field)).collect());
            }
            FieldPath::Submitter(field) => return Some(keyed(&kind::submitter_key(*field))),
            FieldPath::Before(path) => (kind::BEFORE, path),
            FieldPath::After(path) => (kind::AFTER, path),
            FieldPath::Metadata(path) => (kind::METADATA, path),
            FieldPath::Column(_) | FieldPath::User | FieldPath::Changes => return None,
        };

        // A number may name an element of a list, whose place the index does not keep.
        if path.iter().any(|step| step.parse::<usize>().is_ok()) {
            None
        } else {
            Some(keyed(&kind::path_key(root, path)))
        }
    }
}
