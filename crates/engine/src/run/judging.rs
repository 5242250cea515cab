//! Judgement of a chunk of resources: the facts that an agent type needs of them are loaded
//! together, and each resource is judged by its own.

use std::collections::HashMap;
use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};
use reeve_estate::charge::resource_key;
use reeve_estate::{
    Charge, ConnectionId, Document, PriceCatalogue, Resource, ResourceId, ResourceKind,
    SampleSeries,
};
use reeve_recommend::agent::Agent;
use reeve_recommend::agent::contract::AgentDefinition;
use reeve_recommend::agent::needs::Needs;
use reeve_recommend::agent::settings::AgentSettings;
use reeve_recommend::error::EngineError;
use reeve_recommend::guardrail::Guardrails;
use reeve_recommend::judgement::estate::EstateJudge;
use reeve_recommend::judgement::event::JudgementEvent;
use reeve_recommend::judgement::open_facts::{ChunkFacts, FactLoader, OpenFacts};
use reeve_recommend::judgement::{Facts, RelationIndex};
use reeve_recommend::models::LearnedModels;

use crate::agent::scope::days_spanned;
use crate::finding::judged::Judged;
use crate::run::load_history::{Key, key, own_changes};
use crate::run::{RunService, descriptions};

/// A resource with what it is judged by.
struct Case {
    resource: Resource,
    series: Vec<SampleSeries>,
    maxima: Vec<SampleSeries>,
    charges: Vec<Charge>,
    document: Option<Document>,
    volumes: Vec<Resource>,
    attachment_changed_at: Option<Timestamp>,
    unchanged_since: Option<Timestamp>,
    open: OpenFacts,
}

impl Case {
    fn facts<'a>(&'a self, common: &'a Common) -> Facts<'a> {
        Facts {
            resource: &self.resource,
            series: &self.series,
            maxima: &self.maxima,
            charges: &self.charges,
            document: self.document.as_ref(),
            relations: &common.relations,
            volumes: &self.volumes,
            catalogue: &common.catalogue,
            settings: &common.settings,
            guardrails: &common.guardrails,
            open: &self.open,
            models: &common.models,
            attachment_changed_at: self.attachment_changed_at,
            unchanged_since: self.unchanged_since,
            now: common.now,
        }
    }
}

/// Facts that the judgements of several resources have in common.
struct Common {
    catalogue: Arc<PriceCatalogue>,
    settings: AgentSettings,
    guardrails: Guardrails,
    models: Arc<LearnedModels>,
    relations: Arc<RelationIndex>,
    now: Timestamp,
}

/// Inputs of a run's judgements.
pub(super) struct Judging {
    pub(super) definition: Arc<dyn AgentDefinition>,
    pub(super) needs: Needs,
    pub(super) settings: AgentSettings,
    pub(super) limits: Guardrails,
    /// Volumes by the machine they are attached to.
    pub(super) volumes: HashMap<Key, Vec<Resource>>,
    /// Time at which Reeve last gave each resource another load.
    changed: HashMap<Key, Timestamp>,
    pub(super) models: Arc<LearnedModels>,
    pub(super) relations: Arc<RelationIndex>,
    /// Loaders of the open facts that the agent type needs.
    loaders: Vec<Box<dyn FactLoader>>,
}

impl Judging {
    /// Returns `true` if the agent type judges resources of this kind.
    pub(super) fn judges(&self, resource: &Resource) -> bool {
        let kinds = &self.needs.kinds;
        kinds.is_empty() || kinds.contains(&resource.kind)
    }
}

impl RunService {
    /// Loads what the judgements of a run have in common; without an agent they have the defaults
    /// of its settings. Volumes and relations are added by runs that have them.
    pub(super) async fn judging(
        &self,
        agent: Option<&Agent>,
        definition: &Arc<dyn AgentDefinition>,
        needs: Needs,
    ) -> Result<Judging, EngineError> {
        Ok(Judging {
            definition: Arc::clone(definition),
            models: match agent {
                Some(agent) => Arc::new(self.models.learned(agent, &needs.models).await),
                None => Arc::default(),
            },
            settings: agent
                .map(|agent| agent.settings.clone())
                .unwrap_or_default(),
            limits: self.records.agents.guardrails_get().await?,
            volumes: HashMap::new(),
            changed: own_changes(&self.records, &self.ports.changes, needs.history_days).await?,
            relations: Arc::default(),
            loaders: self.loaders(&**definition, &needs),
            needs,
        })
    }

