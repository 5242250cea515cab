//! Watching a change after it stuck: the resource's metrics of the same hours before and after are
//! compared until the window ends. What got worse is undone at once; a resource that somebody else
//! changed is no longer ours to judge.
//!
//! The share of samples at their limit is compared ([`crate::execution::pressure`]), against
//! `performance_impact.max_degradation`. A change whose effect no metric shows (a volume's type, a
//! tag, a stop) is judged by the state that it left: when the window ends and nobody changed it, it
//! held. A change that compares what is observed (an index of a database) is judged when the window
//! ends.

use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};
use reeve_audit::{ActionStatus, Json, Obstacle, Severity};
use reeve_estate::Resource;
use reeve_learn::compare::{Bar, Comparison, ComparisonVerdict};
use reeve_recommend::action::{Action, Watch, WatchVerdict};
use reeve_recommend::caller::Caller;
use reeve_recommend::change::{EffectEvidence, EffectJudgement};
use reeve_recommend::error::EngineError;
use reeve_recommend::guardrail::Guardrails;
use reeve_recommend::recommendation::Recommendation;

use crate::execution::pressure::{PressureComparison, PressureSpan, compare_pressure};
use crate::execution::{ExecutionService, savings};
use crate::log_entry;

/// Looks at one change are at least this far apart.
const EVERY: SignedDuration = SignedDuration::from_mins(1);
/// Looks before the window ends need more certainty, since there are many of them.
const EARLY_P: f64 = 0.0005;
/// The last look's certainty.
const FINAL_P: f64 = 0.01;
/// Detail of a verdict that rests on the state.
pub(super) const STATE_STANDS: &str =
    "its state is as the change left it; no metric shows the effect of such a change";
/// Detail of the same while the window lasts.
pub(super) const STATE_WATCHED: &str =
    "no metric shows the effect of such a change, so its state is watched";
/// An hour of five-minute samples.
const SAMPLES: usize = 12;
impl ExecutionService {
    /// Looks at every change of these whose window has not ended. Returns how many verdicts were
    /// reached.
    pub(crate) async fn watch_changes(
        self: &Arc<Self>,
        unsettled: Vec<Action>,
        caller: &Caller,
    ) -> Result<u64, EngineError> {
        let now = self.records.clock.now();
        let watched: Vec<Action> = unsettled.into_iter().filter(Action::is_watched).collect();

        // What is no longer watched, or was undone by hand, is no longer looked at.
        self.looks
            .lock()
            .retain(|id, _| watched.iter().any(|action| action.id == *id));
        let mut reached = 0;

        for action in watched {
            let Some(watch) = action
                .watch
                .clone()
                .filter(|watch| self.look_is_due(&action, watch, now))
            else {
                continue;
            };
            match self.watch_one(action, &watch, now, caller).await {
                Ok(verdict) => reached += u64::from(verdict),
                // Somebody undid it while it was looked at.
                Err(EngineError::Conflict(_)) => {}
                Err(error) => return Err(error),
            }
        }

        Ok(reached)
    }

    fn look_is_due(&self, action: &Action, watch: &Watch, now: Timestamp) -> bool {
        let mut looks = self.looks.lock();
        let due = watch.until <= now
            || looks
                .get(&action.id)
                .is_none_or(|last| now.duration_since(*last) >= EVERY);
        if due {
            looks.insert(action.id.clone(), now);
        }
        due
    }

