//! Contract of an agent type, and the registry of those that a service runs.
//!
//! The engine depends on this contract alone: it loads what [`Needs`] names and keeps what the
//! judgement proposes. A new agent type is an implementation and a row of the registry.

use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};
use reeve_audit::Obstacle;
use reeve_learn::calibrate::Example;

use sha2::{Digest as _, Sha256};

use crate::agent::Agent;
use crate::agent::cadence::{Cadence, next_full_run, next_run};
use crate::agent::emergency::{EMERGENCY_SETTINGS, Emergency};
use crate::agent::name::AgentType;
use crate::agent::needs::Needs;

use crate::agent::settings::{AgentSetting, AgentSettings};
use crate::agent::type_table::{AgentTypeInfo, FindingSource};
use crate::judgement::estate::EstateJudge;
use crate::judgement::event::JudgementEvent;
use crate::judgement::open_facts::FactSource;
use crate::judgement::{Facts, Judgement};
use crate::models::Trainer;
use crate::observation::{AnswerTerms, Observation, ObservationAnswer};

/// An agent type: its description, the facts it needs, and its judgement. Pure: no clock, no store,
/// no cloud.
///
/// An implementation is a row of [`AgentTypes`]; the engine loads the facts and keeps the
/// judgement. This type asks of each volume whether a tag names its owner:
///
/// ```
/// use std::sync::Arc;
///
/// use reeve_estate::ResourceKind;
/// use reeve_recommend::agent::AgentType;
/// use reeve_recommend::agent::contract::{AgentDefinition, AgentTypes};
/// use reeve_recommend::agent::needs::Needs;
/// use reeve_recommend::agent::settings::AgentSettings;
/// use reeve_recommend::agent::type_table::{AgentTypeInfo, FindingSource};
/// use reeve_recommend::judgement::proposal::Abstention;
/// use reeve_recommend::judgement::{Facts, Judgement};
/// use reeve_recommend::recommendation::RecommendationType;
///
/// struct VolumeOwners;
///
/// const INFO: AgentTypeInfo = AgentTypeInfo {
///     agent_type: AgentType::named("volume_owners"),
///     description: "Finds volumes that nobody owns.",
///     capabilities: &[],
///     actions: &[],
///     settings: &[],
///     findings: Some(FindingSource::Runs),
/// };
///
/// impl AgentDefinition for VolumeOwners {
///     fn info(&self) -> &AgentTypeInfo {
///         &INFO
///     }
///
///     fn needs(&self, _: &AgentSettings) -> Needs {
///         Needs {
///             kinds: vec![ResourceKind::Volume],
///             ..Needs::default()
///         }
///     }
///
///     fn judge(&self, facts: &Facts<'_>) -> Judgement {
///         let kind = RecommendationType::ResourceTagging;
///         let mut judgement = Judgement::default();
///         // A rule that finds something answers `Ok` with a `Proposal`.
///         judgement.take(Err(match facts.resource.tag("owner") {
///             Some(owner) => Abstention::decided(kind, "owner_known", format!("{owner} owns it")),
///             None => Abstention::unjudged(kind, "no_candidate", "no tag names a person"),
///         }));
///         judgement
///     }
/// }
///
/// let types = AgentTypes::new(vec![Arc::new(VolumeOwners)]);
/// assert_eq!(types.available(), ["volume_owners"]);
/// ```
pub trait AgentDefinition: Send + Sync {
    /// Name, description, capabilities and actions.
    fn info(&self) -> &AgentTypeInfo;

    /// Settings that a person may change for an agent of the type.
    fn settings(&self) -> &[AgentSetting] {
        &[]
    }

    /// Facts that a run loads for each resource; none for a type whose runs judge nothing.
    fn needs(&self, _settings: &AgentSettings) -> Needs {
        Needs::default()
    }

    /// Sources of open facts that the type brings along, beside those of the program.
    fn fact_sources(&self) -> Vec<Arc<dyn FactSource>> {
        Vec::new()
    }

    /// Revision of the data that the type judges by, such as a catalogue of rules. Where it is
    /// another one, the next run of an agent that runs over changes is a full one.
    fn revision(&self) -> String {
        String::new()
    }

    /// Judges one resource: proposals, and abstentions with their reasons. Empty for a type whose
    /// findings come from elsewhere: events, observations, or the estate as a whole.
    fn judge(&self, _facts: &Facts<'_>) -> Judgement {
        Judgement::default()
    }

    /// Begins the judgement of the estate as a whole in a full run; `None` for a type that judges
    /// resources alone.
    fn estate_judge(&self) -> Option<Box<dyn EstateJudge>> {
        None
    }

    /// Kinds of findings that events lead to; none for a type that has runs alone. Agents of a type
    /// with emergencies have the settings of
    /// [`EMERGENCY_SETTINGS`] too.
    fn emergencies(&self) -> &[Emergency] {
        &[]
    }

    /// Facts that are loaded for the judgement of an event, those of the resource that it is about.
    /// Kinds, cadence, relations and volumes are not read.
    fn event_needs(&self, _settings: &AgentSettings) -> Needs {
        Needs::default()
    }

    /// Judges an event that wakes the type: `facts` are those of the resource that it is about. A
    /// proposal whose rule is that of no emergency is an ordinary finding.
    fn judge_event(&self, _event: &JudgementEvent, _facts: &Facts<'_>) -> Judgement {
        Judgement::default()
    }

