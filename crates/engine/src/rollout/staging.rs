//! The kinds of recommendations that an agent does not apply one by one, because a rollout carries
//! them.

use std::collections::BTreeMap;

use jiff::SignedDuration;
use reeve_recommend::agent::Agent;
use reeve_recommend::caller::Caller;
use reeve_recommend::error::EngineError;
use reeve_recommend::recommendation::{RecommendationId, RecommendationType};
use reeve_recommend::rollout::{MAX_MEMBERS, RolloutFilter, RolloutSettings, RolloutStatus};

use crate::automatic::policy::{Auto, AutomaticCandidate, decide};
use crate::rollout::{RolloutInput, RolloutService};

/// An aborted rollout keeps its agent from changing the kind by itself for as long as a dismissal
/// silences a finding. What was given up then goes out in stages again, however few it is.
const ABORTED: SignedDuration = SignedDuration::from_hours(24 * 90);

/// Reason why an agent does not apply a kind of recommendations one by one.
pub(crate) enum Staging {
    /// A rollout carries them, or was aborted.
    Carried(&'static str),
    /// A rollout of these begins.
    Begins(Vec<RecommendationId>),
}

impl RolloutService {
    /// The kinds that an agent does not apply one by one now, and why: a rollout carries them, or
    /// one was given up and none has gone through since. Where it would apply many of a kind that
    /// was never rolled out, a rollout begins here.
    pub(crate) async fn staged(
        &self,
        agent: &Agent,
        found: &[AutomaticCandidate],
        days_observed: u32,
        caller: &Caller,
    ) -> Result<BTreeMap<RecommendationType, &'static str>, EngineError> {
        let mut staged = BTreeMap::new();
        for (kind, staging) in self.staging(agent, found, days_observed).await? {
            let reason = match staging {
                Staging::Carried(reason) => reason,
                Staging::Begins(recommendations) => {
                    let (name, settings) = (None, RolloutSettings::default());
                    let kind = kind.as_str().to_owned();
                    let input = RolloutInput {
                        agent: agent.id.clone(),
                        kind,
                        name,
                        recommendations,
                        settings,
                    };
                    self.rollout_begin(input, caller).await?;
                    "in_rollout"
                }
            };
            staged.insert(kind, reason);
        }

        Ok(staged)
    }

    /// Decides which kinds an agent does not apply one by one, without beginning a rollout.
    pub(crate) async fn staging(
        &self,
        agent: &Agent,
        found: &[AutomaticCandidate],
        days_observed: u32,
    ) -> Result<BTreeMap<RecommendationType, Staging>, EngineError> {
        let mut staged = BTreeMap::new();
        let Some(store) = self.rollouts.as_ref() else {
            return Ok(staged);
        };

        let mut would: BTreeMap<RecommendationType, Vec<RecommendationId>> = BTreeMap::new();
        let limits = self.records.agents.guardrails_get().await?;

        for candidate in found {
            if !matches!(
                decide(&limits.approval_matrix, agent, candidate, days_observed),
                Auto::Leave(_)
            ) {
                would
                    .entry(candidate.kind)
                    .or_default()
                    .push(candidate.id.clone());
            }
        }

        let from = limits.rollout_from as usize;
        for (kind, mut recommendations) in would {
            let newest = RolloutFilter {
                agent: Some(agent.id.clone()),
                kind: Some(kind),
                limit: 1,
                ..RolloutFilter::default()
            };
            let last = store.rollout_list(&newest).await?.0.into_iter().next();
            let now = self.records.clock.now();
            let least = match last.map(|last| (last.status, now.duration_since(last.updated_at))) {
                Some((RolloutStatus::Completed, _)) => None,
                Some((RolloutStatus::Aborted, since)) if since >= ABORTED => Some(1),
                Some((RolloutStatus::Aborted, _)) => {
                    staged.insert(kind, Staging::Carried("rollout_aborted"));
                    continue;
                }
                Some(_) => {
                    staged.insert(kind, Staging::Carried("in_rollout"));
                    continue;
                }
                None => Some(from),
            };
            let begins = least.is_some_and(|least| from > 0 && recommendations.len() >= least);
            let staging = begins.then(|| {
                recommendations.truncate(MAX_MEMBERS);
                Staging::Begins(recommendations)
            });
            staged.extend(staging.map(|staging| (kind, staging)));
        }

        Ok(staged)
    }
}
