//! Reader of archives that checks each part and reports every fault. The faults are in the result;
//! an error comes from the sink alone.

use std::collections::BTreeSet;
use std::fmt;
use std::io::{self, Read, Write};

use sha2::{Digest as _, Sha256};
use tar::{Archive, Entry, EntryType};
use zstd::Decoder;

use crate::digest::Sealed;
use crate::manifest::{BackupManifest, BackupPart, MANIFEST};
use crate::part::PartName;

/// Bytes of a manifest.
const MOST_MANIFEST: u64 = 256 << 20;
/// Parts of an archive.
const MOST_PARTS: usize = 2_000_000;
/// Bytes copied at once.
const CHUNK: usize = 128 << 10;
/// Bytes of a tar's block.
const TAR_BLOCK: u64 = 512;
/// Flaws that are named.
const MOST_FLAWS: usize = 100;

/// Fault of an archive.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Flaw {
    /// The part; `None` for the file as a whole.
    pub part: Option<String>,
    /// Description of the fault.
    pub message: String,
}

impl fmt::Display for Flaw {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.part {
            Some(part) => write!(f, "{part}: {}", self.message),
            None => f.write_str(&self.message),
        }
    }
}

/// Receiver of the parts.
pub trait BackupSink {
    /// Opens the place of a part; `None` where it is not wanted.
    ///
    /// # Errors
    /// The operating system reported an error, which ends the reading.
    fn open(&mut self, name: &PartName, bytes: u64) -> io::Result<Option<Box<dyn Write + '_>>>;

