//! Contract of every [`BudgetStore`].

use std::sync::Arc;

use anyhow::Result;
use jiff::Timestamp;
use jiff::civil::date;
use reeve_anomalies::budget::{
    Basis, Budget, BudgetAlert, BudgetId, BudgetScope, BudgetSpan, BudgetStatus, BudgetStore,
    BudgetThreshold, Period,
};
use reeve_estate::{Amount, StoreError};

fn at(second: i64) -> Result<Timestamp> {
    Ok(Timestamp::from_second(1_800_000_000 + second)?)
}

/// A budget with something in every field.
///
/// # Errors
/// None, as long as the amount is right.
pub fn budget(id: &str, name: &str) -> Result<Budget> {
    Ok(Budget {
        id: BudgetId(id.to_owned()),
        name: name.to_owned(),
        // More digits than a double has.
        amount: "12345678901234.5678".parse()?,
        currency: "EUR".to_owned(),
        period: Period::Quarter,
        scope: BudgetScope {
            providers: vec!["AWS".to_owned()],
            accounts: vec!["111122223333".to_owned()],
            services: vec!["Amazon \"EC2\"; é".to_owned()],
            tags: vec![("env".to_owned(), "prod".to_owned())],
        },
        thresholds: vec![
            BudgetThreshold {
                percent: 80,
                basis: Basis::Actual,
            },
            BudgetThreshold {
                percent: 100,
                basis: Basis::Forecast,
            },
        ],
        channels: vec!["email".to_owned()],
        recipients: vec!["finance@acme.example".to_owned()],
        created_at: at(0)?,
        updated_at: at(1)?,
        version: 1,
    })
}

/// A standing with something in every field.
///
/// # Errors
/// None, as long as the amounts are right.
pub fn standing(forecast: Result<&str, &str>) -> Result<BudgetStatus> {
    let forecast = match forecast {
        Ok(amount) => Ok(amount.parse()?),
        Err(reason) => Err(reason.into()),
    };
    Ok(BudgetStatus {
        span: BudgetSpan {
            start: date(2027, 1, 1),
            end: date(2027, 4, 1),
        },
        spent: "0.0001".parse()?,
        forecast,
        data_until: Some(date(2027, 1, 14)),
        days: vec![(date(2027, 1, 2), "-3.5".parse()?)],
        ahead: vec![(date(2027, 1, 15), "7.25".parse()?)],
        not_counted: vec![("USD".to_owned(), "9".parse()?)],
        evaluated_at: at(2)?,
    })
}

/// An alert with something in every field.
///
/// # Errors
/// None, as long as the amount is right.
pub fn alert(id: &str, budget: &Budget, percent: u32, second: i64) -> Result<BudgetAlert> {
    Ok(BudgetAlert {
        id: id.to_owned(),
        budget: budget.id.clone(),
        budget_name: budget.name.clone(),
        period_start: date(2027, 1, 1),
        threshold: BudgetThreshold {
            percent,
            basis: Basis::Actual,
        },
        value: "1000.01".parse()?,
        amount: budget.amount,
        currency: budget.currency.clone(),
        raised_at: at(second)?,
    })
}

fn is_conflict(outcome: &std::result::Result<(), StoreError>) -> bool {
    matches!(outcome, Err(StoreError::Conflict(_)))
}

fn is_missing<T>(outcome: &std::result::Result<T, StoreError>) -> bool {
    matches!(outcome, Err(StoreError::NotFound { .. }))
}

/// Runs the suite on an empty store.
///
/// # Errors
/// The store's failure; broken promises panic.
pub async fn run(store: Arc<dyn BudgetStore>) -> Result<()> {
    budgets(&*store).await?;
    standings_and_alerts(&*store).await?;
    two_processes_keep_each_alert_once(store).await
}

async fn budgets(store: &dyn BudgetStore) -> Result<()> {
    let (first, second) = (budget("b-1", "b; DROP TABLE budgets")?, budget("b-2", "a")?);
    store.budget_insert(&first, 2).await?;
    assert!(
        is_conflict(&store.budget_insert(&budget("b-3", &first.name)?, 2).await),
        "a name in use"
    );
    store.budget_insert(&second, 2).await?;
    assert!(
        is_conflict(&store.budget_insert(&budget("b-3", "c")?, 2).await),
        "one too many"
    );
    assert_eq!(store.budget_get(&first.id).await?, first);
    assert_eq!(
        store.budget_list().await?,
        [(second.clone(), None), (first.clone(), None)]
    );

    let changed = Budget {
        version: 2,
        amount: Amount::from_f64(10.0),
        period: Period::Year,
        ..first.clone()
    };
    store.budget_update(&changed).await?;

    assert_eq!(store.budget_get(&first.id).await?, changed);
    assert!(
        is_conflict(&store.budget_update(&changed).await),
        "a stale version"
    );
    assert!(is_conflict(
        &store
            .budget_update(&Budget {
                version: 3,
                name: second.name.clone(),
                ..changed
            })
            .await
    ));

    assert!(is_missing(&store.budget_update(&budget("b-9", "z")?).await));
    for budget in [&first, &second] {
        store.budget_delete(&budget.id).await?;
        assert!(
            is_missing(&store.budget_delete(&budget.id).await)
                && is_missing(&store.budget_get(&budget.id).await)
        );
    }

    Ok(())
}

