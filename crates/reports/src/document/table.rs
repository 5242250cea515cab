//! `report.csv`: a row for each question, source, connection, control and group with its counts, for
//! each control of checks and each failing resource that is listed, then a row for each cited entry
//! and question it answers.

use std::io::{self, Write};

use reeve_audit::format::write_csv_row;
use reeve_audit::{Entry, format_instant};

use crate::configuration::{CheckedControl, CheckedCounts, FailingResult, ReportConfiguration};
use crate::coverage::submitter_of;
use crate::definition::user_of;
use crate::findings::{Distinct, ReportAnswer, ReportFindings};
use crate::plan::{ReportPlan, ReportQuestion};

const COLUMNS: [&str; 32] = [
    "row",
    "control",
    "title",
    "control_status",
    "kind",
    "name",
    "query",
    "entries",
    "unique_users",
    "resources_affected",
    "sequence",
    "timestamp",
    "event_id",
    "event_type",
    "severity",
    "user",
    "ip_address",
    "resource_type",
    "resource_id",
    "account_id",
    "operation",
    "status",
    "submitted_by",
    "first_at",
    "last_at",
    "note",
    "passed",
    "failed",
    "unknown",
    "not_applicable",
    "document",
    "excepted",
];

/// Places of the columns behind those of an entry.
const SUBMITTER: usize = 22;
const FIRST: usize = 23;
const LAST: usize = 24;
const NOTE: usize = 25;
/// Place of the first of the four numbers of results.
const RESULTS: usize = 26;
const DOCUMENT: usize = 30;
const EXCEPTED: usize = 31;

type Row = [Option<String>; COLUMNS.len()];

/// Writes the header and the rows with counts.
///
/// # Errors
/// Those of the writer.
pub fn csv_head(
    out: &mut impl Write,
    plan: &ReportPlan,
    findings: &ReportFindings,
) -> io::Result<()> {
    out.write_all(format!("{}\r\n", COLUMNS.join(",")).as_bytes())?;
    for (question, answer) in plan.questions.iter().zip(&findings.answers) {
        let mut row = begin("question", plan, question, Some(findings));
        row[6] = Some(question.text.clone());
        (row[7], row[8], row[9]) = counts(answer.found, answer.users, answer.resources);
        (row[FIRST], row[LAST]) = (
            answer.first_at.map(format_instant),
            answer.last_at.map(format_instant),
        );
        row[NOTE] = note(findings, question, answer);
        write(out, &row)?;
    }

    covered(out, findings)?;
    for (at, control) in plan
        .template
        .iter()
        .flat_map(|template| template.controls.iter().enumerate())
    {
        if control.evidence.is_empty() {
            let mut row = Row::default();
            row[0] = Some("control".to_owned());
            row[1] = Some(control.number.clone());
            row[2] = Some(control.title.clone());
            row[3] = Some(findings.status(plan, at, control).as_str().to_owned());
            write(out, &row)?;
        }
    }

    if let Some(configuration) = &findings.configuration {
        checked(out, configuration)?;
    }

    for group in &findings.groups {
        let mut row = Row::default();
        row[0] = Some("group".to_owned());
        for (field, value) in plan.group_by.iter().zip(&group.values) {
            let column = match field {
                crate::definition::GroupField::User => 15,
                crate::definition::GroupField::Resource => 18,
                crate::definition::GroupField::EventType => 13,
            };
            row[column].clone_from(value);
        }
        (row[7], row[8], row[9]) = counts(group.events, group.users, group.resources);
        write(out, &row)?;
    }

    Ok(())
}

/// Writes the rows of a cited entry: one for each question that it answers.
///
/// # Errors
/// Those of the writer.
pub fn csv_entry(
    out: &mut impl Write,
    sequence: u64,
    entry: &Entry,
    plan: &ReportPlan,
    answered: &[usize],
) -> io::Result<()> {
    for at in answered {
        let mut row = begin("entry", plan, &plan.questions[*at], None);
        let (actor, resource, action) = (&entry.actor, &entry.resource, &entry.action);
        let values = [
            Some(sequence.to_string()),
            Some(format_instant(entry.timestamp)),
            Some(entry.event_id.as_str().to_owned()),
            Some(entry.event_type.as_str().to_owned()),
            Some(entry.severity.as_str().to_owned()),
            user_of(entry).map(str::to_owned),
            actor.ip_address.map(|address| address.to_string()),
            resource.kind.clone(),
            resource.id.clone(),
            resource.account_id.clone(),
            action.operation.clone(),
            action.status.map(|status| status.as_str().to_owned()),
            Some(submitter_of(entry)),
        ];
        row[10..=SUBMITTER].clone_from_slice(&values);
        write(out, &row)?;
    }
    Ok(())
}

