//! Files in and out: a path, `.gz` or `-` to read, and a file that gets its name when it is whole,
//! or stdout, to write.

use std::fs::File;
use std::io::{self, BufReader, BufWriter, Read, StdoutLock, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, bail};
use flate2::read::MultiGzDecoder;
use serde::Serialize;

/// Bytes that a file may have, unpacked. More than that is no one series and no one bill.
const MOST_BYTES: u64 = 1 << 30;
/// Bytes read and written at once.
const BUFFER: usize = 256 << 10;

/// A file to read.
pub(super) struct Input {
    /// Name of the file in messages.
    pub(super) name: String,
    bytes: Box<dyn Read>,
    left: u64,
}

impl Input {
    /// Opens a path; `-` is stdin, and what ends in `.gz` is unpacked.
    pub(super) fn open(path: &Path) -> Result<Self> {
        if path.as_os_str() == "-" {
            return Ok(Self {
                name: "stdin".to_owned(),
                bytes: Box::new(io::stdin()),
                left: MOST_BYTES,
            });
        }

        let name = path.display().to_string();
        let file = File::open(path).with_context(|| format!("{name} could not be opened"))?;
        if file.metadata().is_ok_and(|about| about.is_dir()) {
            bail!("{name} is a folder; name a file in it");
        }

        let bytes: Box<dyn Read> = if path.extension().is_some_and(|suffix| suffix == "gz") {
            Box::new(MultiGzDecoder::new(BufReader::with_capacity(BUFFER, file)))
        } else {
            Box::new(file)
        };

        Ok(Self {
            name,
            bytes,
            left: MOST_BYTES,
        })
    }

    /// Reads what is left as text.
    pub(super) fn text(&mut self) -> Result<String> {
        let mut text = String::new();
        self.read_to_string(&mut text)
            .with_context(|| format!("{} cannot be read", self.name))?;
        Ok(text)
    }

    /// The same over bytes that are there.
    #[cfg(test)]
    pub(super) fn from_bytes(name: &str, bytes: &'static [u8]) -> Self {
        Self {
            name: name.to_owned(),
            bytes: Box::new(bytes),
            left: MOST_BYTES,
        }
    }
}

impl Read for Input {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.bytes.read(buffer)?;
        self.left = self.left.checked_sub(read as u64).ok_or_else(|| {
            io::Error::new(
                io::ErrorKind::FileTooLarge,
                format!("it has more than {MOST_BYTES} bytes; divide it"),
            )
        })?;

        Ok(read)
    }
}

/// Destination of a result. A result that was not finished leaves no file behind under the name
/// that was requested.
pub(super) struct FileSink {
    out: Out,
}

enum Out {
    Stdout(BufWriter<StdoutLock<'static>>),
    File {
        file: BufWriter<File>,
        part: PathBuf,
        path: PathBuf,
    },
}

impl FileSink {
    /// Standard output, or a file.
    pub(super) fn create(path: Option<&Path>) -> Result<Self> {
        let out = match path.filter(|path| path.as_os_str() != "-") {
            None => Out::Stdout(BufWriter::with_capacity(BUFFER, io::stdout().lock())),
            Some(path) => {
                let part = crate::commands::export::part(path);
                let file = File::create(&part)
                    .with_context(|| format!("{} could not be made", part.display()))?;
                Out::File {
                    file: BufWriter::with_capacity(BUFFER, file),
                    part,
                    path: path.to_owned(),
                }
            }
        };
        Ok(Self { out })
    }

    /// Writes one line of JSON.
    pub(super) fn json_line(&mut self, line: &impl Serialize) -> Result<()> {
        serde_json::to_writer(&mut *self, line).context("the results cannot be written")?;
        self.write_all(b"\n")?;
        Ok(())
    }

    /// Ends it and gives the file its name.
    pub(super) fn finish(mut self) -> Result<()> {
        self.flush()?;
        if let Out::File { part, path, .. } = &self.out {
            std::fs::rename(part, path)
                .with_context(|| format!("{} could not be named", path.display()))?;
        }
        Ok(())
    }
}

impl Write for FileSink {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match &mut self.out {
            Out::Stdout(out) => out.write(bytes),
            Out::File { file, .. } => file.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match &mut self.out {
            Out::Stdout(out) => out.flush(),
            Out::File { file, .. } => file.flush(),
        }
    }
}
