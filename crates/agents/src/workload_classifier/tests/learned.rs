//! Model of what corrections teach, and the judgement of a version.

use reeve_estate::ResourceId;
use reeve_recommend::agent::{AgentId, AgentType};
use reeve_recommend::judgement::workload::GivenClasses;
use reeve_recommend::models::{Material, Model, ModelId, ModelStatus, RetrainCause, Trainer as _};

use reeve_testkit::contract::agents::agent;

use super::*;
use crate::models::Workloads;

/// Corrections of machines with a team, and an estate in which every machine is production.
fn material(corrections: &[(&str, &str, WorkloadClass)]) -> Material {
    let machine = |id: &str, team: &str| {
        let mut case = Case::machine(id)
            .tagged("team", team)
            .tagged("env", "production");
        case.resource.id = ResourceId::new(id);
        case
    };

    let corrected = |(id, team, class): &(&str, &str, WorkloadClass)| {
        let case = machine(id, team).corrected(*class);
        Correction {
            scores: [0.5, 0.0, 0.0, 0.0],
            ..case.correction.unwrap()
        }
    };

    Material {
        agent: agent("a", AgentType::WORKLOAD_CLASSIFIER, 0).unwrap(),
        resources: (0..12)
            .map(|n| machine(&format!("m-{n}"), &format!("team-{}", n % 6)).resource)
            .collect(),
        series: Vec::new(),
        outcomes: Vec::new(),
        open: OpenFacts::default().with(GivenClasses(corrections.iter().map(corrected).collect())),
        guardrails: Guardrails::default(),
        catalogue: std::sync::Arc::new(PriceCatalogue::builtin().clone()),
        now: now(),
    }
}

fn model(accuracy: f64) -> Model {
    Model {
        id: ModelId("m".to_owned()),
        agent_id: AgentId("a".to_owned()),
        name: "workload".to_owned(),
        kind: Workloads.kind(),
        version: 3,
        status: ModelStatus::Serving,
        training_span_days: 1.0,
        samples: 2,
        held_out: 2,
        accuracy,
        precision: accuracy,
        recall: accuracy,
        f1: accuracy,
        threshold: Workloads.threshold(),
        cause: RetrainCause::First,
        note: String::new(),
        configuration: String::new(),
        reference: Vec::new(),
        drift: None,
        trained_at: now(),
        updated_at: now(),
        tried_at: None,
        requested_by: None,
        revision: 1,
    }
}

#[test]
fn corrections_that_agree_teach_resources_alike() {
    let material = material(&[
        ("i-7", "risk", Batch),
        ("i-8", "risk", Batch),
        ("i-9", "risk", Batch),
    ]);
    let trained = Workloads.train(&material, now()).unwrap();
    let judged = Workloads
        .evaluate(&trained.state, &material, now())
        .unwrap();
    assert_eq!(
        (trained.samples, judged.held_out, judged.scores.accuracy),
        (3, 3, 1.0)
    );
    assert!(
        !trained.state.contains("env=production"),
        "every machine has it: {}",
        trained.state
    );

    let unclear = || {
        Case::machine("scoring")
            .tagged("team", "risk")
            .tagged("workload", "jobs")
    };
    let before = unclear().classified().probabilities[Batch as usize];

    let mut after = unclear();
    after.models.add(&model(1.0), trained.state.clone(), now());
    let found = after.classified();
    assert!(
        found.probabilities[Batch as usize] > before + 0.05,
        "{before} {found:?}"
    );

    let signal = found
        .signals
        .iter()
        .find(|signal| signal.name == "learned from corrections")
        .unwrap();
    assert!(signal.detail.contains("team=risk"), "{signal:?}");

    let found = after.busy(30, 6_000.0, JOBS).only();
    assert!(
        found.explanation.models[0]
            .statement
            .contains("called batch by people"),
        "{:?}",
        found.explanation.models
    );

    let mut unused = unclear();
    unused.models.add(&model(0.4), trained.state, now());
    assert_eq!(
        unused.classified().probabilities[Batch as usize],
        before,
        "a version that failed is not read"
    );
}

#[test]
fn corrections_that_share_nothing_teach_nothing() {
    let alone = material(&[("i-7", "risk", Batch), ("i-8", "shop", Analytics)]);
    let trained = Workloads.train(&alone, now()).unwrap();
    let judged = Workloads.evaluate(&trained.state, &alone, now()).unwrap();
    assert!(judged.scores.accuracy < Workloads.threshold(), "{judged:?}");
    assert!(
        Workloads
            .train(&material(&[("i-7", "risk", Batch)]), now())
            .is_err(),
        "one is not enough"
    );

    assert!(Workloads.evaluate("{}", &alone, now()).is_err());
}
