//! Tests of the library and of the text form.
#![allow(clippy::unwrap_used)]

use reeve_audit::FieldCode;

use super::*;

#[test]
fn every_runbook_of_the_program_is_read_and_its_samples_hold() {
    for text in FILES {
        if let Err(faults) = Runbook::read(text) {
            panic!("{faults:?} in\n{text}");
        }
    }
    assert_eq!(builtin().len(), 15);
    for runbook in builtin() {
        let name = &runbook.name.0;
        for expected in [true, false] {
            let mut samples = runbook.samples.iter();
            assert!(
                samples.any(|one| one.holds == expected),
                "{name}: {expected}"
            );
        }
        assert!(runbook.verify_after >= runbook.lookback(), "{name}");
    }
}

/// A change that a runbook names is one of the registry.
#[test]
fn every_change_of_the_library_is_registered() {
    let changes = crate::change::ChangeRegistry::builtin();
    for runbook in builtin() {
        let Some(change) = runbook.remedy.change(runbook.kind) else {
            continue;
        };
        assert!(changes.rows().any(|row| row.name == change), "{change}");
    }
    let advised = builtin()
        .iter()
        .filter(|one| one.remedy == RunbookRemedy::Advice);
    assert_eq!(advised.count(), 1);
}

const TEXT: &str = r#"
name = "restart-leaking-service"
title = "its service leaks memory"
kind = "virtual_machine"
advice = "Look for the leak."
[[when]]
metric = "memory_utilization"
above = 90.0
clears_at = 80.0
[remedy]
change = "run_document"
document = "reeve-restart-service"
"#;

fn faults(from: &str, to: &str) -> Vec<(String, FieldCode)> {
    assert!(TEXT.contains(from), "{from}");
    match Runbook::read(&TEXT.replace(from, to)) {
        Ok(_) => Vec::new(),
        Err(faults) => faults
            .into_iter()
            .map(|fault| (fault.path, fault.code))
            .collect(),
    }
}

#[test]
fn faults_name_their_fields() {
    use FieldCode::{Conflicting, InvalidTime, InvalidValue, MissingField, OutOfRange, Unknown};
    assert_eq!(faults("name", "name"), []);
    let cases = [
        ("restart-leaking", "Restart leaking", "name", InvalidValue),
        ("its service leaks memory", " ", "title", MissingField),
        ("virtual_machine", "laptop", "kind", InvalidValue),
        (
            "memory_utilization",
            "queue_depth",
            "when[0].metric",
            InvalidValue,
        ),
        (
            "clears_at = 80.0",
            "clears_at = 95.0",
            "when[0].clears_at",
            OutOfRange,
        ),
        (
            "clears_at = 80.0",
            "over = \"soon\"",
            "when[0].over",
            InvalidTime,
        ),
        (
            "clears_at = 80.0",
            "over = \"9d\"",
            "when[0].over",
            OutOfRange,
        ),
        (
            "clears_at = 80.0",
            "below = 3.0",
            "when[0].below",
            Conflicting,
        ),
        (
            "clears_at = 80.0",
            "within = \"1d\"",
            "when[0].within",
            Conflicting,
        ),
        (
            "clears_at = 80.0",
            "state = [\"running\"]",
            "when[0].state",
            Conflicting,
        ),
        (
            "above = 90.0",
            "statistic = \"mean\"",
            "when[0]",
            MissingField,
        ),
        (
            "reeve-restart",
            "AWS-RunShellScript",
            "remedy.document",
            InvalidValue,
        ),
        (
            "run_document",
            "rm_minus_rf",
            "remedy.document",
            Conflicting,
        ),
        (
            "\"run_document\"\ndocument = \"reeve-restart-service\"",
            "\"rm\"",
            "remedy.change",
            Unknown,
        ),
        (
            "\"run_document\"\ndocument = \"reeve-restart-service\"",
            "\"fail_over\"",
            "remedy.change",
            Conflicting,
        ),
        (
            "[remedy]",
            "[breaker]\nfailures = 0\n[remedy]",
            "breaker.failures",
            OutOfRange,
        ),
        (
            "[remedy]",
            "[verify]\nafter = \"1m\"\n[remedy]",
            "verify.after",
            OutOfRange,
        ),
        (
            "advice =",
            "command = \"reboot\"\nadvice =",
            "source",
            InvalidValue,
        ),
    ];
    for (from, to, path, code) in cases {
        let found = faults(from, to);
        assert_eq!(
            found.first(),
            Some(&(path.to_owned(), code)),
            "{to}: {found:?}"
        );
    }
}

#[test]
fn a_fault_of_the_text_has_its_line() {
    let text = TEXT.replace("kind =", "colour =");
    let faults = Runbook::read(&text).unwrap_err();
    assert!(faults[0].message.starts_with("line 4: "), "{faults:?}");
}

#[test]
fn a_sample_that_does_not_hold_is_a_fault() {
    let sample = |value: f64| {
        format!(
            "{TEXT}\n[[sample]]\nname = \"a\"\nholds = true\nmetrics = {{ memory_utilization = [[{value:.1}, 12]] }}\n"
        )
    };
    assert!(Runbook::read(&sample(99.0)).is_ok());
    let faults = Runbook::read(&sample(50.0)).unwrap_err();
    assert_eq!(faults[0].path, "sample[0].holds");
    assert!(faults[0].message.contains("does not hold"), "{faults:?}");
}

#[test]
fn the_name_is_read_back_from_the_codes_of_a_finding() {
    let name = RunbookName("resume-group".to_owned());
    let codes = ["auto_remediate".to_owned(), name.aspect()];
    assert_eq!(RunbookName::of_codes(&codes), Some(name));
    assert_eq!(RunbookName::of_codes(&codes[..1]), None);
}