async fn standings_and_alerts(store: &dyn BudgetStore) -> Result<()> {
    let (one, other) = (budget("s-1", "one")?, budget("s-2", "other")?);
    store.budget_insert(&one, 9).await?;
    store.budget_insert(&other, 9).await?;
    let (first, second) = (alert("al-1", &one, 50, 10)?, alert("al-2", &one, 80, 11)?);
    store
        .budget_evaluated(&one, &standing(Ok("4000.5"))?, std::slice::from_ref(&first))
        .await?;
    let unforeseen = standing(Err("too few days"))?;
    let again = alert("al-9", &one, 50, 12)?;
    store
        .budget_evaluated(&one, &unforeseen, &[again, second.clone()])
        .await?;
    assert_eq!(
        store.budget_list().await?,
        [(one.clone(), Some(unforeseen)), (other.clone(), None)]
    );
    assert_eq!(
        store.budget_alerts(Some(&one.id), 9).await?,
        [second.clone(), first.clone()],
        "once a threshold"
    );

    assert_eq!(
        store.budget_alerts(None, 1).await?,
        std::slice::from_ref(&second)
    );
    assert!(store.budget_alerts(Some(&other.id), 9).await?.is_empty());
    assert_eq!(store.budget_alert_get("al-1").await?, first);
    assert!(is_missing(&store.budget_alert_get("al-9").await));

    assert_eq!(
        store.budget_alerts_unrecorded(1).await?,
        std::slice::from_ref(&first),
        "oldest first"
    );
    store.budget_alert_recorded(&first.id).await?;
    assert_eq!(
        store.budget_alerts_unrecorded(9).await?,
        std::slice::from_ref(&second)
    );

    // A changed budget has no standing until it is evaluated as it is now; another amount has
    // thresholds of its own.
    let raised = Budget {
        version: 2,
        amount: Amount::from_f64(20.0),
        ..one.clone()
    };
    store.budget_update(&raised).await?;
    assert_eq!(store.budget_list().await?[0], (raised.clone(), None));
    store
        .budget_evaluated(&one, &standing(Ok("1"))?, &[alert("al-3", &one, 90, 13)?])
        .await?;
    assert_eq!(
        store.budget_list().await?[0].1,
        None,
        "of an earlier version nothing is kept"
    );

    store
        .budget_evaluated(
            &raised,
            &standing(Ok("1"))?,
            &[alert("al-4", &raised, 50, 14)?],
        )
        .await?;

    let ids =
        |alerts: Vec<BudgetAlert>| alerts.into_iter().map(|alert| alert.id).collect::<Vec<_>>();
    assert_eq!(
        ids(store.budget_alerts(Some(&one.id), 9).await?),
        ["al-4", "al-2", "al-1"]
    );
    store.budget_delete(&one.id).await?;
    assert!(
        store.budget_alerts(None, 9).await?.is_empty()
            && store.budget_alerts_unrecorded(9).await?.is_empty()
    );
    store.budget_delete(&other.id).await?;

    Ok(())
}

async fn two_processes_keep_each_alert_once(store: Arc<dyn BudgetStore>) -> Result<()> {
    let one = budget("r-1", "raced")?;
    store.budget_insert(&one, 9).await?;
    let mut tasks = tokio::task::JoinSet::new();

    for process in 0..8 {
        let (store, one) = (Arc::clone(&store), one.clone());
        tasks.spawn(async move {
            let alerts = [
                alert(&format!("race-{process}"), &one, 50, 20)?,
                alert(&format!("rice-{process}"), &one, 80, 20)?,
            ];
            anyhow::Ok(
                store
                    .budget_evaluated(&one, &standing(Ok("1"))?, &alerts)
                    .await?,
            )
        });
    }

    while let Some(outcome) = tasks.join_next().await {
        outcome??;
    }

    assert_eq!(store.budget_alerts(Some(&one.id), 99).await?.len(), 2);
    Ok(store.budget_delete(&one.id).await?)
}
