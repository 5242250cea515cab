//! Evaluates alert rules over the log, and tells the log of what fired.
//!
//! The position moves in the step that keeps firings and state, so a restart neither loses nor
//! doubles one. A firing is recorded after it is kept, under an identifier of its own, so that
//! recording it twice is once; channels are told by what follows the log (`deliveries`). A new
//! installation begins at the log's end.

use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context as _, Result};
use jiff::SignedDuration;
use reeve_access::{AccessError, ListError, with_lists};
use reeve_alerts::{
    AlertProgress, AlertRule, ClockStep, Evaluator, EvaluatorChanges, EvaluatorLimits, Observed,
    degraded_entry, firing_entry,
};
use reeve_audit::query::{Expr, Query};
use reeve_trail::Trail;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::service::Service;
use crate::tasks::context::TaskContext;

/// Time between two looks at the log.
const BEAT: Duration = Duration::from_secs(1);
/// Entries read at once.
const PAGE: usize = 2000;
/// Firings recorded at once.
const RECORDED: u64 = 500;
/// Pages after which counts are kept for people to see while the log does not end.
const PAGES: usize = 100;
/// A log that ends further ahead of the clock than this was written while the clock was wrong.
const AHEAD: SignedDuration = SignedDuration::from_mins(5);

/// Memory between two beats: the evaluator, and the state of the rules that it was given.
struct Watch {
    evaluator: Evaluator,
    generation: u64,
}

pub(super) fn start(service: &Service, tracker: &TaskTracker, stop: &CancellationToken) {
    let (context, trail) = (service.tasks.clone(), service.trail.clone());
    let watch = Arc::new(tokio::sync::Mutex::new(None));
    super::every(tracker, stop, BEAT, move || {
        let (context, trail, watch) = (context.clone(), trail.clone(), watch.clone());
        async move {
            let mut watch = watch.lock().await;
            if let Err(error) = evaluate(&context, &trail, &mut watch).await {
                // Memory may be ahead of what is kept: it is read anew.
                *watch = None;
                context.journal.failed("alerts", format!("{error:#}")).await;
            }
            if let Err(error) = record(&context).await {
                tracing::warn!(
                    error = format!("{error:#}"),
                    "firings were not recorded; it is tried again"
                );
            }
        }
    });
}

/// Evaluates the log to its end.
async fn evaluate(context: &TaskContext, trail: &Trail, slot: &mut Option<Watch>) -> Result<()> {
    let follower = trail
        .follow(Query::all())
        .with_entries(PAGE)
        .reading_together();
    for page in 1_usize.. {
        let end = follower.end();
        let Some(watch) = current(context, slot, end).await? else {
            continue;
        };
        let from = watch.evaluator.progress().position;
        if watch.evaluator.rules().0 == 0 {
            watch.evaluator.skip_to(end);
            if watch.evaluator.progress().position == from {
                break;
            }
        } else {
            let Some(stretch) = follower.next(from, end, context.now()).await? else {
                break;
            };
            for stored in &stretch.entries {
                let (sequence, recorded_at) = (stored.sequence, stored.recorded_at);
                watch.evaluator.observe(Observed {
                    sequence,
                    recorded_at,
                    entry: &stored.entry,
                });
            }
            watch.evaluator.skip_to(stretch.to);
        }
        let changes = watch.evaluator.take_changes();
        warn(context, &changes).await?;
        match context
            .alerts
            .alert_advance(Some(from), watch.evaluator.progress(), &changes)
            .await
        {
            Ok(()) => record(context).await?,
            // Another process has evaluated these entries; its state is read.
            Err(AccessError::Conflict(_)) => *slot = None,
            Err(error) => return Err(error.into()),
        }
        if page % PAGES == 0 {
            show(context, slot).await?;
        }
    }

    show(context, slot).await
}

/// Keeps the counts of rules for people to see.
async fn show(context: &TaskContext, slot: &mut Option<Watch>) -> Result<()> {
    let tallies = slot
        .as_mut()
        .map(|watch| watch.evaluator.take_tallies())
        .unwrap_or_default();
    if tallies.is_empty() {
        Ok(())
    } else {
        Ok(context.alerts.alert_tally_put(&tallies).await?)
    }
}

