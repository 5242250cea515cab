//! A user's session: who, from where, with which program; kept for some forty events.

use std::fmt::Write as _;

use super::catalogue::AGENTS;
use super::random::Random;
use super::world::User;

/// Errors of failed calls, with their messages.
pub(crate) const ERRORS: [(&str, &str); 8] = [
    (
        "AccessDenied",
        "User is not authorized to perform this operation on the resource",
    ),
    (
        "UnauthorizedOperation",
        "You are not authorized to perform this operation",
    ),
    ("ThrottlingException", "Rate exceeded"),
    (
        "InvalidParameterValue",
        "The value supplied for a parameter is not valid",
    ),
    ("ResourceNotFound", "The requested resource does not exist"),
    (
        "InternalError",
        "An internal error has occurred, retry later",
    ),
    (
        "ExpiredToken",
        "The security token included in the request is expired",
    ),
    (
        "QuotaExceeded",
        "The request would exceed the quota of the account in this region",
    ),
];

/// Session of a user.
#[derive(Debug, Default, Clone)]
pub(crate) struct Session {
    /// Events until another session begins.
    pub(crate) left: usize,
    /// The whole `actor` member as JSON.
    pub(crate) json: String,
    pub(crate) address: String,
    /// Value of `action.method`.
    pub(crate) method: &'static str,
    /// Resource that was used last.
    pub(crate) resource: Option<usize>,
}

impl Session {
    /// Begins another session of `user`.
    pub(crate) fn begin(&mut self, user: &User, random: &mut Random) {
        self.left = 10 + random.below(61);
        self.resource = None;
        let agent = if random.chance(800) {
            user.agent
        } else {
            random.below(AGENTS.len())
        };
        let (program, method) = AGENTS[agent];

        self.method = method;
        self.address.clear();
        self.json.clear();

        // Writing to a String cannot fail.
        let _ = write!(self.address, "{}.{}", user.network, 1 + random.below(254));
        let _ = write!(
            self.json,
            r#""actor":{{"type":"{}","id":"{}","#,
            user.kind, user.id
        );

        if let Some(email) = &user.email {
            let _ = write!(self.json, r#""email":"{email}","#);
        }

        let _ = write!(
            self.json,
            r#""ip_address":"{}","user_agent":"{program}","session_id":"ASIA"#,
            self.address
        );

        for _ in 0..16 {
            self.json.push(char::from(
                b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"[random.below(32)],
            ));
        }

        self.json.push_str("\"}");
    }
}

/// Returns the identity provider's name of an operation.
pub(crate) fn operation(event_type: &str) -> &'static str {
    match event_type {
        "authentication.login" => "ConsoleLogin",
        "authentication.logout" => "Logout",
        "authentication.failed" => "CheckPassword",
        "authentication.mfa_challenge" => "CheckMfa",
        "authentication.password_change" => "ChangePassword",
        _ => "AssumeRole",
    }
}
