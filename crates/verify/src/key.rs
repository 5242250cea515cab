//! Key for verifying signatures: given by the user or, by default, the directory's own.

use std::path::Path;

use reeve_tlog::{Epoch, Epochs, KeyError, NoteVerifier, WitnessKey};

use crate::error::with_causes;
use crate::error::{CannotVerify, is_absence, read_if_there};
use crate::finding::Finding;

/// The records of key epochs in a data directory.
pub(crate) const EPOCHS: &str = "ledger/epochs";

/// The verifier key's file in a data directory.
pub(crate) const VKEY: &str = "ledger/log.vkey";

/// Origin of the public key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeySource {
    /// Key given by the user.
    Pinned,
    /// Key from the verified directory, which an attacker could have replaced too.
    Directory,
}

/// A key and where it came from.
#[derive(Debug, Clone)]
pub struct Key {
    /// The key that was pinned, or the one in charge; its name is the log's origin.
    pub verifier: NoteVerifier,
    /// Origin of the key.
    pub source: KeySource,
    /// All keys of the log that a signed path leads to from it, itself included.
    pub epochs: Epochs,
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

/// Reads a witness's key given on the command line: the key itself, or a file that holds it.
pub(crate) fn witness(text: &str) -> Result<WitnessKey, CannotVerify> {
    let cause = match text.trim().parse::<WitnessKey>() {
        Ok(key) => return Ok(key),
        Err(error) => error.to_string(),
    };
    let wrong = |cause: String| CannotVerify::Key {
        place: format!("--witness {text}"),
        cause,
    };

    match read_if_there(Path::new(text))? {
        Some(bytes) => String::from_utf8_lossy(&bytes)
            .trim()
            .parse()
            .map_err(|error: KeyError| wrong(error.to_string())),
        None => Err(wrong(format!("{cause}; nor is it a file"))),
    }
}

fn parse(place: &str, bytes: &[u8]) -> Result<NoteVerifier, CannotVerify> {
    let wrong = |cause: String| CannotVerify::Key {
        place: place.to_owned(),
        cause,
    };
    let text = std::str::from_utf8(bytes).map_err(|_| wrong("it is not UTF-8".into()))?;

    text.trim()
        .parse()
        .map_err(|error: reeve_tlog::KeyError| wrong(error.to_string()))
}

/// Reads the records of key epochs in a folder; `None` when there are none. Those that do not hold
/// are findings, and neither they nor those after them count.
pub(crate) fn epochs_in(
    folder: &Path,
    name: &str,
) -> Result<(Option<Epochs>, Vec<Finding>), CannotVerify> {
    let listed = match std::fs::read_dir(folder) {
        Ok(listed) => listed,
        Err(error) if is_absence(&error) => return Ok((None, Vec::new())),
        Err(error) => return Err(CannotVerify::unreadable(folder)(error)),
    };
    let (mut numbers, mut findings) = (Vec::new(), Vec::new());

    for item in listed {
        let file = item
            .map_err(CannotVerify::unreadable(folder))?
            .file_name()
            .to_string_lossy()
            .into_owned();
        match file.parse::<u64>() {
            Ok(number) if number.to_string() == file => numbers.push(number),
            _ if file.ends_with(".tmp") => {}
            _ => findings.push(Finding::new(
                format!("{name}/{file}"),
                "it is not the record of a key epoch",
            )),
        }
    }

    numbers.sort_unstable();
    let mut keys: Option<Epochs> = None;

    for number in numbers {
        let bytes = read_if_there(&folder.join(number.to_string()))?.unwrap_or_default();
        let taken = Epoch::open(&bytes).and_then(|epoch| {
            let mut grown = keys
                .clone()
                .unwrap_or_else(|| Epochs::single(epoch.old.clone()));
            grown.push(epoch)?;
            Ok(grown)
        });
        match taken {
            Ok(grown) => keys = Some(grown),
            Err(error) => {
                let message = format!(
                    "the record of a key epoch is refused: {}",
                    with_causes(&error)
                );
                findings.push(Finding::new(format!("{name}/{number}"), message));
                break;
            }
        }
    }

    Ok((keys, findings))
}

/// The keys that a pinned one leads to by records, if it is among them; else itself alone.
pub(crate) fn following(pinned: &NoteVerifier, epochs: Option<Epochs>) -> Epochs {
    let known = epochs.filter(|epochs| epochs.contains(pinned));
    known.unwrap_or_else(|| Epochs::single(pinned.clone()))
}

/// Returns the key of a data directory, with the faults of its key files.
pub(crate) fn of_directory(
    dir: &Path,
    pinned: Option<&NoteVerifier>,
) -> Result<(Key, Vec<Finding>), CannotVerify> {
    let (epochs, mut findings) = epochs_in(&dir.join(EPOCHS), EPOCHS)?;
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
            return Err(CannotVerify::Key {
                place: VKEY.into(),
                cause: "there is more in it than the key".into(),
            });
        }
        if let Some(newest) = epochs
            .as_ref()
            .filter(|epochs| !epochs.contains(&verifier))
            .map(Epochs::newest)
        {
            let message = "the records of key epochs do not lead to this key";
            findings.push(Finding::new(VKEY, message).differs(newest, &verifier));
        }
        let epochs = following(&verifier, epochs);
        return Ok((
            Key {
                verifier,
                source: KeySource::Directory,
                epochs,
            },
            findings,
        ));
    };

    let epochs = following(pinned, epochs);
    let expected = format!("{}\n", epochs.newest());

    match stored {
        Some(bytes) if bytes == expected.as_bytes() => {}
        // The file follows the record: a key that is being replaced may still stand here.
        Some(bytes)
            if epochs
                .keys()
                .any(|key| bytes == format!("{key}\n").as_bytes()) => {}
        Some(bytes) => {
            let found = String::from_utf8_lossy(&bytes)
                .trim()
                .escape_debug()
                .to_string();
            let message = "the log is not signed by the key that was pinned, nor by one that it signed over to";
            findings.push(Finding::new(VKEY, message).differs(epochs.newest(), found));
        }
        None => findings
            .push(Finding::new(VKEY, "the file is missing").differs(epochs.newest(), "nothing")),
    }

    Ok((
        Key {
            verifier: pinned.clone(),
            source: KeySource::Pinned,
            epochs,
        },
        findings,
    ))
}
