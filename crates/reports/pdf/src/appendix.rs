//! The appendix: entries that the report cites, bounded, and drawn evenly where there are more.

use jiff::tz::TimeZone;
use reeve_reports::{Cited, QuestionKind, ReportAnswer, ReportQuestion};

use crate::PdfReport;
use crate::chart::thousands;
use crate::layout::Layout;
use crate::style::{BODY, SMALL};
use crate::table::{self, ColumnKind, column};

/// Entries that the appendix lists at most.
const MOST: usize = 600;

/// Lays out the appendix.
pub(crate) fn lay_out(layout: &mut Layout<'_>, report: &PdfReport<'_>) {
    layout.begin_page("Appendix: cited entries");
    layout.heading(
        1,
        "Appendix: cited entries",
        Some("Appendix: cited entries"),
    );

    let answers: Vec<_> = report
        .plan
        .questions
        .iter()
        .zip(&report.findings.answers)
        .filter(|(_, answer)| answer.found > 0)
        .collect();
    let each = (MOST / answers.len().max(1)).max(2);

    let listed: usize = answers
        .iter()
        .map(|(_, answer)| answer.sample.len().min(each))
        .sum();
    layout.paragraph(
        &format!(
            "{} citations of {} entries. Where a query found more entries than are shown, the ones shown are a sample that gives each \
             entry the same chance. The whole list, with the content of each entry and its proof, is in report.json.",
            thousands(listed as u64),
            thousands(report.findings.entries),
        ),
        BODY,
    );

    layout.gap(10.0);
    for (question, answer) in answers {
        section(layout, report, question, answer, each);
    }
}

fn section(
    layout: &mut Layout<'_>,
    report: &PdfReport<'_>,
    question: &ReportQuestion,
    answer: &ReportAnswer,
    each: usize,
) {
    let control = question
        .control
        .and_then(|at| Some(&report.plan.template?.controls[at]));
    let kind = match question.kind {
        QuestionKind::Evidence => "evidence: ",
        QuestionKind::Exception => "exception: ",
        QuestionKind::Events => "",
    };

    let number = control
        .map(|control| format!("{} ", control.number))
        .unwrap_or_default();
    layout.need(110.0);
    layout.heading(2, &format!("{number}{kind}{}", question.name), None);
    let shown = answer.sample.len().min(each);
    layout.paragraph(
        &format!(
            "{} of {} entries",
            thousands(shown as u64),
            thousands(answer.found)
        ),
        SMALL,
    );

    layout.gap(3.0);
    let columns = [
        column("Sequence", 1.0, ColumnKind::Number),
        column("Time (UTC)", 1.3, ColumnKind::Text),
        column("Event type", 1.8, ColumnKind::Text),
        column("User", 1.9, ColumnKind::Text),
        column("Resource", 2.3, ColumnKind::Code),
        column("Result", 0.9, ColumnKind::Text),
        column("Submitted by", 1.4, ColumnKind::Text),
    ];

    let rows: Vec<_> = answer.sample.iter().take(each).map(row).collect();
    table::lay_out(layout, &columns, &rows);
}

fn row(entry: &Cited) -> Vec<String> {
    let user = match (&entry.user, &entry.ip_address) {
        (Some(user), Some(address)) => format!("{user}\n{address}"),
        (Some(one), None) | (None, Some(one)) => one.clone(),
        (None, None) => "unknown".to_owned(),
    };

    let resource = [&entry.resource_type, &entry.resource_id, &entry.account_id]
        .into_iter()
        .flatten();
    vec![
        entry.sequence.to_string(),
        entry
            .timestamp
            .to_zoned(TimeZone::UTC)
            .strftime("%Y-%m-%d %H:%M:%S")
            .to_string(),
        entry.event_type.clone(),
        user,
        resource.cloned().collect::<Vec<_>>().join(" "),
        entry.status.clone().unwrap_or_default(),
        entry.submitted_by.clone(),
    ]
}
