//! Rules of making API tokens: a token is never wider than the one that makes it, and does not
//! outlive it.

use reeve_audit::{FieldCode, FieldError, Json};
use serde_json::json;

use crate::event_type_pattern::{EventTypePattern, is_within};
use crate::instant::instant;
use crate::name::{MAX_NAME, read_name};
use crate::permission::Permission;
use crate::principal::Principal;
use crate::role::Role;
use crate::store::ApiToken;
use crate::token::TokenHash;
use crate::user::{User, UserId};

/// Request for a token.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TokenRequest {
    /// Purpose of the token.
    pub name: String,
    /// Roles it is narrowed to; empty for all that it may have.
    pub roles: Vec<Role>,
    /// Event types that it may write; empty for all that the maker may.
    pub event_types: Vec<EventTypePattern>,
    /// End of the token, ms since the epoch; `None` for the longest time that it may have.
    pub expires_at_ms: Option<i64>,
}

impl Principal {
    /// Returns `true` if the principal may make tokens for a user: for themselves, and as
    /// administrator for everybody.
    #[must_use]
    pub fn may_make_tokens_for(&self, user: &UserId) -> bool {
        self.user == *user || self.may(Permission::Administer)
    }

    /// Keeps the tokens that the principal may see and revoke: all for an administrator, otherwise
    /// their own; a narrow token must not reach a wider one of its user's.
    pub fn retain_visible(&self, tokens: &mut Vec<ApiToken>) {
        if self.may(Permission::Administer) {
            return;
        }

        let narrowed = self.token.as_ref().is_some_and(|token| token.narrowed);
        let written = self
            .token
            .as_ref()
            .map_or(&[][..], |token| &token.event_types);
        let within = |token: &ApiToken| {
            let roles =
                !token.roles.is_empty() && token.roles.iter().all(|role| self.roles.contains(role));
            roles && is_within(&token.event_types, written)
        };

        tokens.retain(|token| token.user == self.user && (!narrowed || within(token)));
    }
}

impl ApiToken {
    /// Makes a token without an end that carries all roles of its user.
    #[must_use]
    pub fn unlimited(user: UserId, name: &str, hash: TokenHash, now_ms: i64) -> ApiToken {
        ApiToken {
            id: uuid::Uuid::now_v7().to_string(),
            user,
            name: name.to_owned(),
            hash,
            roles: Vec::new(),
            event_types: Vec::new(),
            parent: None,
            created_at_ms: now_ms,
            expires_at_ms: None,
            last_used_at_ms: None,
        }
    }

    /// Creates the token that a principal requests, for its owner.
    ///
    /// # Errors
    /// The field that breaks a rule: `name`, `roles`, `event_types` or `expires_at`.
    pub fn grant(
        caller: &Principal,
        owner: &User,
        request: TokenRequest,
        hash: TokenHash,
        now_ms: i64,
    ) -> Result<ApiToken, FieldError> {
        let own = owner.id == caller.user;
        let name = read_name(&request.name, MAX_NAME)?;
        let allowed: Vec<Role> = if own {
            caller.roles.iter().copied().collect()
        } else {
            owner.roles.clone()
        };

        if let Some(role) = request.roles.iter().find(|role| !allowed.contains(role)) {
            let message = format!("{} is not a role of that user", role.as_str());
            return Err(FieldError::new("roles", FieldCode::NotHeld, message));
        }

        // Roles that the user is given later are none of a token that its bearer made with fewer.
        let roles = if request.roles.is_empty() && own {
            allowed
        } else {
            request.roles
        };

        let parent = caller.token.as_ref().filter(|_| own);
        let event_types = granted_event_types(
            request.event_types,
            parent.map(|token| &token.event_types[..]),
        )?;
        let longest = parent.and_then(|token| token.expires_at_ms);
        check_end(request.expires_at_ms, longest, now_ms)?;

        Ok(ApiToken {
            roles,
            event_types,
            parent: parent.map(|token| token.id.clone()),
            expires_at_ms: request.expires_at_ms.or(longest),
            ..ApiToken::unlimited(owner.id.clone(), &name, hash, now_ms)
        })
    }