/// Rows of the sources and connections that the period is covered by.
fn covered(out: &mut impl Write, findings: &ReportFindings) -> io::Result<()> {
    let coverage = &findings.coverage;
    let mut log = Row::default();
    (log[0], log[FIRST]) = (
        Some("log".to_owned()),
        coverage.log_begins_at.map(format_instant),
    );
    if coverage.before_the_log(findings.period).is_some() {
        log[NOTE] = Some("the log begins after the period does".to_owned());
    }

    write(out, &log)?;
    for source in &coverage.sources {
        let mut row = Row::default();
        (row[0], row[5], row[7]) = (
            Some("source".to_owned()),
            Some(source.name.clone()),
            Some(source.entries.to_string()),
        );
        (row[FIRST], row[LAST]) = (
            source.first_at.map(format_instant),
            source.last_at.map(format_instant),
        );
        row[NOTE] = (source.entries == 0)
            .then(|| "expected, and without an entry in the period".to_owned());
        write(out, &row)?;
    }

    for connection in &coverage.connections {
        let mut row = Row::default();
        (row[0], row[5], row[7]) = (
            Some("connection".to_owned()),
            Some(connection.name.clone()),
            Some(connection.succeeded.to_string()),
        );
        (row[FIRST], row[LAST]) = (
            connection.first_at.map(format_instant),
            connection.last_at.map(format_instant),
        );
        let (failed, gaps) = (connection.failed, connection.interruptions_total);
        row[NOTE] = Some(format!("{failed} failed syncs, {gaps} interruptions"));
        write(out, &row)?;
    }

    Ok(())
}

/// Rows of the controls of checks, each followed by the failing resources that are listed.
fn checked(out: &mut impl Write, configuration: &ReportConfiguration) -> io::Result<()> {
    let mut all = Row::default();
    (all[0], all[5]) = (
        Some("configuration".to_owned()),
        Some(configuration.framework.clone()),
    );
    all[LAST] = Some(format_instant(configuration.as_of));
    all[NOTE] = Some(configuration.lead(&format_instant(configuration.as_of)));
    results(&mut all, configuration.results);
    write(out, &all)?;

    for control in &configuration.controls {
        let mut row = Row::default();
        (row[0], row[1], row[2]) = (
            Some("configuration_control".to_owned()),
            Some(control.number.clone()),
            Some(control.title.clone()),
        );
        let changes = control.changes;
        row[NOTE] = Some(match &control.by_hand {
            Some(by_hand) if control.checks == 0 => format!("no check; by hand: {by_hand}"),
            _ => format!(
                "{} checks; in the period {} results began to fail, {} stopped failing",
                control.checks, changes.began_failing, changes.stopped_failing
            ),
        });
        if control.checks > 0 {
            results(&mut row, control.results);
        }
        write(out, &row)?;
        for one in &control.failing {
            write(out, &failing(control, one))?;
        }
    }

    Ok(())
}

fn results(row: &mut Row, counts: CheckedCounts) {
    let excepted = counts.excepted;
    let counts = [
        counts.passed,
        counts.failed,
        counts.unknown,
        counts.not_applicable,
    ];
    row[EXCEPTED] = Some(excepted.to_string());
    row[RESULTS..RESULTS + counts.len()].clone_from_slice(&counts.map(|one| Some(one.to_string())));
}

fn failing(control: &CheckedControl, one: &FailingResult) -> Row {
    let mut row = Row::default();
    (row[0], row[1], row[2]) = (
        Some("configuration_failure".to_owned()),
        Some(control.number.clone()),
        Some(control.title.clone()),
    );
    row[5] = Some(one.check.clone());
    (row[10], row[12]) = (
        one.sequence.map(|at| at.to_string()),
        Some(one.event_id.clone()),
    );
    row[14] = Some(one.severity.to_owned());
    (row[17], row[18], row[19]) = (
        Some(one.kind.clone()),
        Some(one.resource_id.clone()),
        Some(one.account.clone()),
    );
    row[21] = Some("fail".to_owned());
    row[FIRST] = Some(format_instant(one.since));
    row[NOTE] = Some(one.why.clone());
    row[DOCUMENT].clone_from(&one.document);
    row
}

/// Remark on a question: why it found nothing, that it found too little, or who reviewed it.
fn note(
    findings: &ReportFindings,
    question: &ReportQuestion,
    answer: &ReportAnswer,
) -> Option<String> {
    if !findings.has_source(question, answer) {
        let sources: Vec<_> = question
            .sources
            .iter()
            .map(|source| source.words())
            .collect();
        return Some(format!("no source connected: {}", sources.join(", ")));
    }

    if let (Some(days), false) = (
        question.every_days,
        ReportFindings::is_often_enough(question, answer),
    ) {
        return Some(format!(
            "needed every {days} days; longest gap {} days",
            answer.longest_gap_days
        ));
    }

    let review = findings.review_of(&question.id)?;
    let at = format_instant(review.created_at);
    Some(format!(
        "reviewed by {} at {at} ({} entries): {}",
        review.user_email, review.entries, review.comment
    ))
}

fn begin(
    kind: &str,
    plan: &ReportPlan,
    question: &ReportQuestion,
    findings: Option<&ReportFindings>,
) -> Row {
    let mut row = Row::default();
    row[0] = Some(kind.to_owned());

    if let (Some(at), Some(template)) = (question.control, plan.template) {
        let control = &template.controls[at];
        row[1] = Some(control.number.clone());
        row[2] = Some(control.title.clone());
        row[3] = findings.map(|findings| findings.status(plan, at, control).as_str().to_owned());
    }

    row[4] = Some(question.kind.as_str().to_owned());
    row[5] = Some(question.name.clone());
    row
}

/// Returns counts as cells; a lower bound is written as `100000+`.
fn counts(
    events: u64,
    users: Distinct,
    resources: Distinct,
) -> (Option<String>, Option<String>, Option<String>) {
    let cell = |distinct: Distinct| {
        Some(format!(
            "{}{}",
            distinct.count,
            if distinct.at_least { "+" } else { "" }
        ))
    };
    (Some(events.to_string()), cell(users), cell(resources))
}

fn write(out: &mut impl Write, row: &Row) -> io::Result<()> {
    write_csv_row(out, row.iter().map(Option::as_deref))
}
