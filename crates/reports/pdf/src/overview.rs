//! The summary: figures, charts, controls or groups at a glance, and how to check the report.

use reeve_reports::{ControlStatus, Distinct, GroupField, ReportKind, ReportMetric, Top};

use crate::PdfReport;
use crate::chart::{self, thousands};
use crate::layout::{Layout, LayoutRole};
use crate::style::{
    self, AMBER, BLUE_GREY, BODY, CODE_BLOCK, Colour, DARK_GREY, GREEN, GREY, LEAD, MARGIN, OCHRE,
    SHADE, SMALL, Style, TEXT,
};
use crate::table::{self, ColumnKind, column};
use crate::text;

/// Groups that the document shows.
const MOST_GROUPS: usize = 400;

pub(crate) const fn colour(status: ControlStatus) -> Colour {
    match status {
        ControlStatus::Evidence => GREEN,
        ControlStatus::Incomplete => OCHRE,
        ControlStatus::Exceptions => AMBER,
        ControlStatus::NoEntries => GREY,
        ControlStatus::NoSource => DARK_GREY,
        ControlStatus::Outside => BLUE_GREY,
    }
}

/// A count of distinct values in words.
pub(crate) fn distinct(count: Distinct) -> String {
    if count.at_least {
        format!("{}+", thousands(count.count))
    } else {
        thousands(count.count)
    }
}

/// Lays out the summary.
pub(crate) fn lay_out(layout: &mut Layout<'_>, report: &PdfReport<'_>) {
    layout.begin_page("Summary");
    layout.heading(1, "Summary", Some("Summary"));
    layout.paragraph(&lead(report), LEAD);
    layout.gap(10.0);
    figures(layout, report);
    if report.plan.template.is_some() {
        statuses(layout, report);
    }

    layout.heading(
        2,
        &format!("Entries by {}", report.findings.bucket.as_str()),
        None,
    );
    chart::over_time(layout, &report.findings.by_time);
    tops(
        layout,
        "Most frequent event types",
        &report.findings.by_event_type,
    );
    tops(layout, "Most active users", &report.findings.by_user);
    tops(
        layout,
        "Most affected resources",
        &report.findings.by_resource,
    );
    controls(layout, report);
    groups(layout, report);
    checking(layout, report);
}

fn lead(report: &PdfReport<'_>) -> String {
    let findings = report.findings;
    let entries = if findings.entries == 1 {
        "1 entry"
    } else {
        &format!("{} entries", thousands(findings.entries))
    };

    match (report.plan.template, &report.request.kind) {
        (Some(template), _) => format!(
            "{} This report asks {} controls of the audit log and found {entries} that answer at least one of them. It shows what the log \
             can show; what it cannot is named with each control. Whether a control is met is for an auditor to judge.",
            template.scope,
            template.controls.len(),
        ),
        (None, ReportKind::Custom { query, .. }) if !query.trim().is_empty() => {
            format!("{entries} match the query {query}.")
        }
        _ => format!("{entries} lie in the period."),
    }
}

fn figures(layout: &mut Layout<'_>, report: &PdfReport<'_>) {
    let findings = report.findings;
    let mut shown = Vec::new();

    for metric in &report.plan.metrics {
        let value = match metric {
            ReportMetric::EventCounts => thousands(findings.entries),
            ReportMetric::UniqueUsers => distinct(findings.users),
            ReportMetric::ResourcesAffected => distinct(findings.resources),
        };
        shown.push((metric.words(), value));
    }

    layout.need(70.0);
    let each = (TEXT + 12.0) / shown.len().max(3) as f32;
    let number = Style {
        size: 19.0,
        ..style::H1
    };

    for (at, (name, value)) in shown.iter().enumerate() {
        let x = MARGIN + each * at as f32;
        let block = layout.block(LayoutRole::Paragraph);
        layout.fill([x, layout.y, each - 12.0, 52.0], SHADE, None);
        let line = text::line(layout.fonts, value, number);
        layout.line((x + 12.0, layout.y + 26.0), line, number, block);
        let line = text::line(layout.fonts, name, SMALL);
        layout.line((x + 12.0, layout.y + 42.0), line, SMALL, block);
    }

    layout.gap(70.0);
}

