//! The manifest at start: the signed journal, or the unsigned file of versions before it.

use std::path::Path;
use std::sync::Arc;

use crate::attest::Attestor;
use crate::config::Places;
use crate::disk::Disk;
use crate::manifest::journal::{self, Journal, JournalContent};
use crate::manifest::{Manifest, ManifestError};
use crate::open_error::OpenError;

/// Reads the signed manifest, or the unsigned one of an earlier version. The second value is `None`
/// for that one, and for a log without any.
pub(super) fn read_manifest(
    disk: &dyn Disk,
    places: &Places,
    origin: &str,
    attestor: &Attestor,
) -> Result<(Manifest, Option<JournalContent>), OpenError> {
    let path = places.manifest();
    let content =
        journal::read(disk, &path, attestor).map_err(|error| manifest_error(&path, error))?;
    if let Some(content) = &content
        && let Some(cause) = &content.rejected
    {
        tracing::warn!(file = %path.display(), offset = content.length, cause, "bytes behind the manifest's last record do not count");
    }

    let (path, manifest) = match &content {
        Some(content) => (path, content.manifest.clone()),
        None => {
            let path = places.unsigned_manifest();
            let manifest =
                Manifest::read(disk, &path).map_err(|error| manifest_error(&path, error))?;
            (path, manifest.unwrap_or_else(|| Manifest::empty(origin)))
        }
    };

    if manifest.origin != origin {
        let cause = format!("it is of the log {}, not of {origin}", manifest.origin);
        return Err(OpenError::Sealed { path, cause });
    }

    Ok((manifest, content))
}

/// A log file that is missing where the manifest lost its newest record is the manifest's fault.
pub(super) fn blame_manifest(
    error: OpenError,
    places: &Places,
    content: Option<&JournalContent>,
) -> OpenError {
    let rejected = content.and_then(|content| {
        content
            .rejected
            .as_ref()
            .map(|cause| (content.length, cause))
    });
    match (error, rejected) {
        (OpenError::WalMissing { sequence, .. }, Some((at, cause))) => OpenError::Forged {
            path: places.manifest(),
            cause: format!(
                "the record at byte {at} does not hold ({cause}), and no other file has entry {sequence}"
            ),
        },
        (error, _) => error,
    }
}

/// Opens the manifest for the next seal. That of a new log is made; what was accepted without a
/// signature has none until the entry about it is recorded.
pub(super) fn open_journal(
    disk: &Arc<dyn Disk>,
    places: &Places,
    attestor: &Arc<Attestor>,
    manifest: &Manifest,
    content: Option<&JournalContent>,
    is_unsigned: bool,
) -> Result<Option<Journal>, OpenError> {
    let path = places.manifest();
    let opened = match content {
        Some(content) => Journal::open(disk, &path, attestor, content),
        None if is_unsigned => return Ok(None),
        None => Journal::create(disk, &path, attestor, manifest),
    };
    let journal = opened.map_err(|error| manifest_error(&path, error))?;
    remove_unsigned_manifest(disk.as_ref(), places);
    Ok(Some(journal))
}

/// Removes the file that the journal replaces. It counts for nothing once the journal is there.
pub(crate) fn remove_unsigned_manifest(disk: &dyn Disk, places: &Places) {
    match disk.remove(&places.unsigned_manifest()) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            tracing::warn!(%error, "the manifest of an earlier version could not be removed; it counts for nothing");
        }
        _ => {}
    }
}

/// Wraps a fault of the manifest with its place.
pub(crate) fn manifest_error(path: &Path, error: ManifestError) -> OpenError {
    match error {
        ManifestError::Io(error) => OpenError::io(path, "accessing")(error),
        ManifestError::Unattested(_) => OpenError::Forged {
            path: path.to_owned(),
            cause: error.to_string(),
        },
        error => OpenError::Sealed {
            path: path.to_owned(),
            cause: error.to_string(),
        },
    }
}
