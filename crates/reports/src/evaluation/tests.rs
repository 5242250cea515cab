//! Evaluations over entries made by hand.

#![allow(clippy::unwrap_used)]
use reeve_audit::{ActionMethod, ActionStatus, Actor, EventType, ResourceRef};

use super::*;
use crate::definition::{Filters, ReportKind, ReportMetric, ReportRequest};
use crate::document::{SummaryDetail, csv_entry, csv_head, summary};
use crate::period::PeriodChoice;

fn now() -> Timestamp {
    "2026-11-22T10:00:00Z".parse().unwrap()
}

fn request(query: &str, group_by: Vec<GroupField>) -> ReportRequest {
    ReportRequest {
        kind: ReportKind::Custom {
            query: query.to_owned(),
            group_by,
            metrics: ReportMetric::ALL.to_vec(),
        },
        period: PeriodChoice::parse("30d").unwrap(),
        filters: Filters::default(),
    }
}

fn entry(user: &str, resource: &str, at: &str) -> Entry {
    let status = if user.starts_with('e') {
        ActionStatus::Failed
    } else {
        ActionStatus::Success
    };
    Entry::new(EventType::new("resource.modify").unwrap())
        .at(at.parse().unwrap())
        .by(Actor::user(user).with_email(format!("{user}@acme.example")))
        .on(ResourceRef::new("vm", resource))
        .with_action("resize", status, ActionMethod::Api)
}

fn evaluate(
    request: &ReportRequest,
    entries: &[Entry],
    most: u64,
) -> (ReportPlan, ReportFindings, Vec<Vec<usize>>) {
    let mut evaluation = ReportEvaluation::new(ReportPlan::new(request, now()).unwrap(), most);
    let cited = entries
        .iter()
        .zip(0..)
        .map(|(entry, at)| evaluation.observe(at, now(), entry))
        .collect();
    let (plan, findings) = evaluation.finish(&[]);
    (plan, findings, cited)
}

#[test]
fn groups_and_metrics_are_those_of_the_entries_in_the_period() {
    let entries = [
        entry("ann", "vm-1", "2026-11-20T10:00:00Z"),
        entry("ann", "vm-2", "2026-11-21T10:00:00Z"),
        entry("eve", "vm-1", "2026-11-21T11:00:00Z"),
        entry("eve", "vm-1", "2026-01-01T00:00:00Z"),
        entry("bob", "vm-9", "2026-11-22T10:00:00Z"),
    ];

    let (_, findings, cited) = evaluate(
        &request("operation:resize", vec![GroupField::User]),
        &entries,
        100,
    );
    assert_eq!(findings.entries, 3, "the end of a period is not in it");
    assert_eq!(cited, [vec![0], vec![0], vec![0], vec![], vec![]]);

    let rows: Vec<_> = findings
        .groups
        .iter()
        .map(|row| (row.values[0].as_deref().unwrap(), row.events))
        .collect();
    assert_eq!(rows, [("ann@acme.example", 2), ("eve@acme.example", 1)]);
    assert_eq!((findings.users.count, findings.resources.count), (2, 2));
    assert_eq!(
        findings.by_time.iter().map(|(_, count)| count).sum::<u64>(),
        3
    );
}

#[test]
fn filters_narrow_and_lists_are_bounded_while_counts_go_on() {
    let entries: Vec<_> = (0..50)
        .map(|at| entry(&format!("u{at}"), "vm-1", "2026-11-21T10:00:00Z"))
        .collect();
    let mut request = request("", Vec::new());
    let (_, findings, cited) = evaluate(&request, &entries, 10);
    assert_eq!((findings.entries, findings.listed), (50, 10));
    assert_eq!(
        cited.iter().filter(|answered| !answered.is_empty()).count(),
        10
    );
    assert_eq!(findings.answers[0].sample.len(), SAMPLE);

    let sequences: Vec<_> = findings.answers[0]
        .sample
        .iter()
        .map(|cited| cited.sequence)
        .collect();

    assert!(
        sequences.is_sorted() && sequences.iter().any(|sequence| *sequence >= 25),
        "drawn over all: {sequences:?}"
    );

    request.filters.users = vec!["u1*".to_owned()];
    let (plan, findings, _) = evaluate(&request, &entries, 10);
    assert_eq!(findings.entries, 11);

    let query = plan.query();
    let found = entries
        .iter()
        .filter(|entry| query.matches(entry, now(), now()))
        .count();
    assert_eq!(found, 11, "the query finds what the plan answers");
}

