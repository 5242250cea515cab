//! A run of an agent: load its scope, judge every resource, keep the findings, apply what it may.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};
use reeve_audit::{ActionStatus as Went, Entry, Json, ResourceRef};
use reeve_estate::{Metric, Resource, ResourceFilter, ResourceId, ResourceKind, Series};

use super::auto::{Auto, decide, signatures_for};
use super::execute::{Wish, planned};
use super::upsert::Upserted;
use super::{Caller, Engine, EngineError, Execution, fresh_id, story};
use reeve_recommend::action::{ActionStatus, Purpose};
use reeve_recommend::agent::{Agent, AgentId, RunReport};
use reeve_recommend::guardrail::Guardrails;
use reeve_recommend::lifecycle::Status;
use reeve_recommend::models::LearnedModels;
use reeve_recommend::recommendation::{Recommendation, RecommendationId, RecommendationType};
use reeve_recommend::{AgentDefinition, Facts, Judgement, Needs, Settings};

/// Resources whose series are loaded and judged at a time: 30 days of ten metrics are 1.4 MB a resource.
const CHUNK: usize = 64;

/// A resource with what it is judged by.
struct Case {
    resource: Resource,
    series: Vec<Series>,
    volumes: Vec<Resource>,
    unchanged_since: Option<Timestamp>,
}

/// What a run judges by.
struct Judging {
    definition: Arc<dyn AgentDefinition>,
    needs: Needs,
    settings: Settings,
    limits: Guardrails,
    /// Volumes by the machine they are attached to.
    volumes: HashMap<ResourceId, Vec<Resource>>,
    /// When each resource last changed.
    changed: HashMap<ResourceId, Timestamp>,
    models: Arc<LearnedModels>,
}

/// A resource that was judged.
pub(super) struct Judged {
    pub(super) resource: Resource,
    pub(super) judgement: Judgement,
}

/// Takes the agent out of the running ones when the run ends, however it ends.
struct Running<'a>(&'a Engine, AgentId);

impl Drop for Running<'_> {
    fn drop(&mut self) {
        self.0.runs.lock().remove(&self.1);
    }
}

impl Engine {
    /// Runs an agent once over its scope and waits for the findings; what it applies goes on in the background.
    ///
    /// # Errors
    /// A conflict while a run of the agent is under way; the store's and the log's failures.
    pub async fn agent_run(self: &Arc<Self>, id: &AgentId, caller: &Caller) -> Result<RunReport, EngineError> {
        let agent = self.ports.agents.agent_get(id).await?;
        if !self.runs.lock().insert(id.clone()) {
            return Err(EngineError::Conflict("a run of this agent is under way".to_owned()));
        }
        let _running = Running(self, id.clone());
        let started_at = self.ports.clock.now();
        let mut report = RunReport {
            run_id: fresh_id(),
            started_at,
            finished_at: started_at,
            resources_seen: 0,
            days_observed: 0,
            recommendations: 0,
            applied: 0,
            skipped: Vec::new(),
            error: None,
        };
        self.record(vec![told(&agent, &report, Went::Pending, caller)]).await?;
        let outcome = self.run_over(&agent, &mut report).await;
        report.finished_at = self.ports.clock.now();
        report.error = outcome.as_ref().err().map(ToString::to_string);
        let went = if outcome.is_ok() { Went::Success } else { Went::Failed };
        self.record(vec![told(&agent, &report, went, caller)]).await?;
        self.keep_report(id, &report).await?;
        outcome.map(|()| report)
    }

    async fn run_over(self: &Arc<Self>, agent: &Agent, report: &mut RunReport) -> Result<(), EngineError> {
        let (scope, volumes) = self.scope_of(agent).await?;
        report.resources_seen = scope.len() as u64;
        let mut judged = Vec::with_capacity(scope.len());
        if let Some(definition) = self.ports.agent_types.judging(agent.agent_type) {
            let judging = Judging {
                definition: Arc::clone(definition),
                needs: definition.needs(&agent.settings),
                models: Arc::new(self.learned(agent, &definition.needs(&agent.settings).models).await),
                settings: agent.settings.clone(),
                limits: self.ports.agents.guardrails_get().await?,
                volumes,
                changed: self.last_changes(definition.needs(&agent.settings).history_days).await?,
            };
            let scope: Vec<Resource> = scope
                .into_iter()
                .filter(|r| judging.needs.kinds.is_empty() || judging.needs.kinds.contains(&r.kind))
                .collect();
            for chunk in scope.chunks(CHUNK) {
                let (more, days) = self.judge_chunk(&judging, chunk).await?;
                report.days_observed = report.days_observed.max(days);
                judged.extend(more);
            }
        } else {
            report.days_observed = self.days_observed(agent).await?;
            judged.extend(scope.into_iter().map(|resource| Judged { resource, judgement: Judgement::default() }));
        }
        let mut skipped: BTreeMap<String, u64> = BTreeMap::new();
        for abstention in judged.iter().filter(|j| j.judgement.proposals.is_empty()).filter_map(abstained) {
            *skipped.entry(abstention.to_owned()).or_default() += 1;
        }
        Self::calibrate(agent, self.calibrator(agent).await.as_ref(), &mut judged);
        let Upserted { kept, skipped: left } = self.upsert(agent, &judged).await?;
        self.note_trust(&kept, &judged).await?;
        report.recommendations = kept.len() as u64;
        left.into_iter().for_each(|reason| *skipped.entry(reason.to_owned()).or_default() += 1);
        self.apply_what_it_may(agent, kept, report, &mut skipped).await?;
        report.skipped = skipped.into_iter().collect();
        Ok(())
    }

