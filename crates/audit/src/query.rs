//! The query language: reading, printing, and THE meaning of a query.
//!
//! [`Query::matches`] decides whether an entry is found; whatever searches faster must agree with
//! it. The language is described in `docs/query-language.md`.

mod ast;
mod column;
mod error;
mod eval;
mod field;
mod filter;
pub mod fold;
mod list;
mod parse;
mod pattern;
mod print;
mod range;
mod regular;
mod resource;
mod scan;
mod sort;
mod spelling;
mod text;
mod time;
mod value;

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use jiff::Timestamp;

pub use ast::{Bound, Expr, Match, QueryComparison, Range};
pub use column::{FieldPath, QueryColumn};
pub use error::QueryError;
pub use field::{FieldKind, QueryField, field_names, fields};
pub use filter::{FILTERS, filter, may_be_by_reeve, time_range};
pub use list::{ListName, ValueList, network};
pub use parse::{MAX_QUERY_BYTES, MAX_QUERY_DEPTH, MAX_QUERY_TERMS};
pub use pattern::{Pattern, PatternPiece};
pub use regular::{MAX_EXPRESSION_BYTES, MAX_EXPRESSION_VALUE, MAX_EXPRESSIONS, RegularExpression};
pub use sort::{Sort, SortKey};
pub use text::{EntryWords, TextMatch, TextWord, words};
pub use time::point_in_time;
pub use value::{MAX_CHARACTER_WILDCARDS, MAX_WILDCARDS};

use crate::entry::Entry;

/// Name of a list that a query compares with and that does not exist.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("there is no list `{0}`")]
pub struct UnknownList(pub String);

/// A query, ready to be asked of entries.
#[derive(Debug, Clone, PartialEq)]
pub struct Query {
    /// Condition that an entry has to satisfy.
    pub expr: Expr,
}

impl Query {
    /// The query that every entry satisfies.
    pub const fn all() -> Self {
        Self { expr: Expr::All }
    }

    /// Reads a query; the empty one finds every entry.
    pub fn parse(text: &str) -> Result<Self, QueryError> {
        parse::parse(text).map(|expr| Self { expr })
    }

    /// Reads a query over resources of the estate instead of entries: the same syntax, with the
    /// fields of resources. Such a query is evaluated on a resource presented as an entry: its
    /// configuration as `changes.after`, its other attributes as metadata.
    pub fn parse_over_resources(text: &str) -> Result<Self, QueryError> {
        parse::parse_with(text, resource::resolve).map(|expr| Self { expr })
    }

    /// Asks for `condition` as well: row visibility, a time range, a filter.
    pub fn and(self, condition: Expr) -> Self {
        match (self.expr, condition) {
            (Expr::All, condition) => Self { expr: condition },
            (expr, Expr::All) => Self { expr },
            (expr, condition) => Self {
                expr: Expr::and([expr, condition]),
            },
        }
    }

    /// Returns the query for counting: an action that was announced (`pending`) and then ended
    /// counts once, by its outcome. A query that itself asks for a status, or has a grouping by it,
    /// counts what it asks for.
    ///
    /// Every count that people read as a number of events follows this one rule: reports,
    /// statistics, thresholds.
    #[must_use]
    pub fn counting_outcomes(self) -> Self {
        if filter::names_status(&self.expr) {
            self
        } else {
            self.and(filter::no_intent())
        }
    }

    /// Returns the query with each condition on an operation widened to both of its spellings:
    /// `DeleteSnapshot`, as clouds write it, and `delete_snapshot`. Rules that watch use it,
    /// because sources of entries differ.
    #[must_use]
    pub fn any_spelling(self) -> Self {
        Self {
            expr: spelling::any_spelling(self.expr),
        }
    }

    /// Returns the query with the values of the lists that it names, so that it means these values
    /// from now on.
    ///
    /// # Errors
    /// A list that the query names is not among them.
    pub fn with_lists(
        &self,
        values: &BTreeMap<String, Arc<ValueList>>,
    ) -> Result<Self, UnknownList> {
        self.expr.with_lists(values).map(|expr| Self { expr })
    }

    /// Returns `true` if the entry satisfies the query; relative times (`now-24h`) count from
    /// `now`.
    pub fn matches(&self, entry: &Entry, recorded_at: Timestamp, now: Timestamp) -> bool {
        self.expr.matches(entry, recorded_at, now)
    }

