//! Published vectors: proof cases of transparency-dev/merkle, most of which must be refused, and
//! Ed25519 cases of Wycheproof. They are read from `REEVE_TEST_DATA` (by default `../shared/data`
//! beside the workspace); without it the tests say that they were skipped, and the cases of
//! `fixtures` stand alone.

use std::path::{Path, PathBuf};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use reeve_tlog::{Hash, NoteVerifier, verify_consistency, verify_inclusion};
use serde_json::Value;

/// The folder of vectors by that name, or `None` with a line that says what is skipped.
fn vectors(name: &str) -> Option<PathBuf> {
    let workspace = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let data = std::env::var_os("REEVE_TEST_DATA").map_or_else(
        || workspace.join("../shared/data"),
        |dir| workspace.join(dir),
    );
    let folder = data.join("vectors").join(name);
    if !folder.is_dir() {
        println!("skipped: no published vectors at {}", folder.display());
        return None;
    }

    Some(folder)
}

/// Every JSON document under a folder.
fn documents(folder: &Path) -> Vec<(PathBuf, Value)> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(documents(&path));
        } else if path.extension().is_some_and(|e| e == "json") {
            let document = serde_json::from_slice(&std::fs::read(&path).unwrap()).unwrap();
            found.push((path, document));
        }
    }

    found
}

/// One proof case. Hashes stay bytes, for some are of no hash's length.
struct Case<'a>(&'a Value);

impl Case<'_> {
    fn number(&self, field: &str) -> u64 {
        self.0[field].as_u64().unwrap()
    }

    fn hash(&self, field: &str) -> Option<Hash> {
        let bytes = STANDARD.decode(self.0[field].as_str().unwrap()).unwrap();
        Hash::from_slice(&bytes).ok()
    }

    fn proof(&self) -> Option<Vec<Hash>> {
        let lines = match &self.0["proof"] {
            Value::Null => &[],
            Value::Array(lines) => &lines[..],
            other => panic!("a proof is an array or null, not {other}"),
        };
        let decode = |line: &Value| STANDARD.decode(line.as_str().unwrap()).unwrap();
        lines
            .iter()
            .map(|line| Hash::from_slice(&decode(line)).ok())
            .collect()
    }

    /// Returns `true` if leaf, proof and root of an inclusion case are consistent at `index` of
    /// `size` leaves.
    fn inclusion_holds(&self, index: u64, size: u64) -> bool {
        let parts = (self.hash("leafHash"), self.hash("root"), self.proof());
        let (Some(leaf), Some(root), Some(proof)) = parts else {
            return false;
        };
        verify_inclusion(&leaf, index, size, &proof, &root).is_ok()
    }

    /// Returns `true` if the roots of a consistency case are consistent.
    fn consistency_holds(&self, old: u64, new: u64) -> bool {
        if let (Some(old_root), Some(new_root), Some(proof)) =
            (self.hash("root1"), self.hash("root2"), self.proof())
        {
            return verify_consistency(old, &old_root, new, &new_root, &proof).is_ok();
        }

        // Some cases about equal sizes carry placeholders, not hashes, for roots; what must not
        // depend on their length is whether equal is equal.
        let roots = (&self.0["root1"], &self.0["root2"]);
        let (a, b) = (placeholder(roots.0), placeholder(roots.1));
        self.proof()
            .is_some_and(|proof| verify_consistency(old, &a, new, &b, &proof).is_ok())
    }
}

/// A hash that is equal exactly for equal placeholders.
fn placeholder(value: &Value) -> Hash {
    reeve_tlog::leaf_hash(value.as_str().unwrap().as_bytes())
}

/// Checks each case with `holds` (which passes over what it answers with `None`) and returns how
/// many were accepted and refused.
fn check_cases(folder: &Path, holds: impl Fn(&Case<'_>) -> Option<bool>) -> (usize, usize) {
    let (mut accepted, mut refused) = (0, 0);
    for (path, document) in documents(folder) {
        let Some(held) = holds(&Case(&document)) else {
            continue;
        };
        let expect = !document["wantErr"].as_bool().unwrap();
        assert_eq!(held, expect, "{}: {}", path.display(), document["desc"]);
        if held {
            accepted += 1;
        } else {
            refused += 1;
        }
    }

    (accepted, refused)
}

#[test]
fn published_inclusion_cases() {
    let Some(merkle) = vectors("merkle") else {
        return;
    };

    let counts = check_cases(&merkle.join("inclusion"), |case| {
        Some(case.inclusion_holds(case.number("leafIdx"), case.number("treeSize")))
    });
    assert_eq!(counts, (6, 92));

    // A leaf of a subtree is a leaf of the tree that the subtree's own leaves make, where the
    // subtree exists at all; cases about which subtrees exist concern formats this log does not
    // have.
    let counts = check_cases(&merkle.join("subtreeinclusion"), |case| {
        let (start, end) = (case.number("start"), case.number("end"));
        let index = case.number("leafIdx").checked_sub(start)?;
        let size = end.checked_sub(start)?;
        let exists = size > 0 && start.is_multiple_of(size.checked_next_power_of_two()?);
        exists.then(|| case.inclusion_holds(index, size))
    });
    assert_eq!(counts.0, 12);

    assert!(counts.1 >= 90, "{counts:?}");
}

#[test]
fn published_consistency_cases() {
    let Some(merkle) = vectors("merkle") else {
        return;
    };

    let counts = check_cases(&merkle.join("consistency"), |case| {
        Some(case.consistency_holds(case.number("size1"), case.number("size2")))
    });
    assert_eq!(counts, (6, 92));

    // A subtree from leaf 0 is an earlier tree. An empty one is refused here and accepted there.
    let counts = check_cases(&merkle.join("subtreeconsistency"), |case| {
        let (start, end) = (case.number("start"), case.number("end"));
        (start == 0 && end > 0).then(|| case.consistency_holds(end, case.number("size")))
    });
    assert_eq!(counts.0, 6);
    assert!(counts.1 >= 80, "{counts:?}");
}

#[test]
fn published_signature_cases() {
    let Some(folder) = vectors("ed25519") else {
        return;
    };

    let file = std::fs::read(folder.join("wycheproof.json")).unwrap();
    let document: Value = serde_json::from_slice(&file).unwrap();
    let bytes = |value: &Value| hex::decode(value.as_str().unwrap()).unwrap();
    let (mut accepted, mut refused) = (0, 0);

    for group in document["testGroups"].as_array().unwrap() {
        let key = bytes(&group["publicKey"]["pk"]).try_into().unwrap();
        let key = NoteVerifier::new("wycheproof", &key);
        for test in group["tests"].as_array().unwrap() {
            let (message, signature) = (bytes(&test["msg"]), bytes(&test["sig"]));
            let held = key
                .as_ref()
                .is_ok_and(|key| key.verify(&message, &signature));
            assert_eq!(held, test["result"] == "valid", "case {}", test["tcId"]);
            if held {
                accepted += 1;
            } else {
                refused += 1;
            }
        }
    }

    assert_eq!((accepted, refused), (88, 63));
}