    /// The resources of the agent's scope, and every volume by the machine it is attached to.
    pub(super) async fn scope_of(
        &self,
        agent: &Agent,
    ) -> Result<(Vec<Resource>, HashMap<ResourceId, Vec<Resource>>), EngineError> {
        let connections = self.ports.estate.connection_list().await?;
        let (all, _) = self.ports.estate.resource_list(&ResourceFilter::default()).await?;
        let mut volumes: HashMap<ResourceId, Vec<Resource>> = HashMap::new();
        for volume in all.iter().filter(|resource| resource.kind == ResourceKind::Volume) {
            for machine in &volume.attached_to {
                volumes.entry(machine.clone()).or_default().push(volume.clone());
            }
        }
        let scope = all.into_iter().filter(|resource| agent.scope.includes(resource, &connections)).collect();
        Ok((scope, volumes))
    }

    /// Days with samples that the agent's scope has, as far back as its learning period reaches.
    pub(super) async fn days_observed(&self, agent: &Agent) -> Result<u32, EngineError> {
        let (scope, _) = self.scope_of(agent).await?;
        let now = self.ports.clock.now();
        let start = now - SignedDuration::from_hours(24 * i64::from(agent.learning_period_days));
        let mut days = 0;
        for chunk in scope.chunks(CHUNK) {
            let ids: Vec<ResourceId> = chunk.iter().map(|resource| resource.id.clone()).collect();
            let series = self.ports.samples.sample_series(&ids, &[Metric::CpuUtilization], start, now).await?;
            days = series.iter().map(|s| days_spanned(s, now)).max().unwrap_or(0).max(days);
            if days >= agent.learning_period_days {
                break;
            }
        }
        Ok(days)
    }

    /// When each resource last changed by an action: what was measured before tells of another size.
    async fn last_changes(&self, history_days: i64) -> Result<HashMap<ResourceId, Timestamp>, EngineError> {
        let since = self.ports.clock.now().checked_sub(SignedDuration::from_hours(24 * history_days)).ok();
        let mut changed: HashMap<ResourceId, Timestamp> = HashMap::new();
        for action in self.ports.agents.action_list(None, since).await? {
            let touched = matches!(action.status, ActionStatus::Succeeded | ActionStatus::Failed);
            if let Some(at) = action.finished_at.filter(|_| touched && action.purpose == Purpose::Apply) {
                let newest = changed.entry(action.resource).or_insert(at);
                *newest = (*newest).max(at);
            }
        }
        Ok(changed)
    }

    async fn judge_chunk(&self, judging: &Judging, chunk: &[Resource]) -> Result<(Vec<Judged>, u32), EngineError> {
        let now = self.ports.clock.now();
        let start = now - SignedDuration::from_hours(24 * judging.needs.history_days);
        let ids: Vec<ResourceId> = chunk.iter().map(|resource| resource.id.clone()).collect();
        let series = self.ports.samples.sample_series(&ids, &judging.needs.metrics, start, now).await?;
        let days = series.iter().map(|s| days_spanned(s, now)).max().unwrap_or(0);
        let mut by_resource: HashMap<ResourceId, Vec<Series>> = HashMap::new();
        for one in series {
            by_resource.entry(one.resource.clone()).or_default().push(one);
        }
        let work: Vec<Case> = chunk
            .iter()
            .map(|resource| Case {
                resource: resource.clone(),
                series: by_resource.remove(&resource.id).unwrap_or_default(),
                volumes: judging.volumes.get(&resource.id).cloned().unwrap_or_default(),
                unchanged_since: judging.changed.get(&resource.id).copied(),
            })
            .collect();
        let (definition, settings) = (Arc::clone(&judging.definition), judging.settings.clone());
        let (catalogue, guardrails) = (Arc::clone(&self.ports.catalogue), judging.limits.clone());
        let models = Arc::clone(&judging.models);
        let judged = tokio::task::spawn_blocking(move || {
            work.into_iter()
                .map(|case| {
                    let judgement = definition.judge(&Facts {
                        resource: &case.resource,
                        series: &case.series,
                        volumes: &case.volumes,
                        catalogue: &catalogue,
                        settings: &settings,
                        guardrails: &guardrails,
                        models: &models,
                        unchanged_since: case.unchanged_since,
                        now,
                    });
                    Judged { resource: case.resource, judgement }
                })
                .collect::<Vec<_>>()
        });
        let judged = judged.await.map_err(|error| EngineError::Store(format!("judging stopped: {error}")))?;
        Ok((judged, days))
    }

