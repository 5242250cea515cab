//! Syntax tree of a query with its field names resolved: the form that is evaluated, translated and printed.

use std::net::IpAddr;

use ipnet::IpNet;
use jiff::Timestamp;

use super::column::FieldPath;
use super::fold;
use super::text::TextMatch;
use crate::entry::Severity;

/// A condition on one entry.
#[derive(Debug, Clone, PartialEq)]
pub enum Expr {
    /// Every entry.
    All,
    /// All of two or more conditions; never directly inside another `And`.
    And(Vec<Expr>),
    /// Any of two or more conditions; never directly inside another `Or`.
    Or(Vec<Expr>),
    /// The opposite.
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
    /// The value is this text, byte for byte. Row visibility uses it: two users may differ by case alone.
    Identical(String),
    /// The value begins with this text.
    Prefix(String),
    /// The value has these pieces in this order, with anything between; the first piece is at its start and the last
    /// at its end (either may be empty). There are at least two.
    Glob(Vec<String>),
    /// There is a value.
    Exists,
    /// The value is on this side of another.
    Compare(Comparison, Bound),
    /// The address is in this network.
    Cidr(IpNet),
    /// The address is this one, however it is written.
    Ip(IpAddr),
}

impl Match {
    /// Returns `true` if a text satisfies the condition. Comparisons and addresses need typed values, so the answer
    /// for them is always `false`.
    pub fn is_satisfied_by(&self, text: &str) -> bool {
        match self {
            Match::Exact(wanted) => fold::equals(text, wanted),
            Match::Identical(wanted) => text == wanted,
            Match::Prefix(start) => fold::starts_with(text, start),
            Match::Glob(pieces) => fold::globs(text, pieces),
            Match::Exists => true,
            Match::Compare(..) | Match::Cidr(_) | Match::Ip(_) => false,
        }
    }
}

/// The side of a comparison.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Comparison {
    /// `>`
    Greater,
    /// `>=`
    AtLeast,
    /// `<`
    Less,
    /// `<=`
    AtMost,
}

impl Comparison {
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
    /// A point in time this many milliseconds from the present, negative before it. [`Query::resolve`] turns it into
    /// [`Bound::Time`].
    ///
    /// [`Query::resolve`]: super::Query::resolve
    Now(i64),
    /// A number.
    Number(f64),
    /// A severity, by rank.
    Severity(Severity),
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
        Self::Field { field: field.into(), op }
    }
}
