//! Metric samples: raw points, in units of their own.

use jiff::Timestamp;

use crate::connection::ConnectionId;
use crate::kind::ResourceKind;
use crate::named;
use crate::resource::ResourceId;

named!(
    /// A metric Reeve understands, whichever cloud calls it what.
    Metric {
        /// CPU in use, percent of all cores, 0 to 100.
        CpuUtilization => "cpu_utilization",
        /// Memory in use, percent. Only there when an agent on the machine sends it.
        MemoryUtilization => "memory_utilization",
        /// Space in use on the fullest file system of a machine, percent. Only there when a program
        /// on the machine sends it.
        DiskUtilization => "disk_utilization",
        /// Network in, bytes per second.
        NetworkIn => "network_in",
        /// Network out, bytes per second.
        NetworkOut => "network_out",
        /// Disk or EBS reads, bytes per second.
        DiskRead => "disk_read",
        /// Disk or EBS writes, bytes per second.
        DiskWrite => "disk_write",
        /// Read operations per second.
        DiskReadOps => "disk_read_ops",
        /// Write operations per second.
        DiskWriteOps => "disk_write_ops",
        /// Open database connections.
        DatabaseConnections => "database_connections",
        /// Free storage, bytes.
        FreeStorage => "free_storage",
        /// Requests per second (load balancers).
        RequestRate => "request_rate",
        /// Mean time to an answer, seconds (load balancers).
        ResponseTime => "response_time",
        /// Requests that failed on the server's side, percent of all (load balancers).
        ErrorRate => "error_rate",
        /// Capacity units that a load balancer used; the cloud reports them even where nothing was
        /// served.
        CapacityUnits => "capacity_units",
        /// Credits left of a burstable machine.
        CpuCreditBalance => "cpu_credit_balance",
    }
);

impl Metric {
    /// The unit its samples have.
    #[must_use]
    pub const fn unit(self) -> Unit {
        match self {
            Metric::CpuUtilization
            | Metric::MemoryUtilization
            | Metric::DiskUtilization
            | Metric::ErrorRate => Unit::Percent,
            Metric::ResponseTime => Unit::Seconds,
            Metric::NetworkIn | Metric::NetworkOut | Metric::DiskRead | Metric::DiskWrite => {
                Unit::BytesPerSecond
            }
            Metric::DiskReadOps | Metric::DiskWriteOps | Metric::RequestRate => Unit::PerSecond,
            Metric::FreeStorage => Unit::Bytes,
            Metric::DatabaseConnections | Metric::CapacityUnits | Metric::CpuCreditBalance => {
                Unit::Count
            }
        }
    }
}

impl ResourceKind {
    /// Returns the metrics that are read of resources of this kind.
    #[must_use]
    pub fn metrics(self) -> &'static [Metric] {
        use Metric::{
            CapacityUnits, CpuCreditBalance, CpuUtilization, DatabaseConnections, DiskRead,
            DiskReadOps, DiskUtilization, DiskWrite, DiskWriteOps, ErrorRate, FreeStorage,
            MemoryUtilization, NetworkIn, NetworkOut, RequestRate, ResponseTime,
        };
        match self {
            ResourceKind::VirtualMachine => &[
                CpuUtilization,
                MemoryUtilization,
                DiskUtilization,
                NetworkIn,
                NetworkOut,
                DiskRead,
                DiskWrite,
                DiskReadOps,
                DiskWriteOps,
                CpuCreditBalance,
            ],
            ResourceKind::Database => &[
                CpuUtilization,
                MemoryUtilization,
                CpuCreditBalance,
                DatabaseConnections,
                FreeStorage,
                NetworkIn,
                NetworkOut,
                DiskRead,
                DiskWrite,
                DiskReadOps,
                DiskWriteOps,
            ],
            ResourceKind::Volume => &[DiskRead, DiskWrite, DiskReadOps, DiskWriteOps],
            ResourceKind::LoadBalancer => &[RequestRate, ResponseTime, ErrorRate, CapacityUnits],
            ResourceKind::NatGateway => &[NetworkIn, NetworkOut],
            _ => &[],
        }
    }
}

/// Bytes of a GiB.
pub const GIB: f64 = 1_073_741_824.0;

named!(
    /// A unit of a sample's value.
    Unit {
        /// 0 to 100.
        Percent => "percent",
        BytesPerSecond => "bytes_per_second",
        /// Events per second.
        PerSecond => "per_second",
        Bytes => "bytes",
        Seconds => "seconds",
        /// A number of things.
        Count => "count",
    }
);

/// One point of one metric of one resource.
#[derive(Debug, Clone, PartialEq)]
pub struct Sample {
    /// The connection it came over.
    pub connection: ConnectionId,
    pub resource: ResourceId,
    pub metric: Metric,
    /// Start of the period that the value covers.
    pub timestamp: Timestamp,
    /// The value, in the metric's unit.
    pub value: f64,
    /// The length of the period, seconds (300 for basic EC2 monitoring).
    pub period_s: u32,
}

/// One metric of one resource over time, oldest first, no two points at the same time.
#[derive(Debug, Clone, PartialEq)]
pub struct Series {
    pub resource: ResourceId,
    pub metric: Metric,
    /// (time, value), oldest first.
    pub points: Vec<(Timestamp, f64)>,
    /// Length of a point's period, seconds.
    pub period_s: u32,
}

/// One metric of one resource over time, as plain numbers: for passes over all of them, where a
/// `Timestamp` a point is too much.
#[derive(Debug, Clone, PartialEq)]
pub struct Track {
    /// The connection that its points came over.
    pub connection: ConnectionId,
    pub resource: ResourceId,
    pub metric: Metric,
    /// (milliseconds since the epoch, value), oldest first, no two at the same time.
    pub points: Vec<(i64, f64)>,
    /// Length of a point's period, seconds.
    pub period_s: u32,
}

impl Series {
    /// The values alone.
    #[must_use]
    pub fn values(&self) -> Vec<f64> {
        self.points.iter().map(|(_, value)| *value).collect()
    }
}
