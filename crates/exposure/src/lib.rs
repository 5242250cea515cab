//! Exposure of an AWS estate: what the internet, another account or everyone in the organisation
//! can reach or read, step by step, and the edge that stops them where they cannot.
//!
//! Pure: it reads configuration documents and no clock, no network, no disk. An [`Estate`] indexes
//! the documents; [`Estate::exposures`] answers about each resource that could be exposed, and
//! [`Estate::choke_points`] names the settings whose closing cuts the most paths.
//!
//! An edge that was not read never counts as one that stops: the answer is then "unknown".

mod answers;
mod bucket;
mod choke;
mod configuration;
mod estate;
mod finding;
mod granted;
mod judge;
mod network;
mod policy;
mod ports;
mod reach;
mod resource;
mod shared;
mod source;
mod target_group;
mod value;

/// Kinds whose documents an estate is judged by.
pub const KINDS: [&str; 34] = [
    "access_point",
    "backup_vault",
    "bucket",
    "classic_load_balancer",
    "container_registry",
    "container_service",
    "database",
    "database_snapshot",
    "encryption_key",
    "function",
    "iam_role",
    "image",
    "internet_gateway",
    "ip_address",
    "kubernetes_cluster",
    "load_balancer",
    "network",
    "network_acl",
    "network_interface",
    "network_peering",
    "queue",
    "route_table",
    "scaling_group",
    "search_domain",
    "secret",
    "security_group",
    "snapshot",
    "stream",
    "subnet",
    "target_group",
    "topic",
    "transit_gateway",
    "virtual_machine",
    "warehouse",
];

pub use choke::ChokePoint;
pub use configuration::ExposureConfiguration;
pub use estate::Estate;
pub use finding::{Audience, Exposure, ExposureGrade, ExposureStep};
