//! Writes an archive part by part, in memory that does not grow with them.

use std::io::{self, Read, Write};

use sha2::{Digest as _, Sha256};
use tar::{Builder, EntryType, Header};
use zstd::Encoder;

use crate::digest::Hashing;
use crate::manifest::{BackupManifest, BackupPart, MANIFEST};
use crate::part::PartName;
use crate::read::BackupSink;

/// Compression level of zstd. Most of a backup is compressed already.
const LEVEL: i32 = 1;
/// Files are their owner's alone.
const MODE: u32 = 0o600;
/// Bytes of a tar's block.
const BLOCK: u64 = 512;

/// An archive being written. A part is begun, written and ended, or added as a whole; the writer is
/// a [`BackupSink`], so that the parts of one archive can go into another as they are read.
pub struct ArchiveWriter<W: Write> {
    tar: Builder<Encoder<'static, Hashing<W>>>,
    parts: Vec<BackupPart>,
    open: Option<OpenPart>,
}

/// The part that is being written.
struct OpenPart {
    name: PartName,
    bytes: u64,
    left: u64,
    hash: Sha256,
}

/// Figures of an archive that was written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Summary {
    /// Length of the file.
    pub bytes: u64,
    /// SHA-256 in hex of the file without its last 48 bytes, which contain it.
    pub sha256: String,
    /// Parts, the manifest not counted.
    pub parts: usize,
}

impl<W: Write> ArchiveWriter<W> {
    /// Begins an archive.
    ///
    /// # Errors
    /// The operating system reported an error.
    pub fn new(out: W) -> io::Result<Self> {
        let mut encoder = Encoder::new(Hashing::new(out), LEVEL)?;
        encoder.include_checksum(true)?;
        Ok(ArchiveWriter {
            tar: Builder::new(encoder),
            parts: Vec::new(),
            open: None,
        })
    }

    /// Adds a part of `bytes` bytes. What the content has beyond them is left.
    ///
    /// # Errors
    /// The operating system reported an error, or `UnexpectedEof` if the content is shorter. The
    /// archive is unusable then.
    pub fn add(&mut self, name: &PartName, bytes: u64, content: impl Read) -> io::Result<()> {
        self.begin(name, bytes)?;
        io::copy(&mut content.take(bytes), self)?;
        self.end()
    }

    fn begin(&mut self, name: &PartName, bytes: u64) -> io::Result<()> {
        self.head(name.as_str(), bytes)?;
        self.open = Some(OpenPart {
            name: name.clone(),
            bytes,
            left: bytes,
            hash: Sha256::new(),
        });

        Ok(())
    }

    fn end(&mut self) -> io::Result<()> {
        let Some(OpenPart {
            name,
            bytes,
            left,
            hash,
        }) = self.open.take()
        else {
            return Ok(());
        };

        if left > 0 {
            return Err(io::Error::new(
                io::ErrorKind::UnexpectedEof,
                format!("{name} ends {left} bytes early"),
            ));
        }

        self.pad(bytes)?;
        self.parts.push(BackupPart {
            path: name.as_str().to_owned(),
            bytes,
            sha256: hex::encode(hash.finalize()),
        });
        Ok(())
    }

    /// Ends the archive with its manifest, whose parts are filled in, and the digest of the file.
    ///
    /// # Errors
    /// The operating system reported an error.
    pub fn finish(self, manifest: BackupManifest) -> io::Result<(W, Summary)> {
        self.finish_with(manifest, |manifest| Ok(manifest.attestation.clone()))
    }

    /// [`ArchiveWriter::finish`] with an attestation of the finished manifest.
    ///
    /// # Errors
    /// As [`ArchiveWriter::finish`], or the attestation failed.
    pub fn finish_with(
        mut self,
        manifest: BackupManifest,
        attest: impl FnOnce(&BackupManifest) -> io::Result<Option<String>>,
    ) -> io::Result<(W, Summary)> {
        let parts = self.parts.len();
        let mut manifest = BackupManifest {
            parts: std::mem::take(&mut self.parts),
            ..manifest
        };
        manifest.attestation = attest(&manifest)?;
        let text = serde_json::to_vec_pretty(&manifest).map_err(io::Error::other)?;
        self.head(MANIFEST, text.len() as u64)?;
        self.tar.get_mut().write_all(&text)?;
        self.pad(text.len() as u64)?;
        let (out, bytes, digest) = self.tar.into_inner()?.finish()?.seal()?;

        Ok((
            out,
            Summary {
                bytes,
                sha256: hex::encode(digest),
                parts,
            },
        ))
    }

    /// Writes the head of an entry; its content follows.
    fn head(&mut self, path: &str, bytes: u64) -> io::Result<()> {
        let mut header = Header::new_gnu();
        header.set_entry_type(EntryType::Regular);
        header.set_size(bytes);
        header.set_mode(MODE);
        header.set_mtime(0);
        self.tar.append_data(&mut header, path, io::empty())
    }

    fn pad(&mut self, bytes: u64) -> io::Result<()> {
        let zeros = [0; BLOCK as usize];
        self.tar
            .get_mut()
            .write_all(&zeros[..((BLOCK - bytes % BLOCK) % BLOCK) as usize])
    }
}

/// Writes into the part that is open, as much as it was announced with.
impl<W: Write> Write for ArchiveWriter<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let Some(open) = &mut self.open else {
            return Err(io::Error::other("no part is open"));
        };

        let count = usize::try_from(open.left)
            .unwrap_or(usize::MAX)
            .min(bytes.len());
        let written = self.tar.get_mut().write(&bytes[..count])?;
        open.hash.update(&bytes[..written]);
        open.left -= written as u64;

        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.tar.get_mut().flush()
    }
}

impl<W: Write> BackupSink for ArchiveWriter<W> {
    fn open(&mut self, name: &PartName, bytes: u64) -> io::Result<Option<Box<dyn Write + '_>>> {
        self.begin(name, bytes)?;
        Ok(Some(Box::new(self)))
    }

    fn close(&mut self) -> io::Result<()> {
        self.end()
    }
}
