//! Recorder of the agents: writes their entries into the ledger and returns once these are durable.

use async_trait::async_trait;
use jiff::Timestamp;

use reeve_audit::{Draft, Entry};
use reeve_ledger::{AppendError, Ledger};
use reeve_recommend::{RecordError, Recorder};

/// Number of times that a busy ledger is asked again.
const TRIES: u32 = 5;

/// Writes into the ledger.
pub(crate) struct LedgerRecorder {
    ledger: Ledger,
}

impl LedgerRecorder {
    /// Returns a recorder over a ledger.
    pub(crate) fn new(ledger: Ledger) -> Self {
        LedgerRecorder { ledger }
    }
}

#[async_trait]
impl Recorder for LedgerRecorder {
    async fn record(&self, entries: Vec<Entry>) -> Result<(), RecordError> {
        self.append(entries).await.map_err(|error| RecordError(error.to_string()))
    }

    async fn record_once(&self, entry: Entry) -> Result<(), RecordError> {
        let Err(error) = self.append(vec![entry]).await else { return Ok(()) };
        // Recorded before, by this process or another one, at another moment.
        if let Some(AppendError::Conflict { event_id, .. }) = error.downcast_ref() {
            tracing::debug!(event_id, "the log has this entry already");
            return Ok(());
        }
        Err(RecordError(error.to_string()))
    }
}

impl LedgerRecorder {
    /// Appends entries; a busy ledger is asked again.
    async fn append(&self, entries: Vec<Entry>) -> anyhow::Result<()> {
        let now = Timestamp::now();
        let draft = |entry| {
            Draft::by_reeve(entry, now).map_err(|errors| {
                anyhow::anyhow!("{}", errors.iter().map(ToString::to_string).collect::<Vec<_>>().join("; "))
            })
        };
        let drafts = entries.into_iter().map(draft).collect::<anyhow::Result<Vec<_>>>()?;
        let mut tried = 0;
        loop {
            match self.ledger.append(drafts.clone()).await {
                Ok(_) => return Ok(()),
                Err(AppendError::Busy { retry_after_s }) if tried < TRIES => {
                    tried += 1;
                    tokio::time::sleep(std::time::Duration::from_secs(retry_after_s.min(2))).await;
                }
                Err(error) => return Err(error.into()),
            }
        }
    }
}
