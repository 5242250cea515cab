//! Long silences: a gap of months is shortened to between one and two weeks before seasons and
//! errors are learnt, so that what was before it still counts and hours keep their place in the
//! week. Uncut, a year without points fills the history that is learnt from, and nothing is left to
//! tell an interval by.

use crate::grid::MONTH_MS;
use crate::window::{DAY_MS, WEEK_MS};

/// Slots that are cut out of a silence.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Cut {
    from: usize,
    count: usize,
}

/// Spans cut out of a series.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Cuts(Vec<Cut>);

impl Cuts {
    /// Finds the spans to cut in values on a grid of this step.
    pub(super) fn detect(values: &[f64], step_ms: i64) -> Cuts {
        let round_ms = if step_ms <= DAY_MS {
            WEEK_MS
        } else {
            12 * MONTH_MS
        };
        let round = ((round_ms as f64 / step_ms as f64).round() as usize).max(1);

        let mut cuts = Vec::new();
        let mut from = 0;

        for part in values.chunk_by(|a, b| a.is_finite() == b.is_finite()) {
            let rounds = part.len() / round;
            if !part[0].is_finite() && rounds > 1 {
                cuts.push(Cut {
                    from,
                    count: (rounds - 1) * round,
                });
            }
            from += part.len();
        }

        Cuts(cuts)
    }

    /// The slot from which so many slots are left up to the end, of `length`.
    pub(super) fn first(&self, length: usize, history: usize) -> usize {
        let (mut first, mut left) = (length, history);
        for cut in self.0.iter().rev() {
            let kept = first - (cut.from + cut.count);
            if kept >= left {
                break;
            }
            left -= kept;
            first = cut.from;
        }

        first.saturating_sub(left)
    }

    /// The cuts of the slots from `first` on, counted from there.
    pub(super) fn since(&self, first: usize) -> Cuts {
        let inside = self.0.iter().filter(|cut| cut.from >= first);
        Cuts(
            inside
                .map(|cut| Cut {
                    from: cut.from - first,
                    count: cut.count,
                })
                .collect(),
        )
    }

    /// Slots that are cut out.
    pub(super) fn count(&self) -> usize {
        self.0.iter().map(|cut| cut.count).sum()
    }

    /// Takes them out of values.
    pub(super) fn close(&self, values: &mut Vec<f64>) {
        for cut in self.0.iter().rev() {
            values.drain(cut.from..cut.from + cut.count);
        }
    }

    /// The slot of a value, counted as before the cuts.
    pub(super) fn slot(&self, index: usize) -> usize {
        self.0.iter().fold(index, |slot, cut| {
            if cut.from < slot {
                slot + cut.count
            } else {
                slot
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::window::HOUR_MS;

    #[test]
    fn a_silence_keeps_the_week_and_its_neighbours_keep_their_slots() {
        let mut values: Vec<f64> = (0..100).map(f64::from).collect();
        values.extend(std::iter::repeat_n(f64::NAN, 8_760));
        values.extend((0..50).map(f64::from));
        let cuts = Cuts::detect(&values, HOUR_MS);
        assert_eq!(cuts.count(), 51 * 168);
        assert_eq!(
            (
                cuts.first(values.len(), 20),
                cuts.first(values.len(), 1_000)
            ),
            (8_890, 0)
        );

        assert_eq!(cuts.first(values.len(), 50 + 8_760 - 51 * 168 + 30), 70);

        let mut closed = values.clone();
        cuts.close(&mut closed);
        assert_eq!(closed.len(), 100 + 192 + 50);
        assert_eq!([cuts.slot(99), cuts.slot(292)], [99, 8_860]);

        let later = cuts.since(60);
        assert_eq!(later.slot(292 - 60), 8_800);
        assert_eq!(Cuts::detect(&values[..300], HOUR_MS), Cuts::default());
    }
}
