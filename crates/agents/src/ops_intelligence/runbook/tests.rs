//! Tests of findings by runbooks: their changes, and what keeps them from being proposed.
#![allow(clippy::unwrap_used)]

use std::sync::Arc;

use jiff::SignedDuration;
use reeve_estate::{
    ConnectionId, Document, Metric, PriceCatalogue, Resource, ResourceId, ResourceKind,
    ResourceState, SampleSeries,
};
use reeve_recommend::agent::settings::{AgentSettings, SettingValue};
use reeve_recommend::guardrail::Guardrails;
use reeve_recommend::judgement::RelationIndex;
use reeve_recommend::judgement::open_facts::OpenFacts;
use reeve_recommend::models::LearnedModels;
use reeve_recommend::recommendation::{NEEDS_PERSON, Priority};
use reeve_recommend::runbook::breaker::{Breaker, BreakerResource};
use reeve_recommend::runbook::condition::Measurements;
use reeve_recommend::runbook::{Runbook, RunbookName, builtin};
use serde_json::{Value, json};

use super::*;
use crate::cost_optimizer::tests::estate::{now, resource};

/// A resource and one runbook that is for it.
struct Case {
    resource: Resource,
    document: Option<Document>,
    settings: AgentSettings,
    facts: RunbookFacts,
}

impl Case {
    fn of(runbook: &Runbook, size: Option<&str>) -> Case {
        let mut resource = resource("r-1", runbook.kind, "ec2", size);
        resource.name = "r-1".to_owned();
        resource.state = ResourceState::Running;
        Case {
            resource,
            document: None,
            settings: AgentSettings::default(),
            facts: RunbookFacts {
                cases: vec![RunbookCase {
                    runbook: Arc::new(runbook.clone()),
                    gate: Gate::Free { failures: 0 },
                    helped: 0,
                    failed: 0,
                }],
                measured: Measurements::default(),
            },
        }
    }

    fn named(name: &str, size: Option<&str>) -> Case {
        let found = builtin().iter().find(|one| one.name.0 == name);
        Case::of(found.unwrap(), size)
    }

    /// A value at every five minutes of so many hours.
    fn measured(mut self, metric: Metric, hours: i64, value: f64) -> Case {
        let backs = (1..=hours * 12).rev();
        let points = backs.map(|back| (now() - SignedDuration::from_mins(back * 5), value));
        self.facts.measured.own.push(SampleSeries {
            resource: ResourceId::new("r-1"),
            metric,
            points: points.collect(),
            period_s: 300,
        });
        self
    }

    fn described(mut self, document: Value) -> Case {
        self.document = Some(Document::new(document));
        self
    }

    fn gated(mut self, gate: Gate) -> Case {
        self.facts.cases[0].gate = gate;
        self
    }

    fn set(mut self, path: &str, value: SettingValue) -> Case {
        self.settings.0.insert(path.to_owned(), value);
        self
    }

    fn judge(self) -> Result<Proposal, (&'static str, bool)> {
        let mut judgement = Judgement::default();
        judge(
            &Facts {
                resource: &self.resource,
                series: &[],
                maxima: &[],
                charges: &[],
                document: self.document.as_ref(),
                relations: RelationIndex::none(),
                volumes: &[],
                catalogue: PriceCatalogue::builtin(),
                settings: &self.settings,
                guardrails: &Guardrails::default(),
                open: &OpenFacts::default().with(self.facts),
                models: LearnedModels::none(),
                attachment_changed_at: None,
                unchanged_since: None,
                now: now(),
            },
            &mut judgement,
        );
        match judgement.proposals.pop() {
            Some(proposal) => Ok(proposal),
            None => {
                let abstention = judgement.abstentions.pop().unwrap();
                assert!(
                    abstention
                        .aspect
                        .is_some_and(|aspect| aspect.starts_with("runbook:"))
                );
                Err((abstention.code, abstention.decisive))
            }
        }
    }
}

/// A machine whose memory is used up for four hours.
fn exhausted() -> Case {
    let case = Case::named("enlarge-machine-without-memory", Some("m5.large"));
    case.measured(Metric::MemoryUtilization, 4, 97.0)
}

fn change(proposal: &Proposal) -> Option<&str> {
    proposal.plan.as_ref().and_then(|plan| plan.change_name())
}

