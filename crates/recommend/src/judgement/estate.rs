//! Judgement of the estate as a whole: what no single resource shows, such as the commitments of an
//! account, a path through several resources, or a common cause.
//!
//! In a full run an [`EstateJudge`] looks at every resource with its judgement and keeps the sums
//! that it needs. After the last one it judges, with the relations across the estate and with
//! documents on demand.

use reeve_audit::Json;
use reeve_estate::{Document, PriceCatalogue, Resource};

use crate::agent::RunDetails;
use crate::agent::settings::AgentSettings;
use crate::guardrail::Guardrails;
use crate::judgement::{Facts, Judgement, RelationIndex};
use crate::models::LearnedModels;

/// Judge of the estate in one full run.
///
/// This one advises to spread machines over more than one region:
///
/// ```
/// use std::collections::{BTreeMap, BTreeSet};
///
/// use reeve_estate::{Resource, ResourceKind};
/// use reeve_recommend::judgement::estate::{
///     EstateError, EstateFacts, EstateJudge, EstateJudgement,
/// };
/// use reeve_recommend::judgement::proposal::Abstention;
/// use reeve_recommend::judgement::{Facts, Judgement};
/// use reeve_recommend::recommendation::RecommendationType;
///
/// #[derive(Default)]
/// struct Regions(BTreeMap<String, (Option<Resource>, BTreeSet<String>)>);
///
/// impl EstateJudge for Regions {
///     fn look(&mut self, facts: &Facts<'_>, _: &Judgement) {
///         if facts.resource.kind == ResourceKind::VirtualMachine {
///             let account = facts.resource.account.clone();
///             let (first, regions) = self.0.entry(account).or_default();
///             first.get_or_insert_with(|| facts.resource.clone());
///             regions.insert(facts.resource.region.clone());
///         }
///     }
///
///     fn judge(self: Box<Self>, _: &EstateFacts<'_>) -> Result<EstateJudgement, EstateError> {
///         let mut found = EstateJudgement::default();
///         for (first, regions) in self.0.into_values() {
///             let Some(machine) = first.filter(|_| regions.len() > 1) else {
///                 continue; // A real one would push a `Proposal` about the account.
///             };
///             let mut judgement = Judgement::default();
///             let why = format!("its machines are in {} regions", regions.len());
///             let kind = RecommendationType::HighAvailability;
///             judgement.take(Err(Abstention::decided(kind, "several_regions", why)));
///             found.judged.push((machine, judgement));
///         }
///         Ok(found)
///     }
/// }
/// ```
pub trait EstateJudge: Send {
    /// Looks at a resource with the judgement of it, in the order in which resources are judged.
    fn look(&mut self, facts: &Facts<'_>, judgement: &Judgement);

    /// Judges the estate, after the last resource.
    ///
    /// # Errors
    /// A document could not be read: a judgement would take it for one that does not exist.
    fn judge(self: Box<Self>, facts: &EstateFacts<'_>) -> Result<EstateJudgement, EstateError>;
}

/// Everything that a judgement of the estate may look at.
#[derive(Clone, Copy)]
pub struct EstateFacts<'a> {
    /// Relations across the estate, of the kinds that the agent type needs.
    pub relations: &'a RelationIndex,
    /// Configurations of any resources.
    pub documents: &'a dyn DocumentReader,
    pub catalogue: &'a PriceCatalogue,
    /// Settings of the agent.
    pub settings: &'a AgentSettings,
    /// Guardrails with the approval matrix.
    pub guardrails: &'a Guardrails,
    /// Models that the agent has learned.
    pub models: &'a LearnedModels,
    pub now: jiff::Timestamp,
}

/// Reads configuration documents when a judgement asks for them.
pub trait DocumentReader {
    /// Returns the current documents of resources, in their order; `None` for a resource whose
    /// configuration was not read.
    ///
    /// # Errors
    /// The store failed.
    fn documents(&self, resources: &[&Resource]) -> Result<Vec<Option<Document>>, EstateError>;
}

/// Result of judging the estate.
#[derive(Debug, Clone, Default)]
pub struct EstateJudgement {
    /// Judgements with their subjects: resources of the inventory, or others, such as an account.
    pub judged: Vec<(Resource, Judgement)>,
    /// Details of the run's report.
    pub details: RunDetails,
    /// Further fields of the entry that records the run.
    pub recorded: Vec<(&'static str, Json)>,
}

/// Reason for which the estate could not be judged.
#[derive(Debug, thiserror::Error)]
pub enum EstateError {
    /// Documents could not be read.
    #[error("configurations could not be read: {0}")]
    Documents(String),
    /// A detail has no JSON form.
    #[error("a detail of the report has no JSON form")]
    Detail(#[from] serde_json::Error),
}
