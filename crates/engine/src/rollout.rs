//! Rollouts as users request them: begin, stop, resume, abort. What they do by themselves is in
//! `advance`.

mod advance;
mod log_entry;
mod permit;
mod staging;

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use jiff::Timestamp;
use parking_lot::Mutex;
use reeve_audit::{ActionStatus, FieldCode, FieldError, Severity};
use reeve_estate::{Resource, ResourceId};
use reeve_recommend::agent::{Agent, AgentId, Mode};
use reeve_recommend::caller::Caller;
use reeve_recommend::error::EngineError;
use reeve_recommend::judgement::assessment::{is_production, non_production};
use reeve_recommend::ports::RecommendationFilter;
use reeve_recommend::recommendation::lifecycle::Status;
use reeve_recommend::recommendation::{Recommendation, RecommendationId, RecommendationType};
use reeve_recommend::rollout::{
    Gate, MAX_MEMBERS, MemberState, Rollout, RolloutFilter, RolloutId, RolloutSettings,
    RolloutStatus, RolloutStore, Stage, Verdict, WaveCandidate, waves,
};

use crate::execution::ExecutionService;
use crate::execution::request::planned;
use crate::guard::limits::GuardrailService;
use crate::records::{Records, fresh_id, needed, optional};
use log_entry::rollout_entry;

pub(super) use staging::Staging;

/// Request for a rollout.
#[derive(Debug, Clone)]
pub struct RolloutInput {
    /// Agent that made the recommendations.
    pub agent: AgentId,
    /// Of which kind (`right_size`, ...).
    pub kind: String,
    /// One line for people; made up where it is left out.
    pub name: Option<String>,
    /// Recommendations to roll out; an empty list selects all open ones.
    pub recommendations: Vec<RecommendationId>,
    /// Sizes and limits of the stages.
    pub settings: RolloutSettings,
}

/// Rollouts: begun, advanced stage by stage, held, stopped, resumed.
pub struct RolloutService {
    pub(super) records: Arc<Records>,
    pub(super) guardrails: Arc<GuardrailService>,
    pub(super) execution: Arc<ExecutionService>,
    /// `None` where none are kept.
    pub(super) rollouts: Option<Arc<dyn RolloutStore>>,
    /// Time of the last look at each rollout.
    pub(super) looks: Mutex<BTreeMap<RolloutId, Timestamp>>,
}

impl RolloutService {
    /// Creates the service; without a store no rollouts are kept and agents execute without stages.
    #[must_use]
    pub fn new(
        records: Arc<Records>,
        guardrails: Arc<GuardrailService>,
        execution: Arc<ExecutionService>,
        rollouts: Option<Arc<dyn RolloutStore>>,
    ) -> Self {
        RolloutService {
            records,
            guardrails,
            execution,
            rollouts,
            looks: Mutex::new(BTreeMap::new()),
        }
    }

    pub(super) fn rollout_store(&self) -> Result<&Arc<dyn RolloutStore>, EngineError> {
        self.rollouts.as_ref().ok_or_else(|| {
            EngineError::Conflict("this installation does not store rollouts".to_owned())
        })
    }

    /// One rollout.
    ///
    /// # Errors
    /// [`EngineError::NotFound`].
    pub async fn rollout_get(&self, id: &RolloutId) -> Result<Rollout, EngineError> {
        Ok(self.rollout_store()?.rollout_get(id).await?)
    }

    /// Rollouts, newest first, and how many there are in all.
    ///
    /// # Errors
    /// The store failed.
    pub async fn rollout_list(
        &self,
        filter: &RolloutFilter,
    ) -> Result<(Vec<Rollout>, u64), EngineError> {
        Ok(self.rollout_store()?.rollout_list(filter).await?)
    }

