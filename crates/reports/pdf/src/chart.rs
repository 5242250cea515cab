//! Charts, drawn: bars over time, bars beside words, and the shares of a whole.

use jiff::Timestamp;
use jiff::tz::TimeZone;

use crate::layout::{Layout, LayoutRole};
use crate::style::{self, ACCENT, Colour, MARGIN, RULE, SMALL, TEXT};
use crate::text;

const HEIGHT: f32 = 90.0;
const LABEL: f32 = 36.0;

/// Counts over time, with the largest count and the ends of the period as labels.
pub(crate) fn over_time(layout: &mut Layout<'_>, bars: &[(Timestamp, u64)]) {
    let Some(most) = bars.iter().map(|(_, count)| *count).max() else {
        return;
    };

    layout.need(HEIGHT + 30.0);
    let block = layout.block(LayoutRole::Figure);
    let (left, width, top) = (MARGIN + LABEL, TEXT - LABEL, layout.y + 4.0);
    let scale = nice(most);

    for (share, value) in [(0.0, scale), (0.5, scale / 2), (1.0, 0)] {
        let y = top + HEIGHT * share;
        layout.fill([left, y, width, 0.5], RULE, None);
        if scale.is_multiple_of(2) || share != 0.5 {
            let label = text::line(layout.fonts, &thousands(value), SMALL);
            layout.line((left - 6.0 - label.width, y + 3.0), label, SMALL, block);
        }
    }

    let step = width / bars.len() as f32;
    for (at, (_, count)) in bars.iter().enumerate() {
        let height = HEIGHT * *count as f32 / scale.max(1) as f32;
        if *count > 0 {
            let thick = (step * 0.78).clamp(0.4, 26.0);
            let x = left + step * at as f32 + (step - thick) / 2.0;
            layout.fill(
                [x, top + HEIGHT - height.max(0.8), thick, height.max(0.8)],
                ACCENT,
                block,
            );
        }
    }

    let day = |at: Timestamp| at.to_zoned(TimeZone::UTC).strftime("%-d %b %Y").to_string();
    let (first, last) = (day(bars[0].0), day(bars[bars.len() - 1].0));
    let y = top + HEIGHT + 13.0;
    let line = text::line(layout.fonts, &first, SMALL);
    layout.line((left, y), line, SMALL, block);
    if last != first {
        let line = text::line(layout.fonts, &last, SMALL);
        layout.line((left + width - line.width, y), line, SMALL, block);
    }

    layout.gap(HEIGHT + 28.0);
}

/// The next number of the form 1, 2, 4, 5 or 10 times a power of ten.
fn nice(most: u64) -> u64 {
    let mut unit: u64 = 1;
    loop {
        for step in [1, 2, 4, 5] {
            if unit.saturating_mul(step) >= most {
                return unit.saturating_mul(step);
            }
        }
        unit = unit.saturating_mul(10);
    }
}

/// Values with a bar each, the largest over the whole width.
pub(crate) fn beside_words(layout: &mut Layout<'_>, bars: &[(String, u64)]) {
    let Some(most) = bars
        .iter()
        .map(|(_, count)| *count)
        .max()
        .filter(|most| *most > 0)
    else {
        return;
    };

    let (words, number) = (190.0, 56.0);
    for (value, count) in bars {
        // Identifiers of resources are long, and an auditor needs the whole of each.
        let lines = text::wrap(layout.fonts, value, style::CELL, words - 8.0);
        let more = style::CELL.leading * lines.len().saturating_sub(1) as f32;
        layout.need(15.0 + more);
        layout.note_escapes(value);
        let block = layout.block(LayoutRole::Paragraph);
        let y = layout.y + 9.5;
        for (at, line) in lines.into_iter().enumerate() {
            layout.line(
                (MARGIN, y + style::CELL.leading * at as f32),
                line,
                style::CELL,
                block,
            );
        }
        let wide = (TEXT - words - number) * *count as f32 / most as f32;
        layout.fill(
            [MARGIN + words, layout.y + 2.5, wide.max(0.8), 8.5],
            ACCENT,
            block,
        );
        let line = text::line(layout.fonts, &thousands(*count), style::CELL);
        layout.line((MARGIN + TEXT - line.width, y), line, style::CELL, block);
        layout.gap(15.0 + more);
    }

    layout.gap(6.0);
}

/// Names of a legend in a row.
const LEGEND: usize = 3;

/// The shares of a whole in one bar, with a legend.
pub(crate) fn shares(layout: &mut Layout<'_>, parts: &[(&str, u64, Colour)]) {
    let total: u64 = parts.iter().map(|(_, count, _)| count).sum();
    if total == 0 {
        return;
    }

    layout.need(94.0);
    let block = layout.block(LayoutRole::Figure);
    let mut x = MARGIN;

    for (_, count, colour) in parts {
        let wide = TEXT * *count as f32 / total as f32;
        layout.fill([x, layout.y, (wide - 1.5).max(0.0), 18.0], *colour, block);
        x += wide;
    }

    layout.gap(28.0);
    let each = TEXT / LEGEND as f32;

    for (at, (name, count, colour)) in parts.iter().enumerate() {
        if at > 0 && at % LEGEND == 0 {
            layout.gap(30.0);
        }
        let x = MARGIN + each * (at % LEGEND) as f32;
        layout.fill([x, layout.y + 1.5, 8.0, 8.0], *colour, block);
        let number = text::line(layout.fonts, &count.to_string(), style::STRONG);
        layout.line((x + 13.0, layout.y + 9.0), number, style::STRONG, block);
        let name = text::line(layout.fonts, name, SMALL);
        layout.line((x + 13.0, layout.y + 20.0), name, SMALL, block);
    }

    layout.gap(32.0);
}

/// A number with thin spaces between thousands.
pub(crate) fn thousands(number: u64) -> String {
    let digits = number.to_string();
    let mut out = String::new();

    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn axes_end_at_round_numbers() {
        for (most, scale) in [
            (0, 1),
            (1, 1),
            (3, 4),
            (7, 10),
            (43, 50),
            (1001, 2000),
            (99_999, 100_000),
        ] {
            assert_eq!(nice(most), scale, "{most}");
        }
        assert_eq!(thousands(1_234_567), "1,234,567");
    }
}
