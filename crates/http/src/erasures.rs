//! The port to erasures in the running log.

use std::collections::BTreeMap;

use async_trait::async_trait;
use reeve_audit::Obstacle;
use reeve_retention::{ErasureRequest, ErasureScope, NeededRestore};
use serde::Serialize;
use sha2::{Digest as _, Sha256};
use utoipa::ToSchema;

use crate::time;

/// Prefix of the bytes that a digest of a request is computed over.
const DIGEST_DOMAIN: &[u8] = b"reeve/erasure/v1\0";

/// Entries of one segment that a request includes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct IncludedSegment {
    /// Path of the segment.
    pub segment: String,
    /// Retention class of its entries.
    pub class: String,
    pub first_sequence: u64,
    pub last_sequence: u64,
    /// Entries of it that would be erased.
    pub entries: u64,
}

/// Restore that a request needs: segments of the cold tier that may have entries of it, and that are
/// not searched before they are restored.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct NeededRestoreBody {
    pub segments: u64,
    /// Entries in these segments, of the request or not.
    pub entries: u64,
    /// Bytes of their files.
    pub bytes: u64,
    /// First `timestamp` to restore.
    pub start_time: String,
    /// Last `timestamp` to restore.
    pub end_time: String,
}

impl From<&NeededRestore> for NeededRestoreBody {
    fn from(needed: &NeededRestore) -> Self {
        NeededRestoreBody {
            segments: needed.segments,
            entries: needed.entries,
            bytes: needed.bytes,
            start_time: time::text(needed.start_time),
            end_time: time::text(needed.end_time),
        }
    }
}

/// Effect that a request would have now.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, ToSchema)]
pub struct ErasurePreview {
    /// Entries that would be erased, sealed or not.
    pub entries: u64,
    /// Sealed entries among them, by segment.
    pub segments: Vec<IncludedSegment>,
    /// Entries that are not sealed yet: they are erased after the next seal.
    pub unsealed: u64,
    /// Restore without which the effect is not complete.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub needed_restore: Option<NeededRestoreBody>,
    /// Entries that legal holds include, by the identifier of the hold. An entry counts for the
    /// first hold that includes it.
    pub held: BTreeMap<String, u64>,
    /// Entries that prove deletions, such as those about legal holds: they are never erased.
    pub evidence: u64,
}

/// Erasure of an entry that was asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ErasedEntry {
    /// Sequence of the entry.
    pub sequence: u64,
    /// Identifier of the request.
    pub request: String,
    /// Sequence of the tombstone.
    pub tombstone: u64,
}

/// Erasures in the running log.
#[async_trait]
pub trait Erasures: Send + Sync {
    /// Returns what a request with this scope would erase now.
    ///
    /// # Errors
    /// The log cannot be read, or the scope includes more entries than one request may.
    async fn preview(&self, scope: &ErasureScope) -> Result<ErasurePreview, Obstacle>;
    /// Goes on with every approved request. One run at a time. The texts are the reasons why
    /// requests are not finished.
    async fn run(&self) -> Vec<String>;
    /// Returns the erasure of the entry with an identifier; `None` if it was not erased, or the log
    /// no longer knows the identifier.
    ///
    /// # Errors
    /// The index of identifiers cannot be read.
    async fn erased(&self, event_id: &str) -> Result<Option<ErasedEntry>, Obstacle>;
}

/// Returns the digest that the log has in place of a request. The request's salt hides it: nobody
/// can try names.
pub fn digest(request: &ErasureRequest) -> String {
    let stated = serde_json::json!({
        "scope": request.scope,
        "reason": request.reason,
        "legal_basis": request.legal_basis,
        "salt": request.salt,
    });
    let hash = Sha256::new()
        .chain_update(DIGEST_DOMAIN)
        .chain_update(stated.to_string())
        .finalize();
    hex::encode(hash)
}
