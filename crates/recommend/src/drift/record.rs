//! A drift: a resource that differs from a baseline, from its detection to its end.

use jiff::Timestamp;
use reeve_estate::{ConnectionId, Provider, Resource, ResourceId, ResourceKind, named};
use serde::{Deserialize, Serialize};

use super::baseline::BaselineId;

/// Identifier of a drift.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct DriftId(pub String);

named!(
    /// Form of a difference from a baseline.
    DriftKind {
        /// The configuration differs from the pinned one.
        Changed => "changed",
        /// The resource is in the scope and was not there when the baseline was pinned.
        Appeared => "appeared",
        /// The resource is gone.
        Gone => "gone",
    }
);

named!(
    /// State of a drift.
    DriftState {
        /// It waits for somebody to accept it, to pin it or to undo the change.
        Open => "open",
        /// Somebody accepted it until a time.
        Accepted => "accepted",
        /// The resource agrees with the baseline again.
        Resolved => "resolved",
    }
);

named!(
    /// Reason why a drift is resolved.
    Resolution {
        /// The resource is as pinned again.
        Agrees => "agrees",
        /// The present configuration was pinned.
        Pinned => "pinned",
    }
);

/// Resource that a baseline pins or that drifts from it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DriftSubject {
    pub connection: ConnectionId,
    pub resource: ResourceId,
    pub kind: ResourceKind,
    pub provider: Provider,
    /// Name of the resource when it was last seen.
    pub name: String,
    pub account: String,
    pub region: String,
}

impl From<&Resource> for DriftSubject {
    fn from(resource: &Resource) -> Self {
        DriftSubject {
            connection: resource.connection.clone(),
            resource: resource.id.clone(),
            kind: resource.kind,
            provider: resource.provider,
            name: resource.name.clone(),
            account: resource.account.clone(),
            region: resource.region.clone(),
        }
    }
}

/// A resource as last seen, with the hash of its document.
#[derive(Debug, Clone, PartialEq)]
pub struct Observed {
    pub resource: Resource,
    /// SHA-256 of its document; `None` if the resource is gone.
    pub hash: Option<String>,
    /// First observation of this document, or of the absence.
    pub seen_at: Timestamp,
    /// `true` if its kind is read where it is and was read completely: only then an absence means
    /// that the resource is gone.
    pub is_read: bool,
}

/// Decision of a person that a drift may stay until a time.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Acceptance {
    /// Name in records of the person who accepted it.
    pub by: String,
    pub at: Timestamp,
    pub reason: String,
    /// End of the acceptance; the drift is open again then.
    pub ends_at: Timestamp,
    /// SHA-256 of the document that was accepted; `None` if the resource was gone.
    pub hash: Option<String>,
}

/// A resource that differs from a baseline.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Drift {
    pub id: DriftId,
    pub baseline: BaselineId,
    #[serde(flatten)]
    pub subject: DriftSubject,
    pub form: DriftKind,
    pub state: DriftState,
    /// SHA-256 of the pinned document; `None` if the resource was not there.
    pub pinned_hash: Option<String>,
    /// Time at which that document was pinned; that of the baseline if there is none.
    pub pinned_at: Timestamp,
    /// SHA-256 of the document that differs; `None` if the resource is gone.
    pub hash: Option<String>,
    /// Last time at which the resource agreed; `None` if no earlier reading is known.
    pub agreed_at: Option<Timestamp>,
    /// First observation of a difference.
    pub detected_at: Timestamp,
    /// First observation of the present difference.
    pub changed_at: Timestamp,
    /// The last acceptance; in force while the state is accepted.
    pub acceptance: Option<Acceptance>,
    pub resolution: Option<Resolution>,
    pub resolved_at: Option<Timestamp>,
    /// Entry of the log that recorded the detection.
    pub event_id: String,
}

impl Drift {
    /// Hashes of the documents that the record needs to be shown.
    pub fn hashes(&self) -> impl Iterator<Item = &String> {
        let accepted = self.acceptance.as_ref().and_then(|one| one.hash.as_ref());
        self.pinned_hash
            .iter()
            .chain(self.hash.iter())
            .chain(accepted)
    }

    /// Returns the drift as resolved.
    #[must_use]
    pub fn resolved(self, resolution: Resolution, at: Timestamp) -> Drift {
        Drift {
            state: DriftState::Resolved,
            resolution: Some(resolution),
            resolved_at: Some(at),
            ..self
        }
    }

    /// Returns `true` if the drift was accepted and the acceptance ended.
    #[must_use]
    pub fn is_acceptance_over(&self, now: Timestamp) -> bool {
        self.state == DriftState::Accepted
            && self
                .acceptance
                .as_ref()
                .is_none_or(|one| one.ends_at <= now)
    }
}
