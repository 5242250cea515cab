//! Event types: calls of the interface, deliveries, syncs.

use super::{Area, EventKind, Severity, Source, kinds};

kinds! { Integration:
    INTEGRATION_SYNC = "integration.sync", Info, Shared,
        "A cloud account was synced.",
        ["resource.type", "resource.id"];
    DELIVERY = "integration.delivery", Info, Shared,
        "A webhook or notification was delivered, or all attempts failed.",
        ["resource.type", "resource.id", "metadata.delivery_id", "metadata.event", "metadata.attempts", "metadata.outcome"];
    API_CALL = "api.call", Info, Shared,
        "API calls of one token within a window, counted by route and status.",
        ["actor.email", "resource.type", "resource.id", "metadata.calls", "metadata.total", "metadata.window_s"];
}
