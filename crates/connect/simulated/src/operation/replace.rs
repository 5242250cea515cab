//! Successors of machines on other capacity. They are facts of the machine here: no machine of the
//! seed's inventory is added.

use jiff::Timestamp;
use reeve_estate::{ActError, Operation, Resource};
use reeve_recommend::change::ReplaceOperation;

use crate::account::SimulatedAccount;
use crate::condition::{Conditions, Downtime};

/// Takes operations on a machine and its successor.
pub(super) fn offer(
    _: &SimulatedAccount,
    conditions: &mut Conditions,
    machine: &Resource,
    operation: &dyn Operation,
    now: Timestamp,
) -> Option<Result<(), ActError>> {
    let operation = operation.downcast_ref::<ReplaceOperation>()?;
    let condition = conditions.resources.entry(machine.id.clone()).or_default();
    let mut twin = machine.clone();
    twin.specification.successor = condition.successor.clone();
    let done = operation.apply(&mut twin);
    if done.is_ok() {
        condition.successor = twin.specification.successor;
        match operation {
            ReplaceOperation::Retire if !condition.stopped() => {
                condition.downtimes.push(Downtime {
                    from: now,
                    to: None,
                });
            }
            ReplaceOperation::GiveBack => {
                if let Some(down) = condition.downtimes.last_mut() {
                    down.to.get_or_insert(now);
                }
            }
            _ => {}
        }
    }
    Some(done)
}