#[test]
fn cells_that_a_spreadsheet_would_compute_are_neutralised() {
    let (plan, findings, _) = evaluate(&request("status:failed", Vec::new()), &[], 10);
    let mut out = Vec::new();
    csv_head(&mut out, &plan, &findings).unwrap();
    csv_entry(
        &mut out,
        7,
        &entry("=cmd|' /C calc'!A0", "vm", "2026-11-21T10:00:00Z"),
        &plan,
        &[0],
    )
    .unwrap();

    let text = String::from_utf8(out).unwrap();
    assert_eq!(text.lines().count(), 4, "{text}");
    assert!(text.contains(",'=cmd|"), "{text}");
}

#[test]
fn every_control_of_every_framework_has_a_status_and_its_query_finds_its_entries() {
    for template in crate::templates() {
        let kind = ReportKind::Compliance {
            framework: template.id.clone(),
        };
        let request = ReportRequest {
            kind,
            ..request("", Vec::new())
        };
        let login = Entry::new(EventType::new("authentication.login").unwrap())
            .at("2026-11-21T10:00:00Z".parse().unwrap())
            .by(Actor::user("eve"))
            .with_action("login", ActionStatus::Failed, ActionMethod::Api);
        let (plan, findings, cited) = evaluate(&request, std::slice::from_ref(&login), 10);
        assert!(
            plan.query().matches(&login, now(), now()) && !cited[0].is_empty(),
            "{}: a sign-in",
            template.id
        );
        let brief = summary(&request, &plan, &findings, SummaryDetail::Brief);
        let counted: u64 = brief["statuses"]
            .as_object()
            .unwrap()
            .values()
            .map(|count| count.as_u64().unwrap())
            .sum();
        assert_eq!(counted as usize, template.controls.len(), "{}", template.id);
        assert!(
            brief["statuses"]["exceptions"].as_u64() > Some(0),
            "{}: a failed sign-in is an exception",
            template.id
        );
        assert!(template.controls.len() >= 15, "{}", template.id);
    }
}

fn compliance(accounts: &[&str], resources: &[&str]) -> ReportRequest {
    let texts = |all: &[&str]| all.iter().map(|one| (*one).to_owned()).collect();
    ReportRequest {
        kind: ReportKind::Compliance {
            framework: "soc2".to_owned(),
        },
        period: PeriodChoice::parse("30d").unwrap(),
        filters: Filters {
            accounts: texts(accounts),
            users: Vec::new(),
            resources: texts(resources),
        },
    }
}

fn in_account(user: &str, resource: &str, account: Option<&str>) -> Entry {
    let mut entry = entry(user, resource, "2026-11-21T10:00:00Z");
    entry.resource.account_id = account.map(str::to_owned);
    entry
}

#[test]
fn a_custom_report_groups_by_resource_and_by_event_type() {
    let mut deleted = entry("ann", "vm-1", "2026-11-21T11:00:00Z");
    deleted.event_type = EventType::new("resource.delete").unwrap();
    let entries = [
        entry("ann", "vm-1", "2026-11-21T10:00:00Z"),
        entry("bob", "vm-1", "2026-11-21T10:00:00Z"),
        entry("ann", "vm-2", "2026-11-21T10:00:00Z"),
        deleted,
    ];

    let groups = |by: Vec<GroupField>| -> Vec<(Vec<String>, u64, u64)> {
        let (_, findings, _) = evaluate(&request("", by), &entries, 100);
        let values = |row: &crate::findings::GroupRow| {
            row.values.iter().map(|one| one.clone().unwrap()).collect()
        };
        findings
            .groups
            .iter()
            .map(|row| (values(row), row.events, row.users.count))
            .collect()
    };

    let text = |values: &[&str]| {
        values
            .iter()
            .map(|one| (*one).to_owned())
            .collect::<Vec<_>>()
    };

    assert_eq!(
        groups(vec![GroupField::Resource]),
        [(text(&["vm-1"]), 3, 2), (text(&["vm-2"]), 1, 1)]
    );
    assert_eq!(
        groups(vec![GroupField::EventType]),
        [
            (text(&["resource.modify"]), 3, 2),
            (text(&["resource.delete"]), 1, 1)
        ]
    );

    assert_eq!(
        groups(vec![GroupField::Resource, GroupField::EventType]),
        [
            (text(&["vm-1", "resource.modify"]), 2, 2),
            (text(&["vm-1", "resource.delete"]), 1, 1),
            (text(&["vm-2", "resource.modify"]), 1, 1)
        ]
    );
}

