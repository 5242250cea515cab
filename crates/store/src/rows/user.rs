//! Storage of users. Teams have a table of their own.

use std::sync::Arc;

use reeve_access::{AuditScope, Role, TeamId, User, UserId};
use serde::{Deserialize, Serialize};

use super::{RowError, named};

/// Members of a user that have no column.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct UserRow {
    roles: Vec<String>,
    password_hash: Option<String>,
    /// Absent in rows of releases without ends.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    expires_at_ms: Option<i64>,
    /// Absent in rows of releases without scopes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    scope: Option<AuditScope>,
}

/// The columns beside the document.
pub(crate) struct UserColumns {
    pub(crate) id: String,
    pub(crate) email: String,
    pub(crate) name: String,
    pub(crate) active: bool,
    pub(crate) created_at_ms: i64,
    pub(crate) teams: Vec<TeamId>,
}

impl From<&User> for UserRow {
    fn from(user: &User) -> Self {
        UserRow {
            roles: user
                .roles
                .iter()
                .map(|role| role.as_str().to_owned())
                .collect(),
            password_hash: user.password_hash.clone(),
            expires_at_ms: user.expires_at_ms,
            scope: user.scope.as_deref().cloned(),
        }
    }
}

impl UserRow {
    pub(crate) fn into_user(self, columns: UserColumns) -> Result<User, RowError> {
        Ok(User {
            id: UserId(columns.id),
            email: columns.email,
            name: columns.name,
            roles: roles(&self.roles)?,
            teams: columns.teams,
            password_hash: self.password_hash,
            expires_at_ms: self.expires_at_ms,
            scope: self.scope.map(Arc::new),
            active: columns.active,
            created_at_ms: columns.created_at_ms,
        })
    }
}

/// Reads roles from their names.
pub(crate) fn roles(names: &[String]) -> Result<Vec<Role>, RowError> {
    names
        .iter()
        .map(|name| named("role", name, Role::parse))
        .collect()
}
