//! Calibrated confidence in a run: what the registry serves is laid over the judgement, and what
//! each new recommendation was judged by is kept until its outcome is known.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

use async_trait::async_trait;
use jiff::Timestamp;
use reeve_audit::Obstacle;
use reeve_estate::{
    ConnectionId, Metric, PriceCatalogue, Resource, ResourceId, ResourceKind, SampleStore,
};
use reeve_learn::calibrate::{Calibrator, Example, FEATURES};
use reeve_recommend::agent::{Agent, AgentType};
use reeve_recommend::error::EngineError;
use reeve_recommend::judgement::open_facts::OpenFacts;
use reeve_recommend::judgement::trust::trust_group;
use reeve_recommend::models::{
    LearnedModels, Material, MaterialSource, ModelFilter, ModelReference, ModelStatus, ModelStore,
    TrustNote, calibrator_from, has_seen,
};
use reeve_recommend::ports::RecommendationFilter;
use reeve_recommend::recommendation::lifecycle::Status;
use reeve_recommend::recommendation::ranking::stars_share;
use reeve_recommend::recommendation::{
    Feedback, FeedbackOutcome, Recommendation, RecommendationId,
};

use crate::agent::scope::{ScopeService, chunks};
use crate::finding::judged::Judged;
use crate::guard::recent_actions::CHUNK;
use crate::models::MaterialParts;
use crate::records::Records;

/// Notes looked at for outcomes.
const NOTES: u64 = 20_000;

/// Calibrator of an agent, with the version it was read from; no version where it was made of
/// outcomes alone.
pub(crate) struct Calibration {
    calibrator: Calibrator,
    model: Option<ModelReference>,
}

/// Learned models as runs read them, and the material and outcomes that trainings learn from.
#[derive(Clone)]
pub struct ModelService {
    records: Arc<Records>,
    scopes: Arc<ScopeService>,
    samples: Arc<dyn SampleStore>,
    catalogue: Arc<PriceCatalogue>,
    /// `None` leaves every confidence to the backtest.
    models: Option<Arc<dyn ModelStore>>,
    sources: Vec<Arc<dyn MaterialSource>>,
}

impl ModelService {
    /// Creates the service; without a store of models recommendations are based on measurements
    /// alone.
    #[must_use]
    pub fn new(
        records: Arc<Records>,
        scopes: Arc<ScopeService>,
        samples: Arc<dyn SampleStore>,
        catalogue: Arc<PriceCatalogue>,
        models: Option<Arc<dyn ModelStore>>,
    ) -> Self {
        ModelService {
            records,
            scopes,
            samples,
            catalogue,
            models,
            sources: Vec::new(),
        }
    }

    /// With sources of what single trainers learn from.
    #[must_use]
    pub fn with_material(mut self, sources: Vec<Arc<dyn MaterialSource>>) -> Self {
        self.sources = sources;
        self
    }

    /// The calibrator of an agent: what serves, or nothing learned yet, and on top of it every
    /// outcome that the serving version has not seen, so that an answer counts from the next run on
    /// and not only after the next training. What cannot be read is told and does without: the
    /// backtest still speaks.
    pub(crate) async fn calibrator(&self, agent: &Agent) -> Option<Calibration> {
        match self.calibrator_of(agent).await {
            Ok(found) => found,
            Err(error) => {
                tracing::warn!(agent = %agent.id.0, %error, "the confidence model could not be read; confidence is based on backtests alone");
                None
            }
        }
    }

