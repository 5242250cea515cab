//! An API token: what has no column.

use reeve_access::{ApiToken, EventTypePattern, Role};
use serde::{Deserialize, Serialize};

use super::user::roles;
use super::{RowError, named};

/// Members of a token that have no column.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct TokenRow {
    pub(crate) name: String,
    roles: Vec<String>,
    /// Absent from tokens of releases that knew no such limit.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    event_types: Vec<String>,
    #[serde(default)]
    pub(crate) parent: Option<String>,
}

impl From<&ApiToken> for TokenRow {
    fn from(token: &ApiToken) -> Self {
        TokenRow {
            name: token.name.clone(),
            roles: token
                .roles
                .iter()
                .map(|role| role.as_str().to_owned())
                .collect(),
            event_types: token
                .event_types
                .iter()
                .map(|pattern| pattern.as_str().to_owned())
                .collect(),
            parent: token.parent.clone(),
        }
    }
}

impl TokenRow {
    pub(crate) fn roles(&self) -> Result<Vec<Role>, RowError> {
        roles(&self.roles)
    }

    pub(crate) fn event_types(&self) -> Result<Vec<EventTypePattern>, RowError> {
        let pattern = |text: &String| {
            named("event_types", text, |text| {
                EventTypePattern::parse(text).ok()
            })
        };
        self.event_types.iter().map(pattern).collect()
    }
}
