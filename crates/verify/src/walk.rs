//! Walk over all leaves in order: computes tree and chain, and compares them with every milestone.

use std::path::Path;

use reeve_tlog::{
    Checkpoint, Hash, MAX_TILE_LEVEL, TILE_WIDTH, TileId, Tree, chain_hash, encode_tile,
};

use crate::error::CannotVerify;
use crate::finding::{Finding, Findings};
use crate::records::Hashes;

/// The file of a tile level.
fn level_name(level: u8) -> String {
    format!("ledger/tree/{level}")
}

/// Claim of a file about the log at some size.
#[derive(Debug, Clone)]
pub(crate) struct Milestone {
    /// Number of entries that the root covers.
    pub(crate) size: u64,
    /// Root of the tree over them.
    pub(crate) root: Option<Hash>,
    /// Chain hash of the last of them.
    pub(crate) chain_hash: Option<Hash>,
    /// File that makes the claim, for findings.
    pub(crate) file: String,
    pub(crate) offset: Option<u64>,
    /// Noun for the file in a sentence: `the anchor`.
    pub(crate) source_name: &'static str,
    /// `true` if the log's key signed it.
    pub(crate) signed: bool,
    /// `true` if it was kept where an attacker of the log could not change it.
    pub(crate) elsewhere: bool,
}

impl Milestone {
    /// Returns the claim of a signed checkpoint that was found in a file of the log.
    pub(crate) fn signed(
        checkpoint: &Checkpoint,
        file: impl Into<String>,
        source_name: &'static str,
    ) -> Milestone {
        Milestone {
            size: checkpoint.size,
            root: Some(checkpoint.root),
            chain_hash: None,
            file: file.into(),
            offset: None,
            source_name,
            signed: true,
            elsewhere: false,
        }
    }

    /// A checkpoint with cosignatures of witnesses.
    pub(crate) fn cosigned(checkpoint: &Checkpoint, file: &str) -> Milestone {
        Milestone::signed(checkpoint, file, "the cosigned checkpoint")
    }
}

/// Tree and chain as far as they have been recomputed.
pub(crate) struct Walk {
    sealed_size: u64,
    tree: Tree,
    chain_hash: Hash,
    /// Ordered by size, the next one last.
    milestones: Vec<Milestone>,
    /// The hashes of tile levels 1 and up, as the log keeps them.
    levels: Vec<Hashes>,
    /// Tiles found to be what they should.
    pub(crate) tiles: u64,
    /// Chain hashes after every 256 sealed entries, beginning with zeros.
    pub(crate) points: Vec<Hash>,
    /// First unknown leaf: tree and chain cannot be computed from there on.
    pub(crate) lost: Option<u64>,
    /// The largest size at which a signed root was found to be right.
    pub(crate) signed_size: u64,
    /// The largest size at which something kept elsewhere was found to agree.
    pub(crate) agreed_size: u64,
}

impl Walk {
    /// Before the first entry. Tiles are held against those on disk below `sealed_size`.
    pub(crate) fn new(
        dir: &Path,
        sealed_size: u64,
        mut milestones: Vec<Milestone>,
        findings: &mut Findings,
    ) -> Result<Walk, CannotVerify> {
        milestones.sort_by_key(|milestone| std::cmp::Reverse(milestone.size));
        let level = |level: u8| Hashes::open(dir.join(level_name(level)));
        let mut walk = Walk {
            sealed_size,
            tree: Tree::new(),
            chain_hash: Hash::ZERO,
            milestones,
            levels: (1..=MAX_TILE_LEVEL).map(level).collect::<Result<_, _>>()?,
            tiles: 0,
            points: vec![Hash::ZERO],
            lost: None,
            signed_size: 0,
            agreed_size: 0,
        };
        walk.pass(findings);

        Ok(walk)
    }

