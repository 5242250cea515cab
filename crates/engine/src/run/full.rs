//! Full runs: every resource of the scope, a chunk at a time.

use std::sync::Arc;

use reeve_recommend::agent::contract::AgentDefinition;
use reeve_recommend::agent::{Agent, RunReport};
use reeve_recommend::error::EngineError;
use reeve_recommend::judgement::portfolio::Portfolios;

use crate::agent::scope::days_since;
use crate::finding::judged::Judged;
use crate::run::commitments::Accounts;
use crate::run::findings::RunFindings;
use crate::run::fleets::Members;
use crate::run::{CHUNK, RunService, commitments};

impl RunService {
    /// Judges the resources of an agent's scope, a chunk at a time, and the commitments of their
    /// accounts in the end.
    pub(super) async fn judge_scope(
        &self,
        agent: &Agent,
        definition: &Arc<dyn AgentDefinition>,
        report: &mut RunReport,
        found: &mut RunFindings<'_>,
    ) -> Result<(), EngineError> {
        let (scope, volumes) = self.scopes.scope_of(agent).await?;
        report.resources_seen = scope.len() as u64;
        let needs = definition.needs(&agent.settings);
        let mut judging = self.judging(agent, definition, needs).await?;
        judging.members = Members::load(&self.scopes, &judging.needs, &scope).await?;
        judging.relations = Arc::new(self.relations(&judging.needs).await?);
        judging.volumes = volumes;

        let (mut portfolios, mut accounts) = (Portfolios::default(), Accounts::default());
        let mut scope = scope
            .into_iter()
            .filter(|resource| judging.judges(resource))
            .peekable();

        while let Some(first) = scope.next() {
            let connection = first.connection.clone();
            let mut chunk = vec![first];
            while let Some(next) =
                scope.next_if(|next| chunk.len() < CHUNK && next.connection == connection)
            {
                chunk.push(next);
            }
            chunk.iter().for_each(|resource| accounts.add(resource));
            let (mut judged, days) = self.judge_chunk(&judging, &connection, chunk).await?;
            let uses = judged
                .iter_mut()
                .filter_map(|one: &mut Judged| one.judgement.hourly_use.take());
            uses.for_each(|machine| portfolios.add(machine));
            report.days_observed = report.days_observed.max(days);
            found.add(judged, report).await?;
        }

        if judging.needs.metrics.is_empty() {
            let since = *report.complete_since.get_or_insert(report.started_at);
            report.days_observed = days_since(since, report.started_at);
        }

        let simulated = portfolios.simulate();
        let limits = self.records.agents.guardrails_get().await?;
        found
            .add(
                commitments::judge(definition.as_ref(), accounts, &simulated, agent, &limits),
                report,
            )
            .await?;

        report.portfolios = simulated
            .into_iter()
            .map(|account| account.portfolio)
            .collect();
        Ok(())
    }
}
