//! Candidate seasons of a series: the calendar's and, where the effort allows, those found in the
//! data.

use crate::forecast::track;
use crate::grid::MONTH_MS;
use crate::window::{DAY_MS, WEEK_MS};

/// A season shorter than this many steps has no shape.
const SHORTEST: usize = 4;
/// Points that autocorrelation looks at.
const LOOKED_AT: usize = 3_000;

/// The seasons of a series, in steps.
#[derive(Debug, Clone, Default)]
pub(super) struct Seasons {
    /// The calendar's, shortest first; where it has none that fits, the series' own.
    pub main: Vec<usize>,
    /// The series' own beside the calendar's. It never takes their place: its phase is only known
    /// to a fraction of a step, which many rounds ahead is any phase.
    pub beside: Option<usize>,
}

impl Seasons {
    pub(super) fn detect(values: &[f64], step_ms: i64, look_for_own: bool) -> Seasons {
        let main = of_calendar(step_ms, values.len());
        let own = if look_for_own {
            of_its_own(values, &main)
        } else {
            None
        };

        if main.is_empty() {
            Seasons {
                main: own.into_iter().collect(),
                beside: None,
            }
        } else {
            Seasons { main, beside: own }
        }
    }

    /// All of them, shortest first.
    pub(super) fn all(&self) -> Vec<usize> {
        let mut all: Vec<usize> = self.main.iter().copied().chain(self.beside).collect();
        all.sort_unstable();
        all
    }
}

/// The calendar's seasons in steps, shortest first: those the series saw often enough to be judged.
pub(super) fn of_calendar(step_ms: i64, length: usize) -> Vec<usize> {
    let year_ms = 12 * MONTH_MS;
    let candidates: &[(i64, f64)] = if step_ms < DAY_MS {
        &[(DAY_MS, 2.0), (WEEK_MS, 1.4)]
    } else if step_ms == MONTH_MS {
        &[(year_ms, 2.0)]
    } else {
        &[(WEEK_MS, 2.0), (year_ms, 2.2)]
    };

    candidates
        .iter()
        .map(|(span_ms, least)| {
            (
                ((*span_ms as f64) / step_ms as f64).round() as usize,
                *least,
            )
        })
        .filter(|(period, least)| *period >= SHORTEST && length as f64 >= *period as f64 * least)
        .map(|(period, _)| period)
        .collect()
}

/// The strongest season of the series' own, in steps: a peak of the autocorrelation that beats
/// every season known already and is none of their multiples.
pub(super) fn of_its_own(values: &[f64], known: &[usize]) -> Option<usize> {
    let recent = &values[values.len().saturating_sub(LOOKED_AT)..];
    let most = recent.len() / 3;

    // Where the calendar has no season, one that came round a few times may as well be chance.
    let longest = if known.is_empty() {
        recent.len() / 6
    } else {
        most
    };

    let level = track::level(recent, recent.len() as f64 / 4.0);
    let mut rest: Vec<f64> = recent
        .iter()
        .zip(level)
        .map(|(value, level)| value - level)
        .collect();
    clip(&mut rest);
    let correlations: Vec<f64> = (0..=most).map(|lag| correlation(&rest, lag)).collect();
    let beaten = known
        .iter()
        .filter_map(|period| correlations.get(*period))
        .copied()
        .fold(0.0, f64::max);

    let strongest = (SHORTEST..longest)
        .filter(|lag| {
            correlations[*lag] >= correlations[lag - 1]
                && correlations[*lag] >= correlations[lag + 1]
        })
        .map(|lag| correlations[lag])
        .fold(0.0, f64::max);

    if strongest < (beaten + 0.1).max(0.3) {
        return None;
    }

    // The shortest peak that is nearly as strong: the others are its multiples.
    let peak = |lag: &usize| {
        let here = correlations[*lag];
        here >= 0.9 * strongest && here >= correlations[lag - 1] && here >= correlations[lag + 1]
    };
    let found = (SHORTEST..longest).find(peak)?;
    let dips = (1..found).any(|lag| correlations[lag] < 0.7 * correlations[found]);

    let found = refined(&correlations, found);
    let near = known
        .iter()
        .any(|period| found.abs_diff(*period) * 50 <= *period);
    (dips && !near).then_some(found)
}

