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
    LAKE_READ = "audit.lake.read", Medium, Reeve,
        "A table over the sealed entries was handed to an engine outside of Reeve, which can read all of them.",
        ["actor.email", "actor.ip_address", "actor.user_agent", "resource.type", "resource.id", "metadata.request", "metadata.found"];
    AUDIT_VERIFY = "audit.verify", Info, Reeve,
        "The log was verified.",
        ["actor.email", "resource.type", "resource.id", "metadata.verification"];
    AUDIT_EXPORT = "audit.export", Medium, Reeve,
        "An export ended: its query, period, format, count and the hashes of its files, or the reason why it failed.",
        ["resource.type", "resource.id", "metadata.export"];
    EXPORT_REQUEST = "audit.export.request", Info, Reeve,
        "An export was asked for.",
        ["resource.type", "resource.id", "changes.after"];
    EXPORT_CANCEL = "audit.export.cancel", Info, Reeve,
        "An export was cancelled.",
        ["resource.type", "resource.id"];
    EXPORT_DOWNLOAD = "audit.export.download", Info, Reeve,
        "A file of an export was downloaded.",
        ["resource.type", "resource.id", "metadata.file", "metadata.sha256"];
    EXPORT_DELIVER = "audit.export.deliver", Info, Reeve,
        "The files of an export were sent to a destination, or the transfer failed.",
        ["resource.type", "resource.id", "metadata.destination_id", "metadata.destination"];
    EXPORT_SCHEDULE_CREATE = "audit.export.schedule.create", Info, Reeve,
        "A scheduled export was added.",
        ["resource.type", "resource.id", "changes.after"];
    EXPORT_SCHEDULE_MODIFY = "audit.export.schedule.modify", Info, Reeve,
        "A scheduled export was changed.",
        ["resource.type", "resource.id", "changes.before", "changes.after"];
    EXPORT_SCHEDULE_DELETE = "audit.export.schedule.delete", Info, Reeve,
        "A scheduled export was removed.",
        ["resource.type", "resource.id", "changes.before"];
    EXPORT_DESTINATION_CREATE = "audit.export.destination.create", Info, Reeve,
        "A destination of exports was added.",
        ["resource.type", "resource.id", "changes.after"];
    EXPORT_DESTINATION_MODIFY = "audit.export.destination.modify", Info, Reeve,
        "A destination of exports was changed.",
        ["resource.type", "resource.id", "changes.before", "changes.after"];
    EXPORT_DESTINATION_DELETE = "audit.export.destination.delete", Info, Reeve,
        "A destination of exports was removed.",
        ["resource.type", "resource.id", "changes.before"];
    EXPORT_DESTINATION_TEST = "audit.export.destination.test", Info, Reeve,
        "A small file was written to a destination of exports to test it.",
        ["resource.type", "resource.id"];
    REPORT = "audit.report", Info, Reeve,
        "A report was generated with the hashes of its files, failed, was cancelled, or was downloaded, or an exception of it was reviewed.",
        ["resource.type", "resource.id", "metadata.report"];
    REPORT_CREATE = "audit.report.create", Info, Reeve,
        "A report was added.",
        ["resource.type", "resource.id", "changes.after"];
    REPORT_MODIFY = "audit.report.modify", Info, Reeve,
        "A report was changed.",
        ["resource.type", "resource.id", "changes.before", "changes.after"];
    REPORT_DELETE = "audit.report.delete", Info, Reeve,
        "A report was removed.",
        ["resource.type", "resource.id", "changes.before"];
    LIST_MODIFY = "audit.list.modify", Low, Reeve,
        "A list of values that queries and alert rules compare with was added or changed. `added` and `removed` name up to 100 values each.",
        ["resource.type", "resource.id", "changes.after", "metadata.added", "metadata.removed"];
    LIST_DELETE = "audit.list.delete", Low, Reeve,
        "A list of values that queries and alert rules compare with was removed.",
        ["resource.type", "resource.id", "changes.before"];
    ALERT_CREATE = "audit.alert.create", Info, Reeve,
        "An alert rule was added.",
        ["resource.type", "resource.id", "changes.after"];
    ALERT_MODIFY = "audit.alert.modify", Info, Reeve,
        "An alert rule was changed, enabled, disabled or silenced.",
        ["resource.type", "resource.id", "changes.before", "changes.after"];
    ALERT_DELETE = "audit.alert.delete", High, Reeve,
        "An alert rule was removed.",
        ["resource.type", "resource.id", "changes.before"];
    ALERT_TEST = "audit.alert.test", Info, Reeve,
        "A test message was sent to the receivers of an alert rule.",
        ["resource.type", "resource.id"];
    ALERT_FIRE = "audit.alert.fire", Info, Reeve,
        "An alert rule fired.",
        ["resource.type", "resource.id"];
    ALERT_DEGRADE = "audit.alert.degrade", Medium, Reeve,
        "An alert rule met a bound of its memory: further groups are counted together, or waiting entries were dropped.",
        ["resource.type", "resource.id", "metadata.rule_name", "metadata.bound"];
    ALERT_HANDLE = "audit.alert.handle", Info, Reeve,
        "A firing was acknowledged, assigned or resolved.",
        ["resource.type", "resource.id", "metadata.rule_id"];
    RETENTION_MODIFY = "audit.retention.modify", High, Reeve,
        "The retention policies were changed. `after` is the new version with all policies.",
        ["resource.type", "resource.id", "changes.before", "changes.after"];
    RETENTION_RUN = "audit.retention.run", Info, Reeve,
        "Expired entries were looked for on request.",
        ["resource.type", "resource.id"];
    HOLD_CREATE = "audit.hold.create", High, Reeve,
        "A legal hold was placed: entries that its query includes are not deleted.",
        ["resource.type", "resource.id", "changes.after"];
    HOLD_RELEASE = "audit.hold.release", High, Reeve,
        "A legal hold was released, with the reason: the entries that it kept may expire.",
        ["resource.type", "resource.id", "changes.before", "changes.after"];
    ERASURE_CREATE = "audit.erasure.create", High, Reeve,
        "Erasure of a person's entries was requested. The request itself is in the state store; the entry has its digest, so that the log does not name the person.",
        ["resource.type", "resource.id", "metadata.digest", "metadata.log_size"];
    ERASURE_APPROVE = "audit.erasure.approve", High, Reeve,
        "A person other than the requester approved an erasure. Two approvals let it run.",
        ["resource.type", "resource.id", "metadata.digest"];
    ERASURE_REJECT = "audit.erasure.reject", High, Reeve,
        "An erasure was rejected, or withdrawn by its requester, with the reason.",
        ["resource.type", "resource.id", "metadata.digest", "metadata.reason"];
    ERASURE_COMPLETE = "audit.erasure.complete", High, Reeve,
        "An approved erasure ended: how many entries were erased, and how many a legal hold or their being evidence of deletions kept. Status `failed` if a legal hold refused it.",
        ["resource.type", "resource.id", "metadata.digest", "metadata.erased", "metadata.held", "metadata.evidence", "metadata.freed_bytes", "metadata.holds"];
    RESTORE_CREATE = "audit.restore.create", Low, Reeve,
        "Entries of the cold tier were asked for: a period, and the days for which they can be searched.",
        ["resource.type", "resource.id", "changes.after"];
    RESTORE_END = "audit.restore.end", Low, Reeve,
        "A restore ended, on request or because its days have passed: its entries are no longer searched.",
        ["resource.type", "resource.id", "changes.after"];
}
