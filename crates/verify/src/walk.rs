//! The walk over all leaves in order: grows tree and chain anew and holds them against whatever claims to know them.

use std::path::{Path, PathBuf};

use reeve_tlog::{Hash, TILE_WIDTH, Tree, chain_hash, encode_tile};

use crate::error::{CannotVerify, read_if_there};
use crate::finding::{Finding, Findings};

/// What a file claims about the log at some size.
#[derive(Debug, Clone)]
pub(crate) struct Milestone {
    /// Entries.
    pub(crate) size: u64,
    /// Root of the tree over them.
    pub(crate) root: Option<Hash>,
    /// Chain hash of the last of them.
    pub(crate) chain_hash: Option<Hash>,
    /// Who says so, and where in the file.
    pub(crate) file: String,
    pub(crate) offset: Option<u64>,
    /// What the file is, for a sentence: `the anchor`.
    pub(crate) who: &'static str,
    /// It says so under the log's signature.
    pub(crate) signed: bool,
}

/// Tree and chain as far as they have been recomputed.
pub(crate) struct Walk {
    ledger: PathBuf,
    sealed_size: u64,
    tree: Tree,
    chain_hash: Hash,
    /// Ordered by size, the next one last.
    milestones: Vec<Milestone>,
    /// Full tiles found to be what they should.
    pub(crate) tiles: u64,
    /// Chain hashes after every 256 sealed entries, beginning with zeros.
    pub(crate) points: Vec<Hash>,
    /// The first leaf that nothing tells: tree and chain cannot be known from there on.
    pub(crate) lost: Option<u64>,
    /// The largest size at which a signed root was found to be right.
    pub(crate) signed_size: u64,
}

impl Walk {
    /// Before the first entry. Tiles are held against those on disk below `sealed_size`.
    pub(crate) fn new(dir: &Path, sealed_size: u64, mut milestones: Vec<Milestone>, findings: &mut Findings) -> Walk {
        milestones.sort_by_key(|milestone| std::cmp::Reverse(milestone.size));
        let mut walk = Walk {
            ledger: dir.join("ledger"),
            sealed_size,
            tree: Tree::new(),
            chain_hash: Hash::ZERO,
            milestones,
            tiles: 0,
            points: vec![Hash::ZERO],
            lost: None,
            signed_size: 0,
        };
        walk.pass(findings);
        walk
    }

    /// Root over them.
    pub(crate) fn root(&self) -> Hash {
        self.tree.root()
    }

    /// Chain hash of the last of them.
    pub(crate) fn chain_hash(&self) -> Hash {
        self.chain_hash
    }

    /// Gives up: the leaf that comes next is not known.
    pub(crate) fn lose(&mut self, sequence: u64) {
        self.lost.get_or_insert(sequence);
    }

    /// The next leaf. Without effect once one is lost.
    pub(crate) fn append(&mut self, leaf: Hash, findings: &mut Findings) -> Result<(), CannotVerify> {
        if self.lost.is_some() {
            return Ok(());
        }
        let size = self.tree.size() + 1;
        let mut full = Vec::new();
        let keep = size <= self.sealed_size;
        self.tree.append(leaf, |tile, hashes| {
            if keep {
                full.push((tile, encode_tile(hashes)));
            }
        });
        self.chain_hash = chain_hash(&self.chain_hash, &leaf);
        if keep && size.is_multiple_of(u64::from(TILE_WIDTH)) {
            self.points.push(self.chain_hash);
        }
        for (tile, bytes) in full {
            let (first, end) = tile.leaves();
            self.tile(&tile.path(), &bytes, (first, end - 1), findings)?;
        }
        if self.milestones.last().is_some_and(|next| next.size == size) {
            self.pass(findings);
        }
        Ok(())
    }

    /// Holds a tile on disk against what it must be.
    fn tile(
        &mut self,
        path: &str,
        expected: &[u8],
        leaves: (u64, u64),
        findings: &mut Findings,
    ) -> Result<(), CannotVerify> {
        let name = format!("ledger/{path}");
        let finding = |what: &str| Finding::new(&name, what).entries(leaves.0, leaves.1);
        match read_if_there(&self.ledger.join(path))? {
            None => findings.add(finding("the tile is missing")),
            Some(bytes) if bytes == expected => self.tiles += 1,
            Some(bytes) if bytes.len() != expected.len() => {
                findings.add(finding("the tile has another length").differs(expected.len(), bytes.len()));
            }
            Some(bytes) => {
                let at = bytes.iter().zip(expected).take_while(|(a, b)| a == b).count() / 32 * 32;
                let hash = |bytes: &[u8]| bytes.get(at..at + 32).map(hex::encode).unwrap_or_default();
                let found = finding("a hash of the tile is not the one that the entries give");
                findings.add(found.at(at as u64).differs(hash(expected), hash(&bytes)));
            }
        }
        Ok(())
    }

    /// Holds everything that speaks of the present size against it.
    fn pass(&mut self, findings: &mut Findings) {
        let size = self.tree.size();
        while let Some(milestone) = self.milestones.pop_if(|next| next.size == size) {
            let root = self.tree.root();
            let wrong = |what: &str, expected: Hash, found: Hash| {
                let what = format!("{} holds another {what} at {size} entries than they give", milestone.who);
                Finding { offset: milestone.offset, ..Finding::new(&milestone.file, what).differs(expected, found) }
            };
            match milestone.root {
                Some(held) if held != root => findings.add(wrong("root", root, held)),
                Some(_) if milestone.signed => self.signed_size = self.signed_size.max(size),
                _ => {}
            }
            match milestone.chain_hash {
                Some(held) if held != self.chain_hash => findings.add(wrong("chain hash", self.chain_hash, held)),
                _ => {}
            }
        }
    }

    /// At the end of the log, which has `size` entries: what speaks of more has not been reached.
    pub(crate) fn finish(&mut self, size: u64, findings: &mut Findings) {
        while let Some(milestone) = self.milestones.pop() {
            let who = milestone.who;
            let what = if milestone.size > size {
                format!("{who} knows of more entries than the log has: its end was cut off")
            } else {
                format!("what {who} holds at {} entries cannot be checked", milestone.size)
            };
            let finding = Finding { offset: milestone.offset, ..Finding::new(&milestone.file, what) };
            findings.add(if milestone.size > size {
                finding.entries(size, milestone.size - 1).differs(milestone.size, size)
            } else {
                finding
            });
        }
    }
}
