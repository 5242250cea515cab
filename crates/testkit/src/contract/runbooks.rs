//! Contract of every [`RunbookStore`].

use anyhow::Result;
use jiff::{SignedDuration, Timestamp};
use reeve_estate::{ConnectionId, ResourceId, StoreError};
use reeve_recommend::action::ActionId;
use reeve_recommend::recommendation::RecommendationId;
use reeve_recommend::runbook::breaker::BreakerResource;
use reeve_recommend::runbook::{
    Application, Breaker, Outcome, RunbookName, RunbookStore, WrittenRunbook,
};

fn at(hours: i64) -> Timestamp {
    Timestamp::UNIX_EPOCH + SignedDuration::from_hours(24 * 365 + hours)
}

fn name(text: &str) -> RunbookName {
    RunbookName(text.to_owned())
}

fn written(text: &str, version: u64) -> WrittenRunbook {
    WrittenRunbook {
        name: name(text),
        source: format!("name = {text:?}\n"),
        changed_by: "ann@example.com".to_owned(),
        changed_at: at(0),
        version,
    }
}

fn application(action: &str, hours: i64) -> Application {
    Application {
        action: ActionId(action.to_owned()),
        recommendation: RecommendationId("r-1".to_owned()),
        runbook: name("mine"),
        connection: ConnectionId("c-1".to_owned()),
        resource: ResourceId::new("i-1"),
        name: "web-1".to_owned(),
        started_at: at(hours),
        finished_at: at(hours),
        verify_at: at(hours + 1),
        outcome: Outcome::Verifying,
        detail: String::new(),
        settled_at: None,
    }
}

fn breaker(resource: Option<&str>) -> Breaker {
    Breaker {
        runbook: name("mine"),
        resource: resource.map(|id| BreakerResource {
            connection: ConnectionId("c-1".to_owned()),
            id: ResourceId::new(id),
            name: id.to_owned(),
        }),
        opened_at: at(1),
        closes_at: at(100),
        failures: 2,
        reason: "the issue is still there".to_owned(),
        closed_at: None,
        closed_by: None,
    }
}

/// Runs the suite on an empty store.
///
/// # Errors
/// The store broke the contract.
pub async fn run<S: RunbookStore>(store: &S) -> Result<()> {
    written_by_people(store).await?;
    applied(store).await?;

    let (all, one) = (breaker(None), breaker(Some("i-1")));
    store.breaker_put(&one).await?;
    store.breaker_put(&all).await?;
    assert_eq!(store.breaker_list().await?, [all.clone(), one.clone()]);
    let closed = Breaker {
        closed_at: Some(at(2)),
        closed_by: Some("ann@example.com".to_owned()),
        ..one
    };
    store.breaker_put(&closed).await?;
    assert_eq!(
        store.breaker_list().await?,
        [all, closed],
        "one of a resource"
    );
    store.breaker_delete(&name("other")).await?;
    assert_eq!(store.breaker_list().await?.len(), 2);
    store.breaker_delete(&name("mine")).await?;
    assert!(store.breaker_list().await?.is_empty());
    Ok(())
}

async fn written_by_people<S: RunbookStore>(store: &S) -> Result<()> {
    let (first, second) = (written("alpha", 1), written("beta", 1));
    store.runbook_insert(&second).await?;
    store.runbook_insert(&first).await?;
    assert_eq!(store.runbook_list().await?, [first.clone(), second.clone()]);
    let again = store.runbook_insert(&first).await;
    assert!(matches!(again, Err(StoreError::Conflict(_))), "{again:?}");

    let changed = WrittenRunbook {
        source: "name = \"beta\"\n# changed\n".to_owned(),
        ..written("beta", 2)
    };
    store.runbook_update(&changed).await?;
    let stale = store.runbook_update(&written("beta", 2)).await;
    assert!(matches!(stale, Err(StoreError::Conflict(_))), "{stale:?}");
    store.runbook_delete(&first.name).await?;
    assert_eq!(store.runbook_list().await?, [changed]);
    let gone = store.runbook_delete(&first.name).await;
    assert!(matches!(gone, Err(StoreError::NotFound { .. })), "{gone:?}");
    Ok(())
}

async fn applied<S: RunbookStore>(store: &S) -> Result<()> {
    let (old, new) = (application("a-1", 1), application("a-2", 5));
    store.application_put(&old).await?;
    store.application_put(&new).await?;
    assert_eq!(
        store.application_list(at(0)).await?,
        [new.clone(), old.clone()]
    );
    assert_eq!(
        store.application_list(at(5)).await?,
        std::slice::from_ref(&new)
    );

    let settled = Application {
        outcome: Outcome::Ineffective,
        detail: "the issue is still there".to_owned(),
        settled_at: Some(at(6)),
        ..new
    };
    store.application_put(&settled).await?;
    let found = store.application_get(&settled.action).await?;
    assert_eq!(found, Some(settled.clone()));
    assert_eq!(
        store.application_get(&ActionId("a-3".to_owned())).await?,
        None
    );
    assert_eq!(store.application_expire(at(5)).await?, 1);
    assert_eq!(store.application_list(at(0)).await?, [settled]);
    Ok(())
}
