//! A browser session: what has no column.

use reeve_access::{AccessSession, SignInMethod};
use serde::{Deserialize, Serialize};

/// Members of a session that have no column.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct SessionRow {
    pub(crate) ip_address: Option<String>,
    pub(crate) user_agent: Option<String>,
    /// Absent in rows that were written before methods were kept.
    #[serde(default)]
    method: Option<MethodRow>,
}

/// Credential that a session was made with.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum MethodRow {
    Password,
    Token(String),
}

impl From<&AccessSession> for SessionRow {
    fn from(session: &AccessSession) -> Self {
        let method = match &session.method {
            SignInMethod::Password => Some(MethodRow::Password),
            SignInMethod::Token(id) => Some(MethodRow::Token(id.clone())),
            SignInMethod::Unknown => None,
        };
        SessionRow {
            ip_address: session.ip_address.clone(),
            user_agent: session.user_agent.clone(),
            method,
        }
    }
}

impl SessionRow {
    pub(crate) fn method(&self) -> SignInMethod {
        match &self.method {
            Some(MethodRow::Password) => SignInMethod::Password,
            Some(MethodRow::Token(id)) => SignInMethod::Token(id.clone()),
            None => SignInMethod::Unknown,
        }
    }
}
