//! From a query's tree to conditions on a segment's rows.
//!
//! What columns can express exactly becomes a condition on columns; the rest (free words, states,
//! open metadata, tags) is judged by the audit crate on the canonical bytes, after the columns have
//! thinned the rows out.

use std::sync::Arc;

use datafusion_common::ScalarValue;
use datafusion_expr::{Expr, col, lit, not};
use jiff::Timestamp;
use reeve_audit::query::{
    Bound, Expr as Asked, FieldPath, Match, QueryColumn, QueryComparison, TextWord, words,
};
use reeve_audit::{Entry, Severity, SubmitterField};

use super::functions::{entry_condition, text_condition};

/// A part of a query by what it takes to answer it.
enum Term {
    /// Same answer for every row.
    Constant(bool),
    /// Decided by columns of the segment alone.
    Columns(Expr),
    /// The entry is needed.
    Entry(Asked),
    /// Both, put together already.
    Mixed(Expr),
}

/// Parts of a conjunction or disjunction, sorted by what it takes.
#[derive(Default)]
struct Terms {
    constants: Vec<bool>,
    columns: Vec<Expr>,
    entries: Vec<Asked>,
    mixed: Vec<Expr>,
}

impl Terms {
    fn new(asked: &[Asked], now: Timestamp) -> Self {
        let mut terms = Terms::default();
        for one in asked {
            match term(one, now) {
                Term::Constant(value) => terms.constants.push(value),
                Term::Columns(condition) => terms.columns.push(condition),
                Term::Entry(asked) => terms.entries.push(asked),
                Term::Mixed(condition) => terms.mixed.push(condition),
            }
        }

        terms
    }

    fn all(self, now: Timestamp) -> Term {
        match (
            self.columns.is_empty(),
            self.entries.is_empty(),
            self.mixed.is_empty(),
        ) {
            _ if self.constants.contains(&false) => Term::Constant(false),
            (true, true, true) => Term::Constant(true),
            (false, true, true) => {
                folded(self.columns, Expr::and).map_or(Term::Constant(true), Term::Columns)
            }
            (true, false, true) => Term::Entry(Asked::and(self.entries)),
            _ => folded(self.conjuncts(now), Expr::and).map_or(Term::Constant(true), Term::Mixed),
        }
    }

    fn any(self, now: Timestamp) -> Term {
        match (
            self.columns.is_empty(),
            self.entries.is_empty(),
            self.mixed.is_empty(),
        ) {
            _ if self.constants.contains(&true) => Term::Constant(true),
            (true, true, true) => Term::Constant(false),
            (false, true, true) => {
                folded(self.columns, Expr::or).map_or(Term::Constant(false), Term::Columns)
            }
            (true, false, true) => Term::Entry(Asked::or(self.entries)),
            (_, true, _) => folded(self.columns.into_iter().chain(self.mixed), Expr::or)
                .map_or(Term::Constant(false), Term::Mixed),
            _ => {
                // The entry is read only where the rest has not found the row already.
                let known = folded(self.columns.into_iter().chain(self.mixed), Expr::or);
                Term::Mixed(on_entry(Asked::or(self.entries), known, now))
            }
        }
    }

    /// As separate conditions: columns first, canonical bytes last and read once.
    fn conjuncts(self, now: Timestamp) -> Vec<Expr> {
        let mut conjuncts = self.columns;
        conjuncts.extend(self.mixed);
        if !self.entries.is_empty() {
            conjuncts.push(on_entry(Asked::and(self.entries), None, now));
        }
        conjuncts
    }
}

fn folded(
    conditions: impl IntoIterator<Item = Expr>,
    join: impl Fn(Expr, Expr) -> Expr,
) -> Option<Expr> {
    conditions.into_iter().reduce(join)
}

/// The conjuncts of the whole query; `None` when nothing can match.
pub(super) fn conditions(asked: &[Asked], now: Timestamp) -> Option<Vec<Expr>> {
    let terms = Terms::new(asked, now);
    if terms.constants.contains(&false) {
        None
    } else {
        Some(terms.conjuncts(now))
    }
}

fn term(asked: &Asked, now: Timestamp) -> Term {
    match asked {
        Asked::All => Term::Constant(true),
        Asked::And(terms) => Terms::new(terms, now).all(now),
        Asked::Or(terms) => Terms::new(terms, now).any(now),
        Asked::Not(inner) => match term(inner, now) {
            Term::Constant(value) => Term::Constant(!value),
            Term::Columns(condition) => Term::Columns(not(condition)),
            Term::Entry(asked) => Term::Entry(Asked::negate(asked)),
            Term::Mixed(condition) => Term::Mixed(not(condition)),
        },
        Asked::Field {
            field: FieldPath::Column(column),
            op,
        } if column.is_time() => on_time(*column, op).unwrap_or_else(|| Term::Entry(asked.clone())),
        Asked::Field {
            field: FieldPath::Column(column),
            op,
        } => Term::Columns(on_text(*column, op)),
        Asked::Field {
            field: FieldPath::User,
            op,
        } => Term::Columns(
            on_text(QueryColumn::ActorId, op).or(on_text(QueryColumn::ActorEmail, op)),
        ),
        Asked::Field { .. } | Asked::Text(_) => Term::Entry(asked.clone()),
    }
}

fn on_time(column: QueryColumn, op: &Match) -> Option<Term> {
    let instant = |ms: i64| {
        lit(ScalarValue::TimestampMicrosecond(
            Some(ms.saturating_mul(1_000)),
            Some("UTC".into()),
        ))
    };
    match op {
        Match::Exists => Some(Term::Constant(true)),
        Match::Compare(side, Bound::Time(at)) => {
            let value = col(column.segment_name());
            Some(Term::Columns(match span(*side, *at) {
                (first, i64::MAX) => value.gt_eq(instant(first)),
                (_, last) => value.lt_eq(instant(last)),
            }))
        }
        _ => None,
    }
}

