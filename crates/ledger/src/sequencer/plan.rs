//! Resolves a batch before anything is written: which entries are new, which were sent before (in
//! the log or earlier in the same batch), and which submissions must be refused.

use std::collections::HashMap;

use tokio::sync::oneshot;

use super::Sequencer;
use crate::append::{Answer, AppendError, AppendSlot, PreparedEntry, Submission, sealed_before};
use crate::entry::Receipt;
use crate::ids::IdKey;
use crate::queue::Reservation;

/// Position planned for an entry of a submission.
pub(super) enum Place {
    /// Entry that the log already had, with its first receipt.
    Known(Box<Receipt>),
    /// The nth new entry of the batch, or a repetition of it.
    New { nth: usize, duplicate: bool },
}

/// A submission that waits for the batch.
pub(super) struct Waiter {
    pub(super) places: Vec<Place>,
    pub(super) reply: oneshot::Sender<Answer>,
    /// Given back before the waiter is answered.
    pub(super) reservation: Reservation,
}

/// A batch whose new and repeated entries are told apart.
#[derive(Default)]
pub(super) struct BatchPlan {
    /// Entries to be written, in order.
    pub(super) fresh: Vec<PreparedEntry>,
    pub(super) waiters: Vec<Waiter>,
    staged: HashMap<IdKey, usize>,
}

impl Sequencer {
    /// Resolves a batch; submissions that are refused are answered at once and leave nothing
    /// behind.
    pub(super) fn plan(&self, batch: Vec<Submission>) -> BatchPlan {
        let mut plan = BatchPlan::default();
        for submission in batch {
            let Submission {
                slots,
                known_until,
                reservation,
                reply,
                ..
            } = submission;
            let begun = plan.fresh.len();
            let slots = slots.into_iter().enumerate();
            let places = slots.map(|(index, slot)| self.place(&mut plan, slot, known_until, index));
            match places.collect::<Result<Vec<_>, _>>() {
                Ok(places) => plan.waiters.push(Waiter {
                    places,
                    reply,
                    reservation,
                }),
                Err(refusal) => {
                    plan.fresh.truncate(begun);
                    plan.staged.retain(|_, nth| *nth < begun);
                    drop(reservation);
                    let _ = reply.send(Err(refusal));
                }
            }
        }

        plan
    }

    fn place(
        &self,
        plan: &mut BatchPlan,
        slot: AppendSlot,
        known_until: u64,
        index: usize,
    ) -> Result<Place, AppendError> {
        let prepared = match slot {
            AppendSlot::Known(receipt) => return Ok(Place::Known(receipt)),
            AppendSlot::Fresh(prepared) => prepared,
        };
        let PreparedEntry {
            entry: stored,
            claim,
        } = &prepared;
        let entry = &stored.entry;
        let conflict = || AppendError::Conflict {
            index,
            event_id: entry.event_id.as_str().to_owned(),
        };

        if let Some(nth) = plan.staged.get(&claim.key).copied() {
            let first = plan.fresh.get(nth).ok_or_else(conflict)?;
            let repeats = claim.repeats(entry, first.claim.mark, first.entry.recorded_at);
            return if repeats {
                Ok(Place::New {
                    nth,
                    duplicate: true,
                })
            } else {
                Err(conflict())
            };
        }

        if let Some(recent) = self.recent.find(&claim.key) {
            if !claim.repeats(entry, recent.mark, recent.recorded_at) {
                return Err(conflict());
            }
            let view = self.shared.view.read();
            if let Some(entry) = view.tail.get(recent.sequence) {
                return Ok(Place::Known(Box::new(entry.receipt(true))));
            }
        }

        // Sealed since the caller looked.
        if self.shared.ids.read().end() > known_until {
            let ids = self.shared.ids.read().clone();
            if let Some(receipt) = sealed_before(&self.shared, &ids, claim, entry, index)? {
                return Ok(Place::Known(Box::new(receipt)));
            }
        }

        let nth = plan.fresh.len();
        plan.staged.insert(claim.key, nth);
        plan.fresh.push(prepared);

        Ok(Place::New {
            nth,
            duplicate: false,
        })
    }
}
