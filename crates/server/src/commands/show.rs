//! Output to a terminal: colour, width, times, and text that cannot command the terminal.

mod bars;
mod table;

use std::io::IsTerminal as _;

use clap::ColorChoice;
use jiff::Timestamp;
use jiff::tz::TimeZone;
use unicode_width::{UnicodeWidthChar as _, UnicodeWidthStr as _};

use crate::cli::Look;

pub(crate) use bars::bars;
pub(crate) use table::{Layout, ShowRow};

/// Form of standard output.
#[derive(Debug, Clone)]
pub(crate) struct Screen {
    colour: bool,
    /// Columns of the terminal; `None` when it is none, and nothing is cut.
    pub(crate) width: Option<usize>,
    /// Zone of the times.
    pub(crate) zone: TimeZone,
}

/// Colours by what they mean.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Tone {
    /// Text in the terminal's own color.
    Plain,
    /// Text that is less important.
    Faint,
    Strong,
    /// Something went well.
    Good,
    /// Something that deserves a look.
    Notice,
    /// Something went wrong.
    Bad,
    /// Went wrong, and severe.
    Worst,
}

impl Tone {
    const fn code(self) -> &'static str {
        match self {
            Self::Plain => "",
            Self::Faint => "2",
            Self::Strong => "1",
            Self::Good => "32",
            Self::Notice => "33",
            Self::Bad => "31",
            Self::Worst => "1;31",
        }
    }

    /// The tone of a severity.
    pub(crate) fn of_severity(severity: &str) -> Self {
        match severity {
            "critical" => Self::Worst,
            "high" => Self::Bad,
            "medium" => Self::Notice,
            "info" => Self::Faint,
            _ => Self::Plain,
        }
    }

    /// The tone of an outcome.
    pub(crate) fn of_status(status: &str) -> Self {
        match status {
            "success" => Self::Good,
            "failed" => Self::Bad,
            "denied" => Self::Worst,
            "pending" => Self::Notice,
            _ => Self::Faint,
        }
    }
}

impl Screen {
    /// Standard output, as the flags and the environment request it.
    pub(crate) fn new(look: &Look) -> Self {
        let terminal = std::io::stdout().is_terminal();
        let set = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
        let dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
        let colour = match look.color {
            ColorChoice::Always => true,
            ColorChoice::Never => false,
            ColorChoice::Auto => terminal && !set("NO_COLOR") && !dumb,
        };
        let width = terminal
            .then(|| terminal_size::terminal_size().map_or(80, |(width, _)| usize::from(width.0)));

        Self {
            colour,
            width: width.filter(|width| *width > 0),
            zone: zone(look.local),
        }
    }

    /// Text in a tone.
    pub(crate) fn paint(&self, tone: Tone, text: &str) -> String {
        if self.colour && tone != Tone::Plain {
            format!("\u{1b}[{}m{text}\u{1b}[0m", tone.code())
        } else {
            text.to_owned()
        }
    }

    /// A time, in the screen's zone.
    pub(crate) fn time(&self, at: Timestamp) -> String {
        at.to_zoned(self.zone.clone())
            .strftime("%Y-%m-%d %H:%M:%S")
            .to_string()
    }

    /// The zone's name, with its distance from UTC where it has one.
    pub(crate) fn zone_name(&self, now: Timestamp) -> String {
        if self.zone == TimeZone::UTC {
            return "UTC".to_owned();
        }

        let now = now.to_zoned(self.zone.clone());
        match self.zone.iana_name() {
            Some("Etc/UTC" | "UTC") => "local, UTC".to_owned(),
            Some(name) => format!("{name}, {}", now.strftime("%:z")),
            None => format!("local, {}", now.strftime("%:z")),
        }
    }
}

/// UTC, or this machine's zone.
pub(crate) fn zone(local: bool) -> TimeZone {
    if local {
        TimeZone::system()
    } else {
        TimeZone::UTC
    }
}

/// Text without what a terminal obeys: controls, and what turns the direction of writing, stand as
/// JSON spells them.
pub(crate) fn clean(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if c.is_control() || matches!(c, '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}') {
            out.push_str(&format!("\\u{:04x}", u32::from(c)));
        } else {
            out.push(c);
        }
    }
    out
}

/// Columns that text takes.
pub(crate) fn width(text: &str) -> usize {
    text.width()
}

/// Text cut to so many columns, and filled up to them.
pub(crate) fn fit(text: &str, columns: usize) -> String {
    let taken = width(text);
    if taken <= columns {
        return format!("{text}{}", " ".repeat(columns - taken));
    }

    let (mut out, mut used) = (String::new(), 0);
    for c in text.chars() {
        let more = c.width().unwrap_or(0);
        if used + more + 1 > columns {
            break;
        }
        used += more;
        out.push(c);
    }

    if columns > 0 {
        out.push('…');
        used += 1;
    }

    format!("{out}{}", " ".repeat(columns.saturating_sub(used)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_fits_and_commands_nothing() {
        assert_eq!(fit("abc", 5), "abc  ");
        assert_eq!(fit("abcdef", 4), "abc…");
        assert_eq!(fit("漢字漢字", 6), "漢字… ");
        assert_eq!(fit("漢字", 4), "漢字");
        assert_eq!((fit("abc", 0).as_str(), fit("abc", 1).as_str()), ("", "…"));
        assert_eq!(
            clean("a\u{1b}[31m\n\u{202e}b"),
            "a\\u001b[31m\\u000a\\u202eb"
        );
    }

    #[test]
    fn colour_only_where_it_is_on() {
        let screen = |colour| Screen {
            colour,
            width: None,
            zone: TimeZone::UTC,
        };
        assert_eq!(screen(false).paint(Tone::Bad, "x"), "x");

        assert_eq!(screen(true).paint(Tone::Bad, "x"), "\u{1b}[31mx\u{1b}[0m");
        assert_eq!(screen(true).paint(Tone::Plain, "x"), "x");
    }
}
