//! Scopes: the part of the estate and of the log that a user is limited to, such as an auditor from
//! outside.

use std::collections::BTreeSet;

use jiff::Timestamp;
use reeve_audit::{FieldCode, FieldError};
use serde::{Deserialize, Serialize};

/// Most accounts or frameworks of a scope.
const MOST_NAMES: usize = 100;
/// Longest name of an account or framework, bytes.
const LONGEST_NAME: usize = 256;

/// Limits of what a user may see. An empty list, or a time that is `None`, is no limit.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct AuditScope {
    /// Accounts, subscriptions or projects, by the provider's identifiers: resources and what is
    /// about them, and entries of the log that name one of them as their resource's.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub accounts: BTreeSet<String>,
    /// Frameworks of checks, by name.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub frameworks: BTreeSet<String>,
    /// First time of the entries.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub log_from: Option<Timestamp>,
    /// Last time of the entries, included.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub log_until: Option<Timestamp>,
}

impl AuditScope {
    /// Checks a scope that an administrator gives a user.
    ///
    /// # Errors
    /// The field that breaks a rule: `scope`, or a member of it.
    pub fn check(&self) -> Result<(), FieldError> {
        if *self == AuditScope::default() {
            return Err(FieldError::new(
                "scope",
                FieldCode::MissingField,
                "name accounts, frameworks or a period; null takes the scope away",
            ));
        }

        for (field, names) in [
            ("accounts", &self.accounts),
            ("frameworks", &self.frameworks),
        ] {
            let is_sound = |name: &String| !name.trim().is_empty() && name.len() <= LONGEST_NAME;
            if names.len() > MOST_NAMES || !names.iter().all(is_sound) {
                return Err(FieldError::new(
                    format!("scope.{field}"),
                    FieldCode::OutOfRange,
                    format!("must be at most {MOST_NAMES} names of 1 to {LONGEST_NAME} bytes"),
                ));
            }
        }

        if let (Some(from), Some(until)) = (self.log_from, self.log_until)
            && from > until
        {
            return Err(FieldError::new(
                "scope.log_until",
                FieldCode::OutOfRange,
                "must not lie before log_from",
            ));
        }
        Ok(())
    }

    /// Returns `true` if the scope includes an account.
    #[must_use]
    pub fn has_account(&self, account: &str) -> bool {
        self.accounts.is_empty() || self.accounts.contains(account)
    }

    /// Returns `true` if the scope includes a framework.
    #[must_use]
    pub fn has_framework(&self, framework: &str) -> bool {
        self.frameworks.is_empty() || self.frameworks.contains(framework)
    }
}
