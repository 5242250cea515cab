//! The templates as data: their form, that each control rests on evidence of its own, and that
//! their event types exist.

#![allow(clippy::panic)]

use std::collections::{BTreeMap, BTreeSet};

use reeve_audit::events;
use reeve_audit::query::{Expr, FieldPath, Match, QueryColumn};

use super::*;

/// Fewest controls of a framework.
const CONTROLS: usize = 25;

#[test]
fn every_file_is_a_template_of_its_own_name() {
    for (file, template) in read() {
        match template {
            Ok(template) => assert_eq!(file, format!("{}.toml", template.id)),
            Err(error) => panic!("{file}: {error}"),
        }
    }

    let ids: Vec<_> = templates().iter().map(|one| one.id.as_str()).collect();
    assert_eq!(ids, ORDER);
    assert!(templates().iter().all(|one| template(&one.id) == Some(one)));
}

#[test]
fn frameworks_are_found_as_they_are_printed() {
    let printed = [
        "SOC 2 Type II",
        "SOC 2",
        "ISO 27001",
        "HIPAA",
        "PCI DSS",
        "GDPR",
        "FedRAMP",
    ];

    let ids = printed.map(|name| {
        template(name)
            .map(|template| template.id.as_str())
            .unwrap_or_default()
    });

    assert_eq!(
        ids,
        [
            "soc2", "soc2", "iso27001", "hipaa", "pci_dss", "gdpr", "fedramp"
        ]
    );

    assert!(template("").is_none() && template("SOX").is_none());
}

#[test]
fn a_framework_has_its_controls_and_each_its_own_evidence() {
    for template in templates() {
        assert!(
            template.controls.len() >= CONTROLS,
            "{} has {} controls",
            template.id,
            template.controls.len()
        );
        let mut known = BTreeMap::new();
        for control in template
            .controls
            .iter()
            .filter(|control| !control.evidence.is_empty())
        {
            let queries: BTreeSet<_> = control
                .evidence
                .iter()
                .map(|question| question.text.as_str())
                .collect();
            assert_eq!(
                queries.len(),
                control.evidence.len(),
                "{} {} asks one thing twice",
                template.id,
                control.number
            );
            if let Some(other) = known.insert(queries, &control.number) {
                panic!(
                    "{}: {} and {other} rest on the same evidence",
                    template.id, control.number
                );
            }
        }
    }
}

/// Checks that no control counts all of its evidence as exceptions, which would tell an auditor
/// nothing.
#[test]
fn an_exception_is_not_the_evidence_again() {
    for template in templates() {
        for control in &template.controls {
            let evidence: BTreeSet<_> = control
                .evidence
                .iter()
                .map(|question| question.text.as_str())
                .collect();
            for exception in &control.exceptions {
                assert!(
                    !evidence.contains(exception.text.as_str()),
                    "{} {}: {}",
                    template.id,
                    control.number,
                    exception.name
                );
            }
        }
    }
}

/// Names of event types that a condition compares with.
fn event_types<'a>(expr: &'a Expr, into: &mut Vec<&'a Match>) {
    match expr {
        Expr::And(terms) | Expr::Or(terms) => terms.iter().for_each(|term| event_types(term, into)),
        Expr::Not(term) => event_types(term, into),
        Expr::Field {
            field: FieldPath::Column(QueryColumn::EventType),
            op,
        } => into.push(op),
        Expr::All | Expr::Field { .. } | Expr::Text(_) => {}
    }
}

/// A misspelt event type finds nothing for ever, which a report would tell as a lack of evidence.
#[test]
fn event_types_are_those_of_the_catalogue() {
    let mut unknown = BTreeSet::new();
    for template in templates() {
        for control in &template.controls {
            for question in control.evidence.iter().chain(&control.exceptions) {
                let mut found = Vec::new();
                event_types(&question.query.expr, &mut found);
                let known = |wanted: &Match| {
                    events::all().any(|kind| wanted.is_satisfied_by(kind.event_type().as_str()))
                };
                let unmet = found.iter().filter(|wanted| !known(wanted));
                unknown.extend(
                    unmet.map(|wanted| format!("{} {}: {wanted:?}", template.id, control.number)),
                );
            }
        }
    }

    assert!(unknown.is_empty(), "{unknown:#?}");
}

/// Types that the catalogue offers to a company's own pipelines and stores. A template that asked
/// only for the clouds' names of such events would tell an auditor that a company which reports its
/// deployments had none.
#[test]
fn events_of_a_companys_own_systems_are_asked_for() {
    let Some(soc2) = template("soc2") else {
        panic!("no SOC 2 template")
    };
    for event_type in [
        "deployment.create",
        "backup.create",
        "data.query",
        "data.export",
    ] {
        let asked = soc2
            .controls
            .iter()
            .flat_map(|control| &control.evidence)
            .any(|question| {
                let mut found = Vec::new();
                event_types(&question.query.expr, &mut found);
                found
                    .iter()
                    .any(|wanted| wanted.is_satisfied_by(event_type))
            });
        assert!(asked, "no evidence of {event_type}");
    }
}