    /// Begins a rollout of an agent's open recommendations of one kind. It continues by itself, a
    /// stage at a time.
    ///
    /// # Errors
    /// [`EngineError::Invalid`] with every failing field, [`EngineError::Learning`], a conflict
    /// while another of the same agent and kind has not ended, or when there is nothing to carry.
    pub async fn rollout_begin(
        &self,
        input: RolloutInput,
        caller: &Caller,
    ) -> Result<Rollout, EngineError> {
        let kind = sound(&input)?;
        let agent = self.records.agents.agent_get(&input.agent).await?;
        if agent.mode == Mode::Learning {
            return Err(EngineError::Learning { agent: agent.id.0 });
        }

        let _turn = self.records.turn.lock().await;
        let (carried, left) = self.carried(&agent, kind, &input).await?;

        if carried.is_empty() {
            let why = if left.is_empty() {
                String::new()
            } else {
                format!(": {}", left.join("; "))
            };
            return Err(EngineError::Conflict(format!(
                "no open recommendation of type {kind} qualifies{why}"
            )));
        }

        let now = self.records.clock.now();
        let name = optional("name", input.name.as_deref())?
            .unwrap_or_else(|| reeve_recommend::rollout::name(kind, &carried));
        let members = waves(carried, &input.settings);
        let mut rollout = Rollout {
            id: RolloutId(fresh_id()),
            name,
            agent_id: agent.id,
            kind,
            settings: input.settings,
            stage: Stage::Simulation,
            wave: 0,
            status: RolloutStatus::Running,
            reason: None,
            members,
            gates: Vec::new(),
            by: caller.name.clone(),
            created_at: now,
            stage_since: now,
            updated_at: now,
            version: 1,
        };

        rollout
            .gates
            .push(reeve_recommend::rollout::gate(&rollout, None, now));
        let mut entry = rollout_entry("rollout.create", ActionStatus::Success, &rollout, caller);
        if !left.is_empty() {
            entry = entry.with_metadata("left_out", left.join("; "));
        }

        let store = self.rollout_store()?;
        let open = RolloutFilter {
            agent: Some(rollout.agent_id.clone()),
            kind: Some(kind),
            status: vec![
                RolloutStatus::Running,
                RolloutStatus::Held,
                RolloutStatus::Stopped,
            ],
            limit: 1,
            ..RolloutFilter::default()
        };

        if let Some(other) = store.rollout_list(&open).await?.0.first() {
            let message = format!(
                "rollout {} of the same agent and type has not ended",
                other.id.0
            );
            return Err(EngineError::Conflict(message));
        }

        self.records.record(vec![entry]).await?;
        store.rollout_insert(&rollout).await?;
        Ok(rollout)
    }

    /// Returns the recommendations that can be rolled out, and counts of the others by reason.
    async fn carried(
        &self,
        agent: &Agent,
        kind: RecommendationType,
        input: &RolloutInput,
    ) -> Result<(Vec<WaveCandidate>, Vec<String>), EngineError> {
        let filter = RecommendationFilter {
            status: vec![Status::Open],
            agent: Some(agent.id.0.clone()),
            kind: Some(kind),
            ..RecommendationFilter::default()
        };
        let (open, _) = self.records.agents.recommendation_list(&filter).await?;

        let own = |recommendation: &Recommendation| {
            recommendation.agent_id.as_ref() == Some(&agent.id) && recommendation.kind == kind
        };
        let open: Vec<Recommendation> = open.into_iter().filter(own).collect();

        let wanted = |recommendation: &Recommendation| {
            input.recommendations.is_empty() || input.recommendations.contains(&recommendation.id)
        };

        if let Some(unknown) = input
            .recommendations
            .iter()
            .find(|id| !open.iter().any(|recommendation| recommendation.id == **id))
        {
            let message = format!(
                "{} is no open recommendation of this agent and type",
                unknown.0
            );
            return Err(EngineError::Invalid(vec![FieldError::new(
                "recommendations",
                FieldCode::Unknown,
                message,
            )]));
        }

        let ids: Vec<ResourceId> = open
            .iter()
            .filter(|one| wanted(one))
            .map(|one| one.subject.id.clone())
            .collect();
        let resources = self.guardrails.resources_of(&ids).await?;
        let by_id: HashMap<&ResourceId, &Resource> = resources
            .values()
            .map(|resource| (&resource.id, resource))
            .collect();
        let least = input
            .settings
            .min_confidence
            .unwrap_or(agent.confidence_threshold);
        let (mut carried, mut advice, mut unsure, mut gone) = (Vec::new(), 0, 0, 0);

        for recommendation in open.into_iter().filter(wanted) {
            match by_id.get(&recommendation.subject.id) {
                _ if planned(&recommendation).is_err() => advice += 1,
                _ if recommendation.confidence < least => unsure += 1,
                None => gone += 1,
                Some(resource) => carried.push(WaveCandidate {
                    non_production: non_production(resource),
                    production: is_production(resource),
                    recommendation,
                }),
            }
        }

        let over = carried.len().saturating_sub(MAX_MEMBERS);
        carried.truncate(MAX_MEMBERS);
        let left = [
            (advice, "are advice without a plan".to_owned()),
            (unsure, format!("are less confident than {least:.1} %")),
            (gone, "are on resources that are gone".to_owned()),
            (
                over,
                format!("exceed the limit of {MAX_MEMBERS} in one rollout"),
            ),
        ];

        let words = left
            .into_iter()
            .filter(|(count, _)| *count > 0)
            .map(|(count, why)| format!("{count} {why}"));
        Ok((carried, words.collect()))
    }