fn statuses(layout: &mut Layout<'_>, report: &PdfReport<'_>) {
    let controls = report
        .plan
        .template
        .iter()
        .flat_map(|template| template.controls.iter().enumerate());

    let found: Vec<_> = controls
        .map(|(at, control)| report.findings.status(report.plan, at, control))
        .collect();
    let count = |status| found.iter().filter(|one| **one == status).count() as u64;
    layout.heading(2, "Controls", None);
    let parts = ControlStatus::ALL.map(|status| (status.words(), count(status), colour(status)));
    chart::shares(layout, &parts);
    layout.gap(6.0);
}

fn tops(layout: &mut Layout<'_>, title: &str, values: &[Top]) {
    if values.is_empty() {
        return;
    }

    layout.need(20.0 + 15.0 * values.len() as f32);
    layout.heading(2, title, None);
    let bars: Vec<_> = values
        .iter()
        .map(|top| (top.value.clone(), top.count))
        .collect();
    chart::beside_words(layout, &bars);
}

fn controls(layout: &mut Layout<'_>, report: &PdfReport<'_>) {
    let Some(template) = report.plan.template else {
        return;
    };

    layout.begin_page("Controls at a glance");
    layout.heading(1, "Controls at a glance", Some("Controls at a glance"));
    let columns = [
        column("Control", 1.1, ColumnKind::Text),
        column("Title", 3.6, ColumnKind::Text),
        column("Status", 2.0, ColumnKind::Text),
        column("Evidence", 1.0, ColumnKind::Number),
        column("Exceptions", 1.0, ColumnKind::Number),
        column("Gaps", 0.6, ColumnKind::Number),
    ];

    let sum = |at, kind| {
        report
            .findings
            .of_control(report.plan, at, kind)
            .map(|(_, answer)| answer.found)
            .sum()
    };

    let rows: Vec<_> = template
        .controls
        .iter()
        .enumerate()
        .map(|(at, control)| {
            vec![
                control.number.clone(),
                control.title.clone(),
                report
                    .findings
                    .status(report.plan, at, control)
                    .words()
                    .to_owned(),
                thousands(sum(at, reeve_reports::QuestionKind::Evidence)),
                thousands(sum(at, reeve_reports::QuestionKind::Exception)),
                control.gaps.len().to_string(),
            ]
        })
        .collect();
    table::lay_out(layout, &columns, &rows);

    layout.paragraph(
        "Counts add up the queries of a control; an entry that answers two of them counts twice here and once in the summary. Exceptions \
         are entries of their own queries, not a part of the evidence. An announced change and its outcome count once.",
        SMALL,
    );
}

fn groups(layout: &mut Layout<'_>, report: &PdfReport<'_>) {
    let (plan, findings) = (report.plan, report.findings);
    if plan.group_by.is_empty() {
        return;
    }

    layout.begin_page("Groups");
    layout.heading(1, "Groups", Some("Groups"));
    let name = |field: &GroupField| match field {
        GroupField::User => "User",
        GroupField::Resource => "Resource",
        GroupField::EventType => "Event type",
    };

    let mut columns: Vec<_> = plan
        .group_by
        .iter()
        .map(|field| column(name(field), 3.0, ColumnKind::Text))
        .collect();

    columns.extend(
        plan.metrics
            .iter()
            .map(|metric| column(metric.words(), 1.0, ColumnKind::Number)),
    );

    let rows: Vec<Vec<String>> = findings
        .groups
        .iter()
        .take(MOST_GROUPS)
        .map(|row| {
            let values = row
                .values
                .iter()
                .map(|value| value.clone().unwrap_or_else(|| "(none)".to_owned()));
            let metrics = plan.metrics.iter().map(|metric| match metric {
                ReportMetric::EventCounts => thousands(row.events),
                ReportMetric::UniqueUsers => distinct(row.users),
                ReportMetric::ResourcesAffected => distinct(row.resources),
            });
            values.chain(metrics).collect()
        })
        .collect();
    table::lay_out(layout, &columns, &rows);

    if findings.groups.len() > rows.len() {
        let (shown, all) = (rows.len(), thousands(findings.groups.len() as u64));
        layout.paragraph(
            &format!("{shown} of {all} groups, the largest first; report.json and report.csv have the rest."),
            SMALL,
        );
    }

    if findings.ungrouped > 0 {
        let more = thousands(findings.ungrouped);
        layout.paragraph(
            &format!("{more} entries belong to further groups that were not counted apart."),
            SMALL,
        );
    }
}

