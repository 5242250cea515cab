//! Health of a stream, in one word.

use jiff::SignedDuration;
use reeve_estate::named;

use crate::settings::StreamKind;
use crate::state::StreamState;
use crate::stream::Stream;

/// Age of the oldest waiting entry from which a stream counts as behind.
const BEHIND: SignedDuration = SignedDuration::from_mins(1);
/// The same for Security Lake, which takes a file in five minutes.
const BEHIND_OF_LAKE: SignedDuration = SignedDuration::from_mins(12);

/// Distance of a stream from the end of the log.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct StreamLag {
    /// Entries of the log that the stream has not looked at or not sent.
    pub entries: u64,
    /// Age of the oldest of them; `None` where there is none.
    pub age: Option<SignedDuration>,
}

named!(
    /// Health of a stream.
    StreamHealth {
        /// Entries arrive as they are recorded.
        Healthy => "healthy",
        /// Entries arrive, but later than a minute.
        Behind => "behind",
        /// The last attempt failed.
        Failing => "failing",
        /// A person paused it.
        Paused => "paused",
    }
);

impl StreamHealth {
    /// Judges a stream.
    #[must_use]
    pub fn of(stream: &Stream, state: &StreamState, lag: &StreamLag) -> StreamHealth {
        let allowed = match stream.settings.kind() {
            StreamKind::SecurityLake => BEHIND_OF_LAKE,
            _ => BEHIND,
        };
        let is_late = lag.age.is_some_and(|age| age > allowed);
        if stream.paused {
            StreamHealth::Paused
        } else if state.failures > 0 {
            StreamHealth::Failing
        } else if is_late {
            StreamHealth::Behind
        } else {
            StreamHealth::Healthy
        }
    }
}
