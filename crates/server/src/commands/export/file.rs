//! Destination of an export: a file that gets its name when it is whole, gzip by its suffix, or
//! standard output. What goes out is counted and hashed on the way.

use std::ffi::OsString;
use std::fs::{File, OpenOptions};
use std::io::{self, BufWriter, Read as _, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};
use flate2::Compression;
use flate2::write::GzEncoder;
use sha2::{Digest as _, Sha256};

/// Bytes gathered before a write.
const BUFFER: usize = 256 << 10;

/// Writes an export to a file or to standard output.
pub(super) struct ExportFileSink {
    body: Body,
    /// The file's own name; `None` for standard output.
    path: Option<PathBuf>,
}

enum Body {
    Plain(Hashed),
    /// One gzip member between two settlings: members after each other are one gzip file (RFC 1952,
    /// 2.2).
    Gzip(Option<Box<GzEncoder<Hashed>>>),
}

struct Hashed {
    out: BufWriter<Out>,
    sha256: Sha256,
    bytes: u64,
}

enum Out {
    File(File),
    Stdout(io::Stdout),
}

impl Write for Out {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Self::File(file) => file.write(bytes),
            Self::Stdout(out) => out.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Self::File(file) => file.flush(),
            Self::Stdout(out) => out.flush(),
        }
    }
}

impl Write for Hashed {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.out.write_all(bytes)?;
        self.sha256.update(bytes);
        self.bytes += bytes.len() as u64;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

/// Returns the path of a file that is not complete (`FILE.part`).
pub(crate) fn part(path: &Path) -> PathBuf {
    with_suffix(path, ".part")
}

/// The path with a suffix behind its whole name.
pub(super) fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut name: OsString = path.as_os_str().to_owned();
    name.push(suffix);
    name.into()
}

impl ExportFileSink {
    /// Creates the file of an export.
    pub(super) fn create(path: &Path) -> Result<Self> {
        if path.as_os_str() == "-" {
            return Ok(Self::over(
                Out::Stdout(io::stdout()),
                Sha256::new(),
                0,
                None,
            ));
        }

        let part = part(path);
        let file =
            File::create(&part).with_context(|| format!("{} could not be made", part.display()))?;
        Ok(Self::over(Out::File(file), Sha256::new(), 0, Some(path)))
    }

    /// Goes on with one: what stands behind the first `bytes` is cut off, and the rest is hashed
    /// again.
    pub(super) fn go_on(path: &Path, bytes: u64) -> Result<Self> {
        let part = part(path);
        let open = || -> io::Result<Self> {
            let mut file = OpenOptions::new().read(true).write(true).open(&part)?;
            let mut sha256 = Sha256::new();
            let (mut left, mut buffer) = (bytes, vec![0; BUFFER]);
            while left > 0 {
                let most = usize::try_from(left).unwrap_or(BUFFER).min(BUFFER);
                match file.read(&mut buffer[..most])? {
                    0 => {
                        return Err(io::Error::new(
                            io::ErrorKind::UnexpectedEof,
                            "it is shorter than was noted",
                        ));
                    }
                    read => {
                        sha256.update(&buffer[..read]);
                        left -= read as u64;
                    }
                }
            }
            file.set_len(bytes)?;
            Ok(Self::over(Out::File(file), sha256, bytes, Some(path)))
        };

        open().with_context(|| format!("{} cannot be resumed", part.display()))
    }

    fn over(out: Out, sha256: Sha256, bytes: u64, path: Option<&Path>) -> Self {
        let hashed = Hashed {
            out: BufWriter::with_capacity(BUFFER, out),
            sha256,
            bytes,
        };
        let gzip = path.is_some_and(|path| path.extension().is_some_and(|suffix| suffix == "gz"));
        let body = if gzip {
            Body::Gzip(Some(member(hashed)))
        } else {
            Body::Plain(hashed)
        };

        Self {
            body,
            path: path.map(Path::to_owned),
        }
    }

    /// Returns `true` for standard output, which cannot be gone on with.
    pub(super) fn is_stdout(&self) -> bool {
        self.path.is_none()
    }

    /// Bytes that went out, about: what a compressor still holds is not counted.
    pub(super) fn written(&self) -> u64 {
        match &self.body {
            Body::Plain(hashed) => hashed.bytes,
            Body::Gzip(member) => member.as_ref().map_or(0, |member| member.get_ref().bytes),
        }
    }

    /// Puts everything so far on disk; the file's length, or `None` for standard output.
    pub(super) fn settle(&mut self) -> io::Result<Option<u64>> {
        let hashed = match &mut self.body {
            Body::Plain(hashed) => hashed,
            Body::Gzip(slot) => {
                if let Some(open) = slot.take() {
                    *slot = Some(member(open.finish()?));
                }
                match slot {
                    Some(open) => open.get_mut(),
                    None => return Err(io::Error::other("the compressed file failed before")),
                }
            }
        };
        hashed.flush()?;

        match hashed.out.get_ref() {
            Out::File(file) => file.sync_data().map(|()| Some(hashed.bytes)),
            Out::Stdout(_) => Ok(None),
        }
    }

    /// Ends it and gives the file its name; its length and its SHA-256 in hex.
    pub(super) fn finish(&mut self) -> Result<(u64, String)> {
        let (bytes, sha256) = {
            let mut ended;
            let hashed = match &mut self.body {
                Body::Plain(hashed) => hashed,
                Body::Gzip(slot) => {
                    ended = slot
                        .take()
                        .context("the compressed file failed before")?
                        .finish()?;
                    &mut ended
                }
            };
            hashed.flush()?;
            if let Out::File(file) = hashed.out.get_ref() {
                file.sync_all()?;
            }
            (hashed.bytes, hex::encode(hashed.sha256.clone().finalize()))
        };

        if let Some(path) = &self.path {
            std::fs::rename(part(path), path)
                .with_context(|| format!("{} could not be named", path.display()))?;
        }

        Ok((bytes, sha256))
    }
}

impl Write for ExportFileSink {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match &mut self.body {
            Body::Plain(hashed) => hashed.write(bytes),
            Body::Gzip(Some(member)) => member.write(bytes),
            Body::Gzip(None) => Err(io::Error::other("the compressed file failed before")),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match &mut self.body {
            Body::Plain(hashed) => hashed.flush(),
            Body::Gzip(_) => Ok(()),
        }
    }
}

fn member(hashed: Hashed) -> Box<GzEncoder<Hashed>> {
    Box::new(GzEncoder::new(hashed, Compression::new(6)))
}
