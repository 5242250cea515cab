//! The agents' pen: writes what they do into the ledger and returns once it is durable.

use async_trait::async_trait;
use jiff::Timestamp;

use reeve_audit::{Draft, Entry};
use reeve_ledger::{AppendError, Ledger};
use reeve_recommend::{RecordError, Recorder};

/// How often a busy ledger is asked again.
const TRIES: u32 = 5;

/// Writes into the ledger.
pub(crate) struct LedgerRecorder {
    ledger: Ledger,
}

impl LedgerRecorder {
    /// Over a ledger.
    pub(crate) fn new(ledger: Ledger) -> Self {
        LedgerRecorder { ledger }
    }
}

#[async_trait]
impl Recorder for LedgerRecorder {
    async fn record(&self, entries: Vec<Entry>) -> Result<(), RecordError> {
        let now = Timestamp::now();
        let drafts = entries
            .into_iter()
            .map(|entry| {
                Draft::by_reeve(entry, now).map_err(|errors| {
                    RecordError(errors.iter().map(ToString::to_string).collect::<Vec<_>>().join("; "))
                })
            })
            .collect::<Result<Vec<_>, _>>()?;
        let mut tried = 0;
        loop {
            match self.ledger.append(drafts.clone()).await {
                Ok(_) => return Ok(()),
                Err(AppendError::Busy { retry_after_s }) if tried < TRIES => {
                    tried += 1;
                    tokio::time::sleep(std::time::Duration::from_secs(retry_after_s.min(2))).await;
                }
                Err(error) => return Err(RecordError(error.to_string())),
            }
        }
    }
}
