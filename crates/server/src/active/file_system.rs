//! File system of the data directory: on one that several machines share, `flock` is no fence.
//!
//! The server of a network file system takes the locks of a client away that it has not heard of
//! for a while (NFSv4: RFC 8881, section 8.3). A paused process then goes on writing beside its
//! successor, so that a deadline is needed that it checks itself.

use std::path::Path;

use anyhow::{Result, bail};

use crate::config::Config;

/// File systems that more than one machine can write to, as `/proc/self/mountinfo` names them. What
/// user space serves (`fuse.*`) is decided by [`LOCAL_FUSE`].
const SHARED: &[&str] = &[
    "9p",
    "afs",
    "beegfs",
    "ceph",
    "cifs",
    "coda",
    "gfs2",
    "glusterfs",
    "gpfs",
    "lustre",
    "ncpfs",
    "nfs",
    "nfs4",
    "ocfs2",
    "orangefs",
    "prl_fs",
    "smb3",
    "smbfs",
    "vboxsf",
    "virtiofs",
    "vmhgfs",
];

/// File systems in user space that are on a disk of this machine.
const LOCAL_FUSE: &[&str] = &[
    "fuse.ext2",
    "fuse.ext4",
    "fuse.fuse-overlayfs",
    "fuse.gocryptfs",
    "fuse.ntfs-3g",
    "fuseblk",
];

/// Refuses a data directory on a file system that machines share, unless the lease of a shared
/// database is the fence.
///
/// # Errors
/// The reason, and the remedies.
pub(crate) fn check(config: &Config) -> Result<()> {
    let data_dir = config.data_dir.as_path();
    let has_deadline = config
        .state_url
        .as_deref()
        .is_some_and(|url| url.starts_with("postgres"));
    let Some(file_system) = file_system(data_dir) else {
        tracing::warn!(
            "the file system of the data directory is not known: on one that machines share, set state_url to PostgreSQL"
        );
        return Ok(());
    };

    refuse(data_dir, &file_system, has_deadline)
}

/// Returns `true` if a lock on a file in a directory ends with its process and not before.
pub(super) fn locks_last(data_dir: &Path) -> bool {
    file_system(data_dir).is_some_and(|name| !is_shared(&name))
}

fn refuse(data_dir: &Path, file_system: &str, has_deadline: bool) -> Result<()> {
    if !is_shared(file_system) || has_deadline {
        return Ok(());
    }
    bail!(
        "{} is on {file_system}, a file system that several machines can use: its locks end without their holder, so that two servers could write one log. Set state_url to a PostgreSQL database, whose lease is a fence between machines, or move data_dir to a local disk (docs/operate/standby.md)",
        data_dir.display()
    );
}

fn is_shared(file_system: &str) -> bool {
    SHARED.contains(&file_system)
        || (file_system.starts_with("fuse") && !LOCAL_FUSE.contains(&file_system))
}

/// Name of the file system of a directory; `None` if the system does not tell it.
fn file_system(dir: &Path) -> Option<String> {
    let dir = dir.canonicalize().ok()?;
    named(&std::fs::read_to_string("/proc/self/mountinfo").ok()?, &dir)
}

/// Finds the innermost mount of a directory in a table of mounts (proc(5)); of several at one place
/// the last hides the others.
fn named(mounts: &str, dir: &Path) -> Option<String> {
    let mut found: Option<(usize, &str)> = None;
    for line in mounts.lines() {
        let (place, kind) = line.split_once(" - ")?;
        let point = unescaped(place.split(' ').nth(4)?);
        let depth = Path::new(&point).components().count();
        if dir.starts_with(&point) && found.is_none_or(|(deepest, _)| depth >= deepest) {
            found = Some((depth, kind.split(' ').next()?));
        }
    }

    found.map(|(_, kind)| kind.to_owned())
}

/// Space, tab, line feed and backslash are written as three octal digits.
fn unescaped(text: &str) -> String {
    text.replace("\\040", " ")
        .replace("\\011", "\t")
        .replace("\\012", "\n")
        .replace("\\134", "\\")
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    const MOUNTS: &str = "22 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw\n\
        40 22 0:40 / /srv rw shared:20 - nfs4 10.0.0.1:/srv rw,vers=4.2\n\
        41 40 8:2 / /srv/local\\040disk rw - xfs /dev/sdb1 rw\n\
        42 22 0:50 / /mnt rw - fuse.glusterfs g:/vol rw\n\
        43 22 0:51 / /home rw - fuse.gocryptfs /plain rw\n\
        44 22 0:52 / /over rw - nfs 10.0.0.1:/x rw\n\
        45 22 8:3 / /over rw - ext4 /dev/sdc1 rw\n";

    #[test]
    fn the_innermost_mount_decides() {
        let of = |dir: &str| named(MOUNTS, Path::new(dir)).unwrap();
        assert_eq!(of("/var/lib/reeve"), "ext4");
        assert_eq!(
            (of("/srv/reeve"), of("/srv")),
            ("nfs4".into(), "nfs4".into())
        );
        assert_eq!(of("/srv/local disk/reeve"), "xfs");
        assert_eq!(of("/srvs"), "ext4", "a name that only begins alike");
        assert_eq!(
            of("/over/reeve"),
            "ext4",
            "the last mount hides the one before"
        );

        let own = file_system(&std::env::temp_dir()).unwrap();
        assert!(!own.is_empty(), "{own}");
    }

    #[test]
    fn shared_ones_are_refused_without_a_deadline() {
        let dir = Path::new("/srv/reeve");
        for kind in [
            "nfs",
            "nfs4",
            "cifs",
            "smb3",
            "9p",
            "ceph",
            "fuse.glusterfs",
            "fuse.sshfs",
            "fuse",
            "virtiofs",
        ] {
            let refused = refuse(dir, kind, false).unwrap_err().to_string();
            assert!(
                refused.contains("/srv/reeve is on ") && refused.contains("state_url"),
                "{refused}"
            );
            refuse(dir, kind, true).unwrap();
        }

        for kind in [
            "ext4",
            "xfs",
            "btrfs",
            "zfs",
            "tmpfs",
            "overlay",
            "fuse.gocryptfs",
            "fuseblk",
        ] {
            refuse(dir, kind, false).unwrap();
        }
    }
}
