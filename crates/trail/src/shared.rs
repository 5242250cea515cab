//! One reader of sealed entries for all that follow the log.
//!
//! Alerts, anomalies and deliveries read every entry that is recorded. While they keep up they take
//! entries from memory ([`crate::recent`]). A follower that is behind, after a start or under load,
//! reads segments, and each follower read and parsed the same rows by itself: three times the work
//! exactly when there was too much of it. The stretches that one of them read are now kept for a
//! while, and the others take theirs from them.

use std::collections::VecDeque;
use std::sync::Arc;

use reeve_audit::query::Query;
use reeve_ledger::{EntryReader, ReadOn, Stretch, TrailError};
use tokio::sync::Mutex;

use crate::recent::Gathering;

/// Entries of a kept stretch.
const ENTRIES: usize = 2_048;
/// Canonical bytes of a kept stretch. A larger entry is kept alone.
const BYTES: usize = 4 << 20;
/// Stretches that are kept: followers that are at most 16,384 entries apart share what is read.
const KEPT: usize = 8;

/// Reads segments once for several followers.
#[derive(Default)]
pub(crate) struct SharedReader {
    /// The stretches read last, the newest at the back. The lock is held while one is read, so that
    /// followers at the same position wait for one reading.
    kept: Mutex<VecDeque<Arc<KeptStretch>>>,
}

/// Every entry of a part of the log.
struct KeptStretch {
    from: u64,
    stretch: Stretch,
}

impl SharedReader {
    /// Returns the next stretch of `request`, which begins in a segment. `sealed` is the number of
    /// sealed entries.
    pub(crate) async fn next(
        &self,
        reader: &dyn EntryReader,
        sealed: u64,
        request: &ReadOn,
    ) -> Result<Stretch, TrailError> {
        let kept = self.around(reader, sealed, request).await?;
        let stretch = &kept.stretch;
        let mut gathering = Gathering::new(request);
        let first = stretch
            .entries
            .partition_point(|stored| stored.sequence < request.from);

        for stored in &stretch.entries[first..] {
            if stored.sequence >= request.to {
                break;
            }
            if !gathering.take(stored) {
                return Ok(gathering.ended_before(stored.sequence));
            }
        }

        Ok(gathering.ended_before(stretch.to.min(request.to)))
    }

    /// Returns the stretch that holds the beginning of a request, reading it if need be.
    async fn around(
        &self,
        reader: &dyn EntryReader,
        sealed: u64,
        request: &ReadOn,
    ) -> Result<Arc<KeptStretch>, TrailError> {
        let mut kept = self.kept.lock().await;
        let known = kept
            .iter()
            .find(|kept| (kept.from..kept.stretch.to).contains(&request.from));
        if let Some(known) = known {
            return Ok(known.clone());
        }

        let stretch = reader.read_on(&everything(sealed, request)).await?;
        let read = Arc::new(KeptStretch {
            from: request.from,
            stretch,
        });
        if kept.len() == KEPT {
            kept.pop_front();
        }
        kept.push_back(read.clone());
        Ok(read)
    }
}

/// Asks for every sealed entry from where a request begins.
fn everything(sealed: u64, request: &ReadOn) -> ReadOn {
    ReadOn {
        query: Query::all().resolve(request.now),
        from: request.from,
        to: sealed,
        entries: ENTRIES,
        bytes: BYTES,
        now: request.now,
    }
}
