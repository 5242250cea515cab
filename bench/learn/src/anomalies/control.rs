//! Detectors that know little or nothing. What they nearly reach is not measured by the test.

use reeve_learn::Point;

use crate::chance::Chance;

/// Rows for which a control's alarm stands for what follows, as long as ours does.
const REST: usize = 100;

/// Scores drawn at random: each row is an alarm with this chance, whatever its value.
pub(crate) fn random(rows: usize, chance: f64, seed: u64) -> Vec<f64> {
    let mut drawn = Chance::new(20_261_121, seed);
    (0..rows).map(|_| f64::from(u8::from(drawn.unit() < chance))).collect()
}

/// An alarm at the end of every twentieth of the file, which a detector in service could not even know.
pub(crate) fn every_twentieth(rows: usize) -> Vec<f64> {
    let step = (rows / 20).max(1);
    (0..rows).map(|row| f64::from(u8::from(row % step == step - 1))).collect()
}

/// An alarm wherever a value lies more than `limit` standard deviations from the mean of the rows before it. Grouped, one
/// alarm stands for what follows.
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
        rest = if fires { REST } else { usize::saturating_sub(rest, 1) };
        f64::from(u8::from(fires))
    });
    judged.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

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
