//! Throughput of a resource: network, disk, requests, connections, free storage.

use reeve_estate::{GIB, Metric, ResourceKind};

use super::{PERIOD_S, SLOTS_PER_DAY, SLOTS_PER_HOUR, SimulatedSignal};
use crate::load::Load;
use crate::noise::{between, unit};

/// Bytes of a disk operation.
const OPERATION: f64 = 16_384.0;

impl SimulatedSignal<'_> {
    /// Bytes or operations a second, or bytes free.
    pub(super) fn flow(&self, metric: Metric, slot: i64) -> f64 {
        match metric {
            Metric::NetworkIn => self.network(slot, 11, 0.42),
            Metric::NetworkOut => self.network(slot, 12, 0.58),
            Metric::DiskRead => self.disk(slot, 13, 0.3),
            Metric::DiskWrite => self.disk(slot, 14, 0.7),
            Metric::DiskReadOps => self.disk(slot, 13, 0.3) / OPERATION,
            Metric::DiskWriteOps => self.disk(slot, 14, 0.7) / OPERATION,
            Metric::FreeStorage => self.free(slot),
            _ => 0.0,
        }
    }

    /// Bytes a second in one direction; the work done, so that another size changes nothing.
    fn network(&self, slot: i64, stream: u64, share: f64) -> f64 {
        let (quick, slow) = (self.noise(stream, slot), self.drift(stream, slot));
        match self.asset.load {
            Load::Idle => share * (300.0 + 700.0 * quick),
            Load::Weekly if !self.weekly(slot) => share * (200.0 + 500.0 * quick),
            Load::DatabaseIdle => share * (200.0 + 300.0 * quick),
            Load::Gateway(peak) => {
                share * peak * (0.2 + 0.8 * self.season(slot)) * (0.8 + 0.3 * slow + 0.1 * quick)
            }
            Load::Network(gbps) => share * gbps * 1.25e8 * (0.86 + 0.12 * slow + 0.02 * quick),
            _ => share * self.work(slot) * 60_000.0 * (0.8 + 0.3 * slow + 0.1 * quick),
        }
    }

    fn disk(&self, slot: i64, stream: u64, share: f64) -> f64 {
        let (quick, slow) = (self.noise(stream, slot), self.drift(stream, slot));
        match self.asset.load {
            Load::Disk(peak) => {
                share * peak * (0.2 + 0.8 * self.season(slot)) * (0.8 + 0.4 * quick)
            }
            Load::Weekly if self.weekly(slot) => share * 3e6,
            Load::Idle | Load::Weekly | Load::DatabaseIdle => share * 6_000.0 * (0.5 + quick),
            _ => share * (20_000.0 + self.work(slot) * 25_000.0 * (0.7 + 0.5 * slow + 0.2 * quick)),
        }
    }

    /// Hundredths of a vCPU at work.
    fn work(&self, slot: i64) -> f64 {
        self.cpu(slot) / self.era(slot).cpu * self.vcpu / 4.0
    }

    /// Returns the requests per second in a slot.
    pub(super) fn requests(&self, slot: i64) -> f64 {
        let Load::Requests(peak) = self.asset.load else {
            return 0.0;
        };
        peak * (0.12 + 0.88 * self.season(slot))
            * (0.9 + 0.1 * self.drift(15, slot) + 0.06 * self.noise(15, slot))
    }

    /// Seconds to an answer: 80 ms, twice that where the site is busiest, and six times as long in
    /// a bad deployment.
    pub(super) fn response_time(&self, slot: i64) -> f64 {
        let chance = 0.9 + 0.1 * self.drift(18, slot) + 0.1 * self.noise(18, slot);
        let bad = if self.badly_deployed(slot) { 6.0 } else { 1.0 };
        let seconds = 0.08 * (1.0 + self.season(slot).powi(2)) * chance * bad;
        (seconds * 1e4).round() / 1e4
    }

    /// Percent of requests that fail.
    pub(super) fn errors(&self, slot: i64) -> f64 {
        let bad = if self.badly_deployed(slot) { 7.0 } else { 0.05 };
        bad + 0.15 * self.drift(19, slot) + 0.1 * self.noise(19, slot)
    }

    /// The checkout's balancer sees what its people roll out: three hours before the beginning, and
    /// on one day in nine from then on, for 45 minutes.
    fn badly_deployed(&self, slot: i64) -> bool {
        let first = self.anchor - 3 * SLOTS_PER_HOUR;
        let day = (slot - self.anchor).div_euclid(SLOTS_PER_DAY);
        let later = (day > 0 && unit(self.asset.key ^ 0xdeb1, day) < 1.0 / 9.0).then(|| {
            let begins = between(
                self.asset.key ^ 0xdeb2,
                day,
                0.0,
                (SLOTS_PER_DAY - 9) as f64,
            ) as i64;
            self.anchor + day * SLOTS_PER_DAY + begins
        });

        self.asset.resource.name == "checkout-api"
            && [Some(first), later]
                .into_iter()
                .flatten()
                .any(|from| (from..from + 9).contains(&slot))
    }

    /// Open connections of a database.
    pub(super) fn connections(&self, slot: i64) -> f64 {
        let busiest = match self.asset.load {
            Load::Database(peak) => peak * 4.0,
            Load::DatabaseFilling => 120.0,
            Load::DatabaseOversized => 14.0,
            _ => return 0.0,
        };
        (busiest * (0.3 + 0.7 * self.season(slot)) * (0.85 + 0.2 * self.noise(16, slot))).round()
    }

    /// Bytes free. What was grown since is free on top: the data stays what it is.
    fn free(&self, slot: i64) -> f64 {
        let gib = self.asset.resource.specification.storage_gib.unwrap_or(0.0);
        if self.asset.resource.kind != ResourceKind::Database {
            return 0.0;
        }

        let used = match self.asset.load {
            // 88 % at the beginning, 1.6 % more every day; at 98 % somebody makes room for 45 %.
            Load::DatabaseFilling => 0.53 + (0.35 + self.days(slot) * 0.016).rem_euclid(0.45),
            Load::DatabaseIdle => 0.21,
            _ => {
                let nights = (slot % SLOTS_PER_DAY) as f64 / SLOTS_PER_DAY as f64;
                0.48 + 0.02 * nights + 0.002 * self.drift(17, slot)
            }
        };

        let grown = jiff::Timestamp::from_second(slot * PERIOD_S)
            .ok()
            .and_then(|at| self.condition.storage_at(at));
        let now = grown.map_or(gib, f64::from);
        GIB * (now - gib * used)
    }
}
