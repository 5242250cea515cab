//! Reach of principals: the shortest ways by which each becomes an administrator, or gains the
//! permissions of another principal or access to a resource.
//!
//! A way is a sequence of techniques. The calls of a technique may be made by different principals
//! that the first one controls by then, so combinations over several principals are found. A way
//! is certain if every permission is allowed, possible if one depends on something that is not
//! known, and blocked if a denial, a boundary, the organisation or a condition stops one that the
//! principal's own policies name. Service-linked roles are no targets: only their service uses
//! them.

use crate::account::AccountPolicies;

mod administrator;
mod facts;
mod grant;
mod search;
mod target;
#[cfg(test)]
mod tests;
mod way;
mod ways;

use administrator::administrator_grant;
use facts::{ReachGraph, as_read};
use grant::Strength;
use ways::Ways;

pub use way::{ADMIN, AccessReach, BlockedBy, PathStep, ReachGrade, UNKNOWN, UsedPermission};

/// Returns the reach of all principals, in the order of their ARNs. Administrators have all
/// permissions and are left out.
#[must_use]
pub fn reach(account: &AccountPolicies) -> Vec<AccessReach> {
    let mut graph = ReachGraph::new(account);
    let mut found = Vec::new();
    for (at, principal) in account.principals.iter().enumerate() {
        if principal.is_service_linked() {
            continue;
        }
        if !principal.unread.is_empty() {
            found.push(AccessReach {
                principal: principal.arn.clone(),
                reaches: UNKNOWN.to_owned(),
                grade: ReachGrade::Possible,
                path: Vec::new(),
                gains: None,
                blocked_by: Vec::new(),
                unread: principal.unread.iter().cloned().collect(),
            });
        }
        if !graph.is_administrator(at) {
            found.extend(Ways::of(&mut graph, at));
        }
    }
    found
}

/// Returns the ARNs of the principals that are administrators by their own policies, with the
/// certainty of it.
#[must_use]
pub fn administrators(account: &AccountPolicies) -> Vec<(String, ReachGrade)> {
    let principals = account.principals.iter();
    principals
        .filter_map(|principal| {
            let grade = match administrator_grant(&as_read(principal))?.strength {
                Strength::Certain => ReachGrade::Certain,
                Strength::Possible => ReachGrade::Possible,
                Strength::Blocked => return None,
            };
            Some((principal.arn.clone(), grade))
        })
        .collect()
}
