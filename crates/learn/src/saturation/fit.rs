//! Curves fitted to the stretch that ends at any bucket, each in a few steps from prefix sums:
//! straight lines over windows, a line with a kink, exponential growth on a constant, and the best
//! of the three by its evidence.
//!
//! The evidence is the Bayesian information criterion (Schwarz 1978), counted with as many
//! observations as are independent.

use super::line::SaturationLine;
use crate::leak::buckets::{Buckets, median};

/// Growth of the exponentials: natural logarithms of how much they grow over the whole series.
/// Twice as far apart, the parabola between them is a fortieth short of a day's gain.
const POWERS: [f64; 18] = [
    0.35, 0.5, 0.7, 0.9, 1.2, 1.5, 1.8, 2.15, 2.5, 2.9, 3.3, 3.75, 4.2, 4.7, 5.2, 5.85, 6.5, 7.2,
];
/// Windows of straight lines, in buckets; the whole stretch comes on top.
const LINES: [usize; 3] = [16, 32, 128];
/// Periods whose growth may repeat, in days.
const REPLAYS: [usize; 2] = [1, 7];
/// The last piece of a line with a kink: its fewest buckets, and how much longer the next one tried
/// is.
const LAST_PIECE: f64 = 24.0;
const LONGER: f64 = 1.3;
/// Buckets that count as one independent observation.
const DEPENDENT: f64 = 10.0;
/// Fewest buckets of anything but a straight line.
const LEAST: f64 = 24.0;

/// A curve where it ends.
#[derive(Debug, Clone, Copy)]
struct Fit {
    level: f64,
    /// Gain in one bucket, in the unit of the series.
    rate: f64,
    /// Relative growth of the rate per bucket; zero of what is straight.
    growth: f64,
    /// Sum of squares that is left.
    square: f64,
}

/// Prefix sums of powers of time and their products with the level.
#[derive(Debug)]
pub(super) struct FitSums<'a> {
    at: Vec<f64>,
    /// The level around each bucket: its median with the two before.
    pub(super) smooth: Vec<f64>,
    scale: f64,
    /// Prefix sums of 1, x, x², y, xy, y².
    sums: Vec<[f64; 6]>,
    /// For each power, of e, e², ye.
    exponentials: Vec<Vec<[f64; 3]>>,
    slots: &'a [i64],
    per_day: usize,
}

impl<'a> FitSums<'a> {
    pub(super) fn new(buckets: &'a Buckets, levels: &[f64]) -> Self {
        let first = buckets.slots.first().copied().unwrap_or(0);
        let scale = (buckets.slots.last().copied().unwrap_or(0) - first).max(1) as f64;
        let at: Vec<f64> = buckets
            .slots
            .iter()
            .map(|slot| (slot - first) as f64 / scale)
            .collect();
        let points = || at.iter().copied().zip(levels.iter().copied());
        let exponential = |power: f64| {
            running(points().map(|(x, y)| {
                let e = (power * (x - 1.0)).exp();
                [e, e * e, y * e]
            }))
        };

        FitSums {
            sums: running(points().map(|(x, y)| [1.0, x, x * x, y, x * y, y * y])),
            exponentials: POWERS.map(exponential).into(),
            smooth: (0..levels.len())
                .map(|index| median(&mut levels[index.saturating_sub(2)..=index].to_vec()))
                .collect(),
            at,
            scale,
            slots: &buckets.slots,
            per_day: buckets.per_day(),
        }
    }

    /// Every candidate at an origin: each curve from the local level and from its own, and periods
    /// that repeat.
    pub(super) fn candidates(&self, origin: usize) -> Vec<SaturationLine> {
        let local = self.smooth[origin];
        let mut found = Vec::with_capacity(2 * (LINES.len() + 3) + REPLAYS.len());
        let mut offer = |fit: Option<Fit>| {
            let still = Fit {
                level: local,
                rate: 0.0,
                growth: 0.0,
                square: 0.0,
            };
            let Fit {
                level,
                rate,
                growth,
                ..
            } = fit.unwrap_or(still);
            let own = SaturationLine {
                offset: level - local,
                rate,
                growth,
                replay: None,
                unseen: false,
            };
            found.extend([SaturationLine { offset: 0.0, ..own }, own]);
        };

        LINES
            .iter()
            .for_each(|window| offer(self.line(origin, *window)));
        let whole = self.line(origin, usize::MAX);
        let curve = whole.and_then(|line| self.exponential(origin, line));
        offer(whole);
        offer(curve.or(whole));
        offer(whole.map(|line| self.likeliest(origin, line, curve)));
        let rate = whole.map_or(0.0, |line| line.rate);

        for days in REPLAYS {
            let replay = self.replay(origin, days * self.per_day);
            found.push(SaturationLine {
                offset: 0.0,
                rate,
                growth: 0.0,
                replay,
                unseen: replay.is_none(),
            });
        }

        found
    }

    /// The gains of the period that ended at the origin, bucket by bucket, so that what grows on
    /// weekdays only is forecast to do so again. `None` when it was not seen whole.
    fn replay(&self, origin: usize, period: usize) -> Option<(usize, usize)> {
        let start = origin
            .checked_sub(period)
            .filter(|start| *start >= 2 && period >= 2)?;
        (self.slots[origin] - self.slots[start] == period as i64).then_some((start, origin))
    }

    fn window(&self, origin: usize, window: usize) -> [f64; 6] {
        let (to, from) = (
            self.sums[origin + 1],
            self.sums[(origin + 1).saturating_sub(window)],
        );
        std::array::from_fn(|index| to[index] - from[index])
    }

