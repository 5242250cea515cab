//! Metrics of a resource at any time: a pure function of its load, its key, the time and its
//! changes. Nothing is stored and every point costs the same. A point covers five minutes.
//!
//! Loads are relative to the original size. After a resize the same work takes another share of the
//! new size, so that a verification sees the effect. A stopped resource has no metrics.

mod cpu;
mod flow;

use jiff::Timestamp;
use reeve_estate::{Metric, PriceCatalogue, Provider, Resource, ResourceKind};

use crate::assets::Asset;
use crate::condition::SimulatedCondition;
use crate::load::Load;
use crate::noise::{between, smooth, unit};

/// Seconds that a point covers.
pub(crate) const PERIOD_S: i64 = 300;
pub(crate) const SLOTS_PER_HOUR: i64 = 3600 / PERIOD_S;
pub(crate) const SLOTS_PER_DAY: i64 = 24 * SLOTS_PER_HOUR;

/// The period a time lies in.
pub(crate) fn slot_of(at: Timestamp) -> i64 {
    at.as_second().div_euclid(PERIOD_S)
}

/// Returns `true` if spot capacity was interrupted at a time: on one day in seven, for ten to forty
/// minutes.
pub(crate) fn interrupted(key: u64, at: Timestamp) -> bool {
    interrupted_in(key, slot_of(at))
}

fn interrupted_in(key: u64, slot: i64) -> bool {
    interruption(key, slot).is_some_and(|(begins, lasts)| (begins..begins + lasts).contains(&slot))
}

/// The interruption on a slot's day: the slot it begins in, and how many it lasts.
pub(crate) fn interruption(key: u64, slot: i64) -> Option<(i64, i64)> {
    let day = slot.div_euclid(SLOTS_PER_DAY);
    if unit(key ^ 0x5901, day) >= 1.0 / 7.0 {
        return None;
    }

    let begins = between(key ^ 0x5902, day, 0.0, (SLOTS_PER_DAY - 9) as f64) as i64;
    Some((
        day * SLOTS_PER_DAY + begins,
        between(key ^ 0x5903, day, 2.0, 9.0) as i64,
    ))
}

/// A time with one size.
#[derive(Debug, Clone, Copy)]
struct Era {
    from: i64,
    /// vCPUs bought first over vCPUs now.
    cpu: f64,
    /// Memory bought first over memory now.
    memory: f64,
    credits: Option<Credits>,
}

/// CPU credits that a burstable size earns.
#[derive(Debug, Clone, Copy)]
struct Credits {
    vcpu: f64,
    /// Percent of all its cores that it sustains.
    baseline: f64,
}

impl Credits {
    /// A credit is a vCPU at 100 % for a minute.
    fn an_hour(self, percent: f64) -> f64 {
        self.vcpu * percent / 100.0 * 60.0
    }
    /// Largest balance of credits: those of one day.
    fn most(self) -> f64 {
        self.an_hour(self.baseline) * 24.0
    }
}

/// Metrics of one resource.
pub(crate) struct SimulatedSignal<'a> {
    asset: &'a Asset,
    condition: &'a SimulatedCondition,
    eras: Vec<Era>,
    vcpu: f64,
    /// The slot the demonstration begins in.
    anchor: i64,
    /// Slots the region's clock is ahead of UTC.
    zone: i64,
    born: i64,
}

impl<'a> SimulatedSignal<'a> {
    /// Creates the signal of an asset after its changes; `resource` is the resource in its place.
    pub(crate) fn new(
        asset: &'a Asset,
        condition: &'a SimulatedCondition,
        resource: &Resource,
        anchor: Timestamp,
    ) -> Self {
        let first = asset.resource.specification.instance_type.as_deref();
        let original = first
            .map(|name| Power::for_size(&asset.resource, name))
            .unwrap_or_default();
        let mut eras = vec![original.era(i64::MIN, original)];
        for (at, size) in &condition.sizes {
            eras.push(Power::for_size(&asset.resource, size).era(slot_of(*at), original));
        }

        let europe = ["eu-", "europe", "westeurope"]
            .iter()
            .any(|prefix| asset.resource.region.starts_with(prefix));
        SimulatedSignal {
            asset,
            condition,
            eras,
            vcpu: original.vcpu,
            anchor: slot_of(anchor),
            zone: if europe {
                SLOTS_PER_HOUR
            } else {
                -5 * SLOTS_PER_HOUR
            },
            born: resource.created_at.map_or(i64::MIN, |at| slot_of(at) + 1),
        }
    }

