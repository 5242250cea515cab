//! Entries that tell of deletions: tombstones, policies and holds, collected while payloads are
//! read.

use std::collections::BTreeMap;

use jiff::Timestamp;
use serde::Deserialize;
use serde_json::Value;

use super::policy::PolicyList;
use crate::manifest::TierName;

/// Entries of these types are kept while a log is read.
const TYPES: [&[u8]; 8] = [
    b"system.restore",
    b"ledger.expire",
    b"ledger.erase",
    b"audit.erasure.create",
    b"audit.erasure.approve",
    b"audit.retention.modify",
    b"audit.hold.create",
    b"audit.hold.release",
];

/// Returns `true` for types of entries that tell of deletions.
pub(crate) fn is_evidence(event_type: &[u8]) -> bool {
    TYPES.contains(&event_type)
}

/// What an entry `ledger.expire` says.
#[derive(Debug, Clone, Deserialize)]
pub(crate) struct Tombstone {
    #[serde(skip)]
    pub(crate) sequence: u64,
    #[serde(skip)]
    pub(crate) recorded_at: Timestamp,
    pub(crate) first_sequence: u64,
    pub(crate) last_sequence: u64,
    pub(crate) entries: u64,
    pub(crate) event_types: BTreeMap<String, u64>,
    pub(crate) sha256: String,
    pub(crate) commitments_root: String,
    pub(crate) class: String,
    pub(crate) policy_version: u64,
    pub(crate) newest_timestamp: Timestamp,
    pub(crate) newest_recorded_at: Timestamp,
    /// Identifiers of the holds that were looked at.
    pub(crate) holds: Vec<String>,
}

/// Content of an entry `ledger.erase`.
#[derive(Debug, Clone, Deserialize)]
pub(crate) struct ErasureTombstone {
    #[serde(skip)]
    pub(crate) sequence: u64,
    pub(crate) request: String,
    pub(crate) first_sequence: u64,
    pub(crate) last_sequence: u64,
    pub(crate) class: String,
    /// Tier that the file before lay in; absent in tombstones of earlier versions, which erased in the
    /// data directory alone.
    #[serde(default = "data_directory")]
    pub(crate) tier: TierName,
    pub(crate) entries: u64,
    pub(crate) sequences: Vec<(u64, u64)>,
    pub(crate) commitments_root: String,
    /// Hash of the segment's file before.
    pub(crate) sha256: String,
    pub(crate) path_after: String,
    pub(crate) sha256_after: String,
    /// Identifiers of the holds that were looked at.
    pub(crate) holds: Vec<String>,
    /// Tombstone of the log before a restore that this one repeats.
    #[serde(default)]
    pub(crate) reapplied: Option<EarlierTombstone>,
}

fn data_directory() -> TierName {
    TierName::Hot
}

/// Tombstone of a log before it was restored.
#[derive(Debug, Clone, Deserialize)]
pub(crate) struct EarlierTombstone {
    /// Sequence that it had there.
    pub(crate) sequence: u64,
}

/// A request for erasure as the log has it: sequences and people.
#[derive(Debug, Clone, Default)]
pub(crate) struct RequestEntries {
    /// Sequence of its creation and its requester.
    pub(crate) created: Option<(u64, String)>,
    /// Sequence of each approval and the person who gave it.
    pub(crate) approvals: Vec<(u64, String)>,
}

/// Holds by their identifier: the sequences at which they were placed and released.
type Holds = BTreeMap<String, (u64, Option<u64>)>;

/// Everything that the log says about deletions.
#[derive(Debug, Default)]
pub(crate) struct ExpiryEvidence {
    /// Tombstones by the sequence of their entry.
    pub(crate) tombstones: BTreeMap<u64, Tombstone>,
    /// Tombstones of erasures by the sequence of their entry.
    pub(crate) erasures: BTreeMap<u64, ErasureTombstone>,
    /// Requests for erasure by their identifier.
    pub(crate) requests: BTreeMap<String, RequestEntries>,
    /// Sizes of the backups that the log continues from, by the sequence of their entry.
    pub(crate) restores: BTreeMap<u64, u64>,
    pub(crate) policies: BTreeMap<u64, PolicyList>,
    pub(crate) holds: Holds,
    /// Releases, which may be read before what they release.
    released: BTreeMap<String, u64>,
    /// Event types in segments of each class, with the sequence of one such entry.
    pub(crate) classes: BTreeMap<(String, String), u64>,
}

impl ExpiryEvidence {
    /// Takes an entry of one of the types. One that cannot be read proves nothing.
    pub(crate) fn entry(&mut self, sequence: u64, canonical: &[u8]) {
        let Ok(entry) = serde_json::from_slice::<Value>(canonical) else {
            return;
        };
        let succeeded = entry["action"]["status"] == "success";
        let by_reeve = entry["submitted_by"]["type"] == "reeve";
        if !succeeded || !by_reeve {
            return;
        }

        let id = || entry["resource"]["id"].as_str().map(str::to_owned);
        match entry["event_type"].as_str() {
            Some("ledger.expire") => {
                let stated = Tombstone::deserialize(&entry["metadata"]);
                let recorded_at = entry["recorded_at"].as_str().and_then(|at| at.parse().ok());
                if let (Ok(stated), Some(recorded_at)) = (stated, recorded_at) {
                    let tombstone = Tombstone {
                        sequence,
                        recorded_at,
                        ..stated
                    };
                    self.tombstones.insert(sequence, tombstone);
                }
            }
            Some("system.restore") => {
                if let Some(size) = entry["metadata"]["size"].as_u64() {
                    self.restores.insert(sequence, size);
                }
            }
            Some("ledger.erase") => {
                if let Ok(stated) = ErasureTombstone::deserialize(&entry["metadata"]) {
                    let tombstone = ErasureTombstone { sequence, ..stated };
                    self.erasures.insert(sequence, tombstone);
                }
            }
            Some(kind @ ("audit.erasure.create" | "audit.erasure.approve")) => {
                if let (Some(id), Some(person)) = (id(), entry["actor"]["id"].as_str()) {
                    let request = self.requests.entry(id).or_default();
                    match kind {
                        "audit.erasure.create" => {
                            request.created = Some((sequence, person.to_owned()));
                        }
                        _ => request.approvals.push((sequence, person.to_owned())),
                    }
                }
            }
            Some("audit.retention.modify") => {
                if let Ok(list) = PolicyList::deserialize(&entry["changes"]["after"]) {
                    self.policies.insert(sequence, list);
                }
            }
            Some("audit.hold.create") => {
                if let Some(id) = id() {
                    self.holds.insert(id, (sequence, None));
                }
            }
            Some("audit.hold.release") => {
                if let Some(id) = id() {
                    self.released.insert(id, sequence);
                }
            }
            _ => {}
        }
    }

    /// Takes the class of a segment that has an entry of a type.
    pub(crate) fn class(&mut self, event_type: String, class: String, sequence: u64) {
        self.classes.entry((event_type, class)).or_insert(sequence);
    }

    /// At the end: joins releases with their holds.
    pub(crate) fn finish(&mut self) {
        for (id, sequence) in std::mem::take(&mut self.released) {
            if let Some((_, released)) = self.holds.get_mut(&id) {
                *released = Some(sequence);
            }
        }
    }
}
