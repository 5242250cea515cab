//! Principals behind credentials: the rights that a token, a session or an earlier request has now.
//!
//! A token carries at most the roles of its user, and everything made with it ends with it. Rights
//! are read from the store each time, so that a user who was switched off or a token that was
//! revoked opens nothing.

use std::collections::BTreeSet;

use crate::permission::Permission;
use crate::principal::{Principal, PrincipalKind, TokenGrant};
use crate::role::Role;
use crate::store::{AccessError, AccessStore, ApiToken, SignInMethod};
use crate::token::TokenHash;
use crate::user::{User, UserId};

/// Reads principals from a store, as of one moment.
#[derive(Clone, Copy)]
pub struct Authenticator<'a> {
    store: &'a dyn AccessStore,
    now_ms: i64,
}

impl<'a> Authenticator<'a> {
    /// Returns an authenticator over a store at a time, ms since the epoch.
    #[must_use]
    pub fn new(store: &'a dyn AccessStore, now_ms: i64) -> Self {
        Authenticator { store, now_ms }
    }

    /// Returns the principal of an API token, and the token; `None` if it is unknown, has ended, or
    /// its user may not sign in.
    ///
    /// # Errors
    /// The store failed.
    pub async fn by_token(
        &self,
        hash: &TokenHash,
    ) -> Result<Option<(Principal, ApiToken)>, AccessError> {
        let Some(token) = found(self.store.token_by_hash(hash).await)? else {
            return Ok(None);
        };
        let Some(user) = self.active_user(&token.user).await? else {
            return Ok(None);
        };
        let Some((roles, grant)) = self.granted(&token, &user) else {
            return Ok(None);
        };

        let principal = self
            .principal(
                user,
                roles,
                (PrincipalKind::Token, token.id.clone()),
                Some(grant),
            )
            .await?;

        Ok(Some((principal, token)))
    }

    /// Returns the principal of a session. A session that was made with a token has the token's
    /// roles now, and ends when the token ends or is revoked.
    ///
    /// # Errors
    /// The store failed.
    pub async fn by_session(&self, hash: &TokenHash) -> Result<Option<Principal>, AccessError> {
        let Some(session) = found(self.store.session_by_hash(hash).await)? else {
            return Ok(None);
        };

        let token = match &session.method {
            SignInMethod::Password => None,
            SignInMethod::Token(id) => Some(id.as_str()),
            SignInMethod::Unknown => return Ok(None),
        };

        if session.expires_at_ms <= self.now_ms {
            return Ok(None);
        }

        self.with_rights_of(&session.user, token, (PrincipalKind::Session, session.id))
            .await
    }

    /// Returns the principal of work that was requested earlier, with the rights it has now: those
    /// of the user, bounded by the token that the request came with. `None` once the user or the
    /// token is gone, inactive or at its end.
    ///
    /// # Errors
    /// The store failed.
    pub async fn of_earlier_request(
        &self,
        user: &UserId,
        token: Option<&str>,
    ) -> Result<Option<Principal>, AccessError> {
        self.with_rights_of(user, token, (PrincipalKind::System, String::new()))
            .await
    }

    async fn with_rights_of(
        &self,
        user: &UserId,
        token: Option<&str>,
        kind: (PrincipalKind, String),
    ) -> Result<Option<Principal>, AccessError> {
        let Some(user) = self.active_user(user).await? else {
            return Ok(None);
        };
        let (roles, grant) = match token {
            None => (user.roles.iter().copied().collect(), None),
            Some(id) => {
                let Some(token) = found(self.store.token_get(id).await)? else {
                    return Ok(None);
                };
                let Some((roles, grant)) = self.granted(&token, &user) else {
                    return Ok(None);
                };
                (roles, Some(grant))
            }
        };

        self.principal(user, roles, kind, grant).await.map(Some)
    }

    /// Returns a user who is active and whose access has not ended.
    async fn active_user(&self, id: &UserId) -> Result<Option<User>, AccessError> {
        let user = found(self.store.user_get(id).await)?;
        Ok(user.filter(|user| user.is_admitted(self.now_ms)))
    }

    /// Returns the roles that a token carries now, never more than its user's; `None` once it has
    /// ended.
    fn granted(&self, token: &ApiToken, user: &User) -> Option<(BTreeSet<Role>, TokenGrant)> {
        if token.user != user.id || token.expires_at_ms.is_some_and(|end| end <= self.now_ms) {
            return None;
        }

        let carries = |role: &Role| token.roles.is_empty() || token.roles.contains(role);
        let narrowed = !user.roles.iter().all(carries) || !token.event_types.is_empty();
        let roles = user.roles.iter().copied().filter(carries).collect();
        let (id, name) = (token.id.clone(), token.name.clone());
        let event_types = token.event_types.clone();

        Some((
            roles,
            TokenGrant {
                id,
                name,
                expires_at_ms: token.expires_at_ms,
                narrowed,
                event_types,
            },
        ))
    }

    async fn principal(
        &self,
        user: User,
        roles: BTreeSet<Role>,
        (kind, session): (PrincipalKind, String),
        token: Option<TokenGrant>,
    ) -> Result<Principal, AccessError> {
        let mut principal = Principal {
            team_members: BTreeSet::from([user.id.0.clone(), user.email.clone()]),
            user: user.id,
            email: user.email,
            name: user.name,
            kind,
            session: Some(session),
            token,
            roles,
            scope: user.scope,
        };

        if principal.may(Permission::AuditViewTeam) && !user.teams.is_empty() {
            for member in self.store.team_members(&user.teams).await? {
                principal.team_members.insert(member.id.0);
                principal.team_members.insert(member.email);
            }
        }

        Ok(principal)
    }
}

/// Returns a stored record, or `None` if the store has none.
fn found<T>(answer: Result<T, AccessError>) -> Result<Option<T>, AccessError> {
    match answer {
        Ok(found) => Ok(Some(found)),
        Err(AccessError::NotFound { .. }) => Ok(None),
        Err(error) => Err(error),
    }
}