    /// Returns `true` if the cloud has the metric for this resource.
    pub(crate) fn measures(&self, metric: Metric) -> bool {
        use Metric::{
            CapacityUnits, CpuCreditBalance, CpuUtilization, DatabaseConnections, DiskRead,
            DiskReadOps, DiskUtilization, DiskWrite, DiskWriteOps, ErrorRate, FreeStorage,
            MemoryUtilization, NetworkIn, NetworkOut, RequestRate, ResponseTime,
        };

        let provider = self.asset.resource.provider;
        match (self.asset.resource.kind, metric) {
            (
                ResourceKind::VirtualMachine | ResourceKind::Database,
                CpuUtilization | NetworkIn | NetworkOut,
            ) => true,
            (ResourceKind::VirtualMachine, MemoryUtilization) => self.asset.agent,
            (ResourceKind::VirtualMachine, DiskUtilization) => self.asset.disk_used.is_some(),
            (ResourceKind::Database, MemoryUtilization) => true,
            (ResourceKind::VirtualMachine, CpuCreditBalance) => {
                self.eras.iter().any(|era| era.credits.is_some())
            }
            (ResourceKind::VirtualMachine | ResourceKind::Database, DiskRead | DiskWrite) => {
                provider != Provider::Azure
            }
            (ResourceKind::VirtualMachine | ResourceKind::Database, DiskReadOps | DiskWriteOps) => {
                provider == Provider::Aws
            }
            (ResourceKind::Database, DatabaseConnections | FreeStorage) => true,
            (ResourceKind::Volume, DiskRead | DiskWrite | DiskReadOps | DiskWriteOps) => {
                matches!(self.asset.load, Load::Disk(_))
            }
            // Without requests there is nothing to count, but the units that are paid for.
            (ResourceKind::LoadBalancer, RequestRate | ResponseTime | ErrorRate) => {
                self.asset.load != Load::Requests(0.0)
            }
            (ResourceKind::LoadBalancer, CapacityUnits) => provider == Provider::Aws,
            (ResourceKind::NatGateway, NetworkIn | NetworkOut) => true,
            _ => false,
        }
    }

    /// The value over a slot; `None` where nothing was measured.
    pub(crate) fn at(&self, metric: Metric, slot: i64) -> Option<f64> {
        if slot < self.born || self.missing(slot) {
            return None;
        }
        match metric {
            Metric::CpuUtilization => Some(thousandths(self.cpu(slot))),
            Metric::MemoryUtilization => Some(thousandths(self.memory(slot))),
            Metric::DiskUtilization => self
                .asset
                .disk_used
                .map(|used| thousandths(used + self.drift(0xd15c, slot))),
            Metric::CpuCreditBalance => self.credits(slot).map(thousandths),
            Metric::RequestRate => Some(thousandths(self.requests(slot))),
            // A unit is 25 new connections a second.
            Metric::CapacityUnits => Some(thousandths(self.requests(slot) / 25.0)),
            Metric::ResponseTime => Some(self.response_time(slot)),
            Metric::ErrorRate => Some(thousandths(self.errors(slot))),
            Metric::DatabaseConnections => Some(self.connections(slot)),
            other => Some(self.flow(other, slot).round()),
        }
    }

    fn missing(&self, slot: i64) -> bool {
        let begins = Timestamp::from_second(slot * PERIOD_S).unwrap_or(Timestamp::MIN);
        // A point needs its whole period.
        let ends = Timestamp::from_second((slot + 1) * PERIOD_S - 1).unwrap_or(Timestamp::MAX);
        let spot = self.asset.resource.purchase == Some(reeve_estate::Purchase::Spot);
        self.condition.down_at(begins)
            || self.condition.down_at(ends)
            || (spot && interrupted_in(self.asset.key, slot))
            || (self.asset.holes && self.hole(slot))
    }

    /// Nine hours twelve days before the beginning, and up to two hours now and then.
    fn hole(&self, slot: i64) -> bool {
        let long = self.anchor - 12 * SLOTS_PER_DAY;
        let quarter_day = slot.div_euclid(72);
        let short = unit(self.asset.key ^ 0x601e, quarter_day) < 0.06
            && slot.rem_euclid(72)
                < between(self.asset.key ^ 0x601f, quarter_day, 4.0, 24.0) as i64;
        short || (long..long + 9 * SLOTS_PER_HOUR).contains(&slot)
    }

