//! Plans of SQLite for the statements that requests run: an index finds what they answer with, and
//! nothing walks the whole table.
//!
//! PostgreSQL counts the rows that requests touch (`tests/it/scale.rs`); SQLite does not, so that
//! its plans are read.
#![allow(clippy::unwrap_used)]

use jiff::Timestamp;
use reeve_estate::ResourceId;
use reeve_recommend::ports::{AgentStore as _, RecommendationFilter};
use reeve_recommend::recommendation::lifecycle::Status;
use reeve_recommend::recommendation::origin::{AnomalyId, OriginCause};
use reeve_recommend::recommendation::{
    Closing, Priority, Recommendation, RecommendationId, RecommendationType,
};
use sqlx::{AssertSqlSafe, Row as _, SqlSafeStr as _, SqlStr};

use super::filter::filter;
use super::{page, savings};
use crate::database::Store;
use crate::filter::Filter;
use crate::vault::Vault;

/// Steps of the plan of a statement.
async fn plan(store: &Store, filter: &Filter, statement: &SqlStr) -> Vec<String> {
    let sql = AssertSqlSafe(format!("EXPLAIN QUERY PLAN {}", statement.as_str())).into_sql_str();
    let rows = filter.query(sql).fetch_all(store.read()).await.unwrap();
    rows.iter()
        .map(|row| row.try_get::<String, _>("detail").unwrap())
        .collect()
}

/// Returns `true` for a step that walks recommendations from end to end. One that follows the order
/// of a list walks as far as its page, and the partial indexes hold what is open alone.
fn walks_everything(step: &str, has_limit: bool) -> bool {
    let in_order = has_limit && step.ends_with("USING INDEX recommendations_ranked");
    step.starts_with("SCAN recommendations") && !step.contains("recommendations_open") && !in_order
}

#[tokio::test]
async fn no_request_walks_the_whole_table() {
    let folder = tempfile::tempdir().unwrap();
    let url = format!("sqlite://{}/reeve.db", folder.path().display());
    let store = Store::open(&url, Vault::from_bytes(&[1; 32]).unwrap())
        .await
        .unwrap();
    let any = RecommendationFilter::default;
    let open: Vec<Status> = Status::ALL
        .iter()
        .copied()
        .filter(|status| !status.is_end())
        .collect();
    let ended = vec![
        Status::Dismissed,
        Status::Succeeded,
        Status::RolledBack,
        Status::Failed,
    ];
    let (limit, now) = (50, Timestamp::UNIX_EPOCH);
    let filters = [
        RecommendationFilter { limit, ..any() },
        RecommendationFilter {
            limit,
            status: vec![Status::Open],
            ..any()
        },
        RecommendationFilter {
            limit,
            status: vec![Status::Dismissed],
            ..any()
        },
        RecommendationFilter {
            limit,
            status: open.clone(),
            priority: Some(Priority::High),
            ..any()
        },
        RecommendationFilter {
            limit,
            status: open,
            account: Some("acme".into()),
            ..any()
        },
        RecommendationFilter {
            limit,
            agent: Some("a-1".into()),
            ..any()
        },
        RecommendationFilter {
            limit,
            kind: Some(RecommendationType::RightSize),
            ..any()
        },
        RecommendationFilter {
            is_open: true,
            kind: Some(RecommendationType::RightSize),
            ..any()
        },
        RecommendationFilter {
            is_open: true,
            agent: Some("a-1".into()),
            ..any()
        },
        RecommendationFilter {
            resource: Some("i-1".into()),
            ..any()
        },
        RecommendationFilter {
            is_open: true,
            resources: vec![ResourceId::new("i-1"), ResourceId::new("i-2")],
            ..any()
        },
        RecommendationFilter {
            status: ended.clone(),
            resources: vec![ResourceId::new("i-1")],
            updated_since: Some(now),
            ..any()
        },
        RecommendationFilter {
            status: ended,
            ids: vec![RecommendationId("r".into())],
            ..any()
        },
        RecommendationFilter {
            is_open: true,
            cause: Some(OriginCause::Anomaly(AnomalyId("x".into()))),
            ..any()
        },
        RecommendationFilter {
            closing: Some(Closing::ResourceGone),
            agent: Some("a-1".into()),
            limit: 1,
            ..any()
        },
        RecommendationFilter {
            has_feedback: true,
            ..any()
        },
        RecommendationFilter {
            due_by: Some(now),
            ..any()
        },
    ];
    for wanted in filters {
        let filter = filter(&wanted);
        for step in plan(&store, &filter, &page(&filter, &wanted)).await {
            assert!(
                !walks_everything(&step, wanted.limit > 0),
                "{step}: {wanted:?}"
            );
        }
        let (filter, statements) = savings::statements(&wanted);
        for statement in statements {
            for step in plan(&store, &filter, &statement).await {
                assert!(
                    !walks_everything(&step, false),
                    "{step}: savings of {wanted:?}"
                );
            }
        }
    }
    // A condition that no index has is noticed.
    let wanted = RecommendationFilter {
        min_confidence: Some(1.0),
        ..any()
    };
    let filter = filter(&wanted);
    let steps = plan(&store, &filter, &page(&filter, &wanted)).await;
    assert!(
        steps.iter().any(|step| walks_everything(step, false)),
        "{steps:?}"
    );
}

