//! Sums over inventories that were read before, each with the revision of the inventory that it was
//! read from.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use reeve_estate::ResourceTotal;

/// Sums of the inventory, by connection.
#[derive(Debug, Default)]
pub(crate) struct InventoryTotals {
    held: Mutex<HashMap<String, (i64, Vec<ResourceTotal>)>>,
}

impl InventoryTotals {
    /// Returns the sums of a connection, if its inventory still has the revision that they were
    /// read from.
    pub(crate) fn get(&self, connection: &str, revision: i64) -> Option<Vec<ResourceTotal>> {
        self.lock()
            .get(connection)
            .filter(|(held, _)| *held == revision)
            .map(|(_, totals)| totals.clone())
    }

    /// Holds sums instead of all that were held before.
    pub(crate) fn replace(&self, totals: HashMap<String, (i64, Vec<ResourceTotal>)>) {
        *self.lock() = totals;
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<String, (i64, Vec<ResourceTotal>)>> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
