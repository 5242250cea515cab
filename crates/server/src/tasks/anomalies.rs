//! Watches metrics and behavior, and hands what is strange to the anomaly service.
//!
//! The log is followed from a cursor that moves once everything found before it is kept. Behavior
//! is judged by a past that lives in memory: after a start the entries before the cursor are read
//! for their lesson alone.

use std::sync::Arc;
use std::time::Duration;

use anyhow::Result;
use jiff::{SignedDuration, Timestamp};
use reeve_agents::security_intelligence::prediction;
use reeve_anomalies::threat::{ListState, Threats, together};
use reeve_anomalies::watch::{BehaviorWatch, MetricWatch};
use reeve_anomalies::{
    AnomalySettings, ChainScope, Finding, LessonThresholds, Position, TrainedBands, needed_from,
};
use reeve_audit::query::Query;
use reeve_estate::StoreError;
use reeve_ledger::TrailError;
use reeve_recommend::action::Action;
use reeve_recommend::agent::{Agent, AgentType};
use reeve_recommend::caller::Caller;
use reeve_sources::MetricSource;
use reeve_trail::Trail;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::service::Service;
use crate::tasks::context::TaskContext;

/// Time between two looks at new samples and entries.
const BEAT: Duration = Duration::from_secs(15);
/// Actions that ended longer ago were taken in by an earlier look.
const LATELY: SignedDuration = SignedDuration::from_hours(1);

/// State between two beats.
#[derive(Default)]
struct Watches {
    /// Unknown before the first look, when it is asked what the watch before the last stop has
    /// seen.
    metrics: Option<MetricWatch>,
    behavior: BehaviorWatch,
    threats: Threats,
    /// Learned thresholds of the last look.
    thresholds: LessonThresholds,
    /// Of the lists that `threats` was made of.
    lists: Vec<ListState>,
    /// Unknown before the first look.
    position: Option<Position>,
    /// Findings that could not be kept. The cursor stays before the entries they came from.
    unkept: Vec<Finding>,
}

pub(super) fn start(service: &Service, tracker: &TaskTracker, stop: &CancellationToken) {
    let (context, trail) = (service.tasks.clone(), service.trail.clone());
    let watches = Arc::new(tokio::sync::Mutex::new(Watches::default()));
    super::every(tracker, stop, BEAT, move || {
        let (context, trail, watches) = (context.clone(), trail.clone(), watches.clone());
        async move {
            let mut watches = watches.lock().await;
            if let Err(error) = watch(&context, &trail, &mut watches).await {
                context
                    .journal
                    .failed("anomalies", format!("{error:#}"))
                    .await;
            }
        }
    });
}

/// Evaluates new samples and entries, stores the anomalies, then advances the position. After a
/// crash the same anomalies are found again and stored once.
async fn watch(context: &TaskContext, trail: &Trail, watches: &mut Watches) -> Result<()> {
    watches.unkept = tell(context, std::mem::take(&mut watches.unkept)).await;
    if !watches.unkept.is_empty() {
        return Ok(());
    }

    let settings = context.anomalies.anomaly_settings_get().await?;
    // Before anything is read: what is recorded meanwhile is of the next look.
    let now = context.now();
    let (looked, cursor) = (
        context.anomalies.anomaly_looked_get().await?,
        context.anomalies.anomaly_cursor().await?,
    );
    let mut found = Vec::new();

    match context.anomaly_service.thresholds().await {
        Ok(thresholds) => watches.thresholds = thresholds,
        Err(error) => {
            tracing::warn!(%error, "learned thresholds could not be read; those of the last look are used")
        }
    }

    watches.behavior.set_thresholds(watches.thresholds.clone());
    match look(context, watches, &settings, looked).await {
        Ok(strange) => found.extend(strange),
        Err(error) => tracing::warn!(%error, "samples could not be watched"),
    }

    if let Err(error) = read_lists(context, watches).await {
        tracing::warn!(%error, "the threat lists could not be read");
    }

    let scopes = match security_agents(context).await {
        Ok(agents) => {
            let analyzes = |agent: &Agent| prediction::analyzes_resources(&agent.settings);
            watches
                .behavior
                .report_resources(agents.iter().any(analyzes));
            chain_scopes(&agents)
        }
        Err(error) => {
            tracing::warn!(%error, "agents could not be read; no attack chain is kept");
            Vec::new()
        }
    };

    let read = read_on(
        context,
        trail,
        watches,
        &settings,
        (cursor, looked),
        &mut found,
    )
    .await;

    watches.unkept = tell(context, found).await;
    let next = read?;
    keep_chains(context, watches, &scopes).await?;

    if watches.unkept.is_empty() {
        context.anomalies.anomaly_looked_put(now).await?;
        super::ignoring_conflicts(context.anomalies.anomaly_advance(cursor, next).await)?;
    }

    Ok(())
}

/// Agents that own the behavior of principals and resources.
async fn security_agents(context: &TaskContext) -> Result<Vec<Agent>, StoreError> {
    let mut agents = context.agents.agent_list(None).await?;
    agents.retain(|agent| agent.agent_type == AgentType::SECURITY_INTELLIGENCE);
    Ok(agents)
}