/// Returns the instants on one side of a point in time, in whole milliseconds, both ends included.
pub(super) fn span(side: QueryComparison, at: Timestamp) -> (i64, i64) {
    let floor = i64::try_from(at.as_nanosecond().div_euclid(1_000_000)).unwrap_or_default();
    let whole = i128::from(floor) * 1_000_000 == at.as_nanosecond();

    match side {
        QueryComparison::Greater => (floor + 1, i64::MAX),
        QueryComparison::AtLeast => (if whole { floor } else { floor + 1 }, i64::MAX),
        QueryComparison::Less => (i64::MIN, if whole { floor - 1 } else { floor }),
        QueryComparison::AtMost => (i64::MIN, floor),
    }
}

fn on_text(column: QueryColumn, op: &Match) -> Expr {
    let op = op.clone();
    text_condition(
        column,
        Arc::new(move |value| value.is_some_and(|value| holds(column, value, &op))),
    )
}

/// Returns `true` if a value of a text column meets a condition, as `reeve_audit::query` says. A
/// test holds the two together.
pub(super) fn holds(column: QueryColumn, value: &str, op: &Match) -> bool {
    match op {
        Match::Compare(side, Bound::Severity(bound)) if column == QueryColumn::Severity => value
            .parse::<Severity>()
            .is_ok_and(|severity| side.is_satisfied(&severity, bound)),
        _ if column == QueryColumn::ActorIpAddress => address_holds(value, op),
        _ => op.is_satisfied_by(value),
    }
}

/// The same of a member of the submitter.
pub(super) fn submitter_holds(field: SubmitterField, value: &str, op: &Match) -> bool {
    if field == SubmitterField::IpAddress {
        address_holds(value, op)
    } else {
        op.is_satisfied_by(value)
    }
}

fn address_holds(value: &str, op: &Match) -> bool {
    match op {
        Match::Ip(wanted) => value.parse() == Ok(*wanted),
        Match::Between(range) => value
            .parse::<std::net::IpAddr>()
            .is_ok_and(|address| range.holds(|side, bound| bound.orders_address(side, address))),
        _ => op.is_satisfied_by(value),
    }
}

fn on_entry(asked: Asked, known: Option<Expr>, now: Timestamp) -> Expr {
    let mut needed = Vec::new();
    words_needed(&asked, &mut needed);
    let holds = move |canonical: &[u8]| {
        let (entry, recorded_at) =
            Entry::from_canonical(canonical).map_err(|error| error.to_string())?;
        Ok(asked.matches(&entry, recorded_at, now))
    };

    entry_condition(Arc::new(holds), &needed, known)
}

/// Words, in lower case, that stand in the canonical bytes of every entry that meets the condition.
/// Canonical JSON escapes no letter and no digit, so a value's words are there as they are.
pub(super) fn words_needed(asked: &Asked, needed: &mut Vec<String>) {
    let mut add = |text: &str| needed.extend(words(text).map(str::to_lowercase));
    match asked {
        Asked::And(terms) => terms.iter().for_each(|term| words_needed(term, needed)),
        Asked::Text(term) => {
            needed.extend(
                term.words
                    .iter()
                    .flat_map(TextWord::texts)
                    .map(str::to_owned),
            );
        }
        Asked::Field {
            field: FieldPath::Column(_),
            ..
        } => {}
        Asked::Field { op, .. } => match op {
            // A number is the same however it is written.
            Match::Exact(wanted) | Match::Identical(wanted) if wanted.parse::<f64>().is_err() => {
                add(wanted)
            }
            Match::Prefix(start) => add(start),
            Match::Glob(pattern) => pattern.texts().for_each(add),
            _ => {}
        },
        Asked::All | Asked::Or(_) | Asked::Not(_) => {}
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use reeve_audit::query::Query;

    #[test]
    fn spans_are_whole_milliseconds() {
        let at: Timestamp = "1970-01-01T00:00:00.010Z".parse().unwrap();
        let between: Timestamp = "1970-01-01T00:00:00.0105Z".parse().unwrap();

        for (side, at, expect) in [
            (QueryComparison::Greater, at, (11, i64::MAX)),
            (QueryComparison::Greater, between, (11, i64::MAX)),
            (QueryComparison::AtLeast, at, (10, i64::MAX)),
            (QueryComparison::AtLeast, between, (11, i64::MAX)),
            (QueryComparison::Less, at, (i64::MIN, 9)),
            (QueryComparison::Less, between, (i64::MIN, 10)),
            (QueryComparison::AtMost, at, (i64::MIN, 10)),
            (QueryComparison::AtMost, between, (i64::MIN, 10)),
        ] {
            assert_eq!(span(side, at), expect, "{side:?} {at}");
        }
    }

    fn needed(query: &str) -> Vec<String> {
        let mut needed = Vec::new();
        words_needed(&Query::parse(query).unwrap().expr, &mut needed);
        needed
    }

    #[test]
    fn words_are_needed_only_where_every_match_has_them() {
        for (query, expect) in [
            ("Alice example", &["alice", "example"][..]),
            ("\"i-0abc def\"", &["i", "0abc", "def"]),
            ("changes.after.size:t3.Large", &["t3", "large"]),
            ("changes.after.count:5.0", &[]),
            ("tags:prod*", &["prod"]),
            ("alice OR bob", &[]),
            ("-alice", &[]),
            ("metadata.x:*", &[]),
        ] {
            assert_eq!(needed(query), expect, "{query}");
        }
    }
}
