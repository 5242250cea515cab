//! Randomness that is the same on every machine and in every version: xoshiro256++ seeded by
//! SplitMix64, and draws from it.
//!
//! D. Blackman, S. Vigna, "Scrambled Linear Pseudorandom Number Generators" (2021); A. J. Walker's
//! alias method (1977) as M. D. Vose made it linear (1991). Not for secrets.

/// A seeded source of random numbers.
#[derive(Debug, Clone)]
pub(crate) struct Random([u64; 4]);

impl Random {
    /// The source that `seed` names.
    pub(crate) fn new(seed: u64) -> Self {
        let mut state = seed;
        Self([(); 4].map(|()| split_mix(&mut state)))
    }

    /// Returns 64 random bits.
    pub(crate) fn bits(&mut self) -> u64 {
        let s = &mut self.0;
        let result = s[0].wrapping_add(s[3]).rotate_left(23).wrapping_add(s[0]);
        let shifted = s[1] << 17;
        s[2] ^= s[0];
        s[3] ^= s[1];
        s[1] ^= s[2];
        s[0] ^= s[3];
        s[2] ^= shifted;
        s[3] = s[3].rotate_left(45);

        result
    }

    /// A number below `end`; the bias of the multiplication is below 2^-40 for what is drawn here.
    pub(crate) fn below(&mut self, end: usize) -> usize {
        ((u128::from(self.bits()) * end as u128) >> 64) as usize
    }

    /// A number in `[0, 1)`.
    pub(crate) fn unit(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// True `permille` times in a thousand.
    pub(crate) fn chance(&mut self, permille: usize) -> bool {
        self.below(1_000) < permille
    }

    /// Returns one of `choices`, each with the same probability.
    pub(crate) fn pick<T: Copy>(&mut self, choices: &[T]) -> T {
        choices[self.below(choices.len())]
    }
}

fn split_mix(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut mixed = *state;
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}

/// Draws an index with given weights in constant time.
#[derive(Debug, Clone)]
pub(crate) struct Weighted {
    /// For each column: the share of it that is its own, and whose the rest is.
    columns: Vec<(u32, u32)>,
}

impl Weighted {
    /// Draws with these weights; none may be negative, and one must be positive.
    pub(crate) fn new(weights: &[f64]) -> Self {
        let mean = weights.iter().sum::<f64>() / weights.len() as f64;
        let mut left: Vec<f64> = weights.iter().map(|weight| weight / mean).collect();
        let mut columns: Vec<(u32, u32)> = (0..weights.len())
            .map(|own| (u32::MAX, own as u32))
            .collect();
        let (mut small, mut large): (Vec<usize>, Vec<usize>) =
            (0..left.len()).partition(|&index| left[index] < 1.0);

        while let (Some(poor), Some(&rich)) = (small.pop(), large.last()) {
            columns[poor] = ((left[poor] * f64::from(u32::MAX)) as u32, rich as u32);
            left[rich] -= 1.0 - left[poor];
            if left[rich] < 1.0 {
                large.pop();
                small.push(rich);
            }
        }

        Self { columns }
    }

    /// Zipf's law: the index `i` has the weight `1 / (i + 1)`.
    pub(crate) fn zipf(count: usize) -> Self {
        Self::new(
            &(1..=count)
                .map(|rank| 1.0 / rank as f64)
                .collect::<Vec<_>>(),
        )
    }

    /// Returns an index with the probability of its weight.
    pub(crate) fn draw(&self, random: &mut Random) -> usize {
        let column = random.below(self.columns.len());
        let (own, other) = self.columns[column];
        if (random.bits() >> 32) as u32 <= own {
            column
        } else {
            other as usize
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Random, Weighted};

    #[test]
    fn a_seed_names_its_numbers() {
        let (mut one, mut same, mut other) = (Random::new(7), Random::new(7), Random::new(8));
        let drawn: Vec<u64> = (0..4).map(|_| one.bits()).collect();
        assert_eq!(drawn, (0..4).map(|_| same.bits()).collect::<Vec<_>>());
        assert_ne!(drawn, (0..4).map(|_| other.bits()).collect::<Vec<_>>());
    }

    #[test]
    fn draws_follow_the_weights() {
        let (weighted, mut random) = (Weighted::new(&[1.0, 0.0, 2.0, 5.0]), Random::new(1));
        let mut seen = [0_usize; 4];
        for _ in 0..80_000 {
            seen[weighted.draw(&mut random)] += 1;
        }

        assert_eq!(seen[1], 0, "no weight, no draw");
        for (index, expected) in [(0, 10_000_usize), (2, 20_000), (3, 50_000)] {
            assert!(
                seen[index].abs_diff(expected) < expected / 20,
                "{index}: {} instead of {expected}",
                seen[index]
            );
        }
    }

    #[test]
    fn the_first_rank_of_zipf_has_its_share() {
        let (zipf, mut random) = (Weighted::zipf(5_000), Random::new(3));
        let first = (0..100_000).filter(|_| zipf.draw(&mut random) == 0).count();
        // 1 / H(5000) = 1 / 9.094.
        assert!(first.abs_diff(10_996) < 500, "{first}");
    }
}
