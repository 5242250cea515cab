//! A start signs what the log's key signed before, and nothing else: forged files are refused, and
//! those of a version that signed less are taken up once, on record.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use reeve_ledger::disk::LocalDisk;
use reeve_ledger::wal::{FrameHead, FrameReader, HEADER_LEN, encode_frame};
use reeve_ledger::{AcceptUnsigned, Config, Ledger, OpenError, anchor};
use reeve_tlog::{Checkpoint, NoteSigner, Tree, commitment, leaf_hash};

use crate::earlier::{unsign, unsign_anchor};
use crate::log::{ORIGIN, check_whole, config, draft, drafts, open, open_on, signer};
use crate::segments::MemorySegments;

/// 300 sealed entries, and `unsealed` frames of three.
async fn closed(unsealed: usize) -> (tempfile::TempDir, Arc<MemorySegments>) {
    let (dir, segments) = (tempfile::tempdir().unwrap(), MemorySegments::new());
    let ledger = open(dir.path(), &segments).await.unwrap();
    ledger.append(drafts("sealed-", 300)).await.unwrap();
    ledger.seal().await.unwrap();

    for frame in 0..unsealed {
        ledger
            .append(drafts(&format!("{frame}-"), 3))
            .await
            .unwrap();
    }

    ledger.close().await;
    (dir, segments)
}

fn wal(dir: &Path) -> PathBuf {
    dir.join(format!("ledger/wal/{:020}.wal", 300))
}

/// Consent with an entry about it.
fn accepting(dir: &Path) -> Config {
    let entry = AcceptUnsigned::new(|unsigned| {
        Ok(Some(draft(
            "accepted",
            &format!("{} unsigned", unsigned.size),
        )))
    });
    Config {
        accept_unsigned: Some(entry),
        ..config(dir)
    }
}

async fn accept(dir: &Path, segments: &Arc<MemorySegments>) -> Result<Ledger, OpenError> {
    open_on(Arc::new(LocalDisk), accepting(dir), segments).await
}

/// Refused as it is, and not accepted with consent either.
async fn forged(dir: &Path, segments: &Arc<MemorySegments>, file: &str, cause: &str) {
    let plain = open(dir, segments).await.unwrap_err();
    let accepted = accept(dir, segments).await.unwrap_err();

    for error in [plain, accepted] {
        assert!(
            matches!(&error, OpenError::Forged { path, .. } if path.ends_with(file)),
            "{error}"
        );
        assert!(error.to_string().contains(cause), "{error}");
    }
}

/// The frame that anybody can write: right checksum, right size and root, and a note with the log's
/// key id and no signature of it.
fn appended(dir: &Path) {
    let bytes = fs::read(wal(dir)).unwrap();
    let stored = fs::read(dir.join("ledger/commitments")).unwrap();
    let mut tree = Tree::new();
    for hash in stored.as_chunks::<32>().0 {
        tree.append(reeve_tlog::Commitment(*hash).leaf_hash(), |_, _| {});
    }

    let frames: Vec<_> = FrameReader::new(&bytes, HEADER_LEN)
        .map(Result::unwrap)
        .collect();
    for (salt, canonical) in frames.iter().flat_map(|frame| &frame.entries) {
        tree.append(commitment(salt, canonical).leaf_hash(), |_, _| {});
    }

    let first_sequence = tree.size();
    let canonical = draft("forged", "an approval").canonical;
    tree.append(commitment(&[5; 16], &canonical).leaf_hash(), |_, _| {});
    let other = NoteSigner::from_seed(ORIGIN, &[9; 32]).unwrap();
    let own = Checkpoint::new(ORIGIN, tree.size(), tree.root());
    let (text, key) = (own.to_text().unwrap(), signer().id());
    let line =
        reeve_tlog::NoteSignature::new(ORIGIN.into(), key, other.sign(text.as_bytes()).to_vec());
    let head = FrameHead {
        first_sequence,
        committed_at_ms: 0,
        note: format!("{text}\n{line}"),
    };
    let frame = encode_frame(&head, [(&[5; 16], canonical.as_slice())].into_iter()).unwrap();
    fs::write(wal(dir), [bytes, frame].concat()).unwrap();
}

#[tokio::test]
async fn an_appended_frame_is_refused() {
    for unsealed in [0, 2] {
        let (dir, segments) = closed(unsealed).await;
        appended(dir.path());
        forged(
            dir.path(),
            &segments,
            &format!("{:020}.wal", 300),
            "the checkpoint of the newest frame",
        )
        .await;
    }
}

