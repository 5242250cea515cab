//! The Numenta Anomaly Benchmark's published scoring function (Lavin and Ahmad, "Evaluating
//! Real-Time Anomaly Detection Algorithms", ICMLA 2015; `nab/sweeper.py` and `nab/runner.py` of its
//! repository), at one fixed threshold.
//!
//! Every row of a file earns or costs by where it lies. The first row above the threshold in a
//! window earns the more the earlier it is; a window without one costs a miss; each row above the
//! threshold outside costs a false alarm, less shortly after a window. The first 15 % of rows (of
//! at most 5,000) count for nothing.

/// Costs of the outcomes, as in `config/profiles.json` of the benchmark.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Profile {
    /// Name in the benchmark.
    pub(crate) name: &'static str,
    /// Earned by a window found.
    pub(crate) found: f64,
    /// Paid for a row outside every window.
    pub(crate) false_alarm: f64,
    /// Paid for a window missed.
    pub(crate) missed: f64,
}

/// The benchmark's three profiles.
pub(crate) const PROFILES: [Profile; 3] = [
    Profile {
        name: "standard",
        found: 1.0,
        false_alarm: 0.11,
        missed: 1.0,
    },
    Profile {
        name: "reward_low_FP_rate",
        found: 1.0,
        false_alarm: 0.22,
        missed: 1.0,
    },
    Profile {
        name: "reward_low_FN_rate",
        found: 1.0,
        false_alarm: 0.11,
        missed: 2.0,
    },
];

/// Rows of a file and its labelled windows, as first and last row, ascending.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Labelled<'a> {
    /// Number of rows in the file.
    pub(crate) rows: usize,
    /// First and last row of each window.
    pub(crate) windows: &'a [(usize, usize)],
}

impl Labelled<'_> {
    /// Returns the number of rows at the start that are not scored: 15 %, and never more than 750.
    pub(crate) fn probation(&self) -> usize {
        (self.rows * 15 / 100).min(750)
    }

    /// The sum of what the rows that fired earn and cost.
    pub(crate) fn score(&self, fired: impl Fn(usize) -> bool, profile: Profile) -> f64 {
        let start = self.probation();
        let mut sum = 0.0;
        let mut before: Option<(usize, usize)> = None;
        let mut next = 0;

        for &(first, last) in self.windows {
            sum += outside(next.max(start)..first, before, &fired) * profile.false_alarm;
            if last >= start {
                let hit = (first.max(start)..=last).find(|row| fired(*row));
                sum += hit.map_or(-profile.missed, |row| {
                    profile.found * earned(row, first, last)
                });
            }
            before = Some((first, last));
            next = last + 1;
        }

        sum + outside(next.max(start)..self.rows, before, &fired) * profile.false_alarm
    }

    /// The sum of a detector that never fires.
    pub(crate) fn null(&self, profile: Profile) -> f64 {
        self.score(|_| false, profile)
    }

    /// The most that can be had: every window found in its first row, and nothing else.
    pub(crate) fn perfect(&self, profile: Profile) -> f64 {
        self.windows.len() as f64 * profile.found
    }
}

/// Returns the reward of a hit at `row` of a window: 1 in its first row, near 0 in its last.
fn earned(row: usize, first: usize, last: usize) -> f64 {
    let width = (last - first + 1) as f64;
    scaled_sigmoid(-((last - row + 1) as f64) / width) / scaled_sigmoid(-1.0)
}

fn outside(
    rows: std::ops::Range<usize>,
    before: Option<(usize, usize)>,
    fired: impl Fn(usize) -> bool,
) -> f64 {
    rows.filter(|row| fired(*row))
        .map(|row| match before {
            None => -1.0,
            Some((first, last)) => scaled_sigmoid((row - last) as f64 / (last - first) as f64),
        })
        .sum()
}

fn scaled_sigmoid(position: f64) -> f64 {
    if position >= 3.0 {
        -1.0
    } else {
        2.0 / (1.0 + (5.0 * position).exp()) - 1.0
    }
}

/// A sum of scores over files on the published scale: 0 for a detector that never fires, 100 for a
/// perfect one.
pub(crate) fn normalised(sum: f64, null: f64, perfect: f64) -> f64 {
    100.0 * (sum - null) / (perfect - null)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn score(rows: usize, windows: &[(usize, usize)], fired: &[usize], profile: usize) -> f64 {
        Labelled { rows, windows }.score(|row| fired.contains(&row), PROFILES[profile])
    }

    fn near(got: f64, want: f64) {
        assert!((got - want).abs() < 1e-6, "{got} is not {want}");
    }

    #[test]
    fn a_window_earns_by_its_first_hit_and_costs_when_missed() {
        // Worked by hand: 2/(1+e^-5)-1 = 0.9866143 at the first row; the sixth of ten rows lies at
        // -0.5, the last at -0.1.
        near(score(1000, &[(500, 509)], &[500], 0), 1.0);
        near(
            score(1000, &[(500, 509)], &[505, 506, 509], 0),
            0.848_283_64 / 0.986_614_298,
        );
        near(
            score(1000, &[(500, 509)], &[509], 0),
            0.244_918_662 / 0.986_614_298,
        );
        near(score(1000, &[(500, 509)], &[], 0), -1.0);
        near(score(1000, &[(500, 509)], &[], 2), -2.0);
    }

    #[test]
    fn a_false_alarm_costs_less_just_after_a_window() {
        near(score(1000, &[(500, 509)], &[300, 500], 0), 1.0 - 0.11);
        near(score(1000, &[(500, 509)], &[300, 500], 1), 1.0 - 0.22);

        // Nine rows after a window of ten: one width minus one row away, 2/(1+e^5)-1.
        near(
            score(1000, &[(500, 509)], &[500, 518], 0),
            1.0 - 0.11 * 0.986_614_298,
        );
        near(score(1000, &[(500, 509)], &[500, 536], 0), 1.0 - 0.11);
        near(score(1000, &[], &[151, 152, 153], 1), -0.66);
    }

    #[test]
    fn nothing_counts_within_the_probation() {
        near(score(1000, &[(500, 509)], &[0, 149, 500], 0), 1.0);
        near(score(1000, &[(500, 509)], &[150, 500], 0), 0.89);

        // A window wholly within it neither earns nor costs; one that reaches out of it counts by
        // its rows outside.
        near(score(1000, &[(100, 120)], &[100], 0), 0.0);
        near(score(1000, &[(145, 154)], &[146], 0), -1.0);
        assert_eq!(
            Labelled {
                rows: 20_000,
                windows: &[]
            }
            .probation(),
            750
        );

        assert_eq!(
            Labelled {
                rows: 999,
                windows: &[]
            }
            .probation(),
            149
        );
    }

    #[test]
    fn the_scale_runs_from_never_to_perfect() {
        let file = Labelled {
            rows: 1000,
            windows: &[(500, 509), (800, 809)],
        };
        for profile in PROFILES {
            let scale = |sum| normalised(sum, file.null(profile), file.perfect(profile));
            near(scale(file.null(profile)), 0.0);
            near(
                scale(file.score(|row| row == 500 || row == 800, profile)),
                100.0,
            );
        }

        near(
            normalised(score(1000, &[(500, 509), (800, 809)], &[500], 0), -2.0, 2.0),
            50.0,
        );
    }
}
