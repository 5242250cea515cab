//! The title page.

use jiff::Timestamp;
use jiff::tz::TimeZone;
use reeve_reports::{QuestionKind, ReportKind};

use crate::PdfReport;
use crate::chart::thousands;
use crate::fonts::FONTS;
use crate::layout::{Layout, LayoutRole, Pages};
use crate::style::{
    self, ACCENT, BODY, DARK, HEIGHT, LEAD, MARGIN, SMALL, STRONG, Style, TEXT, TITLE, WHITE, WIDTH,
};
use crate::text;

const BAND: f32 = 310.0;

/// Lays out the title page.
pub(crate) fn pages(report: &PdfReport<'_>, body: &Pages) -> Pages {
    let mut layout = Layout::new(&FONTS, "");
    layout.next_page();
    band(&mut layout, report);
    layout.y = BAND + 40.0;
    for (name, value) in facts(report) {
        fact(&mut layout, name, &value);
    }

    let mut pages = layout.finish();
    if body.escaped || pages.escaped {
        pages = with_note(pages);
    }

    for page in &mut pages.pages {
        page.section = None;
    }

    pages
}

fn band(layout: &mut Layout<'_>, report: &PdfReport<'_>) {
    layout.fill([0.0, 0.0, WIDTH, BAND], DARK, None);
    layout.fill([0.0, BAND, WIDTH, 4.0], ACCENT, None);
    let small = Style {
        size: 9.5,
        ..STRONG.coloured((0xa9, 0xc4, 0xee))
    };
    let kind = match (&report.request.kind, report.heading.is_demo) {
        (ReportKind::Compliance { .. }, false) => "COMPLIANCE REPORT",
        (ReportKind::Custom { .. }, false) => "AUDIT LOG REPORT",
        (ReportKind::Compliance { .. }, true) => "COMPLIANCE REPORT: DEMO DATA, NOT EVIDENCE",
        (ReportKind::Custom { .. }, true) => "AUDIT LOG REPORT: DEMO DATA, NOT EVIDENCE",
    };

    let block = layout.block(LayoutRole::Paragraph);
    let line = text::line(layout.fonts, kind, small);
    layout.line((MARGIN, 96.0), line, small, block);
    layout.note_escapes(&report.heading.name);
    let block = layout.block(LayoutRole::Heading(1));
    let mut lines = text::wrap(layout.fonts, &report.heading.name, TITLE, TEXT);
    lines.truncate(4);
    let mut y = 136.0;
    for line in lines {
        layout.line((MARGIN, y), line, TITLE, block);
        y += TITLE.leading;
    }

    let lead = LEAD.coloured(WHITE);
    let mut below = Vec::new();

    if let Some(template) = report.plan.template {
        // A report that is named after its framework would say the name twice.
        let is_repeated = report.heading.name == template.name;
        below.push(if is_repeated {
            template.edition.clone()
        } else {
            format!("{}, {}", template.name, template.edition)
        });
    }

    below.push(period(report));
    let block = layout.block(LayoutRole::Paragraph);
    y += 6.0;

    for words in below {
        for line in text::wrap(layout.fonts, &words, lead, TEXT)
            .into_iter()
            .take(2)
        {
            layout.line((MARGIN, y), line, lead, block);
            y += lead.leading;
        }
    }
}

/// The period in words.
pub(crate) fn period(report: &PdfReport<'_>) -> String {
    let period = report.findings.period;
    format!("{} to {}", moment(period.start), moment(period.end))
}

/// A time in words: the day alone at midnight.
pub(crate) fn moment(at: Timestamp) -> String {
    let at = at.to_zoned(TimeZone::UTC);
    let format = if at.hour() == 0 && at.minute() == 0 {
        "%-d %B %Y"
    } else {
        "%-d %B %Y, %H:%M UTC"
    };
    at.strftime(format).to_string()
}

