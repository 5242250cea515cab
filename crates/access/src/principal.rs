//! Principals: users, and Reeve itself, as they come in.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::event_type_pattern::EventTypePattern;
use crate::permission::Permission;
use crate::role::Role;
use crate::scope::AuditScope;
use crate::user::UserId;

/// Way in which a principal came in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PrincipalKind {
    /// Signed in with a browser.
    Session,
    /// Authenticated by an API token.
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
    /// End of the token, ms since the epoch; `None` for a token without one. Nothing derived from
    /// the token outlives it.
    pub expires_at_ms: Option<i64>,
    /// Set when the token carries fewer roles than its user holds, or may write some event types
    /// alone.
    pub narrowed: bool,
    /// Event types that the token may write; empty for all.
    pub event_types: Vec<EventTypePattern>,
}

/// User or program that sends a request, with everything that a decision needs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Principal {
    /// The user behind it.
    pub user: UserId,
    /// The user's e-mail address.
    pub email: String,
    /// Name for display; not unique.
    pub name: String,
    /// Session, token or system.
    pub kind: PrincipalKind,
    /// Session or token identifier, for the log; never the secret.
    pub session: Option<String>,
    /// Token behind the request; `None` for a session that began with a password.
    pub token: Option<TokenGrant>,
    /// Roles that the principal acts with.
    pub roles: BTreeSet<Role>,
    /// Ids and e-mail addresses of everyone in the principal's teams, the principal included.
    pub team_members: BTreeSet<String>,
    /// Part of estate and log that the user is limited to; `None` for no limit.
    pub scope: Option<Arc<AuditScope>>,
}

impl Principal {
    /// Returns `true` if any role grants the permission.
    #[must_use]
    pub fn may(&self, permission: Permission) -> bool {
        self.roles
            .iter()
            .any(|role| role.permissions().contains(&permission))
    }

    /// Returns `true` if no entry of the log is hidden from the principal.
    #[must_use]
    pub fn sees_whole_log(&self) -> bool {
        self.may(Permission::AuditViewAll) && self.scope.is_none()
    }
}
