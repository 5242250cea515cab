//! A file, best on another disk: replaced at once and durably.

use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};
use async_trait::async_trait;

use super::{PublishDestination, Published};

/// A file that holds the newest checkpoint.
pub(crate) struct FileDestination(PathBuf);

impl FileDestination {
    /// At a path whose folder exists.
    pub(crate) fn new(path: PathBuf) -> FileDestination {
        FileDestination(path)
    }
}

#[async_trait]
impl PublishDestination for FileDestination {
    fn name(&self) -> &str {
        "file"
    }

    async fn deliver(&self, published: &Published) -> Result<()> {
        let path = self.0.clone();
        match tokio::fs::read(&path).await {
            Ok(kept) => published
                .follows(&kept)
                .await
                .with_context(|| path.display().to_string())?,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(error).with_context(|| path.display().to_string()),
        }

        let note = published.note.clone();
        tokio::task::spawn_blocking(move || write(&path, &note)).await?
    }
}

fn write(path: &Path, note: &str) -> Result<()> {
    let mut unnamed = path.as_os_str().to_owned();
    unnamed.push(".tmp");
    let replace = || -> io::Result<()> {
        let mut file = File::create(&unnamed)?;
        file.write_all(note.as_bytes())?;
        file.sync_all()?;
        fs::rename(&unnamed, path)?;
        let dir = path
            .parent()
            .filter(|dir| !dir.as_os_str().is_empty())
            .unwrap_or(Path::new("."));
        File::open(dir)?.sync_all()
    };

    replace().with_context(|| path.display().to_string())
}
