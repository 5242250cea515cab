//! Cases that need no test data beside the sources: the eight-leaf tree of Certificate
//! Transparency's reference tests, the first vectors of RFC 8032 section 7.1, and what must be
//! refused of both. The numbers are facts from those documents.

use ed25519_cases::{SIGNATURES, WEAK_KEYS};
use reeve_tlog::{
    Hash, HashReader, NoteVerifier, leaf_hash, prove_consistency, prove_inclusion, tree_root,
};
use reeve_tlog::{verify_consistency, verify_inclusion};

const LEAVES: [&str; 8] = [
    "",
    "00",
    "10",
    "2021",
    "3031",
    "40414243",
    "5051525354555657",
    "606162636465666768696a6b6c6d6e6f",
];

/// Roots over the first leaf, the first two, and so on.
const ROOTS: [&str; 8] = [
    "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
    "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
    "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77",
    "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
    "4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4",
    "76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef",
    "ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c",
    "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328",
];

/// Index of the leaf, size of the tree, and the proof.
const INCLUSION: [(u64, u64, &[&str]); 4] = [
    (0, 1, &[]),
    (
        0,
        8,
        &[
            "96a296d224f285c67bee93c30f8a309157f0daa35dc5b87e410b78630a09cfc7",
            "5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e",
            "6b47aaf29ee3c2af9af889bc1fb9254dabd31177f16232dd6aab035ca39bf6e4",
        ],
    ),
    (
        5,
        8,
        &[
            "bc1a0643b12e4d2d7c77918f44e0f4f79a838b6cf9ec5b5c283e1f4d88599e6b",
            "ca854ea128ed050b41b35ffc1b87b8eb2bde461e9e3b5596ece6b9d5975a0ae0",
            "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
        ],
    ),
    (
        2,
        3,
        &["fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125"],
    ),
];

/// Smaller size, larger size, proof.
const CONSISTENCY: [(u64, u64, &[&str]); 4] = [
    (1, 1, &[]),
    (
        1,
        8,
        &[
            "96a296d224f285c67bee93c30f8a309157f0daa35dc5b87e410b78630a09cfc7",
            "5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e",
            "6b47aaf29ee3c2af9af889bc1fb9254dabd31177f16232dd6aab035ca39bf6e4",
        ],
    ),
    (
        6,
        8,
        &[
            "0ebc5d3437fbe2db158b9f126a1d118e308181031d0a949f8dededebc558ef6a",
            "ca854ea128ed050b41b35ffc1b87b8eb2bde461e9e3b5596ece6b9d5975a0ae0",
            "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
        ],
    ),
    (
        2,
        5,
        &[
            "5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e",
            "bc1a0643b12e4d2d7c77918f44e0f4f79a838b6cf9ec5b5c283e1f4d88599e6b",
        ],
    ),
];

struct Leaves(Vec<Hash>);

impl HashReader for Leaves {
    type Error = std::convert::Infallible;

    fn read(&self, level: u8, index: u64) -> Result<Hash, Self::Error> {
        if level == 0 {
            return Ok(self.0[index as usize]);
        }

        let (left, right) = (
            self.read(level - 1, 2 * index)?,
            self.read(level - 1, 2 * index + 1)?,
        );
        Ok(reeve_tlog::node_hash(&left, &right))
    }
}

fn tree() -> Leaves {
    Leaves(
        LEAVES
            .iter()
            .map(|leaf| leaf_hash(&hex::decode(leaf).unwrap()))
            .collect(),
    )
}

fn root(size: u64) -> Hash {
    Hash::from_hex(ROOTS[size as usize - 1]).unwrap()
}

fn hashes(proof: &[&str]) -> Vec<Hash> {
    proof
        .iter()
        .map(|hash| Hash::from_hex(hash).unwrap())
        .collect()
}

/// The proof with one bit changed, one hash less, one more, and two in each other's place.
fn broken(proof: &[Hash]) -> Vec<Vec<Hash>> {
    let mut broken = vec![[proof, &[leaf_hash(b"more")]].concat()];
    for at in 0..proof.len() {
        let mut changed = proof.to_vec();
        changed[at].0[31] ^= 1;
        broken.push(changed);
        let mut shorter = proof.to_vec();
        shorter.remove(at);
        broken.push(shorter);
        if at > 0 {
            let mut swapped = proof.to_vec();
            swapped.swap(at, at - 1);
            broken.push(swapped);
        }
    }

    broken
}

