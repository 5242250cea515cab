//! A blocked Bloom filter over keys that are hashes already: one cache line a lookup, about one
//! false answer in a hundred.

use super::IdKey;

/// 64-bit words of a block: one cache line.
const BLOCK_WORDS: usize = 8;
/// Bytes of a block.
pub(crate) const BLOCK_BYTES: usize = BLOCK_WORDS * 8;
/// Keys a block is meant for: 12.8 bits a key.
const KEYS_PER_BLOCK: u64 = 40;
/// Bits set for a key, nine bits of the key each.
const PROBES: u32 = 6;

/// Makes the block depend on other bits than the place in it.
const SPREAD: u64 = 0x9e37_79b9_7f4a_7c15;

/// Says of a key "surely not here" or "probably here".
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct IdFilter {
    words: Vec<u64>,
}

impl IdFilter {
    /// An empty filter for about this many keys.
    pub(crate) fn for_keys(count: u64) -> IdFilter {
        let blocks = count.div_ceil(KEYS_PER_BLOCK).max(1);
        IdFilter {
            words: vec![0; blocks as usize * BLOCK_WORDS],
        }
    }

    /// Returns the number of blocks in a filter for `count` keys.
    pub(crate) fn blocks(count: u64) -> u64 {
        count.div_ceil(KEYS_PER_BLOCK).max(1)
    }

    /// Reads what `to_bytes` wrote.
    pub(crate) fn from_bytes(bytes: &[u8]) -> IdFilter {
        let (words, _) = bytes.as_chunks::<8>();
        IdFilter {
            words: words.iter().map(|word| u64::from_le_bytes(*word)).collect(),
        }
    }

    /// Returns the words of the filter, each little-endian.
    pub(crate) fn to_bytes(&self) -> Vec<u8> {
        self.words
            .iter()
            .flat_map(|word| word.to_le_bytes())
            .collect()
    }

    /// Returns the first word of the key's block, and the positions of its bits.
    fn place(&self, key: &IdKey) -> (usize, u64) {
        let blocks = (self.words.len() / BLOCK_WORDS) as u128;
        let bits = key.number();
        let block = (u128::from(bits.wrapping_mul(SPREAD)) * blocks) >> 64;
        (block as usize * BLOCK_WORDS, bits)
    }

    pub(crate) fn insert(&mut self, key: &IdKey) {
        let (first, bits) = self.place(key);
        for probe in 0..PROBES {
            let bit = (bits >> (9 * probe)) as usize % (BLOCK_BYTES * 8);
            self.words[first + bit / 64] |= 1 << (bit % 64);
        }
    }

    /// Returns `false` if the filter certainly lacks the key.
    pub(crate) fn may_hold(&self, key: &IdKey) -> bool {
        let (first, bits) = self.place(key);
        (0..PROBES).all(|probe| {
            let bit = (bits >> (9 * probe)) as usize % (BLOCK_BYTES * 8);
            self.words
                .get(first + bit / 64)
                .is_some_and(|word| word >> (bit % 64) & 1 == 1)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_false_denial_and_few_false_alarms() {
        let key = |i: u32| IdKey::new(&i.to_string());
        let mut filter = IdFilter::for_keys(10_000);
        (0..10_000).for_each(|i| filter.insert(&key(i)));
        let filter = IdFilter::from_bytes(&filter.to_bytes());
        assert!((0..10_000).all(|i| filter.may_hold(&key(i))));

        let alarms = (10_000..110_000)
            .filter(|i| filter.may_hold(&key(*i)))
            .count();
        assert!(alarms < 2_000, "{alarms} false alarms of 100,000");
        assert!(!IdFilter::for_keys(0).may_hold(&key(1)));
    }
}
