//! Location of the open data, and series read from its CSV files.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

/// The folder of open data.
#[derive(Debug, Clone)]
pub(crate) struct Data {
    root: PathBuf,
}

impl Data {
    /// The data that `$REEVE_TEST_DATA` names, by default `../shared/data`.
    pub(crate) fn from_environment() -> Self {
        let named = std::env::var_os("REEVE_TEST_DATA").map(PathBuf::from);
        Self {
            root: named.unwrap_or_else(|| PathBuf::from("../shared/data")),
        }
    }

    /// A file or folder below the data.
    pub(crate) fn path(&self, below: &str) -> PathBuf {
        self.root.join(below)
    }

    /// Every `.csv` file under a folder, sorted by path.
    pub(crate) fn csv_files(&self, below: &str) -> Result<Vec<PathBuf>> {
        let mut found = Vec::new();
        gather(&self.path(below), &mut found)?;
        found.sort();
        Ok(found)
    }
}

fn gather(folder: &Path, found: &mut Vec<PathBuf>) -> Result<()> {
    let entries = std::fs::read_dir(folder)
        .with_context(|| format!("{} cannot be read", folder.display()))?;
    for entry in entries {
        let path = entry?.path();
        if path.is_dir() {
            gather(&path, found)?;
        } else if path.extension().is_some_and(|extension| extension == "csv") {
            found.push(path);
        }
    }

    Ok(())
}
