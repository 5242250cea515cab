//! Differences that providers, autoscaling or rotation make without a person: members of configuration
//! documents, and resources that come and go. A baseline does not compare them: a detector that
//! always alarms is none.
//!
//! Members that change with every reading (counts, last uses) never reach a document; the
//! connectors leave them out. What is listed here stays in documents and their history.

use std::collections::BTreeMap;

use reeve_estate::ResourceKind;
use serde_json::Value;

/// A member that is not compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UnstableMember {
    /// Kinds whose documents have it; none is every kind.
    pub kinds: &'static [&'static str],
    /// Names of members from the outside to the inside, separated by dots; lists are passed
    /// through. An empty path is the whole document.
    pub path: &'static str,
    pub reason: &'static str,
}

const fn member(
    kinds: &'static [&'static str],
    path: &'static str,
    reason: &'static str,
) -> UnstableMember {
    UnstableMember {
        kinds,
        path,
        reason,
    }
}

const MACHINE: &[&str] = &["virtual_machine"];
const GROUP: &[&str] = &["scaling_group"];
const DATABASES: &[&str] = &["database", "database_cluster"];
const CERTIFICATE: &[&str] = &["certificate"];
const SECRET: &[&str] = &["secret"];

const SCALING: &str = "Autoscaling chooses it between the bounds, which are compared.";
const TRANSITION: &str = "A state that the provider passes through; it is no setting.";
const PROGRESS: &str = "Progress of the provider with a change.";
const RENEWAL: &str = "The provider renews certificates automatically.";
const ROTATION: &str = "Rotation changes it automatically; that it rotates is compared.";
const ATTACHED: &str = "Time or progress of an attachment; what is attached is compared.";
const STARTED: &str = "Stopping and starting a machine gives it another value.";

