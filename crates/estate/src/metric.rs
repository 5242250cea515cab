//! The table of metrics: one row for each, with its names, its unit and the kinds of resources that
//! have it.
//!
//! The interface answers the table, and the dashboard, anomalies and predictive rules take names
//! and units from it. A further metric is a row here and its source in each connector. A program
//! adds rows of its own before it serves ([`Metric::register`]).
//!
//! ```
//! use reeve_estate::{Metric, ResourceKind, Unit};
//!
//! let row = Metric::ResponseTime.row();
//! assert_eq!((row.label, row.unit), ("Response time", Unit::Seconds));
//! assert!(ResourceKind::LoadBalancer.metrics().contains(&Metric::ResponseTime));
//! ```

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;
use std::sync::{LazyLock, PoisonError, RwLock, RwLockReadGuard};

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::kind::ResourceKind;
use crate::named;

/// Longest name of a metric, bytes.
const LONGEST_NAME: usize = 64;
/// Bytes of a GiB.
pub const GIB: f64 = 1_073_741_824.0;

named!(
    /// A unit of a sample's value.
    Unit {
        /// A percentage, 0 to 100.
        Percent => "percent",
        BytesPerSecond => "bytes_per_second",
        /// Events in a second.
        PerSecond => "per_second",
        Bytes => "bytes",
        Seconds => "seconds",
        /// A number of things.
        Count => "count",
    }
);

/// Row of the table of metrics.
#[derive(Debug, Clone, Copy)]
pub struct MetricRow {
    /// Name on the wire and in the store.
    pub name: &'static str,
    /// Name for people, as the beginning of a sentence.
    pub label: &'static str,
    /// `true` if a sentence about the label has its verb in the plural.
    pub is_plural: bool,
    /// Unit of its samples.
    pub unit: Unit,
    /// Kinds of resources of which it is read.
    pub kinds: &'static [ResourceKind],
}

const MACHINE: ResourceKind = ResourceKind::VirtualMachine;
const DATABASE: ResourceKind = ResourceKind::Database;
const VOLUME: ResourceKind = ResourceKind::Volume;
const BALANCER: ResourceKind = ResourceKind::LoadBalancer;
const GATEWAY: ResourceKind = ResourceKind::NatGateway;
const QUEUE: ResourceKind = ResourceKind::Queue;
const CACHE: ResourceKind = ResourceKind::CacheNode;
const CONTENT: ResourceKind = ResourceKind::Distribution;

