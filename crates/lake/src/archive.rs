//! Places of the farther tiers: the port that the lake needs of them, and a folder that fills it.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use async_trait::async_trait;
use reeve_audit::Obstacle;

use crate::place::{blocking, settle};

/// Keeps whole files under names, away from the data directory.
#[async_trait]
pub trait ArchivePlace: Send + Sync + std::fmt::Debug {
    /// Returns its address, as errors and entries name it.
    fn address(&self) -> &str;
    /// Returns the length of a file; `None` if there is none.
    async fn size(&self, name: &str) -> Result<Option<u64>, Obstacle>;
    /// Writes a file, whole and durable when this returns. It replaces one of the same name.
    async fn put(&self, name: &str, from: &Path) -> Result<(), Obstacle>;
    /// Reads a file into a new file on the local disk.
    async fn fetch(&self, name: &str, into: &Path) -> Result<(), Obstacle>;
    /// Deletes a file, and what an interrupted writing of it left; one that is not there is fine.
    async fn delete(&self, name: &str) -> Result<(), Obstacle>;
}

/// A folder of another disk. It must exist: where the disk is not mounted, nothing is written to
/// the folder below.
#[derive(Debug)]
pub struct FolderPlace {
    root: PathBuf,
    address: String,
}

impl FolderPlace {
    /// The place below a folder.
    pub fn new(root: PathBuf) -> FolderPlace {
        FolderPlace {
            address: root.display().to_string(),
            root,
        }
    }

    async fn work<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Path) -> io::Result<T> + Send + 'static,
    ) -> Result<T, Obstacle> {
        let root = self.root.clone();
        let done = blocking(&self.address, move || {
            if root.is_dir() {
                work(&root)
            } else {
                Err(io::Error::other("the folder is not there"))
            }
        });
        done.await
            .map_err(Obstacle::of)?
            .map_err(|error| Obstacle::of(format_args!("{}: {error}", self.address)))
    }
}

#[async_trait]
impl ArchivePlace for FolderPlace {
    fn address(&self) -> &str {
        &self.address
    }

    async fn size(&self, name: &str) -> Result<Option<u64>, Obstacle> {
        let name = name.to_owned();
        self.work(move |root| match fs::metadata(root.join(name)) {
            Ok(found) => Ok(Some(found.len())),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        })
        .await
    }

    async fn put(&self, name: &str, from: &Path) -> Result<(), Obstacle> {
        let (name, from) = (name.to_owned(), from.to_owned());
        self.work(move |root| {
            let target = root.join(&name);
            let partial = root.join(format!("{name}.partial"));
            if let Some(folder) = target.parent() {
                fs::create_dir_all(folder)?;
            }
            io::copy(&mut File::open(from)?, &mut File::create(&partial)?)?;
            settle(root, &partial, &target)
        })
        .await
    }

    async fn fetch(&self, name: &str, into: &Path) -> Result<(), Obstacle> {
        let (name, into) = (name.to_owned(), into.to_owned());
        self.work(move |root| {
            let mut from = File::open(root.join(&name))
                .map_err(|error| io::Error::new(error.kind(), format!("{name}: {error}")))?;
            io::copy(&mut from, &mut File::create(into)?).map(|_| ())
        })
        .await
    }

    async fn delete(&self, name: &str) -> Result<(), Obstacle> {
        let name = name.to_owned();
        self.work(move |root| {
            let path = root.join(&name);
            let mut is_gone = false;
            for file in [&path, &root.join(format!("{name}.partial"))] {
                match fs::remove_file(file) {
                    Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                    done => {
                        done?;
                        is_gone = true;
                    }
                }
            }
            if !is_gone {
                return Ok(());
            }
            match path.parent() {
                Some(folder) => File::open(folder)?.sync_all(),
                None => Ok(()),
            }
        })
        .await
    }
}
