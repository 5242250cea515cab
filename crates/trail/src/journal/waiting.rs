//! Entries about past events that wait in memory while the log cannot be written.
//!
//! They are appended in chunks: one submission of everything that waits would outgrow the log's
//! limit after a long outage, and never be taken. An entry that the log refuses for itself is
//! dropped and reported, so that it does not hold up the others.

use std::collections::VecDeque;

use reeve_audit::{Draft, Entry};
use reeve_ledger::AppendError;

use super::{Journal, failure};

/// Entries that may wait for the log while it cannot be written.
const MOST_WAITING: usize = 10_000;
/// Entries of one submission.
const CHUNK: usize = 500;
/// Canonical bytes of one submission, well below the limit of the log. A single entry may exceed
/// them.
const CHUNK_BYTES: usize = 8 << 20;

/// Entries taken out of the queue. Whatever is left goes back when it is dropped, also when the
/// caller's request is cancelled.
struct Taken<'a> {
    journal: &'a Journal,
    entries: VecDeque<Entry>,
}

impl Drop for Taken<'_> {
    fn drop(&mut self) {
        let mut waiting = self.journal.waiting.lock();
        self.entries.append(&mut waiting);
        std::mem::swap(&mut *waiting, &mut self.entries);
    }
}

impl Journal {
    /// Records an entry about something that has happened. While the log cannot be written it waits
    /// with others in bounded memory.
    ///
    /// # Errors
    /// Neither the log nor the memory has room.
    pub async fn record_or_keep(&self, entry: Entry) -> Result<(), AppendError> {
        let entries = std::mem::take(&mut *self.waiting.lock());
        let mut taken = Taken {
            journal: self,
            entries,
        };
        taken.entries.push_back(entry);
        let mut most = CHUNK;

        while !taken.entries.is_empty() {
            if let Err(error) = self.append_chunk(&mut taken.entries, &mut most).await {
                tracing::warn!(%error, "a record of what has happened waits for the log");
                if self.waiting.lock().len() + taken.entries.len() > MOST_WAITING {
                    taken.entries.pop_back();
                    return Err(error);
                }
                return Ok(());
            }
        }

        Ok(())
    }

    /// Appends the first entries, at most `most` of them, and removes them from the queue, or drops
    /// an entry that is refused for itself. The error concerns the log, not an entry.
    async fn append_chunk(
        &self,
        entries: &mut VecDeque<Entry>,
        most: &mut usize,
    ) -> Result<(), AppendError> {
        let drafts = self.chunk(entries, *most);
        let count = drafts.len();
        if count == 0 {
            return Ok(());
        }

        match self.log.append(drafts).await {
            Ok(_) => {
                entries.drain(..count);
                *most = CHUNK;
            }
            Err(AppendError::Conflict { index, event_id }) => {
                self.drop_entry(
                    entries,
                    index,
                    &format!("another entry has the identifier {event_id}"),
                );
            }
            Err(error @ AppendError::TooLarge { .. }) if count == 1 => {
                self.drop_entry(entries, 0, &error.to_string())
            }
            Err(AppendError::TooLarge { .. }) => *most = count / 2,
            Err(error) => return Err(error),
        }

        Ok(())
    }

    /// Returns the drafts of the first entries. Entries that break a rule of the log are dropped on
    /// the way.
    fn chunk(&self, entries: &mut VecDeque<Entry>, most: usize) -> Vec<Draft> {
        let (now, mut bytes, mut drafts) = (self.now(), 0, Vec::new());
        while drafts.len() < most.max(1)
            && let Some(entry) = entries.get(drafts.len())
        {
            match Draft::by_reeve(entry.clone(), now) {
                Ok(draft) => {
                    bytes += draft.canonical.len();
                    if bytes > CHUNK_BYTES && !drafts.is_empty() {
                        break;
                    }
                    drafts.push(draft);
                }
                Err(errors) => self.drop_entry(
                    entries,
                    drafts.len(),
                    &format!("it is not valid: {errors:?}"),
                ),
            }
        }

        drafts
    }