/// A period near a peak: the one whose multiples repeat best too. A second, shorter season (or a
/// flat top) moves the first peak by a step or two; the error grows with every multiple, so that
/// they tell the true period.
fn refined(correlations: &[f64], peak: usize) -> usize {
    let reach = (peak / 25).max(1);
    let multiples = (correlations.len() - 1) / (peak + reach);
    let repeats = |period: &usize| {
        (1..=multiples)
            .map(|times| correlations[times * period])
            .sum::<f64>()
    };

    // The nearest first, so that equals stay with the peak.
    let near = (0..=reach)
        .flat_map(|away| [peak - away, peak + away])
        .filter(|period| *period >= SHORTEST);
    near.fold(peak, |best, other| {
        if repeats(&other) > repeats(&best) {
            other
        } else {
            best
        }
    })
}

/// Autocorrelation at a lag over pairs that were both measured; 0 without any.
fn correlation(rest: &[f64], lag: usize) -> f64 {
    let (mut product, mut left, mut right) = (0.0, 0.0, 0.0);
    for (a, b) in rest.iter().zip(rest.get(lag..).unwrap_or(&[])) {
        if a.is_finite() && b.is_finite() {
            product += a * b;
            left += a * a;
            right += b * b;
        }
    }

    let size = (left * right).sqrt();
    if size > 0.0 { product / size } else { 0.0 }
}

/// Bounds values at ten times their mean size, so that one spike does not outweigh every season.
fn clip(rest: &mut [f64]) {
    let measured = rest.iter().filter(|value| value.is_finite()).count().max(1);
    let size = rest
        .iter()
        .filter(|value| value.is_finite())
        .map(|value| value.abs())
        .sum::<f64>()
        / measured as f64;

    rest.iter_mut()
        .filter(|value| value.is_finite())
        .for_each(|value| *value = value.clamp(-10.0 * size, 10.0 * size));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::window::HOUR_MS;

    #[test]
    fn the_calendar_asks_for_enough_of_it() {
        assert_eq!(of_calendar(HOUR_MS, 24 * 14), [24, 168]);
        assert_eq!(of_calendar(HOUR_MS, 24 * 9), [24]);
        assert_eq!(of_calendar(300_000, 4_032), [288, 2_016]);
        assert_eq!(of_calendar(DAY_MS, 30), [7]);
        assert_eq!(of_calendar(DAY_MS, 900), [7, 365]);
        assert_eq!(of_calendar(MONTH_MS, 36), [12]);
        assert_eq!(of_calendar(HOUR_MS, 30), Vec::<usize>::new());
    }

    #[test]
    fn a_season_of_its_own_is_found_and_noise_has_none() {
        let wave: Vec<f64> = (0..1_000)
            .map(|i| f64::from(u8::from(i % 50 < 9)) * 10.0 + f64::from(i % 7))
            .collect();
        assert_eq!(of_its_own(&wave, &[]), Some(50));
        assert_eq!(of_its_own(&wave, &[50]), None);

        // Mixed until nothing repeats: multiples of one number alone nearly do.
        let mixed = |i: u32| {
            (i.wrapping_mul(2_654_435_761) ^ i.rotate_left(13))
                .wrapping_mul(2_246_822_519)
                .reverse_bits()
        };

        let noise: Vec<f64> = (1..=1_000)
            .map(|i| f64::from(mixed(mixed(i)) >> 16))
            .collect();
        assert_eq!(of_its_own(&noise, &[]), None);
        assert_eq!(of_its_own(&[5.0; 100], &[]), None);
        assert_eq!(of_its_own(&[1.0, 2.0], &[]), None);
    }
}
