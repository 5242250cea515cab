//! The key that signatures are verified with: pinned by whoever verifies, or, for want of one, the directory's own.

use std::path::Path;

use reeve_tlog::NoteVerifier;

use crate::error::{CannotVerify, read_if_there};
use crate::finding::Finding;

/// The verifier key's file in a data directory.
pub(crate) const VKEY: &str = "ledger/log.vkey";

/// Where the key came from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeySource {
    /// Given by whoever verifies.
    Pinned,
    /// Read from the directory that is verified, so whoever rewrote that could have replaced it.
    Directory,
}

/// A key and where it came from.
#[derive(Debug, Clone)]
pub struct Key {
    /// The key; its name is the log's origin.
    pub verifier: NoteVerifier,
    /// Where it came from.
    pub source: KeySource,
}

/// Reads a key given on the command line: the key itself, or a file that holds it.
pub(crate) fn given(text: &str) -> Result<NoteVerifier, CannotVerify> {
    let direct = text.trim().parse::<NoteVerifier>();
    let cause = match direct {
        Ok(key) => return Ok(key),
        Err(error) => error.to_string(),
    };
    match read_if_there(Path::new(text))? {
        Some(bytes) => parse(text, &bytes),
        None => Err(CannotVerify::Key {
            place: format!("--public-key {text}"),
            cause: format!("{cause}; nor is it a file"),
        }),
    }
}

fn parse(place: &str, bytes: &[u8]) -> Result<NoteVerifier, CannotVerify> {
    let wrong = |cause: String| CannotVerify::Key { place: place.to_owned(), cause };
    let text = std::str::from_utf8(bytes).map_err(|_| wrong("it is not UTF-8".into()))?;
    text.trim().parse().map_err(|error: reeve_tlog::KeyError| wrong(error.to_string()))
}

/// The key for a data directory, and what is wrong with the one that stands in it.
pub(crate) fn of_directory(dir: &Path, pinned: Option<&NoteVerifier>) -> Result<(Key, Option<Finding>), CannotVerify> {
    let stored = read_if_there(&dir.join(VKEY))?;
    let Some(pinned) = pinned else {
        let Some(bytes) = stored else {
            let file = dir.join(VKEY);
            return Err(CannotVerify::NoKey(format!(
                "{} is missing; give the log's verifier key with --public-key",
                file.display()
            )));
        };
        let verifier = parse(VKEY, &bytes)?;
        if bytes != format!("{verifier}\n").as_bytes() {
            return Err(CannotVerify::Key { place: VKEY.into(), cause: "there is more in it than the key".into() });
        }
        return Ok((Key { verifier, source: KeySource::Directory }, None));
    };
    let expected = format!("{pinned}\n");
    let finding = match stored {
        Some(bytes) if bytes == expected.as_bytes() => None,
        Some(bytes) => {
            let found = String::from_utf8_lossy(&bytes).trim().escape_debug().to_string();
            Some(Finding::new(VKEY, "the log is not signed by the key that was pinned").differs(pinned, found))
        }
        None => Some(Finding::new(VKEY, "the file is missing").differs(pinned, "nothing")),
    };
    Ok((Key { verifier: pinned.clone(), source: KeySource::Pinned }, finding))
}
