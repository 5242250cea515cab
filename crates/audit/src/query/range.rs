//! Ranges: `[a TO b]` with both ends, `{a TO b}` without them, `*` for an open end.

use super::ast::{Bound, Expr, Match, QueryComparison, Range};
use super::column::{FieldPath, QueryColumn};
use super::error::Problem;
use super::scan::WrittenRange;
use super::time::moment;
use super::value::{
    Operator, Written, closed, holds_address, is_open, known, not_a_time, not_an_address, time,
    whole_state,
};
use crate::address::parse_address;
use crate::entry::Severity;

/// The condition that a field and a range mean together. A field with one value per entry gets two
/// comparisons; where it may have several, one value has to lie between both ends.
pub(super) fn range(field: &FieldPath, written: WrittenRange) -> Result<Expr, Problem> {
    let ends = Ends::new(written)?;
    match field {
        FieldPath::Column(column) if column.is_time() => {
            let side = |(side, end): &(QueryComparison, Written)| {
                time(*column, Operator::Side(*side), end)
            };
            ends.given()
                .map(side)
                .collect::<Result<Vec<_>, _>>()
                .map(|sides| either(sides, field))
        }
        FieldPath::Column(QueryColumn::Severity) => {
            let side = |(side, end): &(QueryComparison, Written)| {
                let severity = known::<Severity>(&end.text())?;
                Ok(Expr::field(
                    field.clone(),
                    Match::Compare(*side, Bound::Severity(severity)),
                ))
            };
            ends.given()
                .map(side)
                .collect::<Result<Vec<_>, Problem>>()
                .map(|sides| either(sides, field))
        }
        FieldPath::Changes => Err(whole_state("changes.after")),
        FieldPath::Before(path) if path.is_empty() => Err(whole_state("changes.before")),
        FieldPath::After(path) if path.is_empty() => Err(whole_state("changes.after")),
        field if closed(field).is_some() => Err(Problem::new(format!(
            "{field} has names, which have no order"
        ))
        .hint("write field:(a OR b)")),
        field => ends.between(field).map(|op| Expr::field(field.clone(), op)),
    }
}

/// All of these conditions; without any, that there is a value.
fn either(sides: Vec<Expr>, field: &FieldPath) -> Expr {
    if sides.is_empty() {
        Expr::field(field.clone(), Match::Exists)
    } else {
        Expr::and(sides)
    }
}

/// Ends of a range; `None` where it is open.
struct Ends {
    low: Option<(QueryComparison, Written)>,
    high: Option<(QueryComparison, Written)>,
}

impl Ends {
    fn new(written: WrittenRange) -> Result<Self, Problem> {
        let low = if written.includes_low {
            QueryComparison::AtLeast
        } else {
            QueryComparison::Greater
        };

        let high = if written.includes_high {
            QueryComparison::AtMost
        } else {
            QueryComparison::Less
        };

        let end = |side: QueryComparison, end: Written| match end.pattern.text().as_str() {
            "*" if end.pattern.is_wild() => Ok(None),
            _ if end.pattern.is_wild() => {
                Err(Problem::new("an end of a range cannot have a wildcard")
                    .hint("write * alone for an open end"))
            }
            _ => Ok(Some((side, end))),
        };

        Ok(Self {
            low: end(low, written.low)?,
            high: end(high, written.high)?,
        })
    }

    fn given(&self) -> impl Iterator<Item = &(QueryComparison, Written)> {
        self.low.iter().chain(&self.high)
    }

    /// The condition on a field whose values are texts, addresses, or anything.
    fn between(&self, field: &FieldPath) -> Result<Match, Problem> {
        if self.given().next().is_none() {
            return Ok(Match::Exists);
        }
        if holds_address(field) {
            return self.addresses();
        }

        let quoted = self.given().any(|(_, end)| end.quoted);
        if !is_open(field) || quoted {
            return Ok(self.bounds(|side, end| (side, Bound::Text(end.text()))));
        }

        let number = |end: &Written| {
            end.text()
                .parse::<f64>()
                .ok()
                .filter(|number| number.is_finite())
        };
        let is_number = |(_, end): &(QueryComparison, Written)| number(end).is_some();

        let is_time = |(_, end): &(QueryComparison, Written)| moment(&end.text()).is_some();
        if self.given().all(is_number) {
            return Ok(
                self.bounds(|side, end| (side, Bound::Number(number(end).unwrap_or_default())))
            );
        }

        if self.given().all(is_time) {
            return Ok(self.bounds(|side, end| {
                moment(&end.text()).map_or((side, Bound::Text(end.text())), |moment| {
                    moment.compared(side)
                })
            }));
        }

        match self.given().find(|end| is_number(end) || is_time(end)) {
            None => Ok(self.bounds(|side, end| (side, Bound::Text(end.text())))),
            Some(_) => {
                let other = self
                    .given()
                    .find(|end| !is_number(end) && !is_time(end))
                    .or(self.high.as_ref());
                let other = other.map(|(_, end)| end.text()).unwrap_or_default();
                Err(not_a_time(&other, "of the same kind as the other end")
                    .hint("both ends are numbers, or times, or texts; quote them to compare texts"))
            }
        }
    }

    fn addresses(&self) -> Result<Match, Problem> {
        let mut family = None;
        for (_, end) in self.given() {
            let text = end.text();
            let address = parse_address(&text).ok_or_else(|| not_an_address(&text))?;
            if family
                .replace(address.is_ipv4())
                .is_some_and(|before| before != address.is_ipv4())
            {
                return Err(Problem::new(
                    "the two ends are addresses of different families",
                ));
            }
        }

        Ok(self.bounds(|side, end| {
            let text = end.text();
            (
                side,
                parse_address(&text).map_or(Bound::Text(text), Bound::Address),
            )
        }))
    }

    /// The condition with these bounds. One number or time alone is a comparison.
    fn bounds(
        &self,
        bound: impl Fn(QueryComparison, &Written) -> (QueryComparison, Bound),
    ) -> Match {
        let end = |end: &Option<(QueryComparison, Written)>| {
            end.as_ref().map(|(side, end)| bound(*side, end))
        };
        match (end(&self.low), end(&self.high)) {
            (Some((side, bound @ (Bound::Number(_) | Bound::Time(_) | Bound::Now(_)))), None)
            | (None, Some((side, bound @ (Bound::Number(_) | Bound::Time(_) | Bound::Now(_))))) => {
                Match::Compare(side, bound)
            }
            (low, high) => Match::Between(Box::new(Range { low, high })),
        }
    }
}
