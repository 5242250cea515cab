//! Changes that the findings of each agent type propose, those of its anomalies and predictive
//! rules included: what its permissions in a cloud are derived from.

use std::sync::LazyLock;

use reeve_recommend::agent::AgentType;
use reeve_recommend::change::ConfigurationRow;

use crate::security_intelligence::{POLICY_CHANGES, is_against_attacks};

const CHANGES: &[(AgentType, &[&str])] = &[
    (
        AgentType::COST_OPTIMIZER,
        &[
            "resize_machine",
            "resize_database",
            "change_group_size",
            "stop_machine",
            "stop_database",
            // Plans of earlier releases.
            "snapshot_volume",
            "delete_volume",
            "release_address",
            "delete_nat_gateway",
            "delete_load_balancer",
            "tag_resource",
        ],
    ),
    (
        AgentType::SPOT_OPTIMIZER,
        &[
            "rebalance_group_capacity",
            "replace_machine",
            "use_mixed_instances",
        ],
    ),
    (
        AgentType::PERFORMANCE_OPTIMIZER,
        &[
            "scale_group",
            "end_members",
            "resize_machine",
            "resize_database",
            "run_document",
        ],
    ),
    (
        AgentType::DB_OPTIMIZER,
        &["create_index", "drop_index", "replicate", "set_parameter"],
    ),
    // Beside those that close exposures, end unused access and contain attacks.
    (
        AgentType::SECURITY_INTELLIGENCE,
        &[
            "isolate",
            "patch_machine",
            "snapshot_volume",
            "tighten_group",
        ],
    ),
    (
        AgentType::OPS_INTELLIGENCE,
        &[
            "grow_storage",
            "fail_over",
            "request_quota",
            "move_database_maintenance",
        ],
    ),
    (
        AgentType::WORKLOAD_CLASSIFIER,
        &[
            "add_standby",
            "resize_group",
            "resize_machine",
            "tag_resource",
        ],
    ),
    (
        AgentType::STORAGE_OPTIMIZER,
        &["modify_volume", "delete_snapshot", "put_bucket_lifecycle"],
    ),
];

/// Changes of scaling groups on spot capacity.
const OF_SPOT_CAPACITY: [&str; 2] = ["rebalance_group_capacity", "use_mixed_instances"];

/// Names of the changes that are remediations of checks: those that are data, and those that
/// replace a volume or a database. Changes of the policies of users and roles are none: who may put a policy may
/// become an administrator, and no check needs it. Measures against attacks and spot capacity are
/// none either.
static OF_CHECKS: LazyLock<Vec<&'static str>> = LazyLock::new(|| {
    let names = ConfigurationRow::all().iter().map(|row| row.name);
    names
        .filter(|name| !POLICY_CHANGES.contains(name) && !is_against_attacks(name))
        .filter(|name| !OF_SPOT_CAPACITY.contains(name))
        .chain(["encrypt_database", "encrypt_volume"])
        .collect()
});

/// Names of the changes of `security_intelligence`: isolation, what closes exposures, and what ends
/// unused access.
static OF_SECURITY: LazyLock<Vec<&'static str>> = LazyLock::new(|| {
    let own = CHANGES
        .iter()
        .filter(|(known, _)| *known == AgentType::SECURITY_INTELLIGENCE)
        .flat_map(|(_, changes)| changes.iter().copied());
    own.chain(crate::security_intelligence::changes())
        .chain(POLICY_CHANGES)
        .collect()
});

/// Returns the names of the changes that an agent type proposes; none for a type that cannot be
/// configured.
#[must_use]
pub fn changes(agent_type: AgentType) -> &'static [&'static str] {
    if agent_type == AgentType::COMPLIANCE_INTELLIGENCE {
        return &OF_CHECKS;
    }
    if agent_type == AgentType::SECURITY_INTELLIGENCE {
        return &OF_SECURITY;
    }
    CHANGES
        .iter()
        .find(|(known, _)| *known == agent_type)
        .map_or(&[], |(_, changes)| changes)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use reeve_recommend::change::ChangeRegistry;

    use super::*;

    #[test]
    fn every_change_belongs_to_an_agent_type_and_every_available_type_has_some() {
        let named: BTreeSet<&str> = CHANGES
            .iter()
            .flat_map(|(_, changes)| changes.iter().copied())
            .chain(OF_CHECKS.iter().copied())
            .chain(OF_SECURITY.iter().copied())
            .collect();
        let known: BTreeSet<&str> = ChangeRegistry::builtin()
            .rows()
            .map(|row| row.name)
            .collect();
        assert_eq!(named, known);

        let types = crate::registry();
        for name in types.available() {
            let found =
                AgentType::parse(name).is_some_and(|agent_type| !changes(agent_type).is_empty());
            assert!(found, "{name}");
        }
    }
}
