//! Entries as a table that fits the terminal: columns give way in the order of how little they are
//! missed, long texts are cut with `…`, and below 76 columns an entry takes two lines. Where there
//! is no terminal nothing is cut.

use jiff::Timestamp;

use reeve_audit::format::Exported;

use super::{Screen, Tone, clean, fit, width};

/// Columns of a table of entries.
#[derive(Debug, Clone, Default)]
pub(crate) struct ShowRow {
    cells: [String; COLUMNS.len()],
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Column {
    Time,
    Severity,
    Event,
    Status,
    Who,
    Resource,
    From,
    Sequence,
}

/// In the order they are shown: heading, least and usual width, and when it gives way (the highest
/// first).
const COLUMNS: [(Column, &str, usize, usize, u8); 8] = [
    (Column::Time, "TIME", 19, 19, 0),
    (Column::Severity, "SEVERITY", 8, 8, 3),
    (Column::Event, "EVENT", 16, 28, 0),
    (Column::Status, "STATUS", 7, 7, 0),
    (Column::Who, "WHO", 14, 28, 0),
    (Column::Resource, "RESOURCE", 14, 30, 1),
    (Column::From, "FROM", 11, 15, 5),
    (Column::Sequence, "SEQ", 3, 9, 4),
];

/// Below so many columns an entry takes two lines.
const NARROW: usize = 76;
/// Spaces between two columns.
const GAP: usize = 2;

impl ShowRow {
    /// Cells of an entry.
    pub(crate) fn new(found: &Exported, screen: &Screen) -> Self {
        let entry = &found.entry;
        let text = |text: Option<&str>| text.map_or_else(|| "-".to_owned(), clean);
        let on = &entry.resource;
        let resource = match (on.kind.as_deref(), on.id.as_deref()) {
            // The identifier first: it is what stays when the column is cut.
            (Some(kind), Some(id)) => clean(&format!("{id} {kind}")),
            (kind, id) => text(id.or(kind)),
        };

        Self {
            cells: [
                screen.time(entry.timestamp),
                entry.severity.to_string(),
                text(Some(entry.event_type.as_str())),
                text(entry.action.status.map(|status| status.as_str())),
                text(entry.actor.email.as_deref().or(entry.actor.id.as_deref())),
                resource,
                entry
                    .actor
                    .ip_address
                    .map_or_else(|| "-".to_owned(), |address| address.to_string()),
                found.integrity.sequence.to_string(),
            ],
        }
    }

    fn cell(&self, column: Column) -> &str {
        &self.cells[column as usize]
    }

    fn tone(&self, column: Column) -> Tone {
        match column {
            Column::Severity => Tone::of_severity(self.cell(column)),
            Column::Status => Tone::of_status(self.cell(column)),
            Column::Time | Column::From | Column::Sequence => Tone::Faint,
            Column::Event | Column::Who | Column::Resource => Tone::Plain,
        }
    }
}

/// Columns and their widths.
#[derive(Debug, Clone)]
pub(crate) struct Layout {
    columns: Vec<(Column, usize)>,
    narrow: bool,
}

impl Layout {
    /// As these rows need it.
    pub(crate) fn new(rows: &[ShowRow], screen: &Screen) -> Self {
        let widest = |column: Column| {
            rows.iter()
                .map(|row| width(row.cell(column)))
                .max()
                .unwrap_or(0)
        };
        Self::fitting(screen, |column, heading, _| {
            widest(column).max(width(heading))
        })
    }

    /// For rows that are not known yet.
    pub(crate) fn streaming(screen: &Screen) -> Self {
        Self::fitting(screen, |_, _, usual| usual)
    }

    fn fitting(screen: &Screen, wanted: impl Fn(Column, &str, usize) -> usize) -> Self {
        let mut columns: Vec<(Column, usize)> = COLUMNS
            .iter()
            .map(|(column, heading, _, usual, _)| (*column, wanted(*column, heading, *usual)))
            .collect();
        let Some(most) = screen.width else {
            return Self {
                columns,
                narrow: false,
            };
        };

        if most < NARROW {
            return Self {
                columns,
                narrow: true,
            };
        }

        let least = |column: Column| COLUMNS[column as usize].2;
        let sum =
            |columns: &[(Column, usize)]| columns.iter().map(|(_, w)| w + GAP).sum::<usize>() - GAP;

        while columns
            .iter()
            .map(|(column, w)| least(*column).min(*w) + GAP)
            .sum::<usize>()
            - GAP
            > most
        {
            let Some(at) = (0..columns.len()).max_by_key(|at| COLUMNS[columns[*at].0 as usize].4)
            else {
                break;
            };
            columns.remove(at);
        }

        while sum(&columns) > most {
            let widest = columns
                .iter_mut()
                .filter(|(column, w)| *w > least(*column))
                .max_by_key(|(_, w)| *w);
            match widest {
                Some((_, w)) => *w -= 1,
                None => break,
            }
        }

        Self {
            columns,
            narrow: false,
        }
    }