/// Parts of the estate whose attack chains agents predict.
fn chain_scopes(agents: &[Agent]) -> Vec<ChainScope> {
    let scope = |agent: &Agent| {
        Some(ChainScope {
            threshold: prediction::report_above(&agent.settings)?,
            scope: agent.scope.clone(),
        })
    };
    agents.iter().filter_map(scope).collect()
}

/// Keeps the attack chains that grew in this beat, and forgets those that are over.
async fn keep_chains(
    context: &TaskContext,
    watches: &mut Watches,
    scopes: &[ChainScope],
) -> Result<()> {
    let now = context.now();
    let grown = watches.behavior.take_chains(now);
    if grown.is_empty() {
        return Ok(());
    }

    let caller = Caller::system();
    context
        .anomaly_service
        .keep_chains(grown, scopes, &*context.evidence, &caller)
        .await?;
    Ok(context.anomaly_service.forget_chains(now).await?)
}

/// Judges samples that arrived since the last look.
async fn look(
    context: &TaskContext,
    watches: &mut Watches,
    settings: &AnomalySettings,
    looked: Option<Timestamp>,
) -> Result<Vec<Finding>, StoreError> {
    let now = context.now();
    let actions = match watches.metrics {
        Some(_) => changed_lately(context, now).await?,
        None => {
            context
                .agents
                .action_list(None, Some(needed_from(now)))
                .await?
        }
    };

    let mut metrics = match watches.metrics.take() {
        Some(metrics) => metrics,
        None => MetricWatch::after(looked),
    };
    match TrainedBands::load(&*context.models, metrics.bands(), now).await {
        Ok(bands) => metrics.set_bands(bands),
        Err(error) => {
            tracing::warn!(%error, "trained bands could not be read; those of the last look are used")
        }
    }

    metrics.set_thresholds(watches.thresholds.clone());
    match context.metric_sources.metric_source_list().await {
        Ok(sources) => metrics.set_sources(sources.iter().map(MetricSource::connection).collect()),
        Err(error) => {
            tracing::warn!(%error, "metric sources could not be read; those of the last look are used")
        }
    }

    let found = metrics
        .look(&*context.estate, &*context.samples, &actions, settings, now)
        .await;
    watches.metrics = Some(metrics);
    found
}

/// Actions that may have gone on since the last look.
async fn changed_lately(context: &TaskContext, now: Timestamp) -> Result<Vec<Action>, StoreError> {
    let lately = now - LATELY;
    let mut actions = context.agents.action_list(None, Some(lately)).await?;
    actions.extend(context.agents.action_unsettled(lately).await?);
    Ok(actions)
}

/// Makes the threat lists ready anew where one of them changed.
async fn read_lists(context: &TaskContext, watches: &mut Watches) -> Result<(), StoreError> {
    let lists = context.threats.threat_list_state().await?;
    if lists != watches.lists {
        watches.threats = Threats::new(&context.threats.threat_list_all().await?);
        watches.lists = lists;
    }
    Ok(())
}

/// Keeps what was found, and answers it. Returns what could not be kept.
async fn tell(context: &TaskContext, found: Vec<Finding>) -> Vec<Finding> {
    let caller = Caller::system();
    let mut unkept = Vec::new();

    for finding in found {
        if let Err(error) = context
            .anomaly_service
            .report(finding.clone(), &caller)
            .await
        {
            tracing::warn!(%error, "an anomaly could not be kept; it is tried again");
            unkept.push(finding);
        }
    }

    if let Err(error) = context.anomaly_service.settle(&caller).await {
        tracing::warn!(%error, "anomalies that are over could not be ended");
    }

    unkept
}

/// Judges entries since the last beat, some of them where many came, and adds what is strange to
/// `found`. Returns the next sequence to judge.
async fn read_on(
    context: &TaskContext,
    trail: &Trail,
    watches: &mut Watches,
    settings: &AnomalySettings,
    (cursor, looked): (Option<u64>, Option<Timestamp>),
    found: &mut Vec<Finding>,
) -> Result<u64, TrailError> {
    let follower = trail.follow(Query::all()).reading_together();
    let end = follower.end();
    let (mut position, until) = match watches.position {
        None => (Position::at_start(cursor, looked, end), end),
        Some(known) => {
            let position = known.going_on(cursor, end);
            (position, position.until(end))
        }
    };

    while let Some(stretch) = follower.next(position.next, until, context.now()).await? {
        for stored in &stretch.entries {
            if stored.entry.is_observation() {
                continue;
            }
            let strange = watches
                .behavior
                .observe(&stored.entry, stored.recorded_at, settings);
            if position.is_news(stored.sequence, stored.recorded_at) {
                let listed = || watches.threats.observe(&stored.entry, stored.recorded_at);
                found.extend(together(
                    strange,
                    settings.security.threat_intelligence.then(listed).flatten(),
                ));
            } else {
                // What was read for its lesson is no news: its chains go on from the next step.
                watches.behavior.forget_grown();
            }
        }
        position.next = stretch.to;
        watches.position = Some(position);
    }

    watches.position = Some(position);
    Ok(position.next)
}
