//! The search's view of the log, filled by the ledger.

use async_trait::async_trait;

use reeve_lake::Views;
use reeve_ledger::{Ledger, SealedEntry, StoredEntry, TrailError, View};

/// Over a ledger.
pub(crate) struct LedgerViews {
    ledger: Ledger,
}

impl LedgerViews {
    /// Over a ledger.
    pub(crate) fn new(ledger: Ledger) -> Self {
        LedgerViews { ledger }
    }
}

#[async_trait]
impl Views for LedgerViews {
    fn view(&self) -> View {
        self.ledger.view()
    }

    async fn restore(&self, sealed: Vec<SealedEntry>) -> Result<Vec<StoredEntry>, TrailError> {
        self.ledger.restore(sealed).await.map_err(|error| TrailError::Backend(error.to_string()))
    }
}