    async fn calibrator_of(&self, agent: &Agent) -> Result<Option<Calibration>, Obstacle> {
        let Some(models) = self.models.as_ref() else {
            return Ok(None);
        };

        let filter = ModelFilter {
            agent: Some(agent.id.clone()),
            name: Some("confidence".to_owned()),
            status: Some(ModelStatus::Serving),
            limit: 1,
            ..ModelFilter::default()
        };

        let (serving, _) = models.model_list(&filter).await.map_err(Obstacle::of)?;
        let (mut calibrator, model) = match serving.into_iter().next() {
            Some(model) => {
                let state = models.model_state(&model.id).await.map_err(Obstacle::of)?;
                (
                    calibrator_from(&state).map_err(Obstacle::of)?,
                    Some(ModelReference::from_model(&model)),
                )
            }
            None => (Calibrator::new(FEATURES.len()), None),
        };

        let outcomes = self
            .known_outcomes(agent.agent_type)
            .await
            .map_err(Obstacle::of)?;
        for (known_at, example) in outcomes {
            if model
                .as_ref()
                .is_none_or(|model| !has_seen(&example, known_at, model.trained_at))
            {
                calibrator.learn(&example);
            }
        }

        Ok(Some(Calibration { calibrator, model }))
    }

    /// Sets the calibrated confidence of what was judged, and names the model that decided it.
    pub(crate) fn calibrate(agent: &Agent, by: Option<&Calibration>, judged: &mut [Judged]) {
        let Some(by) = by else { return };
        for proposal in judged
            .iter_mut()
            .flat_map(|one| one.judgement.proposals.iter_mut())
        {
            let Some(found) = proposal.calibrate(agent.agent_type, &by.calibrator) else {
                continue;
            };
            proposal.explanation.models.extend(by.model.as_ref().map(|model| {
                let (probability, examples) = (found.probability * 100.0, found.examples);
                model.says(format!(
                    "holds with {probability:.1} %, by {examples:.0} earlier recommendations of this kind"
                ))
            }));
        }
    }

    /// Models that the judgements of a run may read. Without a store of models, or while it fails,
    /// there are none and judgements rest on what was measured.
    pub(crate) async fn learned(&self, agent: &Agent, names: &[&str]) -> LearnedModels {
        let Some(models) = self.models.as_ref() else {
            return LearnedModels::default();
        };

        let now = self.records.clock.now();
        LearnedModels::load(&**models, &agent.id, names, now).await.unwrap_or_else(|error| {
            tracing::warn!(agent = %agent.id.0, %error, "models could not be read; recommendations are based on measurements alone");
            LearnedModels::default()
        })
    }

    /// Keeps what new recommendations were judged by.
    pub(crate) async fn note_trust(
        &self,
        kept: &[Recommendation],
        judged: &[Judged],
    ) -> Result<(), EngineError> {
        let Some(models) = self.models.as_ref() else {
            return Ok(());
        };

        let by_resource: HashMap<(&ConnectionId, &ResourceId), &Judged> = judged
            .iter()
            .map(|one| ((&one.resource.connection, &one.resource.id), one))
            .collect();
        for recommendation in kept
            .iter()
            .filter(|recommendation| recommendation.version == 1)
        {
            let subject = &recommendation.subject;
            let judged = by_resource.get(&(&subject.connection, &subject.id));
            let proposals = judged.map_or(&[][..], |one| &one.judgement.proposals);
            let Some(proposal) = proposals.iter().find(|proposal| {
                proposal.kind == recommendation.kind && proposal.subject.aspect == subject.aspect
            }) else {
                continue;
            };
            let note = TrustNote {
                recommendation: recommendation.id.clone(),
                group: trust_group(recommendation.origin.agent_type, recommendation.kind),
                at: recommendation.created_at,
                raw: proposal.trust.raw,
                features: proposal.trust.features.clone(),
            };
            models.trust_note_insert(&note).await?;
        }

        Ok(())
    }

