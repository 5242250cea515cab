//! From a written value to a condition, by what its field holds.

use std::str::FromStr;

use jiff::SignedDuration;

use super::ast::{Bound, Expr, Match, QueryComparison};
use super::column::{FieldPath, QueryColumn};
use super::error::Problem;
use super::fold;
use super::list::{ListName, network};
use super::pattern::{Pattern, PatternPiece};
use super::regular::RegularExpression;
use super::time::{QueryMoment, moment};
use crate::address::parse_address;
use crate::entry::{
    ActionMethod, ActionStatus, ActorType, Severity, SubmitterField, SubmitterType, UnknownName,
};

/// A value may have this many stars.
pub const MAX_WILDCARDS: usize = 16;
/// A value may have this many question marks.
pub const MAX_CHARACTER_WILDCARDS: usize = 64;
/// The name of a list in a query may have this many characters.
const MAX_LIST_NAME: usize = 140;

/// Comparison operator written before a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Operator {
    /// No operator: the field decides about the comparison.
    Plain,
    /// `=`: byte for byte.
    Identical,
    /// `>`, `>=`, `<`, `<=`.
    Side(QueryComparison),
    /// `@`: on a list or in a network.
    Member,
}

/// A written value with its wildcards.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Written {
    /// Text of the value, with its wildcards.
    pub(super) pattern: Pattern,
    /// Any part of it stood in quotes.
    pub(super) quoted: bool,
}

impl Written {
    /// Reads unquoted text whose stars are wildcards.
    pub(super) fn starred(text: &str) -> Self {
        Self {
            pattern: Pattern::starred(text.split('*')),
            quoted: false,
        }
    }

    /// Returns the text, wildcards included.
    pub(super) fn text(&self) -> String {
        self.pattern.text()
    }

    fn into_match(self) -> Match {
        self.pattern.into()
    }
}

/// Refuses more wildcards than a value may have.
pub(super) fn bounded(pattern: &Pattern) -> Result<(), Problem> {
    let count = |wanted: &PatternPiece| {
        pattern
            .pieces()
            .iter()
            .filter(|piece| *piece == wanted)
            .count()
    };

    for (piece, sign, limit) in [
        (PatternPiece::AnyText, '*', MAX_WILDCARDS),
        (PatternPiece::AnyCharacter, '?', MAX_CHARACTER_WILDCARDS),
    ] {
        let count = count(&piece);
        if count > limit {
            return Err(Problem::new(format!(
                "the value has {count} wildcards `{sign}`; the limit is {limit}"
            )));
        }
    }

    Ok(())
}

/// The condition that a field, an operator and a value mean together.
pub(super) fn condition(
    field: &FieldPath,
    operator: Operator,
    written: Written,
) -> Result<Expr, Problem> {
    let wildcard = written.pattern.is_wild();
    bounded(&written.pattern)?;
    if operator != Operator::Plain && wildcard {
        return Err(Problem::new("a comparison cannot have a wildcard")
            .hint("quote the value to mean the star or question mark itself"));
    }

    let op = match (field, operator) {
        (_, Operator::Plain) if *written.pattern.pieces() == [PatternPiece::AnyText] => {
            Match::Exists
        }
        (FieldPath::Column(column), Operator::Member) if column.is_time() => {
            return Err(Problem::new("a time is on no list")
                .hint("write a range, such as [2026-11-01 TO 2026-11-20]"));
        }
        (FieldPath::Column(column), _) if column.is_time() => {
            return time(*column, operator, &written);
        }
        (FieldPath::Changes, _) => return Err(whole_state("changes.after")),
        (FieldPath::Before(path), _) if path.is_empty() => {
            return Err(whole_state("changes.before"));
        }
        (FieldPath::After(path), _) if path.is_empty() => return Err(whole_state("changes.after")),
        (_, Operator::Member) => member(&written)?,
        (field, Operator::Plain | Operator::Identical) if holds_address(field) => address(written)?,
        (FieldPath::Column(QueryColumn::Severity), Operator::Side(side)) => {
            Match::Compare(side, Bound::Severity(known::<Severity>(&written.text())?))
        }
        (field, Operator::Plain | Operator::Identical) if closed(field).is_some() => {
            name(field, written)?
        }
        (_, Operator::Plain) => written.into_match(),
        (_, Operator::Identical) => Match::Identical(written.text()),
        (field, Operator::Side(side)) if is_open(field) => compare(side, &written.text())?,
        (_, Operator::Side(side)) => {
            let message = format!(
                "`{}` compares times, numbers and severities, which this field does not hold",
                side.as_str()
            );
            return Err(Problem::new(message)
                .hint("write field:[a TO b], field:value, field:val* or field:*"));
        }
    };

    Ok(Expr::field(field.clone(), op))
}

/// Returns `true` for fields that hold an address and nothing else.
pub(super) fn holds_address(field: &FieldPath) -> bool {
    matches!(
        field,
        FieldPath::Column(QueryColumn::ActorIpAddress)
            | FieldPath::Submitter(SubmitterField::IpAddress)
    )
}

/// Returns `true` for fields whose values may be texts, numbers and times.
pub(super) fn is_open(field: &FieldPath) -> bool {
    matches!(
        field,
        FieldPath::ResourceTag(_)
            | FieldPath::Before(_)
            | FieldPath::After(_)
            | FieldPath::Metadata(_)
    )
}

/// The condition of a regular expression on a field.
pub(super) fn regular(field: &FieldPath, expression: RegularExpression) -> Result<Expr, Problem> {
    match field {
        FieldPath::Column(column) if column.is_time() => {
            Err(Problem::new("a time has no regular expression")
                .hint("write a range, such as [2026-11-01 TO 2026-11-20]"))
        }
        FieldPath::Changes => Err(whole_state("changes.after")),
        FieldPath::Before(path) if path.is_empty() => Err(whole_state("changes.before")),
        FieldPath::After(path) if path.is_empty() => Err(whole_state("changes.after")),
        field => Ok(Expr::field(field.clone(), Match::Regular(expression))),
    }
}

