//! The key changes while the log goes on, and at whatever step that is interrupted one key is in
//! charge afterwards.

use std::fs;

use jiff::Timestamp;
use reeve_audit::{Draft, Obstacle};
use reeve_ledger::{Config, Ledger, Planned, RotateError, keys};
use reeve_tlog::{Checkpoint, Epoch, Epochs, NoteVerifier, ProofFile};

use crate::log::{ORIGIN, drafts, open, signer};
use crate::segments::MemorySegments;

fn entry(planned: &Planned) -> Result<Draft, Obstacle> {
    let text = format!(
        r#"{{"event_type":"ledger.key_rotate","metadata":{{"old":"{}","new":"{}"}}}}"#,
        planned.old, planned.new
    );
    Draft::from_bytes(text.as_bytes(), Timestamp::now())
        .map_err(|error| format!("{error:?}").into())
}

async fn started(dir: &std::path::Path) -> Ledger {
    let signer = keys::load_or_create(dir, Some("log.example")).unwrap();
    let config = Config::new(dir, signer.name());
    Ledger::open(config, signer, MemorySegments::new())
        .await
        .unwrap()
}

fn epochs(dir: &std::path::Path) -> Epochs {
    let count = fs::read_dir(dir.join("ledger/epochs")).unwrap().count();
    let records = (1..=count)
        .map(|n| Epoch::open(&fs::read(dir.join(format!("ledger/epochs/{n}"))).unwrap()).unwrap());
    Epochs::from_records(records).unwrap().unwrap()
}

#[tokio::test]
async fn a_new_key_takes_over_and_the_old_one_is_gone() {
    let dir = tempfile::tempdir().unwrap();
    let ledger = started(dir.path()).await;
    let first: NoteVerifier = ledger.verifier_key().parse().unwrap();
    let secret = fs::read_to_string(dir.path().join("keys/log.key")).unwrap();
    ledger.append(drafts("a", 5)).await.unwrap();
    let early = ledger.proof(ledger.tail().get(3).unwrap()).await.unwrap();
    let old_checkpoint = ledger.checkpoint();

    for number in 1..=2 {
        let before = ledger.verifier_key();
        let epoch = ledger.rotate_key(entry).await.unwrap();
        assert_eq!((epoch.number, epoch.size), (number, 4 + number * 2));
        assert_ne!(ledger.verifier_key(), before);
        // The very same size is signed anew at once, and all that comes.
        Checkpoint::open(
            ledger.checkpoint().as_bytes(),
            std::slice::from_ref(&epoch.new),
        )
        .unwrap();
        ledger
            .append(drafts(&format!("b{number}"), 1))
            .await
            .unwrap();
    }

    let keys = epochs(dir.path());
    assert_eq!(keys.keys().next(), Some(&first));
    for note in [&old_checkpoint, &ledger.checkpoint()] {
        keys.open(note.as_bytes()).unwrap();
    }

    // A proof made under the first key holds with it, and with the keys it led to.
    let proof = ProofFile::parse(early.as_bytes()).unwrap();
    proof
        .verify_disclosed(std::slice::from_ref(&first))
        .unwrap();
    keys.from_note(&proof.checkpoint).unwrap();
    assert_eq!(fs::read_dir(dir.path().join("keys")).unwrap().count(), 1);

    let now = fs::read_to_string(dir.path().join("keys/log.key")).unwrap();
    assert_ne!(now, secret);

    let key_epochs = ledger.keys();
    assert_eq!(
        key_epochs
            .iter()
            .map(|key| (key.from_size, key.to_size))
            .collect::<Vec<_>>(),
        [(0, Some(6)), (6, Some(8)), (8, None)]
    );

    assert_eq!(ledger.epoch_records().await.unwrap().len(), 2);
    ledger.close().await;
    let ledger = started(dir.path()).await;
    assert_eq!(ledger.verifier_key(), key_epochs[2].public_key);
    assert_eq!(ledger.size(), 9);
    ledger.close().await;
}

#[tokio::test]
async fn an_entry_that_is_refused_changes_no_key() {
    let dir = tempfile::tempdir().unwrap();
    let ledger = started(dir.path()).await;
    let before = ledger.verifier_key();
    let refused = ledger.rotate_key(|_| Err("no".into())).await;
    assert!(matches!(refused, Err(RotateError::Entry(_))), "{refused:?}");
    assert_eq!((ledger.verifier_key(), ledger.size()), (before.clone(), 0));
    ledger.close().await;
    let ledger = started(dir.path()).await;
    assert_eq!(ledger.verifier_key(), before);
    assert_eq!(fs::read_dir(dir.path().join("keys")).unwrap().count(), 1);
    ledger.rotate_key(entry).await.unwrap();
    ledger.close().await;
}

