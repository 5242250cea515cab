//! Has checkpoints cosigned: all witnesses are asked about one checkpoint at a time, each on its
//! own; those that fail are asked again about it while it is the newest, ever more slowly. Once
//! enough have cosigned it, the ledger serves it so.

use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context as _, Result};
use futures::future::join_all;
use tokio::time::{Instant, timeout};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use reeve_ledger::{Fence as _, Ledger};
use reeve_tlog::{Checkpoint, NoteSignature, SignedNote};

use super::pace::Backoff;
use crate::adapters::publish::witness::Witness;
use crate::config::Config;
use crate::service::Service;

/// Longest time for a witness.
const ANSWER: Duration = Duration::from_secs(30);

/// A witness, and how it does.
struct Asked {
    witness: Arc<Witness>,
    backoff: Backoff,
    not_before: Instant,
    /// Its cosignature on the checkpoint in hand.
    signature: Option<NoteSignature>,
}

pub(super) fn start(service: &Service, tracker: &TaskTracker, stop: &CancellationToken) {
    let (ledger, config) = (service.ledger.clone(), &service.config);
    if config.cosign.witnesses.is_empty() {
        return;
    }

    let mut witnesses = match witnesses(config) {
        Ok(witnesses) => witnesses,
        Err(error) => {
            return tracing::error!(error = format!("{error:#}"), "checkpoints are not cosigned");
        }
    };

    let deadline = service.lease.deadline().clone();
    let (needed, every) = (
        config.cosign.needed.unwrap_or(witnesses.len()),
        Duration::from_secs(config.cosign.every_s),
    );
    let stop = stop.clone();
    tracker.spawn(async move {
        let mut text = String::new();
        loop {
            if deadline.check().is_ok()
                && let Err(error) = round(&ledger, &mut witnesses, needed, &mut text).await
            {
                tracing::warn!(
                    error = format!("{error:#}"),
                    "a checkpoint was not cosigned"
                );
            }
            tokio::select! { () = stop.cancelled() => return, () = tokio::time::sleep(every) => {} }
        }
    });
}

fn witnesses(config: &Config) -> Result<Vec<Asked>> {
    let client = super::outbound(config)?;
    let keys = config.cosign.keys()?;
    let asked = config
        .cosign
        .witnesses
        .iter()
        .zip(keys)
        .map(|(entry, key)| {
            let witness = Arc::new(Witness::new(client.clone(), entry.url()?, key)?);
            Ok(Asked {
                witness,
                backoff: Backoff::default(),
                not_before: Instant::now(),
                signature: None,
            })
        });

    asked.collect()
}

/// Asks those that have not cosigned the newest checkpoint. `text` is that of the checkpoint in
/// hand.
async fn round(
    ledger: &Ledger,
    witnesses: &mut [Asked],
    needed: usize,
    text: &mut String,
) -> Result<()> {
    let mut note = SignedNote::parse(ledger.signed_checkpoint().as_bytes())?;
    let head = Checkpoint::parse(note.text())?;
    if head.size == 0 {
        return Ok(());
    }

    if note.text() != text {
        note.text().clone_into(text);
        witnesses
            .iter_mut()
            .for_each(|asked| asked.signature = None);
    }

    let now = Instant::now();
    let due = witnesses
        .iter_mut()
        .filter(|asked| asked.signature.is_none() && asked.not_before <= now);
    let answers = join_all(due.map(|asked| ask(ledger, asked, &note, &head))).await;
    if !answers.contains(&true) {
        return Ok(());
    }

    let signatures: Vec<_> = witnesses
        .iter()
        .filter_map(|asked| asked.signature.clone())
        .collect();
    if signatures.len() < needed {
        return Ok(());
    }

    for signature in signatures {
        note.attach(signature)?;
    }

    ledger
        .keep_cosigned(note)
        .await
        .context("the cosigned checkpoint was not kept")
}

/// Asks one; whether it cosigned.
async fn ask(ledger: &Ledger, asked: &mut Asked, note: &SignedNote, head: &Checkpoint) -> bool {
    let name = asked.witness.name().to_owned();
    let answer = timeout(ANSWER, asked.witness.cosign(ledger, note, head)).await;
    match answer
        .with_context(|| format!("no answer within {} s", ANSWER.as_secs()))
        .flatten()
    {
        Ok(signature) => {
            if asked.backoff.succeeded() {
                tracing::info!(
                    witness = name,
                    size = head.size,
                    "the witness cosigns again"
                );
            }
            ledger.delivered(&name, Ok(head.size));
            asked.signature = Some(signature);
            true
        }
        Err(error) => {
            let (wait, first) = asked.backoff.failed();
            let error = format!("{error:#}");
            if first {
                tracing::warn!(
                    witness = name,
                    error,
                    "the witness did not cosign; it is asked again"
                );
            }
            ledger.delivered(&name, Err(error.into()));
            asked.not_before = Instant::now() + wait;
            false
        }
    }
}
