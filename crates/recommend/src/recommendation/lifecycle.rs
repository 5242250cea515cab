//! The states of a recommendation and the moves between them. An illegal move is refused, never
//! made.

use reeve_estate::named;

named!(
    /// State of a recommendation.
    Status {
        /// It waits for an answer or an execution.
        Open => "open",
        /// An execution was requested and waits for approvals.
        PendingApproval => "pending_approval",
        /// Approved; will be executed, or can be.
        Approved => "approved",
        /// Will be executed at a set time.
        Scheduled => "scheduled",
        /// Being tried on a twin.
        Testing => "testing",
        /// Set aside until a date.
        Snoozed => "snoozed",
        /// Rejected by a person, with a reason. An end, which a person may take back.
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
    /// Returns `true` for a final state. Only a manual rollback follows `Succeeded` and `Failed`, and
    /// only a reopening follows `Dismissed`.
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

    /// Returns `true` if the transition is permitted.
    #[must_use]
    pub const fn may_become(self, next: Status) -> bool {
        use Status::{
            Approved, Dismissed, Executing, Expired, Failed, Open, PendingApproval, RolledBack,
            Scheduled, Snoozed, Succeeded, Superseded, Testing, Verifying,
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
            PendingApproval => matches!(
                next,
                Approved | Scheduled | Open | Dismissed | Superseded | Expired
            ),
            // Its approval lapsed, or is less than what is needed by now: it is asked for again.
            Approved => {
                matches!(
                    next,
                    Executing
                        | Scheduled
                        | PendingApproval
                        | Open
                        | Dismissed
                        | Superseded
                        | Expired
                )
            }
            Scheduled => matches!(
                next,
                Executing | Open | PendingApproval | Dismissed | Superseded | Expired
            ),
            Testing => matches!(next, Open | Dismissed),
            Snoozed => matches!(next, Open | Dismissed | Superseded | Expired),
            Executing => matches!(next, Verifying | RolledBack | Failed | Open | Approved),
            Verifying => matches!(next, Succeeded | RolledBack | Failed | Open),
            // Undone by hand, or undoing it by hand failed.
            Succeeded => matches!(next, RolledBack | Failed),
            Failed => matches!(next, RolledBack),
            Dismissed => matches!(next, Open),
            RolledBack | Superseded | Expired => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_state_that_is_no_end_can_be_left_and_reached() {
        for status in Status::ALL
            .iter()
            .copied()
            .filter(|status| !status.is_end())
        {
            assert!(
                Status::ALL.iter().any(|next| status.may_become(*next)),
                "{status} cannot be left"
            );
            let reached = Status::ALL.iter().any(|from| from.may_become(status));
            assert!(reached, "{status} cannot be reached");
        }
    }

    #[test]
    fn an_end_is_left_by_an_undoing_alone() {
        let after = |status: Status| {
            Status::ALL
                .iter()
                .copied()
                .filter(|next| status.may_become(*next))
                .collect::<Vec<_>>()
        };

        assert_eq!(
            after(Status::Succeeded),
            [Status::RolledBack, Status::Failed]
        );
        assert_eq!(after(Status::Failed), [Status::RolledBack]);
        assert_eq!(after(Status::Dismissed), [Status::Open]);

        for end in [Status::RolledBack, Status::Superseded, Status::Expired] {
            assert!(end.is_end() && after(end).is_empty(), "{end}");
        }
    }

    #[test]
    fn what_runs_is_never_set_aside() {
        for at_work in [Status::Executing, Status::Verifying] {
            for aside in [
                Status::Dismissed,
                Status::Snoozed,
                Status::Scheduled,
                Status::Superseded,
                Status::Expired,
            ] {
                assert!(!at_work.may_become(aside), "{at_work} to {aside}");
            }
        }
        assert!(
            !Status::Snoozed.may_become(Status::Executing)
                && !Status::Testing.may_become(Status::Executing)
        );
    }
}
