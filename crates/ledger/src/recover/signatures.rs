//! Signatures that a start rests on. Every other check of recovery compares files of the directory
//! with each other, and whoever can write all of them can make them agree. The service signs the
//! recovered root at once, so without these checks it would sign for anybody who can write the
//! disk.

use std::path::Path;

use reeve_tlog::{Checkpoint, Epochs, SignedNote, tree_root};

use super::replay::FrameNote;
use crate::accept::Unsigned;
use crate::anchor::AnchorHead;
use crate::config::{Config, Places};
use crate::disk::{Disk, read_if_there};
use crate::manifest::Manifest;
use crate::open_error::OpenError;
use crate::tiles::Tiles;

/// Files of the log whose signatures are verified, as recovery found them.
pub(super) struct Signatures<'a> {
    pub(super) disk: &'a dyn Disk,
    pub(super) config: &'a Config,
    pub(super) places: &'a Places,
    pub(super) keys: &'a Epochs,
    pub(super) tiles: &'a Tiles,
}

fn forged(path: &Path, cause: String) -> OpenError {
    OpenError::Forged {
        path: path.to_owned(),
        cause,
    }
}

/// An error with the errors that caused it.
fn with_causes(error: &dyn std::error::Error) -> String {
    let causes = std::iter::successors(error.source(), |error| error.source());
    causes.fold(error.to_string(), |text, cause| format!("{text}: {cause}"))
}

impl Signatures<'_> {
    /// Verifies all of them. Returns the extent of what has no signature, where that was accepted.
    pub(super) fn verify(
        &self,
        newest: Option<&FrameNote>,
        anchored: Option<&AnchorHead>,
        manifest: &Manifest,
        is_signed: bool,
    ) -> Result<Option<Unsigned>, OpenError> {
        let mut signed_size = 0;
        if let Some(newest) = newest {
            // Its root was compared with the entries when it was read, so it speaks for the whole
            // log.
            self.frame(newest)?;
            signed_size = self.tiles.size();
        }

        signed_size = signed_size.max(self.checkpoint(&self.places.checkpoint(), false)?);
        signed_size =
            signed_size.max(self.checkpoint(&self.places.dir.join("checkpoint.cosigned"), true)?);

        if let Some(head) = anchored {
            match head.verify(self.keys) {
                Ok(()) => signed_size = signed_size.max(head.size),
                // Versions before the signed manifest wrote such anchors; what is said of the
                // manifest goes for both.
                Err(_) if head.signature.is_none() && !is_signed => {}
                Err(error) => {
                    let cause =
                        format!("the anchor's signature is refused: {}", with_causes(&error));
                    return Err(forged(&self.places.anchor, cause));
                }
            }
        }

        let size = self.tiles.size();
        // A log without entries has nothing that a signature could protect.
        if is_signed || size == 0 {
            return Ok(None);
        }

        if self.config.accept_unsigned.is_none() {
            return Err(OpenError::Unsigned {
                path: self.places.manifest(),
                size,
            });
        }

        let (root, sealed_size) = (self.tiles.root(), manifest.sealed_size);
        Ok(Some(Unsigned {
            size,
            root,
            sealed_size,
            signed_size,
        }))
    }

    fn frame(&self, newest: &FrameNote) -> Result<(), OpenError> {
        let FrameNote { path, offset, note } = newest;
        self.keys.open(note.as_bytes()).map(drop).map_err(|error| {
            let cause = with_causes(&error);
            forged(
                path,
                format!(
                    "the checkpoint of the newest frame, at byte {offset}, is refused: {cause}"
                ),
            )
        })
    }

    /// Holds the log against a checkpoint that is kept beside it. Returns the entries it covers.
    ///
    /// The file is replaced without waiting for the disk, so a power cut may leave nothing or a
    /// part of a note: that counts as missing. A whole note must hold, unless the file is
    /// disposable: then it counts only if it does.
    fn checkpoint(&self, path: &Path, is_disposable: bool) -> Result<u64, OpenError> {
        let Some(bytes) = read_if_there(self.disk, path).map_err(OpenError::io(path, "reading"))?
        else {
            return Ok(0);
        };
        let Ok(note) = SignedNote::parse(&bytes) else {
            tracing::warn!(file = %path.display(), "the checkpoint is no whole note, as a power cut may leave it");
            return Ok(0);
        };

        let Checkpoint { size, root, .. } = match self.keys.from_note(&note) {
            Ok(checkpoint) => checkpoint,
            Err(error) if is_disposable => {
                tracing::warn!(file = %path.display(), error = with_causes(&error), "the checkpoint is refused and not used");
                return Ok(0);
            }
            Err(error) => {
                return Err(forged(
                    path,
                    format!("the checkpoint is refused: {}", with_causes(&error)),
                ));
            }
        };

        if size > self.tiles.size() {
            let found = self.tiles.size();
            let cause = format!(
                "the signed checkpoint is of {size} entries, and the log has {found}: its end was cut off"
            );
            return Err(forged(path, cause));
        }

        let found =
            tree_root(&self.tiles.reader(size), size).map_err(|error| OpenError::Sealed {
                path: self.places.dir.clone(),
                cause: error.to_string(),
            })?;

        if found != root {
            let cause = format!(
                "the signed checkpoint of {size} entries has the root {root}, and the log has {found} there"
            );
            return Err(forged(path, cause));
        }

        Ok(size)
    }
}
