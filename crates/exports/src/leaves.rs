//! Leaves of the exported entries, kept beside the files while an export runs: what its multi-proof
//! is made of at the end.

use std::fs::{File, OpenOptions};
use std::io::{self, BufReader, BufWriter, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::Path;

use reeve_tlog::{HASH_LEN, Hash};

/// Bytes of one leaf: sequence, big-endian, and leaf hash.
const RECORD: u64 = 8 + HASH_LEN as u64;

/// Writer of the file of leaves.
#[derive(Debug)]
pub struct LeafFile {
    out: BufWriter<File>,
}

impl LeafFile {
    /// Begins a file, or continues with one behind its first `entries`.
    ///
    /// # Errors
    /// The file cannot be written, or has fewer.
    pub fn open(path: &Path, entries: u64) -> io::Result<LeafFile> {
        let mut file = OpenOptions::new()
            .create(true)
            .truncate(false)
            .write(true)
            .open(path)?;

        if file.metadata()?.len() < entries * RECORD {
            return Err(io::Error::new(
                io::ErrorKind::UnexpectedEof,
                format!("{} was cut", path.display()),
            ));
        }

        file.set_len(entries * RECORD)?;
        file.seek(SeekFrom::End(0))?;
        Ok(LeafFile {
            out: BufWriter::with_capacity(64 << 10, file),
        })
    }

    /// Adds a leaf.
    ///
    /// # Errors
    /// The disk failed.
    pub fn write(&mut self, sequence: u64, leaf: &Hash) -> io::Result<()> {
        self.out.write_all(&sequence.to_be_bytes())?;
        self.out.write_all(leaf.as_bytes())
    }

    /// Makes what was written durable.
    ///
    /// # Errors
    /// The disk failed.
    pub fn settle(&mut self) -> io::Result<()> {
        self.out.flush()?;
        self.out.get_ref().sync_data()
    }
}

/// Reads leaves back in their order.
#[derive(Debug)]
pub struct LeafReader(BufReader<File>);

impl LeafReader {
    /// Opens a file of leaves.
    ///
    /// # Errors
    /// The file cannot be read.
    pub fn open(path: &Path) -> io::Result<LeafReader> {
        Ok(LeafReader(BufReader::with_capacity(
            64 << 10,
            File::open(path)?,
        )))
    }
}

impl Iterator for LeafReader {
    type Item = io::Result<(u64, Hash)>;

    fn next(&mut self) -> Option<Self::Item> {
        let mut sequence = [0; 8];
        match self.0.read_exact(&mut sequence) {
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return None,
            Err(error) => return Some(Err(error)),
            Ok(()) => {}
        }

        let mut leaf = [0; HASH_LEN];
        Some(
            self.0
                .read_exact(&mut leaf)
                .map(|()| (u64::from_be_bytes(sequence), Hash(leaf))),
        )
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn an_interrupted_file_is_gone_on_with() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("leaves");
        let leaf = |n: u8| (u64::from(n) * 3, Hash([n; 32]));
        let mut file = LeafFile::open(&path, 0).unwrap();
        (0..5)
            .map(leaf)
            .for_each(|(sequence, leaf)| file.write(sequence, &leaf).unwrap());
        file.settle().unwrap();
        drop(file);
        let mut file = LeafFile::open(&path, 3).unwrap();
        let (sequence, hash) = leaf(9);
        file.write(sequence, &hash).unwrap();
        file.settle().unwrap();
        let read: Vec<_> = LeafReader::open(&path)
            .unwrap()
            .map(Result::unwrap)
            .collect();
        assert_eq!(read, [leaf(0), leaf(1), leaf(2), leaf(9)]);
        assert!(LeafFile::open(&path, 5).is_err(), "it has four");
    }
}
