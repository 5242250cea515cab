//! Related resources: the group behind a load balancer, the only disk of a machine.
//!
//! The measured resource is not always the one to change: requests are counted at the balancer and
//! served by the group.

use reeve_estate::{Resource, ResourceKind};
use reeve_recommend::plan::relief::{group_behind, only_disk};

use reeve_recommend::predictive::{PredictiveRule, ResponseKind};

/// Returns the resource that the response of a rule to a measured one changes.
pub(super) fn response_target<'a>(
    rule: &PredictiveRule,
    measured: &'a Resource,
    related: &'a [Resource],
) -> &'a Resource {
    let other = match (rule.response.kind, measured.kind) {
        (ResponseKind::PreScale, ResourceKind::LoadBalancer) => group_behind(measured, related),
        (ResponseKind::WarmCache, ResourceKind::LoadBalancer) if rule.response.call.is_some() => {
            group_behind(measured, related)
        }
        (ResponseKind::ExpandStorage, ResourceKind::VirtualMachine) => only_disk(measured, related),
        _ => None,
    };
    other.unwrap_or(measured)
}
