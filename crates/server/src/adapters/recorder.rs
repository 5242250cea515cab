//! Recorder of the agents: writes their entries into the ledger and returns once these are durable.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use jiff::Timestamp;
use reeve_audit::{Draft, Entry};
use reeve_ledger::{AppendError, Ledger};
use reeve_recommend::ports::{RecordError, Recorder};
use reeve_trail::{Journal, JournalError};

/// Number of times that a busy ledger is asked again.
const TRIES: u32 = 5;

/// Writes into the ledger, and through the journal what must exist once.
pub(crate) struct LedgerRecorder {
    ledger: Ledger,
    journal: Arc<Journal>,
}

impl LedgerRecorder {
    /// Returns a recorder over a ledger and the journal in it.
    pub(crate) fn new(ledger: Ledger, journal: Arc<Journal>) -> Self {
        LedgerRecorder { ledger, journal }
    }
}

#[async_trait]
impl Recorder for LedgerRecorder {
    async fn record(&self, entries: Vec<Entry>) -> Result<(), RecordError> {
        self.append(entries)
            .await
            .map_err(|error| RecordError(error.to_string()))
    }

    async fn record_once(&self, entry: Entry) -> Result<(), RecordError> {
        let mut tried = 0;
        loop {
            match self.journal.record_once(entry.clone()).await {
                Ok(_) => return Ok(()),
                Err(JournalError::Append(AppendError::Busy { retry_after_s })) if tried < TRIES => {
                    tried += 1;
                    pause(retry_after_s).await;
                }
                Err(error) => return Err(RecordError(error.to_string())),
            }
        }
    }
}

impl LedgerRecorder {
    /// Appends entries; a busy ledger is asked again.
    async fn append(&self, entries: Vec<Entry>) -> anyhow::Result<()> {
        let now = Timestamp::now();
        let draft = |entry| {
            Draft::by_reeve(entry, now).map_err(|errors| {
                anyhow::anyhow!(
                    "{}",
                    errors
                        .iter()
                        .map(ToString::to_string)
                        .collect::<Vec<_>>()
                        .join("; ")
                )
            })
        };

        let drafts = entries
            .into_iter()
            .map(draft)
            .collect::<anyhow::Result<Vec<_>>>()?;
        let mut tried = 0;

        loop {
            match self.ledger.append(drafts.clone()).await {
                Ok(_) => return Ok(()),
                Err(AppendError::Busy { retry_after_s }) if tried < TRIES => {
                    tried += 1;
                    pause(retry_after_s).await;
                }
                Err(error) => return Err(error.into()),
            }
        }
    }
}

/// Waits until a busy log may be asked again.
async fn pause(retry_after_s: u64) {
    tokio::time::sleep(Duration::from_secs(retry_after_s.min(2))).await;
}
