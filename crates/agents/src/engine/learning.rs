//! Calibrated confidence in a run: what the registry serves is laid over the judgement, and what each new recommendation was
//! judged by is kept until its outcome is known.

use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};
use reeve_estate::{Metric, Resource, ResourceId, ResourceKind};
use reeve_learn::calibrate::{Calibrator, Example};

use super::run::Judged;
use super::{Engine, EngineError};
use crate::agent::{Agent, AgentType};
use crate::cost::trust_group;
use crate::lifecycle::Status;
use crate::models::{Material, ModelFilter, ModelStatus, ModelStore, TrustNote, calibrator_from};
use crate::ports::RecommendationFilter;
use crate::recommendation::{Feedback, Recommendation};

/// Notes looked at for outcomes.
const NOTES: u64 = 20_000;

impl Engine {
    /// Lets confidence be calibrated by what these models serve. Without it every confidence is the backtest's own.
    pub fn learn_from(&self, models: Arc<dyn ModelStore>) {
        // Set once, at wiring; a second one is a mistake of the program and changes nothing.
        let _ = self.models.set(models);
    }

    /// The calibrator that serves for an agent. What cannot be read is told and does without: the backtest still speaks.
    pub(super) async fn calibrator(&self, agent: &Agent) -> Option<Calibrator> {
        let models = self.models.get()?;
        let filter = ModelFilter {
            agent: Some(agent.id.clone()),
            name: Some("confidence".to_owned()),
            status: Some(ModelStatus::Serving),
            limit: 1,
            ..ModelFilter::default()
        };
        let serving = models.model_list(&filter).await.map(|(found, _)| found.into_iter().next());
        let state = match serving {
            Ok(Some(model)) => models.model_state(&model.id).await,
            Ok(None) => return None,
            Err(error) => Err(error),
        };
        match state.map_err(|error| error.to_string()).and_then(|s| calibrator_from(&s).map_err(|e| e.to_string())) {
            Ok(calibrator) => Some(calibrator),
            Err(error) => {
                tracing::warn!(agent = %agent.id.0, error, "the confidence model could not be read; backtests speak alone");
                None
            }
        }
    }

    /// Lays the calibrated confidence over what was judged.
    pub(super) fn calibrate(agent: &Agent, by: Option<&Calibrator>, judged: &mut [Judged]) {
        let Some(by) = by else { return };
        for proposal in judged.iter_mut().flat_map(|one| one.judgement.proposals.iter_mut()) {
            proposal.calibrate(agent.agent_type, by);
        }
    }

    /// Keeps what new recommendations were judged by.
    pub(super) async fn note_trust(&self, kept: &[Recommendation], judged: &[Judged]) -> Result<(), EngineError> {
        let Some(models) = self.models.get() else { return Ok(()) };
        for of in kept.iter().filter(|of| of.version == 1) {
            let same =
                |one: &&Judged| one.resource.id == of.subject.id && one.resource.connection == of.subject.connection;
            let proposals = judged.iter().find(same).map_or(&[][..], |one| &one.judgement.proposals);
            let Some(proposal) = proposals.iter().find(|proposal| proposal.kind == of.kind) else { continue };
            let note = TrustNote {
                recommendation: of.id.clone(),
                group: trust_group(of.agent_type, of.kind),
                at: of.created_at,
                raw: proposal.trust.raw,
                features: proposal.trust.features.clone(),
            };
            models.trust_note_insert(&note).await?;
        }
        Ok(())
    }

    /// What a training of an agent's models may look at: at most so many resources of its scope, spread evenly over it.
    ///
    /// # Errors
    /// The stores' failures.
    pub async fn material(
        &self,
        agent: &Agent,
        metrics: &[Metric],
        days: i64,
        most_resources: usize,
    ) -> Result<Material, EngineError> {
        let (scope, _) = self.scope_of(agent).await?;
        let measured: Vec<Resource> = scope
            .into_iter()
            .filter(|r| matches!(r.kind, ResourceKind::VirtualMachine | ResourceKind::Database))
            .collect();
        let step = measured.len().div_ceil(most_resources.max(1)).max(1);
        let resources: Vec<Resource> = measured.into_iter().step_by(step).collect();
        let now = self.ports.clock.now();
        let start = now.checked_sub(SignedDuration::from_hours(24 * days)).unwrap_or(Timestamp::MIN);
        let ids: Vec<ResourceId> = resources.iter().map(|resource| resource.id.clone()).collect();
        let series = self.ports.samples.sample_series(&ids, metrics, start, now).await?;
        Ok(Material {
            agent: agent.clone(),
            resources,
            series,
            outcomes: self.outcomes(agent.agent_type).await?,
            guardrails: self.ports.agents.guardrails_get().await?,
            catalogue: Arc::clone(&self.ports.catalogue),
            now,
        })
    }

    /// Recommendations of a type of agent whose outcome is known, oldest first, each with what it was judged by.
    ///
    /// # Errors
    /// The store's failures.
    pub async fn outcomes(&self, agent: AgentType) -> Result<Vec<Example>, EngineError> {
        let Some(models) = self.models.get() else { return Ok(Vec::new()) };
        let notes = models.trust_note_list(NOTES).await?;
        let (all, _) = self.ports.agents.recommendation_list(&RecommendationFilter::default()).await?;
        let feedback = self.ports.agents.feedback_list(None).await?;
        let mut found: Vec<Example> = notes
            .into_iter()
            .filter_map(|note| {
                let of = all.iter().find(|of| of.id == note.recommendation && of.agent_type == agent)?;
                let said = feedback.iter().rev().find(|said| said.recommendation == of.id);
                let held = held(of, said)?;
                let at_ms = note.at.as_millisecond();
                Some(Example { at_ms, group: note.group, raw: note.raw, features: note.features, held, weight: 1.0 })
            })
            .collect();
        found.sort_by_key(|example| example.at_ms);
        Ok(found)
    }
}

/// Whether a recommendation held: what a person said of it counts before how its action ended. `None` while nobody knows.
fn held(of: &Recommendation, said: Option<&Feedback>) -> Option<bool> {
    match said.map(|said| said.outcome.as_str()) {
        Some("implemented_successfully") => return Some(true),
        Some("implemented_issues" | "not_applicable") => return Some(false),
        _ => {}
    }
    match of.status {
        Status::Succeeded => Some(true),
        Status::RolledBack | Status::Failed => Some(false),
        _ => None,
    }
}
