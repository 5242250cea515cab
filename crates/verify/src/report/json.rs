//! The report as JSON, for `--json`.

use serde_json::{Value, json};

use super::Report;
use crate::expiry::{ErasedRange, ExpiredRange};
use crate::finding::Finding;
use crate::key::KeySource;

impl Report {
    /// One JSON object. Hashes are hex, offsets in bytes from 0, absent values `null`.
    pub fn to_json(&self) -> Value {
        let counts = &self.counts;
        json!({
            "target": self.target,
            "intact": self.is_intact(),
            "origin": self.origin,
            "key": {
                "public_key": self.key.verifier.to_string(),
                "id": self.key.verifier.id().to_string(),
                "in_charge": self.key.epochs.newest().to_string(),
                "rotations": self.key.epochs.rotations().len(),
                "source": match self.key.source { KeySource::Pinned => "pinned", KeySource::Directory => "directory" },
            },
            "tree": {
                "size": self.size,
                "root": self.root.map(|hash| hash.to_string()),
                "chain_hash": self.chain_hash.map(|hash| hash.to_string()),
            },
            "freshness": {
                "checked": self.freshness.is_checked(),
                "against": self.freshness.against,
            },
            "checked": {
                "entries": counts.entries(),
                "sealed_entries": counts.sealed_entries,
                "unsealed_entries": counts.unsealed_entries,
                "expired_entries": counts.expired,
                "erased_entries": counts.erased,
                "elsewhere_entries": counts.elsewhere,
                "elsewhere_segments": counts.segments_elsewhere,
                "commitments_only": counts.commitments_only,
                "segments": counts.segments,
                "wal_files": counts.wal_files,
                "wal_frames": counts.wal_frames,
                "checkpoints": counts.checkpoints,
                "tiles": counts.tiles,
                "bundles": counts.bundles,
                "attested_files": counts.attested,
            },
            "submitted": {
                "by_reeve": counts.submitters.reeve,
                "by_others": counts.submitters.others,
                "unknown": counts.submitters.unknown,
                "reserved_by_others": counts.submitters.reserved,
            },
            "findings": self.findings.iter().map(finding).collect::<Vec<_>>(),
            "findings_total": self.findings_total,
            "missing": {
                "entries": self.missing.total,
                "ranges": self.missing.ranges,
                "more": self.missing.more,
            },
            "expired": self.expired.iter().map(expired).collect::<Vec<_>>(),
            "erased": self.erased.iter().map(erased).collect::<Vec<_>>(),
            "notes": self.notes,
            "not_checked": self.not_checked,
            "duration_ms": self.elapsed.as_millis() as u64,
            "entries_per_s": self.entries_per_s().round(),
            "entries_per_core_s": self.entries_per_core_s().map(f64::round),
        })
    }
}

fn expired(range: &ExpiredRange) -> Value {
    json!({
        "first_sequence": range.first,
        "last_sequence": range.last,
        "entries": range.entries,
        "class": range.class,
        "policy_version": range.policy_version,
        "tombstone": range.tombstone,
    })
}

fn erased(range: &ErasedRange) -> Value {
    json!({
        "first_sequence": range.first,
        "last_sequence": range.last,
        "entries": range.entries,
        "class": range.class,
        "request": range.request,
        "tombstone": range.tombstone,
    })
}

fn finding(finding: &Finding) -> Value {
    json!({
        "file": finding.file,
        "offset": finding.offset,
        "first_sequence": finding.sequences.map(|(first, _)| first),
        "last_sequence": finding.sequences.map(|(_, last)| last),
        "event_id": finding.event_id,
        "what": finding.message,
        "expected": finding.expected,
        "found": finding.found,
    })
}
