//! Tests of playbooks.

use super::*;
use crate::incident::tests::{finding, opened};

#[test]
fn every_playbook_of_the_program_is_read_and_has_no_fault() {
    assert_eq!(builtin().len(), FILES.len());
    for playbook in builtin() {
        assert_eq!(playbook.faults(), [], "{}", playbook.name.0);
        assert!(!playbook.trigger.automatic, "people decide first");
    }
}

fn own() -> Playbook {
    Playbook {
        name: PlaybookName("mine".to_owned()),
        is_builtin: false,
        ..builtin()[0].clone()
    }
}

#[test]
fn faults_name_their_fields() {
    let check = |change: fn(&mut Playbook), expected: &[&str]| {
        let mut playbook = own();
        change(&mut playbook);
        let faults = playbook.faults();
        let paths: Vec<&str> = faults.iter().map(|fault| fault.path.as_str()).collect();
        assert_eq!(paths, expected);
    };

    check(|_| {}, &[]);
    check(
        |one| one.name = PlaybookName("No Name".to_owned()),
        &["name"],
    );
    check(|one| one.name = builtin()[0].name.clone(), &["name"]);
    check(|one| one.title.clear(), &["title"]);
    check(|one| one.steps.clear(), &["steps"]);
    check(
        |one| {
            one.trigger.techniques.insert("spraying".to_owned());
        },
        &["trigger.techniques[1]"],
    );
    check(
        |one| one.steps[0].channels = vec!["ops".to_owned()],
        &["steps[0].channels"],
    );
    check(
        |one| one.steps[1].message = "hello".to_owned(),
        &["steps[1].message"],
    );
    check(
        |one| one.steps.push(one.steps[0].clone()),
        &["steps[3].action"],
    );
}

#[test]
fn a_trigger_fits_by_severity_subject_and_technique() {
    let incident = opened(finding("AKIA1", 0, "203.0.113.7", Priority::High));
    let trigger = |severity, subject: &str, technique: &str| {
        let named = |name: &str| {
            Some(name.to_owned())
                .filter(|name| !name.is_empty())
                .into_iter()
                .collect()
        };
        Trigger {
            automatic: false,
            severity,
            subjects: named(subject),
            techniques: named(technique),
            members: BTreeSet::new(),
        }
        .fits(&incident)
    };
    assert!(trigger(Priority::High, "", ""));
    assert!(trigger(Priority::Medium, "principal", "T1078"));
    assert!(!trigger(Priority::Critical, "", ""));
    assert!(!trigger(Priority::High, "virtual_machine", ""));
    assert!(!trigger(Priority::High, "", "T1110"));
}
