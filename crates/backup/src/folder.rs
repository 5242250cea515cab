//! A sink that writes parts below a folder that is its own: new files alone, for their owner alone,
//! each durable before the next.

use std::fs::{DirBuilder, File, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

use crate::part::PartName;
use crate::read::BackupSink;

/// A new folder that parts are written to.
pub struct Folder {
    root: PathBuf,
    wanted: fn(&PartName) -> bool,
    open: Option<BufWriter<File>>,
}

impl Folder {
    /// Makes the folder, which must not be there, and takes the parts that `wanted` says.
    ///
    /// # Errors
    /// The operating system reported an error.
    pub fn create(root: &Path, wanted: fn(&PartName) -> bool) -> io::Result<Self> {
        DirBuilder::new().mode(0o700).create(root)?;
        Ok(Folder {
            root: root.to_owned(),
            wanted,
            open: None,
        })
    }

    /// Makes the names of everything that was written durable.
    ///
    /// # Errors
    /// The operating system reported an error.
    pub fn sync(&self) -> io::Result<()> {
        let mut folders = vec![self.root.clone()];
        while let Some(folder) = folders.pop() {
            for item in std::fs::read_dir(&folder)? {
                let item = item?;
                if item.file_type()?.is_dir() {
                    folders.push(item.path());
                }
            }
            File::open(&folder)?.sync_all()?;
        }

        Ok(())
    }
}

impl BackupSink for Folder {
    fn open(&mut self, name: &PartName, _: u64) -> io::Result<Option<Box<dyn Write + '_>>> {
        if !(self.wanted)(name) {
            return Ok(None);
        }

        // The name has no segment that leads out, and below a folder that was empty nothing is a
        // link.
        let path = self.root.join(name.as_str());
        if let Some(parent) = path.parent() {
            DirBuilder::new()
                .recursive(true)
                .mode(0o700)
                .create(parent)?;
        }

        let file = OpenOptions::new()
            .write(true)
            .create_new(true)
            .mode(0o600)
            .open(&path)?;

        Ok(Some(Box::new(
            self.open.insert(BufWriter::with_capacity(1 << 18, file)),
        )))
    }

    fn close(&mut self) -> io::Result<()> {
        let Some(file) = self.open.take() else {
            return Ok(());
        };
        file.into_inner()
            .map_err(io::IntoInnerError::into_error)?
            .sync_data()
    }
}
