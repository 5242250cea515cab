//! Counting distinct values in bounded memory: exact up to a limit, a lower bound beyond it.

use std::hash::BuildHasher as _;

use hashbrown::{DefaultHashBuilder, HashSet};

use crate::findings::Distinct;

/// Values met so far, by hash. Two values with one hash (one chance in 2^64 a pair) count once.
#[derive(Debug, Default)]
pub(crate) struct DistinctSet {
    hasher: DefaultHashBuilder,
    seen: HashSet<u64>,
    full: bool,
}

impl DistinctSet {
    /// Counts a value, unless `limit` values or the shared `budget` are used up.
    pub(crate) fn insert(&mut self, value: &str, limit: usize, budget: &mut usize) {
        let hash = self.hasher.hash_one(value);
        if self.full || self.seen.contains(&hash) {
            return;
        }

        if self.seen.len() >= limit || *budget == 0 {
            self.full = true;
            return;
        }
        *budget -= 1;

        self.seen.insert(hash);
    }

    pub(crate) fn count(&self) -> Distinct {
        Distinct {
            count: self.seen.len() as u64,
            at_least: self.full,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_set_says_that_there_may_be_more() {
        let (mut set, mut budget) = (DistinctSet::default(), 100);
        for value in ["a", "b", "a"] {
            set.insert(value, 2, &mut budget);
        }

        assert_eq!(
            set.count(),
            Distinct {
                count: 2,
                at_least: false
            }
        );

        set.insert("c", 2, &mut budget);
        assert_eq!(
            (set.count(), budget),
            (
                Distinct {
                    count: 2,
                    at_least: true
                },
                98
            )
        );

        let mut other = DistinctSet::default();
        other.insert("a", 2, &mut 0);
        assert_eq!(
            other.count(),
            Distinct {
                count: 0,
                at_least: true
            }
        );
    }
}
