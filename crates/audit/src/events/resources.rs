//! Event types: resources of the estate.

use super::{Area, EventKind, Severity, Source, kinds};

kinds! { Resources:
    RESOURCE_CREATE = "resource.create", Info, Shared,
        "A resource was created, by an execution, as a sync saw it or as a cloud recorded it.",
        ["resource.type", "resource.id", "resource.cloud_provider", "resource.account_id", "resource.region", "changes.after", "metadata.connection_id"];
    RESOURCE_MODIFY = "resource.modify", Info, Shared,
        "The configuration of a resource changed, by an execution, as a sync saw it or as a cloud recorded it.",
        ["resource.type", "resource.id", "resource.cloud_provider", "resource.account_id", "resource.region", "changes.before", "changes.after"];
    RESOURCE_DELETE = "resource.delete", Info, Shared,
        "A resource was deleted, by an execution, as a sync saw it or as a cloud recorded it.",
        ["resource.type", "resource.id", "resource.cloud_provider", "resource.account_id", "resource.region", "changes.before", "metadata.connection_id"];
    RESOURCE_TAG = "resource.tag", Info, Shared,
        "The tags of a resource changed, by an execution, as a sync saw it or as a cloud recorded it.",
        ["resource.type", "resource.id", "resource.cloud_provider", "resource.account_id", "resource.region", "changes.before", "changes.after", "metadata.connection_id"];
    RESOURCE_STATE = "resource.state", Info, Shared,
        "A resource was started, stopped or went into another state, by an execution, as a sync saw it or as a cloud recorded it.",
        ["resource.type", "resource.id", "resource.cloud_provider", "resource.account_id", "resource.region", "changes.before", "changes.after", "metadata.connection_id", "metadata.last_seen_at"];
    RESOURCE_SNAPSHOT = "resource.snapshot", Info, Shared,
        "An execution kept a copy of a resource before changing it.",
        ["resource.type", "resource.id", "metadata.recommendation_id", "metadata.action_id"];
    RESOURCE_STATE_CHANGE = "resource.state_change", Info, Others,
        "Former name of `resource.state` in imports of CloudTrail; entries of earlier releases have it, and nothing writes it any more.",
        [];
    RESOURCE_VIEW = "resource.view", Info, Others,
        "A resource was read or listed.",
        [];
    RESOURCE_EXECUTE = "resource.execute", Info, Others,
        "Something was run or used: a function, a key, a command.",
        [];
    RESOURCE_INTERRUPT = "resource.interrupt", Info, Others,
        "The provider took spot capacity back.",
        [];
    RESOURCE_INTERRUPT_NOTICE = "resource.interrupt_notice", Medium, Shared,
        "The provider announced that it may or will take spot capacity back.",
        ["resource.type", "resource.id", "metadata.connection_id", "metadata.provider_event_id"];
    SECRET_READ = "secret.read", Info, Others,
        "The value of a secret was read.",
        [];
    DATA_QUERY = "data.query", Info, Others,
        "Data of a database or bucket was queried.",
        [];
    DATA_EXPORT = "data.export", Info, Shared,
        "Data of a database or bucket was exported, or the inventory with its costs.",
        [];
    DEPLOYMENT_CREATE = "deployment.create", Info, Others,
        "A release was deployed.",
        [];
    BACKUP_CREATE = "backup.create", Info, Others,
        "A cloud made a backup of a resource.",
        [];
}
