//! Targets of techniques: principals and groups, with the resources that stand for them.

use crate::account::{AccountPolicies, IamPrincipalKind};
use crate::arn::{Arn, account_of};
use crate::caller::IamCaller;
use crate::context::IamContext;
use crate::evaluation::AccessRequest;
use crate::pattern::{ANY_LETTER, common_text, matches};
use crate::policy_set::{NamedPolicy, PolicySet};
use crate::technique::{Technique, TechniqueTarget};

use super::grant::{Grant, stronger};

/// Candidate of a technique.
#[derive(Debug, Clone)]
pub(super) struct ReachCandidate {
    /// Position of the principal; that of a group follows behind the principals.
    pub(super) target: usize,
    /// Service that the role trusts, to be passed to.
    pub(super) service: Option<String>,
    /// ARNs of the things that run with the role; empty if the files do not list such things.
    pub(super) workloads: Vec<String>,
    /// Truth of the prerequisites that do not depend on the caller.
    pub(super) grant: Grant,
}

/// Returns the candidates of a technique in an account.
pub(super) fn candidates(account: &AccountPolicies, technique: &Technique) -> Vec<ReachCandidate> {
    let plain = |target: usize| ReachCandidate {
        target,
        service: None,
        workloads: Vec::new(),
        grant: Grant::certain(),
    };
    let principals = || account.principals.iter().enumerate();
    let is_role = |kind: IamPrincipalKind| kind == IamPrincipalKind::Role;

    let found: Vec<ReachCandidate> = match technique.target {
        TechniqueTarget::ServiceRole => principals()
            .flat_map(|(at, _)| service_roles(account, technique, at))
            .collect(),
        TechniqueTarget::WorkloadRole => principals()
            .filter_map(|(at, _)| workload_role(account, technique, at))
            .collect(),
        TechniqueTarget::Role | TechniqueTarget::OwnRole => principals()
            .filter(|(_, one)| is_role(one.kind) && !one.is_service_linked())
            .map(|(at, _)| plain(at))
            .collect(),
        TechniqueTarget::User | TechniqueTarget::OwnUser => principals()
            .filter(|(_, one)| !is_role(one.kind))
            .map(|(at, _)| plain(at))
            .collect(),
        TechniqueTarget::OwnGroup => principals()
            .filter(|(_, one)| !one.groups.is_empty())
            .map(|(at, _)| plain(at))
            .collect(),
        TechniqueTarget::OwnPolicy => principals()
            .filter(|(_, one)| !one.is_service_linked())
            .filter(|(_, one)| one.attached.iter().any(|arn| !arn.contains(":iam::aws:")))
            .map(|(at, _)| plain(at))
            .collect(),
        TechniqueTarget::Group => (0..account.groups.len())
            .map(|at| plain(account.principals.len() + at))
            .collect(),
    };
    found
        .into_iter()
        .filter_map(|candidate| with_prerequisites(account, technique, candidate))
        .collect()
}

fn with_prerequisites(
    account: &AccountPolicies,
    technique: &Technique,
    mut candidate: ReachCandidate,
) -> Option<ReachCandidate> {
    if technique.instance_profile {
        match account.principals[candidate.target].has_instance_profile {
            Some(true) => {}
            Some(false) => return None,
            None => {
                let profile = Grant::depending("an instance profile with the role".to_owned());
                candidate.grant = candidate.grant.and(&profile);
            }
        }
    }
    if let Some(form) = &technique.exists {
        let pattern = any_of(form);
        let is_there = account
            .workloads
            .iter()
            .any(|one| matches(&pattern, &one.arn));
        if !is_there {
            let missing = Grant::depending(format!("{pattern}, of which the files list none"));
            candidate.grant = candidate.grant.and(&missing);
        }
    }
    Some(candidate)
}

