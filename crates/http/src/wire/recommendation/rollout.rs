//! Rollouts on the wire.

use reeve_recommend::caller::Caller;
use reeve_recommend::rollout::{Gate, Rollout, RolloutMember, RolloutSettings};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use crate::error::BlockBody;
use crate::time;
use crate::wire::form::enumeration::{
    GateVerdict, RecommendationKind, RolloutMemberState, RolloutStage, RolloutStatus,
};
use crate::wire::form::quantity::percent_number;

/// A rollout: one kind of change of one agent, carried to many resources in stages.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct RolloutBody {
    pub id: String,
    /// Title of one line, for lists.
    pub name: String,
    pub agent_id: String,
    /// Type of the recommendations.
    #[serde(rename = "type")]
    pub kind: RecommendationKind,
    pub status: RolloutStatus,
    pub stage: RolloutStage,
    /// Members up to this wave may be changed: 0 is the canary, then the shares, then the rest.
    pub wave: u32,
    /// Start of its stage or wave.
    pub stage_since: String,
    /// Reason why it is held, stopped or aborted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    pub settings: RolloutSettingsBody,
    /// Columns, in the order in which they are written.
    pub members: Vec<RolloutMemberBody>,
    /// Decisions of its gates, oldest first; the last gate is the one it waits at.
    pub gates: Vec<GateBody>,
    pub by: String,
    /// The agent, if the requester is one.
    pub by_agent: Option<String>,
    /// Time, RFC 3339 UTC with milliseconds.
    pub created_at: String,
    /// Time of the last change.
    pub updated_at: String,
}

/// Settings of a rollout; a field that is left out has its default.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct RolloutSettingsBody {
    /// Resources in the canary, 1 to 20.
    pub canary: u32,
    /// The canary is watched at least this long, seconds.
    pub validation_s: u64,
    /// Shares of all resources reached after each wave of the gradual stage, percent, rising, below 100.
    pub shares: Vec<f64>,
    /// More failures than this hold it.
    pub max_failures: u32,
    /// Recommendations less confident than this are left out, percent; null is the agent's
    /// threshold.
    #[serde(default, deserialize_with = "percent_number")]
    pub min_confidence: Option<f64>,
}

impl Default for RolloutSettingsBody {
    fn default() -> Self {
        RolloutSettingsBody::from(&RolloutSettings::default())
    }
}

impl From<&RolloutSettings> for RolloutSettingsBody {
    fn from(settings: &RolloutSettings) -> Self {
        RolloutSettingsBody {
            canary: settings.canary,
            validation_s: settings.validation_s,
            shares: settings.shares_percent.clone(),
            max_failures: settings.max_failures,
            min_confidence: settings.min_confidence,
        }
    }
}

impl From<RolloutSettingsBody> for RolloutSettings {
    fn from(body: RolloutSettingsBody) -> Self {
        RolloutSettings {
            canary: body.canary,
            validation_s: body.validation_s,
            shares_percent: body.shares,
            max_failures: body.max_failures,
            min_confidence: body.min_confidence,
        }
    }
}

/// One resource of a rollout.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct RolloutMemberBody {
    pub recommendation_id: String,
    pub resource_id: String,
    pub name: String,
    /// No tag says that it is not production.
    pub critical: bool,
    /// Wave in which it is changed: 0 is the canary.
    pub wave: u32,
    pub state: RolloutMemberState,
    /// The numbers or the reason.
    pub detail: String,
    /// The guardrail that holds it back.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub block: Option<BlockBody>,
    /// A person went on in spite of it.
    pub accepted: bool,
}

/// Decision of a gate.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct GateBody {
    /// The stage that ends at it.
    pub stage: RolloutStage,
    pub wave: u32,
    pub verdict: GateVerdict,
    /// Checks with the numbers that decided.
    pub checks: Vec<CheckBody>,
    /// The same in words.
    pub explanation: String,
    /// Time of the decision.
    pub at: String,
    /// User who overrode it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
}