    /// Applies, or asks approval for, what the agent's mode and configuration allow; what is expected to bring most first.
    pub(super) async fn apply_what_it_may(
        self: &Arc<Self>,
        agent: &Agent,
        mut found: Vec<Recommendation>,
        report: &mut RunReport,
        skipped: &mut BTreeMap<String, u64>,
    ) -> Result<(), EngineError> {
        found.sort_by(|a, b| {
            b.ranking.expected_value.total_cmp(&a.ranking.expected_value).then_with(|| a.id.cmp(&b.id))
        });
        let caller = Caller::agent(&agent.id);
        let staged = self.staged(agent, &found, report.days_observed, &caller).await?;
        for of in found.into_iter().filter(|of| of.status == Status::Open) {
            if let Auto::Leave(reason) = decide(agent, &of, report.days_observed) {
                *skipped.entry(reason.to_owned()).or_default() += 1;
                continue;
            }
            if let Some(reason) = staged.get(&of.kind) {
                *skipped.entry((*reason).to_owned()).or_default() += 1;
                continue;
            }
            match self.by_itself(agent, &of.id, report, &caller).await {
                Ok(Some(Execution::Started(_))) => report.applied += 1,
                Ok(Some(Execution::PendingApproval(_))) => {
                    *skipped.entry("approval_requested".to_owned()).or_default() += 1
                }
                Ok(None) => {}
                Err(EngineError::Blocked(block)) => {
                    *skipped.entry(format!("blocked_{}", block.guardrail)).or_default() += 1;
                }
                Err(error) if error.is_outage() => return Err(error),
                Err(error) => {
                    tracing::warn!(%error, recommendation = %of.id.0, "an agent could not apply its finding");
                    *skipped.entry("could_not_begin".to_owned()).or_default() += 1;
                }
            }
        }
        Ok(())
    }

    async fn by_itself(
        self: &Arc<Self>,
        agent: &Agent,
        id: &RecommendationId,
        report: &RunReport,
        caller: &Caller,
    ) -> Result<Option<Execution>, EngineError> {
        let _turn = self.turn.lock().await;
        let of = self.ports.agents.recommendation_get(id).await?;
        // Somebody may have answered it, or configured the agent anew, since it was found.
        let now = self.ports.agents.agent_get(&agent.id).await?;
        let decided = decide(&now, &of, report.days_observed);
        if matches!(decided, Auto::Leave(_)) {
            return Ok(None);
        }
        let wish = Wish { run_id: Some(&report.run_id), automatic: true, ..Wish::of(caller, None) };
        if decided == Auto::AskApproval {
            let mut approval = self.approval_for(&of, planned(&of)?, &wish);
            approval.needed = signatures_for(Some(&now), of.impact_level);
            return self.ask_approval(of, approval, &wish).await.map(Execution::PendingApproval).map(Some);
        }
        self.proceed(of, wish).await.map(Some)
    }

    /// Keeps the report with the agent, whatever was configured in between.
    async fn keep_report(&self, id: &AgentId, report: &RunReport) -> Result<(), EngineError> {
        for _ in 0..5 {
            let agent = self.ports.agents.agent_get(id).await?;
            let next = Agent { last_run: Some(report.clone()), version: agent.version + 1, ..agent };
            match self.ports.agents.agent_update(&next).await {
                Err(reeve_estate::StoreError::Conflict(_)) => {}
                other => return Ok(other?),
            }
        }
        Err(EngineError::Conflict("the agent is being changed by somebody else".to_owned()))
    }
}

/// Why a resource has no finding: why it was not resized, where it was judged at all, because that rule says most.
fn abstained(judged: &Judged) -> Option<&'static str> {
    let all = &judged.judgement.abstentions;
    let telling = all.iter().find(|a| a.kind == Some(RecommendationType::RightSize));
    telling.or(all.first()).map(|abstention| abstention.code)
}

/// Days of a series with at least one point.
fn days_spanned(series: &Series, now: Timestamp) -> u32 {
    let day = |at: &Timestamp| (now.duration_since(*at).as_secs() - 1).max(0) / 86_400;
    series.points.iter().map(|(at, _)| day(at)).collect::<BTreeSet<_>>().len() as u32
}

fn told(agent: &Agent, report: &RunReport, went: Went, caller: &Caller) -> Entry {
    let entry = story::entry(story::RUN, "agent.run", went, caller)
        .on(ResourceRef::new("agent", agent.id.0.clone()))
        .with_metadata("agent_id", agent.id.0.clone())
        .with_metadata("agent_type", agent.agent_type.as_str())
        .with_metadata("run_id", report.run_id.clone())
        .with_metadata("mode", agent.mode.as_str());
    if went == Went::Pending {
        return entry;
    }
    let skipped = Json::object(report.skipped.iter().map(|(reason, count)| (reason.clone(), *count)));
    let entry = entry.after(Json::object([
        ("resources_seen", Json::from(report.resources_seen)),
        ("days_observed", Json::from(report.days_observed)),
        ("recommendations", Json::from(report.recommendations)),
        ("applied", Json::from(report.applied)),
        ("skipped", skipped),
    ]));
    match &report.error {
        Some(error) => entry.with_metadata("error", error.clone()),
        None => entry,
    }
}
