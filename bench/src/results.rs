//! Measured figures, saved as they come: `results.json` for programs and `results.md` for people,
//! written anew after each stage.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use anyhow::Result;
use serde_json::json;

use crate::goals::GOALS;

/// System that a figure belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum System {
    Reeve,
    Postgres,
}

/// One measured figure.
#[derive(Debug, Clone)]
pub(crate) struct Figure {
    pub(crate) system: System,
    /// Key of the figure, the same for both systems: `search.user.p99`.
    pub(crate) key: String,
    pub(crate) what: String,
    pub(crate) value: f64,
    pub(crate) unit: &'static str,
    /// Method of measurement and level of durability.
    pub(crate) how: String,
}

/// Figures measured so far.
pub(crate) struct Results {
    dir: PathBuf,
    pub(crate) facts: Vec<(String, String)>,
    pub(crate) figures: Vec<Figure>,
    /// Sentences to be read with the figures.
    pub(crate) notes: Vec<String>,
    pub(crate) failures: Vec<(String, String)>,
}

impl Results {
    /// Creates empty results, stored in `dir`.
    pub(crate) fn new(dir: &Path, facts: Vec<(String, String)>) -> Self {
        Self {
            dir: dir.to_owned(),
            facts,
            figures: Vec::new(),
            notes: Vec::new(),
            failures: Vec::new(),
        }
    }

    /// Adds a figure and prints it.
    pub(crate) fn add(
        &mut self,
        system: System,
        key: &str,
        what: &str,
        value: f64,
        unit: &'static str,
        how: &str,
    ) {
        let name = if system == System::Reeve {
            ""
        } else {
            "PostgreSQL: "
        };
        say(&format!("  {name}{what}: {} {unit}", show(value)));

        self.figures.push(Figure {
            system,
            key: key.into(),
            what: what.into(),
            value,
            unit,
            how: how.into(),
        });
    }

    /// Adds a sentence and prints it.
    pub(crate) fn note(&mut self, text: String) {
        say(&format!("  {text}"));
        self.notes.push(text);
    }

    /// Writes `results.json` and `results.md`.
    pub(crate) fn save(&self) -> Result<()> {
        let figures: Vec<_> = self
            .figures
            .iter()
            .map(|figure| {
                let system = if figure.system == System::Reeve { "reeve" } else { "postgresql" };
                json!({"system": system, "key": figure.key, "what": figure.what, "value": figure.value, "unit": figure.unit, "how": figure.how})
            })
            .collect();

        let facts: serde_json::Map<_, _> = self
            .facts
            .iter()
            .map(|(k, v)| (k.clone(), json!(v)))
            .collect();

        let failures: Vec<_> = self
            .failures
            .iter()
            .map(|(stage, why)| json!({"stage": stage, "why": why}))
            .collect();
        let all = json!({"machine": facts, "figures": figures, "notes": self.notes, "failures": failures});
        std::fs::write(self.dir.join("results.json"), format!("{all:#}\n"))?;
        std::fs::write(self.dir.join("results.md"), self.markdown())?;

        Ok(())
    }

    /// Formats the figures as tables of Markdown.
    pub(crate) fn markdown(&self) -> String {
        let mut out = String::new();
        // Writing to a String cannot fail.
        let _ = writeln!(
            out,
            "## Goals\n\nMeasured where nothing else is said over all entries of the run. \"aim\" means that what was aimed for is there.\n\n| | reach | aim for | measured | |\n|---|---|---|---|---|"
        );

        for goal in &GOALS {
            let measured = self.value(System::Reeve, goal.key);
            let (shown, verdict) = measured.map_or(("not measured".to_owned(), ""), |value| {
                (show(value), goal.verdict(value))
            });
            let (reach, aim) = (show(goal.reach), show(goal.aim));
            let _ = writeln!(
                out,
                "| {}, {} | {reach} | {aim} | {shown} | {verdict} |",
                goal.what, goal.unit
            );
        }

        self.ratios(&mut out);
        let _ = writeln!(out, "\n## All figures\n\n| | | | how |\n|---|---|---|---|");

        for figure in &self.figures {
            let name = if figure.system == System::Reeve {
                ""
            } else {
                "PostgreSQL: "
            };
            let _ = writeln!(
                out,
                "| {name}{} | {} | {} | {} |",
                figure.what,
                show(figure.value),
                figure.unit,
                figure.how
            );
        }

        let _ = writeln!(out, "\n## Notes\n");
        for note in &self.notes {
            let _ = writeln!(out, "- {note}");
        }

        for (stage, why) in &self.failures {
            let _ = writeln!(out, "- **The stage `{stage}` failed**: {why}");
        }

        let _ = writeln!(out, "\n## Machine\n\n| | |\n|---|---|");
        for (name, value) in &self.facts {
            let _ = writeln!(out, "| {name} | {value} |");
        }

        out
    }

