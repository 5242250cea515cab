//! Full runs: every resource of the scope, a chunk at a time.

use std::sync::Arc;

use reeve_audit::Json;
use reeve_recommend::agent::contract::AgentDefinition;
use reeve_recommend::agent::{Agent, RunReport};
use reeve_recommend::error::EngineError;

use crate::agent::scope::days_since;
use crate::finding::judged::Judged;
use crate::run::findings::RunFindings;
use crate::run::{CHUNK, RunService};

impl RunService {
    /// Judges the resources of an agent's scope, a chunk at a time, and the estate in the end.
    /// Returns the fields that the agent type adds to the run's entry.
    pub(super) async fn judge_scope(
        &self,
        agent: &Agent,
        definition: &Arc<dyn AgentDefinition>,
        report: &mut RunReport,
        found: &mut RunFindings<'_>,
    ) -> Result<Vec<(&'static str, Json)>, EngineError> {
        let (scope, volumes) = self.scopes.scope_of(agent).await?;
        report.resources_seen = scope.len() as u64;
        let needs = definition.needs(&agent.settings);
        let mut judging = self.judging(Some(agent), definition, needs).await?;
        judging.relations = Arc::new(self.relations(&judging.needs).await?);
        judging.volumes = volumes;

        let mut estate = definition.estate_judge();
        let mut judged_count = 0;
        found.pass_by(scope.iter().filter(|resource| !judging.judges(resource)));
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
            judged_count += chunk.len() as u64;
            let (judged, days) = self
                .judge_chunk(&judging, &connection, chunk, &mut estate)
                .await?;
            report.days_observed = report.days_observed.max(days);
            found.add(judged, report).await?;
        }

        report.resources_judged = Some(judged_count);
        if judging.needs.metrics.is_empty() {
            let since = *report.complete_since.get_or_insert(report.started_at);
            report.days_observed = days_since(since, report.started_at);
        }

        let Some(estate) = estate else {
            return Ok(Vec::new());
        };
        let judgement = self.judge_estate(judging, estate).await?;
        let judged = judgement.judged.into_iter();
        let judged = judged.map(|(subject, judgement)| Judged::new(subject, judgement));
        found.add(judged, report).await?;
        report.details = judgement.details;
        Ok(judgement.recorded)
    }
}
