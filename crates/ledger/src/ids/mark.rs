//! Index data of an event id and of a claim (the entry as submitted): enough to tell the same claim
//! from another one.
//!
//! A claim sent without a `timestamp` was given the time of its receipt, and will be given another
//! when it is sent again. So the mark of an entry whose `timestamp` is its `recorded_at` leaves the
//! timestamp out.

use std::hash::{Hash, Hasher};

use jiff::Timestamp;
use reeve_audit::{Draft, Entry, claim_digest};
use sha2::{Digest, Sha256};

/// The first 8 bytes of the SHA-256 of an event id: among a thousand million of them two are alike
/// once in forty logs. Then the second is refused as a conflict.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct IdKey(pub(crate) [u8; KEY_LEN]);

/// Bytes of a key.
pub(crate) const KEY_LEN: usize = 8;
/// Bytes of a mark.
pub(crate) const MARK_LEN: usize = 6;

impl IdKey {
    /// Returns the key as a number, in the order of keys.
    pub(crate) fn number(&self) -> u64 {
        u64::from_be_bytes(self.0)
    }
}

/// The key is a hash already; its number is hashed as it is.
impl Hash for IdKey {
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_u64(self.number());
    }
}

/// The first 6 bytes of a digest of a claim.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Mark(pub(crate) [u8; MARK_LEN]);

/// A claim that may have been made before.
#[derive(Debug, Clone, Copy)]
pub(crate) struct MarkClaim {
    /// Key of its event id.
    pub(crate) key: IdKey,
    /// The mark to keep of it.
    pub(crate) mark: Mark,
    whole: Mark,
    stamped: bool,
}

impl IdKey {
    /// The key of an event id.
    pub(crate) fn new(event_id: &str) -> IdKey {
        IdKey(cut(&Sha256::digest(event_id).into()))
    }
}

fn cut<const N: usize>(digest: &[u8; 32]) -> [u8; N] {
    let mut head = [0; N];
    head.copy_from_slice(&digest[..N]);
    head
}

/// The mark of a claim with any timestamp; never that of a claim with one.
fn mark_without_time(entry: &mut Entry) -> Mark {
    let timestamp = std::mem::replace(&mut entry.timestamp, Timestamp::UNIX_EPOCH);
    let digest = claim_digest(entry);
    entry.timestamp = timestamp;
    Mark(cut(&Sha256::new()
        .chain_update(b"without time\0")
        .chain_update(digest)
        .finalize()
        .into()))
}

impl MarkClaim {
    /// The claim of a draft. Leaves the draft as it was.
    pub(crate) fn of_draft(draft: &mut Draft) -> MarkClaim {
        let claim = MarkClaim::new(&mut draft.entry, draft.recorded_at, &draft.claim_digest);
        MarkClaim {
            stamped: draft.timestamp_defaulted,
            ..claim
        }
    }

    /// The claim of a stored entry. Leaves the entry as it was.
    pub(crate) fn of_stored(entry: &mut Entry, recorded_at: Timestamp) -> MarkClaim {
        let digest = claim_digest(entry);
        MarkClaim::new(entry, recorded_at, &digest)
    }

    fn new(entry: &mut Entry, recorded_at: Timestamp, digest: &[u8; 32]) -> MarkClaim {
        let whole = Mark(cut(digest));
        let stamped = entry.timestamp == recorded_at;
        let mark = if stamped {
            mark_without_time(entry)
        } else {
            whole
        };

        MarkClaim {
            key: IdKey::new(entry.event_id.as_str()),
            mark,
            whole,
            stamped,
        }
    }

    /// Returns `true` if the stored entry with the same event id came from the same claim. `entry`
    /// is the claim's own entry.
    pub(crate) fn repeats(&self, entry: &Entry, stored: Mark, stored_at: Timestamp) -> bool {
        if self.stamped {
            return stored == self.mark;
        }
        if entry.timestamp == stored_at {
            return stored == mark_without_time(&mut entry.clone());
        }
        stored == self.whole
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn at(second: i64) -> Timestamp {
        Timestamp::from_second(second).unwrap()
    }

    fn draft(text: &str, received: i64) -> Draft {
        Draft::from_bytes(text.as_bytes(), at(received)).unwrap()
    }

    #[test]
    fn a_claim_repeats_itself_and_nothing_else() {
        let plain = r#"{"event_id":"a","event_type":"user.login"}"#;
        let other = r#"{"event_id":"a","event_type":"user.logout"}"#;
        let timed =
            r#"{"event_id":"a","event_type":"user.login","timestamp":"1970-01-01T00:00:05Z"}"#;
        let cases = [
            // first claim, received at, second claim, received at, whether it repeats the first
            (plain, 1, plain, 2, true),
            (timed, 1, timed, 2, true),
            (plain, 1, other, 2, false),
            (timed, 1, plain, 2, false),
            (plain, 1, timed, 2, false),
            (plain, 5, timed, 9, true),
            (timed, 5, plain, 9, true),
            (timed, 5, timed, 9, true),
        ];

        for (first, first_at, second, second_at, expect) in cases {
            let mut stored = draft(first, first_at);
            let kept = MarkClaim::of_draft(&mut stored).mark;
            let again = MarkClaim::of_stored(&mut stored.entry.clone(), stored.recorded_at).mark;
            assert_eq!(kept, again, "{first}");
            let mut sent = draft(second, second_at);
            let claim = MarkClaim::of_draft(&mut sent);
            let repeats = claim.repeats(&sent.entry, kept, stored.recorded_at);
            assert_eq!(
                repeats, expect,
                "{first} at {first_at}, then {second} at {second_at}"
            );
            assert_eq!(sent, draft(second, second_at));
        }
    }
}
