//! Databases: load by wait, statements, plans, advice, and the changes that were made.

mod advice;
mod load;
mod queries;

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use jiff::{SignedDuration, Timestamp};
use reeve_access::Permission;
use reeve_audit::FieldCode;
use reeve_estate::{DatabaseKey, LoadReading, Resource, ResourceId, ResourceKind};
use utoipa_axum::routes;

use crate::app::App;
use crate::error::{Problem, ProblemBody};
use crate::extract::{Caller, Params};
use crate::guard::{Access, Guarded};
use crate::paging::window;
use crate::time;
use crate::wire::database::{DatabaseBody, DatabaseReadingBody};
use crate::wire::form::list::{List, Paging};

/// Hours of a load unless asked for.
const HOURS: u32 = 24;
/// Hours of a load that are kept.
const MOST_HOURS: u32 = 168;

pub(super) fn routes(guarded: Guarded) -> Guarded {
    guarded
        .add(Access::Needs(Permission::EstateView), routes!(list))
        .add(Access::Needs(Permission::EstateView), routes!(load::get))
        .add(
            Access::Needs(Permission::EstateView),
            routes!(queries::list),
        )
        .add(
            Access::Needs(Permission::EstateView),
            routes!(queries::plan),
        )
        .add(
            Access::Needs(Permission::IntelligenceView),
            routes!(advice::list),
        )
}

/// Lists the databases whose load is read.
#[utoipa::path(get, path = "/api/v1/databases", tag = "estate", params(Paging),
    responses((status = 200, body = List<DatabaseBody>), (status = 422, body = ProblemBody)))]
async fn list(
    State(app): State<Arc<App>>,
    caller: Caller,
    Params(paging): Params<Paging>,
) -> Result<Json<List<DatabaseBody>>, Problem> {
    let window = window(paging.limit, paging.offset, paging.cursor.as_deref())?;
    let visible = app.visible(&caller.principal).await?;
    let connections = visible.connections();
    let mut found = Vec::new();
    for reading in app.database_loads.database_readings().await? {
        if !connections.contains(&reading.database.connection) {
            continue;
        }
        // A database that was never synced, or is gone, is no resource.
        if let Ok(resource) = visible.resource(&reading.database.resource).await {
            found.push((resource, reading));
        }
    }
    Ok(Json(
        window.page(found.into_iter(), |(resource, reading)| {
            body_of(&resource, Some(reading))
        }),
    ))
}

/// A database that a caller may see.
struct VisibleDatabase {
    key: DatabaseKey,
    body: DatabaseBody,
}

impl VisibleDatabase {
    /// # Errors
    /// The caller may see no database of this identifier.
    async fn find(app: &App, caller: &Caller, id: String) -> Result<VisibleDatabase, Problem> {
        let visible = app.visible(&caller.principal).await?;
        let resource = visible.resource(&ResourceId(id)).await?;
        if resource.kind != ResourceKind::Database {
            return Err(Problem::not_found("database", &resource.id.0));
        }
        let key = DatabaseKey {
            connection: resource.connection.clone(),
            resource: resource.id.clone(),
        };
        let readings = app.database_loads.database_readings().await?;
        let reading = readings.into_iter().find(|one| one.database == key);
        Ok(VisibleDatabase {
            body: body_of(&resource, reading),
            key,
        })
    }
}

/// Period that is asked for, ending now.
struct Period {
    hours: u32,
    from: Timestamp,
    to: Timestamp,
}

impl Period {
    /// # Errors
    /// The hours are out of range.
    fn before(now: Timestamp, hours: Option<u32>) -> Result<Period, Problem> {
        let hours = hours.unwrap_or(HOURS);
        if !(1..=MOST_HOURS).contains(&hours) {
            let message = format!("must be 1 to {MOST_HOURS}");
            return Err(Problem::field("hours", FieldCode::OutOfRange, &message));
        }
        let length = SignedDuration::from_hours(i64::from(hours));
        let from = now.checked_sub(length).unwrap_or(now);
        let to = now;
        Ok(Period { hours, from, to })
    }

    /// Length of one of at most `most` steps, seconds: a multiple of the interval of loads.
    fn step_s(&self, most: i64) -> i64 {
        let interval = reeve_estate::database_load::LOAD_INTERVAL_S;
        let intervals = i64::from(self.hours) * 3_600 / interval;
        ((intervals + most - 1) / most).max(1) * interval
    }
}

/// Rounds a time down to the begin of its step, Unix seconds.
fn step_of(at: Timestamp, step_s: i64) -> i64 {
    at.as_second() - at.as_second().rem_euclid(step_s)
}

fn thousandths(value: f64) -> f64 {
    (value * 1_000.0).round() / 1_000.0
}

fn body_of(resource: &Resource, reading: Option<LoadReading>) -> DatabaseBody {
    let given = |text: String| Some(text).filter(|text| !text.is_empty());
    DatabaseBody {
        id: resource.id.0.clone(),
        name: resource.name.clone(),
        connection_id: resource.connection.0.clone(),
        account: resource.account.clone(),
        reading: reading.map(|reading| DatabaseReadingBody {
            engine: reading.engine,
            version: reading.version,
            read_at: time::text(reading.read_at),
            failure: given(reading.failure),
            no_statements: given(reading.no_statements),
            remedy: given(reading.remedy),
            no_plans: given(reading.no_plans),
        }),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn a_period_has_at_most_so_many_steps() {
        let now: Timestamp = "2026-11-20T10:07:31Z".parse().unwrap();
        for (hours, most, expected) in [
            (1, 300, 300),
            (24, 288, 300),
            (24, 48, 1_800),
            (168, 300, 2_100),
        ] {
            let period = Period::before(now, Some(hours)).unwrap();
            assert_eq!(period.step_s(most), expected, "{hours} hours");
        }
        assert!(Period::before(now, Some(0)).is_err());
        assert!(Period::before(now, Some(169)).is_err());
        assert_eq!(
            time::text_s(step_of(now, 1_800)),
            "2026-11-20T10:00:00.000Z"
        );
    }
}
