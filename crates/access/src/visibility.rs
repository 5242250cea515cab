//! Row visibility: which entries a principal may see. The one place that decides it.
//!
//! Whoever reads the log narrows the query with [`RowFilter::restrict`] before it is run, so that
//! pages, counts, aggregations, exports and the live view are cut by the same rule; what is held as
//! an entry already (one entry, a proof, a live event) is asked of [`RowFilter::allows`]. A
//! property test holds the two against each other.

use std::collections::BTreeSet;

use reeve_audit::Entry;
use reeve_audit::query::fold::fold;
use reeve_audit::query::{Expr, FieldPath, Match, Query};

use crate::permission::Permission;
use crate::principal::Principal;

/// Filter of the entries that a principal may see.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RowFilter {
    All,
    /// Entries whose actor, by id or e-mail address and case-blind, is one of these. Kept in folded
    /// case.
    Members(BTreeSet<String>),
    /// No entry at all.
    Nobody,
}

impl RowFilter {
    /// Returns the filter of a principal's permissions: the whole log, the teams' entries, their
    /// own, or nothing.
    #[must_use]
    pub fn for_principal(principal: &Principal) -> Self {
        let own = [&principal.user.0, &principal.email];
        if principal.may(Permission::AuditViewAll) {
            RowFilter::All
        } else if principal.may(Permission::AuditViewTeam) {
            RowFilter::members(principal.team_members.iter().chain(own))
        } else if principal.may(Permission::AuditViewOwn) {
            RowFilter::members(own)
        } else {
            RowFilter::Nobody
        }
    }

    /// Entries of these ids and e-mail addresses; without any, of nobody.
    pub fn members<T: AsRef<str>>(names: impl IntoIterator<Item = T>) -> Self {
        let names: BTreeSet<_> = names
            .into_iter()
            .filter(|name| !name.as_ref().is_empty())
            .map(|name| fold(name.as_ref()).into_owned())
            .collect();
        if names.is_empty() {
            RowFilter::Nobody
        } else {
            RowFilter::Members(names)
        }
    }

    /// Returns `true` if the entry may be seen.
    #[must_use]
    pub fn allows(&self, entry: &Entry) -> bool {
        self.allows_actor(entry.actor.id.as_deref(), entry.actor.email.as_deref())
    }

    /// The same of an entry of which its actor's identifier and e-mail address are known.
    #[must_use]
    pub fn allows_actor(&self, id: Option<&str>, email: Option<&str>) -> bool {
        match self {
            RowFilter::All => true,
            RowFilter::Members(names) => [id, email]
                .into_iter()
                .flatten()
                .any(|name| names.contains(fold(name).as_ref())),
            RowFilter::Nobody => false,
        }
    }

    /// The same rule as a condition of the query language.
    #[must_use]
    pub fn condition(&self) -> Expr {
        match self {
            RowFilter::All => Expr::All,
            RowFilter::Members(names) => Expr::or(
                names
                    .iter()
                    .map(|name| Expr::field(FieldPath::User, Match::Exact(name.clone()))),
            ),
            RowFilter::Nobody => Expr::nothing(),
        }
    }

    /// The query, narrowed to what may be seen.
    #[must_use]
    pub fn restrict(&self, query: Query) -> Query {
        if *self == RowFilter::All {
            query
        } else {
            query.and(self.condition())
        }
    }
}

#[cfg(test)]
mod tests;
