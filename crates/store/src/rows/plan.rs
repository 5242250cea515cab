//! A plan and its steps, as a recommendation carries them (docs/formats/plan.md).

use reeve_audit::Json;
use reeve_recommend::{Loss, LossKind, Plan, PlannedChange, Step, StepKind};
use serde::{Deserialize, Serialize};

use super::{RowError, named};

/// Plan with the hash that approvals refer to; the hash is stored, not recomputed.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct PlanRow {
    /// Typed change; plans of format 1 have none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    change: Option<ChangeRow>,
    steps: Vec<StepRow>,
    reversible: bool,
    restart_needed: bool,
    /// Missing in plans of releases that did not state losses.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    losses: Vec<LossRow>,
    hash: String,
}

#[derive(Debug, Serialize, Deserialize)]
struct LossRow {
    kind: String,
    detail: String,
    lasting: bool,
}

#[derive(Debug, Serialize, Deserialize)]
struct ChangeRow {
    name: String,
    parameters: serde_json::Value,
    resource: String,
}

#[derive(Debug, Serialize, Deserialize)]
struct StepRow {
    kind: String,
    description: String,
    resource: String,
    instance_type: Option<String>,
    expect: Vec<(String, String)>,
}

impl From<&Plan> for PlanRow {
    fn from(from: &Plan) -> Self {
        let step = |step: &Step| StepRow {
            kind: step.kind.as_str().to_owned(),
            description: step.description.clone(),
            resource: step.resource.clone(),
            instance_type: step.instance_type.clone(),
            expect: step.expect.clone(),
        };

        let change = |change: &PlannedChange| ChangeRow {
            name: change.name.clone(),
            parameters: serde_json::to_value(&change.parameters).unwrap_or_default(),
            resource: change.resource.clone(),
        };

        let loss = |loss: &Loss| LossRow {
            kind: loss.kind.as_str().to_owned(),
            detail: loss.detail.clone(),
            lasting: loss.lasting,
        };

        PlanRow {
            change: from.change.as_ref().map(change),
            steps: from.steps.iter().map(step).collect(),
            reversible: from.reversible,
            restart_needed: from.restart_needed,
            losses: from.losses.iter().map(loss).collect(),
            hash: from.hash.clone(),
        }
    }
}

impl PlanRow {
    pub(super) fn into_plan(self) -> Result<Plan, RowError> {
        let step = |row: StepRow| {
            Ok(Step {
                kind: named("step", &row.kind, StepKind::parse)?,
                description: row.description,
                resource: row.resource,
                instance_type: row.instance_type,
                expect: row.expect,
            })
        };

        let change = |row: ChangeRow| PlannedChange {
            name: row.name,
            parameters: Json::from(&row.parameters),
            resource: row.resource,
        };

        let loss = |row: LossRow| {
            let kind = named("loss", &row.kind, LossKind::parse)?;
            Ok(Loss {
                kind,
                detail: row.detail,
                lasting: row.lasting,
            })
        };

        Ok(Plan {
            change: self.change.map(change),
            steps: self
                .steps
                .into_iter()
                .map(step)
                .collect::<Result<_, RowError>>()?,
            reversible: self.reversible,
            restart_needed: self.restart_needed,
            losses: self
                .losses
                .into_iter()
                .map(loss)
                .collect::<Result<_, RowError>>()?,
            hash: self.hash,
        })
    }
}
