//! Files of entries in text formats: written in constant memory, made durable at places that a job
//! can continue from.

use std::fs::{File, OpenOptions};
use std::io::{self, BufWriter, Read as _, Seek as _, SeekFrom, Write};
use std::path::Path;

use reeve_audit::format::{EntryView, Format, FormatError, Written};
use sha2::{Digest as _, Sha256};

/// Bytes gathered before a write.
const BUFFER: usize = 256 << 10;

/// A file that is complete.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finished {
    pub bytes: u64,
    /// SHA-256 of the file, in lower-case hex.
    pub sha256: String,
}

/// Writes entries of a text format into a file.
#[derive(Debug)]
pub struct TextFile {
    out: BufWriter<File>,
    format: Format,
    bytes: u64,
    record: Vec<u8>,
}

impl TextFile {
    /// Creates a file, or continues one behind its first `bytes`; further bytes are cut off.
    ///
    /// # Errors
    /// The file cannot be written, or is shorter than that.
    pub fn open(path: &Path, format: Format, bytes: u64) -> io::Result<TextFile> {
        let mut file = OpenOptions::new()
            .create(true)
            .truncate(false)
            .write(true)
            .open(path)?;

        if file.metadata()?.len() < bytes {
            return Err(io::Error::new(
                io::ErrorKind::UnexpectedEof,
                format!("{} was cut", path.display()),
            ));
        }

        file.set_len(bytes)?;
        file.seek(SeekFrom::End(0))?;
        let mut text = TextFile {
            out: BufWriter::with_capacity(BUFFER, file),
            format,
            bytes,
            record: Vec::new(),
        };

        if bytes == 0 {
            text.record.clear();
            text.format.write_header(&mut text.record)?;
            text.put()?;
        }

        Ok(text)
    }

    /// Writes an entry.
    ///
    /// # Errors
    /// The disk failed, or the record is longer than the format's limit and may not be reduced;
    /// nothing is written then.
    pub fn write(&mut self, view: &EntryView<'_>) -> Result<Written, FormatError> {
        self.record.clear();
        let written = self.format.write_entry(&mut self.record, view)?;
        self.put()?;
        Ok(written)
    }

    /// Bytes that were written to the file, all parts included.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Makes what was written durable, and returns its length.
    ///
    /// # Errors
    /// The disk failed.
    pub fn settle(&mut self) -> io::Result<u64> {
        self.out.flush()?;
        self.out.get_ref().sync_data()?;
        Ok(self.bytes)
    }

    fn put(&mut self) -> io::Result<()> {
        self.out.write_all(&self.record)?;
        self.bytes += self.record.len() as u64;
        Ok(())
    }
}

/// Length and SHA-256 of a file.
///
/// # Errors
/// The file cannot be read.
pub fn digest(path: &Path) -> io::Result<Finished> {
    let mut file = File::open(path)?;
    let mut sha256 = Sha256::new();
    let mut buffer = vec![0; BUFFER];
    let mut bytes = 0;

    loop {
        match file.read(&mut buffer)? {
            0 => {
                return Ok(Finished {
                    bytes,
                    sha256: hex::encode(sha256.finalize()),
                });
            }
            count => {
                sha256.update(&buffer[..count]);
                bytes += count as u64;
            }
        }
    }
}
