//! Evidence of sequences, its decay, and the fit.

use super::*;

fn steps(stages: &[(AttackStage, f64)]) -> Vec<AttackChainStep> {
    stages
        .iter()
        .enumerate()
        .map(|(at, (stage, score))| AttackChainStep {
            stage: *stage,
            score: *score,
            at_ms: at as i64 * 600_000,
        })
        .collect()
}

fn intrusion() -> Vec<AttackChainStep> {
    use AttackStage::{Access, Escalation, Exfiltration, Persistence, Reconnaissance};
    steps(&[
        (Reconnaissance, 0.2),
        (Access, 0.6),
        (Persistence, 0.7),
        (Escalation, 0.9),
        (Exfiltration, 0.9),
    ])
}

fn work() -> Vec<AttackChainStep> {
    use AttackStage::{Evasion, Reconnaissance};
    steps(&[
        (Reconnaissance, 0.0),
        (Reconnaissance, 0.01),
        (Evasion, 0.05),
        (Reconnaissance, 0.0),
    ])
}

fn fitted() -> ChainModel {
    let labelled = |steps: Vec<AttackChainStep>, attack| -> LabelledSequence {
        let label = |step| LabelledStep { step, attack };
        steps.into_iter().map(label).collect()
    };
    let mut sequences = vec![labelled(work(), false); 200];
    sequences.extend(vec![labelled(intrusion(), true); 50]);
    fit(&sequences, 0.02)
}

#[test]
fn an_intrusion_gathers_evidence_and_work_does_not() {
    let model = fitted();
    let mut belief = AttackChainBelief::default();
    let chances: Vec<f64> = intrusion()
        .iter()
        .map(|step| {
            belief.add(&model, step);
            belief.goes_on(&model, step.at_ms)
        })
        .collect();
    assert!(chances.is_sorted(), "{chances:?}");
    assert!(chances[3] > 0.5, "before data leaves: {chances:?}");

    let mut belief = AttackChainBelief::default();
    for step in work().iter().cycle().take(40) {
        belief.add(&model, step);
    }
    assert!(belief.goes_on(&model, 0) < 0.05);
}

#[test]
fn years_of_work_do_not_vouch_for_today() {
    let model = fitted();
    let mut belief = AttackChainBelief::default();
    for step in work().iter().cycle().take(4_000) {
        belief.add(&model, step);
    }
    for step in intrusion() {
        belief.add(&model, &step);
    }
    assert!(belief.goes_on(&model, 2_400_000) > 0.5);
}

#[test]
fn the_next_step_follows_from_the_last_one_and_evidence_fades() {
    let model = fitted();
    let mut belief = AttackChainBelief::default();
    for step in &intrusion()[..4] {
        belief.add(&model, step);
    }
    let at = 1_800_000;
    let next = belief.next(&model, at);
    let likeliest = (0..STAGES).max_by(|a, b| next[*a].total_cmp(&next[*b]));
    assert_eq!(likeliest, Some(AttackStage::Exfiltration as usize));
    let sum: f64 = next.iter().sum();
    assert!((sum - belief.goes_on(&model, at)).abs() < 1e-9);

    let later = at + 10 * 24 * 3_600_000;
    assert!(
        belief.goes_on(&model, later) < 0.1,
        "{}",
        belief.goes_on(&model, later)
    );
}

#[test]
fn a_principal_takes_over_the_evidence_of_the_one_before() {
    let model = fitted();
    let (mut first, mut second) = (AttackChainBelief::default(), AttackChainBelief::default());
    for step in &intrusion()[..3] {
        first.add(&model, step);
    }
    second.join(&first);
    assert_eq!(
        second.goes_on(&model, 1_200_000),
        first.goes_on(&model, 1_200_000)
    );
    first.join(&AttackChainBelief::default());
    assert_eq!(first, second, "a weaker one takes nothing away");
}

#[test]
fn stages_are_read_by_their_names() {
    for stage in AttackStage::ALL {
        assert_eq!(AttackStage::parse(stage.as_str()), Some(stage));
    }
    assert_eq!(AttackStage::parse("lunch"), None);
}

#[test]
fn the_next_step_of_an_attack_counts_once_it_has_begun() {
    let label = |step: &AttackChainStep, attack| LabelledStep {
        step: *step,
        attack,
    };
    let (work, attack) = (work(), intrusion());
    let sequence = [
        label(&work[0], false),
        label(&attack[1], true),
        label(&work[1], false),
        label(&attack[4], true),
    ];
    let next = |position| next_of_attack(&sequence, position).map(|step| step.stage);
    assert_eq!(next(0), None, "nothing has begun");
    assert_eq!(next(1), Some(AttackStage::Exfiltration));
    assert_eq!(
        next(2),
        Some(AttackStage::Exfiltration),
        "work between two steps"
    );
    assert_eq!(next(3), None, "it is over");
}
