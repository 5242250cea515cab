//! A page for each control: what it asks, what was found, exceptions, and what no log can show.

use jiff::Timestamp;
use jiff::tz::TimeZone;
use reeve_reports::{Answer, Control, Question, QuestionKind};

use crate::Report;
use crate::chart::thousands;
use crate::layout::Layout;
use crate::overview::{colour, distinct};
use crate::style::{BODY, LEAD, MUTED, SMALL, STRONG};
use crate::table::{self, Kind, column};

/// Lays out the controls.
pub(crate) fn lay_out(layout: &mut Layout<'_>, report: &Report<'_>) {
    let Some(template) = report.plan.template else { return };
    for (at, control) in template.controls.iter().enumerate() {
        layout.begin_page(&format!("{} {}", template.name, control.number));
        let title = format!("{}  {}", control.number, control.title);
        if at == 0 || template.controls[at - 1].group != control.group {
            layout.heading(1, &control.group, Some(&control.group));
            layout.gap(2.0);
        } else {
            layout.paragraph(&control.group, STRONG.coloured(MUTED));
            layout.gap(6.0);
        }
        layout.heading(2, &title, Some(&title));
        lay_out_control(layout, report, at, control);
    }
}

fn lay_out_control(layout: &mut Layout<'_>, report: &Report<'_>, at: usize, control: &Control) {
    let status = report.findings.status(report.plan, at, control);
    layout.badge(status.words(), colour(status));
    layout.gap(10.0);
    layout.paragraph(&control.asks, LEAD);
    layout.gap(12.0);
    let answers = |kind| report.findings.of_control(report.plan, at, kind).collect::<Vec<_>>();
    questions(layout, "Evidence", "What it shows", &answers(QuestionKind::Evidence));
    questions(layout, "Exceptions to review", "What it means", &answers(QuestionKind::Exception));
    if !control.gaps.is_empty() {
        layout.heading(2, "What the log cannot show", None);
        for gap in &control.gaps {
            layout.bullet(gap, BODY);
        }
    }
}

fn questions(layout: &mut Layout<'_>, title: &str, explains: &'static str, asked: &[(&Question, &Answer)]) {
    if asked.is_empty() {
        return;
    }
    layout.heading(2, title, None);
    let columns = [
        column("Query", 2.6, Kind::Text),
        column(explains, 2.9, Kind::Text),
        column("Entries", 0.9, Kind::Number),
        column("Users", 0.8, Kind::Number),
        column("Resources", 0.9, Kind::Number),
        column("First and last", 1.3, Kind::Text),
    ];
    let rows: Vec<_> = asked
        .iter()
        .map(|(question, answer)| {
            vec![
                question.name.clone(),
                question.explains.clone(),
                thousands(answer.found),
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
    layout.gap(12.0);
}

fn span(first: Option<Timestamp>, last: Option<Timestamp>) -> String {
    let day = |at: Timestamp| at.to_zoned(TimeZone::UTC).strftime("%-d %b %Y").to_string();
    match (first.map(day), last.map(day)) {
        (Some(first), Some(last)) if first == last => first,
        (Some(first), Some(last)) => format!("{first}\n{last}"),
        _ => "none".to_owned(),
    }
}
