//! Recent actions, as far as the guardrails need them: sums, and the actions on the resources that
//! they are asked about.

use jiff::{SignedDuration, Timestamp};
use reeve_estate::ResourceId;
use reeve_recommend::action::{Action, ActionStatus, Purpose};
use reeve_recommend::error::EngineError;
use reeve_recommend::guardrail::Guardrails;
use reeve_recommend::recommendation::totals::ActionFilter;

use crate::guard::limits::GuardrailService;
use crate::guard::{BUDGET_DAYS, BreakerSign, DAY_S, RecentActions, breaker_sign};

/// Identifiers of one question to a store.
pub(crate) const CHUNK: usize = 500;
/// Actions that are read at a time in the search for the last success.
const PAGE: u64 = 50;

impl GuardrailService {
    /// Sums over actions of late. `run_id` is the run that wants a change.
    pub(crate) async fn recent_actions(
        &self,
        limits: &Guardrails,
        run_id: Option<&str>,
        now: Timestamp,
    ) -> Result<RecentActions, EngineError> {
        let agents = &self.records.agents;
        let in_run = match run_id {
            Some(run) => agents.action_count_of_run(run).await?,
            None => 0,
        };
        let in_day = agents
            .action_counts(now - SignedDuration::from_secs(DAY_S))
            .await?;

        Ok(RecentActions {
            failures: self.failures_in_a_row(limits, now).await?,
            in_day,
            in_run,
        })
    }

    /// Failures since the last success, and since the breaker was reset.
    async fn failures_in_a_row(
        &self,
        limits: &Guardrails,
        now: Timestamp,
    ) -> Result<u32, EngineError> {
        let (mut failures, mut offset) = (0, 0);
        loop {
            let filter = ActionFilter {
                purpose: Some(Purpose::Apply),
                // Those that run say nothing, and a storm has many of them.
                statuses: vec![
                    ActionStatus::Succeeded,
                    ActionStatus::RolledBack,
                    ActionStatus::Failed,
                ],
                since: Some(budget_begin(now)),
                limit: PAGE,
                offset,
                ..ActionFilter::default()
            };
            let (page, _) = self.records.agents.action_page(&filter).await?;
            for action in &page {
                if limits
                    .breaker_reset_at
                    .is_some_and(|at| action.started_at <= at)
                {
                    return Ok(failures);
                }
                match breaker_sign(action) {
                    BreakerSign::Success => return Ok(failures),
                    BreakerSign::Failure => failures += 1,
                    BreakerSign::None => {}
                }
            }
            if (page.len() as u64) < PAGE {
                return Ok(failures);
            }
            offset += PAGE;
        }
    }

    /// Actions on these resources as far back as the guardrails look, newest first.
    pub(crate) async fn history_of(
        &self,
        resources: &[ResourceId],
        now: Timestamp,
    ) -> Result<Vec<Action>, EngineError> {
        let mut history = Vec::new();
        for chunk in resources.chunks(CHUNK) {
            let filter = ActionFilter {
                resources: chunk.to_vec(),
                since: Some(budget_begin(now)),
                ..ActionFilter::default()
            };
            history.extend(self.records.agents.action_page(&filter).await?.0);
        }

        Ok(history)
    }
}

/// Beginning of the time that the guardrails look back over.
pub(crate) fn budget_begin(now: Timestamp) -> Timestamp {
    now.checked_sub(SignedDuration::from_hours(24 * BUDGET_DAYS))
        .unwrap_or(Timestamp::MIN)
}
