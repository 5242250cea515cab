//! Counting values out of an index: how many of some rows have each, without reading the rows.

use std::io;

use reeve_audit::query::{Column, FieldPath, fold};
use reeve_ledger::GroupBy;

use super::bits::Bits;
use super::code::BLOCK;
use super::dictionary::{List, Verdict};
use super::kind;
use super::open::{Field, Index};
use crate::entries::tally::Tally;

impl Index {
    /// Counts the values that rows have; false, with nothing counted, when the index does not hold them.
    pub(in crate::entries) fn count(&self, by: &GroupBy, rows: &Bits, tally: &mut Tally) -> io::Result<bool> {
        match by {
            GroupBy::Column(column) | GroupBy::Time { column, .. } if column.is_time() => {
                self.count_times(*column == Column::RecordedAt, rows, tally)?;
                Ok(true)
            }
            GroupBy::Column(column) | GroupBy::Field(FieldPath::Column(column)) => {
                let Some(without) = self.count_column(*column, rows, tally)? else { return Ok(false) };
                tally.missing(without.count());
                Ok(true)
            }
            GroupBy::User | GroupBy::Field(FieldPath::User) => {
                let mine = [Column::ActorEmail, Column::ActorId];
                if mine.iter().any(|column| self.column(*column).is_some_and(|field| field.values.is_none())) {
                    return Ok(false);
                }
                let mut rest = rows.clone();
                for column in mine {
                    rest = self.count_column(column, &rest, tally)?.unwrap_or(rest);
                }
                tally.missing(rest.count());
                Ok(true)
            }
            GroupBy::Time { .. } => Ok(false),
            GroupBy::Field(field) => self.count_open(field, rows, tally),
        }
    }

    fn count_times(&self, recorded: bool, rows: &Bits, tally: &mut Tally) -> io::Result<()> {
        let times = self.times(recorded)?;
        let whole = rows.count() == self.rows as u64;
        let mut values = Vec::new();
        for block in 0..times.blocks() {
            let range = block * BLOCK..self.rows.min((block + 1) * BLOCK);
            let (least, most) = times.span(block);
            if whole && tally.is_one_span(least, most) {
                tally.time(least, range.len() as u64);
                continue;
            }
            times.block(block, &mut values);
            for (row, &ms) in range.zip(&values) {
                if whole || rows.has(row) {
                    tally.time(ms, 1);
                }
            }
        }
        Ok(())
    }

    fn column(&self, column: Column) -> Option<&Field> {
        self.by_key.get(&kind::column_key(column)).map(|&at| &self.fields[at])
    }

    /// Counts a column and gives the rows back that have no value.
    fn count_column(&self, column: Column, rows: &Bits, tally: &mut Tally) -> io::Result<Option<Bits>> {
        let Some(field) = self.column(column) else { return Ok(Some(rows.clone())) };
        let Some(values) = &field.values else { return Ok(None) };
        let mut without = rows.clone();
        without.and_not(&field.present.rows(&self.file, self.rows)?);
        if rows.count() == self.rows as u64 {
            values.walk(&self.file, (0, ""), |_, _, text, list| {
                tally.text(text, list.count);
                Verdict::Pass
            })?;
            return Ok(Some(without));
        }
        let (mut texts, mut ends) = (String::new(), Vec::new());
        let lists = values.walk(&self.file, (0, ""), |_, _, text, _| {
            texts.push_str(text);
            ends.push(texts.len());
            Verdict::Take
        })?;
        values.each_list(&self.file, &lists, |at, held| {
            let count = held.count_in(rows);
            if count > 0 {
                let start = if at == 0 { 0 } else { ends[at - 1] };
                tally.text(texts.get(start..ends[at]).unwrap_or_default(), count);
            }
        })?;
        Ok(Some(without))
    }

    fn count_open(&self, path: &FieldPath, rows: &Bits, tally: &mut Tally) -> io::Result<bool> {
        let Some(fields) = self.open_fields(path) else { return Ok(false) };
        let mut found: Vec<(String, &Field, List)> = Vec::new();
        for (before, field) in fields {
            let Some(values) = &field.values else { return Ok(false) };
            values.walk(&self.file, (0, ""), |_, kind, text, list| {
                if matches!(kind, kind::TEXT | kind::NUMBER | kind::BOOL) {
                    found.push((format!("{before}{text}"), field, list.clone()));
                }
                Verdict::Pass
            })?;
        }
        // The same text may stand under several names and kinds, and a row may have several of them.
        found.sort_by(|a, b| a.0.cmp(&b.0));
        let mut without = rows.clone();
        for same in found.chunk_by(|a, b| a.0 == b.0) {
            let mut having = Bits::none(self.rows);
            for (_, field, list) in same {
                if let Some(values) = &field.values {
                    values.each_list(&self.file, std::slice::from_ref(list), |_, held| held.add_to(&mut having))?;
                }
            }
            having.and(rows);
            without.and_not(&having);
            let count = having.count();
            if count > 0 {
                tally.text(&same[0].0, count);
            }
        }
        tally.missing(without.count());
        Ok(true)
    }

    /// The fields that a path's values stand in, each with what is put before a value; `None` when the index does not know.
    fn open_fields(&self, path: &FieldPath) -> Option<Vec<(String, &Field)>> {
        let keyed =
            |key: &[u8]| self.by_key.get(key).map(|&at| (String::new(), &self.fields[at])).into_iter().collect();
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
            FieldPath::ResourceTags => return Some(tags().map(|(_, field)| (String::new(), field)).collect()),
            FieldPath::ResourceTag(wanted) => {
                let named = tags().filter(|(name, _)| fold::equals(name, wanted));
                return Some(named.map(|(_, field)| (String::new(), field)).collect());
            }
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
