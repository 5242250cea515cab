//! Evaluation of conditions, three-valued.
//!
//! Several values of a condition are alternatives, several keys must all be satisfied (IAM User
//! Guide, "Conditions with multiple context keys or values"). An absent key satisfies negated
//! operators, `IfExists` and `ForAllValues`, and no other.

use ipnet::IpNet;
use jiff::Timestamp;

use crate::context::{IamContext, KeyValue};
use crate::document::PolicyCondition;
use crate::operator::{ConditionComparison, Quantifier};
use crate::pattern::{Piece, matches_arn, matches_pieces};
use crate::truth::Truth;
use crate::variable::{Expansion, expand};

impl PolicyCondition {
    /// Returns the truth of the condition for a request's context.
    #[must_use]
    pub fn is_satisfied(&self, context: &IamContext, has_variables: bool) -> Truth {
        let given = match context.key(&self.key) {
            KeyValue::Unknown => return Truth::Unknown,
            KeyValue::Absent => &[],
            KeyValue::Values(values) => values,
        };
        match self.operator.comparison {
            ConditionComparison::Unsupported => return Truth::Unknown,
            ConditionComparison::Null => {
                let wants_absent = self
                    .values
                    .iter()
                    .any(|value| value.eq_ignore_ascii_case("true"));
                return (given.is_empty() == wants_absent).into();
            }
            _ => {}
        }
        if given.is_empty() {
            return self.without_key();
        }

        let wanted: Vec<Expansion> = self
            .values
            .iter()
            .filter_map(|value| {
                if has_variables {
                    return expand(value, context);
                }
                Some(Expansion {
                    pieces: value.bytes().map(Piece::of_pattern).collect(),
                    is_unknown: false,
                })
            })
            .collect();
        let is_one_of = |value: &String| {
            let found = wanted
                .iter()
                .map(|wanted| compare(self.operator.comparison, value, wanted));
            found.fold(Truth::False, Truth::or)
        };
        let is_accepted = |value: &String| match self.operator.negated {
            true => is_one_of(value).negated(),
            false => is_one_of(value),
        };

        match self.operator.quantifier {
            Some(Quantifier::ForAllValues) => {
                given.iter().map(is_accepted).fold(Truth::True, Truth::and)
            }
            Some(Quantifier::ForAnyValue) => {
                given.iter().map(is_accepted).fold(Truth::False, Truth::or)
            }
            None => {
                let is_any = given.iter().map(is_one_of).fold(Truth::False, Truth::or);
                match self.operator.negated {
                    true => is_any.negated(),
                    false => is_any,
                }
            }
        }
    }

    fn without_key(&self) -> Truth {
        match self.operator.quantifier {
            Some(Quantifier::ForAllValues) => Truth::True,
            Some(Quantifier::ForAnyValue) => self.operator.if_exists.into(),
            None => (self.operator.negated || self.operator.if_exists).into(),
        }
    }
}

fn compare(comparison: ConditionComparison, given: &str, wanted: &Expansion) -> Truth {
    // Only texts and ARNs have wildcards; elsewhere the letters are what is compared.
    let literal = || -> String {
        let bytes = wanted.pieces.iter().map(|piece| match piece {
            Piece::Any => b'*',
            Piece::One => b'?',
            Piece::Byte(byte) => *byte,
        });
        String::from_utf8_lossy(&bytes.collect::<Vec<u8>>()).into_owned()
    };
    let unless_unknown = |is_match: bool| match (is_match, wanted.is_unknown) {
        (true, true) => Truth::Unknown,
        (is_match, _) => is_match.into(),
    };

    match comparison {
        ConditionComparison::Like => unless_unknown(matches_pieces(&wanted.pieces, given)),
        ConditionComparison::Arn => unless_unknown(matches_arn(&wanted.pieces, given)),
        _ if wanted.is_unknown => Truth::Unknown,
        ConditionComparison::Text | ConditionComparison::Binary => (literal() == given).into(),
        ConditionComparison::TextIgnoringCase | ConditionComparison::Bool => {
            literal().eq_ignore_ascii_case(given).into()
        }
        ConditionComparison::Number(order) => {
            let numbers = given.trim().parse::<f64>().ok().zip(literal().parse().ok());
            let found = numbers.and_then(|(given, wanted): (f64, f64)| given.partial_cmp(&wanted));
            found.is_some_and(|found| order.accepts(found)).into()
        }
        ConditionComparison::Date(order) => {
            let dates = date(given).zip(date(&literal()));
            let is_accepted =
                dates.is_some_and(|(given, wanted)| order.accepts(given.cmp(&wanted)));
            is_accepted.into()
        }
        ConditionComparison::Ip => {
            let found = network(given).zip(network(&literal()));
            found
                .is_some_and(|(given, wanted)| wanted.contains(&given))
                .into()
        }
        ConditionComparison::Null | ConditionComparison::Unsupported => Truth::Unknown,
    }
}

/// Reads a date of ISO 8601, or seconds since 1970.
fn date(text: &str) -> Option<Timestamp> {
    let text = text.trim();
    if let Ok(seconds) = text.parse::<i64>() {
        return Timestamp::from_second(seconds).ok();
    }
    text.parse::<Timestamp>().ok().or_else(|| {
        let day: jiff::civil::Date = text.parse().ok()?;
        let midnight = day.to_zoned(jiff::tz::TimeZone::UTC).ok()?;
        Some(midnight.timestamp())
    })
}

/// Reads a range of addresses; an address alone is the range of it.
fn network(text: &str) -> Option<IpNet> {
    let text = text.trim();
    text.parse()
        .ok()
        .or_else(|| Some(IpNet::from(text.parse::<std::net::IpAddr>().ok()?)))
}

#[cfg(test)]
mod tests;