#[tokio::test]
async fn another_key_than_the_newest_epochs_does_not_open() {
    let dir = tempfile::tempdir().unwrap();
    let ledger = started(dir.path()).await;
    ledger.append(drafts("a", 3)).await.unwrap();
    let first = fs::read_to_string(dir.path().join("keys/log.key")).unwrap();
    ledger.rotate_key(entry).await.unwrap();
    ledger.close().await;

    // The retired key put back, with its public half: the record still says who is in charge.
    fs::write(dir.path().join("keys/log.key"), &first).unwrap();
    let signer = keys::load_or_create(dir.path(), Some("log.example")).unwrap();
    fs::write(
        dir.path().join("ledger/log.vkey"),
        format!("{}\n", signer.verifier()),
    )
    .unwrap();

    let opened = Ledger::open(
        Config::new(dir.path(), "log.example"),
        signer,
        MemorySegments::new(),
    )
    .await;
    let error = opened.unwrap_err().to_string();
    assert!(error.contains("the key in charge is"), "{error}");

    // A record that was changed is not passed over.
    let path = dir.path().join("ledger/epochs/1");
    let changed = fs::read_to_string(&path)
        .unwrap()
        .replacen("\n4\n", "\n3\n", 1);
    fs::write(&path, changed).unwrap();
    let signer = reeve_tlog::NoteSigner::from_skey(first.lines().next().unwrap()).unwrap();
    let opened = Ledger::open(
        Config::new(dir.path(), "log.example"),
        signer,
        MemorySegments::new(),
    )
    .await;
    let error = opened.unwrap_err().to_string();

    assert!(
        error.contains("ledger/epochs/1") && error.contains("signature"),
        "{error}"
    );
}

/// Without its records a log looks as if its key had never been replaced.
#[tokio::test]
async fn a_deleted_record_of_a_key_epoch_is_noticed_at_start() {
    let dir = tempfile::tempdir().unwrap();
    let ledger = started(dir.path()).await;

    for rotation in 1..=2 {
        ledger
            .append(drafts(&format!("a{rotation}"), 2))
            .await
            .unwrap();
        ledger.rotate_key(entry).await.unwrap();
    }

    ledger.seal().await.unwrap();
    ledger.close().await;
    let record = |number: u64| dir.path().join(format!("ledger/epochs/{number}"));
    let (first, second) = (fs::read(record(1)).unwrap(), fs::read(record(2)).unwrap());
    let refused = || {
        keys::load_or_create(dir.path(), Some("log.example"))
            .unwrap_err()
            .to_string()
    };

    fs::remove_file(record(2)).unwrap();
    let error = refused();
    assert!(
        error.contains("ledger/epochs/2") && error.contains("restore it"),
        "{error}"
    );
    fs::remove_file(record(1)).unwrap();
    let error = refused();
    assert!(
        error.contains("ledger/epochs/1") && error.contains("0 of them are recorded"),
        "{error}"
    );
    fs::remove_dir(dir.path().join("ledger/epochs")).unwrap();
    assert!(refused().contains("ledger/epochs/1"));
    fs::create_dir(dir.path().join("ledger/epochs")).unwrap();
    fs::write(record(2), &second).unwrap();
    assert!(refused().contains("ledger/epochs/2"), "one in the middle");
    fs::write(record(1), &first).unwrap();
    started(dir.path()).await.close().await;
}

#[tokio::test]
async fn cosignatures_are_served_with_the_checkpoint_they_are_over_only() {
    let dir = tempfile::tempdir().unwrap();
    let ledger = open(dir.path(), &MemorySegments::new()).await.unwrap();
    ledger.append(drafts("a", 3)).await.unwrap();
    let witness = reeve_tlog::Cosigner::from_seed("witness.example", &[9; 32]).unwrap();
    let mut note = reeve_tlog::SignedNote::parse(ledger.signed_checkpoint().as_bytes()).unwrap();
    note.attach(witness.cosign(note.text(), 7)).unwrap();
    ledger.keep_cosigned(note.clone()).await.unwrap();
    assert_eq!(ledger.checkpoint(), note.to_string());

    let proof = ledger.proof(ledger.tail().get(1).unwrap()).await.unwrap();
    let proof = ProofFile::parse(proof.as_bytes()).unwrap();
    assert!(witness.key().cosigned(&proof.checkpoint).is_some());
    proof
        .verify_disclosed(&[signer().verifier().clone()])
        .unwrap();
    ledger.append(drafts("b", 1)).await.unwrap();
    assert!(!ledger.checkpoint().contains("witness.example"));
    assert_eq!(ledger.cosigned_checkpoint(), Some(note.to_string()));

    // An entry that it does not cover is proven at the newest checkpoint.
    let proof = ledger.proof(ledger.tail().get(3).unwrap()).await.unwrap();
    assert_eq!(
        Checkpoint::parse(
            ProofFile::parse(proof.as_bytes())
                .unwrap()
                .checkpoint
                .text()
        )
        .unwrap()
        .size,
        4
    );

    let forged = Checkpoint::new(ORIGIN, 2, reeve_tlog::leaf_hash(b"x"))
        .sign(&[&signer()])
        .unwrap();
    assert!(ledger.keep_cosigned(forged).await.is_err());

    let hashes = ledger.consistency(2, 4).await.unwrap();
    assert!(
        !hashes.is_empty()
            && ledger.consistency(2, 9).await.is_err()
            && ledger.consistency(0, 2).await.is_err()
    );
    ledger.close().await;
}
