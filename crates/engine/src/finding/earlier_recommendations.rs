//! Earlier recommendations and their outcomes, as far as new findings depend on them: those that
//! people answered, and sums over all others.

use std::collections::{BTreeSet, HashMap};

use jiff::{SignedDuration, Timestamp};
use reeve_estate::ResourceId;
use reeve_recommend::error::EngineError;
use reeve_recommend::judgement::proposal::Proposal;
use reeve_recommend::ports::RecommendationFilter;
use reeve_recommend::recommendation::lifecycle::Status;
use reeve_recommend::recommendation::ranking::FeedbackWeights;
use reeve_recommend::recommendation::{
    Feedback, Recommendation, RecommendationId, RecommendationType,
};

use crate::guard::recent_actions::CHUNK;
use crate::records::Records;
use crate::run::calibration::execution_outcome;

/// Kinds whose changes have no size step: all cases of the kind are alike.
const STEPLESS: [RecommendationType; 2] = [
    RecommendationType::IdleResourceCleanup,
    RecommendationType::ReservedInstances,
];

/// Size before and after a change.
type Sizes = (Option<String>, Option<String>);

/// Outcomes of earlier recommendations of some kinds.
#[derive(Default)]
pub(crate) struct Past {
    /// Executed recommendations by kind and size step: those that went well, and all.
    cases: HashMap<(RecommendationType, Sizes), (u64, u64)>,
    /// Weights from people's answers.
    pub(crate) weights: FeedbackWeights,
    /// Kinds that were read.
    kinds: BTreeSet<RecommendationType>,
}

impl Past {
    /// Reads the past of these kinds.
    pub(crate) async fn read(
        records: &Records,
        kinds: &BTreeSet<RecommendationType>,
    ) -> Result<Self, EngineError> {
        if kinds.is_empty() {
            return Ok(Past::default());
        }

        let (answered, feedback) = answered(records, kinds).await?;
        let now = records.clock.now();
        let weights = FeedbackWeights::new(&answered, &feedback, now);
        let mut past = Past {
            weights,
            kinds: kinds.clone(),
            ..Past::default()
        };
        let kinds: Vec<RecommendationType> = kinds.iter().copied().collect();
        past.weights.add_dismissals(
            &records.agents.recommendation_dismissals(&kinds).await?,
            now,
        );

        for outcome in records.agents.recommendation_outcomes(&kinds).await? {
            let sizes = (outcome.instance_type, outcome.target_type);
            past.add(
                outcome.kind,
                sizes,
                outcome.succeeded,
                outcome.succeeded + outcome.failed,
            );
        }

        let mut said: HashMap<&RecommendationId, Vec<Feedback>> = HashMap::new();
        for one in &feedback {
            said.entry(&one.recommendation)
                .or_default()
                .push(one.clone());
        }

        for one in &answered {
            let said = said.get(&one.id).map_or(&[][..], Vec::as_slice);
            if let Some((held, _)) = execution_outcome(one, said) {
                let sizes = (
                    one.subject.instance_type.clone(),
                    one.subject.target_type.clone(),
                );
                past.add(one.kind, sizes, u64::from(held), 1);
            }
        }

        Ok(past)
    }

    /// Reads the past again if it lacks any of these kinds, all kinds together: a run meets its
    /// kinds one by one.
    pub(crate) async fn include(
        &mut self,
        records: &Records,
        kinds: &BTreeSet<RecommendationType>,
    ) -> Result<(), EngineError> {
        if !kinds.is_subset(&self.kinds) {
            *self = Past::read(records, &self.kinds.union(kinds).copied().collect()).await?;
        }
        Ok(())
    }

    fn add(&mut self, kind: RecommendationType, sizes: Sizes, succeeded: u64, cases: u64) {
        let sizes = if STEPLESS.contains(&kind) {
            (None, None)
        } else {
            sizes
        };
        let sum = self.cases.entry((kind, sizes)).or_default();
        *sum = (sum.0 + succeeded, sum.1 + cases);
    }

    /// Recommendations of the same type and size step that were executed and whose outcome is
    /// known, by a person's word before how the action ended, and the share that went well,
    /// percent.
    pub(crate) fn similar_cases(&self, proposal: &Proposal) -> (u64, Option<f64>) {
        let subject = &proposal.subject;
        let sizes = match STEPLESS.contains(&proposal.kind) {
            true => (None, None),
            false => (subject.instance_type.clone(), subject.target_type.clone()),
        };
        let (succeeded, cases) = self
            .cases
            .get(&(proposal.kind, sizes))
            .copied()
            .unwrap_or_default();

        (
            cases,
            (cases > 0).then(|| succeeded as f64 / cases as f64 * 100.0),
        )
    }
}

/// Recommendations of these kinds with feedback, and all feedback.
async fn answered(
    records: &Records,
    kinds: &BTreeSet<RecommendationType>,
) -> Result<(Vec<Recommendation>, Vec<Feedback>), EngineError> {
    let kind = kinds.first().copied().filter(|_| kinds.len() == 1);
    let filter = RecommendationFilter {
        has_feedback: true,
        kind,
        ..RecommendationFilter::default()
    };
    let (mut answered, _) = records.agents.recommendation_list(&filter).await?;
    answered.retain(|one| kinds.contains(&one.kind));
    Ok((answered, records.agents.feedback_list(None).await?))
}

/// Recommendations on these resources that ended within a time in a way that may keep a finding
/// from being made again, by resource.
pub(crate) async fn ended_on(
    records: &Records,
    resources: &BTreeSet<ResourceId>,
    within: SignedDuration,
) -> Result<HashMap<ResourceId, Vec<Recommendation>>, EngineError> {
    let since = records
        .clock
        .now()
        .checked_sub(within)
        .unwrap_or(Timestamp::MIN);
    let resources: Vec<ResourceId> = resources.iter().cloned().collect();
    let mut ended: HashMap<ResourceId, Vec<Recommendation>> = HashMap::new();

    for chunk in resources.chunks(CHUNK) {
        let filter = RecommendationFilter {
            status: vec![
                Status::Dismissed,
                Status::Succeeded,
                Status::RolledBack,
                Status::Failed,
            ],
            resources: chunk.to_vec(),
            updated_since: Some(since),
            ..RecommendationFilter::default()
        };
        for one in records.agents.recommendation_list(&filter).await?.0 {
            ended.entry(one.subject.id.clone()).or_default().push(one);
        }
    }

    Ok(ended)
}

/// Recommendations on these resources that have not ended.
pub(crate) async fn open_on(
    records: &Records,
    resources: &BTreeSet<ResourceId>,
) -> Result<Vec<Recommendation>, EngineError> {
    let resources: Vec<ResourceId> = resources.iter().cloned().collect();
    let mut open = Vec::new();

    for chunk in resources.chunks(CHUNK) {
        let filter = RecommendationFilter {
            is_open: true,
            resources: chunk.to_vec(),
            ..RecommendationFilter::default()
        };
        open.extend(records.agents.recommendation_list(&filter).await?.0);
    }

    Ok(open)
}
