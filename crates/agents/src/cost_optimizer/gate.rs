//! Resources that are excluded before anything is measured.

use reeve_estate::{PriceCatalogue, Resource, ResourceKind, ResourceState};
use reeve_recommend::guardrail::protection::refusal;
use reeve_recommend::judgement::proposal::Abstention;

/// Returns an abstention if the resource is excluded.
pub(super) fn admit(resource: &Resource, catalogue: &PriceCatalogue) -> Result<(), Abstention> {
    let out = |code, detail: &str| {
        Err(Abstention {
            kind: None,
            aspect: None,
            code,
            detail: detail.to_owned(),
            decisive: true,
        })
    };

    // Every change of the kind that this agent type proposes; a database may be resized where it
    // cannot be stopped.
    let change = match resource.kind {
        ResourceKind::VirtualMachine => "resize_machine",
        ResourceKind::Database => "resize_database",
        ResourceKind::Volume => "delete_volume",
        ResourceKind::IpAddress => "release_address",
        ResourceKind::NatGateway => "delete_nat_gateway",
        ResourceKind::LoadBalancer => "delete_load_balancer",
        _ => {
            return out(
                "kind_not_covered",
                "cost_optimizer has no rule for this kind of resource",
            );
        }
    };

    if let Some(protected) = refusal(resource, change, catalogue) {
        return Err(protected.into_abstention(None));
    }

    match (resource.kind, resource.state) {
        (ResourceKind::Volume, ResourceState::Unattached) => Ok(()),
        (ResourceKind::Volume, _) => out("in_use", "the volume is attached"),
        (ResourceKind::IpAddress, ResourceState::Unattached) => Ok(()),
        (ResourceKind::IpAddress, _) => out("in_use", "something has the address"),
        (_, ResourceState::Running | ResourceState::Available) => Ok(()),
        (_, ResourceState::Changing) => {
            let detail = "it is on its way between states".to_owned();
            Err(Abstention {
                kind: None,
                aspect: None,
                code: "changing",
                detail,
                decisive: false,
            })
        }
        _ => out("not_running", "it does not run, so it has no load to judge"),
    }
}
