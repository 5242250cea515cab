//! Evaluation of a request against all policies that apply to it (IAM User Guide, "Policy
//! evaluation logic").
//!
//! A statement that denies wins wherever it is. Each level of the organisation must allow, then the
//! permissions boundary and the session policies, and the identity policies or the policy of the
//! resource: either of them in one account, both across accounts. Role trust policies and key
//! policies must allow in any case.

use crate::arn::{Arn, account_of};
use crate::caller::{IamCaller, Naming};
use crate::context::IamContext;
use crate::decision::{AccessDecision, Blocker, BlockerKind, DecisionOutcome, StatementRef};
use crate::document::{IamPolicy, PolicyEffect, PolicyStatement};
use crate::policy_set::{Level, NamedPolicy, PolicyKind, PolicySet};
use crate::truth::Truth;
use crate::variable::matches_with_variables;

/// Services whose resources are limited by resource control policies (AWS Organizations User
/// Guide, "Resource control policies").
const RESOURCE_CONTROLLED: [&str; 10] = [
    "aoss",
    "cognito-idp",
    "cognito-identity",
    "dynamodb",
    "ecr",
    "kms",
    "s3",
    "secretsmanager",
    "sqs",
    "sts",
];

/// Request for an action on a resource.
#[derive(Debug, Clone)]
pub struct AccessRequest {
    pub caller: IamCaller,
    /// Action, such as `s3:GetObject`.
    pub action: String,
    /// ARN, or `*` for actions without a resource.
    pub resource: String,
    /// Account of the resource, where the ARN does not name it.
    pub resource_account: Option<String>,
    pub context: IamContext,
}

impl AccessRequest {
    /// Returns a request whose context has the keys that follow from caller and resource.
    #[must_use]
    pub fn new(caller: IamCaller, action: impl Into<String>, resource: impl Into<String>) -> Self {
        let resource = resource.into();
        let mut context = caller.context();
        if let Some(arn) = Arn::read(&resource) {
            if !arn.account.is_empty() {
                context.set("aws:ResourceAccount", [arn.account]);
            }
            if !arn.region.is_empty() {
                context.set("aws:RequestedRegion", [arn.region]);
            }
        }
        AccessRequest {
            caller,
            action: action.into(),
            resource,
            resource_account: None,
            context,
        }
    }

    /// Returns the account of the resource: as its ARN names it, as it was given, or else the
    /// caller's.
    #[must_use]
    pub fn account(&self) -> Option<&str> {
        account_of(&self.resource)
            .or(self.resource_account.as_deref())
            .or_else(|| self.caller.account())
    }

    fn service(&self) -> &str {
        self.action.split(':').next().unwrap_or_default()
    }
}

/// Truth with the statements and unknown keys that it comes from.
#[derive(Debug, Clone)]
struct Ruling {
    truth: Truth,
    statements: Vec<StatementRef>,
    unknown: Vec<String>,
}

impl Ruling {
    fn of(truth: Truth) -> Self {
        Ruling {
            truth,
            statements: Vec::new(),
            unknown: Vec::new(),
        }
    }

    fn and(mut self, other: Ruling) -> Ruling {
        if self.truth == other.truth && self.truth != Truth::False {
            self.statements.extend(other.statements);
            self.unknown.extend(other.unknown);
            return self;
        }
        if self.truth <= other.truth {
            self
        } else {
            other
        }
    }

    fn or(self, other: Ruling) -> Ruling {
        if self.truth >= other.truth {
            self
        } else {
            other
        }
    }
}

/// Findings about the policies of one kind.
struct Tally {
    deny: Ruling,
    /// Allowed to the account of the caller, in policies of resources.
    account: Ruling,
    /// Allowed to the role of the caller.
    role: Ruling,
    /// Allowed directly; in policies of identities, all that is allowed.
    direct: Ruling,
    /// Statements that would allow if their conditions were satisfied.
    conditional: Vec<StatementRef>,
}

impl Tally {
    fn empty() -> Self {
        let no = || Ruling::of(Truth::False);
        Tally {
            deny: no(),
            account: no(),
            role: no(),
            direct: no(),
            conditional: Vec::new(),
        }
    }