#[test]
fn a_known_issue_is_found_with_its_change_and_its_verification() {
    let found = exhausted().judge().unwrap();
    assert_eq!(change(&found), Some("resize_machine"));
    assert_eq!(found.title, "r-1: its memory is used up");
    assert_eq!(
        found.reason_codes,
        ["auto_remediate", "runbook:enlarge-machine-without-memory"]
    );
    assert_eq!(found.priority, Priority::High);
    let factors = format!("{:?}", found.explanation.factors);
    assert!(
        factors.contains("Verified 6h after the change"),
        "{factors}"
    );
    assert!(
        factors.contains("since "),
        "the time of its beginning: {factors}"
    );

    let code = |case: Case| case.judge().unwrap_err();
    let healthy = Case::named("enlarge-machine-without-memory", Some("m5.large"));
    let healthy = healthy.measured(Metric::MemoryUtilization, 4, 60.0);
    assert_eq!(code(healthy), ("no_known_issue", true));
    let unmeasured = Case::named("enlarge-machine-without-memory", Some("m5.large"));
    assert_eq!(code(unmeasured), ("not_measured", false));
}

#[test]
fn settings_leave_runbooks_out() {
    let off = exhausted().set("auto_remediate.enabled", SettingValue::Flag(false));
    assert_eq!(off.judge().unwrap_err(), ("switched_off", true));
    let names = SettingValue::names("enlarge-machine-without-memory");
    let one = exhausted().set("auto_remediate.left_out", names);
    assert_eq!(one.judge().unwrap_err(), ("switched_off", true));
}

/// Complaint 4: what does not help goes to people.
#[test]
fn an_open_breaker_leaves_the_issue_to_people() {
    let verifying = exhausted().gated(Gate::Verifying { until: now() });
    assert_eq!(verifying.judge().unwrap_err(), ("verifying", false));

    let breaker = Breaker {
        runbook: RunbookName("enlarge-machine-without-memory".to_owned()),
        resource: Some(BreakerResource {
            connection: ConnectionId("c-1".to_owned()),
            id: ResourceId::new("r-1"),
            name: "r-1".to_owned(),
        }),
        opened_at: now(),
        closes_at: now() + SignedDuration::from_hours(24),
        failures: 2,
        reason: "the issue is still there: Memory is 97 %".to_owned(),
        closed_at: None,
        closed_by: None,
    };
    let mut case = exhausted().gated(Gate::Open(breaker));
    case.resource
        .tags
        .insert("env".to_owned(), "prod".to_owned());
    let found = case.judge().unwrap();
    assert_eq!(found.plan, None);
    assert_eq!(found.priority, Priority::Critical);
    for code in ["breaker_open", NEEDS_PERSON] {
        assert!(found.reason_codes.iter().any(|own| own == code), "{code}");
    }
    let factors = format!("{:?}", found.explanation.factors);
    assert!(factors.contains("Escalated: 2 changes"), "{factors}");
    assert!(
        found.explanation.action.contains("leak"),
        "the advice of the runbook"
    );
}

#[test]
fn a_setting_is_changed_by_a_row_and_advice_has_no_plan() {
    let document = json!({
        "AutoScalingGroupName": "web", "DesiredCapacity": "2",
        "SuspendedProcesses": [{ "ProcessName": "Launch", "SuspensionReason": "a deployment" }],
    });
    let found = Case::named("resume-group", None)
        .described(document)
        .judge();
    assert_eq!(change(&found.unwrap()), Some("resume_group_processes"));

    let users = Case::named("look-after-unsatisfied-users", None);
    let found = users
        .measured(Metric::UserExperienceScore, 2, 30.0)
        .judge()
        .unwrap();
    assert_eq!(found.plan, None);
    assert!(!found.reason_codes.iter().any(|code| code == "breaker_open"));
}

#[test]
fn a_document_runs_once_an_hour_on_a_machine_that_runs() {
    let text = r#"
name = "restart"
title = "its CPU is used up"
kind = "virtual_machine"
advice = "Look."
[[when]]
metric = "cpu_utilization"
above = 90.0
[remedy]
change = "run_document"
document = "reeve-restart"
"#;
    let runbook = Runbook::read(text).unwrap();
    let case = |state| {
        let mut case = Case::of(&runbook, Some("m5.large"));
        case.resource.state = state;
        case.measured(Metric::CpuUtilization, 2, 99.0)
            .judge()
            .unwrap()
    };
    let found = case(ResourceState::Running);
    assert_eq!(change(&found), Some("run_document"));
    assert_eq!(change(&case(ResourceState::Stopped)), None);
    assert_eq!(found.subject.kind, ResourceKind::VirtualMachine);
}