/// A network, an address or the name of a list, written after `@`.
fn member(written: &Written) -> Result<Match, Problem> {
    let text = written.text();
    if let Some(net) = network(&text).filter(|_| !written.quoted) {
        return Ok(Match::Cidr(net));
    }
    if text.contains('/') && !written.quoted {
        return Err(not_an_address(&text));
    }
    if text.is_empty() || text.chars().count() > MAX_LIST_NAME || text.contains(char::is_control) {
        return Err(Problem::new(format!("the name of a list has 1 to {MAX_LIST_NAME} characters"))
            .hint("write @known_addresses, @threat:NAME or @10.0.0.0/8; quote the value to mean the @ itself"));
    }

    Ok(Match::Listed(ListName::new(text)))
}

pub(super) fn whole_state(name: &str) -> Problem {
    Problem::new("a whole state can only be asked for with `*`").hint(format!(
        "name a member, such as {name}.size, or write {name}:*"
    ))
}

fn compare(side: QueryComparison, text: &str) -> Result<Match, Problem> {
    if let Some(number) = text.parse::<f64>().ok().filter(|n| n.is_finite()) {
        return Ok(Match::Compare(side, Bound::Number(number)));
    }
    let (side, bound) = moment(text)
        .ok_or_else(|| not_a_time(text, "a number or a time"))?
        .compared(side);
    Ok(Match::Compare(side, bound))
}

pub(super) fn not_a_time(text: &str, wanted: &str) -> Problem {
    Problem::new(format!("`{text}` is not {wanted}")).hint(
        "times are written 2026-11-20, 2026-11-20T10:00:00Z, now or now-24h (units s, m, h, d, w)",
    )
}

pub(super) fn time(
    column: QueryColumn,
    operator: Operator,
    written: &Written,
) -> Result<Expr, Problem> {
    let text = written.text();
    let side = |side, bound| Expr::field(column, Match::Compare(side, bound));
    let trimmed = text.strip_suffix('*').map_or(text.as_str(), |start| {
        start.trim_end_matches(['-', 'T', 't', ':'])
    });
    let mut moment = moment(trimmed).ok_or_else(|| not_a_time(&text, "a time"))?;

    if let (QueryMoment::At(Bound::Time(start)), true) = (&moment, text.ends_with('*')) {
        moment = QueryMoment::Period(
            *start,
            start
                .saturating_add(SignedDuration::from_secs(1))
                .unwrap_or(*start),
        );
    }

    Ok(match (operator, moment) {
        (Operator::Side(comparison), moment) => {
            let (comparison, bound) = moment.compared(comparison);
            side(comparison, bound)
        }
        (
            Operator::Plain | Operator::Identical | Operator::Member,
            QueryMoment::Period(start, end),
        ) => Expr::and([
            side(QueryComparison::AtLeast, Bound::Time(start)),
            side(QueryComparison::Less, Bound::Time(end)),
        ]),
        (Operator::Plain | Operator::Identical | Operator::Member, QueryMoment::At(bound)) => {
            Expr::and([
                side(QueryComparison::AtLeast, bound.clone()),
                side(QueryComparison::AtMost, bound),
            ])
        }
    })
}

fn address(written: Written) -> Result<Match, Problem> {
    if written.pattern.is_wild() {
        return Ok(written.into_match());
    }

    let text = written.text();
    if let Some(address) = parse_address(&text) {
        return Ok(Match::Ip(address));
    }

    network(&text)
        .map(Match::Cidr)
        .ok_or_else(|| not_an_address(&text))
}

pub(super) fn not_an_address(text: &str) -> Problem {
    Problem::new(format!("`{text}` is neither an address nor a network"))
        .hint("write 10.0.0.1, 10.0.0.0/8, 10.0.* or 2001:db8::/32")
}

/// The names a field can hold, where that is a closed list.
pub(super) fn closed(field: &FieldPath) -> Option<&'static [&'static str]> {
    match field {
        FieldPath::Column(QueryColumn::Severity) => Some(Severity::NAMES),
        FieldPath::Column(QueryColumn::ActorType) => Some(ActorType::NAMES),
        FieldPath::Column(QueryColumn::ActionStatus) => Some(ActionStatus::NAMES),
        FieldPath::Column(QueryColumn::ActionMethod) => Some(ActionMethod::NAMES),
        FieldPath::Submitter(SubmitterField::Type) => Some(SubmitterType::NAMES),
        _ => None,
    }
}

/// A name out of a closed list; a misspelt one would never find anything, so it is refused.
fn name(field: &FieldPath, written: Written) -> Result<Match, Problem> {
    if written.pattern.is_wild() {
        return Ok(written.into_match());
    }

    let given = fold::fold(&written.text()).into_owned();
    let allowed = closed(field).unwrap_or_default();
    if allowed.contains(&given.as_str()) {
        return Ok(Match::Exact(given));
    }
    Err(unknown(UnknownName { given, allowed }, &field.to_string()))
}

pub(super) fn known<T: FromStr<Err = UnknownName>>(text: &str) -> Result<T, Problem> {
    fold::fold(text).parse().map_err(|e| unknown(e, "severity"))
}

fn unknown(e: UnknownName, field: &str) -> Problem {
    let hint = match e.suggestion() {
        Some(meant) => format!("did you mean {meant}?"),
        None => format!("it is one of {}", e.allowed.join(", ")),
    };
    Problem::new(format!("{field} is never `{}`", e.given)).hint(hint)
}