    /// [`Query::matches`] for one of many queries that are asked about the same entry.
    pub fn matches_words(
        &self,
        words: &EntryWords<'_>,
        recorded_at: Timestamp,
        now: Timestamp,
    ) -> bool {
        let candidate = eval::QueryCandidate {
            entry: words.entry(),
            recorded_at,
            now,
            words: Some(words),
        };
        eval::matches(&self.expr, candidate)
    }

    /// Returns the query with all relative times replaced by instants.
    pub fn resolve(&self, now: Timestamp) -> Self {
        Self {
            expr: self.expr.resolve(now),
        }
    }
}

impl Expr {
    /// Returns `true` if the entry satisfies the expression; relative times (`now-24h`) count from
    /// `now`.
    pub fn matches(&self, entry: &Entry, recorded_at: Timestamp, now: Timestamp) -> bool {
        eval::matches(
            self,
            eval::QueryCandidate {
                entry,
                recorded_at,
                now,
                words: None,
            },
        )
    }

    /// Returns the condition with all relative times replaced by instants.
    pub fn resolve(&self, now: Timestamp) -> Self {
        match self {
            Self::And(terms) => Self::And(terms.iter().map(|term| term.resolve(now)).collect()),
            Self::Or(terms) => Self::Or(terms.iter().map(|term| term.resolve(now)).collect()),
            Self::Not(term) => Self::negate(term.resolve(now)),
            Self::Field { field, op } if op.is_relative() => {
                Self::field(field.clone(), op.resolve(now))
            }
            other => other.clone(),
        }
    }

    /// Returns the names of the lists that the condition compares with.
    pub fn lists(&self) -> BTreeSet<&str> {
        match self {
            Self::And(terms) | Self::Or(terms) => terms.iter().flat_map(Self::lists).collect(),
            Self::Not(term) => term.lists(),
            Self::Field {
                op: Match::Listed(list),
                ..
            } => BTreeSet::from([list.name.as_str()]),
            Self::All | Self::Field { .. } | Self::Text(_) => BTreeSet::new(),
        }
    }

    fn with_lists(&self, values: &BTreeMap<String, Arc<ValueList>>) -> Result<Self, UnknownList> {
        let all = |terms: &[Self]| {
            terms
                .iter()
                .map(|term| term.with_lists(values))
                .collect::<Result<Vec<_>, _>>()
        };
        Ok(match self {
            Self::And(terms) => Self::And(all(terms)?),
            Self::Or(terms) => Self::Or(all(terms)?),
            Self::Not(term) => Self::negate(term.with_lists(values)?),
            Self::Field {
                field,
                op: Match::Listed(list),
            } => {
                let known = values
                    .get(&list.name)
                    .ok_or_else(|| UnknownList(list.name.clone()))?;
                Self::field(
                    field.clone(),
                    Match::Listed(list.clone().with_values(Arc::clone(known))),
                )
            }
            other => other.clone(),
        })
    }
}

impl Match {
    /// Returns the condition with distances from now replaced by instants.
    fn resolve(&self, now: Timestamp) -> Self {
        let resolved = |bound: &Bound| match bound {
            Bound::Now(ms) => Bound::Time(eval::from_now(now, *ms)),
            bound => bound.clone(),
        };
        match self {
            Self::Compare(side, bound) => Self::Compare(*side, resolved(bound)),
            Self::Between(range) => {
                let end = |end: &Option<(QueryComparison, Bound)>| {
                    end.as_ref().map(|(side, bound)| (*side, resolved(bound)))
                };
                Self::Between(Box::new(Range {
                    low: end(&range.low),
                    high: end(&range.high),
                }))
            }
            other => other.clone(),
        }
    }
}

/// The text an entry has in a column, if any; `None` for the two columns of time.
pub fn column_text(entry: &Entry, column: QueryColumn) -> Option<Cow<'_, str>> {
    eval::column_text(entry, column)
}

impl FromStr for Query {
    type Err = QueryError;

    fn from_str(text: &str) -> Result<Self, QueryError> {
        Self::parse(text)
    }
}

impl FromStr for FieldPath {
    type Err = QueryError;

    /// Reads a field's name as a query has it before the colon, short forms and quoted members
    /// included.
    fn from_str(text: &str) -> Result<Self, QueryError> {
        parse::field_path(text)
    }
}

impl fmt::Display for Query {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.expr.fmt(f)
    }
}

#[cfg(test)]
mod tests;
