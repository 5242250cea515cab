//! Load of a database by wait.

use std::collections::BTreeMap;
use std::sync::Arc;

use axum::Json;
use axum::extract::{Path, State};
use reeve_estate::DatabaseLoad;

use super::{Period, VisibleDatabase, step_of, thousandths};
use crate::app::App;
use crate::error::{Problem, ProblemBody};
use crate::extract::{Caller, Params};
use crate::time;
use crate::wire::database::{
    DatabaseLoadBody, DatabaseParams, DatabasePointBody, DatabaseWaitBody,
};

/// Points of an answer at most.
const MOST_POINTS: i64 = 300;
/// Waits that are told apart.
const MOST_WAITS: usize = 8;
/// Name of all other waits.
const OTHER: &str = "Other";

/// Load of a database: its active sessions by what they wait for.
#[utoipa::path(get, path = "/api/v1/databases/{id}", tag = "estate", params(("id" = String, Path), DatabaseParams),
    responses((status = 200, body = DatabaseLoadBody), (status = 404, body = ProblemBody), (status = 422, body = ProblemBody)))]
pub(super) async fn get(
    State(app): State<Arc<App>>,
    caller: Caller,
    Path(id): Path<String>,
    Params(params): Params<DatabaseParams>,
) -> Result<Json<DatabaseLoadBody>, Problem> {
    let period = Period::before(app.now(), params.hours)?;
    let database = VisibleDatabase::find(&app, &caller, id).await?;
    let loads = app
        .database_loads
        .database_loads(&database.key, period.from, period.to)
        .await?;

    let step_s = period.step_s(MOST_POINTS);
    let (waits, points) = by_wait(&loads, step_s);
    Ok(Json(DatabaseLoadBody {
        database: database.body,
        hours: period.hours,
        from: time::text(period.from),
        to: time::text(period.to),
        step_s,
        waits,
        points,
        looks: loads.iter().map(|load| load.looks).sum(),
    }))
}

/// Sums loads by step, with the waits that have the most sessions told apart.
fn by_wait(loads: &[DatabaseLoad], step_s: i64) -> (Vec<DatabaseWaitBody>, Vec<DatabasePointBody>) {
    let mut whole: BTreeMap<&str, u64> = BTreeMap::new();
    let mut steps: BTreeMap<i64, (u64, BTreeMap<&str, u64>)> = BTreeMap::new();
    for load in loads.iter().filter(|load| load.looks > 0) {
        let (looks, waits) = steps.entry(step_of(load.start, step_s)).or_default();
        *looks += load.looks;
        for (wait, count) in &load.waits {
            *whole.entry(wait).or_default() += count;
            *waits.entry(wait).or_default() += count;
        }
    }

    let looks: u64 = steps.values().map(|(looks, _)| looks).sum();
    let mean = |count: u64, looks: u64| thousandths(count as f64 / looks.max(1) as f64);
    let mut ranked: Vec<(&str, u64)> = whole.into_iter().collect();
    ranked.sort_by(|a, b| b.1.cmp(&a.1).then(a.0.cmp(b.0)));
    let further: u64 = ranked.iter().skip(MOST_WAITS).map(|(_, count)| count).sum();
    ranked.truncate(MOST_WAITS);

    let points = steps.into_iter().map(|(at, (looks, waits))| {
        let of = |name: &str| waits.get(name).copied().unwrap_or_default();
        let mut counts: Vec<u64> = ranked.iter().map(|(name, _)| of(name)).collect();
        if further > 0 {
            counts.push(waits.values().sum::<u64>() - counts.iter().sum::<u64>());
        }
        DatabasePointBody {
            at: time::text_s(at),
            sessions: counts.into_iter().map(|count| mean(count, looks)).collect(),
        }
    });
    let points = points.collect();
    if further > 0 {
        ranked.push((OTHER, further));
    }
    let waits = ranked.into_iter().map(|(name, count)| DatabaseWaitBody {
        name: name.to_owned(),
        sessions: mean(count, looks),
    });
    (waits.collect(), points)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn loads_are_summed_by_step_and_rare_waits_together() {
        let load = |at: &str, counts: &[(&str, u64)]| {
            let mut load = DatabaseLoad::at(at.parse().unwrap());
            load.add_look(BTreeMap::new());
            let counts = counts
                .iter()
                .map(|(name, count)| ((*name).to_owned(), *count));
            load.add_look(counts.collect());
            load
        };
        let rare: Vec<String> = (0..9).map(|number| format!("IO:{number}")).collect();
        let mut counts: Vec<(&str, u64)> = rare.iter().map(|name| (name.as_str(), 1)).collect();
        counts.push(("CPU", 8));
        let loads = [
            load("2026-11-20T10:00:00Z", &counts),
            load("2026-11-20T10:05:00Z", &[("CPU", 4)]),
            load("2026-11-20T10:10:00Z", &[("CPU", 2)]),
        ];
        let (waits, points) = by_wait(&loads, 600);
        let names: Vec<&str> = waits.iter().map(|wait| wait.name.as_str()).collect();
        assert_eq!((names.len(), names[0], names[8]), (9, "CPU", "Other"));
        assert_eq!((waits[0].sessions, waits[8].sessions), (2.333, 0.333));
        assert_eq!(points.len(), 2);
        assert_eq!((points[0].sessions[0], points[0].sessions[8]), (3.0, 0.5));
        assert_eq!((points[1].sessions[0], points[1].sessions[8]), (1.0, 0.0));
    }
}