    /// Returns `true` if the token lets its bearer administer the installation now.
    #[must_use]
    pub fn administers(&self, users: &[User], now_ms: i64) -> bool {
        let carries = self.roles.is_empty() || self.roles.contains(&Role::Administrator);
        let lasts = self.expires_at_ms.is_none_or(|end| now_ms < end);
        carries
            && lasts
            && users
                .iter()
                .any(|user| user.id == self.user && user.administers())
    }

    /// Returns the token as audit entries show it, without its hash.
    #[must_use]
    pub fn state(&self) -> Json {
        Json::from(json!({
            "name": self.name,
            "user": self.user.0,
            "roles": self.roles.iter().map(|role| role.as_str()).collect::<Vec<_>>(),
            "event_types": self.event_types.iter().map(EventTypePattern::as_str).collect::<Vec<_>>(),
            "expires_at": self.expires_at_ms.map(instant),
        }))
    }
}

/// Returns the event types of a new token: those that are requested, else those of the token that
/// makes it.
fn granted_event_types(
    requested: Vec<EventTypePattern>,
    parent: Option<&[EventTypePattern]>,
) -> Result<Vec<EventTypePattern>, FieldError> {
    let outer = parent.unwrap_or_default();
    if requested.is_empty() {
        return Ok(outer.to_vec());
    }
    if is_within(&requested, outer) {
        return Ok(requested);
    }

    let message = "must not include event types that the token that makes it may not write";
    Err(FieldError::new("event_types", FieldCode::NotHeld, message))
}

