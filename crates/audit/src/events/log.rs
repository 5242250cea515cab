//! Event types: every access to the log, its alerts, reports and exports.

use super::{Area, EventKind, Severity, Source, kinds};

kinds! { Log:
    AUDIT_SEARCH = "audit.search", Info, Reeve,
        "Entries were listed, searched or counted.",
        ["actor.email", "actor.ip_address", "actor.user_agent", "resource.type", "resource.id", "metadata.request", "metadata.found"];
    AUDIT_VIEW = "audit.view", Info, Reeve,
        "One entry or its proof was read.",
        ["actor.email", "resource.type", "resource.id", "metadata.request"];
    AUDIT_LIVE = "audit.live", Info, Reeve,
        "A live view of the log was opened.",
        ["actor.email", "resource.type", "resource.id", "metadata.request"];
    AUDIT_VERIFY = "audit.verify", Info, Reeve,
        "The log was verified.",
        ["actor.email", "resource.type", "resource.id", "metadata.verification"];
    AUDIT_EXPORT = "audit.export", Info, Shared,
        "Entries were exported.",
        [];
    ALERT_CREATE = "audit.alert.create", Info, Reeve,
        "An alert rule was added.",
        ["resource.type", "resource.id", "changes.after"];
    ALERT_MODIFY = "audit.alert.modify", Info, Reeve,
        "An alert rule was changed, enabled, disabled or silenced.",
        ["resource.type", "resource.id", "changes.before", "changes.after"];
    ALERT_DELETE = "audit.alert.delete", Info, Reeve,
        "An alert rule was removed.",
        ["resource.type", "resource.id", "changes.before"];
    ALERT_TEST = "audit.alert.test", Info, Reeve,
        "A test message was sent to the receivers of an alert rule.",
        ["resource.type", "resource.id"];
    ALERT_FIRE = "audit.alert.fire", Info, Reeve,
        "An alert rule fired.",
        ["resource.type", "resource.id"];
    ALERT_HANDLE = "audit.alert.handle", Info, Reeve,
        "A firing was acknowledged, assigned or resolved.",
        ["resource.type", "resource.id", "metadata.rule_id"];
}
