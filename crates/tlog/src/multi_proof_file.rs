//! The multi-proof file: the proven leaves and the hashes between them in one stream, for exports
//! of any length (docs/formats/tlog.md).
//!
//! Writing and reading keep O(log n) in memory. The reader is strict: it accepts only what the
//! writer writes, up to the last byte.

use std::io::{self, Read, Write};

use thiserror::Error;

use crate::hash::{HASH_LEN, Hash};
use crate::multi_proof::{MultiProofError, MultiProveError, MultiProver, MultiVerifier};
use crate::reader::HashReader;

/// First bytes of the file.
const HEADER: &[u8] = b"reeve/multi-proof/v1\n";
/// Stands where the sequence of a further leaf would.
const END: u64 = u64::MAX;

/// Reason why a multi-proof file could not be written.
#[derive(Debug, Error)]
pub enum MultiProofWriteError<E> {
    /// The proof could not be made.
    #[error("the multi-proof cannot be made")]
    Prove(#[from] MultiProveError<E>),
    /// The file could not be written.
    #[error("the multi-proof cannot be written")]
    Write(#[from] io::Error),
}

/// Writes a multi-proof file, leaf by leaf.
#[derive(Debug)]
pub struct MultiProofWriter<R, W> {
    prover: MultiProver<R>,
    out: W,
    /// Bytes of one leaf before they are written.
    record: Vec<u8>,
}

impl<R: HashReader, W: Write> MultiProofWriter<R, W> {
    /// Writes the header.
    ///
    /// # Errors
    /// `out` failed.
    pub fn new(prover: MultiProver<R>, mut out: W) -> io::Result<MultiProofWriter<R, W>> {
        out.write_all(HEADER)?;
        Ok(MultiProofWriter {
            prover,
            out,
            record: Vec::new(),
        })
    }

    /// Adds a leaf; indexes ascend.
    ///
    /// # Errors
    /// [`MultiProofWriteError`].
    pub fn leaf(&mut self, index: u64, leaf: &Hash) -> Result<(), MultiProofWriteError<R::Error>> {
        let record = &mut self.record;
        record.clear();
        record.extend_from_slice(&index.to_be_bytes());
        self.prover
            .leaf(index, |hash| record.extend_from_slice(hash.as_bytes()))?;
        record.extend_from_slice(leaf.as_bytes());
        Ok(self.out.write_all(record)?)
    }

    /// Ends the file and returns what it was written to.
    ///
    /// # Errors
    /// [`MultiProofWriteError`].
    pub fn finish(mut self) -> Result<W, MultiProofWriteError<R::Error>> {
        let mut record = END.to_be_bytes().to_vec();
        self.prover
            .finish(|hash| record.extend_from_slice(hash.as_bytes()))?;
        self.out.write_all(&record)?;
        Ok(self.out)
    }
}

/// Reason why a multi-proof file is refused.
#[derive(Debug, Error)]
pub enum MultiProofReadError {
    /// The file does not begin as this version of the format does.
    #[error("the multi-proof does not begin with \"reeve/multi-proof/v1\"")]
    Header,
    /// The proof does not hold.
    #[error(transparent)]
    Proof(MultiProofError<io::Error>),
    /// The file could not be read, or ends within a leaf.
    #[error("the multi-proof cannot be read")]
    Read(#[from] io::Error),
}

impl From<MultiProofError<io::Error>> for MultiProofReadError {
    fn from(error: MultiProofError<io::Error>) -> Self {
        match error {
            MultiProofError::Read(error) => Self::Read(error),
            error => Self::Proof(error),
        }
    }
}

/// Reads a multi-proof file leaf by leaf. No leaf is proven before [`MultiProofReader::finish`] has
/// accepted.
#[derive(Debug)]
pub struct MultiProofReader<I> {
    verifier: MultiVerifier,
    input: I,
    ended: bool,
}

impl<I: Read> MultiProofReader<I> {
    /// Reads the header of a proof for the tree of `size` leaves.
    ///
    /// # Errors
    /// [`MultiProofReadError`].
    pub fn new(size: u64, mut input: I) -> Result<MultiProofReader<I>, MultiProofReadError> {
        let mut header = [0; HEADER.len()];
        input
            .read_exact(&mut header)
            .map_err(|_| MultiProofReadError::Header)?;
        if header != HEADER {
            return Err(MultiProofReadError::Header);
        }

        Ok(MultiProofReader {
            verifier: MultiVerifier::new(size)?,
            input,
            ended: false,
        })
    }

    /// Reads the next leaf: its index and leaf hash; `None` behind the last one.
    ///
    /// # Errors
    /// [`MultiProofReadError`].
    pub fn leaf(&mut self) -> Result<Option<(u64, Hash)>, MultiProofReadError> {
        if self.ended {
            return Ok(None);
        }

        let mut index = [0; 8];
        self.input.read_exact(&mut index)?;
        let index = u64::from_be_bytes(index);
        if index == END {
            self.ended = true;
            return Ok(None);
        }

        let input = &mut self.input;
        self.verifier
            .skip_to(index, || read_hash(input).map(Some))?;
        let leaf = read_hash(&mut self.input)?;
        self.verifier.leaf(index, leaf, || Ok(None))?;

        Ok(Some((index, leaf)))
    }

    /// Reads to the end of the file; every leaf that was read is in the tree with this root.
    ///
    /// # Errors
    /// [`MultiProofReadError`].
    pub fn finish(mut self, root: &Hash) -> Result<(), MultiProofReadError> {
        while self.leaf()?.is_some() {}
        let mut input = self.input;
        Ok(self.verifier.finish(root, || next_hash(&mut input))?)
    }
}

fn read_hash(input: &mut impl Read) -> io::Result<Hash> {
    let mut bytes = [0; HASH_LEN];
    input.read_exact(&mut bytes)?;
    Ok(Hash(bytes))
}

/// Reads the next hash; `None` exactly at the end of the file.
fn next_hash(input: &mut impl Read) -> io::Result<Option<Hash>> {
    let mut bytes = [0; HASH_LEN];
    let mut held = 0;

    while held < HASH_LEN {
        match input.read(&mut bytes[held..]) {
            Ok(0) if held == 0 => return Ok(None),
            Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
            Ok(count) => held += count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }

    Ok(Some(Hash(bytes)))
}
