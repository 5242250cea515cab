//! Pages as lists of things to draw, and the layout that fills them from top to bottom.

use crate::fonts::Fonts;
use crate::style::{self, BOTTOM, Colour, MARGIN, Style, TEXT, TOP};
use crate::text::{self, TextLine};

/// Meaning of a block of content, for readers that do not see the page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LayoutRole {
    /// A heading of a level from 1.
    Heading(u16),
    Paragraph,
    /// A chart; its words are in the text beside it.
    Figure,
    /// A cell: number of its table, row, and whether it heads a column.
    Cell {
        /// Number of the table in the document.
        table: usize,
        row: usize,
        /// Set for the head of a column.
        head: bool,
    },
    /// A line of the contents.
    Contents,
}

/// Index of a block; `None` for decoration.
pub(crate) type Block = Option<usize>;

/// Drawing operation. Coordinates are points from the page's upper left corner.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Draw {
    /// Text with its baseline at `y`.
    Text {
        /// Left end of the line, in points.
        x: f32,
        /// Height of the baseline, in points.
        y: f32,
        /// Runs of the line, from left to right.
        line: TextLine,
        style: Style,
        /// Block that it belongs to.
        block: Block,
    },
    /// A filled rectangle: left, top, width, height.
    Fill {
        /// Left, top, width and height, in points.
        rect: [f32; 4],
        colour: Colour,
        /// Block that it belongs to.
        block: Block,
    },
}

/// A link within the document.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct LayoutLink {
    /// Rectangle that can be clicked.
    pub(crate) rect: [f32; 4],
    /// Page that it leads to, and the height on it.
    pub(crate) page: usize,
    pub(crate) y: f32,
    /// Words for readers that do not see the page.
    pub(crate) words: String,
    /// Block that it belongs to.
    pub(crate) block: Block,
}

#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct PdfPage {
    pub(crate) draws: Vec<Draw>,
    pub(crate) links: Vec<LayoutLink>,
    /// Section named in the running header; `None` for a page without header.
    pub(crate) section: Option<String>,
}

/// An entry of the contents and of the outline.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct LayoutEntry {
    pub(crate) level: u8,
    pub(crate) title: String,
    pub(crate) page: usize,
    pub(crate) y: f32,
}

/// Pages with what they mean.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Pages {
    pub(crate) pages: Vec<PdfPage>,
    pub(crate) blocks: Vec<LayoutRole>,
    pub(crate) entries: Vec<LayoutEntry>,
    pub(crate) tables: usize,
    pub(crate) escaped: bool,
}

impl Pages {
    /// Shifts all page numbers by the number of pages before.
    pub(crate) fn shifted(mut self, by: usize) -> Pages {
        for link in self.pages.iter_mut().flat_map(|page| &mut page.links) {
            link.page += by;
        }
        for entry in &mut self.entries {
            entry.page += by;
        }
        self
    }

    /// Appends pages; blocks and tables are numbered on.
    pub(crate) fn append(&mut self, mut other: Pages) {
        let (blocks, tables) = (self.blocks.len(), self.tables);
        for page in &mut other.pages {
            for draw in &mut page.draws {
                let (Draw::Text { block, .. } | Draw::Fill { block, .. }) = draw;
                *block = block.map(|block| block + blocks);
            }
            for link in &mut page.links {
                link.block = link.block.map(|block| block + blocks);
            }
        }

        for role in &mut other.blocks {
            if let LayoutRole::Cell { table, .. } = role {
                *table += tables;
            }
        }

        self.pages.append(&mut other.pages);
        self.blocks.append(&mut other.blocks);
        self.entries.append(&mut other.entries);
        self.tables += other.tables;
        self.escaped |= other.escaped;
    }
}

/// Layout of a report, filled page by page from the top.
pub(crate) struct Layout<'a> {
    pub(crate) fonts: &'a Fonts,
    pub(crate) y: f32,
    pages: Pages,
    section: String,
}

