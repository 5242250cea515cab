//! Windows of rows or sequences, for a page that needs only the nearest of them.

use std::ops::Range;

use reeve_ledger::Order;

/// Rows or sequences of the first window: a page of a segment's column.
const FIRST: u64 = 4_096;
/// Factor by which each window is larger than the one before.
const GROWTH: u64 = 4;

/// Divides a range into ever larger windows, those nearest to the page first.
#[derive(Debug)]
pub(super) struct Windows {
    left: Range<u64>,
    size: u64,
    order: Order,
}

impl Windows {
    pub(super) fn new(range: Range<u64>, order: Order) -> Self {
        Windows {
            left: range,
            size: FIRST,
            order,
        }
    }

    /// Returns the part of the range that no window has covered.
    pub(super) fn left(&self) -> Range<u64> {
        self.left.clone()
    }
}

impl Iterator for Windows {
    type Item = Range<u64>;

    fn next(&mut self) -> Option<Range<u64>> {
        if self.left.is_empty() {
            return None;
        }

        let window = match self.order {
            Order::NewestFirst => {
                self.left.end.saturating_sub(self.size).max(self.left.start)..self.left.end
            }
            Order::OldestFirst => {
                self.left.start..self.left.end.min(self.left.start.saturating_add(self.size))
            }
        };

        match self.order {
            Order::NewestFirst => self.left.end = window.start,
            Order::OldestFirst => self.left.start = window.end,
        }

        self.size = self.size.saturating_mul(GROWTH);
        Some(window)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn windows_grow_from_the_nearest_end_and_cover_the_range() {
        let newest: Vec<_> = Windows::new(10..30_000, Order::NewestFirst).collect();
        assert_eq!(newest, [25_904..30_000, 9_520..25_904, 10..9_520]);
        let oldest: Vec<_> = Windows::new(10..30_000, Order::OldestFirst).collect();
        assert_eq!(oldest, [10..4_106, 4_106..20_490, 20_490..30_000]);
        assert_eq!(Windows::new(5..5, Order::OldestFirst).next(), None);
    }
}
