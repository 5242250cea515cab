//! A log whose key was rotated: any of its keys may be pinned, each signs within its epoch only,
//! and records cannot be bent.

use std::fs;

use jiff::Timestamp;
use reeve_audit::Draft;
use reeve_tlog::{Checkpoint, Cosigner, Epochs, NoteSigner, NoteVerifier, SignedNote};
use reeve_verify::{
    DirectoryOptions, KeptCheckpoint, Progress, Report, Witnesses, verify_directory, verify_proof,
};

use crate::log::{Log, assert_names, with_bytes};

/// 200 entries and a rotation, 100 and a rotation, 50 more; the first key, and the private keys
/// that were destroyed.
async fn rotated() -> (Log, NoteVerifier, Vec<NoteSigner>) {
    let mut log = Log::new().await;
    let mut secrets = Vec::new();
    log.append(2, 100).await;
    let first = log.key();

    for _ in 0..2 {
        secrets.push(log.signer());
        let ledger = log.ledger.clone().unwrap();
        ledger
            .rotate_key(|planned| {
                let text = format!(
                    r#"{{"event_type":"ledger.key_rotate","metadata":{{"new":"{}"}}}}"#,
                    planned.new
                );
                Draft::from_bytes(text.as_bytes(), Timestamp::now())
                    .map_err(|error| format!("{error:?}").into())
            })
            .await
            .unwrap();
        log.append(1, 100).await;
        log.seal().await;
    }

    log.append(5, 10).await;
    log.close().await;
    (log, first, secrets)
}

fn verify(log: &Log, options: DirectoryOptions) -> Report {
    verify_directory(log.dir(), &options, &Progress::hidden()).unwrap()
}

fn pin(key: &NoteVerifier) -> DirectoryOptions {
    DirectoryOptions {
        public_key: Some(key.clone()),
        ..DirectoryOptions::default()
    }
}

#[tokio::test]
async fn any_key_of_the_log_leads_to_the_newest() {
    let (log, first, secrets) = rotated().await;
    for key in [first.clone(), secrets[1].verifier().clone(), log.key()] {
        let report = verify(&log, pin(&key));
        assert!(report.is_intact(), "{report}");
        assert_eq!(report.key.epochs.rotations().len(), 2);
        assert!(report.to_string().contains("rotated 2 times"), "{report}");
    }

    let stranger = NoteSigner::from_seed(first.name(), &[3; 32]).unwrap();
    assert_names(
        &verify(&log, pin(stranger.verifier())),
        "ledger/log.vkey: the log is not signed by",
        "stranger",
    );

    // Without the record in between, the first key leads nowhere.
    let record = log.path("ledger/epochs/1");
    let aside = fs::read(&record).unwrap();
    fs::remove_file(&record).unwrap();
    assert_names(
        &verify(&log, pin(&first)),
        "ledger/epochs/2: the record of a key epoch is refused",
        "gap",
    );
    fs::write(&record, aside).unwrap();
}

#[tokio::test]
async fn a_retired_key_does_not_speak_for_later_sizes() {
    let (log, first, secrets) = rotated().await;
    let bytes = fs::read(log.path("ledger/checkpoint")).unwrap();
    let newest = Checkpoint::parse(SignedNote::parse(&bytes).unwrap().text()).unwrap();

    for secret in &secrets {
        let forged = newest.sign(&[secret]).unwrap().to_string();
        let report = with_bytes(&log.path("ledger/checkpoint"), forged.as_bytes(), || {
            verify(&log, pin(&first))
        });
        assert_names(
            &report,
            "ledger/checkpoint: the checkpoint is refused: the key",
            "a retired key",
        );
    }

    // Nor can its owner bend the record: any flipped byte is found.
    let original = fs::read(log.path("ledger/epochs/2")).unwrap();
    for at in (0..original.len()).step_by(7) {
        let mut changed = original.clone();
        changed[at] ^= 1;
        let report = with_bytes(&log.path("ledger/epochs/2"), &changed, || {
            verify(&log, pin(&first))
        });
        assert_names(&report, "ledger/epochs/2", &format!("byte {at}"));
    }
}

