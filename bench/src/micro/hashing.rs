//! The cryptography of an entry: commitment, leaf and chain hash, the tree's growth, and the signed
//! checkpoint of a batch.

use std::hint::black_box;

use anyhow::anyhow;
use reeve_tlog::{Hash, Tree, chain_hash, commitment};

use super::measure::{Row, measure};

const MEMORY: &str = "none (memory)";
const SALT: [u8; 16] = [0x5a; 16];

/// Measures the hashing of entries.
pub(crate) fn rows(entries: &[Vec<u8>]) -> anyhow::Result<Vec<Row>> {
    let leaves: Vec<Hash> = entries
        .iter()
        .map(|entry| commitment(&SALT, entry).leaf_hash())
        .collect();
    Ok(vec![
        measure(
            "commitment, leaf and chain hash",
            MEMORY,
            entries.len(),
            || {
                let mut chain = Hash::ZERO;
                for entry in entries {
                    chain = chain_hash(&chain, &commitment(&SALT, black_box(entry)).leaf_hash());
                }
                black_box(chain);
                Ok(())
            },
        )?,
        measure(
            "grow the tree, tiles cut as they fill",
            MEMORY,
            leaves.len(),
            || {
                let (mut tree, mut tiles) = (Tree::new(), 0_usize);
                for leaf in &leaves {
                    tree.append(*leaf, |_, hashes| tiles += hashes.len());
                }
                black_box(tree.root());
                if tiles == 0 {
                    Err(anyhow!("no tile was filled by {} leaves", leaves.len()))
                } else {
                    Ok(())
                }
            },
        )?,
    ])
}