impl<'a> Layout<'a> {
    pub(crate) fn new(fonts: &'a Fonts, section: &str) -> Layout<'a> {
        Layout {
            fonts,
            y: BOTTOM,
            pages: Pages::default(),
            section: section.to_owned(),
        }
    }

    pub(crate) fn finish(self) -> Pages {
        self.pages
    }

    /// Begins a page under a section's name.
    pub(crate) fn begin_page(&mut self, section: &str) {
        section.clone_into(&mut self.section);
        self.next_page();
    }

    /// Continues under another section's name: on the page, if there is room for so much, else on
    /// the next. The running header of a page names the section that it begins with.
    pub(crate) fn begin_section(&mut self, section: &str, height: f32) {
        section.clone_into(&mut self.section);
        if !self.need(height) {
            self.gap(6.0);
            self.fill([MARGIN, self.y, TEXT, 0.8], style::RULE, None);
            self.gap(14.0);
        }
    }

    /// Begins a page of the same section.
    pub(crate) fn next_page(&mut self) {
        self.pages.pages.push(PdfPage {
            section: Some(self.section.clone()),
            ..PdfPage::default()
        });
        self.y = TOP;
    }

    /// Begins a page unless there is room for so much. Returns `true` if it did.
    pub(crate) fn need(&mut self, height: f32) -> bool {
        let full = self.y + height > BOTTOM;
        if full {
            self.next_page();
        }
        full
    }

    pub(crate) fn gap(&mut self, height: f32) {
        self.y = (self.y + height).min(BOTTOM);
    }

    pub(crate) fn block(&mut self, role: LayoutRole) -> Block {
        self.pages.blocks.push(role);
        Some(self.pages.blocks.len() - 1)
    }

    pub(crate) fn table(&mut self) -> usize {
        self.pages.tables += 1;
        self.pages.tables - 1
    }

    pub(crate) fn draw(&mut self, draw: Draw) {
        if let Some(page) = self.pages.pages.last_mut() {
            page.draws.push(draw);
        }
    }

    pub(crate) fn fill(&mut self, rect: [f32; 4], colour: Colour, block: Block) {
        self.draw(Draw::Fill {
            rect,
            colour,
            block,
        });
    }

    /// Draws one line at a place.
    pub(crate) fn line(&mut self, (x, y): (f32, f32), line: TextLine, style: Style, block: Block) {
        self.draw(Draw::Text {
            x,
            y,
            line,
            style,
            block,
        });
    }

    pub(crate) fn link(&mut self, link: LayoutLink) {
        if let Some(page) = self.pages.pages.last_mut() {
            page.links.push(link);
        }
    }

    /// Notes that a text may hold characters that are shown as code points.
    pub(crate) fn note_escapes(&mut self, text: &str) {
        self.pages.escaped = self.pages.escaped || text::is_escaped(self.fonts, text);
    }

    /// A heading, named in the contents and the outline.
    pub(crate) fn heading(&mut self, level: u8, text: &str, entry: Option<&str>) {
        let style = match level {
            1 => style::H1,
            2 => style::H2,
            _ => style::STRONG,
        };
        let lines = text::wrap(self.fonts, text, style, TEXT);

        // A heading does not stand alone at the foot of a page.
        self.need(style.leading * lines.len() as f32 + 48.0);
        if let Some(title) = entry {
            let (page, y) = (self.pages.pages.len().saturating_sub(1), self.y);
            self.pages.entries.push(LayoutEntry {
                level,
                title: title.to_owned(),
                page,
                y,
            });
        }

        self.note_escapes(text);
        let block = self.block(LayoutRole::Heading(u16::from(level)));
        self.lines((MARGIN, TEXT), lines, style, block);
        self.gap(if level == 1 { 8.0 } else { 4.0 });
    }

    /// A paragraph over the whole width.
    pub(crate) fn paragraph(&mut self, text: &str, style: Style) {
        self.note_escapes(text);
        let block = self.block(LayoutRole::Paragraph);
        let lines = text::wrap(self.fonts, text, style, TEXT);
        self.lines((MARGIN, TEXT), lines, style, block);
    }

    /// A paragraph after a bullet.
    pub(crate) fn bullet(&mut self, text: &str, style: Style) {
        self.note_escapes(text);
        let indent = 14.0;
        let lines = text::wrap(self.fonts, text, style, TEXT - indent);
        self.need(style.leading * lines.len().min(2) as f32);
        let block = self.block(LayoutRole::Paragraph);
        let bullet = text::line(self.fonts, "•", style);
        self.line((MARGIN + 2.0, self.y + style.size), bullet, style, block);
        self.lines((MARGIN + indent, TEXT - indent), lines, style, block);
        self.gap(3.0);
    }

    /// Lines from the current height on, over pages.
    pub(crate) fn lines(
        &mut self,
        (x, _): (f32, f32),
        lines: Vec<TextLine>,
        style: Style,
        block: Block,
    ) {
        for line in lines {
            self.need(style.leading);
            self.line((x, self.y + style.size), line, style, block);
            self.y += style.leading;
        }
    }

    /// Words in a coloured box, as wide as they are.
    pub(crate) fn badge(&mut self, words: &str, colour: Colour) {
        let style = Style {
            size: 8.0,
            leading: 16.0,
            ..style::STRONG.coloured(style::WHITE)
        };
        let line = text::line(self.fonts, words, style);
        let block = self.block(LayoutRole::Paragraph);
        self.fill([MARGIN, self.y, line.width + 16.0, 16.0], colour, block);
        self.line((MARGIN + 8.0, self.y + 11.0), line, style, block);
        self.gap(16.0);
    }
}
