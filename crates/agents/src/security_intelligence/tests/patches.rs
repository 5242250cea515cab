//! Missing patches as findings; a machine without a patch state has none.

use super::*;

fn managed(state: Value) -> (&'static str, &'static str, Value) {
    let document = json!({ "InstanceId": "i-1", "PingStatus": "Online", "PatchState": state });
    ("managed_instance", "managed-1", document)
}

fn machine(state: Option<Value>, image: Option<&str>, settings: &AgentSettings) -> Judgement {
    let mut estate = vec![(
        "virtual_machine",
        "i-1",
        json!({ "imageId": "ami-1", "instanceState": { "name": "running" } }),
    )];
    estate.extend(state.map(managed));
    let made = image.map(|made| json!({ "imageId": "ami-1", "creationDate": made }));
    estate.extend(made.map(|document| ("image", "ami-1", document)));
    of(&judged(&estate, settings), "i-1").clone()
}

fn counts(missing: u32, critical: u32, security: u32) -> Value {
    json!({ "InstanceId": "i-1", "BaselineId": "pb-1", "MissingCount": missing, "FailedCount": 0,
        "CriticalNonCompliantCount": critical, "SecurityNonCompliantCount": security })
}

#[test]
fn missing_patches_are_a_finding_that_installs_them() {
    let judgement = machine(Some(counts(5, 1, 3)), None, &AgentSettings::default());
    let [found] = judgement.proposals.as_slice() else {
        panic!("{judgement:#?}");
    };
    assert_eq!(found.kind, RecommendationType::PatchManagement);
    assert_eq!(found.priority, Priority::Critical);
    let plan = found.plan.as_ref().unwrap();
    assert!(plan.restart_needed && !plan.reversible);

    let stays_up = SettingValue::Flag(false);
    let settings = AgentSettings([("patch_reboot".to_owned(), stays_up)].into());
    let judgement = machine(Some(counts(5, 0, 0)), None, &settings);
    let found = &judgement.proposals[0];
    assert_eq!(found.priority, Priority::Medium);
    assert!(!found.plan.as_ref().unwrap().restart_needed);
}

#[test]
fn a_patched_machine_ends_its_finding_and_an_unread_one_does_not() {
    let patched = machine(Some(counts(0, 0, 0)), None, &AgentSettings::default());
    assert!(patched.proposals.is_empty());
    assert!(patched.abstentions.iter().all(|one| one.decisive));

    for state in [None, Some(json!("[not read]"))] {
        let unread = machine(state, None, &AgentSettings::default());
        assert!(unread.proposals.is_empty());
        assert!(unread.abstentions.iter().all(|one| !one.decisive));
    }
}

#[test]
fn an_old_image_is_advice_where_the_patches_are_not_known() {
    let old = Some("2024-01-01T00:00:00.000Z");
    let judgement = machine(None, old, &AgentSettings::default());
    let [found] = judgement.proposals.as_slice() else {
        panic!("{judgement:#?}");
    };
    assert_eq!(found.subject.aspect.as_deref(), Some("old_image"));
    assert!(found.plan.is_none());

    let known = machine(Some(counts(0, 0, 0)), old, &AgentSettings::default());
    assert!(known.proposals.is_empty(), "its patch state says more");
}