    fn add(&mut self, request: &AccessRequest, action: &str, policy: &NamedPolicy) {
        let Some(document) = &policy.document else {
            let unknown = vec![format!("{}, which was not read", policy.name)];
            let ruling = |truth| Ruling {
                truth,
                statements: Vec::new(),
                unknown: unknown.clone(),
            };
            if self.direct.truth == Truth::False {
                self.direct = ruling(Truth::Unknown);
            }
            if self.deny.truth == Truth::False {
                self.deny = ruling(Truth::Unknown);
            }
            return;
        };

        for statement in &document.statements {
            if statement.covers_lower_action(action) {
                self.add_statement(request, policy, document, statement);
            }
        }
    }

    fn add_statement(
        &mut self,
        request: &AccessRequest,
        policy: &NamedPolicy,
        document: &IamPolicy,
        statement: &PolicyStatement,
    ) {
        let is_of_resource = matches!(policy.kind, PolicyKind::Resource | PolicyKind::Trust);
        let namings = match &statement.principals {
            Some(principals) if is_of_resource => {
                request.caller.named_by(principals, &request.context)
            }
            None if is_of_resource => Vec::new(),
            _ => vec![(Truth::True, Naming::Direct)],
        };
        if namings.is_empty() {
            return;
        }
        let covered = statement.covers_resource(request, document.has_variables);
        if covered == Truth::False {
            return;
        }

        let reference = || StatementRef {
            kind: policy.kind,
            policy: policy.name.clone(),
            statement: statement.name.clone(),
        };
        let (conditions, mut unknown) = statement.conditions(request, document.has_variables);
        if covered == Truth::Unknown {
            unknown.push(format!("a variable in the resources of {}", reference()));
        }
        if conditions == Truth::False {
            if statement.effect == PolicyEffect::Allow {
                self.conditional.push(reference());
            }
            return;
        }

        for (named, naming) in namings {
            let truth = covered.and(conditions).and(named);
            let place = match (statement.effect, naming) {
                (PolicyEffect::Deny, _) => &mut self.deny,
                (PolicyEffect::Allow, Naming::Account) => &mut self.account,
                (PolicyEffect::Allow, Naming::Role) => &mut self.role,
                (PolicyEffect::Allow, Naming::Direct) => &mut self.direct,
            };
            if truth > place.truth {
                let mut unknown = unknown.clone();
                if named == Truth::Unknown {
                    unknown.push(format!("the principal of {}", reference()));
                }
                *place = Ruling {
                    truth,
                    statements: vec![reference()],
                    unknown,
                };
            }
        }
    }
}

impl PolicyStatement {
    fn covers_resource(&self, request: &AccessRequest, has_variables: bool) -> Truth {
        let Some(resources) = &self.resources else {
            return Truth::True;
        };
        let found = resources.patterns.iter().map(|pattern| {
            matches_with_variables(pattern, &request.resource, &request.context, has_variables)
        });
        let is_named = found.fold(Truth::False, Truth::or);
        match resources.negated {
            true => is_named.negated(),
            false => is_named,
        }
    }

    /// Returns the truth of all conditions together, and those that are not known.
    fn conditions(&self, request: &AccessRequest, has_variables: bool) -> (Truth, Vec<String>) {
        let mut truth = Truth::True;
        let mut unknown = Vec::new();
        for condition in &self.conditions {
            let found = condition.is_satisfied(&request.context, has_variables);
            if found == Truth::Unknown {
                unknown.push(format!("{} {}", condition.operator_name, condition.key));
            }
            truth = truth.and(found);
        }
        (truth, unknown)
    }
}

impl PolicySet {
    /// Decides a request, with the set's own policy of the resource.
    #[must_use]
    pub fn decide(&self, request: &AccessRequest) -> AccessDecision {
        self.decide_on(self.resource.as_ref(), request)
    }

    /// Decides a request for a resource with a policy, in place of the set's own.
    #[must_use]
    pub fn decide_on(
        &self,
        resource: Option<&NamedPolicy>,
        request: &AccessRequest,
    ) -> AccessDecision {
        Evaluation::new(self, resource, request).decision()
    }
}

/// Evaluation of one request.
struct Evaluation<'p> {
    set: &'p PolicySet,
    resource_policy: Option<&'p NamedPolicy>,
    request: &'p AccessRequest,
    identity: Tally,
    resource: Tally,
    boundary: Option<Tally>,
    session: Option<Tally>,
    /// Each level of the organisation that applies.
    levels: Vec<(&'p Level, PolicyKind, Tally)>,
}

