//! A query, ready to be asked of segments and of the tail.

use datafusion_expr::Expr;
use jiff::Timestamp;
use memchr::memmem::Finder;
use reeve_audit::query::{Bound, Expr as Asked, FieldPath, Match, Query, QueryColumn};
use reeve_ledger::{SegmentMeta, StoredEntry};

use super::translate::{conditions, span, words_needed};

/// A query, ready for segments and for the tail.
#[derive(Debug)]
pub(super) struct Predicate {
    asked: Asked,
    now: Timestamp,
    /// `None` when nothing can match.
    conditions: Option<Vec<Expr>>,
    /// The span of `timestamp` that can match, both ends included.
    from_ms: i64,
    to_ms: i64,
}

impl Predicate {
    /// The query, with times resolved against `now`.
    pub(super) fn new(query: &Query, now: Timestamp) -> Self {
        let asked = query.resolve(now).expr;
        let terms = match &asked {
            Asked::And(terms) => terms.as_slice(),
            one => std::slice::from_ref(one),
        };
        let (mut from_ms, mut to_ms) = (i64::MIN, i64::MAX);

        for term in terms {
            if let Asked::Field {
                field: FieldPath::Column(QueryColumn::Timestamp),
                op: Match::Compare(side, Bound::Time(at)),
            } = term
            {
                let (first, last) = span(*side, *at);
                (from_ms, to_ms) = (from_ms.max(first), to_ms.min(last));
            }
        }

        let conditions = conditions(terms, now);
        Predicate {
            asked,
            now,
            conditions,
            from_ms,
            to_ms,
        }
    }

    /// Conditions on a segment's rows, cheapest first; together they are exactly the query.
    pub(super) fn conditions(&self) -> &[Expr] {
        self.conditions.as_deref().unwrap_or_default()
    }

    /// Returns `true` if every entry matches.
    pub(super) fn is_everything(&self) -> bool {
        self.conditions.as_ref().is_some_and(Vec::is_empty)
    }

    /// False when no entry of the segment can match.
    pub(super) fn may_match(&self, segment: &SegmentMeta) -> bool {
        self.conditions.is_some()
            && self.from_ms <= segment.max_timestamp_ms
            && segment.min_timestamp_ms <= self.to_ms
    }

    /// The query itself, times resolved.
    pub(super) fn asked(&self) -> &Asked {
        &self.asked
    }

    /// Asks entries of the tail.
    pub(super) fn asker(&self) -> Asker<'_> {
        let mut words = Vec::new();
        words_needed(&self.asked, &mut words);
        words.retain(|word| word.is_ascii());

        Asker {
            predicate: self,
            words: words
                .iter()
                .map(|word| Finder::new(word).into_owned())
                .collect(),
            lower: Vec::new(),
        }
    }
}

/// Asks entries one after the other.
pub(super) struct Asker<'p> {
    predicate: &'p Predicate,
    /// Words that stand in the canonical bytes of every match.
    words: Vec<Finder<'static>>,
    lower: Vec<u8>,
}

impl Asker<'_> {
    /// Returns `true` if an entry matches.
    pub(super) fn matches(&mut self, stored: &StoredEntry) -> bool {
        // Other scripts fold case in ways that bytes do not show.
        if !self.words.is_empty() && stored.canonical.is_ascii() {
            self.lower.clear();
            self.lower.extend_from_slice(&stored.canonical);
            self.lower.make_ascii_lowercase();
            if !self
                .words
                .iter()
                .all(|word| word.find(&self.lower).is_some())
            {
                return false;
            }
        }

        let Predicate { asked, now, .. } = self.predicate;
        asked.matches(&stored.entry, stored.recorded_at, *now)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn constants_are_folded_away() {
        let now = Timestamp::UNIX_EPOCH;
        let of = |query: &str| Predicate::new(&Query::parse(query).unwrap(), now);
        assert!(of("").is_everything());
        assert!(of("timestamp:*").is_everything());
        assert_eq!(of("-timestamp:*").conditions, None);
        assert_eq!(
            of("alice severity:high bob").conditions().len(),
            2,
            "one look at the entry for both words"
        );

        assert_eq!(
            of("timestamp:>2026-01-01 timestamp:<2026-02-01")
                .conditions()
                .len(),
            2
        );
    }
}
