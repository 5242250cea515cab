//! Chance that can be asked for at any point: a draw is a hash of a key and a number, so that the
//! millionth costs what the first costs, and the same question always has the same answer. The
//! mixer is SplitMix64's (Steele, Lea, Flood 2014).

/// A well-mixed number of a number.
pub(crate) const fn mix(number: u64) -> u64 {
    let mut x = number.wrapping_add(0x9e37_79b9_7f4a_7c15);
    x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}

/// A key of a key and a text (FNV-1a, mixed).
pub(crate) fn key(parent: u64, text: &str) -> u64 {
    let mut hash = 0xcbf2_9ce4_8422_2325_u64 ^ mix(parent);
    for byte in text.bytes() {
        hash = (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
    }
    mix(hash)
}

/// The n-th number under a key.
pub(crate) const fn draw(key: u64, n: i64) -> u64 {
    mix(key ^ mix(n as u64))
}

/// The n-th draw under a key, from 0 up to 1.
pub(crate) fn unit(key: u64, n: i64) -> f64 {
    (draw(key, n) >> 11) as f64 / (1_u64 << 53) as f64
}

/// The n-th draw between two bounds.
pub(crate) fn between(key: u64, n: i64, low: f64, high: f64) -> f64 {
    low + unit(key, n) * (high - low)
}

/// One of the items; the first when there is nothing to choose from is the caller's to rule out.
pub(crate) fn pick<T>(key: u64, n: i64, items: &[T]) -> Option<&T> {
    let count = u64::try_from(items.len()).ok().filter(|count| *count > 0)?;
    items.get(usize::try_from(draw(key, n) % count).ok()?)
}

/// Slow chance from 0 up to 1: draws at every `span` steps, joined by lines.
pub(crate) fn smooth(key: u64, step: i64, span: i64) -> f64 {
    let (at, rest) = (step.div_euclid(span), step.rem_euclid(span));
    let (a, b) = (unit(key, at), unit(key, at + 1));
    a + (b - a) * rest as f64 / span as f64
}

/// So many hexadecimal digits under a key; at most 32.
pub(crate) fn hex(key: u64, digits: usize) -> String {
    let mut text = format!("{:016x}{:016x}", draw(key, 1), draw(key, 2));
    text.truncate(digits);
    text
}

/// So many decimal digits under a key, not beginning with 0; at most 19.
pub(crate) fn digits(key: u64, digits: u32) -> String {
    let floor = 10_u64.pow(digits.min(19) - 1);
    (floor + draw(key, 3) % (9 * floor)).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn draws_are_even_and_repeat() {
        let key = key(7, "i-0");
        let mean = (0..10_000).map(|n| unit(key, n)).sum::<f64>() / 10_000.0;
        assert!((mean - 0.5).abs() < 0.02, "{mean}");
        assert_eq!(unit(key, 12), unit(key, 12));
        assert_ne!(super::key(7, "a"), super::key(8, "a"));
        assert!(
            (-500..500)
                .map(|n| smooth(key, n, 12))
                .all(|x| (0.0..1.0).contains(&x))
        );
        assert_eq!((hex(key, 17).len(), digits(key, 19).len()), (17, 19));
        assert_eq!(pick::<u8>(key, 0, &[]), None);
    }
}
