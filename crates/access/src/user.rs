//! Users, and the rules of their names, addresses, roles and teams.
//!
//! Whoever makes or changes a user does it here: the HTTP interface, the first start and the demo,
//! so that each of them refuses the same.

use std::sync::Arc;

use reeve_audit::{Entry, FieldCode, FieldError, Json, is_email_address};
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::instant::instant;
use crate::name::{MAX_NAME, read_name};
use crate::permission::Permission;
use crate::role::Role;
use crate::scope::AuditScope;
use crate::team::{Team, TeamId};

/// Longest e-mail address, bytes (RFC 5321, section 4.5.3.1.3).
const MAX_EMAIL: usize = 254;

/// A user's identifier, made by Reeve.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct UserId(pub String);

/// A person (or a service with a login of its own).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct User {
    pub id: UserId,
    /// E-mail address, unique, lower case.
    pub email: String,
    /// Name for display; not unique.
    pub name: String,
    /// One role or more.
    pub roles: Vec<Role>,
    /// Teams the user belongs to.
    pub teams: Vec<TeamId>,
    /// Argon2id hash; `None` for users that only sign in with tokens.
    pub password_hash: Option<String>,
    /// `true` if the user may sign in.
    pub active: bool,
    /// Time at which access ends by itself, ms since the epoch; `None` for no end.
    pub expires_at_ms: Option<i64>,
    /// Part of estate and log that the user is limited to; `None` for no limit.
    pub scope: Option<Arc<AuditScope>>,
    /// Time at which the user was made, ms since the epoch.
    pub created_at_ms: i64,
}

impl User {
    /// Makes an active user without teams and without a password.
    ///
    /// # Errors
    /// The field that breaks a rule: `email` or `name`.
    pub fn new(
        email: &str,
        name: &str,
        roles: Vec<Role>,
        created_at_ms: i64,
    ) -> Result<User, FieldError> {
        let email = email.trim().to_lowercase();
        if email.len() > MAX_EMAIL || !is_email_address(&email) {
            return Err(FieldError::new(
                "email",
                FieldCode::InvalidValue,
                "is not an e-mail address",
            ));
        }

        Ok(User {
            id: UserId(uuid::Uuid::now_v7().to_string()),
            email,
            name: read_name(name, MAX_NAME)?,
            roles,
            teams: Vec::new(),
            password_hash: None,
            active: true,
            expires_at_ms: None,
            scope: None,
            created_at_ms,
        })
    }

    /// Gives access an end, or takes it away.
    ///
    /// # Errors
    /// The end lies in the past, or the user administers: an installation whose administrators all
    /// end has nobody who could go on.
    pub fn end_at(&mut self, expires_at_ms: Option<i64>, now_ms: i64) -> Result<(), FieldError> {
        if expires_at_ms.is_some_and(|end| end <= now_ms) {
            return Err(FieldError::new(
                "expires_at",
                FieldCode::InThePast,
                "must lie in the future",
            ));
        }

        self.expires_at_ms = expires_at_ms;
        self.check_end()
    }

    /// Limits the user to a scope, or takes the limit away.
    ///
    /// # Errors
    /// The field of the scope that breaks a rule.
    pub fn limit_to(&mut self, scope: Option<AuditScope>) -> Result<(), FieldError> {
        scope.as_ref().map(AuditScope::check).transpose()?;
        self.scope = scope.map(Arc::new);
        self.check_scope()
    }

    /// Refuses a scope of a user who administers: they could take it away themselves.
    ///
    /// # Errors
    /// The user has both.
    pub fn check_scope(&self) -> Result<(), FieldError> {
        let administers = |role: &Role| role.permissions().contains(&Permission::Administer);
        if self.scope.is_none() || !self.roles.iter().any(administers) {
            return Ok(());
        }

        Err(FieldError::new(
            "scope",
            FieldCode::NotAllowed,
            "a user who administers the installation has no scope",
        ))
    }

    /// Refuses an end of a user who administers.
    ///
    /// # Errors
    /// The user has both.
    pub fn check_end(&self) -> Result<(), FieldError> {
        let administers = |role: &Role| role.permissions().contains(&Permission::Administer);
        if self.expires_at_ms.is_none() || !self.roles.iter().any(administers) {
            return Ok(());
        }

        Err(FieldError::new(
            "expires_at",
            FieldCode::NotAllowed,
            "a user who administers the installation has no end",
        ))
    }

