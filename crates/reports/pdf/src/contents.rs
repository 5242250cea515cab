//! The contents: every section with its page, each a link.

use crate::PdfReport;
use crate::fonts::FONTS;
use crate::layout::{Layout, LayoutEntry, LayoutLink, LayoutRole, Pages};
use crate::style::{BODY, BOTTOM, H1, MARGIN, MUTED, STRONG, TEXT, TOP};
use crate::text;

const HEAD: f32 = H1.leading + 18.0;
const LINE: f32 = 15.5;

fn height(entry: &LayoutEntry) -> f32 {
    if entry.level == 1 { LINE + 6.0 } else { LINE }
}

/// Returns the number of pages that the contents take: as many as it needs for lines of one height
/// each.
pub(crate) fn front_pages(body: &Pages) -> usize {
    let (mut pages, mut y) = (1, TOP + HEAD);
    for entry in &body.entries {
        if y + height(entry) > BOTTOM {
            pages += 1;
            y = TOP;
        }
        y += height(entry);
    }
    pages
}

/// Lays out the table of contents. `before` is the number of pages before the body.
pub(crate) fn pages(_: &PdfReport<'_>, body: &Pages, before: usize) -> Pages {
    let mut layout = Layout::new(&FONTS, "Contents");
    layout.next_page();
    let block = layout.block(LayoutRole::Heading(1));
    let title = text::line(layout.fonts, "Contents", H1);
    layout.line((MARGIN, layout.y + H1.size), title, H1, block);
    layout.y += HEAD;

    for entry in &body.entries {
        if layout.y + height(entry) > BOTTOM {
            layout.next_page();
        }
        line(&mut layout, entry, before);
    }

    layout.finish()
}

fn line(layout: &mut Layout<'_>, entry: &LayoutEntry, before: usize) {
    let (style, indent) = if entry.level == 1 {
        (STRONG, 0.0)
    } else {
        (BODY, 14.0)
    };

    if entry.level == 1 {
        layout.y += 6.0;
    }

    let block = layout.block(LayoutRole::Contents);
    let page = entry.page + before;
    let number = text::line(layout.fonts, &(page + 1).to_string(), style);
    let title = text::cut(layout.fonts, &entry.title, style, TEXT - indent - 40.0);
    let (left, right) = (MARGIN + indent + title.width, MARGIN + TEXT - number.width);
    let y = layout.y + style.size;
    layout.line((MARGIN + indent, y), title, style, block);

    // Dots stand in columns of their own, so that those of all lines meet.
    let dots = BODY.coloured(MUTED);
    let mut x = (left / 6.0).ceil() * 6.0 + 6.0;
    while x + 6.0 < right {
        layout.fill([x, y - 1.0, 0.8, 0.8], dots.colour, None);
        x += 6.0;
    }

    layout.line((right, y), number, style, block);
    layout.link(LayoutLink {
        rect: [MARGIN + indent, layout.y - 2.0, TEXT - indent, LINE],
        page,
        y: entry.y,
        words: format!("{}, page {}", entry.title, page + 1),
        block,
    });

    layout.y += LINE;
}
