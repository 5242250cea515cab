//! Log files on disk: which files of a folder are logs, and opening one.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use crate::read::RecordReader;

/// Endings of log files inside a folder.
const ENDINGS: [&str; 7] = [
    ".json",
    ".json.gz",
    ".jsonl",
    ".jsonl.gz",
    ".ndjson",
    ".ndjson.gz",
    ".gz",
];
/// The folder beside the logs in which CloudTrail keeps its digests.
const DIGESTS: &str = "CloudTrail-Digest";

/// The file itself, or all log files under a folder, in order of their paths. Hidden files, digests
/// and links to folders are left out.
pub fn log_files(path: &Path) -> io::Result<Vec<PathBuf>> {
    if !fs::metadata(path)?.is_dir() {
        return Ok(vec![path.to_owned()]);
    }

    let (mut files, mut folders) = (Vec::new(), vec![path.to_owned()]);
    while let Some(folder) = folders.pop() {
        for item in fs::read_dir(&folder)? {
            let item = item?;
            let name = item.file_name().to_string_lossy().into_owned();
            if name.starts_with('.') || name == DIGESTS {
                continue;
            }
            if item.file_type()?.is_dir() {
                folders.push(item.path());
            } else if ENDINGS
                .iter()
                .any(|ending| name.to_lowercase().ends_with(ending))
            {
                files.push(item.path());
            }
        }
    }

    files.sort();
    Ok(files)
}

/// Opens a log file, compressed or not.
pub fn open(path: &Path) -> io::Result<RecordReader> {
    RecordReader::new(File::open(path)?)
}
