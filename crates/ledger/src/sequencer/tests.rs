//! Tests of submissions that reach the sequencer between two of its steps, for example during a
//! seal.

#![allow(clippy::unwrap_used)]

use std::sync::Arc;

use async_trait::async_trait;
use jiff::Timestamp;
use parking_lot::Mutex;
use reeve_audit::Draft;
use reeve_tlog::NoteSigner;
use tokio::sync::oneshot;

use crate::append::{AppendError, Submission, prepare, sealed_ids};
use crate::entry::{SealedEntry, StoredEntry};
use crate::segment::{SegmentError, SegmentMeta, SegmentStore};
use crate::sequencer::Command;
use crate::{Config, Ledger};

/// Takes segments and never gives them back: nothing here reads them.
#[derive(Default)]
struct Taken(Mutex<u64>);

#[async_trait]
impl SegmentStore for Taken {
    async fn write(
        &self,
        class: &str,
        entries: &[Arc<StoredEntry>],
    ) -> Result<SegmentMeta, SegmentError> {
        *self.0.lock() += entries.len() as u64;
        Ok(SegmentMeta {
            path: format!("{class}/{}", entries[0].sequence),
            class: class.to_owned(),
            first_sequence: entries[0].sequence,
            last_sequence: entries[entries.len() - 1].sequence,
            count: entries.len() as u64,
            bytes: 0,
            sha256: String::new(),
            min_timestamp_ms: 0,
            max_timestamp_ms: 0,
            max_recorded_at_ms: None,
            expired: None,
            erased: Vec::new(),
            moved: None,
        })
    }

    async fn read(&self, segment: &SegmentMeta) -> Result<Vec<SealedEntry>, SegmentError> {
        Err(SegmentError::Io {
            path: segment.path.clone(),
            message: "not kept".into(),
        })
    }

    async fn rewrite(
        &self,
        segment: &SegmentMeta,
        _entries: &[Arc<StoredEntry>],
    ) -> Result<SegmentMeta, SegmentError> {
        Err(SegmentError::Io {
            path: segment.path.clone(),
            message: "not kept".into(),
        })
    }

    async fn remove(&self, _segment: &SegmentMeta) -> Result<u64, SegmentError> {
        Ok(0)
    }

    fn publish(&self, _segments: Arc<Vec<SegmentMeta>>) {}
}

fn draft(operation: &str) -> Draft {
    let text = format!(
        r#"{{"event_id":"one","event_type":"user.login","action":{{"operation":"{operation}"}}}}"#
    );
    Draft::from_bytes(text.as_bytes(), Timestamp::now()).unwrap()
}

/// A caller looks for its identifier while the first entry is unsealed, and reaches the sequencer
/// after it was sealed: neither of the two has it in what it knows, so the sequencer must look
/// again.
#[tokio::test]
async fn an_entry_sealed_between_caller_and_sequencer_is_recognised() {
    let dir = tempfile::tempdir().unwrap();
    let signer = NoteSigner::from_seed("log.example", &[1; 32]).unwrap();
    let segments = Arc::new(Taken::default());
    let ledger = Ledger::open(
        Config::new(dir.path(), "log.example"),
        signer,
        segments.clone(),
    )
    .await
    .unwrap();
    let first = ledger.append(vec![draft("a")]).await.unwrap();

    let shared = ledger.shared();
    let before = sealed_ids(shared);

    for (operation, expect) in [("a", Ok(first[0].sequence)), ("b", Err(0))] {
        let slots = prepare(shared, &before, vec![draft(operation)]).unwrap();
        ledger.seal().await.unwrap();
        assert_eq!(*segments.0.lock(), 1);
        let (reply, answer) = oneshot::channel();
        let reservation = shared.room.take(1).unwrap();
        let late = Submission {
            slots,
            known_until: before.end(),
            bytes: 1,
            reservation,
            reply,
        };
        ledger.command(Command::Append(late)).unwrap();
        match (answer.await.unwrap(), expect) {
            (Ok(recorded), Ok(sequence)) => {
                let receipt = recorded.into_iter().next().unwrap().receipt();
                assert_eq!((receipt.sequence, receipt.duplicate), (sequence, true));
            }
            (Err(AppendError::Conflict { index, .. }), Err(expected)) => {
                assert_eq!(index, expected)
            }
            (answer, _) => panic!("{operation}: {answer:?}"),
        }
        assert_eq!(ledger.size(), 1);
    }
}
