//! Position of the watch over behavior in the log, and the entries from which on it finds news.

use jiff::Timestamp;

/// Entries judged between two looks at most, two thousand a second: the watch must not take the
/// processors from a log that is filled with a load of years.
const MOST: u64 = 30_000;
/// Entries that are read after a start, so that behavior is judged by a past.
const WARM_UP: u64 = 100_000;
/// Entries that may wait to be judged: an import of a day is judged whole, a minute later. What is
/// passed over is said.
const MOST_WAITING: u64 = 4 * MOST;

/// Position of the watch in the log.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Position {
    /// The next sequence to read.
    pub next: u64,
    /// Entries from this sequence on are news; those before are read for their lesson.
    news: u64,
    /// So are entries recorded after this time: set when a version of Reeve without a cursor
    /// followed this log.
    news_after: Option<Timestamp>,
}

impl Position {
    /// Returns the position after a start. What lay in the log before Reeve ever looked is the past
    /// that behavior is judged by.
    #[must_use]
    pub fn at_start(cursor: Option<u64>, looked: Option<Timestamp>, end: u64) -> Self {
        let news = passing_over(cursor.unwrap_or(end).min(end), end);
        let news_after = looked.filter(|_| cursor.is_none());
        Position {
            next: news.saturating_sub(WARM_UP),
            news,
            news_after,
        }
    }

    /// Returns the position of a watch that continues, with the cursor as it is kept: what another
    /// process has judged is no news.
    #[must_use]
    pub fn going_on(self, cursor: Option<u64>, end: u64) -> Self {
        let news = self.news.max(cursor.unwrap_or_default());
        Position {
            next: passing_over(self.next, end),
            news,
            ..self
        }
    }

    /// Returns the sequence up to which the next look reads.
    #[must_use]
    pub fn until(self, end: u64) -> u64 {
        end.min(self.next + MOST)
    }

    /// Returns `true` if the entry's finding has not been reported.
    #[must_use]
    pub fn is_news(self, sequence: u64, recorded_at: Timestamp) -> bool {
        sequence >= self.news || self.news_after.is_some_and(|looked| recorded_at > looked)
    }
}

/// Returns the position, or a later one where more wait than can be judged.
fn passing_over(position: u64, end: u64) -> u64 {
    let earliest = end.saturating_sub(MOST_WAITING);
    if position < earliest {
        let passed_over = earliest - position;
        tracing::warn!(
            passed_over,
            "more entries arrive than behavior is judged by; the newest are judged"
        );
    }
    position.max(earliest)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn at(second: i64) -> Timestamp {
        Timestamp::from_second(second).unwrap()
    }

    #[test]
    fn a_first_start_learns_and_judges_what_comes() {
        let position = Position::at_start(None, None, 250_000);
        assert_eq!(position.next, 150_000);
        assert!(!position.is_news(249_999, at(9)) && position.is_news(250_000, at(9)));
    }

    #[test]
    fn a_restart_judges_from_the_cursor_on_whatever_the_clock_says() {
        // The clock was set back meanwhile: times say that these entries were judged before the
        // stop.
        let position = Position::at_start(Some(1_000), Some(at(500)), 1_200);
        assert_eq!(position.next, 0);
        assert!(!position.is_news(999, at(600)) && position.is_news(1_000, at(400)));
    }

    #[test]
    fn a_log_that_was_followed_without_a_cursor_is_judged_from_the_last_look_on() {
        let position = Position::at_start(None, Some(at(500)), 1_200);
        assert!(!position.is_news(1_100, at(500)) && position.is_news(1_101, at(501)));
    }

    #[test]
    fn what_another_process_judged_is_read_for_its_lesson() {
        let position = Position::at_start(Some(10), None, 20).going_on(Some(17), 20);
        assert_eq!(position.next, 0);
        assert!(!position.is_news(16, at(9)) && position.is_news(17, at(9)));
    }

    #[test]
    fn what_is_too_much_is_passed_over() {
        let position = Position::at_start(Some(0), None, 1_000_000);
        assert_eq!(
            (position.news, position.next),
            (1_000_000 - MOST_WAITING, 1_000_000 - MOST_WAITING - WARM_UP)
        );
        assert_eq!(
            position.going_on(None, 2_000_000).next,
            2_000_000 - MOST_WAITING
        );
    }
}
