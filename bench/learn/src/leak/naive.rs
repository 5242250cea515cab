//! Detectors that know less: the negative controls.

use reeve_learn::Point;

/// The plain slope of least squares, as if points were independent.
pub(crate) fn slope_test(points: &[Point]) -> bool {
    let n = points.len() as f64;
    let mean_x = (n - 1.0) / 2.0;
    let mean_y = points.iter().map(|(_, value)| value).sum::<f64>() / n;
    let (mut xx, mut xy, mut yy) = (0.0, 0.0, 0.0);
    for (index, (_, value)) in points.iter().enumerate() {
        let (x, y) = (index as f64 - mean_x, value - mean_y);
        (xx, xy, yy) = (xx + x * x, xy + x * y, yy + y * y);
    }

    let slope = xy / xx;
    let error = ((yy - slope * xy).max(0.0) / (n - 2.0) / xx).sqrt();
    slope > 2.326 * error
}

/// Mann and Kendall's test on daily means.
pub(crate) fn kendall_of_days(points: &[Point]) -> bool {
    let days: Vec<f64> = points
        .chunks(288)
        .map(|day| day.iter().map(|(_, value)| value).sum::<f64>() / day.len() as f64)
        .collect();
    let n = days.len() as f64;
    let mut score = 0.0;

    for (index, one) in days.iter().enumerate() {
        score += days[index + 1..]
            .iter()
            .map(|other| (other - one).signum())
            .sum::<f64>();
    }

    (score - 1.0) / (n * (n - 1.0) * (2.0 * n + 5.0) / 18.0).sqrt() > 2.326
}

/// The mean of the last day a tenth above that of the first.
pub(crate) fn ends_higher(points: &[Point]) -> bool {
    let mean = |part: &[Point]| {
        part.iter().map(|(_, value)| value).sum::<f64>() / part.len().max(1) as f64
    };
    mean(&points[points.len().saturating_sub(288)..]) > 1.1 * mean(&points[..points.len().min(288)])
}
