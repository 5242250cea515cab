//! Attack chains on the wire.

use reeve_anomalies::attack::technique_by_id;
use reeve_anomalies::chain::{AttackChain, ChainStep, ChainStop, NextStep, ReachableAsset};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use crate::time;
use crate::wire::anomaly::AttackTechniqueBody;

/// Attack chains to list.
#[derive(Debug, Clone, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub struct AttackChainParams {
    /// `true` for chains that passed the threshold of an agent, `false` for the others.
    pub predicted: Option<bool>,
    /// At most this many (1 to 1000).
    pub limit: Option<u32>,
    pub offset: Option<u64>,
    pub cursor: Option<String>,
}

/// Calls of one or more principals that may be an attack.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct AttackChainBody {
    pub id: String,
    /// Title of one line.
    pub title: String,
    /// Principal of the newest step.
    pub principal: String,
    /// Account of the principal; empty where entries name none.
    pub account: String,
    /// Principals that took part, in order; each handed over to the next.
    pub principals: Vec<String>,
    /// Steps, oldest first, at most 40.
    pub steps: Vec<ChainStepBody>,
    /// Furthest stage that was reached: `reconnaissance`, `access`, `persistence`, `escalation`,
    /// `evasion`, `exfiltration` or `impact`.
    pub reached: String,
    /// Probability that the steps are an attack that goes on, 0 to 1.
    pub probability: f64,
    /// Stages that may come next, the likeliest first.
    pub next: Vec<ChainNextBody>,
    /// Assets that its principals could reach next, by the judgements of exposure and privileges.
    pub reachable: Vec<ChainAssetBody>,
    /// Changes that would stop it, the most effective first.
    pub stops: Vec<ChainStopBody>,
    pub started_at: String,
    pub last_at: String,
    /// Time at which it was recorded in the log and told; null below the threshold.
    pub predicted_at: Option<String>,
}

/// First call of a technique in a chain.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct ChainStepBody {
    pub stage: String,
    /// Technique of ATT&CK; null for one of another release.
    pub technique: Option<AttackTechniqueBody>,
    pub operation: String,
    /// Resource of the call; empty where it named none.
    pub resource: String,
    /// Principal that made the call.
    pub by: String,
    /// Behavior score, 0 to 1.
    pub score: f64,
    pub at: String,
    /// Identifier of the entry.
    pub event_id: String,
}

/// Stage that may come next in a chain.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct ChainNextBody {
    pub stage: String,
    /// Probability that the chain is an attack and that this is its next step, 0 to 1.
    pub probability: f64,
}

/// Asset that the principals of a chain could reach.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct ChainAssetBody {
    /// Identifier of the resource or principal.
    pub resource: String,
    pub kind: String,
    /// Stage that reaching it serves.
    pub stage: String,
    /// The way to it, as a sentence.
    pub way: String,
    /// Entry of the log that recorded the judgement.
    pub event_id: String,
}

/// Change that would stop a chain.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct ChainStopBody {
    /// The change, as a sentence.
    pub action: String,
    /// Resource that it changes.
    pub resource: String,
    /// Stages that it takes away.
    pub stages: Vec<String>,
    /// Part of the probability of a next step that it takes away at most, 0 to 1.
    pub averts: f64,
}

impl From<&AttackChain> for AttackChainBody {
    fn from(chain: &AttackChain) -> Self {
        AttackChainBody {
            id: chain.id.clone(),
            title: chain.title(),
            principal: chain.principal.clone(),
            account: chain.account.clone(),
            principals: chain.principals.clone(),
            steps: chain.steps.iter().map(ChainStepBody::from).collect(),
            reached: chain.reached.clone(),
            probability: chain.probability,
            next: chain.next.iter().map(ChainNextBody::from).collect(),
            reachable: chain.reachable.iter().map(ChainAssetBody::from).collect(),
            stops: chain.stops.iter().map(ChainStopBody::from).collect(),
            started_at: time::text(chain.started_at),
            last_at: time::text(chain.last_at),
            predicted_at: chain.predicted_at.map(time::text),
        }
    }
}

impl From<&ChainStep> for ChainStepBody {
    fn from(step: &ChainStep) -> Self {
        ChainStepBody {
            stage: step.stage.clone(),
            technique: technique_by_id(&step.technique).map(AttackTechniqueBody::from),
            operation: step.operation.clone(),
            resource: step.resource.clone(),
            by: step.by.clone(),
            score: step.score,
            at: time::text(step.at),
            event_id: step.event_id.clone(),
        }
    }
}

impl From<&NextStep> for ChainNextBody {
    fn from(next: &NextStep) -> Self {
        ChainNextBody {
            stage: next.stage.clone(),
            probability: next.probability,
        }
    }
}

impl From<&ReachableAsset> for ChainAssetBody {
    fn from(asset: &ReachableAsset) -> Self {
        ChainAssetBody {
            resource: asset.resource.clone(),
            kind: asset.kind.clone(),
            stage: asset.stage.clone(),
            way: asset.way.clone(),
            event_id: asset.event_id.clone(),
        }
    }
}

impl From<&ChainStop> for ChainStopBody {
    fn from(stop: &ChainStop) -> Self {
        ChainStopBody {
            action: stop.action.clone(),
            resource: stop.resource.clone(),
            stages: stop.stages.clone(),
            averts: stop.averts,
        }
    }
}
