//! Users, teams, tokens and sessions on the wire.

pub mod workspace;

use reeve_access::AuditScope;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::error::Problem;
use crate::time;
use crate::wire::form::given;

/// Signing in: with e-mail address and password, or with an API token.
#[derive(Clone, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct SignIn {
    pub email: Option<String>,
    #[schema(write_only)]
    pub password: Option<String>,
    /// API token, in place of the two.
    #[schema(write_only)]
    pub token: Option<String>,
}

/// Signed-in user and their permissions.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct MeBody {
    pub id: String,
    pub email: String,
    pub name: String,
    pub roles: Vec<String>,
    /// Permissions, for showing what can be done.
    pub permissions: Vec<String>,
    /// Session, when there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session_id: Option<String>,
    /// End of the session.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<String>,
    /// Part of estate and log that the user is limited to; absent for no limit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scope: Option<AuditScopeBody>,
    /// `true` if this is the demo.
    pub demo: bool,
}

/// A change of one's own password.
#[derive(Clone, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct PasswordChange {
    /// The password as it is.
    #[schema(write_only)]
    pub current_password: String,
    /// The new one, under the same rules as any password.
    #[schema(write_only)]
    pub new_password: String,
}

/// A browser session of the caller or, for administrators, of anyone.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct SessionBody {
    pub id: String,
    pub user_id: String,
    pub created_at: String,
    pub expires_at: String,
    /// Network that the sign-in came from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ip_address: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub user_agent: Option<String>,
}

/// A user to add, with the roles that the user gets.
#[derive(Clone, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct UserCreate {
    pub email: String,
    pub name: String,
    pub roles: Vec<String>,
    #[serde(default)]
    pub teams: Vec<String>,
    /// Password; without one the user signs in with tokens only.
    #[schema(write_only)]
    pub password: Option<String>,
    /// Time at which access ends by itself; without one it has no end.
    pub expires_at: Option<String>,
    /// Part of estate and log that the user is limited to; without one there is no limit.
    pub scope: Option<AuditScopeBody>,
}

/// Part of estate and log that a user is limited to. What is left out is no limit.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields, default)]
pub struct AuditScopeBody {
    /// Accounts, subscriptions or projects, by the provider's identifiers.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub accounts: Vec<String>,
    /// Frameworks of checks, by name, such as `soc2`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub frameworks: Vec<String>,
    /// First time of the entries of the log.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub log_from: Option<String>,
    /// Last time of the entries of the log.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub log_until: Option<String>,
}

impl From<&AuditScope> for AuditScopeBody {
    fn from(scope: &AuditScope) -> Self {
        AuditScopeBody {
            accounts: scope.accounts.iter().cloned().collect(),
            frameworks: scope.frameworks.iter().cloned().collect(),
            log_from: scope.log_from.map(time::text),
            log_until: scope.log_until.map(time::text),
        }
    }
}

impl AuditScopeBody {
    pub(crate) fn read(&self) -> Result<AuditScope, Problem> {
        let time = |field: &str, text: &Option<String>| {
            time::parse_option(&format!("scope.{field}"), text.as_deref())
        };
        Ok(AuditScope {
            accounts: self.accounts.iter().cloned().collect(),
            frameworks: self.frameworks.iter().cloned().collect(),
            log_from: time("log_from", &self.log_from)?,
            log_until: time("log_until", &self.log_until)?,
        })
    }
}

/// A change of a user. What is left out stays.
#[derive(Clone, Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct UserPatch {
    pub name: Option<String>,
    pub roles: Option<Vec<String>>,
    pub teams: Option<Vec<String>>,
    #[schema(write_only)]
    pub password: Option<String>,
    /// `true` if the user may sign in.
    pub active: Option<bool>,
    /// Time at which access ends by itself; null takes the end away.
    #[serde(default, deserialize_with = "given")]
    #[schema(value_type = Option<String>)]
    pub expires_at: Option<Option<String>>,
    /// Part of estate and log that the user is limited to; null takes the limit away.
    #[serde(default, deserialize_with = "given")]
    #[schema(value_type = Option<AuditScopeBody>)]
    pub scope: Option<Option<AuditScopeBody>>,
}

/// A user with roles and teams, without the password.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct UserBody {
    pub id: String,
    pub email: String,
    pub name: String,
    pub roles: Vec<String>,
    pub teams: Vec<String>,
    /// `true` if the user may sign in.
    pub active: bool,
    /// Time at which access ends, or ended, by itself; null for no end.
    pub expires_at: Option<String>,
    /// Part of estate and log that the user is limited to; null for no limit.
    pub scope: Option<AuditScopeBody>,
    /// Time at which the user was created.
    pub created_at: String,
}

/// A new team, or its new name.
#[derive(Debug, Clone, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct TeamCreate {
    pub name: String,
}

/// A team of users, for which searches and rows can be visible.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct TeamBody {
    pub id: String,
    pub name: String,
    /// E-mail addresses of its members.
    pub members: Vec<String>,
    pub created_at: String,
}

/// A token for a program, which acts with roles of its own.
#[derive(Debug, Clone, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct TokenCreate {
    /// Purpose, or the source whose entries it hands in: they have it as `submitted_by.token_name`.
    pub name: String,
    /// The user it acts for; default the caller. Another's needs `administer`.
    pub user_id: Option<String>,
    /// Roles it is narrowed to; default all of the user's.
    #[serde(default)]
    pub roles: Vec<String>,
    /// Event types that it may append, such as `authentication.login` or `authentication.*`;
    /// default all.
    #[serde(default)]
    pub event_types: Vec<String>,
    pub expires_at: Option<String>,
}

/// A token, without its secret.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct TokenBody {
    pub id: String,
    pub name: String,
    /// The user it acts for.
    pub user_id: String,
    /// Roles it is narrowed to.
    pub roles: Vec<String>,
    /// Event types that it may append; empty for all.
    pub event_types: Vec<String>,
    pub created_at: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<String>,
    /// Time of the last use.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_used_at: Option<String>,
}

/// A token with its secret, shown once.
#[derive(Clone, Serialize, ToSchema)]
pub struct TokenCreated {
    #[serde(flatten)]
    pub token: TokenBody,
    /// The secret: shown now and never again.
    pub secret: String,
}
