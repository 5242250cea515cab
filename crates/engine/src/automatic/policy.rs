//! Decision whether an agent applies a finding by itself: by mode, configuration, and measurements.
//! Pure.

use reeve_recommend::agent::{Agent, AgentId, AgentType, Impact, Mode};
use reeve_recommend::approval::Signature;
use reeve_recommend::approval::matrix::ApprovalMatrix;
use reeve_recommend::recommendation::lifecycle::Status;
use reeve_recommend::recommendation::{
    NEEDS_PERSON, Recommendation, RecommendationId, RecommendationType,
};

/// Facts about a recommendation that decide whether its agent applies it by itself. A run holds one
/// of each finding until its end, because the most valuable is applied first, and recommendations
/// themselves would not fit into memory.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct AutomaticCandidate {
    pub(crate) id: RecommendationId,
    pub(crate) kind: RecommendationType,
    pub(crate) status: Status,
    pub(crate) expected_value: f64,
    agent_id: Option<AgentId>,
    agent_type: AgentType,
    confidence: f64,
    impact_level: Impact,
    has_plan: bool,
    is_cost_known: bool,
    is_performance_known: bool,
    is_managed_by_code: bool,
    is_reversible: bool,
    needs_person: bool,
}

impl From<&Recommendation> for AutomaticCandidate {
    fn from(recommendation: &Recommendation) -> Self {
        AutomaticCandidate {
            id: recommendation.id.clone(),
            kind: recommendation.kind,
            status: recommendation.status,
            expected_value: recommendation.ranking.expected_value,
            agent_id: recommendation.agent_id.clone(),
            agent_type: recommendation.origin.agent_type,
            confidence: recommendation.confidence,
            impact_level: recommendation.impact_level,
            has_plan: recommendation.plan.is_some(),
            is_cost_known: recommendation.impact.cost_percent.is_some(),
            is_performance_known: recommendation
                .impact
                .performance_degradation_percent
                .is_some(),
            is_managed_by_code: recommendation.subject.managed_by_code,
            is_reversible: recommendation
                .plan
                .as_ref()
                .is_some_and(|plan| plan.reversible),
            needs_person: recommendation
                .reason_codes
                .iter()
                .any(|code| code == NEEDS_PERSON),
        }
    }
}

impl AutomaticCandidate {
    /// Sorts candidates by their expected value, the highest first.
    pub(crate) fn sort(candidates: &mut [AutomaticCandidate]) {
        candidates.sort_by(|a, b| {
            b.expected_value
                .total_cmp(&a.expected_value)
                .then_with(|| a.id.cmp(&b.id))
        });
    }
}

/// Decision whether an agent applies a recommendation by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Auto {
    /// The agent executes the change now.
    Apply,
    /// Asks for the signatures it needs; it runs when they are there.
    AskApproval,
    /// Leaves it to a person, for this reason.
    Leave(&'static str),
}

/// The signatures an execution needs: the matrix's, and a manager's where the configuration of the
/// agent, if there is one, asks for approval of something the matrix would let through.
pub(crate) fn signatures_for(
    matrix: &ApprovalMatrix,
    agent: Option<&Agent>,
    impact: Impact,
) -> Vec<Signature> {
    let needed = matrix.signatures(impact);
    if needed.is_empty() && agent.is_some_and(|agent| impact >= agent.auto_apply.approval_required)
    {
        return vec![Signature::Manager];
    }
    needed.to_vec()
}

/// Returns `true` if the recommendation is the agent's and of the agent's own type: a permission
/// reaches no further.
pub(crate) fn owns(agent: &Agent, candidate: &AutomaticCandidate) -> bool {
    candidate.agent_id.as_ref() == Some(&agent.id) && candidate.agent_type == agent.agent_type
}

pub(crate) fn decide(
    matrix: &ApprovalMatrix,
    agent: &Agent,
    candidate: &AutomaticCandidate,
    days_observed: u32,
) -> Auto {
    let reasons = [
        (!owns(agent, candidate), "not_its_own"),
        (candidate.status != Status::Open, "not_open"),
        (!candidate.has_plan, "advice_only"),
        (agent.mode == Mode::Learning, "mode_learning"),
        (!agent.auto_apply.enabled, "auto_apply_disabled"),
        (
            agent.learning_waived.is_none() && days_observed < agent.learning_period_days,
            "learning_period",
        ),
        (
            candidate.confidence < agent.confidence_threshold,
            "low_confidence",
        ),
        (
            candidate.impact_level > agent.auto_apply.max_impact,
            "above_max_impact",
        ),
        (!candidate.is_cost_known, "cost_not_known"),
        (!candidate.is_performance_known, "performance_not_measured"),
        (candidate.is_managed_by_code, "iac_managed"),
        (candidate.needs_person, "needs_person"),
    ];

    if let Some((_, reason)) = reasons.into_iter().find(|(holds, _)| *holds) {
        return Auto::Leave(reason);
    }

    match (
        signatures_for(matrix, Some(agent), candidate.impact_level).is_empty(),
        agent.mode,
    ) {
        // A matrix that asks for no signature is no permission to delete what nobody can give back.
        // Deletions are of medium impact at least; the conversion of a volume, which is changed
        // back after six hours, may be of low impact.
        (true, _) if !candidate.is_reversible && candidate.impact_level >= Impact::Medium => {
            Auto::Leave("not_reversible")
        }
        (true, _) => Auto::Apply,
        (false, Mode::Active) => Auto::AskApproval,
        (false, _) => Auto::Leave("needs_approval"),
    }
}

#[cfg(test)]
mod tests;
