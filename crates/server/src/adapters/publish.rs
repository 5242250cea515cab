//! Places at which checkpoints are published: the port, and the work that every place has in
//! common. Each place is an adapter below.
//!
//! A place that holds a checkpoint the log no longer extends keeps it: what says that a log was cut
//! or rewritten is never overwritten by the log that was.

mod bucket;
mod file;
mod webhook;
pub(crate) mod witness;

use anyhow::{Context as _, Result};
use async_trait::async_trait;

use reeve_ledger::{ExtendError, Ledger};
use reeve_tlog::{Checkpoint, SignedNote};

pub(crate) use bucket::BucketDestination;
pub(crate) use file::FileDestination;
pub(crate) use webhook::WebhookDestination;

/// A checkpoint on its way.
#[derive(Debug, Clone)]
pub(crate) struct Published {
    /// The log, which alone can tell whether it extends what a place holds.
    ledger: Ledger,
    /// Text of the checkpoint.
    pub(crate) checkpoint: Checkpoint,
    /// The signed note, with cosignatures where there are any.
    pub(crate) note: String,
}

/// A place that checkpoints are published to.
#[async_trait]
pub(crate) trait PublishDestination: Send + Sync {
    /// Name in metrics and messages.
    fn name(&self) -> &str;
    /// Delivers a checkpoint; done when this returns.
    async fn deliver(&self, published: &Published) -> Result<()>;
}

/// Refusal to replace a checkpoint that the log does not extend.
#[derive(Debug, thiserror::Error)]
#[error("it is not overwritten; check the log with reeve-verify --checkpoint")]
pub(crate) struct Conflict(#[source] ExtendError);

impl Published {
    /// The newest checkpoint of a log, as it is served.
    pub(crate) fn read(ledger: &Ledger, note: String) -> Result<Published> {
        let parsed =
            SignedNote::parse(note.as_bytes()).context("the checkpoint is not a signed note")?;
        let checkpoint =
            Checkpoint::parse(parsed.text()).context("the note is not a checkpoint")?;
        Ok(Published {
            ledger: ledger.clone(),
            checkpoint,
            note,
        })
    }

    /// Refuses to replace what a place holds unless a key of the log signed it and the log extends
    /// it: size alone says nothing, as a log that was rewritten grows past any size.
    ///
    /// # Errors
    /// [`Conflict`] where the log does not extend it.
    pub(crate) async fn follows(&self, kept: &[u8]) -> Result<()> {
        match self.ledger.extends(kept).await {
            Ok(_) => Ok(()),
            Err(error) if error.is_contradiction() => Err(Conflict(error).into()),
            Err(error) => Err(error.into()),
        }
    }
}

#[cfg(test)]
pub(super) mod tests {
    #![allow(clippy::unwrap_used)]
    use std::sync::Arc;

    use jiff::Timestamp;
    use reeve_audit::Draft;
    use reeve_lake::EntrySegments;
    use reeve_ledger::Config;
    use reeve_tlog::{NoteSigner, leaf_hash};

    use super::*;

    const ORIGIN: &str = "log.example";

    fn signer(seed: u8) -> NoteSigner {
        NoteSigner::from_seed(ORIGIN, &[seed; 32]).unwrap()
    }

    /// A log with some entries.
    pub(in crate::adapters) async fn log(
        dir: &std::path::Path,
        entries: std::ops::Range<usize>,
    ) -> Ledger {
        let segments = Arc::new(EntrySegments::open(dir).await.unwrap());
        let ledger = Ledger::open(Config::new(dir, ORIGIN), signer(1), segments)
            .await
            .unwrap();
        let draft = |at: usize| {
            let text = format!(r#"{{"event_id":"e-{at}","event_type":"test.deed"}}"#);
            Draft::from_bytes(text.as_bytes(), Timestamp::now()).unwrap()
        };
        ledger.append(entries.map(draft).collect()).await.unwrap();

        ledger
    }

    /// A log that was rewritten under the same key, and has grown past what was published, replaces
    /// nothing.
    #[tokio::test]
    async fn evidence_is_not_overwritten() {
        let (first, second, place) = (
            tempfile::tempdir().unwrap(),
            tempfile::tempdir().unwrap(),
            tempfile::tempdir().unwrap(),
        );

        let (log, rewritten) = (
            log(first.path(), 0..5).await,
            log(second.path(), 10..20).await,
        );
        let file = FileDestination::new(place.path().join("checkpoint"));
        let newest = |ledger: &Ledger| Published::read(ledger, ledger.checkpoint()).unwrap();
        file.deliver(&newest(&log)).await.unwrap();
        let kept = std::fs::read(place.path().join("checkpoint")).unwrap();
        let conflict =
            |error: anyhow::Error| format!("{:#}", error.downcast_ref::<Conflict>().unwrap().0);
        let refused = file.deliver(&newest(&rewritten)).await.unwrap_err();
        assert!(conflict(refused).contains("it was rewritten"));
        assert_eq!(
            std::fs::read(place.path().join("checkpoint")).unwrap(),
            kept
        );

        let signed = |seed, size, root: &[u8]| {
            Checkpoint::new(ORIGIN, size, leaf_hash(root))
                .sign(&[&signer(seed)])
                .unwrap()
                .to_string()
        };

        for (text, cause) in [
            (
                signed(2, 2, b"x"),
                "not a checkpoint that a key of this log signed",
            ),
            (signed(1, 2, b"x"), "it was rewritten"),
            (signed(1, 50, b"x"), "its end was cut off"),
            ("notes of mine".to_owned(), "not a signed checkpoint"),
        ] {
            let refused = newest(&log).follows(text.as_bytes()).await.unwrap_err();
            assert!(conflict(refused).contains(cause), "{text}");
        }

        let draft = Draft::from_bytes(
            br#"{"event_id":"more","event_type":"test.deed"}"#,
            Timestamp::now(),
        )
        .unwrap();
        log.append(vec![draft]).await.unwrap();
        file.deliver(&newest(&log)).await.unwrap();
        assert_ne!(
            std::fs::read(place.path().join("checkpoint")).unwrap(),
            kept
        );
    }
}
