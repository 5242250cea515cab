//! The volume under the surface of precision and recall (Paparrizos and others, "Volume Under the
//! Surface: A New Accuracy Evaluation Measure for Time-Series Anomaly Detection", VLDB 2022): how
//! well scores rank rows, over all thresholds and over buffers around the labelled windows, since
//! where an event begins and ends is a matter of opinion.

/// Widest buffer, half of it on each side of a window.
const BUFFER: usize = 20;
/// Thresholds, evenly spread over the ranks of the scores.
const THRESHOLDS: usize = 250;

/// VUS-PR of the scores of one series, 0 to 1; windows are first and last row, ascending. `None`
/// without a window.
pub(crate) fn vus_pr(scores: &[f64], windows: &[(usize, usize)]) -> Option<f64> {
    if windows.is_empty() || scores.is_empty() {
        return None;
    }

    let mut order: Vec<usize> = (0..scores.len()).collect();
    order.sort_by(|a, b| scores[*b].total_cmp(&scores[*a]));

    // How many rows each threshold calls anomalous: those that score as much as the row of its
    // rank.
    let called: Vec<usize> = (0..THRESHOLDS)
        .map(|at| scores[order[at * (scores.len() - 1) / (THRESHOLDS - 1)]])
        .map(|threshold| order.partition_point(|row| scores[*row] >= threshold))
        .collect();
    let sum: f64 = (0..=BUFFER)
        .map(|buffer| area(scores, windows, &order, &called, buffer))
        .sum();
    Some(sum / (BUFFER + 1) as f64)
}

/// Average precision with one buffer.
fn area(
    scores: &[f64],
    windows: &[(usize, usize)],
    order: &[usize],
    called: &[usize],
    buffer: usize,
) -> f64 {
    let (labels, inside) = extended(scores.len(), windows, buffer);
    let highest: Vec<f64> = labels
        .chunk_by(|a, b| (*a > 0.0) == (*b > 0.0))
        .scan(0, |from, part| {
            let rows = *from..*from + part.len();
            *from = rows.end;
            Some(rows)
        })
        .filter(|rows| labels[rows.start] > 0.0)
        .map(|rows| {
            scores[rows]
                .iter()
                .copied()
                .fold(f64::NEG_INFINITY, f64::max)
        })
        .collect();

    let positives = inside.iter().filter(|inside| **inside).count() as f64;
    let (mut hit, mut beside, mut next) = (0.0, 0.0, 0);
    let (mut recalled, mut area) = (0.0, 0.0);

    for count in called {
        for row in &order[next..*count] {
            hit += labels[*row];
            beside += if inside[*row] { 0.0 } else { labels[*row] };
        }
        next = *count;
        let threshold = scores[order[count - 1]];
        let met = highest
            .iter()
            .filter(|highest| **highest >= threshold)
            .count() as f64
            / highest.len() as f64;
        // The buffer counts half: what is called in it is neither quite right nor needed.
        let recall = (hit / (positives + beside / 2.0)).min(1.0) * met;
        area += (recall - recalled) * hit / *count as f64;
        recalled = recall;
    }

    area
}

/// Labels that fade out over the buffer, and which rows lie in a window itself.
fn extended(rows: usize, windows: &[(usize, usize)], buffer: usize) -> (Vec<f64>, Vec<bool>) {
    let (mut labels, mut inside) = (vec![0.0_f64; rows], vec![false; rows]);
    for (first, last) in windows {
        labels[*first..=*last].fill(1.0);
        inside[*first..=*last].fill(true);
        let faded = |distance: usize| (1.0 - distance as f64 / buffer as f64).max(0.0).sqrt();
        for distance in 1..=buffer / 2 {
            if last + distance < rows {
                labels[last + distance] += faded(distance);
            }
            if let Some(row) = first.checked_sub(distance) {
                labels[row] += faded(distance);
            }
        }
    }

    labels.iter_mut().for_each(|label| *label = label.min(1.0));
    (labels, inside)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_volume_is_that_of_the_authors_definition() {
        let near = |scores: &[f64], windows: &[(usize, usize)], expected: f64| {
            let found = vus_pr(scores, windows).unwrap_or(f64::NAN);
            assert!((found - expected).abs() < 1e-9, "{found} is not {expected}");
        };

        let windows = [(20, 24), (50, 51)];
        let perfect: Vec<f64> = (0..60)
            .map(|row| f64::from(u8::from((20..25).contains(&row) || row / 2 == 25)))
            .collect();
        near(&perfect, &windows, 1.0);

        // Computed apart from this code, by the definition.
        near(&[1.0; 60], &windows, 0.381_562_736_664_214_6);
        let mut scores: Vec<f64> = (0..60)
            .map(|row| f64::from(row * 7_919 % 101) / 101.0)
            .collect();
        (scores[21], scores[23], scores[26], scores[51]) = (2.0, 1.5, 1.2, 0.99);
        near(&scores, &windows, 0.749_648_942_488_775_3);
        assert_eq!(vus_pr(&scores, &[]), None);
    }
}
