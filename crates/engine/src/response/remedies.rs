//! Immediate remedies of an anomaly, by agents in active mode only and under the same conditions as
//! every execution: kill switch, guardrails, approval matrix, exclusive claim, verification,
//! rollback.

use reeve_recommend::action::Action;
use reeve_recommend::agent::{Agent, Mode};
use reeve_recommend::caller::Caller;
use reeve_recommend::error::EngineError;
use reeve_recommend::ports::responses::{RemedyTarget, ResponseRemedy};
use reeve_recommend::recommendation::Recommendation;

use crate::response::ResponseService;

impl ResponseService {
    /// Carries out the remedy of an anomaly as far as an agent in active mode may: rolls back the
    /// suspected change, or applies an open recommendation. `why` stands in the records.
    ///
    /// # Errors
    /// The store or the log failed.
    pub async fn remedy(
        &self,
        target: RemedyTarget<'_>,
        why: &str,
    ) -> Result<ResponseRemedy, EngineError> {
        let limits = self.records.agents.guardrails_get().await?;
        if limits.kill_switch {
            return Ok(ResponseRemedy::Nothing("the kill switch is on".to_owned()));
        }

        let (id, suspect) = match target {
            RemedyTarget::Apply(id) => (id.clone(), None),
            RemedyTarget::Undo(id) => {
                let action = self.records.agents.action_get(id).await?;
                (action.recommendation.clone(), Some(action))
            }
        };

        let recommendation = self.records.agents.recommendation_get(&id).await?;
        let Some(agent) = self.records.agent_of(&recommendation).await? else {
            let agent_type = recommendation.origin.agent_type;
            let words = format!(
                "no {agent_type} agent covers it; recommendation {} waits",
                id.0
            );
            return Ok(ResponseRemedy::Nothing(format!("{words} for a person")));
        };

        if agent.mode != Mode::Active {
            return Ok(ResponseRemedy::Nothing(format!(
                "agent {} is in mode {}, not active",
                agent.name, agent.mode
            )));
        }

        match suspect {
            Some(_) if !limits.rollback_automatic => Ok(ResponseRemedy::Nothing(
                "automatic rollback is off".to_owned(),
            )),
            Some(action) => {
                self.undo_suspect(&recommendation, &action, &agent, why)
                    .await
            }
            None => self.relieve(recommendation, &agent).await,
        }
    }

    async fn undo_suspect(
        &self,
        recommendation: &Recommendation,
        action: &Action,
        agent: &Agent,
        why: &str,
    ) -> Result<ResponseRemedy, EngineError> {
        let id = &action.id;
        if self
            .execution
            .procedure(recommendation)?
            .change()
            .only_people_undo()
        {
            let words = format!("action {} stays: a person alone lets it back", id.0);
            return Ok(ResponseRemedy::Nothing(words));
        }

        match self
            .execution
            .rollback_because(id, why.to_owned(), &Caller::agent(&agent.id))
            .await
        {
            Ok(action) => Ok(ResponseRemedy::Undoing(action.id)),
            Err(error) if error.is_outage() => Err(error),
            Err(error) => Ok(ResponseRemedy::Nothing(format!(
                "action {} could not be undone: {error}",
                id.0
            ))),
        }
    }

    async fn relieve(
        &self,
        recommendation: Recommendation,
        agent: &Agent,
    ) -> Result<ResponseRemedy, EngineError> {
        let (id, title) = (recommendation.id.clone(), recommendation.title.clone());
        let (applied, left) = self.let_act(agent, &[recommendation]).await?;

        if applied > 0
            && let Some(action) = self
                .records
                .agents
                .action_list(Some(&id), None)
                .await?
                .into_iter()
                .next()
        {
            return Ok(ResponseRemedy::Began(action.id));
        }

        let reason = left
            .into_keys()
            .next()
            .unwrap_or_else(|| "another change was faster".to_owned());
        Ok(ResponseRemedy::Nothing(format!(
            "recommendation \"{title}\" was left: {}",
            reason.replace('_', " ")
        )))
    }
}