    /// Root hash over these entries.
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
    pub(crate) fn append(
        &mut self,
        leaf: Hash,
        findings: &mut Findings,
    ) -> Result<(), CannotVerify> {
        if self.lost.is_some() {
            return Ok(());
        }

        let size = self.tree.size() + 1;
        let mut full = Vec::new();
        let keep = size <= self.sealed_size;
        self.tree.append(leaf, |tile, hashes| {
            if keep && tile.level() > 0 {
                full.push((tile, encode_tile(hashes)));
            }
        });
        self.chain_hash = chain_hash(&self.chain_hash, &leaf);
        if keep && size.is_multiple_of(u64::from(TILE_WIDTH)) {
            self.points.push(self.chain_hash);
        }

        for (tile, bytes) in full {
            self.tile(tile, &bytes, findings)?;
        }

        if size == self.sealed_size {
            let edge: Vec<_> = self
                .tree
                .partials()
                .map(|(tile, hashes)| (tile, encode_tile(hashes)))
                .collect();
            for (tile, bytes) in edge.into_iter().filter(|(tile, _)| tile.level() > 0) {
                self.tile(tile, &bytes, findings)?;
            }
        }

        if self.milestones.last().is_some_and(|next| next.size == size) {
            self.pass(findings);
        }

        Ok(())
    }

    /// Holds a tile above level 0 on disk against what it must be.
    fn tile(
        &mut self,
        tile: TileId,
        expected: &[u8],
        findings: &mut Findings,
    ) -> Result<(), CannotVerify> {
        let name = level_name(tile.level());
        let first = tile.index() * u64::from(TILE_WIDTH);
        let Some(level) = usize::from(tile.level())
            .checked_sub(1)
            .and_then(|at| self.levels.get(at))
        else {
            return Ok(());
        };

        let bytes = level.read(first, first + u64::from(tile.width()))?;
        if bytes == expected {
            self.tiles += 1;
            return Ok(());
        }

        let (begin, end) = tile.leaves();
        let finding = |message: &str| Finding::new(&name, message).entries(begin, end - 1);
        let at = bytes
            .iter()
            .zip(expected)
            .take_while(|(a, b)| a == b)
            .count()
            / 32
            * 32;
        let offset = first * 32 + at as u64;

        findings.add(if at + 32 > bytes.len() {
            finding("the file ends before these hashes of the tree, or is missing").at(offset)
        } else {
            let hash = |bytes: &[u8]| bytes.get(at..at + 32).map(hex::encode).unwrap_or_default();
            let found = finding("a hash of the tree differs from the hash of the entries");
            found.at(offset).differs(hash(expected), hash(&bytes))
        });

        Ok(())
    }

    /// Holds everything that speaks of the present size against it.
    fn pass(&mut self, findings: &mut Findings) {
        let size = self.tree.size();
        while let Some(milestone) = self.milestones.pop_if(|next| next.size == size) {
            let root = self.tree.root();
            let wrong = |message: &str, expected: Hash, found: Hash| {
                let message = format!(
                    "{} holds another {message} at {size} entries than they give",
                    milestone.source_name
                );
                Finding {
                    offset: milestone.offset,
                    ..Finding::new(&milestone.file, message).differs(expected, found)
                }
            };
            match milestone.root {
                Some(held) if held != root && milestone.elsewhere => {
                    let message = format!(
                        "{} holds another root at {size} entries: the log was rewritten, first somewhere among these entries",
                        milestone.source_name
                    );
                    let wrong = Finding::new(&milestone.file, message).differs(held, root);
                    findings.add(wrong.entries(self.agreed_size, size.saturating_sub(1)));
                }
                Some(held) if held != root => findings.add(wrong("root", root, held)),
                Some(_) => {
                    self.signed_size = if milestone.signed {
                        size
                    } else {
                        self.signed_size
                    };
                    self.agreed_size = if milestone.elsewhere {
                        size
                    } else {
                        self.agreed_size
                    };
                }
                None => {}
            }
            match milestone.chain_hash {
                Some(held) if held != self.chain_hash => {
                    findings.add(wrong("chain hash", self.chain_hash, held))
                }
                _ => {}
            }
        }
    }

    /// At the end of the log, which has `size` entries: what speaks of more has not been reached.
    pub(crate) fn finish(&mut self, size: u64, findings: &mut Findings) {
        while let Some(milestone) = self.milestones.pop() {
            let source_name = milestone.source_name;
            let message = if milestone.size > size {
                format!("{source_name} has more entries than the log: the log was truncated")
            } else {
                format!(
                    "what {source_name} holds at {} entries cannot be checked",
                    milestone.size
                )
            };
            let finding = Finding {
                offset: milestone.offset,
                ..Finding::new(&milestone.file, message)
            };
            findings.add(if milestone.size > size {
                finding
                    .entries(size, milestone.size - 1)
                    .differs(milestone.size, size)
            } else {
                finding
            });
        }
    }
}