/// Declares the metrics: name, label, number of the verb, unit, kinds.
macro_rules! metrics {
    ($($(#[$doc:meta])* $variant:ident = $name:literal, $label:literal, $plural:expr, $unit:ident, [$($kind:ident),+];)+) => {
        /// A metric Reeve understands, whichever cloud calls it what.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Metric {
            $($(#[$doc])* $variant,)+
            /// A metric that the program has added to the table.
            Registered(RegisteredMetric),
        }

        impl Metric {
            /// The metrics that come with Reeve, in the order of the table.
            pub const ALL: &'static [Metric] = &[$(Metric::$variant),+];

            /// Returns the row of a metric.
            #[must_use]
            pub fn row(self) -> &'static MetricRow {
                match self {
                    $(Metric::$variant => &MetricRow {
                        name: $name,
                        label: $label,
                        is_plural: $plural,
                        unit: Unit::$unit,
                        kinds: &[$($kind),+],
                    },)+
                    Metric::Registered(registered) => registered.row(),
                }
            }
        }
    };
}

/// `true` for a label in the plural.
const ARE: bool = true;
/// `false` for a label in the singular.
const IS: bool = false;

metrics! {
    /// CPU in use, percent of all cores, 0 to 100.
    CpuUtilization = "cpu_utilization", "CPU", IS, Percent, [MACHINE, DATABASE];
    /// Memory in use, percent. Only there when an agent on the machine sends it.
    MemoryUtilization = "memory_utilization", "Memory", IS, Percent, [MACHINE, DATABASE];
    /// Space in use on the fullest file system of a machine, percent. Only there when a program
    /// on the machine sends it.
    DiskUtilization = "disk_utilization", "Disk space in use", IS, Percent, [MACHINE];
    /// Network in, bytes per second.
    NetworkIn = "network_in", "Network in", IS, BytesPerSecond, [MACHINE, DATABASE, GATEWAY];
    /// Network out, bytes per second.
    NetworkOut = "network_out", "Network out", IS, BytesPerSecond, [MACHINE, DATABASE, GATEWAY];
    /// Disk or EBS reads, bytes per second.
    DiskRead = "disk_read", "Disk reads", ARE, BytesPerSecond, [MACHINE, DATABASE, VOLUME];
    /// Disk or EBS writes, bytes per second.
    DiskWrite = "disk_write", "Disk writes", ARE, BytesPerSecond, [MACHINE, DATABASE, VOLUME];
    /// Read operations per second.
    DiskReadOps = "disk_read_ops", "Read operations", ARE, PerSecond, [MACHINE, DATABASE, VOLUME];
    /// Write operations per second.
    DiskWriteOps = "disk_write_ops", "Write operations", ARE, PerSecond, [MACHINE, DATABASE, VOLUME];
    DatabaseConnections = "database_connections", "Database connections", ARE, Count, [DATABASE];
    /// Seconds that a read replica is behind its source.
    ReplicaLag = "replica_lag", "Replica lag", IS, Seconds, [DATABASE];
    /// Free storage of a database, in bytes.
    FreeStorage = "free_storage", "Free storage", IS, Bytes, [DATABASE];
    /// Requests per second (load balancers, distributions); of caches the keys that were looked up.
    RequestRate = "request_rate", "Requests", ARE, PerSecond, [BALANCER, CACHE, CONTENT];
    /// Mean time to an answer, seconds (load balancers); of databases the mean time of a read of the
    /// storage.
    ResponseTime = "response_time", "Response time", IS, Seconds, [BALANCER, DATABASE];
    /// Requests that failed on the server's side, percent of all (load balancers).
    ErrorRate = "error_rate", "Errors", ARE, Percent, [BALANCER];
    /// Capacity units that a load balancer used; the cloud reports them even where nothing was
    /// served.
    CapacityUnits = "capacity_units", "Capacity units", ARE, Count, [BALANCER];
    /// Messages that wait to be received (queues).
    QueueDepth = "queue_depth", "Messages waiting", ARE, Count, [QUEUE];
    /// Apdex of the answers to users, percent: 100 where every user is satisfied. Only there when a
    /// program sends it, or a histogram of a metric source.
    UserExperienceScore = "user_experience_score", "User experience score", IS, Percent, [BALANCER, MACHINE];
    /// Sessions that would be cut if the machine stopped. Only there when a program sends them.
    ActiveSessions = "active_sessions", "Active sessions", ARE, Count, [MACHINE];
    /// Credits left of a burstable machine.
    CpuCreditBalance = "cpu_credit_balance", "CPU credits", ARE, Count, [MACHINE, DATABASE];
    /// Share of the looked-up keys that a cache had, percent.
    CacheHitRate = "cache_hit_rate", "Cache hit rate", IS, Percent, [CACHE, CONTENT];
    /// Keys that a cache dropped for want of memory, per second. Keys that expired are none of them.
    CacheEvictions = "cache_evictions", "Cache evictions", ARE, PerSecond, [CACHE];
}

/// A metric that the program has added to the table: its place behind those of Reeve.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RegisteredMetric(u16);

/// Most rows that a program may add. They live as long as the process.
const MOST_REGISTERED: u16 = 1024;

/// Rows that the program has added.
static REGISTERED: RwLock<Vec<&'static MetricRow>> = RwLock::new(Vec::new());

fn registered() -> RwLockReadGuard<'static, Vec<&'static MetricRow>> {
    REGISTERED.read().unwrap_or_else(PoisonError::into_inner)
}

/// Finds a row that the program has added by its name.
fn find_registered(rows: &[&'static MetricRow], name: &str) -> Option<Metric> {
    let place = (0_u16..).zip(rows).find(|(_, row)| row.name == name)?.0;
    Some(Metric::Registered(RegisteredMetric(place)))
}

impl RegisteredMetric {
    fn row(self) -> &'static MetricRow {
        registered()[usize::from(self.0)]
    }
}

impl Metric {
    /// Adds a row to the table of this process. Where a metric of the name is known, that one is
    /// returned.
    ///
    /// # Errors
    /// [`MetricRefused`]: the text is no name, or the table is full.
    pub fn register(row: MetricRow) -> Result<Metric, MetricRefused> {
        let plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_';
        if row.name.is_empty() || row.name.len() > LONGEST_NAME || !row.name.bytes().all(plain) {
            return Err(MetricRefused::Name(row.name));
        }
        if let Some(known) = Metric::parse(row.name) {
            return Ok(known);
        }

        let mut rows = REGISTERED.write().unwrap_or_else(PoisonError::into_inner);
        // Another thread may have added it meanwhile.
        if let Some(known) = find_registered(&rows, row.name) {
            return Ok(known);
        }
        let place = u16::try_from(rows.len()).unwrap_or(MOST_REGISTERED);
        if place >= MOST_REGISTERED {
            return Err(MetricRefused::Full);
        }
        rows.push(Box::leak(Box::new(row)));
        Ok(Metric::Registered(RegisteredMetric(place)))
    }

    /// Returns every metric of this process, in the order of the table.
    #[must_use]
    pub fn all() -> Vec<Metric> {
        let rows = registered();
        let further = (0_u16..)
            .zip(rows.iter())
            .map(|(place, _)| Metric::Registered(RegisteredMetric(place)));
        Metric::ALL.iter().copied().chain(further).collect()
    }

    /// Returns the place of the metric in the table.
    #[must_use]
    pub fn place(self) -> usize {
        match self {
            Metric::Registered(registered) => Metric::ALL.len() + usize::from(registered.0),
            own => Metric::ALL.iter().take_while(|one| **one != own).count(),
        }
    }

    /// The name on the wire and in the store.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        self.row().name
    }

    /// From the wire name.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let own = Metric::ALL.iter().find(|metric| metric.as_str() == text);
        own.copied()
            .or_else(|| find_registered(&registered(), text))
    }

    /// The unit its samples have.
    #[must_use]
    pub fn unit(self) -> Unit {
        self.row().unit
    }
}

