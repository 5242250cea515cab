//! The index of rules: which rules an entry can match at all.
//!
//! From a condition follow *necessary* conditions on single columns: the entry has one of these
//! texts, or begins or ends with one. Each rule is filed under the cheapest set of alternatives
//! that its condition implies, and only rules found under the entry's own texts are asked. A rule
//! whose condition implies none (a negation, a free word, a path inside a state) is asked about
//! every entry.

mod atom;

use hashbrown::HashMap;
use reeve_audit::Entry;
use reeve_audit::query::{Query, QueryColumn, column_text, fold};

use atom::{Atom, Place, Popularity};

/// Rules by what they can match. Rules are numbered by their position in the list that the index
/// was made of.
#[derive(Debug, Default)]
pub struct RuleIndex {
    columns: Vec<ColumnIndex>,
    /// Rules that are asked about every entry.
    residual: Vec<u32>,
}

#[derive(Debug)]
struct ColumnIndex {
    column: QueryColumn,
    whole: HashMap<Box<str>, Vec<u32>>,
    starts: Affixes,
    ends: Affixes,
}

/// Beginnings or ends, looked up once for each length that occurs.
#[derive(Debug, Default)]
struct Affixes {
    lengths: Vec<usize>,
    rules: HashMap<Box<str>, Vec<u32>>,
}

impl Affixes {
    fn insert(&mut self, text: Box<str>, rule: u32) {
        if let Err(at) = self.lengths.binary_search(&text.len()) {
            self.lengths.insert(at, text.len());
        }
        self.rules.entry(text).or_default().push(rule);
    }
}

impl RuleIndex {
    /// Builds the index of these conditions.
    #[must_use]
    pub fn new<'q>(conditions: impl Iterator<Item = &'q Query> + Clone) -> RuleIndex {
        let mut popularity = Popularity::default();
        for query in conditions.clone() {
            popularity.add(&query.expr);
        }

        let mut index = RuleIndex::default();
        for (rule, query) in (0_u32..).zip(conditions) {
            match popularity.cheapest(&query.expr) {
                Some(atoms) => atoms.into_iter().for_each(|atom| index.insert(atom, rule)),
                None => index.residual.push(rule),
            }
        }

        index
    }

    /// Number of rules that are asked about every entry.
    #[must_use]
    pub fn residual(&self) -> usize {
        self.residual.len()
    }

    fn insert(&mut self, atom: Atom, rule: u32) {
        let at = self
            .columns
            .iter()
            .position(|column| column.column == atom.column)
            .unwrap_or_else(|| {
                self.columns.push(ColumnIndex {
                    column: atom.column,
                    whole: HashMap::new(),
                    starts: Affixes::default(),
                    ends: Affixes::default(),
                });
                self.columns.len() - 1
            });
        let column = &mut self.columns[at];

        match atom.place {
            Place::Whole => column.whole.entry(atom.text).or_default().push(rule),
            Place::Start => column.starts.insert(atom.text, rule),
            Place::End => column.ends.insert(atom.text, rule),
        }
    }

    /// Puts the rules that may match an entry into `found`, in their order, each once.
    pub fn candidates(&self, entry: &Entry, found: &mut Vec<u32>) {
        found.clear();
        found.extend_from_slice(&self.residual);

        for index in &self.columns {
            let Some(text) = column_text(entry, index.column) else {
                continue;
            };
            let text = fold::fold(&text);
            if let Some(rules) = index.whole.get(text.as_ref()) {
                found.extend_from_slice(rules);
            }
            for length in &index.starts.lengths {
                let Some(rules) = text
                    .get(..*length)
                    .and_then(|start| index.starts.rules.get(start))
                else {
                    continue;
                };
                found.extend_from_slice(rules);
            }
            for length in &index.ends.lengths {
                let end = text
                    .len()
                    .checked_sub(*length)
                    .and_then(|at| text.get(at..));
                let Some(rules) = end.and_then(|end| index.ends.rules.get(end)) else {
                    continue;
                };
                found.extend_from_slice(rules);
            }
        }

        found.sort_unstable();
        found.dedup();
    }
}

#[cfg(test)]
mod tests;
