//! Activity: how often, by which operations and when last others used a resource, by the audit log.
//!
//! Counts alone, without actors: a recommendation may be shown to users who may not see the
//! entries.

use std::collections::{BTreeMap, HashMap};

use async_trait::async_trait;
use jiff::{SignedDuration, Timestamp};
use reeve_audit::query::{Expr, FieldPath, Match, Query, QueryColumn, may_be_by_reeve, time_range};
use reeve_audit::{ActionStatus, events};
use reeve_estate::{Resource, ResourceId};

use crate::judgement::open_facts::LogFact;
use crate::ports::{LogReader, ReadError};

/// Operations that are distinguished, the most frequent ones.
pub const MOST_OPERATIONS: usize = 50;

/// Uses of one resource within the days that an agent type requested.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Activity {
    pub uses: u64,
    /// Uses by operation (`action.operation`), the most frequent first; at most 50 operations.
    pub operations: Vec<(String, u64)>,
    /// Start of the hour (UTC) of the last use.
    pub last_hour: Option<Timestamp>,
}

#[async_trait]
impl LogFact for Activity {
    fn is_of(_: &Resource) -> bool {
        true
    }

    /// Reads the uses of resources in the days before `now`: one grouped query for all of them, and
    /// one for the databases of each account and region, which clouds' own logs name otherwise.
    /// Resources without a use have an activity of zero uses.
    async fn read(
        log: &dyn LogReader,
        resources: &[ResourceId],
        days: i64,
        now: Timestamp,
    ) -> Result<HashMap<ResourceId, Activity>, ReadError> {
        let mut found: HashMap<ResourceId, Activity> = resources
            .iter()
            .map(|id| (id.clone(), Activity::default()))
            .collect();
        let by_id: HashMap<&str, &ResourceId> =
            resources.iter().map(|id| (id.as_str(), id)).collect();
        add(&mut found, log, &by_id, None, (days, now)).await?;

        let mut databases: BTreeMap<(&str, &str), HashMap<&str, &ResourceId>> = BTreeMap::new();
        for id in resources {
            if let Some(database) = id.database_name() {
                let place = (database.account, database.region);
                databases
                    .entry(place)
                    .or_default()
                    .insert(database.name, id);
            }
        }
        for (place, names) in &databases {
            add(&mut found, log, names, Some(*place), (days, now)).await?;
        }
        Ok(found)
    }
}

impl Activity {
    /// Returns the number of uses by an operation.
    #[must_use]
    pub fn count(&self, operation: &str) -> u64 {
        self.operations
            .iter()
            .find(|(name, _)| name == operation)
            .map_or(0, |(_, count)| *count)
    }
}

/// Adds the uses of resources by the names that entries have for them, in one place where it is
/// given.
async fn add(
    found: &mut HashMap<ResourceId, Activity>,
    log: &dyn LogReader,
    names: &HashMap<&str, &ResourceId>,
    place: Option<(&str, &str)>,
    (days, now): (i64, Timestamp),
) -> Result<(), ReadError> {
    if names.is_empty() {
        return Ok(());
    }
    let mut sorted: Vec<&str> = names.keys().copied().collect();
    sorted.sort_unstable();
    let any = sorted
        .iter()
        .map(|name| identical(QueryColumn::ResourceId, name));
    let mut subject = vec![Expr::or(any)];
    if let Some((account, region)) = place {
        subject.push(identical(QueryColumn::ResourceAccountId, account));
        subject.push(identical(QueryColumn::ResourceRegion, region));
    }

    let query = uses(Expr::and(subject), days, now);
    for used in log.uses(query, sorted.len(), MOST_OPERATIONS).await? {
        let Some(activity) = names
            .get(used.resource.as_str())
            .and_then(|id| found.get_mut(*id))
        else {
            continue;
        };
        activity.uses += used.uses;
        activity.last_hour = activity.last_hour.max(used.last_hour);
        for (operation, count) in used.operations {
            match activity
                .operations
                .iter_mut()
                .find(|(name, _)| *name == operation)
            {
                Some((_, known)) => *known += count,
                None => activity.operations.push((operation, count)),
            }
        }
        activity
            .operations
            .sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
        activity.operations.truncate(MOST_OPERATIONS);
    }
    Ok(())
}

fn identical(column: QueryColumn, text: &str) -> Expr {
    Expr::field(column, Match::Identical(text.to_owned()))
}

/// Query for the uses of resources: what others did to them and was not refused. Reeve's own work
/// on them is no use, and neither is looking at them in Reeve.
fn uses(subject: Expr, days: i64, now: Timestamp) -> Query {
    let start = now
        .checked_sub(SignedDuration::from_hours(24 * days))
        .unwrap_or(Timestamp::MIN);
    let is = |column: QueryColumn, text: &str| Expr::field(column, Match::Exact(text.to_owned()));
    let refused = [ActionStatus::Denied, ActionStatus::Failed]
        .map(|status| is(QueryColumn::ActionStatus, status.as_str()));
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
        .chain([is(QueryColumn::EventType, events::RESOURCE_VIEW.name), own]);
    Query {
        expr: Expr::and([
            subject,
            time_range(Some(start), Some(now)),
            Expr::negate(Expr::or(no_use)),
        ]),
    }
}

/// Condition for the entries that name a resource. Clouds' own logs name an RDS instance as its
/// calls do, by a name that is unique in its account and region alone.
#[must_use]
pub fn named(resource: &ResourceId) -> Expr {
    let by_id = identical(QueryColumn::ResourceId, resource.as_str());
    let Some(database) = resource.database_name() else {
        return by_id;
    };

    let by_name = Expr::and([
        identical(QueryColumn::ResourceId, database.name),
        identical(QueryColumn::ResourceAccountId, database.account),
        identical(QueryColumn::ResourceRegion, database.region),
    ]);
    Expr::or([by_id, by_name])
}