/// Reason why a metric is not added to the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum MetricRefused {
    #[error("{0:?} is no name of a metric: lower case letters, digits and _, at most 64")]
    Name(&'static str),
    #[error("the table of metrics is full")]
    Full,
}

impl fmt::Display for Metric {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl Serialize for Metric {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(self.as_str())
    }
}

impl<'de> Deserialize<'de> for Metric {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let name = Cow::<str>::deserialize(from)?;
        Metric::parse(&name).ok_or_else(|| D::Error::custom(format!("{name:?} is no metric")))
    }
}

/// Metrics of each kind, in the order of the table.
static BY_KIND: LazyLock<BTreeMap<ResourceKind, Vec<Metric>>> = LazyLock::new(|| {
    let mut by_kind: BTreeMap<ResourceKind, Vec<Metric>> = BTreeMap::new();
    for metric in Metric::ALL {
        for kind in metric.row().kinds {
            by_kind.entry(*kind).or_default().push(*metric);
        }
    }
    by_kind
});

impl ResourceKind {
    /// Returns the metrics that clouds have of resources of this kind.
    #[must_use]
    pub fn metrics(self) -> &'static [Metric] {
        BY_KIND.get(&self).map_or(&[], Vec::as_slice)
    }

    /// Returns the kinds that have metrics, by name.
    pub fn measured() -> impl Iterator<Item = ResourceKind> {
        BY_KIND.keys().copied()
    }

    /// Returns `true` if resources of this kind have a metric, from a cloud or from a metric source.
    #[must_use]
    pub fn has_metric(self, metric: Metric) -> bool {
        metric.row().kinds.contains(&self)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    const FLOW: MetricRow = MetricRow {
        name: "flow_of_the_test",
        label: "Flow",
        is_plural: false,
        unit: Unit::PerSecond,
        kinds: &[BALANCER],
    };

    #[test]
    fn a_registered_metric_is_read_by_its_name_and_has_its_row() {
        let flow = Metric::register(FLOW).unwrap();
        assert_eq!(Metric::register(FLOW), Ok(flow), "one of a name");
        assert_eq!(Metric::parse("flow_of_the_test"), Some(flow));
        assert_eq!((flow.row().label, flow.unit()), ("Flow", Unit::PerSecond));
        assert!(BALANCER.has_metric(flow) && !MACHINE.has_metric(flow));
        assert_eq!(Metric::all()[flow.place()], flow);

        let text = serde_json::to_string(&flow).unwrap();
        assert_eq!(text, "\"flow_of_the_test\"");
        assert_eq!(serde_json::from_str::<Metric>(&text).unwrap(), flow);
        assert!(flow > Metric::CacheEvictions, "behind those of Reeve");
    }

    #[test]
    fn names_of_reeve_stay_and_texts_that_are_no_names_are_refused() {
        let mut row = FLOW;
        row.name = "cpu_utilization";
        assert_eq!(Metric::register(row), Ok(Metric::CpuUtilization));
        for name in ["", "Flow", "a b"] {
            row.name = name;
            assert_eq!(Metric::register(row), Err(MetricRefused::Name(name)));
        }

        for (place, metric) in Metric::ALL.iter().enumerate() {
            assert_eq!(metric.place(), place);
            assert_eq!(Metric::parse(metric.as_str()), Some(*metric));
        }
    }
}
