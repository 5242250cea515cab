//! Reports about incidents, typeset as those about compliance are, and the checkpoint at the foot of
//! both.

use anyhow::{Context as _, Result};
use reeve_audit::Obstacle;
use reeve_http::incident_report::{IncidentReport, Typesetter};
use reeve_ledger::Ledger;
use reeve_reports_pdf::{Brief, BriefSection, BriefTable, CheckpointLines, typeset_brief};
use reeve_tlog::{Checkpoint, SignedNote};

/// Typesets reports with the checkpoint of the log at their foot.
pub(crate) struct PdfTypesetter {
    pub(crate) ledger: Ledger,
    pub(crate) is_demo: bool,
}

impl Typesetter for PdfTypesetter {
    fn typeset(&self, report: IncidentReport) -> Result<Vec<u8>, Obstacle> {
        let checkpoint = read_checkpoint(&self.ledger.checkpoint())
            .map_err(|error| Obstacle::of(format_args!("{error:#}")))?;
        let sections = report.sections.into_iter().map(|section| BriefSection {
            title: section.title,
            paragraphs: section.paragraphs,
            bullets: section.bullets,
            table: section
                .table
                .map(|(columns, rows)| BriefTable { columns, rows }),
        });
        let brief = Brief {
            id: report.id,
            name: report.title,
            lead: report.lead,
            author: report.reader,
            generated_at: report.generated_at,
            is_demo: self.is_demo,
            checkpoint: lines(&checkpoint),
            sections: sections.collect(),
        };
        typeset_brief(&brief).map_err(Obstacle::of)
    }
}

/// Reads the checkpoint of a signed note.
pub(crate) fn read_checkpoint(note: &str) -> Result<Checkpoint> {
    let note = SignedNote::parse(note.as_bytes()).context("the log's checkpoint cannot be read")?;
    Checkpoint::parse(note.text()).context("the log's checkpoint cannot be read")
}

/// Returns a checkpoint as people compare it.
pub(crate) fn lines(checkpoint: &Checkpoint) -> CheckpointLines {
    CheckpointLines {
        origin: checkpoint.origin.to_string(),
        size: checkpoint.size,
        root: checkpoint.root.to_string(),
    }
}
