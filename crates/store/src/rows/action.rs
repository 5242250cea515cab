//! An action and what its steps did.

use reeve_estate::{ActErrorKind, ConnectionId, Money, ResourceId};
use reeve_recommend::action::SavingEnd;
use reeve_recommend::change::Effect;
use reeve_recommend::recommendation::SavingsBasis;
use reeve_recommend::{
    Action, ActionId, ActionStatus, AgentId, Purpose, RecommendationId, StepKind, StepOutcome,
    Watch, WatchVerdict,
};
use serde::{Deserialize, Serialize};
use sqlx::Row as _;
use sqlx::any::AnyRow;

use super::resource::ResourceRow;
use super::{RowError, decode, named, time, time_or_none, unreadable};
use crate::fault::Fault;

/// An action out of its id and document.
pub(crate) fn action(row: &AnyRow) -> Result<Action, Fault> {
    let id: String = row.try_get(0)?;
    decode::<ActionRow>(row.try_get(1)?)
        .and_then(ActionRow::into_action)
        .map_err(unreadable("action", &id))
}

/// An action, whole.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct ActionRow {
    id: String,
    recommendation: String,
    /// Empty where a person executed advice without an agent.
    agent_id: String,
    connection: String,
    resource: String,
    purpose: String,
    run_id: Option<String>,
    plan_hash: String,
    by: String,
    status: String,
    steps: Vec<OutcomeRow>,
    steps_total: u32,
    before: Vec<(String, String)>,
    /// Missing in actions of releases that kept `before` alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    prior: Option<ResourceRow>,
    started_at: String,
    finished_at: Option<String>,
    reason: Option<String>,
    #[serde(default)]
    undone_by: Option<String>,
    #[serde(default)]
    watch: Option<WatchRow>,
    version: u64,
}

#[derive(Debug, Serialize, Deserialize)]
struct WatchRow {
    until: String,
    verdict: String,
    detail: String,
    realised_monthly: Option<i64>,
    /// Missing in rows of releases that measured at list price alone, as are the following.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    basis: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    billed_until: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    ended: Option<SavingEndRow>,
}

#[derive(Debug, Serialize, Deserialize)]
struct SavingEndRow {
    at: String,
    reason: String,
}

#[derive(Debug, Serialize, Deserialize)]
struct OutcomeRow {
    index: u32,
    kind: String,
    /// Missing in steps of releases that told the effect by the kind.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    effect: Option<String>,
    description: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    made: Option<String>,
    rollback: bool,
    started_at: String,
    finished_at: Option<String>,
    ok: Option<bool>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    refusal: Option<String>,
    detail: String,
    before: Vec<(String, String)>,
    after: Vec<(String, String)>,
}

impl From<&Action> for ActionRow {
    fn from(action: &Action) -> Self {
        ActionRow {
            id: action.id.0.clone(),
            recommendation: action.recommendation.0.clone(),
            agent_id: action
                .agent_id
                .as_ref()
                .map_or_else(String::new, |id| id.0.clone()),
            connection: action.connection.0.clone(),
            resource: action.resource.0.clone(),
            purpose: action.purpose.as_str().to_owned(),
            run_id: action.run_id.clone(),
            plan_hash: action.plan_hash.clone(),
            by: action.by.clone(),
            status: action.status.as_str().to_owned(),
            steps: action.steps.iter().map(OutcomeRow::from).collect(),
            steps_total: action.steps_total,
            before: action.before.clone(),
            prior: action.prior.as_deref().map(ResourceRow::from),
            started_at: action.started_at.to_string(),
            finished_at: action.finished_at.map(|at| at.to_string()),
            reason: action.reason.clone(),
            undone_by: action.undone_by.clone(),
            watch: action.watch.as_ref().map(WatchRow::from),
            version: action.version,
        }
    }
}

