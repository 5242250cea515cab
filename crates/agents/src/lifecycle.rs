//! The states of a recommendation and the moves between them. An illegal move is refused, never made.

use crate::named::named;

named!(
    /// Where a recommendation stands.
    Status {
        /// Waiting for somebody.
        Open => "open",
        /// An execution was asked for and waits for approvals.
        PendingApproval => "pending_approval",
        /// Approved; will be executed, or can be.
        Approved => "approved",
        /// Will be executed at a set time.
        Scheduled => "scheduled",
        /// Being tried on a twin.
        Testing => "testing",
        /// Set aside until a date.
        Snoozed => "snoozed",
        /// Rejected by a person, with a reason. An end.
        Dismissed => "dismissed",
        /// Its plan is running.
        Executing => "executing",
        /// The change is made and is being watched.
        Verifying => "verifying",
        /// The change was made and held. An end.
        Succeeded => "succeeded",
        /// The change was undone. An end.
        RolledBack => "rolled_back",
        /// The change failed and could not be undone by itself. An end.
        Failed => "failed",
        /// A newer finding took its place. An end.
        Superseded => "superseded",
        /// Its time ran out. An end.
        Expired => "expired",
    }
);

impl Status {
    /// Whether it is over. Only an undoing by hand comes after `Succeeded` and `Failed`.
    #[must_use]
    pub const fn is_end(self) -> bool {
        matches!(
            self,
            Status::Dismissed
                | Status::Succeeded
                | Status::RolledBack
                | Status::Failed
                | Status::Superseded
                | Status::Expired
        )
    }

    /// Whether the move is legal.
    #[must_use]
    pub const fn may_become(self, next: Status) -> bool {
        use Status::{
            Approved, Dismissed, Executing, Expired, Failed, Open, PendingApproval, RolledBack, Scheduled, Snoozed,
            Succeeded, Superseded, Testing, Verifying,
        };
        match self {
            Open => matches!(
                next,
                PendingApproval
                    | Approved
                    | Scheduled
                    | Testing
                    | Snoozed
                    | Dismissed
                    | Executing
                    | Superseded
                    | Expired
            ),
            PendingApproval => matches!(next, Approved | Scheduled | Open | Dismissed | Superseded | Expired),
            Approved => matches!(next, Executing | Scheduled | Open | Dismissed | Superseded | Expired),
            Scheduled => matches!(next, Executing | Open | PendingApproval | Dismissed | Superseded | Expired),
            Testing => matches!(next, Open | Dismissed),
            Snoozed => matches!(next, Open | Dismissed | Superseded | Expired),
            Executing => matches!(next, Verifying | RolledBack | Failed | Open | Approved),
            Verifying => matches!(next, Succeeded | RolledBack | Failed),
            Succeeded | Failed => matches!(next, RolledBack),
            Dismissed | RolledBack | Superseded | Expired => false,
        }
    }
}
