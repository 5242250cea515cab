//! Activity: how often, by which operations and when last others used a resource, by the audit log.
//!
//! Counts alone, without actors: a recommendation may be shown to users who may not see the
//! entries.

use jiff::{SignedDuration, Timestamp};
use reeve_audit::query::{Column, Expr, FieldPath, Match, Query, may_be_by_reeve, time_range};
use reeve_audit::{ActionStatus, events};
use reeve_estate::ResourceId;

use crate::ports::{LogReader, ReadError};

/// Operations that are distinguished, the most frequent ones.
const MOST_OPERATIONS: usize = 50;

/// Uses of one resource within the days that an agent type requested.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Activity {
    pub uses: u64,
    /// Uses by operation (`action.operation`), the most frequent first; at most 50 operations.
    pub operations: Vec<(String, u64)>,
    /// Time of the last use.
    pub last_at: Option<Timestamp>,
}

impl Activity {
    /// Reads the uses of a resource in the days before `now`.
    ///
    /// # Errors
    /// The log could not be read.
    pub async fn read(
        log: &dyn LogReader,
        resource: &ResourceId,
        days: i64,
        now: Timestamp,
    ) -> Result<Activity, ReadError> {
        let query = uses(resource, days, now);
        let (uses, operations) = log
            .count(query.clone(), Column::ActionOperation, MOST_OPERATIONS)
            .await?;
        let last = if uses == 0 {
            Vec::new()
        } else {
            log.newest(query, 1).await?
        };

        Ok(Activity {
            uses,
            operations,
            last_at: last.first().map(|(_, entry)| entry.timestamp),
        })
    }

    /// Returns the number of uses by an operation.
    #[must_use]
    pub fn count(&self, operation: &str) -> u64 {
        self.operations
            .iter()
            .find(|(name, _)| name == operation)
            .map_or(0, |(_, count)| *count)
    }
}

/// Query for the uses of a resource: what others did to it and was not refused. Reeve's own work on
/// it is no use, and neither is looking at it in Reeve.
fn uses(resource: &ResourceId, days: i64, now: Timestamp) -> Query {
    let start = now
        .checked_sub(SignedDuration::from_hours(24 * days))
        .unwrap_or(Timestamp::MIN);
    let is = |column: Column, text: &str| Expr::field(column, Match::Exact(text.to_owned()));
    let refused = [ActionStatus::Denied, ActionStatus::Failed]
        .map(|status| is(Column::ActionStatus, status.as_str()));
    let own = Expr::and([
        Expr::or([
            Expr::field(
                FieldPath::MetadataTags,
                Match::Exact("intelligence".to_owned()),
            ),
            Expr::field(
                FieldPath::MetadataTags,
                Match::Exact(events::OBSERVED.to_owned()),
            ),
        ]),
        may_be_by_reeve(),
    ]);

    let no_use = refused
        .into_iter()
        .chain([is(Column::EventType, events::RESOURCE_VIEW.name), own]);
    Query {
        expr: Expr::and([
            named(resource),
            time_range(Some(start), Some(now)),
            Expr::negate(Expr::or(no_use)),
        ]),
    }
}

/// Condition for the entries that name a resource. Clouds' own logs name an RDS instance as its
/// calls do, by a name that is unique in its account and region alone.
#[must_use]
pub fn named(resource: &ResourceId) -> Expr {
    let identical =
        |column: Column, text: &str| Expr::field(column, Match::Identical(text.to_owned()));
    let by_id = identical(Column::ResourceId, resource.as_str());
    let Some(database) = resource.database_name() else {
        return by_id;
    };

    let by_name = Expr::and([
        identical(Column::ResourceId, database.name),
        identical(Column::ResourceAccountId, database.account),
        identical(Column::ResourceRegion, database.region),
    ]);
    Expr::or([by_id, by_name])
}
