//! Holds budgets against the bills in `charges/`, whenever a bill or a budget changed or a day has passed, and raises alerts.
//!
//! How a budget stands and the alerts that follow are kept in one step, so that each threshold is told once a period, also over a
//! restart or with two processes. An alert is recorded after it is kept, under an identifier of its own, so that recording it
//! twice is once; channels are told by what follows the log (`deliveries`).

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context as _, Result};
use reeve_anomalies::budget::{Budget, BudgetAlert, Standing, evaluate};
use reeve_audit::{ActionMethod, ActionStatus, Actor, Entry, EventId, Json, ResourceRef, events};
use reeve_http::App;
use tokio::sync::Mutex;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::charges::{self, Bill};
use crate::service::Service;

/// Alerts recorded at once.
const RECORDED: u64 = 100;

/// Bills and the day that budgets were held against last, with the version of each.
#[derive(Debug, Default, PartialEq)]
struct Seen {
    bills: Vec<Bill>,
    day: i64,
    versions: BTreeMap<String, u64>,
}

pub(super) fn start(service: &Service, tracker: &TaskTracker, stop: &CancellationToken) {
    let (app, folder) = (service.app.clone(), service.config.data_dir.join("charges"));
    let seen = Arc::new(Mutex::new(Seen::default()));
    let beat = Duration::from_secs(service.config.charges_every_s);
    super::every(tracker, stop, beat, move || {
        let (app, folder, seen) = (app.clone(), folder.clone(), seen.clone());
        async move {
            let mut seen = seen.lock().await;
            if let Err(error) = look(&app, charges::files(&folder), &mut seen).await {
                app.failed("budgets", format!("{error:#}")).await;
            }
            if let Err(error) = record(&app).await {
                app.failed("budgets.record", format!("{error:#}")).await;
            }
        }
    });
}

async fn look(app: &App, bills: Vec<Bill>, seen: &mut Seen) -> Result<()> {
    let budgets: Vec<Budget> = app.budgets.budget_list().await?.into_iter().map(|(budget, _)| budget).collect();
    let versions = budgets.iter().map(|budget| (budget.id.0.clone(), budget.version)).collect();
    let now = app.now();
    let current = Seen { bills, day: now.as_second().div_euclid(86_400), versions };
    if budgets.is_empty() || current == *seen {
        return Ok(());
    }
    let bills = current.bills.clone();
    let evaluated = tokio::task::spawn_blocking(move || {
        // What reads the bills for spending records those that cannot be read.
        let (charges, _) = charges::read(&bills);
        budgets.into_iter().map(|budget| (evaluate(&budget, &charges, now), budget)).collect::<Vec<_>>()
    });
    let mut raised = 0;
    for (standing, budget) in evaluated.await? {
        let alerts = alerts(&budget, &standing);
        raised += alerts.len();
        app.budgets.budget_evaluated(&budget, &standing, &alerts).await?;
    }
    let done = super::done(&events::TASK, "evaluate_budgets", "budgets");
    let done =
        done.with_metadata("budgets", Json::from(current.versions.len())).with_metadata("thresholds_reached", raised);
    app.record_outcome(done).await;
    *seen = current;
    Ok(())
}

fn alerts(budget: &Budget, standing: &Standing) -> Vec<BudgetAlert> {
    let reached = budget.reached(standing).into_iter();
    reached
        .map(|(threshold, value)| BudgetAlert {
            id: uuid::Uuid::now_v7().to_string(),
            budget: budget.id.clone(),
            budget_name: budget.name.clone(),
            period_start: standing.span.start,
            threshold,
            value,
            amount: budget.amount,
            currency: budget.currency.clone(),
            raised_at: standing.evaluated_at,
        })
        .collect()
}

/// Records alerts that the log does not tell of yet.
async fn record(app: &App) -> Result<()> {
    loop {
        let waiting = app.budgets.budget_alerts_unrecorded(RECORDED).await?;
        for alert in &waiting {
            super::record_once(app, entry(alert)?).await.with_context(|| format!("budget alert {}", alert.id))?;
            app.budgets.budget_alert_recorded(&alert.id).await?;
        }
        if waiting.len() < usize::try_from(RECORDED)? {
            return Ok(());
        }
    }
}

/// The entry of an alert. It holds what never changes of it, so that it reads the same when it is written again.
fn entry(alert: &BudgetAlert) -> Result<Entry> {
    Ok(Entry::of(&events::BUDGET_ALERT)
        .with_id(EventId::new(alert.id.clone())?)
        .at(alert.raised_at)
        .by(Actor::system())
        .on(ResourceRef::new("budget", alert.budget.0.clone()))
        .with_action(events::BUDGET_ALERT.name, ActionStatus::Success, ActionMethod::System)
        .with_metadata("budget_name", alert.budget_name.clone())
        .with_metadata("threshold_percent", Json::from(alert.threshold.percent))
        .with_metadata("basis", alert.threshold.basis.as_str())
        .with_metadata("value", alert.value.rounded(2).to_string())
        .with_metadata("amount", alert.amount.to_string())
        .with_metadata("currency", alert.currency.clone())
        .with_metadata("period_start", alert.period_start.to_string()))
}