/// Every member that is not compared.
pub const UNSTABLE: &[UnstableMember] = &[
    member(GROUP, "DesiredCapacity", SCALING),
    member(GROUP, "PredictedCapacity", SCALING),
    member(GROUP, "Instances", SCALING),
    member(GROUP, "Status", TRANSITION),
    member(GROUP, "WarmPoolSize", SCALING),
    member(MACHINE, "instanceState", TRANSITION),
    member(MACHINE, "InstanceStatus", TRANSITION),
    member(MACHINE, "reason", TRANSITION),
    member(MACHINE, "stateReason", TRANSITION),
    member(MACHINE, "launchTime", STARTED),
    member(MACHINE, "ipAddress", STARTED),
    member(MACHINE, "dnsName", STARTED),
    member(MACHINE, "networkInterfaceSet.association", STARTED),
    member(
        MACHINE,
        "networkInterfaceSet.privateIpAddressesSet.association",
        STARTED,
    ),
    member(MACHINE, "networkInterfaceSet.status", TRANSITION),
    member(
        MACHINE,
        "networkInterfaceSet.attachment.attachTime",
        ATTACHED,
    ),
    member(MACHINE, "networkInterfaceSet.attachment.status", ATTACHED),
    member(MACHINE, "blockDeviceMapping.ebs.attachTime", ATTACHED),
    member(MACHINE, "blockDeviceMapping.ebs.status", ATTACHED),
    member(MACHINE, "iamInstanceProfile.id", PROGRESS),
    member(MACHINE, "metadataOptions.state", PROGRESS),
    member(
        &["managed_instance"],
        "",
        "Patches appear, and agents report, without a change of a setting.",
    ),
    member(&["volume"], "status", TRANSITION),
    member(&["volume"], "attachmentSet.attachTime", ATTACHED),
    member(&["volume"], "attachmentSet.status", ATTACHED),
    member(&["snapshot"], "status", TRANSITION),
    member(&["snapshot"], "statusMessage", TRANSITION),
    member(&["image"], "imageState", TRANSITION),
    member(&["network_interface"], "status", TRANSITION),
    member(&["network_interface"], "attachment.attachTime", ATTACHED),
    member(&["network_interface"], "attachment.status", ATTACHED),
    member(&["network_interface"], "association", STARTED),
    member(&["network", "subnet", "nat_gateway"], "state", TRANSITION),
    member(&["load_balancer"], "State", TRANSITION),
    member(
        &["target_group"],
        "TargetHealthDescriptions.TargetHealth",
        TRANSITION,
    ),
    member(DATABASES, "DBInstanceStatus", TRANSITION),
    member(DATABASES, "Status", TRANSITION),
    member(DATABASES, "StatusInfos", PROGRESS),
    member(DATABASES, "PendingMaintenance", PROGRESS),
    member(DATABASES, "RecentEvents", PROGRESS),
    member(DATABASES, "PendingModifiedValues", PROGRESS),
    member(DATABASES, "AutomaticRestartTime", PROGRESS),
    member(
        DATABASES,
        "SecondaryAvailabilityZone",
        "A failover swaps it.",
    ),
    member(DATABASES, "AvailabilityZone", "A failover changes it."),
    member(
        DATABASES,
        "DBClusterMembers.IsClusterWriter",
        "A failover changes it.",
    ),
    member(DATABASES, "Capacity", SCALING),
    member(DATABASES, "VpcSecurityGroups.Status", PROGRESS),
    member(
        DATABASES,
        "DBParameterGroups.ParameterApplyStatus",
        PROGRESS,
    ),
    member(&["database_snapshot"], "Status", TRANSITION),
    member(&["table"], "TableStatus", TRANSITION),
    member(
        &["table"],
        "ProvisionedThroughput.LastIncreaseDateTime",
        SCALING,
    ),
    member(
        &["table"],
        "ProvisionedThroughput.LastDecreaseDateTime",
        SCALING,
    ),
    member(
        &["table"],
        "ProvisionedThroughput.NumberOfDecreasesToday",
        SCALING,
    ),
    member(&["function"], "State", TRANSITION),
    member(&["function"], "StateReason", TRANSITION),
    member(&["function"], "StateReasonCode", TRANSITION),
    member(&["function"], "LastUpdateStatus", PROGRESS),
    member(
        &["function"],
        "LastModified",
        "Follows from the other members.",
    ),
    member(
        &["function"],
        "RevisionId",
        "Follows from the other members.",
    ),
    member(&["kubernetes_cluster"], "status", TRANSITION),
    member(&["kubernetes_cluster"], "health", TRANSITION),
    member(&["container_cluster"], "status", TRANSITION),
    member(&["file_system"], "LifeCycleState", TRANSITION),
    member(&["cache_cluster"], "Status", TRANSITION),
    member(&["cache_cluster"], "PendingModifiedValues", PROGRESS),
    member(&["cache_node"], "CacheClusterStatus", TRANSITION),
    member(&["cache_node"], "PendingModifiedValues", PROGRESS),
    member(&["cache_node"], "SecurityGroups.Status", PROGRESS),
    member(&["warehouse"], "ClusterStatus", TRANSITION),
    member(&["warehouse"], "ClusterAvailabilityStatus", TRANSITION),
    member(&["warehouse"], "PendingModifiedValues", PROGRESS),
    member(&["search_domain"], "Processing", PROGRESS),
    member(&["search_domain"], "UpgradeProcessing", PROGRESS),
    member(&["search_domain"], "ServiceSoftwareOptions", PROGRESS),
    member(&["distribution"], "Status", PROGRESS),
    member(
        &["distribution"],
        "LastModifiedTime",
        "Follows from the other members.",
    ),
    member(&["stream"], "StreamStatus", TRANSITION),
    member(&["notebook"], "NotebookInstanceStatus", TRANSITION),
    member(&["notebook"], "LastModifiedTime", TRANSITION),
    member(&["message_broker"], "brokerState", TRANSITION),
    member(CERTIFICATE, "Status", RENEWAL),
    member(CERTIFICATE, "Serial", RENEWAL),
    member(CERTIFICATE, "NotBefore", RENEWAL),
    member(CERTIFICATE, "NotAfter", RENEWAL),
    member(CERTIFICATE, "IssuedAt", RENEWAL),
    member(CERTIFICATE, "RenewalSummary", RENEWAL),
    member(SECRET, "LastChangedDate", ROTATION),
    member(SECRET, "LastRotatedDate", ROTATION),
    member(SECRET, "NextRotationDate", ROTATION),
    member(SECRET, "VersionIdsToStages", ROTATION),
    member(SECRET, "SecretVersionsToStages", ROTATION),
    member(
        &["credential_report", "last_access_report", "account_summary"],
        "",
        "Counts and dates about other resources, which are compared themselves.",
    ),
];

