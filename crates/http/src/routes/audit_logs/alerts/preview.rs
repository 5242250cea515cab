//! Previews: a rule over the last 30 days of what the caller may see.

use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::Json;
use axum::extract::State;
use jiff::{SignedDuration, Timestamp};
use reeve_alerts::{
    AlertProgress, AlertRule, Evaluator, EvaluatorChanges, EvaluatorLimits, Firing, Observed,
    RuleDraft, RuleId, RuleSettings, RuleState,
};
use reeve_audit::events;
use reeve_audit::query::Expr;
use reeve_ledger::TrailError;
use serde_json::json;
use tokio::sync::SemaphorePermit;

use crate::app::App;
use crate::error::{Code, Problem, ProblemBody};
use crate::extract::{Body, Caller};
use crate::routes::audit_logs::ask;
use crate::routes::audit_logs::ask::Asked;
use crate::wire::alert::{
    AlertBucketBody, AlertGroupByBody, AlertPreviewBody, AlertPreviewFiringBody,
    AlertPreviewRequest, group,
};
use crate::wire::log::search::FiltersBody;
use crate::{log_entry, time};

/// Length of the period.
const PERIOD: SignedDuration = SignedDuration::from_hours(30 * 24);
/// Buckets of six hours.
const BUCKET_MS: i64 = 6 * 3_600_000;
/// Matching entries that a preview counts at most.
const MOST: u64 = 200_000;
/// Time for reading the past.
const LONGEST: Duration = Duration::from_secs(20);
/// Firings answered, the latest.
const SHOWN: usize = 100;

/// A rule's past, counted.
pub(super) struct Past {
    /// Start of the period.
    pub(super) from: Timestamp,
    /// End of the period.
    pub(super) to: Timestamp,
    /// Times of the entries that match.
    pub(super) matched: Vec<Timestamp>,
    /// More match than are counted.
    pub(super) truncated: bool,
    pub(super) fired: Vec<Firing>,
}

/// Try a rule on the last 30 days, without keeping it.
#[utoipa::path(post, path = "/api/v1/audit-logs/alerts/preview", tag = "audit-logs", request_body = AlertPreviewRequest,
    responses((status = 200, body = AlertPreviewBody), (status = 422, body = ProblemBody), (status = 429, body = ProblemBody)))]
pub(super) async fn preview(
    State(app): State<Arc<App>>,
    caller: Caller,
    Body(given): Body<AlertPreviewRequest>,
) -> Result<Json<AlertPreviewBody>, Problem> {
    let settings = RuleSettings::read(RuleDraft {
        name: "preview".to_owned(),
        condition: given.condition,
        count: given.threshold.count,
        window: given.threshold.window,
        distinct: given.threshold.distinct,
        group_by: given
            .group_by
            .map(AlertGroupByBody::names)
            .unwrap_or_default(),
        severity: "info".to_owned(),
        ..RuleDraft::default()
    });
    let settings = settings.map_err(crate::routes::audit_logs::alerts::field_problems)?;
    let asked = json!({ "condition": settings.condition, "days": 30 });

    let past = past(&app, &caller, settings).await?;
    let found = past.matched.len() as u64;
    app.record_reading(log_entry::read_log(
        &caller,
        &events::AUDIT_SEARCH,
        "preview_alert",
        asked,
        Some(found),
    ))
    .await?;

    Ok(Json(body(&past)))
}

/// Longest wait while other previews run.
const WAIT: Duration = Duration::from_secs(5);

/// Waits until a preview may run: each reads a month of the log and keeps up to [`MOST`] times in
/// memory.
async fn turn(app: &App) -> Result<SemaphorePermit<'_>, Problem> {
    let turn = tokio::time::timeout(WAIT, app.previews.acquire()).await;
    let busy = || {
        let message = "Other previews of alert rules are running. Try again in 5 s.";
        Problem::new(Code::TooManyRequests, message).retry_after(WAIT.as_secs())
    };
    turn.map_err(|_| busy())?.map_err(Problem::internal)
}

