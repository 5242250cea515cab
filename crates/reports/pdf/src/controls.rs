//! Controls: what each asks, what was found, exceptions with their reviews, and what no log can
//! show.

use jiff::Timestamp;
use jiff::tz::TimeZone;
use reeve_reports::{Asked, Control, QuestionKind, ReportAnswer, ReportFindings, ReportQuestion};

use crate::PdfReport;
use crate::chart::thousands;
use crate::cover::moment;
use crate::layout::Layout;
use crate::overview::{colour, distinct};
use crate::style::{BODY, SMALL};
use crate::table::{self, ColumnKind, column};

/// Room that a control needs to begin on a page: its head, and the first rows of its evidence.
const HEAD: f32 = 250.0;

/// Lays out the controls.
pub(crate) fn lay_out(layout: &mut Layout<'_>, report: &PdfReport<'_>) {
    let Some(template) = report.plan.template else {
        return;
    };
    for (at, control) in template.controls.iter().enumerate() {
        let title = format!("{}  {}", control.number, control.title);
        if at == 0 || template.controls[at - 1].group != control.group {
            layout.begin_page(&control.number);
            layout.heading(1, &control.group, Some(&control.group));
            layout.gap(2.0);
        } else {
            layout.begin_section(&control.number, HEAD);
        }
        layout.heading(2, &title, Some(&title));
        lay_out_control(layout, report, at, control);
    }
}

fn lay_out_control(layout: &mut Layout<'_>, report: &PdfReport<'_>, at: usize, control: &Control) {
    let status = report.findings.status(report.plan, at, control);
    layout.badge(status.words(), colour(status));
    layout.gap(6.0);
    layout.paragraph(&control.asks, BODY);
    layout.gap(8.0);
    let answers = |kind| {
        report
            .findings
            .of_control(report.plan, at, kind)
            .collect::<Vec<_>>()
    };

    questions(
        layout,
        report,
        ("Evidence", "What it shows"),
        &answers(QuestionKind::Evidence),
    );

    let exceptions = answers(QuestionKind::Exception);
    questions(
        layout,
        report,
        ("Exceptions to review", "What it means"),
        &exceptions,
    );

    reviews(layout, report, &exceptions);
    if !control.gaps.is_empty() {
        layout.heading(3, "What the log cannot show", None);
        for gap in &control.gaps {
            layout.bullet(gap, BODY);
        }
    }
}

/// Reviews of the control's exceptions, or that there is none yet.
fn reviews(layout: &mut Layout<'_>, report: &PdfReport<'_>, exceptions: &[Asked<'_>]) {
    let found: Vec<_> = exceptions
        .iter()
        .filter(|(_, answer)| answer.found > 0)
        .collect();
    if found.is_empty() {
        return;
    }

    layout.heading(3, "Reviews", None);
    for (question, _) in found {
        let words = match report.findings.review_of(&question.id) {
            Some(review) => format!(
                "{}: reviewed by {} on {}, over {} entries, those before number {} of the log. {}",
                question.name,
                review.user_email,
                moment(review.created_at),
                thousands(review.entries),
                review.up_to,
                review.comment,
            ),
            None => format!(
                "{}: not reviewed. Reviewed by: ____________________  Date: ____________",
                question.name
            ),
        };
        layout.bullet(&words, BODY);
    }

    layout.gap(8.0);
}

fn questions(
    layout: &mut Layout<'_>,
    report: &PdfReport<'_>,
    (title, explains): (&str, &'static str),
    asked: &[Asked<'_>],
) {
    if asked.is_empty() {
        return;
    }

    layout.heading(3, title, None);
    let columns = [
        column("Query", 2.6, ColumnKind::Text),
        column(explains, 2.9, ColumnKind::Text),
        column("Entries", 0.9, ColumnKind::Number),
        column("Users", 0.8, ColumnKind::Number),
        column("Resources", 0.9, ColumnKind::Number),
        column("First and last", 1.3, ColumnKind::Text),
    ];

    let rows: Vec<_> = asked
        .iter()
        .map(|(question, answer)| {
            vec![
                question.name.clone(),
                explanation(report, question, answer),
                entries(report, question, answer),
                distinct(answer.users),
                distinct(answer.resources),
                span(answer.first_at, answer.last_at),
            ]
        })
        .collect();
    table::lay_out(layout, &columns, &rows);

    for (question, _) in asked {
        layout.paragraph(&format!("{}: {}", question.name, question.text), SMALL);
    }

    layout.gap(8.0);
}

/// The number of entries; without a source that could write one, none says nothing.
fn entries(report: &PdfReport<'_>, question: &ReportQuestion, answer: &ReportAnswer) -> String {
    if report.findings.has_source(question, answer) {
        thousands(answer.found)
    } else {
        "no source".to_owned()
    }
}

/// The explanation of a question, with the reason why its answer is less than it asks for.
fn explanation(report: &PdfReport<'_>, question: &ReportQuestion, answer: &ReportAnswer) -> String {
    let mut words = question.explains.clone();
    if !report.findings.has_source(question, answer) {
        let sources: Vec<_> = question
            .sources
            .iter()
            .map(|source| source.words())
            .collect();
        words.push_str(&format!("\nNo source connected: {}.", sources.join(", ")));
    } else if let Some(every) = question.every_days {
        let needed = if every == 1 {
            "each day".to_owned()
        } else {
            format!("every {every} days")
        };
        let verdict = if ReportFindings::is_often_enough(question, answer) {
            "met"
        } else {
            "not met"
        };
        words.push_str(&format!(
            "\nNeeded {needed}: {verdict}. Found on {}, longest time without: {}.",
            days(answer.days),
            days(answer.longest_gap_days)
        ));
    }

    words
}

fn days(count: u64) -> String {
    if count == 1 {
        "1 day".to_owned()
    } else {
        format!("{count} days")
    }
}

fn span(first: Option<Timestamp>, last: Option<Timestamp>) -> String {
    let day = |at: Timestamp| at.to_zoned(TimeZone::UTC).strftime("%-d %b %Y").to_string();
    match (first.map(day), last.map(day)) {
        (Some(first), Some(last)) if first == last => first,
        (Some(first), Some(last)) => format!("{first}\n{last}"),
        _ => "none".to_owned(),
    }
}