    /// Returns the training data of an agent's models: at most `most_resources` resources of its
    /// scope, spread evenly over it. Models are judged on such a sample; what learns each resource
    /// by itself is trained on [`ModelService::parts`].
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
        let (mut material, measured) = self.unmeasured(agent).await?;
        let step = measured.len().div_ceil(most_resources.max(1)).max(1);
        material.resources = measured.into_iter().step_by(step).collect();
        self.measure(&mut material, metrics, days).await?;
        Ok(material)
    }

    /// Returns the training data of all resources of an agent's scope, `part` resources at a time.
    /// Nothing is read before the first part is asked for.
    #[must_use]
    pub fn parts(
        &self,
        agent: &Agent,
        metrics: &'static [Metric],
        days: i64,
        part: usize,
    ) -> ScopeParts {
        ScopeParts {
            service: self.clone(),
            agent: agent.clone(),
            scope: None,
            part: part.max(1),
            metrics,
            days,
        }
    }

    /// Returns the training data of an agent without resources and samples, and the measured
    /// resources of its scope.
    async fn unmeasured(&self, agent: &Agent) -> Result<(Material, Vec<Resource>), EngineError> {
        let (scope, _) = self.scopes.scope_of(agent).await?;
        let mut open = OpenFacts::default();
        for source in &self.sources {
            source.add(&scope, &mut open).await?;
        }
        let is_measured = |r: &Resource| {
            matches!(
                r.kind,
                ResourceKind::VirtualMachine | ResourceKind::Database
            )
        };
        let measured = scope.into_iter().filter(is_measured).collect();

        let material = Material {
            agent: agent.clone(),
            resources: Vec::new(),
            series: Vec::new(),
            outcomes: self.outcomes(agent.agent_type).await?,
            open,
            guardrails: self.records.agents.guardrails_get().await?,
            catalogue: Arc::clone(&self.catalogue),
            now: self.records.clock.now(),
        };

        Ok((material, measured))
    }

    /// Reads the samples of the resources.
    async fn measure(
        &self,
        material: &mut Material,
        metrics: &[Metric],
        days: i64,
    ) -> Result<(), EngineError> {
        let (start, now) = (material.days_ago(days), material.now);
        let mut series = Vec::new();

        for (connection, ids) in chunks(&material.resources, material.resources.len().max(1)) {
            series.extend(
                self.samples
                    .sample_series(connection, &ids, metrics, start, now)
                    .await?,
            );
        }

        material.series = series;
        Ok(())
    }

    /// Recommendations of a type of agent whose outcome is known, oldest first, each with what it
    /// was judged by.
    ///
    /// # Errors
    /// The store's failures.
    pub async fn outcomes(&self, agent: AgentType) -> Result<Vec<Example>, EngineError> {
        Ok(self
            .known_outcomes(agent)
            .await?
            .into_iter()
            .map(|(_, example)| example)
            .collect())
    }

    /// The same, each with when it became known.
    async fn known_outcomes(
        &self,
        agent: AgentType,
    ) -> Result<Vec<(Timestamp, Example)>, EngineError> {
        let Some(models) = self.models.as_ref() else {
            return Ok(Vec::new());
        };

        let notes = models.trust_note_list(NOTES).await?;
        if notes.is_empty() {
            return Ok(Vec::new());
        }

        let decided = self.decided(&notes).await?;
        let by_id: HashMap<&RecommendationId, &Recommendation> = decided
            .iter()
            .map(|recommendation| (&recommendation.id, recommendation))
            .collect();
        let feedback = self.records.agents.feedback_list(None).await?;
        let mut found: Vec<(Timestamp, Example)> = notes
            .into_iter()
            .filter_map(|note| {
                let recommendation = by_id
                    .get(&note.recommendation)
                    .filter(|recommendation| recommendation.origin.agent_type == agent)?;
                let (held, weight, known_at) = outcome_label(recommendation, &feedback)?;
                let at_ms = note.at.as_millisecond();
                Some((
                    known_at,
                    Example {
                        at_ms,
                        group: note.group,
                        raw: note.raw,
                        features: note.features,
                        held,
                        weight,
                    },
                ))
            })
            .collect();

        found.sort_by(|a, b| {
            a.1.at_ms
                .cmp(&b.1.at_ms)
                .then_with(|| a.1.group.cmp(&b.1.group))
        });
        Ok(found)
    }
}