impl<'p> Evaluation<'p> {
    fn new(
        set: &'p PolicySet,
        resource_policy: Option<&'p NamedPolicy>,
        request: &'p AccessRequest,
    ) -> Self {
        let action = request.action.to_ascii_lowercase();
        let tally = |policies: &[NamedPolicy]| {
            let mut tally = Tally::empty();
            for policy in policies {
                tally.add(request, &action, policy);
            }
            tally
        };
        let optional = |policies: &[NamedPolicy]| (!policies.is_empty()).then(|| tally(policies));

        let mut levels = Vec::new();
        if is_limited_by_service_control(set, request) {
            let found = set.organization.service_control.iter();
            levels.extend(
                found.map(|level| (level, PolicyKind::ServiceControl, tally(&level.policies))),
            );
        }
        if is_limited_by_resource_control(set, request) {
            let found = set.organization.resource_control.iter();
            levels.extend(
                found.map(|level| (level, PolicyKind::ResourceControl, tally(&level.policies))),
            );
        }

        Evaluation {
            set,
            resource_policy,
            request,
            identity: tally(&set.identity),
            resource: tally(resource_policy.map_or(&[], std::slice::from_ref)),
            boundary: optional(set.boundary.as_slice()),
            session: optional(&set.session),
            levels,
        }
    }

    fn tallies(&self) -> impl Iterator<Item = &Tally> {
        let levels = self.levels.iter().map(|(_, _, tally)| tally);
        [&self.identity, &self.resource]
            .into_iter()
            .chain(&self.boundary)
            .chain(&self.session)
            .chain(levels)
    }

    fn decision(self) -> AccessDecision {
        let deny = self.tallies().map(|tally| tally.deny.clone());
        let deny = deny.fold(Ruling::of(Truth::False), Ruling::or);
        let granted = self.granted();
        let limited = self.limited();
        let allowed = granted.clone().and(limited);

        if deny.truth == Truth::True {
            let blockers = deny.statements.iter().map(blocker_of_denial);
            let is_wanted =
                granted.truth != Truth::False || self.identity.direct.truth != Truth::False;
            return AccessDecision {
                outcome: DecisionOutcome::ExplicitDeny,
                blockers: if is_wanted {
                    blockers.collect()
                } else {
                    Vec::new()
                },
                statements: deny.statements,
                unknown: Vec::new(),
            };
        }
        match (allowed.truth, deny.truth) {
            (Truth::False, _) => AccessDecision {
                outcome: DecisionOutcome::ImplicitDeny,
                statements: Vec::new(),
                blockers: self.blockers(),
                unknown: Vec::new(),
            },
            (Truth::True, Truth::False) => AccessDecision {
                outcome: DecisionOutcome::Allow,
                statements: allowed.statements,
                blockers: Vec::new(),
                unknown: Vec::new(),
            },
            (truth, denied) => {
                let mut unknown = match truth {
                    Truth::Unknown => allowed.unknown,
                    _ => Vec::new(),
                };
                if denied == Truth::Unknown {
                    unknown.extend(deny.unknown);
                }
                unknown.sort();
                unknown.dedup();
                AccessDecision {
                    outcome: DecisionOutcome::Unknown,
                    statements: allowed.statements,
                    blockers: Vec::new(),
                    unknown,
                }
            }
        }
    }

    /// Allowed by the policies that grant, within boundary and session policies.
    fn granted(&self) -> Ruling {
        let caller = &self.request.caller;
        let limits = self.own_limits();
        let own = match caller {
            // The root user of an account has all permissions in it.
            IamCaller::Root { .. } => Ruling::of(Truth::True),
            IamCaller::User { .. } | IamCaller::Role { .. } => {
                self.identity.direct.clone().and(limits.clone())
            }
            IamCaller::Service { .. } | IamCaller::Federated { .. } | IamCaller::Anonymous => {
                Ruling::of(Truth::False)
            }
        };
        let direct = self.resource.direct.clone();
        let role = self.resource.role.clone().and(limits);
        let by_resource = direct.or(role);
        let by_account = self.resource.account.clone();

        let has_account = caller.account().is_some();
        let is_same_account = has_account && caller.account() == self.request.account();
        match (is_same_account, self.resource_policy) {
            (true, None) if !needs_resource_policy(self.request) => own,
            (true, Some(_)) if !needs_resource_policy(self.request) => own.or(by_resource),
            (true, Some(_)) => by_resource.or(own.and(by_account)),
            (false, Some(_)) if !has_account => by_resource,
            (false, Some(_)) => own.and(by_resource.or(by_account)),
            (_, None) => own.and(Ruling {
                truth: Truth::Unknown,
                statements: Vec::new(),
                unknown: vec![format!("the policy of {}", self.request.resource)],
            }),
        }
    }