    /// Returns `true` if access has ended by itself.
    #[must_use]
    pub fn has_ended(&self, now_ms: i64) -> bool {
        self.expires_at_ms.is_some_and(|end| end <= now_ms)
    }

    /// Returns `true` if the user may sign in and act at a time.
    #[must_use]
    pub fn is_admitted(&self, now_ms: i64) -> bool {
        self.active && !self.has_ended(now_ms)
    }

    /// Gives the user another name.
    ///
    /// # Errors
    /// The name is empty, too long, or has characters of control.
    pub fn rename(&mut self, name: &str) -> Result<(), FieldError> {
        self.name = read_name(name, MAX_NAME)?;
        Ok(())
    }

    /// Puts the user into these teams and no others.
    ///
    /// # Errors
    /// The first identifier that none of the known teams has.
    pub fn join(&mut self, ids: &[String], known: &[Team]) -> Result<(), FieldError> {
        let team = |(index, id): (usize, &String)| {
            let found = known
                .iter()
                .find(|team| team.id.0 == *id)
                .map(|team| team.id.clone());
            found.ok_or_else(|| {
                FieldError::new(
                    format!("teams[{index}]"),
                    FieldCode::InvalidValue,
                    format!("there is no team {id:?}"),
                )
            })
        };
        self.teams = ids.iter().enumerate().map(team).collect::<Result<_, _>>()?;

        Ok(())
    }

    /// Returns `true` if the user is active and one of their roles may administer the installation.
    #[must_use]
    pub fn administers(&self) -> bool {
        self.active
            && self
                .roles
                .iter()
                .any(|role| role.permissions().contains(&Permission::Administer))
    }

    /// Adds the roles that the user gains to the entry of a change: `metadata.roles_added`, absent
    /// where there are none. A rule cannot compare the roles before with those after.
    #[must_use]
    pub fn record_roles_added(&self, entry: Entry, before: &[Role]) -> Entry {
        let added = self
            .roles
            .iter()
            .filter(|role| !before.contains(role))
            .map(|role| role.as_str());
        let added: Vec<String> = added.map(str::to_owned).collect();

        if added.is_empty() {
            entry
        } else {
            entry.with_metadata("roles_added", Json::from(added))
        }
    }

    /// Returns the user as audit entries show them before and after a change, without the
    /// password's hash.
    #[must_use]
    pub fn state(&self) -> Json {
        Json::from(json!({
            "email": self.email,
            "name": self.name,
            "roles": self.roles.iter().map(|role| role.as_str()).collect::<Vec<_>>(),
            "teams": self.teams.iter().map(|team| team.0.as_str()).collect::<Vec<_>>(),
            "active": self.active,
            "expires_at": self.expires_at_ms.map(instant),
            "scope": self.scope.as_deref().map(|scope| json!(scope)),
            "has_password": self.password_hash.is_some(),
        }))
    }
}

/// Reads the roles of a user or a token.
///
/// # Errors
/// There is none, or the first name that is no role.
pub fn read_roles(names: &[String]) -> Result<Vec<Role>, FieldError> {
    if names.is_empty() {
        return Err(FieldError::new(
            "roles",
            FieldCode::MissingField,
            "name at least one role",
        ));
    }

    let role = |(index, name): (usize, &String)| {
        Role::parse(&name.trim().to_ascii_lowercase().replace(' ', "_")).ok_or_else(|| {
            let allowed = Role::ALL
                .iter()
                .map(|role| role.as_str())
                .collect::<Vec<_>>()
                .join(", ");
            FieldError::new(
                format!("roles[{index}]"),
                FieldCode::InvalidValue,
                format!("{name:?} is not one of {allowed}"),
            )
        })
    };

    names.iter().enumerate().map(role).collect()
}

/// Account that the administrator's token of an installation acts for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AdministratorAccount {
    /// A user who administers already.
    Present(User),
    /// The service's own account, which lost its rights or was switched off.
    Restored {
        before: User,
        /// As it is to be.
        after: User,
    },
    /// The service's own account, which does not exist.
    New(User),
}

