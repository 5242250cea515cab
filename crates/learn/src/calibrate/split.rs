//! Splits that never let the future teach the past.

/// Cuts items that carry a time into the earlier share and the rest: what was made at the cut or
/// later is held out. Items of one instant stay on one side. `earlier_share` is clamped to 0 to 1.
#[must_use]
pub fn split_by_time<T: Clone>(
    items: &[T],
    earlier_share: f64,
    at_ms: impl Fn(&T) -> i64,
) -> (Vec<T>, Vec<T>) {
    let mut sorted = items.to_vec();
    sorted.sort_by_key(|item| at_ms(item));
    let share = if earlier_share.is_finite() {
        earlier_share.clamp(0.0, 1.0)
    } else {
        0.0
    };
    let wanted = (sorted.len() as f64 * share).round() as usize;
    let cut = sorted.get(wanted).map(&at_ms);

    let at = cut.map_or(sorted.len(), |cut| {
        sorted.partition_point(|item| at_ms(item) < cut)
    });
    let later = sorted.split_off(at);
    (sorted, later)
}

/// Ranges `(train, test)` of indices into items sorted by time: each fold is judged by everything
/// before it. The first part of `folds + 1` equal ones is never judged.
#[must_use]
pub fn forward_folds(
    count: usize,
    folds: usize,
) -> Vec<(std::ops::Range<usize>, std::ops::Range<usize>)> {
    let part = count / (folds + 1);
    if part == 0 {
        return Vec::new();
    }

    let end = |fold: usize| {
        if fold == folds {
            count
        } else {
            part * (fold + 1)
        }
    };

    (1..=folds)
        .map(|fold| (0..part * fold, part * fold..end(fold)))
        .collect()
}
