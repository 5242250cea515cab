//! The report about an incident: its content, and the port of what typesets it.

use jiff::Timestamp;
use reeve_audit::Obstacle;

/// Heads of columns with their share of the width, 0 to 1.
pub type Columns = Vec<(&'static str, f32)>;

/// A section of the report. Paragraphs come before bullets, bullets before the table.
#[derive(Debug, Clone, Default)]
pub struct ReportSection {
    pub title: String,
    pub paragraphs: Vec<String>,
    pub bullets: Vec<String>,
    /// The columns, and the rows.
    pub table: Option<(Columns, Vec<Vec<String>>)>,
}

/// Content of the report about an incident, as its reader may see it.
#[derive(Debug, Clone)]
pub struct IncidentReport {
    pub id: String,
    pub title: String,
    /// One sentence below the title.
    pub lead: String,
    /// E-mail address of the reader.
    pub reader: String,
    pub generated_at: Timestamp,
    pub sections: Vec<ReportSection>,
}

/// Typesets reports about incidents.
pub trait Typesetter: Send + Sync {
    /// Returns the bytes of a PDF.
    ///
    /// # Errors
    /// The reason why it could not be typeset, which is a defect.
    fn typeset(&self, report: IncidentReport) -> Result<Vec<u8>, Obstacle>;
}