impl AdministratorAccount {
    /// Chooses the account: the service's own if it administers, else another user who does, else
    /// the service's own, given its rights back or made.
    ///
    /// # Errors
    /// The service's own account has to be made and its address is none.
    pub fn choose(
        users: &[User],
        email: &str,
        now_ms: i64,
    ) -> Result<AdministratorAccount, FieldError> {
        let email = email.trim().to_lowercase();
        let own = users.iter().find(|user| user.email == email);
        let administers = |user: &&User| user.administers();
        if let Some(user) = own
            .filter(administers)
            .or_else(|| users.iter().find(administers))
        {
            return Ok(AdministratorAccount::Present(user.clone()));
        }

        let Some(before) = own else {
            let user = User::new(&email, "Administrator", vec![Role::Administrator], now_ms)?;
            return Ok(AdministratorAccount::New(user));
        };

        let mut after = User {
            active: true,
            expires_at_ms: None,
            ..before.clone()
        };
        if !after.roles.contains(&Role::Administrator) {
            after.roles.push(Role::Administrator);
        }

        Ok(AdministratorAccount::Restored {
            before: before.clone(),
            after,
        })
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn user(email: &str, roles: &[Role]) -> User {
        User::new(email, "Ann", roles.to_vec(), 1).unwrap()
    }

    #[test]
    fn a_user_is_refused_by_field() {
        assert_eq!(
            user(" Ann@Acme.Example ", &[Role::Operator]).email,
            "ann@acme.example"
        );

        let long = format!("{}@acme.example", "a".repeat(MAX_EMAIL));
        for (email, name, field) in [
            ("ann", "Ann", "email"),
            ("@acme.example", "Ann", "email"),
            (long.as_str(), "Ann", "email"),
            ("ann@acme.example", "  ", "name"),
            ("ann@acme.example", "A\nnn", "name"),
            (
                "ann@acme.example",
                "a".repeat(MAX_NAME + 1).as_str(),
                "name",
            ),
        ] {
            assert_eq!(
                User::new(email, name, vec![Role::Operator], 1)
                    .unwrap_err()
                    .path,
                field,
                "{email} {name}"
            );
        }

        let mut ann = user("ann@acme.example", &[Role::Operator]);
        let teams = [Team::new("Blue", 1).unwrap()];
        assert_eq!(
            ann.join(&[teams[0].id.0.clone(), "gone".into()], &teams)
                .unwrap_err()
                .path,
            "teams[1]"
        );

        ann.join(&[teams[0].id.0.clone()], &teams).unwrap();
        assert_eq!(ann.teams, [teams[0].id.clone()]);
        assert_eq!(read_roles(&[]).unwrap_err().code, "missing_field");
        assert_eq!(
            read_roles(&["operator".into(), "king".into()])
                .unwrap_err()
                .path,
            "roles[1]"
        );
    }

    #[test]
    fn access_ends_at_its_end_and_administration_has_none() {
        let mut ann = user("ann@acme.example", &[Role::ComplianceOfficer]);
        assert_eq!(ann.end_at(Some(5), 5).unwrap_err().code, "in_the_past");
        ann.end_at(Some(9), 5).unwrap();
        assert!(ann.is_admitted(8) && !ann.is_admitted(9) && ann.has_ended(9));

        ann.active = false;
        assert!(!ann.is_admitted(8));
        ann.end_at(None, 20).unwrap();
        ann.active = true;
        assert!(ann.is_admitted(i64::MAX));

        let mut root = user("root@localhost", &[Role::Operator, Role::Administrator]);
        assert_eq!(root.end_at(Some(9), 5).unwrap_err().code, "not_allowed");
        root.end_at(None, 5).unwrap();
    }

    #[test]
    fn the_administrators_account_is_found_restored_or_made() {
        let choose =
            |users: &[User]| AdministratorAccount::choose(users, "Root@localhost", 7).unwrap();
        let (own, other) = (
            user("root@localhost", &[Role::Administrator]),
            user("zoe@acme.example", &[Role::Administrator]),
        );
        assert_eq!(
            choose(&[other.clone(), own.clone()]),
            AdministratorAccount::Present(own.clone())
        );
        assert_eq!(
            choose(std::slice::from_ref(&other)),
            AdministratorAccount::Present(other)
        );

        let before = User {
            active: false,
            roles: vec![Role::Operator],
            ..own.clone()
        };

        let after = User {
            roles: vec![Role::Operator, Role::Administrator],
            ..own
        };
        assert_eq!(
            choose(std::slice::from_ref(&before)),
            AdministratorAccount::Restored { before, after }
        );

        let AdministratorAccount::New(made) = choose(&[]) else {
            unreachable!("there is no user")
        };

        assert!(made.administers() && made.email == "root@localhost" && made.created_at_ms == 7);
        assert_eq!(
            AdministratorAccount::choose(&[], "nobody", 7)
                .unwrap_err()
                .path,
            "email"
        );
    }
}
