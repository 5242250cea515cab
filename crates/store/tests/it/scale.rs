//! Requests read what they answer with and no whole tables. PostgreSQL counts the rows and the
//! entries of indexes that each of them touches.

use std::pin::Pin;

use anyhow::Result;
use jiff::{SignedDuration, Timestamp};
use reeve_estate::{EstateStore as _, Resource, ResourceFilter, ResourceId};
use reeve_recommend::action::{Action, ActionStatus, Purpose};
use reeve_recommend::agent::AgentId;
use reeve_recommend::approval::{Approval, ApprovalStatus};
use reeve_recommend::ports::{AgentStore as _, RecommendationFilter};
use reeve_recommend::recommendation::lifecycle::Status;
use reeve_recommend::recommendation::origin::{AnomalyId, OriginCause};
use reeve_recommend::recommendation::totals::{ActionFilter, ApprovalFilter};
use reeve_recommend::recommendation::{
    Closing, Recommendation, RecommendationId, RecommendationType,
};
use reeve_store::Store;
use reeve_testkit::contract::agents::{action, approval, recommendation};
use reeve_testkit::contract::estate::{connection, resource};
use sqlx::{Connection as _, Row as _};

use crate::place::Place;

/// Resources of the estate.
const RESOURCES: usize = 2_000;
/// Recommendations, of which [`OPEN`] are open.
const RECOMMENDATIONS: usize = 4_000;
const OPEN: usize = 40;
/// Actions, and as many approval requests.
const ACTIONS: i64 = 600;
/// Most rows and index entries that a request may touch: the open recommendations a few times over,
/// and some pages.
const MOST: i64 = 500;

type Answer<'a> = Pin<Box<dyn Future<Output = Result<()>> + Send + 'a>>;
type Request = (&'static str, for<'a> fn(&'a Store) -> Answer<'a>);

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn requests_touch_few_rows() -> Result<()> {
    let Some(place) = Place::postgres().await? else {
        return Ok(());
    };

    fill(&place).await?;
    let mut watcher = sqlx::AnyConnection::connect(&place.url).await?;
    sqlx::raw_sql("VACUUM ANALYZE")
        .execute(&mut watcher)
        .await?;

    // A small table is read as a whole even where an index would do; a large one is not.
    let eager = Place::at(&format!("{}&options=-c%20enable_seqscan%3Doff", place.url));
    let opened = touched(&mut watcher, &eager, |_| Box::pin(async { Ok(()) })).await?;
    let whole = touched(&mut watcher, &eager, |store| {
        Box::pin(async {
            store
                .recommendation_list(&RecommendationFilter::default())
                .await?;
            Ok(())
        })
    });
    let whole = whole.await? - opened;

    assert!(
        whole >= RECOMMENDATIONS as i64,
        "a whole table is noticed: {whole}"
    );

    let mut wide = Vec::new();
    for (name, request) in requests() {
        let touched = touched(&mut watcher, &eager, request).await? - opened;
        // The total of all actions is counted over an index.
        let most = if name == "page of actions" {
            MOST + ACTIONS
        } else {
            MOST
        };
        if touched > most {
            wide.push(format!("{name}: {touched}"));
        }
    }

    assert!(
        wide.is_empty(),
        "more than {MOST} rows and index entries were touched by {wide:?}"
    );
    Ok(())
}

/// Rows and index entries that one request touches, over a store that is opened for it.
async fn touched(
    watcher: &mut sqlx::AnyConnection,
    place: &Place,
    request: for<'a> fn(&'a Store) -> Answer<'a>,
) -> Result<i64> {
    let before = counted(watcher).await?;
    let store = place.open().await?;
    request(&store).await?;
    store.close().await;
    Ok(counted(watcher).await? - before)
}

/// Rows and index entries that were touched so far. A connection reports its own when it ends, so
/// that the others are waited for.
async fn counted(watcher: &mut sqlx::AnyConnection) -> Result<i64> {
    let others = "SELECT COUNT(*) FROM pg_stat_activity
        WHERE datname = current_database() AND pid <> pg_backend_pid() AND backend_type = 'client backend'";
    while sqlx::query(others)
        .fetch_one(&mut *watcher)
        .await?
        .try_get::<i64, _>(0)?
        > 0
    {
        tokio::task::yield_now().await;
    }

    let touched = "SELECT CAST((SELECT COALESCE(SUM(seq_tup_read), 0) FROM pg_stat_user_tables)
        + (SELECT COALESCE(SUM(idx_tup_read), 0) FROM pg_stat_user_indexes) AS BIGINT)";
    Ok(sqlx::query(touched)
        .fetch_one(&mut *watcher)
        .await?
        .try_get(0)?)
}

fn open() -> RecommendationFilter {
    RecommendationFilter {
        is_open: true,
        ..RecommendationFilter::default()
    }
}

fn page() -> RecommendationFilter {
    RecommendationFilter {
        limit: 50,
        ..RecommendationFilter::default()
    }
}

fn at(text: &str) -> Timestamp {
    text.parse().unwrap()
}

