//! The data directory belongs to the account that the service runs as: folders 0700, files 0600.
//! Whoever else is to read entries asks the service, which decides by roles and records who read
//! what; a world-readable segment would go around both.
//!
//! Every room creates its files that way; here the directory itself is made, and a directory of an
//! earlier version put right.

use std::fs::{self, DirBuilder, Permissions};
use std::io;
use std::os::unix::fs::{DirBuilderExt as _, PermissionsExt as _};
use std::path::Path;

use anyhow::{Context as _, Result};

const DIR_MODE: u32 = 0o700;
const FILE_MODE: u32 = 0o600;

/// Folder of the private keys, which look after their own modes.
const KEYS: &str = "keys";

/// Makes the data directory if it is not there, and takes from everything in it what group and
/// others may do. Symbolic links are not followed. Keys are left: one that others may read is
/// refused rather than put right, because somebody may have read it. What cannot be changed,
/// because a person put it there under another account, is told and left.
pub(crate) fn make(dir: &Path) -> Result<()> {
    DirBuilder::new()
        .recursive(true)
        .mode(DIR_MODE)
        .create(dir)
        .with_context(|| format!("the data directory {} could not be made", dir.display()))?;
    let (mut changed, mut folders) = (0_usize, vec![dir.to_path_buf()]);

    while let Some(folder) = folders.pop() {
        changed += usize::from(tighten(&folder, DIR_MODE));
        let items = match fs::read_dir(&folder) {
            Ok(items) => items,
            Err(error) if error.kind() == io::ErrorKind::PermissionDenied => continue,
            Err(error) => {
                return Err(error)
                    .with_context(|| format!("{} could not be read", folder.display()));
            }
        };
        for item in items {
            let item = item.with_context(|| format!("{} could not be read", folder.display()))?;
            match item.file_type() {
                Ok(kind) if kind.is_dir() && item.path() != dir.join(KEYS) => {
                    folders.push(item.path())
                }
                Ok(kind) if kind.is_file() => {
                    changed += usize::from(tighten(&item.path(), FILE_MODE))
                }
                _ => {}
            }
        }
    }

    if changed > 0 {
        tracing::warn!(dir = %dir.display(), changed, "files that others could read or change are for their owner alone from now on");
    }

    Ok(())
}

/// Sets a mode where group or others may do anything. Returns `true` if it was changed.
fn tighten(path: &Path, mode: u32) -> bool {
    // Gone since it was listed, or of another account.
    let Ok(found) = fs::symlink_metadata(path) else {
        return false;
    };

    if found.permissions().mode() & 0o077 == 0 {
        return false;
    }

    match fs::set_permissions(path, Permissions::from_mode(mode)) {
        Ok(()) => true,
        Err(error) => {
            tracing::warn!(file = %path.display(), %error, "others may read or change this file, and it could not be changed");
            false
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn mode(path: &Path) -> u32 {
        fs::metadata(path).unwrap().permissions().mode() & 0o777
    }

    #[test]
    fn a_directory_is_made_and_an_open_one_is_closed() {
        let outside = tempfile::tempdir().unwrap();
        let dir = outside.path().join("new/data");
        make(&dir).unwrap();
        assert_eq!(mode(&dir), 0o700);

        let target = outside.path().join("elsewhere");
        fs::write(&target, "x").unwrap();
        fs::set_permissions(&target, Permissions::from_mode(0o644)).unwrap();
        fs::create_dir_all(dir.join("lake/entries/default")).unwrap();
        fs::write(dir.join("lake/entries/default/a.parquet"), "x").unwrap();
        std::os::unix::fs::symlink(&target, dir.join("link")).unwrap();

        for (path, wide) in [
            ("", 0o755),
            ("lake", 0o755),
            ("lake/entries/default/a.parquet", 0o644),
        ] {
            fs::set_permissions(dir.join(path), Permissions::from_mode(wide)).unwrap();
        }

        make(&dir).unwrap();
        for (path, expected) in [
            ("", 0o700),
            ("lake", 0o700),
            ("lake/entries", 0o700),
            ("lake/entries/default", 0o700),
            ("lake/entries/default/a.parquet", 0o600),
        ] {
            assert_eq!(mode(&dir.join(path)), expected, "{path}");
        }

        assert_eq!(mode(&target), 0o644, "links are not followed");
        fs::create_dir(dir.join(KEYS)).unwrap();
        fs::write(dir.join("keys/log.key"), "x").unwrap();
        fs::set_permissions(dir.join("keys/log.key"), Permissions::from_mode(0o644)).unwrap();
        make(&dir).unwrap();
        assert_eq!(
            mode(&dir.join("keys/log.key")),
            0o644,
            "an exposed key is refused by whoever reads it"
        );
    }
}
