//! The cryptography of Reeve's audit log: salted commitments, an RFC 6962 Merkle tree and a hash
//! chain over them, proofs, C2SP tiles, and signed checkpoints.
//!
//! Pure and synchronous: no files, no network, no clock, no randomness; whoever stores hashes
//! implements [`HashReader`] or hands bytes to [`TileReader`]. Every reader here is strict: it
//! accepts only what the matching writer writes. The bytes are described in `docs/formats/tlog.md`.
//!
//! | concern | items |
//! |---|---|
//! | an entry's place in the tree | [`commitment`], [`leaf_hash`], [`chain_hash`], [`Disclosure`] |
//! | growing the tree | [`Tree`] (with tiles), [`Frontier`] (without) |
//! | proofs | [`prove_inclusion`], [`verify_inclusion`], [`prove_consistency`], [`verify_consistency`] |
//! | one proof for many leaves | [`MultiProver`], [`MultiVerifier`], [`prove_many`], [`verify_many`]; as a file [`MultiProofWriter`], [`MultiProofReader`] |
//! | tiles | [`TileId`], [`TileResource`], [`tiles_completed`], [`encode_tile`], [`encode_bundle`] |
//! | signatures | [`NoteSigner`], [`NoteVerifier`], [`SignedNote`], [`Checkpoint`] |
//! | a key that changes, witnesses | [`Epoch`], [`Epochs`], [`WitnessKey`], [`Cosigner`] |
//! | files that follow from entries | [`Attestation`] |
//! | proof files | [`ProofFile`] |

mod attestation;
mod bundle;
mod checkpoint;
mod commitment;
mod consistency;
mod cosignature;
mod decimal;
mod epoch;
mod frontier;
mod hash;
mod inclusion;
mod key;
mod multi_proof;
mod multi_proof_file;
mod note;
mod proof_file;
mod reader;
mod tile;
mod tree;

pub use attestation::{Attestation, AttestationError};
pub use bundle::{
    TileDataError, decode_bundle, decode_tile, encode_bundle, encode_tile, push_record,
};
pub use checkpoint::{Checkpoint, CheckpointError, CheckpointOpenError, CheckpointSignError};
pub use commitment::{
    COMMITMENT_DOMAIN, Commitment, Disclosure, DisclosureError, SALT_LEN, chain_hash, commitment,
};
pub use consistency::{
    ConsistencyError, ConsistencyProveError, prove_consistency, verify_consistency,
};
pub use cosignature::{Cosigned, Cosigner, WitnessKey};
pub use epoch::{Epoch, EpochError, EpochOpenError, Epochs};
pub use frontier::{Frontier, FrontierError, MAX_TREE_SIZE};
pub use hash::{HASH_LEN, Hash, HashError, empty_root, leaf_hash, node_hash};
pub use inclusion::{
    InclusionError, InclusionProveError, inclusion_root, prove_inclusion, verify_inclusion,
};
pub use key::{KeyError, KeyId, NoteSigner, NoteVerifier};
pub use multi_proof::{
    MultiLeafError, MultiProofError, MultiProveError, MultiProver, MultiVerifier, prove_many,
    verify_many,
};
pub use multi_proof_file::{
    MultiProofReadError, MultiProofReader, MultiProofWriteError, MultiProofWriter,
};
pub use note::{
    MAX_NOTE_BYTES, MAX_SIGNATURES, NoteError, NoteSignature, NoteVerifyError, SignedNote,
};
pub use proof_file::{ProofFile, ProofFileError, ProofVerifyError};
pub use reader::{HashReader, TileReadError, TileReader, tree_root};
pub use tile::{
    MAX_TILE_LEVEL, TILE_HEIGHT, TILE_WIDTH, TileId, TileIdError, TileResource, partial_tiles,
    tiles_completed,
};
pub use tree::Tree;