    /// Answers an observation by a change that belongs to the type; `None` where such changes belong
    /// to another type. The inner error is the reason why there is no change.
    fn answer(
        &self,
        _observation: Observation<'_>,
        _terms: AnswerTerms<'_>,
    ) -> Option<Result<ObservationAnswer, Obstacle>> {
        None
    }

    /// The same judgement at earlier times, each with whether it held. `facts.now` is the present.
    fn backtest(&self, _facts: &Facts<'_>, _times: &[Timestamp]) -> Vec<Example> {
        Vec::new()
    }

    /// Models that agents of the type learn.
    fn trainers(&self) -> Vec<Arc<dyn Trainer>> {
        Vec::new()
    }
}

/// The agent types of a service, in the order in which people see them.
#[derive(Clone)]
pub struct AgentTypes(Arc<[Arc<dyn AgentDefinition>]>);

impl AgentTypes {
    /// A registry of these types. Of two with one name the first counts.
    #[must_use]
    pub fn new(rows: Vec<Arc<dyn AgentDefinition>>) -> Self {
        AgentTypes(rows.into())
    }

    /// Returns the registry with a row in the place of the one of the same type.
    #[must_use]
    pub fn with_row(&self, row: Arc<dyn AgentDefinition>) -> Self {
        let name = row.info().agent_type;
        let rows = self.0.iter().map(|one| {
            let is_replaced = one.info().agent_type == name;
            if is_replaced { &row } else { one }.clone()
        });
        AgentTypes(rows.collect())
    }

    /// Iterates over all registered types.
    pub fn iter(&self) -> impl Iterator<Item = &Arc<dyn AgentDefinition>> {
        self.0.iter()
    }

    /// Returns the type of a name.
    #[must_use]
    pub fn get(&self, agent_type: AgentType) -> Option<&Arc<dyn AgentDefinition>> {
        self.0
            .iter()
            .find(|row| row.info().agent_type == agent_type)
    }

    /// Settings that a person may change for an agent of the type: its own, and those of
    /// emergencies where it has any.
    #[must_use]
    pub fn settings(&self, agent_type: AgentType) -> Vec<AgentSetting> {
        self.get(agent_type)
            .map_or_else(Vec::new, |row| settings_of(&**row))
    }

    /// Names of every type.
    #[must_use]
    pub fn names(&self) -> Vec<&str> {
        self.0
            .iter()
            .map(|row| row.info().agent_type.as_str())
            .collect()
    }

    /// Names of the types that can be configured in this release.
    #[must_use]
    pub fn available(&self) -> Vec<&str> {
        let can_run = self.0.iter().filter(|row| row.info().findings.is_some());
        can_run.map(|row| row.info().agent_type.as_str()).collect()
    }

    /// The type whose runs judge resources; `None` where findings come from elsewhere or the type
    /// is unknown.
    #[must_use]
    pub fn judging(&self, agent_type: AgentType) -> Option<&Arc<dyn AgentDefinition>> {
        self.get(agent_type)
            .filter(|row| row.info().findings == Some(FindingSource::Runs))
    }

    /// Returns the cadence of an agent.
    #[must_use]
    pub fn cadence(&self, agent: &Agent) -> Cadence {
        self.judging(agent.agent_type)
            .map_or_else(Cadence::default, |row| row.needs(&agent.settings).cadence)
    }

    /// Returns a digest of what the judgements of an agent depend on beside the estate: the
    /// program's version, the revision of the type, and the agent's scope and settings.
    #[must_use]
    pub fn basis(&self, agent: &Agent) -> String {
        let revision = self.get(agent.agent_type).map(|row| row.revision());
        let decides = serde_json::json!([
            env!("CARGO_PKG_VERSION"),
            revision.unwrap_or_default(),
            agent.scope,
            agent.settings,
        ]);
        hex::encode(Sha256::digest(decides.to_string()))
    }

    /// Returns the time of an agent's next full run; `interval` is the time between two runs of an
    /// agent without a schedule.
    #[must_use]
    pub fn next_run(&self, agent: &Agent, interval: SignedDuration) -> Option<Timestamp> {
        match self.cadence(agent) {
            Cadence::Interval => next_run(agent, interval),
            Cadence::Changes => next_full_run(agent, &self.basis(agent), interval),
        }
    }

    /// Returns the answer to an observation, with the agent type that owns it.
    ///
    /// # Errors
    /// No change answers it; the text is the reason.
    pub fn answer(
        &self,
        observation: Observation<'_>,
        terms: AnswerTerms<'_>,
    ) -> Result<(AgentType, ObservationAnswer), Obstacle> {
        let mut answers = self.0.iter().filter_map(|row| {
            let answer = row.answer(observation, terms)?;
            Some(answer.map(|answer| (row.info().agent_type, answer)))
        });
        answers
            .next()
            .unwrap_or_else(|| Err(Obstacle::of("no agent type has a change for it")))
    }

    /// Models that agents of a type learn.
    #[must_use]
    pub fn trainers(&self, agent_type: AgentType) -> Vec<Arc<dyn Trainer>> {
        self.get(agent_type)
            .map(|row| row.trainers())
            .unwrap_or_default()
    }
}

/// Settings of an agent type, those of emergencies included.
#[must_use]
pub fn settings_of(definition: &dyn AgentDefinition) -> Vec<AgentSetting> {
    let mut settings = definition.settings().to_vec();
    if !definition.emergencies().is_empty() {
        settings.extend(EMERGENCY_SETTINGS.iter().cloned());
    }
    settings
}
