//! Places at which checkpoints are published: the port, and the work that every place has in common. Each place is an adapter below.
//!
//! A place that holds a checkpoint the log no longer extends keeps it: what says that a log was cut or rewritten is never
//! overwritten by the log that was.

mod bucket;
mod file;
mod webhook;
pub(crate) mod witness;

use anyhow::{Context as _, Result, bail};
use async_trait::async_trait;

use reeve_tlog::{Checkpoint, SignedNote};

pub(crate) use bucket::BucketDestination;
pub(crate) use file::FileDestination;
pub(crate) use webhook::WebhookDestination;

/// A checkpoint on its way.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Published {
    /// Text of the checkpoint.
    pub(crate) checkpoint: Checkpoint,
    /// The signed note, with cosignatures where there are any.
    pub(crate) note: String,
}

/// A place that checkpoints are published to.
#[async_trait]
pub(crate) trait Destination: Send + Sync {
    /// Name in metrics and messages.
    fn name(&self) -> &str;
    /// Delivers a checkpoint; done when this returns.
    async fn deliver(&self, published: &Published) -> Result<()>;
}

impl Published {
    /// The newest checkpoint of a log, as it is served.
    pub(crate) fn read(note: String) -> Result<Published> {
        let parsed = SignedNote::parse(note.as_bytes()).context("the checkpoint is not a signed note")?;
        let checkpoint = Checkpoint::parse(parsed.text()).context("the note is not a checkpoint")?;
        Ok(Published { checkpoint, note })
    }

    /// Refuses to replace what a place holds unless this can be the same log, later. Only a reader with the tree can tell
    /// whether it really is; that is what the kept one is for.
    pub(crate) fn follows(&self, kept: &[u8]) -> Result<()> {
        let kept = String::from_utf8(kept.to_vec()).ok().and_then(|note| Published::read(note).ok());
        let Some(Published { checkpoint: kept, .. }) = kept else {
            bail!("what is there is not a checkpoint, and is not overwritten");
        };
        let now = &self.checkpoint;
        if kept.origin != now.origin {
            bail!("what is there is a checkpoint of {}, and is not overwritten", kept.origin);
        }
        if kept.size > now.size || (kept.size == now.size && kept.root != now.root) {
            bail!(
                "what is there is a checkpoint of {} entries with the root {}, which the log of {} entries does not extend: the log was cut or rewritten; check it with reeve-verify --checkpoint",
                kept.size,
                kept.root,
                now.size
            );
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use reeve_tlog::{NoteSigner, leaf_hash};

    use super::*;

    fn published(origin: &str, size: u64, root: &[u8]) -> Published {
        let signer = NoteSigner::from_seed(origin, &[1; 32]).unwrap();
        let note = Checkpoint::new(origin, size, leaf_hash(root)).sign(&[&signer]).unwrap();
        Published::read(note.to_string()).unwrap()
    }

    #[test]
    fn evidence_is_not_overwritten() {
        let kept = published("log.example", 10, b"a").note;
        for (next, refused) in [
            (published("log.example", 10, b"a"), None),
            (published("log.example", 11, b"b"), None),
            (published("log.example", 10, b"b"), Some("cut or rewritten")),
            (published("log.example", 9, b"a"), Some("cut or rewritten")),
            (published("other.example", 11, b"a"), Some("a checkpoint of log.example")),
        ] {
            let outcome = next.follows(kept.as_bytes()).map_err(|error| error.to_string());
            match refused {
                None => assert_eq!(outcome, Ok(())),
                Some(part) => assert!(outcome.unwrap_err().contains(part)),
            }
        }
        assert!(published("log.example", 11, b"b").follows(b"notes of mine").is_err());
    }
}
