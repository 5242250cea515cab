//! Series made for the tests, of the kinds an estate has, with and without trouble. No number in
//! the detector was chosen on them.

use crate::{DAY_MS, Point, WEEK_MS};

/// Distance between two points: five minutes.
pub(super) const STEP_MS: i64 = 300_000;
/// Four weeks of five-minute points.
pub(super) const ROWS: usize = 4 * 7 * 288;

/// Seeded random numbers (SplitMix64).
pub(super) struct Chance(u64);

impl Chance {
    pub(super) fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0xd1b5_4a32_d192_ed03)
    }

    pub(super) fn unit(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// Normal, by Box and Muller.
    pub(super) fn normal(&mut self) -> f64 {
        (-2.0 * (1.0 - self.unit()).ln()).sqrt() * (std::f64::consts::TAU * self.unit()).cos()
    }
}

/// Kinds of series without an anomaly.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Noise,
    Daily,
    Weekly,
    Trend,
    Integers,
    OnOff,
    HeavyTailed,
    Flat,
}

pub(super) const KINDS: [Kind; 8] = [
    Kind::Noise,
    Kind::Daily,
    Kind::Weekly,
    Kind::Trend,
    Kind::Integers,
    Kind::OnOff,
    Kind::HeavyTailed,
    Kind::Flat,
];

/// Fault injected into a series.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Trouble {
    Spike,
    Dip,
    Shift,
    Variance,
    Flatline,
    Oscillation,
}

pub(super) const TROUBLES: [Trouble; 6] = [
    Trouble::Spike,
    Trouble::Dip,
    Trouble::Shift,
    Trouble::Variance,
    Trouble::Flatline,
    Trouble::Oscillation,
];

/// Four weeks of a kind, without trouble.
pub(super) fn clean(kind: Kind, seed: u64) -> Vec<Point> {
    let mut chance = Chance::new(seed.wrapping_mul(31) + kind as u64);
    let mut carried = 0.0;
    (0..ROWS as i64)
        .map(|row| {
            let at = row * STEP_MS;
            let day = std::f64::consts::TAU * (at % DAY_MS) as f64 / DAY_MS as f64;
            let weekend = at % WEEK_MS >= 5 * DAY_MS;
            carried = 0.7 * carried + chance.normal();
            let value = match kind {
                Kind::Noise => 50.0 + 3.0 * chance.normal(),
                Kind::Daily => 40.0 + 15.0 * day.sin() + 1.5 * carried,
                Kind::Weekly => {
                    (if weekend {
                        20.0
                    } else {
                        45.0 + 20.0 * day.sin()
                    }) + 2.0 * carried
                }
                Kind::Trend => 10.0 + 0.004 * row as f64 + carried,
                Kind::Integers => (6.0 + 3.0 * day.sin() + 1.5 * chance.normal())
                    .round()
                    .max(0.0),
                Kind::OnOff => (if (row / 12) % 12 < 4 { 70.0 } else { 5.0 }) + chance.normal(),
                Kind::HeavyTailed => 20.0 * (0.6 * chance.normal()).exp(),
                Kind::Flat => 42.0,
            };
            (at, value)
        })
        .collect()
}

/// Returns a series with a fault from `row` on, scaled by the series' own spread.
pub(super) fn troubled(kind: Kind, trouble: Trouble, row: usize, seed: u64) -> Vec<Point> {
    let mut points = clean(kind, seed);
    let mut chance = Chance::new(seed + 77);
    let mean = points.iter().map(|point| point.1).sum::<f64>() / points.len() as f64;
    let spread = (points
        .iter()
        .map(|point| (point.1 - mean).powi(2))
        .sum::<f64>()
        / points.len() as f64)
        .sqrt();
    let spread = spread.max(1.0);

    let length = match trouble {
        Trouble::Spike | Trouble::Dip => 3,
        Trouble::Shift => points.len() - row,
        Trouble::Variance | Trouble::Oscillation => 72,
        Trouble::Flatline => 144,
    };

    let frozen = points[row].1;
    for (past, point) in points[row..row + length].iter_mut().enumerate() {
        point.1 = match trouble {
            Trouble::Spike => point.1 + 8.0 * spread,
            Trouble::Dip => point.1 - 8.0 * spread,
            Trouble::Shift => point.1 + 4.0 * spread,
            Trouble::Variance => point.1 + 3.0 * spread * chance.normal(),
            Trouble::Flatline => frozen,
            Trouble::Oscillation => point.1 + 3.0 * spread * if past % 6 < 3 { 1.0 } else { -1.0 },
        };
    }

    points
}
