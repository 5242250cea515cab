//! Report definition: its question, period, schedule and receivers.

use jiff::Timestamp;
use reeve_audit::Entry;
use reeve_audit::query::{Expr, FieldPath, Match, QueryColumn, QueryError, filter};
use reeve_schedule::Schedule;
use serde::{Deserialize, Serialize};

use crate::period::PeriodChoice;
use crate::stored::{self, StoredRequest};

/// Identifier of a report.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct ReportId(pub String);

/// Field that a custom report groups by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum GroupField {
    /// E-mail address, else identifier, of the actor.
    User,
    /// Identifier of the resource.
    Resource,
    /// Type of the entry.
    EventType,
}

impl GroupField {
    /// Every field, in the order of declaration.
    pub const ALL: [GroupField; 3] = [Self::User, Self::Resource, Self::EventType];

    /// Name of the field in requests and documents.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            GroupField::User => "user",
            GroupField::Resource => "resource",
            GroupField::EventType => "event_type",
        }
    }

    /// Returns the field of a name, `None` for another text.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|field| field.as_str() == text)
    }

    /// Returns an entry's value.
    #[must_use]
    pub fn value(self, entry: &Entry) -> Option<&str> {
        match self {
            GroupField::User => user_of(entry),
            GroupField::Resource => entry.resource.id.as_deref(),
            GroupField::EventType => Some(entry.event_type.as_str()),
        }
    }
}

/// Returns the user that an entry names: the e-mail address, else the identifier.
pub(crate) fn user_of(entry: &Entry) -> Option<&str> {
    entry.actor.email.as_deref().or(entry.actor.id.as_deref())
}

/// Figure of a custom report.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ReportMetric {
    EventCounts,
    /// Number of distinct users.
    UniqueUsers,
    /// Number of distinct resources.
    ResourcesAffected,
}

impl ReportMetric {
    /// Every metric, in the order of declaration.
    pub const ALL: [ReportMetric; 3] = [
        Self::EventCounts,
        Self::UniqueUsers,
        Self::ResourcesAffected,
    ];

    /// Name of the metric in requests and documents.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            ReportMetric::EventCounts => "event_counts",
            ReportMetric::UniqueUsers => "unique_users",
            ReportMetric::ResourcesAffected => "resources_affected",
        }
    }

    /// Label of the metric for readers.
    #[must_use]
    pub const fn words(self) -> &'static str {
        match self {
            ReportMetric::EventCounts => "Events",
            ReportMetric::UniqueUsers => "Unique users",
            ReportMetric::ResourcesAffected => "Resources affected",
        }
    }

    /// Returns the metric of a name, `None` for another text.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|metric| metric.as_str() == text)
    }
}

/// Kind of a report.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ReportKind {
    /// The controls of a framework.
    Compliance {
        /// Identifier of the template.
        framework: String,
    },
    /// Entries that a query finds.
    Custom {
        /// Query in the query language; the empty one finds every entry.
        query: String,
        /// Fields to group by, none for a total.
        group_by: Vec<GroupField>,
        /// Figures to show, at least one.
        metrics: Vec<ReportMetric>,
    },
}

impl ReportKind {
    /// Name of the kind in requests and documents.
    #[must_use]
    pub const fn as_str(&self) -> &'static str {
        match self {
            ReportKind::Compliance { .. } => "compliance",
            ReportKind::Custom { .. } => "custom",
        }
    }
}

/// Narrowing to some accounts, users and resources. An empty list narrows nothing; `*` in a value
/// is a wildcard.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Filters {
    /// Identifiers of the accounts that resources belong to.
    pub accounts: Vec<String>,
    /// Identifiers or e-mail addresses of actors.
    pub users: Vec<String>,
    pub resources: Vec<String>,
}

impl Filters {
    /// Returns `true` if entries are narrowed by account or resource.
    #[must_use]
    pub fn narrow_resources(&self) -> bool {
        !self.accounts.is_empty() || !self.resources.is_empty()
    }

    /// Returns the lists with their names in requests and the field that each asks.
    #[must_use]
    pub fn lists(&self) -> [(&'static str, &'static str, &[String]); 3] {
        [
            ("accounts", "account_id", &self.accounts),
            ("users", "user", &self.users),
            ("resources", "resource_id", &self.resources),
        ]
    }

    /// Returns the condition that the filters express. Where `spares` is set, accounts and
    /// resources narrow only entries that name an account: sign-ins, verifications and changes of
    /// Reeve's own state belong to none, and are evidence for every account.
    ///
    /// # Errors
    /// A value that the query language refuses.
    pub fn condition(&self, spares: bool) -> Result<Expr, QueryError> {
        let mut all = Vec::new();
        for (list, field, values) in self.lists() {
            if !values.is_empty() {
                let mut any = values
                    .iter()
                    .map(|value| filter(field, value))
                    .collect::<Result<Vec<_>, _>>()?;
                if spares && list != "users" {
                    let account = FieldPath::Column(QueryColumn::ResourceAccountId);
                    any.push(Expr::negate(Expr::field(account, Match::Exists)));
                }
                all.push(Expr::or(any));
            }
        }

        Ok(Expr::and(all))
    }
}

/// Question that a run answers: kind of report, period, filters.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "StoredRequest", into = "StoredRequest")]
pub struct ReportRequest {
    pub kind: ReportKind,
    pub period: PeriodChoice,
    /// Restrictions to accounts, users and resources.
    pub filters: Filters,
}

/// A report that is kept.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReportDefinition {
    pub id: ReportId,
    /// Unique among all reports.
    pub name: String,
    /// Request of its runs.
    pub request: ReportRequest,
    /// Schedule of automatic runs; `None` for a report that runs only on demand.
    #[serde(flatten, with = "stored::schedule")]
    pub schedule: Option<Schedule>,
    /// Time of the next scheduled run.
    pub next_run_at: Option<Timestamp>,
    /// Names of notification channels for finished runs.
    pub channels: Vec<String>,
    /// Addresses that e-mail channels send to in place of their own.
    pub recipients: Vec<String>,
    /// User whose rights its scheduled runs have: who made it, or changed it last.
    pub owner: String,
    /// E-mail address of that user.
    pub owner_email: String,
    /// Token that the request came with: its roles and its end bound the scheduled runs.
    #[serde(default)]
    pub owner_token: Option<String>,
    pub created_at: Timestamp,
    /// Time of the last change.
    pub updated_at: Timestamp,
    /// Number of its version, from 1.
    pub version: u64,
}