fn checking(layout: &mut Layout<'_>, report: &PdfReport<'_>) {
    layout.begin_page("How to check this report");
    layout.heading(
        1,
        "How to check this report",
        Some("How to check this report"),
    );
    let (checkpoint, findings) = (report.checkpoint, report.findings);
    layout.paragraph(
        "Every number here was counted over entries of a log that cannot be changed unnoticed. When the report was complete, Reeve recorded \
         the SHA-256 of this PDF, of the CSV and of the JSON in the log. The manifest of the run proves that record. Anyone who has \
         the manifest with the three files beside it, the log's public key and the program reeve-verify can check them without \
         access to Reeve. The key is under Exports in the dashboard (log.vkey); compare it with the one that you were given before.",
        BODY,
    );

    layout.gap(6.0);
    code(
        layout,
        &format!(
            "reeve-verify {} --public-key log.vkey",
            report.heading.manifest_name
        ),
    );

    layout.paragraph(
        "It checks the record's proof and signature, and that each of the three files is the one recorded. Then it reads the JSON, which \
         lists the cited entries with their content: it hashes each entry again, compares it with the tree, counts the entries of each \
         query, and asks each query of each entry. A changed file, an exception that was left out or another name makes it exit with 1 \
         and say where.",
        BODY,
    );

    layout.gap(6.0);
    layout.heading(2, "Checkpoint", None);
    code(
        layout,
        &format!(
            "origin  {}\nsize    {}\nroot    {}",
            checkpoint.origin, checkpoint.size, checkpoint.root
        ),
    );

    if findings.listed < findings.entries {
        let (listed, all) = (thousands(findings.listed), thousands(findings.entries));
        layout.paragraph(
            &format!("{all} entries were counted, and the first {listed} of them are listed with their content in report.json."),
            BODY,
        );
        layout.gap(6.0);
    }

    layout.heading(2, "What the statuses mean", None);
    for (status, words) in [
        (
            ControlStatus::Evidence,
            "the log has entries that evidence the control, as often as the control states, and none of its exceptions.",
        ),
        (
            ControlStatus::Incomplete,
            "the log has entries that evidence the control, but less often than the control states, or no source is connected that would \
             show its exceptions.",
        ),
        (
            ControlStatus::Exceptions,
            "the log has entries that an auditor would want explained. They are not failures as such.",
        ),
        (
            ControlStatus::NoEntries,
            "no entry of the period answers a query of the control. That is no evidence, and no violation.",
        ),
        (
            ControlStatus::NoSource,
            "no source is connected that could write an entry for the control. Finding none says nothing about it.",
        ),
        (
            ControlStatus::Outside,
            "no log can show the control; the control's page says what to bring instead.",
        ),
    ] {
        if report.plan.template.is_some() {
            layout.bullet(&format!("{}: {words}", status.words()), BODY);
        }
    }

    if report.plan.template.is_none() {
        layout.paragraph("A custom report counts entries; it has no controls.", BODY);
    }
}

/// A box of code.
fn code(layout: &mut Layout<'_>, words: &str) {
    layout.note_escapes(words);
    let lines = text::wrap(layout.fonts, words, CODE_BLOCK, TEXT - 20.0);
    let height = CODE_BLOCK.leading * lines.len() as f32 + 12.0;
    layout.need(height);
    let block = layout.block(LayoutRole::Paragraph);
    layout.fill([MARGIN, layout.y, TEXT, height], SHADE, None);
    layout.gap(6.0);
    layout.lines((MARGIN + 10.0, TEXT), lines, CODE_BLOCK, block);
    layout.gap(16.0);
}
