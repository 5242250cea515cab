//! A loss: what a change destroys or interrupts beside the purpose that it has, as a plan states
//! it.

use reeve_estate::named;
use serde::{Deserialize, Serialize};

named!(
    /// Kind of a loss.
    LossKind {
        /// Contents of the disks inside the machine's host.
        LocalDisks => "local_disks",
        /// Address or name by which others reach the resource.
        Address => "address",
        /// CPU credits of a burstable machine.
        BurstCredits => "burst_credits",
        /// Contents of memory: caches, sessions, buffer pools.
        WarmCaches => "warm_caches",
        /// Data that is stored there.
        Data => "data",
        /// Machines of a group, which are replaced.
        Members => "members",
        /// Fees that are not paid back.
        Fees => "fees",
        /// Access, or a way of use, that somebody may rely on.
        Access => "access",
    }
);

/// A loss by a change.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Loss {
    /// Kind of what is lost.
    pub kind: LossKind,
    /// In a sentence without a full stop.
    pub detail: String,
    /// `true` if undoing the change does not bring it back, nor does time.
    pub lasting: bool,
}

impl Loss {
    /// Kind and duration as the hash of a plan covers them: wording may be corrected without
    /// voiding a signature.
    pub(crate) fn covered(&self) -> String {
        format!(
            "{}/{}",
            self.kind,
            if self.lasting { "lasting" } else { "passing" }
        )
    }

    pub(crate) fn new(kind: LossKind, lasting: bool, detail: impl Into<String>) -> Loss {
        Loss {
            kind,
            detail: detail.into(),
            lasting,
        }
    }
}
