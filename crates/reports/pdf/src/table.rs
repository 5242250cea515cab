//! Tables that break across pages: the head is repeated on each, and a row is split only if it is
//! longer than a page.

use crate::layout::{Layout, LayoutRole};
use crate::style::{self, BOTTOM, CELL, CELL_HEAD, CODE, MARGIN, SHADE, Style, TEXT, TOP};
use crate::text::{self, TextLine};

/// A column: head, share of the width, and how its cells look.
#[derive(Debug, Clone, Copy)]
pub(crate) struct TableColumn {
    pub(crate) head: &'static str,
    pub(crate) share: f32,
    pub(crate) kind: ColumnKind,
}

/// Look of a column's cells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ColumnKind {
    Text,
    /// Numbers, aligned to the right.
    Number,
    /// Queries and identifiers, in the monospaced face.
    Code,
}

const PAD: f32 = 4.0;
const GUTTER: f32 = 8.0;

pub(crate) const fn column(head: &'static str, share: f32, kind: ColumnKind) -> TableColumn {
    TableColumn { head, share, kind }
}

impl TableColumn {
    fn style(self) -> Style {
        if self.kind == ColumnKind::Code {
            CODE
        } else {
            CELL
        }
    }
}

/// Lays out a table.
pub(crate) fn lay_out(layout: &mut Layout<'_>, columns: &[TableColumn], rows: &[Vec<String>]) {
    let total: f32 = columns.iter().map(|column| column.share).sum();
    let room = TEXT - GUTTER * (columns.len() as f32 - 1.0) - 2.0 * PAD;
    let widths: Vec<f32> = columns
        .iter()
        .map(|column| room * column.share / total)
        .collect();
    let table = layout.table();
    layout.need(60.0);
    head(layout, columns, &widths, table);

    for (at, row) in rows.iter().enumerate() {
        let cells: Vec<Vec<TextLine>> = row
            .iter()
            .zip(columns)
            .zip(&widths)
            .map(|((cell, column), width)| text::wrap(layout.fonts, cell, column.style(), *width))
            .collect();
        for cell in row {
            layout.note_escapes(cell);
        }
        let leading = |at: usize| columns[at].style().leading;
        let height = cells
            .iter()
            .enumerate()
            .map(|(at, lines)| leading(at) * lines.len() as f32)
            .fold(0.0, f32::max);
        if height + 2.0 * PAD <= BOTTOM - TOP - 40.0 && layout.need(height + 2.0 * PAD) {
            head(layout, columns, &widths, table);
        }
        body_row(layout, columns, &widths, cells, (table, at + 1));
    }

    layout.fill([MARGIN, layout.y, TEXT, 0.6], style::RULE, None);
    layout.gap(10.0);
}

fn head(layout: &mut Layout<'_>, columns: &[TableColumn], widths: &[f32], table: usize) {
    let lines: Vec<_> = columns
        .iter()
        .zip(widths)
        .map(|(column, width)| text::wrap(layout.fonts, column.head, CELL_HEAD, *width))
        .collect();
    let tallest = lines.iter().map(Vec::len).max().unwrap_or(1);
    let height = CELL_HEAD.leading * tallest as f32 + 2.0 * PAD;
    layout.fill([MARGIN, layout.y, TEXT, height], SHADE, None);
    let mut x = MARGIN + PAD;

    for ((column, width), lines) in columns.iter().zip(widths).zip(lines) {
        let block = layout.block(LayoutRole::Cell {
            table,
            row: 0,
            head: true,
        });
        let mut y = layout.y + PAD + CELL_HEAD.size;
        for line in lines {
            let at = if column.kind == ColumnKind::Number {
                x + width - line.width
            } else {
                x
            };
            layout.line((at, y), line, CELL_HEAD, block);
            y += CELL_HEAD.leading;
        }
        x += width + GUTTER;
    }

    layout.y += height;
}

/// A row. One that is longer than a page is cut where the page ends and continues beneath a head.
fn body_row(
    layout: &mut Layout<'_>,
    columns: &[TableColumn],
    widths: &[f32],
    mut cells: Vec<Vec<TextLine>>,
    (table, row): (usize, usize),
) {
    let blocks: Vec<_> = columns
        .iter()
        .map(|_| {
            layout.block(LayoutRole::Cell {
                table,
                row,
                head: false,
            })
        })
        .collect();

    layout.fill([MARGIN, layout.y, TEXT, 0.6], style::RULE, None);
    loop {
        let (mut x, mut used) = (MARGIN + PAD, 0.0_f32);
        for (at, lines) in cells.iter_mut().enumerate() {
            let style = columns[at].style();
            let fit = (((BOTTOM - layout.y - 2.0 * PAD) / style.leading) as usize)
                .max(1)
                .min(lines.len());
            for (number, line) in lines.drain(..fit).enumerate() {
                let y = layout.y + PAD + CELL.size + number as f32 * style.leading;
                let left = if columns[at].kind == ColumnKind::Number {
                    x + widths[at] - line.width
                } else {
                    x
                };
                layout.line((left, y), line, style, blocks[at]);
            }
            used = used.max(fit as f32 * style.leading);
            x += widths[at] + GUTTER;
        }
        layout.y += used + 2.0 * PAD;
        if cells.iter().all(Vec::is_empty) {
            return;
        }
        layout.next_page();
        head(layout, columns, widths, table);
    }
}
