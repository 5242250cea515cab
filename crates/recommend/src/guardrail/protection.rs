//! Protections: the one table of resources that Reeve leaves alone, whatever their load says, each
//! with the changes that it refuses.
//!
//! Agents ask before they judge, the engine asks for every finding and before every execution, and
//! an execution asks once more about the resource as the cloud describes it then.
//! `docs/agents/what_changes_destroy.md` shows the table to users; a test compares the two.

mod database;
mod losses;
mod machine;
mod manager;

use reeve_estate::{PriceCatalogue, Resource, ResourceKind};

use crate::guardrail::ownership::is_opted_out;
use crate::judgement::proposal::Abstention;
use crate::recommendation::RecommendationType;

pub use losses::{losses, state_losses};
pub use machine::LOCAL_DISKS_TAG;
pub use manager::manager;

/// Changes that a protection refuses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refuses {
    /// All changes are refused.
    Every,
    /// Changes of these names.
    Changes(&'static [&'static str]),
}

impl Refuses {
    /// Returns `true` if the change of the name is refused.
    #[must_use]
    pub fn includes(self, change: &str) -> bool {
        match self {
            Refuses::Every => true,
            Refuses::Changes(names) => names.contains(&change),
        }
    }
}

/// Row of the table.
#[derive(Debug, Clone, Copy)]
pub struct Protection {
    /// Stable code of the abstention.
    pub code: &'static str,
    /// Resources that are protected.
    pub resources: &'static str,
    /// Changes that the protection refuses.
    pub refuses: Refuses,
    /// Returns the reason if the resource is protected.
    reason: fn(&Resource, &PriceCatalogue) -> Option<String>,
}

/// A change that a protection refuses, with the reason for people.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Protected {
    /// Code of the protection.
    pub code: &'static str,
    /// Reason, as a clause without a full stop.
    pub reason: String,
}

/// Changes in which a machine stops.
const STOPS: Refuses = Refuses::Changes(&["stop_machine", "resize_machine"]);
/// Changes that a manager of resources undoes, or answers with a replacement.
const MANAGED: Refuses = Refuses::Changes(&[
    "stop_machine",
    "resize_machine",
    "stop_database",
    "resize_database",
    "change_group_size",
    "grow_storage",
    "delete_volume",
    "delete_load_balancer",
    "delete_nat_gateway",
    "release_address",
    "replace_machine",
    "rebalance_group_capacity",
    "use_mixed_instances",
]);
/// Changes that a cluster of databases takes for all its members alone.
const OF_CLUSTERS: Refuses = Refuses::Changes(&[
    "add_standby",
    "stop_database",
    "fail_over",
    "replicate",
    "grow_storage",
]);

/// The protections. The first that applies gives the reason.
pub const PROTECTIONS: [Protection; 8] = [
    Protection {
        code: "opted_out",
        resources: "tagged `reeve:ignore`",
        refuses: Refuses::Every,
        reason: |resource, _| {
            is_opted_out(resource).then(|| "its tag reeve:ignore excludes it".to_owned())
        },
    },
    Protection {
        code: "group_member",
        resources: "machines of a scaling group",
        refuses: STOPS,
        reason: |resource, _| machine::group_member(resource),
    },
    Protection {
        code: "managed",
        resources: "created and replaced by a service or tool, by its tags",
        refuses: MANAGED,
        reason: |resource, _| manager::reason(resource),
    },
    Protection {
        code: "spot",
        resources: "machines on spot capacity",
        refuses: STOPS,
        reason: |resource, _| machine::spot(resource),
    },
    Protection {
        code: "local_disks",
        resources: "machines with disks of the host that may hold data",
        refuses: STOPS,
        reason: machine::local_disks,
    },
    Protection {
        code: "local_disks_unknown",
        resources: "machines whose size and description do not say whether they have disks of the host",
        refuses: STOPS,
        reason: machine::local_disks_unknown,
    },
    Protection {
        code: "cluster_member",
        resources: "database instances of a cluster (Aurora, Multi-AZ clusters, DocumentDB, Neptune)",
        refuses: OF_CLUSTERS,
        reason: |resource, _| database::cluster_member(resource),
    },
    Protection {
        code: "cannot_stop",
        resources: "databases that RDS does not stop: with read replicas, and SQL Server with a standby",
        refuses: Refuses::Changes(&["stop_database"]),
        reason: |resource, _| database::cannot_stop(resource),
    },
];

/// Returns the protection that refuses a change of this name on a resource.
#[must_use]
pub fn refusal(resource: &Resource, change: &str, catalogue: &PriceCatalogue) -> Option<Protected> {
    PROTECTIONS
        .iter()
        .filter(|row| row.refuses.includes(change))
        .find_map(|row| {
            let reason = (row.reason)(resource, catalogue)?;
            Some(Protected {
                code: row.code,
                reason,
            })
        })
}

/// Returns the protections of a resource, each with the names of the refused changes that its kind
/// has; none where every change is refused.
pub fn protections<'a>(
    resource: &'a Resource,
    catalogue: &'a PriceCatalogue,
) -> impl Iterator<Item = (Protected, Vec<&'static str>)> + 'a {
    PROTECTIONS.iter().filter_map(|row| {
        let changes = match row.refuses {
            Refuses::Every => Vec::new(),
            Refuses::Changes(names) => {
                let own: Vec<&str> = names
                    .iter()
                    .copied()
                    .filter(|name| concerns(resource.kind, name))
                    .collect();
                // A security group of a cluster has none of these changes anyway.
                (!own.is_empty()).then_some(own)?
            }
        };
        let reason = (row.reason)(resource, catalogue)?;
        Some((
            Protected {
                code: row.code,
                reason,
            },
            changes,
        ))
    })
}

/// Returns `true` if the change is one of resources of this kind.
fn concerns(kind: ResourceKind, change: &str) -> bool {
    match kind {
        ResourceKind::VirtualMachine => STOPS.includes(change),
        ResourceKind::Database => {
            OF_CLUSTERS.includes(change) || matches!(change, "stop_database" | "resize_database")
        }
        ResourceKind::Volume => matches!(change, "delete_volume" | "grow_storage"),
        ResourceKind::ScalingGroup => change == "change_group_size",
        ResourceKind::LoadBalancer => change == "delete_load_balancer",
        ResourceKind::NatGateway => change == "delete_nat_gateway",
        ResourceKind::IpAddress => change == "release_address",
        _ => false,
    }
}

impl Protected {
    /// Returns the abstention of a rule, or of the whole judgement if there is no type.
    #[must_use]
    pub fn into_abstention(self, kind: Option<RecommendationType>) -> Abstention {
        // A size that the catalogue lacks today may be known tomorrow, and refutes nothing.
        let decisive = self.code != "local_disks_unknown";
        Abstention {
            kind,
            aspect: None,
            code: self.code,
            detail: self.reason,
            decisive,
        }
    }
}

#[cfg(test)]
pub(crate) mod tests;
