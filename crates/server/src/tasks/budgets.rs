//! Holds budgets against the bills in `charges/`, whenever a bill or a budget changed or a day has
//! passed, and raises alerts.
//!
//! How a budget stands and the alerts that follow are kept in one step, so that each threshold is
//! told once a period, also over a restart or with two processes. An alert is recorded after it is
//! kept, under an identifier of its own, so that recording it twice is once; channels are told by
//! what follows the log (`deliveries`).

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context as _, Result};
use reeve_anomalies::budget::{Budget, alert_entry, evaluate};
use reeve_audit::{Json, events};
use tokio::sync::Mutex;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::adapters::bills::{self, Bill};
use crate::service::Service;
use crate::tasks::context::TaskContext;

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
    let (context, folder) = (
        service.tasks.clone(),
        service.config.data_dir.join("charges"),
    );
    let seen = Arc::new(Mutex::new(Seen::default()));
    let beat = Duration::from_secs(service.config.charges_every_s);
    super::every(tracker, stop, beat, move || {
        let (context, folder, seen) = (context.clone(), folder.clone(), seen.clone());
        async move {
            let mut seen = seen.lock().await;
            if let Err(error) = look(&context, bills::files(&folder), &mut seen).await {
                context
                    .journal
                    .failed("budgets", format!("{error:#}"))
                    .await;
            }
            if let Err(error) = record(&context).await {
                context
                    .journal
                    .failed("budgets.record", format!("{error:#}"))
                    .await;
            }
        }
    });
}

async fn look(context: &TaskContext, bills: Vec<Bill>, seen: &mut Seen) -> Result<()> {
    let budgets: Vec<Budget> = context
        .budgets
        .budget_list()
        .await?
        .into_iter()
        .map(|(budget, _)| budget)
        .collect();

    let versions = budgets
        .iter()
        .map(|budget| (budget.id.0.clone(), budget.version))
        .collect();
    let now = context.now();
    let current = Seen {
        bills,
        day: now.as_second().div_euclid(86_400),
        versions,
    };

    if budgets.is_empty() || current == *seen {
        return Ok(());
    }

    let bills = current.bills.clone();
    let evaluated = tokio::task::spawn_blocking(move || {
        // What reads the bills for spending records those that cannot be read.
        let (charges, _) = bills::read(&bills);
        budgets
            .into_iter()
            .map(|budget| (evaluate(&budget, &charges, now), budget))
            .collect::<Vec<_>>()
    });

    let mut raised = 0;
    for (standing, budget) in evaluated.await? {
        let alerts = budget.alerts(&standing);
        raised += alerts.len();
        context
            .budgets
            .budget_evaluated(&budget, &standing, &alerts)
            .await?;
    }

    let done = super::done(&events::TASK, "evaluate_budgets", "budgets");
    let done = done
        .with_metadata("budgets", Json::from(current.versions.len()))
        .with_metadata("thresholds_reached", raised);
    context.journal.record_outcome(done).await;
    *seen = current;

    Ok(())
}

/// Records alerts that the log does not tell of yet.
async fn record(context: &TaskContext) -> Result<()> {
    loop {
        let waiting = context.budgets.budget_alerts_unrecorded(RECORDED).await?;
        for alert in &waiting {
            context
                .journal
                .record_once(alert_entry(alert)?)
                .await
                .with_context(|| format!("budget alert {}", alert.id))?;
            context.budgets.budget_alert_recorded(&alert.id).await?;
        }
        if waiting.len() < usize::try_from(RECORDED)? {
            return Ok(());
        }
    }
}
