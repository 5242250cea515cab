//! A browser session: what has no column.

use reeve_access::Session;
use serde::{Deserialize, Serialize};

/// What of a session has no column.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct SessionRow {
    pub(crate) ip_address: Option<String>,
    pub(crate) user_agent: Option<String>,
}

impl From<&Session> for SessionRow {
    fn from(session: &Session) -> Self {
        SessionRow { ip_address: session.ip_address.clone(), user_agent: session.user_agent.clone() }
    }
}
