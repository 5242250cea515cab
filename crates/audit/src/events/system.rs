//! Event types: imports, backups, maintenance, errors, the log's keys.

use super::{Area, EventKind, Severity, Source, kinds};

kinds! { System:
    KEY_ROTATE = "ledger.key_rotate", High, Reeve,
        "The log's signing key was replaced.",
        ["resource.type", "resource.id", "changes.before", "changes.after"];
    EXPIRE = "ledger.expire", High, Reeve,
        "The period of a segment of the log has passed and its entries are deleted: their range, number and types, the hash of the segment, the root of the commitments that stay, the policies that allow it and the legal holds that were looked at.",
        ["resource.type", "resource.id", "metadata.first_sequence", "metadata.last_sequence", "metadata.entries", "metadata.event_types", "metadata.sha256", "metadata.commitments_root", "metadata.class", "metadata.policy_version", "metadata.expired_at", "metadata.newest_timestamp", "metadata.newest_recorded_at", "metadata.holds"];
    FREE = "ledger.free", Info, Reeve,
        "The files of an expired segment were deleted, and this many bytes were freed.",
        ["resource.type", "resource.id", "metadata.expiry", "metadata.freed_bytes"];
    ERASE = "ledger.erase", High, Reeve,
        "Entries of a segment were erased for an approved request: their sequences, the root of the commitments that stay, the tier that the segment lay in, its hash before and after, and the legal holds that were looked at.",
        ["resource.type", "resource.id", "metadata.request", "metadata.first_sequence", "metadata.last_sequence", "metadata.class", "metadata.tier", "metadata.entries", "metadata.sequences", "metadata.commitments_root", "metadata.sha256", "metadata.path_after", "metadata.sha256_after", "metadata.holds"];
    MOVE = "ledger.move", Info, Reeve,
        "A segment of the log was copied to another tier, and the copy there was verified: the tiers, the place, the range and number of the entries, and the hash of the file. The file in the tier before is deleted after this.",
        ["resource.type", "resource.id", "metadata.from", "metadata.to", "metadata.place", "metadata.first_sequence", "metadata.last_sequence", "metadata.entries", "metadata.bytes", "metadata.sha256", "metadata.policy_version"];
    ACCEPT_UNSIGNED = "ledger.accept_unsigned", High, Reeve,
        "An operator had the service start over files of an earlier version that the log's key had not signed.",
        ["resource.type", "resource.id", "metadata.entries", "metadata.root", "metadata.sealed_entries", "metadata.signed_entries"];
    CHECKPOINT_CONFLICT = "ledger.checkpoint_conflict", Critical, Reeve,
        "A place that checkpoints are published to holds one that the log does not extend: the log was cut or rewritten, or the place was. What is there was not overwritten.",
        ["resource.type", "resource.id", "metadata.target", "metadata.error"];
    IMPORT = "ingestion.import", Info, Shared,
        "Entries of files were imported into the log.",
        ["metadata.format", "metadata.entries"];
    BACKUP = "system.backup", Info, Reeve,
        "A backup was made of log, state and samples.",
        ["resource.type", "resource.id", "metadata.keys", "metadata.place"];
    RESTORE = "system.restore", High, Reeve,
        "The log continues from a backup, under a new key. The entry lists the missing entries that are known to have existed after the backup.",
        ["resource.type", "resource.id", "metadata.backup", "metadata.size", "metadata.root", "metadata.created_at", "metadata.lost_entries", "metadata.later_checkpoints"];
    START = "system.start", Info, Shared,
        "The service started.",
        ["metadata.version"];
    STOP = "system.stop", Info, Shared,
        "The service stopped as it was asked to.",
        ["metadata.version"];
    TAKEOVER = "system.takeover", High, Reeve,
        "A standby server became active because the active one ended or did not respond.",
        ["metadata.cause", "metadata.epoch", "metadata.previous_instance"];
    STATE_DIGEST = "state.digest", Info, Reeve,
        "The rows that decide who may do what were digested and compared with the digest before. Rows that changed without an entry are listed; the entry is then critical.",
        ["resource.type", "resource.id", "metadata.digest", "metadata.tables", "metadata.unexplained"];
    TASK = "system.task", Info, Shared,
        "A scheduled task did something, or could not.",
        ["resource.type", "resource.id"];
    MAINTENANCE = "system.maintenance", Info, Shared,
        "Reeve maintained its own data: it sealed segments or removed entries past their retention.",
        ["resource.type", "resource.id"];
    ERROR = "system.error", Medium, Shared,
        "An internal error occurred in Reeve.",
        ["resource.type", "resource.id", "metadata.error", "metadata.occurrences"];
    SYSTEM_EVENT = "system.event", Info, Others,
        "A cloud reported an event that no API call caused.",
        [];
    SYSTEM_INSIGHT = "system.insight", Info, Others,
        "A cloud reported unusual activity in an account.",
        [];
}
