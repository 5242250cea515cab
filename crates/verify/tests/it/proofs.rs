//! Proof files of the real ledger.

use std::sync::Arc;

use reeve_tlog::{Epochs, NoteSigner};
use reeve_verify::{CannotVerify, verify_proof};

use crate::log::Log;

#[tokio::test]
async fn a_proof_gives_its_entry_and_nothing_else_passes() {
    let mut log = Log::new().await;
    log.append(4, 25).await;
    let ledger = log.ledger.clone().unwrap();
    let tail = ledger.tail();

    for sequence in [0, 41, 99] {
        let stored = Arc::clone(tail.get(sequence).unwrap());
        let proof = ledger.proof(&stored).await.unwrap();
        let proven = verify_proof(proof.as_bytes(), &log.keys())
            .unwrap()
            .unwrap();
        assert_eq!((proven.sequence, proven.checkpoint.size), (sequence, 100));
        assert_eq!(proven.entry.to_canonical(), stored.canonical);
        assert_eq!(proven.commitment, stored.commitment);

        for at in (0..proof.len()).step_by(3) {
            let mut changed = proof.clone().into_bytes();
            changed[at] ^= 1;
            let verdict = verify_proof(&changed, &log.keys());
            assert!(
                verdict.as_ref().map_or(true, Result::is_err),
                "byte {at} of\n{proof}"
            );
        }
        let other = NoteSigner::from_seed(log.key().name(), &[9; 32]).unwrap();
        assert!(
            verify_proof(proof.as_bytes(), &Epochs::single(other.verifier().clone()))
                .unwrap()
                .is_err()
        );
        let line = proof.lines().nth(1).unwrap();
        assert!(line.starts_with("extra "));
        let closed = proof.replacen(&format!("{line}\n"), "", 1);
        assert!(matches!(
            verify_proof(closed.as_bytes(), &log.keys()),
            Err(CannotVerify::NoDisclosure)
        ));
    }

    log.close().await;
}
