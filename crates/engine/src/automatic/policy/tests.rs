//! Decisions about single findings.

#![allow(clippy::unwrap_used)]

use reeve_testkit::contract::agents::{agent, recommendation};

use crate::automatic::policy::*;

/// An agent that may apply up to high impact by itself, and a matrix that asks for no signature.
fn permissive() -> (ApprovalMatrix, Agent, AutomaticCandidate) {
    let mut agent = agent("a-one", AgentType::COST_OPTIMIZER, 1).unwrap();
    agent.mode = Mode::Active;
    agent.auto_apply.enabled = true;
    agent.auto_apply.max_impact = Impact::High;
    agent.auto_apply.approval_required = Impact::High;
    agent.confidence_threshold = 0.0;
    let matrix = ApprovalMatrix {
        low: Vec::new(),
        medium: Vec::new(),
        high: Vec::new(),
        ..ApprovalMatrix::default()
    };

    let mut candidate = AutomaticCandidate::from(&recommendation("r-one", "i-1").unwrap());
    candidate.agent_id = Some(agent.id.clone());
    candidate.agent_type = agent.agent_type;
    candidate.status = Status::Open;
    candidate.has_plan = true;
    candidate.is_cost_known = true;
    candidate.is_performance_known = true;
    candidate.is_managed_by_code = false;
    candidate.is_reversible = true;
    candidate.needs_person = false;
    candidate.impact_level = Impact::Medium;

    (matrix, agent, candidate)
}

#[test]
fn nothing_that_cannot_be_undone_is_applied_without_a_signature() {
    let (matrix, agent, candidate) = permissive();
    let decided = |candidate: &AutomaticCandidate| decide(&matrix, &agent, candidate, 365);
    assert_eq!(decided(&candidate), Auto::Apply);

    let deletion = AutomaticCandidate {
        is_reversible: false,
        ..candidate.clone()
    };
    assert_eq!(decided(&deletion), Auto::Leave("not_reversible"));

    let conversion = AutomaticCandidate {
        impact_level: Impact::Low,
        ..deletion.clone()
    };
    assert_eq!(
        decided(&conversion),
        Auto::Apply,
        "a volume is converted back after six hours"
    );

    let signed = ApprovalMatrix {
        medium: vec![Signature::Manager],
        ..matrix.clone()
    };
    assert_eq!(
        decide(&signed, &agent, &deletion, 365),
        Auto::AskApproval,
        "people decide"
    );
}

#[test]
fn a_finding_that_needs_a_person_is_left_in_every_mode() {
    let (matrix, agent, candidate) = permissive();
    let asks = AutomaticCandidate {
        needs_person: true,
        impact_level: Impact::Low,
        ..candidate
    };

    for mode in [Mode::SafeMode, Mode::Active] {
        let agent = Agent {
            mode,
            ..agent.clone()
        };
        assert_eq!(
            decide(&matrix, &agent, &asks, 365),
            Auto::Leave("needs_person")
        );
    }
}
