//! Statements of a database with their use over time, and their plans.

use std::cmp::Ordering;
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use axum::Json;
use axum::extract::{Path, State};
use reeve_estate::DatabaseLoad;
use reeve_estate::database_load::{KnownStatement, PlanNode, StatementUse};

use super::{Period, VisibleDatabase, step_of, thousandths};
use crate::app::App;
use crate::error::{Problem, ProblemBody};
use crate::extract::{Caller, Params};
use crate::time;
use crate::wire::database::{
    DatabaseParams, DatabasePlanBody, DatabaseQueriesBody, DatabaseQueryBody,
    DatabaseQueryPointBody, PlanDetailBody, PlanNodeBody,
};

/// Statements of an answer at most.
const MOST: usize = 50;
/// Points of a statement's trend at most.
const MOST_POINTS: i64 = 48;

/// Statements of a database with the most time.
#[utoipa::path(get, path = "/api/v1/databases/{id}/queries", tag = "estate", params(("id" = String, Path), DatabaseParams),
    responses((status = 200, body = DatabaseQueriesBody), (status = 404, body = ProblemBody), (status = 422, body = ProblemBody)))]
pub(super) async fn list(
    State(app): State<Arc<App>>,
    caller: Caller,
    Path(id): Path<String>,
    Params(params): Params<DatabaseParams>,
) -> Result<Json<DatabaseQueriesBody>, Problem> {
    let period = Period::before(app.now(), params.hours)?;
    let database = VisibleDatabase::find(&app, &caller, id).await?;
    let store = &app.database_loads;
    let earlier = Period::before(period.from, params.hours)?;
    let loads = store.database_loads(&database.key, period.from, period.to);
    let before = store.database_loads(&database.key, earlier.from, earlier.to);
    let known = store.database_statements(&database.key);
    let (loads, before, known) = tokio::try_join!(loads, before, known)?;

    let (items, total) = ranked(&loads, &before, &known, period.step_s(MOST_POINTS));
    Ok(Json(DatabaseQueriesBody {
        database: database.body,
        hours: period.hours,
        counted_s: loads.iter().map(|load| load.counted_s).sum::<f64>().round(),
        items,
        total,
    }))
}

/// The plan of a statement.
#[utoipa::path(get, path = "/api/v1/databases/{id}/queries/{statement}/plan", tag = "estate",
    params(("id" = String, Path), ("statement" = String, Path)),
    responses((status = 200, body = DatabasePlanBody), (status = 404, body = ProblemBody)))]
pub(super) async fn plan(
    State(app): State<Arc<App>>,
    caller: Caller,
    Path((id, statement)): Path<(String, String)>,
) -> Result<Json<DatabasePlanBody>, Problem> {
    let database = VisibleDatabase::find(&app, &caller, id).await?;
    let known = app
        .database_loads
        .database_statements(&database.key)
        .await?;
    let found = known.into_iter().find(|one| one.id == statement);
    let found = found.ok_or_else(|| Problem::not_found("statement", &statement))?;
    let plan = found.plan.as_ref();
    Ok(Json(DatabasePlanBody {
        taken_at: plan.map(|plan| time::text(plan.taken_at)),
        root: plan.map(|plan| node_body(&plan.root)),
        id: found.id,
        text: found.text,
    }))
}

fn node_body(node: &PlanNode) -> PlanNodeBody {
    let details = node.details.iter().map(|detail| PlanDetailBody {
        name: detail.name.clone(),
        text: detail.text.clone(),
    });
    PlanNodeBody {
        operation: node.operation.clone(),
        table: node.table.clone(),
        index: node.index.clone(),
        details: details.collect(),
        startup_cost: node.startup_cost,
        total_cost: node.total_cost,
        rows: node.rows,
        width_bytes: node.width_bytes,
        children: node.children.iter().map(node_body).collect(),
    }
}

/// Use of statements, summed by their identifiers.
fn sums(loads: &[DatabaseLoad]) -> HashMap<&str, StatementUse> {
    let mut sums: HashMap<&str, StatementUse> = HashMap::new();
    for used in loads.iter().flat_map(|load| &load.statements) {
        match sums.get_mut(used.id.as_str()) {
            Some(sum) => sum.add(used),
            None => {
                let _ = sums.insert(&used.id, used.clone());
            }
        }
    }
    sums
}

