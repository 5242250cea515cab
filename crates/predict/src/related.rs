//! Related resources: the group behind a load balancer, the only disk of a machine, the account's
//! bill.
//!
//! The measured resource is not always the one to change: requests are counted at the balancer and
//! served by the group.

use reeve_estate::{Money, Resource, ResourceKind};
use reeve_recommend::plan::relief::{group_behind, only_disk};

use super::rule::{ResponseKind, Rule};

/// Resource that a rule's response changes.
pub(super) struct ResponseTarget<'a> {
    /// Resource of the forecast.
    pub(super) measured: &'a Resource,
    /// Resource to change: the measured one, the group behind it, or its only disk.
    pub(super) resource: &'a Resource,
    /// Monthly cost of the account at list price, as far as prices are known; `None` until the
    /// whole scope is read.
    pub(super) bill: Option<Money>,
}

/// Returns the resource that the response of a rule to a measured one changes.
pub(super) fn response_target<'a>(
    rule: &Rule,
    measured: &'a Resource,
    related: &'a [Resource],
) -> ResponseTarget<'a> {
    let other = match (rule.response.kind, measured.kind) {
        (ResponseKind::PreScale, ResourceKind::LoadBalancer) => group_behind(measured, related),
        (ResponseKind::WarmCache, ResourceKind::LoadBalancer) if rule.response.call.is_some() => {
            group_behind(measured, related)
        }
        (ResponseKind::ExpandStorage, ResourceKind::VirtualMachine) => only_disk(measured, related),
        _ => None,
    };
    ResponseTarget {
        measured,
        resource: other.unwrap_or(measured),
        bill: None,
    }
}
