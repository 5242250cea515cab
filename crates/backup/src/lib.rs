//! The file of a backup: a tar of parts in one zstd frame, a manifest with the SHA-256 of each
//! part, and the SHA-256 of the file.
//!
//! It knows archives and nothing of what is in the parts: `server` puts the log, the state and the
//! keys in and takes them out. Layout: `docs/formats/backup.md`.
//!
//! | concern | items |
//! |---|---|
//! | writing | [`ArchiveWriter`], [`Summary`] |
//! | reading | [`read`], [`Contents`], [`Flaw`], [`BackupSink`], [`Folder`] |
//! | the manifest | [`BackupManifest`], [`BackupPart`], [`Keys`] |
//! | names that lead nowhere else | [`PartName`] |
//! | keys under a passphrase | [`seal`] |
//!
//! Reading trusts nothing: only regular files under names of a data directory are taken, none
//! twice, none that the manifest does not list, and a byte that was changed anywhere in the file is
//! a [`Flaw`].

mod digest;
mod folder;
mod manifest;
mod part;
mod read;
pub mod seal;
mod write;

pub use folder::Folder;
pub use manifest::{
    ATTESTED_AS, BackupManifest, BackupPart, Keys, MANIFEST, ManifestError, UNATTESTED, VERSION,
};
pub use part::{NameError, PartName};
pub use read::{BackupSink, Contents, Flaw, read};
pub use write::{ArchiveWriter, Summary};
