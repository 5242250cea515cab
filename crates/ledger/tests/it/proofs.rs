//! Tests of proof files, tiles and checkpoints, verified with nothing but the public key.

use reeve_ledger::{Ledger, ReadError};
use reeve_tlog::{
    Checkpoint, ProofFile, TileId, TileReader, decode_bundle, partial_tiles, prove_consistency,
    tiles_completed, tree_root, verify_consistency,
};

use crate::log::{check_whole, drafts, open, read_all, signer};
use crate::segments::MemorySegments;

async fn check_proofs(ledger: &Ledger, segments: &MemorySegments) {
    let keys = [signer().verifier().clone()];
    for entry in read_all(ledger, segments).await {
        let proof = ledger.proof(&entry).await.unwrap();
        let proof = ProofFile::parse(proof.as_bytes()).unwrap();
        let (disclosure, checkpoint) = proof.verify_disclosed(&keys).unwrap();
        assert_eq!(disclosure.canonical, entry.canonical);
        assert_eq!(
            (proof.index, checkpoint.size),
            (entry.sequence, ledger.size())
        );
    }
}

/// Collects all tiles as a client would and computes the root from them.
async fn check_tiles(ledger: &Ledger, segments: &MemorySegments) {
    let size = ledger.size();
    let tiles: Vec<TileId> = tiles_completed(0, size)
        .chain(partial_tiles(size))
        .collect();
    let mut fetched = std::collections::BTreeMap::new();

    for tile in tiles {
        let bytes = ledger.tile(&tile.path()).await.unwrap().unwrap();
        assert_eq!(bytes.len(), usize::from(tile.width()) * 32);
        fetched.insert(tile, bytes);
    }

    let reader = TileReader::new(size, |tile| {
        Ok::<_, std::io::Error>(fetched.get(&tile).cloned())
    });
    let checkpoint = Checkpoint::open(
        ledger.checkpoint().as_bytes(),
        &[signer().verifier().clone()],
    )
    .unwrap();
    assert_eq!(tree_root(&reader, size).unwrap(), checkpoint.root);

    let entries = read_all(ledger, segments).await;
    for (index, entries) in entries.chunks(256).enumerate() {
        let tile = TileId::new(0, index as u64, entries.len() as u16).unwrap();
        let bundle = ledger
            .tile(&tile.entries_path().unwrap())
            .await
            .unwrap()
            .unwrap();
        let records = decode_bundle(&bundle, tile.width()).unwrap();
        let commitments: Vec<_> = entries
            .iter()
            .map(|entry| &entry.commitment.as_bytes()[..])
            .collect();
        assert_eq!(records, commitments);
    }
}

#[tokio::test]
async fn every_entry_is_provable_before_and_after_sealing() {
    let dir = tempfile::tempdir().unwrap();
    let segments = MemorySegments::new();
    let mut ledger = open(dir.path(), &segments).await.unwrap();

    for (round, count) in [(0, 200), (1, 100), (2, 250), (3, 1)] {
        ledger
            .append(drafts(&format!("{round}-"), count))
            .await
            .unwrap();
        check_proofs(&ledger, &segments).await;
        check_tiles(&ledger, &segments).await;
        ledger.seal().await.unwrap();
        check_proofs(&ledger, &segments).await;
        check_tiles(&ledger, &segments).await;
        ledger.close().await;
        ledger = open(dir.path(), &segments).await.unwrap();
        check_proofs(&ledger, &segments).await;
        check_tiles(&ledger, &segments).await;
    }

    check_whole(&ledger, &segments).await;
}

/// A full tile still serves its partial forms; what the log does not reach, and what is no path, is
/// nothing.
#[tokio::test]
async fn tiles_are_as_wide_as_asked() {
    let dir = tempfile::tempdir().unwrap();
    let segments = MemorySegments::new();
    let ledger = open(dir.path(), &segments).await.unwrap();
    ledger.append(drafts("a", 300)).await.unwrap();

    for sealed in [false, true] {
        if sealed {
            ledger.seal().await.unwrap();
        }
        let cases = [
            ("tile/0/000", Some(256 * 32)),
            ("tile/0/000.p/17", Some(17 * 32)),
            ("tile/0/001.p/44", Some(44 * 32)),
            ("tile/0/001.p/45", None),
            ("tile/0/001", None),
            ("tile/0/002.p/1", None),
            ("tile/1/000.p/1", Some(32)),
            ("tile/1/000.p/2", None),
            ("tile/2/000.p/1", None),
            ("tile/entries/000", Some(256 * 34)),
            ("tile/entries/000.p/3", Some(3 * 34)),
            ("tile/entries/001.p/44", Some(44 * 34)),
            ("tile/entries/001.p/45", None),
            ("tile/entries/../../keys/log.key", None),
            ("checkpoint", None),
        ];
        for (path, expect) in cases {
            let bytes = ledger.tile(path).await.unwrap();
            assert_eq!(
                bytes.map(|bytes| bytes.len()),
                expect,
                "{path}, sealed: {sealed}"
            );
        }
    }
}