/// Queries of routes, guardrails and the scheduler.
fn requests() -> Vec<Request> {
    macro_rules! request {
        ($name:literal, $store:ident => $ask:expr) => {
            ($name, |$store| {
                Box::pin(async {
                    $ask.await?;
                    Ok(())
                })
            })
        };
    }
    vec![
        request!("page of all", store => store.recommendation_list(&page())),
        request!("page of a type", store => store.recommendation_list(
            &RecommendationFilter { kind: Some(RecommendationType::RightSize), ..page() })),
        request!("page of a state", store => store.recommendation_list(
            &RecommendationFilter { status: vec![Status::Dismissed], ..page() })),
        request!("page of an agent", store => store.recommendation_list(
            &RecommendationFilter { agent: Some("a-1".into()), ..page() })),
        request!("page of what is open", store => store.recommendation_list(
            &RecommendationFilter { limit: 50, min_confidence: Some(20.0), ..open() })),
        request!("open ones of a cause", store => store.recommendation_list(
            &RecommendationFilter { cause: Some(OriginCause::Anomaly(AnomalyId("x".into()))), ..open() })),
        request!("what is due", store => store.recommendation_list(
            &RecommendationFilter { due_by: Some(at("2026-11-20T10:00:00Z")), ..RecommendationFilter::default() })),
        request!("ended on a resource", store => store.recommendation_list(&RecommendationFilter {
            status: vec![Status::Dismissed, Status::Succeeded, Status::RolledBack, Status::Failed],
            resources: vec![ResourceId::new("i-77"), ResourceId::new("i-78")],
            updated_since: Some(at("2026-11-20T10:00:00Z")),
            ..RecommendationFilter::default()
        })),
        request!("by identifier", store => store.recommendation_list(&RecommendationFilter {
            status: vec![Status::Succeeded],
            ids: (0..20).map(|n| RecommendationId(format!("r-{n:05}"))).collect(),
            ..RecommendationFilter::default()
        })),
        request!("gone of an agent", store => store.recommendation_list(&RecommendationFilter {
            closing: Some(Closing::ResourceGone),
            agent: Some("a-1".into()),
            updated_since: Some(at("2026-11-20T10:00:00Z")),
            limit: 1,
            ..RecommendationFilter::default()
        })),
        request!("one", store => store.recommendation_get(&RecommendationId("r-00100".into()))),
        request!("totals", store => store.recommendation_totals()),
        request!("savings", store => store.recommendation_savings(&RecommendationFilter::default())),
        request!("page of actions", store => store.action_page(&ActionFilter { limit: 50, offset: 50, ..ActionFilter::default() })),
        request!("last changes", store => store.action_page(
        &ActionFilter {
            purpose: Some(Purpose::Apply),
            since: Some(Timestamp::from_millisecond(1_000_000 * (ACTIONS - 100)).unwrap()),
            limit: 50,
            ..ActionFilter::default()
        })),
        request!("actions on a resource", store => store.action_page(
            &ActionFilter { resources: vec![ResourceId::new("i-5")], ..ActionFilter::default() })),
        request!("actions of a day", store => store.action_counts(at("2026-11-20T10:00:00Z"))),
        request!("actions of a run", store => store.action_count_of_run("run-3")),
        request!("unsettled actions", store => store.action_unsettled(at("2026-11-20T10:00:00Z"))),
        request!("waiting approvals", store => store.approval_page(
            &ApprovalFilter { status: Some(ApprovalStatus::Pending), ..ApprovalFilter::default() })),
        request!("one resource", store => store.resource_get(&ResourceId::new("i-7"))),
        request!("named resources", store => store.resource_list(
            &ResourceFilter { ids: vec![ResourceId::new("i-7"), ResourceId::new("i-8")], ..ResourceFilter::default() })),
    ]
}

/// Two connections' resources; recommendations on them, a hundredth open; actions and approvals.
async fn fill(place: &Place) -> Result<()> {
    let store = place.open().await?;
    for number in 0..2 {
        let id = format!("c-{number}");
        let made = connection(&id, 1_000)?;
        store.connection_insert(&made).await?;
        let own = (0..RESOURCES).filter(|n| n % 2 == number);
        let seen: Vec<Resource> = own
            .map(|n| resource(&id, &format!("i-{n}")))
            .collect::<Result<_>>()?;
        store.resource_sync(&made.id, &seen, &[]).await?;
    }

    let made: Vec<Recommendation> = (0..RECOMMENDATIONS).map(numbered).collect::<Result<_>>()?;
    for chunk in made.chunks(1_000) {
        store.recommendation_insert_all(chunk).await?;
    }

    for n in 0..ACTIONS {
        let base = action(
            &format!("ac-{n}"),
            &format!("r-{:05}", OPEN as i64 + n),
            1_000_000 * n,
        )?;
        let ended = Action {
            status: ActionStatus::Succeeded,
            resource: ResourceId::new(format!("i-{}", n % 100)),
            run_id: Some(format!("run-{}", n % 60)),
            finished_at: Some(base.started_at + SignedDuration::from_secs(60)),
            ..base
        };
        store.action_insert(&ended).await?;
        let status = if n % 50 == 0 {
            ApprovalStatus::Pending
        } else {
            ApprovalStatus::Approved
        };
        let asked = approval(&format!("ap-{n}"), &format!("r-{n:05}"), 1_000 * n)?;
        store.approval_insert(&Approval { status, ..asked }).await?;
    }

    store.close().await;
    Ok(())
}

fn numbered(n: usize) -> Result<Recommendation> {
    let base = recommendation(&format!("r-{n:05}"), &format!("i-{}", n % RESOURCES))?;
    let ends = [
        Status::Expired,
        Status::Superseded,
        Status::Dismissed,
        Status::Succeeded,
        Status::Failed,
    ];

    let status = if n < OPEN {
        Status::Open
    } else {
        ends[n % ends.len()]
    };

    let mut ranking = base.ranking.clone();
    ranking.expected_value = n as f64;
    let kinds = &RecommendationType::ALL[..4];

    Ok(Recommendation {
        agent_id: Some(AgentId(format!("a-{}", n % 8))),
        kind: kinds[n % kinds.len()],
        confidence: (n % 100) as f64,
        closing: (n.is_multiple_of(100) && status.is_end()).then_some(Closing::ResourceGone),
        updated_at: base.updated_at - SignedDuration::from_hours(n as i64),
        status,
        ranking,
        ..base
    })
}
