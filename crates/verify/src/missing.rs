//! Missing sequence numbers, as ranges.

use std::fmt;

/// So many ranges are kept; entries beyond are counted.
const MAX_RANGES: usize = 100;

/// Sequence numbers that are missing, in ascending order.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Missing {
    /// First and last of each run, at most 100 runs.
    pub ranges: Vec<(u64, u64)>,
    /// Total number of missing sequence numbers.
    pub total: u64,
    /// `true` if there are more ranges than are listed.
    pub more: bool,
}

impl Missing {
    /// Adds a run from `first` up to `end`, exclusive; runs come in ascending order.
    pub(crate) fn add(&mut self, first: u64, end: u64) {
        if first >= end {
            return;
        }

        self.total = self.total.saturating_add(end - first);
        let full = self.ranges.len() == MAX_RANGES;
        let adjacent = !self.more
            && self
                .ranges
                .last()
                .is_some_and(|range| range.1.checked_add(1) == Some(first));

        match self.ranges.last_mut() {
            Some(range) if adjacent => range.1 = end - 1,
            _ if full => self.more = true,
            _ => self.ranges.push((first, end - 1)),
        }
    }
}

/// Formats ranges, such as `3, 5-9`.
impl fmt::Display for Missing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, (first, last)) in self.ranges.iter().enumerate() {
            let comma = if at > 0 { ", " } else { "" };
            if first == last {
                write!(f, "{comma}{first}")?
            } else {
                write!(f, "{comma}{first}-{last}")?
            }
        }
        if self.more {
            f.write_str(", ...")
        } else {
            Ok(())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbours_are_one_range() {
        let mut missing = Missing::default();
        for (first, end) in [(3, 4), (5, 7), (7, 10), (12, 12)] {
            missing.add(first, end);
        }

        assert_eq!((missing.to_string().as_str(), missing.total), ("3, 5-9", 6));
        (0..200).for_each(|i| missing.add(100 + 2 * i, 101 + 2 * i));
        assert_eq!(
            (missing.ranges.len(), missing.total, missing.more),
            (100, 206, true)
        );
        assert!(missing.to_string().ends_with(", ..."));
    }
}