    fn era(&self, slot: i64) -> Era {
        // The first one reaches back for ever.
        self.eras
            .iter()
            .rev()
            .find(|era| era.from <= slot)
            .copied()
            .unwrap_or(self.eras[0])
    }

    /// Chance of this slot, from 0 up to 1; `of` keeps kinds of chance apart.
    fn noise(&self, stream: u64, slot: i64) -> f64 {
        unit(self.asset.key ^ stream, slot)
    }

    /// Slow chance, an hour from one draw to the next.
    fn drift(&self, stream: u64, slot: i64) -> f64 {
        smooth(self.asset.key ^ stream, slot, SLOTS_PER_HOUR)
    }

    /// Hour of the region's day, 0 up to 24.
    fn hour(&self, slot: i64) -> f64 {
        (slot + self.zone).rem_euclid(SLOTS_PER_DAY) as f64 / SLOTS_PER_HOUR as f64
    }

    /// Returns `true` on Saturday and Sunday in the resource's time zone. The first of January 1970
    /// was a Thursday.
    fn weekend(&self, slot: i64) -> bool {
        ((slot + self.zone).div_euclid(SLOTS_PER_DAY) + 3).rem_euclid(7) >= 5
    }

    /// Returns the daily profile at this hour, 0 at four in the morning to 1 in the afternoon, less
    /// at weekends.
    fn season(&self, slot: i64) -> f64 {
        let turn = (self.hour(slot) - 4.0) / 24.0 * std::f64::consts::TAU;
        let shape = (0.5 - 0.5 * turn.cos()).powf(0.8);
        shape * if self.weekend(slot) { 0.72 } else { 1.0 }
    }

    /// Days since the beginning; negative before it.
    fn days(&self, slot: i64) -> f64 {
        (slot - self.anchor) as f64 / SLOTS_PER_DAY as f64
    }
}

fn thousandths(value: f64) -> f64 {
    (value * 1e3).round() / 1e3
}

/// Capacity of a size.
#[derive(Debug, Clone, Copy, Default)]
struct Power {
    vcpu: f64,
    memory_gib: Option<f64>,
    credits: Option<Credits>,
}

impl Power {
    fn for_size(resource: &Resource, size: &str) -> Self {
        let machine = size.strip_prefix("db.").unwrap_or(size);
        let Some(spec) = PriceCatalogue::builtin().instance(resource.provider, machine) else {
            return Power {
                vcpu: f64::from(crate::bill::custom_vcpu(size).unwrap_or(2)),
                ..Power::default()
            };
        };

        let vcpu = f64::from(spec.vcpu);
        let sustained = baseline(machine).filter(|_| resource.kind == ResourceKind::VirtualMachine);
        Power {
            vcpu,
            memory_gib: spec.memory_gib,
            credits: sustained.map(|baseline| Credits { vcpu, baseline }),
        }
    }

    fn era(self, from: i64, original: Power) -> Era {
        let ratio = |before: f64, after: f64| if after > 0.0 { before / after } else { 1.0 };
        // Without memory figures (Azure) memory goes by the vCPUs, as it does within a series.
        let memory = match (original.memory_gib, self.memory_gib) {
            (Some(before), Some(after)) => ratio(before, after),
            _ => ratio(original.vcpu, self.vcpu),
        };
        Era {
            from,
            cpu: ratio(original.vcpu, self.vcpu),
            memory,
            credits: self.credits,
        }
    }
}

/// Returns the baseline of a T3 size, percent of all its cores (EC2 user guide, burstable
/// performance instances).
fn baseline(size: &str) -> Option<f64> {
    let (family, size) = size.split_once('.')?;
    if !matches!(family, "t3" | "t3a" | "t4g") {
        return None;
    }

    let table = [
        ("nano", 5.0),
        ("micro", 10.0),
        ("small", 20.0),
        ("medium", 20.0),
        ("large", 30.0),
    ];

    let known = table
        .iter()
        .find(|(name, _)| *name == size)
        .map(|(_, percent)| *percent);
    known.or_else(|| matches!(size, "xlarge" | "2xlarge").then_some(40.0))
}