    fn line(&self, origin: usize, window: usize) -> Option<Fit> {
        let [n, x, xx, y, xy, yy] = self.window(origin, window);
        let (sxx, sxy) = (xx - x * x / n, xy - x * y / n);
        (n >= 4.0 && sxx > 1e-12).then(|| {
            let rate = sxy / sxx;
            Fit {
                level: y / n + rate * (self.at[origin] - x / n),
                rate: rate / self.scale,
                growth: 0.0,
                square: yy - y * y / n - rate * sxy,
            }
        })
    }

    /// Whichever of a line, a line with a kink and an exponential the stretch supports.
    fn likeliest(&self, origin: usize, line: Fit, curve: Option<Fit>) -> Fit {
        let independent = ((origin + 1) as f64 / DEPENDENT).max(3.0);
        let after = |fit: Fit, parameters: f64| {
            fit.square * (parameters * independent.ln() / independent).exp()
        };

        let others = [
            self.kinked(origin).map(|fit| (fit, 2.0)),
            curve.map(|fit| (fit, 1.0)),
        ];
        let mut best = (line, line.square);

        for (fit, parameters) in others.into_iter().flatten() {
            if after(fit, parameters) < best.1 {
                best = (fit, after(fit, parameters));
            }
        }

        best.0
    }

    /// Two lines that meet, where they meet best.
    fn kinked(&self, origin: usize) -> Option<Fit> {
        let [n, x, xx, y, xy, yy] = self.window(origin, usize::MAX);
        let (sxx, sxy, syy) = (xx - x * x / n, xy - x * y / n, yy - y * y / n);
        let mut best: Option<Fit> = None;
        let mut last = LAST_PIECE;

        while last < 0.8 * n {
            let [m, x1, xx1, y1, xy1, _] = self.window(origin, last as usize);
            let kink = self.at[origin + 1 - last as usize];
            let h = x1 - kink * m;
            let shh = xx1 - 2.0 * kink * x1 + kink * kink * m - h * h / n;
            let sxh = xx1 - kink * x1 - x * h / n;
            let syh = xy1 - kink * y1 - y * h / n;
            let determinant = sxx * shh - sxh * sxh;
            if determinant > 1e-9 * sxx * shh {
                let before = (sxy * shh - syh * sxh) / determinant;
                let change = (syh * sxx - sxy * sxh) / determinant;
                let square = syy - before * sxy - change * syh;
                if best.is_none_or(|best| square < best.square) {
                    let now = self.at[origin];
                    let level = y / n + before * (now - x / n) + change * (now - kink - h / n);
                    best = Some(Fit {
                        level,
                        rate: (before + change) / self.scale,
                        growth: 0.0,
                        square,
                    });
                }
            }
            last *= LONGER;
        }

        best
    }

    /// A constant and an exponential that rises, of the power that fits best. `None` where a line
    /// fits better.
    fn exponential(&self, origin: usize, line: Fit) -> Option<Fit> {
        let [n, _, _, y, _, yy] = self.window(origin, usize::MAX);
        if n < LEAST {
            return None;
        }

        let fits = POWERS.iter().zip(&self.exponentials).map(|(power, sums)| {
            let [e, ee, ye] = sums[origin + 1];
            let (see, sye) = (ee - e * e / n, ye - y * e / n);
            let share = sye / see.max(f64::MIN_POSITIVE);
            let now = (power * (self.at[origin] - 1.0)).exp();
            let growth = power / self.scale;
            let square = if see > 1e-12 * ee {
                yy - y * y / n - share * sye
            } else {
                f64::INFINITY
            };
            Fit {
                level: y / n + share * (now - e / n),
                rate: share * now * growth,
                growth,
                square,
            }
        });
        let fits: Vec<Fit> = fits.collect();
        let best = (0..fits.len()).min_by(|a, b| fits[*a].square.total_cmp(&fits[*b].square))?;

        (fits[best].square < line.square).then(|| between(&fits, best))
    }
}

/// The exponential between the three powers around the best of those tried, where the parabola
/// through their squares is least: the power next to the truth alone misses a day's gain by up to a
/// tenth.
fn between(fits: &[Fit], best: usize) -> Fit {
    let Some(three) = best
        .checked_sub(1)
        .and_then(|before| fits.get(before..best + 2))
    else {
        return fits[best];
    };

    let at = [0, 1, 2].map(|one: usize| three[one].growth.ln());
    // The parabola in Newton's form: value, first and second divided difference.
    let parabola = |score: &dyn Fn(&Fit) -> f64| {
        let first = (score(&three[1]) - score(&three[0])) / (at[1] - at[0]);
        let second = (score(&three[2]) - score(&three[1])) / (at[2] - at[1]);
        (score(&three[0]), first, (second - first) / (at[2] - at[0]))
    };
    let (_, slope, bend) = parabola(&|fit| fit.square);

    let least = 0.5 * (at[0] + at[1] - slope / bend);
    if !(least.is_finite() && (at[0]..=at[2]).contains(&least)) {
        return fits[best];
    }

    let read = |score: &dyn Fn(&Fit) -> f64| {
        let (value, slope, bend) = parabola(score);
        value + (least - at[0]) * (slope + bend * (least - at[1]))
    };

    Fit {
        level: read(&|fit| fit.level),
        rate: read(&|fit| fit.rate),
        growth: least.exp(),
        // Differences of large sums: what is nothing may come out a little below it.
        square: read(&|fit| fit.square).clamp(0.0, fits[best].square.max(0.0)),
    }
}

/// Sums of all terms before each index, and of all.
fn running<const N: usize>(terms: impl Iterator<Item = [f64; N]>) -> Vec<[f64; N]> {
    let mut total = [0.0; N];
    let mut sums = vec![total];

    for term in terms {
        total
            .iter_mut()
            .zip(term)
            .for_each(|(sum, term)| *sum += term);
        sums.push(total);
    }

    sums
}
