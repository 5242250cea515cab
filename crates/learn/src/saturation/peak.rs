//! Peak of a bucket above its level: a disk is full when a peak fills it, not when three quarters
//! of the bucket do.

use crate::leak::buckets::Buckets;
use crate::window::Point;

/// The part of a bucket over which a mean counts as reached: one point alone is not a level.
const HELD: i64 = 2;

/// For each bucket, the highest mean over half a bucket's time that begins in it, less the bucket's
/// level, in units of the series. Zero where what was measured ends before. The points are sorted;
/// what is not finite is left out.
pub(super) fn above(points: &[Point], buckets: &Buckets) -> Vec<f64> {
    let known: Vec<Point> = points
        .iter()
        .copied()
        .filter(|(_, value)| value.is_finite())
        .collect();
    let mut highest: Vec<Option<f64>> = vec![None; buckets.len()];
    let (Some(first), Some(last)) = (known.first(), known.last()) else {
        return vec![0.0; buckets.len()];
    };

    // The last point stands for the time until the next one would have come.
    let over = last.0 + (last.0 - first.0) / (known.len() as i64 - 1).max(1);
    let length = (buckets.width_ms / HELD).max(1);
    let (mut bucket, mut end, mut sum) = (0, 0, 0.0);
    for (start, (at, value)) in known
        .iter()
        .enumerate()
        .take_while(|(_, (at, _))| at + length <= over)
    {
        while let Some((_, next)) = known.get(end).filter(|(next, _)| *next < at + length) {
            sum += next;
            end += 1;
        }
        let mean = sum / (end - start) as f64;
        sum -= value;
        let slot = at.div_euclid(buckets.width_ms);
        bucket += buckets.slots[bucket..]
            .iter()
            .take_while(|one| **one < slot)
            .count();
        if let Some(one) = highest.get_mut(bucket) {
            *one = Some(one.map_or(mean, |most| most.max(mean)));
        }
    }

    highest
        .iter()
        .zip(&buckets.values)
        .map(|(peak, level)| peak.map_or(0.0, |peak| peak - level))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::window::DAY_MS;

    const STEP: i64 = 300_000;

    #[test]
    fn half_a_bucket_counts_wherever_it_begins_and_a_point_does_not() {
        let mut points: Vec<Point> = (0..288).map(|index| (index * STEP, 1.0)).collect();
        // A quarter of an hour from the fifth point of the second half hour on, and five minutes in
        // the ninth.
        (10..13).for_each(|index| points[index].1 = 4.0);
        points[50].1 = 4.0;
        let buckets = Buckets::with_width(&points, 6 * STEP, 75.0);
        let found = above(&points, &buckets);
        assert_eq!(found.len(), 48);

        for (bucket, found) in found.iter().enumerate() {
            let expected = match bucket {
                1 => 4.0 - buckets.values[1],
                // Its first point and the two after it.
                2 => 2.0 - buckets.values[2],
                8 => 2.0 - buckets.values[8],
                _ => 0.0,
            };
            assert!((found - expected).abs() < 1e-9, "{bucket}: {found}");
        }

        assert_eq!((buckets.values[1], buckets.values[8]), (3.25, 1.0));
    }

    #[test]
    fn gaps_ends_and_what_is_not_finite_say_nothing() {
        let at_noon = |index: i64| {
            (
                DAY_MS / 2 + index * STEP,
                if index % 7 == 0 {
                    f64::NAN
                } else {
                    index as f64
                },
            )
        };
        let points: Vec<Point> = (0..12).chain(100..111).map(at_noon).collect();
        let buckets = Buckets::with_width(&points, 6 * STEP, 75.0);
        let found = above(&points, &buckets);
        assert_eq!(found.len(), buckets.len());

        assert!(
            found
                .iter()
                .all(|one| one.is_finite() && (-3.0..3.0).contains(one)),
            "{found:?}"
        );

        assert_eq!(above(&[], &buckets), vec![0.0; buckets.len()]);
    }
}