    /// Lets nothing more begin. What runs ends, or goes back, by itself; requests for approval are
    /// taken back.
    ///
    /// # Errors
    /// [`EngineError::Invalid`] without a reason; a conflict once it is over.
    pub async fn rollout_stop(
        &self,
        id: &RolloutId,
        reason: &str,
        caller: &Caller,
    ) -> Result<Rollout, EngineError> {
        self.halt(id, RolloutStatus::Stopped, reason, caller).await
    }

    /// Gives it up: the same, for good.
    ///
    /// # Errors
    /// As [`RolloutService::rollout_stop`].
    pub async fn rollout_abort(
        &self,
        id: &RolloutId,
        reason: &str,
        caller: &Caller,
    ) -> Result<Rollout, EngineError> {
        self.halt(id, RolloutStatus::Aborted, reason, caller).await
    }

    async fn halt(
        &self,
        id: &RolloutId,
        to: RolloutStatus,
        reason: &str,
        caller: &Caller,
    ) -> Result<Rollout, EngineError> {
        let reason = needed("reason", reason)?;
        let _turn = self.records.turn.lock().await;
        let rollout = self.rollout_get(id).await?;

        if rollout.status.is_end() || rollout.status == to {
            return Err(EngineError::Conflict(format!(
                "the rollout is {} already",
                rollout.status
            )));
        }

        let now = self.records.clock.now();
        let version = rollout.version + 1;
        let next = Rollout {
            status: to,
            reason: Some(reason.clone()),
            updated_at: now,
            version,
            ..rollout
        };

        let operation = if to == RolloutStatus::Aborted {
            "rollout.abort"
        } else {
            "rollout.stop"
        };

        self.records
            .record(vec![
                rollout_entry(operation, ActionStatus::Success, &next, caller)
                    .with_severity(Severity::Medium),
            ])
            .await?;

        self.rollout_store()?.rollout_update(&next).await?;
        self.take_back(&next, &format!("the rollout was {to}: {reason}"), caller)
            .await?;
        Ok(next)
    }

    /// Takes back the requests for approval that a rollout waits for: a signature must not begin
    /// what is stopped.
    async fn take_back(
        &self,
        rollout: &Rollout,
        reason: &str,
        caller: &Caller,
    ) -> Result<(), EngineError> {
        let begun = |wave: u32| rollout.stage != Stage::Simulation && wave <= rollout.wave;
        for member in rollout.members.iter().filter(|member| begun(member.wave)) {
            let Ok(recommendation) = self
                .records
                .agents
                .recommendation_get(&member.recommendation)
                .await
            else {
                continue;
            };
            if recommendation.status == Status::PendingApproval
                && recommendation.requested_by.as_deref() == Some(rollout.by.as_str())
            {
                self.records
                    .reopen_unsigned(&recommendation, reason, caller)
                    .await?;
            }
        }

        Ok(())
    }

