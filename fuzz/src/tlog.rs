//! Invariants of untrusted input to verification: signed notes, checkpoints, keys, proof files,
//! tile paths.

use std::sync::LazyLock;

use reeve_tlog::{Checkpoint, NoteSigner, NoteVerifier, ProofFile, SignedNote, TileResource};

static KEYS: LazyLock<Vec<NoteVerifier>> = LazyLock::new(|| {
    let signer = NoteSigner::from_seed("reeve.local/example", &std::array::from_fn(|at| at as u8));
    signer
        .iter()
        .map(|signer| signer.verifier().clone())
        .collect()
});

/// Reading never panics; what is read has one spelling, so printing gives the same bytes; nothing
/// unsigned verifies.
pub fn proof(data: &[u8]) {
    if let Ok(note) = SignedNote::parse(data) {
        assert_eq!(note.to_string().as_bytes(), data, "a note has one spelling");
        if let Ok(by) = note.verify(&KEYS) {
            assert!(!by.is_empty());
        }
        if let Ok(checkpoint) = Checkpoint::parse(note.text()) {
            let text = checkpoint.to_text().expect("what was read can be written");
            assert_eq!(text, note.text(), "a checkpoint has one spelling");
        }
    }

    if let Ok(checkpoint) = Checkpoint::open(data, &KEYS) {
        assert_eq!(checkpoint.origin, "reeve.local/example");
    }

    if let Ok(proof) = ProofFile::parse(data) {
        assert_eq!(
            proof.to_string().as_bytes(),
            data,
            "a proof has one spelling"
        );
        let _ = proof
            .verify_disclosed(&KEYS)
            .map_err(|error| error.to_string());
    }

    let Ok(text) = std::str::from_utf8(data) else {
        return;
    };

    if let Ok(key) = text.parse::<NoteVerifier>() {
        assert_eq!(key.to_string(), text, "a key has one spelling");
    }
    if let Ok(TileResource::Hashes(tile)) = TileResource::parse(text) {
        assert_eq!(tile.path(), text, "a tile has one path");
    }
}
