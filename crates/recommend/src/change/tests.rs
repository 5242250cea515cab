//! Plans of both formats as they are stored, and the border where they become typed changes.

#![allow(clippy::unwrap_used)]

use jiff::Timestamp;
use reeve_estate::{
    ConnectionId, Provider, ResourceId, ResourceKind, ResourceState, Specification,
};

use crate::change::*;
use crate::plan::{Plan, PlanStep, PlannedChange, StepKind};

/// A resource without more than a kind, a state and what it is attached to.
pub(super) fn resource(kind: ResourceKind, state: ResourceState, attached_to: &[&str]) -> Resource {
    Resource {
        id: ResourceId::new("one"),
        connection: ConnectionId("c".to_owned()),
        provider: Provider::Aws,
        account: "1".to_owned(),
        region: "us-east-1".to_owned(),
        service: "ec2".to_owned(),
        kind,
        name: "one".to_owned(),
        state,
        specification: Specification::default(),
        purchase: None,
        tags: Default::default(),
        group: None,
        attached_to: attached_to.iter().map(|id| ResourceId::new(*id)).collect(),
        monthly_cost: None,
        created_at: None,
        observed_at: Timestamp::UNIX_EPOCH,
    }
}

fn fixture(name: &str) -> Vec<serde_json::Value> {
    let text = match name {
        "v1" => include_str!("../../tests/fixtures/plans-v1.json"),
        _ => include_str!("../../tests/fixtures/plans-v2.json"),
    };
    serde_json::from_str(text).unwrap()
}

fn text(value: &serde_json::Value) -> String {
    value.as_str().unwrap().to_owned()
}

fn step(value: &serde_json::Value) -> PlanStep {
    let pair = |pair: &serde_json::Value| (text(&pair[0]), text(&pair[1]));
    PlanStep {
        kind: StepKind::parse(value["kind"].as_str().unwrap()).unwrap(),
        description: text(&value["description"]),
        resource: text(&value["resource"]),
        instance_type: value["instance_type"].as_str().map(str::to_owned),
        expect: value["expect"]
            .as_array()
            .unwrap()
            .iter()
            .map(pair)
            .collect(),
    }
}

fn plan_of_v1(value: &serde_json::Value) -> Plan {
    let steps = value["steps"]
        .as_array()
        .unwrap()
        .iter()
        .map(step)
        .collect();

    let flag = |name: &str| value[name].as_bool().unwrap();
    Plan::v1(steps, flag("reversible"), flag("restart_needed"))
}

#[test]
fn a_plan_of_format_1_keeps_its_hash_and_is_read_as_the_change_that_makes_its_steps() {
    let changes = ChangeRegistry::builtin();
    for case in fixture("v1") {
        let plan = plan_of_v1(&case["plan"]);
        assert_eq!(plan.hash, text(&case["plan"]["hash"]));
        assert_eq!(plan.hash_version(), 1);
        let procedure = changes.procedure(&plan).unwrap();
        assert_eq!(
            procedure.plan(),
            &plan,
            "its hash goes on being what approvals name"
        );
        assert_eq!(procedure.change().name(), text(&case["change"]));
        assert_eq!(
            procedure.change().parameters(),
            Json::from(&case["parameters"])
        );
        let made = Plan::new(&**procedure.change(), &plan.steps[0].resource);
        let kinds = |plan: &Plan| plan.steps.iter().map(|step| step.kind).collect::<Vec<_>>();
        assert_eq!(kinds(&made), kinds(&plan));
        if !case["parameters"]["volumes"]
            .as_array()
            .is_some_and(Vec::is_empty)
        {
            assert_eq!(made.steps, plan.steps, "{}", case["change"]);
            assert_eq!(
                made.or_same_v1(Some(&plan)),
                plan,
                "signatures given to it stay valid"
            );
        }
    }
}

#[test]
fn a_plan_of_format_2_has_the_hash_of_its_typed_change() {
    let changes = ChangeRegistry::builtin();
    let cases = fixture("v2");
    let names: std::collections::BTreeSet<String> =
        cases.iter().map(|case| text(&case["change"])).collect();
    let rows = changes
        .rows()
        .filter(|row| matches!(row.parse, Parse::Typed(_)))
        .map(|row| row.name)
        .filter(|name| *name != "stop_database");
    assert!(
        rows.eq(names.iter().map(String::as_str)),
        "each change has a fixture"
    );

    for case in cases {
        let change = changes
            .parse(&text(&case["change"]), &Json::from(&case["parameters"]))
            .unwrap();
        let plan = Plan::new(&*change, &text(&case["resource"]));
        assert_eq!(plan.hash, text(&case["hash"]), "{}", case["change"]);
        assert_eq!(
            (Some(plan.reversible), Some(plan.restart_needed)),
            (
                case["reversible"].as_bool(),
                case["restart_needed"].as_bool()
            )
        );
        assert_eq!(
            changes.procedure(&plan).unwrap().change().parameters(),
            change.parameters()
        );
    }
}