/// Returns a role once per service of the technique that it lets in.
fn service_roles(
    account: &AccountPolicies,
    technique: &Technique,
    at: usize,
) -> Vec<ReachCandidate> {
    let services = technique.services.iter();
    services
        .filter_map(|service| {
            Some(ReachCandidate {
                target: at,
                service: Some(service.clone()),
                workloads: Vec::new(),
                grant: service_trust(account, at, service)?,
            })
        })
        .collect()
}

/// Returns the role of a thing that the files list; if they list no such thing, a role that the
/// service may use, for which one possibly exists.
fn workload_role(
    account: &AccountPolicies,
    technique: &Technique,
    at: usize,
) -> Option<ReachCandidate> {
    let form = technique.workload.as_deref()?;
    let pattern = any_of(form);
    let mut listed = account
        .workloads
        .iter()
        .filter(|one| one.role.is_some() && matches(&pattern, &one.arn))
        .peekable();
    let role = &account.principals[at].arn;

    if listed.peek().is_some() {
        let workloads: Vec<String> = listed
            .filter(|one| one.role.as_deref() == Some(role))
            .map(|one| one.arn.clone())
            .collect();
        return (!workloads.is_empty()).then(|| ReachCandidate {
            target: at,
            service: None,
            workloads,
            grant: Grant::certain(),
        });
    }

    let trusts = technique.services.iter();
    let trust = trusts.fold(None, |best, service| {
        stronger(best, service_trust(account, at, service))
    })?;
    let missing = Grant::depending(format!(
        "{pattern} with the role, of which the files list none"
    ));
    Some(ReachCandidate {
        target: at,
        service: None,
        workloads: Vec::new(),
        grant: trust.and(&missing),
    })
}

/// Returns whether the trust policy of a role lets a service in.
fn service_trust(account: &AccountPolicies, at: usize, service: &str) -> Option<Grant> {
    let role = &account.principals[at];
    if role.is_service_linked() {
        return None;
    }
    let trust = role.trust.as_ref()?;
    let caller = IamCaller::Service {
        name: service.to_owned(),
    };
    let mut request = AccessRequest::new(caller, "sts:AssumeRole", role.arn.as_str());
    let mut context = IamContext::default().with("aws:SourceAccount", role.account());
    if let Some(id) = &account.organization.id {
        context.set("aws:SourceOrgID", [id.as_str()]);
        context.set("aws:ResourceOrgID", [id.as_str()]);
    }
    if let Some(source) = source_arn(role.account(), trust) {
        context.set("aws:SourceArn", [source]);
    }
    request.context.add_missing(&context);

    let set = PolicySet {
        organization: account.organization.clone(),
        ..PolicySet::default()
    };
    let decision = set.decide_on(Some(trust), &request);
    let mut grant = Grant::of(&decision, "sts:AssumeRole", &role.arn)?;
    grant.permissions.clear();
    Some(grant)
}

/// Returns an ARN of the account as the source of a service's call: one that the conditions of a
/// trust policy accept, if they leave its name open, since the caller names what it creates. None if
/// a name is given.
fn source_arn(account: &str, trust: &NamedPolicy) -> Option<String> {
    let statements = trust
        .document
        .iter()
        .flat_map(|document| &document.statements);
    let values: Vec<&String> = statements
        .flat_map(|statement| &statement.conditions)
        .filter(|condition| condition.key == "aws:sourcearn" && !condition.operator.negated)
        .flat_map(|condition| &condition.values)
        .collect();
    let is_elsewhere = |value: &&String| account_of(value).is_some_and(|owner| owner != account);
    if !values.is_empty() && values.iter().all(is_elsewhere) {
        return Some(format!("arn:aws:{ANY_LETTER}::{account}:{ANY_LETTER}"));
    }

    values.iter().find_map(|value| {
        let is_open = Arn::read(value).is_some_and(|arn| arn.resource.contains('*'));
        let form = format!("arn:?*:?*:*:{account}:?*");
        common_text(value, &form).filter(|_| is_open)
    })
}

fn any_of(form: &str) -> String {
    form.replace("{partition}", "*")
        .replace("{region}", "*")
        .replace("{account}", "*")
}