/// Statements with the most time, and how many were called. A statement whose text is not known is
/// left out.
fn ranked(
    loads: &[DatabaseLoad],
    before: &[DatabaseLoad],
    known: &[KnownStatement],
    step_s: i64,
) -> (Vec<DatabaseQueryBody>, u64) {
    let known: HashMap<&str, &KnownStatement> =
        known.iter().map(|one| (one.id.as_str(), one)).collect();
    let before = sums(before);
    let all = sums(loads);
    let whole: f64 = all.values().map(|used| used.total_ms).sum();
    let mut named: Vec<(&KnownStatement, StatementUse)> = all
        .into_iter()
        .filter_map(|(id, used)| Some((*known.get(id)?, used)))
        .collect();
    named.sort_by(|(_, a), (_, b)| {
        let order = b.total_ms.partial_cmp(&a.total_ms);
        order.unwrap_or(Ordering::Equal).then(a.id.cmp(&b.id))
    });
    let total = named.len() as u64;
    named.truncate(MOST);

    let mut trends = trends(loads, step_s);
    let items = named.into_iter().map(|(statement, used)| {
        let trend = trends.remove(used.id.as_str()).unwrap_or_default();
        let earlier = before.get(used.id.as_str());
        query_body(statement, &used, earlier, trend, whole)
    });
    (items.collect(), total)
}

type Trend = BTreeMap<i64, StatementUse>;

/// Use of each statement by step.
fn trends(loads: &[DatabaseLoad], step_s: i64) -> HashMap<&str, Trend> {
    let mut trends: HashMap<&str, Trend> = HashMap::new();
    for load in loads {
        let at = step_of(load.start, step_s);
        for used in &load.statements {
            let trend = trends.entry(used.id.as_str()).or_default();
            trend.entry(at).or_default().add(used);
        }
    }
    trends
}

fn query_body(
    statement: &KnownStatement,
    used: &StatementUse,
    earlier: Option<&StatementUse>,
    trend: Trend,
    whole: f64,
) -> DatabaseQueryBody {
    let change = earlier.map(|earlier| {
        let before = earlier.mean_ms().max(f64::MIN_POSITIVE);
        tenths((used.mean_ms() / before - 1.0) * 100.0)
    });
    let points = trend.into_iter().map(|(at, used)| DatabaseQueryPointBody {
        at: time::text_s(at),
        calls: used.calls,
        total_ms: thousandths(used.total_ms),
        mean_ms: thousandths(used.mean_ms()),
    });
    DatabaseQueryBody {
        id: statement.id.clone(),
        text: statement.text.clone(),
        calls: used.calls,
        total_ms: thousandths(used.total_ms),
        share_percent: tenths(used.total_ms / whole.max(f64::MIN_POSITIVE) * 100.0),
        mean_ms: thousandths(used.mean_ms()),
        change_percent: change.filter(|change| change.is_finite()),
        rows: used.rows,
        rows_examined: used.rows_examined,
        blocks_hit: used.blocks_hit,
        blocks_read: used.blocks_read,
        temporary_writes: used.temporary_writes,
        trend: points.collect(),
        plan_taken_at: statement
            .plan
            .as_ref()
            .map(|plan| time::text(plan.taken_at)),
    }
}

fn tenths(value: f64) -> f64 {
    (value * 10.0).round() / 10.0
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn statements_are_ranked_by_time_and_compared_with_the_period_before() {
        let used = |id: &str, calls, total_ms| StatementUse {
            id: id.to_owned(),
            calls,
            total_ms,
            ..StatementUse::default()
        };
        let load = |at: &str, statements| DatabaseLoad {
            statements,
            ..DatabaseLoad::at(at.parse().unwrap())
        };
        let known = ["a", "b"].map(|id| KnownStatement {
            id: id.to_owned(),
            text: format!("SELECT {id}"),
            seen_at: "2026-11-20T10:00:00Z".parse().unwrap(),
            plan: None,
        });
        let loads = [
            load(
                "2026-11-20T10:00:00Z",
                vec![used("a", 2.0, 20.0), used("gone", 1.0, 50.0)],
            ),
            load(
                "2026-11-20T10:05:00Z",
                vec![used("b", 1.0, 20.0), used("a", 2.0, 10.0)],
            ),
            load("2026-11-20T10:10:00Z", vec![used("a", 1.0, 0.0)]),
        ];
        let before = [load("2026-11-19T10:00:00Z", vec![used("a", 1.0, 4.0)])];
        let (items, total) = ranked(&loads, &before, &known, 600);
        assert_eq!(total, 2);
        let first = &items[0];
        assert_eq!(
            (first.id.as_str(), first.calls, first.mean_ms),
            ("a", 5.0, 6.0)
        );
        assert_eq!(
            (first.share_percent, first.change_percent),
            (30.0, Some(50.0))
        );
        let trend: Vec<f64> = first.trend.iter().map(|point| point.total_ms).collect();
        assert_eq!(trend, [30.0, 0.0]);
        assert_eq!((items[1].id.as_str(), items[1].change_percent), ("b", None));
    }
}