#[test]
fn accounts_and_resources_narrow_and_leave_entries_without_an_account_in_a_frameworks_report() {
    let entries = [
        in_account("ann", "vm-1", Some("100")),
        in_account("ann", "vm-2", Some("200")),
        in_account("ann", "session-1", None),
    ];

    let found = |request: &ReportRequest| -> Vec<bool> {
        let plan = ReportPlan::new(request, now()).unwrap();
        let query = plan.query();
        entries
            .iter()
            .map(|entry| {
                let answers = !plan.answered(entry, now()).is_empty();
                assert!(
                    !answers || query.matches(entry, now(), now()),
                    "the query finds what the plan answers"
                );
                answers
            })
            .collect()
    };

    let mut custom = request("", Vec::new());
    assert_eq!(found(&custom), [true, true, true]);
    custom.filters.accounts = vec!["100".to_owned()];
    assert_eq!(
        found(&custom),
        [true, false, false],
        "a custom report is about what its filters name"
    );

    custom.filters = Filters {
        resources: vec!["vm-*".to_owned()],
        ..Filters::default()
    };
    assert_eq!(found(&custom), [true, true, false]);
    assert_eq!(found(&compliance(&["100"], &[])), [true, false, true]);
    assert_eq!(found(&compliance(&[], &["vm-2"])), [false, true, true]);
    assert_eq!(
        found(&compliance(&["100"], &["vm-2"])),
        [false, false, true]
    );
}

#[test]
fn an_announced_change_and_its_outcome_are_one_event() {
    let made = entry("ann", "vm-1", "2026-11-21T10:00:00Z");
    let intent = made.intent();
    let mut outcome = made.clone().outcome(&intent.event_id, None);
    outcome.timestamp = made.timestamp;
    let all = [intent, outcome];
    assert_eq!(
        evaluate(&request("event_type:resource.modify", Vec::new()), &all, 10)
            .1
            .entries,
        1
    );

    assert_eq!(
        evaluate(&request("status:*", Vec::new()), &all, 10)
            .1
            .entries,
        2,
        "unless the query asks for a status"
    );
}

#[test]
fn evidence_that_is_needed_again_and_again_is_incomplete_when_it_stops() {
    let verify = |day: i64| {
        Entry::for_event(&reeve_audit::events::AUDIT_VERIFY)
            .at(now() - SignedDuration::from_hours(24 * day))
            .by(Actor::user("ann"))
            .with_action("verify", ActionStatus::Success, ActionMethod::Api)
    };

    let longest = |days: &[i64]| {
        let entries: Vec<_> = days.iter().map(|day| verify(*day)).collect();
        let (plan, findings, _) = evaluate(&compliance(&[], &[]), &entries, 10);
        let asked = plan.questions.iter().zip(&findings.answers);
        let (question, answer) = asked
            .into_iter()
            .find(|(question, _)| question.text == "event_type:audit.verify")
            .unwrap();
        assert_eq!(question.every_days, Some(7));
        let control = question.control.unwrap();
        let status = findings.status(&plan, control, &plan.template.unwrap().controls[control]);
        (
            answer.longest_gap_days,
            ReportFindings::is_often_enough(question, answer),
            status == crate::ControlStatus::Evidence,
        )
    };
    let weekly = longest(&[1, 8, 15, 22, 29]);
    assert_eq!((weekly.0, weekly.1), (7, true));

    let once = longest(&[1]);
    assert_eq!(
        (once.0, once.1, once.2),
        (29, false, false),
        "one entry is no evidence of operating"
    );
}

#[test]
fn a_control_that_no_source_can_answer_is_not_quiet() {
    let (plan, mut findings, _) = evaluate(&compliance(&[], &[]), &[], 10);
    let statuses = |findings: &ReportFindings| -> Vec<_> {
        let controls = plan.template.unwrap().controls.iter().enumerate();
        controls
            .map(|(at, control)| findings.status(&plan, at, control))
            .collect()
    };
    let before = statuses(&findings);
    assert!(!before.contains(&crate::ControlStatus::NoSource));

    findings.connected = vec![EventSource::Reeve];
    let after = statuses(&findings);
    assert!(
        before
            .iter()
            .zip(&after)
            .any(|(before, after)| before != after),
        "no cloud log is connected"
    );

    assert!(
        after.contains(&crate::ControlStatus::NoSource)
            && after.contains(&crate::ControlStatus::NoEntries)
    );
}