#[tokio::test]
async fn the_log_extends_the_checkpoint_beside_it() {
    let (dir, segments) = closed(2).await;
    let path = dir.path().join("ledger/checkpoint");
    let note = fs::read(&path).unwrap();
    let signed = |size, root| {
        Checkpoint::new(ORIGIN, size, root)
            .sign(&[&signer()])
            .unwrap()
            .to_string()
    };

    for (text, cause) in [
        (
            signed(299, leaf_hash(b"other")),
            "the signed checkpoint of 299 entries has the root",
        ),
        (
            signed(1000, leaf_hash(b"other")),
            "the signed checkpoint is of 1000 entries, and the log has 306",
        ),
    ] {
        fs::write(&path, text).unwrap();
        forged(dir.path(), &segments, "checkpoint", cause).await;
    }

    let other = NoteSigner::from_seed(ORIGIN, &[9; 32]).unwrap();
    fs::write(
        &path,
        Checkpoint::new(ORIGIN, 3, leaf_hash(b"x"))
            .sign(&[&other])
            .unwrap()
            .to_string(),
    )
    .unwrap();

    forged(
        dir.path(),
        &segments,
        "checkpoint",
        "not signed by a known key",
    )
    .await;

    // What a power cut leaves of a file that is not synced: nothing, a part, zeros.
    for part in [
        Vec::new(),
        note[..note.len() / 2].to_vec(),
        vec![0; note.len()],
    ] {
        fs::write(&path, part).unwrap();
        let ledger = open(dir.path(), &segments).await.unwrap();
        ledger.close().await;
    }
}

/// Where everything is sealed, the anchor and the manifest are what a forged log must agree with.
#[tokio::test]
async fn a_forged_anchor_is_refused() {
    let (dir, segments) = closed(0).await;
    let path = dir.path().join("anchor/head");
    let sound = fs::read(&path).unwrap();
    let mut bytes = sound.clone();

    for slot in bytes.chunks_mut(512) {
        slot[100] ^= 1;
        let sum = crc32c::crc32c(&slot[..160]).to_le_bytes();
        slot[160..164].copy_from_slice(&sum);
    }

    fs::write(&path, &bytes).unwrap();
    forged(
        dir.path(),
        &segments,
        "anchor/head",
        "the anchor's signature is refused",
    )
    .await;

    // An anchor of the version before does not go with a signed manifest.
    fs::write(&path, &sound).unwrap();
    unsign_anchor(dir.path());
    forged(dir.path(), &segments, "anchor/head", "it has no signature").await;
    fs::write(&path, &sound).unwrap();
    open(dir.path(), &segments).await.unwrap().close().await;
}

#[tokio::test]
async fn files_of_a_version_without_signatures_are_accepted_once_and_on_record() {
    for (sealed, unsealed) in [(true, 2), (true, 0), (false, 2)] {
        let (dir, segments) = (tempfile::tempdir().unwrap(), MemorySegments::new());
        let ledger = open(dir.path(), &segments).await.unwrap();
        if sealed {
            ledger.append(drafts("sealed-", 300)).await.unwrap();
            ledger.seal().await.unwrap();
        }
        for frame in 0..unsealed {
            ledger
                .append(drafts(&format!("{frame}-"), 3))
                .await
                .unwrap();
        }
        let size = ledger.size();
        ledger.close().await;
        unsign(dir.path());
        let error = open(dir.path(), &segments).await.unwrap_err();
        assert!(
            matches!(error, OpenError::Unsigned { size: found, .. } if found == size),
            "{error}"
        );
        assert!(error.to_string().contains("--accept-unsigned"), "{error}");
        let ledger = accept(dir.path(), &segments).await.unwrap();
        let unsigned = ledger.accepted_unsigned().unwrap();
        assert_eq!((unsigned.size, unsigned.signed_size), (size, size));
        let entries = check_whole(&ledger, &segments).await;
        assert_eq!(entries.last().unwrap().entry.event_id.as_str(), "accepted");
        ledger.seal().await.unwrap();
        ledger.close().await;
        assert!(!dir.path().join("ledger/manifest.json").exists());
        let (head, _) = anchor::decode(&fs::read(dir.path().join("anchor/head")).unwrap()).unwrap();
        assert!(head.signature.is_some());
        let ledger = open(dir.path(), &segments).await.unwrap();
        assert_eq!(
            (ledger.accepted_unsigned(), ledger.size()),
            (None, size + 1)
        );
        ledger.close().await;
        // Consent that is given again finds nothing to accept and leaves no entry.
        let ledger = accept(dir.path(), &segments).await.unwrap();
        assert_eq!(
            (ledger.accepted_unsigned(), ledger.size()),
            (None, size + 1)
        );
        ledger.close().await;
    }
}

/// Consent covers what has no signature by its format, never a signature that is wrong.
#[tokio::test]
async fn consent_does_not_cover_a_wrong_signature() {
    let (dir, segments) = closed(2).await;
    unsign(dir.path());
    appended(dir.path());
    forged(
        dir.path(),
        &segments,
        &format!("{:020}.wal", 300),
        "the checkpoint of the newest frame",
    )
    .await;
}

/// An entry that cannot be recorded leaves the directory unsigned, and so the next start is refused
/// again.
#[tokio::test]
async fn consent_without_an_entry_signs_nothing() {
    let (dir, segments) = closed(2).await;
    unsign(dir.path());
    let refusing = AcceptUnsigned::new(|_| Err("no entry".into()));
    let config = Config {
        accept_unsigned: Some(refusing),
        ..config(dir.path())
    };
    let error = open_on(Arc::new(LocalDisk), config, &segments)
        .await
        .unwrap_err();
    assert!(
        matches!(&error, OpenError::Unrecorded(cause) if cause.to_string() == "no entry"),
        "{error}"
    );

    let error = open(dir.path(), &segments).await.unwrap_err();
    assert!(matches!(error, OpenError::Unsigned { .. }), "{error}");
}