    /// Judges resources of one connection; a judge of the estate looks at each with its judgement.
    pub(super) async fn judge_chunk(
        &self,
        judging: &Judging,
        connection: &ConnectionId,
        chunk: Vec<Resource>,
        estate: &mut Option<Box<dyn EstateJudge>>,
    ) -> Result<(Vec<Judged>, u32), EngineError> {
        let (work, days) = self.cases(judging, connection, chunk).await?;
        let common = self.common(judging);
        let definition = Arc::clone(&judging.definition);
        let mut looking = estate.take();
        let judged = tokio::task::spawn_blocking(move || {
            let judged = work
                .into_iter()
                .map(|case| {
                    let facts = case.facts(&common);
                    let judgement = definition.judge(&facts);
                    if let Some(estate) = &mut looking {
                        estate.look(&facts, &judgement);
                    }
                    Judged::new(case.resource, judgement)
                })
                .collect::<Vec<_>>();
            (judged, looking)
        });

        let (judged, looked) = judged
            .await
            .map_err(|error| EngineError::Store(format!("judging stopped: {error}")))?;
        *estate = looked;
        Ok((judged, days))
    }

    /// Judges an event about a resource, in the name of an agent where there is one.
    pub(crate) async fn judge_event(
        &self,
        definition: &Arc<dyn AgentDefinition>,
        agent: Option<&Agent>,
        event: &JudgementEvent,
        resource: Resource,
    ) -> Result<Judged, EngineError> {
        let defaults = AgentSettings::default();
        let settings = agent.map_or(&defaults, |agent| &agent.settings);
        let needs = definition.event_needs(settings);
        let judging = self.judging(agent, definition, needs).await?;
        let connection = resource.connection.clone();
        let (cases, _) = self.cases(&judging, &connection, vec![resource]).await?;
        let common = self.common(&judging);
        let case = cases
            .into_iter()
            .next()
            .ok_or_else(|| EngineError::Store("an event was judged of nothing".to_owned()))?;

        let judgement = definition.judge_event(event, &case.facts(&common));
        Ok(Judged {
            is_emergency: true,
            ..Judged::new(case.resource, judgement)
        })
    }

    fn common(&self, judging: &Judging) -> Common {
        Common {
            catalogue: Arc::clone(&self.ports.catalogue),
            settings: judging.settings.clone(),
            guardrails: judging.limits.clone(),
            models: Arc::clone(&judging.models),
            relations: Arc::clone(&judging.relations),
            now: self.records.clock.now(),
        }
    }

    /// Loads what resources of one connection are judged by, and the days that were measured.
    async fn cases(
        &self,
        judging: &Judging,
        connection: &ConnectionId,
        chunk: Vec<Resource>,
    ) -> Result<(Vec<Case>, u32), EngineError> {
        let now = self.records.clock.now();
        let start = now - SignedDuration::from_hours(24 * judging.needs.history_days);
        let ids: Vec<ResourceId> = chunk.iter().map(|resource| resource.id.clone()).collect();
        let series = self
            .ports
            .samples
            .sample_series(connection, &ids, &judging.needs.metrics, start, now)
            .await?;

        let days = series
            .iter()
            .map(|s| days_spanned(s, now))
            .max()
            .unwrap_or(0);

        let mut by_resource = by_resource(series);
        let mut maxima = self
            .maxima(judging, connection, &chunk, (start, now))
            .await?;
        let charges = self.charges(judging.needs.charge_days, &ids, now).await?;
        let mut documents = self.documents(&judging.needs, &chunk).await?;
        let seen = self.scopes.seen_changes(connection, &chunk, start).await?;
        let mut open = ChunkFacts::new();
        for loader in &judging.loaders {
            loader
                .load(connection, &chunk, (start, now), &mut open)
                .await?;
        }
        let cases = chunk
            .into_iter()
            .map(|resource| Case {
                series: by_resource.remove(&resource.id).unwrap_or_default(),
                maxima: maxima.remove(&resource.id).unwrap_or_default(),
                charges: charges
                    .get(&resource_key(resource.id.as_str()))
                    .cloned()
                    .unwrap_or_default(),
                document: documents.remove(&key(&resource)),
                volumes: volumes_beside(judging, &resource),
                open: open.remove(&resource.id).unwrap_or_default(),
                attachment_changed_at: seen.attachments.get(&resource.id).copied(),
                unchanged_since: seen
                    .loads
                    .get(&resource.id)
                    .max(judging.changed.get(&key(&resource)))
                    .copied(),
                resource,
            })
            .collect();

        Ok((cases, days))
    }

