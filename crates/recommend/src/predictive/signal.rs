//! The table of metrics that predictive rules watch: those of A-205 to A-207 by their names, and
//! others that Reeve collects. Label and unit are those of the samples ([`reeve_estate::Metric`])
//! unless the row has a label of its own.
//!
//! ```
//! use reeve_estate::{Metric, ResourceKind};
//! use reeve_recommend::predictive::Signal;
//!
//! assert_eq!(Signal::DiskSpace.metric(ResourceKind::VirtualMachine), Metric::DiskUtilization);
//! assert_eq!(Signal::DiskSpace.metric(ResourceKind::Database), Metric::FreeStorage);
//! assert_eq!(Signal::CpuUtilization.label(), "CPU");
//! ```

use reeve_estate::{Metric, ResourceKind, named};

/// A metric that a rule can watch.
#[derive(Debug)]
pub struct SignalRow {
    /// Name for people where the samples' own would mislead.
    pub label: Option<&'static str>,
    /// Metric whose samples are forecast.
    pub metric: Metric,
    /// Kinds of resources of which another metric is forecast.
    pub except: &'static [(ResourceKind, Metric)],
    /// Source of the capacity for predictions that reach one.
    pub capacity: CapacitySource,
    /// Direction in which values become a problem.
    pub worse: Worse,
}

named!(
    /// Direction in which a metric becomes a problem.
    Worse {
        Rising => "rising",
        Falling => "falling",
    }
);

/// Source of a metric's capacity, where the rule gives no value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CapacitySource {
    /// Size of the disk.
    Disk,
    /// All of it: 100 percent.
    Whole,
    /// A tag of the resource, and the capacity's name for people.
    Tag {
        tag: &'static str,
        name: &'static str,
    },
    /// None: the rule has to give a value.
    Rule,
}

/// The rate limit of an interface.
const RATE_LIMIT: CapacitySource = CapacitySource::Tag {
    tag: "reeve:rate-limit",
    name: "The rate limit",
};
/// The limit of a database's connections.
const CONNECTIONS: CapacitySource = CapacitySource::Tag {
    tag: "reeve:max-connections",
    name: "The connection limit",
};
/// All of the resource: 100 percent.
const WHOLE: CapacitySource = CapacitySource::Whole;
/// A value of the rule.
const RULE: CapacitySource = CapacitySource::Rule;

/// Declares the metrics of rules: name, label, metric, exceptions, capacity, direction.
macro_rules! signals {
    ($($(#[$doc:meta])* $variant:ident = $name:literal, $label:expr, $metric:ident, $except:expr, $capacity:expr, $worse:ident;)+) => {
        named!(
            /// Metric that a rule watches.
            Signal { $($(#[$doc])* $variant => $name),+ }
        );

        impl Signal {
            /// Returns the row of a metric.
            #[must_use]
            pub const fn row(self) -> &'static SignalRow {
                match self {
                    $(Signal::$variant => &SignalRow {
                        label: $label,
                        metric: Metric::$metric,
                        except: $except,
                        capacity: $capacity,
                        worse: Worse::$worse,
                    }),+
                }
            }
        }
    };
}

signals! {
    /// Storage that is left. Clouds count the free bytes of databases; of machines and their disks
    /// the agents on them send the share in use.
    DiskSpace = "disk_space", Some("Disk space"), FreeStorage, &[
        (ResourceKind::VirtualMachine, Metric::DiskUtilization),
        (ResourceKind::Volume, Metric::DiskUtilization),
    ], CapacitySource::Disk, Falling;
    /// Open connections of a database.
    DatabaseConnections = "database_connections", None, DatabaseConnections, &[], CONNECTIONS, Rising;
    /// Calls a second against a limit of them.
    ApiRateLimit = "api_rate_limit", Some("Limit on calls"), RequestRate, &[], RATE_LIMIT, Rising;
    /// Requests of one second.
    RequestRate = "request_rate", None, RequestRate, &[], RATE_LIMIT, Rising;
    /// CPU utilization, percent.
    CpuUtilization = "cpu_utilization", None, CpuUtilization, &[], WHOLE, Rising;
    /// Memory utilization, percent.
    MemoryUtilization = "memory_utilization", None, MemoryUtilization, &[], WHOLE, Rising;
    /// Network in, bytes a second.
    NetworkIn = "network_in", None, NetworkIn, &[], RULE, Rising;
    /// Network out, bytes a second.
    NetworkOut = "network_out", None, NetworkOut, &[], RULE, Rising;
    /// Reads from disk, operations a second.
    DiskReadOps = "disk_read_ops", None, DiskReadOps, &[], RULE, Rising;
    /// Writes to disk, operations a second.
    DiskWriteOps = "disk_write_ops", None, DiskWriteOps, &[], RULE, Rising;
    /// Mean time in which the targets of a load balancer answer, seconds.
    ResponseTime = "response_time", None, ResponseTime, &[], RULE, Rising;
    /// Credits of a burstable machine.
    CpuCreditBalance = "cpu_credit_balance", None, CpuCreditBalance, &[], RULE, Falling;
}

impl Signal {
    /// Returns the metric by which it is measured of a kind of resource.
    #[must_use]
    pub fn metric(self, kind: ResourceKind) -> Metric {
        let row = self.row();
        let except = row.except.iter().find(|(except, _)| *except == kind);
        except.map_or(row.metric, |(_, metric)| *metric)
    }

    /// Returns the name for people.
    #[must_use]
    pub fn label(self) -> &'static str {
        self.row().label.unwrap_or(self.row().metric.row().label)
    }
}
