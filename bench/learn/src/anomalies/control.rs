//! Detectors that know little or nothing. What they nearly reach is not measured by the test.

use reeve_learn::Point;

use crate::chance::Chance;

/// Rows that a control's alarm covers, as in Reeve's detector.
const REST: usize = 100;

/// Scores drawn at random: each row is an alarm with this chance, whatever its value.
pub(crate) fn random(rows: usize, chance: f64, seed: u64) -> Vec<f64> {
    let mut drawn = Chance::new(20_261_121, seed);
    (0..rows)
        .map(|_| f64::from(u8::from(drawn.unit() < chance)))
        .collect()
}

/// An alarm at the end of every twentieth of the file, which a detector in service could not even
/// know.
pub(crate) fn every_twentieth(rows: usize) -> Vec<f64> {
    let step = (rows / 20).max(1);
    (0..rows)
        .map(|row| f64::from(u8::from(row % step == step - 1)))
        .collect()
}

/// Distance from the median of the file, in its median distances: one line of code, and nothing a
/// service could know.
pub(crate) fn hindsight(points: &[Point]) -> Vec<f64> {
    let values: Vec<f64> = points.iter().map(|point| point.1).collect();
    let middle = median(values.clone());
    let size =
        median(values.iter().map(|value| (value - middle).abs()).collect()).max(f64::MIN_POSITIVE);

    values
        .iter()
        .map(|value| {
            if value.is_finite() {
                (value - middle).abs() / size
            } else {
                0.0
            }
        })
        .collect()
}

/// Returns the median distance computed from the rows before each.
pub(crate) fn median_distance(points: &[Point]) -> Vec<f64> {
    let (mut values, mut sizes): (Vec<f64>, Vec<f64>) = (Vec::new(), Vec::new());
    let middle = |sorted: &[f64]| sorted.get(sorted.len() / 2).copied().unwrap_or(0.0);
    let insert = |sorted: &mut Vec<f64>, value: f64| {
        sorted.insert(sorted.partition_point(|one| *one < value), value)
    };

    let judged = points.iter().map(|(_, value)| {
        if !value.is_finite() {
            return 0.0;
        }
        let distance = (value - middle(&values)).abs();
        let score = if values.len() > 2 {
            distance / middle(&sizes).max(1e-9)
        } else {
            0.0
        };
        insert(&mut values, *value);
        insert(&mut sizes, distance);
        score
    });

    judged.collect()
}

/// Lets each score fade over the following rows, as in Reeve's detector.
pub(crate) fn fading(mut scores: Vec<f64>, share: f64) -> Vec<f64> {
    let mut before = 0.0;
    for score in &mut scores {
        before = score.max(share * before);
        *score = before;
    }
    scores
}

/// An alarm where a score passes a limit and none was given for a third of a day, or eight rows
/// where that is longer.
pub(crate) fn grouped(points: &[Point], scores: &[f64], limit: f64) -> Vec<bool> {
    let mut rest: Option<(usize, i64)> = None;
    let judged = points
        .iter()
        .zip(scores)
        .enumerate()
        .map(|(row, ((at, _), score))| {
            let rests = rest.is_some_and(|(last, until)| row < last + 8 || *at < until);
            let fires = !rests && *score > limit;
            if fires {
                rest = Some((row, at + reeve_learn::DAY_MS / 3));
            }
            fires
        });

    judged.collect()
}

fn median(mut values: Vec<f64>) -> f64 {
    values.retain(|value| value.is_finite());
    values.sort_unstable_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(0.0)
}

/// An alarm wherever a value lies more than `limit` standard deviations from the mean of the rows
/// before it. Grouped, one alarm stands for what follows.
pub(crate) fn deviations(points: &[Point], limit: f64, grouped: bool) -> Vec<f64> {
    let (mut count, mut mean, mut squares) = (0.0, 0.0, 0.0_f64);
    let mut rest = 0;
    let judged = points.iter().map(|(_, value)| {
        let deviation = (squares / f64::max(count, 1.0)).sqrt();
        let off = value - mean;
        count += 1.0;
        mean += off / count;
        squares += off * (value - mean);
        let far = count > 2.0 && off.abs() > limit * deviation && deviation > 0.0;
        let fires = far && (!grouped || rest == 0);
        rest = if fires {
            REST
        } else {
            usize::saturating_sub(rest, 1)
        };
        f64::from(u8::from(fires))
    });

    judged.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn medians_are_of_the_whole_file_or_of_the_past() {
        let points: Vec<Point> = [1.0, 2.0, 3.0, f64::NAN, 2.0, 10.0]
            .into_iter()
            .enumerate()
            .map(|(at, value)| (at as i64, value))
            .collect();
        assert_eq!(hindsight(&points), [1.0, 0.0, 1.0, 0.0, 0.0, 8.0]);
        assert_eq!(median_distance(&points), [0.0, 0.0, 0.0, 0.0, 0.0, 8.0]);
        assert_eq!(fading(vec![0.0, 1.0, 0.0, 0.9], 0.5), [0.0, 1.0, 0.5, 0.9]);

        let hours: Vec<Point> = (0..30).map(|at| (at * 3_600_000, 0.0)).collect();
        let fired = grouped(&hours, &[1.0; 30], 0.5);
        let rows: Vec<usize> = (0..30).filter(|row| fired[*row]).collect();
        assert_eq!(rows, [0, 8, 16, 24]);
    }

    #[test]
    fn controls_fire_where_they_say() {
        assert_eq!(every_twentieth(100).iter().sum::<f64>(), 20.0);
        assert_eq!(random(1_000, 0.0, 1).iter().sum::<f64>(), 0.0);

        let fired = random(10_000, 0.01, 1).iter().sum::<f64>();
        assert!((50.0..150.0).contains(&fired), "{fired}");

        let mut points: Vec<Point> = (0..200).map(|row| (row, (row % 2) as f64)).collect();
        points[150].1 = 9.0;
        points[160].1 = 9.0;
        assert_eq!(deviations(&points, 3.0, false).iter().sum::<f64>(), 2.0);
        assert_eq!(deviations(&points, 3.0, true).iter().sum::<f64>(), 1.0);
    }
}
