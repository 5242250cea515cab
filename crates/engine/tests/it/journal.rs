//! Journal of a simulation, in order: recorded entries, calls of the cloud, changes there, and the
//! policy at the time. Tests compare them with each other.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use async_trait::async_trait;
use jiff::Timestamp;
use parking_lot::Mutex;
use reeve_audit::query::{FieldPath, Query, column_text};
use reeve_audit::{Draft, Entry};
use reeve_estate::{Charge, Mutation, Resource, ResourceId, ResourceState, StoreError};
use reeve_recommend::agent::Agent;
use reeve_recommend::guardrail::Guardrails;
use reeve_recommend::ports::{
    ChargeReader, Clock, LogReader, MemberPairs, ReadError, RecordError, Recorder, ResourceUses,
};
use reeve_recommend::recommendation::exclusion::Exclusion;

use crate::clock::TestClock;
use crate::simulation::hazard::{Hazard, Lost};

/// One thing that happened.
#[derive(Debug, Clone)]
pub(crate) enum Note {
    /// The log took an entry.
    Recorded(Box<Entry>),
    /// A change was requested from the cloud.
    Asked(String, Mutation),
    /// Something changed in the cloud.
    Changed(Box<Changed>),
    /// The policy was kept.
    Policy(Arc<Policy>),
    Began,
}

/// A change in the cloud, as the cloud itself knows it.
#[derive(Debug, Clone)]
pub(crate) struct Changed {
    pub(crate) at: Timestamp,
    /// The call that made it; `None` when somebody else did.
    pub(crate) call: Option<Mutation>,
    /// The resource when the change is through; its state is `Deleted` when it is gone.
    pub(crate) after: Resource,
    /// Time at which the change completes.
    pub(crate) settles: Timestamp,
}

/// Settings that users have made, as stored.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Policy {
    pub(crate) at: Timestamp,
    pub(crate) guardrails: Guardrails,
    pub(crate) agents: BTreeMap<String, Agent>,
    pub(crate) exclusions: Vec<Exclusion>,
    /// Connections that may not be acted on.
    pub(crate) observe_only: BTreeSet<String>,
}

pub(crate) type Journal = Arc<Mutex<Vec<Note>>>;

impl Changed {
    /// The state at a time.
    pub(crate) fn state_at(&self, now: Timestamp) -> ResourceState {
        if now < self.settles {
            ResourceState::Changing
        } else {
            self.after.state
        }
    }
}

/// A recorder that keeps entries, checks them as the ledger would, and can go silent.
pub(crate) struct Log {
    pub(crate) journal: Journal,
    /// After this many more entries it takes none; `None` is never.
    pub(crate) silent_after: Mutex<Option<usize>>,
    pub(crate) hazard: Option<Arc<Hazard>>,
    /// `true` if no entry can be read back.
    pub(crate) unreadable: AtomicBool,
    /// Number of grouped readings.
    pub(crate) grouped: AtomicUsize,
    clock: Arc<TestClock>,
}

impl Log {
    pub(crate) fn new(
        journal: Journal,
        clock: Arc<TestClock>,
        hazard: Option<Arc<Hazard>>,
    ) -> Arc<Log> {
        Arc::new(Log {
            journal,
            silent_after: Mutex::new(None),
            hazard,
            unreadable: AtomicBool::new(false),
            grouped: AtomicUsize::new(0),
            clock,
        })
    }

    fn take(&self, entries: Vec<Entry>) -> Result<(), RecordError> {
        let mut left = self.silent_after.lock();
        if let Some(left) = left.as_mut() {
            match left.checked_sub(entries.len()) {
                Some(rest) => *left = rest,
                None => {
                    *left = 0;
                    return Err(RecordError("the disk is full".to_owned()));
                }
            }
        }

        let mut journal = self.journal.lock();
        for entry in entries {
            Draft::from_entry(entry.clone(), self.clock.now()).unwrap();
            // The same entry again is the first one's receipt.
            let again = |note: &Note| matches!(note, Note::Recorded(known) if known.event_id == entry.event_id);
            if !journal.iter().rev().take(200).any(again) {
                journal.push(Note::Recorded(Box::new(entry)));
            }
        }

        Ok(())
    }
}

#[async_trait]
impl LogReader for Log {
    async fn newest(&self, query: Query, most: usize) -> Result<Vec<(u64, Entry)>, ReadError> {
        if self.unreadable.load(Ordering::Relaxed) {
            return Err(ReadError("a segment is damaged".to_owned()));
        }

        let journal = self.journal.lock();
        let recorded = journal.iter().filter_map(|note| match note {
            Note::Recorded(entry) => Some(Entry::clone(entry)),
            _ => None,
        });
        let mut found: Vec<(u64, Entry)> = (0..).zip(recorded).collect();
        found.retain(|(_, entry)| query.matches(entry, entry.timestamp, self.clock.now()));

        Ok(found.into_iter().rev().take(most).collect())
    }

