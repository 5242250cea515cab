//! Typesets a report as PDF: title page, contents, summary with charts, coverage of the period,
//! results of checks, controls, an appendix of cited entries.
//!
//! Layout is done here, in two steps: pages are laid out as lists of things to draw, so that the
//! contents know their page numbers, and then drawn with krilla as tagged PDF. Memory is bounded by
//! what a report shows, not by what the log holds. No text vanishes: a character that no embedded
//! font has is written as its code point, and the document says so.

mod appendix;
mod brief;
mod chart;
mod configuration;
mod contents;
mod controls;
mod cover;
mod coverage;
mod fonts;
mod layout;
mod overview;
mod render;
mod style;
mod table;
mod text;

use reeve_reports::document::Heading;
use reeve_reports::{ReportFindings, ReportPlan, ReportRequest};

pub use brief::{Brief, BriefSection, BriefTable, typeset_brief};
pub use render::PdfError;

/// Content of a report.
#[derive(Debug, Clone, Copy)]
pub struct PdfReport<'a> {
    /// Name, period and user that the title page shows.
    pub heading: &'a Heading,
    /// Request that the report answers.
    pub request: &'a ReportRequest,
    /// Questions that the report asks.
    pub plan: &'a ReportPlan,
    /// Answers to the questions of the plan.
    pub findings: &'a ReportFindings,
    /// Checkpoint that the log was read at.
    pub checkpoint: &'a CheckpointLines,
}

/// A checkpoint, as people compare it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CheckpointLines {
    /// Origin of the log.
    pub origin: String,
    /// Entries in the log.
    pub size: u64,
    /// Root hash of its tree.
    pub root: String,
}

/// Typesets a report.
///
/// # Errors
/// krilla refused the document, which is a defect: no report may lead to that.
pub fn typeset(report: &PdfReport<'_>) -> Result<Vec<u8>, PdfError> {
    let mut layout = layout::Layout::new(&fonts::FONTS, &report.heading.name);
    overview::lay_out(&mut layout, report);
    coverage::lay_out(&mut layout, report);
    configuration::lay_out(&mut layout, report);
    controls::lay_out(&mut layout, report);
    appendix::lay_out(&mut layout, report);
    let body = layout.finish();
    let front = contents::front_pages(&body);
    let mut document = cover::pages(report, &body);
    document.append(contents::pages(report, &body, 1 + front));
    document.append(body.shifted(1 + front));

    let of = render::PdfIdentity {
        id: &report.heading.run_id,
        name: &report.heading.name,
        author: &report.heading.generated_by,
        generated_at: report.heading.generated_at,
        checkpoint: report.checkpoint,
    };
    render::pdf(&of, &document)
}
