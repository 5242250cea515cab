//! Loads: what a resource is used for, and so what an optimiser ought to make of it. Figures are of
//! the size it was bought at.

/// Workload of a resource.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Load {
    /// Unused: 0.1 to 0.4 % CPU, some hundred bytes a second. Should be stopped.
    Idle,
    /// Far too large: p95 CPU around the figure. To be made smaller.
    Oversized(f64),
    /// A site that follows day and week, its peak at the figure. As it should be.
    Web(f64),
    /// Used in office hours alone, at the figure.
    Office(f64),
    /// Wants more than it has since six days before the beginning. To be made larger.
    Throttled,
    /// A burstable machine that has used up its credits five days before the beginning. To be made
    /// larger.
    Drained,
    /// 4 % with peaks of ten minutes to 85 %, six times a day. Never to be made smaller.
    Bursty,
    /// Works from one to four at night.
    Batch,
    /// Works from two to ten past two on Sundays (UTC) and does nothing else. To be stopped outside
    /// that time.
    Weekly,
    /// Works on the last two days of a month and the first. Never to be made smaller.
    MonthEnd,
    /// Little CPU and 88 % of its memory. Never to be made smaller.
    Memory,
    /// Little CPU and the figure in Gbit/s, near what the next smaller size sustains. Never to be
    /// made smaller.
    Network(f64),
    /// The figure day and night. To be committed to.
    Steady(f64),
    /// Memory that climbs for three days until the process is started again.
    Leak,
    /// A database in use, its busiest CPU at the figure.
    Database(f64),
    /// A database without a single connection. To be stopped.
    DatabaseIdle,
    /// A database far too large. To be made smaller.
    DatabaseOversized,
    /// A database whose disk fills by one to two percent a day.
    DatabaseFilling,
    /// Requests a second at the busiest hour.
    Requests(f64),
    /// Bytes a second through a NAT gateway at the busiest hour. Without any it should be deleted.
    Gateway(f64),
    /// A data disk, with the busiest bytes a second.
    Disk(f64),
    /// No metrics are produced.
    Unmeasured,
}

impl Load {
    /// Returns the name, for tests and tables.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Load::Idle => "idle",
            Load::Oversized(_) => "oversized",
            Load::Web(_) => "web",
            Load::Office(_) => "office",
            Load::Throttled => "throttled",
            Load::Drained => "drained",
            Load::Bursty => "bursty",
            Load::Batch => "batch",
            Load::Weekly => "weekly",
            Load::MonthEnd => "month_end",
            Load::Memory => "memory",
            Load::Network(_) => "network",
            Load::Steady(_) => "steady",
            Load::Leak => "leak",
            Load::Database(_) => "database",
            Load::DatabaseIdle => "database_idle",
            Load::DatabaseOversized => "database_oversized",
            Load::DatabaseFilling => "database_filling",
            Load::Requests(_) => "requests",
            Load::Gateway(_) => "gateway",
            Load::Disk(_) => "disk",
            Load::Unmeasured => "unmeasured",
        }
    }
}