    async fn uses(
        &self,
        query: Query,
        most_resources: usize,
        _: usize,
    ) -> Result<Vec<ResourceUses>, ReadError> {
        self.grouped.fetch_add(1, Ordering::Relaxed);
        let mut found: Vec<ResourceUses> = Vec::new();
        for (_, entry) in self.newest(query, usize::MAX).await? {
            let resource = entry.resource.id.clone().unwrap_or_default();
            let operation = entry.action.operation.clone().unwrap_or_default();
            let hour = entry.timestamp.as_second().div_euclid(3600) * 3600;
            let at = found
                .iter()
                .position(|one| one.resource == resource)
                .unwrap_or_else(|| {
                    found.push(ResourceUses {
                        resource,
                        ..ResourceUses::default()
                    });
                    found.len() - 1
                });
            let one = &mut found[at];
            one.uses += 1;
            one.last_hour = one.last_hour.max(Timestamp::from_second(hour).ok());
            match one
                .operations
                .iter_mut()
                .find(|(name, _)| *name == operation)
            {
                Some((_, count)) => *count += 1,
                None => one.operations.push((operation, 1)),
            }
        }
        found.truncate(most_resources);
        Ok(found)
    }

    async fn pairs(
        &self,
        query: Query,
        of: &[(FieldPath, FieldPath)],
    ) -> Result<Vec<MemberPairs>, ReadError> {
        let entries = self.newest(query, usize::MAX).await?;
        let counted = of.iter().map(|(first, second)| {
            let mut counts: BTreeMap<(String, String), u64> = BTreeMap::new();
            for (_, entry) in &entries {
                if let (Some(first), Some(second)) = (value(entry, first), value(entry, second)) {
                    *counts.entry((first, second)).or_default() += 1;
                }
            }
            let counts = counts.into_iter();
            MemberPairs {
                counts: counts
                    .map(|((first, second), count)| (first, second, count))
                    .collect(),
                is_complete: true,
            }
        });
        Ok(counted.collect())
    }
}

/// Text of a column, or of an open member.
fn value(entry: &Entry, path: &FieldPath) -> Option<String> {
    match path {
        FieldPath::Column(column) => column_text(entry, *column).map(|text| text.into_owned()),
        FieldPath::Metadata(path) => {
            let (first, rest) = path.split_first()?;
            let mut value = entry.metadata.extra.get(first)?;
            for name in rest {
                value = value.get(name)?;
            }
            value.as_str().map(str::to_owned)
        }
        _ => None,
    }
}

/// Bills of the tests; nothing until a test puts charges in.
#[derive(Default)]
pub(crate) struct TestBills {
    pub(crate) charges: Mutex<Vec<Charge>>,
}

#[async_trait]
impl ChargeReader for TestBills {
    async fn charges(
        &self,
        resources: &[ResourceId],
        start: Timestamp,
        end: Timestamp,
    ) -> Result<Vec<Charge>, StoreError> {
        let period = start.as_millisecond()..end.as_millisecond();
        let names = |charge: &&Charge| {
            let own = |id: &ResourceId| charge.resource.as_deref() == Some(id.as_str());
            period.contains(&charge.start_ms) && resources.iter().any(own)
        };
        Ok(self.charges.lock().iter().filter(names).cloned().collect())
    }

    async fn billed_until(&self, _: &str) -> Result<Option<Timestamp>, StoreError> {
        let end_ms = self.charges.lock().iter().map(|charge| charge.end_ms).max();
        Ok(end_ms.and_then(|end| Timestamp::from_millisecond(end).ok()))
    }
}

#[async_trait]
impl Recorder for Log {
    async fn record(&self, entries: Vec<Entry>) -> Result<(), RecordError> {
        let Some(hazard) = &self.hazard else {
            return self.take(entries);
        };

        hazard.moment().await;
        let lost = hazard.log(self.clock.now());
        if lost == Some(Lost::Request) {
            return Err(RecordError("the queue is full".to_owned()));
        }

        let taken = self.take(entries);
        hazard.moment().await;

        if lost == Some(Lost::Answer) {
            Err(RecordError("no answer".to_owned()))
        } else {
            taken
        }
    }

    async fn record_once(&self, entry: Entry) -> Result<(), RecordError> {
        self.record(vec![entry]).await
    }
}
