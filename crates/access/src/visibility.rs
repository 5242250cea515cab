//! Row visibility: which entries a principal may see. The one place that decides it.
//!
//! Whoever reads the log narrows the query with [`RowFilter::restrict`] before it is run, so that
//! pages, counts, aggregations, exports and the live view are cut by the same rule; what is held as
//! an entry already (one entry, a proof, a live event) is asked of [`RowFilter::allows`]. A
//! property test holds the two against each other.

use std::collections::BTreeSet;

use jiff::Timestamp;
use reeve_audit::Entry;
use reeve_audit::query::fold::fold;
use reeve_audit::query::{Expr, FieldPath, Match, Query, QueryColumn, time_range};

use crate::permission::Permission;
use crate::principal::Principal;
use crate::scope::AuditScope;

/// Filter of the entries that a principal may see.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RowFilter {
    All,
    /// Entries whose actor, by id or e-mail address and case-blind, is one of these. Kept in folded
    /// case.
    Members(BTreeSet<String>),
    /// Entries that another filter lets through and that lie in a scope.
    Within(Box<RowFilter>, EntryScope),
    /// No entry at all.
    Nobody,
}

/// Part of the log that a scope includes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EntryScope {
    /// Accounts of the entries' resources, case-blind and kept in folded case; `None` for all
    /// entries, those without an account included.
    accounts: Option<BTreeSet<String>>,
    from: Option<Timestamp>,
    until: Option<Timestamp>,
}

impl From<&AuditScope> for EntryScope {
    fn from(scope: &AuditScope) -> Self {
        let folded = |name: &String| fold(name).into_owned();
        let accounts: BTreeSet<String> = scope.accounts.iter().map(folded).collect();
        EntryScope {
            accounts: (!accounts.is_empty()).then_some(accounts),
            from: scope.log_from,
            until: scope.log_until,
        }
    }
}

impl EntryScope {
    fn allows(&self, entry: &Entry) -> bool {
        let account = entry.resource.account_id.as_deref();
        let is_among = |accounts: &BTreeSet<String>| {
            account.is_some_and(|account| accounts.contains(fold(account).as_ref()))
        };
        self.accounts.as_ref().is_none_or(is_among)
            && self.from.is_none_or(|from| from <= entry.timestamp)
            && self.until.is_none_or(|until| entry.timestamp <= until)
    }

    fn condition(&self) -> Expr {
        let account = |name: &String| {
            let exact = Match::Exact(name.clone());
            Expr::field(FieldPath::Column(QueryColumn::ResourceAccountId), exact)
        };
        let of_accounts = match &self.accounts {
            Some(accounts) => Expr::or(accounts.iter().map(account)),
            None => Expr::All,
        };
        let is_bound = self.from.is_some() || self.until.is_some();
        if is_bound {
            Expr::and([of_accounts, time_range(self.from, self.until)])
        } else {
            of_accounts
        }
    }
}

impl RowFilter {
    /// Returns the filter of a principal's permissions and scope: the whole log, the teams' entries,
    /// their own, or nothing, each within the scope.
    #[must_use]
    pub fn for_principal(principal: &Principal) -> Self {
        let rows = RowFilter::of_permissions(principal);
        match principal.scope.as_deref() {
            Some(scope) => RowFilter::Within(Box::new(rows), EntryScope::from(scope)),
            None => rows,
        }
    }

    fn of_permissions(principal: &Principal) -> Self {
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
        match self {
            RowFilter::Within(rows, scope) => scope.allows(entry) && rows.allows(entry),
            rows => rows.allows_actor(entry.actor.id.as_deref(), entry.actor.email.as_deref()),
        }
    }

    /// The same of an entry of which its actor's identifier and e-mail address alone are known; one
    /// whose place in a scope is not known is not seen.
    #[must_use]
    pub fn allows_actor(&self, id: Option<&str>, email: Option<&str>) -> bool {
        match self {
            RowFilter::All => true,
            RowFilter::Members(names) => [id, email]
                .into_iter()
                .flatten()
                .any(|name| names.contains(fold(name).as_ref())),
            RowFilter::Within(..) | RowFilter::Nobody => false,
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
            RowFilter::Within(rows, scope) => Expr::and([rows.condition(), scope.condition()]),
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
