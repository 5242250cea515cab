//! Instance specifications and list prices, built from published facts and embedded in the program.

use crate::resource::Provider;

/// What one instance type offers. Baselines are what it sustains, not the "up to" figure.
#[derive(Debug, Clone, PartialEq)]
pub struct InstanceSpec {
    /// The cloud.
    pub provider: Provider,
    /// Its name (`m5.large`, `Standard_D4s_v5`, `n2-standard-4`).
    pub name: String,
    /// Virtual CPUs.
    pub vcpu: u32,
    /// Memory, GiB.
    pub memory_gib: f64,
    /// Sustained network bandwidth, gigabits per second.
    pub network_baseline_gbps: Option<f64>,
    /// Sustained disk bandwidth, megabits per second.
    pub disk_baseline_mbps: Option<f64>,
    /// Sustained disk operations per second.
    pub disk_baseline_iops: Option<f64>,
    /// `x86_64`, `arm64`; several for old types.
    pub architectures: Vec<String>,
    /// Earns and spends CPU credits.
    pub burstable: bool,
    /// Sold to new customers.
    pub current_generation: bool,
    /// Number of GPUs.
    pub gpus: u32,
}

/// What one database class offers.
#[derive(Debug, Clone, PartialEq)]
pub struct DatabaseSpec {
    /// Class (`db.m5.large`).
    pub name: String,
    /// The machine under it.
    pub machine: InstanceSpec,
}

/// The catalogue.
#[derive(Debug)]
pub struct Catalogue {
    _private: (),
}