#[tokio::test]
async fn checkpoints_are_consistent_over_seals_and_restarts() {
    let dir = tempfile::tempdir().unwrap();
    let segments = MemorySegments::new();
    let mut ledger = open(dir.path(), &segments).await.unwrap();
    let mut seen: Vec<Checkpoint> = Vec::new();

    for round in 0..6 {
        ledger
            .append(drafts(&format!("{round}-"), 90))
            .await
            .unwrap();
        if round % 2 == 1 {
            ledger.seal().await.unwrap();
        }
        if round == 3 {
            ledger.close().await;
            ledger = open(dir.path(), &segments).await.unwrap();
        }
        seen.push(
            Checkpoint::open(
                ledger.checkpoint().as_bytes(),
                &[signer().verifier().clone()],
            )
            .unwrap(),
        );
    }

    let mut tree = reeve_tlog::Tree::new();
    let mut hashes = std::collections::HashMap::new();
    for entry in read_all(&ledger, &segments).await {
        tree.append(entry.leaf_hash, |_, _| {});
    }

    let mut frontier = reeve_tlog::Frontier::new();
    for entry in read_all(&ledger, &segments).await {
        frontier.append_visit(entry.leaf_hash, |level, index, hash| {
            hashes.insert((level, index), hash);
        });
    }

    struct Known(std::collections::HashMap<(u8, u64), reeve_tlog::Hash>);
    impl reeve_tlog::HashReader for Known {
        type Error = String;
        fn read(&self, level: u8, index: u64) -> Result<reeve_tlog::Hash, String> {
            self.0
                .get(&(level, index))
                .copied()
                .ok_or_else(|| format!("{level}, {index}"))
        }
    }

    let known = Known(hashes);
    for pair in seen.windows(2) {
        let proof = prove_consistency(&known, pair[0].size, pair[1].size).unwrap();
        verify_consistency(
            pair[0].size,
            &pair[0].root,
            pair[1].size,
            &pair[1].root,
            &proof,
        )
        .unwrap();
    }

    assert_eq!(tree.root(), seen[5].root);
}

#[tokio::test]
async fn an_entry_that_was_changed_is_neither_proven_nor_restored() {
    let dir = tempfile::tempdir().unwrap();
    let segments = MemorySegments::new();
    let ledger = open(dir.path(), &segments).await.unwrap();
    ledger.append(drafts("a", 10)).await.unwrap();
    let mut entry = read_all(&ledger, &segments).await[4].clone();
    entry.canonical = entry.canonical.replace_once(b"2026", b"2025");
    let refused = ledger.proof(&entry).await;
    assert!(
        matches!(refused, Err(ReadError::Damaged { sequence: 4, .. })),
        "{refused:?}"
    );
    entry.sequence = 10;
    let beyond = ledger.proof(&entry).await;
    assert!(
        matches!(beyond, Err(ReadError::NoSuchEntry { sequence: 10 })),
        "{beyond:?}"
    );

    ledger.seal().await.unwrap();
    segments.tamper(4, |row| {
        row.canonical = row.canonical.replace_once(b"2026", b"2025")
    });
    let view = ledger.view();

    for segment in view.segments.iter() {
        let rows = reeve_ledger::SegmentStore::read(segments.as_ref(), segment)
            .await
            .unwrap();
        let restored = ledger.restore(rows.clone()).await;
        if rows.iter().any(|row| row.sequence == 4) {
            assert!(
                matches!(restored, Err(ReadError::Damaged { sequence: 4, .. })),
                "{restored:?}"
            );
        } else {
            restored.unwrap();
        }
    }
}

trait ReplaceOnce {
    fn replace_once(&self, from: &[u8], to: &[u8]) -> Vec<u8>;
}

impl ReplaceOnce for Vec<u8> {
    fn replace_once(&self, from: &[u8], to: &[u8]) -> Vec<u8> {
        let at = self
            .windows(from.len())
            .position(|window| window == from)
            .unwrap();
        [&self[..at], to, &self[at + from.len()..]].concat()
    }
}