/// Changes a sum behind the store's back: what is read again shows it, and what is held does not.
async fn tamper(store: &Store, id: &str, savings: i64) {
    let update = sqlx::query("UPDATE recommendations SET expected_savings = $2 WHERE id = $1")
        .bind(id)
        .bind(savings);
    update.execute(store.write()).await.unwrap();
}

#[tokio::test]
async fn a_write_has_only_the_sums_read_again_that_depend_on_it() {
    let folder = tempfile::tempdir().unwrap();
    let url = format!("sqlite://{}/reeve.db", folder.path().display());
    let store = Store::open(&url, Vault::from_bytes(&[1; 32]).unwrap())
        .await
        .unwrap();
    let made = |id: &str, status: Status| {
        let made = reeve_testkit::contract::agents::recommendation(id, &format!("i-{id}")).unwrap();
        Recommendation { status, ..made }
    };

    let (open, succeeded) = (
        made("open", Status::Open),
        made("succeeded", Status::Succeeded),
    );
    store
        .recommendation_insert_all(&[open.clone(), succeeded.clone()])
        .await
        .unwrap();
    let any = RecommendationFilter::default();
    let sums = async || {
        let days = store.recommendation_savings_by_day().await.unwrap();
        let open = store.recommendation_savings(&any).await.unwrap().combined;
        (
            open.micros(),
            days.iter().map(|day| day.expected.micros()).sum::<i64>(),
        )
    };
    let before = sums().await;

    tamper(&store, "open", 1_000_000).await;
    tamper(&store, "succeeded", 2_000_000).await;
    assert_eq!(sums().await, before, "nothing was written");
    store
        .recommendation_update(&Recommendation {
            version: open.version + 1,
            ..open.clone()
        })
        .await
        .unwrap();

    tamper(&store, "open", 1_000_000).await;
    let (read, held) = sums().await;
    assert_eq!(
        (read, held),
        (1_000_000, before.1),
        "an open one was written"
    );
    tamper(&store, "open", 3_000_000).await;
    store
        .recommendation_update(&Recommendation {
            version: succeeded.version + 1,
            ..succeeded
        })
        .await
        .unwrap();

    tamper(&store, "succeeded", 2_000_000).await;
    assert_eq!(
        sums().await,
        (1_000_000, 2_000_000),
        "one that succeeded was written"
    );

    let done = Recommendation {
        status: Status::Executing,
        version: open.version + 2,
        ..open
    };
    store.recommendation_update(&done).await.unwrap();
    store
        .recommendation_update(&Recommendation {
            status: Status::Succeeded,
            version: done.version + 1,
            ..done
        })
        .await
        .unwrap();

    let (open, days) = sums().await;
    assert!(
        open == 0 && days > 2_000_000,
        "one went from the open ones to the others: {open}, {days}"
    );
}
