//! `.tlog-proof` file: proves that one entry is in the log, with the log's key alone. Layout:
//! `docs/formats/tlog.md`.

use reeve_audit::Json;
use reeve_audit::json::{self, Numbers, ParseOptions};
use reeve_tlog::{
    Checkpoint, Commitment, EpochOpenError, Epochs, ProofFile, ProofFileError, ProofVerifyError,
    SignedNote,
};

use crate::claim::{Claim, EntryFault};
use crate::error::CannotVerify;
use crate::kept::TooFewWitnesses;

/// Result of verifying a proof.
#[derive(Debug, Clone)]
pub struct Proven {
    pub sequence: u64,
    /// The entry, as it was committed.
    pub entry: Json,
    /// Commitment of the entry.
    pub commitment: Commitment,
    /// The signed checkpoint of the tree that has it.
    pub checkpoint: Checkpoint,
    /// Checkpoint with its signatures.
    pub note: SignedNote,
}

/// Reason why a proof is invalid.
#[derive(Debug, thiserror::Error)]
pub enum ProofFault {
    /// The file is not a proof.
    #[error("it is not a .tlog-proof file")]
    File(#[from] ProofFileError),
    /// Signature, inclusion or disclosure do not hold.
    #[error(transparent)]
    Verify(#[from] ProofVerifyError),
    /// The checkpoint has no signature by the key.
    #[error("the checkpoint of the proof is refused")]
    Checkpoint(#[source] EpochOpenError),
    /// Too few witnesses cosigned the checkpoint.
    #[error(transparent)]
    Witnesses(#[from] TooFewWitnesses),
    /// The committed bytes are not an entry.
    #[error("the committed bytes are not an entry")]
    Entry(#[source] EntryFault),
}

/// Verifies a proof. The outer error says that nothing could be found out, the inner one that the
/// proof does not hold.
pub fn verify_proof(
    bytes: &[u8],
    keys: &Epochs,
) -> Result<Result<Proven, ProofFault>, CannotVerify> {
    let proof = match ProofFile::parse(bytes) {
        Ok(proof) => proof,
        Err(error) => return Ok(Err(error.into())),
    };
    if proof.extra.is_empty() {
        // The signature is all that can be judged, and a wrong one is a verdict.
        return match keys.from_note(&proof.checkpoint) {
            Ok(_) => Err(CannotVerify::NoDisclosure),
            Err(error) => Ok(Err(ProofFault::Checkpoint(error))),
        };
    }

    Ok(verify(&proof, keys))
}

fn verify(proof: &ProofFile, keys: &Epochs) -> Result<Proven, ProofFault> {
    let keys_in_charge = keys
        .from_note(&proof.checkpoint)
        .map_err(ProofFault::Checkpoint)?;
    let known: Vec<_> = keys.keys().cloned().collect();
    let (disclosure, checkpoint) = proof.verify_disclosed(&known)?;
    debug_assert_eq!(keys_in_charge, checkpoint);
    Claim::read(disclosure.canonical, &mut Vec::new()).map_err(ProofFault::Entry)?;
    let options = ParseOptions {
        numbers: Numbers::Stored,
        ..ParseOptions::default()
    };
    let entry = json::parse_with(disclosure.canonical, &options)
        .map_err(|error| ProofFault::Entry(EntryFault::Json(error)))?;

    Ok(Proven {
        sequence: proof.index,
        entry: entry.value,
        commitment: disclosure.commitment(),
        checkpoint,
        note: proof.checkpoint.clone(),
    })
}