    /// The heading, which names the zone of the times.
    pub(crate) fn heading(&self, screen: &Screen, now: Timestamp) -> String {
        let zone = screen.zone_name(now);
        if self.narrow {
            return screen.paint(Tone::Strong, &format!("TIME ({zone})"));
        }

        let mut line = String::new();
        for (at, (column, w)) in self.columns.iter().enumerate() {
            let name = COLUMNS[*column as usize].1;
            let full = format!("TIME ({zone})");
            let heading = if *column == Column::Time && width(&full) <= *w {
                full
            } else {
                name.to_owned()
            };
            line.push_str(&self.last_unfilled(at, &heading, *w));
        }

        screen.paint(Tone::Strong, line.trim_end())
    }

    /// Formats one entry as a line.
    pub(crate) fn line(&self, row: &ShowRow, screen: &Screen) -> String {
        if self.narrow {
            return narrow(row, screen);
        }

        let mut line = String::new();
        for (at, (column, w)) in self.columns.iter().enumerate() {
            let text = self.last_unfilled(at, row.cell(*column), *w);
            line.push_str(&screen.paint(row.tone(*column), &text));
        }
        line.trim_end().to_owned()
    }

    /// A cell with its gap; nothing is filled up at the end of a line, and nothing is cut where
    /// there is no terminal.
    fn last_unfilled(&self, at: usize, text: &str, w: usize) -> String {
        if at + 1 == self.columns.len() {
            return fit(text, w).trim_end().to_owned();
        }
        format!("{}{}", fit(text, w), " ".repeat(GAP))
    }
}

fn narrow(row: &ShowRow, screen: &Screen) -> String {
    let most = screen.width.unwrap_or(NARROW);
    let paint = |column: Column, text: &str| screen.paint(row.tone(column), text);
    let time = row.cell(Column::Time);
    let rest = most.saturating_sub(width(time) + 1 + width(row.cell(Column::Status)) + 1);
    let event = fit(
        row.cell(Column::Event),
        rest.min(width(row.cell(Column::Event))),
    );
    let first = [
        paint(Column::Time, time),
        paint(Column::Status, row.cell(Column::Status)),
        paint(Column::Event, &event),
    ]
    .join(" ");

    let second = format!("{} → {}", row.cell(Column::Who), row.cell(Column::Resource));
    format!(
        "{first}\n  {}",
        fit(&second, most.saturating_sub(2)).trim_end()
    )
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use jiff::tz::TimeZone;

    fn row() -> ShowRow {
        let cells = [
            "2026-11-20 10:00:00",
            "critical",
            "authentication.login",
            "failed",
            "somebody.with.a.long.name@acme.example",
            "i-0123456789abcdef0 ec2_instance",
            "2001:db8::1",
            "12345678",
        ];
        ShowRow {
            cells: cells.map(str::to_owned),
        }
    }

    #[test]
    fn a_line_never_is_wider_than_the_terminal() {
        for most in 20..200 {
            let screen = Screen {
                colour: false,
                width: Some(most),
                zone: TimeZone::UTC,
            };
            for layout in [Layout::new(&[row()], &screen), Layout::streaming(&screen)] {
                let lines = format!(
                    "{}\n{}",
                    layout.heading(&screen, Timestamp::UNIX_EPOCH),
                    layout.line(&row(), &screen)
                );
                for line in lines.lines() {
                    assert!(width(line) <= most.max(30), "{most}: {line}");
                }
                assert_eq!(layout.narrow, most < NARROW);
                assert!(
                    lines.contains("failed") && lines.contains("somebody"),
                    "{most}: {lines}"
                );
            }
        }
    }

    #[test]
    fn nothing_is_cut_without_a_terminal() {
        let screen = Screen {
            colour: false,
            width: None,
            zone: TimeZone::UTC,
        };
        let layout = Layout::new(&[row()], &screen);
        assert!(
            row()
                .cells
                .iter()
                .all(|cell| layout.line(&row(), &screen).contains(cell))
        );

        assert!(
            layout
                .heading(&screen, Timestamp::UNIX_EPOCH)
                .starts_with("TIME (UTC)")
        );
    }
}