impl ModelService {
    /// Recommendations of these notes whose outcome may be known: those executed to an end, and all
    /// that people answered.
    async fn decided(&self, notes: &[TrustNote]) -> Result<Vec<Recommendation>, EngineError> {
        let filter = RecommendationFilter {
            has_feedback: true,
            ..RecommendationFilter::default()
        };
        let (mut decided, _) = self.records.agents.recommendation_list(&filter).await?;

        for chunk in notes.chunks(CHUNK) {
            let filter = RecommendationFilter {
                status: vec![Status::Succeeded, Status::RolledBack, Status::Failed],
                ids: chunk
                    .iter()
                    .map(|note| note.recommendation.clone())
                    .collect(),
                ..RecommendationFilter::default()
            };
            decided.extend(self.records.agents.recommendation_list(&filter).await?.0);
        }

        Ok(decided)
    }
}

/// Training data of a scope in parts.
pub struct ScopeParts {
    service: ModelService,
    agent: Agent,
    /// Data that all parts share, and the resources that are left; `None` before the first part.
    scope: Option<(Material, VecDeque<Resource>)>,
    part: usize,
    metrics: &'static [Metric],
    days: i64,
}

#[async_trait]
impl MaterialParts for ScopeParts {
    async fn next(&mut self) -> Result<Option<Material>, EngineError> {
        let (shared, resources) = match &mut self.scope {
            Some(scope) => scope,
            None => {
                let (material, measured) = self.service.unmeasured(&self.agent).await?;
                self.scope.insert((material, measured.into()))
            }
        };

        let count = self.part.min(resources.len());
        if count == 0 {
            return Ok(None);
        }

        let mut part = Material {
            resources: resources.drain(..count).collect(),
            ..shared.clone()
        };
        self.service
            .measure(&mut part, self.metrics, self.days)
            .await?;
        Ok(Some(part))
    }
}

/// The newest judgement of a recommendation by a person; "not now" is none.
fn latest_feedback<'f>(
    recommendation: &Recommendation,
    feedback: &'f [Feedback],
) -> Option<&'f Feedback> {
    feedback.iter().rev().find(|said| {
        said.recommendation == recommendation.id && said.outcome != FeedbackOutcome::NotNow
    })
}

/// Returns `true` if the executed recommendation succeeded, with the time at which that became
/// known. A user's feedback takes precedence over the action's status. `None` while the outcome is
/// unknown, and for a recommendation that was not executed.
pub(crate) fn execution_outcome(
    recommendation: &Recommendation,
    feedback: &[Feedback],
) -> Option<(bool, Timestamp)> {
    match latest_feedback(recommendation, feedback).map(|said| (said.outcome, said.at)) {
        Some((FeedbackOutcome::ImplementedSuccessfully, at)) => return Some((true, at)),
        Some((FeedbackOutcome::ImplementedIssues, at)) => return Some((false, at)),
        _ => {}
    }
    match recommendation.status {
        Status::Succeeded => Some((true, recommendation.updated_at)),
        // Taken back by a person's own decision: the finding may have been right.
        Status::RolledBack if recommendation.taken_back_by.is_some() => None,
        Status::RolledBack | Status::Failed => Some((false, recommendation.updated_at)),
        _ => None,
    }
}

/// Returns the training label of a recommendation, its weight, and the time at which it became
/// known. "Not applicable" is a negative label: the finding missed something. A rating that agrees
/// with the outcome leaves the weight whole, one that contradicts it takes up to half.
fn outcome_label(
    recommendation: &Recommendation,
    feedback: &[Feedback],
) -> Option<(bool, f64, Timestamp)> {
    let said = latest_feedback(recommendation, feedback);
    if let Some(said) = said.filter(|said| said.outcome == FeedbackOutcome::NotApplicable) {
        return Some((false, 1.0, said.at));
    }

    let (held, known_at) = execution_outcome(recommendation, feedback)?;
    let agrees = said.and_then(|said| said.rating).map_or(1.0, |stars| {
        let share = stars_share(stars);
        if held { share } else { 1.0 - share }
    });
    Some((held, 0.5 + 0.5 * agrees, known_at))
}
