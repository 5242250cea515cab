//! `.tlog-proof` files: one that is whole verifies offline; one bit elsewhere and it is refused.

use proptest::prelude::*;
use reeve_tlog::{
    Checkpoint, CheckpointOpenError, Disclosure, DisclosureError, Hash, InclusionError, NoteError,
    NoteVerifyError, ProofFile, ProofFileError, ProofVerifyError, SALT_LEN, commitment,
    prove_inclusion,
};

use crate::memory::MemoryTree;
use crate::notes::signer;

const ORIGIN: &str = "reeve.local/main";
const SALT: [u8; SALT_LEN] = *b"0123456789abcdef";
const CANONICAL: &[u8] = br#"{"event_type":"user.login"}"#;

/// A log of `size` leaves whose leaf `index` is the entry above, and its proof.
fn proof_of(index: u64, size: u64) -> ProofFile {
    let mut tree = MemoryTree::of_size(size);
    tree.0[index as usize] = commitment(&SALT, CANONICAL).leaf_hash();
    let log = signer(ORIGIN, 1);
    let checkpoint = Checkpoint::new(ORIGIN, size, tree.root(size));

    ProofFile {
        extra: Disclosure {
            salt: &SALT,
            canonical: CANONICAL,
        }
        .encode(),
        index,
        hashes: prove_inclusion(&tree, index, size).unwrap(),
        checkpoint: checkpoint.sign(&[&log]).unwrap(),
    }
}

#[test]
fn proofs_round_trip_and_verify() {
    let keys = [signer(ORIGIN, 1).verifier().clone()];
    for (index, size) in [(0, 1), (0, 2), (1, 2), (6, 7), (3, 8), (299, 300)] {
        let proof = proof_of(index, size);
        let text = proof.to_string();
        let parsed = ProofFile::parse(text.as_bytes()).unwrap();
        assert_eq!(parsed, proof);
        let (entry, checkpoint) = parsed.verify_disclosed(&keys).unwrap();
        assert_eq!((entry.salt, entry.canonical), (&SALT, CANONICAL));
        assert_eq!(
            (checkpoint.size, checkpoint.origin.as_str()),
            (size, ORIGIN)
        );

        // Without the extra line, whoever knows the leaf can verify.
        let mut bare = proof.clone();
        bare.extra.clear();
        assert!(!bare.to_string().contains("extra"));
        let bare = ProofFile::parse(bare.to_string().as_bytes()).unwrap();
        let leaf = commitment(&SALT, CANONICAL).leaf_hash();
        assert_eq!(bare.verify(&leaf, &keys), Ok(checkpoint));
        assert_eq!(
            bare.verify_disclosed(&keys).map(drop),
            Err(ProofVerifyError::Disclosure(DisclosureError::Domain))
        );
    }
}

#[test]
fn another_key_leaf_or_place_is_refused() {
    let proof = proof_of(3, 8);
    let (log, other) = (signer(ORIGIN, 1), signer(ORIGIN, 2));
    let leaf = commitment(&SALT, CANONICAL).leaf_hash();
    let unknown = CheckpointOpenError::Signature(NoteVerifyError::NoKnownKey);
    assert_eq!(
        proof.verify(&leaf, &[other.verifier().clone()]),
        Err(ProofVerifyError::Checkpoint(unknown))
    );

    let keys = [log.verifier().clone()];
    let wrong_leaf = proof.verify(&Hash::ZERO, &keys).unwrap_err();
    assert!(matches!(
        wrong_leaf,
        ProofVerifyError::Inclusion(InclusionError::Root { .. })
    ));

    let mut moved = proof.clone();
    moved.index = 8;
    assert_eq!(
        moved.verify(&leaf, &keys),
        Err(ProofVerifyError::Inclusion(InclusionError::NoSuchLeaf {
            index: 8,
            size: 8
        }))
    );
}

#[test]
fn refused_proof_files() {
    let good = proof_of(1, 3).to_string();
    let first_hash = good.lines().nth(3).unwrap();
    let extra_line = good.lines().nth(1).unwrap();
    let without = |line: &str| good.replacen(&format!("{line}\n"), "", 1);
    let cases = [
        (String::new(), ProofFileError::Header),
        (good.replace("@v1", "@v2"), ProofFileError::Header),
        (good.replacen('\n', "\r\n", 1), ProofFileError::Header),
        (good.replace(extra_line, "extra "), ProofFileError::Extra),
        (good.replace(extra_line, "extra !"), ProofFileError::Extra),
        (good.replace(extra_line, "extra QQ"), ProofFileError::Extra),
        (
            good.replace(extra_line, "Extra QQ=="),
            ProofFileError::Index,
        ),
        (without("index 1"), ProofFileError::Index),
        (good.replace("index 1", "index 01"), ProofFileError::Index),
        (good.replace("index 1", "index -1"), ProofFileError::Index),
        (good.replace("index 1", "index  1"), ProofFileError::Index),
        (
            good.replace("index 1", "index 18446744073709551616"),
            ProofFileError::Index,
        ),
        (
            good.replace(first_hash, &first_hash[1..]),
            ProofFileError::Hash(1),
        ),
        (
            good.replace(first_hash, &format!("{first_hash} ")),
            ProofFileError::Hash(1),
        ),
        (
            good.replace(first_hash, &vec![first_hash; 70].join("\n")),
            ProofFileError::TooManyHashes,
        ),
        (
            good.split("\n\n").next().unwrap().to_owned(),
            ProofFileError::NoCheckpoint,
        ),
        (
            good.trim_end().to_owned(),
            ProofFileError::Note(NoteError::Unended),
        ),
        (
            format!("{good}\n"),
            ProofFileError::Note(NoteError::NoSignatures),
        ),
    ];

    for (text, expect) in cases {
        assert_eq!(ProofFile::parse(text.as_bytes()), Err(expect), "{text:?}");
    }

    assert_eq!(ProofFile::parse(b"\xff\n"), Err(ProofFileError::Utf8));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn no_single_bit_of_a_proof_file_can_change(size in 1u64..300, at in any::<u64>(), bit in any::<prop::sample::Index>()) {
        let keys = [signer(ORIGIN, 1).verifier().clone()];
        let mut bytes = proof_of(at % size, size).to_string().into_bytes();
        let bit = bit.index(bytes.len() * 8);
        bytes[bit / 8] ^= 1 << (bit % 8);
        let accepted = ProofFile::parse(&bytes).is_ok_and(|p| p.verify_disclosed(&keys).is_ok());
        prop_assert!(!accepted);
    }
}
