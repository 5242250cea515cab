//! Callers of requests, and how a policy of a resource names them.

use serde::Serialize;

use crate::arn::{Arn, account_of, is_account};
use crate::context::{IamContext, KeyValue};
use crate::document::{PrincipalName, Principals};
use crate::truth::Truth;

/// Beginning of the path of roles that a service made for its own use.
const SERVICE_LINKED: &str = "role/aws-service-role/";

/// Caller of a request.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum IamCaller {
    User {
        arn: String,
    },
    /// A session of a role; without the session's ARN, any session.
    Role {
        arn: String,
        session: Option<String>,
    },
    Root {
        account: String,
    },
    /// A service of AWS, such as `lambda.amazonaws.com`.
    Service {
        name: String,
    },
    /// An identity of a provider: a SAML or OIDC provider's ARN, or a name such as
    /// `accounts.google.com`.
    Federated {
        provider: String,
    },
    Anonymous,
}

/// Manner in which a policy of a resource names a caller; a stronger one is greater.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Naming {
    /// Names the account: policies of the account's identities decide.
    Account,
    /// Names the role: boundary and session policies still limit its sessions.
    Role,
    /// Names the user, the session or the service: nothing else needs to allow.
    Direct,
}

impl IamCaller {
    /// Reads the ARN of a user, a role, a session or an account, an account, the name of a service,
    /// or `*` for an anonymous caller.
    #[must_use]
    pub fn read(text: &str) -> Option<IamCaller> {
        if text == "*" {
            return Some(IamCaller::Anonymous);
        }
        if is_account(text) {
            return Some(IamCaller::Root {
                account: text.to_owned(),
            });
        }
        let Some(arn) = Arn::read(text) else {
            let is_service =
                text.ends_with(".amazonaws.com") || text.ends_with(".amazonaws.com.cn");
            return match is_service {
                true => Some(IamCaller::Service {
                    name: text.to_owned(),
                }),
                false => text.contains('.').then(|| IamCaller::Federated {
                    provider: text.to_owned(),
                }),
            };
        };

        let owned = text.to_owned();
        match (arn.service, arn.resource.split_once('/')) {
            ("iam", _) if arn.resource == "root" => Some(IamCaller::Root {
                account: arn.account.to_owned(),
            }),
            ("iam", Some(("user", _))) => Some(IamCaller::User { arn: owned }),
            ("iam", Some(("role", _))) => Some(IamCaller::Role {
                arn: owned,
                session: None,
            }),
            ("iam", Some(("saml-provider" | "oidc-provider", _))) => {
                Some(IamCaller::Federated { provider: owned })
            }
            // The path of the role is not part of the session's ARN.
            ("sts", Some(("assumed-role", rest))) => {
                let role = rest.split('/').next().unwrap_or(rest);
                Some(IamCaller::Role {
                    arn: format!("arn:{}:iam::{}:role/{role}", arn.partition, arn.account),
                    session: Some(owned),
                })
            }
            _ => None,
        }
    }

    /// Returns the account of the caller; services and anonymous callers have none.
    #[must_use]
    pub fn account(&self) -> Option<&str> {
        match self {
            IamCaller::User { arn } | IamCaller::Role { arn, .. } => account_of(arn),
            IamCaller::Root { account } => Some(account),
            IamCaller::Service { .. } | IamCaller::Federated { .. } | IamCaller::Anonymous => None,
        }
    }

    /// Returns the ARN that policies are attached to: that of the user or of the role.
    #[must_use]
    pub fn arn(&self) -> Option<&str> {
        match self {
            IamCaller::User { arn } | IamCaller::Role { arn, .. } => Some(arn),
            _ => None,
        }
    }

    /// Returns `true` for a role that a service made for its own use: service control policies do
    /// not limit it, and nobody else can use it.
    #[must_use]
    pub fn is_service_linked(&self) -> bool {
        let arn = self.arn().and_then(Arn::read);
        arn.is_some_and(|arn| arn.resource.starts_with(SERVICE_LINKED))
    }

    /// Returns the condition keys that follow from the caller alone.
    #[must_use]
    pub fn context(&self) -> IamContext {
        let mut context = IamContext::default();
        if let Some(account) = self.account() {
            context.set("aws:PrincipalAccount", [account]);
            context.set("aws:PrincipalIsAWSService", ["false"]);
            context.set_absent("aws:PrincipalServiceName");
            context.set_absent("aws:PrincipalServiceNamesList");
        }
        match self {
            IamCaller::User { arn } => {
                let name = arn.rsplit('/').next().unwrap_or(arn);
                context.set("aws:PrincipalArn", [arn.as_str()]);
                context.set("aws:PrincipalType", ["User"]);
                context.set("aws:username", [name]);
                context.set_absent("aws:FederatedProvider");
                context.set_absent("aws:SourceIdentity");
                context.set("aws:ViaAWSService", ["false"]);
                context.set_absent("aws:CalledVia");
                context.set_absent("aws:CalledViaFirst");
                context.set_absent("aws:CalledViaLast");
            }
            IamCaller::Role { arn, .. } => {
                context.set("aws:PrincipalArn", [arn.as_str()]);
                context.set("aws:PrincipalType", ["AssumedRole"]);
                context.set_absent("aws:username");
                context.set("aws:ViaAWSService", ["false"]);
                context.set_absent("aws:CalledVia");
                context.set_absent("aws:CalledViaFirst");
                context.set_absent("aws:CalledViaLast");
            }
            IamCaller::Root { account } => {
                context.set("aws:PrincipalArn", [format!("arn:aws:iam::{account}:root")]);
                context.set("aws:PrincipalType", ["Account"]);
                context.set_absent("aws:username");
            }
            IamCaller::Service { name } => {
                context.set("aws:PrincipalIsAWSService", ["true"]);
                context.set("aws:PrincipalServiceName", [name.as_str()]);
                for key in [
                    "aws:PrincipalArn",
                    "aws:PrincipalAccount",
                    "aws:PrincipalOrgID",
                ] {
                    context.set_absent(key);
                }
            }
            IamCaller::Federated { provider } => {
                context.set("aws:FederatedProvider", [provider.as_str()]);
                context.set_absent("aws:username");
            }
            IamCaller::Anonymous => {
                for key in [
                    "aws:PrincipalArn",
                    "aws:PrincipalAccount",
                    "aws:PrincipalOrgID",
                    "aws:PrincipalOrgPaths",
                    "aws:userid",
                    "aws:username",
                ] {
                    context.set_absent(key);
                }
            }
        }
        context
    }