/// One number of a gate.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct CheckBody {
    /// Fields that are counted.
    pub check: String,
    /// Value that was found.
    pub found: f64,
    /// Permission that is needed.
    pub needed: f64,
    /// Comparison: `at_least` or `at_most`.
    pub relation: String,
    /// `true` if it holds.
    pub holds: bool,
}

impl From<&RolloutMember> for RolloutMemberBody {
    fn from(member: &RolloutMember) -> Self {
        RolloutMemberBody {
            recommendation_id: member.recommendation.0.clone(),
            resource_id: member.resource.0.clone(),
            name: member.name.clone(),
            critical: member.critical,
            wave: member.wave,
            state: member.state.into(),
            detail: member.detail.clone(),
            block: member
                .block
                .as_ref()
                .map(|block| BlockBody::new(block.guardrail.as_str(), &block.message)),
            accepted: member.accepted,
        }
    }
}

impl From<&Gate> for GateBody {
    fn from(gate: &Gate) -> Self {
        let check = |check: &reeve_recommend::rollout::GateCheck| CheckBody {
            check: check.name.clone(),
            found: check.found,
            needed: check.needed,
            relation: if check.at_most { "at_most" } else { "at_least" }.to_owned(),
            holds: check.holds(),
        };
        GateBody {
            stage: gate.stage.into(),
            wave: gate.wave,
            verdict: gate.verdict.into(),
            checks: gate.checks.iter().map(check).collect(),
            explanation: gate.words.clone(),
            at: time::text(gate.at),
            by: gate.by.clone(),
        }
    }
}

impl From<&Rollout> for RolloutBody {
    fn from(rollout: &Rollout) -> Self {
        RolloutBody {
            id: rollout.id.0.clone(),
            name: rollout.name.clone(),
            agent_id: rollout.agent_id.0.clone(),
            kind: rollout.kind.into(),
            status: rollout.status.into(),
            stage: rollout.stage.into(),
            wave: rollout.wave,
            stage_since: time::text(rollout.stage_since),
            reason: rollout.reason.clone(),
            settings: RolloutSettingsBody::from(&rollout.settings),
            members: rollout
                .members
                .iter()
                .map(RolloutMemberBody::from)
                .collect(),
            gates: rollout.gates.iter().map(GateBody::from).collect(),
            by: rollout.by.clone(),
            by_agent: Caller::agent_named(&rollout.by).map(|id| id.0),
            created_at: time::text(rollout.created_at),
            updated_at: time::text(rollout.updated_at),
        }
    }
}

/// A rollout to begin: its recommendations, stages and gates.
#[derive(Debug, Clone, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct RolloutCreateBody {
    pub agent_id: String,
    /// Type of the recommendations.
    #[serde(rename = "type")]
    pub kind: String,
    /// Title of one line, for lists.
    pub name: Option<String>,
    /// Identifiers of the recommendations; left out or empty is all that are open, 500 at most.
    #[serde(default)]
    pub recommendations: Vec<String>,
    #[serde(default)]
    pub settings: RolloutSettingsBody,
}

/// Stop, resume or abort.
#[derive(Debug, Clone, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct RolloutReasonBody {
    pub reason: String,
}

/// Filters of the list.
#[derive(Debug, Clone, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub struct RolloutParams {
    /// At most this many (1 to 1000).
    #[param(default = 50, minimum = 1, maximum = 1000)]
    pub limit: Option<u32>,
    /// After skipping this many.
    pub offset: Option<u64>,
    /// `next_cursor` of the page before.
    pub cursor: Option<String>,
    /// One or more states, separated by commas.
    pub status: Option<String>,
    /// Identifier of an agent.
    pub agent: Option<String>,
    #[serde(rename = "type")]
    #[param(rename = "type")]
    pub kind: Option<String>,
}
