//! Expiry of recommendations that a run did not find again: the judgement of the resource refutes
//! them, or the run had no such resource. It happens after a run that read everything, so that a
//! run that stopped midway ends nothing that it only did not reach.

use std::collections::{BTreeMap, HashMap, HashSet};

use reeve_estate::{ConnectionId, ResourceId};
use reeve_recommend::agent::{Agent, RunExtent};
use reeve_recommend::approval::ApprovalStatus;
use reeve_recommend::caller::Caller;
use reeve_recommend::error::EngineError;
use reeve_recommend::judgement::Judgement;
use reeve_recommend::judgement::proposal::Proposal;
use reeve_recommend::ports::RecommendationFilter;
use reeve_recommend::recommendation::lifecycle::Status;
use reeve_recommend::recommendation::{Closing, Recommendation, RecommendationId};

use crate::finding::earlier_recommendations::open_on;
use crate::finding::judged::Judged;
use crate::finding::upsert::{Findings, Key as FindingKey, key_of};
use crate::run::load_history::Key;

/// Open recommendations of an agent that are read at a time.
const PAGE: u64 = 500;

/// Resources that a run judged, and the recommendations on them that it refutes, each with the
/// reason.
#[derive(Debug, Default)]
pub(crate) struct Seen {
    resources: HashSet<Key>,
    /// Resources in scope of kinds that the run does not judge. Anomalies and predictive rules find
    /// them too.
    passed_by: HashSet<Key>,
    /// Resources that a run over changes looked for, judged or gone; `None` for a full run, which
    /// looks for all of the scope.
    looked_at: Option<HashSet<Key>>,
    pub(crate) refuted: HashMap<RecommendationId, String>,
    found: HashSet<RecommendationId>,
}

impl Seen {
    /// Nothing yet, of a run of this extent.
    pub(crate) fn new(extent: RunExtent) -> Self {
        Seen {
            looked_at: (extent == RunExtent::Changes).then(HashSet::new),
            ..Seen::default()
        }
    }

    /// Notes resources that the run looked for.
    pub(crate) fn look_at(&mut self, resources: impl Iterator<Item = Key>) {
        if let Some(looked_at) = &mut self.looked_at {
            looked_at.extend(resources);
        }
    }

    /// Notes resources that the run judged.
    pub(crate) fn judge(&mut self, resources: impl Iterator<Item = Key>) {
        for resource in resources {
            self.look_at(std::iter::once(resource.clone()));
            self.resources.insert(resource);
        }
    }

    /// Notes resources in scope of kinds that the run does not judge.
    pub(crate) fn pass_by(&mut self, resources: impl Iterator<Item = Key>) {
        self.passed_by.extend(resources);
    }

    /// Notes recommendations that were found again. The judgement of the estate may find again what
    /// that of the resource refuted.
    pub(crate) fn find<'r>(&mut self, found: impl Iterator<Item = &'r RecommendationId>) {
        self.found.extend(found.cloned());
    }

    /// Resources that a run over changes looked for; `None` for a full run.
    pub(crate) const fn looked_at(&self) -> Option<&HashSet<Key>> {
        self.looked_at.as_ref()
    }

    /// Returns the reason why a recommendation expires, and the cause of its closing; `None` if it
    /// stays.
    fn expiry(&self, known: &Recommendation) -> Option<(String, Option<Closing>)> {
        if !known.status.may_become(Status::Expired) {
            return None;
        }

        let resource = (known.subject.connection.clone(), known.subject.id.clone());
        if self
            .looked_at
            .as_ref()
            .is_some_and(|looked_at| !looked_at.contains(&resource))
        {
            return None;
        }
        if !self.resources.contains(&resource) {
            let is_judged = known.origin.cause.is_judged_by_runs();
            if !is_judged && self.passed_by.contains(&resource) {
                return None;
            }
            let reason =
                "the resource no longer exists, or is outside of the agent's scope".to_owned();
            return Some((reason, Some(Closing::ResourceGone)));
        }

        // A predictive rule may have found it again since it was refuted.
        let reason = self
            .refuted
            .get(&known.id)
            .filter(|_| known.origin.cause.is_judged_by_runs())
            .filter(|_| !self.found.contains(&known.id))?;
        Some((reason.clone(), None))
    }
}