    /// Returns how a member of `Principal` names the caller. Names have no wildcards but the lone
    /// `*`.
    fn is_named_by(&self, name: &PrincipalName, context: &IamContext) -> Option<(Truth, Naming)> {
        let certain = |naming| Some((Truth::True, naming));
        match (name, self) {
            (PrincipalName::Everyone, IamCaller::Role { .. }) => certain(Naming::Role),
            (PrincipalName::Everyone, _) => certain(Naming::Direct),
            (PrincipalName::Service(wanted), IamCaller::Service { name }) => {
                (wanted == name || wanted == "*").then_some((Truth::True, Naming::Direct))
            }
            (PrincipalName::Federated(wanted), IamCaller::Federated { provider }) => {
                (wanted == provider || wanted == "*").then_some((Truth::True, Naming::Direct))
            }
            (PrincipalName::CanonicalUser(_), _) => {
                self.account().map(|_| (Truth::Unknown, Naming::Account))
            }
            (PrincipalName::Aws(wanted), _) => self.is_named_by_aws(wanted, context),
            _ => None,
        }
    }

    fn is_named_by_aws(&self, wanted: &str, context: &IamContext) -> Option<(Truth, Naming)> {
        let is_whole_account = is_account(wanted)
            || Arn::read(wanted).is_some_and(|arn| arn.service == "iam" && arn.resource == "root");
        if is_whole_account {
            let is_own = self.account().is_some() && self.account() == account_of(wanted);
            let naming = match self {
                IamCaller::Root { .. } => Naming::Direct,
                _ => Naming::Account,
            };
            return is_own.then_some((Truth::True, naming));
        }

        // A deleted and recreated principal is named by the identifier of the deleted one.
        if wanted.starts_with("AIDA") || wanted.starts_with("AROA") {
            let id = match context.key("aws:userid") {
                KeyValue::Values([id]) => id.split(':').next(),
                _ => None,
            };
            let naming = match self {
                IamCaller::Role { .. } => Naming::Role,
                _ => Naming::Direct,
            };
            return (id == Some(wanted)).then_some((Truth::True, naming));
        }

        match self {
            IamCaller::User { arn } => (arn == wanted).then_some((Truth::True, Naming::Direct)),
            IamCaller::Role { arn, session } => {
                if arn == wanted {
                    return Some((Truth::True, Naming::Role));
                }
                match session {
                    Some(session) => (session == wanted).then_some((Truth::True, Naming::Direct)),
                    None => match IamCaller::read(wanted) {
                        Some(IamCaller::Role {
                            arn: role,
                            session: Some(_),
                        }) => is_same_role(arn, &role).then_some((Truth::Unknown, Naming::Direct)),
                        _ => None,
                    },
                }
            }
            _ => None,
        }
    }

    /// Returns how the principals of a statement name the caller, the strongest first; none if
    /// they do not.
    #[must_use]
    pub fn named_by(&self, principals: &Principals, context: &IamContext) -> Vec<(Truth, Naming)> {
        let mut found: Vec<(Truth, Naming)> = principals
            .names
            .iter()
            .filter_map(|name| self.is_named_by(name, context))
            .collect();
        found.sort_unstable_by(|one, other| other.cmp(one));
        if !principals.negated {
            return found;
        }

        // `NotPrincipal` has to name a caller and the caller's account to except it (IAM User
        // Guide, "Specifying NotPrincipal in an Allow or Deny statement").
        let is_excepted = found.iter().any(|(_, naming)| *naming != Naming::Account);
        let is_account_excepted = found.iter().any(|(_, naming)| *naming == Naming::Account)
            || self.account().is_none()
            || matches!(self, IamCaller::Root { .. });
        match (is_excepted, is_account_excepted) {
            (true, true) => Vec::new(),
            (true, false) => vec![(Truth::Unknown, Naming::Direct)],
            (false, _) => vec![(Truth::True, Naming::Direct)],
        }
    }
}

/// Returns `true` if two ARNs name the same role; that of a session lacks the role's path.
fn is_same_role(role: &str, of_session: &str) -> bool {
    let name = |arn: &str| arn.rsplit('/').next().map(str::to_owned);
    account_of(role) == account_of(of_session) && name(role) == name(of_session)
}