#[tokio::test]
async fn kept_checkpoints_and_witnesses_hold_the_log() {
    let mut log = Log::new().await;
    log.append(2, 100).await;
    let kept = |note: String| KeptCheckpoint {
        name: "kept".into(),
        bytes: note.into_bytes(),
    };
    let early = kept(log.ledger.as_ref().unwrap().checkpoint());

    log.append(1, 50).await;
    let ledger = log.ledger.clone().unwrap();
    let witness = Cosigner::from_seed("witness.example", &[9; 32]).unwrap();
    let mut note = SignedNote::parse(ledger.signed_checkpoint().as_bytes()).unwrap();
    let now = u64::try_from(jiff::Timestamp::now().as_second()).unwrap();
    let mut hour_ago = note.clone();
    hour_ago
        .attach(witness.cosign(note.text(), now - 3600))
        .unwrap();
    note.attach(witness.cosign(note.text(), now)).unwrap();
    ledger.keep_cosigned(note).await.unwrap();
    let proof = ledger.proof(ledger.tail().get(7).unwrap()).await.unwrap();
    drop(ledger);
    log.append(1, 1).await;
    log.close().await;
    let witnesses = Witnesses {
        keys: vec![witness.key()],
        needed: 1,
    };
    let options = DirectoryOptions {
        checkpoints: vec![early.clone()],
        witnesses: witnesses.clone(),
        ..pin(&log.key())
    };
    let report = verify(&log, options);
    assert!(report.is_intact(), "{report}");
    assert!(
        report
            .notes
            .iter()
            .any(|note| note.contains("1 of 1 witnesses cosigned")),
        "{report}"
    );

    // Entries that claim to be younger than a cosignature over them.
    let options = DirectoryOptions {
        checkpoints: vec![kept(hour_ago.to_string())],
        witnesses: witnesses.clone(),
        ..pin(&log.key())
    };
    let report = verify(&log, options);
    assert_names(
        &report,
        "s after witness.example had cosigned a checkpoint that has it, 250 in all",
        "a time after a cosignature",
    );

    let stranger = Cosigner::from_seed("stranger.example", &[8; 32]).unwrap();
    let wanted = Witnesses {
        keys: vec![witness.key(), stranger.key()],
        needed: 2,
    };
    let report = verify(
        &log,
        DirectoryOptions {
            witnesses: wanted,
            ..pin(&log.key())
        },
    );

    assert_names(
        &report,
        "ledger/checkpoint.cosigned: 1 of 2 witnesses",
        "a witness is missing",
    );

    let proven = verify_proof(proof.as_bytes(), &Epochs::single(log.key()))
        .unwrap()
        .unwrap();
    assert!(witness.key().cosigned(&proven.note).is_some());

    // The same key, another history: signed by the log itself, and still found out.
    let signer = log.signer();
    let origin = log.key().name().to_owned();

    for (size, what) in [
        (200, "the log was rewritten"),
        (5_000, "the log was truncated"),
    ] {
        let other = Checkpoint::new(&origin, size, reeve_tlog::leaf_hash(b"another"))
            .sign(&[&signer])
            .unwrap();
        let options = DirectoryOptions {
            checkpoints: vec![early.clone(), kept(other.to_string())],
            ..pin(&log.key())
        };
        assert_names(&verify(&log, options), what, what);
    }

    let foreign = NoteSigner::from_seed("other.example", &[1; 32]).unwrap();
    let foreign = Checkpoint::new("other.example", 3, reeve_tlog::leaf_hash(b"x"))
        .sign(&[&foreign])
        .unwrap();
    let options = DirectoryOptions {
        checkpoints: vec![kept(foreign.to_string())],
        ..pin(&log.key())
    };
    assert_names(
        &verify(&log, options),
        "kept: the checkpoint that was kept elsewhere is refused",
        "foreign",
    );
}
