//! SHA-256 of what passes through, and the digest of the whole file at its end.
//!
//! The end is a skippable frame of zstd (RFC 8878, 3.1.2), so that other programs that read the
//! archive pass over it.

use std::io::{self, Read, Write};

use sha2::{Digest as _, Sha256};

/// Magic number of a skippable frame, length of its content, and a mark.
const HEAD: [u8; 16] = *b"\x5b\x2a\x4d\x18\x28\0\0\0reevebak";
/// Bytes of the digest's frame.
pub(crate) const TRAILER_LEN: usize = HEAD.len() + 32;
/// Bytes read at once.
const CHUNK: usize = 128 << 10;

/// A writer that hashes and counts what it passes on.
pub(crate) struct Hashing<W> {
    inner: W,
    hash: Sha256,
    bytes: u64,
}

impl<W: Write> Hashing<W> {
    pub(crate) fn new(inner: W) -> Self {
        Hashing {
            inner,
            hash: Sha256::new(),
            bytes: 0,
        }
    }

    /// Writes the digest of everything before it; the writer, the length of the file, and that
    /// digest.
    pub(crate) fn seal(mut self) -> io::Result<(W, u64, [u8; 32])> {
        let digest: [u8; 32] = self.hash.finalize().into();
        self.inner.write_all(&HEAD)?;
        self.inner.write_all(&digest)?;
        self.inner.flush()?;
        Ok((self.inner, self.bytes + TRAILER_LEN as u64, digest))
    }
}

impl<W: Write> Write for Hashing<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.inner.write(bytes)?;
        self.hash.update(&bytes[..written]);
        self.bytes += written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}

/// A reader of all but the last [`TRAILER_LEN`] bytes, which hashes what it passes on.
pub(crate) struct Sealed<R> {
    inner: R,
    hash: Sha256,
    buffer: Vec<u8>,
    start: usize,
    ended: bool,
    bytes: u64,
}

impl<R: Read> Sealed<R> {
    pub(crate) fn new(inner: R) -> Self {
        Sealed {
            inner,
            hash: Sha256::new(),
            buffer: Vec::new(),
            start: 0,
            ended: false,
            bytes: 0,
        }
    }

    /// Reads to the end; the length of the file, and its digest if the one at its end is the same.
    pub(crate) fn finish(mut self) -> io::Result<(u64, Option<[u8; 32]>)> {
        io::copy(&mut self, &mut io::sink())?;
        let trailer = &self.buffer[self.start..];
        let digest: [u8; 32] = self.hash.finalize().into();
        let holds = trailer.len() == TRAILER_LEN
            && trailer.starts_with(&HEAD)
            && trailer.ends_with(&digest);
        Ok((self.bytes + trailer.len() as u64, holds.then_some(digest)))
    }

    fn fill(&mut self) -> io::Result<()> {
        while !self.ended && self.buffer.len() - self.start <= TRAILER_LEN {
            self.buffer.drain(..self.start);
            self.start = 0;
            let held = self.buffer.len();
            self.buffer.resize(held + CHUNK, 0);
            let read = loop {
                match self.inner.read(&mut self.buffer[held..]) {
                    Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                    read => break read,
                }
            };
            self.buffer.truncate(held + *read.as_ref().unwrap_or(&0));
            self.ended = read? == 0;
        }
        Ok(())
    }
}

impl<R: Read> Read for Sealed<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        self.fill()?;
        let ready = (self.buffer.len() - self.start)
            .saturating_sub(TRAILER_LEN)
            .min(into.len());
        let part = &self.buffer[self.start..self.start + ready];
        into[..ready].copy_from_slice(part);
        self.hash.update(part);
        self.start += ready;
        self.bytes += ready as u64;

        Ok(ready)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn the_end_vouches_for_every_byte() {
        for length in [0, 1, 47, 48, 49, CHUNK - 1, CHUNK, CHUNK + 1, 3 * CHUNK] {
            let content: Vec<u8> = (0..length).map(|n| n as u8).collect();
            let mut hashing = Hashing::new(Vec::new());
            hashing.write_all(&content).unwrap();
            let (mut file, bytes, digest) = hashing.seal().unwrap();
            assert_eq!(bytes, file.len() as u64);
            let mut sealed = Sealed::new(file.as_slice());
            let mut read = Vec::new();
            sealed.read_to_end(&mut read).unwrap();
            assert_eq!(read, content);
            assert_eq!(sealed.finish().unwrap(), (bytes, Some(digest)));
            for at in [0, length / 2, length, length + 8, file.len() - 1] {
                file[at] ^= 4;
                assert_eq!(
                    Sealed::new(file.as_slice()).finish().unwrap().1,
                    None,
                    "{length}: byte {at}"
                );
                file[at] ^= 4;
            }
            file.pop();
            assert_eq!(Sealed::new(file.as_slice()).finish().unwrap().1, None);
        }
    }
}