impl ActionRow {
    pub(crate) fn into_action(self) -> Result<Action, RowError> {
        Ok(Action {
            id: ActionId(self.id),
            recommendation: RecommendationId(self.recommendation),
            agent_id: Some(self.agent_id).filter(|id| !id.is_empty()).map(AgentId),
            connection: ConnectionId(self.connection),
            resource: ResourceId(self.resource),
            purpose: named("purpose", &self.purpose, Purpose::parse)?,
            run_id: self.run_id,
            plan_hash: self.plan_hash,
            by: self.by,
            status: named("status", &self.status, ActionStatus::parse)?,
            steps: self
                .steps
                .into_iter()
                .map(OutcomeRow::into_outcome)
                .collect::<Result<_, _>>()?,
            steps_total: self.steps_total,
            before: self.before,
            prior: self
                .prior
                .map(ResourceRow::into_resource)
                .transpose()?
                .map(Box::new),
            started_at: time(&self.started_at)?,
            finished_at: time_or_none(self.finished_at.as_deref())?,
            reason: self.reason,
            undone_by: self.undone_by,
            watch: self.watch.map(WatchRow::into_watch).transpose()?,
            version: self.version,
        })
    }
}

impl From<&StepOutcome> for OutcomeRow {
    fn from(outcome: &StepOutcome) -> Self {
        OutcomeRow {
            index: outcome.index,
            kind: outcome.kind.as_str().to_owned(),
            effect: Some(outcome.effect.as_str().to_owned()),
            description: outcome.description.clone(),
            made: outcome.made.clone(),
            rollback: outcome.rollback,
            started_at: outcome.started_at.to_string(),
            finished_at: outcome.finished_at.map(|at| at.to_string()),
            ok: outcome.ok,
            refusal: outcome.refusal.map(|kind| kind.as_str().to_owned()),
            detail: outcome.detail.clone(),
            before: outcome.before.clone(),
            after: outcome.after.clone(),
        }
    }
}

impl OutcomeRow {
    fn into_outcome(self) -> Result<StepOutcome, RowError> {
        let kind = named("step", &self.kind, StepKind::parse)?;
        let effect = self
            .effect
            .map(|name| named("effect", &name, Effect::parse))
            .transpose()?;
        Ok(StepOutcome {
            index: self.index,
            kind,
            effect: effect.unwrap_or(kind.effect()),
            description: self.description,
            made: self.made,
            rollback: self.rollback,
            started_at: time(&self.started_at)?,
            finished_at: time_or_none(self.finished_at.as_deref())?,
            ok: self.ok,
            refusal: self
                .refusal
                .map(|name| named("refusal", &name, ActErrorKind::parse))
                .transpose()?,
            detail: self.detail,
            before: self.before,
            after: self.after,
        })
    }
}

impl From<&Watch> for WatchRow {
    fn from(watch: &Watch) -> Self {
        WatchRow {
            until: watch.until.to_string(),
            verdict: watch.verdict.as_str().to_owned(),
            detail: watch.detail.clone(),
            realised_monthly: watch.realised_monthly.map(Money::micros),
            basis: watch.basis.map(|basis| basis.as_str().to_owned()),
            billed_until: watch.billed_until.map(|at| at.to_string()),
            ended: watch.ended.as_ref().map(|end| SavingEndRow {
                at: end.at.to_string(),
                reason: end.reason.clone(),
            }),
        }
    }
}

impl WatchRow {
    fn into_watch(self) -> Result<Watch, RowError> {
        Ok(Watch {
            until: time(&self.until)?,
            verdict: named("verdict", &self.verdict, WatchVerdict::parse)?,
            detail: self.detail,
            realised_monthly: self.realised_monthly.map(Money::from_micros),
            basis: self
                .basis
                .map(|basis| named("basis", &basis, SavingsBasis::parse))
                .transpose()?,
            billed_until: time_or_none(self.billed_until.as_deref())?,
            ended: self
                .ended
                .map(|end| {
                    Ok::<_, RowError>(SavingEnd {
                        at: time(&end.at)?,
                        reason: end.reason,
                    })
                })
                .transpose()?,
        })
    }
}
