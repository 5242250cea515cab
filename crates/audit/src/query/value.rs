//! From a written value to a condition, by what its field holds.

use std::str::FromStr;

use ipnet::IpNet;
use jiff::SignedDuration;

use super::ast::{Bound, Comparison, Expr, Match};
use super::column::{Column, FieldPath};
use super::error::Problem;
use super::fold;
use super::time::{Moment, moment};
use crate::address::parse_address;
use crate::entry::{ActionMethod, ActionStatus, ActorType, Severity, SubmitterField, SubmitterType, UnknownName};

/// A value may have this many wildcards.
pub const MAX_WILDCARDS: usize = 16;

/// Comparison operator written before a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Operator {
    /// No operator.
    Plain,
    /// `=`: byte for byte.
    Identical,
    /// `>`, `>=`, `<`, `<=`.
    Side(Comparison),
}

/// A written value: texts with a wildcard between each two, so one text means no wildcard.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Written(pub(super) Vec<String>);

impl Written {
    /// Splits unquoted text at its stars; stars side by side are one.
    pub(super) fn unquoted(text: &str) -> Self {
        let mut pieces: Vec<String> = text.split('*').map(str::to_owned).collect();
        let last = pieces.len() - 1;
        let mut at = 0;
        pieces.retain(|piece| {
            at += 1;
            !piece.is_empty() || at == 1 || at == last + 1
        });
        Self(pieces)
    }

    /// Returns the text, stars included.
    pub(super) fn text(&self) -> String {
        self.0.join("*")
    }

    fn into_match(mut self) -> Match {
        match self.0.as_slice() {
            [_] => Match::Exact(self.0.remove(0)),
            [a, b] if a.is_empty() && b.is_empty() => Match::Exists,
            [_, b] if b.is_empty() => Match::Prefix(self.0.remove(0)),
            _ => Match::Glob(self.0),
        }
    }
}

/// The condition that a field, an operator and a value mean together.
pub(super) fn condition(field: &FieldPath, operator: Operator, written: Written) -> Result<Expr, Problem> {
    let wildcard = written.0.len() > 1;
    if written.0.len() > MAX_WILDCARDS + 1 {
        let count = written.0.len() - 1;
        return Err(Problem::new(format!("the value has {count} wildcards; the limit is {MAX_WILDCARDS}")));
    }
    if operator != Operator::Plain && wildcard {
        return Err(Problem::new("a comparison cannot have a wildcard").hint("quote the value to mean the star itself"));
    }
    let op = match (field, operator) {
        (_, Operator::Plain) if written.0.iter().all(String::is_empty) && wildcard => Match::Exists,
        (FieldPath::Column(column), _) if column.is_time() => return time(*column, operator, &written),
        (
            FieldPath::Column(Column::ActorIpAddress) | FieldPath::Submitter(SubmitterField::IpAddress),
            Operator::Plain | Operator::Identical,
        ) => address(written)?,
        (FieldPath::Column(Column::Severity), Operator::Side(side)) => {
            Match::Compare(side, Bound::Severity(known::<Severity>(&written.text())?))
        }
        (field, Operator::Plain | Operator::Identical) if closed(field).is_some() => name(field, written)?,
        (FieldPath::Changes, _) => return Err(whole_state("changes.after")),
        (FieldPath::Before(path), _) if path.is_empty() => return Err(whole_state("changes.before")),
        (FieldPath::After(path), _) if path.is_empty() => return Err(whole_state("changes.after")),
        (_, Operator::Plain) => written.into_match(),
        (_, Operator::Identical) => Match::Identical(written.text()),
        (
            FieldPath::ResourceTag(_) | FieldPath::Before(_) | FieldPath::After(_) | FieldPath::Metadata(_),
            Operator::Side(side),
        ) => compare(side, &written.text())?,
        (_, Operator::Side(side)) => {
            let message =
                format!("`{}` compares times, numbers and severities, which this field does not hold", side.as_str());
            return Err(Problem::new(message).hint("write field:value, field:val* or field:*"));
        }
    };
    Ok(Expr::field(field.clone(), op))
}

