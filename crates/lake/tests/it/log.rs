//! A log in memory, sealed into real segments: what the ledger does, without its disk.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use async_trait::async_trait;
use parking_lot::Mutex;
use reeve_audit::{Draft, Entry, RetentionClass, SubmitterType};
use reeve_lake::{EntrySearch, EntrySegments, SealedPlace, Views};
use reeve_ledger::{
    LogView, SealedEntry, SegmentMeta, SegmentStore, StoredEntry, Tail, TrailError,
};
use reeve_tlog::{Hash, chain_hash, commitment};

/// Entries in order, of which the first `sealed` are in segments.
pub(crate) struct Log {
    pub(crate) store: Arc<EntrySegments>,
    state: Mutex<State>,
    /// Number of identifiers whose place was asked for.
    pub(crate) looked_up: AtomicUsize,
}

#[derive(Default)]
struct State {
    entries: Vec<Arc<StoredEntry>>,
    sealed: usize,
    segments: Vec<SegmentMeta>,
}

impl Log {
    pub(crate) async fn open(folder: &Path) -> Arc<Log> {
        let store = Arc::new(EntrySegments::open(folder).await.unwrap());
        Arc::new(Log {
            store,
            state: Mutex::default(),
            looked_up: AtomicUsize::new(0),
        })
    }

    /// The same log over a store opened anew, as after a restart.
    pub(crate) async fn reopen(&self, folder: &Path) -> Arc<Log> {
        let store = Arc::new(EntrySegments::open(folder).await.unwrap());
        let state = self.state.lock();
        let state = State {
            entries: state.entries.clone(),
            sealed: state.sealed,
            segments: state.segments.clone(),
        };
        store.publish(Arc::new(state.segments.clone()));

        Arc::new(Log {
            store,
            state: Mutex::new(state),
            looked_up: AtomicUsize::new(0),
        })
    }

    pub(crate) fn search(self: &Arc<Self>) -> EntrySearch {
        EntrySearch::new(Arc::clone(&self.store), Arc::clone(self) as Arc<dyn Views>)
    }

    pub(crate) fn append(&self, entry: Entry, recorded_at: jiff::Timestamp) {
        let by = entry.submitted_by.clone();
        let draft = Draft::from_entry(entry, recorded_at).unwrap();
        let draft = match by {
            None => draft,
            Some(by) if by.kind == SubmitterType::Reeve => {
                Draft::by_reeve(draft.entry, recorded_at).unwrap()
            }
            Some(by) => Draft::submitted_by(vec![draft], &by).unwrap().remove(0),
        };

        let mut state = self.state.lock();
        let sequence = state.entries.len() as u64;
        let salt = (u128::from(sequence) << 64 | 0x5eed).to_le_bytes();
        let commitment = commitment(&salt, &draft.canonical);
        let leaf_hash = commitment.leaf_hash();
        let previous_hash = state.entries.last().map_or(Hash::ZERO, |entry| entry.hash);
        state.entries.push(Arc::new(StoredEntry {
            sequence,
            recorded_at: draft.recorded_at,
            salt,
            canonical: draft.canonical,
            entry: draft.entry,
            commitment,
            leaf_hash,
            previous_hash,
            hash: chain_hash(&previous_hash, &leaf_hash),
        }));
    }

    pub(crate) fn entries(&self) -> Vec<Arc<StoredEntry>> {
        self.state.lock().entries.clone()
    }

    pub(crate) fn segments(&self) -> Vec<SegmentMeta> {
        self.state.lock().segments.clone()
    }

    /// Seals the entries before a sequence, one segment a class; none where they are sealed already.
    pub(crate) async fn seal(&self, until: usize) {
        let fresh = {
            let state = self.state.lock();
            let Some(fresh) = state.entries.get(state.sealed..until) else {
                return;
            };
            fresh.to_vec()
        };
        let mut written = Vec::new();

        for class in RetentionClass::ALL {
            let of_class: Vec<_> = fresh
                .iter()
                .filter(|stored| RetentionClass::for_event_type(&stored.entry.event_type) == class)
                .cloned()
                .collect();
            if !of_class.is_empty() {
                written.push(self.store.write(class.id(), &of_class).await.unwrap());
            }
        }

        let mut state = self.state.lock();
        state.sealed = until;
        state.segments.extend(written);
        state
            .segments
            .sort_by(|a, b| (a.first_sequence, &a.class).cmp(&(b.first_sequence, &b.class)));
        self.store.publish(Arc::new(state.segments.clone()));
    }
}

#[async_trait]
impl Views for Log {
    fn view(&self) -> LogView {
        let state = self.state.lock();
        let mut tail = Tail::starting_at(state.sealed as u64);
        tail.extend(state.entries[state.sealed..].iter().cloned());
        LogView {
            segments: Arc::new(state.segments.clone()),
            archived: Arc::default(),
            tail,
        }
    }

    fn sealed_place(&self, event_id: &str) -> SealedPlace {
        let state = self.state.lock();
        self.looked_up.fetch_add(1, Ordering::Relaxed);
        let sealed = &state.entries[..state.sealed];
        match sealed
            .iter()
            .find(|stored| stored.entry.event_id.as_str() == event_id)
        {
            Some(stored) => SealedPlace::At(stored.sequence),
            None => SealedPlace::NotBefore(state.sealed as u64),
        }
    }

    async fn restore(&self, sealed: Vec<SealedEntry>) -> Result<Vec<StoredEntry>, TrailError> {
        let state = self.state.lock();
        let restored = sealed.into_iter().map(|sealed| {
            let stored = state.entries.get(sealed.sequence as usize);
            let same = stored.filter(|stored| {
                stored.salt == sealed.salt && stored.canonical == sealed.canonical
            });
            same.map(|stored| (**stored).clone())
                .ok_or_else(|| TrailError::Backend("not what was committed to".into()))
        });

        restored.collect()
    }
}