#[test]
fn a_plan_that_was_altered_or_is_not_known_is_not_carried_out() {
    let changes = ChangeRegistry::builtin();
    let change = ResizeMachine {
        state: reeve_estate::ResourceState::Running,
        from: "m5.xlarge".to_owned(),
        to: "m5.large".to_owned(),
    };
    let plan = Plan::new(&change, "i-1");
    let mut other = plan.clone();
    other.change.as_mut().unwrap().parameters = ResizeMachine {
        to: "m5.24xlarge".to_owned(),
        ..change.clone()
    }
    .parameters();

    assert_eq!(
        changes.procedure(&other).unwrap_err(),
        PlanError::Altered {
            hash: plan.hash.clone()
        }
    );

    let mut words = plan_of_v1(&fixture("v1")[0]["plan"]);
    words.steps[3].instance_type = Some("m5.24xlarge".to_owned());
    assert!(matches!(
        changes.procedure(&words),
        Err(PlanError::Altered { .. })
    ));

    let strange = Plan::v1(plan.steps[..3].to_vec(), true, true);
    assert_eq!(
        changes.procedure(&strange).unwrap_err(),
        PlanError::UnknownSteps
    );

    let unknown = changes
        .parse("paint_blue", &Json::object([("state", "running")]))
        .unwrap_err();
    assert_eq!(
        unknown,
        PlanError::UnknownChange {
            name: "paint_blue".to_owned()
        }
    );
}

#[test]
fn parameters_are_refused_by_their_name() {
    let changes = ChangeRegistry::builtin();
    let refused = |name: &str, parameters: &str| {
        let parameters: serde_json::Value = serde_json::from_str(parameters).unwrap();
        changes
            .parse(name, &Json::from(&parameters))
            .unwrap_err()
            .to_string()
    };

    assert!(
        refused("resize_machine", r#"{"state":"running","from":"a"}"#)
            .contains("parameters.to: expected a text")
    );
    assert!(
        refused("resize_machine", r#"{"state":"up","from":"a","to":"b"}"#)
            .contains("parameters.state")
    );
    assert!(
        refused("snapshot_volume", r#"{"state":"unattached","force":true}"#)
            .contains("parameters.force: not a")
    );
    assert!(
        refused("grow_storage", r#"{"state":"available","from_gib":1.5}"#)
            .contains("parameters.from_gib")
    );
    assert!(refused("isolate", "[]").contains("expected an object"));
}

/// The hash covers every part of the typed form, and no two parts can trade places.
#[test]
fn each_part_of_a_change_is_in_its_hash() {
    let change = FailOver {
        state: reeve_estate::ResourceState::Running,
        from: "us-east-1a".to_owned(),
        to: "us-east-1b".to_owned(),
    };
    let plan = Plan::new(&change, "db-1");
    let back = FailOver {
        from: change.to.clone(),
        to: change.from.clone(),
        ..change.clone()
    };

    let hashes = [
        plan.hash.clone(),
        Plan::new(&back, "db-1").hash,
        Plan::new(&change, "db-2").hash,
    ];

    assert_eq!(
        hashes
            .iter()
            .collect::<std::collections::BTreeSet<_>>()
            .len(),
        3
    );

    let altered = |alter: fn(&mut Plan)| {
        let mut plan = plan.clone();
        alter(&mut plan);
        !plan.is_intact()
    };

    let named = |plan: &mut Plan, name: &str| {
        plan.change = plan.change.take().map(|change| PlannedChange {
            name: name.to_owned(),
            ..change
        });
    };

    assert!(altered(|plan| plan.reversible = false) && altered(|plan| plan.restart_needed = false));

    let mut renamed = plan.clone();
    named(&mut renamed, "replicate");
    assert!(!renamed.is_intact());
}

/// Longest interruption of a change where the guardrails give it five minutes, seconds.
fn interruption(change: Arc<dyn Change>, kind: ResourceKind) -> i64 {
    Procedure::new(change, "one").interruption_limit_s(kind, 300)
}

#[test]
fn an_interruption_is_as_long_as_a_change_and_its_way_back_may_take() {
    let state = ResourceState::Running;
    let (from, to) = (|| "m5.xlarge".to_owned(), || "m5.large".to_owned());
    let machine = ResizeMachine {
        state,
        from: from(),
        to: to(),
    };

    assert_eq!(
        interruption(Arc::new(machine), ResourceKind::VirtualMachine),
        300 + 1800
    );

    let database = ResizeDatabase {
        state,
        from: from(),
        to: to(),
    };

    assert_eq!(
        interruption(Arc::new(database), ResourceKind::Database),
        1800 + 3600
    );

    let patches = |reboot| PatchMachine {
        state,
        reboot,
        occasion: "5/0/1/3".to_owned(),
    };
    let of_patches = |reboot| interruption(Arc::new(patches(reboot)), ResourceKind::VirtualMachine);
    assert_eq!(
        (of_patches(true), of_patches(false)),
        (900, 0),
        "a machine serves while patches are installed"
    );

    let stop = StopMachine {
        state,
        size: None,
        volumes: Vec::new(),
    };

    assert_eq!(
        interruption(Arc::new(stop), ResourceKind::VirtualMachine),
        0,
        "it is meant to stay off"
    );
}

#[test]
fn only_a_smaller_setup_takes_capacity() {
    let state = ResourceState::Available;
    let setup = |storage_type: &str, iops| VolumeSetup {
        storage_type: storage_type.to_owned(),
        iops: Some(iops),
        throughput_mibps: Some(125),
    };

    let volume = |from, to| ModifyVolume { state, from, to };
    assert!(!volume(setup("io1", 3000), setup("gp3", 3000)).may_take_capacity());
    assert!(volume(setup("io1", 9000), setup("gp3", 3000)).may_take_capacity());
    assert!(
        ResizeMachine {
            state,
            from: "a".to_owned(),
            to: "b".to_owned()
        }
        .may_take_capacity()
    );

    assert!(
        !StopMachine {
            state,
            size: None,
            volumes: Vec::new()
        }
        .may_take_capacity()
    );
}
