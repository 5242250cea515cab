//! Time until which this server may act: whoever could not renew the lease in time stops by itself,
//! also when it cannot ask anybody.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use reeve_ledger::{Fence, Fenced};

use super::boot_clock::BootClock;

/// Validity of a lease, from the moment at which its renewal was sent.
pub(crate) const VALID: Duration = Duration::from_secs(6);

/// Time that a server which takes a lease over waits beyond [`VALID`]: what two clocks may differ
/// by in that time, and more.
pub(crate) const MARGIN: Duration = Duration::from_secs(2);

/// Time without a renewal after which a server ends, so that another one can have its locks.
const GIVE_UP: Duration = Duration::from_secs(30);

/// The deadline of this server's lease. Checked before each frame of the log, each acknowledgement,
/// each statement that writes to the database and each call to a cloud or receiver.
#[derive(Debug)]
pub(crate) struct Deadline {
    clock: BootClock,
    /// `false` where the lock of the data directory is fence enough: its database cannot be used
    /// without it.
    expires: bool,
    epoch: AtomicU64,
    /// Milliseconds of the clock; renewals move it.
    until_ms: AtomicU64,
    lost: AtomicBool,
}

impl Deadline {
    /// A deadline that has passed, until a lease is taken.
    pub(crate) fn new(expires: bool) -> Deadline {
        Deadline {
            clock: BootClock::open(),
            expires,
            epoch: AtomicU64::new(0),
            until_ms: AtomicU64::new(0),
            lost: AtomicBool::new(false),
        }
    }

    /// Returns the time of a renewal that is about to be sent.
    pub(crate) fn now(&self) -> Duration {
        self.clock.now()
    }

    /// Notes the number of this holder.
    pub(crate) fn begin(&self, epoch: i64) {
        self.epoch
            .store(u64::try_from(epoch).unwrap_or(0), Ordering::SeqCst);
    }

    /// Moves the deadline after a renewal that was sent at a time: what its answer took does not
    /// count.
    pub(crate) fn renewed(&self, sent: Duration) {
        self.until_ms
            .fetch_max(millis(sent + VALID), Ordering::SeqCst);
    }

    /// Stops this server for good: another one has taken over.
    pub(crate) fn lose(&self) {
        self.lost.store(true, Ordering::SeqCst);
    }

    /// Returns the time since the last renewal was sent.
    pub(crate) fn unrenewed(&self) -> Duration {
        let sent =
            Duration::from_millis(self.until_ms.load(Ordering::SeqCst)).saturating_sub(VALID);
        self.now().saturating_sub(sent)
    }

    /// Returns `true` once this server has waited so long for a renewal that it ends.
    pub(crate) fn has_waited_enough(&self) -> bool {
        self.expires && self.unrenewed() > GIVE_UP
    }
}

impl Fence for Deadline {
    fn epoch(&self) -> u64 {
        self.epoch.load(Ordering::SeqCst)
    }

    fn check(&self) -> Result<(), Fenced> {
        if self.lost.load(Ordering::SeqCst) {
            let reason = "another server has taken over from this one".to_owned();
            return Err(Fenced { reason });
        }

        if self.expires && millis(self.now()) >= self.until_ms.load(Ordering::SeqCst) {
            let seconds = self.unrenewed().as_secs();
            let reason = format!(
                "this server could not renew its lease in the state database for {seconds} s and does not act until it can: another one may have taken over"
            );
            return Err(Fenced { reason });
        }

        Ok(())
    }
}

fn millis(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn it_holds_from_when_a_renewal_was_sent_until_it_is_over() {
        let deadline = Deadline::new(true);
        assert!(deadline.check().is_err(), "no lease was taken");
        deadline.begin(3);
        deadline.renewed(deadline.now());
        assert_eq!((deadline.epoch(), deadline.check()), (3, Ok(())));

        // A renewal whose answer took longer than the lease is valid is worth nothing.
        let late = Deadline::new(true);
        late.renewed(late.now().checked_sub(VALID).unwrap());
        let fenced = late.check().unwrap_err().reason;
        assert!(
            fenced.contains("could not renew its lease") && fenced.contains("for 6 s"),
            "{fenced}"
        );
        late.renewed(late.now());
        assert_eq!(late.check(), Ok(()), "nobody else had it in between");
        late.lose();
        assert!(
            late.check()
                .unwrap_err()
                .reason
                .contains("another server has taken over")
        );
    }

    #[test]
    fn a_server_waits_half_a_minute_for_a_renewal_and_ends() {
        let renewed_before = |seconds: u64, expires: bool| {
            let deadline = Deadline::new(expires);
            let sent = deadline.now().checked_sub(Duration::from_secs(seconds));
            deadline.renewed(sent.unwrap());
            deadline.has_waited_enough()
        };

        assert!(!renewed_before(0, true) && !renewed_before(28, true));
        assert!(renewed_before(31, true));
        assert!(!renewed_before(31, false), "its lock is the fence");
    }

    #[test]
    fn where_the_lock_is_the_fence_only_a_loss_counts() {
        let deadline = Deadline::new(false);
        assert_eq!(deadline.check(), Ok(()));
        deadline.lose();
        assert!(deadline.check().is_err());
    }
}
