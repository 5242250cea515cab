//! A set of rows of one segment, a bit a row: what a query's conditions become, so that AND, OR and
//! NOT are a word at a time.

use reeve_ledger::Order;

/// Some of `len` rows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::entries) struct Bits {
    words: Vec<u64>,
    len: usize,
}

impl Bits {
    /// No row of `len`.
    pub(in crate::entries) fn none(len: usize) -> Self {
        Bits {
            words: vec![0; len.div_ceil(64)],
            len,
        }
    }

    /// Every row of `len`.
    pub(in crate::entries) fn all(len: usize) -> Self {
        let mut bits = Bits {
            words: vec![!0; len.div_ceil(64)],
            len,
        };
        bits.trim();
        bits
    }

    fn trim(&mut self) {
        if let Some(last) = self.words.last_mut()
            && !self.len.is_multiple_of(64)
        {
            *last &= (1 << (self.len % 64)) - 1;
        }
    }

    /// Number of rows, chosen or not.
    pub(in crate::entries) fn len(&self) -> usize {
        self.len
    }

    /// Adds a row; one beyond the end is left out.
    pub(in crate::entries) fn set(&mut self, row: usize) {
        if row < self.len {
            self.words[row / 64] |= 1 << (row % 64);
        }
    }

    /// Returns `true` if a row is in it.
    pub(in crate::entries) fn has(&self, row: usize) -> bool {
        self.words
            .get(row / 64)
            .is_some_and(|word| word >> (row % 64) & 1 == 1)
    }

    /// Adds the rows of a range.
    pub(in crate::entries) fn set_range(&mut self, range: std::ops::Range<usize>) {
        let end = range.end.min(self.len);
        let mut row = range.start;

        while row < end {
            let upto = (row / 64 * 64 + 64).min(end);
            let low = !0u64 << (row % 64);
            let high = if upto.is_multiple_of(64) {
                !0
            } else {
                (1u64 << (upto % 64)) - 1
            };
            self.words[row / 64] |= low & high;
            row = upto;
        }
    }

    /// Leaves only the rows of a range.
    pub(in crate::entries) fn keep_range(&mut self, range: std::ops::Range<usize>) {
        let mut kept = Bits::none(self.len);
        kept.set_range(range);
        self.and(&kept);
    }

    /// Leaves the rows that are in both.
    pub(in crate::entries) fn and(&mut self, other: &Bits) {
        self.words
            .iter_mut()
            .zip(&other.words)
            .for_each(|(word, other)| *word &= other);
    }

    /// Adds the rows of the other.
    pub(in crate::entries) fn or(&mut self, other: &Bits) {
        self.words
            .iter_mut()
            .zip(&other.words)
            .for_each(|(word, other)| *word |= other);
    }

    /// Takes the rows of the other out.
    pub(in crate::entries) fn and_not(&mut self, other: &Bits) {
        self.words
            .iter_mut()
            .zip(&other.words)
            .for_each(|(word, other)| *word &= !other);
    }

    /// Returns the rows of the segment that are not in the set.
    pub(in crate::entries) fn not(mut self) -> Self {
        self.words.iter_mut().for_each(|word| *word = !*word);
        self.trim();
        self
    }

    /// Adds rows as bytes hold them, the first row in the lowest bit of the first byte.
    pub(in crate::entries) fn or_bytes(&mut self, bytes: &[u8]) {
        for (word, chunk) in self.words.iter_mut().zip(bytes.chunks(8)) {
            *word |= le(chunk);
        }
        self.trim();
    }

    /// Number of rows in it that the bytes hold too.
    pub(in crate::entries) fn count_bytes(&self, bytes: &[u8]) -> u64 {
        self.words
            .iter()
            .zip(bytes.chunks(8))
            .map(|(word, chunk)| u64::from((word & le(chunk)).count_ones()))
            .sum()
    }

    /// Number of rows in it.
    pub(in crate::entries) fn count(&self) -> u64 {
        self.words
            .iter()
            .map(|word| u64::from(word.count_ones()))
            .sum()
    }

    /// Returns `true` if no row is in it.
    pub(in crate::entries) fn is_empty(&self) -> bool {
        self.words.iter().all(|&word| word == 0)
    }

    /// Returns the rows in ascending order.
    pub(in crate::entries) fn iter(&self) -> impl Iterator<Item = usize> + '_ {
        self.words.iter().enumerate().flat_map(|(at, &word)| {
            std::iter::successors((word != 0).then_some(word), |word| {
                Some(word & (word - 1)).filter(|&rest| rest != 0)
            })
            .map(move |word| at * 64 + word.trailing_zeros() as usize)
        })
    }

    /// Returns the rows in descending order.
    pub(in crate::entries) fn iter_down(&self) -> impl Iterator<Item = usize> + '_ {
        self.words.iter().enumerate().rev().flat_map(|(at, &word)| {
            std::iter::successors((word != 0).then_some(word), |word| {
                Some(word & !(1 << (63 - word.leading_zeros()))).filter(|&rest| rest != 0)
            })
            .map(move |word| at * 64 + 63 - word.leading_zeros() as usize)
        })
    }

    /// Its rows in the order of a page: later rows are newer.
    pub(in crate::entries) fn iter_in(
        &self,
        order: Order,
    ) -> Box<dyn Iterator<Item = usize> + Send + '_> {
        match order {
            Order::NewestFirst => Box::new(self.iter_down()),
            Order::OldestFirst => Box::new(self.iter()),
        }
    }

    /// Its rows as ranges, ascending.
    pub(in crate::entries) fn ranges(&self) -> Vec<std::ops::Range<usize>> {
        let mut ranges: Vec<std::ops::Range<usize>> = Vec::new();
        for row in self.iter() {
            match ranges.last_mut() {
                Some(last) if last.end == row => last.end += 1,
                _ => ranges.push(row..row + 1),
            }
        }
        ranges
    }
}

fn le(chunk: &[u8]) -> u64 {
    let mut bytes = [0; 8];
    bytes[..chunk.len()].copy_from_slice(chunk);
    u64::from_le_bytes(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_where_they_were_put() {
        for len in [0, 1, 63, 64, 65, 200] {
            let odd = |row: &usize| row % 3 == 1;
            let mut bits = Bits::none(len);
            (0..len).filter(odd).for_each(|row| bits.set(row));
            bits.set(len);
            let rows: Vec<usize> = (0..len).filter(odd).collect();
            assert_eq!(bits.iter().collect::<Vec<_>>(), rows);
            assert_eq!(
                bits.iter_down().collect::<Vec<_>>(),
                rows.iter().rev().copied().collect::<Vec<_>>()
            );
            assert_eq!(bits.count(), rows.len() as u64);
            let others = bits.clone().not();
            assert!(others.iter().eq((0..len).filter(|row| !odd(row))));
            let mut both = bits.clone();
            both.or(&others);
            assert_eq!(both, Bits::all(len));
            both.and_not(&bits);
            assert_eq!(both, others);
            both.and(&bits);
            assert!(both.is_empty());
            for (start, end) in [(0, len), (len / 3, len / 2), (len / 2, len + 5)] {
                let mut some = Bits::none(len);
                some.set_range(start..end);
                assert!(some.iter().eq(start..end.min(len)), "{len} {start} {end}");
                let mut kept = Bits::all(len);
                kept.keep_range(start..end);
                assert_eq!(kept, some);
                let expect: Vec<_> = std::iter::once(start..end.min(len))
                    .filter(|range| !range.is_empty())
                    .collect();
                assert_eq!(some.ranges(), expect);
            }
        }
    }
}
