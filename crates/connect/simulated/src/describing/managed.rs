//! Machines that Systems Manager manages, with the patches that are missing on them.

use jiff::Timestamp;
use reeve_estate::{Described, Relation, RelationKind, Resource, ResourceKind, ResourceState};
use serde_json::{Value, json};

use crate::account::SimulatedAccount;

/// Machines without all patches: missing ones, critical ones among them, and those about security.
const UNPATCHED: [(&str, u32, u32, u32); 3] = [
    ("old-wiki", 9, 2, 6),
    ("edge-proxy-1", 3, 0, 2),
    ("edge-proxy-2", 3, 0, 2),
];

/// Identifier of a machine as Systems Manager has it.
pub(crate) fn managed_id(account: &str, machine: &Resource) -> String {
    let region = &machine.region;
    format!(
        "arn:aws:ssm:{region}:{account}:managed-instance/{}",
        machine.id
    )
}

/// Members of a patch state after everything was installed.
pub(crate) const INSTALLED: [&str; 3] = [
    "PatchState.MissingCount",
    "PatchState.CriticalNonCompliantCount",
    "PatchState.SecurityNonCompliantCount",
];

/// Returns `true` if an agent of Systems Manager runs on a machine.
pub(crate) fn is_managed(machine: &Resource) -> bool {
    machine.kind == ResourceKind::VirtualMachine
        && machine.state == ResourceState::Running
        && matches!(machine.tag("env"), Some("prod" | "production"))
}

impl SimulatedAccount {
    pub(super) fn managed(&self, resources: &[Resource], now: Timestamp) -> Vec<Described> {
        let machines = resources.iter().filter(|machine| is_managed(machine));
        machines
            .map(|machine| {
                let id = managed_id(self.plan.account, machine);
                let relations = vec![Relation::to(
                    RelationKind::AttachedTo,
                    machine.id.as_str().to_owned(),
                )];
                self.identity(
                    "managed_instance",
                    &id,
                    &machine.name,
                    &machine.region,
                    document(machine),
                    relations,
                    now,
                )
            })
            .collect()
    }
}

fn document(machine: &Resource) -> Value {
    let unpatched = UNPATCHED.iter().find(|(name, ..)| *name == machine.name);
    let (missing, critical, security) = unpatched
        .map_or((0, 0, 0), |(_, missing, critical, security)| {
            (*missing, *critical, *security)
        });
    json!({
        "InstanceId": machine.id.as_str(), "PingStatus": "Online", "AgentVersion": "3.3.1611.0", "IsLatestVersion": true,
        "PlatformType": "Linux", "PlatformName": "Amazon Linux", "PlatformVersion": "2023", "ResourceType": "EC2Instance",
        "ComputerName": machine.name,
        "PatchState": {
            "InstanceId": machine.id.as_str(), "PatchGroup": "", "BaselineId": "pb-0f3a9c1d2b7e45680", "Operation": "Scan",
            "InstalledCount": 214, "MissingCount": missing, "FailedCount": 0, "InstalledPendingRebootCount": 0,
            "CriticalNonCompliantCount": critical, "SecurityNonCompliantCount": security, "OtherNonCompliantCount": missing - critical - security,
        },
    })
}
