//! An API token: what has no column.

use reeve_access::{ApiToken, Role};
use serde::{Deserialize, Serialize};

use super::RowError;
use super::user::roles;

/// Members of a token that have no column.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct TokenRow {
    pub(crate) name: String,
    roles: Vec<String>,
    #[serde(default)]
    pub(crate) parent: Option<String>,
}

impl From<&ApiToken> for TokenRow {
    fn from(token: &ApiToken) -> Self {
        TokenRow {
            name: token.name.clone(),
            roles: token.roles.iter().map(|role| role.as_str().to_owned()).collect(),
            parent: token.parent.clone(),
        }
    }
}

impl TokenRow {
    pub(crate) fn roles(&self) -> Result<Vec<Role>, RowError> {
        roles(&self.roles)
    }
}
