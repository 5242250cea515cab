//! A folder of this machine, below the one that the configuration allows. Links that lead out of it
//! are refused.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use reeve_exports::CarryError;

/// Copies a file below `root/prefix`, durably and under its name only once it is whole.
pub(super) fn put(
    root: &Path,
    prefix: &str,
    name: &str,
    file: &Path,
) -> Result<String, CarryError> {
    let failed =
        |error: io::Error| CarryError::passing(format!("the folder cannot be written: {error}"));
    let root = root.canonicalize().map_err(failed)?;
    let folder = make(&root, prefix)?;
    let (unnamed, target) = (folder.join(format!(".{name}.part")), folder.join(name));
    let copy = || -> io::Result<()> {
        let mut out = File::create(&unnamed)?;
        io::copy(&mut File::open(file)?, &mut out)?;
        out.sync_all()?;
        fs::rename(&unnamed, &target)?;
        File::open(&folder)?.sync_all()
    };
    copy().map_err(failed)?;

    Ok(target.display().to_string())
}

/// Makes the folders of a prefix one by one. A link is followed only while it stays below the root:
/// the folders after it would be made elsewhere before anybody looked.
fn make(root: &Path, prefix: &str) -> Result<PathBuf, CarryError> {
    let failed =
        |error: io::Error| CarryError::passing(format!("the folder cannot be written: {error}"));
    let mut folder = root.to_owned();

    for part in Path::new(prefix).components() {
        folder.push(part);
        match fs::create_dir(&folder) {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => {
                return Err(failed(error));
            }
            _ => {}
        }
        folder = folder.canonicalize().map_err(failed)?;
        if !folder.starts_with(root) {
            return Err(CarryError::permanent(
                "the folder leads out of the one that the configuration allows",
            ));
        }
    }

    Ok(folder)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn a_link_does_not_lead_out() {
        let (root, outside) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let file = outside.path().join("file");
        fs::write(&file, b"entries").unwrap();
        let address = put(root.path(), "a/b", "one.csv", &file).unwrap();
        assert_eq!(fs::read(address).unwrap(), b"entries");
        std::os::unix::fs::symlink(outside.path(), root.path().join("out")).unwrap();
        for prefix in ["out", "out/new/deeper", ".."] {
            let refused = put(root.path(), prefix, "one.csv", &file).unwrap_err();
            assert!(refused.message.contains("leads out"), "{refused}");
        }

        assert_eq!(fs::read_dir(outside.path()).unwrap().count(), 1);
    }
}