impl Findings {
    /// Ends the open recommendations of an agent that a run did not find again, on the resources
    /// that it looked for.
    pub(crate) async fn expire_not_found(
        &self,
        agent: &Agent,
        seen: &Seen,
    ) -> Result<(), EngineError> {
        let _turn = self.records.turn.lock().await;
        let caller = Caller::agent(&agent.id);

        for id in self.not_found(agent, seen).await? {
            let known = self.records.agents.recommendation_get(&id).await?;
            let Some((reason, closing)) = seen.expiry(&known) else {
                continue;
            };
            self.records
                .close_approvals(&known, ApprovalStatus::Expired, &reason, &caller)
                .await?;
            self.records
                .close_at(
                    &id,
                    "recommendation.expire",
                    Status::Expired,
                    closing,
                    Some(&reason),
                    &caller,
                )
                .await?;
        }

        Ok(())
    }

    /// Identifiers of the open recommendations that a run did not find again, in the order of their
    /// resources, so that what a run records does not depend on chance.
    async fn not_found(
        &self,
        agent: &Agent,
        seen: &Seen,
    ) -> Result<Vec<RecommendationId>, EngineError> {
        let mut found: BTreeMap<FindingKey, RecommendationId> = BTreeMap::new();
        if let Some(looked_at) = seen.looked_at() {
            let resources = looked_at.iter().map(|(_, id)| id.clone()).collect();
            for known in open_on(&self.records, &resources).await? {
                if known.agent_id.as_ref() == Some(&agent.id) && seen.expiry(&known).is_some() {
                    found.insert(key_of(&known.subject, known.kind), known.id);
                }
            }
            return Ok(found.into_values().collect());
        }

        let page = |offset| RecommendationFilter {
            is_open: true,
            agent: Some(agent.id.0.clone()),
            limit: PAGE,
            offset,
            ..RecommendationFilter::default()
        };

        let (_, open) = self
            .records
            .agents
            .recommendation_list(&RecommendationFilter {
                limit: 1,
                ..page(0)
            })
            .await?;

        // From the last page to the first: where somebody ends a recommendation meanwhile, those
        // after it move to a page yet to be read.
        for number in (0..open.div_ceil(PAGE)).rev() {
            for known in self
                .records
                .agents
                .recommendation_list(&page(number * PAGE))
                .await?
                .0
            {
                if seen.expiry(&known).is_some() {
                    found.insert(key_of(&known.subject, known.kind), known.id);
                }
            }
        }

        Ok(found.into_values().collect())
    }
}

/// Recommendations of an agent that the judgements of their resources refute, each with the reason.
pub(crate) fn refuted<'a>(
    agent: &Agent,
    judged: &[Judged],
    open: impl Iterator<Item = &'a Recommendation>,
) -> Vec<(RecommendationId, String)> {
    let mut by_resource: HashMap<(&ConnectionId, &ResourceId), Vec<&Judgement>> = HashMap::new();
    for one in judged {
        let resource = (&one.resource.connection, &one.resource.id);
        by_resource
            .entry(resource)
            .or_default()
            .push(&one.judgement);
    }
    let own = open.filter(|known| {
        known.agent_id.as_ref() == Some(&agent.id)
            && known.status.may_become(Status::Expired)
            && known.origin.cause.is_judged_by_runs()
    });

    own.filter_map(|known| {
        let judgements = by_resource.get(&(&known.subject.connection, &known.subject.id))?;
        Some((known.id.clone(), expiry_reason(judgements, known)?))
    })
    .collect()
}

/// Returns the reason why the judgements of its resource let a recommendation expire; `None` if it
/// was found again or could not be judged.
fn expiry_reason(judgements: &[&Judgement], known: &Recommendation) -> Option<String> {
    let (kind, aspect) = (known.kind, known.subject.aspect.as_deref());
    let proposals = || judgements.iter().flat_map(|one| &one.proposals);
    let all = judgements.iter().flat_map(|one| &one.abstentions);
    let mut about: Vec<_> = all
        .filter(|abstention| abstention.is_about(kind, aspect))
        .collect();
    // What is said of the part outranks what is said of the whole resource.
    if about.iter().any(|abstention| abstention.aspect.is_some()) {
        about.retain(|abstention| abstention.aspect.is_some());
    }
    if proposals()
        .any(|proposal| proposal.kind == kind && proposal.subject.aspect.as_deref() == aspect)
    {
        return None;
    }

    if let Some(abstention) = about.iter().find(|abstention| abstention.decisive) {
        return Some(format!(
            "no longer found: {} ({})",
            abstention.detail, abstention.code
        ));
    }

    let undecided = !about.is_empty();
    let replaces = |proposal: &&Proposal| proposal.subject.aspect.is_none() && !undecided;
    let other = proposals().next().filter(replaces)?;
    Some(format!(
        "replaced by another recommendation: {}",
        other.title
    ))
}
