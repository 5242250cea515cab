//! A short document of sections with paragraphs and tables, such as the report about an incident.

use jiff::Timestamp;

use crate::fonts::FONTS;
use crate::layout::Layout;
use crate::render::{self, PdfError, PdfIdentity};
use crate::style::{BODY, LEAD, SMALL};
use crate::table::{self, ColumnKind, column};
use crate::{CheckpointLines, cover};

/// Content of a short document.
#[derive(Debug, Clone)]
pub struct Brief {
    pub id: String,
    /// Title.
    pub name: String,
    /// One sentence below the title.
    pub lead: String,
    /// E-mail address of the person whose rights the log was read with.
    pub author: String,
    pub generated_at: Timestamp,
    /// Set where the entries are made up for a demonstration.
    pub is_demo: bool,
    /// Checkpoint of the log when it was read.
    pub checkpoint: CheckpointLines,
    pub sections: Vec<BriefSection>,
}

/// A section. Paragraphs come before bullets, bullets before the table.
#[derive(Debug, Clone, Default)]
pub struct BriefSection {
    pub title: String,
    pub paragraphs: Vec<String>,
    pub bullets: Vec<String>,
    pub table: Option<BriefTable>,
}

/// A table.
#[derive(Debug, Clone)]
pub struct BriefTable {
    /// Heads of the columns with their share of the width.
    pub columns: Vec<(&'static str, f32)>,
    pub rows: Vec<Vec<String>>,
}

/// Typesets a short document.
///
/// # Errors
/// krilla refused the document, which is a defect: no content may lead to that.
pub fn typeset_brief(brief: &Brief) -> Result<Vec<u8>, PdfError> {
    let mut layout = Layout::new(&FONTS, &brief.name);
    layout.begin_page(&brief.name);
    layout.heading(1, &brief.name, Some(&brief.name));
    layout.paragraph(&brief.lead, LEAD);
    layout.gap(6.0);
    let made = format!(
        "Generated {} for {}. It shows what that person may see.",
        cover::moment(brief.generated_at),
        brief.author
    );
    layout.paragraph(&made, SMALL);
    if brief.is_demo {
        layout.paragraph(
            "The data is made up for a demonstration: this is no evidence.",
            SMALL,
        );
    }

    for section in &brief.sections {
        layout.gap(14.0);
        layout.heading(2, &section.title, Some(&section.title));
        for paragraph in &section.paragraphs {
            layout.paragraph(paragraph, BODY);
            layout.gap(4.0);
        }
        for bullet in &section.bullets {
            layout.bullet(bullet, BODY);
        }
        if let Some(table) = &section.table {
            let columns: Vec<_> = table
                .columns
                .iter()
                .map(|(head, share)| column(head, *share, ColumnKind::Text))
                .collect();
            table::lay_out(&mut layout, &columns, &table.rows);
        }
    }

    let pages = layout.finish();
    let of = PdfIdentity {
        id: &brief.id,
        name: &brief.name,
        author: &brief.author,
        generated_at: brief.generated_at,
        checkpoint: &brief.checkpoint,
    };
    render::pdf(&of, &pages)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn a_long_brief_becomes_a_document_of_several_pages() {
        let row = |n: usize| {
            vec![
                format!("{n}"),
                "GetSecretValue on prod/db: denied".to_owned(),
            ]
        };
        let brief = Brief {
            id: "1".to_owned(),
            name: "Password spray from 203.0.113.7".to_owned(),
            lead: "A high incident that is contained.".to_owned(),
            author: "ann@example.com".to_owned(),
            generated_at: Timestamp::UNIX_EPOCH,
            is_demo: true,
            checkpoint: CheckpointLines {
                origin: "log".to_owned(),
                size: 7,
                root: "00".repeat(32),
            },
            sections: vec![BriefSection {
                title: "Timeline".to_owned(),
                paragraphs: vec!["Oldest first.".to_owned()],
                bullets: vec!["One".to_owned()],
                table: Some(BriefTable {
                    columns: vec![("Time", 1.0), ("Event", 4.0)],
                    rows: (0..200).map(row).collect(),
                }),
            }],
        };
        let made = typeset_brief(&brief).unwrap();
        assert!(made.starts_with(b"%PDF"));
        let pages = String::from_utf8_lossy(&made)
            .matches("/Type/Page\n")
            .count()
            + String::from_utf8_lossy(&made)
                .matches("/Type/Page/")
                .count()
            + String::from_utf8_lossy(&made)
                .matches("/Type /Page")
                .count();
        assert!(pages >= 2 || made.len() > 20_000, "{pages} {}", made.len());
    }
}
