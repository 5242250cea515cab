//! The port of what keeps users, teams, tokens and sessions.

use async_trait::async_trait;

use crate::event_type_pattern::EventTypePattern;
use crate::role::Role;
use crate::team::{Team, TeamId};
use crate::token::TokenHash;
use crate::user::{User, UserId};

/// Reason why the store did not answer.
#[derive(Debug, thiserror::Error)]
pub enum AccessError {
    /// The store has no such record.
    #[error("{what} {id} does not exist")]
    NotFound {
        /// Kind of the record, in words.
        what: &'static str,
        id: String,
    },
    /// The e-mail address or name is taken.
    #[error("{0}")]
    Conflict(String),
    /// There is no room on the database's disk; nothing was written.
    #[error("the disk of the store is full: {0}")]
    Full(String),
    /// The database does not answer, or this server may not write to it now.
    #[error("the store does not answer: {0}")]
    Unavailable(String),
    /// The disk or database failed.
    #[error("the store failed: {0}")]
    Backend(String),
}

/// An API token as kept: its hash, never its secret.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ApiToken {
    /// Identifier, safe to show.
    pub id: String,
    /// The user it acts for.
    pub user: UserId,
    /// Purpose in its owner's words, or the source whose entries it hands in; each of its entries
    /// has it as `submitted_by.token_name`.
    pub name: String,
    /// SHA-256 of the secret.
    pub hash: TokenHash,
    /// Roles it is narrowed to; empty means all of the user's.
    pub roles: Vec<Role>,
    /// Event types that it may write; empty means all.
    pub event_types: Vec<EventTypePattern>,
    /// Token whose bearer made this one; `None` when it was made in a session with a password or by
    /// an administrator for another user. Revoking the parent revokes this token.
    pub parent: Option<String>,
    /// Creation time, ms since the epoch.
    pub created_at_ms: i64,
    /// End, ms since the epoch; `None` for a token without one.
    pub expires_at_ms: Option<i64>,
    /// Time of the last use, ms since the epoch, to the minute.
    pub last_used_at_ms: Option<i64>,
}

/// Credential that a session was made with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SignInMethod {
    /// E-mail address and password.
    Password,
    /// The API token with this identifier. The session has the token's roles and ends with it.
    Token(String),
    /// Not recorded: the session was kept before methods were. Its rights are unknown, so it is not
    /// accepted.
    Unknown,
}

/// A browser session as kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AccessSession {
    /// Identifier, safe to show and to log.
    pub id: String,
    pub user: UserId,
    /// SHA-256 of the cookie's secret.
    pub hash: TokenHash,
    /// Credential it was made with.
    pub method: SignInMethod,
    /// Beginning, ms since the epoch.
    pub created_at_ms: i64,
    /// End, ms since the epoch.
    pub expires_at_ms: i64,
    /// Address that the sign-in came from.
    pub ip_address: Option<String>,
    /// User agent of the browser at sign-in.
    pub user_agent: Option<String>,
}

/// Keeps users, teams, tokens and sessions.
#[async_trait]
pub trait AccessStore: Send + Sync {
    /// Adds a user; the e-mail address must be free.
    async fn user_insert(&self, user: &User) -> Result<(), AccessError>;
    /// Replaces a user that is still exactly `read`; a conflict otherwise. Also a conflict, in the
    /// same step and under concurrency, when no active administrator would be left.
    async fn user_update(&self, read: &User, user: &User) -> Result<(), AccessError>;
    /// Removes a user with their tokens and sessions; a conflict for the last active administrator.
    async fn user_delete(&self, id: &UserId) -> Result<(), AccessError>;
    async fn user_get(&self, id: &UserId) -> Result<User, AccessError>;
    /// By e-mail address, lower case.
    async fn user_by_email(&self, email: &str) -> Result<User, AccessError>;
    /// All users by e-mail address.
    async fn user_list(&self) -> Result<Vec<User>, AccessError>;
    async fn team_insert(&self, team: &Team) -> Result<(), AccessError>;
    async fn team_update(&self, team: &Team) -> Result<(), AccessError>;
    /// Removes a team; its members stay.
    async fn team_delete(&self, id: &TeamId) -> Result<(), AccessError>;
    /// All teams by name.
    async fn team_list(&self) -> Result<Vec<Team>, AccessError>;
    /// Everyone in any of the teams.
    async fn team_members(&self, teams: &[TeamId]) -> Result<Vec<User>, AccessError>;
    async fn token_insert(&self, token: &ApiToken) -> Result<(), AccessError>;
    async fn token_get(&self, id: &str) -> Result<ApiToken, AccessError>;
    /// By the secret's hash.
    async fn token_by_hash(&self, hash: &TokenHash) -> Result<ApiToken, AccessError>;
    /// A user's tokens, or everyone's.
    async fn token_list(&self, user: Option<&UserId>) -> Result<Vec<ApiToken>, AccessError>;
    /// Revokes a token, the tokens made with it, and the sessions of any of them, in one step.
    async fn token_delete(&self, id: &str) -> Result<(), AccessError>;
    /// Notes that a token was used.
    async fn token_touch(&self, id: &str, at_ms: i64) -> Result<(), AccessError>;
    async fn session_insert(&self, session: &AccessSession) -> Result<(), AccessError>;
    /// By the secret's hash.
    async fn session_by_hash(&self, hash: &TokenHash) -> Result<AccessSession, AccessError>;
    /// A user's sessions, or everyone's.
    async fn session_list(&self, user: Option<&UserId>) -> Result<Vec<AccessSession>, AccessError>;
    /// Ends the session: its secret is no longer accepted.
    async fn session_delete(&self, id: &str) -> Result<(), AccessError>;
    /// Removes sessions that ended before now; returns what was removed.
    async fn session_expire(&self, now_ms: i64) -> Result<Vec<AccessSession>, AccessError>;
}
