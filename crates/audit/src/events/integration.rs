//! Event types: calls of the interface, deliveries, syncs.

use super::{Area, EventKind, Severity, Source, kinds};

kinds! { Integration:
    INTEGRATION_SYNC = "integration.sync", Info, Shared,
        "A cloud account was synced.",
        ["resource.type", "resource.id"];
    SOURCE_QUARANTINE = "integration.quarantine", Low, Shared,
        "Events of a source could not become entries and are in quarantine.",
        ["resource.type", "resource.id", "metadata.source", "metadata.rejected", "metadata.reason"];
    SOURCE_UNPROVEN = "integration.unproven", Critical, Shared,
        "A file of a trail is missing, or is not the one that its signed digest names.",
        ["resource.type", "resource.id", "metadata.source", "metadata.reason"];
    SOURCE_SILENT = "integration.silence", High, Shared,
        "A source of entries has been silent for longer than its rhythm explains, or a file of it is missing.",
        ["resource.type", "resource.id", "metadata.source", "metadata.silent_since"];
    SOURCE_RECOVER = "integration.recover", Info, Shared,
        "A source of entries that was silent sends again.",
        ["resource.type", "resource.id", "metadata.source", "metadata.silent_since"];
    DELIVERY = "integration.delivery", Info, Shared,
        "A webhook or notification was delivered, or all attempts failed.",
        ["resource.type", "resource.id", "metadata.delivery_id", "metadata.event", "metadata.attempts", "metadata.outcome"];
    STREAM = "integration.stream", Info, Reeve,
        "A stream of entries to another platform began to fail, worked again, or had an entry refused.",
        ["resource.type", "resource.id", "metadata.name", "metadata.receiver", "metadata.cursor"];
    API_CALL = "api.call", Info, Shared,
        "API calls of one token within a window, counted by route and status.",
        ["actor.email", "resource.type", "resource.id", "metadata.calls", "metadata.total", "metadata.window_s"];
}