    /// Goes on: with what was stopped where it was, with what a gate holds in spite of it. What
    /// held it is then accepted and holds no later gate.
    ///
    /// # Errors
    /// [`EngineError::Invalid`] without a reason; a conflict if it is neither held nor stopped.
    pub async fn rollout_resume(
        &self,
        id: &RolloutId,
        reason: &str,
        caller: &Caller,
    ) -> Result<Rollout, EngineError> {
        let reason = needed("reason", reason)?;
        let _turn = self.records.turn.lock().await;
        let rollout = self.rollout_get(id).await?;

        if !matches!(rollout.status, RolloutStatus::Held | RolloutStatus::Stopped) {
            let message = format!(
                "the rollout is {}; only a rollout on hold or stopped can be resumed",
                rollout.status
            );
            return Err(EngineError::Conflict(message));
        }

        let now = self.records.clock.now();
        let mut next = rollout.clone();

        if rollout.status == RolloutStatus::Held {
            let spoke = |state| matches!(state, MemberState::Failed | MemberState::NotEnoughData);
            next.members
                .iter_mut()
                .filter(|member| spoke(member.state))
                .for_each(|member| member.accepted = true);
            let held = rollout
                .gates
                .last()
                .map_or(String::new(), |gate| gate.words.clone());
            let last = rollout.gates.last().cloned();
            if let Some(last) = last {
                let words = format!("{reason} (it was on hold: {held})");
                let by = Some(caller.name.clone());
                advance::push(
                    &mut next.gates,
                    Gate {
                        verdict: Verdict::Overridden,
                        words,
                        at: now,
                        by,
                        ..last
                    },
                );
            }
        }

        next.status = RolloutStatus::Running;
        next.reason = None;
        next.updated_at = now;
        next.version += 1;
        let entry = rollout_entry("rollout.resume", ActionStatus::Success, &next, caller)
            .with_metadata("reason", reason);
        self.records
            .record(vec![entry.with_severity(Severity::Medium)])
            .await?;
        self.rollout_store()?.rollout_update(&next).await?;

        Ok(next)
    }
}

/// The kind, or every failing field.
fn sound(input: &RolloutInput) -> Result<RecommendationType, EngineError> {
    let mut errors = Vec::new();
    let mut check = |field: &str, holds: bool, message: String| {
        if !holds {
            errors.push(FieldError::new(field, FieldCode::InvalidValue, message));
        }
    };

    let kind = RecommendationType::parse(&input.kind);
    let names: Vec<&str> = RecommendationType::ALL
        .iter()
        .map(|kind| kind.as_str())
        .collect();
    check(
        "type",
        kind.is_some(),
        format!("must be one of {}", names.join(", ")),
    );

    let settings = &input.settings;
    check(
        "canary",
        (1..=20).contains(&settings.canary),
        "must be from 1 to 20 resources".to_owned(),
    );

    check(
        "validation_s",
        settings.validation_s <= 30 * 86_400,
        "must be at most 30 days".to_owned(),
    );

    check(
        "max_failures",
        settings.max_failures <= 100,
        "must be at most 100".to_owned(),
    );

    let shares = &settings.shares_percent;
    let rising = shares.windows(2).all(|pair| pair[0] < pair[1]);
    let within = shares
        .iter()
        .all(|share| share.is_finite() && *share > 0.0 && *share < 100.0);
    check(
        "shares",
        rising && within && shares.len() <= 20,
        "must be at most 20 percentages that rise, above 0 and below 100".to_owned(),
    );

    let confidence = settings
        .min_confidence
        .is_none_or(|least| (0.0..=100.0).contains(&least));
    check(
        "min_confidence",
        confidence,
        "must be a percentage from 0 to 100".to_owned(),
    );

    check(
        "recommendations",
        input.recommendations.len() <= MAX_MEMBERS,
        format!("at most {MAX_MEMBERS} are taken"),
    );

    match kind {
        Some(kind) if errors.is_empty() => Ok(kind),
        _ => Err(EngineError::Invalid(errors)),
    }
}
