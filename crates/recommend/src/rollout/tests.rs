//! Gates by their numbers, and the order of stages.

#![allow(clippy::unwrap_used)]
use reeve_estate::ResourceId;

use crate::recommendation::RecommendationId;
use crate::rollout::*;

fn member(id: usize, wave: u32, state: MemberState) -> RolloutMember {
    RolloutMember {
        recommendation: RecommendationId(format!("r-{id}")),
        resource: ResourceId::new(format!("i-{id}")),
        name: format!("m{id}"),
        critical: true,
        wave,
        state,
        detail: String::new(),
        block: None,
        accepted: false,
    }
}

fn rollout(stage: Stage, wave: u32, states: &[(u32, MemberState)]) -> Rollout {
    Rollout {
        id: RolloutId("ro".to_owned()),
        name: "a set".to_owned(),
        agent_id: AgentId("a".to_owned()),
        kind: RecommendationType::RightSize,
        settings: RolloutSettings::default(),
        stage,
        wave,
        status: RolloutStatus::Running,
        reason: None,
        members: states
            .iter()
            .enumerate()
            .map(|(id, (wave, state))| member(id, *wave, *state))
            .collect(),
        gates: Vec::new(),
        by: "olga@example.com".to_owned(),
        created_at: Timestamp::UNIX_EPOCH,
        stage_since: Timestamp::UNIX_EPOCH,
        updated_at: Timestamp::UNIX_EPOCH,
        version: 1,
    }
}

fn at_hours(hours: i64) -> Timestamp {
    Timestamp::from_second(hours * 3600).unwrap()
}

#[test]
fn a_gate_waits_opens_or_holds_by_its_numbers() {
    use MemberState::{
        Changing, Failed, Held, LeftOut, NotEnoughData, Simulated, Simulating, Waiting, Watching,
    };

    type Case<'a> = (Stage, u32, &'a [(u32, MemberState)], Verdict);
    let cases: &[Case<'_>] = &[
        (
            Stage::Simulation,
            0,
            &[(0, Simulated), (1, Simulating)],
            Verdict::Waiting,
        ),
        (
            Stage::Simulation,
            0,
            &[(0, Simulated), (1, Simulated)],
            Verdict::Opened,
        ),
        (
            Stage::Simulation,
            0,
            &[(0, Simulated), (1, Failed)],
            Verdict::Held,
        ),
        (
            Stage::Simulation,
            0,
            &[(0, Simulated), (1, LeftOut)],
            Verdict::Opened,
        ),
        (
            Stage::Canary,
            0,
            &[(0, Changing), (1, Simulated)],
            Verdict::Waiting,
        ),
        (
            Stage::Canary,
            0,
            &[(0, Watching), (1, Simulated)],
            Verdict::Opened,
        ),
        (
            Stage::Canary,
            0,
            &[(0, Failed), (1, Simulated)],
            Verdict::Held,
        ),
        (
            Stage::Validation,
            0,
            &[(0, Watching), (1, Simulated)],
            Verdict::Waiting,
        ),
        (
            Stage::Validation,
            0,
            &[(0, Held), (1, Simulated)],
            Verdict::Opened,
        ),
        (
            Stage::Validation,
            0,
            &[(0, NotEnoughData), (1, Simulated)],
            Verdict::Held,
        ),
        (
            Stage::Gradual,
            1,
            &[(0, Held), (1, Watching), (2, Simulated)],
            Verdict::Waiting,
        ),
        (
            Stage::Gradual,
            1,
            &[(0, Held), (1, Held), (2, Simulated)],
            Verdict::Opened,
        ),
        (
            Stage::Gradual,
            1,
            &[(0, Held), (1, Failed), (2, Simulated)],
            Verdict::Held,
        ),
        (
            Stage::Full,
            4,
            &[(0, Held), (1, Held), (4, Waiting)],
            Verdict::Waiting,
        ),
    ];

    for (stage, wave, states, wanted) in cases {
        let found = gate(
            &rollout(*stage, *wave, states),
            Some(at_hours(0)),
            at_hours(24),
        );
        assert_eq!(
            found.verdict, *wanted,
            "{stage} {states:?}: {}",
            found.words
        );
    }

    let early = gate(
        &rollout(Stage::Validation, 0, &[(0, Held)]),
        Some(at_hours(0)),
        at_hours(23),
    );
    assert_eq!(early.verdict, Verdict::Waiting);
    assert!(
        early.words.contains("hours watched: 23 (at least 24)"),
        "{}",
        early.words
    );
}

#[test]
fn what_a_person_accepted_holds_nothing_and_is_waited_for_no_more() {
    let mut rollout = rollout(
        Stage::Gradual,
        1,
        &[(0, MemberState::Held), (1, MemberState::Failed)],
    );
    assert_eq!(gate(&rollout, None, at_hours(1)).verdict, Verdict::Held);
    rollout.members[1].accepted = true;
    assert_eq!(gate(&rollout, None, at_hours(1)).verdict, Verdict::Opened);
    rollout.members[1].accepted = false;
    rollout.settings.max_failures = 1;
    assert_eq!(
        gate(&rollout, None, at_hours(1)).verdict,
        Verdict::Opened,
        "one failure is allowed for"
    );
}

#[test]
fn stages_follow_each_other_and_empty_waves_are_passed() {
    let mut rollout = rollout(
        Stage::Simulation,
        0,
        &[
            (0, MemberState::Waiting),
            (2, MemberState::Waiting),
            (4, MemberState::Waiting),
        ],
    );

    let mut order = Vec::new();
    while let Some((stage, wave)) = rollout.next() {
        order.push((stage, wave));
        (rollout.stage, rollout.wave) = (stage, wave);
    }

    let wanted = [
        (Stage::Canary, 0),
        (Stage::Validation, 0),
        (Stage::Gradual, 2),
        (Stage::Full, 4),
    ];

    assert_eq!(order, wanted);
}
