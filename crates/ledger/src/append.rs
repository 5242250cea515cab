//! The caller's side of an append: identify, salt and hash entries in parallel, before the one
//! sequencer sees them.

use std::sync::Arc;

use reeve_audit::{Draft, Entry};
use tokio::sync::oneshot;

use crate::entry::{Receipt, StoredEntry};
use crate::fence::Fenced;
use crate::ids::{IdRecord, MarkClaim, SealedIds};
use crate::queue::Reservation;
use crate::shared::Shared;

/// Reason why entries were not recorded. No entry of the submission was recorded.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum AppendError {
    /// Too much is waiting already.
    #[error("the log is busy; try again in {retry_after_s} s")]
    Busy {
        /// Seconds after which the caller should try again.
        retry_after_s: u64,
    },
    /// The submission could never be taken.
    #[error("the submission has {bytes} bytes, more than the limit of {limit}; send it in parts")]
    TooLarge {
        /// Canonical bytes of its entries.
        bytes: usize,
        limit: usize,
    },
    /// The identifier was used for another entry before.
    #[error("entry {index}: another entry with the event_id {event_id} is in the log")]
    Conflict {
        /// Position of the entry in the submission, from 0.
        index: usize,
        /// Identifier of the entry.
        event_id: String,
    },
    /// The disk did not take it.
    #[error("{message}")]
    Storage {
        /// Cause and remedy, for the operator.
        message: String,
        /// Because no space is left.
        full_disk: bool,
    },
    /// Another server may write the log instead of this one.
    #[error(transparent)]
    Fenced(#[from] Fenced),
    /// The ledger was closed.
    #[error("the log is closed")]
    Closed,
}

/// An entry ready for the sequencer, which gives it its sequence, `previous_hash` and `hash`.
pub(crate) struct PreparedEntry {
    pub(crate) entry: Arc<StoredEntry>,
    pub(crate) claim: MarkClaim,
}

/// An entry of a submission.
pub(crate) enum AppendSlot {
    /// Sent before and sealed since: its first receipt.
    Known(Box<Receipt>),
    /// New to the sealed entries that the caller saw.
    Fresh(PreparedEntry),
}

/// Result for one entry of a submission. Its receipt is made by the caller, so that the sequencer
/// need not.
#[derive(Debug)]
pub(crate) enum Recorded {
    /// Entry that the log already had, with its first receipt.
    Known(Box<Receipt>),
    /// Entry that was added; `duplicate` if an earlier entry of the same batch is identical.
    New {
        entry: Arc<StoredEntry>,
        duplicate: bool,
    },
}

impl Recorded {
    /// Returns the receipt for the caller.
    pub(crate) fn receipt(self) -> Receipt {
        match self {
            Recorded::Known(receipt) => *receipt,
            Recorded::New { entry, duplicate } => entry.receipt(duplicate),
        }
    }
}

/// Answer of the sequencer to a submission: one result for each entry, in order.
pub(crate) type Answer = Result<Vec<Recorded>, AppendError>;

/// Entries to be recorded together or not at all.
pub(crate) struct Submission {
    pub(crate) slots: Vec<AppendSlot>,
    /// Up to which sequence the caller knew the identifiers.
    pub(crate) known_until: u64,
    pub(crate) bytes: usize,
    pub(crate) reservation: Reservation,
    pub(crate) reply: oneshot::Sender<Answer>,
}

/// Prepares drafts against the sealed entries of now.
pub(crate) fn prepare(
    shared: &Shared,
    ids: &SealedIds,
    drafts: Vec<Draft>,
) -> Result<Vec<AppendSlot>, AppendError> {
    let prepare = |(index, mut draft): (usize, Draft)| {
        let claim = MarkClaim::of_draft(&mut draft);
        if let Some(receipt) = sealed_before(shared, ids, &claim, &draft.entry, index)? {
            return Ok(AppendSlot::Known(Box::new(receipt)));
        }
        let Draft {
            entry,
            recorded_at,
            canonical,
            ..
        } = draft;
        let salt = rand::random::<[u8; 16]>();
        Ok(AppendSlot::Fresh(PreparedEntry {
            entry: Arc::new(StoredEntry::hashed(salt, recorded_at, canonical, entry)),
            claim,
        }))
    };
    drafts.into_iter().enumerate().map(prepare).collect()
}

/// The receipt of a claim that was made before and sealed since; an error when its identifier was
/// used for another one.
pub(crate) fn sealed_before(
    shared: &Shared,
    ids: &SealedIds,
    claim: &MarkClaim,
    entry: &Entry,
    index: usize,
) -> Result<Option<Receipt>, AppendError> {
    let unreadable = |error: std::io::Error| AppendError::Storage {
        message: format!("cannot determine whether the log already has the entry: {error}"),
        full_disk: false,
    };

    let Some(IdRecord {
        mark,
        sequence,
        recorded_at,
        ..
    }) = ids.find(&claim.key).map_err(unreadable)?
    else {
        return Ok(None);
    };

    let event_id = entry.event_id.as_str().to_owned();
    if !claim.repeats(entry, mark, recorded_at) {
        return Err(AppendError::Conflict { index, event_id });
    }

    let link = shared
        .chain
        .link(&shared.tiles, sequence, ids.end())
        .map_err(unreadable)?;
    Ok(Some(Receipt {
        event_id,
        sequence,
        recorded_at,
        leaf_hash: link.leaf_hash,
        previous_hash: link.previous_hash,
        hash: link.hash,
        duplicate: true,
    }))
}

/// The receipts of a submission whose entries were all sealed before: there is nothing to do for
/// the sequencer.
pub(crate) fn all_known(slots: Vec<AppendSlot>) -> Result<Vec<Receipt>, Vec<AppendSlot>> {
    if slots
        .iter()
        .any(|slot| matches!(slot, AppendSlot::Fresh(_)))
    {
        return Err(slots);
    }

    let known = |slot| match slot {
        AppendSlot::Known(receipt) => Some(*receipt),
        AppendSlot::Fresh(_) => None,
    };

    Ok(slots.into_iter().filter_map(known).collect())
}

/// The sealed identifiers of now.
pub(crate) fn sealed_ids(shared: &Shared) -> Arc<SealedIds> {
    shared.ids.read().clone()
}