#[test]
fn the_reference_trees_roots() {
    for size in 1..=8 {
        assert_eq!(tree_root(&tree(), size), Ok(root(size)), "{size}");
    }
}

#[test]
fn the_reference_trees_inclusion_proofs() {
    for (index, size, expected) in INCLUSION {
        let proof = prove_inclusion(&tree(), index, size).unwrap();
        assert_eq!(proof, hashes(expected), "leaf {index} of {size}");
        let leaf = tree().0[index as usize];
        verify_inclusion(&leaf, index, size, &proof, &root(size)).unwrap();
        for wrong in broken(&proof) {
            assert!(
                verify_inclusion(&leaf, index, size, &wrong, &root(size)).is_err(),
                "leaf {index} of {size}"
            );
        }
        for (other, tree_size) in [
            (index + 1, size),
            (index, size + 8),
            (size, size),
            (index, 0),
        ] {
            assert!(
                verify_inclusion(&leaf, other, tree_size, &proof, &root(size)).is_err(),
                "{other} of {tree_size}"
            );
        }
    }
}

#[test]
fn the_reference_trees_consistency_proofs() {
    for (old, new, expected) in CONSISTENCY {
        let proof = prove_consistency(&tree(), old, new).unwrap();
        assert_eq!(proof, hashes(expected), "{old} to {new}");
        verify_consistency(old, &root(old), new, &root(new), &proof).unwrap();
        for wrong in broken(&proof) {
            assert!(
                verify_consistency(old, &root(old), new, &root(new), &wrong).is_err(),
                "{old} to {new}"
            );
        }
        assert!(verify_consistency(0, &root(old), new, &root(new), &proof).is_err());
        assert!(verify_consistency(new + 1, &root(old), new, &root(new), &proof).is_err());
        if old != new {
            assert!(
                verify_consistency(old, &root(new), new, &root(old), &proof).is_err(),
                "{old} to {new}"
            );
        }
    }
}

#[test]
fn signatures_of_the_specification() {
    for (key, message, signature) in SIGNATURES {
        let key: [u8; 32] = hex::decode(key).unwrap().try_into().unwrap();
        let (message, signature) = (
            hex::decode(message).unwrap(),
            hex::decode(signature).unwrap(),
        );
        let key = NoteVerifier::new("rfc8032", &key).unwrap();
        assert!(key.verify(&message, &signature));
        for at in 0..signature.len() {
            let mut changed = signature.clone();
            changed[at] ^= 0x10;
            assert!(!key.verify(&message, &changed), "byte {at}");
        }
        assert!(!key.verify(&[&message[..], b"x"].concat(), &signature));
        assert!(!key.verify(&message, &signature[..63]));
        assert!(
            !key.verify(&message, &with_group_order(&signature)),
            "a scalar beyond the group order"
        );
    }
    for key in WEAK_KEYS {
        let key: [u8; 32] = hex::decode(key).unwrap().try_into().unwrap();
        assert!(NoteVerifier::new("weak", &key).is_err());
    }
}

/// Returns the signature with the group order added to its scalar, which satisfies the same
/// equation.
fn with_group_order(signature: &[u8]) -> Vec<u8> {
    let order =
        hex::decode("edd3f55c1a631258d69cf7a2def9de1400000000000000000000000000000010").unwrap();
    let (mut out, mut carry) = (signature.to_vec(), 0);

    for (at, byte) in order.iter().enumerate() {
        let sum = u16::from(out[32 + at]) + u16::from(*byte) + carry;
        out[32 + at] = sum as u8;
        carry = sum >> 8;
    }
    out
}

mod ed25519_cases {
    /// Public key, message, signature.
    pub(super) const SIGNATURES: [(&str, &str, &str); 3] = [
        (
            "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a",
            "",
            "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b",
        ),
        (
            "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c",
            "72",
            "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00",
        ),
        (
            "fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025",
            "af82",
            "6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac18ff9b538d16f290ae67f760984dc6594a7c15e9716ed28dc027beceea1ec40a",
        ),
    ];

    /// Points of small order: the neutral element, one of order two, one of order four, one of
    /// order eight.
    pub(super) const WEAK_KEYS: [&str; 4] = [
        "0100000000000000000000000000000000000000000000000000000000000000",
        "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
        "0000000000000000000000000000000000000000000000000000000000000000",
        "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
    ];
}
