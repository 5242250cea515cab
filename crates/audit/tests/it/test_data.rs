//! Location of the published test vectors and of real records.

use std::path::PathBuf;

/// A folder of the open test data, or `None` after saying which cases are skipped.
pub(crate) fn folder(name: &str, skipped: &str) -> Option<PathBuf> {
    let workspace = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..");
    let root = match std::env::var_os("REEVE_TEST_DATA") {
        Some(root) => workspace.join(root),
        None => workspace.join("../shared/data"),
    };
    let folder = root.join(name);
    if folder.is_dir() {
        return Some(folder);
    }

    eprintln!("skipped: {skipped}: no {}", folder.display());
    None
}

/// The files of a folder with their names, in order.
pub(crate) fn files(folder: &std::path::Path) -> Vec<(String, Vec<u8>)> {
    let mut files: Vec<_> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.is_file())
        .map(|path| {
            (
                path.file_name().unwrap().to_string_lossy().into_owned(),
                std::fs::read(&path).unwrap(),
            )
        })
        .collect();
    files.sort();

    files
}