    /// Ends the part that was opened last.
    ///
    /// # Errors
    /// The operating system reported an error, which ends the reading.
    fn close(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// A sink that takes nothing.
impl BackupSink for () {
    fn open(&mut self, _: &PartName, _: u64) -> io::Result<Option<Box<dyn Write + '_>>> {
        Ok(None)
    }
}

/// Content of an archive.
#[derive(Debug, Default)]
pub struct Contents {
    /// The manifest, where there is one that can be read.
    pub manifest: Option<BackupManifest>,
    /// Faults; empty if every byte is as it was written.
    pub flaws: Vec<Flaw>,
    /// Number of bytes that were read.
    pub bytes: u64,
    /// The file's digest, hex, where it holds.
    pub sha256: Option<String>,
}

impl Contents {
    fn flaw(&mut self, part: Option<&str>, message: impl Into<String>) {
        if self.flaws.len() < MOST_FLAWS {
            self.flaws.push(Flaw {
                part: part.map(str::to_owned),
                message: message.into(),
            });
        }
    }
}

/// Reads an archive to its end and gives its parts to a sink.
///
/// # Errors
/// The sink failed.
pub fn read(input: impl Read, sink: &mut dyn BackupSink) -> io::Result<Contents> {
    let mut contents = Contents::default();
    let decoder = match Decoder::new(Sealed::new(input)) {
        Ok(decoder) => decoder,
        Err(error) => {
            contents.flaw(None, format!("it cannot be read: {error}"));
            return Ok(contents);
        }
    };
    let mut archive = Archive::new(decoder);
    let found = parts(&mut archive, sink, &mut contents)?;

    end(archive.into_inner(), &mut contents);
    compare(&found, &mut contents);

    if contents.sha256.is_none() && contents.flaws.is_empty() {
        contents.flaw(
            None,
            "the SHA-256 at the end of the file does not match the file",
        );
    }

    Ok(contents)
}

/// Failure at one entry of the archive.
enum Wrong {
    /// Fault of the archive after which nothing can be read.
    Archive(String, String),
    /// Failure of the sink.
    Sink(io::Error),
}

fn parts<R: Read>(
    archive: &mut Archive<R>,
    sink: &mut dyn BackupSink,
    contents: &mut Contents,
) -> io::Result<Vec<BackupPart>> {
    let (mut found, mut names) = (Vec::new(), BTreeSet::new());
    let entries = match archive.entries() {
        Ok(entries) => entries,
        Err(error) => {
            contents.flaw(None, format!("the file is not an archive: {error}"));
            return Ok(found);
        }
    };

    for entry in entries {
        let taken = match entry {
            Ok(mut entry) => take(&mut entry, sink, &mut names),
            Err(error) => Err(Wrong::Archive(
                String::new(),
                format!("the archive cannot be read on: {error}"),
            )),
        };
        match taken {
            Ok(Taken::Part(part)) => found.push(part),
            Ok(Taken::Manifest(bytes)) => {
                match BackupManifest::decode(&bytes) {
                    Ok(manifest) => contents.manifest = Some(manifest),
                    Err(error) => contents.flaw(Some(MANIFEST), error.to_string()),
                }
                return Ok(found);
            }
            Err(Wrong::Sink(error)) => return Err(error),
            Err(Wrong::Archive(part, message)) => {
                contents.flaw(Some(part.as_str()).filter(|part| !part.is_empty()), message);
                return Ok(found);
            }
        }
    }

    contents.flaw(Some(MANIFEST), "it is missing: the archive was cut off");
    Ok(found)
}

enum Taken {
    Part(BackupPart),
    Manifest(Vec<u8>),
}

fn take<R: Read>(
    entry: &mut Entry<'_, R>,
    sink: &mut dyn BackupSink,
    names: &mut BTreeSet<PartName>,
) -> Result<Taken, Wrong> {
    let path = String::from_utf8_lossy(&entry.path_bytes()).into_owned();
    let wrong = |message: String| Wrong::Archive(path.chars().take(120).collect(), message);
    if entry.header().entry_type() != EntryType::Regular {
        return Err(wrong("it is not a regular file".to_owned()));
    }

    let bytes = entry.size();
    if path == MANIFEST {
        let mut text = Vec::new();
        if bytes > MOST_MANIFEST {
            return Err(wrong("it is too long".to_owned()));
        }
        let read = entry.read_to_end(&mut text);
        return read
            .map(|_| Taken::Manifest(text))
            .map_err(|error| wrong(format!("it cannot be read: {error}")));
    }

    let name = PartName::parse(&path).map_err(|error| wrong(error.to_string()))?;
    if names.len() >= MOST_PARTS || !names.insert(name.clone()) {
        return Err(wrong(
            "it is there twice, or there are too many parts".to_owned(),
        ));
    }

    let mut hash = Sha256::new();
    let mut buffer = vec![0; CHUNK];
    let mut left = bytes;

    {
        let mut out = sink.open(&name, bytes).map_err(Wrong::Sink)?;
        while left > 0 {
            let read = entry
                .read(&mut buffer)
                .map_err(|error| wrong(format!("it cannot be read: {error}")))?;
            if read == 0 {
                return Err(wrong(format!("it ends {left} bytes early")));
            }
            hash.update(&buffer[..read]);
            if let Some(out) = &mut out {
                out.write_all(&buffer[..read]).map_err(Wrong::Sink)?;
            }
            left -= read as u64;
        }
    }

    sink.close().map_err(Wrong::Sink)?;
    Ok(Taken::Part(BackupPart {
        path,
        bytes,
        sha256: hex::encode(hash.finalize()),
    }))
}

/// Reads the end of the archive behind the manifest, and the digest.
fn end<R: Read>(mut decoder: Decoder<'static, io::BufReader<Sealed<R>>>, contents: &mut Contents) {
    if contents.flaws.is_empty() {
        // The zeros up to a whole block, and the two empty blocks that end a tar.
        let mut rest = Vec::new();
        match decoder.by_ref().take(3 * TAR_BLOCK).read_to_end(&mut rest) {
            Ok(read) if (read as u64) < 3 * TAR_BLOCK && rest.iter().all(|byte| *byte == 0) => {}
            Ok(_) => contents.flaw(None, "there is data after the manifest"),
            Err(error) => contents.flaw(None, format!("it cannot be read to its end: {error}")),
        }
    }
    match decoder.finish().into_inner().finish() {
        Ok((bytes, digest)) => {
            contents.bytes = bytes;
            contents.sha256 = digest.map(hex::encode);
        }
        Err(error) => contents.flaw(None, format!("it cannot be read to its end: {error}")),
    }
}

/// Holds the parts against the manifest.
fn compare(found: &[BackupPart], contents: &mut Contents) {
    let Some(listed) = contents
        .manifest
        .as_ref()
        .map(|manifest| manifest.parts.clone())
    else {
        return;
    };

    let by_path: std::collections::BTreeMap<&str, &BackupPart> = found
        .iter()
        .map(|part| (part.path.as_str(), part))
        .collect();
    for part in &listed {
        match by_path.get(part.path.as_str()) {
            None => contents.flaw(
                Some(&part.path),
                "the manifest lists it, and it is not there",
            ),
            Some(found) if found.bytes != part.bytes => {
                contents.flaw(
                    Some(&part.path),
                    format!("it has {} bytes, not {}", found.bytes, part.bytes),
                );
            }
            Some(found) if found.sha256 != part.sha256 => {
                contents.flaw(
                    Some(&part.path),
                    format!("its SHA-256 is {}, not {}", found.sha256, part.sha256),
                );
            }
            Some(_) => {}
        }
    }

    let names: BTreeSet<&str> = listed.iter().map(|part| part.path.as_str()).collect();
    for part in found
        .iter()
        .filter(|part| !names.contains(part.path.as_str()))
    {
        contents.flaw(Some(&part.path), "the manifest does not list it");
    }
}