/// Refuses an end that is over or is after the longest one.
fn check_end(end_ms: Option<i64>, longest_ms: Option<i64>, now_ms: i64) -> Result<(), FieldError> {
    let Some(end_ms) = end_ms else { return Ok(()) };
    if end_ms <= now_ms {
        return Err(FieldError::new(
            "expires_at",
            FieldCode::InThePast,
            "must lie in the future",
        ));
    }

    match longest_ms.filter(|longest| end_ms > *longest) {
        None => Ok(()),
        Some(longest) => {
            let message = format!(
                "must not lie after the end of the token that makes it, {}",
                instant(longest)
            );
            Err(FieldError::new("expires_at", FieldCode::TooLate, message))
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::principal::{PrincipalKind, TokenGrant};

    fn caller(user: &User, roles: &[Role], token: Option<TokenGrant>) -> Principal {
        Principal {
            user: user.id.clone(),
            email: user.email.clone(),
            name: user.name.clone(),
            kind: PrincipalKind::Session,
            session: None,
            token,
            roles: roles.iter().copied().collect(),
            team_members: std::collections::BTreeSet::new(),
            scope: None,
        }
    }

    fn grant_of(id: &str, expires_at_ms: Option<i64>, event_types: &[&str]) -> TokenGrant {
        let event_types = EventTypePattern::parse_all(event_types).unwrap();
        TokenGrant {
            id: id.to_owned(),
            name: id.to_owned(),
            expires_at_ms,
            narrowed: true,
            event_types,
        }
    }

    fn request(roles: &[Role], expires_at_ms: Option<i64>) -> TokenRequest {
        TokenRequest {
            name: "ci".into(),
            roles: roles.to_vec(),
            event_types: Vec::new(),
            expires_at_ms,
        }
    }

    #[test]
    fn a_token_is_no_wider_and_no_longer_than_the_one_that_makes_it() {
        let ann = User::new(
            "ann@acme.example",
            "Ann",
            vec![Role::Administrator, Role::Operator],
            1,
        )
        .unwrap();

        let narrow = grant_of("t-1", Some(500), &["a.*"]);
        let bearer = caller(&ann, &[Role::Operator], Some(narrow));
        let grant = |request| {
            ApiToken::grant(
                &bearer,
                &ann,
                request,
                TokenHash::from_secret("secret"),
                100,
            )
        };
        let token = grant(request(&[], None)).unwrap();

        assert_eq!(
            (token.roles.as_slice(), token.expires_at_ms),
            ([Role::Operator].as_slice(), Some(500))
        );
        assert_eq!(token.parent.as_deref(), Some("t-1"));
        assert_eq!(
            token.event_types,
            EventTypePattern::parse_all(&["a.*"]).unwrap(),
            "as its parent"
        );

        let event_types = |texts: &[&str]| TokenRequest {
            event_types: EventTypePattern::parse_all(texts).unwrap(),
            ..request(&[], None)
        };

        assert_eq!(
            grant(event_types(&["a.b"])).unwrap().event_types[0].as_str(),
            "a.b"
        );
        for (request, code) in [
            (request(&[Role::Administrator], None), "not_held"),
            (request(&[], Some(100)), "in_the_past"),
            (request(&[], Some(501)), "too_late"),
            (event_types(&["b.*"]), "not_held"),
            (
                TokenRequest {
                    name: " ".into(),
                    ..request(&[], None)
                },
                "invalid_value",
            ),
        ] {
            assert_eq!(
                grant(request.clone()).unwrap_err().code,
                code,
                "{request:?}"
            );
        }

        let zoe = User::new("zoe@acme.example", "Zoe", vec![Role::Operator], 1).unwrap();
        assert!(!bearer.may_make_tokens_for(&zoe.id) && bearer.may_make_tokens_for(&ann.id));

        // For another user an administrator makes a token with all roles of that user, now and
        // later.
        let administrator = caller(&ann, &[Role::Administrator], None);
        assert!(administrator.may_make_tokens_for(&zoe.id));

        let token = ApiToken::grant(
            &administrator,
            &zoe,
            request(&[], None),
            TokenHash::from_secret("s"),
            100,
        )
        .unwrap();

        assert_eq!(
            (token.user.clone(), token.roles.len(), token.parent),
            (zoe.id.clone(), 0, None)
        );
    }

    #[test]
    fn a_narrow_token_sees_tokens_that_carry_no_more() {
        let ann = User::new(
            "ann@acme.example",
            "Ann",
            vec![Role::Manager, Role::Operator],
            1,
        )
        .unwrap();

        let token = |name: &str, roles: &[Role]| ApiToken {
            roles: roles.to_vec(),
            ..ApiToken::unlimited(ann.id.clone(), name, TokenHash::from_secret(name), 1)
        };

        let all = vec![
            token("all", &[]),
            token("operator", &[Role::Operator]),
            token("manager", &[Role::Manager]),
        ];
        let narrow = grant_of("t", None, &[]);
        let names = |principal: &Principal| {
            let mut tokens = all.clone();
            principal.retain_visible(&mut tokens);
            tokens
                .into_iter()
                .map(|token| token.name)
                .collect::<Vec<_>>()
        };

        assert_eq!(
            names(&caller(&ann, &[Role::Operator], Some(narrow))),
            ["operator"]
        );
        assert_eq!(names(&caller(&ann, &ann.roles, None)).len(), 3);

        let zoe = User::new("zoe@acme.example", "Zoe", vec![Role::Operator], 1).unwrap();
        assert!(names(&caller(&zoe, &zoe.roles, None)).is_empty());
    }

    #[test]
    fn a_token_administers_as_long_as_its_user_does() {
        let ann = User::new("ann@acme.example", "Ann", vec![Role::Administrator], 1).unwrap();
        let token = ApiToken::unlimited(ann.id.clone(), "t", TokenHash::from_secret("t"), 1);
        assert!(token.administers(std::slice::from_ref(&ann), 10));
        assert!(!token.administers(
            &[User {
                active: false,
                ..ann.clone()
            }],
            10
        ));

        assert!(
            !ApiToken {
                expires_at_ms: Some(10),
                ..token.clone()
            }
            .administers(std::slice::from_ref(&ann), 10)
        );

        assert!(
            !ApiToken {
                roles: vec![Role::Operator],
                ..token
            }
            .administers(&[ann], 10)
        );
    }
}
