//! Order of entries by a column other than their place in the log.

use std::cmp::Ordering;
use std::fmt;
use std::net::IpAddr;
use std::str::FromStr;

use jiff::Timestamp;

use super::column::{FieldPath, QueryColumn};
use super::error::{Problem, QueryError};
use super::eval::column_text;
use super::fold::fold;
use crate::entry::{Entry, Severity};

/// Value of a column by which entries are put into order: times, severities and addresses by what
/// they are, texts ignoring case.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum SortKey {
    /// Milliseconds since 1970.
    Time(i64),
    /// A severity, by rank.
    Severity(Severity),
    /// An address; IPv4 before IPv6.
    Address(IpAddr),
    /// A text in lower case.
    Text(String),
}

impl SortKey {
    /// Returns the key of an entry; `None` if it has no value in the column.
    pub fn of_entry(entry: &Entry, recorded_at: Timestamp, column: QueryColumn) -> Option<Self> {
        match column {
            QueryColumn::Timestamp => Some(Self::Time(entry.timestamp.as_millisecond())),
            QueryColumn::RecordedAt => Some(Self::Time(recorded_at.as_millisecond())),
            column => column_text(entry, column).map(|text| Self::of_text(&text, column)),
        }
    }

    /// Returns the key of a value of a column that holds text.
    pub fn of_text(text: &str, column: QueryColumn) -> Self {
        let typed = match column {
            QueryColumn::Severity => text.parse().ok().map(Self::Severity),
            QueryColumn::ActorIpAddress => text.parse().ok().map(Self::Address),
            _ => None,
        };
        typed.unwrap_or_else(|| Self::Text(fold(text).into_owned()))
    }
}

/// Order by a column. Entries without a value come last in both directions, and equal ones follow
/// the log in the same direction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sort {
    /// Column that is compared.
    pub column: QueryColumn,
    /// `true` if the greatest value comes first.
    pub descending: bool,
}

impl Sort {
    /// Compares two entries by their keys and sequences.
    pub fn compare(self, a: (Option<&SortKey>, u64), b: (Option<&SortKey>, u64)) -> Ordering {
        let directed = |ordering: Ordering| {
            if self.descending {
                ordering.reverse()
            } else {
                ordering
            }
        };
        match (a.0, b.0) {
            (Some(_), None) => Ordering::Less,
            (None, Some(_)) => Ordering::Greater,
            (left, right) => directed(left.cmp(&right)).then_with(|| directed(a.1.cmp(&b.1))),
        }
    }
}

impl FromStr for Sort {
    type Err = QueryError;

    /// Reads the name of a field, with `-` before it for the greatest first: `timestamp`,
    /// `-severity`.
    fn from_str(text: &str) -> Result<Self, QueryError> {
        let (name, descending) = text
            .strip_prefix('-')
            .map_or((text, false), |name| (name, true));
        match name.parse::<FieldPath>()? {
            FieldPath::Column(column) => Ok(Self { column, descending }),
            _ => Err(Problem::new(format!("`{name}` is not a column, so entries cannot be sorted by it"))
                .hint("columns are timestamp, recorded_at, event_type, severity, actor.*, resource.* without tags, and action.*")
                .at(text.len() - name.len(), name)),
        }
    }
}

impl fmt::Display for Sort {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{}{}",
            if self.descending { "-" } else { "" },
            self.column.field_name()
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_there_and_back() {
        for (text, printed) in [
            ("timestamp", "timestamp"),
            ("-ip", "-actor.ip_address"),
            ("-Status", "-action.status"),
        ] {
            let sort: Result<Sort, _> = text.parse();
            assert_eq!(sort.map(|sort| sort.to_string()), Ok(printed.to_owned()));
        }

        for (text, position) in [("-tags", 1), ("metadata.x", 0), ("user", 0)] {
            assert_eq!(
                text.parse::<Sort>().map_err(|error| error.position),
                Err(position),
                "{text}"
            );
        }

        assert!(
            "-severty"
                .parse::<Sort>()
                .is_err_and(|error| error.hint.as_deref() == Some("did you mean severity?"))
        );
    }

    #[test]
    fn values_are_compared_as_what_they_are() {
        let key = |text: &str, column| Some(SortKey::of_text(text, column));
        let order = |column, descending, a: Option<SortKey>, b: Option<SortKey>| {
            Sort { column, descending }.compare((a.as_ref(), 1), (b.as_ref(), 2))
        };

        use QueryColumn::{ActorId, ActorIpAddress, Severity};

        for (column, a, b) in [
            (Severity, "low", "high"),
            (ActorIpAddress, "9.0.0.1", "10.0.0.1"),
            (ActorId, "A", "b"),
        ] {
            assert_eq!(
                order(column, false, key(a, column), key(b, column)),
                Ordering::Less,
                "{a} {b}"
            );
            assert_eq!(
                order(column, true, key(a, column), key(b, column)),
                Ordering::Greater,
                "{a} {b}"
            );
            assert_eq!(
                order(column, true, None, key(b, column)),
                Ordering::Greater,
                "no value comes last"
            );
            assert_eq!(
                order(column, false, None, key(b, column)),
                Ordering::Greater,
                "no value comes last"
            );
        }

        assert_eq!(
            order(ActorId, true, key("a", ActorId), key("A", ActorId)),
            Ordering::Greater,
            "the newest first"
        );
    }
}
