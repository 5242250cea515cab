//! The generated estate: the same points from the same resource's number on every machine.
//!
//! A quarter each of the resources follow the office week, the day alone, a nightly batch, and
//! nothing; all with noise that remembers, some with spikes. Memory climbs slowly and is now and
//! then released. Values have two decimals, as clouds send them.

use std::f64::consts::TAU;

/// First point: 2026-11-02T00:00:00Z, a Monday.
pub(crate) const START_S: i64 = 1_793_577_600;
/// Distance of points, seconds.
pub(crate) const STEP_S: i64 = 300;
/// Points of a day.
pub(crate) const DAY: i64 = 86_400 / STEP_S;
/// Length of the history in days.
pub(crate) const DAYS: i64 = 14;

/// Returns the name of a resource, as EC2 writes identifiers.
pub(crate) fn name(resource: u32) -> String {
    format!(
        "i-{:017x}",
        u64::from(resource).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 4 & 0xf_ffff_ffff_ffff
    )
}

/// One metric of one resource, point after point.
pub(crate) struct Line {
    kind: u32,
    memory: bool,
    state: u64,
    drift: f64,
    level: f64,
    noise: f64,
}

impl Line {
    pub(crate) fn new(resource: u32, memory: bool) -> Self {
        let state =
            (u64::from(resource) << 1 | u64::from(memory)).wrapping_mul(0xd134_2543_de82_ef95) | 1;
        let mut line = Line {
            kind: resource % 4,
            memory,
            state,
            drift: 0.0,
            level: 0.0,
            noise: 0.0,
        };
        line.level = 8.0 + 40.0 * line.random();

        line
    }

    /// Between 0 and 1 (xorshift64*, Vigna 2016).
    fn random(&mut self) -> f64 {
        self.state ^= self.state >> 12;
        self.state ^= self.state << 25;
        self.state ^= self.state >> 27;
        (self.state.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 11) as f64 / (1u64 << 53) as f64
    }

    /// The value at a point; points are asked for one after the other.
    pub(crate) fn next(&mut self, point: i64) -> f64 {
        let (of_day, day) = (point % DAY, point / DAY % 7);
        let hour = of_day as f64 * 24.0 / DAY as f64;
        let work = (1.0 - ((hour - 14.0) / 24.0 * TAU).cos().mul_add(-0.5, 0.5)).max(0.0);
        let shape = match self.kind {
            0 if day < 5 => work,
            0 => 0.2 * work,
            1 => work,
            2 if (2.0..3.5).contains(&hour) => 1.6,
            _ => 0.0,
        };

        self.noise = self
            .noise
            .mul_add(0.7, 3.0 * (self.random() + self.random() - 1.0));
        let spike = if self.random() > 0.9997 { 30.0 } else { 0.0 };
        let value = if self.memory {
            self.drift = if self.random() > 0.9995 {
                0.0
            } else {
                self.drift + 0.01
            };
            0.2f64.mul_add(self.noise, self.level + self.drift + 5.0 * shape)
        } else {
            self.level + 30.0 * shape + self.noise + spike
        };

        (value.clamp(0.0, 100.0) * 100.0).round() / 100.0
    }
}