fn facts(report: &PdfReport<'_>) -> Vec<(&'static str, String)> {
    let (heading, findings) = (report.heading, report.findings);
    let mut facts = Vec::new();

    if let Some(template) = report.plan.template {
        facts.push((
            "Framework",
            format!(
                "{}, {} ({})",
                template.name, template.edition, template.publisher
            ),
        ));
    }

    if let ReportKind::Custom { query, .. } = &report.request.kind {
        facts.push((
            "Events",
            if query.trim().is_empty() {
                "Every entry".to_owned()
            } else {
                query.clone()
            },
        ));
    }

    for (name, values) in &report.plan.lists {
        let count = values.len();
        let noun = if count == 1 { "value" } else { "values" };
        facts.push((
            "List",
            format!(
                "@{name}: {} {noun}, which the JSON names",
                thousands(count as u64)
            ),
        ));
    }

    facts.push(("Organization", heading.organization.clone()));
    facts.push(("Period", period(report)));
    facts.push(("Coverage", covered(report)));

    for (name, _, values) in report.request.filters.lists() {
        let name = match name {
            "accounts" => "Accounts",
            "users" => "Users",
            _ => "Resources",
        };
        facts.push((
            name,
            if values.is_empty() {
                "All".to_owned()
            } else {
                values.join(", ")
            },
        ));
    }

    if let Some(limits) = heading.scope_words() {
        facts.push(("Scope", limits));
    }

    facts.push(("Entries found", thousands(findings.entries)));
    facts.push((
        "Generated",
        format!(
            "{} by {}",
            moment(heading.generated_at),
            heading.generated_by
        ),
    ));

    if report.plan.template.is_some() {
        facts.push(("Exceptions reviewed", reviewed(report)));
    }

    facts.push((
        "Log checkpoint",
        format!(
            "{}\n{} entries\nroot {}",
            report.checkpoint.origin,
            thousands(report.checkpoint.size),
            report.checkpoint.root
        ),
    ));

    facts
}

/// The coverage in a line: the section about it has the details.
fn covered(report: &PdfReport<'_>) -> String {
    let coverage = &report.findings.coverage;
    let begins = match (
        coverage.log_begins_at,
        coverage.before_the_log(report.findings.period),
    ) {
        (Some(_), None) => "The log covers the whole period".to_owned(),
        (Some(begins), Some(_)) => {
            format!("The log begins on {}, within the period", moment(begins))
        }
        (None, _) => "The log has no entry".to_owned(),
    };

    match coverage.faults() {
        0 => format!("{begins}; no expected source was silent"),
        count => {
            format!("{begins}; silent or interrupted: {count} expected sources or connections")
        }
    }
}

/// The exceptions that were reviewed, and by whom.
fn reviewed(report: &PdfReport<'_>) -> String {
    let asked = report.plan.questions.iter().zip(&report.findings.answers);
    let found: Vec<_> = asked
        .filter(|(question, answer)| question.kind == QuestionKind::Exception && answer.found > 0)
        .map(|(question, _)| report.findings.review_of(&question.id))
        .collect();
    let mut people: Vec<_> = found
        .iter()
        .flatten()
        .map(|review| review.user_email.as_str())
        .collect();
    people.sort_unstable();
    people.dedup();
    let count = found.iter().flatten().count();

    match (found.len(), people.is_empty()) {
        (0, _) => "None were found".to_owned(),
        (all, true) => format!("None of {all} queries with exceptions"),
        (all, false) => format!(
            "{count} of {all} queries with exceptions, by {}",
            people.join(", ")
        ),
    }
}

fn fact(layout: &mut Layout<'_>, name: &str, value: &str) {
    const NAMES: f32 = 110.0;

    layout.note_escapes(value);
    let block = layout.block(LayoutRole::Paragraph);
    let line = text::line(layout.fonts, name, SMALL);
    layout.line((MARGIN, layout.y + BODY.size), line, SMALL, block);
    let mut lines = text::wrap(layout.fonts, value, BODY, TEXT - NAMES);

    if lines.len() > 4 {
        lines.truncate(4);
        if let Some(last) = lines.last_mut() {
            *last = text::line(
                layout.fonts,
                "… and more: the summary has all of them",
                SMALL,
            );
        }
    }

    for line in lines {
        layout.line((MARGIN + NAMES, layout.y + BODY.size), line, BODY, block);
        layout.y += BODY.leading;
    }

    layout.y += 5.0;
}

/// Adds how characters without a glyph are written.
fn with_note(pages: Pages) -> Pages {
    let mut layout = Layout::new(&FONTS, "");
    layout.next_page();
    layout.y = HEIGHT - 78.0;
    let note = "Characters that the fonts of this document lack are written as their Unicode code points, such as ‹4E2D›. \
                The file report.json has every text as it is in the log.";
    let block = layout.block(LayoutRole::Paragraph);
    for line in text::wrap(layout.fonts, note, style::SMALL, TEXT) {
        layout.line((MARGIN, layout.y), line, SMALL, block);
        layout.y += SMALL.leading;
    }

    let mut note = layout.finish();
    let mut pages = pages;
    let draws = note.pages.pop().map(|page| page.draws).unwrap_or_default();
    let blocks = pages.blocks.len();
    pages.blocks.append(&mut note.blocks);

    if let Some(page) = pages.pages.first_mut() {
        page.draws.extend(draws.into_iter().map(|draw| match draw {
            crate::layout::Draw::Text {
                x,
                y,
                line,
                style,
                block,
            } => crate::layout::Draw::Text {
                x,
                y,
                line,
                style,
                block: block.map(|block| block + blocks),
            },
            fill => fill,
        }));
    }

    pages
}
