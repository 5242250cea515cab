//! Delivery status of checkpoints for each publication target, for metrics and for finding out why
//! a target lags behind. Publishing itself happens elsewhere; no append waits for it.

use crate::ledger::Ledger;
use reeve_audit::Obstacle;
pub use status::Delivery;

mod status;

impl Ledger {
    /// Notes that a checkpoint of this size arrived at a place, or why not.
    pub fn delivered(&self, target: &str, outcome: Result<u64, Obstacle>) {
        let mut deliveries = self.shared().deliveries.lock();
        let delivery = deliveries.entry(target.to_owned()).or_default();
        target.clone_into(&mut delivery.target);

        match outcome {
            Ok(size) => {
                *delivery = Delivery {
                    size,
                    failures: 0,
                    error: None,
                    target: target.to_owned(),
                }
            }
            Err(error) => {
                delivery.failures += 1;
                delivery.error = Some(error.into());
            }
        }
    }

    /// Returns the delivery status of all targets, sorted by name.
    pub fn deliveries(&self) -> Vec<Delivery> {
        self.shared().deliveries.lock().values().cloned().collect()
    }
}
