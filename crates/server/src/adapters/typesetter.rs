//! Reports about incidents, typeset as those about compliance are.

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
    fn typeset(&self, report: IncidentReport) -> Result<Vec<u8>, String> {
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
            checkpoint: self.checkpoint()?,
            sections: sections.collect(),
        };
        typeset_brief(&brief).map_err(|error| error.to_string())
    }
}

impl PdfTypesetter {
    fn checkpoint(&self) -> Result<CheckpointLines, String> {
        let note = self.ledger.checkpoint();
        let note = SignedNote::parse(note.as_bytes()).map_err(|error| error.to_string())?;
        let checkpoint = Checkpoint::parse(note.text()).map_err(|error| error.to_string())?;
        Ok(CheckpointLines {
            origin: checkpoint.origin.to_string(),
            size: checkpoint.size,
            root: checkpoint.root.to_string(),
        })
    }
}