/// Kinds whose resources are made and removed on a schedule or by services, each with the reason.
/// That one appears or is gone is no drift; a change of one is.
pub const TRANSIENT_KINDS: &[(&str, &str)] = &[
    (
        "snapshot",
        "Backup plans make and expire snapshots every day.",
    ),
    (
        "database_snapshot",
        "Backup plans make and expire snapshots every day.",
    ),
    (
        "network_interface",
        "Functions, load balancers and containers make and remove their own.",
    ),
];

/// Tags of resources that autoscaling makes and removes, each with the program that sets it.
pub const TRANSIENT_TAGS: &[(&str, &str)] = &[
    ("aws:autoscaling:groupName", "Amazon EC2 Auto Scaling"),
    ("aws:ec2:fleet-id", "EC2 Fleet"),
    ("aws:ec2spot:fleet-request-id", "Spot Fleet"),
    ("aws:elasticmapreduce:job-flow-id", "Amazon EMR"),
    ("karpenter.sh/nodepool", "Karpenter"),
    (
        "karpenter.sh/provisioner-name",
        "Karpenter, before version 0.32",
    ),
];

/// Returns `true` if a resource comes and goes without a person: by its kind, as a member of a
/// scaling group, or by a tag of the program that made it.
#[must_use]
pub fn is_transient(
    kind: ResourceKind,
    is_group_member: bool,
    tags: &BTreeMap<String, String>,
) -> bool {
    is_group_member
        || TRANSIENT_KINDS
            .iter()
            .any(|(name, _)| *name == kind.as_str())
        || TRANSIENT_TAGS
            .iter()
            .any(|(name, _)| tags.contains_key(*name))
}

/// Removes the members of a kind that are not compared.
pub(super) fn remove(kind: ResourceKind, document: &mut Value) {
    let of_kind = UNSTABLE
        .iter()
        .filter(|member| member.kinds.is_empty() || member.kinds.contains(&kind.as_str()));
    for member in of_kind {
        if member.path.is_empty() {
            *document = Value::Null;
        } else {
            remove_path(document, member.path);
        }
    }
}

fn remove_path(value: &mut Value, path: &str) {
    match value {
        Value::Array(items) => items.iter_mut().for_each(|item| remove_path(item, path)),
        Value::Object(members) => match path.split_once('.') {
            Some((outer, inner)) => {
                if let Some(value) = members.get_mut(outer) {
                    remove_path(value, inner);
                }
            }
            None => _ = members.remove(path),
        },
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_autoscaling_and_backups_make_comes_and_goes() {
        for (kind, reason) in TRANSIENT_KINDS {
            assert!(ResourceKind::parse(kind).is_some(), "{kind}");
            assert!(reason.ends_with('.'), "{kind}");
        }

        let tagged = |name: &str| BTreeMap::from([(name.to_owned(), "web".to_owned())]);
        let machine = ResourceKind::VirtualMachine;
        assert!(is_transient(machine, true, &tagged("Name")));
        assert!(is_transient(
            machine,
            false,
            &tagged("aws:autoscaling:groupName")
        ));
        assert!(!is_transient(machine, false, &tagged("Name")));
        assert!(is_transient(ResourceKind::Snapshot, false, &tagged("Name")));
    }

    #[test]
    fn the_table_names_kinds_and_reasons_and_no_member_twice() {
        let mut seen = std::collections::BTreeSet::new();
        for member in UNSTABLE {
            assert!(member.reason.ends_with('.'), "{}", member.path);
            for kind in member.kinds {
                assert!(ResourceKind::parse(kind).is_some(), "{kind}");
                assert!(seen.insert((kind, member.path)), "{kind} {}", member.path);
            }
        }
    }
}