    /// Charges of the resources, by the key that bills and the inventory have in common. What
    /// cannot be read ends the run, because a judgement would take it for a resource that costs
    /// nothing.
    async fn charges(
        &self,
        days: i64,
        ids: &[ResourceId],
        now: Timestamp,
    ) -> Result<HashMap<String, Vec<Charge>>, EngineError> {
        let mut found: HashMap<String, Vec<Charge>> = HashMap::new();
        if days > 0 {
            let start = now - SignedDuration::from_hours(24 * days);
            for charge in self.ports.charges.charges(ids, start, now).await? {
                let Some(resource) = charge.resource.as_deref().map(resource_key) else {
                    continue;
                };
                found.entry(resource).or_default().push(charge);
            }
        }

        Ok(found)
    }

    /// Daily maxima of resources before the history of their series, by resource. Kinds without the
    /// metrics, such as volumes, are not asked for: a file of each day of a year would be read.
    async fn maxima(
        &self,
        judging: &Judging,
        connection: &ConnectionId,
        chunk: &[Resource],
        (until, now): (Timestamp, Timestamp),
    ) -> Result<HashMap<ResourceId, Vec<SampleSeries>>, EngineError> {
        let (metrics, days) = (&judging.needs.maxima, judging.needs.maxima_days);
        let has_them = |kind: ResourceKind| metrics.iter().any(|metric| kind.has_metric(*metric));
        let ids: Vec<ResourceId> = chunk
            .iter()
            .filter(|resource| has_them(resource.kind))
            .map(|resource| resource.id.clone())
            .collect();
        if ids.is_empty() {
            return Ok(HashMap::new());
        }

        let from = now - SignedDuration::from_hours(24 * days);
        let samples = &self.ports.samples;
        let found = samples.sample_maxima(connection, &ids, metrics, from, until);
        Ok(by_resource(found.await?))
    }

    /// Configurations of the resources, where the agent type needs them.
    async fn documents(
        &self,
        needs: &Needs,
        chunk: &[Resource],
    ) -> Result<HashMap<Key, Document>, EngineError> {
        let described: Vec<Resource> = chunk
            .iter()
            .filter(|resource| needs.documents.contains(&resource.kind))
            .cloned()
            .collect();

        match self
            .ports
            .descriptions
            .as_ref()
            .filter(|_| !described.is_empty())
        {
            Some(store) => descriptions::documents(&**store, &described).await,
            None => Ok(HashMap::new()),
        }
    }

    /// Relations of the resources of some kinds, across the estate.
    pub(super) async fn relations(&self, needs: &Needs) -> Result<RelationIndex, EngineError> {
        let kinds = &needs.related;
        match self
            .ports
            .descriptions
            .as_ref()
            .filter(|_| !kinds.is_empty())
        {
            Some(store) => {
                let resources = self.scopes.of_kinds(kinds).await?;
                let with_documents: Vec<Resource> = resources
                    .iter()
                    .filter(|resource| needs.related_documents.contains(&resource.kind))
                    .cloned()
                    .collect();
                let mut index = descriptions::relations(&**store, resources, kinds).await?;
                for some in with_documents.chunks(descriptions::AT_ONCE) {
                    for ((connection, id), document) in
                        descriptions::documents(&**store, some).await?
                    {
                        index.add_document(connection, id, document);
                    }
                }
                Ok(index)
            }
            None => Ok(RelationIndex::default()),
        }
    }

    /// Loaders of the open facts that an agent type needs. A type of facts without a source is
    /// absent.
    fn loaders(&self, definition: &dyn AgentDefinition, needs: &Needs) -> Vec<Box<dyn FactLoader>> {
        let own = definition.fact_sources();
        let sources = self.ports.fact_sources.iter().chain(&own);
        sources
            .filter_map(|source| {
                let wanted = source.fact_type();
                let need = needs.facts.iter().find(|need| need.fact_type == wanted)?;
                Some(source.begin(needs, need))
            })
            .collect()
    }
}

pub(crate) fn by_resource(series: Vec<SampleSeries>) -> HashMap<ResourceId, Vec<SampleSeries>> {
    let mut found: HashMap<ResourceId, Vec<SampleSeries>> = HashMap::new();
    for one in series {
        found.entry(one.resource.clone()).or_default().push(one);
    }
    found
}

/// The machine that a volume is attached to; any other resource itself.
pub(crate) fn machine_of(resource: &Resource) -> &ResourceId {
    let machine = resource
        .attached_to
        .first()
        .filter(|_| resource.kind == ResourceKind::Volume);
    machine.unwrap_or(&resource.id)
}

/// The volumes attached to a resource; of a volume those of its machine.
fn volumes_beside(judging: &Judging, resource: &Resource) -> Vec<Resource> {
    let machine = (resource.connection.clone(), machine_of(resource).clone());
    judging.volumes.get(&machine).cloned().unwrap_or_default()
}
