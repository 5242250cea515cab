//! Causes of the conditions that people meet, each with facts that make it apply and facts that do
//! not.

#![allow(clippy::unwrap_used)]

use jiff::Timestamp;

use crate::agent::{AgentId, AgentScope, AgentType, AutoApply, Impact, Notifications, Timing};
use crate::diagnosis::*;

fn agent(confidence_threshold: f64) -> Agent {
    Agent {
        id: AgentId("a".into()),
        agent_type: AgentType::COST_OPTIMIZER,
        name: "Optimizer".into(),
        mode: Mode::SafeMode,
        scope: AgentScope {
            accounts: Vec::new(),
            services: Vec::new(),
        },
        learning_period_days: 7,
        confidence_threshold,
        auto_apply: AutoApply {
            enabled: false,
            max_impact: Impact::Low,
            approval_required: Impact::Medium,
        },
        notifications: Notifications {
            recommendations: Timing::Never,
            actions_taken: Timing::Never,
            anomalies: Timing::Never,
        },
        schedule: None,
        learning_waived: None,
        settings: crate::agent::settings::AgentSettings::default(),
        version: 1,
        created_at: Timestamp::UNIX_EPOCH,
        last_run: None,
        last_change_run: None,
    }
}

fn facts() -> FindingFacts {
    FindingFacts {
        days_observed: Some(30),
        resources_seen: 10,
        ..FindingFacts::default()
    }
}

fn find(diagnosis: &Diagnosis, name: &str) -> (Option<bool>, String) {
    let cause = diagnosis
        .causes
        .iter()
        .find(|cause| cause.name == name)
        .unwrap();
    (cause.applies, cause.evidence.clone())
}

fn skipped_for(reason: &str, count: u64) -> FindingFacts {
    FindingFacts {
        skipped: vec![("a_reason_of_no_cause".into(), 9), (reason.into(), count)],
        ..facts()
    }
}

#[test]
fn poor_history_is_data_that_was_too_thin_or_not_measured() {
    let cause = |facts: FindingFacts| {
        find(
            &low_confidence(&agent(85.0), &facts),
            "insufficient_or_poor_history",
        )
    };
    assert_eq!(cause(facts()).0, Some(false));

    for reason in ["thin_data", "no_cpu_samples", "not_measured"] {
        let (applies, evidence) = cause(skipped_for(reason, 2));
        assert_eq!(applies, Some(true), "{reason}");
        assert_eq!(
            evidence,
            "2 resources had too little data, 0 findings lack a measurement"
        );
    }

    let (applies, evidence) = cause(FindingFacts {
        unmeasured: 3,
        ..facts()
    });
    assert_eq!(
        (applies, evidence.ends_with("3 findings lack a measurement")),
        (Some(true), true)
    );
}

#[test]
fn the_environment_changes_when_more_than_a_fifth_of_it_comes_or_goes() {
    let causes = [
        (
            low_confidence as fn(&Agent, &FindingFacts) -> Diagnosis,
            "environment_changes",
        ),
        (irrelevant, "recent_infrastructure_changes"),
    ];
    for (diagnose, name) in causes {
        let cause = |changed: u64| {
            find(
                &diagnose(
                    &agent(85.0),
                    &FindingFacts {
                        resources_changed: changed,
                        ..facts()
                    },
                ),
                name,
            )
        };
        assert_eq!(
            cause(2),
            (
                Some(false),
                "2 of 10 resources came or went in two weeks".to_owned()
            ),
            "{name}"
        );
        assert_eq!(
            cause(3),
            (
                Some(true),
                "3 of 10 resources came or went in two weeks".to_owned()
            ),
            "{name}"
        );
        let empty = FindingFacts {
            resources_seen: 0,
            ..facts()
        };
        assert_eq!(
            find(&diagnose(&agent(85.0), &empty), name).0,
            Some(false),
            "{name}: nothing is in scope"
        );
    }
}

#[test]
fn work_is_too_variable_when_more_than_a_fifth_cannot_be_judged_by_its_past() {
    let cause = |facts: FindingFacts| {
        find(
            &low_confidence(&agent(85.0), &facts),
            "workload_too_variable",
        )
    };

    for reason in VARIABLE {
        assert_eq!(cause(skipped_for(reason, 2)).0, Some(false), "{reason}");
        let (applies, evidence) = cause(skipped_for(reason, 3));
        assert_eq!(applies, Some(true), "{reason}");
        assert_eq!(
            evidence,
            "3 of 10 resources vary too much to be judged by their past"
        );
    }

    for too_small in ["network_bound", "disk_bound", "disk_ops_bound"] {
        assert_eq!(
            cause(skipped_for(too_small, 9)).0,
            Some(false),
            "{too_small}: the size is too small"
        );
    }
}

#[test]
fn a_threshold_under_eighty_percent_is_too_low() {
    let cause = |threshold: f64| {
        find(
            &irrelevant(&agent(threshold), &facts()),
            "confidence_threshold_too_low",
        )
    };
    assert_eq!(cause(80.0).0, Some(false));

    let (applies, evidence) = cause(79.0);
    assert_eq!(applies, Some(true));
    assert_eq!(evidence, "the threshold is 79 %, the default is 85 %");
}

#[test]
fn few_findings_or_answers_tell_nothing_of_the_condition() {
    let low = |confidences: &[f64]| {
        low_confidence(
            &agent(85.0),
            &FindingFacts {
                confidences: confidences.to_vec(),
                ..facts()
            },
        )
        .present
    };
    assert_eq!(low(&[50.0; 4]), None);

    assert_eq!(low(&[50.0, 50.0, 50.0, 90.0, 90.0]), Some(false));
    assert_eq!(low(&[50.0, 50.0, 50.0, 50.0, 90.0]), Some(true));

    let rejected = |rejected, answered| {
        irrelevant(
            &agent(85.0),
            &FindingFacts {
                rejected,
                answered,
                ..facts()
            },
        )
        .present
    };

    assert_eq!(
        (rejected(4, 4), rejected(3, 10), rejected(4, 10)),
        (None, Some(false), Some(true))
    );
}