    fn ratios(&self, out: &mut String) {
        if !self
            .figures
            .iter()
            .any(|figure| figure.system == System::Postgres)
        {
            return;
        }

        let _ = writeln!(
            out,
            "\n## Against PostgreSQL\n\n| | Reeve | PostgreSQL | PostgreSQL / Reeve |\n|---|---|---|---|"
        );
        let is_reeve = |figure: &&Figure| {
            let details = [".max", ".client", ".first"];
            figure.system == System::Reeve
                && !details.iter().any(|detail| figure.key.ends_with(detail))
        };

        for figure in self.figures.iter().filter(is_reeve) {
            if let Some(other) = self.value(System::Postgres, &figure.key) {
                let ratio = if figure.value > 0.0 {
                    show(other / figure.value)
                } else {
                    "-".to_owned()
                };
                let (own, other) = (show(figure.value), show(other));
                let _ = writeln!(
                    out,
                    "| {}, {} | {own} | {other} | {ratio} |",
                    figure.what, figure.unit
                );
            }
        }
    }

    fn value(&self, system: System, key: &str) -> Option<f64> {
        self.figures
            .iter()
            .find(|figure| figure.system == system && figure.key == key)
            .map(|figure| figure.value)
    }
}

/// A number with about three digits that count.
pub(crate) fn show(value: f64) -> String {
    match value.abs() {
        large if large >= 1_000.0 => grouped(value.round() as i64),
        middle if middle >= 100.0 => format!("{value:.0}"),
        small if small >= 10.0 => format!("{value:.1}"),
        _ => format!("{value:.2}"),
    }
}

fn grouped(number: i64) -> String {
    let digits = number.unsigned_abs().to_string();
    let mut out = String::from(if number < 0 { "-" } else { "" });

    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// Prints a line of progress.
#[allow(clippy::print_stdout)]
pub(crate) fn say(line: &str) {
    println!("{line}");
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::{Results, System, show};

    #[test]
    fn numbers_are_shown_with_the_digits_that_count() {
        for (value, text) in [
            (0.2, "0.20"),
            (12.34, "12.3"),
            (999.4, "999"),
            (1_000.0, "1,000"),
            (12_345_678.9, "12,345,679"),
        ] {
            assert_eq!(show(value), text);
        }
    }

    #[test]
    fn tables_have_goals_and_ratios() {
        let mut results = Results::new(Path::new("."), vec![("processor".into(), "one".into())]);
        results.add(
            System::Reeve,
            "append.rate",
            "append",
            50_000.0,
            "entries/s",
            "fsync",
        );

        results.add(
            System::Postgres,
            "append.rate",
            "append",
            5_000.0,
            "entries/s",
            "fsync",
        );

        let text = results.markdown();
        assert!(
            text.contains("| 40,000 | 100,000 | 50,000 | reached |"),
            "{text}"
        );
        assert!(
            text.contains("| append, entries/s | 50,000 | 5,000 | 0.10 |"),
            "{text}"
        );
        assert!(text.contains("| 0.35 | 0.20 | not measured |  |"), "{text}");
    }
}
