//! Principals: who is asking.

use std::collections::BTreeSet;

use crate::permission::Permission;
use crate::role::Role;

/// A user's identifier, made by Reeve.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct UserId(pub String);

/// A team's identifier, made by Reeve.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TeamId(pub String);

/// A person (or a service with a login of its own).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct User {
    /// Identifier.
    pub id: UserId,
    /// E-mail address, unique, lower case.
    pub email: String,
    /// Display name.
    pub name: String,
    /// Roles; never empty.
    pub roles: Vec<Role>,
    /// Teams the user belongs to.
    pub teams: Vec<TeamId>,
    /// Argon2id hash; `None` for users that only sign in with tokens.
    pub password_hash: Option<String>,
    /// Whether the user may sign in.
    pub active: bool,
    /// When the user was made, ms since the epoch.
    pub created_at_ms: i64,
}

impl User {
    /// Returns `true` if the user is active and one of their roles may administer the installation.
    #[must_use]
    pub fn administers(&self) -> bool {
        self.active && self.roles.iter().any(|role| role.permissions().contains(&Permission::Administer))
    }
}

/// A team: whose activities its managers see.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Team {
    /// Identifier.
    pub id: TeamId,
    /// Name, unique.
    pub name: String,
    /// When the team was made, ms since the epoch.
    pub created_at_ms: i64,
}

/// How a principal came in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PrincipalKind {
    /// A browser session.
    Session,
    /// An API token.
    Token,
    /// Reeve itself (background work); never comes in over HTTP.
    System,
}

/// API token that authenticates a principal, directly or through a session made with it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TokenGrant {
    /// Identifier of the token.
    pub id: String,
    /// Name of the token.
    pub name: String,
    /// End of the token, ms since the epoch; `None` for a token without one. Nothing derived from the token outlives it.
    pub expires_at_ms: Option<i64>,
    /// Set when the token carries fewer roles than its user holds.
    pub narrowed: bool,
}

/// Who is asking, with everything a decision needs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Principal {
    /// The user behind it.
    pub user: UserId,
    /// The user's e-mail address.
    pub email: String,
    /// Display name.
    pub name: String,
    /// Session, token or system.
    pub kind: PrincipalKind,
    /// Session or token identifier, for the log; never the secret.
    pub session: Option<String>,
    /// Token behind the request; `None` for a session that began with a password.
    pub token: Option<TokenGrant>,
    /// Roles held.
    pub roles: BTreeSet<Role>,
    /// Ids and e-mail addresses of everyone in the principal's teams, the principal included.
    pub team_members: BTreeSet<String>,
}

impl Principal {
    /// Whether any role grants the permission.
    #[must_use]
    pub fn may(&self, permission: Permission) -> bool {
        self.roles.iter().any(|role| role.permissions().contains(&permission))
    }
}
