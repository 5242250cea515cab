//! Evaluations over entries made by hand.

#![allow(clippy::unwrap_used)]
use reeve_audit::{ActionMethod, ActionStatus, Actor, EventType, ResourceRef};

use super::*;
use crate::definition::{Filters, Metric, ReportKind, Request};
use crate::document::{Detail, csv_entry, csv_head, summary};
use crate::period::PeriodChoice;

fn now() -> Timestamp {
    "2026-11-22T10:00:00Z".parse().unwrap()
}

fn request(query: &str, group_by: Vec<GroupField>) -> Request {
    Request {
        kind: ReportKind::Custom { query: query.to_owned(), group_by, metrics: Metric::ALL.to_vec() },
        period: PeriodChoice::parse("30d").unwrap(),
        filters: Filters::default(),
    }
}

fn entry(user: &str, resource: &str, at: &str) -> Entry {
    let status = if user.starts_with('e') { ActionStatus::Failed } else { ActionStatus::Success };
    Entry::new(EventType::new("resource.modify").unwrap())
        .at(at.parse().unwrap())
        .by(Actor::user(user).with_email(format!("{user}@acme.example")))
        .on(ResourceRef::new("vm", resource))
        .with_action("resize", status, ActionMethod::Api)
}

fn evaluate(request: &Request, entries: &[Entry], most: u64) -> (Plan, Findings, Vec<Vec<usize>>) {
    let mut evaluation = Evaluation::new(Plan::new(request, now()).unwrap(), most);
    let cited = entries.iter().zip(0..).map(|(entry, at)| evaluation.observe(at, now(), entry)).collect();
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
    let (_, findings, cited) = evaluate(&request("operation:resize", vec![GroupField::User]), &entries, 100);
    assert_eq!(findings.entries, 3, "the end of a period is not in it");
    assert_eq!(cited, [vec![0], vec![0], vec![0], vec![], vec![]]);
    let rows: Vec<_> = findings.groups.iter().map(|row| (row.values[0].as_deref().unwrap(), row.events)).collect();
    assert_eq!(rows, [("ann@acme.example", 2), ("eve@acme.example", 1)]);
    assert_eq!((findings.users.count, findings.resources.count), (2, 2));
    assert_eq!(findings.by_time.iter().map(|(_, count)| count).sum::<u64>(), 3);
}

#[test]
fn filters_narrow_and_lists_are_bounded_while_counts_go_on() {
    let entries: Vec<_> = (0..50).map(|at| entry(&format!("u{at}"), "vm-1", "2026-11-21T10:00:00Z")).collect();
    let mut request = request("", Vec::new());
    let (_, findings, cited) = evaluate(&request, &entries, 10);
    assert_eq!((findings.entries, findings.listed), (50, 10));
    assert_eq!(cited.iter().filter(|answered| !answered.is_empty()).count(), 10);
    assert_eq!(findings.answers[0].sample.len(), SAMPLE);
    let sequences: Vec<_> = findings.answers[0].sample.iter().map(|cited| cited.sequence).collect();
    assert!(sequences.is_sorted() && sequences.iter().any(|sequence| *sequence >= 25), "drawn over all: {sequences:?}");

    request.filters.users = vec!["u1*".to_owned()];
    let (plan, findings, _) = evaluate(&request, &entries, 10);
    assert_eq!(findings.entries, 11);
    let query = plan.query();
    let found = entries.iter().filter(|entry| query.matches(entry, now(), now())).count();
    assert_eq!(found, 11, "the query finds what the plan answers");
}

#[test]
fn cells_that_a_spreadsheet_would_compute_are_neutralised() {
    let (plan, findings, _) = evaluate(&request("status:failed", Vec::new()), &[], 10);
    let mut out = Vec::new();
    csv_head(&mut out, &plan, &findings).unwrap();
    csv_entry(&mut out, 7, &entry("=cmd|' /C calc'!A0", "vm", "2026-11-21T10:00:00Z"), &plan, &[0]).unwrap();
    let text = String::from_utf8(out).unwrap();
    assert_eq!(text.lines().count(), 4, "{text}");
    assert!(text.contains(",'=cmd|"), "{text}");
}

#[test]
fn every_control_of_every_framework_has_a_status_and_its_query_finds_its_entries() {
    for template in crate::templates() {
        let kind = ReportKind::Compliance { framework: template.id.clone() };
        let request = Request { kind, ..request("", Vec::new()) };
        let login = Entry::new(EventType::new("authentication.login").unwrap())
            .at("2026-11-21T10:00:00Z".parse().unwrap())
            .by(Actor::user("eve"))
            .with_action("login", ActionStatus::Failed, ActionMethod::Api);
        let (plan, findings, cited) = evaluate(&request, std::slice::from_ref(&login), 10);
        assert!(plan.query().matches(&login, now(), now()) && !cited[0].is_empty(), "{}: a sign-in", template.id);
        let brief = summary(&request, &plan, &findings, Detail::Brief);
        let counted: u64 = brief["statuses"].as_object().unwrap().values().map(|count| count.as_u64().unwrap()).sum();
        assert_eq!(counted as usize, template.controls.len(), "{}", template.id);
        assert!(
            brief["statuses"]["exceptions"].as_u64() > Some(0),
            "{}: a failed sign-in is an exception",
            template.id
        );
        assert!(template.controls.len() >= 15, "{}", template.id);
    }
}
