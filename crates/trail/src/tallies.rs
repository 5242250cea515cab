//! Counts of what may happen too often to be recorded one by one: refused attempts, API calls,
//! errors.
//!
//! Attempts that anybody can make without signing in must not fill the log. The first of a kind is
//! recorded at once, so that alerts see it; those that follow within a window are counted, and one
//! entry tells of them when the window ends. Memory is bounded: beyond [`MOST`] kinds all others
//! are counted together.

use std::collections::HashMap;

use jiff::{SignedDuration, Timestamp};
use parking_lot::Mutex;
use serde_json::json;

use reeve_audit::{Entry, Json};

/// Kinds that are told apart at once.
const MOST: usize = 1_000;
/// The kind of all others once there are [`MOST`].
const OTHERS: &str = "others";

/// One entry a window and kind, with the number of occurrences.
#[derive(Debug)]
pub struct Tallies {
    /// Name of the member of `metadata` that holds the number.
    member: &'static str,
    span: SignedDuration,
    open: Mutex<HashMap<String, Window>>,
}

#[derive(Debug)]
struct Window {
    opened_at: Timestamp,
    /// Occurrences that no entry tells of yet.
    count: u64,
    /// Entry of the newest of them.
    newest: Entry,
}

impl Tallies {
    /// Returns tallies whose entries hold the number of occurrences in a member of `metadata`.
    #[must_use]
    pub fn new(member: &'static str, span: SignedDuration) -> Self {
        Tallies {
            member,
            span,
            open: Mutex::default(),
        }
    }

    /// Counts an occurrence; returns the entry to record now, where one is due.
    #[must_use]
    pub fn note(&self, kind: String, entry: Entry, now: Timestamp) -> Option<Entry> {
        let mut open = self.open.lock();
        let kind = if open.len() >= MOST && !open.contains_key(&kind) {
            OTHERS.to_owned()
        } else {
            kind
        };

        let waiting = match open.get_mut(&kind) {
            Some(window) if now.duration_since(window.opened_at) < self.span => {
                window.count += 1;
                window.newest = entry;
                return None;
            }
            Some(window) => window.count,
            None => 0,
        };

        open.insert(
            kind,
            Window {
                opened_at: now,
                count: 0,
                newest: entry.clone(),
            },
        );

        Some(self.counted(entry, waiting + 1))
    }

    /// Ends the windows whose time is over; returns an entry for each in which something was
    /// counted.
    #[must_use]
    pub fn ended(&self, now: Timestamp) -> Vec<Entry> {
        self.take(|window| now.duration_since(window.opened_at) >= self.span)
    }

    /// Ends every window: the service stops.
    #[must_use]
    pub fn all(&self) -> Vec<Entry> {
        self.take(|_| true)
    }

    fn take(&self, is_over: impl Fn(&Window) -> bool) -> Vec<Entry> {
        let mut counts = Vec::new();
        self.open.lock().retain(|_, window| {
            if !is_over(window) {
                return true;
            }
            if window.count > 0 {
                counts.push(self.counted(window.newest.clone(), window.count));
            }
            false
        });

        counts
    }

    fn counted(&self, entry: Entry, count: u64) -> Entry {
        entry
            .with_metadata(self.member, Json::from(json!(count)))
            .with_metadata("window_s", Json::from(json!(self.span.as_secs())))
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use reeve_audit::events;

    fn at(s: i64) -> Timestamp {
        Timestamp::from_second(1_800_000_000 + s).unwrap()
    }

    fn count(entry: &Entry) -> u64 {
        entry
            .metadata
            .extra
            .get("attempts")
            .unwrap()
            .to_string()
            .parse()
            .unwrap()
    }

    #[test]
    fn a_flood_is_two_entries_and_nothing_of_it_is_lost() {
        let tallies = Tallies::new("attempts", SignedDuration::from_secs(60));
        let entry = || Entry::for_event(&events::TOKEN_REFUSED);
        let first = tallies.note("a".to_owned(), entry(), at(0)).unwrap();
        assert_eq!(count(&first), 1);
        for n in 1..500 {
            assert_eq!(tallies.note("a".to_owned(), entry(), at(n % 60)), None);
        }

        assert!(tallies.ended(at(59)).is_empty(), "the window is still open");

        let rest = tallies.ended(at(60));
        assert_eq!(rest.iter().map(count).collect::<Vec<_>>(), [499]);
        assert!(tallies.ended(at(500)).is_empty());

        // What was counted in a window that nobody has ended yet stands in the next entry.
        assert_eq!(
            count(&tallies.note("a".to_owned(), entry(), at(600)).unwrap()),
            1
        );
        assert_eq!(tallies.note("a".to_owned(), entry(), at(601)), None);
        assert_eq!(
            count(&tallies.note("a".to_owned(), entry(), at(700)).unwrap()),
            2
        );
    }

    #[test]
    fn memory_and_the_log_are_bounded_however_many_ask() {
        let tallies = Tallies::new("attempts", SignedDuration::from_secs(60));
        let recorded = (0..5 * MOST)
            .filter(|n| {
                tallies
                    .note(
                        n.to_string(),
                        Entry::for_event(&events::TOKEN_REFUSED),
                        at(0),
                    )
                    .is_some()
            })
            .count();
        assert_eq!(recorded, MOST + 1);

        assert_eq!(
            tallies.all().iter().map(count).sum::<u64>(),
            4 * MOST as u64 - 1
        );
        assert!(tallies.open.lock().is_empty());
    }
}