    /// Drops an entry that the log will never take. The audit log tells that there was one.
    fn drop_entry(&self, entries: &mut VecDeque<Entry>, index: usize, reason: &str) {
        let Some(entry) = entries.remove(index) else {
            return;
        };

        let (id, kind) = (entry.event_id.as_str(), entry.event_type.as_str());
        tracing::error!(
            event_id = id,
            event_type = kind,
            reason,
            "a record of what has happened was dropped"
        );

        let text = format!("the record {id} ({kind}) could not be written: {reason}");
        // At most two in ten minutes, so that reports which are refused themselves come to an end.
        let report =
            self.failures
                .note("journal".to_owned(), failure("journal", &text), self.now());
        entries.extend(report);
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use std::future::Future as _;
    use std::sync::Arc;
    use std::task::{Context, Waker};

    use jiff::Timestamp;
    use reeve_audit::query::Query;
    use reeve_audit::{Actor, ActorType, EventId, EventType, Json};
    use reeve_lake::{EntrySearch, EntrySegments};
    use reeve_ledger::{Config, Ledger, keys};

    use super::*;
    use crate::{Log, Trail};

    struct Office {
        journal: Journal,
        trail: Trail,
        ledger: Ledger,
        _folder: tempfile::TempDir,
    }

    /// A journal over a real log that takes at most `limit` bytes at once.
    async fn office(limit: usize) -> Office {
        let folder = tempfile::tempdir().unwrap();
        let mut config = Config::new(folder.path(), "reeve.local/journal-test");
        config.queue_capacity_bytes = limit;
        let segments = Arc::new(EntrySegments::open(folder.path()).await.unwrap());
        let signer = keys::load_or_create(folder.path(), Some(&config.origin)).unwrap();
        let ledger = Ledger::open(config, signer, segments.clone())
            .await
            .unwrap();
        let search = Arc::new(EntrySearch::new(segments, Arc::new(ledger.clone())));
        let journal = Journal::new(Log::new(ledger.clone(), search.clone()), Timestamp::now);

        Office {
            journal,
            trail: Trail::service_wide(ledger.clone(), search),
            ledger,
            _folder: folder,
        }
    }

    impl Office {
        async fn count(&self, query: &str) -> u64 {
            self.trail
                .count(Query::parse(query).unwrap(), Vec::new(), Timestamp::now())
                .await
                .unwrap()
                .0
        }

        /// Takes an identifier as another submitter did before the namespace was reserved.
        async fn squat(&self, id: EventId) {
            let draft = Draft::from_entry(deed("squatter").with_id(id), Timestamp::now()).unwrap();
            self.ledger.append(vec![draft]).await.unwrap();
        }
    }

    fn deed(actor: &str) -> Entry {
        Entry::new(EventType::from_static("test.deed")).by(Actor::new(ActorType::User, actor))
    }

    #[tokio::test]
    async fn what_waited_is_recorded_without_the_entries_that_are_refused_for_themselves() {
        let office = office(60_000).await;
        let taken = EventId::new("taken").unwrap();
        office.squat(taken.clone()).await;

        {
            let mut waiting = office.journal.waiting.lock();
            waiting.extend((0..400).map(|_| deed("ann")));
            waiting.push_back(deed("ann").with_id(taken));
            waiting.push_back(deed("ann").with_metadata("number", Json::Number(f64::NAN)));
            waiting.push_back(deed("ann").with_metadata("text", "x".repeat(70_000)));
            waiting.extend((0..400).map(|_| deed("ann")));
        }

        office.journal.record_or_keep(deed("ann")).await.unwrap();
        assert_eq!(office.count("event_type:test.deed user:ann").await, 801);
        assert!(office.journal.waiting.lock().is_empty(), "nothing is stuck");
        assert_eq!(
            office
                .count("event_type:system.error resource.id:journal")
                .await,
            1,
            "the log tells of the loss"
        );
    }

    #[tokio::test]
    async fn a_cancelled_request_and_a_log_that_is_away_lose_nothing() {
        let office = office(60_000).await;
        office.journal.waiting.lock().push_back(deed("ann"));

        {
            let mut recording = std::pin::pin!(office.journal.record_or_keep(deed("bob")));
            let _ = recording
                .as_mut()
                .poll(&mut Context::from_waker(Waker::noop()));
        }

        assert_eq!(
            office.journal.waiting.lock().len(),
            2,
            "the request was cancelled"
        );
        office.ledger.close().await;
        office.journal.record_or_keep(deed("zoe")).await.unwrap();
        let names: Vec<_> = office
            .journal
            .waiting
            .lock()
            .iter()
            .filter_map(|entry| entry.actor.id.clone())
            .collect();
        assert_eq!(names, ["ann", "bob", "zoe"], "in their order");

        office
            .journal
            .waiting
            .lock()
            .extend((0..MOST_WAITING).map(|_| deed("ann")));

        assert!(
            office.journal.record_or_keep(deed("zoe")).await.is_err(),
            "there is no room"
        );
    }

    #[tokio::test]
    async fn a_foreign_entry_never_stands_in_for_one_of_reeve() {
        let office = office(60_000).await;
        let id = EventId::derived("fir_1").unwrap();
        let firing = deed("system").with_id(id.clone());

        // The very same content, so that the log takes the second for a repetition of the first.
        let same = Draft::from_entry(firing.clone(), Timestamp::now()).unwrap();
        office.ledger.append(vec![same]).await.unwrap();
        let recorded = office.journal.record_once(firing).await.unwrap();
        assert_ne!(recorded, id);

        let other = EventId::derived("fir_2").unwrap();
        office.squat(other.clone()).await;
        assert_ne!(
            office
                .journal
                .record_once(deed("system").with_id(other))
                .await
                .unwrap(),
            id
        );

        assert_eq!(
            office
                .count("event_type:test.deed metadata.intended_id:\"reeve:fir_1\"")
                .await,
            1
        );

        assert_eq!(
            office
                .count("event_type:test.deed metadata.intended_id:\"reeve:fir_2\"")
                .await,
            1
        );

        assert_eq!(
            office
                .count("event_type:system.error severity:high resource.id:identifiers")
                .await,
            2
        );

        assert_eq!(office.journal.displaced(), 2);

        // Reeve's own entry counts, also when it was written at another moment with other words.
        let own = EventId::derived("fir_3").unwrap();
        for words in ["first", "second"] {
            let entry = deed("system")
                .with_id(own.clone())
                .with_metadata("words", words);
            assert_eq!(office.journal.record_once(entry).await.unwrap(), own);
        }

        assert_eq!(office.count("event_id:\"reeve:fir_3\"").await, 1);
    }
}
