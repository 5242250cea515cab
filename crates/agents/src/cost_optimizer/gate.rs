//! Resources that are excluded before anything is measured.

use reeve_estate::{Purchase, Resource, ResourceKind, ResourceState};

use reeve_recommend::Abstention;
use reeve_recommend::is_opted_out;

/// Returns an abstention if the resource is excluded.
pub(super) fn admit(resource: &Resource) -> Result<(), Abstention> {
    let out = |code, detail: &str| Err(Abstention { kind: None, code, detail: detail.to_owned(), decisive: true });
    if is_opted_out(resource) {
        return out("opted_out", "its tag reeve:ignore excludes it");
    }
    match resource.kind {
        ResourceKind::Volume => {
            return match resource.state {
                ResourceState::Unattached => Ok(()),
                _ => out("in_use", "the volume is attached"),
            };
        }
        ResourceKind::IpAddress if resource.state != ResourceState::Unattached => {
            return out("in_use", "something has the address");
        }
        ResourceKind::IpAddress => return Ok(()),
        ResourceKind::VirtualMachine
        | ResourceKind::Database
        | ResourceKind::NatGateway
        | ResourceKind::LoadBalancer => {}
        _ => return out("kind_not_covered", "the specification has no rule for this kind of resource"),
    }
    if let Some(group) = &resource.group {
        return out("group_member", &format!("it belongs to {group}; groups are resized by their template"));
    }
    if resource.purchase == Some(Purchase::Spot) {
        return out("spot", "spot capacity comes and goes; it is not resized one by one");
    }
    match resource.state {
        ResourceState::Running | ResourceState::Available => Ok(()),
        ResourceState::Changing => {
            let detail = "it is on its way between states".to_owned();
            Err(Abstention { kind: None, code: "changing", detail, decisive: false })
        }
        _ => out("not_running", "it does not run, so it has no load to judge"),
    }
}