/// Tells the log of rules that count only in part from now on, and of steps of the clock. Before
/// the position moves, so that a sudden stop does not lose it: the entry of a rule has the same
/// identifier when it is written again.
async fn warn(context: &TaskContext, changes: &EvaluatorChanges) -> Result<()> {
    let new = changes.degraded.iter().filter(|degraded| degraded.is_new);
    for degraded in new {
        let (rule, bound) = (&degraded.rule_name, degraded.by.as_str());
        tracing::warn!(
            rule,
            bound,
            "an alert rule met a bound of its memory; it counts further groups or entries only in part"
        );
        context
            .journal
            .record_once(degraded_entry(degraded)?)
            .await?;
    }

    for ClockStep { sequence, from, to } in &changes.steps {
        let message = format!(
            "the clock of the service went back from {from} to {to} at entry {sequence}; alert rules count what was \
             recorded before by the order of the log"
        );
        context.journal.failed("alerts.clock", message).await;
    }

    Ok(())
}

/// Returns the evaluator with the rules as they are now; `None` after the log's end was made the
/// beginning.
async fn current<'w>(
    context: &TaskContext,
    slot: &'w mut Option<Watch>,
    end: u64,
) -> Result<Option<&'w mut Watch>> {
    let store = &context.alerts;
    let generation = store.alert_rule_generation().await?;
    if slot
        .as_ref()
        .is_none_or(|watch| watch.generation != generation)
    {
        let rules = with_values(context, store.alert_rule_list().await?).await?;
        if let Some(watch) = slot {
            watch.evaluator.set_rules(rules);
            watch.generation = generation;
        } else {
            let Some(progress) = store.alert_progress().await? else {
                let begin = AlertProgress {
                    position: end,
                    clock: None,
                };
                return match store
                    .alert_advance(None, begin, &EvaluatorChanges::default())
                    .await
                {
                    Ok(()) | Err(AccessError::Conflict(_)) => Ok(None),
                    Err(error) => Err(error.into()),
                };
            };
            if let Some(clock) = progress
                .clock
                .filter(|clock| clock.duration_since(context.now()) > AHEAD)
            {
                let message = format!(
                    "the log has entries of {clock}, which is ahead of the clock; alert rules count by the order of the \
                     log once it is written on"
                );
                context.journal.failed("alerts.clock", message).await;
            }
            let mut evaluator = Evaluator::new(EvaluatorLimits::default(), progress);
            evaluator.set_rules(rules);
            // State that another process has kept since belongs to a later position; the next move
            // is refused then.
            evaluator.restore(&store.alert_state().await?)?;
            *slot = Some(Watch {
                evaluator,
                generation,
            });
        }
    }

    Ok(slot.as_mut())
}

/// Returns rules with the values that their lists have now. A rule whose list is gone matches
/// nothing, and that is told.
async fn with_values(
    context: &TaskContext,
    mut rules: Vec<AlertRule>,
) -> Result<Vec<Arc<AlertRule>>> {
    for rule in &mut rules {
        rule.settings.query = match with_lists(context.lists.as_ref(), &rule.settings.query).await {
            Ok(query) => query,
            Err(ListError::Unknown(list)) => {
                let error = format!(
                    "the rule {} compares with the list {list}, which is gone",
                    rule.settings.name
                );
                context.journal.failed("alerts.list", error).await;
                Query {
                    expr: Expr::nothing(),
                }
            }
            Err(ListError::Store(error)) => return Err(error.into()),
        };
    }
    Ok(rules.into_iter().map(Arc::new).collect())
}

/// Records firings that the log does not tell of yet.
async fn record(context: &TaskContext) -> Result<()> {
    loop {
        let firings = context.alerts.firing_unrecorded(RECORDED).await?;
        let entries = firings
            .iter()
            .map(firing_entry)
            .collect::<Result<Vec<_>, _>>()?;
        context
            .journal
            .record_all_once(entries)
            .await
            .context("firings")?;
        let ids: Vec<_> = firings.iter().map(|firing| firing.id.clone()).collect();
        context.alerts.firing_recorded(&ids).await?;
        if firings.len() < usize::try_from(RECORDED)? {
            return Ok(());
        }
    }
}