    async fn watch_one(
        self: &Arc<Self>,
        action: Action,
        watch: &Watch,
        now: Timestamp,
        caller: &Caller,
    ) -> Result<bool, EngineError> {
        let recommendation = self
            .records
            .agents
            .recommendation_get(&action.recommendation)
            .await?;
        let limits = self.records.agents.guardrails_get().await?;
        let resource = self.resource_of(&recommendation).await.ok();
        let succession = self.succession(&recommendation).await?;
        // The end of a machine that was replaced is no change of others: its successor stands for
        // it.
        let changed_by_others = match succession.known() {
            Some(_) => succession.departure(),
            None => resource
                .as_ref()
                .and_then(|resource| difference(&action, resource)),
        };
        let ends = watch.until <= now;
        let (verdict, detail) = match (&resource, changed_by_others) {
            (None, None) if succession.known().is_some() && !ends => return Ok(false),
            (None, None) if succession.known().is_some() => {
                (WatchVerdict::Holds, STATE_STANDS.to_owned())
            }
            (None, _) if savings::is_removal(&action) && !ends => return Ok(false),
            (None, _) if savings::is_removal(&action) => {
                (WatchVerdict::Holds, STATE_STANDS.to_owned())
            }
            (None, _) => (WatchVerdict::Overruled, "the resource is gone".to_owned()),
            (_, Some(words)) => (WatchVerdict::Overruled, words),
            (Some(_), None) if self.effect_evidence(&recommendation) == EffectEvidence::State => {
                if !ends {
                    return Ok(false);
                }
                (WatchVerdict::Holds, STATE_STANDS.to_owned())
            }
            (Some(_), None) if self.effect_evidence(&recommendation) == EffectEvidence::Flows => {
                match self.judge_flows(&action, &recommendation, ends).await? {
                    Some(reached) => reached,
                    None => return Ok(false),
                }
            }
            (Some(_), None)
                if self.effect_evidence(&recommendation) == EffectEvidence::Observation =>
            {
                if !ends {
                    return Ok(false);
                }
                self.judge_observation(&action, &recommendation).await
            }
            (Some(resource), None) => {
                let compared = self
                    .compare_metrics(&action, resource, &limits, ends, now)
                    .await?;
                match judged(&compared, ends) {
                    Some(reached) => reached,
                    None => return Ok(false),
                }
            }
        };

        let realised = (verdict != WatchVerdict::Overruled)
            .then(|| {
                savings::realised(
                    &recommendation,
                    &action,
                    (resource.as_ref(), &succession),
                    &self.ports.catalogue,
                )
            })
            .flatten();
        let basis = realised.and(recommendation.savings_basis());

        let watched = Watch {
            verdict,
            detail,
            realised_monthly: realised,
            basis,
            ..watch.clone()
        };
        self.conclude(action, watched, &recommendation, &limits, caller)
            .await?;

        Ok(true)
    }

    /// Records a verdict, keeps it, and undoes what got worse.
    async fn conclude(
        self: &Arc<Self>,
        action: Action,
        watched: Watch,
        recommendation: &Recommendation,
        limits: &Guardrails,
        caller: &Caller,
    ) -> Result<(), EngineError> {
        let degraded = watched.verdict == WatchVerdict::Degraded;
        let status = if degraded {
            ActionStatus::Failed
        } else {
            ActionStatus::Success
        };

        let mut entry = log_entry::action("action.watch", status, &action, recommendation, caller)
            .after(Json::object([
                ("verdict", Json::from(watched.verdict.as_str())),
                ("detail", Json::from(watched.detail.clone())),
                (
                    "predicted_savings_monthly_usd",
                    Json::from(
                        recommendation
                            .expected_savings()
                            .map(|money| money.usd_cents()),
                    ),
                ),
                (
                    "realised_savings_monthly_usd",
                    Json::from(watched.realised_monthly.map(|money| money.usd_cents())),
                ),
                (
                    "savings_basis",
                    Json::from(watched.basis.map(|basis| basis.as_str())),
                ),
            ]));

        if degraded {
            entry = entry.with_severity(Severity::Medium);
        }

        self.records.record(vec![entry]).await?;
        let id = action.id.clone();
        let reason = match self.effect_evidence(recommendation) {
            EffectEvidence::Observation => format!("it did not help: {}", watched.detail),
            _ => format!("it got worse after the change: {}", watched.detail),
        };
        let kept = Action {
            watch: Some(watched),
            version: action.version + 1,
            ..action
        };
        self.records.agents.action_update(&kept).await?;
        let reversible = recommendation
            .plan
            .as_ref()
            .is_some_and(|plan| plan.reversible);

        if degraded && limits.rollback_automatic && reversible {
            match self.rollback_because(&id, reason, caller).await {
                Err(error) if error.is_outage() => return Err(error),
                Err(error) => {
                    tracing::warn!(%error, action = %id.0, "the change that made it worse could not be rolled back")
                }
                Ok(_) => {}
            }
        }

        Ok(())
    }

