//! Input and output of a judgement: the facts about one resource, and the proposals and abstentions
//! that follow from them.

pub mod activity;
pub mod assessment;
pub mod caches_beside;
pub mod estate;
pub mod event;
pub mod evidence;
mod fleet;
pub mod machine_series;
pub mod open_facts;
pub mod past_calls;
pub mod portfolio;
pub mod proposal;
pub mod region_quota;
pub mod region_totals;
mod relation_index;
pub mod service_load;
pub mod sessions;
pub mod spot;
pub mod spot_market;
pub mod target_health;
pub mod trust;
pub mod workload;

use std::any::Any;

use jiff::Timestamp;
use reeve_estate::{Charge, Document, PriceCatalogue, Resource, SampleSeries};

use crate::agent::settings::AgentSettings;
use crate::guardrail::Guardrails;
use crate::guardrail::protection::{refusal, state_losses};
use crate::judgement::evidence::CheckResult;
use crate::judgement::open_facts::OpenFacts;
use crate::judgement::proposal::{Abstention, Proposal};
use crate::models::LearnedModels;

pub use fleet::Fleet;
pub use relation_index::{Neighbour, RelationIndex};

/// Days of history a judgement looks at.
pub const HISTORY_DAYS: i64 = 30;

/// Days a proposal has to hold.
pub const HORIZON_DAYS: i64 = 14;

/// Everything a judgement of one resource may look at.
#[derive(Debug, Clone, Copy)]
pub struct Facts<'a> {
    /// The resource as last observed.
    pub resource: &'a Resource,
    /// Its series over the days of history that the agent type needs, each sorted by time.
    pub series: &'a [SampleSeries],
    /// Its daily maxima before those days, as far back as the agent type needs.
    pub maxima: &'a [SampleSeries],
    /// Charges of its bills over the days that the agent type needs, by their beginning. None of a
    /// resource that no bill names: a cost that is not known is not zero.
    pub charges: &'a [Charge],
    /// Its configuration; `None` where it was not read or the agent type does not need it.
    pub document: Option<&'a Document>,
    /// Relations across the estate, of the kinds that the agent type needs.
    pub relations: &'a RelationIndex,
    /// The volumes attached to it; of a volume those of its machine, itself among them.
    pub volumes: &'a [Resource],
    pub catalogue: &'a PriceCatalogue,
    /// Settings of the agent.
    pub settings: &'a AgentSettings,
    /// The limits a step is chosen within.
    pub guardrails: &'a Guardrails,
    /// Facts that single agent types need, by their type.
    pub open: &'a OpenFacts,
    /// Models that the agent has learned.
    pub models: &'a LearnedModels,
    /// Time at which a sync first saw its present state and attachments; `None` where no sync saw
    /// others in the days of history.
    pub attachment_changed_at: Option<Timestamp>,
    /// Time of the last known change of size. Older samples describe another size and are ignored.
    pub unchanged_since: Option<Timestamp>,
    pub now: Timestamp,
}

impl<'a> Facts<'a> {
    /// Returns an open fact of the resource; `None` where it has none, or the agent type does not
    /// need it.
    #[must_use]
    pub fn get<T: Any>(&self) -> Option<&'a T> {
        self.open.get()
    }
}

/// Result of judging one resource.
#[derive(Debug, Clone, Default)]
pub struct Judgement {
    /// Proposed changes, at most one a recommendation type and aspect of the resource.
    pub proposals: Vec<Proposal>,
    /// Reasons why nothing else was proposed.
    pub abstentions: Vec<Abstention>,
    /// Answers of checks about the resource, where the agent type checks.
    pub evidence: Vec<CheckResult>,
    /// Other answers about the resource, by their type. The engine keeps the outputs
    /// that it was given an [`OutputKeeper`](open_facts::OutputKeeper) for.
    pub outputs: OpenFacts,
}

impl Judgement {
    /// Adds the outcome of a rule.
    pub fn take(&mut self, outcome: Result<Proposal, Abstention>) {
        match outcome {
            Ok(proposal) => self.proposals.push(proposal),
            Err(abstention) => self.abstentions.push(abstention),
        }
    }

    /// Replaces the proposals whose change a protection refuses by abstentions, and states what the
    /// others lose. The engine asks this of every judgement, so that no agent type can leave it
    /// out.
    pub fn protect(&mut self, resource: &Resource, catalogue: &PriceCatalogue) {
        for mut proposal in std::mem::take(&mut self.proposals) {
            let change = proposal.plan.as_ref().and_then(|plan| plan.change_name());
            match change.and_then(|change| refusal(resource, change, catalogue)) {
                Some(protected) => self
                    .abstentions
                    .push(protected.into_abstention(Some(proposal.kind))),
                None => {
                    state_losses(&mut proposal, resource, catalogue);
                    self.proposals.push(proposal);
                }
            }
        }
    }
}
