//! Necessary conditions of a query on the text of one column, and the choice between them.

use hashbrown::HashMap;
use reeve_audit::query::{Expr, FieldPath, Match, QueryColumn, fold};

/// A rule is not filed under more alternatives than this.
const MOST_ALTERNATIVES: usize = 200;

/// Part of the text that a condition is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Place {
    /// The complete value.
    Whole,
    /// Start of the value.
    Start,
    /// End of the value.
    End,
}

/// A necessary condition: the folded text of a column is this, or begins or ends with it.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct Atom {
    pub(super) column: QueryColumn,
    pub(super) place: Place,
    pub(super) text: Box<str>,
}

impl Atom {
    fn new(column: QueryColumn, place: Place, text: &str) -> Option<Atom> {
        (!text.is_empty()).then(|| Atom {
            column,
            place,
            text: fold::fold(text).into(),
        })
    }

    /// Estimated share of entries that have it.
    fn frequency(&self) -> f64 {
        let whole = match self.column {
            QueryColumn::EventId | QueryColumn::RequestId => 1e-6,
            QueryColumn::ActorId
            | QueryColumn::ActorEmail
            | QueryColumn::ActorSessionId
            | QueryColumn::ResourceId => 1e-4,
            QueryColumn::ActorIpAddress | QueryColumn::ActorUserAgent => 1e-3,
            QueryColumn::ResourceAccountId
            | QueryColumn::EventType
            | QueryColumn::ActionOperation => 1e-2,
            QueryColumn::ResourceType => 0.05,
            QueryColumn::ResourceRegion | QueryColumn::Category => 0.1,
            _ => 0.4,
        };
        match self.place {
            Place::Whole => whole,
            Place::Start | Place::End => {
                f64::min(whole * 10.0, 0.6) + if self.text.len() < 3 { 0.3 } else { 0.0 }
            }
        }
    }
}

/// Numbers of rules that name an atom. Of two equally selective columns, the index uses the one
/// that separates the rules better.
#[derive(Default)]
pub(super) struct Popularity {
    rules: HashMap<Atom, f64>,
}

impl Popularity {
    /// Counts the atoms of a condition.
    pub(super) fn add(&mut self, expr: &Expr) {
        match expr {
            Expr::And(terms) | Expr::Or(terms) => terms.iter().for_each(|term| self.add(term)),
            Expr::Field { field, op } => {
                for atom in of_field(field, op).unwrap_or_default() {
                    *self.rules.entry(atom).or_default() += 1.0;
                }
            }
            Expr::All | Expr::Not(_) | Expr::Text(_) => {}
        }
    }

    /// Returns alternatives of which every matching entry has one, the cheapest that the condition
    /// implies.
    pub(super) fn cheapest(&self, expr: &Expr) -> Option<Vec<Atom>> {
        match expr {
            Expr::And(terms) => {
                let choices = terms.iter().filter_map(|term| self.cheapest(term));
                choices.min_by(|a, b| self.cost(a).total_cmp(&self.cost(b)))
            }
            Expr::Or(terms) => {
                let mut all = Vec::new();
                for term in terms {
                    all.extend(self.cheapest(term)?);
                    if all.len() > MOST_ALTERNATIVES {
                        return None;
                    }
                }
                Some(all)
            }
            Expr::Field { field, op } => of_field(field, op),
            Expr::All | Expr::Not(_) | Expr::Text(_) => None,
        }
    }

    fn cost(&self, atoms: &[Atom]) -> f64 {
        let one =
            |atom: &Atom| atom.frequency() * self.rules.get(atom).copied().unwrap_or(1.0).sqrt();
        atoms.iter().map(one).sum()
    }
}

fn of_field(field: &FieldPath, op: &Match) -> Option<Vec<Atom>> {
    match field {
        FieldPath::Column(column) if !column.is_time() => {
            of_column(*column, op).map(|atom| vec![atom])
        }
        FieldPath::User => Some(vec![
            of_column(QueryColumn::ActorId, op)?,
            of_column(QueryColumn::ActorEmail, op)?,
        ]),
        _ => None,
    }
}

fn of_column(column: QueryColumn, op: &Match) -> Option<Atom> {
    match op {
        Match::Exact(text) | Match::Identical(text) => Atom::new(column, Place::Whole, text),
        Match::Prefix(text) => Atom::new(column, Place::Start, text),
        Match::Glob(pattern) => {
            let start = Atom::new(column, Place::Start, pattern.start());
            let end = Atom::new(column, Place::End, pattern.end());
            match (start, end) {
                (Some(start), Some(end)) if end.text.len() > start.text.len() => Some(end),
                (Some(start), _) => Some(start),
                (None, end) => end,
            }
        }
        Match::Ip(address) => Atom::new(column, Place::Whole, &address.to_string()),
        Match::Exists
        | Match::Compare(..)
        | Match::Between(_)
        | Match::Cidr(_)
        | Match::Regular(_)
        | Match::Listed(_) => None,
    }
}
