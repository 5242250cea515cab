//! Syntax tree of a query with its field names resolved: the form that is evaluated, translated and
//! printed.

use std::net::IpAddr;

use ipnet::IpNet;
use jiff::Timestamp;

use super::column::FieldPath;
use super::fold;
use super::list::ListName;
use super::pattern::{Pattern, PatternPiece};
use super::regular::RegularExpression;
use super::text::TextMatch;
use crate::entry::Severity;
use crate::instant::parse_instant;

/// A condition on one entry.
#[derive(Debug, Clone, PartialEq)]
pub enum Expr {
    /// Condition that every entry satisfies.
    All,
    /// All of two or more conditions; never directly inside another `And`.
    And(Vec<Expr>),
    /// Any of two or more conditions; never directly inside another `Or`.
    Or(Vec<Expr>),
    /// Entries that do not satisfy the condition.
    Not(Box<Expr>),
    /// A condition on one field.
    Field {
        /// Field that the condition reads.
        field: FieldPath,
        /// Condition on the field's value.
        op: Match,
    },
    /// Free words or a phrase, found in any one value of the entry.
    Text(TextMatch),
}

/// A condition on one field. Texts compare case-blind except in [`Match::Identical`].
#[derive(Debug, Clone, PartialEq)]
pub enum Match {
    /// The value is this text. As given; compare with case folded.
    Exact(String),
    /// The value is this text, byte for byte. Row visibility uses it: two users may differ by case
    /// alone.
    Identical(String),
    /// The value begins with this text.
    Prefix(String),
    /// The value fits this pattern, which is neither a plain text nor a prefix nor `*` alone.
    Glob(Pattern),
    /// The whole value fits this expression.
    Regular(RegularExpression),
    /// There is a value.
    Exists,
    /// The value is on this side of another.
    Compare(QueryComparison, Bound),
    /// The same value lies between two others.
    Between(Box<Range>),
    /// The address is in this network. A text that is an address counts as one.
    Cidr(IpNet),
    /// The value is on this list.
    Listed(ListName),
    /// The address is this one, however it is written.
    Ip(IpAddr),
}

impl Match {
    /// Returns `true` if a text satisfies the condition. Comparisons with times, numbers,
    /// severities and addresses need typed values, so the answer for them is always `false`.
    pub fn is_satisfied_by(&self, text: &str) -> bool {
        match self {
            Match::Exact(wanted) => fold::equals(text, wanted),
            Match::Identical(wanted) => text == wanted,
            Match::Prefix(start) => fold::starts_with(text, start),
            Match::Glob(pattern) => pattern.is_satisfied_by(text),
            Match::Regular(expression) => expression.is_satisfied_by(text),
            Match::Exists => true,
            Match::Between(range) => range.holds(|side, bound| bound.orders_text(side, text)),
            Match::Cidr(net) => text
                .parse::<IpAddr>()
                .is_ok_and(|address| net.contains(&address)),
            Match::Listed(list) => list.contains(text),
            Match::Compare(..) | Match::Ip(_) => false,
        }
    }

    /// Returns `true` if the meaning of the condition moves with the present time.
    pub fn is_relative(&self) -> bool {
        match self {
            Match::Compare(_, bound) => matches!(bound, Bound::Now(_)),
            Match::Between(range) => !range.holds(|_, bound| !matches!(bound, Bound::Now(_))),
            _ => false,
        }
    }
}

impl From<Pattern> for Match {
    /// The condition that a value fits the pattern.
    fn from(pattern: Pattern) -> Self {
        match pattern.pieces() {
            [] => Match::Exact(String::new()),
            [PatternPiece::Text(text)] => Match::Exact(text.clone()),
            [PatternPiece::AnyText] => Match::Exists,
            [PatternPiece::Text(text), PatternPiece::AnyText] => Match::Prefix(text.clone()),
            _ => Match::Glob(pattern),
        }
    }
}

/// Span of values; at least one end is closed.
#[derive(Debug, Clone, PartialEq)]
pub struct Range {
    /// Lower end, with `>` or `>=`.
    pub low: Option<(QueryComparison, Bound)>,
    /// Upper end, with `<` or `<=`.
    pub high: Option<(QueryComparison, Bound)>,
}