    async fn compare_metrics(
        &self,
        action: &Action,
        resource: &Resource,
        limits: &Guardrails,
        ends: bool,
        now: Timestamp,
    ) -> Result<Vec<PressureComparison>, EngineError> {
        let Some(changed) = action.finished_at else {
            return Ok(Vec::new());
        };
        let bar = Bar {
            p_value: if ends { FINAL_P } else { EARLY_P },
            effect: (limits.max_degradation_percent / 100.0).max(0.005),
            samples: SAMPLES,
        };

        let ports = (&*self.ports.estate, &*self.ports.samples);
        compare_pressure(
            ports,
            resource,
            PressureSpan {
                began: action.started_at,
                changed,
                now,
            },
            bar,
        )
        .await
    }

    /// Observes the resource, and has the change compare it with the one before.
    async fn judge_observation(
        &self,
        action: &Action,
        recommendation: &Recommendation,
    ) -> (WatchVerdict, String) {
        let judged = async {
            let procedure = self.procedure(recommendation).map_err(Obstacle::of)?;
            let prior = action.prior.as_deref();
            let prior = prior.ok_or_else(|| Obstacle::of("the state before was not kept"))?;
            let (_, act) = self.ports.clouds.actor(&action.connection).await?;
            let seen = act.observe_configuration(prior).await;
            let seen = seen.map_err(Obstacle::of)?.resource;
            Ok::<_, Obstacle>(procedure.change().judge_effect(prior, &seen))
        };
        match judged.await {
            Ok(EffectJudgement::Good(detail)) => (WatchVerdict::Holds, detail),
            Ok(EffectJudgement::Harmful(detail)) => (WatchVerdict::Degraded, detail),
            Ok(EffectJudgement::Unknown(detail)) => (WatchVerdict::NotEnoughData, detail),
            Err(obstacle) => (WatchVerdict::NotEnoughData, obstacle.to_string()),
        }
    }

    /// Evidence of the change that a recommendation's plan names; the load where this release
    /// cannot read it.
    fn effect_evidence(&self, recommendation: &Recommendation) -> EffectEvidence {
        self.procedure(recommendation)
            .map_or(EffectEvidence::Load, |procedure| {
                procedure.change().effect_evidence()
            })
    }
}

/// The verdict, where there is one: worse at any look, anything else only when the window ends.
fn judged(compared: &[PressureComparison], ends: bool) -> Option<(WatchVerdict, String)> {
    let words = |one: &PressureComparison| {
        let Comparison {
            before,
            after,
            p_value,
            effect,
            ..
        } = one.found;
        format!(
            "{}: {:+.1} points of samples at their limit ({after} samples after, {before} before in the same hours, p {p_value:.4})",
            one.metric,
            effect * 100.0
        )
    };

    if let Some(worse) = compared
        .iter()
        .find(|one| one.found.verdict == ComparisonVerdict::Degraded)
    {
        return Some((WatchVerdict::Degraded, words(worse)));
    }

    if !ends {
        return None;
    }

    let held: Vec<String> = compared
        .iter()
        .filter(|one| one.found.verdict == ComparisonVerdict::Holds)
        .map(words)
        .collect();

    if held.is_empty() {
        let most = compared
            .iter()
            .map(|one| one.found.after)
            .max()
            .unwrap_or(0);
        let detail = format!("{most} samples after the change, {SAMPLES} are needed");
        return Some((WatchVerdict::NotEnoughData, detail));
    }

    Some((WatchVerdict::Holds, held.join("; ")))
}

/// Describes how the resource differs from the state that the change left, if somebody changed it
/// since.
pub(super) fn difference(action: &Action, resource: &Resource) -> Option<String> {
    let left = action
        .steps
        .iter()
        .rev()
        .find(|step| !step.rollback && step.ok == Some(true) && !step.after.is_empty())?;
    left.after.iter().find_map(|(field, wanted)| {
        let found = match field.as_str() {
            "instance_type" => resource.specification.instance_type.as_deref(),
            "state" if resource.state == reeve_estate::ResourceState::Changing => None,
            "state" => Some(resource.state.as_str()),
            _ => None,
        };
        found
            .filter(|found| found != wanted)
            .map(|found| format!("{field} is {found}, not {wanted}: it was changed outside Reeve"))
    })
}