/// Runs a rule over the period as the caller may see it.
pub(super) async fn past(
    app: &App,
    caller: &Caller,
    settings: RuleSettings,
) -> Result<Past, Problem> {
    let _turn = turn(app).await?;
    let now = app.now();
    let from = now - PERIOD;
    let (start, end) = (time::text(from), time::text(now));

    // A distance from now means another time for each entry: such a condition is left to the
    // evaluator.
    let condition = if is_relative(&settings.query.expr) {
        ""
    } else {
        settings.condition.as_str()
    };

    let asked = Asked {
        query: Some(condition),
        start_time: Some(&start),
        end_time: Some(&end),
        filters: &FiltersBody::default(),
    };
    let query = ask::with_lists(app, &ask::query(&asked, now)?).await?;

    let mut settings = settings;
    settings.query = ask::with_lists(app, &settings.query).await?;
    let meaning = settings.query.clone();
    let mut evaluator = Evaluator::new(EvaluatorLimits::default(), AlertProgress::default());
    evaluator.set_rules([Arc::new(rule(settings, now))]);
    let mut past = Past {
        from,
        to: now,
        matched: Vec::new(),
        truncated: false,
        fired: Vec::new(),
    };

    let trail = app.trail(caller);
    let end = trail.end();
    let mut scan = trail.scan(query, 0..end, now);
    let began = Instant::now();

    while let Some(stretch) = scan.next().await.map_err(ask::problem)? {
        // Stretches never fail for want of time, and a caller waits here.
        if stretch.to < end && began.elapsed() >= LONGEST {
            return Err(ask::problem(TrailError::TooCostly {
                limit_s: LONGEST.as_secs_f64(),
            }));
        }
        for stored in &stretch.entries {
            if meaning.matches(&stored.entry, stored.recorded_at, stored.recorded_at) {
                past.matched.push(stored.entry.timestamp);
            }
            let (sequence, recorded_at) = (stored.sequence, stored.recorded_at);
            evaluator.observe(Observed {
                sequence,
                recorded_at,
                entry: &stored.entry,
            });
        }
        past.truncated = stretch.to < end && past.matched.len() as u64 >= MOST;
        if past.truncated {
            break;
        }
    }

    let EvaluatorChanges { fired, .. } = evaluator.take_changes();
    past.fired = fired;
    Ok(past)
}

/// A rule that stands for settings alone.
fn rule(settings: RuleSettings, now: Timestamp) -> AlertRule {
    AlertRule {
        id: RuleId("preview".to_owned()),
        settings,
        state: RuleState::Enabled,
        silenced_until: None,
        revision: 1,
        version: 1,
        created_by: String::new(),
        created_at: now,
        updated_at: now,
    }
}

fn is_relative(expr: &Expr) -> bool {
    match expr {
        Expr::And(terms) | Expr::Or(terms) => terms.iter().any(is_relative),
        Expr::Not(term) => is_relative(term),
        Expr::Field { op, .. } => op.is_relative(),
        Expr::All | Expr::Text(_) => false,
    }
}

fn body(past: &Past) -> AlertPreviewBody {
    let spans = usize::try_from(PERIOD.as_millis() / i128::from(BUCKET_MS)).unwrap_or_default();
    let start = past.from.as_millisecond();
    let mut buckets: Vec<_> = (0..spans)
        .map(|at| start + BUCKET_MS * i64::try_from(at).unwrap_or_default())
        .map(|start| AlertBucketBody {
            start: time::text_ms(start),
            matched: 0,
            fired: 0,
        })
        .collect();

    let bucket = |at: Timestamp| {
        usize::try_from((at.as_millisecond() - start) / BUCKET_MS)
            .unwrap_or_default()
            .min(spans - 1)
    };

    for at in &past.matched {
        buckets[bucket(*at)].matched += 1;
    }

    for firing in &past.fired {
        buckets[bucket(firing.last_at)].fired += 1;
    }

    let shown = past
        .fired
        .iter()
        .rev()
        .take(SHOWN)
        .map(|firing| AlertPreviewFiringBody {
            at: time::text(firing.last_at),
            group: group(&firing.group_by, firing.group.values()),
            count: firing.count,
        });

    AlertPreviewBody {
        start_time: time::text(past.from),
        end_time: time::text(past.to),
        matched: past.matched.len() as u64,
        fired: past.fired.len() as u64,
        truncated: past.truncated,
        bucket_s: u64::try_from(BUCKET_MS / 1000).unwrap_or_default(),
        buckets,
        firings: shown.collect(),
    }
}
