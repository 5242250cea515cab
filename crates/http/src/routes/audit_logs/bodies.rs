//! From a stored entry to the wire.

use reeve_audit::entry::{Action, Actor, EntryChanges, ResourceRef};
use reeve_audit::{Json, Metadata, Submitter};
use reeve_ledger::StoredEntry;

use crate::time;
use crate::wire::log::entry::{
    ActionBody, ActorBody, ChangesBody, EntryBody, IntegrityBody, ResourceBody, SubmitterBody,
};

/// An entry as the wire shows it.
pub(super) fn entry(stored: &StoredEntry) -> EntryBody {
    let entry = &stored.entry;
    EntryBody {
        event_id: entry.event_id.as_str().to_owned(),
        timestamp: time::text(entry.timestamp),
        event_type: entry.event_type.as_str().to_owned(),
        category: entry.category().to_owned(),
        severity: entry.severity.into(),
        recorded_at: time::text(stored.recorded_at),
        submitted_by: entry.submitted_by.as_deref().map(submitter),
        actor: (!entry.actor.is_empty()).then(|| actor(&entry.actor)),
        resource: (!entry.resource.is_empty()).then(|| resource(&entry.resource)),
        action: (!entry.action.is_empty()).then(|| action(&entry.action)),
        changes: (!entry.changes.is_empty()).then(|| changes(&entry.changes)),
        metadata: Some(metadata(&entry.metadata)),
        integrity: IntegrityBody {
            sequence: stored.sequence,
            commitment: stored.commitment.to_string(),
            leaf_hash: stored.leaf_hash.to_string(),
            previous_hash: stored.previous_hash.to_string(),
            hash: stored.hash.to_string(),
        },
    }
}

fn submitter(submitter: &Submitter) -> SubmitterBody {
    SubmitterBody {
        submitter_type: submitter.kind.into(),
        id: submitter.id.clone(),
        email: submitter.email.clone(),
        ip_address: submitter.ip_address.map(|address| address.to_string()),
        session_id: submitter.session_id.clone(),
        token_id: submitter.token_id.clone(),
        token_name: submitter.token_name.clone(),
    }
}

fn actor(actor: &Actor) -> ActorBody {
    ActorBody {
        actor_type: actor.kind.map(Into::into),
        id: actor.id.clone(),
        email: actor.email.clone(),
        ip_address: actor.ip_address.map(|ip| ip.to_string()),
        user_agent: actor.user_agent.clone(),
        session_id: actor.session_id.clone(),
    }
}

fn resource(resource: &ResourceRef) -> ResourceBody {
    ResourceBody {
        resource_type: resource.kind.clone(),
        id: resource.id.clone(),
        cloud_provider: resource.cloud_provider.clone(),
        account_id: resource.account_id.clone(),
        region: resource.region.clone(),
        tags: resource.tags.clone().into_iter().collect(),
    }
}

fn action(action: &Action) -> ActionBody {
    ActionBody {
        operation: action.operation.clone(),
        status: action.status.map(Into::into),
        method: action.method.map(Into::into),
    }
}

fn changes(changes: &EntryChanges) -> ChangesBody {
    ChangesBody {
        before: changes.before.as_ref().map(value),
        after: changes.after.as_ref().map(value),
    }
}

fn metadata(metadata: &Metadata) -> serde_json::Value {
    let mut members = serde_json::Map::new();
    if let Some(id) = &metadata.request_id {
        members.insert("request_id".into(), id.clone().into());
    }

    members.insert("api_version".into(), metadata.api_version.clone().into());
    if !metadata.tags.is_empty() {
        members.insert("tags".into(), metadata.tags.clone().into());
    }
    if let Ok(serde_json::Value::Object(extra)) = serde_json::to_value(&metadata.extra) {
        members.extend(extra);
    }

    serde_json::Value::Object(members)
}

fn value(json: &Json) -> serde_json::Value {
    serde_json::to_value(json).unwrap_or(serde_json::Value::Null)
}