    /// Allowed by boundary and session policies.
    fn own_limits(&self) -> Ruling {
        let limits = self.boundary.iter().chain(&self.session);
        limits
            .map(|tally| tally.direct.clone())
            .fold(Ruling::of(Truth::True), Ruling::and)
    }

    /// Allowed at each level of the organisation.
    fn limited(&self) -> Ruling {
        let levels = self.levels.iter().map(|(_, _, tally)| tally.direct.clone());
        let all = levels.fold(Ruling::of(Truth::True), Ruling::and);
        // Statements of the organisation allow nothing: they are no reason of an approval.
        Ruling {
            statements: Vec::new(),
            ..all
        }
    }

    /// Reasons against a request that no statement denies.
    fn blockers(&self) -> Vec<Blocker> {
        let granting = [
            &self.identity.direct,
            &self.resource.direct,
            &self.resource.role,
        ];
        let is_granted = granting.iter().any(|one| one.truth != Truth::False)
            || matches!(self.request.caller, IamCaller::Root { .. });
        if !is_granted {
            let conditional = self.identity.conditional.iter();
            return conditional
                .chain(&self.resource.conditional)
                .map(|statement| blocker(BlockerKind::Condition, statement))
                .collect();
        }

        let mut found = Vec::new();
        let limits = [
            (&self.boundary, self.set.boundary.as_slice()),
            (&self.session, self.set.session.as_slice()),
        ];
        for (tally, policies) in limits {
            let is_closed = tally
                .as_ref()
                .is_some_and(|tally| tally.direct.truth == Truth::False);
            if is_closed {
                found.extend(policies.iter().map(|policy| Blocker {
                    by: BlockerKind::NotAllowed,
                    kind: policy.kind,
                    policy: policy.name.clone(),
                    statement: None,
                }));
            }
        }
        for (level, kind, tally) in &self.levels {
            if tally.direct.truth == Truth::False {
                found.push(Blocker {
                    by: BlockerKind::NotAllowed,
                    kind: *kind,
                    policy: level.name.as_str().into(),
                    statement: None,
                });
            }
        }
        if found.is_empty() {
            let conditional = self.resource.conditional.iter();
            found.extend(conditional.map(|one| blocker(BlockerKind::Condition, one)));
        }
        if let (true, Some(policy)) = (found.is_empty(), self.resource_policy) {
            found.push(Blocker {
                by: BlockerKind::NotAllowed,
                kind: policy.kind,
                policy: policy.name.clone(),
                statement: None,
            });
        }
        found
    }
}

fn blocker(by: BlockerKind, statement: &StatementRef) -> Blocker {
    Blocker {
        by,
        kind: statement.kind,
        policy: statement.policy.clone(),
        statement: Some(statement.statement.clone()),
    }
}

fn blocker_of_denial(statement: &StatementRef) -> Blocker {
    blocker(BlockerKind::Deny, statement)
}

/// Returns `true` for resources whose own policy must allow even in the same account: roles that
/// are assumed, and keys.
fn needs_resource_policy(request: &AccessRequest) -> bool {
    let action = request.action.to_ascii_lowercase();
    let is_key = action.starts_with("kms:") && request.resource.contains(":key/");
    is_key || action.starts_with("sts:assumerole")
}

/// Service control policies limit users and roles of member accounts, and their root users; not
/// the management account, not services, and not service-linked roles.
fn is_limited_by_service_control(set: &PolicySet, request: &AccessRequest) -> bool {
    let Some(account) = request.caller.account() else {
        return false;
    };
    let is_management = set.organization.management_account.as_deref() == Some(account);
    !is_management && !request.caller.is_service_linked()
}

/// Resource control policies limit all callers of resources in member accounts but service-linked
/// roles, and only for the services that support them.
fn is_limited_by_resource_control(set: &PolicySet, request: &AccessRequest) -> bool {
    let is_management = request.account().is_some()
        && set.organization.management_account.as_deref() == request.account();
    let is_of_service = request.caller.is_service_linked();
    let service = request.service().to_ascii_lowercase();
    !is_management && !is_of_service && RESOURCE_CONTROLLED.contains(&service.as_str())
}

#[cfg(test)]
mod tests;