fn whole_state(name: &str) -> Problem {
    Problem::new("a whole state can only be asked for with `*`")
        .hint(format!("name a member, such as {name}.size, or write {name}:*"))
}

fn compare(side: Comparison, text: &str) -> Result<Match, Problem> {
    if let Some(number) = text.parse::<f64>().ok().filter(|n| n.is_finite()) {
        return Ok(Match::Compare(side, Bound::Number(number)));
    }
    let (side, bound) = moment(text).ok_or_else(|| not_a_time(text, "a number or a time"))?.compared(side);
    Ok(Match::Compare(side, bound))
}

fn not_a_time(text: &str, wanted: &str) -> Problem {
    Problem::new(format!("`{text}` is not {wanted}"))
        .hint("times are written 2026-11-20, 2026-11-20T10:00:00Z, now or now-24h (units s, m, h, d, w)")
}

fn time(column: Column, operator: Operator, written: &Written) -> Result<Expr, Problem> {
    let text = written.text();
    let side = |side, bound| Expr::field(column, Match::Compare(side, bound));
    let trimmed = text.strip_suffix('*').map_or(text.as_str(), |start| start.trim_end_matches(['-', 'T', 't', ':']));
    let mut moment = moment(trimmed).ok_or_else(|| not_a_time(&text, "a time"))?;
    if let (Moment::At(Bound::Time(start)), true) = (&moment, text.ends_with('*')) {
        moment = Moment::Period(*start, start.saturating_add(SignedDuration::from_secs(1)).unwrap_or(*start));
    }
    Ok(match (operator, moment) {
        (Operator::Side(comparison), moment) => {
            let (comparison, bound) = moment.compared(comparison);
            side(comparison, bound)
        }
        (_, Moment::Period(start, end)) => {
            Expr::and([side(Comparison::AtLeast, Bound::Time(start)), side(Comparison::Less, Bound::Time(end))])
        }
        (_, Moment::At(bound)) => {
            Expr::and([side(Comparison::AtLeast, bound.clone()), side(Comparison::AtMost, bound)])
        }
    })
}

fn address(written: Written) -> Result<Match, Problem> {
    if written.0.len() > 1 {
        return Ok(written.into_match());
    }
    let text = written.text();
    if let Some(address) = parse_address(&text) {
        return Ok(Match::Ip(address));
    }
    text.parse::<IpNet>().map(|net| Match::Cidr(net.trunc())).map_err(|_| {
        Problem::new(format!("`{text}` is neither an address nor a network"))
            .hint("write 10.0.0.1, 10.0.0.0/8, 10.0.* or 2001:db8::/32")
    })
}

/// The names a field can hold, where that is a closed list.
fn closed(field: &FieldPath) -> Option<&'static [&'static str]> {
    match field {
        FieldPath::Column(Column::Severity) => Some(Severity::NAMES),
        FieldPath::Column(Column::ActorType) => Some(ActorType::NAMES),
        FieldPath::Column(Column::ActionStatus) => Some(ActionStatus::NAMES),
        FieldPath::Column(Column::ActionMethod) => Some(ActionMethod::NAMES),
        FieldPath::Submitter(SubmitterField::Type) => Some(SubmitterType::NAMES),
        _ => None,
    }
}

/// A name out of a closed list; a misspelt one would never find anything, so it is refused.
fn name(field: &FieldPath, written: Written) -> Result<Match, Problem> {
    if written.0.len() > 1 {
        return Ok(written.into_match());
    }
    let given = fold::fold(&written.text()).into_owned();
    let allowed = closed(field).unwrap_or_default();
    if allowed.contains(&given.as_str()) {
        return Ok(Match::Exact(given));
    }
    Err(unknown(UnknownName { given, allowed }, &field.to_string()))
}

fn known<T: FromStr<Err = UnknownName>>(text: &str) -> Result<T, Problem> {
    fold::fold(text).parse().map_err(|e| unknown(e, "severity"))
}

fn unknown(e: UnknownName, field: &str) -> Problem {
    let hint = match e.suggestion() {
        Some(meant) => format!("did you mean {meant}?"),
        None => format!("it is one of {}", e.allowed.join(", ")),
    };
    Problem::new(format!("{field} is never `{}`", e.given)).hint(hint)
}