impl Range {
    /// Returns `true` if a condition holds for each end that there is.
    pub fn holds(&self, condition: impl Fn(QueryComparison, &Bound) -> bool) -> bool {
        self.low
            .iter()
            .chain(&self.high)
            .all(|(side, bound)| condition(*side, bound))
    }
}

/// The side of a comparison.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum QueryComparison {
    /// Operator `>`.
    Greater,
    /// Operator `>=`.
    AtLeast,
    /// Operator `<`.
    Less,
    /// Operator `<=`.
    AtMost,
}

impl QueryComparison {
    /// Returns the operator as written in a query.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Greater => ">",
            Self::AtLeast => ">=",
            Self::Less => "<",
            Self::AtMost => "<=",
        }
    }

    /// Returns `true` if `value` compares to `bound` as this operator demands.
    pub fn is_satisfied<T: PartialOrd>(self, value: &T, bound: &T) -> bool {
        match self {
            Self::Greater => value > bound,
            Self::AtLeast => value >= bound,
            Self::Less => value < bound,
            Self::AtMost => value <= bound,
        }
    }
}

/// Right-hand side of a comparison.
#[derive(Debug, Clone, PartialEq)]
pub enum Bound {
    /// A point in time; milliseconds.
    Time(Timestamp),
    /// A point in time this many milliseconds from the present, negative before it.
    /// [`Query::resolve`] turns it into [`Bound::Time`].
    ///
    /// [`Query::resolve`]: super::Query::resolve
    Now(i64),
    Number(f64),
    /// A severity, by rank.
    Severity(Severity),
    /// A text in the order of its characters, ignoring case. In ranges alone.
    Text(String),
    /// An address, compared with those of its family. In ranges alone.
    Address(IpAddr),
}

impl Bound {
    /// Returns `true` if a text lies on this side of a bound that is a text.
    pub fn orders_text(&self, side: QueryComparison, text: &str) -> bool {
        matches!(self, Bound::Text(bound) if side.is_satisfied(&fold::fold(text), &fold::fold(bound)))
    }

    /// Returns `true` if an address lies on this side of a bound that is an address.
    pub fn orders_address(&self, side: QueryComparison, address: IpAddr) -> bool {
        matches!(self, Bound::Address(bound)
            if bound.is_ipv4() == address.is_ipv4() && side.is_satisfied(&address, bound))
    }

    /// Returns `true` if a text that may also be a number or a time lies on this side. Distances
    /// from now are no bounds here.
    pub fn orders_open_text(&self, side: QueryComparison, text: &str) -> bool {
        match self {
            Bound::Number(bound) => text
                .trim()
                .parse()
                .is_ok_and(|number: f64| side.is_satisfied(&number, bound)),
            Bound::Time(bound) => {
                parse_instant(text).is_ok_and(|instant| side.is_satisfied(&instant, bound))
            }
            _ => self.orders_text(side, text),
        }
    }
}

impl Expr {
    /// All of `conditions`, flat; without any it is [`Expr::All`].
    pub fn and(conditions: impl IntoIterator<Item = Expr>) -> Self {
        let mut flat = Vec::new();
        for condition in conditions {
            match condition {
                Self::And(inner) => flat.extend(inner),
                other => flat.push(other),
            }
        }

        match flat.len() {
            0 => Self::All,
            1 => flat.remove(0),
            _ => Self::And(flat),
        }
    }

    /// Any of `conditions`, flat; without any it matches nothing.
    pub fn or(conditions: impl IntoIterator<Item = Expr>) -> Self {
        let mut flat = Vec::new();
        for condition in conditions {
            match condition {
                Self::Or(inner) => flat.extend(inner),
                other => flat.push(other),
            }
        }

        match flat.len() {
            0 => Self::nothing(),
            1 => flat.remove(0),
            _ => Self::Or(flat),
        }
    }

    /// The opposite of `condition`.
    pub fn negate(condition: Expr) -> Self {
        Self::Not(Box::new(condition))
    }

    /// Returns the expression that matches no entry.
    pub fn nothing() -> Self {
        Self::negate(Self::All)
    }

    /// A condition on one field.
    pub fn field(field: impl Into<FieldPath>, op: Match) -> Self {
        Self::Field {
            field: field.into(),
            op,
        }
    }
}
