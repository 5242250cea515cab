//! Counts as bars.

use reeve_recommend::words::thousands;

use super::{Screen, Tone, clean, fit, width};

/// Width without a terminal.
const WIDTH: usize = 80;

/// Labels with their counts, a line each; the longest bar is the greatest count.
pub(crate) fn bars(
    counts: &[(String, u64)],
    screen: &Screen,
    tone: impl Fn(&str) -> Tone,
) -> Vec<String> {
    let rows: Vec<(String, String, u64)> = counts
        .iter()
        .map(|(label, count)| (clean(label), thousands(*count), *count))
        .collect();
    let columns = screen.width.unwrap_or(WIDTH).max(20);
    let most = rows.iter().map(|(_, _, count)| *count).max().unwrap_or(0);
    let number = rows
        .iter()
        .map(|(_, text, _)| text.len())
        .max()
        .unwrap_or(0);

    let widest = rows
        .iter()
        .map(|(label, _, _)| width(label))
        .max()
        .unwrap_or(0);

    let label = if screen.width.is_some() {
        widest.min((columns - number) / 2)
    } else {
        widest
    };
    let room = columns.saturating_sub(label + number + 4).min(60);

    rows.iter()
        .map(|(name, text, count)| {
            let bar = bar(*count, most, room);
            let line = format!(
                "{}  {text:>number$}  {}",
                fit(name, label),
                screen.paint(tone(name), &bar)
            );
            line.trim_end().to_owned()
        })
        .collect()
}

/// A bar in eighths of a column; whatever was counted is at least one eighth.
fn bar(count: u64, most: u64, room: usize) -> String {
    const EIGHTHS: [&str; 8] = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];

    if most == 0 || count == 0 {
        return String::new();
    }

    let whole = room as u128 * 8;
    let eighths = (u128::from(count) * whole)
        .div_ceil(u128::from(most))
        .min(whole);
    let (full, rest) = ((eighths / 8) as usize, (eighths % 8) as usize);

    format!("{}{}", "█".repeat(full), EIGHTHS[rest])
}

#[cfg(test)]
mod tests {
    use super::*;
    use jiff::tz::TimeZone;

    #[test]
    fn bars_fit_and_are_in_proportion() {
        assert_eq!(bar(8, 8, 4), "████");
        assert_eq!(bar(4, 8, 4), "██");
        assert_eq!(bar(1, 1_000_000, 4), "▏");
        assert_eq!((bar(0, 8, 4), bar(0, 0, 4)), (String::new(), String::new()));
        assert_eq!(bar(u64::MAX, u64::MAX, 2), "██");

        for columns in [20, 40, 120] {
            let screen = Screen {
                colour: false,
                width: Some(columns),
                zone: TimeZone::UTC,
            };
            let counts = [
                ("authentication.login.of.somebody".to_owned(), 1_234_567),
                ("x".to_owned(), 1),
            ];
            let lines = bars(&counts, &screen, |_| Tone::Plain);
            assert!(lines.iter().all(|line| width(line) <= columns), "{lines:?}");
            assert!(lines[0].contains("1,234,567"));
        }
    }
}
