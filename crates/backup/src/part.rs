//! Names of parts: paths below a data directory, in folders that one has. A name that could lead
//! anywhere else is no name.

use std::fmt;

/// Folders of a data directory that a backup may hold.
const FOLDERS: [&str; 7] = [
    "anchor",
    "charges",
    "keys",
    "lake",
    "ledger",
    "state",
    "threat-lists",
];
/// Bytes of a name.
const MOST_BYTES: usize = 1024;
/// Bytes between two slashes: what file systems take.
const MOST_SEGMENT: usize = 255;
/// Folders within each other.
const MOST_DEPTH: usize = 12;

/// The name of a part, such as `ledger/manifest.json`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PartName(String);

/// Reason why a text is no name of a part.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{name:?} is not a path in a data directory")]
pub struct NameError {
    /// The text, cut to a length that can be shown.
    pub name: String,
}

impl PartName {
    /// Reads a name. Refuses absolute paths, `.` and `..`, hidden files, control characters,
    /// backslashes, and folders that a data directory does not have.
    ///
    /// # Errors
    /// [`NameError`].
    pub fn parse(text: &str) -> Result<Self, NameError> {
        let refused = || NameError {
            name: text.chars().take(120).collect(),
        };

        let segments: Vec<&str> = text.split('/').collect();
        let sound = |segment: &&str| {
            !segment.is_empty()
                && segment.len() <= MOST_SEGMENT
                && !segment.starts_with('.')
                && !segment
                    .chars()
                    .any(|letter| letter.is_control() || letter == '\\')
        };

        let known = FOLDERS.contains(&segments[0]) && (2..=MOST_DEPTH).contains(&segments.len());
        if text.len() > MOST_BYTES || !known || !segments.iter().all(sound) {
            return Err(refused());
        }

        Ok(PartName(text.to_owned()))
    }

    /// The name as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The folder of the data directory that it is in.
    #[must_use]
    pub fn folder(&self) -> &str {
        self.0.split('/').next().unwrap_or_default()
    }
}

impl fmt::Display for PartName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_stay_within_the_data_directory() {
        for name in [
            "ledger/manifest.json",
            "lake/samples/a~2fb/2026-11-20/1-2.parquet",
            "charges/März 2026.csv",
        ] {
            assert!(PartName::parse(name).is_ok(), "{name}");
        }

        let long = format!("ledger/{}", "a".repeat(256));
        let deep = format!("lake/{}x", "a/".repeat(12));

        for name in [
            "",
            "ledger",
            "/etc/passwd",
            "ledger/",
            "ledger//a",
            "ledger/../../etc/passwd",
            "../x",
            "ledger/./a",
            "ledger/.hidden",
            "ledger\\a",
            "ledger/a\\..\\b",
            "ledger/a\nb",
            "ledger/a\0",
            "home/x",
            "manifest.json",
            ".ssh/id",
            &long,
            &deep,
        ] {
            assert!(PartName::parse(name).is_err(), "{name}");
        }
    }
}
