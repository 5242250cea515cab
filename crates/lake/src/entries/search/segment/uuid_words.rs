//! Words that may be pieces of UUIDs. An index keeps one piece of five, so that a search for one of
//! the others would be unsure of every row. For such words the columns that have UUIDs are read
//! instead of whole entries.

use std::io;
use std::sync::Arc;

use datafusion_expr::Expr;
use memchr::memmem::Finder;
use reeve_audit::query::{Expr as Asked, QueryColumn, TextMatch, TextWord};

use crate::entries::functions::text_condition;
use crate::entries::index::{Bits, EntryIndex, IndexAnswer, Known, longest_text};
use crate::entries::search::job::Job;

/// Rows up to which whole entries are read rather than columns of UUIDs.
const FEW: u64 = 512;

/// A term of the query, to be looked for in the columns that have UUIDs.
pub(super) struct UuidCondition<'q> {
    term: &'q TextMatch,
    pub(super) on_columns: Vec<Expr>,
}

impl UuidCondition<'_> {
    fn new<'q>(term: &'q TextMatch, columns: &[QueryColumn]) -> UuidCondition<'q> {
        let conditions = columns.iter().map(|&column| {
            let finder = TermFinder::new(term);
            text_condition(
                column,
                Arc::new(move |value| value.is_some_and(|value| finder.is_in(value))),
            )
        });
        UuidCondition {
            term,
            on_columns: conditions.reduce(Expr::or).into_iter().collect(),
        }
    }

    /// Returns the rows with these sequences as the rows that have the term.
    pub(super) fn known(&self, index: &EntryIndex, sequences: &[u64]) -> io::Result<Known> {
        let mut rows = Bits::none(index.rows());
        for &sequence in sequences {
            rows.set(index.row_at(sequence)?);
        }
        Ok(Known {
            term: self.term.clone(),
            rows,
        })
    }
}

/// Returns the conditions to be asked of columns before whole rows are read; `None` if reading rows
/// costs less or columns would settle nothing.
pub(super) fn conditions<'q>(
    job: &'q Job,
    index: &EntryIndex,
    answer: &IndexAnswer,
) -> Option<Vec<UuidCondition<'q>>> {
    let mut terms = Vec::new();
    add_terms(job.predicate.asked(), &mut terms);
    if terms.is_empty() || answer.unsure().is_none_or(|unsure| unsure.count() <= FEW) {
        return None;
    }

    let columns = index.uuid_columns().filter(|columns| !columns.is_empty())?;
    Some(
        terms
            .into_iter()
            .map(|term| UuidCondition::new(term, &columns))
            .collect(),
    )
}

/// Looks for a term in many short values, most of which have not even the bytes of its longest
/// word.
struct TermFinder {
    term: TextMatch,
    longest: Finder<'static>,
}

impl TermFinder {
    fn new(term: &TextMatch) -> Self {
        TermFinder {
            term: term.clone(),
            longest: Finder::new(longest_text(term).unwrap_or_default()).into_owned(),
        }
    }

    fn is_in(&self, value: &str) -> bool {
        let mut lower = [0; 64];
        if let Some(lower) = lower.get_mut(..value.len())
            && value.is_ascii()
        {
            lower.copy_from_slice(value.as_bytes());
            lower.make_ascii_lowercase();
            if self.longest.find(lower).is_none() {
                return false;
            }
        }

        self.term.found_in(value)
    }
}

/// Returns `true` if a word may be a piece of a UUID.
fn may_be_hex(word: &TextWord) -> bool {
    word.texts()
        .iter()
        .all(|text| text.bytes().all(|byte| byte.is_ascii_hexdigit()))
}

/// Adds the terms with a word that may be a piece of a UUID.
fn add_terms<'q>(asked: &'q Asked, terms: &mut Vec<&'q TextMatch>) {
    match asked {
        Asked::And(inner) | Asked::Or(inner) => {
            inner.iter().for_each(|inner| add_terms(inner, terms))
        }
        Asked::Not(inner) => add_terms(inner, terms),
        Asked::Text(term) if term.words.iter().any(may_be_hex) => {
            if !terms.contains(&term) {
                terms.push(term);
            }
        }
        Asked::All | Asked::Field { .. } | Asked::Text(_) => {}
    }
}
