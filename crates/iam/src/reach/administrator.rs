//! Administrators: principals whose own policies allow everything.
//!
//! Everything is asked by a few actions: those that give permissions away, and one of a service
//! that no policy names. Policies of the organisation are left out: they limit all principals of
//! the account alike.

use std::sync::Arc;

use crate::account::Principal;
use crate::aws_managed::{ADMINISTRATOR, administrator};
use crate::decision::DecisionOutcome;
use crate::policy_set::{NamedPolicy, Organization, PolicyKind};

use super::grant::{Grant, Strength};

/// Actions that an administrator may use on every resource.
const PROBES: [(&str, &str); 7] = [
    ("iam:AttachUserPolicy", "user/\u{1}"),
    ("iam:AttachRolePolicy", "role/\u{1}"),
    ("iam:PutRolePolicy", "role/\u{1}"),
    ("iam:UpdateAssumeRolePolicy", "role/\u{1}"),
    ("iam:CreateAccessKey", "user/\u{1}"),
    ("iam:PassRole", "role/\u{1}"),
    ("any-service:AnyAction", "\u{1}/\u{1}"),
];

/// Returns how surely a principal is an administrator; none if its policies do not allow
/// everything. A blocked one would be without its boundary or a denial.
pub(super) fn administrator_grant(principal: &Principal) -> Option<Grant> {
    let mut policies = principal.policies.clone();
    policies.organization = Arc::new(Organization::default());

    let account = principal.account();
    let mut grant = Grant::certain();
    for (action, resource) in PROBES {
        let resource = format!("arn:aws:iam::{account}:{resource}");
        let request = principal.request(action, &resource);
        let decision = policies.decide(&request);
        let probe = Grant::of(&decision, action, &resource)?;
        // A condition that is not satisfied leaves nothing to unblock.
        let is_only_conditional =
            decision.outcome == DecisionOutcome::ImplicitDeny && probe.permissions.is_empty();
        if is_only_conditional {
            return None;
        }
        grant = grant.and(&probe);
    }
    grant.permissions.clear();
    grant.depends_on.sort();
    grant.depends_on.dedup();
    grant.blocked_by.sort();
    grant
        .blocked_by
        .dedup_by(|one, other| one.policy == other.policy && one.statement == other.statement);
    Some(grant)
}

/// Returns how surely a principal is an administrator once any policy can be attached to it: its
/// boundary and its denials remain.
pub(super) fn empowered_grant(principal: &Principal) -> Grant {
    let mut empowered = principal.clone();
    empowered.policies.identity.push(NamedPolicy {
        kind: PolicyKind::Identity,
        name: ADMINISTRATOR.into(),
        document: administrator(),
    });
    administrator_grant(&empowered).unwrap_or_else(|| Grant {
        strength: Strength::Blocked,
        ..Grant::certain()
    })
}
