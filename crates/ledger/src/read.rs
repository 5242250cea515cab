//! Reading what proves entries: inclusion proofs, tiles, and the chain of sealed entries.

use std::io;

use reeve_audit::ReadBackError;
use reeve_tlog::{
    Checkpoint, Disclosure, Hash, InclusionProveError, ProofFile, SALT_LEN, SignedNote, TileId,
    TileResource, commitment, prove_inclusion,
};

use crate::chain::ChainLink;
use crate::entry::{SealedEntry, StoredEntry};
use crate::shared::Shared;
use crate::tiles::{self, HashReadError};

/// Reason why something could not be read.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// The disk failed, or what it has does not hold.
    #[error("the log's files cannot be read: {0}")]
    Io(#[from] io::Error),
    /// A hash of the tree could not be read.
    #[error("the log's tree cannot be read: {0}")]
    Tree(#[from] HashReadError),
    /// The log does not reach that far.
    #[error("the log has no entry {sequence}")]
    NoSuchEntry {
        /// The entry asked for.
        sequence: u64,
    },
    /// An entry is not the one the log committed to.
    #[error("entry {sequence} differs from the log's commitment: {cause}")]
    Damaged {
        /// Sequence of the entry.
        sequence: u64,
        /// Description of the damage.
        cause: String,
    },
}

/// The `.tlog-proof` of an entry, carrying what opens its commitment: at the newest cosigned
/// checkpoint where that covers it, else at the newest.
pub(crate) fn proof(shared: &Shared, entry: &StoredEntry) -> Result<String, ReadError> {
    let index = entry.sequence;
    let cosigned = shared
        .cosigned
        .read()
        .clone()
        .filter(|cosigned| cosigned.size > index);

    let checkpoint = match cosigned {
        Some(cosigned) => cosigned.note,
        None => {
            let note = shared.head.read().note.clone();
            let wrong = |error: reeve_tlog::NoteError| ReadError::Damaged {
                sequence: index,
                cause: error.to_string(),
            };
            SignedNote::parse(note.as_bytes()).map_err(wrong)?
        }
    };

    let wrong = |cause: String| ReadError::Damaged {
        sequence: index,
        cause,
    };
    let head = Checkpoint::parse(checkpoint.text()).map_err(|error| wrong(error.to_string()))?;
    let reader = shared.tiles.reader(head.size);

    let hashes = prove_inclusion(&reader, index, head.size).map_err(|error| match error {
        InclusionProveError::NoSuchLeaf { .. } => ReadError::NoSuchEntry { sequence: index },
        InclusionProveError::Read(error) => error.into(),
    })?;
    let leaf = commitment(&entry.salt, &entry.canonical).leaf_hash();
    reeve_tlog::verify_inclusion(&leaf, index, head.size, &hashes, &head.root)
        .map_err(|error| wrong(error.to_string()))?;
    let file = ProofFile {
        extra: Disclosure {
            salt: &entry.salt,
            canonical: &entry.canonical,
        }
        .encode(),
        index,
        hashes,
        checkpoint,
    };

    Ok(file.to_string())
}

/// The bytes of a tile or entry bundle by its C2SP path, as wide as the path says; `None` where the
/// path names none or the log does not reach that far.
pub(crate) fn tile(shared: &Shared, path: &str) -> Result<Option<Vec<u8>>, ReadError> {
    let Ok(resource) = TileResource::parse(path) else {
        return Ok(None);
    };

    // Only what the published checkpoint covers.
    let size = shared.head.read().size;
    let reached = |tile: TileId| {
        TileId::at(tile.level(), tile.index(), size).is_some_and(|at| at.width() >= tile.width())
    };

    match resource {
        TileResource::Hashes(tile) if reached(tile) => {
            let wanted = usize::from(tile.width()) * reeve_tlog::HASH_LEN;
            let bytes = shared.tiles.hashes(tile)?;
            Ok(bytes.and_then(|bytes| bytes.get(..wanted).map(<[u8]>::to_vec)))
        }
        TileResource::Entries(tile) if reached(tile) => bundle(shared, tile),
        _ => Ok(None),
    }
}

/// The entry bundle of a tile: commitments of sealed entries from their file, of the others from
/// the tail.
fn bundle(shared: &Shared, tile: TileId) -> Result<Option<Vec<u8>>, ReadError> {
    let tail = shared.view.read().tail.clone();
    let (first, end) = tile.leaves();
    let sealed = tail.first_sequence().clamp(first, end);
    let mut commitments = shared.tiles.commitments(first, sealed)?;
    commitments.extend(
        (sealed..end)
            .map_while(|sequence| tail.get(sequence))
            .map(|entry| entry.commitment),
    );

    Ok((commitments.len() as u64 == end - first).then(|| tiles::bundle(&commitments)))
}

/// Completes entries as segments hold them, in the order given, and refuses those that are not what
/// the log committed to.
pub(crate) fn restore(
    shared: &Shared,
    sealed: Vec<SealedEntry>,
) -> Result<Vec<StoredEntry>, ReadError> {
    sealed
        .into_iter()
        .map(|entry| restore_one(shared, entry))
        .collect()
}

fn restore_one(shared: &Shared, sealed: SealedEntry) -> Result<StoredEntry, ReadError> {
    let SealedEntry {
        sequence,
        salt,
        canonical,
    } = sealed;
    let link = link(shared, sequence)?;
    let entry = StoredEntry::restore(sequence, salt, canonical, link.previous_hash).map_err(
        |error: ReadBackError| ReadError::Damaged {
            sequence,
            cause: error.to_string(),
        },
    )?;

    if (entry.leaf_hash, entry.hash) != (link.leaf_hash, link.hash) {
        let cause = format!(
            "its leaf hash is {}, but the tree has {}",
            entry.leaf_hash, link.leaf_hash
        );
        return Err(ReadError::Damaged { sequence, cause });
    }

    Ok(entry)
}

/// Returns the leaf hash of an entry, whose content may be gone.
pub(crate) fn leaf_hash(shared: &Shared, sequence: u64) -> Result<Hash, ReadError> {
    link(shared, sequence).map(|link| link.leaf_hash)
}

/// An entry's leaf and links, sealed or not.
fn link(shared: &Shared, sequence: u64) -> Result<ChainLink, ReadError> {
    let sealed_size = {
        let view = shared.view.read();
        if let Some(entry) = view.tail.get(sequence) {
            let StoredEntry {
                leaf_hash,
                previous_hash,
                hash,
                ..
            } = **entry;
            return Ok(ChainLink {
                leaf_hash,
                previous_hash,
                hash,
            });
        }
        view.tail.first_sequence()
    };

    if sequence >= sealed_size {
        return Err(ReadError::NoSuchEntry { sequence });
    }

    Ok(shared.chain.link(&shared.tiles, sequence, sealed_size)?)
}

/// Salts of entries and of disclosures are of the same length.
const _: () = assert!(SALT_LEN == 16);
