//! A rollout with its members and gates.

use reeve_estate::ResourceId;
use reeve_recommend::guardrail::GuardrailName;
use reeve_recommend::rollout::{Check, Gate, Member, MemberBlock, MemberState, Stage, Verdict};
use reeve_recommend::{
    AgentId, RecommendationId, RecommendationType, Rollout, RolloutId, RolloutSettings,
    RolloutStatus,
};
use serde::{Deserialize, Serialize};

use super::{RowError, finite, named, time};

/// A rollout, whole.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct RolloutRow {
    id: String,
    name: String,
    agent_id: String,
    kind: String,
    canary: u32,
    validation_s: u64,
    shares_percent: Vec<f64>,
    max_failures: u32,
    min_confidence: Option<f64>,
    stage: String,
    wave: u32,
    status: String,
    reason: Option<String>,
    members: Vec<MemberRow>,
    gates: Vec<GateRow>,
    by: String,
    created_at: String,
    stage_since: String,
    updated_at: String,
    version: u64,
}

#[derive(Debug, Serialize, Deserialize)]
struct MemberRow {
    recommendation: String,
    resource: String,
    name: String,
    critical: bool,
    wave: u32,
    state: String,
    detail: String,
    /// Name of the guardrail and its words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    block: Option<(String, String)>,
    accepted: bool,
}

#[derive(Debug, Serialize, Deserialize)]
struct GateRow {
    stage: String,
    wave: u32,
    verdict: String,
    checks: Vec<CheckRow>,
    words: String,
    at: String,
    by: Option<String>,
}

#[derive(Debug, Serialize, Deserialize)]
struct CheckRow {
    name: String,
    #[serde(serialize_with = "finite")]
    found: f64,
    #[serde(serialize_with = "finite")]
    needed: f64,
    at_most: bool,
}

impl From<&Rollout> for RolloutRow {
    fn from(from: &Rollout) -> Self {
        RolloutRow {
            id: from.id.0.clone(),
            name: from.name.clone(),
            agent_id: from.agent_id.0.clone(),
            kind: from.kind.as_str().to_owned(),
            canary: from.settings.canary,
            validation_s: from.settings.validation_s,
            shares_percent: from.settings.shares_percent.clone(),
            max_failures: from.settings.max_failures,
            min_confidence: from.settings.min_confidence,
            stage: from.stage.as_str().to_owned(),
            wave: from.wave,
            status: from.status.as_str().to_owned(),
            reason: from.reason.clone(),
            members: from.members.iter().map(MemberRow::from).collect(),
            gates: from.gates.iter().map(GateRow::from).collect(),
            by: from.by.clone(),
            created_at: from.created_at.to_string(),
            stage_since: from.stage_since.to_string(),
            updated_at: from.updated_at.to_string(),
            version: from.version,
        }
    }
}

impl RolloutRow {
    pub(crate) fn into_rollout(self) -> Result<Rollout, RowError> {
        Ok(Rollout {
            id: RolloutId(self.id),
            name: self.name,
            agent_id: AgentId(self.agent_id),
            kind: named("kind", &self.kind, RecommendationType::parse)?,
            settings: RolloutSettings {
                canary: self.canary,
                validation_s: self.validation_s,
                shares_percent: self.shares_percent,
                max_failures: self.max_failures,
                min_confidence: self.min_confidence,
            },
            stage: named("stage", &self.stage, Stage::parse)?,
            wave: self.wave,
            status: named("status", &self.status, RolloutStatus::parse)?,
            reason: self.reason,
            members: self
                .members
                .into_iter()
                .map(MemberRow::into_member)
                .collect::<Result<_, _>>()?,
            gates: self
                .gates
                .into_iter()
                .map(GateRow::into_gate)
                .collect::<Result<_, _>>()?,
            by: self.by,
            created_at: time(&self.created_at)?,
            stage_since: time(&self.stage_since)?,
            updated_at: time(&self.updated_at)?,
            version: self.version,
        })
    }
}

impl From<&Member> for MemberRow {
    fn from(from: &Member) -> Self {
        MemberRow {
            recommendation: from.recommendation.0.clone(),
            resource: from.resource.0.clone(),
            name: from.name.clone(),
            critical: from.critical,
            wave: from.wave,
            state: from.state.as_str().to_owned(),
            detail: from.detail.clone(),
            block: from
                .block
                .as_ref()
                .map(|block| (block.guardrail.as_str().to_owned(), block.message.clone())),
            accepted: from.accepted,
        }
    }
}

impl MemberRow {
    fn into_member(self) -> Result<Member, RowError> {
        let block = |(guardrail, message): (String, String)| {
            let guardrail = named("guardrail", &guardrail, GuardrailName::parse)?;
            Ok::<_, RowError>(MemberBlock { guardrail, message })
        };
        Ok(Member {
            recommendation: RecommendationId(self.recommendation),
            resource: ResourceId(self.resource),
            name: self.name,
            critical: self.critical,
            wave: self.wave,
            state: named("state", &self.state, MemberState::parse)?,
            detail: self.detail,
            block: self.block.map(block).transpose()?,
            accepted: self.accepted,
        })
    }
}

impl From<&Gate> for GateRow {
    fn from(from: &Gate) -> Self {
        let check = |check: &Check| CheckRow {
            name: check.name.clone(),
            found: check.found,
            needed: check.needed,
            at_most: check.at_most,
        };
        GateRow {
            stage: from.stage.as_str().to_owned(),
            wave: from.wave,
            verdict: from.verdict.as_str().to_owned(),
            checks: from.checks.iter().map(check).collect(),
            words: from.words.clone(),
            at: from.at.to_string(),
            by: from.by.clone(),
        }
    }
}

impl GateRow {
    fn into_gate(self) -> Result<Gate, RowError> {
        let check = |row: CheckRow| Check {
            name: row.name,
            found: row.found,
            needed: row.needed,
            at_most: row.at_most,
        };
        Ok(Gate {
            stage: named("stage", &self.stage, Stage::parse)?,
            wave: self.wave,
            verdict: named("verdict", &self.verdict, Verdict::parse)?,
            checks: self.checks.into_iter().map(check).collect(),
            words: self.words,
            at: time(&self.at)?,
            by: self.by,
        })
    }
}
