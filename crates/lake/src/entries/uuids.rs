//! Words that may be pieces of UUIDs: an index keeps one piece of five, so that a search for one of the others would be unsure
//! of every row. Here the columns that have UUIDs are read instead of whole entries.

use std::sync::Arc;

use datafusion_expr::Expr;
use memchr::memmem::Finder;
use reeve_audit::query::{Expr as Asked, TextMatch};
use reeve_ledger::{SegmentMeta, TrailError};

use super::functions::text_condition;
use super::index::{Answer, Bits, Index, Known};
use super::parts::Job;
use super::segments::EntrySegments;
use super::windows::matching;

/// Rows that are read whole rather than looked at by their UUIDs first.
const FEW: u64 = 512;

/// What an index knows of a query, with the help of columns where that spares reading many rows; `None` when the index cannot be
/// read.
pub(super) async fn answer(
    segments: &EntrySegments,
    job: &Job,
    segment: &SegmentMeta,
    index: &Index,
) -> Result<Option<Answer>, TrailError> {
    let asked = job.predicate.asked();
    let Some(answer) = by_index(job, index, &[]).await? else { return Ok(None) };
    let mut terms = Vec::new();
    terms_of(asked, &mut terms);
    if terms.is_empty() || answer.unsure().is_none_or(|unsure| unsure.count() <= FEW) {
        return Ok(Some(answer));
    }
    let Some(columns) = index.uuid_columns().filter(|columns| !columns.is_empty()) else { return Ok(Some(answer)) };
    let mut known = Vec::new();
    for term in terms {
        let conditions = columns.iter().map(|&column| {
            let looked = Looked::new(term);
            text_condition(column, Arc::new(move |value| value.is_some_and(|value| looked.found_in(value))))
        });
        let condition: Vec<Expr> = conditions.reduce(Expr::or).into_iter().collect();
        let mut rows = Bits::none(index.rows());
        for sequence in matching(segments, job, segment, None, &condition).await? {
            match index.row_at(sequence) {
                Ok(row) => rows.set(row),
                Err(_) => return Ok(None),
            }
        }
        known.push(Known { term: term.clone(), rows });
    }
    by_index(job, index, &known).await
}

/// What an index knows, when it is this search's turn; `None` when the index cannot be read.
async fn by_index(job: &Job, index: &Index, known: &[Known]) -> Result<Option<Answer>, TrailError> {
    let _turn = job.budget.turn().await?;
    match index.answer(job.predicate.asked(), known, &job.budget) {
        Ok(answer) => Ok(Some(answer)),
        Err(error) => job.budget.is_over(&error).map(|()| None),
    }
}

/// A term that is looked for in many short values, most of which have not even the bytes of its longest word.
struct Looked {
    term: TextMatch,
    longest: Finder<'static>,
}

impl Looked {
    fn new(term: &TextMatch) -> Self {
        let longest = term.words.iter().filter(|word| word.is_ascii()).max_by_key(|word| word.len());
        Looked { term: term.clone(), longest: Finder::new(longest.map_or("", String::as_str)).into_owned() }
    }

    fn found_in(&self, value: &str) -> bool {
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

/// Terms with a word that may be a piece of a UUID.
fn terms_of<'q>(asked: &'q Asked, into: &mut Vec<&'q TextMatch>) {
    match asked {
        Asked::And(terms) | Asked::Or(terms) => terms.iter().for_each(|term| terms_of(term, into)),
        Asked::Not(term) => terms_of(term, into),
        Asked::Text(term) if term.words.iter().any(|word| word.bytes().all(|byte| byte.is_ascii_hexdigit())) => {
            if !into.contains(&term) {
                into.push(term);
            }
        }
        Asked::All | Asked::Field { .. } | Asked::Text(_) => {}
    }
}
